// Eigenvalues of any square matrix: Hessenberg's form by reflections, then QR steps with Wilkinson's shift on the
// complex triangle (Golub & Van Loan, "Matrix Computations", 7.4 to 7.6); vectors by substitution backwards, one a
// thread.
//
// All in complex numbers of 64 bits a part, whatever the dtype: an eigenvalue of a real matrix that roundings have
// moved off the axis is told from one beside it by how far it is, for which 32 bits are too few.

// Maximum number of steps for one eigenvalue; beyond it the iteration counts as divergent.
#define PATIENCE 60

typedef Complex<f64> C;

template <typename S> DEVICE C wide(S x) { return { (f64)real_of(x), (f64)imaginary_of(x) }; }

DEVICE C root_of(C x) {
    const f64 size = magnitude(x);
    if (size == 0) return { 0, 0 };
    // Of the part that is added up, so that nothing cancels.
    const f64 large = p_sqrt((size + p_abs(x.re)) * 0.5), small = p_abs(x.im) / (2 * large);
    const f64 re = x.re >= 0 ? large : small, im = x.re >= 0 ? small : large;
    return { re, x.im < 0 ? -im : im };
}

struct Schur {
    Index n;
    bool vectors;
    // The matrix that becomes a triangle, the unitary matrix that did so, vectors of the triangle; a reflection or the
    // rotations.
    C* t;
    C* q;
    C* x;
    C* cosines;
    C* sines;
    Board<C>& board;

    DEVICE C& at(Index i, Index j) const { return t[i * n + j]; }

    // Rows of a matrix times `1 - 2 v v'`, a row a thread.
    DEVICE void from_the_right(C* matrix, const C* v, Index k) const {
        for (Index i = thread(); i < n; i += THREADS) {
            C part = { 0, 0 };
            for (Index j = k + 1; j < n; j++) part = part + matrix[i * n + j] * v[j];
            part = part * 2.0;
            for (Index j = k + 1; j < n; j++) matrix[i * n + j] = matrix[i * n + j] - part * mirror(v[j]);
        }
    }

    DEVICE void hessenberg() const {
        C* v = cosines;
        for (Index k = 0; k + 2 < n; k++) {
            f64 own = 0;
            for (Index i = k + 2 + thread(); i < n; i += THREADS) own = own + square_of(at(i, k));
            const f64 below = block_fold<true, C>(own, board);
            if (below == 0) continue;
            const C first = at(k + 1, k);
            const f64 size = magnitude(first), norm = p_sqrt(below + square_of(first));
            const C phase = size == 0 ? C{ 1, 0 } : first / size;
            const C top = first + phase * norm;
            const f64 length = p_sqrt(below + square_of(top));
            for (Index i = k + 1 + thread(); i < n; i += THREADS) v[i] = (i == k + 1 ? top : at(i, k)) / length;
            barrier();
            for (Index j = k + thread(); j < n; j += THREADS) {
                C part = { 0, 0 };
                for (Index i = k + 1; i < n; i++) part = part + mirror(v[i]) * at(i, j);
                part = part * 2.0;
                for (Index i = k + 1; i < n; i++) at(i, j) = at(i, j) - part * v[i];
            }
            barrier();
            from_the_right(t, v, k);
            if (vectors) from_the_right(q, v, k);
            barrier();
            for (Index i = k + 2 + thread(); i < n; i += THREADS) at(i, k) = C{ 0, 0 };
        }
        barrier();
    }

    // The eigenvalue of the last two rows and columns that is nearer to the last element; another number where steps go
    // round in circles.
    DEVICE C shift(Index last, u32 steps) const {
        const C d = at(last, last), c = at(last, last - 1);
        if (steps % 10 == 0) return d + C{ magnitude(c), 0 };
        const C half = (at(last - 1, last - 1) - d) * 0.5;
        const C root = root_of(half * half + at(last - 1, last) * c);
        const C one = half + root, other = half - root;
        return d + (magnitude(one) < magnitude(other) ? one : other);
    }

    // Columns k and k + 1 of a row, rotated by the rotations `from .. to`.
    DEVICE void rotate_row(C* row, Index from, Index to) const {
        for (Index k = from; k < to; k++) {
            const C c = cosines[k], s = sines[k], x = row[k], y = row[k + 1];
            row[k] = x * c + y * s;
            row[k + 1] = y * mirror(c) - x * mirror(s);
        }
    }

    // One step on the rows and columns `first ..= last`, by rotations of neighbours.
    DEVICE void step(Index first, Index last, C by) const {
        for (Index i = first + thread(); i <= last; i += THREADS) at(i, i) = at(i, i) - by;
        for (Index k = first; k < last; k++) {
            barrier();
            const C a = at(k, k), b = at(k + 1, k);
            const f64 size = magnitude_of(magnitude(a), magnitude(b));
            const C c = size == 0 ? C{ 1, 0 } : a / size, s = size == 0 ? C{ 0, 0 } : b / size;
            barrier();
            for (Index j = k + thread(); j < n; j += THREADS) {
                const C x = at(k, j), y = at(k + 1, j);
                at(k, j) = mirror(c) * x + mirror(s) * y;
                at(k + 1, j) = c * y - s * x;
            }
            if (thread() == 0) {
                cosines[k] = c;
                sines[k] = s;
            }
        }
        barrier();
        for (Index i = thread(); i <= last; i += THREADS) rotate_row(t + i * n, i > first + 1 ? i - 1 : first, last);
        if (vectors) {
            for (Index i = thread(); i < n; i += THREADS) rotate_row(q + i * n, first, last);
        }
        barrier();
        for (Index i = first + thread(); i <= last; i += THREADS) at(i, i) = at(i, i) + by;
        barrier();
    }

    // Makes a triangle of Hessenberg's form; false where it does not settle.
    DEVICE bool triangle() const {
        u32 steps = 0;
        for (Index last = n - 1; last > 0;) {
            Index first = last;
            for (; first > 0; first--) {
                f64 beside = magnitude(at(first, first)) + magnitude(at(first - 1, first - 1));
                beside = beside == 0 ? 1 : beside;
                if (magnitude(at(first, first - 1)) <= Limits<f64>::roundoff() * beside) break;
            }
            const C by = shift(last, ++steps);
            barrier();
            // What is nothing beside its neighbours splits the matrix.
            if (first > 0 && thread() == 0) at(first, first - 1) = C{ 0, 0 };
            if (first == last) {
                last--;
                steps = 0;
                barrier();
                continue;
            }
            if (steps > PATIENCE) return false;
            step(first, last, by);
        }
        return true;
    }

    // Eigenvectors of the triangle in columns of x: each thread has some, from the diagonal upwards.
    DEVICE void substitute() const {
        f64 most = Limits<f64>::least();
        for (Index i = thread(); i < n * n; i += THREADS) most = worse(most, worse(p_abs(t[i].re), p_abs(t[i].im)));
        const f64 least = Limits<f64>::roundoff() * block_fold<false, C>(most, board);
        for (Index j = thread(); j < n; j += THREADS) {
            for (Index i = n; i-- > 0;) {
                C known = { 0, 0 };
                if (i < j) {
                    for (Index k = i + 1; k <= j; k++) known = known + at(i, k) * x[k * n + j];
                    const C apart = at(j, j) - at(i, i);
                    // Equal eigenvalues: as LAPACK, a little apart.
                    known = known / (magnitude(apart) < least ? C{ least, 0 } : apart);
                }
                x[i * n + j] = i == j ? C{ 1, 0 } : known;
                // Where values are equal again and again, vectors grow without end.
                const f64 size = magnitude(known);
                if (size > 1e100) {
                    for (Index k = i; k <= j; k++) x[k * n + j] = x[k * n + j] / size;
                }
            }
        }
        barrier();
    }
};

// Complex eigenvalues of a real matrix come in pairs: each above the axis and the one nearest to its mirror image,
// which is made that image.
DEVICE void pair_up(C* values, u32* mates, Index n, Board<C>& board) {
    // What is so near to the axis that roundings may have moved it there stands on it.
    const f64 near = 1e3 * Limits<f64>::roundoff() * (f64)n;
    for (Index i = thread(); i < n; i += THREADS) {
        if (p_abs(values[i].im) <= near) values[i].im = 0;
        mates[i] = (u32)i;
    }
    barrier();
    for (Index one = 0; one < n; one++) {
        const C image = mirror(values[one]);
        if (!(image.im < 0)) continue;
        const auto closeness = [&](Index other) {
            if (!(values[other].im < 0) || mates[other] != other) return (f64)-1;
            const f64 apart = magnitude(values[other] - image);
            return apart == 0 ? Limits<f64>::infinity() : 1 / apart;
        };
        const Index other = largest_of<C>(0, n, closeness, board);
        const bool found = closeness(other) >= 0;
        barrier();
        if (found && thread() == 0) {
            values[other] = image;
            mates[other] = (u32)one;
        }
        barrier();
    }
}

template <typename S> DEVICE i32 eig(const Args& a, u64 number, C* w, Board<C>& board) {
    typedef typename Of<S>::Part P;
    const Index n = a.n, size = n * n;
    const bool vectors = a.vectors != 0, real = !Of<S>::COMPLEX;
    C* behind = w + (vectors ? 3 * size : size);
    const Schur s = { n, vectors, w, w + size, w + 2 * size, behind, behind + n, board };
    C* values = behind + 2 * n;
    u32* mates = reinterpret_cast<u32*>(behind + 3 * n);
    const S* from = static_cast<const S*>(a.a) + number * n * n;
    f64 most = 0;
    for (Index i = thread(); i < size; i += THREADS) {
        w[i] = wide(from[i]);
        most = worst_of(most, w[i]);
    }
    const f64 scale = power_below<C>(most, board);
    if (!Limits<f64>::finite(scale)) return 1;
    for (Index i = thread(); i < size; i += THREADS) w[i] = w[i] / scale;
    if (vectors) {
        const ThreadGrid one = thread_grid(n, 1);
        for (Index i = one.y; i < n; i += one.down) {
            for (Index j = one.x; j < n; j += one.across) s.q[i * n + j] = C{ i == j ? 1.0 : 0.0, 0 };
        }
    }
    barrier();
    s.hessenberg();
    if (!s.triangle()) return 1;
    for (Index i = thread(); i < n; i += THREADS) values[i] = s.at(i, i);
    barrier();
    if (real) pair_up(values, mates, n, board);
    Complex<P>* out = static_cast<Complex<P>*>(a.first) + number * n;
    for (Index i = thread(); i < n; i += THREADS) {
        const C value = values[i] * scale;
        out[i] = { (P)value.re, (P)value.im };
    }
    if (!vectors) return 0;
    s.substitute();
    // Those of the matrix: the triangle and x are done with, and their memory is free.
    const ThreadGrid all = thread_grid(n, 1);
    for (Index i = all.y; i < n; i += all.down) {
        for (Index j = all.x; j < n; j += all.across) {
            C sum = { 0, 0 };
            for (Index k = 0; k <= j; k++) sum = sum + s.q[i * n + k] * s.x[k * n + j];
            w[i * n + j] = sum;
        }
    }
    barrier();
    Complex<P>* to = static_cast<Complex<P>*>(a.second) + number * n * n;
    for (Index j = thread(); j < n; j += THREADS) {
        // The image of another's vector where the value is the image of another.
        const bool image = real && mates[j] != j;
        const Index own = image ? mates[j] : j;
        C largest = { 0, 0 };
        f64 whole = 0;
        for (Index i = 0; i < n; i++) {
            const C x = w[i * n + own];
            whole = whole + square_of(x);
            if (square_of(x) > square_of(largest)) largest = x;
        }
        // A vector of a real value is rotated so that its largest element is real; then the rest is, too.
        const bool straight = real && values[j].im == 0;
        const C phase = straight ? mirror(largest) / magnitude(largest) : C{ 1, 0 };
        f64 length = 0;
        for (Index i = 0; straight && i < n; i++) {
            const f64 x = (w[i * n + own] * phase).re;
            length = length + x * x;
        }
        length = p_sqrt(straight ? length : whole);
        for (Index i = 0; i < n; i++) {
            C x = w[i * n + own] * phase / length;
            if (straight) x.im = 0;
            if (image) x = mirror(x);
            to[(u64)i * n + j] = { (P)x.re, (P)x.im };
        }
    }
    return 0;
}
