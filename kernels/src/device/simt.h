// The words of kernels of threads and blocks, after those of a dialect and of programs.

// What a compiler may rely on.
#if defined(__clang__) || defined(__CUDACC_RTC__)
#define SIMT_ASSUME(x) __builtin_assume(x)
#else
#define SIMT_ASSUME(x) ((void)0)
#endif

template <typename P> DEVICE i64 simt_position(P at) { return (i64)at; }
template <> DEVICE i64 simt_position(u64 at) { return at >> 63 ? 0x7fffffffffffffffll : (i64)at; }

// Whether a position is below an extent. Extents in 32 bits are below 2^31, so a negative position is not.
template <typename P> struct Below {
    static DEVICE bool extent(P at, u32 extent) { return (u32)at < extent; }
    static DEVICE bool extent(P at, u64 extent) { return (u64)(i64)at < extent; }
};
template <> struct Below<i64> {
    static DEVICE bool extent(i64 at, u64 extent) { return (u64)at < extent; }
};
template <> struct Below<u64> {
    static DEVICE bool extent(u64 at, u64 extent) { return at < extent; }
};
template <typename P, typename E> DEVICE bool simt_is_below(P at, E extent) { return Below<P>::extent(at, extent); }

// The larger of a fault and that of a position that is out of bounds (core/src/program/fault.rs). Apart, since steps for it in the place of
// each check would cost loops that read shared memory a quarter of their speed.
APART u64 simt_outside(i64 position, u64 site, u64 error) {
    const u64 fault = position_fault(position, site);
    return fault > error ? fault : error;
}

// Whether a position is below its extent. The fault of one that is not stays in a register until the kernel ends: a write to memory here
// would keep the compiler from moving reads across the check.
template <typename P, typename E> DEVICE bool simt_within(P at, E extent, u64 site, u64* error) {
    if (simt_is_below(at, extent)) return true;
    *error = simt_outside(simt_position(at), site, *error);
    return false;
}

// Threads of a block are counted along x, then y, then z.
#define SIMT_THREAD (threadIdx.x + SIMT_X * (threadIdx.y + SIMT_Y * threadIdx.z))

// Exchanges of the lanes of a warp; a lane that takes from none keeps its own value.
template <typename T> DEVICE T simt_down(T x, u32 step) {
    const T other = shuffle_down(x, step % LANES);
    return step < LANES ? other : x;
}
template <typename T> DEVICE T simt_up(T x, u32 step) {
    const T other = shuffle_up(x, step % LANES);
    return step < LANES ? other : x;
}
template <typename T> DEVICE T simt_xor(T x, u32 lane, u32 bits) {
    const u32 from = lane ^ bits;
    const T other = shuffle(x, from % LANES);
    return from < LANES ? other : x;
}

// Atomics. Integers are changed as unsigned ones, which is the same but for the smaller and the larger.
template <typename T> struct Wide { typedef T type; };
template <> struct Wide<i32> { typedef u32 type; };
template <> struct Wide<i64> { typedef u64 type; };
template <> struct Wide<f32> { typedef u32 type; };
template <> struct Wide<f64> { typedef u64 type; };
#define SIMT_ATOMIC(name, function) \
    template <typename T> DEVICE T name(T* at, T x) { \
        typedef typename Wide<T>::type U; \
        return p_bitcast<T, U>(function((U*)at, p_bitcast<U, T>(x))); \
    }
SIMT_ATOMIC(simt_atomic_and, atomicAnd)
SIMT_ATOMIC(simt_atomic_or, atomicOr)
SIMT_ATOMIC(simt_atomic_xor, atomicXor)
SIMT_ATOMIC(simt_atomic_exchange, atomicExch)
template <typename T> DEVICE T simt_atomic_add(T* at, T x) {
    typedef typename Wide<T>::type U;
    return (T)atomic_add((U*)at, (U)x);
}
template <> DEVICE f32 simt_atomic_add(f32* at, f32 x) { return atomicAdd(at, x); }
template <> DEVICE f64 simt_atomic_add(f64* at, f64 x) { return atomicAdd(at, x); }
template <typename T> DEVICE T simt_atomic_swap_if(T* at, T from, T to) {
    typedef typename Wide<T>::type U;
    return (T)atomic_swap_if((U*)at, (U)from, (U)to);
}
// Not every compiler has the smaller and the larger of signed 64 bits.
template <bool LARGER, typename T> DEVICE T simt_atomic_extreme(T* at, T x) {
    T was = *(volatile T*)at;
    while (LARGER ? was < x : x < was) {
        const T found = simt_atomic_swap_if(at, was, x);
        if (found == was) break;
        was = found;
    }
    return was;
}
template <typename T> DEVICE T simt_atomic_min(T* at, T x) { return simt_atomic_extreme<false>(at, x); }
template <typename T> DEVICE T simt_atomic_max(T* at, T x) { return simt_atomic_extreme<true>(at, x); }
template <> DEVICE u32 simt_atomic_min(u32* at, u32 x) { return atomic_min(at, x); }
template <> DEVICE u64 simt_atomic_min(u64* at, u64 x) { return atomic_min(at, x); }
template <> DEVICE u32 simt_atomic_max(u32* at, u32 x) { return atomic_max(at, x); }
template <> DEVICE u64 simt_atomic_max(u64* at, u64 x) { return atomic_max(at, x); }
template <> DEVICE i32 simt_atomic_min(i32* at, i32 x) { return atomicMin(at, x); }
template <> DEVICE i32 simt_atomic_max(i32* at, i32 x) { return atomicMax(at, x); }
