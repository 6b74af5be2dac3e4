//! Kernels over helpers of two crates, of which only one is named.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

use samebits::prelude::*;
use samebits_tests_b::{self as b, *};

/// What `b` says of a way, whose type is never named.
#[kernel(workgroup_size(1))]
pub fn unnamed(o: &mut [f32]) {
    let mut way = b::step_from(3.0, 4.0);
    o[0] = b::way_length(&way);
    way.ends[1].scale(2.0);
    o[1] = way.ends[1].x + way.ends[1].right().y;
    way.weight += 1;
    o[2] = way_length(&way);
    o[3] = b::mix(1.0, 2.0, way.ends[0].manhattan());
    o[4] = (0.25 * (way.ends[1] + way.ends[1])).x;
}

/// The constants of both crates, by name and through their helpers.
#[kernel(workgroup_size(1))]
pub fn constants(o: &mut [u32]) {
    const BASE: u32 = 5;
    o[0] = ADDED;
    o[1] = b::scaled(2);
    o[2] = b::all::scaled(2);
    o[3] = BASE + b::all::tripled(BASE);
    o[4] = bare::between(1);
    o[5] = grid_sum(4, |x, y| x * 10 + y + BASE);
    b::all::raise(&mut o[6], b::all::total(&[BASE, BASE]));
    o[7] = sum_of(3, |i| i + LANES as u32);
}

/// Sums over workgroups of the other crate's size.
#[kernel(workgroup_size(LANES))]
pub fn sums(x: &[u32], o: &mut [u32]) {
    #[shared]
    let tile: [u32; LANES];
    let rows = [1u32; b::ROWS];
    let i = global_id().x;
    o[i] = b::twice_the_sum(&mut tile, x[i]) * 10 + rows.len() as u32;
}

/// A struct of structs of both crates.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
pub struct Scene {
    /// Of the one that is named.
    pub pairs: [Pair; 2],
    /// Of the other.
    pub way: Way,
}

#[device]
impl Scene {
    /// Advances both.
    pub fn advance(&mut self) -> u32 {
        let first = self.pairs[0].advance(2.0);
        first * 10_000 + self.pairs[1].advance(3.0)
    }
}

/// A kernel of a file that is included, whose names this module imports.
pub mod including {
    use samebits::prelude::*;
    use samebits_tests_b::all::{tripled, tripled as threefold};

    include!("included.in");
}

/// Scenes in a buffer, and one by value.
#[kernel(workgroup_size(1))]
pub fn scenes(other: Scene, all: &mut [Scene], o: &mut [u32]) {
    let i = global_id().x;
    o[2 * i] = all[i].advance();
    let mut own = other;
    own.pairs[i] = Pair::fresh(i as u32);
    o[2 * i + 1] = own.advance();
    all[i].way = b::step_from(own.pairs[0].at.x, i as f32);
}

/// Attributes, visibilities and conditions, which are those of the items that carry them.
pub mod attributes {
    /// What kernels are told.
    #[derive(Clone, Copy, Debug, PartialEq, samebits::Element)]
    #[repr(C)]
    pub struct Params {
        /// What is added.
        pub a: f32,
    }

    /// Never seen outside.
    pub(super) mod inner {
        use super::*;
        use samebits::prelude::*;

        /// Not there, so it may be anything.
        #[cfg(any())]
        #[device]
        fn gone(x: Nope) -> Never {
            x?
        }

        /// One of the two is there.
        #[cfg(not(any()))]
        #[inline]
        #[device]
        pub(in crate::attributes) fn plus(x: f32, y: f32) -> f32 {
            x + y
        }

        #[cfg(any())]
        #[device]
        pub(in crate::attributes) fn plus(x: f32) -> f32 {
            x
        }

        #[cfg(any())]
        #[derive(Clone, Copy, Element)]
        #[element(methods)]
        #[repr(C)]
        struct Gone {
            nothing: (),
        }

        #[cfg(any())]
        #[device]
        impl Gone {
            fn go(&self) {}
        }

        #[cfg(any())]
        #[device]
        const GONE: u32 = "gone";

        #[cfg(any())]
        #[kernel]
        pub fn gone_too(x: Nope) {}

        /// Adds.
        #[allow(unused_variables)]
        #[kernel]
        pub(in crate::attributes) fn add(/* a remark */ p: &[Params], o: &mut [f32]) {
            #[cfg(any())]
            {
                no_such_function();
                let x = NoStruct { y: [0; NO_CONSTANT] };
            }
            #[cfg(not(any()))]
            let k = 1.0;
            #[cfg(any())]
            let k = no_helper(2);
            let i = global_id().x;
            #[allow(clippy::all)]
            {
                o[i] = plus(p[i].a, k);
            }
        }
    }

    /// Calls what only this module sees.
    ///
    /// # Errors
    ///
    /// Those of a launch.
    pub fn go(
        device: &samebits::prelude::Device,
        p: &samebits::prelude::Buffer<Params>,
        o: &mut samebits::prelude::Buffer<f32>,
    ) -> Result<(), samebits::prelude::Error> {
        inner::add::launch(device, o.len(), p, o)
    }
}
