//! Functions that CUDA, GLSL, WGSL and CubeCL have, under the names that they have there.
use samebits::prelude::*;

#[kernel]
fn k(v: f32, x: &[u32], c: &[Atomic<u32>], y: &mut [f32]) {
    __syncthreads();
//~ ^ V016
    workgroupBarrier();
//~ ^ V016
    sync_cube();
//~ ^ V016
    atomicAdd(&c[0], 1);
//~ ^ V016
    let i = get_global_id(0);
//~         ^ V016
    let t = thread_idx_x();
//~         ^ V016
    let s = subgroupAdd(x[0]);
//~         ^ V016
    let w = warp_sum(x[0]);
//~         ^ V016
    let d = __shfl_down_sync(0xffff_ffff, x[0], 1);
//~         ^ V016
    let n = arrayLength(&x);
//~         ^ V016
    let a = vec3(1.0, 2.0, v);
//~         ^ V016
    let b = float4(1.0, 2.0, v, v);
//~         ^ V016
    let p = __popc(x[0] + 1);
//~         ^ V016
}

fn main() {}
