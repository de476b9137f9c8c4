// A sort of long rows by digits, the least significant first. One kernel counts all digits of the keys, then one a digit
// moves the items of each tile: a digit's items go after those of smaller digits, of the tiles before, and of the same
// tile before them. What the tiles before have is read while other blocks still count them (Adinets and Merrill 2022,
// "Onesweep: a faster least significant digit radix sort for GPUs"). The pass of the highest digit in which keys differ
// writes the results, and those after it do nothing.

struct Args {
    u64 length;
    // Of a row: chunks that blocks count, elements of a chunk, tiles that blocks move.
    u64 chunks, chunk, tiles;
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
    // By row, pass and digit, of zeros at first.
    void* counts;
    // By row, tile and digit, of even passes and of odd ones: the first of zeros at first, and each pass clears the
    // next one's.
    void* posted[2];
    // The complement of the least key and the largest, of zeros at first.
    u64* range;
    // How many tiles blocks have taken, by pass, of zeros at first.
    u32* tickets;
    // By row: whether there is a -0.0, and a +0.0. Of zeros at first.
    u32* zeros;
};

// Where items come from.
enum { SOURCE, TAKEN, KEYS };
// What the last pass makes of them: elements from their words, positions, elements from the source, or places.
enum { TO_WORDS, TO_POSITIONS, TO_ELEMENTS, TO_PLACES };
struct Nothing {};
template <typename P> struct Carries { enum { PLACES = 1 }; };
template <> struct Carries<Nothing> { enum { PLACES = 0 }; };

// What is sorted by: keys in the order of the pattern where places go along, words otherwise.
template <typename T, bool PLACES, int PART> DEVICE typename Keyed<T>::Key key_of(T x) {
    if constexpr (PLACES) return Keyed<T>::template key<PART>(x);
    else return Keyed<T>::word(x);
}

// The highest digit in which keys differ; keys of two digits or fewer have a pass for each.
template <typename K> DEVICE u32 highest(const Args& a) {
    if (sizeof(K) <= 2) return sizeof(K) - 1;
    u64 differ = ~a.range[0] ^ a.range[1];
    u32 digit = 0;
    while (differ >>= DIGIT_BITS) digit++;
    return digit;
}

// Counters side by side, so that lanes of one digit do not wait for each other.
#define AHEAD 8
template <typename K> struct DigitCounts {
    enum { PASSES = sizeof(K), COPIES = PASSES == 8 ? 4 : PASSES == 4 ? 8 : 16 };
    u32 at[PASSES][DIGITS * COPIES];
};

template <typename T, bool PLACES, int PART, typename W>
DEVICE void count_digits(const Args& a, DigitCounts<typename Keyed<T>::Key>& shared) {
    typedef typename Keyed<T>::Key K;
    enum { PASSES = DigitCounts<K>::PASSES, COPIES = DigitCounts<K>::COPIES };
    const u64 row = block_x() / a.chunks, begin = (block_x() - row * a.chunks) * a.chunk;
    const u64 end = begin + a.chunk < a.length ? begin + a.chunk : a.length;
    const T* source = static_cast<const T*>(a.source) + (i64)row * a.step;
    for (u32 k = thread(); k < PASSES * DIGITS * COPIES; k += DIGITS) shared.at[0][k] = 0;
    barrier();
    K least = (K)~(K)0, most = 0;
    bool negative = false, positive = false;
    const auto take = [&](T x) {
        const K key = key_of<T, PLACES, PART>(x);
        least = key < least ? key : least;
        most = key > most ? key : most;
        if constexpr (Keyed<T>::ZEROS && !PLACES) {
            negative |= key == (K)(Keyed<T>::zero() - 1);
            positive |= key == Keyed<T>::zero();
        }
#pragma unroll
        for (u32 pass = 0; pass < PASSES; pass++) {
            atomic_add(&shared.at[pass][digit_of(key, pass * DIGIT_BITS) * COPIES + thread() % COPIES], (u32)1);
        }
    };
    u64 p = begin + thread();
    for (; p + (AHEAD - 1) * DIGITS < end; p += AHEAD * DIGITS) {
        T ahead[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) ahead[k] = source[p + k * DIGITS];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) take(ahead[k]);
    }
    for (; p < end; p += DIGITS) take(source[p]);
    barrier();
    W* counts = static_cast<W*>(a.counts) + row * (PASSES * DIGITS) + thread();
    for (u32 pass = 0; pass < PASSES; pass++) {
        u32 count = 0;
#pragma unroll
        for (u32 k = 0; k < COPIES; k++) count += shared.at[pass][thread() * COPIES + (k + thread()) % COPIES];
        if (count > 0) atomic_add(&counts[pass * DIGITS], (W)count);
    }
    if (PASSES > 2) {
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
    if constexpr (Keyed<T>::ZEROS && !PLACES) {
        const bool any[2] = { ballot(negative) != 0, ballot(positive) != 0 };
        if (thread() % LANES == 0) {
            if (any[0]) atomic_max(&a.zeros[2 * row], (u32)1);
            if (any[1]) atomic_max(&a.zeros[2 * row + 1], (u32)1);
        }
    }
}

// The items of a row in one pass: keys of T with places of type P, or words without. A pass that is not the last leaves
// keys and places for the next one.
template <typename T, typename P, int FROM, int TO, int PART> struct Row {
    typedef typename Keyed<T>::Key K;
    typedef P Place;
    enum { PLACES = Carries<P>::PLACES };
    // Whether this pass is the last.
    bool is_last;
    // The source's row, what the pass before left of the row, and what this one leaves.
    const T* source;
    const K* keys;
    const P* places;
    K* to_keys;
    P* to_places;
    T* out;
    i64* positions;

    DEVICE Row(const Args& a, u64 row, bool is_last) : is_last(is_last) {
        const u64 first = row * a.length;
        const bool odd = a.pass & 1;
        source = static_cast<const T*>(a.source) + (i64)row * a.step;
        keys = static_cast<const K*>(odd ? a.keys[0] : a.keys[1]) + first;
        places = static_cast<const P*>(FROM == TAKEN ? a.taken : odd ? a.places[0] : a.places[1]) + first;
        to_keys = static_cast<K*>(TO == TO_WORDS && is_last ? a.out : odd ? a.keys[1] : a.keys[0]) + first;
        to_places = static_cast<P*>(TO == TO_PLACES && is_last ? a.out : odd ? a.places[1] : a.places[0]) + first;
        out = static_cast<T*>(a.out) + first;
        positions = static_cast<i64*>(a.out) + first;
    }
    DEVICE u64 place(u64 k) const {
        if constexpr (PLACES && FROM != SOURCE) return places[k];
        else return k;
    }
    DEVICE K key(u64 k) const {
        if constexpr (FROM == KEYS) return keys[k];
        else return key_of<T, PLACES, PART>(source[FROM == TAKEN ? place(k) : k]);
    }
    // What becomes of a key, or of the word of an element, and of a place.
    DEVICE void put_key(u64 at, K key) const {
        if constexpr (TO == TO_WORDS) {
            to_keys[at] = is_last ? __builtin_bit_cast(K, Keyed<T>::of_word(key)) : key;
        } else {
            if (!is_last) to_keys[at] = key;
        }
    }
    DEVICE void put_place(u64 at, P place) const {
        if (TO == TO_POSITIONS && is_last) positions[at] = (i64)place;
        else if (TO == TO_ELEMENTS && is_last) out[at] = source[place];
        else to_places[at] = place;
    }
};

template <typename R, typename W, int EACH> struct MoveShared {
    u32 tile;
    Sums<DIGITS, W> sums;
    // Where a digit's items go, less their ranks.
    W to[DIGITS];
    // Keys, and after them places, in the order in which they leave.
    union {
        Ranks ranks;
        typename R::K keys[DIGITS * EACH];
        typename R::Place places[DIGITS * EACH];
    };
};

template <typename R, typename W, int EACH> DEVICE void move_items(const Args& a, MoveShared<R, W, EACH>& shared) {
    typedef typename R::K K;
    typedef typename R::Place P;
    const u32 last = highest<K>(a);
    if (a.pass > last) return;
    const u32 shift = (u32)a.pass * DIGIT_BITS;
    if (thread() == 0) shared.tile = atomic_add(&a.tickets[a.pass], (u32)1);
    barrier();
    const u32 tiles = (u32)a.tiles, number = shared.tile, row = number / tiles, tile = number - row * tiles;
    const R own(a, row, a.pass == last);
    const u64 begin = (u64)tile * (DIGITS * EACH), first = begin + item_of<EACH>(0);
    const bool whole = a.length - begin >= DIGITS * EACH;
    const u32 count = whole ? DIGITS * EACH : (u32)(a.length - begin);
    K keys[EACH];
    if (whole) {
#pragma unroll
        for (u32 i = 0; i < EACH; i++) keys[i] = own.key(first + i * LANES);
    } else {
        // Keys after the row come last.
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            keys[i] = item_of<EACH>(i) < count ? own.key(first + i * LANES) : (K)~(K)0;
        }
    }
    const u64 words = (u64)row * tiles * DIGITS + thread();
    W* posted = static_cast<W*>(a.posted[a.pass & 1]) + words;
    W* here = posted + (u64)tile * DIGITS;
    if (!own.is_last) (static_cast<W*>(a.posted[~a.pass & 1]) + words)[(u64)tile * DIGITS] = 0;
    // Of smaller digits, which the first tile counts in.
    W before = 0;
    if (tile == 0) {
        W total;
        const W* counts = static_cast<const W*>(a.counts) + ((u64)row * sizeof(K) + a.pass) * DIGITS;
        before = sum_before<DIGITS>(counts[thread()], total, shared.sums);
    }
    ItemRanks<EACH> ranks;
    u32 start;
    const auto digit = [&](u32 i) { return digit_of(keys[i], shift); };
    const u32 mine = rank_items<EACH>(digit, ranks, start, shared.ranks, [&](u32 count) {
        post(here, tile == 0 ? Posted<W>::all(before + count) : Posted<W>::one(count));
    });
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) shared.keys[ranks[i]] = keys[i];
    if (tile > 0) {
        before = look_back(posted, tile, DIGITS);
        post(here, Posted<W>::all(before + mine));
    }
    shared.to[thread()] = before - start;
    barrier();
    const auto place_of = [&](u32 digit, u32 item) { return (W)(shared.to[digit] + item); };
    if constexpr (!R::PLACES) {
#pragma unroll 4
        for (u32 i = 0; i < EACH; i++) {
            const u32 item = i * DIGITS + thread();
            if (item < count) {
                const K key = shared.keys[item];
                own.put_key(place_of(digit_of(key, shift), item), key);
            }
        }
    } else {
        P places[EACH];
        if (whole) {
#pragma unroll
            for (u32 i = 0; i < EACH; i++) places[i] = (P)own.place(first + i * LANES);
        } else {
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                places[i] = item_of<EACH>(i) < count ? (P)own.place(first + i * LANES) : 0;
            }
        }
        // The digits of what this thread writes, four a word.
        u32 digits[(EACH + 3) / 4] = {};
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u32 item = i * DIGITS + thread();
            if (item < count) {
                const K key = shared.keys[item];
                const u32 digit = digit_of(key, shift);
                digits[i / 4] |= digit << i % 4 * 8;
                own.put_key(place_of(digit, item), key);
            }
        }
        barrier();
#pragma unroll
        for (u32 i = 0; i < EACH; i++) shared.places[ranks[i]] = places[i];
        barrier();
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            const u32 item = i * DIGITS + thread();
            if (item < count) own.put_place(place_of(digits[i / 4] >> i % 4 * 8 & 0xff, item), shared.places[item]);
        }
    }
}
