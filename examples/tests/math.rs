//! The math module on every device: published values, laws, and plain Rust.

use samebits::prelude::*;
use samebits_examples::math::{
    Pcg32, Quat, apply_to_point, basis, blend, hash_u32, inverse_lerp, lerp, normalize, reflect, refract, remap,
    rotation, smoothstep, translation,
};

/// Floats for matrices and vectors, none of them simple.
fn floats(n: usize) -> Vec<f32> {
    (1..=n).map(|i| ((i * i * 7 + 3 * i) % 41) as f32 / 7.0 - 2.5).collect()
}

/// What plain loops make of two matrices, columns of columns.
fn product<const N: usize>(a: [[f32; N]; N], b: [[f32; N]; N]) -> [[f32; N]; N] {
    b.map(|column| std::array::from_fn(|row| (1..N).fold(a[0][row] * column[0], |sum, k| sum + a[k][row] * column[k])))
}

/// The sum over permutations, in doubles.
fn determinant<const N: usize>(m: [[f32; N]; N]) -> f64 {
    fn expand(columns: &[Vec<f64>]) -> f64 {
        let Some((first, rest)) = columns.split_first() else { return 1.0 };
        let minor = |row: usize| {
            let without = |column: &Vec<f64>| [&column[..row], &column[row + 1..]].concat();
            expand(&rest.iter().map(without).collect::<Vec<_>>())
        };
        first.iter().enumerate().map(|(row, x)| if row % 2 == 0 { x * minor(row) } else { -x * minor(row) }).sum()
    }
    expand(&m.map(|column| column.iter().map(|&x| f64::from(x)).collect()))
}

/// The elements `at..` of some floats as a matrix.
fn matrix<const N: usize>(floats: &[f32], at: usize) -> [[f32; N]; N] {
    std::array::from_fn(|column| std::array::from_fn(|row| floats[at + column * N + row]))
}

#[kernel]
fn scalars(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    let t = x[i];
    y[5 * i] = lerp(-3.0, 5.0, t);
    y[5 * i + 1] = inverse_lerp(-3.0, 5.0, t);
    y[5 * i + 2] = remap(t, (-3.0, 5.0), (100.0, 10.0));
    y[5 * i + 3] = smoothstep(-0.5, 0.5, t);
    y[5 * i + 4] = blend(Vec3::splat(-3.0), Vec3::splat(5.0), t).z;
}

#[test]
fn interpolation_has_the_bits_of_plain_rust() {
    let x = floats(64);
    let expected: Vec<f32> = x
        .iter()
        .flat_map(|t| {
            let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
            let inside = (t - -3.0) / (5.0 - -3.0);
            let step = ((t + 0.5) / 1.0).clamp(0.0, 1.0);
            let smooth = step * step * (3.0 - 2.0 * step);
            [lerp(-3.0, 5.0, *t), inside, lerp(100.0, 10.0, inside), smooth, lerp(-3.0, 5.0, *t)]
        })
        .collect();
    for device in Device::all() {
        let buffer = device.upload(&x).unwrap();
        let mut y = device.zeros(5 * x.len()).unwrap();
        scalars::launch(&device, x.len(), &buffer, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[kernel(instances(T = [f32, f64]), features(f64))]
fn steps<T: Float>(x: &[T], y: &mut [T]) {
    let i = global_id().x;
    y[i] = smoothstep(2.0, 4.0, x[i]);
}

#[test]
fn a_smooth_step_has_the_same_values_in_doubles() {
    for device in Device::all() {
        let single = device.upload(&[1.0f32, 2.5, 3.0, 3.5, 9.0]).unwrap();
        let double = device.upload(&[1.0f64, 2.5, 3.0, 3.5, 9.0]).unwrap();
        let (mut a, mut b) = (device.zeros::<f32>(5).unwrap(), device.zeros::<f64>(5).unwrap());
        steps::launch(&device, 5, &single, &mut a).unwrap();
        steps::launch(&device, 5, &double, &mut b).unwrap();
        assert_eq!(a.read().unwrap(), [0.0, 0.15625, 0.5, 0.84375, 1.0], "{device:?}");
        assert_eq!(b.read().unwrap(), [0.0, 0.15625, 0.5, 0.84375, 1.0], "{device:?}");
    }
}

#[kernel]
fn hashes(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = hash_u32(x[i]);
}

/// MurmurHash3 of no bytes is this hash of its seed; the values are those of its test suites.
#[test]
fn the_hash_is_that_of_murmur3() {
    for device in Device::all() {
        let x = device.upload(&[0, 1, u32::MAX]).unwrap();
        let mut y = device.zeros(3).unwrap();
        hashes::launch(&device, 3, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [0, 0x514e_28b7, 0x81f1_6f39], "{device:?}");
    }
}

#[kernel]
fn draw(seed: u64, stream: u64, words: &mut [u32], floats: &mut [f32], state: &mut [Pcg32]) {
    if global_id().x == 0 {
        let mut generator = Pcg32::new(seed, stream);
        state[0] = generator;
        for i in 0..words.len() {
            words[i] = generator.next_u32();
        }
        let mut again = state[0];
        for i in 0..floats.len() {
            floats[i] = again.next_f32();
        }
        floats[1] = state[0].below(6) as f32;
    }
}

/// The first round of the demonstration program that comes with the reference implementation.
#[test]
fn the_generator_gives_the_published_numbers() {
    let published = [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
    for device in Device::all() {
        let (mut words, mut floats) = (device.zeros(6).unwrap(), device.zeros(2).unwrap());
        let mut state = device.zeros(1).unwrap();
        draw::launch(&device, 1, 42, 54, &mut words, &mut floats, &mut state).unwrap();
        assert_eq!(words.read().unwrap(), published, "{device:?}");
        let first = f64::from(published[0] >> 8) / f64::from(1 << 24);
        let die = (u64::from(published[0]) * 6) >> 32;
        assert_eq!(floats.read().unwrap(), [first as f32, die as f32], "{device:?}");
        // A number was drawn from the generator where it lies.
        assert_eq!(state.read().unwrap()[0].increment, 109, "{device:?}");
        assert_ne!(state.read().unwrap()[0].state, 0, "{device:?}");
    }
}

#[kernel(workgroup_size(1))]
fn flat(m: &[Mat2<f32>], y: &mut [Mat2<f32>], numbers: &mut [f32]) {
    y[0] = m[0] * m[1];
    y[1] = m[0].transpose();
    y[2] = Mat2::IDENTITY * m[0];
    numbers[0] = m[0].determinant();
}

#[kernel(workgroup_size(1))]
fn solid(m: &[Mat3<f32>], y: &mut [Mat3<f32>], numbers: &mut [f32]) {
    y[0] = m[0] * m[1];
    y[1] = m[0].transpose();
    y[2] = Mat3::IDENTITY * m[0];
    numbers[0] = m[0].determinant();
}

#[kernel(workgroup_size(1))]
fn space(m: &[Mat4<f32>], y: &mut [Mat4<f32>], numbers: &mut [f32]) {
    y[0] = m[0] * m[1];
    y[1] = m[0].transpose();
    y[2] = Mat4::IDENTITY * m[0];
    numbers[0] = m[0].determinant();
}

macro_rules! matrices {
    ($($name:ident: $kernel:ident, $n:literal, $of:expr, $columns:expr;)*) => { $(
        #[test]
        fn $name() {
            let numbers = floats(2 * $n * $n);
            let (a, b) = (matrix::<$n>(&numbers, 0), matrix::<$n>(&numbers, $n * $n));
            let rows: [[f32; $n]; $n] = std::array::from_fn(|i| a.map(|column| column[i]));
            for device in Device::all() {
                let m = device.upload(&[$of(a), $of(b)]).unwrap();
                let mut y = device.upload(&[$of(a); 3]).unwrap();
                let mut found = device.zeros(1).unwrap();
                $kernel::launch(&device, 1, &m, &mut y, &mut found).unwrap();
                let y = y.read().unwrap();
                assert_eq!($columns(y[0]), product(a, b), "{device:?}");
                assert_eq!($columns(y[1]), rows, "{device:?}");
                assert_eq!($columns(y[2]), a, "{device:?}");
                let (found, expected) = (f64::from(found.read().unwrap()[0]), determinant(a));
                assert!((found - expected).abs() < 1e-5 * expected.abs(), "{found} and {expected}, {device:?}");
            }
        }
    )* };
}

fn vec2([x, y]: [f32; 2]) -> Vec2<f32> {
    Vec2::new(x, y)
}

fn vec3([x, y, z]: [f32; 3]) -> Vec3<f32> {
    Vec3::new(x, y, z)
}

fn vec4([x, y, z, w]: [f32; 4]) -> Vec4<f32> {
    Vec4::new(x, y, z, w)
}

fn lanes(v: Vec3<f32>) -> [f32; 3] {
    [v.x, v.y, v.z]
}

matrices! {
    matrices_of_two_columns_have_products_transposes_and_determinants: flat, 2,
        |m: [[f32; 2]; 2]| Mat2::from_cols(vec2(m[0]), vec2(m[1])),
        |m: Mat2<f32>| [m.x_axis, m.y_axis].map(Vec2::to_array);
    matrices_of_three_columns_have_products_transposes_and_determinants: solid, 3,
        |m: [[f32; 3]; 3]| Mat3::from_cols(vec3(m[0]), vec3(m[1]), vec3(m[2])),
        |m: Mat3<f32>| [m.x_axis, m.y_axis, m.z_axis].map(lanes);
    matrices_of_four_columns_have_products_transposes_and_determinants: space, 4,
        |m: [[f32; 4]; 4]| Mat4::from_cols(vec4(m[0]), vec4(m[1]), vec4(m[2]), vec4(m[3])),
        |m: Mat4<f32>| [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(Vec4::to_array);
}

#[kernel(workgroup_size(1))]
fn inverses(two: Mat2<f32>, three: Mat3<f32>, flat: &mut [Mat2<f32>], solid: &mut [Mat3<f32>]) {
    flat[0] = two * two.inverse();
    flat[1] = rotation(0.6, 0.8) * rotation(-0.6, 0.8);
    solid[0] = three.inverse() * three;
}

#[test]
fn an_inverse_undoes_its_matrix() {
    let numbers = floats(13);
    let [x, y] = matrix::<2>(&numbers, 0).map(vec2);
    let two = Mat2::from_cols(x, y);
    let [x, y, z] = matrix::<3>(&numbers, 4).map(vec3);
    let three = Mat3::from_cols(x, y, z);
    for device in Device::all() {
        let (mut flat, mut solid) = (device.upload(&[two; 2]).unwrap(), device.upload(&[three]).unwrap());
        inverses::launch(&device, 1, two, three, &mut flat, &mut solid).unwrap();
        let (flat, solid) = (flat.read().unwrap(), solid.read().unwrap()[0].to_cols_array());
        let found = flat.iter().flat_map(|m| m.to_cols_array()).chain(solid);
        let expected =
            [1.0f32, 0.0, 0.0, 1.0].repeat(2).into_iter().chain([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        for (found, expected) in found.zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{flat:?}, {solid:?}, {device:?}");
        }
    }
}

#[kernel]
fn shifts(y: &mut [Vec3<f32>]) {
    let shift = translation(Vec3::new(1.0, 2.0, 3.0));
    let half = Mat4::from_diagonal(Vec4::new(1.0, 1.0, 1.0, 2.0));
    if global_id().x == 0 {
        y[0] = apply_to_point(shift, y[0]);
        y[1] = apply_to_point(half, y[1]);
        y[2] = apply_to_point(shift * half, y[2]);
    }
}

#[test]
fn four_columns_shift_points_and_divide_by_the_last_lane() {
    for device in Device::all() {
        let mut y = device.upload(&[Vec3::new(4.0f32, 6.0, 8.0); 3]).unwrap();
        shifts::launch(&device, Grid::groups(1, 1, 1), &mut y).unwrap();
        let y = y.read().unwrap();
        // The last one is shifted by the whole in half, and so by 2 · (1, 2, 3) / 2.
        let expected = [[5.0, 8.0, 11.0], [2.0, 3.0, 4.0], [3.0, 5.0, 7.0]];
        assert_eq!([y[0], y[1], y[2]].map(lanes), expected, "{device:?}");
    }
}

#[kernel(workgroup_size(1))]
fn rotations(a: Quat, b: Quat, v: Vec3<f32>, y: &mut [Vec3<f32>], made: &mut [Quat]) {
    y[0] = a.rotate(v);
    y[1] = a.to_matrix() * v;
    y[2] = a.product(b).rotate(v);
    y[3] = a.rotate(b.rotate(v));
    y[4] = a.conjugate().rotate(a.rotate(v));
    made[0] = Quat::from_axis_angle(Vec3::new(0.0, 0.0, 1.0), 0.6, 0.8);
    made[1] = Quat { w: 2.0 * a.w, v: 2.0 * a.v }.normalize();
}

#[test]
fn quaternions_rotate_as_trigonometry_does() {
    let about = |axis: [f64; 3], angle: f64| {
        let (sine, cosine) = (angle / 2.0).sin_cos();
        Quat { v: vec3(axis.map(|x| (x * sine) as f32)), w: cosine as f32 }
    };
    let (angle, v) = (0.7f64, [1.0, 2.0, 3.0]);
    let (sine, cosine) = angle.sin_cos();
    let near = |found: Vec3<f32>, expected: [f64; 3], what: &str| {
        let far = lanes(found).iter().zip(expected).any(|(x, y)| (f64::from(*x) - y).abs() > 1e-5);
        assert!(!far, "{what}: {found:?} and {expected:?}");
    };
    for device in Device::all() {
        let (mut y, mut made) = (device.zeros(5).unwrap(), device.upload(&[Quat::IDENTITY; 2]).unwrap());
        let (a, b) = (about([0.0, 0.0, 1.0], angle), about([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2));
        rotations::launch(&device, 1, a, b, vec3(v.map(|x| x as f32)), &mut y, &mut made).unwrap();
        let y = y.read().unwrap();
        let turned = |[x, y, z]: [f64; 3]| [cosine * x - sine * y, sine * x + cosine * y, z];
        near(y[0], turned(v), "around z");
        near(y[1], turned(v), "as a matrix");
        // A quarter turn around x takes y to z and z to -y.
        near(y[2], turned([v[0], -v[2], v[1]]), "the product");
        near(y[3], turned([v[0], -v[2], v[1]]), "one after the other");
        near(y[4], v, "there and back");
        let made = made.read().unwrap();
        assert_eq!(made[0], Quat { v: Vec3::new(0.0, 0.0, 0.6), w: 0.8 });
        near(made[1].v, lanes(a.v).map(f64::from), "normalized");
    }
}

#[kernel]
fn light(v: &[Vec3<f32>], n: Vec3<f32>, ratio: f32, y: &mut [Vec3<f32>], through: &mut [u32]) {
    let i = global_id().x;
    if i < v.len() {
        let direction = normalize(v[i]);
        y[5 * i] = direction;
        y[5 * i + 1] = reflect(direction, n);
        let (behind, passes) = refract(direction, n, ratio);
        y[5 * i + 2] = behind;
        through[i] = passes as u32;
        let (a, b) = basis(direction);
        y[5 * i + 3] = a;
        y[5 * i + 4] = b;
    }
}

#[test]
fn light_keeps_the_laws_of_reflection_and_refraction() {
    let directions = floats(60).chunks_exact(3).map(|v| Vec3::new(v[0], -v[1].abs() - 0.1, v[2])).collect::<Vec<_>>();
    let dot = |a: Vec3<f32>, b: Vec3<f32>| {
        f64::from(a.x) * f64::from(b.x) + f64::from(a.y) * f64::from(b.y) + f64::from(a.z) * f64::from(b.z)
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-5;
    let up = Vec3::new(0.0, 1.0, 0.0);
    let ratio = 1.25f32;
    let mut totally_reflected = 0;
    for device in Device::all() {
        let v = device.upload(&directions).unwrap();
        let (mut y, mut through) = (device.zeros(5 * v.len()).unwrap(), device.zeros(v.len()).unwrap());
        light::launch(&device, v.len(), &v, up, ratio, &mut y, &mut through).unwrap();
        let (y, through) = (y.read().unwrap(), through.read().unwrap());
        for (i, parts) in y.chunks_exact(5).enumerate() {
            let [d, mirrored, behind, a, b] = *parts else { unreachable!("chunks of five") };
            assert!(near(dot(d, d), 1.0) && near(dot(d, directions[i]), dot(directions[i], directions[i]).sqrt()));
            assert_eq!((mirrored.x, mirrored.z), (d.x, d.z));
            assert!(near(f64::from(mirrored.y), f64::from(-d.y)));
            // The sine is that of the direction times the ratio, or there would be one above 1.
            let sine = |v: Vec3<f32>| (f64::from(v.x).powi(2) + f64::from(v.z).powi(2)).sqrt();
            assert_eq!(through[i] == 1, sine(d) * f64::from(ratio) < 1.0, "{d:?}, {device:?}");
            match through[i] {
                1 => {
                    assert!(near(sine(behind), sine(d) * f64::from(ratio)) && near(dot(behind, behind), 1.0));
                    assert!(behind.y < 0.0);
                }
                _ => totally_reflected += 1,
            }
            assert!([dot(a, a), dot(b, b)].into_iter().all(|square| near(square, 1.0)));
            assert!([dot(a, b), dot(a, d), dot(b, d)].into_iter().all(|cosine| near(cosine, 0.0)));
            // Right-handed: the product of the first two has the direction of the third.
            let cross = Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
            assert!(near(dot(cross, d), 1.0));
        }
    }
    assert!(totally_reflected > 0, "some light must come in too flat");
}

#[kernel(workgroup_size(1))]
fn none(y: &mut [Vec3<f32>]) {
    y[0] = normalize(y[0]);
}

#[test]
fn a_vector_without_a_direction_stays_zero() {
    for device in Device::all() {
        let mut y = device.zeros(1).unwrap();
        none::launch(&device, 1, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [Vec3::new(0.0f32, 0.0, 0.0)], "{device:?}");
    }
}
