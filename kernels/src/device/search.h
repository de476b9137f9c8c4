// Places in sorted rows: by bisection, and where a row's elements are evenly spaced by a product that says where to
// look and two comparisons that say whether that was right. In front of it stand keys, block sums, THREADS of a block
// and EACH, the needles of a thread.

struct Args {
    u64 rows, length, count;
    // Needles of a block, and how many such stretches a row has.
    u64 stretch, stretches;
    i64 sorted_step, needles_step;
    const void* sorted;
    const void* needles;
    i64* out;
};

// What spacing is computed in: it needs not be exact.
template <typename T> struct Number { typedef f32 type; enum { REAL = 1 }; };
template <> struct Number<i32> { typedef f64 type; enum { REAL = 1 }; };
template <> struct Number<u32> { typedef f64 type; enum { REAL = 1 }; };
template <> struct Number<i64> { typedef f64 type; enum { REAL = 1 }; };
template <> struct Number<u64> { typedef f64 type; enum { REAL = 1 }; };
template <> struct Number<f64> { typedef f64 type; enum { REAL = 1 }; };
template <> struct Number<c64> { typedef f32 type; enum { REAL = 0 }; };
template <> struct Number<c128> { typedef f64 type; enum { REAL = 0 }; };

// A sorted row, whose keys are `at(k)`.
template <typename T, bool AFTER, typename I, typename At> struct Row {
    typedef typename Keyed<T>::Whole Key;
    typedef typename Number<T>::type N;
    const At& at;
    I length;
    // Whether elements are evenly spaced, and whether keys are successive numbers.
    bool even, successive;
    N first, scale;

    // Whether element `k` comes before the needle.
    DEVICE bool before(I k, const Key& needle) const {
        const Key key = at(k);
        return AFTER ? !(needle < key) : key < needle;
    }

    // Whether each key is the successor of the one before.
    DEVICE bool follows(I k) const {
        if constexpr (Number<T>::REAL) return at(k) == (Key)(at(0) + (Key)k);
        else return false;
    }

    // Looks at some elements whether they are evenly spaced, and at ALL whether they are successive. All threads of the
    // block come here, after a barrier if keys were put into shared memory.
    template <bool ALL> DEVICE void measure(const T* from, Sums<THREADS>& sums) {
        even = successive = false;
        if (!Number<T>::REAL || length < 8) return;
        first = (N)get<0>(from[0]);
        scale = (N)(length - 1) / ((N)get<0>(from[length - 1]) - first);
        const I k = length < THREADS ? (I)thread() : (I)((u64)thread() * length / THREADS);
        bool off = !(scale > 0 && scale < (N)3e38f);
        if (!off && k < length) {
            const N apart = ((N)get<0>(from[k]) - first) * scale - (N)k;
            off = !(apart > (N)-0.5 && apart < (N)0.5);
        }
        bool apart = !ALL;
        for (I k = thread(); ALL && k < length; k += THREADS) apart = apart || !follows(k);
        u32 total;
        sum_before<THREADS>((off ? 1 : 0) + (apart ? 1 << 16 : 0), total, sums);
        even = (total & 0xffff) == 0;
        successive = total >> 16 == 0;
    }

    // The place by the spacing, if it is the right one.
    DEVICE bool guess(T x, const Key& needle, I& place) const {
        const N near = ((N)get<0>(x) - first) * scale, last = (N)(length - 1);
        I k = (I)(near > 0 ? (near < last ? near : last) : (N)0);
        if (k > length - 1) k = length - 1;
        const bool behind = before(k, needle);
        place = behind ? k + 1 : k;
        // The next one towards the needle, if there is one, must be on its other side.
        const I next = behind ? (k < length - 1 ? k + 1 : k) : (k > 0 ? k - 1 : k);
        return (before(next, needle) != behind) | (next == k);
    }

    // The places of needles, step by step together.
    template <int COUNT> DEVICE void places(const T (&xs)[COUNT], I (&found)[COUNT]) const {
        Key needles[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) needles[k] = Keyed<T>::whole(xs[k]);
        if constexpr (Number<T>::REAL) {
            if (successive) {
                const Key least = at(0);
#pragma unroll
                for (int k = 0; k < COUNT; k++) {
                    const Key distance = (Key)(needles[k] - least);
                    const I place = distance < length ? (I)distance + (AFTER ? 1 : 0) : length;
                    found[k] = needles[k] < least ? 0 : place;
                }
                return;
            }
        }
        if (even) {
            bool right = true;
#pragma unroll
            for (int k = 0; k < COUNT; k++) right &= guess(xs[k], needles[k], found[k]);
            if (right) return;
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++) found[k] = 0;
        if (length == 0) return;
        for (I size = length; size > 1;) {
            const I half = size / 2;
#pragma unroll
            for (int k = 0; k < COUNT; k++) found[k] += before(found[k] + half - 1, needles[k]) ? half : 0;
            size -= half;
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++) found[k] += before(found[k], needles[k]) ? 1 : 0;
    }
};

// A thread takes EACH needles of any row.
template <typename T, bool AFTER, bool COUNTS> DEVICE void search_any(const Args& a) {
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        const u64 p = (u64)block_x() * (THREADS * EACH) + k * THREADS + thread();
        if (p >= a.rows * a.count) return;
        const u64 row = p / a.count;
        const T* from = static_cast<const T*>(a.sorted) + (i64)row * a.sorted_step;
        const auto at = [&](u64 k) { return Keyed<T>::whole(from[k]); };
        const Row<T, AFTER, u64, decltype(at)> sorted{ at, a.length, false, false, 0, 0 };
        const T needle[1] = { static_cast<const T*>(a.needles)[(i64)row * a.needles_step + (i64)(p - row * a.count)] };
        u64 found[1];
        sorted.template places<1>(needle, found);
        if (COUNTS) atomic_add(reinterpret_cast<u64*>(a.out) + row * (a.length + 1) + found[0], (u64)1);
        else a.out[p] = (i64)found[0];
    }
}

// Shared memory for keys and counts, where there are few; counts side by side in COPIES, so that lanes with
// one place do not wait for each other.
template <typename T, int KEYS, int PLACES, int COPIES> struct SearchShared {
    typename Keyed<T>::Whole keys[KEYS > 0 ? KEYS : 1];
    u32 counts[PLACES > 0 ? PLACES * COPIES : 1];
    Sums<THREADS> sums;
};

// A block takes a stretch of the needles of one row.
template <typename T, bool AFTER, bool COUNTS, int KEYS, int PLACES, int COPIES>
DEVICE void search_row(const Args& a, SearchShared<T, KEYS, PLACES, COPIES>& shared) {
    typedef typename Uint<(KEYS > 0 ? 4 : 8)>::type I;
    const u64 row = block_x() / a.stretches, begin = (block_x() - row * a.stretches) * a.stretch;
    const u64 end = begin + a.stretch < a.count ? begin + a.stretch : a.count;
    const T* from = static_cast<const T*>(a.sorted) + (i64)row * a.sorted_step;
    const T* needles = static_cast<const T*>(a.needles) + (i64)row * a.needles_step;
    const auto at = [&](I k) {
        if constexpr (KEYS > 0) return shared.keys[k];
        else return Keyed<T>::whole(from[k]);
    };
    if constexpr (KEYS > 0) {
        for (u32 k = thread(); k < a.length; k += THREADS) shared.keys[k] = Keyed<T>::whole(from[k]);
    }
    if constexpr (PLACES > 0) {
        for (u32 k = thread(); k < (a.length + 1) * COPIES; k += THREADS) shared.counts[k] = 0;
    }
    barrier();
    Row<T, AFTER, I, decltype(at)> sorted{ at, (I)a.length, false, false, 0, 0 };
    sorted.template measure<(KEYS > 0 || PLACES > 0)>(from, shared.sums);
    u64* counts = reinterpret_cast<u64*>(a.out) + row * (a.length + 1);
    // A stretch has fewer than 2^32 needles.
    const u32 count = (u32)(end - begin);
    needles += begin;
    const auto take = [&](u32 p, I place) {
        if constexpr (!COUNTS) a.out[row * a.count + begin + p] = (i64)place;
        else if constexpr (PLACES == 0) atomic_add(&counts[place], (u64)1);
        else atomic_add(&shared.counts[place * COPIES + thread() % COPIES], (u32)1);
    };
    u32 p = thread();
    for (; p + (EACH - 1) * THREADS < count; p += EACH * THREADS) {
        T xs[EACH];
        I found[EACH];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) xs[k] = needles[p + k * THREADS];
        sorted.template places<EACH>(xs, found);
#pragma unroll
        for (u32 k = 0; k < EACH; k++) take(p + k * THREADS, found[k]);
    }
    for (; p < count; p += THREADS) {
        const T x[1] = { needles[p] };
        I found[1];
        sorted.template places<1>(x, found);
        take(p, found[0]);
    }
    if constexpr (PLACES > 0) {
        barrier();
        for (u32 place = thread(); place <= a.length; place += THREADS) {
            u32 count = 0;
#pragma unroll
            for (u32 k = 0; k < COPIES; k++) count += shared.counts[place * COPIES + (k + place) % COPIES];
            if (count > 0) atomic_add(&counts[place], (u64)count);
        }
    }
}
