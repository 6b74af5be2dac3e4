//! Names: keywords of shading languages, raw and non-ASCII identifiers, and kernels that
//! macros make.

use samebits::prelude::*;

/// Kernels whose names mean something elsewhere.
mod keywords {
    use samebits::prelude::*;

    macro_rules! named {
        ($($name:ident)*) => { $(
            #[kernel(workgroup_size(1))]
            pub(super) fn $name(texture: &[f32], sampler: u32, storage: &mut [f32]) {
                storage[0] = texture[0] + sampler as f32;
            }
        )* };
    }
    named! { main sin vec4 kernel max r#struct void float4 }
}

#[test]
fn kernels_may_have_any_name() {
    macro_rules! run {
        ($($name:ident)*) => { $(
            crate::expect(&[4.5], |device, out| {
                keywords::$name::launch(device, 1, &device.upload(&[1.5])?, 3, out)
            });
        )* };
    }
    run! { main sin vec4 kernel max r#struct void float4 }
    assert_eq!(keywords::r#struct::KERNEL.name(), "struct");
}

#[test]
fn keywords_of_the_targets_are_names() {
    #[kernel(workgroup_size(1))]
    fn main(texture: &[f32], sampler: u32, storage: &mut [f32]) {
        #[shared]
        let shared: [f32; 2];
        let mut sum = 0.0;
        let filter = 1.0;
        let vec2 = 2.0;
        let array = 3.0;
        let atomic = 4.0;
        let ptr = 5.0;
        let packed = 6.0;
        let uniform = 7.0;
        let workgroup = 8.0;
        let private = 9.0;
        let function = 10.0;
        let var = 11.0;
        let discard = 12.0;
        let switch = 13.0;
        sum += filter
            + vec2
            + array
            + atomic
            + ptr
            + packed
            + uniform
            + workgroup
            + private
            + function
            + var
            + discard
            + switch;
        let float = 1.0;
        let double = 1.0;
        let int = 1.0;
        let unsigned = 1.0;
        let short = 1.0;
        let long = 1.0;
        let signed = 1.0;
        let goto = 1.0;
        let asm = 1.0;
        let inline = 1.0;
        let register = 1.0;
        let template = 1.0;
        let operator = 1.0;
        let class = 1.0;
        let this = 1.0;
        let new = 1.0;
        let delete = 1.0;
        let namespace = 1.0;
        sum += float + double + int + unsigned + short + long + signed + goto + asm + inline;
        sum += register + template + operator + class + this + new + delete + namespace;
        let threadIdx = 1.0;
        let blockIdx = 1.0;
        let warpSize = 1.0;
        let device = 1.0;
        let constant = 1.0;
        let thread = 1.0;
        let kernel = 1.0;
        let assert = 1.0;
        let NULL = 1.0;
        let precision = 1.0;
        let highp = 1.0;
        let smooth = 1.0;
        let flat = 1.0;
        let input = 1.0;
        let output = 1.0;
        sum += threadIdx + blockIdx + warpSize + device + constant + thread + kernel + assert;
        sum += NULL + precision + highp + smooth + flat + input + output;
        let mut buffer = sum;
        buffer += texture[0];
        shared[0] = buffer;
        storage[0] = sum;
        storage[1] = shared[0] + sampler as f32;
        let mut parameters = [1.0, 2.0];
        parameters[0] += 0.5;
        storage[2] = parameters[0];
    }
    crate::expect(&[124.0, 127.5, 1.5], |device, out| main::launch(device, 1, &device.upload(&[1.5])?, 2, out));
}

#[test]
fn raw_and_unicode_identifiers() {
    #[kernel(workgroup_size(1))]
    fn größe(r#type: &[f32], r#loop: u32, 变量: &mut [f32]) {
        let ñ = r#type[0];
        let aé = 1.0;
        let aè = 2.0;
        let é1 = 4.0;
        let a = 8.0;
        变量[0] = ñ + aé + 10.0 * aè + 100.0 * é1 + 1000.0 * a;
        变量[1] = r#loop as f32;
        let r#while = 1.5;
        变量[2] = r#while;
        'é: for _ in 0..3 {
            for j in 0..3 {
                if j == 1 {
                    continue 'é;
                }
                变量[3] += 1.0;
            }
        }
    }
    crate::expect(&[8421.5, 3.0, 1.5, 3.0], |device, out| größe::launch(device, 1, &device.upload(&[0.5])?, 3, out));
    assert_eq!(größe::KERNEL.name(), "größe");
}

#[test]
fn kernels_from_macros() {
    /// An operator as a fragment is in invisible parentheses.
    macro_rules! elementwise {
        ($name:ident, $ty:ty, $value:expr, $condition:expr, $n:literal, |$x:ident| $body:expr) => {
            #[kernel(workgroup_size(4))]
            fn $name($x: &[$ty], out: &mut [$ty]) {
                let at = local_id().x;
                let $x = $x[at];
                if $condition {
                    out[at] = $body * $value;
                }
                let mut fill: [$ty; 2] = [$value; 2];
                fill[0] = $n;
                out[at + 4] = fill[0] + fill[1];
            }
        };
    }
    elementwise!(one, i32, 1 + 2, 5 > 4, 7, |x| x + 1);
    elementwise!(two, u32, 3 + 1, true && !false, 9, |y| y ^ 1);
    elementwise!(three, f32, -1.0 + 3.0, 1 + 1 == 2, 0.5, |z| z - 1.0);
    crate::expect(&[6, 9, 12, 15, 10, 10, 10, 10], |device, out| {
        one::launch(device, 4, &device.upload(&[1, 2, 3, 4])?, out)
    });
    crate::expect(&[0, 12, 8, 20, 13, 13, 13, 13], |device, out| {
        two::launch(device, 4, &device.upload(&[1u32, 2, 3, 4])?, out)
    });
    crate::expect(&[0.0, 2.0, 4.0, 6.0, 2.5, 2.5, 2.5, 2.5], |device, out| {
        three::launch(device, 4, &device.upload(&[1.0, 2.0, 3.0, 4.0])?, out)
    });
}
