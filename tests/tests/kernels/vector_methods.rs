//! Methods of vectors, masks, lanes by index and conversions: as kernels and as the host's vectors compute them.

use crate::twins;
use samebits::prelude::*;

twins! {
    products_lengths_and_mixtures([3, 1, 2, 5, 7]);
    { fn float(n: u32) -> f32 { n as f32 * 0.37 - 1.1 } }
    { fn three(x: &[u32], at: usize) -> Vec3<f32> { Vec3::new(float(x[at]), float(x[at + 1]), float(x[at + 2])) } }
    kernel(x, y) {
        let (v, w) = (three(x, 0), three(x, 1));
        y[0] = v.dot(w).to_bits();
        y[1] = v.cross(w).x.to_bits() ^ v.cross(w).z.to_bits();
        y[2] = v.length().to_bits();
        y[3] = v.length_squared().to_bits();
        y[4] = v.distance(w).to_bits();
        y[5] = v.distance_squared(w).to_bits();
        let n = w.normalize();
        y[6] = n.x.to_bits() ^ n.y.to_bits();
        y[7] = n.length().to_bits();
        let r = v.reflect(n);
        y[8] = r.x.to_bits() ^ r.z.to_bits();
        let m = v.lerp(w, 0.3);
        y[9] = m.x.to_bits() ^ m.y.to_bits();
        y[10] = v.min_element().to_bits();
        y[11] = v.max_element().to_bits();
        y[12] = v.element_sum().to_bits();
        y[13] = v.element_product().to_bits();
        let zero = (v - v).normalize_or_zero();
        y[14] = zero.x.to_bits() + 1;
        y[15] = w.normalize_or_zero().y.to_bits();
        let k = v.floor() + w.fract().abs() * v.recip().ceil() - v.min(w).max(n).clamp(n, m).sqrt().trunc();
        y[16] = k.x.to_bits();
        y[17] = (v.round().y + v.round_ties_even().z + v.signum().x + v.copysign(w).x).to_bits();
        y[18] = v.mul_add(w, n).y.to_bits();
        y[19] = v.rem_euclid(w).z.to_bits();
    }
}

twins! {
    vectors_of_every_number([300, 7, 90, 4]);
    kernel(x, y) {
        let bytes = Vec4::new(x[0] as u8, x[1] as u8, x[2] as u8, x[3] as u8);
        y[0] = (bytes.wrapping_mul(bytes).cast::<u32>().element_sum()) + bytes.max_element() as u32;
        let small = Vec2::new(x[0] as i16, -(x[1] as i16));
        y[1] = (small * 2 - small / 3 % Vec2::splat(7)).y as u32;
        y[2] = small.abs().dot(small.signum()) as u32;
        let wide = Vec3::new(x[0] as u64 * 1_000_000_000_000, 3, x[1] as u64);
        y[3] = (wide / 7).cmpge(wide - wide).all() as u32;
        y[4] = (wide.x / 1_000_000_007 + (wide & Vec3::splat(6)).z) as u32;
        let mut long = Vec2::new(x[0] as i64, 5i64);
        long *= -3;
        long.y += 1;
        long += Vec2::new(1, 2);
        y[5] = (long.x + long.y) as u32;
        y[8] = wide.leading_zeros().element_sum() + bytes.count_ones().y + small.abs_diff(small + small).x as u32;
        y[9] = (!bytes ^ bytes | bytes).w as u32;
        y[10] = (-long).min_element() as u32;
        y[11] = wide.cast::<f32>().x.to_bits();
        y[12] = (wide.cast::<f32>() * 1e-12).cast::<u8>().x as u32;
        y[13] = small.cast::<u32>().y ^ (small.cast::<i64>() * 1_000_000).y as u32;
        let half: Vec2<f32> = small.cast();
        y[14] = half.y.to_bits();
    }
}

twins! {
    masks_select_lanes([3, 9, 2, 7]);
    { fn vector(x: &[u32]) -> Vec4<u32> { Vec4::from_array([x[0], x[1], x[2], x[3]]) } }
    { fn code(m: Vec4<bool>) -> u32 { m.x as u32 + m.y as u32 * 2 + m.z as u32 * 4 + m.w as u32 * 8 } }
    kernel(x, y) {
        let v = vector(x);
        let w = v.wzyx();
        y[0] = code(v.cmplt(w));
        y[1] = code(v.cmple(w)) + code(v.cmpgt(w)) * 16 + code(v.cmpge(w)) * 256;
        y[2] = code(v.cmpeq(Vec4::splat(9))) + code(v.cmpne(Vec4::splat(9))) * 16;
        let mask = v.cmplt(w);
        let chosen = Vec4::select(mask, v, w);
        y[3] = chosen.x + chosen.y * 10 + chosen.z * 100 + chosen.w * 1000;
        y[4] = mask.all() as u32 + mask.any() as u32 * 2 + (mask | !mask).all() as u32 * 4 + (mask & !mask).any() as u32 * 8;
        y[5] = code(mask ^ Vec4::new(true, true, false, false));
        y[6] = mask.cast::<u32>().element_sum() + mask.cast::<i8>().x as u32;
        if v == w { y[7] = 1; } else { y[7] = 2; }
        if v == w.wzyx() && v != w { y[8] = 3; }
        let mut kept = Vec2::splat(false);
        kept.y = mask.w;
        kept.x = !kept.y;
        y[9] = kept.x as u32 * 2 + kept.y as u32;
        let masks = [mask.xy(), mask.zw()];
        y[10] = masks[(x[0] & 1) as usize].x as u32 + 1;
        let nan = Vec2::new(f32::NAN, x[0] as f32);
        y[11] = nan.is_nan().x as u32 + nan.cmpeq(nan).y as u32 * 2 + (nan == nan) as u32 * 4 + (nan != nan) as u32 * 8;
        y[12] = Vec2::<u32>::select(mask.xy(), v.xy(), w.xy()).x;
        let wide = Vec3::select(mask.xyz(), v.xyz().cast::<u64>(), w.xyz().cast::<u64>());
        y[13] = wide.z as u32;
    }
}

twins! {
    lanes_by_index([2, 1, 3, 0]);
    { struct Body { at: Vec3<f32>, kind: u32 } }
    { fn bump(lane: &mut u32, by: u32) { *lane += by; } }
    { fn picked(v: Vec4<u32>, i: usize) -> u32 { v[i] } }
    kernel(x, y) {
        let mut v = Vec4::new(10u32, 20, 30, 40);
        let i = x[0] as usize;
        y[0] = v[i] + v[1] * 100;
        v[i] = 7;
        v[0] += 5;
        v[i + 1] -= 3;
        y[1] = v.x + v.y * 100 + v.z * 10000 + v.w * 1000000;
        y[2] = picked(v, x[1] as usize) + Vec2::new(x[0], x[1])[x[1] as usize] * 10;
        let mut body = Body { at: Vec3::new(1.0, 2.0, 3.0), kind: 4 };
        body.at[i] = 9.5;
        body.at[x[1] as usize] *= 2.0;
        y[3] = (body.at.x + body.at[1] + body.at.z) as u32 + body.kind;
        let mut rows = [Vec2::new(1u32, 2), Vec2::new(3, 4)];
        rows[x[1] as usize][x[3] as usize] = 8;
        rows[0][x[1] as usize] += 1;
        y[4] = rows[0].x + rows[0].y * 10 + rows[1][0] * 100 + rows[1][x[1] as usize] * 1000;
        bump(&mut v[i], 1);
        bump(&mut rows[1][x[1] as usize], 2);
        y[5] = v[2] + rows[1].y * 100;
        y[6] = v[{ y[10] = 3; x[1] as usize }];
        let mut sum = 0;
        for k in 0..4 { sum = sum * 10 + v.xzyw()[k] % 10; }
        y[7] = sum;
        let wide = x[1] as u64;
        y[8] = v[wide as usize];
        let mut mask = Vec3::splat(false);
        mask[x[1] as usize] = true;
        y[9] = mask.x as u32 + mask.y as u32 * 2 + mask.z as u32 * 4;
    }
}

twins! {
    vectors_become_others([1, 2, 3, 4]);
    { fn widened(v: Vec2<f32>) -> Vec4<f32> { v.extend(0.5).extend(1.5) } }
    kernel(x, y) {
        let two = Vec2::from((x[0], x[1]));
        let three = Vec3::from((two, x[2]));
        let four = Vec4::from((three, x[3]));
        y[0] = four.x + four.y * 10 + four.z * 100 + four.w * 1000;
        let other = Vec4::from((x[3], three)) + Vec4::from((two, two)) + Vec4::from((two, 5, 6));
        y[1] = other.x + other.y * 10 + other.z * 100 + other.w * 1000;
        y[2] = four.truncate().truncate().y + three.extend(7).w;
        let array = three.to_array();
        y[3] = array[x[0] as usize] + Vec3::from(array).z + Vec3::from_array([5, 6, 7]).y;
        let [a, b] = two.to_array();
        y[4] = a + b * 10;
        y[5] = widened(Vec2::new(x[0] as f32, 2.0)).w.to_bits();
        y[6] = Vec3::<u8>::from([1, 2, 250]).z as u32 + Vec3::from((1u8, 2, 3)).x as u32;
        y[7] = three.yx().x + four.wzyx().xyz().z;
    }
}

/// In memory that the host sees, in workgroup memory, as arguments, and in generic helpers.
#[test]
fn vectors_of_every_number_in_memory() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Sample {
        sum: Vec2<u64>,
        at: Vec3<i16>,
        kind: Vec2<u8>,
    }
    #[device]
    fn total<T: Number>(v: Vec3<T>) -> T {
        v.dot(Vec3::new(v.x, v.x, v.x)) + v.max_element()
    }
    #[kernel(workgroup_size(2))]
    fn all(
        flags: Vec3<bool>,
        scale: Vec2<u64>,
        x: &[Vec4<u8>],
        samples: &mut [Sample],
        halves: &mut [Vec3<u16>],
        out: &mut [u32],
    ) {
        #[shared]
        let tile: [Vec3<i64>; 2];
        #[shared]
        let seen: [Vec2<bool>; 2];
        let i = local_index();
        tile[i] = x[i].xyz().cast();
        seen[i] = flags.xy();
        workgroup_barrier();
        let other = tile[1 - i];
        samples[i].sum *= scale;
        samples[i].at[i] -= 3;
        samples[i].kind = x[i].zw();
        halves[i] = other.cast::<u16>() * 256;
        halves[i][2] += 7;
        out[4 * i] = total(other) as u32 + total(x[i].xyz()) as u32 * 1000;
        out[4 * i + 1] = (flags & Vec3::new(true, i == 1, seen[1 - i].x)).cast::<u32>().element_sum();
        out[4 * i + 2] = flags[i] as u32 + 1;
        // Beyond the lanes nothing is read or stored.
        let beyond = out.len();
        samples[i].at[beyond] = 9;
        out[4 * i + 3] = x[i][beyond] as u32 + other[beyond] as u32 + Vec2::new(5u32, 6)[beyond] + 1;
    }
    for device in crate::devices() {
        let x = device.upload(&[Vec4::new(1u8, 2, 3, 4), Vec4::new(9, 8, 7, 6)]).unwrap();
        let sample = Sample { sum: Vec2::new(1 << 33, 5), at: Vec3::new(1, 2, 3), kind: Vec2::new(0, 0) };
        let mut samples = device.upload(&[sample; 2]).unwrap();
        let mut halves = device.zeros::<Vec3<u16>>(2).unwrap();
        let mut out = device.zeros::<u32>(8).unwrap();
        let flags = Vec3::new(true, false, true);
        all::launch(device, 1, flags, Vec2::new(3u64, 7), &x, &mut samples, &mut halves, &mut out).unwrap();
        let found = samples.read().unwrap();
        assert_eq!(found[0].sum, Vec2::new(3 << 33, 35), "on {}", device.name());
        assert_eq!((found[0].at, found[1].at), (Vec3::new(-2, 2, 3), Vec3::new(1, -1, 3)), "on {}", device.name());
        assert_eq!((found[0].kind, found[1].kind), (Vec2::new(3, 4), Vec2::new(7, 6)), "on {}", device.name());
        let expected = [Vec3::new(9 * 256, 8 * 256, 7 * 256 + 7), Vec3::new(256, 512, 768 + 7)];
        assert_eq!(halves.read().unwrap(), expected, "on {}", device.name());
        // 9 * (9 + 8 + 7) + 9 and 1 * (1 + 2 + 3) + 3, of bytes modulo 256.
        crate::same(device, &out, &[225 + 9000, 2, 2, 1, 9 + 225_000, 2, 1, 1]);
    }
}

#[test]
fn vectors_of_doubles() {
    #[kernel(workgroup_size(1), features(f64))]
    fn doubles(x: &[Vec3<f64>], out: &mut [u64]) {
        let v = x[0];
        out[0] = v.length().to_bits();
        out[1] = (2.0 * v.normalize() + 1.0).y.to_bits();
        out[2] = v.cast::<f32>().y.to_bits() as u64;
        out[3] = v.lerp(x[1], 0.25).cross(v).z.to_bits();
        out[4] = v.cast::<u8>().cast::<u64>().element_sum();
    }
    let x = [Vec3::new(300.0f64, 0.1, 4.5), Vec3::new(-1.0, 2.0, 1e-300)];
    let v = x[0];
    let expected = [
        (300.0f64 * 300.0 + 0.1 * 0.1 + 4.5 * 4.5).sqrt().to_bits(),
        (2.0 * v.normalize() + 1.0).y.to_bits(),
        0.1f32.to_bits().into(),
        v.lerp(x[1], 0.25).cross(v).z.to_bits(),
        255 + 4,
    ];
    crate::expect(&expected, |device, out| doubles::launch(device, 1, &device.upload(&x)?, out));
}

/// What is evaluated once has its effects once.
#[test]
fn operands_are_evaluated_once() {
    #[kernel(workgroup_size(1))]
    fn once(counter: &[Atomic<u32>], out: &mut [u32]) {
        out[0] = Vec2::splat(counter[0].fetch_add(1) as f32).length() as u32;
        out[1] = Vec3::splat(counter[0].fetch_add(1)).length_squared();
        out[2] = Vec2::new(counter[0].fetch_add(1), 1).extend(5).truncate().element_sum();
        out[3] = counter[0].load();
    }
    for device in crate::devices() {
        let (mut counter, mut out) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(4).unwrap());
        once::launch(device, 1, &mut counter, &mut out).unwrap();
        crate::same(device, &out, &[0, 3, 3, 3]);
    }
}

/// Lanes that are not numbers, on the host and on devices.
#[test]
fn not_a_number_in_a_lane() {
    #[kernel(workgroup_size(1))]
    fn lanes(x: &[Vec3<f32>], out: &mut [u32]) {
        let v = x[0];
        out[0] = v.min_element().to_bits();
        out[1] = v.max_element().to_bits();
        out[2] = v.min(x[1]).z.to_bits();
        out[3] = v.cmplt(x[1]).cast::<u32>().element_sum();
        out[4] = v.normalize_or_zero().x.to_bits();
        out[5] = v.truncate().normalize_or_zero().y.to_bits();
        out[6] = v.is_finite().cast::<u32>().element_sum();
    }
    let x = [Vec3::new(-0.0f32, 0.0, f32::NAN), Vec3::new(1.0, -1.0, -0.0)];
    let expected = [0x8000_0000, 0, 0x8000_0000, 1, 0, 0, 2];
    let v = x[0];
    let host = [v.min_element().to_bits(), v.max_element().to_bits(), v.min(x[1]).z.to_bits()];
    assert_eq!(host, expected[..3]);
    assert_eq!((v.normalize_or_zero(), v.truncate().normalize_or_zero()), (Vec3::splat(0.0), Vec2::splat(0.0)));
    crate::expect(&expected, |device, out| lanes::launch(device, 1, &device.upload(&x)?, out));
}
