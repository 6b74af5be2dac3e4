//! Pages that are compiled from Rust: the runtime itself in a browser, on WebGPU.
//!
//! `.ci/web` builds them, and says where they are by `SAMEBITS_WEB`. Without it nothing is tested, which is said.

#[path = "../../../examples/web/checks/src/kernels.rs"]
mod kernels;

use samebits::prelude::*;
use samebits_tests::browser::{File, Page};
use samebits_tests::engines::say;
use std::path::PathBuf;

/// The variable that names the folder of the pages.
const FOLDER: &str = "SAMEBITS_WEB";

/// The page that runs what there is to check.
const CHECKS: &str = r#"<!doctype html>
<link rel="icon" href="data:,">
<script type="module">
import init, * as checks from "./checks.js";
try {
  await init();
  for (const check of [checks.run, checks.interpret, checks.refused]) {
    await fetch("/results", { method: "POST", body: await check() });
  }
} catch (error) {
  await fetch("/failed", { method: "POST", body: `${error}\n${error.stack}` });
}
</script>
"#;

/// Posts what the canvas shows at first and after a zoom.
const POST: &str = r#"<script type="module">
try {
  const context = document.getElementById("picture").getContext("2d");
  const shown = () => context.getImageData(0, 0, 640, 400).data;
  await window.drawn;
  await fetch("/results", { method: "POST", body: shown() });
  await window.zoom(200, 120, 0.25);
  await fetch("/results", { method: "POST", body: shown() });
} catch (error) {
  await fetch("/failed", { method: "POST", body: `${error}\n${error.stack}` });
}
</script>
</html>"#;

/// A file of a package that was built, by its name behind the folder.
fn built(name: &str) -> Option<Vec<u8>> {
    let Some(folder) = std::env::var_os(FOLDER) else {
        say("SKIPPED pages that are compiled from Rust: `.ci/web` builds them, so nothing was tested");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A list of names and bytes, each with its length before it.
fn list(mut rest: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut part = || {
        let (len, after) = rest.split_first_chunk()?;
        let (part, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        rest = after;
        Some(part.to_vec())
    };
    let mut list = Vec::new();
    while let (Some(name), Some(bytes)) = (part(), part()) {
        list.push((String::from_utf8(name).expect("a name"), bytes));
    }
    list
}

/// What has to come out, by the interpreter on this machine.
fn expected() -> Vec<(String, Vec<u8>)> {
    let outcomes = pollster::block_on(kernels::all(&Device::interpreter())).expect("kernels that run");
    outcomes.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect()
}

/// What a page refuses, and why.
const REFUSED: &str = "\
Device::best: a page of the web cannot wait for device `wgpu`; use `read_async`, `wait_async` or `Device::best_async`
Device::named: a page of the web cannot wait for device `wgpu`; use `read_async`, `wait_async` or `Device::best_async`
Device::all: [\"cpu\", \"interpreter\"]
read: a page of the web cannot wait for device `DEVICE`; use `read_async`, `wait_async` or `Device::best_async`
read_into: a page of the web cannot wait for device `DEVICE`; use `read_async`, `wait_async` or `Device::best_async`
wait: a page of the web cannot wait for device `DEVICE`; use `read_async`, `wait_async` or `Device::best_async`
debug_lines: a page of the web cannot wait for device `DEVICE`; use `read_async`, `wait_async` or `Device::best_async`
profile: a page of the web cannot wait for device `DEVICE`; use `read_async`, `wait_async` or `Device::best_async`
trim: no error
tune: no error
read_async: [1, 1, 1, 1, 1, 1, 1, 1]
wait, when all is done: no error";

#[test]
fn a_page_gives_the_interpreters_bytes_and_refuses_to_wait() {
    let Some(script) = built("checks.js") else { return };
    let module = built("checks_bg.wasm").expect("it is there with the other");
    let files = vec![
        File { path: "/", media: "text/html; charset=utf-8", bytes: CHECKS.into() },
        File { path: "/checks.js", media: "text/javascript", bytes: script },
        File { path: "/checks_bg.wasm", media: "application/wasm", bytes: module },
    ];
    let Some(mut page) = Page::open(files) else { return };
    let expected = expected();
    for device in ["the browser's GPU", "the interpreter in the page"] {
        let outcomes = list(&page.receive().unwrap_or_else(|why| panic!("{device}: {why}")));
        assert_eq!(outcomes.len(), expected.len(), "{device}");
        for ((name, bytes), (_, expected)) in outcomes.iter().zip(&expected) {
            let differs = bytes.iter().zip(expected).position(|(byte, other)| byte != other);
            assert!(bytes == expected, "{device}: {name} has other bytes, the first at {differs:?}");
        }
        say(&format!("{device}: {} results have the interpreter's bytes", outcomes.len()));
    }
    let refused = String::from_utf8(page.receive().expect("a page that answers")).expect("text");
    // What a browser calls its device is its own business.
    let device = refused.split_once("\nread: ").and_then(|(_, rest)| rest.split('`').nth(1)).expect("a read's line");
    let wanted = REFUSED.replace("DEVICE", device);
    let lines: Vec<&str> = refused.lines().collect();
    let wanted: Vec<&str> = wanted.lines().collect();
    assert_eq!(lines[..wanted.len()], wanted);
    let [kernel, lost] = lines[wanted.len()..] else { panic!("{refused}") };
    assert!(kernel.contains("must only be called from uniform control flow"), "{kernel}");
    assert_eq!(
        lost,
        format!("a device that is lost: device `{device}` was lost, and its buffers with it: it was destroyed")
    );
}

/// The picture of the page's kernel in plain Rust.
fn mandelbrot([re, im]: [f32; 2], span: f32, limit: u32) -> Vec<u8> {
    let (width, height) = (640, 400);
    let step = span / width as f32;
    let (left, top) = (re - 0.5 * span, im + 0.5 * step * height as f32);
    let colour = |n: u32, times: u32| (n * times % 512).abs_diff(255).min(255) as u8;
    let pixel = |x: usize, y: usize| {
        let (re, im) = (left + x as f32 * step, top - y as f32 * step);
        let (mut zr, mut zi) = (0.0f32, 0.0f32);
        for n in 1..=limit {
            (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
            if zr * zr + zi * zi >= 256.0 {
                return [colour(n, 5), colour(n, 3), colour(n, 2), 255];
            }
        }
        [0, 0, 0, 255]
    };
    (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
}

#[test]
fn the_example_of_the_web_draws_and_zooms() {
    let Some(script) = built("mandelbrot.js") else { return };
    let module = built("mandelbrot_bg.wasm").expect("it is there with the other");
    let html = include_str!("../../../examples/web/mandelbrot/index.html").replace("</html>", POST);
    let files = vec![
        File { path: "/", media: "text/html; charset=utf-8", bytes: html.into_bytes() },
        File { path: "/mandelbrot.js", media: "text/javascript", bytes: script },
        File { path: "/mandelbrot_bg.wasm", media: "application/wasm", bytes: module },
    ];
    let Some(mut page) = Page::open(files) else { return };
    assert!(page.receive().expect("a page that draws") == mandelbrot([-0.6, 0.0], 3.2, 200), "another picture");
    // The place under the pointer stays where it is. The page computes in `f64`.
    let (step, span) = (3.2 / 640.0, 3.2 * 0.25);
    let at = [-0.6 + (200.0 - 320.0) * step, 0.0 - (120.0 - 200.0) * step];
    let middle = [at[0] - (200.0 - 320.0) * (span / 640.0), at[1] + (120.0 - 200.0) * (span / 640.0)];
    let zoomed = mandelbrot(middle.map(|x: f64| x as f32), span as f32, 320);
    assert!(page.receive().expect("a page that draws") == zoomed, "another picture after the zoom");
}
