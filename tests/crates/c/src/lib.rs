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

/// Scenes in a buffer, and one by value.
#[kernel(workgroup_size(1))]
pub fn scenes(other: Scene, all: &mut [Scene], o: &mut [u32]) {
    let i = global_id().x;
    o[i] = all[i].advance();
    let mut own = other;
    own.pairs[i] = Pair::fresh(i as u32);
    o[i + 2] = own.advance();
    all[i].way = b::step_from(own.pairs[0].at.x, i as f32);
}
