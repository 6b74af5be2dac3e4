//! Constants of exponentials, hyperbolic functions and roots of `f32`, written by `tests/src/coefficients/exponential.rs`.

/// A sum with it has the nearest integer in its low bits.
pub const SHIFT: f64 = 6.755399441055744e15;
/// The low bits become the exponent of `2^k`.
pub const SHIFT_TO_POWER: f64 = 6.755399441056767e15;
/// The low bits become the exponent of `2^(k-1)`.
pub const SHIFT_TO_HALF_POWER: f64 = 6.755399441056766e15;
/// `1 / ln 2`, and `ln 2` in two parts: the first of 42 bits; together they have an error of 2^-102.
pub const LN_2: [f64; 3] = [1.4426950408889634e0, 6.931471805598903e-1, 5.497923018708371e-14];
/// `log2(10)`, and `log10(2)` in two parts: the first of 42 bits; together they have an error of 2^-101.
pub const LOG10_2: [f64; 3] = [3.321928094887362e0, 3.0102999566395283e-1, 2.8363394551044964e-14];
/// `2 / ln 2`, and `ln(2) / 2` in two parts: the first of 42 bits; together they have an error of 2^-103.
pub const HALF_LN_2: [f64; 3] = [2.8853900817779268e0, 3.4657359027994517e-1, 2.7489615093541856e-14];
/// The part of the linear term of `2^r` that is added first.
pub const EXP2_SLOPE: f64 = -1.0103629710818451e0;
/// `(e^r - 1) / r`; error below 2^-50.5 of the whole function.
pub const EXP: [f64; 10] = [
    1.0000000000000013e0,
    5.000000000000001e-1,
    1.6666666666615648e-1,
    4.1666666666624164e-2,
    8.333333367311603e-3,
    1.3888888917196719e-3,
    1.984119064754424e-4,
    2.4801521322368692e-5,
    2.7632640675430236e-6,
    2.7620075879983367e-7,
];
/// `(2^r - 1) / r - EXP2_SLOPE`; error below 2^-50.5 of the whole function.
pub const EXP2: [f64; 10] = [
    1.7035101516417912e0,
    2.4022650695910075e-1,
    5.550410866465167e-2,
    9.618129107618665e-3,
    1.3333558200794592e-3,
    1.5403530424776529e-4,
    1.5252672924850737e-5,
    1.3215451633221434e-6,
    1.0205905413765595e-7,
    7.070977866508138e-9,
];
/// `(10^r - 1) / r`; error below 2^-50.6 of the whole function.
pub const EXP10: [f64; 10] = [
    2.3025850929940486e0,
    2.6509490552391997e0,
    2.0346785922872477e0,
    1.171255148911072e0,
    5.393829313948573e-1,
    2.0699584911875954e-1,
    6.808909330501216e-2,
    1.959764249108242e-2,
    5.027633229116983e-3,
    1.1571289369688047e-3,
];
/// `(e^r - 1 - r) / r^2`; error below 2^-48.3 of the whole function.
pub const EXP_M1: [f64; 9] = [
    5e-1,
    1.6666666666648303e-1,
    4.1666666666651364e-2,
    8.333333353717156e-3,
    1.3888888905871347e-3,
    1.984120875699232e-4,
    2.4801536409064087e-5,
    2.7625102005388108e-6,
    2.761379555451986e-7,
];
/// `((e^(2r) - 1) / 2 - r) / r^2`; error below 2^-48.3 of the whole function.
pub const TANH: [f64; 9] = [
    1e0,
    6.666666666659321e-1,
    3.333333333332109e-1,
    1.333333336594745e-1,
    4.444444449878831e-2,
    1.2698373604475085e-2,
    3.174596660360203e-3,
    7.072026113379356e-4,
    1.413826332391417e-4,
];
/// `(sinh(r) - r) / r^3`, of `r^2`; error below 2^-47.1 of the whole function.
pub const SINH: [f64; 4] = [1.6666666666660826e-1, 8.333333347557648e-3, 1.9841215712188681e-4, 2.762321934972099e-6];
/// `(cosh(r) - 1) / r^2`, of `r^2`; error below 2^-56.2 of the whole function.
pub const COSH: [f64; 5] =
    [5.000000000000001e-1, 4.1666666666624164e-2, 1.3888888917196719e-3, 2.4801521322368692e-5, 2.7620075879983367e-7];
/// A third, with the point before bit 32.
pub const CBRT_THIRD: u64 = 0x0000000055555555;
/// From it a third of the bits of `x` is taken.
pub const CBRT_START: u64 = 0x553ef00000000000;
/// What is kept of the start: 9 bits.
pub const CBRT_MASK: u64 = 0xfffff00000000000;
/// `((1 - h)^(-2/3) - 1) / h`, for `h` from -0.1057 to 0.1054; error below 2^-44.4 of the whole function.
pub const CBRT: [f64; 10] = [
    6.666666666667558e-1,
    5.555555555555147e-1,
    4.938271600744733e-1,
    4.52674896903586e-1,
    4.224968860859635e-1,
    3.990247697746529e-1,
    3.7994042891492597e-1,
    3.641192983093872e-1,
    3.595764803476208e-1,
    3.471286109176569e-1,
];
