//! Kernels as a user writes them, run on the interpreter and on every GPU device there is.
//!
//! Each has an expected value that was computed by hand or by a twin in plain Rust, and is
//! compared bit for bit. Operands come from buffers, as literals, and one of each, because
//! what is folded at compile time must equal what a device computes.

#[path = "../../../runtime/tests/devices/mod.rs"]
mod devices;

mod arguments;
mod arith;
mod atomic_fields;
mod atomics;
mod barriers;
mod bfloats;
mod bools;
mod casts;
mod characters;
mod checked;
mod chunks;
mod closures;
mod computed_constants;
mod constants;
mod control;
mod conversions;
mod enum_constants;
mod enums;
mod floats;
mod generic_enums;
mod generic_structs;
mod generics;
mod grids;
mod halves;
mod helpers;
mod iterators;
mod kept_iterators;
mod language;
mod large;
mod later_values;
mod literals;
mod long_chains;
mod long_loops;
mod loops;
mod made_by_macros;
mod many_variants;
mod matched_places;
mod mathematics;
mod matrices;
mod memory;
mod methods;
mod methods_of_structs;
mod named_functions;
mod names;
mod number_methods;
mod operators;
mod options;
mod orders;
mod own_memory;
mod partial_subgroups;
mod parts;
mod patterns;
mod references;
mod requires;
mod sizes;
mod slices;
mod spellings;
mod steps;
mod structs;
mod subgroups;
mod tables;
mod traits;
mod uniformity;
mod unroll;
mod untold;
mod usizes;
mod variants;
mod variants_in_scope;
mod vector_methods;
mod vectors;
mod wide_indices;

use samebits::Element;
use samebits::judge::Schedule;
use samebits::prelude::*;
use samebits_tests::engines::in_large_form;
use std::fmt::Debug;
use std::sync::OnceLock;

/// The devices, opened once for all tests, some of them again with all launches large, and the judge in two orders,
/// before which no kernel may have a race.
fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let judges = [Schedule::Reversed, Schedule::Random(1)].map(Device::judge);
        let mut devices = devices::devices();
        let again: Vec<Device> = devices.iter().filter_map(in_large_form).collect();
        devices.extend(again);
        devices.extend(judges);
        devices
    })
}

/// What is compared instead of a value: for floats their bits.
trait Bits: Element + Debug {
    fn bits(self) -> u64;
}

impl Bits for u32 {
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Bits for i32 {
    fn bits(self) -> u64 {
        (self as u32).into()
    }
}

impl Bits for u64 {
    fn bits(self) -> u64 {
        self
    }
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

/// Runs a kernel on each device, on a zeroed output as long as the expected one, and
/// compares.
fn expect<T: Bits>(expected: &[T], run: impl Fn(&Device, &mut Buffer<T>) -> Result<(), Error>) {
    for device in devices() {
        let mut out = device.zeros::<T>(expected.len()).unwrap();
        run(device, &mut out).unwrap();
        same(device, &out, expected);
    }
}

/// Compares what a buffer holds.
fn same<T: Bits>(device: &Device, buffer: &Buffer<T>, expected: &[T]) {
    let found = buffer.read().unwrap();
    assert_eq!(found.len(), expected.len(), "length on {}", device.name());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (f, e) = (found.bits(), expected.bits());
        assert!(f == e, "element {i} on {}: found {found:?} ({f:#x}), expected {expected:?} ({e:#x})", device.name());
    }
}

/// A test of one expression at a table of operands: each row with its operands as
/// literals, from buffers and, of two, one of each.
macro_rules! table {
    ($(#[features($feature:ident)])? $name:ident($a:ident: $ta:ty) -> $out:ty = $body:expr; $($va:expr => $want:expr),+ $(,)?) => {
        #[test]
        fn $name() {
            #[kernel(workgroup_size(1) $(, features($feature))?)]
            #[allow(unused_assignments)]
            fn rows($a: &[$ta], out: &mut [$out]) {
                let mut row = 0;
                $(
                    {
                        let $a: $ta = $va;
                        out[2 * row] = $body;
                    }
                    {
                        let $a = $a[row];
                        out[2 * row + 1] = $body;
                    }
                    row += 1;
                )+
            }
            let a: &[$ta] = &[$($va),+];
            let expected: &[$out] = &[$($want, $want),+];
            crate::expect(expected, |device, out| rows::launch(device, 1, &device.upload(a)?, out));
        }
    };
    ($name:ident($a:ident: $ta:ty, $b:ident: $tb:ty) -> $out:ty = $body:expr; $(($va:expr, $vb:expr) => $want:expr),+ $(,)?) => {
        #[test]
        fn $name() {
            #[kernel(workgroup_size(1))]
            #[allow(unused_assignments)]
            fn rows($a: &[$ta], $b: &[$tb], out: &mut [$out]) {
                let mut row = 0;
                $(
                    {
                        let $a: $ta = $va;
                        let $b: $tb = $vb;
                        out[4 * row] = $body;
                    }
                    {
                        let $a = $a[row];
                        let $b = $b[row];
                        out[4 * row + 1] = $body;
                    }
                    {
                        let $a: $ta = $va;
                        let $b = $b[row];
                        out[4 * row + 2] = $body;
                    }
                    {
                        let $b: $tb = $vb;
                        let $a = $a[row];
                        out[4 * row + 3] = $body;
                    }
                    row += 1;
                )+
            }
            let a: &[$ta] = &[$($va),+];
            let b: &[$tb] = &[$($vb),+];
            let expected: &[$out] = &[$($want, $want, $want, $want),+];
            crate::expect(expected, |device, out| {
                rows::launch(device, 1, &device.upload(a)?, &device.upload(b)?, out)
            });
        }
    };
}
use table;

/// The same code twice, as helpers and a kernel and as plain Rust that rustc compiles: what
/// the kernel stores on every device is what Rust's function does.
///
/// Items are in braces each. The kernel comes last, reads `u32`s and writes `u32`s, and is
/// launched with one invocation. An overflow or an index out of bounds is a panic on the host, so
/// none is relied on.
macro_rules! twins {
    ($name:ident($x:expr); $({ $($item:tt)* })* kernel($input:ident, $output:ident) $body:block) => {
        #[test]
        fn $name() {
            mod on_devices {
                #[allow(unused_imports)]
                use samebits::prelude::*;

                $( crate::twin! { $($item)* } )*

                #[kernel(workgroup_size(1))]
                pub(super) fn twin($input: &[u32], $output: &mut [u32]) $body
            }

            #[allow(unused, clippy::all)]
            mod on_host {
                use samebits::prelude::*;

                $( crate::twin_on_host! { $($item)* } )*

                pub(super) fn twin($input: &[u32], $output: &mut [u32]) $body
            }

            let x: &[u32] = &$x;
            let mut expected = [0u32; 32];
            on_host::twin(x, &mut expected);
            assert!(expected.iter().any(|&value| value != 0), "nothing is tested");
            crate::expect(&expected, |device, out| on_devices::twin::launch(device, 1, &device.upload(x)?, out));
        }
    };
}
use twins;

/// One item of [`twins`] for kernels.
macro_rules! twin {
    (struct $($item:tt)*) => {
        #[derive(Clone, Copy, PartialEq, Element)]
        #[repr(C)]
        struct $($item)*
    };
    (enum $($item:tt)*) => {
        #[derive(Clone, Copy, PartialEq, Element)]
        #[repr(u32)]
        enum $($item)*
    };
    (with_methods struct $($item:tt)*) => {
        #[derive(Clone, Copy, PartialEq, Element)]
        #[element(methods)]
        #[repr(C)]
        struct $($item)*
    };
    ($($item:tt)*) => {
        #[device]
        $($item)*
    };
}
use twin;

/// One item of [`twins`] as rustc compiles it.
macro_rules! twin_on_host {
    (enum $($item:tt)*) => {
        #[derive(Clone, Copy, PartialEq)]
        #[repr(u32)]
        enum $($item)*
    };
    ($(with_methods)? struct $($item:tt)*) => {
        #[derive(Clone, Copy, PartialEq)]
        struct $($item)*
    };
    ($($item:tt)*) => { $($item)* };
}
use twin_on_host;
