//! Helpers over those of another crate, and that crate's own under other names.
//!
//! `samebits` is called `gpu` here, so each attribute says where it is.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

pub use a::shapes::*;
pub use a::{LANES, OFFSET as ADDED, lerp as mix, multiplied, sum_of};

/// All of it again.
pub mod all {
    pub use a::*;
}

use a::{shapes::Point as P, sum_of_group, total};
use gpu::prelude::*;

/// A way whose ends are a step apart.
#[device(crate = gpu)]
pub fn step_from(x: f32, y: f32) -> Way {
    let from = P::new(x, y);
    Way { ends: [from, from.right()], weight: 2 }
}

const BASE: u32 = 1000 + 1;

/// Names of one constant each, here and in the other crate.
#[device(crate = gpu)]
pub fn scaled(x: u32) -> u32 {
    a::scaled(x) + BASE + a::OFFSET
}

/// Sums of sums.
#[device(crate = gpu)]
pub fn grid_sum(n: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    sum_of(n, |y| a::sum_of(y, |x| f(x, y))) + total(&[1, 2, 3])
}

/// Twice the sum over the workgroup.
#[device(crate = gpu)]
pub fn twice_the_sum(tile: &mut [u32; LANES], mine: u32) -> u32 {
    sum_of_group(tile, mine) + sum_of_group(tile, mine)
}

/// A counter and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods, crate = gpu)]
#[repr(C)]
pub struct Pair {
    /// It counts.
    pub counter: Counter,
    /// It stays.
    pub at: Point,
}

#[device(crate = gpu)]
impl Pair {
    /// Counts, and moves.
    pub fn advance(&mut self, by: f32) -> u32 {
        self.at.scale(by);
        self.counter.next() + scaled(1)
    }

    /// A pair from nothing.
    pub fn fresh(n: u32) -> Self {
        Self { counter: Counter::starting(n), at: P::ORIGIN.right() }
    }
}

/// The number of a pair's rows.
#[device(crate = gpu)]
pub const ROWS: usize = LANES / 4;

/// Advances each.
#[kernel(crate = gpu, workgroup_size(LANES))]
pub fn advance_all(by: f32, pairs: &mut [Pair], o: &mut [u32]) {
    let i = global_id().x;
    o[i] = pairs[i].advance(by);
}

/// What can be named without a prelude.
pub mod bare {
    #![no_implicit_prelude]

    /// A helper between others.
    #[::gpu::device(crate = ::gpu)]
    pub fn between(x: u32) -> u32 {
        ::a::scaled(x) * 2 + super::scaled(x)
    }

    /// A struct.
    #[derive(::std::clone::Clone, ::std::marker::Copy, ::gpu::Element)]
    #[element(methods, crate = ::gpu)]
    #[repr(C)]
    pub struct Bare {
        /// A number.
        pub n: u32,
        /// A list.
        pub list: [super::Point; 2],
    }

    #[::gpu::device(crate = ::gpu)]
    impl Bare {
        /// A constant.
        pub const TWO: u32 = 2;

        /// The number and more.
        pub fn more(&self) -> u32 {
            between(self.n) + Self::TWO
        }
    }

    /// Stores all of it.
    #[::gpu::kernel(crate = ::gpu, workgroup_size(1))]
    pub fn store(x: Bare, o: &mut [u32]) {
        o[0] = x.more();
        o[1] = Bare { n: 1, ..x }.more();
    }
}
