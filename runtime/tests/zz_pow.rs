use samebits::prelude::*;
#[kernel(workgroup_size(64))]
fn k(b: f32, c: f32, n: f32, m: f32, y: &mut [f32]) { if global_id().x < 1 { y[0] = b.powf(n); y[1] = c.powf(n) + m; } }
#[kernel(workgroup_size(64))]
fn k2(b: f32, c: f32, n: f32, y: &mut [f32]) { if global_id().x < 1 { y[0] = b.powf(n); y[1] = c.powf(n); } }
#[test]
fn t() {
    for device in Device::all() {
        let mut y = device.zeros::<f32>(2).unwrap();
        k::launch(&device, 64, 0.9, 0.81, 3.0, 3.0, &mut y).unwrap();
        print!("{} {:?}", device.name(), y.read().unwrap());
        k::launch(&device, 64, 0.9, 0.5, 5.0, 0.0, &mut y).unwrap();
        print!(" {:?}", y.read().unwrap());
        k2::launch(&device, 64, 0.9, 0.5, 5.0, &mut y).unwrap();
        println!(" {:?}", y.read().unwrap());
    }
}
