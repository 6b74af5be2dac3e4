//! race-free

#[kernel(workgroup_size(64))]
fn blocks(y: &mut [i32]) {
    let mut sum = 0;
    {
        let x = 4;
        sum += x;
    }
    {
        let x = 2;
        sum += x;
    }
    y[global_id().x] = sum;
}
