//! Names of a macro that its caller cannot mean, nor the other way round.
use samebits::prelude::*;

macro_rules! hidden {
    ($name:ident, $e:expr) => {
        #[kernel(workgroup_size(1))]
        fn $name(o: &mut [u32]) {
            let secret = 5u32;
            o[0] = $e + secret;
        }
    };
}

hidden!(variable, secret);
//~               ^ E0425

macro_rules! parameter {
    ($name:ident, $x:ident) => {
        #[device]
        fn $name($x: u32) -> u32 {
            x + $x
//~         ^ E0425
        }
    };
}

parameter!(parameter, x);

fn main() {}
