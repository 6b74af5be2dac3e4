// CUDA's keywords and intrinsics for a C++ compiler that knows nothing of them, on the
// CPU. Compile with -ffp-contract=off. Invocations run one after the other, or each on a
// thread of its own where a kernel has barriers.
#include <cmath>
#include <cstdint>
#include <pthread.h>
#include <thread>
#include <utility>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
    unsigned x, y, z;
};
static uint3 blockIdx, gridDim;
static thread_local uint3 threadIdx;
static pthread_barrier_t group_barrier;
static inline void __syncthreads() { pthread_barrier_wait(&group_barrier); }
static thread_local unsigned group_index;
static unsigned long long exchanged[1024];
// What the lanes of a warp give each other; whoever reads a lane that the mask leaves out
// gets what nobody gave.
template <class T> static inline T __shfl_sync(unsigned mask, T value, int lane) {
    exchanged[group_index] = value;
    pthread_barrier_wait(&group_barrier);
    T found = mask >> (lane & 31) & 1u ? (T)exchanged[(group_index & ~31u) + (lane & 31)] : (T)0x5bad5bad5bad5badull;
    pthread_barrier_wait(&group_barrier);
    return found;
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
    exchanged[group_index] = predicate != 0;
    pthread_barrier_wait(&group_barrier);
    unsigned found = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (mask >> lane & 1u) found |= (unsigned)exchanged[(group_index & ~31u) + lane] << lane;
    }
    pthread_barrier_wait(&group_barrier);
    return found;
}
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <class To, class From> static inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
static inline float __uint_as_float(unsigned a) { return bits_as<float>(a); }
static inline unsigned __float_as_uint(float a) { return bits_as<unsigned>(a); }
static inline double __longlong_as_double(long long a) { return bits_as<double>(a); }
static inline long long __double_as_longlong(double a) { return bits_as<long long>(a); }

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return std::sqrt(a); }
static inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return std::sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

static inline float __int2float_rn(int a) { return (float)a; }
static inline float __uint2float_rn(unsigned a) { return (float)a; }
static inline float __ll2float_rn(long long a) { return (float)a; }
static inline float __ull2float_rn(unsigned long long a) { return (float)a; }
static inline double __int2double_rn(int a) { return a; }
static inline double __uint2double_rn(unsigned a) { return a; }
static inline double __ll2double_rn(long long a) { return (double)a; }
static inline double __ull2double_rn(unsigned long long a) { return (double)a; }
static inline float __double2float_rn(double a) { return (float)a; }
static inline int __float2int_rz(float a) { return (int)a; }
static inline unsigned __float2uint_rz(float a) { return (unsigned)a; }
static inline long long __float2ll_rz(float a) { return (long long)a; }
static inline unsigned long long __float2ull_rz(float a) { return (unsigned long long)a; }
static inline int __double2int_rz(double a) { return (int)a; }
static inline unsigned __double2uint_rz(double a) { return (unsigned)a; }
static inline long long __double2ll_rz(double a) { return (long long)a; }
static inline unsigned long long __double2ull_rz(double a) { return (unsigned long long)a; }

static inline int __popc(unsigned a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
static inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
static inline int __ffs(int a) { return __builtin_ffs(a); }
static inline int __ffsll(long long a) { return __builtin_ffsll(a); }
static inline unsigned __brev(unsigned a) {
    unsigned out = 0;
    for (int i = 0; i < 32; i++) out |= (a >> i & 1u) << (31 - i);
    return out;
}
static inline unsigned long long __brevll(unsigned long long a) {
    return (unsigned long long)__brev((unsigned)a) << 32 | __brev((unsigned)(a >> 32));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned out = 0;
    for (int i = 0; i < 4; i++) out |= (unsigned)(both >> 8 * (selector >> 4 * i & 7u) & 0xffu) << 8 * i;
    return out;
}

template <class T, class F> static inline T exchange_by(T* p, F next) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, next(old), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}
template <class T> static inline T atomicAdd(T* p, T v) { return exchange_by(p, [=](T old) { return (T)(old + v); }); }
template <class T> static inline T atomicSub(T* p, T v) { return exchange_by(p, [=](T old) { return (T)(old - v); }); }
template <class T> static inline T atomicMin(T* p, T v) { return exchange_by(p, [=](T old) { return old < v ? old : v; }); }
template <class T> static inline T atomicMax(T* p, T v) { return exchange_by(p, [=](T old) { return old > v ? old : v; }); }
template <class T> static inline T atomicAnd(T* p, T v) { return exchange_by(p, [=](T old) { return (T)(old & v); }); }
template <class T> static inline T atomicOr(T* p, T v) { return exchange_by(p, [=](T old) { return (T)(old | v); }); }
template <class T> static inline T atomicXor(T* p, T v) { return exchange_by(p, [=](T old) { return (T)(old ^ v); }); }
template <class T> static inline T atomicExch(T* p, T v) { return exchange_by(p, [=](T) { return v; }); }
template <class T> static inline T atomicCAS(T* p, T expected, T v) {
    return exchange_by(p, [=](T old) { return old == expected ? v : old; });
}

static inline unsigned atomicInc(unsigned* p, unsigned v) {
    return exchange_by(p, [=](unsigned old) { return old >= v ? 0u : old + 1u; });
}
static inline unsigned atomicDec(unsigned* p, unsigned v) {
    return exchange_by(p, [=](unsigned old) { return old == 0u || old > v ? v : old - 1u; });
}
#define atomicAdd_system atomicAdd
#define atomicSub_system atomicSub
#define atomicMin_system atomicMin
#define atomicMax_system atomicMax
#define atomicAnd_system atomicAnd
#define atomicOr_system atomicOr
#define atomicXor_system atomicXor
#define atomicExch_system atomicExch
#define atomicCAS_system atomicCAS
#define atomicInc_system atomicInc
#define atomicDec_system atomicDec

template <class... P, size_t... I>
static void call_with(void (*kernel)(P...), void** a, std::index_sequence<I...>) {
    kernel(*(P*)a[I]...);
}
template <class... P> static void call(void (*kernel)(P...), void** a) {
    call_with(kernel, a, std::index_sequence_for<P...>());
}
#define ENTRY(kernel) (void*)+[](void** arguments) { call(kernel, arguments); }

struct Device {
    static void* allocate(const std::vector<unsigned char>& bytes) {
        void* pointer = std::malloc(bytes.size() + 8);
        std::memcpy(pointer, bytes.data(), bytes.size());
        return pointer;
    }
    static void read(std::vector<unsigned char>& bytes, void* pointer) {
        std::memcpy(bytes.data(), pointer, bytes.size());
        std::free(pointer);
    }
    static void launch(void* entry, const unsigned grid[3], const unsigned block[3], bool barriers, void** arguments) {
        auto kernel = (void (*)(void**))entry;
        gridDim = uint3{grid[0], grid[1], grid[2]};
        unsigned volume = block[0] * block[1] * block[2];
        auto invoke = [=](unsigned i) {
            group_index = i;
            threadIdx = uint3{i % block[0], i / block[0] % block[1], i / block[0] / block[1]};
            kernel(arguments);
        };
        for (unsigned z = 0; z < grid[2]; z++)
            for (unsigned y = 0; y < grid[1]; y++)
                for (unsigned x = 0; x < grid[0]; x++) {
                    blockIdx = uint3{x, y, z};
                    if (!barriers) {
                        for (unsigned i = 0; i < volume; i++) invoke(i);
                        continue;
                    }
                    pthread_barrier_init(&group_barrier, nullptr, volume);
                    std::vector<std::thread> threads;
                    for (unsigned i = 0; i < volume; i++) threads.emplace_back(invoke, i);
                    for (auto& thread : threads) thread.join();
                    pthread_barrier_destroy(&group_barrier);
                }
    }
};
