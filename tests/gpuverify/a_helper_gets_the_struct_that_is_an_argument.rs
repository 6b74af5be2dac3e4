//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Setting {
    scale: i32,
}

#[device]
fn scaled(setting: Setting, by: i32) -> i32 {
    setting.scale * by
}

#[kernel(workgroup_size(256))]
fn scale(setting: Setting, y: &mut [i32]) {
    let i = global_id().x;
    y[i] = scaled(setting, i as i32);
}
