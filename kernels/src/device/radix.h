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
    Sums<DIGITS> sums;
};

// The lanes of the warp that have this digit too.
DEVICE lane_mask peers_of(u32 digit) {
    lane_mask peers = ~(lane_mask)0;
#pragma unroll
    for (u32 bit = 0; bit < DIGIT_BITS; bit++) {
        const bool set = digit >> bit & 1;
        peers &= ballot(set) ^ (set ? 0 : ~(lane_mask)0);
    }
    return peers;
}

// Where each of the thread's items goes when the tile is ordered by digits and then by its present order. Gives how
// many items have the thread's own digit, and `start`, where they start.
template <int EACH, typename Digit>
DEVICE u32 rank_items(const Digit& digit, u32 (&ranks)[EACH], u32& start, Ranks& shared) {
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    const lane_mask below = ((lane_mask)1 << lane) - 1;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) shared.before[w][thread()] = 0;
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u32 own = digit(i);
        const lane_mask peers = peers_of(own);
        // The warp's counters are its own: all read, then the first of the peers writes.
        const u32 before = shared.before[warp][own], ahead = ones(peers & below);
        warp_barrier();
        if (ahead == 0) shared.before[warp][own] = before + ones(peers);
        warp_barrier();
        ranks[i] = before + ahead;
    }
    barrier();
    u32 count = 0;
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) {
        const u32 here = shared.before[w][thread()];
        shared.before[w][thread()] = count;
        count += here;
    }
    u32 total;
    start = sum_before<DIGITS>(count, total, shared.sums);
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) shared.before[w][thread()] += start;
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) ranks[i] += shared.before[warp][digit(i)];
    return count;
}
