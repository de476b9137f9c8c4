// Rows divided at two limits.

struct Args {
    u64 count, blocks;
    const void* row;
    const void* low;
    const void* high;
    void* out;
    i64* counts;
    i64* ends;
};

enum { WARPS = THREADS / LANES, PARTS = 3, COUNTS = 4 };

struct DivideRoom {
    u32 totals[COUNTS][WARPS];
};

// Below, within, above; NaN is above, or within where nothing is above.
template <typename T> struct Limits {
    typedef typename Keyed<T>::Key Key;
    Key low, high;
    DEVICE Limits(const Args& a) {
        low = a.low ? Keyed<T>::whole(*(const T*)a.low) : (Key)0;
        high = a.high ? Keyed<T>::whole(*(const T*)a.high) : (Key)~(Key)0;
    }
    DEVICE u32 part(T x) const {
        const Key key = Keyed<T>::whole(x);
        return key < low ? 0 : key > high ? 2 : 1;
    }
};

// Only a NaN has the last key of a float.
template <typename T> DEVICE bool no_number(T x) {
    typedef typename Keyed<T>::Key Key;
    return Keyed<T>::ZEROS && Keyed<T>::whole(x) == (Key)~(Key)0;
}

// The parts of a thread's elements, whose neighbours its warp's lanes have; PARTS where there is no element.
template <typename T> DEVICE void parts_of(const Args& a, u64 first, u32 (&parts)[EACH], bool (&nans)[EACH]) {
    const Limits<T> limits(a);
    const T* row = (const T*)a.row;
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        const u64 p = first + k * LANES;
        parts[k] = PARTS;
        nans[k] = false;
        if (p < a.count) {
            const T x = row[p];
            parts[k] = limits.part(x);
            nans[k] = no_number(x);
        }
    }
}

DEVICE u64 first_of() {
    return (u64)block_x() * (THREADS * EACH) + thread() / LANES * (LANES * EACH) + thread() % LANES;
}

template <typename T> DEVICE void divide_count(const Args& a, DivideRoom& room) {
    u32 parts[EACH];
    bool nans[EACH];
    parts_of<T>(a, first_of(), parts, nans);
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    u32 own[COUNTS] = { 0, 0, 0, 0 };
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
#pragma unroll
        for (u32 part = 0; part < PARTS; part++) own[part] += ones(ballot(parts[k] == part));
        own[PARTS] += ones(ballot(nans[k]));
    }
    if (lane == 0) {
#pragma unroll
        for (u32 which = 0; which < COUNTS; which++) room.totals[which][warp] = own[which];
    }
    barrier();
    if (thread() < COUNTS) {
        i64 total = 0;
        for (u32 w = 0; w < WARPS; w++) total += room.totals[thread()][w];
        a.counts[thread() * a.blocks + block_x()] = total;
    }
}

template <typename T, bool POSITIONS> DEVICE void divide_write(const Args& a, DivideRoom& room) {
    u32 parts[EACH];
    bool nans[EACH];
    const u64 first = first_of();
    parts_of<T>(a, first, parts, nans);
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    const lane_mask before = ((lane_mask)1 << lane) - 1;
    lane_mask with[PARTS][EACH];
#pragma unroll
    for (u32 part = 0; part < PARTS; part++) {
        u32 own = 0;
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            with[part][k] = ballot(parts[k] == part);
            own += ones(with[part][k]);
        }
        if (lane == 0) room.totals[part][warp] = own;
    }
    barrier();
#pragma unroll
    for (u32 part = 0; part < PARTS; part++) {
        const u64 at = part * a.blocks + block_x();
        i64 to = at > 0 ? a.counts[at - 1] : 0;
        for (u32 w = 0; w < warp; w++) to += room.totals[part][w];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            if (parts[k] == part) {
                const u64 p = first + k * LANES;
                const i64 place = to + ones(with[part][k] & before);
                if (POSITIONS) ((i64*)a.out)[place] = (i64)p;
                else ((T*)a.out)[place] = ((const T*)a.row)[p];
            }
            to += ones(with[part][k]);
        }
    }
    if (block_x() == 0 && thread() < COUNTS) {
        const i64 end = a.counts[(thread() + 1) * a.blocks - 1];
        a.ends[thread()] = thread() == PARTS ? end - (i64)a.count : end;
    }
}
