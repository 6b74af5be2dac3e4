//! The language of kernels beyond plain expressions: patterns, tuples, `match`, ranges,
//! constants, vectors, arrays of arrays; each held against values that Rust would give.

use super::devices;
use samebits::prelude::*;

/// Launches a kernel that only writes `u32`s, and compares.
macro_rules! gives {
    ($kernel:ident($($arg:expr),*), $expected:expr) => {
        for device in devices() {
            let expected: &[u32] = &$expected;
            let mut out = device.zeros::<u32>(expected.len()).unwrap();
            $kernel::launch(device, 1, $($arg(device),)* &mut out).unwrap();
            assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
        }
    };
}

#[kernel(workgroup_size(1))]
fn tuples(o: &mut [u32]) {
    let (a, mut b) = (1, 2u32);
    b += 10;
    let t = (a, (b, 3.5f32), true);
    o[0] = t.0 + t.1.0;
    o[1] = (t.1.1 * 2.0) as u32;
    let (x, (y, _), flag) = t;
    o[2] = if flag { x * 100 + y } else { 0 };
    let mut pair = (5u32, 6u32);
    pair.1 = 60;
    pair.0 += 1;
    pair = if pair.1 > 50 { (pair.1, pair.0) } else { pair };
    o[3] = pair.0 * 100 + pair.1;
    let [p, q, r] = [7, 8, 9];
    o[4] = p * 100 + q * 10 + r;
    let array = [3u32, 2, 1];
    let [f, g, h] = array;
    o[5] = f * 100 + g * 10 + h;
    let (quotient, rest) = loop {
        break (17u32 / 5, 17u32 % 5);
    };
    o[6] = quotient * 10 + rest;
}

#[test]
fn tuples_are_taken_apart_and_put_together() {
    gives!(tuples(), [13, 7, 112, 6006, 789, 321, 32]);
}

#[kernel(workgroup_size(1))]
fn swaps(n: u32, o: &mut [u32]) {
    let (mut a, mut b) = (0, 1);
    for _ in 0..10 {
        (a, b) = (b, a + b);
    }
    o[0] = a;
    o[1] = b;
    let (mut x, mut y, mut z) = (1, 2, 3);
    for _ in 0..n {
        let t = x;
        x = y;
        y = z;
        z = t;
    }
    o[2] = x;
    o[3] = y;
    o[4] = z;
    let mut v = 0;
    #[allow(unused_assignments)]
    let mut prev = 9;
    loop {
        prev = v;
        v += 1;
        if v == 5 {
            break;
        }
    }
    o[5] = prev;
    o[6] = v;
    (o[7], _, (o[8], a)) = (7, 1, (8, 9));
    o[9] = a;
}

#[test]
fn values_are_exchanged_at_once() {
    gives!(swaps(|_: &Device| 7), [55, 89, 2, 3, 1, 4, 5, 7, 8, 9]);
}

#[kernel(workgroup_size(1))]
fn loops(o: &mut [u32]) {
    let mut u = 0;
    for j in (0..5).rev() {
        if j == 3 {
            continue;
        }
        u = u * 10 + j;
    }
    o[0] = u;
    let mut digits = 0u32;
    for j in (1..8).step_by(3) {
        digits = digits * 10 + j;
    }
    for j in (1..8u32).rev().step_by(3) {
        digits = digits * 10 + j;
    }
    for j in (1..9u32).step_by(3).rev() {
        digits = digits * 10 + j;
    }
    o[1] = digits;
    let mut down = 0i32;
    for j in (-2..=2).rev() {
        down = down * 10 + j;
    }
    o[2] = down as u32;
    let mut count = 0;
    for _ in u32::MAX - 2..=u32::MAX {
        count += 1;
    }
    for j in (0..=u32::MAX).step_by(0x4000_0000) {
        count += j >> 30;
    }
    for _ in (i32::MIN..=i32::MAX).step_by(1 << 30).rev() {
        count += 100;
    }
    o[3] = count;
}

#[test]
fn loops_count_up_down_and_in_steps() {
    // 2, 21, 210, 2099, 20988.
    gives!(loops(), [4210, 147_741_741, 20_988, 409]);
}

#[kernel(workgroup_size(1))]
fn nested(o: &mut [u32]) {
    let (mut c, mut d) = (0, 0);
    for _y in 0..3 {
        for _x in 0..4 {
            c += 1;
        }
        d += 10;
    }
    o[0] = c;
    o[1] = d;
    let mut s = 0;
    'out: for y in 0..4 {
        for x in 0..4 {
            if x == 2 {
                continue 'out;
            }
            if y == 3 {
                break 'out;
            }
            s += y * 10 + x;
        }
    }
    o[2] = s;
}

#[test]
fn labels_reach_outer_loops() {
    gives!(nested(), [12, 30, 63]);
}

#[kernel(workgroup_size(1))]
fn match_in_a_loop(o: &mut [u32]) {
    let mut s = 0;
    for j in 0..6 {
        match j % 3 {
            0 => continue,
            1 => {
                if j == 4 {
                    break;
                }
                s += 10;
            }
            _ => {
                s += 1;
            }
        }
        s += 100;
    }
    o[0] = s;
    let mut t = 0;
    for j in 0..20u32 {
        match j {
            0..=4 => match j & 1 {
                0 => continue,
                _ => t += j,
            },
            5 | 7 | 9 => t += 100,
            n if n > 15 => break,
            _ => continue,
        }
        t += 1000;
    }
    o[1] = t;
}

#[test]
fn match_leaves_loops() {
    gives!(match_in_a_loop(), [211, 5304]);
}

const ONE: u32 = 1;
const N: usize = 4 * 2;
mod c {
    pub const THREE: u32 = 3;
    pub const SCALE: f32 = 2.5;
}

#[kernel(workgroup_size(8))]
fn constants(x: &[u32], o: &mut [u32], sum: &mut [u32]) {
    const M: usize = 4 * 2;
    const LIMIT: u32 = 6;
    #[shared]
    let s: [u32; M];
    let tab = [5u32; M];
    let i = global_id().x;
    s[local_id().x] = x[i];
    o[i] = match s[local_id().x] {
        ONE => 10,
        2 | c::THREE => 20,
        4..=LIMIT => 30,
        other => other + tab[N - 1],
    };
    if i == 0 {
        sum[0] = (c::SCALE * 2.0) as u32 + c::THREE + N as u32;
    }
}

#[test]
fn constants_from_inside_and_outside() {
    for device in devices() {
        let x = device.upload(&[0u32, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        let (mut out, mut sum) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(1).unwrap());
        constants::launch(device, 8, &x, &mut out, &mut sum).unwrap();
        assert_eq!(out.read().unwrap(), [5, 10, 20, 20, 30, 30, 30, 12], "on {}", device.name());
        assert_eq!(sum.read().unwrap(), [16], "on {}", device.name());
    }
}

#[kernel(workgroup_size(1))]
fn matches(x: &[i32], o: &mut [u32]) {
    let i = global_id().x;
    o[i] = match x[i] {
        i32::MIN..=-100 => 1,
        -1 => 2,
        n @ -99..=-2 => (n + 1000) as u32,
        0 => 4,
        n if n > 50 && n % 2 == 0 => 5,
        i32::MAX => 6,
        ..100 => 7,
        _ => 8,
    };
    o[i] += match x[i] > 0 {
        true => 10_000,
        false => 0,
    };
}

#[test]
fn match_tries_arms_in_order() {
    for device in devices() {
        let x = device.upload(&[i32::MIN, -100, -99, -2, -1, 0, 1, 51, 52, 99, 100, 101, i32::MAX]).unwrap();
        let mut out = device.zeros::<u32>(x.len()).unwrap();
        matches::launch(device, x.len(), &x, &mut out).unwrap();
        let expected = [1, 1, 901, 998, 2, 4, 10_007, 10_007, 10_005, 10_007, 10_005, 10_008, 10_006];
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
    }
}

#[kernel(workgroup_size(1))]
fn negative_constants(x: &[i32], o: &mut [u32]) {
    const LOW: i32 = -5;
    const NEXT: i32 = LOW + 1;
    let i = global_id().x;
    o[i] = match x[i] {
        LOW => 1,
        NEXT..=3 => 2,
        _ => 3,
    };
}

#[test]
fn constants_in_patterns_may_be_negative() {
    for device in devices() {
        let x = device.upload(&[-6, -5, -4, 0, 3, 4]).unwrap();
        let mut out = device.zeros::<u32>(6).unwrap();
        negative_constants::launch(device, 6, &x, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [3, 1, 2, 2, 2, 3], "on {}", device.name());
    }
}

#[kernel(workgroup_size(1))]
fn vectors(v: &[Vec4<f32>], w: &mut [Vec4<f32>], o: &mut [f32]) {
    let a = v[0];
    let mut b = a.wzyx() * 2.0 + Vec4::splat(1.0);
    b.x = 0.5;
    b.y += 10.0;
    w[0] = b;
    w[1].z = 7.0;
    w[1].w -= 1.5;
    let p = a.xyz().cross(Vec3::new(0.0, 0.0, 1.0));
    o[0] = p.x;
    o[1] = p.y;
    o[2] = a.dot(b);
    o[3] = Vec2::new(3.0, 4.0).length();
    o[4] = (10.0 - a.xx()).y;
    o[5] = a.max(Vec4::splat(2.5)).x + (-a).floor().w;
    let u = Vec3::new(1u32, 2, 3) * 2;
    o[6] = (u.x + u.y + u.z) as f32;
}

#[test]
fn vectors_lane_by_lane() {
    for device in devices() {
        let v = device.upload(&[Vec4::new(1.0f32, 2.0, 3.0, 4.25)]).unwrap();
        let mut w = device.upload(&[Vec4::new(0.0f32, 0.0, 0.0, 1.0); 2]).unwrap();
        let mut out = device.zeros::<f32>(7).unwrap();
        vectors::launch(device, 1, &v, &mut w, &mut out).unwrap();
        // b = (9.5, 7, 5, 3), then x = 0.5 and y = 17.
        let expected = [Vec4::new(0.5f32, 17.0, 5.0, 3.0), Vec4::new(0.0, 0.0, 7.0, -0.5)];
        assert_eq!(w.read().unwrap(), expected, "on {}", device.name());
        let dot = 1.0 * 0.5 + 2.0 * 17.0 + 3.0 * 5.0 + 4.25 * 3.0;
        assert_eq!(out.read().unwrap(), [2.0, -1.0, dot, 5.0, 9.0, -2.5, 12.0], "on {}", device.name());
    }
}

#[kernel(workgroup_size(4))]
fn arrays(o: &mut [u32]) {
    #[shared]
    let tile: [[u32; 3]; 4];
    let i = local_id().x;
    let mut m = [[0u32; 3]; 2];
    m[1][2] = 5;
    m[0][0] += m[1][2] * 2;
    // Past the end of a row is not the next row.
    m[0][i + 3] = 77;
    let k = [[1u32, 2], [3, 4], [5, 6]];
    tile[i][i % 3] = (i + 1) as u32;
    workgroup_barrier();
    o[i * 4] = m[0][0] + m[1][0] + m[1][2];
    o[i * 4 + 1] = k[i][1];
    o[i * 4 + 2] = tile[3 - i][(3 - i) % 3];
    o[i * 4 + 3] = k.len() as u32 * 10 + k[0].len() as u32;
}

#[test]
fn arrays_of_arrays_keep_to_their_rows() {
    for device in devices() {
        let mut out = device.zeros::<u32>(16).unwrap();
        arrays::launch(device, 4, &mut out).unwrap();
        let expected = [15, 2, 4, 32, 15, 4, 3, 32, 15, 6, 2, 32, 15, 0, 1, 32];
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
    }
}

#[kernel(workgroup_size(1))]
fn configured(o: &mut [u32]) {
    #[cfg(any())]
    {
        no_such_function();
    }
    #[cfg(not(any()))]
    let k = 1;
    #[cfg(any())]
    let k = 2;
    #[allow(clippy::all)]
    {
        o[0] = k;
    }
    o[1] = match k {
        #[cfg(any())]
        1 => 100,
        1 => 200,
        _ => 300,
    };
}

#[test]
fn code_that_is_configured_out_is_not_there() {
    gives!(configured(), [1, 200]);
}
