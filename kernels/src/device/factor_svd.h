// Singular values by one-sided rotations (Hestenes 1958): columns (those of the adjoint, if there are more than rows)
// are rotated against each other until all are orthogonal; their lengths are the values. What rotates columns of the
// identity along with them is v. Bases are completed by projections of axes.
//
// A column is contiguous, and its column of v follows it.

template <typename T> struct Svd {
    typedef typename Of<T>::Part P;
    // Of the matrix, or of its adjoint: rows >= columns.
    Index rows, columns, vectors, step;
    bool transposed;
    T* w;
    P* lengths;
    u32* order;
    Board<T>& board;

    DEVICE T* column(Index j) const { return w + j * step; }

    // One sweep over all pairs; is any not orthogonal?
    DEVICE bool sweep() const {
        const Index count = columns + (columns & 1), pairs = count / 2;
        // As many threads a pair as there are for all, but few enough to add up their sums.
        Index groups = THREADS / FEW;
        while (groups < pairs && groups < THREADS) groups *= 2;
        const Index threads = THREADS / groups, group = thread() / threads, own = thread() % threads;
        const P near = Limits<P>::roundoff() * p_sqrt((P)rows), least = Limits<P>::least() / Limits<P>::roundoff();
        barrier();
        if (thread() == 0) board.word = 0;
        for (Index round = 0; round < count - 1; round++) {
            for (Index first = 0; first < pairs; first += groups) {
                Index p = 0, q = columns;
                if (first + group < pairs) partners(first + group, round, count, p, q);
                const bool here = q < columns;
                T* x = column(p);
                T* y = column(here ? q : p);
                T between = Number<T>::of(0);
                P xx = 0, yy = 0;
                if (here) {
                    for (Index i = own; i < rows; i += threads) {
                        const T a = x[i], b = y[i];
                        between = between + mirror(a) * b;
                        xx = xx + square_of(a);
                        yy = yy + square_of(b);
                    }
                }
                board.parts[thread()] = between;
                board.left[thread()] = xx;
                board.right[thread()] = yy;
                barrier();
                if (here) {
                    const Index begin = group * threads;
                    between = board.parts[begin];
                    xx = board.left[begin];
                    yy = board.right[begin];
                    for (Index k = 1; k < threads; k++) {
                        between = between + board.parts[begin + k];
                        xx = xx + board.left[begin + k];
                        yy = yy + board.right[begin + k];
                    }
                    const P size = magnitude(between);
                    // A column that is nothing beside the largest has no direction.
                    if (size > near * p_sqrt(xx) * p_sqrt(yy) && xx > least && yy > least) {
                        const Rotation<T> rotation = Rotation<T>::of(between, size, yy - xx);
                        const T by = mirror(rotation.phase);
                        for (Index i = own; i < step; i += threads) rotation.rotate(x[i], y[i], by);
                        if (own == 0) board.word = 1;
                    }
                }
                barrier();
            }
        }
        return board.word != 0;
    }

    // An element of the left vectors as they are written: of the adjoint, in rows and mirrored.
    DEVICE T load(const T* u, u64 width, u64 i, u64 j) const { return transposed ? mirror(u[j * rows + i]) : u[i * width + j]; }
    DEVICE void store(T* u, u64 width, u64 i, u64 j, T x) const {
        if (transposed) u[j * rows + i] = mirror(x);
        else u[i * width + j] = x;
    }

    // Columns from `known` on, orthogonal to all in front of them. `free` has space for two columns.
    DEVICE void complete(T* u, Index width, Index known, T* free) const {
        T* made = free;
        T* shares = free + rows;
        for (Index j = known; j < width; j++) {
            barrier();
            // The axis of which most is left.
            const auto left = [&](Index i) { return lengths[i]; };
            for (Index i = thread(); i < rows; i += THREADS) {
                P taken = 0;
                for (Index c = 0; c < j; c++) taken = taken + square_of(load(u, width, i, c));
                lengths[i] = taken < 1 ? (P)1 - taken : (P)0;
                made[i] = Number<T>::of(0);
            }
            barrier();
            const Index axis = largest_of<T>(0, rows, left, board);
            if (thread() == 0) made[axis] = Number<T>::of(1);
            // Twice is enough (Parlett, "The Symmetric Eigenvalue Problem", 6.9).
            for (u32 again = 0; again < 2; again++) {
                barrier();
                for (Index c = thread(); c < j; c += THREADS) {
                    T share = Number<T>::of(0);
                    for (Index i = 0; i < rows; i++) share = share + mirror(load(u, width, i, c)) * made[i];
                    shares[c] = share;
                }
                barrier();
                for (Index i = thread(); i < rows; i += THREADS) {
                    T x = made[i];
                    for (Index c = 0; c < j; c++) x = x - shares[c] * load(u, width, i, c);
                    made[i] = x;
                }
            }
            P own = 0;
            for (Index i = thread(); i < rows; i += THREADS) own = own + square_of(made[i]);
            const P length = p_sqrt(block_fold<true, T>(own, board));
            for (Index i = thread(); i < rows; i += THREADS) store(u, width, i, j, made[i] / length);
        }
    }
};

template <typename T> DEVICE i32 svd(const Args& a, u64 number, T* w, Board<T>& board) {
    typedef typename Of<T>::Part P;
    const Index m = a.m, n = a.n;
    const bool vectors = a.vectors != 0, transposed = m < n;
    const Index rows = transposed ? n : m, columns = transposed ? m : n;
    const T* from = static_cast<const T*>(a.a) + number * m * n;
    P* values = static_cast<P*>(vectors ? a.second : a.first) + number * columns;
    const P scale = scale_of<T>(from, (u64)m * n, board);
    if (!Limits<P>::finite(scale)) return 1;
    // An odd step, so that threads that have a column each meet in no bank.
    const Index step = (rows + (vectors ? columns : 0)) | 1;
    T* behind = w + columns * step;
    const Svd<T> s = { rows, columns, vectors, step, transposed, w,
        reinterpret_cast<P*>(behind), reinterpret_cast<u32*>(behind + rows), board };
    for (Index j = thread(); j < columns; j += THREADS) w[j * step + step - 1] = Number<T>::of(0);
    barrier();
    const ThreadGrid spot = thread_grid(n, 1);
    for (Index i = spot.y; i < m; i += spot.down) {
        for (Index j = spot.x; j < n; j += spot.across) {
            const T x = from[(u64)i * n + j] / scale;
            if (transposed) w[i * step + j] = mirror(x);
            else w[j * step + i] = x;
        }
    }
    if (vectors) {
        const ThreadGrid v = thread_grid(columns, 1);
        for (Index j = v.y; j < columns; j += v.down) {
            for (Index i = v.x; i < columns; i += v.across) w[j * step + rows + i] = Number<T>::of(i == j ? (P)1 : (P)0);
        }
    }
    bool settled = columns == 1;
    for (u32 round = 0; round < PATIENCE && !settled; round++) settled = !s.sweep();
    if (!settled) return 1;
    barrier();
    for (Index j = thread(); j < columns; j += THREADS) {
        P length = 0;
        for (Index i = 0; i < rows; i++) length = length + square_of(w[j * step + i]);
        s.lengths[j] = p_sqrt(length);
    }
    barrier();
    rank<P>(s.order, columns, true, [&](Index j) { return s.lengths[j]; });
    barrier();
    for (Index j = thread(); j < columns; j += THREADS) values[j] = s.lengths[s.order[j]] * scale;
    if (!vectors) return 0;
    const Index width = a.columns;
    T* u = transposed ? static_cast<T*>(a.third) + number * width * rows : static_cast<T*>(a.first) + number * rows * width;
    T* v = transposed ? static_cast<T*>(a.first) + number * columns * columns
                  : static_cast<T*>(a.third) + number * columns * columns;
    // What is left of a column of nothing but roundings points anywhere: it is made anew, orthogonal to the rest.
    const P least = s.lengths[s.order[0]] * Limits<P>::roundoff() * Limits<P>::roundoff();
    Index known = 0;
    while (known < columns && s.lengths[s.order[known]] > least) known++;
    const ThreadGrid down = thread_grid(rows, 1);
    for (Index j = down.y; j < known; j += down.down) {
        const Index c = s.order[j];
        for (Index i = down.x; i < rows; i += down.across) s.store(u, width, i, j, w[c * step + i] / s.lengths[c]);
    }
    const ThreadGrid both = thread_grid(columns, 1);
    for (Index j = both.y; j < columns; j += both.down) {
        const Index c = s.order[j];
        for (Index i = both.x; i < columns; i += both.across) {
            const T x = w[c * step + rows + i];
            if (transposed) v[(u64)i * columns + j] = x;
            else v[(u64)j * columns + i] = mirror(x);
        }
    }
    barrier();
    s.complete(u, width, known, behind + 2 * rows);
    return 0;
}
