//! Comparisons that are always true or never, statements without effect, and lints that are steered.
#![deny(warnings)]
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn k(n: u32, small: u8, y: &mut [u32]) {
    if n >= 0 {
//~    ^ no code
        y[0] = 1;
    }
    if 0 > n {
//~    ^ no code
        y[1] = 1;
    }
    if small <= 255 {
//~    ^ no code
        y[2] = 1;
    }
    let at = global_id().x as usize;
    while at < 0 {
//~       ^ no code
        y[3] = 1;
    }
    n;
//~ ^ no code
}

macro_rules! made {
    ($name:ident, $n:ident) => {
        #[kernel(workgroup_size(1))]
        fn $name($n: u32, y: &mut [u32]) {
            let inner = 3;
//~             ^ no code
            let n = 4;
//~             ^ no code
            y[0] = $n;
        }
    };
}

made!(of_a_macro, n);

mod inner {
    use samebits::prelude::*;

    #[kernel(workgroup_size(1))]
    #[expect(unused_variables, unused_mut)]
//~   ^ no code
    fn expected(n: u32, y: &mut [u32]) {
        let unread = 3;
        y[0] = n;
    }
}

#[kernel(workgroup_size(1))]
#[allow(unused_variables)]
fn allowed(n: u32, y: &mut [u32]) {
    let unread = 3;
    #[deny(unused_variables)]
    for round in 0..n {
//~     ^ no code
        y[0] = n;
    }
}

fn main() {}
