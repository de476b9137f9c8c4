// Sums of counts over the threads of a block, of which there are THREADS, a multiple of LANES.

template <int THREADS> struct Sums { u32 at[THREADS / LANES]; };

// What the threads before this one have together; `total` is what all have. Every thread of the block comes here.
template <int THREADS> DEVICE u32 sum_before(u32 own, u32& total, Sums<THREADS>& sums) {
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    u32 inclusive = own;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 other = shuffle_up(inclusive, step);
        if (lane >= step) inclusive += other;
    }
    barrier();
    if (lane == LANES - 1) sums.at[warp] = inclusive;
    barrier();
    u32 before = 0;
    total = 0;
#pragma unroll
    for (u32 k = 0; k < THREADS / LANES; k++) {
        if (k == warp) before = total;
        total += sums.at[k];
    }
    return before + inclusive - own;
}
