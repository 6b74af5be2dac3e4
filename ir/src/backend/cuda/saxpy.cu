// Compile with -ftz=false -prec-div=true -prec-sqrt=true -fmad=false: subnormals are kept, nothing is contracted.
typedef unsigned int sb_u32;
typedef unsigned long long sb_u64;

static __device__ __forceinline__ sb_u32 sb_canonical_f32(sb_u32 a) {
    return (a & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : a;
}

extern "C" __global__ void __launch_bounds__(256) kernel_saxpy(
    const sb_u32* __restrict__ b1_x,
    sb_u32 n1_x,
    sb_u32* b2_y,
    sb_u32 n2_y,
    sb_u32 p0_a,
    sb_u32 groups_x,
    sb_u32 groups_y,
    sb_u32 groups_z)
{
    sb_u32 group_x = blockIdx.x, group_y = blockIdx.y, group_z = blockIdx.z;
    if (gridDim.x != groups_x || gridDim.y != groups_y || gridDim.z != groups_z) {
        const sb_u64 row = group_y + (sb_u64)gridDim.y * group_z;
        sb_u64 linear = group_x + gridDim.x * row;
        if (linear >= (sb_u64)groups_x * groups_y * groups_z) return;
        group_x = (sb_u32)(linear % groups_x);
        linear /= groups_x;
        group_y = (sb_u32)(linear % groups_y);
        group_z = (sb_u32)(linear / groups_y);
    }
    const sb_u32 v1_i = group_x * 256u + threadIdx.x;
    const bool v3 = v1_i < n2_y;
    if (v3) {
        sb_u32 v4 = 0u;
        if (v1_i < n1_x) {
            v4 = b1_x[v1_i];
        }
        const sb_u32 v5 = __float_as_uint(__fmul_rn(__uint_as_float(p0_a), __uint_as_float(v4)));
        sb_u32 v6 = 0u;
        {
            v6 = b2_y[v1_i];
        }
        const sb_u32 v7 = sb_canonical_f32(__float_as_uint(__fadd_rn(__uint_as_float(v5), __uint_as_float(v6))));
        {
            b2_y[v1_i] = v7;
        }
    }
    return;
}
