//! V500: the second struct of one invocation is the first one of the next

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Record {
    a: i16,
    b: i16,
    c: i16,
}

#[kernel(workgroup_size(2))]
fn copy(from: &[Record], to: &mut [Record]) {
    let first = local_id().x;
    for i in first..first + 2 {
        to[i] = from[i];
    }
}
