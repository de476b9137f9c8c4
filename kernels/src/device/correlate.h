// A short sequence laid along a long one, as the pattern `correlate` means it. Sums begin with what changes nothing
// that is added to it, so that none of them asks whether it has begun. In front of it stand THREADS of a block, EACH,
// the results of a thread, and RUN, the taps whose products have a sum.

struct Args {
    u64 length, taps, outputs, before;
    const void* longs;
    const void* shorts;
    void* out;
};

struct bool_or_and { u32 bits; };

// What elements are added up in.
template <typename T> struct Sum { typedef u32 type; };
template <> struct Sum<boolean> { typedef bool_or_and type; };
template <> struct Sum<i64> { typedef u64 type; };
template <> struct Sum<u64> { typedef u64 type; };
template <> struct Sum<f16> { typedef f32 type; };
template <> struct Sum<bf16> { typedef f32 type; };
template <> struct Sum<f32> { typedef f32 type; };
template <> struct Sum<f64> { typedef f64 type; };
template <> struct Sum<c64> { typedef c64 type; };
template <> struct Sum<c128> { typedef c128 type; };

template <typename S, typename T> struct Between {
    static DEVICE S widen(T x) { return (S)get<0>(x); }
    static DEVICE void narrow(T& to, S x) { put(to, x, x); }
};
// Where the sum is not an element by itself, but wraps as one.
#define WRAPS(T) template <> struct Between<u32, T> { \
    static DEVICE u32 widen(T x) { return (u32)x; } \
    static DEVICE void narrow(T& to, u32 x) { to = (T)x; } };
WRAPS(i8)
WRAPS(u8)
WRAPS(i16)
WRAPS(u16)
WRAPS(i32)
template <> struct Between<u64, i64> {
    static DEVICE u64 widen(i64 x) { return (u64)x; }
    static DEVICE void narrow(i64& to, u64 x) { to = (i64)x; }
};
template <> struct Between<bool_or_and, boolean> {
    static DEVICE bool_or_and widen(boolean x) { return bool_or_and{ x.bits != 0 }; }
    static DEVICE void narrow(boolean& to, bool_or_and x) { to.bits = (u8)x.bits; }
};
template <typename C> struct Between<C, C> {
    static DEVICE C widen(C x) { return x; }
    static DEVICE void narrow(C& to, C x) { to = x; }
};

// What changes nothing that it is added to.
template <typename S> DEVICE S none() { return (S)0; }
template <> DEVICE f32 none() { return f32_of(0x80000000u); }
template <> DEVICE f64 none() { return f64_of(0x8000000000000000ull); }
template <> DEVICE bool_or_and none() { return bool_or_and{ 0 }; }
template <> DEVICE c64 none() { return c64{ { none<f32>(), none<f32>() } }; }
template <> DEVICE c128 none() { return c128{ { none<f64>(), none<f64>() } }; }

template <typename S> DEVICE S sum_of(S a, S b) { return p_add(a, b); }
template <> DEVICE bool_or_and sum_of(bool_or_and a, bool_or_and b) { return bool_or_and{ a.bits | b.bits }; }
template <> DEVICE c64 sum_of(c64 a, c64 b) { return c64{ { a.part[0] + b.part[0], a.part[1] + b.part[1] } }; }
template <> DEVICE c128 sum_of(c128 a, c128 b) { return c128{ { a.part[0] + b.part[0], a.part[1] + b.part[1] } }; }

template <typename S> DEVICE S product_of(S a, S b) { return p_mul(a, b); }
template <> DEVICE bool_or_and product_of(bool_or_and a, bool_or_and b) { return bool_or_and{ a.bits & b.bits }; }
template <typename C> DEVICE C complex_product(C a, C b) {
    return C{ { p_sub(p_mul(a.part[0], b.part[0]), p_mul(a.part[1], b.part[1])),
                p_add(p_mul(a.part[0], b.part[1]), p_mul(a.part[1], b.part[0])) } };
}
template <> DEVICE c64 product_of(c64 a, c64 b) { return complex_product(a, b); }
template <> DEVICE c128 product_of(c128 a, c128 b) { return complex_product(a, b); }

// Results of a block, and elements in shared memory: those under the taps of a run.
#define TILE (THREADS * EACH)
#define SHARED_SIZE (TILE + RUN)

// Where element `at` lies: after every 128 bytes come 16 bytes of padding, so that lanes that are EACH elements apart
// read from different banks.
template <typename S> DEVICE u32 lies(u32 at) {
    const u32 line = 128 / sizeof(S);
    return at + at / line * (line / 8);
}

template <typename S> struct alignas(16) CorrelateShared {
    S taps[RUN];
    S tile[SHARED_SIZE + (SHARED_SIZE / (128 / sizeof(S)) + 1) * (16 / sizeof(S))];
};

// EACH neighbours, in pieces of up to 16 bytes; `at` is a multiple of EACH.
template <typename S> DEVICE void read(S (&to)[EACH], const S* from, bool padded, u32 at) {
    const u32 COUNT = 16 / sizeof(S) < EACH ? 16 / sizeof(S) : EACH;
#pragma unroll
    for (u32 k = 0; k < EACH; k += COUNT) {
        const Pack<S, COUNT> pack = load<COUNT>(from + (padded ? lies<S>(at + k) : at + k));
#pragma unroll
        for (u32 j = 0; j < COUNT; j++) to[k + j] = pack.at[j];
    }
}

// The products of EACH taps from `tap` on with the elements in `low`, after which `high` is read. Sums from `first`
// to `last` have an element under tap 0 of the run's; without CHECKED all have one under every tap. Of taps `left` are
// there, with WHOLE all.
template <typename S, bool CHECKED, bool WHOLE>
DEVICE void step(S (&sums)[EACH], const S (&low)[EACH], S (&high)[EACH], const CorrelateShared<S>& shared, u32 tap, u32 left,
                 i64 first, i64 last) {
    S taps[EACH];
    read(taps, shared.taps, false, tap);
    read(high, shared.tile, true, thread() * EACH + tap + EACH);
#pragma unroll
    for (u32 t = 0; t < EACH; t++) {
        if (WHOLE || t < left) {
#pragma unroll
            for (u32 k = 0; k < EACH; k++) {
                const S x = product_of(k + t < EACH ? low[k + t < EACH ? k + t : 0] : high[k + t < EACH ? 0 : k + t - EACH],
                                       taps[t]);
                const i64 place = (i64)(k + tap + t);
                sums[k] = sum_of(sums[k], !CHECKED || (place >= first && place < last) ? x : none<S>());
            }
        }
    }
}

// The sums of one run, of which `count` taps are there.
template <typename S, bool CHECKED>
DEVICE void run_sums(S (&sums)[EACH], const CorrelateShared<S>& shared, u32 count, i64 first, i64 last) {
    S even[EACH], odd[EACH];
    read(even, shared.tile, true, thread() * EACH);
    u32 tap = 0;
    for (; tap + 2 * EACH <= count; tap += 2 * EACH) {
        step<S, CHECKED, true>(sums, even, odd, shared, tap, EACH, first, last);
        step<S, CHECKED, true>(sums, odd, even, shared, tap + EACH, EACH, first, last);
    }
    if (tap < count) step<S, CHECKED, false>(sums, even, odd, shared, tap, count - tap, first, last);
    if (tap + EACH < count) step<S, CHECKED, false>(sums, odd, even, shared, tap + EACH, count - tap - EACH, first, last);
}

template <typename T, typename S> DEVICE void correlate_tile(const Args& a, CorrelateShared<S>& shared) {
    const T* longs = static_cast<const T*>(a.longs);
    const T* shorts = static_cast<const T*>(a.shorts);
    T* out = static_cast<T*>(a.out);
    typedef Between<S, T> B;
    // The place under tap 0 of the block's first result, and how many results it has.
    const u64 begin = (u64)block_x() * TILE;
    const i64 origin = (i64)begin - (i64)a.before, length = (i64)a.length;
    const i64 results = (i64)(a.outputs - begin < TILE ? a.outputs - begin : TILE);
    // The taps that have a place under some result of the block.
    const i64 from = origin + results > 0 ? 0 : 1 - origin - results;
    const i64 to = length - origin < (i64)a.taps ? length - origin : (i64)a.taps;
    S totals[EACH];
#pragma unroll
    for (u32 k = 0; k < EACH; k++) totals[k] = none<S>();
    for (i64 run = from / RUN * RUN; run < to; run += RUN) {
        const i64 start = origin + run;
        const u32 count = (i64)a.taps - run < RUN ? (u32)((i64)a.taps - run) : RUN;
        barrier();
        for (u32 k = thread(); k < RUN; k += THREADS) {
            shared.taps[k] = k < count ? B::widen(shorts[run + k]) : none<S>();
        }
        for (u32 k = thread(); k < SHARED_SIZE; k += THREADS) {
            const i64 place = start + k;
            shared.tile[lies<S>(k)] = place >= 0 && place < length ? B::widen(longs[place]) : none<S>();
        }
        barrier();
        S sums[EACH];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) sums[k] = none<S>();
        if (start >= 0 && start + results + count - 1 <= length) {
            run_sums<S, false>(sums, shared, count, 0, 0);
        } else {
            const i64 own = start + thread() * EACH;
            run_sums<S, true>(sums, shared, count, -own, length - own);
        }
#pragma unroll
        for (u32 k = 0; k < EACH; k++) totals[k] = sum_of(totals[k], sums[k]);
    }
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        const u64 at = begin + thread() * EACH + k;
        if (at < a.outputs) B::narrow(out[at], totals[k]);
    }
}
