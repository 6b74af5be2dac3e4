//! Constants of sine and cosine in pairs of `f32`, written by `tests/src/coefficients/pair.rs`.

/// `2 / pi`.
pub const PER_HALF_PI: f64 = 6.366197723675814e-1;
/// `pi / 2` in four parts of 12 bits and one of 24.
pub const HALF_PI: [f64; 5] =
    [1.57080078125e0, -4.453584551811218e-6, -8.706138032721356e-10, 6.222800053024002e-14, 5.721188916458728e-18];
/// `sin(r) / r`, of `r^2`; error below 2^-47.5 of the whole function.
pub const SIN: [f64; 6] = [
    9.999999999999957e-1,
    -1.6666666666616184e-1,
    8.333333323802407e-3,
    -1.9841263259141957e-4,
    2.755526372174464e-6,
    -2.4755970636461245e-8,
];
/// `cos(r)`, of `r^2`; error below 2^-43.5 of the whole function.
pub const COS: [f64; 6] = [
    9.999999999999437e-1,
    -4.999999999934461e-1,
    4.166666654292815e-2,
    -1.3888880342838477e-3,
    2.479891815008481e-5,
    -2.7172666562783097e-7,
];
/// The bound of the error of the sine and the cosine, relative to the result: 2^-39.
pub const SIN_ERROR: f64 = 1.8189894035458565e-12;
