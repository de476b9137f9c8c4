// Rows in three parts, each in the order in which its elements stand. A warp has neighbours, a lane every LANES-th of
// them: EACH a thread. In front of it stand keys, THREADS of a block and EACH.

enum { WARPS = THREADS / LANES, PARTS = 3, COUNTS = 4, TILE = THREADS * EACH };

struct PartsShared {
    u32 totals[COUNTS][WARPS];
};

// Below, within, above, by keys.
template <typename T> struct Limits {
    typename Keyed<T>::Key low, high;
    DEVICE u32 part(T x) const {
        const typename Keyed<T>::Key key = Keyed<T>::whole(x);
        return key < low ? 0 : key > high ? 2 : 1;
    }
};

// Where a thread's elements of a tile begin.
DEVICE u64 first_of(u64 tile) {
    return tile * TILE + thread() / LANES * (LANES * EACH) + thread() % LANES;
}

// The parts of a thread's elements; PARTS where there is no element.
template <typename T>
DEVICE void parts_of(const T* row, u64 count, u64 first, const Limits<T>& limits, u32 (&parts)[EACH]) {
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        const u64 p = first + k * LANES;
        parts[k] = p < count ? limits.part(row[p]) : (u32)PARTS;
    }
}

// Writes a tile, whose parts go to `starts`, and moves these past them. All threads of the block come here.
template <typename T, bool POSITIONS>
DEVICE void write_parts(const T* row, u64 count, u64 first, const Limits<T>& limits, i64 (&starts)[PARTS], void* out,
                        PartsShared& shared) {
    u32 parts[EACH];
    parts_of(row, count, first, limits, parts);
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    const lane_mask before = ((lane_mask)1 << lane) - 1;
    lane_mask with[PARTS][EACH];
    barrier();
#pragma unroll
    for (u32 part = 0; part < PARTS; part++) {
        u32 own = 0;
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            with[part][k] = ballot(parts[k] == part);
            own += ones(with[part][k]);
        }
        if (lane == 0) shared.totals[part][warp] = own;
    }
    barrier();
#pragma unroll
    for (u32 part = 0; part < PARTS; part++) {
        i64 to = 0;
        for (u32 w = 0; w < WARPS; w++) {
            if (w == warp) to = starts[part];
            starts[part] += shared.totals[part][w];
        }
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            if (parts[k] == part) {
                const u64 p = first + k * LANES;
                const i64 place = to + ones(with[part][k] & before);
                if (POSITIONS) ((i64*)out)[place] = (i64)p;
                else ((T*)out)[place] = row[p];
            }
            to += ones(with[part][k]);
        }
    }
}
