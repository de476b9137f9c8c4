// Numbers, and what the threads of a block do together, for factorizations: a block has one matrix at a time. Threads
// meet at barriers and in shared memory only, never by lanes, and sums go in an order that extents and THREADS fix: so
// the bits are those of any other device with as many threads a block.

struct Args {
    u64 batch, m, n, right, vectors, columns, need;
    const void* a;
    const void* b;
    void* first;
    void* second;
    void* third;
    i32* status;
    void* work;
};

// Who look through a column together, and the most partial sums that are added up one by one.
#define FEW 32

// Places within a matrix: 32 bits hold those of a NEAR one.
template <bool NARROW> struct Places { typedef u32 type; };
template <> struct Places<false> { typedef u64 type; };
typedef Places<NEAR>::type Index;

template <typename P> struct alignas(2 * sizeof(P)) Complex { P re, im; };
template <typename T> struct Of { typedef T Part; static const bool COMPLEX = false; };
template <typename P> struct Of<Complex<P>> { typedef P Part; static const bool COMPLEX = true; };

// The distance from 1 to the next number, and the least normal one.
template <typename P> struct Limits;
template <> struct Limits<f32> {
    static DEVICE f32 roundoff() { return f32_of(0x34000000u); }
    static DEVICE f32 infinity() { return f32_of(0x7f800000u); }
    static DEVICE f32 least() { return f32_of(0x00800000u); }
    // The power of two that is at most x.
    static DEVICE f32 power(f32 x) { return f32_of(bits_of(x) & 0x7f800000u); }
    static DEVICE bool finite(f32 x) { return (bits_of(x) & 0x7f800000u) != 0x7f800000u; }
};
template <> struct Limits<f64> {
    static DEVICE f64 roundoff() { return f64_of(0x3cb0000000000000ull); }
    static DEVICE f64 infinity() { return f64_of(0x7ff0000000000000ull); }
    static DEVICE f64 least() { return f64_of(0x0010000000000000ull); }
    static DEVICE f64 power(f64 x) { return f64_of(bits_of(x) & 0x7ff0000000000000ull); }
    static DEVICE bool finite(f64 x) { return (bits_of(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull; }
};

template <typename P> DEVICE Complex<P> operator+(Complex<P> a, Complex<P> b) { return { a.re + b.re, a.im + b.im }; }
template <typename P> DEVICE Complex<P> operator-(Complex<P> a, Complex<P> b) { return { a.re - b.re, a.im - b.im }; }
template <typename P> DEVICE Complex<P> operator*(Complex<P> a, Complex<P> b) {
    return { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
template <typename P> DEVICE Complex<P> operator*(Complex<P> a, P b) { return { a.re * b, a.im * b }; }
template <typename P> DEVICE Complex<P> operator/(Complex<P> a, P b) { return { a.re / b, a.im / b }; }
// Smith's method: squares of the divisor neither overflow nor vanish.
template <typename P> DEVICE Complex<P> operator/(Complex<P> a, Complex<P> b) {
    if (p_abs(b.re) >= p_abs(b.im)) {
        const P ratio = b.im / b.re, size = b.re + b.im * ratio;
        return { (a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size };
    }
    const P ratio = b.re / b.im, size = b.re * ratio + b.im;
    return { (a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size };
}

template <typename P> DEVICE P mirror(P x) { return x; }
template <typename P> DEVICE Complex<P> mirror(Complex<P> x) { return { x.re, -x.im }; }
template <typename P> DEVICE P real_of(P x) { return x; }
template <typename P> DEVICE P real_of(Complex<P> x) { return x.re; }
template <typename P> DEVICE P imaginary_of(P x) { return 0; }
template <typename P> DEVICE P imaginary_of(Complex<P> x) { return x.im; }
template <typename T> struct Number { static DEVICE T of(T x) { return x; } };
template <typename P> struct Number<Complex<P>> { static DEVICE Complex<P> of(P x) { return { x, 0 }; } };
template <typename T> DEVICE typename Of<T>::Part square_of(T x) {
    return Of<T>::COMPLEX ? real_of(x) * real_of(x) + imaginary_of(x) * imaginary_of(x) : real_of(x) * real_of(x);
}
// By which LAPACK compares pivots.
template <typename T> DEVICE typename Of<T>::Part taxi(T x) { return p_abs(real_of(x)) + p_abs(imaginary_of(x)); }
template <typename T> DEVICE bool is_zero(T x) { return real_of(x) == 0 && imaginary_of(x) == 0; }
template <typename P> DEVICE P magnitude_of(P re, P im) {
    const P x = p_abs(re), y = p_abs(im), most = x < y ? y : x, least = x < y ? x : y;
    if (most == 0) return 0;
    const P ratio = least / most;
    return most * p_sqrt((P)1 + ratio * ratio);
}
template <typename T> DEVICE typename Of<T>::Part magnitude(T x) {
    return Of<T>::COMPLEX ? magnitude_of(real_of(x), imaginary_of(x)) : p_abs(real_of(x));
}

// What the threads of a block tell each other.
template <typename T> struct Board {
    typedef typename Of<T>::Part P;
    T parts[THREADS];
    P left[THREADS], right[THREADS];
    P value[FEW];
    Index place[FEW];
    u32 word;
};

// Threads side by side: `across` of them (a power of two) by `down`.
struct Spread { Index across, down, x, y; };
DEVICE Spread spread(Index width, Index least) {
    Index across = least;
    while (across < width && across < THREADS) across *= 2;
    return { across, THREADS / across, thread() % across, thread() / across };
}

// Every thread gets the sum of all, or the largest.
template <bool SUM, typename P> DEVICE P joined_of(P a, P b) { return SUM ? a + b : a < b ? b : a; }
template <bool SUM, typename T> DEVICE typename Of<T>::Part block_fold(typename Of<T>::Part own, Board<T>& board) {
    barrier();
    board.left[thread()] = own;
    barrier();
    if (thread() < FEW) {
        for (u32 k = thread() + FEW; k < THREADS; k += FEW) own = joined_of<SUM>(own, board.left[k]);
        board.value[thread()] = own;
    }
    barrier();
    own = board.value[0];
    for (u32 k = 1; k < FEW; k++) own = joined_of<SUM>(own, board.value[k]);
    return own;
}

// Every thread gets the first place of `begin .. end` with the largest value, which no NaN is; `begin` if all are.
template <typename T, typename Value>
DEVICE Index largest_of(Index begin, Index end, const Value& value, Board<T>& board) {
    typedef typename Of<T>::Part P;
    P most = -1;
    Index place = begin;
    if (thread() < FEW) {
        for (Index i = begin + thread(); i < end; i += FEW) {
            const P here = value(i);
            if (here > most) { most = here; place = i; }
        }
        board.value[thread()] = most;
        board.place[thread()] = place;
    }
    barrier();
    most = -1;
    place = begin;
    const u32 some = end - begin < FEW ? (u32)(end - begin) : FEW;
    for (u32 k = 0; k < some; k++) {
        const P here = board.value[k];
        if (here > most || (here == most && board.place[k] < place)) { most = here; place = board.place[k]; }
    }
    return place;
}

// The power of two at or below the largest of what the threads have, by which a matrix is divided so that its largest part
// is near 1; infinity where a number is not finite.
template <typename T> DEVICE typename Of<T>::Part power_below(typename Of<T>::Part most, Board<T>& board) {
    typedef typename Of<T>::Part P;
    most = block_fold<false, T>(Limits<P>::finite(most) ? most : Limits<P>::infinity(), board);
    if (!Limits<P>::finite(most)) return most;
    const P power = Limits<P>::power(most);
    return power < Limits<P>::least() ? (most == 0 ? (P)1 : Limits<P>::least()) : power;
}

template <typename P> DEVICE P worse(P most, P x) { return most < x || x != x ? x : most; }
// The same of an element: what is worst so far, a NaN once there is one or is not.
template <typename T> DEVICE typename Of<T>::Part worst_of(typename Of<T>::Part most, T x) {
    if (!Limits<typename Of<T>::Part>::finite(most)) return most;
    return worse(worse(most, p_abs(imaginary_of(x))), p_abs(real_of(x)));
}

template <typename T> DEVICE typename Of<T>::Part scale_of(const T* a, u64 count, Board<T>& board) {
    typename Of<T>::Part most = 0;
    for (u64 i = thread(); i < count; i += THREADS) most = worst_of(most, a[i]);
    return power_below<T>(most, board);
}
