//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Inner {
    x: i32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Outer {
    inner: Inner,
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn assigned(mut a: Outer, b: Outer) {
    a.inner.x = b.inner.x;
}
