//! Two implementations of one struct.
mod inner {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
//~                       ^ E0252
    #[element(methods)]
    #[repr(C)]
    struct Ray {
        origin: Vec3<f32>,
    }

    #[device]
    impl Ray {
        fn first(self) -> f32 {
            self.origin.x
        }
    }

    #[device]
//~ ^ E0119
    impl Ray {
        fn second(self) -> f32 {
            self.origin.y
        }
    }

    #[kernel]
    fn k(x: &[Ray], y: &mut [f32]) {
        y[0] = x[0].first() + x[0].second();
//~                 ^ V203
    }
}

fn main() {}
