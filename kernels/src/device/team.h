// Combination of the lanes of a chunk by the canonical plan. A team is TEAM threads, one a lane; teams are powers of two
// up to 128 and stand side by side in a block, all of whose threads come here together.

// The room that a block needs for it: one state for every thread that has a partner in another warp.
template <typename S, int TEAM> struct Room { S at[TEAM > LANES ? TEAM / 2 : 1]; };

// Lane 0 gets the combination of the `count` lanes that hold something.
template <typename S, int TEAM> DEVICE S tree(S mine, u32 lane, u32 count, Room<S, TEAM>& room, u32& error) {
#pragma unroll
    for (u32 step = TEAM / 2; step >= LANES; step /= 2) {
        // TEAM > LANES: the team is the block.
        barrier();
        if (lane >= step && lane < 2 * step) room.at[lane - step] = mine;
        barrier();
        if (lane < step && lane + step < count) mine = combine(mine, room.at[lane], error);
    }
#pragma unroll
    for (u32 step = TEAM < LANES ? TEAM / 2 : LANES / 2; step > 0; step /= 2) {
        const S other = shuffle_down(mine, step);
        if (lane < step && lane + step < count) mine = combine(mine, other, error);
    }
    return mine;
}

// Every lane gets what lane 0 has.
template <typename S, int TEAM> DEVICE S broadcast(S mine, u32 lane, Room<S, TEAM>& room) {
    if (TEAM > LANES) {
        barrier();
        if (lane == 0) room.at[0] = mine;
        barrier();
        return room.at[0];
    }
    return shuffle(mine, thread() % LANES - lane);
}
