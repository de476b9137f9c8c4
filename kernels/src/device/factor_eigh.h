// Eigenvalues of Hermitian matrices by rotations of rows and columns (Jacobi 1846). All pairs of a round turn together:
// each square of two pairs' rows and columns has no other writer.
//
// A row and a column of zeros make the extent even; a vector lies in one piece.

template <typename T> DEVICE i32 eigh(const Args& a, u64 number, T* w, Board<T>& board) {
    typedef typename Of<T>::Part P;
    const Index n = a.n, count = n + (n & 1), pairs = count / 2, step = count + 1;
    const bool vectors = a.vectors != 0;
    const T* from = static_cast<const T*>(a.a) + number * n * n;
    P* values = static_cast<P*>(a.first) + number * n;
    T* v = w + count * step;
    T* behind = v + (vectors ? n * n : 0);
    T* phases = behind;
    T* rotations = behind + pairs;
    u32* order = reinterpret_cast<u32*>(behind + 3 * pairs);
    const ThreadGrid s = thread_grid(count, 1);
    // The lower triangle alone is read: where it is not finite, so is the whole.
    P worst = 0;
    for (Index i = s.y; i < count; i += s.down) {
        for (Index j = s.x; j < count; j += s.across) {
            T x = Number<T>::of(0);
            if (i < n && j < n) {
                x = j <= i ? from[(u64)i * n + j] : mirror(from[(u64)j * n + i]);
                if (i == j) x = Number<T>::of(real_of(x));
            }
            w[i * step + j] = x;
            worst = worst_of(worst, x);
            if (vectors && i < n && j < n) v[i * n + j] = Number<T>::of(i == j ? (P)1 : (P)0);
        }
    }
    const P scale = power_below<T>(worst, board);
    if (!Limits<P>::finite(scale)) return 1;
    for (Index i = s.y; i < count; i += s.down) {
        for (Index j = s.x; j < count; j += s.across) w[i * step + j] = w[i * step + j] / scale;
    }
    const P near = Limits<P>::roundoff();
    bool settled = false;
    for (u32 round = 0; round < PATIENCE && !settled; round++) {
        barrier();
        if (thread() == 0) board.word = 0;
        for (Index round = 0; round < count - 1; round++) {
            barrier();
            for (Index k = thread(); k < pairs; k += THREADS) {
                Index p, q;
                partners(k, round, count, p, q);
                const T between = w[p * step + q];
                const P x = real_of(w[p * step + p]), y = real_of(w[q * step + q]), size = magnitude(between);
                const P small = near * p_sqrt(p_abs(x)) * p_sqrt(p_abs(y));
                Rotation<T> rotation = Rotation<T>::none();
                if (size > small && size > near * near) {
                    rotation = Rotation<T>::of(between, size, y - x);
                    board.word = 1;
                }
                phases[k] = rotation.phase;
                P* numbers = reinterpret_cast<P*>(rotations + 2 * k);
                numbers[0] = rotation.cosine;
                numbers[1] = rotation.sine;
            }
            barrier();
            const auto rotation = [&](Index k) -> Rotation<T> {
                const P* numbers = reinterpret_cast<const P*>(rotations + 2 * k);
                return { numbers[0], numbers[1], phases[k] };
            };
            const ThreadGrid square = thread_grid(pairs, 1);
            for (Index k = square.y; k < pairs; k += square.down) {
                const Rotation<T> rows = rotation(k);
                Index p, q;
                partners(k, round, count, p, q);
                for (Index l = square.x; l < pairs; l += square.across) {
                    const Rotation<T> columns = rotation(l);
                    if (rows.sine == 0 && columns.sine == 0) continue;
                    Index r, t;
                    partners(l, round, count, r, t);
                    T pr = w[p * step + r], pt = w[p * step + t], qr = w[q * step + r], qt = w[q * step + t];
                    const T by = mirror(columns.phase);
                    if (columns.sine != 0) {
                        columns.rotate(pr, pt, by);
                        columns.rotate(qr, qt, by);
                    }
                    if (rows.sine != 0) {
                        rows.rotate(pr, qr, rows.phase);
                        rows.rotate(pt, qt, rows.phase);
                    }
                    if (k == l) {
                        pt = qr = Number<T>::of(0);
                        pr = Number<T>::of(real_of(pr));
                        qt = Number<T>::of(real_of(qt));
                    }
                    w[p * step + r] = pr;
                    w[p * step + t] = pt;
                    w[q * step + r] = qr;
                    w[q * step + t] = qt;
                }
                if (!vectors || rows.sine == 0) continue;
                const T by = mirror(rows.phase);
                for (Index i = square.x; i < n; i += square.across) rows.rotate(v[p * n + i], v[q * n + i], by);
            }
        }
        barrier();
        settled = board.word == 0;
    }
    if (!settled) return 1;
    rank<P>(order, n, false, [&](Index j) { return real_of(w[j * step + j]); });
    barrier();
    for (Index j = thread(); j < n; j += THREADS) values[j] = real_of(w[order[j] * step + order[j]]) * scale;
    if (!vectors) return 0;
    T* to = static_cast<T*>(a.second) + number * n * n;
    const ThreadGrid out = thread_grid(n, 1);
    for (Index i = out.y; i < n; i += out.down) {
        for (Index j = out.x; j < n; j += out.across) to[(u64)i * n + j] = v[order[j] * n + i];
    }
    return 0;
}
