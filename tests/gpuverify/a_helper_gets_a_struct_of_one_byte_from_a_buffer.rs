//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Flag {
    bits: i8,
}

#[device]
fn is_set(flag: Flag) -> bool {
    flag.bits != 0
}

#[kernel(workgroup_size(256))]
fn flags(flag: &[Flag], y: &mut [u32]) {
    y[global_id().x] = is_set(flag[0]) as u32;
}
