// Sums of counts over the threads of a block, of which there are THREADS, a multiple of LANES.

template <int THREADS, typename N = u32> struct Sums { N at[THREADS / LANES]; };
template <typename N> struct CountOf { typedef N type; };

// What the threads before this one have together; `total` is what all have. Every thread of the block comes here.
template <int THREADS, typename N>
DEVICE N sum_before(typename CountOf<N>::type own, typename CountOf<N>::type& total, Sums<THREADS, N>& sums) {
    const u32 lane = thread() % LANES, warp = thread() / LANES;
    N inclusive = own;
#pragma unroll
    for (u32 step = 1; step < LANES; step *= 2) {
        const N other = shuffle_up(inclusive, step);
        if (lane >= step) inclusive += other;
    }
    barrier();
    if (lane == LANES - 1) sums.at[warp] = inclusive;
    barrier();
    N before = 0;
    total = 0;
#pragma unroll
    for (u32 k = 0; k < THREADS / LANES; k++) {
        if (k == warp) before = total;
        total += sums.at[k];
    }
    return before + inclusive - own;
}
