//! The mathematical functions as kernels, each with what it has to give.

use samebits::prelude::*;

type Launch = fn(&Device, &Buffer<f32>, &mut Buffer<f32>) -> Result<(), Error>;
type LaunchOfTwo = fn(&Device, &Buffer<f32>, &Buffer<f32>, &mut Buffer<f32>) -> Result<(), Error>;

/// A function of one `f32`.
pub struct Function {
    pub name: &'static str,
    /// Applies it to a buffer.
    pub launch: Launch,
    /// Makes one number of each block of 256 results, of arguments whose bits count up from 0.
    pub hash: fn(&Device, &mut Buffer<u32>) -> Result<(), Error>,
    /// What is right.
    pub right: fn(f32) -> f32,
    /// Whether it is correctly rounded; else a neighbour is right, too.
    pub is_exact: bool,
}

/// A function of two.
pub struct OfTwo {
    pub name: &'static str,
    pub launch: LaunchOfTwo,
    pub right: fn(f32, f32) -> f32,
}

macro_rules! functions {
    ($($name:ident($x:ident) = $ours:expr, $right:expr, $exact:literal;)*) => {
        mod one {
            use samebits::prelude::*;
            $(
                #[kernel(workgroup_size(256))]
                pub fn $name(x: &[f32], y: &mut [f32]) {
                    let i = global_id().x;
                    if i < x.len() && i < y.len() {
                        let $x = x[i];
                        y[i] = $ours;
                    }
                }
            )*
        }

        mod hashes {
            use samebits::prelude::*;
            $(
                #[kernel(workgroup_size(256))]
                pub fn $name(hashes: &mut [u32]) {
                    let i = global_id().x;
                    if i < hashes.len() {
                        let mut hash = 0;
                        #[unroll(never)]
                        for k in 0..256 {
                            let $x = f32::from_bits(i as u32 * 256 + k);
                            let result = $ours;
                            hash = hash * 0x0100_0193 ^ result.to_bits();
                        }
                        hashes[i] = hash;
                    }
                }
            )*
        }

        /// Every function of one `f32`.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            launch: |device, x, y| one::$name::launch(device, x.len(), x, y),
            hash: |device, hashes| hashes::$name::launch(device, hashes.len(), hashes),
            right: $right,
            is_exact: $exact,
        },)*];
    };
}
functions! {
    exponential(x) = x.exp(), core_math::expf, true;
    power_of_two(x) = x.exp2(), core_math::exp2f, true;
    power_of_ten(x) = exp10(x), core_math::exp10f, true;
    exponential_less_one(x) = x.exp_m1(), core_math::expm1f, true;
    logarithm(x) = x.ln(), core_math::logf, true;
    binary_logarithm(x) = x.log2(), core_math::log2f, true;
    decimal_logarithm(x) = x.log10(), core_math::log10f, true;
    logarithm_of_one_more(x) = x.ln_1p(), core_math::log1pf, true;
    sine(x) = x.sin(), core_math::sinf, true;
    cosine(x) = x.cos(), core_math::cosf, true;
    tangent(x) = x.tan(), core_math::tanf, true;
    sine_of_pi(x) = sin_pi(x), core_math::sinpif, true;
    cosine_of_pi(x) = cos_pi(x), core_math::cospif, true;
    tangent_of_pi(x) = tan_pi(x), core_math::tanpif, true;
    arc_sine(x) = x.asin(), core_math::asinf, true;
    arc_cosine(x) = x.acos(), core_math::acosf, true;
    arc_tangent(x) = x.atan(), core_math::atanf, true;
    hyperbolic_sine(x) = x.sinh(), core_math::sinhf, true;
    hyperbolic_cosine(x) = x.cosh(), core_math::coshf, true;
    hyperbolic_tangent(x) = x.tanh(), core_math::tanhf, true;
    area_sine(x) = x.asinh(), core_math::asinhf, true;
    area_cosine(x) = x.acosh(), core_math::acoshf, true;
    area_tangent(x) = x.atanh(), core_math::atanhf, true;
    cube_root(x) = x.cbrt(), core_math::cbrtf, true;
    reciprocal_root(x) = rsqrt(x), core_math::rsqrtf, true;
    error_function(x) = erf(x), core_math::erff, false;
    complement_of_error(x) = erfc(x), core_math::erfcf, false;
    gamma(x) = tgamma(x), core_math::tgammaf, false;
    logarithm_of_gamma(x) = lgamma(x), core_math::lgammaf, false;
}

#[kernel(workgroup_size(256))]
fn powers(x: &[f32], y: &[f32], z: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() && i < z.len() {
        z[i] = x[i].powf(y[i]);
    }
}

#[kernel(workgroup_size(256))]
fn angles(y: &[f32], x: &[f32], z: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() && i < z.len() {
        z[i] = y[i].atan2(x[i]);
    }
}

#[kernel(workgroup_size(256))]
fn distances(x: &[f32], y: &[f32], z: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() && i < z.len() {
        z[i] = x[i].hypot(y[i]);
    }
}

/// Every function of two `f32`.
pub const OF_TWO: &[OfTwo] = &[
    OfTwo {
        name: "powers",
        launch: |device, x, y, z| powers::launch(device, x.len(), x, y, z),
        right: core_math::powf,
    },
    OfTwo {
        name: "angles",
        launch: |device, x, y, z| angles::launch(device, x.len(), x, y, z),
        right: core_math::atan2f,
    },
    OfTwo {
        name: "distances",
        launch: |device, x, y, z| distances::launch(device, x.len(), x, y, z),
        right: core_math::hypotf,
    },
];
