//! race-free

#[kernel(workgroup_size(2))]
fn alone(counter: &[Atomic<u32>], y: &mut [u32]) {
    if local_id().x == 0 {
        counter[0].store(0);
        counter[0].fetch_add(1);
        let first = counter[0].load();
        let second = counter[0].load();
        y[0] = first + second;
    }
}
