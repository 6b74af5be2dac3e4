//! Helpers, structs, methods and kernels that `macro_rules!` makes, with names from its caller.
#![deny(warnings)]
use samebits::prelude::*;

macro_rules! power {
    ($name:ident, $ty:ty, |$x:ident| $body:expr) => {
        #[device]
        fn $name($x: $ty) -> $ty {
            $body
        }
    };
}

power!(square, f32, |x| x * x);
power!(fourth, f32, |x| square(square(x)));

macro_rules! pair {
    ($name:ident { $($field:ident: $ty:ty),* }, $sum:ident) => {
        #[derive(Clone, Copy, Element)]
        #[element(methods)]
        #[repr(C)]
        struct $name {
            $($field: $ty),*
        }

        #[device]
        impl $name {
            fn $sum(self) -> f32 {
                let mut sum = 0.0;
                $(sum += self.$field;)*
                sum
            }
        }
    };
}

pair!(Pair { a: f32, b: f32 }, total);
pair!(Triple { a: f32, b: f32, c: f32 }, total);

macro_rules! store {
    ($name:ident, $ty:ident, $function:ident) => {
        #[kernel(workgroup_size(1))]
        fn $name(p: $ty, y: &mut [f32]) {
            y[0] = $function(p.total());
        }
    };
}

store!(pairs, Pair, square);
store!(triples, Triple, fourth);

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    pairs::launch(&device, 1, Pair { a: 1.0, b: 2.0 }, &mut y)?;
    assert_eq!(y.read()?, [9.0]);
    triples::launch(&device, 1, Triple { a: 1.0, b: 0.5, c: 0.5 }, &mut y)?;
    assert_eq!(y.read()?, [16.0]);
    Ok(())
}
