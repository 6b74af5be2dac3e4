//! Constants of exponentials, logarithms, powers, hyperbolic functions and roots of `f64`, written by `tests/src/coefficients/exponential_double.rs`.

/// ln 2; the sum with the next one is exact to 2^-105 of it.
pub const LN_2: f64 = 6.931471805599453e-1;
/// What is left of it.
pub const LN_2_LOW: f64 = 2.3190468138462996e-17;
/// ln 2, in 42 bits; the sum with the next one is exact to 2^-105 of it.
pub const LN_2_SHORT: f64 = 6.931471805598903e-1;
/// What is left of it.
pub const LN_2_SHORT_LOW: f64 = 5.497923018708371e-14;
/// ln 10; the sum with the next one is exact to 2^-105 of it.
pub const LN_10: f64 = 2.302585092994046e0;
/// What is left of it.
pub const LN_10_LOW: f64 = -2.1707562233822494e-16;
/// log2 e; the sum with the next one is exact to 2^-105 of it.
pub const LOG2_E: f64 = 1.4426950408889634e0;
/// What is left of it.
pub const LOG2_E_LOW: f64 = 2.0355273740931033e-17;
/// log10 e; the sum with the next one is exact to 2^-105 of it.
pub const LOG10_E: f64 = 4.342944819032518e-1;
/// What is left of it.
pub const LOG10_E_LOW: f64 = 1.098319650216765e-17;
/// log10 2; the sum with the next one is exact to 2^-105 of it.
pub const LOG10_2: f64 = 3.010299956639812e-1;
/// What is left of it.
pub const LOG10_2_LOW: f64 = -2.8037281277851704e-18;
/// log10 2, in 42 bits; the sum with the next one is exact to 2^-105 of it.
pub const LOG10_2_SHORT: f64 = 3.0102999566395283e-1;
/// What is left of it.
pub const LOG10_2_SHORT_LOW: f64 = 2.8363394551044964e-14;
/// log2 10, rounded.
pub const LOG2_10: f64 = 3.321928094887362e0;
/// (sinh(r) - r) / r^3 by z = r^2, from 0 to 0.1203: relative error 2^-53.0.
pub const SINH: [f64; 5] =
    [1.6666666666666669e-1, 8.333333333330044e-3, 1.9841269863142295e-4, 2.755726832230253e-6, 2.5100450946427397e-8];
/// The same, more precise, from 0 to 0.1203: relative error 2^-54.0.
pub const SINH_PRECISE: [f64; 6] = [
    1.6666666666666666e-1,
    8.333333333333333e-3,
    1.9841269841263263e-4,
    2.7557319247313303e-6,
    2.505207099314993e-8,
    1.6086665349709771e-10,
];
/// (cosh(r) - 1 - z / 2) / z^2 by z = r^2, from 0 to 0.1203: relative error 2^-53.4.
pub const COSH: [f64; 5] =
    [4.1666666666666664e-2, 1.3888888888886539e-3, 2.4801587317207826e-5, 2.7557282871219326e-7, 2.0911283370046976e-9];
/// (ln(m) - s) / s^3 by z = s^2, from 0 to 0.1178: relative error 2^-54.0.
pub const LN: [f64; 8] = [
    8.333333333333333e-2,
    1.2500000000000275e-2,
    2.2321428570939027e-3,
    4.3402778109548844e-4,
    8.877829882842184e-5,
    1.8782033547288324e-5,
    4.049290402938262e-6,
    9.984768826797196e-7,
];
/// The same, more precise, from 0 to 0.1178: relative error 2^-64.7.
pub const LN_PRECISE: [f64; 9] = [
    8.333333333333333e-2,
    1.2499999999999997e-2,
    2.232142857143389e-3,
    4.3402777773149343e-4,
    8.877841110630112e-5,
    1.8779998853223387e-5,
    4.0697148968506676e-6,
    8.917277598776749e-7,
    2.2664313089554832e-7,
];
/// What is left of its first coefficients.
pub const LN_PRECISE_LOW: [f64; 2] = [4.62763966171642e-18, 4.2379574277812215e-19];
/// The upper half of r's bits is this less a third of that of a's; a * r^3 is from 0.8980 to 1.1020.
pub const CBRT_START: u64 = 0x553ee961;
/// ((1 - h)^(-1/3) - 1) / h, from -0.1021 to 0.1021: relative error 2^-17.5.
pub const CBRT: [f64; 4] = [3.333316233935554e-1, 2.2222070187594012e-1, 1.741503886112429e-1, 1.4519841905166211e-1];
