//! Kernels on the ranks of an MPI cluster: a wave on a membrane whose rows are split, bodies that attract each other, and
//! the product of two matrices. The bytes of a result are those of one device, whatever the number of ranks and whatever
//! device each of them has.
//!
//! That takes two things. A kernel gives the same bits on every device, which samebits sees to. And no sum may depend on
//! which rank computes what, or on whose message comes first, which these programs see to: each number is a sum in an
//! order that its place in the whole problem determines.

pub mod bodies;
pub mod product;
pub mod ranks;
pub mod wave;

/// A number of at least -1 and less than 1 for a place in a problem, so that each rank makes its own part of the input.
///
/// ```
/// assert_eq!(samebits_cluster::number(1, 7), samebits_cluster::number(1, 7));
/// assert!((-1.0..1.0).contains(&samebits_cluster::number(2, 0)));
/// ```
pub fn number(seed: u32, place: usize) -> f32 {
    let mut state = (place as u32).wrapping_mul(0x9e37_79b9) ^ seed;
    for _ in 0..2 {
        state = (state ^ (state >> 16)).wrapping_mul(0x85eb_ca6b);
    }
    (state >> 8) as f32 / 8_388_608.0 - 1.0
}
