// The words of NVRTC, which needs no header for them.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define LANES 32
// Not static: an explicit specialization may not say so, nor a member twice.
#define DEVICE __device__ __forceinline__
#define APART static __device__ __noinline__
#define SHARED __shared__
#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
// The same with so few registers that this many blocks fit a processor.
#define KERNEL_BESIDE(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)
#define TABLE static __device__ const
// Neither static nor const: the compiler would put literals in place of what it knows.
#define CONSTANTS __constant__

DEVICE u32 thread() { return threadIdx.x; }
DEVICE u32 block_x() { return blockIdx.x; }
DEVICE u32 grid_x() { return gridDim.x; }
DEVICE void barrier() { __syncthreads(); }
// The lanes of a warp see what they wrote to shared memory before.
DEVICE void warp_barrier() { __syncwarp(); }
// Makes what this thread wrote visible to all before what it writes next.
DEVICE void fence() { __threadfence(); }

// Exchange between the lanes of a warp, all of which take part.
template <typename T> DEVICE T shuffle_down(T x, u32 step) { return __shfl_down_sync(0xffffffffu, x, step); }
template <typename T> DEVICE T shuffle_up(T x, u32 step) { return __shfl_up_sync(0xffffffffu, x, step); }
template <typename T> DEVICE T shuffle(T x, u32 lane) { return __shfl_sync(0xffffffffu, x, lane); }
// Exchanges move 32 or 64 bits.
#define EXCHANGES_WIDER(T) \
    template <> DEVICE T shuffle_down(T x, u32 step) { return (T)__shfl_down_sync(0xffffffffu, (u32)x, step); } \
    template <> DEVICE T shuffle_up(T x, u32 step) { return (T)__shfl_up_sync(0xffffffffu, (u32)x, step); } \
    template <> DEVICE T shuffle(T x, u32 lane) { return (T)__shfl_sync(0xffffffffu, (u32)x, lane); }
EXCHANGES_WIDER(bool)
EXCHANGES_WIDER(i8)
EXCHANGES_WIDER(u8)
EXCHANGES_WIDER(i16)
EXCHANGES_WIDER(u16)
typedef u32 lane_mask;
DEVICE lane_mask ballot(bool x) { return __ballot_sync(0xffffffffu, x); }
DEVICE u32 ones(lane_mask x) { return __popc(x); }

DEVICE f32 root(f32 x) { return __fsqrt_rn(x); }
DEVICE f64 root(f64 x) { return __dsqrt_rn(x); }
DEVICE f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
DEVICE f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
DEVICE f32 fabs_(f32 x) { return fabsf(x); }
DEVICE f64 fabs_(f64 x) { return fabs(x); }
DEVICE f32 floor_(f32 x) { return floorf(x); }
DEVICE f64 floor_(f64 x) { return floor(x); }
DEVICE f32 ceil_(f32 x) { return ceilf(x); }
DEVICE f64 ceil_(f64 x) { return ceil(x); }
DEVICE f32 trunc_(f32 x) { return truncf(x); }
DEVICE f64 trunc_(f64 x) { return trunc(x); }
DEVICE f32 rint_(f32 x) { return rintf(x); }
DEVICE f64 rint_(f64 x) { return rint(x); }
DEVICE f32 rem_(f32 a, f32 b) { return fmodf(a, b); }
DEVICE f64 rem_(f64 a, f64 b) { return fmod(a, b); }
DEVICE u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }

#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
// The lesser and the greater: a NaN wins, -0.0 is below +0.0 (PTX ISA, min and max).
#define HAS_EXTREMES
DEVICE f32 lesser(f32 a, f32 b) {
    f32 least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}
DEVICE f32 greater(f32 a, f32 b) {
    f32 most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
#endif

#ifdef __CUDACC_RTC__
DEVICE f32 f16_to_f32(u16 x) {
    f32 wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
    return wide;
}
DEVICE u16 f32_to_f16(f32 x) {
    u16 narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow) : "f"(x));
    return narrow;
}
#else
// The same without the device's instructions, for compilers that run these words elsewhere.
DEVICE f32 f16_to_f32(u16 x) {
    u32 bits = (u32)(x & 0x7fff) << 13, sign = (u32)(x & 0x8000) << 16;
    f32 scaled = __builtin_bit_cast(f32, bits) * __builtin_bit_cast(f32, 0x77800000u);
    bits = (x & 0x7c00) == 0x7c00 ? bits | 0x7f800000u : __builtin_bit_cast(u32, scaled);
    return __builtin_bit_cast(f32, bits | sign);
}
DEVICE u16 f32_to_f16(f32 x) {
    u32 bits = __builtin_bit_cast(u32, x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000u) return 0x7fff;
    if (rest >= 0x477ff000u) return (u16)(sign | 0x7c00);
    // Below the least normal number, a sum with 0.5 has the bits to keep at its end, rounded.
    if (rest < 0x38800000u) {
        f32 sum = __builtin_bit_cast(f32, rest) + 0.5f;
        return (u16)(sign | (__builtin_bit_cast(u32, sum) - 0x3f000000u));
    }
    return (u16)(sign | (rest + 0xfff + (rest >> 13 & 1) - 0x38000000u) >> 13);
}
#endif

DEVICE u32 atomic_add(u32* at, u32 x) { return atomicAdd(at, x); }
DEVICE u64 atomic_add(u64* at, u64 x) { return atomicAdd(at, x); }
DEVICE u32 atomic_min(u32* at, u32 x) { return atomicMin(at, x); }
DEVICE u64 atomic_min(u64* at, u64 x) { return atomicMin(at, x); }
DEVICE u32 atomic_max(u32* at, u32 x) { return atomicMax(at, x); }
DEVICE u64 atomic_max(u64* at, u64 x) { return atomicMax(at, x); }
DEVICE u32 atomic_or(u32* at, u32 x) { return atomicOr(at, x); }
DEVICE u64 atomic_or(u64* at, u64 x) { return atomicOr(at, x); }
// Stores `to` where `from` is found; what was there.
DEVICE u32 atomic_swap_if(u32* at, u32 from, u32 to) { return atomicCAS(at, from, to); }
DEVICE u64 atomic_swap_if(u64* at, u64 from, u64 to) { return atomicCAS(at, from, to); }
