// Sums over the tiles before a tile, while other blocks still count theirs (Merrill and Garland 2016, "Single-pass
// parallel prefix scan with decoupled look-back"). Blocks take tiles in order, so a block waits only for blocks that
// run already. A word holds a count and which tiles it counts, and both are written at once. It is zero at first.

template <typename W> struct Posted {
    // The count of one tile; the sum of all tiles up to it.
    static DEVICE W one(W count) { return count | (W)1 << (8 * sizeof(W) - 2); }
    static DEVICE W all(W count) { return count | (W)1 << (8 * sizeof(W) - 1); }
    static DEVICE bool is_all(W word) { return word >> (8 * sizeof(W) - 1) != 0; }
    static DEVICE W count(W word) { return word & (((W)1 << (8 * sizeof(W) - 2)) - 1); }
};

template <typename W> DEVICE void post(W* at, W word) { *static_cast<volatile W*>(at) = word; }

// The sum of the tiles before `tile`, whose words lie `step` apart.
template <typename W> DEVICE W look_back(const W* words, u32 tile, u32 step) {
    W sum = 0;
    for (bool more = tile > 0; more;) {
        tile--;
        W word;
        do word = *static_cast<const volatile W*>(words + (u64)tile * step);
        while (word == 0);
        sum += Posted<W>::count(word);
        more = !Posted<W>::is_all(word);
    }
    return sum;
}
