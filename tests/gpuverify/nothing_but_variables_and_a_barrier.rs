//! race-free

#[kernel(workgroup_size(64))]
fn sum() {
    let (a, b) = (2, 3);
    let _sum = a + b;
    workgroup_barrier();
}
