//! V500: a subgroup does not run in step, so one invocation loads what another one stores

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn rotate(y: &mut [i32]) {
    let lane = local_id().x;
    let start = lane / 32 * 32;
    y[lane] = y[start + (lane + 1) % 32];
}
