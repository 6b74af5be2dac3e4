//! Helpers that are called as functions of other languages are, defined, imported and by a path.
use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    #[device]
    pub fn sin(x: f32) -> f32 {
        x - x * x * x / 6.0
    }

    #[device]
    pub fn max(a: f32, b: f32) -> f32 {
        if a > b { a } else { b }
    }

    #[device]
    pub fn vec3(x: f32) -> Vec3<f32> {
        Vec3::splat(x)
    }
}

mod by_a_glob {
    use super::math::*;
    use samebits::prelude::*;

    #[kernel(workgroup_size(1))]
    pub fn k(y: &mut [f32]) {
        y[0] = sin(max(1.0, 2.0)) + vec3(1.0).x;
    }
}

mod by_name {
    use super::math::{max, sin as sine};
    use samebits::prelude::*;

    #[kernel(workgroup_size(1))]
    pub fn k(y: &mut [f32]) {
        y[0] = sine(max(1.0, 2.0));
    }
}

#[device]
fn swap(a: u32, b: u32) -> u32 {
    a ^ b
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [u32], z: &mut [f32]) {
    y[0] = swap(1, 2);
    z[0] = math::sin(1.0);
}

macro_rules! helper {
    ($name:ident) => {
        #[device]
        fn $name(x: f32) -> f32 {
            x
        }
    };
}

helper!(clamp);

#[kernel(workgroup_size(1))]
fn by_a_macro(y: &mut [f32]) {
    y[0] = clamp(1.0);
}

fn main() {}
