//! race-free

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn scan_all(y: &mut [i32]) {
    #[shared]
    let totals: [i32; 32];
    let i = local_id().x;
    let sum = subgroup_inclusive_add(y[i]);
    if subgroup_lane() == 31 {
        totals[subgroup_id()] = sum;
    }
    workgroup_barrier();
    let before = subgroup_exclusive_add(totals[subgroup_lane()]);
    workgroup_barrier();
    if subgroup_id() == 0 {
        totals[subgroup_lane()] = before;
    }
    workgroup_barrier();
    y[i] = totals[subgroup_id()] + sum;
}
