//! Names of a macro that its caller cannot mean, nor the other way round.
use samebits::prelude::*;

macro_rules! hidden {
    ($name:ident, $e:expr) => {
        #[kernel]
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

macro_rules! looped {
    ($name:ident, $body:block) => {
        #[kernel]
        fn $name(o: &mut [u32]) {
            'a: for i in 0..3u32 {
                o[0] = i;
                $body
            }
        }
    };
}

looped!(label, { break 'a });
//~                    ^ E0426

macro_rules! capital {
    ($name:ident, $e:expr) => {
        #[kernel]
        fn $name(o: &mut [u32]) {
            let SIZE = 5u32;
            o[0] = $e + SIZE;
        }
    };
}

capital!(capital, SIZE);
//~               ^ V006

fn main() {}
