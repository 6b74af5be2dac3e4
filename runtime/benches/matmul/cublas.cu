// Products of matrices of f32 by cuBLAS, without TF32, of the sizes of the bench `matmul`. Rows lie one after the other, so
// what cuBLAS, which wants columns, computes is the transposed product of the transposed matrices. Prints a table: m, k, n,
// the median of the µs of a product, and TFLOP/s.
//
//   nvcc -O3 -arch=sm_90 -o cublas runtime/benches/matmul/cublas.cu -lcublas && ./cublas > runtime/cublas.txt
#include <algorithm>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <vector>

__global__ void numbers(float *x, size_t n, unsigned seed) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        unsigned h = unsigned(i) * 747796405u + seed;
        h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
        x[i] = int(h ^ (h >> 22)) * 4.656613e-10f;
    }
}

int main() {
    const int sizes[][3] = {{4096, 4096, 4096}, {2048, 2048, 2048}, {8192, 8192, 8192}, {1000, 1000, 1000},
                            {4000, 4001, 4003}, {512, 512, 512},    {1536, 1540, 1532}, {256, 4096, 4096}};
    const size_t most = size_t(8192) * 8192;
    float *a, *b, *c;
    if (cudaMalloc(&a, most * 4) || cudaMalloc(&b, most * 4) || cudaMalloc(&c, most * 4)) {
        puts("no memory");
        return 1;
    }
    numbers<<<1024, 256>>>(a, most, 7);
    numbers<<<1024, 256>>>(b, most, 11);
    cublasHandle_t handle;
    if (cublasCreate(&handle) || cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH)) {
        puts("no cuBLAS");
        return 1;
    }
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    const float one = 1, zero = 0;
    for (auto [m, k, n] : sizes) {
        double flops = 2.0 * m * k * n;
        int runs = std::clamp(int(0.05 / (flops / 50e12)), 1, 200);
        std::vector<float> times;
        for (int round = 0; round < 8; round++) {
            cudaEventRecord(begin);
            for (int run = 0; run < runs; run++)
                if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n)) puts("refused");
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            if (round > 0) times.push_back(ms / runs);
        }
        std::sort(times.begin(), times.end());
        double micros = times[times.size() / 2] * 1e3;
        printf("%d %d %d %.1f us %.2f TFLOP/s\n", m, k, n, micros, flops / micros / 1e6);
    }
    return cudaGetLastError() != cudaSuccess;
}
