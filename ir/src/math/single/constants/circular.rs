//! Constants of trigonometric functions of `f32`, written by `tests/src/coefficients/circular.rs`.

/// pi in two parts: 33 bits, and the rest to 2^-86.
pub const PI: [f64; 2] = [3.1415926534682512e0, 1.2154201013012384e-10];
/// pi / 2 in two parts: 33 bits, and the rest to 2^-87.
pub const HALF_PI: [f64; 2] = [1.5707963267341256e0, 6.077100506506192e-11];
/// pi in two parts: 29 bits, so that products with an `f32` are exact, and the rest.
pub const PI_29: [f64; 2] = [3.141592651605606e0, 1.984187159361081e-9];
/// pi in two parts for large arguments: 21 bits, whose products with 32 bits are exact, and the rest (to 2^-52 or so).
pub const LARGE_SIN: [f64; 2] = [3.141592025756836e0, 6.278329581864636e-7];
/// The same for cosines.
pub const LARGE_COS: [f64; 2] = [3.141592025756836e0, 6.278329573009626e-7];
/// The same of pi / 2.
pub const LARGE_QUARTER: [f64; 2] = [1.570796012878418e0, 3.139164787504763e-7];
/// Odd arguments of the sine, and the factors of what is left of them.
pub const ODD_SIN: [f64; 2] = [1.4669412936647331e22, 1.0000000000000142e0];
/// The same for the cosine.
pub const ODD_COS: [f64; 6] = [
    2.86165080997888e15,
    1.0000000000000142e0,
    1.100467763087514e19,
    9.999999999999858e-1,
    4.439496112301089e34,
    9.999999999999858e-1,
];
/// The same for both at once.
pub const ODD_QUARTER: [f64; 4] =
    [1.100467763087514e19, 1.0000000000000142e0, 1.7269983397793917e20, 9.999999999999858e-1];
/// pi to 2^-106 in two numbers.
pub const PI_2: [f64; 2] = [3.141592653589793e0, 1.2246467991473532e-16];
/// What the first of `PI_2` leaves, as a fraction of it, times 2.75: a bias below 2^-53, with which the last arguments come out right.
pub const ACOS_REST: [f64; 1] = [1.0719972539428282e-16];
/// 1 / pi
pub const INVERSE_PI: f64 = 3.183098861837907e-1;
/// 2 / pi
pub const INVERSE_HALF_PI: f64 = 6.366197723675814e-1;
/// The bits of 2 / pi from that of 2^4 down to that of 2^-251.
pub static TWO_OVER_PI: [u64; 4] = [0x0517cc1b727220a9, 0x4fe13abe8fa9a6ee, 0x06db14acc9e21c82, 0x0ff28b1d5ef5de2b];
/// (sin(s) / s - 1) / s^2 by s^2, |s| <= pi / 2; error of the sine 2^-51.1.
pub const SIN: [f64; 7] = [
    -1.6666666666666355e-1,
    8.333333333292088e-3,
    -1.9841269826537315e-4,
    2.755731677477031e-6,
    -2.505189080208007e-8,
    1.6048408861832933e-10,
    -7.376997783354854e-13,
];
/// (sin(s) / s - 1) / s^2 by s^2, |s| <= pi / 4; error of the sine 2^-53.1.
pub const SIN_SHORT: [f64; 6] = [
    -1.666666666666665e-1,
    8.333333333322453e-3,
    -1.9841269829811673e-4,
    2.7557313693604683e-6,
    -2.5050758412890193e-8,
    1.589681468492261e-10,
];
/// (cos(s) - 1) / s^2 by s^2, |s| <= pi / 4; error of the cosine 2^-52.3.
pub const COS_SHORT: [f64; 6] = [
    -4.99999999999995e-1,
    4.16666666665032e-2,
    -1.3888888871719381e-3,
    2.4801579013838386e-5,
    -2.7555295973381507e-7,
    2.0633567919001366e-9,
];
/// tan(s) / s is (1 + s^2 * TOP(s^2)) / (1 + s^2 * BOTTOM(s^2)), |s| <= pi / 4; error 2^-54.6.
pub const TAN_TOP: [f64; 3] = [-1.2828137918783655e-1, 2.8056852459929634e-3, -7.4813786655938904e-6];
/// See `TAN_TOP`.
pub const TAN_BOTTOM: [f64; 3] = [-4.616147125211682e-1, 2.3343922752996286e-2, -2.0841459455892922e-4];
/// (sin(pi s) / s - pi) / s^2 by s^2, |s| <= 1/2; error of the sine 2^-51.9.
pub const SIN_PI: [f64; 7] = [
    -5.167712780049844e0,
    2.550164039864451e0,
    -5.992645288752055e-1,
    8.214587931027173e-2,
    -7.3703669321896524e-3,
    4.659940016392376e-4,
    -2.1141109451664508e-5,
];
/// tan(pi s) / s is (pi + s^2 * TOP(s^2)) / (1 + s^2 * BOTTOM(s^2)), |s| <= 1/4; error 2^-53.9.
pub const TAN_PI_TOP: [f64; 3] = [-3.9775279313117884e0, 8.585949094006868e-1, -2.259595682368169e-2];
/// See `TAN_PI_TOP`.
pub const TAN_PI_BOTTOM: [f64; 3] = [-4.55595459680514e0, 2.2739102899476205e0, -2.0036753665540427e-1];
/// atan(s) / s - 1 by s^2, |s| <= 1; error of the arc 2^-54.4.
pub const ATAN: [f64; 20] = [
    8.326672684688674e-17,
    -3.333333333333159e-1,
    1.999999999971607e-1,
    -1.428571426936203e-1,
    1.1111110627719208e-1,
    -9.090900441609066e-2,
    7.692204788243451e-2,
    -6.665801995392445e-2,
    5.877003855681276e-2,
    -5.2380531497631146e-2,
    4.670475302148679e-2,
    -4.084798558069256e-2,
    3.393171258947279e-2,
    -2.5645415758361316e-2,
    1.679416550919881e-2,
    -9.04537478004741e-3,
    3.7798154394185824e-3,
    -1.135625159669563e-3,
    2.165343416350909e-4,
    -1.9577044010549063e-5,
];
/// (atan(s) / s - 1) / s^2 by s^2, |s| <= 1, shorter; error of the arc 2^-46.8.
pub const ATAN_SHORT: [f64; 16] = [
    -3.333333333303985e-1,
    1.9999999965474655e-1,
    -1.428571284894873e-1,
    1.11110805076981e-1,
    -9.090516303824979e-2,
    7.688976149001822e-2,
    -6.646862214952388e-2,
    5.796454846788351e-2,
    -4.983259334616618e-2,
    4.060851584410529e-2,
    -2.97046000869916e-2,
    1.8305924850717404e-2,
    -8.863064833691807e-3,
    3.0971720600058757e-3,
    -6.85689820440447e-4,
    7.163104794409225e-5,
];
/// (asin(s) / s - 1) / s^2 by s^2, |s| <= 1/2; error of the arc 2^-51.5.
pub const ASIN: [f64; 11] = [
    1.6666666666682026e-1,
    7.4999999964591e-2,
    4.4642859975223215e-2,
    3.038183190037599e-2,
    2.2374744796122507e-2,
    1.731564643505208e-2,
    1.4310779380551683e-2,
    9.43706587072108e-3,
    1.8085226904323543e-2,
    -1.1418246794187384e-2,
    3.13123415112581e-2,
];
/// 1/3, 1/5 and 1/7 in two numbers each: atan(s) is s (1 - s^2/3 + s^4/5 ...).
pub const ATAN_PAIRS: [f64; 6] = [
    3.333333333333333e-1,
    1.850371707708594e-17,
    2e-1,
    -1.1102230246251566e-17,
    1.4285714285714285e-1,
    7.93016446160826e-18,
];
/// 1/9, -1/11 ... 1/17: what follows them; |s| <= 1/64, error 2^-112.
pub const ATAN_REST: [f64; 5] =
    [1.111111111111111e-1, -9.090909090909091e-2, 7.692307692307693e-2, -6.666666666666667e-2, 5.8823529411764705e-2];
/// atan(i / 32), each in two numbers (their bits), to 2^-106.
pub static ATAN_TABLE: [u64; 66] = [
    0x0000000000000000,
    0x0000000000000000,
    0x3f9ffd55bba97625,
    0xbc35ec431444912c,
    0x3faff55bb72cfdea,
    0xbc3c934d86d23f1d,
    0x3fb7ee182602f10f,
    0xbc5cfb654c0c3d98,
    0x3fbfd5ba9aac2f6e,
    0xbc4cd37686760c17,
    0x3fc3d6eee8c6626c,
    0x3c661a3b0ce9281b,
    0x3fc7b97b4bce5b02,
    0x3c5347b0b4f881ca,
    0x3fcb90d7529260a2,
    0x3c217b10d2e0e5ab,
    0x3fcf5b75f92c80dd,
    0x3c68ab6e3cf7afbd,
    0x3fd18bf5a30bf178,
    0x3c630ca4748b1bf9,
    0x3fd362773707ebcc,
    0xbc6963a544b672d8,
    0x3fd530ad9951cd4a,
    0xbc62566480884082,
    0x3fd6f61941e4def1,
    0xbc7c63aae6f6e918,
    0x3fd8b24d394a1b25,
    0x3c7b6d0ba3748fa8,
    0x3fda64eec3cc23fd,
    0xbc724dec1b50b7ff,
    0x3fdc0db4c94ec9f0,
    0xbc7cc1ce70934c34,
    0x3fddac670561bb4f,
    0x3c7a2b7f222f65e2,
    0x3fdf40dd0b541418,
    0xbc6a3992dc382a23,
    0x3fe0657e94db30d0,
    0xbc7d5b495f6349e6,
    0x3fe1255d9bfbd2a9,
    0xbc52bdaee1c0ee35,
    0x3fe1e00babdefeb4,
    0xbc5928df287a668f,
    0x3fe2958e59308e31,
    0xbc709e73b0c6c087,
    0x3fe345f01cce37bb,
    0x3c81021137c71102,
    0x3fe3f13fb89e96f4,
    0x3c7ecf8b492644f0,
    0x3fe4978fa3269ee1,
    0x3c72419a87f2a458,
    0x3fe538f57b89061f,
    0xbc81bb74abda520c,
    0x3fe5d58987169b18,
    0x3c60028e4bc5e7ca,
    0x3fe66d663923e087,
    0xbc76ea6febe8bbba,
    0x3fe700a7c5784634,
    0xbc78c34d25aadef6,
    0x3fe78f6bbd5d315e,
    0x3c8406a089803740,
    0x3fe819d0b7158a4d,
    0xbc7bf76229d3b917,
    0x3fe89ff5ff57f1f8,
    0xbc855b9a5e177a1b,
    0x3fe921fb54442d18,
    0x3c81a62633145c07,
];
