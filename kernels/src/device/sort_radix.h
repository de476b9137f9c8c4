// One pass of a sort of long rows by digits, the least significant first: a kernel counts the digits of each chunk
// (some tiles of a row), the counts are scanned, a kernel moves items to their places. Passes from the second on whose
// digits, and all above, are the same in all keys do nothing, but that the last one copies.

struct Args {
    u64 length;
    // Chunks of a row, elements of a chunk.
    u64 chunks, chunk;
    // The number of this pass.
    u64 pass;
    // The source, its rows' step; in which order to take it, if it is not its own.
    i64 step;
    const void* source;
    const void* taken;
    // Keys and places between passes: even ones write the first, odd ones the second.
    void* keys[2];
    void* places[2];
    void* out;
    // By row, digit and chunk.
    i64* counts;
    // The complement of the least key and the largest, of zeros at first.
    u64* range;
};

// Where items come from.
enum { SOURCE, TAKEN, KEYS };
// What becomes of them.
enum { TO_KEYS, TO_WORDS, TO_POSITIONS, TO_ELEMENTS, TO_PLACES };
struct Nothing {};
template <typename P> struct Carries { enum { PLACES = 1 }; };
template <> struct Carries<Nothing> { enum { PLACES = 0 }; };

// The highest digit in which keys differ; with two digits or fewer no pass is between the first and the last.
template <typename K> DEVICE u32 highest(const Args& a) {
    if (sizeof(K) <= 2) return sizeof(K) - 1;
    u64 differ = ~a.range[0] ^ a.range[1];
    u32 digit = 0;
    while (differ >>= DIGIT_BITS) digit++;
    return digit;
}

// The items of a chunk: keys of type K in the order of the pattern, with places of type P, or words without.
template <typename T, typename P, int FROM, int TO, int PART> struct Chunk {
    typedef typename Keyed<T>::Key K;
    typedef P Place;
    // Whether this pass determines which digits differ.
    enum { PLACES = Carries<P>::PLACES, RANGED = FROM != KEYS && sizeof(K) > 2, LAST = TO != TO_KEYS };
    // The source's row, what the pass before left of the row, and what this one leaves.
    const T* source;
    const K* keys;
    const P* places;
    void* to;
    P* to_places;
    u64 row, begin, end, first_count, chunks;
    u32 shift;
    bool idle;

    DEVICE Chunk(const Args& a) {
        row = block_x() / a.chunks;
        chunks = a.chunks;
        const u64 chunk = block_x() - row * chunks;
        first_count = row * DIGITS * chunks + chunk;
        begin = chunk * a.chunk;
        end = begin + a.chunk < a.length ? begin + a.chunk : a.length;
        shift = (u32)a.pass * DIGIT_BITS;
        source = static_cast<const T*>(a.source) + (i64)row * a.step;
        idle = false;
        bool odd = false;
        if (FROM == KEYS) {
            const u32 top = highest<K>(a), before = (u32)a.pass - 1;
            odd = (before < top ? before : top) & 1;
            idle = a.pass > top;
        }
        keys = static_cast<const K*>(odd ? a.keys[1] : a.keys[0]) + row * a.length;
        const void* before = odd ? a.places[1] : a.places[0];
        places = static_cast<const P*>(FROM == TAKEN ? a.taken : before) + row * a.length;
        void* next = a.pass & 1 ? a.keys[1] : a.keys[0];
        to = TO == TO_KEYS ? next : a.out;
        to_places = static_cast<P*>(a.pass & 1 ? a.places[1] : a.places[0]);
    }
    // The chunk's count of a digit.
    DEVICE u64 at(u32 digit) const { return first_count + digit * chunks; }
    DEVICE u64 place(u64 k) const {
        if constexpr (PLACES && FROM != SOURCE) return places[k];
        else return k;
    }
    DEVICE K key(u64 k) const {
        if (FROM == KEYS) return keys[k];
        const T x = source[FROM == TAKEN ? place(k) : k];
        if constexpr (PLACES) return Keyed<T>::template key<PART>(x);
        else return Keyed<T>::word(x);
    }
    // What becomes of a key, or of an element that stands for itself, and of a place.
    DEVICE void put_key(u64 at, K key) const {
        if constexpr (TO == TO_KEYS) static_cast<K*>(to)[at] = key;
        if constexpr (TO == TO_WORDS) static_cast<T*>(to)[at] = Keyed<T>::of_word(key);
    }
    DEVICE void put_place(u64 at, P place) const {
        if constexpr (TO == TO_KEYS) to_places[at] = place;
        if constexpr (TO == TO_POSITIONS) static_cast<i64*>(to)[at] = (i64)place;
        if constexpr (TO == TO_ELEMENTS) static_cast<T*>(to)[at] = source[place];
        if constexpr (TO == TO_PLACES) static_cast<P*>(to)[at] = place;
    }
};

// Counters side by side, so that lanes of one digit do not wait for each other.
#define COPIES 16
#define AHEAD 8

template <typename C> DEVICE void count_digits(const Args& a, u32 (&counts)[DIGITS * COPIES]) {
    typedef typename C::K K;
    const C chunk(a);
#pragma unroll
    for (u32 k = 0; k < COPIES; k++) counts[k * DIGITS + thread()] = 0;
    barrier();
    K least = (K)~(K)0, most = 0;
    const auto take = [&](K key) {
        least = key < least ? key : least;
        most = key > most ? key : most;
        atomic_add(&counts[digit_of(key, chunk.shift) * COPIES + thread() % COPIES], (u32)1);
    };
    u64 p = chunk.begin + thread();
    const u64 end = chunk.idle ? p : chunk.end;
    for (; p + (AHEAD - 1) * DIGITS < end; p += AHEAD * DIGITS) {
        K keys[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) keys[k] = chunk.key(p + k * DIGITS);
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) take(keys[k]);
    }
    for (; p < end; p += DIGITS) take(chunk.key(p));
    barrier();
    u32 count = 0;
#pragma unroll
    for (u32 k = 0; k < COPIES; k++) count += counts[thread() * COPIES + (k + thread()) % COPIES];
    a.counts[chunk.at(thread())] = count;
    if (C::RANGED) {
        u64 low = ~(u64)least, high = most;
#pragma unroll
        for (u32 step = LANES / 2; step > 0; step /= 2) {
            const u64 other_low = shuffle_down(low, step), other_high = shuffle_down(high, step);
            low = other_low > low ? other_low : low;
            high = other_high > high ? other_high : high;
        }
        if (thread() % LANES == 0) {
            atomic_max(&a.range[0], low);
            atomic_max(&a.range[1], high);
        }
    }
}

template <typename C, int EACH> struct MoveShared {
    // Where a digit's items go, less their ranks.
    u64 to[DIGITS];
    // Keys, and after them places, in the order in which they leave.
    union {
        Ranks ranks;
        typename C::K keys[DIGITS * EACH];
        typename C::Place places[DIGITS * EACH];
    };
};

template <typename C, int EACH> DEVICE void move_items(const Args& a, MoveShared<C, EACH>& shared) {
    typedef typename C::K K;
    typedef typename C::Place P;
    const C chunk(a);
    if (chunk.idle) {
#pragma unroll 4
        for (u64 p = chunk.begin + thread(); C::LAST && p < chunk.end; p += DIGITS) {
            const u64 at = chunk.row * a.length + p;
            chunk.put_key(at, chunk.key(p));
            if constexpr (C::PLACES) chunk.put_place(at, (P)chunk.place(p));
        }
        return;
    }
    const u64 mine = chunk.at(thread());
    u64 next = mine > 0 ? (u64)a.counts[mine - 1] : 0;
    for (u64 base = chunk.begin; base < chunk.end; base += DIGITS * EACH) {
        const u32 count = chunk.end - base < DIGITS * EACH ? (u32)(chunk.end - base) : DIGITS * EACH;
        const u64 first = base + item_of<EACH>(0);
        const bool whole = count == DIGITS * EACH;
        K keys[EACH];
        if (whole) {
#pragma unroll
            for (u32 i = 0; i < EACH; i++) keys[i] = chunk.key(first + i * LANES);
        } else {
            // Keys after the chunk come last.
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                keys[i] = item_of<EACH>(i) < count ? chunk.key(first + i * LANES) : (K)~(K)0;
            }
        }
        u32 ranks[EACH], start;
        const auto digit = [&](u32 i) { return digit_of(keys[i], chunk.shift); };
        const u32 own = rank_items<EACH>(digit, ranks, start, shared.ranks);
        shared.to[thread()] = next - start;
        next += own;
        barrier();
#pragma unroll
        for (u32 i = 0; i < EACH; i++) shared.keys[ranks[i]] = keys[i];
        if constexpr (!C::PLACES) {
            barrier();
#pragma unroll 4
            for (u32 i = 0; i < EACH; i++) {
                const u32 item = i * DIGITS + thread();
                if (item < count) {
                    const K key = shared.keys[item];
                    chunk.put_key(shared.to[digit_of(key, chunk.shift)] + item, key);
                }
            }
        } else {
            P places[EACH];
            if (whole) {
#pragma unroll
                for (u32 i = 0; i < EACH; i++) places[i] = (P)chunk.place(first + i * LANES);
            } else {
#pragma unroll
                for (u32 i = 0; i < EACH; i++) {
                    places[i] = item_of<EACH>(i) < count ? (P)chunk.place(first + i * LANES) : 0;
                }
            }
            barrier();
            // The digits of what this thread writes, four a word.
            u32 digits[(EACH + 3) / 4] = {};
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                const u32 item = i * DIGITS + thread();
                if (item < count) {
                    const K key = shared.keys[item];
                    const u32 own = digit_of(key, chunk.shift);
                    digits[i / 4] |= own << i % 4 * 8;
                    chunk.put_key(shared.to[own] + item, key);
                }
            }
            barrier();
#pragma unroll
            for (u32 i = 0; i < EACH; i++) shared.places[ranks[i]] = places[i];
            barrier();
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                const u32 item = i * DIGITS + thread();
                if (item < count) {
                    chunk.put_place(shared.to[digits[i / 4] >> i % 4 * 8 & 0xff] + item, shared.places[item]);
                }
            }
        }
        barrier();
    }
}
