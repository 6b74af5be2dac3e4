//! V500: every invocation stores to the field of the first element

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
    y[0].inner.values[4] = local_id().x as f32;
}
