//! race-free

#[kernel(workgroup_size(2))]
fn turns(counter: &[Atomic<u32>]) {
    counter[0].fetch_inc_wrap(1);
}
