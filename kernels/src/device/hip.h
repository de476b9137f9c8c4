// The words of hipRTC, which has them without a header. In front of this stands how many LANES a wavefront has.
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

#define DEVICE __device__ __forceinline__
#define APART static __device__ __noinline__
#define SHARED __shared__
#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
// The same with so few registers that this many blocks fit a processor, which has four units for wavefronts.
#define KERNEL_BESIDE(threads, blocks) \
    extern "C" __global__ void __launch_bounds__(threads, (blocks) * (threads) / LANES / 4)
#define TABLE static __device__ const
// Literals again: nothing is known of the gain.
#define CONSTANTS static __device__ const

DEVICE u32 thread() { return threadIdx.x; }
DEVICE u32 block_x() { return blockIdx.x; }
DEVICE u32 grid_x() { return gridDim.x; }
DEVICE void barrier() { __syncthreads(); }
// The lanes of a wavefront see what they wrote to shared memory before: no read or write moves across.
DEVICE void warp_barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
// Makes what this thread wrote visible to all before what it writes next.
DEVICE void fence() { __threadfence(); }

// Exchange between the lanes of a wavefront, all of which take part: they run in step, so there is no mask.
template <typename T> DEVICE T shuffle_down(T x, u32 step) { return __shfl_down(x, step, LANES); }
template <typename T> DEVICE T shuffle_up(T x, u32 step) { return __shfl_up(x, step, LANES); }
template <typename T> DEVICE T shuffle(T x, u32 lane) { return __shfl(x, (int)lane, LANES); }
// Exchanges move 32 or 64 bits.
#define EXCHANGES_WIDER(T) \
    template <> DEVICE T shuffle_down(T x, u32 step) { return (T)__shfl_down((u32)x, step, LANES); } \
    template <> DEVICE T shuffle_up(T x, u32 step) { return (T)__shfl_up((u32)x, step, LANES); } \
    template <> DEVICE T shuffle(T x, u32 lane) { return (T)__shfl((u32)x, (int)lane, LANES); }
EXCHANGES_WIDER(bool)
EXCHANGES_WIDER(i8)
EXCHANGES_WIDER(u8)
EXCHANGES_WIDER(i16)
EXCHANGES_WIDER(u16)
// A ballot is of 64 bits whatever the lanes: with 32 of them the upper ones are zeros.
#if LANES == 64
typedef u64 lane_mask;
DEVICE u32 ones(lane_mask x) { return (u32)__popcll(x); }
#else
typedef u32 lane_mask;
DEVICE u32 ones(lane_mask x) { return (u32)__popc(x); }
#endif
DEVICE lane_mask ballot(bool x) { return (lane_mask)__ballot(x); }

// Not __fsqrt_rn, which some versions take for the hardware's estimate.
DEVICE f32 root(f32 x) { return sqrtf(x); }
DEVICE f64 root(f64 x) { return sqrt(x); }
DEVICE f32 fused(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
DEVICE f64 fused(f64 a, f64 b, f64 c) { return fma(a, b, c); }
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

// The compiler's own type of 16 bits, which needs no header; conversions round to nearest even.
DEVICE f32 f16_to_f32(u16 x) { return (f32)__builtin_bit_cast(_Float16, x); }
DEVICE u16 f32_to_f16(f32 x) { return __builtin_bit_cast(u16, (_Float16)x); }

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
