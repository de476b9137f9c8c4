// Householder's reflections, each kept below the diagonal of its column, the first element of 1 left out; signs as
// LAPACK's.

// Applies `1 - factor v v'` of column j of `w` (m rows, n columns) to columns `begin .. end` of another matrix.
template <typename T>
DEVICE void reflect(const T* w, Index m, Index n, Index j, T factor, T* other, Index width, Index begin, Index end, Board<T>& board) {
    const ThreadGrid s = thread_grid(end - begin, THREADS / FEW);
    for (Index first = begin; first < end; first += s.across) {
        const Index column = first + s.x;
        T part = Number<T>::of(0);
        if (column < end) {
            for (Index i = j + s.y; i < m; i += s.down) {
                const T x = other[i * width + column];
                part = part + (i == j ? x : mirror(w[i * n + j]) * x);
            }
        }
        board.parts[thread()] = part;
        barrier();
        if (column < end) {
            part = board.parts[s.x];
            for (Index k = 1; k < s.down; k++) part = part + board.parts[k * s.across + s.x];
            part = part * factor;
            for (Index i = j + s.y; i < m; i += s.down) {
                other[i * width + column] = other[i * width + column] - (i == j ? part : part * w[i * n + j]);
            }
        }
        barrier();
    }
}

template <typename T> DEVICE i32 qr(const Args& a, u64 number, T* w, Board<T>& board) {
    typedef typename Of<T>::Part P;
    // Without vectors there is no q, and r is the first output.
    const Index m = a.m, n = a.n, k = m < n ? m : n, inner = a.columns, rows = a.vectors ? inner : k;
    const T* from = static_cast<const T*>(a.a) + number * m * n;
    T* q = static_cast<T*>(a.first) + number * m * inner;
    T* r = static_cast<T*>(a.vectors ? a.second : a.first) + number * rows * n;
    T* made = w + m * n;
    T* factors = made + m * inner;
    P scale = scale_of<T>(from, (u64)m * n, board);
    if (!Limits<P>::finite(scale)) scale = 1;
    for (Index i = thread(); i < m * n; i += THREADS) w[i] = from[i] / scale;
    for (Index j = 0; j < k; j++) {
        barrier();
        T top = w[j * n + j];
        P own = 0, unit = 1;
        for (Index i = j + 1 + thread(); i < m; i += THREADS) own = own + square_of(w[i * n + j]);
        P below = block_fold<true, T>(own, board);
        if (below + square_of(top) < Limits<P>::least() / Limits<P>::roundoff()) {
            // Squares lose digits or vanish: the column is measured by a power of two of its own.
            P most = 0;
            for (Index i = j + thread(); i < m; i += THREADS) most = worst_of(most, w[i * n + j]);
            unit = power_below<T>(most, board);
            top = top / unit;
            own = 0;
            for (Index i = j + 1 + thread(); i < m; i += THREADS) own = own + square_of(w[i * n + j] / unit);
            below = block_fold<true, T>(own, board);
        }
        T factor = Number<T>::of(0);
        if (below != 0 || imaginary_of(top) != 0) {
            const P norm = p_sqrt(below + square_of(top)), pivot = real_of(top) > 0 ? -norm : norm;
            factor = (Number<T>::of(pivot) - top) / pivot;
            const T scaled = (top - Number<T>::of(pivot)) * unit;
            barrier();
            for (Index i = j + 1 + thread(); i < m; i += THREADS) w[i * n + j] = w[i * n + j] / scaled;
            if (thread() == 0) w[j * n + j] = Number<T>::of(pivot * unit);
            barrier();
            reflect<T>(w, m, n, j, mirror(factor), w, n, j + 1, n, board);
        }
        if (thread() == 0) factors[j] = factor;
    }
    if (a.vectors) {
        const ThreadGrid s = thread_grid(inner, 1);
        for (Index i = s.y; i < m; i += s.down) {
            for (Index c = s.x; c < inner; c += s.across) made[i * inner + c] = Number<T>::of(i == c ? (P)1 : (P)0);
        }
        barrier();
        // From the last reflection on: columns in front of it are still those of the identity.
        for (Index j = k; j-- > 0;) {
            const T factor = factors[j];
            if (!is_zero(factor)) reflect<T>(w, m, n, j, factor, made, inner, j, inner, board);
        }
        for (Index i = thread(); i < m * inner; i += THREADS) q[i] = made[i];
    }
    barrier();
    const ThreadGrid t = thread_grid(n, 1);
    for (Index i = t.y; i < rows; i += t.down) {
        for (Index c = t.x; c < n; c += t.across) r[(u64)i * n + c] = i <= c ? w[i * n + c] * scale : Number<T>::of(0);
    }
    return 0;
}
