//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024), features(atomic64, float_atomics))]
fn all_kinds(signed: &[Atomic<i32>], counts: &[Atomic<u32>], wide: &[Atomic<u64>], sums: &[Atomic<f32>]) {
    signed[0].fetch_add(10);
    signed[0].fetch_sub(10);
    signed[0].swap(10);
    signed[0].fetch_min(10);
    signed[0].fetch_max(10);
    signed[0].fetch_and(10);
    signed[0].fetch_or(10);
    signed[0].fetch_xor(10);
    signed[0].compare_exchange(10, 11);
    counts[0].fetch_inc_wrap(10);
    counts[0].fetch_dec_wrap(10);
    counts[0].fetch_max(10);
    counts[0].fetch_min(10);
    counts[0].compare_exchange(10, 11);
    wide[0].fetch_add(10);
    wide[0].swap(10);
    wide[0].fetch_xor(10);
    wide[0].compare_exchange(10, 11);
    sums[0].fetch_add(10.0);
    sums[0].swap(10.0);
}
