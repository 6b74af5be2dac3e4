//! Constants of exponentials, the hyperbolic tangent and the reciprocal root in pairs of `f32`, written by `tests/src/coefficients/pair.rs`.

/// `1 / ln 2`, and `ln 2` in parts of 16, 16 and 24 bits.
pub const LN_2: [f64; 4] = [1.4426950408889634e0, 6.93145751953125e-1, 1.4286197256296873e-6, -1.2905320041778356e-11];
/// `log2(10)`, and `log10(2)` in parts of 16, 16 and 24 bits.
pub const LOG10_2: [f64; 4] =
    [3.321928094887362e0, 3.0103302001953125e-1, -3.0243536457419395e-6, -1.9043128619139482e-12];
/// `2 / ln 2`, and `ln(2) / 2` in parts of 16, 16 and 24 bits.
pub const HALF_LN_2: [f64; 4] =
    [2.8853900817779268e0, 3.465728759765625e-1, 7.143098628148437e-7, -6.452660020889178e-12];
/// `e^r`; error below 2^-44.6 of it.
pub const EXP: [f64; 10] = [
    1e0,
    1e0,
    4.9999999999797934e-1,
    1.6666666666648303e-1,
    4.1666666890957e-2,
    8.333333353717156e-3,
    1.3888821677630362e-3,
    1.984120875699232e-4,
    2.4876164022625967e-5,
    2.7625102005388108e-6,
];
/// `2^r`; error below 2^-44.6 of it.
pub const EXP2: [f64; 10] = [
    1e0,
    6.931471805599453e-1,
    2.402265069581299e-1,
    5.5504108664760424e-2,
    9.618129159402558e-3,
    1.3333558179043112e-3,
    1.5403455852453838e-4,
    1.525268684626772e-5,
    1.3255224878668817e-6,
    1.0203121063391729e-7,
];
/// `10^r`; error below 2^-44.6 of it.
pub const EXP10: [f64; 10] = [
    1e0,
    2.302585092994046e0,
    2.6509490552284856e0,
    2.0346785922912343e0,
    1.171255155217096e0,
    5.393829305149438e-1,
    2.0699484700036005e-1,
    6.808915545127757e-2,
    1.9656623588862568e-2,
    5.026261602407385e-3,
];
/// `(e^(2r) - 1) / (2r)`; error below 2^-49.2 of the whole function.
pub const TANH: [f64; 10] = [
    1.0000000000000013e0,
    1.0000000000000002e0,
    6.666666666646259e-1,
    3.333333333329933e-1,
    1.3333333387698565e-1,
    4.44444445350295e-2,
    1.2698362014428314e-2,
    3.1745947292631926e-3,
    7.07395601291014e-4,
    1.4141478850551484e-4,
];
/// The bound of the error of exponentials, relative to the result: 2^-40.
pub const EXP_ERROR: f64 = 9.094947017729282e-13;
/// The bound of the error of the hyperbolic tangent, relative to the result: 2^-39.
pub const TANH_ERROR: f64 = 1.8189894035458565e-12;
/// The bound of the error of the reciprocal root, relative to the result: 2^-39.
pub const RSQRT_ERROR: f64 = 1.8189894035458565e-12;
