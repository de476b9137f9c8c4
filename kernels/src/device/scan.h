// A scan of a chunk by the canonical plan: 128 segments of 32 neighbours, one thread per segment. The elements lie in
// shared memory, part by part, with one word of padding after each segment against bank conflicts.

#define SEGMENT 32
#define SEGMENTS 128
#define PLACE(p) ((p) / SEGMENT * (SEGMENT + 1) + (p) % SEGMENT)
#define PLACES (SEGMENTS * (SEGMENT + 1))

// The inclusive scan of the segments' totals; `count` of them hold something.
template <typename S> DEVICE void scan_totals(S* totals, u32 lane, u32 count, u64& error) {
    for (u32 step = 1; step < SEGMENTS; step *= 2) {
        barrier();
        const S own = totals[lane < count ? lane : 0];
        const S before = totals[lane >= step && lane < count ? lane - step : 0];
        barrier();
        if (lane >= step && lane < count) totals[lane] = combine(before, own, error);
    }
    barrier();
}
