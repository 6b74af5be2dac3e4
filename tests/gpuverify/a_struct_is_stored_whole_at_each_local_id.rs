//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    left: i16,
    right: i16,
}

#[kernel(workgroup_size(2))]
fn clear(pairs: &mut [Pair]) {
    pairs[local_id().x] = Pair { left: 0, right: 0 };
}
