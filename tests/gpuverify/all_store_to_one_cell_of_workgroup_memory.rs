//! V500: every invocation stores to the cell

#[kernel(workgroup_size(64))]
fn last() {
    #[shared]
    let cell: u32;
    cell = local_id().x as u32;
}
