// Reductions of columns: neighbouring threads have neighbouring rows of the plan, each with every DOWNth of a chunk's lanes.

// The first BITS bits, in the other order.
template <int BITS> DEVICE u32 reversed(u32 x) {
    u32 other = 0;
#pragma unroll
    for (u32 bit = 0; bit < BITS; bit++) other |= (x >> bit & 1) << (BITS - 1 - bit);
    return other;
}

// A thread's combination of the lanes y, y + DOWN, ... of a chunk, of those that hold something; y is one of them, or the result is
// none. There are LANES_OF_CHUNK lanes: fewer than the plan's only if the chunk has no more elements; if they are more than 4, more than
// half of them hold something then. 2^BITS parts of a thread's lanes are reduced one after the other, each by steps of as many lanes, in an order in
// which few parts wait for others: one in `held` for each bit. The elements of a part come in together. Where a chunk may have several
// runs of lanes, a lane that is not there reads the chunk's first element, not live, so that no read waits for a branch.
template <typename S, int LANES_OF_CHUNK, int DOWN, int BITS, typename P, typename Lift>
DEVICE S reduce_lanes(const Lift& lift, P begin, u32 count, u32 y, u64& error) {
    const u32 step = DOWN << BITS, members = LANES_OF_CHUNK / step;
    const u32 least = LANES_OF_CHUNK > 4 && LANES_OF_CHUNK < 128 ? LANES_OF_CHUNK / 2 : 0;
    S held[BITS > 0 ? BITS : 1], value;
    const auto load = [&](S (&loaded)[members], u32 first, bool all) {
        u64 unread = 0;
#pragma unroll
        for (u32 k = 0; k < members; k++) {
            const u32 p = first + k * step;
            const bool live = all || (k + 1) * step <= least || p < count;
            if (LANES_OF_CHUNK == 128) {
                loaded[k] = lift((P)(begin + (live ? p : 0)), live, live ? error : unread);
            } else if (live) {
                loaded[k] = lift((P)(begin + p), true, error);
            }
        }
    };
#pragma unroll 1
    for (u32 part = 0; part < 1 << BITS; part++) {
        const u32 first = y + DOWN * reversed<BITS>(part);
        S mine[members];
        load(mine, first, false);
        if (LANES_OF_CHUNK == 128) {
            u32 run = 128;
            for (; run + 128 <= count; run += 128) {
                S next[members];
                load(next, run + first, true);
#pragma unroll
                for (u32 k = 0; k < members; k++) mine[k] = combine(mine[k], next[k], error);
            }
            if (run + first < count) {
                S next[members];
                load(next, run + first, false);
#pragma unroll
                for (u32 k = 0; k < members; k++) {
                    if (run + first + k * step < count) mine[k] = combine(mine[k], next[k], error);
                }
            }
        }
#pragma unroll
        for (u32 half = members / 2; half > 0; half /= 2) {
#pragma unroll
            for (u32 k = 0; k < half; k++) {
                if ((k + half + 1) * step <= least || first + (k + half) * step < count) {
                    mine[k] = combine(mine[k], mine[k + half], error);
                }
            }
        }
        value = mine[0];
        bool goes_on = true;
#pragma unroll
        for (u32 bit = 0; bit < BITS; bit++) {
            if (goes_on && (part >> bit & 1) == 0) {
                held[bit] = value;
                goes_on = false;
            }
            // The least lane of the parts on the right, which have been combined up to here.
            const u32 right = y + DOWN * (reversed<BITS>(part) & ((1 << (BITS - bit)) - 1));
            if (goes_on) value = step <= least || right < count ? combine(held[bit], value, error) : held[bit];
        }
    }
    return value;
}

// The shared memory in which a block of ACROSS by DOWN threads combines its lanes.
template <typename S, int ACROSS, int DOWN> struct Stack { S at[DOWN > 1 ? DOWN / 2 * ACROSS : 1]; };

// The threads of the first line get the combination of the `count` lanes of their column that hold something.
template <typename S, int ACROSS, int DOWN>
DEVICE S fold_lines(S mine, u32 x, u32 y, u32 count, Stack<S, ACROSS, DOWN>& stack, u64& error) {
#pragma unroll
    for (u32 lines = DOWN / 2; lines > 0; lines /= 2) {
        barrier();
        if (y >= lines && y < 2 * lines) stack.at[(y - lines) * ACROSS + x] = mine;
        barrier();
        if (y < lines && y + lines < count) mine = combine(mine, stack.at[y * ACROSS + x], error);
    }
    return mine;
}
