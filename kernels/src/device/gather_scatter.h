// What moving elements by positions needs.

// Positions from the end count backwards; what is outside is not there.
DEVICE bool resolve(i64& position, i64 extent) {
    if (position < 0) position += extent;
    return (u64)position < (u64)extent;
}

// Replaces the element at an address by `joined(element, value)`, undisturbed by other threads.
template <typename T> DEVICE void combine_at(T* at, T value) {
    typedef typename Uint<(sizeof(T) < 4 ? 4 : sizeof(T))>::type Word;
    const u64 address = reinterpret_cast<u64>(at);
    Word* word = reinterpret_cast<Word*>(address & ~(u64)(sizeof(Word) - 1));
    const u32 shift = (u32)(address & (sizeof(Word) - 1)) * 8;
    typedef typename Uint<sizeof(T)>::type Bits;
    const Word mask = (Word)((Bits)~(Bits)0);
    Word found = *const_cast<volatile Word*>(word);
    for (;;) {
        const T old = __builtin_bit_cast(T, (Bits)(found >> shift));
        const Bits bits = __builtin_bit_cast(Bits, joined(old, value));
        const Word next = (found & ~(mask << shift)) | (Word)bits << shift;
        if (next == found) return;
        const Word before = atomic_swap_if(word, found, next);
        if (before == found) return;
        found = before;
    }
}

// A place for `key` (never 0) in a table of a power of two of slots, more than there are keys.
DEVICE u64 slot_of(u64* keys, u64 slots, u64 key) {
    u64 slot = key * 0x9e3779b97f4a7c15ull;
    slot = (slot ^ slot >> 32) & (slots - 1);
    for (;;) {
        const u64 found = atomic_swap_if(&keys[slot], (u64)0, key);
        if (found == 0 || found == key) return slot;
        slot = (slot + 1) & (slots - 1);
    }
}
