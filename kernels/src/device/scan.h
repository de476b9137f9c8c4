// A scan by the canonical plan: 128 segments of 32 neighbours, one thread per segment. The elements lie in shared
// memory, part by part, with one word of padding after each segment against bank conflicts.

#define SEGMENT 32
#define SEGMENTS 128

// The inclusive scan of the totals of segments, of which `count` hold something and a row has at most `each`. That of
// this thread is the one with the number `segment` in its row.
template <typename S>
DEVICE void scan_totals(S* totals, u32 lane, u32 segment, u32 count, u32 each, u64& error) {
    for (u32 step = 1; step < each; step *= 2) {
        barrier();
        const S own = totals[lane < count ? lane : 0];
        const S before = totals[segment >= step && lane < count ? lane - step : 0];
        barrier();
        if (segment >= step && lane < count) totals[lane] = combine(before, own, error);
    }
    barrier();
}

// Where a row has several chunks, a block reads its chunk once: it posts the chunk's total and puts what comes before
// the chunk in front of its elements, while blocks of later chunks still read theirs (Merrill and Garland
// 2016, "Single-pass parallel prefix scan with decoupled look-back"). What comes before is combined by the canonical
// plan, whichever block is first: the totals are a row that is scanned by the same plan. A block takes its chunk by a
// ticket, so what it waits for is at work already.

DEVICE void post_word(u64* word, u32 bits) { *static_cast<volatile u64*>(word) = (u64)1 << 32 | bits; }
template <u32 COUNT> DEVICE void take_words(const u64* at, u64 (&words)[COUNT]) {
    for (bool there = false; !there;) {
        there = true;
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) words[k] = static_cast<const volatile u64*>(at)[k];
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) there &= words[k] >> 32 != 0;
    }
}

// What is posted about the items of a row: the total of each; the total of each full segment of them; and the same, scanned
// through the segments of a chunk. A full chunk of items is an item of the next level.
struct Level {
    u64 begin, items;
    DEVICE u64 total(u64 item) const { return begin + item; }
    DEVICE u64 segment(u64 number) const { return begin + items + number; }
    DEVICE u64 scanned(u64 number) const { return begin + items + items / SEGMENT + number; }
    DEVICE Level next() const {
        return Level{ begin + items + 2 * (items / SEGMENT), items / (SEGMENT * SEGMENTS) };
    }
};

// The fold of neighbours of at most a segment. Another thread takes what comes `before` them meanwhile, if anything does.
template <typename S, typename P>
DEVICE S fold_of(const P& posted, u64 first, u32 count, bool preceded, u64 before, S* shared, u64& error) {
    barrier();
    if (thread() < count) shared[thread()] = posted.take(first + thread());
    if (thread() == SEGMENT && preceded) shared[SEGMENT] = posted.take(before);
    barrier();
    S fold = shared[0];
#pragma unroll 4
    for (u32 k = 1; k < count; k++) fold = combine(fold, shared[k], error);
    return fold;
}

// Posts the total of an item. The block of the last item of a segment, which waits for the others, posts the segment's,
// and so on.
template <typename P, typename S>
DEVICE void post_total(const P& posted, Level level, u64 item, S total, S* shared, u64& error) {
    for (;;) {
        if (thread() == 0) posted.post(level.total(item), total);
        if (item % SEGMENT != SEGMENT - 1) return;
        const u64 segment = item / SEGMENT;
        const u32 before = (u32)(segment % SEGMENTS);
        total = fold_of<S>(posted, level.total(segment * SEGMENT), SEGMENT, false, 0, shared, error);
        if (thread() == 0) posted.post(level.segment(segment), total);
        barrier();
        if (thread() <= before) shared[thread()] = posted.take(level.segment(segment - before + thread()));
        scan_totals(shared, thread(), thread(), before + 1, SEGMENTS, error);
        total = shared[before];
        if (thread() == 0) posted.post(level.scanned(segment), total);
        if (before != SEGMENTS - 1) return;
        item = segment / SEGMENTS;
        level = level.next();
    }
}

// The scanned total of an item, when the blocks of all items up to it have posted theirs.
template <typename S, typename P>
DEVICE S scanned_total(const P& posted, Level first, u64 last, S* shared, u64& error) {
    u32 levels = 1;
    for (u64 item = last; item >= SEGMENT * SEGMENTS; item = item / (SEGMENT * SEGMENTS) - 1) levels++;
    S total = {};
    for (u32 number = levels; number-- > 0;) {
        Level level = first;
        u64 item = last;
        for (u32 k = 0; k < number; k++) {
            level = level.next();
            item = item / (SEGMENT * SEGMENTS) - 1;
        }
        const u64 segment = item / SEGMENT;
        const u32 count = (u32)(item % SEGMENT) + 1;
        const bool preceded = number + 1 < levels, inside = segment % SEGMENTS > 0;
        S fold = fold_of<S>(
            posted, level.total(segment * SEGMENT), count, inside, level.scanned(segment - 1), shared, error);
        if (inside) {
            S before = shared[SEGMENT];
            if (preceded) before = combine(total, before, error);
            fold = combine(before, fold, error);
        } else if (preceded) {
            fold = combine(total, fold, error);
        }
        total = fold;
    }
    return total;
}
