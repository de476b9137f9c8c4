// What sorts by digits have in common: a block is DIGITS threads, one per digit, and has a tile of EACH items a thread.
// A thread's item `i` stands at item_of<EACH>(i) in the tile, so that lanes hold neighbours.

#define DIGIT_BITS 8
#define DIGITS 256
#define WARPS (DIGITS / LANES)

template <int EACH> DEVICE u32 item_of(u32 i) {
    return thread() / LANES * (LANES * EACH) + i * LANES + thread() % LANES;
}
template <typename K> DEVICE u32 digit_of(K key, u32 shift) { return (u32)(key >> shift) & (DIGITS - 1); }

struct Ranks {
    u32 before[WARPS][DIGITS];
    // The lanes of a warp that have the digit; zeros between two items.
    lane_mask peers[WARPS][DIGITS];
    Sums<DIGITS> sums;
};

// Places of a thread's items in the tile, two a word: registers decide how many blocks fit a processor.
template <int EACH> struct ItemRanks {
    u32 pairs[(EACH + 1) / 2];
    DEVICE void set(u32 i, u32 rank) { pairs[i / 2] = i % 2 == 0 ? rank : pairs[i / 2] | rank << 16; }
    DEVICE void add(u32 i, u32 count) { pairs[i / 2] += count << i % 2 * 16; }
    DEVICE u32 operator[](u32 i) const { return pairs[i / 2] >> i % 2 * 16 & 0xffff; }
};

// Where each of the thread's items goes when the tile is ordered by digits and then by its present order. Gives how
// many items have the thread's own digit, and `start`, where they start. `counted` is told that number as soon as it is
// known.
template <int EACH, typename Digit, typename Counted>
DEVICE u32 rank_items(const Digit& digit, ItemRanks<EACH>& ranks, u32& start, Ranks& shared, const Counted& counted) {
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    const lane_mask mine = (lane_mask)1 << lane, all = ~(lane_mask)0;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) {
        shared.before[w][thread()] = 0;
        shared.peers[w][thread()] = 0;
    }
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u32 own = digit(i);
        // Lanes that all have one digit would wait for each other at its mask.
        lane_mask peers = all;
        if (ballot(own == shuffle(own, 0)) != all) {
            atomic_or(&shared.peers[warp][own], mine);
            warp_barrier();
            peers = shared.peers[warp][own];
        }
        // The warp's counters are its own: all read, then the first of the peers writes.
        const u32 before = shared.before[warp][own], ahead = ones(peers & (mine - 1));
        warp_barrier();
        if (ahead == 0) {
            shared.before[warp][own] = before + ones(peers);
            shared.peers[warp][own] = 0;
        }
        warp_barrier();
        ranks.set(i, before + ahead);
    }
    barrier();
    u32 count = 0;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) {
        const u32 here = shared.before[w][thread()];
        shared.before[w][thread()] = count;
        count += here;
    }
    counted(count);
    u32 total;
    start = sum_before<DIGITS>(count, total, shared.sums);
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) shared.before[w][thread()] += start;
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) ranks.add(i, shared.before[warp][digit(i)]);
    return count;
}
