// One pass of a sort of long rows by digits, the least significant first: a kernel counts the digits of each chunk (some
// tiles of a row), the counts are scanned, a kernel moves items to their places. Passes from the second on whose digits, and
// all above, are the same in all keys do nothing; the last one always writes the results.

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
    // Does this pass find out which digits differ?
    enum { PLACES = Carries<P>::PLACES, RANGED = FROM != KEYS && sizeof(K) > 2 };
    const Args& a;
    u64 row, begin, end;
    u32 shift, held;
    bool idle;

    DEVICE Chunk(const Args& args) : a(args) {
        row = block_x() / a.chunks;
        begin = (block_x() - row * a.chunks) * a.chunk;
        end = begin + a.chunk < a.length ? begin + a.chunk : a.length;
        shift = (u32)a.pass * DIGIT_BITS;
        held = 0;
        idle = false;
        if (FROM == KEYS) {
            const u32 top = highest<K>(a), before = (u32)a.pass - 1;
            held = (before < top ? before : top) & 1;
            idle = TO == TO_KEYS && a.pass > top;
        }
    }
    // The chunk's count of a digit.
    DEVICE u64 at(u32 digit) const { return (row * DIGITS + digit) * a.chunks + block_x() - row * a.chunks; }
    DEVICE T element(u64 place) const { return static_cast<const T*>(a.source)[(i64)row * a.step + (i64)place]; }
    DEVICE u64 place(u64 k) const {
        if (FROM == SOURCE) return k;
        const void* places = FROM == TAKEN ? a.taken : a.places[held];
        if constexpr (PLACES) return static_cast<const P*>(places)[row * a.length + k];
        else return k;
    }
    DEVICE K key(u64 k) const {
        if (FROM == KEYS) return static_cast<const K*>(a.keys[held])[row * a.length + k];
        const T x = element(FROM == TAKEN ? place(k) : k);
        if constexpr (PLACES) return Keyed<T>::template key<PART>(x);
        else return Keyed<T>::word(x);
    }
    DEVICE void put(u64 to, K key, P place) const {
        if constexpr (TO == TO_KEYS) {
            static_cast<K*>(a.keys[a.pass & 1])[to] = key;
            if constexpr (PLACES) static_cast<P*>(a.places[a.pass & 1])[to] = place;
        }
        if constexpr (TO == TO_WORDS) static_cast<T*>(a.out)[to] = Keyed<T>::of_word(key);
        if constexpr (TO == TO_POSITIONS) static_cast<i64*>(a.out)[to] = (i64)place;
        if constexpr (TO == TO_ELEMENTS) static_cast<T*>(a.out)[to] = element(place);
        if constexpr (TO == TO_PLACES) static_cast<P*>(a.out)[to] = place;
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
    for (u64 base = chunk.begin; base < chunk.end && !chunk.idle; base += DIGITS * AHEAD) {
        K keys[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            const u64 p = base + k * DIGITS + thread();
            if (p < chunk.end) keys[k] = chunk.key(p);
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            if (base + k * DIGITS + thread() < chunk.end) {
                least = keys[k] < least ? keys[k] : least;
                most = keys[k] > most ? keys[k] : most;
                atomic_add(&counts[digit_of(keys[k], chunk.shift) * COPIES + thread() % COPIES], (u32)1);
            }
        }
    }
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

template <typename K, typename P, int EACH> struct Items {
    K keys[DIGITS * EACH];
    P places[Carries<P>::PLACES ? DIGITS * EACH : 1];
};
template <typename C, int EACH> struct MoveRoom {
    // Where a digit's items go, less their ranks.
    u64 to[DIGITS];
    union {
        Ranks ranks;
        Items<typename C::K, typename C::Place, EACH> items;
    };
};

template <typename C, int EACH> DEVICE void move_items(const Args& a, MoveRoom<C, EACH>& room) {
    typedef typename C::K K;
    typedef typename C::Place P;
    const C chunk(a);
    if (chunk.idle) return;
    const u64 mine = chunk.at(thread());
    u64 next = mine > 0 ? (u64)a.counts[mine - 1] : 0;
    for (u64 base = chunk.begin; base < chunk.end; base += DIGITS * EACH) {
        const u32 count = chunk.end - base < DIGITS * EACH ? (u32)(chunk.end - base) : DIGITS * EACH;
        K keys[EACH];
        P places[EACH];
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            // Reads without a condition are under way together; what stands behind the chunk comes last.
            const u32 item = item_of<EACH>(i);
            const u64 at = base + (item < count ? item : 0);
            const K key = chunk.key(at);
            keys[i] = item < count ? key : (K)~(K)0;
            if constexpr (C::PLACES) places[i] = (P)chunk.place(at);
        }
        u32 ranks[EACH], start;
        const auto digit = [&](u32 i) { return digit_of(keys[i], chunk.shift); };
        const u32 own = rank_items<EACH>(digit, ranks, start, room.ranks);
        room.to[thread()] = next - start;
        next += own;
        barrier();
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            room.items.keys[ranks[i]] = keys[i];
            if constexpr (C::PLACES) room.items.places[ranks[i]] = places[i];
        }
        barrier();
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u32 item = i * DIGITS + thread();
            if (item < count) {
                const K key = room.items.keys[item];
                P place{};
                if constexpr (C::PLACES) place = room.items.places[item];
                chunk.put(room.to[digit_of(key, chunk.shift)] + item, key, place);
            }
        }
        barrier();
    }
}
