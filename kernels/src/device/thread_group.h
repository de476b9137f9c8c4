// Reductions by the canonical plan. A group is GROUP threads, one per lane; groups are powers of two up to 128 and stand
// side by side in a block, all of whose threads come here together.

#define CHUNK 4096
#define CHUNK_ACCUMULATORS 128

// The shared memory of a block: one state for every thread that has a partner in another warp.
template <typename S, int GROUP> struct GroupShared { S at[GROUP > LANES ? GROUP / 2 : 1]; };

// Lane 0 gets the combination of the `count` lanes that hold something.
template <typename S, int GROUP> DEVICE S tree(S mine, u32 lane, u32 count, GroupShared<S, GROUP>& shared, u64& error) {
#pragma unroll
    for (u32 step = GROUP / 2; step >= LANES; step /= 2) {
        // GROUP > LANES: the group is the block.
        barrier();
        if (lane >= step && lane < 2 * step) shared.at[lane - step] = mine;
        barrier();
        if (lane < step && lane + step < count) mine = combine(mine, shared.at[lane], error);
    }
#pragma unroll
    for (u32 step = GROUP < LANES ? GROUP / 2 : LANES / 2; step > 0; step /= 2) {
        const S other = shuffle_down(mine, step);
        if (lane < step && lane + step < count) mine = combine(mine, other, error);
    }
    return mine;
}

// Every lane gets what lane 0 has.
template <typename S, int GROUP> DEVICE S broadcast(S mine, u32 lane, GroupShared<S, GROUP>& shared) {
    if (GROUP == 1) return mine;
    if (GROUP > LANES) {
        barrier();
        if (lane == 0) shared.at[0] = mine;
        barrier();
        return shared.at[0];
    }
    return shuffle(mine, thread() % LANES - lane);
}

// Lane 0 gets the combination of a chunk: elements `begin .. begin + count`, of which there are at most GROUP if that
// is not
// 128. A lane that holds nothing is not combined. AHEAD elements come in together before they combine: a combination
//      may branch, and compilers move no read across that. Beyond the end, a lane's first element comes in again, not
//      live: its state is dropped, and it must have no side effects, since what it reads from shared memory may be
//      overwritten by then.
template <typename S, int GROUP, typename P, typename Lift>
DEVICE S reduce_chunk(const Lift& lift, P begin, u32 count, u32 lane, GroupShared<S, GROUP>& shared, u64& error) {
    S mine;
    if (GROUP < CHUNK_ACCUMULATORS) {
        if (lane < count) mine = lift((P)(begin + lane), true, error);
    } else {
        for (u32 p = lane; p < count; p += AHEAD * CHUNK_ACCUMULATORS) {
            S next[AHEAD];
            u64 unread = 0;
#pragma unroll
            for (u32 k = 0; k < AHEAD; k++) {
                const u32 q = p + k * CHUNK_ACCUMULATORS;
                const bool live = q < count;
                next[k] = lift((P)(begin + (live ? q : p)), live, live ? error : unread);
            }
            mine = p == lane ? next[0] : combine(mine, next[0], error);
#pragma unroll
            for (u32 k = 1; k < AHEAD; k++) {
                if (p + k * CHUNK_ACCUMULATORS < count) mine = combine(mine, next[k], error);
            }
        }
    }
    return tree<S, GROUP>(mine, lane, count, shared, error);
}

// The same of a group in a warp that is smaller than the lanes: a thread has EACH of them, one every GROUP, for which
// elements come in together. There are more elements than threads.
template <typename S, int GROUP, int EACH, typename P, typename Lift>
DEVICE S reduce_in_warp(const Lift& lift, P begin, u32 count, u32 lane, GroupShared<S, GROUP>& shared, u64& error) {
    const auto load = [&](S (&loaded)[EACH], u32 run) {
        u64 unread = 0;
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            const u32 q = run + lane + k * GROUP;
            const bool live = q < count;
            loaded[k] = lift((P)(begin + (live ? q : lane)), live, live ? error : unread);
        }
    };
    S mine[EACH];
    load(mine, 0);
    for (u32 run = EACH * GROUP; run < count; run += EACH * GROUP) {
        S next[EACH];
        load(next, run);
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            if (run + lane + k * GROUP < count) mine[k] = combine(mine[k], next[k], error);
        }
    }
#pragma unroll
    for (u32 step = EACH / 2; step > 0; step /= 2) {
#pragma unroll
        for (u32 k = 0; k < step; k++) {
            if (lane + (k + step) * GROUP < count) mine[k] = combine(mine[k], mine[k + step], error);
        }
    }
    return tree<S, GROUP>(mine[0], lane, count, shared, error);
}

// The same of rows that lie as packs of PACK neighbours, `count` being a multiple of PACK: a thread has PACKS packs of
// each run of lanes, one every GROUP. Those of RUNS runs come in together. A chunk of one run has more packs than threads.
template <typename S, typename Read, int GROUP, int PACK, int PACKS, int RUNS, typename P, typename Reader, typename Lift>
DEVICE S reduce_packs(const Reader& read, const Lift& lift, P begin, u32 count, u32 lane, GroupShared<S, GROUP>& shared, u64& error) {
    const u32 run = GROUP * PACKS * PACK;
    S mine[PACKS][PACK];
    const auto reduce_runs = [&](const u32 from, const bool first) {
        Read next[RUNS][PACKS];
#pragma unroll
        for (u32 i = 0; i < RUNS; i++) {
#pragma unroll
            for (u32 m = 0; m < PACKS; m++) {
                const u32 at = from + i * run + (m * GROUP + lane) * PACK;
                if (at < count) next[i][m] = read((P)(begin + at));
            }
        }
#pragma unroll
        for (u32 i = 0; i < RUNS; i++) {
#pragma unroll
            for (u32 m = 0; m < PACKS; m++) {
                const u32 at = from + i * run + (m * GROUP + lane) * PACK;
                if (at < count) {
#pragma unroll
                    for (u32 k = 0; k < PACK; k++) {
                        const S state = lift(next[i][m], k, (P)(begin + at + k), error);
                        mine[m][k] = first && i == 0 ? state : combine(mine[m][k], state, error);
                    }
                }
            }
        }
    };
    reduce_runs(0, true);
    if (run == CHUNK_ACCUMULATORS) {
        for (u32 from = RUNS * run; from < count; from += RUNS * run) reduce_runs(from, false);
    }
#pragma unroll
    for (u32 step = PACKS / 2; step > 0; step /= 2) {
#pragma unroll
        for (u32 m = 0; m < step; m++) {
            if (((m + step) * GROUP + lane) * PACK < count) {
#pragma unroll
                for (u32 k = 0; k < PACK; k++) mine[m][k] = combine(mine[m][k], mine[m + step][k], error);
            }
        }
    }
#pragma unroll
    for (u32 k = 0; k < PACK; k++) mine[0][k] = tree<S, GROUP>(mine[0][k], lane, count / PACK, shared, error);
    // Other lanes hold what the plan does not combine, and a combination may fail.
    if (lane == 0) {
#pragma unroll
        for (u32 step = PACK / 2; step > 0; step /= 2) {
#pragma unroll
            for (u32 k = 0; k < step; k++) mine[0][k] = combine(mine[0][k], mine[0][k + step], error);
        }
    }
    return mine[0][0];
}

// The lanes of the chunks that the values of chunks form, and of those that their values form: enough for 4096^3
// elements.
template <typename S> struct Levels { S second[CHUNK_ACCUMULATORS]; S third[CHUNK_ACCUMULATORS]; };

// Lane 0 gets the combination of a row of any length, from one block of 128 threads.
template <typename S, typename P, typename Lift>
DEVICE S reduce_row(const Lift& lift, P begin, P end, u32 lane, GroupShared<S, 128>& shared, Levels<S>& levels, u64& error) {
    const P extent = end - begin;
    u32 seconds = 0, thirds = 0;
    for (P done = 0; done < extent; done += CHUNK) {
        const u32 count = extent - done < CHUNK ? (u32)(extent - done) : CHUNK;
        S value = reduce_chunk<S, 128, P>(lift, begin + done, count, lane, shared, error);
        if (extent <= CHUNK) return value;
        if (lane == 0) {
            S& held = levels.second[seconds % CHUNK_ACCUMULATORS];
            held = seconds < CHUNK_ACCUMULATORS ? value : combine(held, value, error);
        }
        seconds++;
        const bool last = extent - done <= CHUNK;
        if (seconds < CHUNK && !last) continue;
        barrier();
        const u32 held = seconds < CHUNK_ACCUMULATORS ? seconds : CHUNK_ACCUMULATORS;
        value = tree<S, 128>(levels.second[lane < held ? lane : 0], lane, held, shared, error);
        if (last && thirds == 0) return value;
        if (lane == 0) {
            S& held = levels.third[thirds % CHUNK_ACCUMULATORS];
            held = thirds < CHUNK_ACCUMULATORS ? value : combine(held, value, error);
        }
        thirds++;
        seconds = 0;
    }
    barrier();
    const u32 held = thirds < CHUNK_ACCUMULATORS ? thirds : CHUNK_ACCUMULATORS;
    return tree<S, 128>(levels.third[lane < held ? lane : 0], lane, held, shared, error);
}
