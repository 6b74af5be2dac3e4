//! V500: a subgroup does not run in step, so one invocation loads what another one stores

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn scan(y: &mut [i32]) {
    let i = local_id().x;
    let lane = i & 31;
    if lane >= 1 {
        y[i] = y[i - 1] + y[i];
    }
    if lane >= 2 {
        y[i] = y[i - 2] + y[i];
    }
    if lane >= 4 {
        y[i] = y[i - 4] + y[i];
    }
    if lane >= 8 {
        y[i] = y[i - 8] + y[i];
    }
    if lane >= 16 {
        y[i] = y[i - 16] + y[i];
    }
}
