//! A private method, and a private function, of another module's struct.
use samebits::prelude::*;

mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Circle {
        pub radius: f32,
    }

    #[device]
    impl Circle {
        fn area(self) -> f32 {
            3.0 * self.radius * self.radius
        }

        fn unit() -> Self {
            Self { radius: 1.0 }
        }

        /// Twice the radius.
        pub fn diameter(self) -> f32 {
            2.0 * self.radius
        }
    }
}

use shapes::Circle;

#[kernel(workgroup_size(1))]
fn method(c: Circle, y: &mut [f32]) {
    y[0] = c.area() + c.diameter();
//~          ^ E0624
}

#[kernel(workgroup_size(1))]
fn function(y: &mut [f32]) {
    y[0] = Circle::unit().radius;
//~                ^ E0624
}

fn main() {}
