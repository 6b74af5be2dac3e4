// What the primitives are compared with: CUB's, and a tiled transposition, as a table of microseconds.
//
//     nvcc -O3 -arch=sm_90 -o twins_algo twins_algo.cu && ./twins_algo [LENGTH] > twins_algo.txt
//
// The length is 2^26 without one. Temporary memory is allocated before, and every result goes to memory of its own.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;

static void must(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

__device__ u32 mixed(u32 x) {
    u32 state = x * 747796405u + 2891336453u;
    u32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return word >> 22 ^ word;
}

// Random words; below a bound if it is not 0.
__global__ void fill(u32* x, u32 n, u32 bound) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) x[i] = bound ? mixed(i) % bound : mixed(i);
}

// Numbers whose sums are exact.
template <class T> __global__ void fill_numbers(T* x, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) x[i] = (T)((int)(mixed(i) >> 30) * 2 - 3);
}

__global__ void copy(const u32* __restrict__ x, u32* __restrict__ out, u32 n) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = x[i];
}

__global__ void transpose(u32 rows, u32 columns, const u32* __restrict__ x, u32* __restrict__ y) {
    __shared__ u32 tile[32][33];
    u32 i = threadIdx.x, j = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (u32 k = 0; k < 32; k += 8)
        if (top + j + k < rows && left + i < columns) tile[j + k][i] = x[(top + j + k) * columns + left + i];
    __syncthreads();
    for (u32 k = 0; k < 32; k += 8)
        if (left + j + k < columns && top + i < rows) y[(left + j + k) * rows + top + i] = tile[i][j + k];
}

// The median of nine turns, each of some runs.
template <class Run> void time_of(const char* name, Run run) {
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&stop));
    auto turn = [&](int runs) {
        must(cudaEventRecord(start));
        for (int i = 0; i < runs; i++) run();
        must(cudaEventRecord(stop));
        must(cudaEventSynchronize(stop));
        float ms = 0;
        must(cudaEventElapsedTime(&ms, start, stop));
        return ms * 1000.0 / runs;
    };
    for (int i = 0; i < 20; i++) turn(1);
    int runs = std::max(1, std::min(200, (int)(20000 / turn(1))));
    std::vector<double> turns;
    for (int i = 0; i < 9; i++) turns.push_back(turn(runs));
    must(cudaGetLastError());
    std::sort(turns.begin(), turns.end());
    printf("%s %.2f\n", name, turns[4]);
    fflush(stdout);
}

// Calls a function of CUB's with the temporary memory that it asks for.
template <class Call> void time_with_memory(const char* name, Call call) {
    size_t bytes = 0;
    must(call((void*)nullptr, bytes));
    void* memory;
    must(cudaMalloc(&memory, bytes ? bytes : 1));
    time_of(name, [&] { call(memory, bytes); });
    must(cudaFree(memory));
}

template <class T> T* memory(size_t n) {
    T* memory;
    must(cudaMalloc(&memory, n * sizeof(T)));
    return memory;
}

template <class T> void sums(const char* reduce, const char* scan, u32 n) {
    T *x = memory<T>(n), *y = memory<T>(n);
    fill_numbers<<<(n + 255) / 256, 256>>>(x, n);
    time_with_memory(reduce, [&](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, x, y, n); });
    if (scan) time_with_memory(scan, [&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, x, y, n); });
    must(cudaFree(x));
    must(cudaFree(y));
}

// Floats of all bits have NaN among them, which CUB sorts by their bits as we do.
template <class K> void sorts(const char* keys, const char* pairs, u32 n) {
    K *x = memory<K>(n), *y = memory<K>(n);
    u32 *values = memory<u32>(n), *moved = memory<u32>(n);
    u32 words = n * (sizeof(K) / 4);
    fill<<<(words + 255) / 256, 256>>>((u32*)x, words, 0);
    fill<<<(n + 255) / 256, 256>>>(values, n, 0);
    time_with_memory(keys, [&](void* m, size_t& b) { return cub::DeviceRadixSort::SortKeys(m, b, x, y, n); });
    if (pairs)
        time_with_memory(pairs, [&](void* m, size_t& b) {
            return cub::DeviceRadixSort::SortPairs(m, b, x, y, values, moved, n);
        });
    must(cudaFree(x));
    must(cudaFree(y));
    must(cudaFree(values));
    must(cudaFree(moved));
}

int main(int argc, char** argv) {
    u32 n = argc > 1 ? (u32)strtoul(argv[1], nullptr, 10) : 1u << 26;
    sums<u32>("reduce_u32", "scan_u32", n);
    sums<float>("reduce_f32", "scan_f32", n);
    sums<double>("reduce_f64", nullptr, n);
    sums<u64>("reduce_u64", "scan_u64", n);
    sorts<u32>("sort_u32", "pairs_u32", n);
    sorts<float>("sort_f32", nullptr, n);
    sorts<u64>("sort_u64", "pairs_u64", n);
    u32 *x = memory<u32>(n), *y = memory<u32>(n), *flags = memory<u32>(n), *count = memory<u32>(1);
    fill<<<(n + 255) / 256, 256>>>(x, n, 0);
    fill<<<(n + 255) / 256, 256>>>(flags, n, 2);
    time_of("copy", [&] { copy<<<(n + 255) / 256, 256>>>(x, y, n); });
    time_with_memory("select_u32",
                     [&](void* m, size_t& b) { return cub::DeviceSelect::Flagged(m, b, x, flags, y, count, n); });
    time_with_memory("partition_u32",
                     [&](void* m, size_t& b) { return cub::DevicePartition::Flagged(m, b, x, flags, y, count, n); });
    u32 rows = 1;
    for (u32 k = 1; (u64)k * k <= n; k++)
        if (n % k == 0) rows = k;
    u32 columns = n / rows;
    time_of("transpose_u32", [&] {
        transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(rows, columns, x, y);
    });
    const int BINS[] = {256, 2048, 65536};
    const char* NAMES[] = {"histogram_256", "histogram_2048", "histogram_65536"};
    for (int i = 0; i < 3; i++) {
        int bins = BINS[i];
        fill<<<(n + 255) / 256, 256>>>(x, n, bins);
        time_with_memory(NAMES[i], [&](void* m, size_t& b) {
            return cub::DeviceHistogram::HistogramEven(m, b, x, y, bins + 1, 0u, (u32)bins, (int)n);
        });
    }
}
