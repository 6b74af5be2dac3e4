//! V500: with a distance of 185 both store to element 200
//! found: V501: no argument is looked for with which two invocations meet

#[kernel(workgroup_size(512), limits(invocations = 512), requires(distance < 1000))]
fn k(y: &mut [f32], distance: usize) {
    let i = local_id().x;
    if i == 15 {
        y[i + distance] = i as f32;
    }
    if i == 200 {
        y[i] = i as f32;
    }
}
