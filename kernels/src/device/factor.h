// What the threads of a block do together, for factorizations: a block has one matrix at a time. Threads meet at
// barriers and in shared memory only, never by lanes, and sums go in an order that extents and THREADS fix: so the bits
// are those of any other device with as many threads a block.

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

// Number of threads that search a column together, and the maximum number of partial sums that are added serially.
#define FEW 32

// Places within a matrix: 32 bits hold those of a matrix in shared memory.
template <bool NARROW> struct IndexOf { typedef u32 type; };
template <> struct IndexOf<false> { typedef u64 type; };
typedef IndexOf<IN_SHARED>::type Index;

// Shared memory through which the threads of a block exchange values.
template <typename T> struct Board {
    typedef typename Of<T>::Part P;
    T parts[THREADS];
    P left[THREADS], right[THREADS];
    P value[FEW];
    Index place[FEW];
    u32 word;
};

// Threads side by side: `across` of them (a power of two) by `down`.
struct ThreadGrid { Index across, down, x, y; };
DEVICE ThreadGrid thread_grid(Index width, Index least) {
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

// The power of two at or below the largest of what the threads have, by which a matrix is divided so that its largest
// part is near 1; infinity where a number is not finite.
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
