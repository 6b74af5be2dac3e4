//! Constants of logarithms in pairs of `f32`, written by `tests/src/coefficients/pair.rs`.

/// `2 atanh(s) / s`, of `s^2`; error below 2^-45.0 of the whole function.
pub const LN: [f64; 6] = [
    1.9999999999999472e0,
    6.666666667959237e-1,
    3.999999488766673e-1,
    2.857216659918376e-1,
    2.2174230095376737e-1,
    1.96083949880862e-1,
];
/// the same divided by `ln 2`; error below 2^-45.0 of the whole function.
pub const LOG2: [f64; 6] = [
    2.8853900817778504e0,
    9.617966941124542e-1,
    5.770779426002068e-1,
    4.1220923060095693e-1,
    3.1990651794130825e-1,
    2.8288934209103966e-1,
];
/// the same divided by `ln 10`; error below 2^-45.0 of the whole function.
pub const LOG10: [f64; 6] = [
    8.685889638064807e-1,
    2.895296546583035e-1,
    1.7371777055871945e-1,
    1.2408734290045909e-1,
    9.630145770875134e-2,
    8.515817742305216e-2,
];
/// `ln 2` in parts of 16, 16 and 24 bits.
pub const LN_UNIT: [f64; 3] = [6.93145751953125e-1, 1.4286197256296873e-6, -1.2905320041778356e-11];
/// `log10(2)` in parts of 16, 16 and 24 bits.
pub const LOG10_UNIT: [f64; 3] = [3.0103302001953125e-1, -3.0243536457419395e-6, -1.9043128619139482e-12];
/// The bound of the error of logarithms, relative to the result: 2^-39.
pub const LN_ERROR: f64 = 1.8189894035458565e-12;
