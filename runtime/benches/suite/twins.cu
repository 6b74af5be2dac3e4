// The suite's kernels in CUDA C++, with the same workgroups and tiles, as a table of microseconds.
//
//     nvcc -O3 -arch=sm_90 -fmad=false -o twins twins.cu && ./twins [NAME…] > twins.txt
//
// A product and a sum are one operation only where the kernel says `mul_add`, which is `fmaf` here;
// division and square roots are rounded correctly. So these are twins of the strict kernels. With
// `-fmad=true --use_fast_math` instead, they are twins of those under `fast_math`.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

typedef unsigned int u32;

__global__ void saxpy(float a, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}

__global__ void saxpy_vec4(float a, const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ out,
                           u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        out[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    }
}

__global__ void saxpy_f64(double a, const double* __restrict__ x, const double* __restrict__ y, double* __restrict__ out,
                          u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}

template <class T> __device__ void tree(T sum, T* sums) {
    __shared__ T tile[256];
    u32 lane = threadIdx.x;
    tile[lane] = sum;
    __syncthreads();
    for (u32 half = 128; half > 0; half /= 2) {
        if (lane < half) tile[lane] += tile[lane + half];
        __syncthreads();
    }
    if (lane == 0) sums[blockIdx.x] = tile[0];
}

__global__ void reduce(const float* __restrict__ x, float* __restrict__ sums, u32 n) {
    float sum = 0;
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
    tree(sum, sums);
}

__global__ void dot_f64(const double* __restrict__ x, const double* __restrict__ y, double* __restrict__ sums, u32 n) {
    double sum = 0;
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum = fma(x[i], y[i], sum);
    tree(sum, sums);
}

__global__ void mandelbrot(u32 width, float left, float top, float step, u32* __restrict__ steps) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float re = left + x * step, im = top - y * step, zr = 0, zi = 0;
    u32 n = 0;
    while (n < 1024) {
        float rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4.0f) break;
        zi = 2.0f * zr * zi + im;
        zr = rr - ii + re;
        n++;
    }
    if (x < width) steps[y * width + x] = n;
}

__global__ void mandelbrot_fma(u32 width, float left, float top, float step, u32* __restrict__ steps) {
    u32 x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float re = x * step + left, im = top - y * step, zr = 0, zi = 0;
    u32 n = 0;
    while (n < 1024) {
        float ii = zi * zi;
        if (fmaf(zr, zr, ii) > 4.0f) break;
        zi = fmaf(zr + zr, zi, im);
        zr = fmaf(zr, zr, re - ii);
        n++;
    }
    if (x < width) steps[y * width + x] = n;
}

__global__ void nbody(const float4* __restrict__ bodies, float4* __restrict__ out, u32 n) {
    __shared__ float4 tile[256];
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (u32 t = 0; t < n / 256; t++) {
        tile[threadIdx.x] = bodies[t * 256 + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (u32 j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.0001f)));
            float inverse = 1.0f / sqrtf(square);
            float pull = other.w * inverse * inverse * inverse;
            x = fmaf(dx, pull, x);
            y = fmaf(dy, pull, y);
            z = fmaf(dz, pull, z);
        }
        __syncthreads();
    }
    out[i] = make_float4(x, y, z, 0);
}

__global__ void spmv(const u32* __restrict__ starts, const u32* __restrict__ columns, const float* __restrict__ values,
                     const float* __restrict__ x, float* __restrict__ y, u32 rows) {
    u32 row = blockIdx.x * 256 + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (u32 k = starts[row]; k < starts[row + 1]; k++) sum = fmaf(values[k], x[columns[k]], sum);
        y[row] = sum;
    }
}

template <u32 W> __global__ void jacobi2d(const float* __restrict__ x, float* __restrict__ out) {
    u32 i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i > 0 && i < W - 1 && j > 0 && j < W - 1) {
        u32 at = j * W + i;
        out[at] = ((x[at - 1] + x[at + 1]) + (x[at - W] + x[at + W])) * 0.25f;
    }
}

template <u32 W> __global__ void jacobi3d(const float* __restrict__ x, float* __restrict__ out) {
    u32 i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z * 2 + threadIdx.z;
    if (i > 0 && i < W - 1 && j > 0 && j < W - 1 && k > 0 && k < W - 1) {
        u32 at = (k * W + j) * W + i;
        float near = (x[at - 1] + x[at + 1]) + (x[at - W] + x[at + W]) + (x[at - W * W] + x[at + W * W]);
        out[at] = fmaf(x[at], 0.4f, near * 0.1f);
    }
}

template <u32 W>
__global__ void convolution(const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ out) {
    u32 i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    if (i > 0 && i < W - 1 && j > 0 && j < W - 1) {
        u32 first = (j - 1) * W + (i - 1);
        float sum = x[first] * weights[0];
#pragma unroll
        for (u32 k = 1; k < 9; k++) sum = fmaf(x[first + k / 3 * W + k % 3], weights[k], sum);
        out[j * W + i] = sum;
    }
}

template <bool FUSED> __device__ float add_product(float a, float b, float sum) {
    return FUSED ? fmaf(a, b, sum) : a * b + sum;
}

template <bool FUSED> __device__ void add_products(float4 v, float factor, float4& sum) {
    sum.x = add_product<FUSED>(v.x, factor, sum.x);
    sum.y = add_product<FUSED>(v.y, factor, sum.y);
    sum.z = add_product<FUSED>(v.z, factor, sum.z);
    sum.w = add_product<FUSED>(v.w, factor, sum.w);
}

template <u32 N, bool FUSED>
__global__ void sgemm_64(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c) {
    const u32 ROW = N / 4;
    __shared__ float left[1024];
    __shared__ float4 right[256];
    u32 x = threadIdx.x, y = threadIdx.y, i = y * 16 + x, row = blockIdx.y * 64, column = blockIdx.x * 16;
    float4 sums[4] = {};
    for (u32 step = 0; step < ROW / 4; step++) {
        float4 v = a[(row + i / 4) * ROW + step * 4 + i % 4];
        left[i % 4 * 256 + i / 4] = v.x;
        left[i % 4 * 256 + 64 + i / 4] = v.y;
        left[i % 4 * 256 + 128 + i / 4] = v.z;
        left[i % 4 * 256 + 192 + i / 4] = v.w;
        right[i] = b[(step * 16 + i / 16) * ROW + column + i % 16];
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < 16; k++) {
            float4 v = right[k * 16 + x];
            float4 f = *(float4*)&left[k * 64 + y * 4];
            add_products<FUSED>(v, f.x, sums[0]);
            add_products<FUSED>(v, f.y, sums[1]);
            add_products<FUSED>(v, f.z, sums[2]);
            add_products<FUSED>(v, f.w, sums[3]);
        }
        __syncthreads();
    }
    for (u32 r = 0; r < 4; r++) c[(row + y * 4 + r) * ROW + column + x] = sums[r];
}

// A tile of 128 × 128 × 8; `QUADS` times 4 rows and 8 columns an invocation.
template <u32 N, u32 QUADS>
__global__ void sgemm_128(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c) {
    const u32 ROW = N / 4, THREADS = 512 / QUADS, LOADS = 256 / THREADS, APART = 128 / QUADS;
    __shared__ float left[1024];
    __shared__ float4 right[256];
    u32 i = threadIdx.x, x = i / 32 % 2 * 8 + i % 8, y = i / 64 * 4 + i % 32 / 8;
    u32 row = blockIdx.y * 128, column = blockIdx.x * 32;
    float4 sums[QUADS * 8] = {}, next_left[LOADS], next_right[LOADS];
#pragma unroll
    for (u32 e = 0; e < LOADS; e++) {
        next_left[e] = a[(row + e * THREADS / 2 + i / 2) * ROW + i % 2];
        next_right[e] = b[(e * THREADS / 32 + i / 32) * ROW + column + i % 32];
    }
    for (u32 step = 0; step < ROW / 2; step++) {
#pragma unroll
        for (u32 e = 0; e < LOADS; e++) {
            u32 at = i % 2 * 512 + e * THREADS / 2 + i / 2;
            left[at] = next_left[e].x;
            left[at + 128] = next_left[e].y;
            left[at + 256] = next_left[e].z;
            left[at + 384] = next_left[e].w;
            right[e * THREADS + i] = next_right[e];
        }
        __syncthreads();
        if (step + 1 < ROW / 2) {
#pragma unroll
            for (u32 e = 0; e < LOADS; e++) {
                next_left[e] = a[(row + e * THREADS / 2 + i / 2) * ROW + (step + 1) * 2 + i % 2];
                next_right[e] = b[((step + 1) * 8 + e * THREADS / 32 + i / 32) * ROW + column + i % 32];
            }
        }
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            float4 near = right[k * 32 + x], far = right[k * 32 + 16 + x];
#pragma unroll
            for (u32 q = 0; q < QUADS; q++) {
                float4 f = *(float4*)&left[k * 128 + q * APART + y * 4];
                const float factors[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
                for (u32 r = 0; r < 4; r++) {
                    add_products<true>(near, factors[r], sums[(q * 4 + r) * 2]);
                    add_products<true>(far, factors[r], sums[(q * 4 + r) * 2 + 1]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 r = 0; r < QUADS * 4; r++) {
        u32 at = (row + r / 4 * APART + y * 4 + r % 4) * ROW + column + x;
        c[at] = sums[r * 2];
        c[at + 16] = sums[r * 2 + 1];
    }
}

template <u32 N>
__global__ void sgemm_tile(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float left[32][32], right[32][32];
    u32 x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 32 + x, j = blockIdx.y * 32 + y;
    float sum = 0;
    for (u32 step = 0; step < N / 32; step++) {
        left[y][x] = a[j * N + step * 32 + x];
        right[y][x] = b[(step * 32 + y) * N + i];
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < 32; k++) sum = fmaf(left[y][k], right[k][x], sum);
        __syncthreads();
    }
    c[j * N + i] = sum;
}

template <u32 N>
__global__ void dgemm(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c) {
    __shared__ double left[1024], right[1024];
    u32 x = threadIdx.x, y = threadIdx.y, i = y * 16 + x, row = blockIdx.y * 64, column = blockIdx.x * 64;
    double sums[16] = {};
    for (u32 step = 0; step < N / 16; step++) {
#pragma unroll
        for (u32 e = 0; e < 4; e++) {
            left[i % 16 * 64 + e * 16 + i / 16] = a[(row + e * 16 + i / 16) * N + step * 16 + i % 16];
            right[e * 256 + i] = b[(step * 16 + e * 4 + i / 64) * N + column + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < 16; k++)
#pragma unroll
            for (u32 r = 0; r < 4; r++)
#pragma unroll
                for (u32 q = 0; q < 4; q++)
                    sums[r * 4 + q] = fma(left[k * 64 + r * 16 + y], right[k * 64 + q * 16 + x], sums[r * 4 + q]);
        __syncthreads();
    }
#pragma unroll
    for (u32 r = 0; r < 4; r++)
#pragma unroll
        for (u32 q = 0; q < 4; q++) c[(row + r * 16 + y) * N + column + q * 16 + x] = sums[r * 4 + q];
}

__global__ void copy(const float* __restrict__ x, float* __restrict__ out, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = x[i];
}

// A function of each number, and sixteen times one after the other.
#define FUNCTION(NAME, VALUE, NEXT)                                                        \
    __global__ void NAME(const float* __restrict__ from, float* __restrict__ out, u32 n) { \
        u32 i = blockIdx.x * 256 + threadIdx.x;                                            \
        if (i < n) {                                                                       \
            float x = from[i] * 10.0f;                                                     \
            out[i] = VALUE;                                                                \
        }                                                                                  \
    }                                                                                      \
    __global__ void NAME##_chain(const float* __restrict__ from, float* __restrict__ out, u32 n) { \
        u32 i = blockIdx.x * 256 + threadIdx.x;                                            \
        if (i < n) {                                                                       \
            float x = from[i] * 10.0f;                                                     \
            _Pragma("unroll 1") for (u32 k = 0; k < 16; k++) x = NEXT;                     \
            out[i] = x;                                                                    \
        }                                                                                  \
    }
FUNCTION(of_exp, expf(x), expf(-x))
FUNCTION(of_ln, logf(fabsf(x)), logf(fabsf(x)) + 1.5f)
FUNCTION(of_sin, sinf(x), sinf(x) + 0.5f)
FUNCTION(of_cos, cosf(x), cosf(x) + 0.5f)

// A scan: sums of tiles of 1024 words, their scan by the same kernels, and the scan of each tile.
__device__ u32 warp_scan(u32 x) {
#pragma unroll
    for (u32 apart = 1; apart < 32; apart *= 2) {
        u32 below = __shfl_up_sync(~0u, x, apart);
        if ((threadIdx.x & 31) >= apart) x += below;
    }
    return x;
}

__global__ void tile_sums(const uint4* __restrict__ x, u32* __restrict__ sums, u32 n) {
    __shared__ u32 parts[8];
    u32 i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x;
    uint4 v = i < n ? x[i] : make_uint4(0, 0, 0, 0);
    u32 sum = __reduce_add_sync(~0u, v.x + v.y + v.z + v.w);
    if (lane % 32 == 0) parts[lane / 32] = sum;
    __syncthreads();
    if (lane == 0) {
        u32 all = 0;
        for (u32 part : parts) all += part;
        sums[blockIdx.x] = all;
    }
}

__global__ void tile_scans(const uint4* __restrict__ x, const u32* __restrict__ before, uint4* __restrict__ y, u32 n) {
    __shared__ u32 parts[8];
    u32 i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x;
    uint4 v = i < n ? x[i] : make_uint4(0, 0, 0, 0);
    u32 xy = v.x + v.y, xyz = xy + v.z, sum = warp_scan(xyz + v.w);
    if (lane % 32 == 31) parts[lane / 32] = sum;
    __syncthreads();
    u32 base = blockIdx.x ? before[blockIdx.x - 1] : 0;
    for (u32 part = 0; part < 7; part++) base += part < lane / 32 ? parts[part] : 0;
    base += sum - (xyz + v.w);
    if (i < n) y[i] = make_uint4(base + v.x, base + xy, base + xyz, base + xyz + v.w);
}

__global__ void histogram(const u32* __restrict__ x, u32* __restrict__ bins, u32 n) {
    __shared__ u32 counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        u32 word = x[i];
        atomicAdd(&counts[word & 255], 1);
        atomicAdd(&counts[word >> 8 & 255], 1);
        atomicAdd(&counts[word >> 16 & 255], 1);
        atomicAdd(&counts[word >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

__global__ void transpose(u32 n, const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[32][33];
    u32 column = threadIdx.x, row = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (u32 k = 0; k < 4; k++)
        if (left + column < n && top + row + 8 * k < n)
            tile[row + 8 * k][column] = x[(top + row + 8 * k) * n + left + column];
    __syncthreads();
    for (u32 k = 0; k < 4; k++)
        if (top + column < n && left + row + 8 * k < n)
            y[(left + row + 8 * k) * n + top + column] = tile[column][row + 8 * k];
}

__global__ void murmur3(const u32* __restrict__ keys, u32* __restrict__ hashes, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        u32 h = keys[i];
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        hashes[i] = h ^ h >> 16;
    }
}

__constant__ u32 ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};
struct Hash { u32 words[8]; };
struct Message { u32 words[16]; };

__device__ u32 turned(u32 x, u32 by) { return __funnelshift_r(x, x, by); }

__global__ void sha256(Hash hash, const Message* __restrict__ messages, Hash* __restrict__ hashes, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    u32 w[16];
#pragma unroll
    for (u32 k = 0; k < 16; k++) w[k] = messages[i].words[k];
#pragma unroll 1
    for (u32 block = 0; block < 2; block++) {
        u32 s[8];
#pragma unroll
        for (u32 k = 0; k < 8; k++) s[k] = hash.words[k];
#pragma unroll
        for (u32 k = 0; k < 64; k++) {
            if (k >= 16) {
                u32 a = w[(k + 1) % 16], b = w[(k + 14) % 16];
                u32 low = turned(a, 7) ^ turned(a, 18) ^ a >> 3, high = turned(b, 17) ^ turned(b, 19) ^ b >> 10;
                w[k % 16] += low + w[(k + 9) % 16] + high;
            }
            u32 e = s[4], a = s[0];
            u32 first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + ROUND[k] + w[k % 16];
            u32 second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + first, s[3] = s[2], s[2] = s[1], s[1] = s[0];
            s[0] = first + second;
        }
#pragma unroll
        for (u32 k = 0; k < 8; k++) hash.words[k] += s[k];
        if (block == 0) {
            w[0] = 0x80000000u, w[15] = 512;
#pragma unroll
            for (u32 k = 1; k < 15; k++) w[k] = 0;
        }
    }
    hashes[i] = hash;
}

// A bitonic sort: runs of 256 keys within blocks, steps across the grid, and the last steps of a run within blocks.
__device__ void exchange(u32* tile, u32 lane, u32 step, bool up) {
    u32 other = lane ^ step;
    if (other > lane) {
        u32 a = tile[lane], b = tile[other];
        if ((a > b) == up) tile[lane] = b, tile[other] = a;
    }
    __syncthreads();
}

__global__ void sort_runs(u32* __restrict__ y) {
    __shared__ u32 tile[256];
    u32 i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x;
    tile[lane] = y[i];
    __syncthreads();
    for (u32 run = 2; run <= 256; run *= 2)
        for (u32 step = run / 2; step > 0; step /= 2) exchange(tile, lane, step, (i & run) == 0);
    y[i] = tile[lane];
}

__global__ void sort_across(u32 run, u32 step, u32* __restrict__ y) {
    u32 i = blockIdx.x * 256 + threadIdx.x, other = i ^ step;
    if (other > i) {
        u32 a = y[i], b = y[other];
        if ((a > b) == ((i & run) == 0)) y[i] = b, y[other] = a;
    }
}

__global__ void sort_within(u32 run, u32* __restrict__ y) {
    __shared__ u32 tile[256];
    u32 i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x;
    tile[lane] = y[i];
    __syncthreads();
    for (u32 step = 128; step > 0; step /= 2) exchange(tile, lane, step, (i & run) == 0);
    y[i] = tile[lane];
}

char** wanted;

// Numbers from -1 to 1, as the suite's.
template <class T> T* numbers(size_t n, u32 seed) {
    std::vector<T> host(n);
    u32 state = seed * 0x9e3779b9u | 1;
    for (auto& x : host) {
        state = state * 1664525u + 1013904223u;
        x = (T)((float)(state >> 8) / (1 << 23) - 1.0f);
    }
    T* device;
    cudaMalloc(&device, n * sizeof(T));
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

// The median turn of some, each of many runs.
template <class F> void time_of(const char* name, F run) {
    bool asked = !*wanted;
    for (char** part = wanted; *part; part++) asked |= strstr(name, *part) != nullptr;
    if (!asked) return;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    auto turn = [&](int times) {
        cudaEventRecord(begin);
        for (int i = 0; i < times; i++) run();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        return ms / times;
    };
    turn(1);
    int times = std::min(200, std::max(1, (int)(20 / turn(1))));
    std::vector<float> turns;
    for (int i = 0; i < 9; i++) turns.push_back(turn(times));
    std::sort(turns.begin(), turns.end());
    printf("%s %.2f\n", name, turns[4] * 1e3);
    if (cudaError_t error = cudaGetLastError()) fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(error));
}

int main(int, char** arguments) {
    wanted = arguments + 1;
    {
        const u32 N = 4096;
        float *a = numbers<float>(N * N, 1), *b = numbers<float>(N * N, 2), *c = numbers<float>(N * N, 3);
        float4 *va = (float4*)a, *vb = (float4*)b, *vc = (float4*)c;
        time_of("sgemm_64", [&] { sgemm_64<N, true><<<dim3(N / 64, N / 64), dim3(16, 16)>>>(va, vb, vc); });
        time_of("sgemm_128", [&] { sgemm_128<N, 2><<<dim3(N / 128, N / 128), 256>>>(va, vb, vc); });
        time_of("sgemm_128_deep", [&] { sgemm_128<N, 4><<<dim3(N / 128, N / 128), 128>>>(va, vb, vc); });
        time_of("sgemm_64_unfused", [&] { sgemm_64<N, false><<<dim3(N / 64, N / 64), dim3(16, 16)>>>(va, vb, vc); });
        time_of("sgemm_tile", [&] { sgemm_tile<N><<<dim3(N / 32, N / 32), dim3(32, 32)>>>(a, b, c); });
        u32* steps = (u32*)c;
        const float pixel = 2.5f / N;
        dim3 grid(N / 16, N / 16), block(16, 16);
        time_of("mandelbrot", [&] { mandelbrot<<<grid, block>>>(N, -2.0f, 1.25f, pixel, steps); });
        time_of("mandelbrot_fma", [&] { mandelbrot_fma<<<grid, block>>>(N, -2.0f, 1.25f, pixel, steps); });
        cudaFree(a), cudaFree(b), cudaFree(c);
    }
    {
        const u32 N = 16384, WIDE = 8192, EDGE = 512;
        float *x = numbers<float>(N * N, 1), *out = numbers<float>(N * N, 2), *weights = numbers<float>(9, 3);
        time_of("convolution",
                [&] { convolution<WIDE><<<dim3(WIDE / 32, WIDE / 8), dim3(32, 8)>>>(weights, x, out); });
        time_of("jacobi2d", [&] { jacobi2d<N><<<dim3(N / 32, N / 8), dim3(32, 8)>>>(x, out); });
        time_of("jacobi3d",
                [&] { jacobi3d<EDGE><<<dim3(EDGE / 32, EDGE / 4, EDGE / 2), dim3(32, 4, 2)>>>(x, out); });
        time_of("reduce", [&] {
            reduce<<<2048, 256>>>(x, out, 1u << 28);
            reduce<<<1, 256>>>(out, out + 4096, 2048);
        });
        cudaFree(x), cudaFree(out), cudaFree(weights);
    }
    {
        const u32 ROWS = 1 << 22, ROW = 16;
        std::vector<u32> starts(ROWS + 1), columns(ROWS * ROW);
        for (u32 row = 0; row <= ROWS; row++) starts[row] = row * ROW;
        for (u32 k = 0; k < ROWS * ROW; k++) columns[k] = (k / ROW + (k * 0x9e3779b1u >> 7) % 4096) % ROWS;
        float *values = numbers<float>(ROWS * ROW, 1), *x = numbers<float>(ROWS, 2), *y = numbers<float>(ROWS, 3);
        u32 *row_starts, *column_of;
        cudaMalloc(&row_starts, starts.size() * 4);
        cudaMalloc(&column_of, columns.size() * 4);
        cudaMemcpy(row_starts, starts.data(), starts.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(column_of, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice);
        time_of("spmv", [&] { spmv<<<ROWS / 256, 256>>>(row_starts, column_of, values, x, y, ROWS); });
        cudaFree(values), cudaFree(x), cudaFree(y), cudaFree(row_starts), cudaFree(column_of);
    }
    {
        const u32 N = 1 << 26;
        float *x = numbers<float>(N, 1), *y = numbers<float>(N, 2), *out = numbers<float>(N, 3);
        time_of("saxpy", [&] { saxpy<<<N / 256, 256>>>(1.5f, x, y, out, N); });
        time_of("saxpy_vec4",
                [&] { saxpy_vec4<<<N / 1024, 256>>>(1.5f, (float4*)x, (float4*)y, (float4*)out, N / 4); });
        time_of("copy", [&] { copy<<<N / 256, 256>>>(x, out, N); });
        time_of("exp", [&] { of_exp<<<N / 256, 256>>>(x, out, N); });
        time_of("ln", [&] { of_ln<<<N / 256, 256>>>(x, out, N); });
        time_of("sin", [&] { of_sin<<<N / 256, 256>>>(x, out, N); });
        time_of("cos", [&] { of_cos<<<N / 256, 256>>>(x, out, N); });
        time_of("exp_chain", [&] { of_exp_chain<<<N / 256, 256>>>(x, out, N); });
        time_of("ln_chain", [&] { of_ln_chain<<<N / 256, 256>>>(x, out, N); });
        time_of("sin_chain", [&] { of_sin_chain<<<N / 256, 256>>>(x, out, N); });
        time_of("cos_chain", [&] { of_cos_chain<<<N / 256, 256>>>(x, out, N); });
        time_of("nbody", [&] { nbody<<<65536 / 256, 256>>>((float4*)x, (float4*)out, 65536); });
        cudaFree(x), cudaFree(y), cudaFree(out);
    }
    {
        const u32 N = 1 << 26, SIDE = 1024;
        double *x = numbers<double>(N, 1), *y = numbers<double>(N, 2), *out = numbers<double>(N, 3);
        time_of("saxpy_f64", [&] { saxpy_f64<<<N / 512, 256>>>(1.5, x, y, out, N / 2); });
        time_of("dot_f64", [&] {
            dot_f64<<<2048, 256>>>(x, y, out, N);
            dot_f64<<<1, 256>>>(out, x, out + 4096, 2048);
        });
        time_of("dgemm", [&] { dgemm<SIDE><<<dim3(SIDE / 64, SIDE / 64), dim3(16, 16)>>>(x, y, out); });
    }
    {
        const u32 SCANNED = 1 << 27, BYTES = 1 << 26, SIDE = 8192, KEYS = 1 << 28, MESSAGES = 1 << 22, SORTED = 1 << 22;
        u32 *x = (u32*)numbers<float>(KEYS, 1), *y = (u32*)numbers<float>(KEYS, 2), *sums[3], *scans[3];
        u32 tiles[3] = {SCANNED / 1024, SCANNED / 1024 / 1024, 1};
        for (u32 level = 0; level < 3; level++) {
            cudaMalloc(&sums[level], tiles[level] * 4 + 16);
            cudaMalloc(&scans[level], tiles[level] * 4 + 16);
        }
        // Bytes of all values.
        murmur3<<<KEYS / 256, 256>>>(x, y, KEYS);
        std::swap(x, y);
        time_of("scan", [&] {
            tile_sums<<<tiles[0], 256>>>((uint4*)x, sums[0], SCANNED / 4);
            for (u32 level = 1; level < 3; level++)
                tile_sums<<<tiles[level], 256>>>((uint4*)sums[level - 1], sums[level], tiles[level - 1] / 4);
            for (u32 level = 2; level-- > 0;)
                tile_scans<<<tiles[level + 1], 256>>>((uint4*)sums[level], scans[level + 1], (uint4*)scans[level], tiles[level] / 4);
            tile_scans<<<tiles[0], 256>>>((uint4*)x, scans[0], (uint4*)y, SCANNED / 4);
        });
        time_of("histogram", [&] {
            cudaMemsetAsync(y, 0, 1024);
            histogram<<<1056, 256>>>(x, y, BYTES);
        });
        time_of("transpose", [&] {
            transpose<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(SIDE, (float*)x, (float*)y);
        });
        time_of("murmur3", [&] { murmur3<<<KEYS / 256, 256>>>(x, y, KEYS); });
        time_of("sha256", [&] { sha256<<<MESSAGES / 256, 256>>>(Hash{}, (Message*)x, (Hash*)y, MESSAGES); });
        time_of("bitonic", [&] {
            cudaMemcpyAsync(y, x, SORTED * 4, cudaMemcpyDeviceToDevice);
            sort_runs<<<SORTED / 256, 256>>>(y);
            for (u32 run = 512; run <= SORTED; run *= 2) {
                for (u32 step = run / 2; step >= 256; step /= 2) sort_across<<<SORTED / 256, 256>>>(run, step, y);
                sort_within<<<SORTED / 256, 256>>>(run, y);
            }
        });
        cudaFree(x), cudaFree(y);
    }
}
