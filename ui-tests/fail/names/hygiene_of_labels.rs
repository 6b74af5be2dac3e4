//! A label of a macro that its caller cannot name, and a constant of the caller's called like a variable of the macro.
use samebits::prelude::*;

macro_rules! looped {
    ($name:ident, $body:block) => {
        #[kernel(workgroup_size(1))]
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
        #[kernel(workgroup_size(1))]
        fn $name(o: &mut [u32]) {
            let SIZE = 5u32;
            o[0] = $e + SIZE;
        }
    };
}

capital!(capital, SIZE);
//~               ^ V006

fn main() {}
