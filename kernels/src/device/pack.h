// Matrices on their way into a library that goes by columns, and out of it.

// Squares of a matrix, a block each: `to[i][j]` is `from[j][i]` where it is transposed, else `from[i][j]`.
#define SIDE 32
template <typename T, bool TRANSPOSED, bool MIRRORED, int KEEP, int SCALING>
DEVICE void pack_matrix(const Args& a, T (&tile)[SIDE][SIDE + 1]) {
    typedef typename Of<T>::Part P;
    const u64 across = (a.width + SIDE - 1) / SIDE, down = (a.height + SIDE - 1) / SIDE;
    const u64 line = block_x() / across, number = line / down;
    const u64 x0 = (block_x() - line * across) * SIDE, y0 = (line - number * down) * SIDE;
    const u32 tx = thread() % SIDE, ty = thread() / SIDE;
    const T* from = static_cast<const T*>(a.from) + number * a.from_matrix;
    T* to = static_cast<T*>(a.to) + number * a.to_matrix;
    P power = 1;
    P largest = 0;
    bool sound = true;
    if (SCALING != SCALING_NONE) {
        largest = static_cast<const P*>(a.largest)[number];
        sound = Limits<P>::finite(largest);
        power = power_of(largest);
    }
    if (TRANSPOSED) {
        for (u32 k = ty; k < SIDE; k += THREADS / SIDE) {
            if (x0 + k < a.width && y0 + tx < a.height) tile[tx][k] = from[(x0 + k) * a.from_row + y0 + tx];
        }
        barrier();
    }
    for (u32 k = ty; k < SIDE; k += THREADS / SIDE) {
        const u64 i = y0 + k, j = x0 + tx;
        if (i >= a.height || j >= a.width) continue;
        if (KEEP == KEEP_IDENTITY) {
            to[i * a.to_row + j] = Number<T>::of(i == j ? 1 : 0);
            continue;
        }
        T x = TRANSPOSED ? tile[k][tx] : from[i * a.from_row + j];
        if (MIRRORED) x = mirror(x);
        if (SCALING == SCALING_DOWN || SCALING == SCALING_DOWN_OR_ZERO) x = x / power;
        if (SCALING == SCALING_DOWN_OR_ZERO && !sound) x = Number<T>::of(0);
        if (SCALING == SCALING_UP) x = x * power;
        if (SCALING == SCALING_SPOIL && largest != largest) x = Number<T>::of(largest);
        const bool kept = KEEP == KEEP_ALL || (KEEP == KEEP_LOWER ? j <= i : j >= i);
        to[i * a.to_row + j] = kept ? x : Number<T>::of(0);
    }
}
