//! Constants that are computed with control flow and calls. rustc computes them as well, and judges
//! what kernels know of them.

use samebits::prelude::*;

#[device]
const SQUARES: [u32; 256] = {
    let mut t = [0u32; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = (i * i) as u32;
        i += 1;
    }
    t
};

#[device]
fn cubed(x: u32) -> u32 {
    x * x * x
}

#[device]
const CRC: [u32; 256] = {
    let mut t = [0u32; 256];
    let mut i = 0usize;
    while i < 256 {
        let mut c = i as u32;
        let mut round = 0;
        while round < 8 {
            c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            round += 1;
        }
        t[i] = c;
        i += 1;
    }
    t
};

/// 65,536 bytes, which is the most.
#[device]
const LARGE: [u32; 16_384] = {
    let mut t = [0u32; 16_384];
    let mut i = 0u32;
    while i < 16_384 {
        t[i as usize] = i * 7 + 1;
        i += 1;
    }
    t
};

/// A number that a loop finds, and that a length needs.
#[device]
const COUNT: usize = {
    let mut n = 0;
    let mut left = 200u32;
    while left > 0 {
        left /= 3;
        n += 1;
    }
    n
};

#[device]
const KIND: i32 = match COUNT {
    0..=3 => 7,
    4 | 5 => -3,
    _ => 0,
};

#[device]
const HALVES: [f64; 4] = {
    let mut t = [1.0f64; 4];
    let mut i = 1;
    while i < 4 {
        t[i] = t[i - 1] / 3.0;
        i += 1;
    }
    t
};

#[device]
const SPREAD: (u32, f32) = if SQUARES[3] == 9 { (SQUARES[12], 0.1 + 0.2) } else { (0, 0.0) };

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[element(methods)]
struct Knot {
    at: u32,
    weight: f32,
}

#[device]
impl Knot {
    const FIRST: Self = Self { at: CRC[1], weight: 0.5 };
    const ALL: [Self; 8] = {
        let mut all = [Self::FIRST; 8];
        let mut i = 1u32;
        while i < 8 {
            all[i as usize] = Self { at: i * 3, weight: i as f32 / 7.0 };
            i += 1;
        }
        all
    };
}

#[device]
fn looked_up<T: Number>(one: T, i: usize) -> (T, u32) {
    const DOUBLED: [u32; 16] = {
        let mut t = [0u32; 16];
        for i in 0..16 {
            t[i] = SQUARES[i] * 2 + cubed(i as u32);
        }
        t
    };
    (one, DOUBLED[i % 16])
}

#[kernel(workgroup_size(64))]
fn computed(u: &mut [u32], s: &mut [i32], f: &mut [f32]) {
    const BASE: u32 = {
        let mut x = 1;
        for i in 1..=5 {
            x *= i;
        }
        x
    };
    const STEPS: [u32; COUNT] = {
        let mut t = [BASE; COUNT];
        let mut i = 0u32;
        while i < 3 {
            t[i as usize] += i;
            i += 1;
        }
        t
    };
    let i = global_id().x;
    let mut own = [0u32; COUNT];
    for j in 0..COUNT {
        own[j] = STEPS[j] + i as u32;
    }
    let (_, doubled) = looked_up(1.0f32, i);
    u[i] = SQUARES[i * 5 % 256] ^ CRC[i * 3 % 256] ^ own[i % COUNT] ^ doubled;
    s[i] = KIND + Knot::FIRST.at as i32;
    f[i] = Knot::ALL[i % 8].weight + SPREAD.1 + (Knot::ALL[(i + 1) % 8].at + SPREAD.0) as f32;
}

#[test]
fn constants_are_computed_as_rustc_computes_them() {
    let steps = [120, 121, 122, 120, 120];
    let expected: Vec<u32> = (0..64)
        .map(|i| {
            let own = steps[i % COUNT] + i as u32;
            let doubled = 2 * (i as u32 % 16).pow(2) + (i as u32 % 16).pow(3);
            SQUARES[i * 5 % 256] ^ CRC[i * 3 % 256] ^ own ^ doubled
        })
        .collect();
    let signed = KIND.wrapping_add(Knot::FIRST.at as i32);
    let floats: Vec<f32> =
        (0..64).map(|i| Knot::ALL[i % 8].weight + SPREAD.1 + (Knot::ALL[(i + 1) % 8].at + SPREAD.0) as f32).collect();
    assert_eq!((COUNT, KIND, CRC[255]), (5, -3, 0x2d02_ef8d));
    for device in crate::devices() {
        let (mut u, mut s) = (device.zeros::<u32>(64).unwrap(), device.zeros::<i32>(64).unwrap());
        let mut f = device.zeros::<f32>(64).unwrap();
        computed::launch(device, 64, &mut u, &mut s, &mut f).unwrap();
        crate::same(device, &u, &expected);
        crate::same(device, &s, &[signed; 64]);
        crate::same(device, &f, &floats);
    }
}

#[kernel(workgroup_size(4), features(f64))]
fn doubles(d: &mut [f64]) {
    let i = global_id().x;
    d[i] = HALVES[i];
}

#[test]
fn computed_doubles_are_exact() {
    for device in crate::devices() {
        let mut d = device.zeros::<f64>(4).unwrap();
        doubles::launch(device, 4, &mut d).unwrap();
        let bits = |list: &[f64]| -> Vec<u64> { list.iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(&d.read().unwrap()), bits(&HALVES), "{}", device.name());
    }
}

#[kernel(workgroup_size(64))]
fn largest(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = LARGE[i * 259 % 16_384];
}

#[test]
fn a_computed_table_has_up_to_sixty_four_kibibytes() {
    let expected: Vec<u32> = (0..64).map(|i| LARGE[i * 259 % 16_384]).collect();
    for device in crate::devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        largest::launch(device, 64, &mut y).unwrap();
        crate::same(device, &y, &expected);
    }
}
