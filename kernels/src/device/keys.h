// Elements as unsigned numbers in the order of the pattern `sort`: -0.0 as +0.0, every NaN above all numbers. The
// order of a type may take PARTS of them, the least significant first. A word tells the zeros apart (-0.0 first) and
// gives the element back.

template <typename T> struct Keyed;

template <typename T, typename K, K FLIP> struct IntegerKeys {
    typedef K Key;
    typedef K Whole;
    enum { PARTS = 1, ZEROS = 0 };
    template <int PART> static DEVICE K key(T x) { return (K)((K)x ^ FLIP); }
    static DEVICE K whole(T x) { return key<0>(x); }
    static DEVICE K word(T x) { return key<0>(x); }
    static DEVICE T of_word(K word) { return (T)(K)(word ^ FLIP); }
};
template <> struct Keyed<i8> : IntegerKeys<i8, u8, 0x80> {};
template <> struct Keyed<i16> : IntegerKeys<i16, u16, 0x8000> {};
template <> struct Keyed<i32> : IntegerKeys<i32, u32, 0x80000000u> {};
template <> struct Keyed<i64> : IntegerKeys<i64, u64, 0x8000000000000000ull> {};
template <> struct Keyed<u8> : IntegerKeys<u8, u8, 0> {};
template <> struct Keyed<u16> : IntegerKeys<u16, u16, 0> {};
template <> struct Keyed<u32> : IntegerKeys<u32, u32, 0> {};
template <> struct Keyed<u64> : IntegerKeys<u64, u64, 0> {};

template <> struct Keyed<boolean> : IntegerKeys<boolean, u8, 0> {
    template <int PART> static DEVICE u8 key(boolean x) { return x.bits; }
    static DEVICE u8 whole(boolean x) { return x.bits; }
    static DEVICE u8 word(boolean x) { return x.bits; }
    static DEVICE boolean of_word(u8 word) { return boolean{ word }; }
};

// The bits of a float are in order once those of negative numbers are flipped; INF is +inf, beyond it there are NaNs.
template <typename K, K INF> struct FloatBits {
    static DEVICE K sign() { return (K)((K)1 << (8 * sizeof(K) - 1)); }
    static DEVICE K word(K bits) {
        const K flipped = (K)(bits & sign() ? ~bits : bits | sign());
        return (K)(bits & (K)~sign()) > INF ? (K)~(K)0 : flipped;
    }
    static DEVICE K key(K bits) { return bits == sign() ? sign() : word(bits); }
    static DEVICE K bits(K word) { return (K)(word & sign() ? word ^ sign() : ~word); }
};
template <typename T, typename K, K INF> struct FloatKeys {
    typedef K Key;
    typedef K Whole;
    typedef FloatBits<K, INF> Bits;
    enum { PARTS = 1, ZEROS = 1 };
    template <int PART> static DEVICE K key(T x) { return Bits::key(__builtin_bit_cast(K, x)); }
    static DEVICE K whole(T x) { return key<0>(x); }
    static DEVICE K word(T x) { return Bits::word(__builtin_bit_cast(K, x)); }
    static DEVICE T of_word(K word) { return __builtin_bit_cast(T, Bits::bits(word)); }
    // The words of the zeros are `zero() - 1` and `zero()`.
    static DEVICE K zero() { return Bits::sign(); }
};
template <> struct Keyed<f16> : FloatKeys<f16, u16, 0x7c00> {};
template <> struct Keyed<bf16> : FloatKeys<bf16, u16, 0x7f80> {};
template <> struct Keyed<f32> : FloatKeys<f32, u32, 0x7f800000u> {};
template <> struct Keyed<f64> : FloatKeys<f64, u64, 0x7ff0000000000000ull> {};

// Complex numbers: first those without NaN, then those with an imaginary one (by the real part), with a real one (by
// the imaginary part), with two. What lies between the key of +inf and that of NaN names these groups.
struct Two { u64 high, low; };
DEVICE bool operator<(const Two& a, const Two& b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
template <typename K> DEVICE void complex_key(K re, K im, K& high, K& low) {
    const K top = (K)~(K)0;
    const bool no_re = re == top, no_im = im == top;
    high = no_re ? (no_im ? top : (K)(top - 1)) : (no_im ? (K)(top - 2) : re);
    low = no_re ? im : (no_im ? re : im);
}
template <> struct Keyed<c64> {
    typedef u64 Key;
    typedef u64 Whole;
    enum { PARTS = 1, ZEROS = 0 };
    template <int PART> static DEVICE u64 key(c64 x) {
        u32 high, low;
        complex_key(Keyed<f32>::whole(x.part[0]), Keyed<f32>::whole(x.part[1]), high, low);
        return (u64)high << 32 | low;
    }
    static DEVICE u64 whole(c64 x) { return key<0>(x); }
};
template <> struct Keyed<c128> {
    typedef u64 Key;
    typedef Two Whole;
    enum { PARTS = 2, ZEROS = 0 };
    static DEVICE Two whole(c128 x) {
        Two key;
        complex_key(Keyed<f64>::whole(x.part[0]), Keyed<f64>::whole(x.part[1]), key.high, key.low);
        return key;
    }
    template <int PART> static DEVICE u64 key(c128 x) { return PART == 0 ? whole(x).low : whole(x).high; }
};
