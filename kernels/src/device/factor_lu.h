// LU by columns with exchanges of rows, and systems by it: the right sides are columns that elimination takes along.

// Eliminates below the diagonal of the first `steps` columns of a matrix of `width` columns; the first pivot that is
// zero, counted from 1, at which it ends if `stop`.
template <typename T>
DEVICE i32 eliminate(T* w, Index rows, Index width, Index steps, i32* pivots, bool stop, Board<T>& board) {
    i32 status = 0;
    for (Index k = 0; k < steps; k++) {
        barrier();
        const T old = w[k * width + k];
        const auto size = [&](Index i) { return taxi(w[i * width + k]); };
        Index pivot = largest_of<T>(k, rows, size, board);
        if (taxi(old) != taxi(old)) pivot = k;
        const T top = w[pivot * width + k];
        if (pivots != nullptr && thread() == 0) pivots[k] = (i32)(pivot + 1);
        if (is_zero(top)) {
            if (status == 0) status = (i32)(k + 1);
            if (stop) break;
            continue;
        }
        barrier();
        if (pivot != k) {
            for (Index j = thread(); j < width; j += THREADS) {
                if (j == k) continue;
                const T x = w[k * width + j];
                w[k * width + j] = w[pivot * width + j];
                w[pivot * width + j] = x;
            }
        }
        if (thread() == 0) w[k * width + k] = top;
        for (Index i = k + 1 + thread(); i < rows; i += THREADS) {
            w[i * width + k] = (i == pivot ? old : w[i * width + k]) / top;
        }
        barrier();
        const ThreadGrid s = thread_grid(width - k - 1, 1);
        for (Index i = k + 1 + s.y; i < rows; i += s.down) {
            const T factor = w[i * width + k];
            for (Index j = k + 1 + s.x; j < width; j += s.across) {
                w[i * width + j] = w[i * width + j] - factor * w[k * width + j];
            }
        }
    }
    barrier();
    return status;
}

// Without vectors only the diagonal of U goes out.
template <typename T> DEVICE i32 lu(const Args& a, u64 number, T* w, Board<T>& board) {
    const u64 m = a.m, n = a.n, k = m < n ? m : n, size = a.vectors ? m * n : k;
    const T* from = static_cast<const T*>(a.a) + number * m * n;
    T* to = static_cast<T*>(a.first) + number * size;
    i32* pivots = static_cast<i32*>(a.second) + number * k;
    for (Index i = thread(); i < m * n; i += THREADS) w[i] = from[i];
    const i32 status = eliminate<T>(w, m, n, k, pivots, false, board);
    for (Index i = thread(); i < size; i += THREADS) to[i] = w[a.vectors ? i : i * (n + 1)];
    return status;
}

template <typename T> DEVICE i32 solve(const Args& a, u64 number, T* w, Board<T>& board) {
    const Index n = a.n, right = a.right, width = n + right;
    const T* from = static_cast<const T*>(a.a) + number * n * n;
    const bool inverse = a.b == nullptr;
    const T* sides = static_cast<const T*>(a.b) + (inverse || a.vectors != 0 ? 0 : number * n * right);
    T* to = static_cast<T*>(a.first) + number * n * right;
    const ThreadGrid s = thread_grid(width, 1);
    for (Index i = s.y; i < n; i += s.down) {
        for (Index j = s.x; j < width; j += s.across) {
            if (j < n) w[i * width + j] = from[(u64)i * n + j];
            else if (inverse) w[i * width + j] = Number<T>::of(j - n == i ? 1 : 0);
            else w[i * width + j] = sides[(u64)i * right + (j - n)];
        }
    }
    const i32 status = eliminate<T>(w, n, width, n, nullptr, true, board);
    if (status != 0) return status;
    const ThreadGrid r = thread_grid(right, 1);
    for (Index i = n; i-- > 0;) {
        for (Index j = thread(); j < right; j += THREADS) {
            w[i * width + n + j] = w[i * width + n + j] / w[i * width + i];
        }
        barrier();
        for (Index up = r.y; up < i; up += r.down) {
            const T factor = w[up * width + i];
            for (Index j = r.x; j < right; j += r.across) {
                w[up * width + n + j] = w[up * width + n + j] - factor * w[i * width + n + j];
            }
        }
        barrier();
    }
    for (Index i = r.y; i < n; i += r.down) {
        for (Index j = r.x; j < right; j += r.across) to[(u64)i * right + j] = w[i * width + n + j];
    }
    return 0;
}
