// Jacobi's last (Rutishauser 1966), in rounds of pairs that have nothing in common, as in a tournament.

// Maximum number of sweeps; beyond it the iteration counts as divergent.
#define PATIENCE 60

// Turns a pair: `p' = c p - s z' q`, `q' = s p + c z' q`, where z is the phase.
template <typename T> struct Rotation {
    typedef typename Of<T>::Part P;
    P cosine, sine;
    T phase;
    // What makes the element between p and q zero, where `apart` is the difference of the two on the diagonal.
    static DEVICE Rotation of(T between, P size, P apart) {
        const P zeta = apart / ((P)2 * size), steep = p_abs(zeta);
        // Where the square of zeta may be too large for a number, its root is zeta.
        const P whole = steep > (P)1 / Limits<P>::roundoff() ? steep + steep : steep + p_sqrt((P)1 + zeta * zeta);
        const P tangent = (zeta < 0 ? (P)-1 : (P)1) / whole;
        const P cosine = (P)1 / p_sqrt((P)1 + tangent * tangent);
        return { cosine, cosine * tangent, between / size };
    }
    static DEVICE Rotation none() { return { 1, 0, Number<T>::of(1) }; }
    // The pair as columns; rows of an adjoint rotate by the conjugate phase.
    DEVICE void rotate(T& p, T& q, T by) const {
        const T x = p, y = q * by;
        p = x * cosine - y * sine;
        q = x * sine + y * cosine;
    }
};

// The partners of place `pair` in a round of `count` (an even number), of which there are count - 1: p < q.
DEVICE void partners(Index pair, Index round, Index count, Index& p, Index& q) {
    const Index last = count - 1;
    Index one = round + pair, other = pair == 0 ? last : round + last - pair;
    if (one >= last) one -= last;
    if (pair != 0 && other >= last) other -= last;
    p = one < other ? one : other;
    q = one < other ? other : one;
}

// The place of each of some values in order, from the largest down or from the least up; of equals the first comes
// first.
template <typename P, typename Value>
DEVICE void rank(u32* order, Index count, bool down, const Value& value) {
    for (Index j = thread(); j < count; j += THREADS) {
        const P own = value(j);
        Index place = 0;
        for (Index i = 0; i < count; i++) {
            const P other = value(i);
            if ((down ? other > own : other < own) || (other == own && i < j)) place++;
        }
        order[place] = (u32)j;
    }
}
