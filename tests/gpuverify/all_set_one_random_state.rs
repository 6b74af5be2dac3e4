//! V500: every invocation stores the one state

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
fn seeded(random: &mut [Random], y: &mut [u32]) {
    random[0] = Random { state: 0 };
    workgroup_barrier();
    if local_id().x == 0 {
        y[0] = draw(&mut random[0]);
    }
}
