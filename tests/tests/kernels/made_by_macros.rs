//! Helpers, structs and constants that `macro_rules` make: names that stand in several
//! modules, and expressions that stay whole.

use samebits::prelude::*;

macro_rules! in_modules {
    ($name:ident, $($module:ident = $value:expr),*) => {
        $(mod $module {
            use samebits::prelude::*;

            #[device]
            pub(crate) fn $name(x: u32) -> u32 {
                x + $value
            }
        })*
    };
}

in_modules!(plus, one = 1, two = 2);

macro_rules! doubled {
    ($constant:ident, $structure:ident, $value:expr) => {
        #[device]
        const $constant: usize = $value * 2;

        #[derive(Clone, Copy, Element)]
        #[repr(C)]
        struct $structure {
            b: [u32; $value * 2],
        }
    };
}

doubled!(SIX, Six, 1 + 2);

#[device]
const HIGH: usize = (0xFFu8 << 4) as usize;

/// A test of a length stands before the index that needs it.
#[device]
fn third<const N: usize>(a: [u32; N]) -> u32 {
    if N > 2 { a[2] } else { 0 }
}

#[kernel(workgroup_size(1))]
fn made(v: [u32; 2], six: Six, o: &mut [u32]) {
    o[0] = one::plus(0) * 10 + two::plus(0);
    let mixed = [[1, 2], v];
    o[1] = mixed[1][1];
    let counted = [0u32; SIX];
    o[2] = counted.len() as u32 + SIX as u32 * 100;
    let high = [0u32; HIGH];
    o[3] = high.len() as u32;
    o[4] = third([1, 2]) + third([1, 2, 3]);
    o[5] = six.b.len() as u32 + six.b[5];
}

#[test]
fn names_and_expressions_of_macros_are_kept_apart() {
    for device in crate::devices() {
        let mut o = device.zeros::<u32>(6).unwrap();
        made::launch(device, 1, [5, 6], Six { b: [0, 0, 0, 0, 0, 4] }, &mut o).unwrap();
        crate::same(device, &o, &[12, 6, 606, 240, 3, 10]);
    }
    assert_eq!(SIX, 6);
}

/// A block that a user passes has names of its own, also below `?`.
macro_rules! tried {
    ($name:ident, $body:block) => {
        #[device]
        fn $name() -> Option<u32> {
            let x = 1000u32;
            let _ = x;
            $body
        }
    };
}

tried!(own_name, {
    let x = 1u32;
    let y = Some(x)?;
    Some(y)
});

#[test]
fn names_below_a_question_mark_are_kept_apart() {
    #[kernel(workgroup_size(1))]
    fn ask(o: &mut [u32]) {
        o[0] = own_name().unwrap_or(0);
    }
    for device in crate::devices() {
        let mut o = device.zeros::<u32>(1).unwrap();
        ask::launch(device, 1, &mut o).unwrap();
        crate::same(device, &o, &[1]);
    }
}

/// A text that names a variable of the block, beside one of the macro's of the same name.
macro_rules! asserted {
    ($name:ident, $o:ident, $body:block) => {
        #[kernel(workgroup_size(1))]
        fn $name($o: &mut [u32]) {
            let x = 1000u32;
            let _ = x;
            $o[0] = $body;
        }
    };
}

asserted!(fails, o, {
    let x = o[1] + 1;
    assert!(x == 2, "x is {x}");
    assert_eq!(x, 1, "not {x:>3}");
    x
});

#[test]
fn texts_name_the_variables_of_their_own_block() {
    let device = Device::interpreter();
    let mut o = device.zeros::<u32>(2).unwrap();
    fails::launch(&device, 1, &mut o).unwrap();
    let error = o.read().unwrap_err().to_string();
    assert!(error.contains("x is 1"), "{error}");
}
