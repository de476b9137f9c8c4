// HIP's words in those of NVRTC, as far as kernels use them. A wavefront is a warp: 32 lanes.
// All lanes of a wavefront take part in an exchange. NVRTC still declares functions of these names, which do not work
// since lanes run by themselves: so the names are macros.
#define __shfl(x, lane, width) __shfl_sync(0xffffffffu, x, lane, width)
#define __shfl_up(x, step, width) __shfl_up_sync(0xffffffffu, x, step, width)
#define __shfl_down(x, step, width) __shfl_down_sync(0xffffffffu, x, step, width)
#define __ballot(x) ((unsigned long long)__ballot_sync(0xffffffffu, x))

// A warp's lanes do not run in step: where HIP orders what they read and write, they meet, which orders it too.
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_fence(order, scope) ((void)0)

#ifdef __CUDACC_RTC__
// HIP's second bound is the least number of wavefronts on each of a processor's four units, CUDA's that of blocks on a
// processor.
#undef __launch_bounds__
#define __launch_bounds__(...) FORWARD_BOUNDS(__VA_ARGS__, FORWARD_WAVES, FORWARD_THREADS)(__VA_ARGS__)
#define FORWARD_BOUNDS(first, second, form, ...) form
#define FORWARD_THREADS(threads) __attribute__((launch_bounds(threads)))
#define FORWARD_WAVES(threads, waves) __attribute__((launch_bounds(threads, (waves) * 4 * 32 / (threads))))

// A 16-bit float of which only conversions are used. NVRTC has none without a header.
struct forward_half {
    unsigned short bits;
    __device__ __forceinline__ explicit forward_half(float x) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    }
    __device__ __forceinline__ explicit operator float() const {
        float wide;
        asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(bits));
        return wide;
    }
};
#define _Float16 forward_half

#if defined(FORWARD_EXTREMES) && __CUDA_ARCH__ >= 800
// The lesser and the greater of two floats in one instruction, as CUDA's own text has them and HIP's has not.
#define HAS_EXTREMES
static __device__ __forceinline__ float lesser(float a, float b) {
    float least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}
static __device__ __forceinline__ float greater(float a, float b) {
    float most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
#endif
#endif
#line 1
