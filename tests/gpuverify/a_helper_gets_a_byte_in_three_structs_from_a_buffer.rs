//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Inner {
    bits: i8,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Middle {
    inner: Inner,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Outer {
    middle: Middle,
}

#[device]
fn is_set(outer: Outer) -> bool {
    outer.middle.inner.bits != 0
}

#[kernel(workgroup_size(256))]
fn flags(outer: &[Outer], y: &mut [u32]) {
    y[global_id().x] = is_set(outer[0]) as u32;
}
