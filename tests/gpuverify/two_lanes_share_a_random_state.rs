//! V500: there are 512 lanes and 256 states

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Randoms {
    states: [u32; 256],
}

/// One step of the state of this lane.
#[device]
fn draw(random: &mut Randoms) -> u32 {
    let lane = local_id().x % 256;
    random.states[lane] = random.states[lane] * 1_664_525 + 1_013_904_223;
    random.states[lane]
}

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn drawn(random: &mut [Randoms], y: &mut [f32]) {
    y[local_id().x] = draw(&mut random[0]) as f32;
}
