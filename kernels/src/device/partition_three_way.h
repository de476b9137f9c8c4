// A stable three-way partition of a row by two limits.

struct Args {
    u64 count, blocks;
    const void* row;
    const void* low;
    const void* high;
    void* out;
    i64* counts;
    i64* ends;
};

// NaN is above, or within where nothing is above.
template <typename T> DEVICE Limits<T> limits_of(const Args& a) {
    typedef typename Keyed<T>::Key Key;
    return {
        a.low ? Keyed<T>::whole(*(const T*)a.low) : (Key)0,
        a.high ? Keyed<T>::whole(*(const T*)a.high) : (Key)~(Key)0,
    };
}

// Only a NaN has the last key of a float.
template <typename T> DEVICE bool no_number(T x) {
    typedef typename Keyed<T>::Key Key;
    return Keyed<T>::ZEROS && Keyed<T>::whole(x) == (Key)~(Key)0;
}

template <typename T> DEVICE void partition_three_way_count(const Args& a, PartsShared& shared) {
    const T* row = (const T*)a.row;
    const u64 first = first_of(block_x());
    u32 parts[EACH];
    parts_of(row, a.count, first, limits_of<T>(a), parts);
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    u32 own[COUNTS] = { 0, 0, 0, 0 };
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
#pragma unroll
        for (u32 part = 0; part < PARTS; part++) own[part] += ones(ballot(parts[k] == part));
        own[PARTS] += ones(ballot(parts[k] < PARTS && no_number(row[first + k * LANES])));
    }
    if (lane == 0) {
#pragma unroll
        for (u32 which = 0; which < COUNTS; which++) shared.totals[which][warp] = own[which];
    }
    barrier();
    if (thread() < COUNTS) {
        i64 total = 0;
        for (u32 w = 0; w < WARPS; w++) total += shared.totals[thread()][w];
        a.counts[thread() * a.blocks + block_x()] = total;
    }
}

template <typename T, bool POSITIONS> DEVICE void partition_three_way_write(const Args& a, PartsShared& shared) {
    i64 starts[PARTS];
#pragma unroll
    for (u32 part = 0; part < PARTS; part++) {
        const u64 at = part * a.blocks + block_x();
        starts[part] = at > 0 ? a.counts[at - 1] : 0;
    }
    write_parts<T, POSITIONS>((const T*)a.row, a.count, first_of(block_x()), limits_of<T>(a), starts, a.out, shared);
    if (block_x() == 0 && thread() < COUNTS) {
        const i64 end = a.counts[(thread() + 1) * a.blocks - 1];
        a.ends[thread()] = thread() == PARTS ? end - (i64)a.count : end;
    }
}
