//! Variables that CUDA, GLSL and CubeCL have.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    y[threadIdx.x] = 1.0;
//~   ^ V006
    y[ABSOLUTE_POS] = 2.0;
//~   ^ V006
    y[UNIT_POS] = 3.0;
//~   ^ V006
    y[gl_GlobalInvocationID.x] = 4.0;
//~   ^ V006
    let n = warpSize;
//~         ^ V006
}

fn main() {}
