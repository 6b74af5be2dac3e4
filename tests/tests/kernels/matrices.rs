//! Matrices: as kernels and as the host's matrices compute them.

use crate::twins;
use samebits::prelude::*;

twins! {
    operators_and_methods_of_matrices([3, 1, 2, 5, 7, 11, 4, 6, 9]);
    { fn float(n: u32) -> f32 { n as f32 * 0.37 - 1.1 } }
    { fn matrix(x: &[u32]) -> Mat3<f32> {
        let v = Vec3::new(float(x[0]), float(x[1]), float(x[2]));
        Mat3::from_cols(v, Vec3::new(float(x[3]), float(x[4]), float(x[5])), Vec3::new(float(x[6]), float(x[7]), float(x[8])))
    } }
    { fn mix(m: Mat3<f32>) -> u32 {
        let n = m.to_cols_array();
        let mut all = 0u32;
        for i in 0..9 { all = all.rotate_left(5) ^ n[i].to_bits(); }
        all
    } }
    kernel(x, y) {
        let m = matrix(x);
        let v = Vec3::new(1.5, -2.25, float(x[4]));
        y[0] = (m * v).x.to_bits();
        y[1] = (m * v).z.to_bits();
        let n = m.transpose();
        y[2] = mix(m * n);
        y[3] = mix(m + n * 2.0 - m / 3.0);
        y[4] = mix(0.5 * m);
        y[5] = mix(-m);
        y[6] = m.determinant().to_bits();
        y[7] = mix(m.inverse());
        y[8] = (m == n.transpose()) as u32 + (m != n) as u32 * 2 + (m == n) as u32 * 4;
        y[9] = mix(Mat3::<f32>::IDENTITY * m) ^ mix(Mat3::from_diagonal(v) * m + Mat3::<f32>::ZERO);
        let mut k = m;
        k[1] = v;
        k.z_axis.y = 8.0;
        k[0][2] = k[1].x + 1.0;
        k[2].x += 3.0;
        y[10] = mix(k);
        y[11] = k[2].x.to_bits() ^ k.x_axis.z.to_bits();
        let small = Mat2::from_cols(Vec2::new(float(x[0]), 2.0), Vec2::new(float(x[5]), float(x[7])));
        y[12] = small.determinant().to_bits();
        y[13] = (small.inverse() * small).y_axis.x.to_bits();
        y[14] = (small * Vec2::new(2.0, 3.0)).y.to_bits();
        let large = Mat4::from_cols_array([
            float(x[0]), float(x[1]), float(x[2]), float(x[3]), float(x[4]), float(x[5]), float(x[6]), float(x[7]),
            float(x[8]), 0.5, 2.5, 1.0, 3.0, float(x[2]), 0.25, float(x[3]),
        ]);
        y[15] = large.determinant().to_bits();
        let back = large.inverse().to_cols_array();
        y[16] = back[0].to_bits() ^ back[7].to_bits().rotate_left(3) ^ back[9].to_bits().rotate_left(7) ^ back[14].to_bits();
        y[17] = ((large * large)[3] * 2.0).w.to_bits();
        let several = [small, small.transpose()];
        y[18] = several[(x[1] & 1) as usize][(x[1] & 1) as usize].x.to_bits();
        let at = (x[0] % 3) as usize;
        y[19] = (m[at].y + m.transpose()[2].x - (m * m)[at].z).to_bits();
        let mut n = m;
        n *= m;
        n += m;
        n *= 0.25;
        n -= m;
        n /= 3.0;
        y[21] = mix(n);
        let plain = Mat3::IDENTITY * m;
        y[20] = (plain[(x[2] % 3) as usize] == m[2]) as u32;
    }
}

/// In buffers, structs, workgroup memory and arguments; columns by index; other floats.
#[test]
fn matrices_in_memory() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Body {
        turn: Mat3<f32>,
        at: Vec3<f32>,
    }
    #[device]
    fn trace<T: Float>(m: Mat2<T>) -> T {
        m.x_axis.x + m.y_axis.y
    }
    #[kernel(workgroup_size(2))]
    fn all(by: Mat2<f32>, bodies: &mut [Body], x: &[Mat2<f32>], out: &mut [Mat2<f32>], sums: &mut [f32]) {
        #[shared]
        let tile: [Mat2<f32>; 2];
        let i = local_index();
        tile[i] = x[i] * by;
        workgroup_barrier();
        let other = tile[1 - i];
        out[i] = other.transpose();
        out[i][1 - i] += tile[i][i];
        out[i].x_axis.y = 0.5;
        out[i] *= by;
        bodies[i].at = bodies[i].turn * bodies[i].at;
        bodies[i].turn[i] *= 2.0;
        sums[i] = trace(other) + tile[i][i].x;
    }
    for device in crate::devices() {
        let by = Mat2::from_cols_array([1.0f32, 2.0, 3.0, 4.0]);
        let x = [Mat2::from_cols_array([0.5f32, 1.0, -2.0, 3.0]), Mat2::from_cols_array([7.0, -1.0, 0.0, 2.0])];
        let turn = Mat3::from_cols_array([0.0f32, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let body = Body { turn, at: Vec3::new(1.0, 2.0, 3.0) };
        let mut bodies = device.upload(&[body; 2]).unwrap();
        let (mut out, mut sums) = (device.zeros::<Mat2<f32>>(2).unwrap(), device.zeros::<f32>(2).unwrap());
        all::launch(device, 1, by, &mut bodies, &device.upload(&x).unwrap(), &mut out, &mut sums).unwrap();
        let tile = x.map(|x| x * by);
        let mut expected = [tile[1].transpose(), tile[0].transpose()];
        for i in 0..2 {
            expected[i][1 - i] += tile[i][i];
            expected[i].x_axis.y = 0.5;
            expected[i] *= by;
        }
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
        let found = bodies.read().unwrap();
        assert_eq!(found[1].at, Vec3::new(-2.0, 1.0, 3.0), "on {}", device.name());
        assert_eq!(
            found[1].turn.to_cols_array(),
            [0.0, 1.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            "on {}",
            device.name()
        );
        let sum = |i: usize| tile[1 - i].x_axis.x + tile[1 - i].y_axis.y + tile[i][i].x;
        crate::same(device, &sums, &[sum(0), sum(1)]);
    }
}

/// Columns of the matrices of a struct, by loops and by macros; constants; a helper that changes one.
#[test]
fn columns_by_loops_macros_and_references() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Pair {
        of: [Mat2<f32>; 2],
    }
    #[device]
    const TURN: Mat2<f32> = Mat2::from_cols(Vec2::new(0.0, 1.0), Vec2::new(-1.0, 0.0));
    #[device]
    fn scaled<T: Float>(m: &mut Mat2<T>, by: T) {
        m.y_axis *= by;
        *m = *m * by;
    }
    macro_rules! sums {
        ($name:ident, $number:ty, $by:expr) => {
            #[device]
            fn $name(m: Mat2<$number>) -> Vec2<$number> {
                let mut all = Vec2::splat(0.0);
                for i in 0..2 {
                    all += m[i] * $by;
                }
                all
            }
        };
    }
    sums!(sum, f32, 1.0);
    #[kernel(workgroup_size(1))]
    fn k(pairs: &[Pair], out: &mut [Vec2<f32>], whole: &mut [Mat2<f32>]) {
        let mut pair = pairs[0];
        scaled(&mut pair.of[1], 2.0);
        out[0] = sum(pair.of[0]);
        out[1] = sum(pair.of[1] - pair.of[0].transpose());
        let m = pair.of[1];
        out[2] = m.x_axis - m.y_axis;
        whole[0] = pair.of[1] * Mat2::from_cols(TURN.x_axis, TURN[1]);
        for (to, from) in whole[1..3].iter_mut().zip(pair.of.iter()) {
            to.y_axis = from.x_axis;
        }
    }
    let a = Mat2::from_cols_array([1.0f32, 2.0, 3.0, 4.0]);
    let pair = Pair { of: [a, Mat2::from_cols_array([0.5, -1.0, 8.0, 0.25])] };
    // 2 * (0.5, -1) and 2 * 2 * (8, 0.25)
    let changed = Mat2::from_cols(Vec2::new(1.0, -2.0), Vec2::new(32.0, 1.0));
    for device in crate::devices() {
        let pairs = device.upload(&[pair]).unwrap();
        let (mut out, mut whole) = (device.zeros(3).unwrap(), device.zeros(3).unwrap());
        k::launch(device, 1, &pairs, &mut out, &mut whole).unwrap();
        let expected = [Vec2::new(4.0, 6.0), Vec2::new(33.0 - 3.0, -1.0 - 7.0), Vec2::new(1.0 - 32.0, -2.0 - 1.0)];
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
        let whole = whole.read().unwrap();
        // The first column goes to the second, and minus the second to the first.
        assert_eq!(whole[0], Mat2::from_cols(changed.y_axis, -changed.x_axis), "on {}", device.name());
        assert_eq!([whole[1].y_axis, whole[2].y_axis], [a.x_axis, changed.x_axis], "on {}", device.name());
    }
}

#[test]
fn matrices_of_halves() {
    #[kernel(workgroup_size(1), features(f16))]
    fn halves(m: &[Mat4<f16>], out: &mut [Vec4<f16>]) {
        out[0] = m[0] * m[0].transpose()[1];
        out[1] = m[0].inverse().z_axis * m[0].determinant();
    }
    let m = Mat4::from_cols_array(std::array::from_fn(|i| f16::from_f32((i * i % 11) as f32 * 0.75 - 2.1)));
    for device in crate::devices() {
        let mut out = device.zeros(2).unwrap();
        halves::launch(device, 1, &device.upload(&[m]).unwrap(), &mut out).unwrap();
        let expected = [m * m.transpose()[1], m.inverse().z_axis * m.determinant()];
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
        assert!(expected.iter().all(|v| v.to_array().iter().all(|x| x.is_finite())));
    }
}

#[test]
fn matrices_of_doubles() {
    #[kernel(workgroup_size(1), features(f64))]
    fn doubles(x: &[Mat3<f64>], out: &mut [u64]) {
        let m = x[0];
        out[0] = m.determinant().to_bits();
        out[1] = m.inverse().y_axis.z.to_bits();
        out[2] = (m * m)[2].x.to_bits();
    }
    let m = Mat3::from_cols_array([0.1f64, 2.0, 3.0, 1.0, 0.7, 5.0, -2.0, 1.0, 0.3]);
    let expected = [m.determinant(), m.inverse().y_axis.z, (m * m)[2].x].map(f64::to_bits);
    crate::expect(&expected, |device, out| doubles::launch(device, 1, &device.upload(&[m])?, out));
}

crate::twins! {
    columns_and_lanes_by_variable_indices([0, 1, 2, 3]);
    { struct Turned { of: Mat3<f32>, n: u32 } }
    { fn moved(column: &mut Vec3<f32>, by: f32) -> f32 { column.y += by; column.x } }
    { fn code(m: Mat3<f32>) -> u32 {
        let all = m.to_cols_array();
        let mut sum = 0u32;
        for v in all { sum = sum.wrapping_mul(7).wrapping_add((v * 4.0) as i32 as u32); }
        sum >> 4
    } }
    kernel(x, y) {
        let mut m = Mat3::from_cols_array([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let mut turned = Turned { of: m.transpose(), n: 1 };
        for i in 0..3 {
            m[x[i] as usize] = Vec3::new(i as f32, 0.5, -1.0);
            y[i] = code(m);
        }
        let (i, j) = (x[1] as usize, x[2] as usize);
        m[i][j] = 12.0;
        m[j].y += m[i].z;
        m[i] *= 0.5;
        m[j][i] -= 0.25;
        y[3] = code(m);
        turned.of[j] = m[i] + turned.of[i];
        turned.of[i].x = 3.5;
        turned.of[j][x[0] as usize] *= 2.0;
        y[4] = code(turned.of) + turned.n;
        y[5] = (moved(&mut m[j], 1.5) * 4.0) as u32 + code(m);
        {
            let c = &mut turned.of[i];
            c.z = c.x + 0.25;
            *c += Vec3::splat(1.0);
        }
        y[6] = code(turned.of);
        let mut pick = 0;
        m[{ pick += 1; pick }][{ pick += 1; pick }] = 20.0;
        y[7] = code(m) + pick as u32;
        let read = m[i];
        m[j] = read;
        y[8] = code(m) + (m[j].x * 4.0) as u32;
        let mut all = [m, turned.of];
        all[i][j][i] = 1.0;
        y[9] = code(all[i]);
    }
}

#[kernel(workgroup_size(1))]
fn beyond(at: u32, out: &mut [f32]) {
    let mut m = Mat2::from_cols_array([1.0f32, 2.0, 3.0, 4.0]);
    m[at as usize] = Vec2::splat(9.0);
    m[1][at as usize] = 9.0;
    m[at as usize].x += 9.0;
    out[0] = m.x_axis.x + m.y_axis.y + m[at as usize].x;
}

#[test]
fn beyond_the_last_column_nothing_is_stored() {
    crate::expect(&[5.0f32], |device, out| beyond::launch(device, 1, 2, out));
}
