// A stable partition of each row about its nth element: one block per row.

struct Args {
    u64 length, place;
    i64 step;
    const void* source;
    void* out;
};

// Digits of eight bits, each counted in several counters, so that threads rarely collide.
enum { DIGITS = 256, COPIES = 8 };

struct NthElementShared {
    u32 counts[DIGITS * COPIES];
    u32 digit, before, equal;
    Sums<THREADS> sums;
    PartsShared parts;
};

// The key at a place of the sorted row, a digit after the other from the highest; how many keys are less, and how many
// equal it.
template <typename T>
DEVICE typename Keyed<T>::Key key_at(const T* row, u64 length, u64 place, u64& less, u64& equal, NthElementShared& shared) {
    typedef typename Keyed<T>::Key Key;
    static_assert(DIGITS == THREADS, "a thread a digit");
    // The digits that are known, and where they stand.
    Key known = 0, mask = 0;
    less = 0;
    for (int shift = 8 * (int)sizeof(Key) - 8; shift >= 0; shift -= 8) {
#pragma unroll
        for (u32 k = 0; k < COPIES; k++) shared.counts[k * DIGITS + thread()] = 0;
        barrier();
        for (u64 p = thread(); p < length; p += THREADS) {
            const Key key = Keyed<T>::whole(row[p]);
            const u32 digit = (u32)(key >> shift) % DIGITS;
            if ((Key)(key & mask) == known) atomic_add(&shared.counts[digit * COPIES + thread() % COPIES], (u32)1);
        }
        barrier();
        u32 own = 0, total;
#pragma unroll
        for (u32 k = 0; k < COPIES; k++) own += shared.counts[thread() * COPIES + k];
        const u32 before = sum_before<THREADS>(own, total, shared.sums);
        // One thread's digit is that of the place.
        if (less + before <= place && place < less + before + own) {
            shared.digit = thread();
            shared.before = before;
            shared.equal = own;
        }
        barrier();
        known |= (Key)((Key)shared.digit << shift);
        mask |= (Key)((Key)(DIGITS - 1) << shift);
        less += shared.before;
        equal = shared.equal;
    }
    return known;
}

template <typename T, bool POSITIONS> DEVICE void nth_element_rows(const Args& a, NthElementShared& shared) {
    typedef typename Keyed<T>::Key Key;
    const T* row = (const T*)a.source + (i64)block_x() * a.step;
    void* out = POSITIONS ? (void*)((i64*)a.out + block_x() * a.length) : (void*)((T*)a.out + block_x() * a.length);
    u64 less, equal;
    const Key key = key_at(row, a.length, a.place, less, equal, shared);
    const Limits<T> limits = { key, key };
    i64 starts[PARTS] = { 0, (i64)less, (i64)(less + equal) };
    for (u64 tile = 0; tile * TILE < a.length; tile++) {
        write_parts<T, POSITIONS>(row, a.length, first_of(tile), limits, starts, out, shared.parts);
    }
}
