//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Random {
    state: u32,
}

#[device]
fn draw(random: &mut Random) -> u32 {
    random.state = random.state * 1_664_525 + 1_013_904_223;
    random.state
}

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn drawn(random: &mut [Random], y: &mut [f32]) {
    let lane = local_id().x;
    y[lane] = draw(&mut random[lane]) as f32;
}
