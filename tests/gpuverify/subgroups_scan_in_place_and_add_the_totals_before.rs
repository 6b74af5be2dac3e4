//! V500: a subgroup does not run in step, so one invocation loads what another one stores

/// Afterwards each element is the sum of its row of 32 up to it.
#[device]
fn scan(y: &mut [i32]) {
    let i = local_id().x;
    let lane = i % 32;
    let mut step = 1;
    while step < 32 {
        if lane >= step {
            y[i] = y[i - step] + y[i];
        }
        step *= 2;
    }
}

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn scan_all(y: &mut [i32]) {
    #[shared]
    let totals: [i32; 32];
    let i = local_id().x;
    scan(y);
    workgroup_barrier();
    if i % 32 == 31 {
        totals[i / 32] = y[i];
    }
    workgroup_barrier();
    if i / 32 == 0 {
        scan(&mut totals);
    }
    workgroup_barrier();
    y[i] += totals[i / 32];
}
