// Words order -0.0 before +0.0, the pattern does not: where a sorted row has both, the zeros of the source are written
// again, as they stand there. Blocks are of DIGITS threads.

struct Args {
    u64 length;
    // Chunks of a row, elements of a chunk.
    u64 chunks, chunk;
    i64 step;
    const void* source;
    void* out;
    // By row: where its zeros begin, or -1 if nothing is to be done.
    i64* begins;
    // By row and chunk: how many zeros; for `write` the running sums.
    i64* counts;
};

// How many elements of a sorted row have words below the bound. Every thread of the block comes here.
template <typename T> DEVICE u64 below(const T* row, u64 length, typename Keyed<T>::Key bound, Sums<DIGITS>& sums) {
    u64 begin = 0, end = length;
    while (begin < end) {
        const u64 step = (end - begin + DIGITS - 1) / DIGITS, probe = begin + thread() * step;
        const bool is_below = probe < end && Keyed<T>::word(row[probe]) < bound;
        u32 total;
        sum_before<DIGITS>(is_below ? 1 : 0, total, sums);
        if (total == 0) return begin;
        const u64 last = begin + (total - 1) * step;
        begin = last + 1;
        end = last + step < end ? last + step : end;
    }
    return begin;
}

// A block a row.
template <typename T> DEVICE void look(const Args& a, Sums<DIGITS>& sums) {
    typedef typename Keyed<T>::Key K;
    const T* row = static_cast<const T*>(a.out) + (u64)block_x() * a.length;
    const K zero = Keyed<T>::zero();
    const u64 negative = below<T>(row, a.length, (K)(zero - 1), sums), positive = below<T>(row, a.length, zero, sums);
    const bool mixed = negative < positive && below<T>(row, a.length, (K)(zero + 1), sums) > positive;
    if (thread() == 0) a.begins[block_x()] = mixed ? (i64)negative : -1;
}

// The block's chunk of the source.
template <typename T> struct Stretch {
    u64 row, begin, end;
    const T* from;
    DEVICE Stretch(const Args& a) {
        row = block_x() / a.chunks;
        begin = (block_x() - row * a.chunks) * a.chunk;
        end = begin + a.chunk < a.length ? begin + a.chunk : a.length;
        from = static_cast<const T*>(a.source) + (i64)row * a.step;
    }
    DEVICE bool zero(u64 p) const { return p < end && Keyed<T>::whole(from[p]) == Keyed<T>::zero(); }
};

template <typename T> DEVICE void count(const Args& a, Sums<DIGITS>& sums) {
    const Stretch<T> chunk(a);
    u32 own = 0, total = 0;
    if (a.begins[chunk.row] >= 0) {
        for (u64 p = chunk.begin + thread(); p < chunk.end; p += DIGITS) own += chunk.zero(p) ? 1 : 0;
        sum_before<DIGITS>(own, total, sums);
    }
    if (thread() == 0) a.counts[block_x()] = total;
}

template <typename T> DEVICE void write(const Args& a, Sums<DIGITS>& sums) {
    const Stretch<T> chunk(a);
    if (a.begins[chunk.row] < 0) return;
    const u64 first = chunk.row * a.chunks;
    const i64 before = (block_x() > 0 ? a.counts[block_x() - 1] : 0) - (first > 0 ? a.counts[first - 1] : 0);
    T* to = static_cast<T*>(a.out) + (chunk.row * a.length + a.begins[chunk.row] + before);
    for (u64 base = chunk.begin; base < chunk.end; base += DIGITS) {
        const bool zero = chunk.zero(base + thread());
        u32 total;
        const u32 rank = sum_before<DIGITS>(zero ? 1 : 0, total, sums);
        if (zero) to[rank] = chunk.from[base + thread()];
        to += total;
    }
}
