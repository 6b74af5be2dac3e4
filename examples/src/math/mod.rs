//! Mathematics for kernels, written as any user of samebits would write it: helpers and
//! structs with methods.
//!
//! All of it is for kernels only: a helper is a type to the host and its methods do not exist
//! there. The structs are ordinary there, with fields and constants, and so can be elements of
//! buffers and arguments of kernels. `saturate`, products of vectors and matrices, and
//! lengths are parts of the language and are not here.
//!
//! Every result has the same bits on every device, since nothing is used but exact and correctly
//! rounded operations, in the order that stands here. Sines and cosines, which kernels lack, are
//! arguments.

mod hash;
mod matrix;
mod quaternion;
mod scalar;
mod vector;

pub use hash::{Pcg32, hash_u32};
pub use matrix::{apply_to_point, rotation, translation};
pub use quaternion::Quat;
pub use scalar::{inverse_lerp, lerp, remap, smoothstep};
pub use vector::{basis, blend, normalize, reflect, refract};
