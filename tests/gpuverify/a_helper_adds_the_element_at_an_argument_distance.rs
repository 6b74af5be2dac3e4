//! V500: the element that one invocation loads is the one that another one stores
//! found: V501: no argument is looked for with which two invocations meet

#[device]
fn add_distant(y: &mut [i32], distance: usize) {
    let i = local_id().x;
    let other = y[i + distance];
    y[i] += other;
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn add(y: &mut [i32], distance: usize) {
    add_distant(y, distance);
}
