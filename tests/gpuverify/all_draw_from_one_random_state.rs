//! V500: every invocation loads and stores the one state

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

#[kernel(workgroup_size(2))]
fn drawn(random: &mut [Random], y: &mut [f32]) {
    y[local_id().x] = draw(&mut random[0]) as f32;
}
