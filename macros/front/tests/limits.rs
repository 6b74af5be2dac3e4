//! The page of limits in the reference says what the constants say.

use samebits_ir::text;
use std::path::Path;

#[test]
fn the_page_of_limits_is_that_of_the_constants() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/src/language/limits.md");
    let page = samebits_front::limits::page(text::limits::SOURCE);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "runtime/src/language/limits.md differs from the constants; run this test with BLESS=1");
}
