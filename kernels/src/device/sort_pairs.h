// A sort of one long row of keys of four bytes, by which two words a key go along: one of four bytes, and one of type V.

struct PairArgs : Args {
    // Passes that are launched; digits above theirs do not decide.
    u64 passes;
    const u32* narrow;
    const void* wide;
    // What the last pass writes: the words. The keys go to `out`.
    u32* to_narrow;
    void* to_wide;
};

// A key and its words between passes, as one read and one write.
struct alignas(16) Record {
    u64 wide;
    u32 narrow, key;
};

template <typename W, int EACH> struct PairShared {
    u32 tile;
    Sums<DIGITS, W> sums;
    // Where a digit's items go, less their ranks.
    W to[DIGITS];
    union {
        Ranks ranks;
        Record records[DIGITS * EACH];
    };
};

// As `move_items`. Between passes, records stand where places do.
template <typename V, bool IS_FIRST, typename W, int EACH>
DEVICE void move_pairs(const PairArgs& a, PairShared<W, EACH>& shared) {
    u32 last = highest<u32>(a);
    if (last >= a.passes) last = (u32)a.passes - 1;
    if (a.pass > last) return;
    const u32 shift = (u32)a.pass * DIGIT_BITS;
    if (thread() == 0) shared.tile = atomic_add(&a.tickets[a.pass], (u32)1);
    barrier();
    const u32 tile = shared.tile;
    const u64 begin = (u64)tile * (DIGITS * EACH), first = begin + item_of<EACH>(0);
    const bool whole = a.length - begin >= DIGITS * EACH;
    const u32 count = whole ? DIGITS * EACH : (u32)(a.length - begin);
    const u32* keys = static_cast<const u32*>(a.source);
    const Record* from = static_cast<const Record*>(a.pass & 1 ? a.places[0] : a.places[1]);
    const auto read = [&](u64 k) {
        if constexpr (IS_FIRST) return Record{ (u64) static_cast<const V*>(a.wide)[k], a.narrow[k], keys[k] };
        else return from[k];
    };
    Record records[EACH];
    if (whole) {
#pragma unroll
        for (u32 i = 0; i < EACH; i++) records[i] = read(first + i * LANES);
    } else {
        // Keys after the row come last.
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            records[i] = item_of<EACH>(i) < count ? read(first + i * LANES) : Record{ 0, 0, ~0u };
        }
    }
    W* posted = static_cast<W*>(a.posted[a.pass & 1]) + thread();
    W* here = posted + (u64)tile * DIGITS;
    if (a.pass < last) (static_cast<W*>(a.posted[~a.pass & 1]) + thread())[(u64)tile * DIGITS] = 0;
    // Of smaller digits, which the first tile counts in.
    W before = 0;
    if (tile == 0) {
        W total;
        const W* counts = static_cast<const W*>(a.counts) + a.pass * DIGITS;
        before = sum_before<DIGITS>(counts[thread()], total, shared.sums);
    }
    ItemRanks<EACH> ranks;
    u32 start;
    const auto digit = [&](u32 i) { return digit_of(records[i].key, shift); };
    const u32 mine = rank_items<EACH>(digit, ranks, start, shared.ranks, [&](u32 count) {
        post(here, tile == 0 ? Posted<W>::all(before + count) : Posted<W>::one(count));
    });
    barrier();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) shared.records[ranks[i]] = records[i];
    if (tile > 0) {
        before = look_back(posted, tile, DIGITS);
        post(here, Posted<W>::all(before + mine));
    }
    shared.to[thread()] = before - start;
    barrier();
    Record* to = static_cast<Record*>(a.pass & 1 ? a.places[1] : a.places[0]);
    u32* to_keys = static_cast<u32*>(a.out);
    V* to_wide = static_cast<V*>(a.to_wide);
#pragma unroll 4
    for (u32 i = 0; i < EACH; i++) {
        const u32 item = i * DIGITS + thread();
        if (item >= count) continue;
        const Record record = shared.records[item];
        const W at = (W)(shared.to[digit_of(record.key, shift)] + item);
        if (a.pass < last) {
            to[at] = record;
        } else {
            to_keys[at] = record.key;
            a.to_narrow[at] = record.narrow;
            to_wide[at] = (V)record.wide;
        }
    }
}
