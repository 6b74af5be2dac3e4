//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Inner {
    values: [f32; 42],
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Outer {
    inner: Inner,
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn fourth(y: &mut [Outer]) {
    y[local_id().x + workgroup_id().x * 1024].inner.values[4] = 4.2;
}
