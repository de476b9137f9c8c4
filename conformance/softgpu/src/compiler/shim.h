// What CUDA's compiler knows without headers, for a C++ compiler of the host. A thread of the device is a coroutine;
// shared memory is thread-local, since all threads of a block run on one thread of the host.
typedef unsigned long long softgpu_u64;
struct dim3 { unsigned x, y, z; };
struct softgpu_Place { dim3 thread, block, block_dim, grid_dim; unsigned char* dynamic; };
// A byte for each byte of a range of memory: 1 is allocated, 2 is written.
struct softgpu_States { softgpu_u64 base, span; unsigned char* states; };
// What the device offers to its kernels; it writes this table when it loads a module.
struct softgpu_Hooks {
    softgpu_u64 (*exchange)(unsigned kind, softgpu_u64 mask, softgpu_u64 value, unsigned source);
    unsigned (*barrier)(unsigned predicate);
    void (*trap)();
    // A thread waits for other blocks of a cooperative launch.
    void (*pause)();
    // Told of atomic operations, if it is there: 0 for those of integers that commute, 1 for those that hand out places,
    // 2 for sums of floats.
    void (*noted)(softgpu_u64 at, unsigned kind);
    void (*wrong)(softgpu_u64 at, softgpu_u64 bytes, unsigned write);
    const softgpu_States* states;
    unsigned count;
};
struct softgpu_Global { const char* name; void* at; softgpu_u64 bytes, constant; };
struct softgpu_Kernel { const char* name; void (*run)(void* const*); const unsigned* sizes; unsigned count, threads; };
#define SOFTGPU_EXPORT extern "C" __attribute__((visibility("default")))
SOFTGPU_EXPORT softgpu_Hooks softgpu_hooks;
softgpu_Hooks softgpu_hooks;
static thread_local softgpu_Place softgpu_place;
SOFTGPU_EXPORT softgpu_Place* softgpu_where() { return &softgpu_place; }

#ifndef SOFTGPU_HIP
#define __CUDA_ARCH__ 900
#endif
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__ __restrict
#define threadIdx (softgpu_place.thread)
#define blockIdx (softgpu_place.block)
#define blockDim (softgpu_place.block_dim)
#define gridDim (softgpu_place.grid_dim)
#define warpSize SOFTGPU_LANES
#define SOFTGPU __forceinline__

// What the compiler calls before each access, if it is told to. Memory that has no states is not the device's.
#ifdef SOFTGPU_CHECK
#define SOFTGPU_UNCHECKED __attribute__((no_sanitize_address))
template <unsigned long N> struct softgpu_Same { typedef unsigned char type; };
template <> struct softgpu_Same<2> { typedef unsigned short type; };
template <> struct softgpu_Same<4> { typedef unsigned type; };
template <> struct softgpu_Same<8> { typedef softgpu_u64 type; };
template <> struct softgpu_Same<16> { typedef unsigned __int128 type; };
SOFTGPU_UNCHECKED static void softgpu_touch(softgpu_u64 at, softgpu_u64 bytes, bool write) {
    for (unsigned k = 0; k < softgpu_hooks.count; k++) {
        const softgpu_States& range = softgpu_hooks.states[k];
        if (at - range.base >= range.span) continue;
        volatile unsigned char* states = range.states + (at - range.base);
        for (softgpu_u64 byte = 0; byte < bytes; byte++) {
            if (write ? states[byte] == 0 : states[byte] != 2) softgpu_hooks.wrong(at + byte, bytes, write);
            if (write) states[byte] = 2;
        }
    }
}
template <unsigned long N> SOFTGPU_UNCHECKED static inline void softgpu_touch_few(softgpu_u64 at, bool write) {
    typedef typename softgpu_Same<N>::type T;
    const T all = (T)~(T)0 / 255 * 2;
    for (unsigned k = 0; k < softgpu_hooks.count; k++) {
        const softgpu_States& range = softgpu_hooks.states[k];
        if (at - range.base >= range.span) continue;
        T states;
        __builtin_memcpy(&states, range.states + (at - range.base), N);
        if (states != all) softgpu_touch(at, N, write);
        return;
    }
}
#define SOFTGPU_TOUCH(N) \
    extern "C" SOFTGPU_UNCHECKED void __asan_load##N##_noabort(unsigned long at) { softgpu_touch_few<N>(at, false); } \
    extern "C" SOFTGPU_UNCHECKED void __asan_store##N##_noabort(unsigned long at) { softgpu_touch_few<N>(at, true); }
SOFTGPU_TOUCH(1)
SOFTGPU_TOUCH(2)
SOFTGPU_TOUCH(4)
SOFTGPU_TOUCH(8)
SOFTGPU_TOUCH(16)
extern "C" SOFTGPU_UNCHECKED void __asan_loadN_noabort(unsigned long at, unsigned long bytes) {
    softgpu_touch(at, bytes, false);
}
extern "C" SOFTGPU_UNCHECKED void __asan_storeN_noabort(unsigned long at, unsigned long bytes) {
    softgpu_touch(at, bytes, true);
}
extern "C" SOFTGPU_UNCHECKED void __asan_handle_no_return() {}
// The compiler takes an atomic operation for a write alone.
#define SOFTGPU_READS(at) softgpu_touch((softgpu_u64)(at), sizeof(*(at)), false)
#else
#define SOFTGPU_READS(at) ((void)0)
#endif
#define SOFTGPU_NOTE(at, kind) (softgpu_hooks.noted ? softgpu_hooks.noted((softgpu_u64)(at), kind) : (void)0)
#define SOFTGPU_BEFORE(at, kind) (SOFTGPU_READS(at), SOFTGPU_NOTE(at, kind))

// Barriers and exchanges.
#define softgpu_fence() asm volatile("" ::: "memory")
SOFTGPU unsigned softgpu_barrier(unsigned predicate) {
    softgpu_fence();
    unsigned count = softgpu_hooks.barrier(predicate);
    softgpu_fence();
    return count;
}
SOFTGPU softgpu_u64 softgpu_exchange(unsigned kind, softgpu_u64 mask, softgpu_u64 value, unsigned source) {
    softgpu_fence();
    softgpu_u64 got = softgpu_hooks.exchange(kind, mask, value, source);
    softgpu_fence();
    return got;
}
SOFTGPU void __syncthreads() { softgpu_barrier(0); }
SOFTGPU int __syncthreads_count(int x) { return (int)softgpu_barrier(x != 0); }
SOFTGPU int __syncthreads_or(int x) { return softgpu_barrier(x != 0) != 0; }
SOFTGPU int __syncthreads_and(int x) { return softgpu_barrier(x == 0) == 0; }
SOFTGPU void __syncwarp(unsigned mask = 0xffffffffu) { softgpu_exchange(0, mask, 0, 0); }
SOFTGPU unsigned __ballot_sync(unsigned mask, int x) { return (unsigned)softgpu_exchange(2, mask, x != 0, 0); }
SOFTGPU int __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0; }
SOFTGPU int __all_sync(unsigned mask, int x) { return __ballot_sync(mask, !x) == 0; }
SOFTGPU unsigned __activemask() { return (unsigned)softgpu_hooks.exchange(3, 0, 0, 0); }
SOFTGPU unsigned softgpu_lane() {
    dim3 at = softgpu_place.thread, of = softgpu_place.block_dim;
    return ((at.z * of.y + at.y) * of.x + at.x) & (SOFTGPU_LANES - 1);
}
template <typename T> SOFTGPU T softgpu_shuffle(softgpu_u64 mask, T x, unsigned source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "exchanges move 4 or 8 bytes");
    softgpu_u64 bits = 0;
    __builtin_memcpy(&bits, &x, sizeof(T));
    bits = softgpu_exchange(1, mask, bits, source);
    __builtin_memcpy(&x, &bits, sizeof(T));
    return x;
}
template <typename T> SOFTGPU T __shfl_sync(unsigned mask, T x, int source, int width = 32) {
    unsigned lane = softgpu_lane(), first = lane & ~(unsigned)(width - 1);
    return softgpu_shuffle(mask, x, first + ((unsigned)source & (unsigned)(width - 1)));
}
template <typename T> SOFTGPU T __shfl_up_sync(unsigned mask, T x, unsigned step, int width = 32) {
    unsigned lane = softgpu_lane(), first = lane & ~(unsigned)(width - 1);
    return softgpu_shuffle(mask, x, lane - first < step ? lane : lane - step);
}
template <typename T> SOFTGPU T __shfl_down_sync(unsigned mask, T x, unsigned step, int width = 32) {
    unsigned lane = softgpu_lane(), last = lane | (unsigned)(width - 1);
    return softgpu_shuffle(mask, x, step > last - lane ? lane : lane + step);
}
template <typename T> SOFTGPU T __shfl_xor_sync(unsigned mask, T x, int bits, int width = 32) {
    unsigned lane = softgpu_lane(), last = lane | (unsigned)(width - 1), source = lane ^ (unsigned)bits;
    return softgpu_shuffle(mask, x, source > last ? lane : source);
}
#ifdef SOFTGPU_HIP
// Of HIP: all lanes of the wavefront take part, whose number is a constant.
constexpr softgpu_u64 softgpu_all = SOFTGPU_LANES == 64 ? ~0ull : (1ull << (SOFTGPU_LANES & 63)) - 1;
SOFTGPU softgpu_u64 __ballot(int x) { return softgpu_exchange(2, softgpu_all, x != 0, 0); }
template <typename T> SOFTGPU T __shfl(T x, int source, int width = SOFTGPU_LANES) {
    unsigned lane = softgpu_lane(), first = lane & ~(unsigned)(width - 1);
    return softgpu_shuffle(softgpu_all, x, first + ((unsigned)source & (unsigned)(width - 1)));
}
template <typename T> SOFTGPU T __shfl_up(T x, unsigned step, int width = SOFTGPU_LANES) {
    unsigned lane = softgpu_lane(), first = lane & ~(unsigned)(width - 1);
    return softgpu_shuffle(softgpu_all, x, lane - first < step ? lane : lane - step);
}
template <typename T> SOFTGPU T __shfl_down(T x, unsigned step, int width = SOFTGPU_LANES) {
    unsigned lane = softgpu_lane(), last = lane | (unsigned)(width - 1);
    return softgpu_shuffle(softgpu_all, x, step > last - lane ? lane : lane + step);
}
// Lanes do not run in step here, so what orders their memory makes them meet.
#define __builtin_amdgcn_wave_barrier() ((void)softgpu_exchange(0, softgpu_all, 0, 0))
#define __builtin_amdgcn_fence(order, scope) softgpu_fence()
#define __builtin_amdgcn_s_sleep(count) __nanosleep(count)
#endif
SOFTGPU void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
SOFTGPU void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
SOFTGPU void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
SOFTGPU void __trap() { softgpu_hooks.trap(); }
SOFTGPU void __nanosleep(unsigned) {
    softgpu_fence();
    softgpu_hooks.pause();
    softgpu_fence();
}
SOFTGPU long long clock64() { return (long long)__builtin_ia32_rdtsc(); }
template <typename T> SOFTGPU T __ldg(const T* from) { return *from; }
template <typename T> SOFTGPU T __ldcg(const T* from) { return *from; }
template <typename T> SOFTGPU T __ldcs(const T* from) { return *from; }
template <typename T> SOFTGPU void __stcs(T* to, T x) { *to = x; }

// Bits.
SOFTGPU int __popc(unsigned x) { return __builtin_popcount(x); }
SOFTGPU int __popcll(softgpu_u64 x) { return __builtin_popcountll(x); }
SOFTGPU int __ffs(int x) { return __builtin_ffs(x); }
SOFTGPU int __ffsll(long long x) { return __builtin_ffsll(x); }
SOFTGPU int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
SOFTGPU int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((softgpu_u64)x); }
SOFTGPU unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    softgpu_u64 both = (softgpu_u64)b << 32 | a;
    unsigned out = 0;
    for (int k = 0; k < 4; k++) {
        unsigned pick = selector >> (4 * k) & 15, byte = (unsigned)(both >> (8 * (pick & 7))) & 255;
        out |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return out;
}
SOFTGPU unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
SOFTGPU softgpu_u64 __brevll(softgpu_u64 x) {
    return (softgpu_u64)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
SOFTGPU unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((softgpu_u64)a * b >> 32); }
SOFTGPU int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
SOFTGPU softgpu_u64 __umul64hi(softgpu_u64 a, softgpu_u64 b) {
    return (softgpu_u64)((unsigned __int128)a * b >> 64);
}
SOFTGPU long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
SOFTGPU unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((softgpu_u64)high << 32 | low) << (by & 31) >> 32);
}
SOFTGPU unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((softgpu_u64)high << 32 | low) >> (by & 31));
}
template <typename To, typename From> SOFTGPU To softgpu_cast(From x) {
    To to;
    static_assert(sizeof(to) == sizeof(x), "");
    __builtin_memcpy(&to, &x, sizeof(to));
    return to;
}
SOFTGPU unsigned __float_as_uint(float x) { return softgpu_cast<unsigned>(x); }
SOFTGPU int __float_as_int(float x) { return softgpu_cast<int>(x); }
SOFTGPU float __uint_as_float(unsigned x) { return softgpu_cast<float>(x); }
SOFTGPU float __int_as_float(int x) { return softgpu_cast<float>(x); }
SOFTGPU long long __double_as_longlong(double x) { return softgpu_cast<long long>(x); }
SOFTGPU double __longlong_as_double(long long x) { return softgpu_cast<double>(x); }

// Arithmetic that rounds as it says.
SOFTGPU float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
SOFTGPU double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
SOFTGPU float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SOFTGPU double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SOFTGPU float __fadd_rn(float a, float b) { return a + b; }
SOFTGPU float __fsub_rn(float a, float b) { return a - b; }
SOFTGPU float __fmul_rn(float a, float b) { return a * b; }
SOFTGPU float __fdiv_rn(float a, float b) { return a / b; }
SOFTGPU double __dadd_rn(double a, double b) { return a + b; }
SOFTGPU double __dsub_rn(double a, double b) { return a - b; }
SOFTGPU double __dmul_rn(double a, double b) { return a * b; }
SOFTGPU double __ddiv_rn(double a, double b) { return a / b; }

// Functions of the math library, for both widths, and overloaded by it.
extern "C" {
#define SOFTGPU_MATH1(name) double name(double) noexcept; float name##f(float) noexcept;
#define SOFTGPU_MATH2(name) double name(double, double) noexcept; float name##f(float, float) noexcept;
#define SOFTGPU_ALL1(M) M(floor) M(ceil) M(trunc) M(rint) M(round) M(nearbyint) M(sqrt) M(cbrt) M(exp) M(exp2) M(expm1) \
    M(log) M(log2) M(log10) M(log1p) M(sin) M(cos) M(tan) M(asin) M(acos) M(atan) M(sinh) M(cosh) M(tanh) M(asinh) \
    M(acosh) M(atanh) M(erf) M(erfc) M(tgamma) M(lgamma) M(fabs)
#define SOFTGPU_ALL2(M) M(fmod) M(pow) M(atan2) M(hypot) M(copysign) M(nextafter) M(remainder) M(fmin) M(fmax) M(fdim)
SOFTGPU_ALL1(SOFTGPU_MATH1)
SOFTGPU_ALL2(SOFTGPU_MATH2)
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
void* memcpy(void*, const void*, unsigned long) noexcept;
void* memset(void*, int, unsigned long) noexcept;
}
#define SOFTGPU_OVER1(name) SOFTGPU float name(float x) { return name##f(x); }
#define SOFTGPU_OVER2(name) SOFTGPU float name(float a, float b) { return name##f(a, b); }
SOFTGPU_ALL1(SOFTGPU_OVER1)
SOFTGPU_ALL2(SOFTGPU_OVER2)
SOFTGPU float fma(float a, float b, float c) { return fmaf(a, b, c); }
SOFTGPU float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
SOFTGPU double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SOFTGPU bool isnan(float x) { return __builtin_isnan(x); }
SOFTGPU bool isnan(double x) { return __builtin_isnan(x); }
SOFTGPU bool isinf(float x) { return __builtin_isinf(x); }
SOFTGPU bool isinf(double x) { return __builtin_isinf(x); }
SOFTGPU bool isfinite(float x) { return __builtin_isfinite(x); }
SOFTGPU bool isfinite(double x) { return __builtin_isfinite(x); }
SOFTGPU int min(int a, int b) { return b < a ? b : a; }
SOFTGPU int max(int a, int b) { return a < b ? b : a; }
SOFTGPU unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
SOFTGPU unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
SOFTGPU long long min(long long a, long long b) { return b < a ? b : a; }
SOFTGPU long long max(long long a, long long b) { return a < b ? b : a; }
SOFTGPU softgpu_u64 min(softgpu_u64 a, softgpu_u64 b) { return b < a ? b : a; }
SOFTGPU softgpu_u64 max(softgpu_u64 a, softgpu_u64 b) { return a < b ? b : a; }
SOFTGPU int abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }

// Atomics are the host's own, since blocks may run on several of its threads.
#define SOFTGPU_INTEGERS(M) M(int) M(unsigned) M(softgpu_u64)
#define SOFTGPU_ATOMIC(T) \
    SOFTGPU T atomicAdd(T* at, T x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_add(at, x, __ATOMIC_SEQ_CST); } \
    SOFTGPU T atomicAnd(T* at, T x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_and(at, x, __ATOMIC_SEQ_CST); } \
    SOFTGPU T atomicOr(T* at, T x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_or(at, x, __ATOMIC_SEQ_CST); } \
    SOFTGPU T atomicXor(T* at, T x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_xor(at, x, __ATOMIC_SEQ_CST); } \
    SOFTGPU T atomicExch(T* at, T x) { return SOFTGPU_NOTE(at, 1), __atomic_exchange_n(at, x, __ATOMIC_SEQ_CST); } \
    SOFTGPU T atomicCAS(T* at, T from, T to) { \
        SOFTGPU_BEFORE(at, 1); \
        __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return from; \
    }
#define SOFTGPU_ATOMIC_ORDER(T) \
    SOFTGPU T atomicMin(T* at, T x) { \
        SOFTGPU_BEFORE(at, 0); \
        T was = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
        while (x < was && !__atomic_compare_exchange_n(at, &was, x, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {} \
        return was; \
    } \
    SOFTGPU T atomicMax(T* at, T x) { \
        SOFTGPU_BEFORE(at, 0); \
        T was = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
        while (was < x && !__atomic_compare_exchange_n(at, &was, x, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {} \
        return was; \
    }
#define SOFTGPU_ATOMIC_FLOAT(T, U) \
    SOFTGPU T atomicAdd(T* at, T x) { \
        SOFTGPU_BEFORE(at, 2); \
        U was = __atomic_load_n((U*)at, __ATOMIC_SEQ_CST); \
        while (!__atomic_compare_exchange_n((U*)at, &was, softgpu_cast<U>(softgpu_cast<T>(was) + x), true, \
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {} \
        return softgpu_cast<T>(was); \
    }
SOFTGPU_INTEGERS(SOFTGPU_ATOMIC)
SOFTGPU_INTEGERS(SOFTGPU_ATOMIC_ORDER)
SOFTGPU_ATOMIC_ORDER(long long)
SOFTGPU_ATOMIC_FLOAT(float, unsigned)
SOFTGPU_ATOMIC_FLOAT(double, softgpu_u64)
SOFTGPU unsigned atomicSub(unsigned* at, unsigned x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_sub(at, x, __ATOMIC_SEQ_CST); }
SOFTGPU int atomicSub(int* at, int x) { return SOFTGPU_BEFORE(at, 0), __atomic_fetch_sub(at, x, __ATOMIC_SEQ_CST); }
SOFTGPU float atomicExch(float* at, float x) {
    SOFTGPU_NOTE(at, 1);
    return softgpu_cast<float>(__atomic_exchange_n((unsigned*)at, softgpu_cast<unsigned>(x), __ATOMIC_SEQ_CST));
}

// What the device calls: a kernel whose parameters lie where an array of pointers says.
template <auto kernel> struct softgpu_Call;
template <typename... T, void (*kernel)(T...)> struct softgpu_Call<kernel> {
    static constexpr unsigned count = sizeof...(T);
    static constexpr unsigned sizes[count + 1] = {(unsigned)sizeof(T)..., 0};
    template <unsigned... k> struct Indices {};
    template <unsigned n, unsigned... k> struct Upto : Upto<n - 1, n - 1, k...> {};
    template <unsigned... k> struct Upto<0, k...> { typedef Indices<k...> type; };
    template <unsigned... k> static void run(void* const* at, Indices<k...>) {
        kernel(*reinterpret_cast<T*>(at[k])...);
    }
    static void call(void* const* at) { run(at, typename Upto<count>::type()); }
};
#undef SOFTGPU
#line 1 "kernel.cu"
