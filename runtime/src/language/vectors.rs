//! Vectors and matrices in kernels.
//!
//! # Vectors
//!
//! Lanes are numbers of any type, or `bool`. What is below is the same on the host, where vectors behave as Rust's numbers
//! do: integer overflow of an operator panics in a debug build, as an index beyond the lanes does.
//!
//! | | |
//! | --- | --- |
//! | made by | `Vec3::new(x, y, z)`, `Vec3::splat(x)`, `Vec3::from_array(a)`, `Vec3::from(t)` of an array, of a tuple of lanes, or of vectors and lanes: `(v, z)` |
//! | lanes | `v.x` to `v.w` and `v[i]`, also assigned to; an index beyond the lanes reads 0 and stores nothing |
//! | swizzles | methods of two to four lanes: `v.xy()`, `v.zyx()`, `v.xxxx()` |
//! | longer, shorter | `v.extend(z)`, `v.truncate()`, `v.to_array()` |
//! | operators | those of the lanes except shifts and order; `+ - * /` also with a scalar on either side: `2.0 * v`. `==` is true if all lanes are equal |
//! | masks | `a.cmplt(b)`, `cmple`, `cmpgt`, `cmpge`, `cmpeq`, `cmpne` give a vector of `bool`, which has `!`, `&`, `\|`, `^`, `m.all()` and `m.any()`; `Vec3::select(m, a, b)` takes the lanes of `a` where `m` is true |
//! | other lanes | `v.cast::<f32>()`: `as` of each lane |
//! | `as` | to its own type; between `Vec2<u32>` or `Vec4<u32>` and `u32`, `i32`, `u64` and `bool` as in `docs/src/reference/ops.md`, and from `Vec4<u32>` to `Vec2<u32>` |
//! | lane by lane | the methods of the lanes, with vectors as arguments, `v.floor()` and `v.is_nan()`; and the functions of bits |
//!
//! The order of sums and products is part of the language; each step rounds as an operator does.
//!
//! | method | result |
//! | --- | --- |
//! | `a.dot(b)` | `a.x * b.x + a.y * b.y + …`, from the first lane to the last |
//! | `a.cross(b)` of `Vec3` | `(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y)` |
//! | `v.length_squared()`, `v.length()` | `v.dot(v)`, and its square root; `length` and what follows of floats |
//! | `a.distance_squared(b)`, `a.distance(b)` | those of `a - b` |
//! | `v.normalize()` | `v * v.length().recip()` |
//! | `v.normalize_or_zero()` | the same, but zeros where that factor is infinite, NaN or not above 0 |
//! | `v.reflect(n)` | `v - n * (2.0 * v.dot(n))` |
//! | `a.lerp(b, t)` | `a * (1.0 - t) + b * t` |
//! | `v.element_sum()`, `v.element_product()`, `v.min_element()`, `v.max_element()` | the lanes under `+`, `*`, `min`, `max`, from the first to the last |
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(1))]
//! fn numbers(x: &[f32], y: &mut [f32], bits: &mut [u32]) {
//!     let a = x[0];
//!     y[0] = a.clamp(0.0, 1.0) + a.fract() + 4.0f32.recip();
//!     let v = Vec3::new(a, 2.0, 3.0);
//!     let w = 2.0 * v.zyx() - Vec3::splat(1.0);
//!     y[1] = v.dot(w).mul_add(0.5, w.xy().length_squared()).sqrt();
//!     y[2] = v.cross(w).abs().max(v).y;
//!     bits[0] = a.to_bits().rotate_left(3).count_ones();
//!     bits[1] = 7u32.abs_diff(9).min(5).wrapping_sub(3);
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[1.5f32])?;
//! let (mut y, mut bits) = (device.zeros(3)?, device.zeros(2)?);
//! numbers::launch(&device, 1, &x, &mut y, &mut bits)?;
//! assert_eq!(y.read()?[0], 1.0 + 0.5 + 0.25);
//! assert_eq!(bits.read()?, [1.5f32.to_bits().count_ones(), u32::MAX]);
//! # let (v, w) = ([1.5f32, 2.0, 3.0], [5.0f32, 3.0, 2.0]);
//! # let dot = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
//! # assert_eq!(y.read()?[1], dot.mul_add(0.5, w[0] * w[0] + w[1] * w[1]).sqrt());
//! # assert_eq!(y.read()?[2], (v[2] * w[0] - v[0] * w[2]).abs().max(v[1]));
//! # Ok::<(), Error>(())
//! ```
//!
//! # Matrices
//!
//! `Mat2<T>`, `Mat3<T>` and `Mat4<T>` are their columns, which are vectors: `m.x_axis` to `m.w_axis`, or `m[0]` to `m[3]`,
//! also assigned to. Any `usize` picks a column, `m[i]`, or a number, `m[i][j]`; beyond the last column it reads zeros and
//! stores nothing. The host has the same types, with the same results. In memory, the columns lie one after the other, without gaps, as glam's do.
//!
//! | | |
//! | --- | --- |
//! | made by | `Mat2::from_cols(x, y)`, `Mat2::from_cols_array(numbers)`, `Mat2::from_diagonal(v)`, `Mat2::<f32>::IDENTITY`, `ZERO` |
//! | `m * v` | the columns, each times a lane of `v`, added from the first to the last |
//! | `m * n` | the columns of `n`, each multiplied so |
//! | `m + n`, `m - n`, `-m`, `m * s`, `s * m`, `m / s`, `m == n` | number by number; `==` is true if all are equal |
//! | `m += n`, `m -= n`, `m *= n`, `m *= s`, `m /= s` | as in `m = m + n` |
//! | `m.transpose()`, `m.to_cols_array()` | the rows as columns; an array of the numbers, column after column |
//! | `m.determinant()` | `x.x * y.y - y.x * x.y` of two columns, `z.dot(x.cross(y))` of three, and of four `s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0` with the minors `s` of the first two columns and `c` of the last two, of the lanes 01, 02, 03, 12, 13, 23 |
//! | `m.inverse()` | the adjugate, whose numbers are made of the same minors, each times 1 over the determinant |
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn place(turn: Mat3<f32>, x: &[Vec3<f32>], y: &mut [Vec3<f32>]) {
//!     let i = global_id().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] = turn.inverse() * x[i];
//!     }
//! }
//!
//! let turn = Mat3::from_cols(Vec3::new(0.0f32, 2.0, 0.0), Vec3::new(-1.0, 0.0, 0.5), Vec3::new(0.0, 0.0, 1.0));
//! let x = [Vec3::new(1.0, 2.0, 3.0)];
//! let device = Device::interpreter();
//! let mut y = device.zeros(1)?;
//! place::launch(&device, 1, turn, &device.upload(&x)?, &mut y)?;
//! assert_eq!(y.read()?, x.map(|x| turn.inverse() * x));
//! # Ok::<(), Error>(())
//! ```
