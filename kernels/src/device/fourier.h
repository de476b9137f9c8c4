// Stages of a transform between shared memory and registers: F is a float, roots are exp(-2 pi i k / n).

// Moved at once.
template <typename F> struct alignas(2 * sizeof(F)) Pair { F re, im; };
template <typename F> DEVICE Pair<F> plus(Pair<F> a, Pair<F> b) { return Pair<F>{ a.re + b.re, a.im + b.im }; }
template <typename F> DEVICE Pair<F> minus(Pair<F> a, Pair<F> b) { return Pair<F>{ a.re - b.re, a.im - b.im }; }
template <typename F> DEVICE Pair<F> times(Pair<F> a, Pair<F> b) {
    return Pair<F>{ fused(a.re, b.re, -(a.im * b.im)), fused(a.re, b.im, a.im * b.re) };
}
template <typename F> DEVICE Pair<F> scaled(Pair<F> a, F s) { return Pair<F>{ a.re * s, a.im * s }; }
template <typename F> DEVICE Pair<F> swapped(Pair<F> a) { return Pair<F>{ a.im, a.re }; }
// -i a
template <typename F> DEVICE Pair<F> rotated(Pair<F> a) { return Pair<F>{ a.im, -a.re }; }

// Transforms of R points in place, in order.
template <int R> struct Small;
template <> struct Small<2> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const Pair<F> a = v[0], b = v[1];
        v[0] = plus(a, b); v[1] = minus(a, b);
    }
};
template <> struct Small<3> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const F half = (F)0.5, sine = (F)0.86602540378443864676;
        const Pair<F> sum = plus(v[1], v[2]), difference = rotated(scaled(minus(v[1], v[2]), sine));
        const Pair<F> middle = Pair<F>{ fused(-half, sum.re, v[0].re), fused(-half, sum.im, v[0].im) };
        v[0] = plus(v[0], sum);
        v[1] = plus(middle, difference); v[2] = minus(middle, difference);
    }
};
template <> struct Small<4> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const Pair<F> a = plus(v[0], v[2]), b = minus(v[0], v[2]), c = plus(v[1], v[3]), d = rotated(minus(v[1], v[3]));
        v[0] = plus(a, c); v[1] = plus(b, d); v[2] = minus(a, c); v[3] = minus(b, d);
    }
};
// An odd number of points: pairs that mirror each other share cosines and sines.
template <int R, typename F> DEVICE void odd(Pair<F>* v, const F* cosines, const F* sines) {
    const int H = R / 2;
    Pair<F> sums[H], differences[H];
    const Pair<F> first = v[0];
    Pair<F> all = first;
#pragma unroll
    for (int j = 0; j < H; j++) {
        sums[j] = plus(v[j + 1], v[R - 1 - j]);
        differences[j] = minus(v[j + 1], v[R - 1 - j]);
        all = plus(all, sums[j]);
    }
    v[0] = all;
#pragma unroll
    for (int k = 1; k <= H; k++) {
        Pair<F> even = first, skew = Pair<F>{ 0, 0 };
#pragma unroll
        for (int j = 0; j < H; j++) {
            const int twiddle = (j + 1) * k % R, nearest = twiddle <= H ? twiddle : R - twiddle;
            const F c = cosines[nearest - 1], s = twiddle <= H ? sines[nearest - 1] : -sines[nearest - 1];
            even = Pair<F>{ fused(c, sums[j].re, even.re), fused(c, sums[j].im, even.im) };
            skew = Pair<F>{ fused(s, differences[j].re, skew.re), fused(s, differences[j].im, skew.im) };
        }
        skew = rotated(skew);
        v[k] = plus(even, skew); v[R - k] = minus(even, skew);
    }
}
template <> struct Small<5> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const F cosines[2] = { (F)0.30901699437494742410, (F)-0.80901699437494742410 };
        const F sines[2] = { (F)0.95105651629515357212, (F)0.58778525229247312917 };
        odd<5>(v, cosines, sines);
    }
};
template <> struct Small<7> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const F cosines[3] = { (F)0.62348980185873353053, (F)-0.22252093395631440429, (F)-0.90096886790241912624 };
        const F sines[3] = { (F)0.78183148246802980871, (F)0.97492791218182360702, (F)0.43388373911755812048 };
        odd<7>(v, cosines, sines);
    }
};
template <> struct Small<8> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const F half = (F)0.70710678118654752440;
        Pair<F> a[4] = { v[0], v[2], v[4], v[6] }, b[4] = { v[1], v[3], v[5], v[7] };
        Small<4>::of(a); Small<4>::of(b);
        b[1] = Pair<F>{ half * (b[1].re + b[1].im), half * (b[1].im - b[1].re) };
        b[2] = rotated(b[2]);
        b[3] = Pair<F>{ half * (b[3].im - b[3].re), -half * (b[3].re + b[3].im) };
#pragma unroll
        for (int k = 0; k < 4; k++) { v[k] = plus(a[k], b[k]); v[k + 4] = minus(a[k], b[k]); }
    }
};
template <> struct Small<16> {
    template <typename F> static DEVICE void of(Pair<F>* v) {
        const F c[3] = { (F)0.92387953251128675613, (F)0.70710678118654752440, (F)0.38268343236508977173 };
        // Four by four: along the columns, times the twiddles, along the rows.
        Pair<F> rows[4][4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            Pair<F> column[4] = { v[j], v[j + 4], v[j + 8], v[j + 12] };
            Small<4>::of(column);
#pragma unroll
            for (int k = 0; k < 4; k++) rows[k][j] = column[k];
        }
        const F h = c[1];
        rows[1][1] = times(rows[1][1], Pair<F>{ c[0], -c[2] });
        rows[1][2] = Pair<F>{ h * (rows[1][2].re + rows[1][2].im), h * (rows[1][2].im - rows[1][2].re) };
        rows[1][3] = times(rows[1][3], Pair<F>{ c[2], -c[0] });
        rows[2][1] = Pair<F>{ h * (rows[2][1].re + rows[2][1].im), h * (rows[2][1].im - rows[2][1].re) };
        rows[2][2] = rotated(rows[2][2]);
        rows[2][3] = Pair<F>{ h * (rows[2][3].im - rows[2][3].re), -h * (rows[2][3].re + rows[2][3].im) };
        rows[3][1] = times(rows[3][1], Pair<F>{ c[2], -c[0] });
        rows[3][2] = Pair<F>{ h * (rows[3][2].im - rows[3][2].re), -h * (rows[3][2].re + rows[3][2].im) };
        rows[3][3] = times(rows[3][3], Pair<F>{ -c[0], c[2] });
#pragma unroll
        for (int k = 0; k < 4; k++) {
            Small<4>::of(rows[k]);
#pragma unroll
            for (int q = 0; q < 4; q++) v[k + 4 * q] = rows[k][q];
        }
    }
};

// The index of a number in shared memory: a gap after every sixteen keeps those a power of two apart from one another's
// banks.
DEVICE u32 tile_at(u32 place) { return place + (place >> 4); }

// Which of the rows' butterflies a thread has, in the order in which they lie along rows, or across rows.
struct Butterfly { u32 row, j; };
DEVICE Butterfly butterfly(u32 at, u32 each, u32 rows, bool transposed) {
    if (rows == 1) return Butterfly{ 0, at };
    if (transposed) { const u32 j = at / rows; return Butterfly{ at - j * rows, j }; }
    const u32 row = at / each;
    return Butterfly{ row, at - row * each };
}

// One stage of rows that lie one after the other in shared memory. `done` is the product of the radices before. If
// DIRECT, the first stage takes its numbers from where rows come from, the last one brings them to where they go.
template <bool DIRECT, int POINTS, int THREADS, int R, typename F, typename Load, typename Store>
DEVICE void stage(Pair<F>* tile, const Pair<F>* roots, u32 length, u32 done, u32 rows, u32 transposed, Load from, Store to) {
    // Some numbers of each thread's own, so that all are read before any is written.
    const int HELD = (POINTS / THREADS + R - 1) / R;
    const u32 each = length / R, all = each * rows, step = each / done;
    const bool first = DIRECT && done == 1, last = DIRECT && step == 1;
    const bool by_columns = first ? transposed & 1 : last && (transposed & 2);
    Pair<F> v[HELD][R];
#pragma unroll
    for (int h = 0; h < HELD; h++) {
        const u32 at = thread() + h * THREADS;
        if (at < all) {
            const Butterfly b = butterfly(at, each, rows, by_columns);
#pragma unroll
            for (int r = 0; r < R; r++) v[h][r] = first ? from(b.row, b.j + r * each) : tile[tile_at(b.row * length + b.j + r * each)];
        }
    }
    if (!first && !last) barrier();
#pragma unroll
    for (int h = 0; h < HELD; h++) {
        const u32 at = thread() + h * THREADS;
        if (at < all) {
            const Butterfly b = butterfly(at, each, rows, by_columns);
            const u32 k = b.j % done;
            if (done > 1) {
#pragma unroll
                for (int r = 1; r < R; r++) v[h][r] = times(v[h][r], roots[r * k * step]);
            }
            Small<R>::of(v[h]);
#pragma unroll
            for (int q = 0; q < R; q++) {
                const u32 place = (b.j - k) * R + k + q * done;
                if (last) to(b.row, place, v[h][q]);
                else tile[tile_at(b.row * length + place)] = v[h][q];
            }
        }
    }
    if (!last) barrier();
}
