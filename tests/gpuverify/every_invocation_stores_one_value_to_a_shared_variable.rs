//! V500: every invocation stores to the same variable

#[kernel(workgroup_size(64))]
fn k() {
    #[shared]
    let start: u32;
    start = 0;
}
