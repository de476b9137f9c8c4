// Rows sorted in shared memory: a block takes as many as fit its tile, sorts (key, place in the tile) by the
// digits of the keys that differ, then by row, and writes what the places name.

struct Args {
    u64 rows, length, together;
    i64 step;
    Divisor by_length;
    const void* source;
    void* out;
};

template <typename K, int EACH> union BlockSortShared {
    Ranks ranks;
    K keys[DIGITS * EACH];
    u16 places[DIGITS * EACH];
    u64 differ[WARPS];
};

// One pass over items in registers, all of which stay in the block.
template <typename K, int EACH, typename Digit>
DEVICE void block_pass(const Digit& digit, K (&keys)[EACH], u32 (&places)[EACH], BlockSortShared<K, EACH>& shared) {
    ItemRanks<EACH> ranks;
    u32 start;
    rank_items<EACH>(digit, ranks, start, shared.ranks, [](u32) {});
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) shared.keys[ranks[i]] = keys[i];
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) keys[i] = shared.keys[item_of<EACH>(i)];
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) shared.places[ranks[i]] = (u16)places[i];
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) places[i] = shared.places[item_of<EACH>(i)];
    barrier();
}

// The bits in which keys of the block differ; keys from `count` on are ignored.
template <typename K, int EACH>
DEVICE u64 differing(const K (&keys)[EACH], const u32 (&places)[EACH], u32 count, BlockSortShared<K, EACH>& shared) {
    if (thread() == 0) shared.keys[0] = keys[0];
    barrier();
    const K first = shared.keys[0];
    u64 own = 0;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) own |= places[i] < count ? (u64)(K)(keys[i] ^ first) : 0;
#pragma unroll
    for (u32 step = LANES / 2; step > 0; step /= 2) own |= shuffle_down(own, step);
    barrier();
    if (thread() % LANES == 0) shared.differ[thread() / LANES] = own;
    barrier();
    own = 0;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) own |= shared.differ[w];
    barrier();
    return own;
}

template <typename T, int EACH, typename Source> struct BlockSortRows {
    typedef typename Keyed<T>::Key K;
    const Source& source;
    u32 count;

    template <int PART> DEVICE void part(K (&keys)[EACH], u32 (&places)[EACH], BlockSortShared<K, EACH>& shared) const {
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            keys[i] = places[i] < count ? Keyed<T>::template key<PART>(source(places[i])) : (K)~(K)0;
        }
        const u64 differ = differing<K, EACH>(keys, places, count, shared);
        for (u32 shift = 0; shift < 8 * sizeof(K); shift += DIGIT_BITS) {
            if (digit_of(differ, shift) == 0) continue;
            block_pass<K, EACH>([&](u32 i) { return digit_of(keys[i], shift); }, keys, places, shared);
        }
    }
};

template <typename T, bool POSITIONS, int EACH>
DEVICE void block_sort_rows(const Args& a, BlockSortShared<typename Keyed<T>::Key, EACH>& shared) {
    typedef typename Keyed<T>::Key K;
    const u32 length = (u32)a.length;
    const u64 first = (u64)block_x() * a.together, left = a.rows - first;
    const u32 rows = (u32)(left < a.together ? left : a.together), count = rows * length;
    const T* from = static_cast<const T*>(a.source);
    const auto source = [&](u32 place) -> T {
        const u32 row = divide(place, a.by_length);
        return from[(i64)(first + row) * a.step + (place - row * length)];
    };
    K keys[EACH];
    u32 places[EACH];
#pragma unroll
    for (u32 i = 0; i < EACH; i++) places[i] = item_of<EACH>(i);
    const BlockSortRows<T, EACH, decltype(source)> sorted{ source, count };
    sorted.template part<0>(keys, places, shared);
    if (Keyed<T>::PARTS > 1) sorted.template part<Keyed<T>::PARTS - 1>(keys, places, shared);
    if (rows > 1) {
        // Keys after the last row stay there: they are last already.
        const auto row_of = [&](u32 i) {
            const u32 row = divide(places[i], a.by_length);
            return row < DIGITS ? row : DIGITS - 1;
        };
        block_pass<K, EACH>(row_of, keys, places, shared);
    }
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u32 to = item_of<EACH>(i);
        if (to < count) {
            const u32 place = places[i];
            if (POSITIONS) {
                static_cast<i64*>(a.out)[first * length + to] = place - divide(place, a.by_length) * length;
            } else {
                static_cast<T*>(a.out)[first * length + to] = source(place);
            }
        }
    }
}
