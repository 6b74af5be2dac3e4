//! Constants from outside that are `f16`, or that a kernel casts to it.

use samebits::prelude::*;

const WHOLE: u32 = 3;
const NEGATIVE: i64 = -5;
const SINGLE: f32 = 1.5;
/// Between two of `f16`, a little above the middle: through an `f32` it would be the middle, and the even one.
const DOUBLE: f64 = 1.0 + 1.0 / 2048.0 + 1.0 / (1u64 << 40) as f64;
const HALF: f16 = f16::from_f32_const(0.25);

#[test]
fn a_constant_is_cast_to_f16() {
    #[kernel(workgroup_size(1), features(f16))]
    fn cast(o: &mut [f32]) {
        o[0] = (WHOLE as f16) as f32;
        o[1] = (NEGATIVE as f16) as f32;
        o[2] = (SINGLE as f16 + WHOLE as f16) as f32;
        o[3] = (DOUBLE as f16) as f32;
    }
    let expected = [3.0f32, -5.0, 4.5, 1.0 + 1.0 / 1024.0];
    crate::expect(&expected, |device, out| cast::launch(device, 1, out));
}

#[device]
fn scaled(x: f32) -> f16 {
    x as f16 * HALF
}

#[device]
fn raised(x: f32) -> f16 {
    scaled(x) + WHOLE as f16
}

#[test]
fn helpers_pass_constants_of_f16_on() {
    #[kernel(workgroup_size(1), features(f16))]
    fn passed(o: &mut [f32]) {
        o[0] = scaled(8.0) as f32;
        o[1] = raised(8.0) as f32;
    }
    crate::expect(&[2.0f32, 5.0], |device, out| passed::launch(device, 1, out));
}
