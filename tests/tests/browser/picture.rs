//! The example's page: its kernel is today's, and a browser draws today's picture with it.

use samebits_examples::picture::Picture;
use samebits_ir::backend::naga::{Options, emit};
use samebits_ir::check::check_image;
use samebits_ir::ir::ParamKind;
use samebits_ir::soft::plan::Native;
use samebits_ir::wire;
use samebits_tests::browser::{File, Page};
use samebits_tests::engines::say;
use samebits_tests::tidy::root;
use std::path::Path;

/// Posts the canvas once the page has drawn it.
const POST: &str = "<script>
window.drawn.then(said => document.getElementById('picture').toBlob(async png => {
  const text = new TextEncoder().encode(said + '\\n');
  await fetch('/results', { method: 'POST', body: new Blob([text, png]) });
}), error => fetch('/failed', { method: 'POST', body: String(error) }));
</script>
</html>";

/// The page with what is generated in it.
fn fresh(page: &str) -> String {
    let kernels = samebits_examples::kernels();
    let kernel = kernels.iter().find(|kernel| kernel.name() == "paint").expect("the kernel of the example");
    let checked = check_image(wire::decode(kernel.image()).expect("an image")).expect("a kernel");
    // The page writes the scalars in this order.
    let params = checked.module().functions[0].params.iter();
    let scalars = params.filter(|param| matches!(param.kind, ParamKind::Scalar(_)));
    let names: Vec<&str> = scalars.map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["width", "height", "left", "top", "step", "limit", "ESCAPED", "DENSITY"]);
    let mut page = page.to_owned();
    for (id, native) in [("hardware", Native::EXACT_F32), ("software", Native::WEBGPU)] {
        let shader = emit(&checked, 0, &Options { native, ..Options::WEBGPU }).expect("a kernel");
        let start = format!("id=\"{id}\">\n");
        page = replaced(&page, &start, "</script>", &shader.wgsl().expect("WGSL"));
    }
    let picture = Picture::read(&root().join("docs/src/pictures/mandelbrot.png")).expect("a picture");
    replaced(&page, "const CHECKSUM = ", ";", &format!("0x{:08x}", picture.checksum()))
}

/// What stands between two texts, replaced.
fn replaced(page: &str, start: &str, end: &str, by: &str) -> String {
    let (before, rest) = page.split_once(start).unwrap_or_else(|| panic!("the page has no `{start}`"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("the page has no `{end}` after `{start}`"));
    format!("{before}{start}{by}{end}{after}")
}

#[test]
fn the_page_has_the_kernel_of_today() {
    let path = root().join("examples/web/mandelbrot.html");
    let page = std::fs::read_to_string(&path).expect("the page");
    let fresh = fresh(&page);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, fresh).expect("the page can be written");
    } else {
        assert!(page == fresh, "{} is stale: BLESS=1 writes it", path.display());
    }
}

#[test]
fn a_browser_draws_the_picture_of_the_example() {
    let html = fresh(&std::fs::read_to_string(root().join("examples/web/mandelbrot.html")).expect("the page"));
    let bytes = html.replace("</html>", POST).into_bytes();
    let file = File { path: "/mandelbrot.html", media: "text/html; charset=utf-8", bytes };
    let Some(mut page) = Page::open(vec![file]) else { return };
    let answer = page.receive().expect("a page that draws");
    let line = answer.iter().position(|byte| *byte == b'\n').expect("a line before the picture");
    let said = String::from_utf8_lossy(&answer[..line]).into_owned();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mandelbrot-in-a-browser.png");
    std::fs::write(&path, &answer[line + 1..]).expect("the picture can be written");
    say(&format!("{}: {said}", path.display()));
    let committed = Picture::read(&root().join("docs/src/pictures/mandelbrot.png")).expect("a picture");
    assert!(Picture::read(&path).expect("a PNG") == committed, "{} is another picture", path.display());
    assert!(said.ends_with("the same bits as everywhere."), "{said}");
}
