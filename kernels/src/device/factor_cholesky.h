// Cholesky's factor, column by column; each is subtracted from all columns after it.

template <typename T> DEVICE i32 cholesky(const Args& a, u64 number, T* w, Board<T>& board) {
    typedef typename Of<T>::Part P;
    const Index n = a.n;
    const T* from = static_cast<const T*>(a.a) + number * n * n;
    T* to = static_cast<T*>(a.first) + number * n * n;
    const ThreadGrid s = thread_grid(n, 1);
    for (Index i = s.y; i < n; i += s.down) {
        for (Index j = s.x; j < n; j += s.across) {
            const T x = j <= i ? from[(u64)i * n + j] : Number<T>::of(0);
            w[i * n + j] = i == j ? Number<T>::of(real_of(x)) : x;
        }
    }
    for (Index j = 0; j < n; j++) {
        barrier();
        const P left = real_of(w[j * n + j]);
        // Not "at most zero": NaN is not positive either.
        if (!(left > 0)) return (i32)(j + 1);
        const P pivot = p_sqrt(left);
        for (Index i = j + 1 + thread(); i < n; i += THREADS) w[i * n + j] = w[i * n + j] / pivot;
        barrier();
        if (thread() == 0) w[j * n + j] = Number<T>::of(pivot);
        const ThreadGrid r = thread_grid(n - j - 1, 1);
        for (Index i = j + 1 + r.y; i < n; i += r.down) {
            for (Index c = j + 1 + r.x; c <= i; c += r.across) {
                const T x = w[i * n + c] - w[i * n + j] * mirror(w[c * n + j]);
                w[i * n + c] = i == c ? Number<T>::of(real_of(x)) : x;
            }
        }
    }
    barrier();
    for (Index i = thread(); i < n * n; i += THREADS) to[i] = w[i];
    return 0;
}
