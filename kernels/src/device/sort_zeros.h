// Words order -0.0 before +0.0, the pattern does not: where a sorted row has both, the zeros of the source are written
// again, as they stand there. Blocks are of DIGITS threads, and take chunks in order.

struct Args {
    u64 length;
    // Chunks of a row, elements of a chunk.
    u64 chunks, chunk;
    i64 step;
    const void* source;
    void* out;
    // By row: whether there is a -0.0, and a +0.0.
    const u32* zeros;
    // By row: how many chunks blocks have taken; by row and chunk: how many zeros. Of zeros at first.
    u32* tickets;
    void* posted;
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

template <typename W> struct ZerosShared {
    Sums<DIGITS> sums;
    u32 chunk;
    W before;
};

template <typename T, typename W> DEVICE void zeros(const Args& a, ZerosShared<W>& shared) {
    const u64 row = block_x() / a.chunks;
    if (a.zeros[2 * row] == 0 || a.zeros[2 * row + 1] == 0) return;
    if (thread() == 0) shared.chunk = atomic_add(&a.tickets[row], (u32)1);
    barrier();
    const u32 chunk = shared.chunk;
    const u64 begin = chunk * a.chunk, end = begin + a.chunk < a.length ? begin + a.chunk : a.length;
    const T* from = static_cast<const T*>(a.source) + (i64)row * a.step;
    T* to = static_cast<T*>(a.out) + row * a.length;
    const auto is_zero = [&](u64 p) { return p < end && Keyed<T>::whole(from[p]) == Keyed<T>::zero(); };
    u32 own = 0, total;
    for (u64 p = begin + thread(); p < end; p += DIGITS) own += is_zero(p) ? 1 : 0;
    sum_before<DIGITS>(own, total, shared.sums);
    if (thread() == 0) {
        W* posted = static_cast<W*>(a.posted) + row * a.chunks;
        if (chunk > 0) post(&posted[chunk], Posted<W>::one(total));
        shared.before = look_back(posted, chunk, 1);
        post(&posted[chunk], Posted<W>::all(shared.before + total));
    }
    to += below<T>(to, a.length, (typename Keyed<T>::Key)(Keyed<T>::zero() - 1), shared.sums);
    barrier();
    to += shared.before;
    for (u64 base = begin; base < end; base += DIGITS) {
        const bool zero = is_zero(base + thread());
        const u32 rank = sum_before<DIGITS>(zero ? 1 : 0, total, shared.sums);
        if (zero) to[rank] = from[base + thread()];
        to += total;
    }
}
