//! A method whose body is wrong, used well.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl Ray {
    fn first(self) -> u32 {
        self.origin.x
//~     ^ V200
    }

    fn set(&self, x: f32) {
        self.origin.x = x;
//~     ^ V005
    }

    fn twice(self) -> f32 {
        2.0 * self.half()
//~                ^ V203
    }
}

#[kernel]
fn k(x: &mut [Ray], y: &mut [f32]) {
    y[0] = x[0].first() as f32;
    x[0].set(2.0);
    y[1] = x[0].twice();
}

fn main() {}
