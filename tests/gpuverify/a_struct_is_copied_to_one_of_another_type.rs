//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Narrow {
    number: i16,
    low: u8,
    high: u8,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Wide {
    number: i16,
    rest: u16,
}

#[kernel(workgroup_size(2))]
fn widen(from: &[Narrow], to: &mut [Wide]) {
    let i = local_id().x;
    let Narrow { number, low, high } = from[i];
    to[i] = Wide { number, rest: low as u16 | (high as u16) << 8 };
}
