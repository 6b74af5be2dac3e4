//! Constants of trigonometric functions of `f64`, written by `tests/src/coefficients/circular_double.rs`.

/// 2/pi, rounded.
pub const TWO_OVER_PI: f64 = 6.366197723675814e-1;
/// pi/2 in parts of 53, 33 and 53 bits; what is left is below 2^-141.
pub const HALF_PI: [f64; 3] = [1.5707963267948966e0, 6.12323399538461e-17, 3.5215598651832e-27];
/// pi/2 * 2^-62 in two parts.
pub const HALF_PI_SCALED: [f64; 2] = [3.4061215800865545e-19, 1.3277647201629795e-35];
/// pi in two parts.
pub const PI: [f64; 2] = [3.141592653589793e0, 1.2246467991473532e-16];
/// pi/4 in two parts; the first one has 50 bits, so its multiples up to 4 are exact.
pub const QUARTER_PI: [f64; 2] = [7.853981633974483e-1, 3.061616997868383e-17];
/// 2/pi: 64 zeros, then its first 1,216 bits.
pub static TWO_OVER_PI_BITS: [u64; 20] = [
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];
/// What the first coefficient's rounding lost, then S of `sin x = x + x z S(z)` for `z = x^2 <= (pi/4)^2`; relative error of the function 2^-57.2.
pub const SIN: [f64; 7] = [
    1.3076317106784478e-17,
    -1.666666666666662e-1,
    8.333333333321237e-3,
    -1.9841269829554028e-4,
    2.7557313735746923e-6,
    -2.5050777402220946e-8,
    1.5898370775626603e-10,
];
/// C of `cos x = 1 - z/2 + z^2 C(z)` for `z = x^2 <= (pi/4)^2`; relative error of the function 2^-61.1.
pub const COS: [f64; 6] = [
    4.166666666666662e-2,
    -1.3888888888878709e-3,
    2.4801587292615258e-5,
    -2.7557315311490063e-7,
    2.0875858756401796e-9,
    -1.1366843835128112e-11,
];
/// A of `atan t = t + t z A(z)` for `z = t^2`, `|t| <= tan(pi/8)`; relative error of the function 2^-58.4.
pub const ATAN: [f64; 11] = [
    -3.3333333333333126e-1,
    1.9999999999946821e-1,
    -1.4285714280190615e-1,
    1.1111110802410223e-1,
    -9.090898647457335e-2,
    7.692080067849479e-2,
    -6.663360686225653e-2,
    5.849911375786755e-2,
    -5.048895335057779e-2,
    3.831650984394207e-2,
    -1.8189097004395735e-2,
];
/// B of `asin x = x + x z B(z)` for `z = x^2 <= 1/4`; relative error of the function 2^-58.6.
pub const ASIN: [f64; 13] = [
    1.6666666666666768e-1,
    7.499999999975591e-2,
    4.464285716658714e-2,
    3.038194319426004e-2,
    2.2372199355357524e-2,
    1.7351917475724708e-2,
    1.3976940373196014e-2,
    1.1432010881199417e-2,
    1.0588914781518338e-2,
    4.446245333929387e-3,
    1.987473380769127e-2,
    -1.836917556364075e-2,
    3.0966117844736348e-2,
];
