//! race-free

#[device]
fn one_more(x: i32) -> i32 {
    x + 1
}

#[device]
fn two_more(x: i32) -> i32 {
    one_more(one_more(x))
}

#[kernel(workgroup_size(64))]
fn k() {
    let _ = two_more(2);
}
