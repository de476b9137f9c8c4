// What a step of a program means, to the last bit, on every device; and the words that kernels are written in.
// Integers are computed without signs, divisors are guarded, so no compiler meets undefined behaviour.
// In front of this stands the text of a dialect, which supplies: KERNEL, SHARED, DEVICE, LANES, thread(), block_x(),
// grid_x(), barrier(), shuffle_down(x, step), shuffle_up(x, step), shuffle(x, lane), ballot(x),
// f16_to_f32, f32_to_f16, the
// functions root, fused, floor_, ceil_, trunc_, rint_, rem_ of f32 and f64, high products, and atomics.

struct Divisor { u32 extent, magic, shift, unused; };

// n / extent for n < 2^31 (Granlund & Montgomery 1994, with one more bit of magic).
DEVICE u32 divide(u32 n, const Divisor& d) { return (u32)((((u64)n * d.magic >> 32) + n) >> d.shift); }
DEVICE u64 divide(u64 n, u64 extent) { return n / extent; }
DEVICE u32 extent_of(const Divisor& d) { return d.extent; }
DEVICE u64 extent_of(u64 extent) { return extent; }

DEVICE u32 bits_of(f32 x) { return __builtin_bit_cast(u32, x); }
DEVICE u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }
DEVICE f32 f32_of(u32 x) { return __builtin_bit_cast(f32, x); }
DEVICE f64 f64_of(u64 x) { return __builtin_bit_cast(f64, x); }

template <typename T> struct Unsigned { typedef T type; };
template <> struct Unsigned<i8> { typedef u32 type; };
template <> struct Unsigned<u8> { typedef u32 type; };
template <> struct Unsigned<i16> { typedef u32 type; };
template <> struct Unsigned<u16> { typedef u32 type; };
template <> struct Unsigned<i32> { typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };

template <typename T> struct Is { static const bool floating = false, is_signed = false; };
template <> struct Is<f32> { static const bool floating = true, is_signed = true; };
template <> struct Is<f64> { static const bool floating = true, is_signed = true; };
template <> struct Is<i8> { static const bool floating = false, is_signed = true; };
template <> struct Is<i16> { static const bool floating = false, is_signed = true; };
template <> struct Is<i32> { static const bool floating = false, is_signed = true; };
template <> struct Is<i64> { static const bool floating = false, is_signed = true; };

// Arithmetic of integers wraps.
template <typename T> DEVICE T p_add(T a, T b) { typedef typename Unsigned<T>::type U; return (T)((U)a + (U)b); }
template <typename T> DEVICE T p_sub(T a, T b) { typedef typename Unsigned<T>::type U; return (T)((U)a - (U)b); }
template <typename T> DEVICE T p_mul(T a, T b) { typedef typename Unsigned<T>::type U; return (T)((U)a * (U)b); }
template <> DEVICE f32 p_add(f32 a, f32 b) { return a + b; }
template <> DEVICE f32 p_sub(f32 a, f32 b) { return a - b; }
template <> DEVICE f32 p_mul(f32 a, f32 b) { return a * b; }
template <> DEVICE f64 p_add(f64 a, f64 b) { return a + b; }
template <> DEVICE f64 p_sub(f64 a, f64 b) { return a - b; }
template <> DEVICE f64 p_mul(f64 a, f64 b) { return a * b; }

// x / 0 = 0 and min / -1 = min; x % 0 = 0 and min % -1 = 0.
template <typename T> DEVICE T p_div(T a, T b) {
    if (b == 0) return 0;
    if (Is<T>::is_signed && b == (T)-1) return p_sub((T)0, a);
    return (T)(a / b);
}
template <typename T> DEVICE T p_rem(T a, T b) {
    if (b == 0 || (Is<T>::is_signed && b == (T)-1)) return 0;
    return (T)(a % b);
}
// A division of 64 bits takes a hundred instructions, so it stands once in a kernel. Most numbers are small.
template <typename T> APART T div_apart(T a, T b) {
    if (b == 0) return 0;
    if (Is<T>::is_signed && b == (T)-1) return p_sub((T)0, a);
    return (T)(a / b);
}
template <typename T> APART T rem_apart(T a, T b) {
    if (b == 0 || (Is<T>::is_signed && b == (T)-1)) return 0;
    return (T)(a % b);
}
template <typename T> DEVICE bool are_small(T a, T b) { return ((u64)a | (u64)b) >> 32 == 0 && b != 0; }
template <> DEVICE i64 p_div(i64 a, i64 b) { return are_small(a, b) ? (i64)((u32)a / (u32)b) : div_apart(a, b); }
template <> DEVICE u64 p_div(u64 a, u64 b) { return are_small(a, b) ? (u64)((u32)a / (u32)b) : div_apart(a, b); }
template <> DEVICE i64 p_rem(i64 a, i64 b) { return are_small(a, b) ? (i64)((u32)a % (u32)b) : rem_apart(a, b); }
template <> DEVICE u64 p_rem(u64 a, u64 b) { return are_small(a, b) ? (u64)((u32)a % (u32)b) : rem_apart(a, b); }
template <> DEVICE f32 p_div(f32 a, f32 b) { return a / b; }
template <> DEVICE f64 p_div(f64 a, f64 b) { return a / b; }
template <> DEVICE f32 p_rem(f32 a, f32 b) { return rem_(a, b); }
template <> DEVICE f64 p_rem(f64 a, f64 b) { return rem_(a, b); }

// Faults are words, of which the largest counts (core/src/program/fault.rs). A negative exponent is the largest of all.
template <typename T> DEVICE T p_int_pow(T base, T exponent, u64* error) {
    if (Is<T>::is_signed && exponent < 0) { *error = ~(u64)0; return 0; }
    typedef typename Unsigned<T>::type U;
    U power = 1, square = (U)base;
    for (U rest = (U)exponent; rest != 0; rest >>= 1) {
        if (rest & 1) power *= square;
        square *= square;
    }
    return (T)power;
}

// The fault of a position that is out of range: the word of its check, with the complement of 48 bits of the position.
DEVICE u64 position_fault(i64 position, u64 site) {
    const i64 most = (1ll << 47) - 1;
    const i64 near = position > most ? most : position < -most - 1 ? -most - 1 : position;
    return site ^ ((u64)near & ((1ull << 48) - 1));
}
// A position below `size`. Any other is a fault.
DEVICE i64 p_bounds_check(i64 position, i64 size, u64 site, u64* error) {
    if ((u64)position < (u64)size) return position;
    const u64 fault = position_fault(position, site);
    if (fault > *error) *error = fault;
    return 0;
}

// NaN wins, -0 is less than +0.
template <typename T> DEVICE T p_min(T a, T b) { return b < a ? b : a; }
template <typename T> DEVICE T p_max(T a, T b) { return a < b ? b : a; }
#ifdef HAS_EXTREMES
template <> DEVICE f32 p_min(f32 a, f32 b) { return lesser(a, b); }
template <> DEVICE f32 p_max(f32 a, f32 b) { return greater(a, b); }
#else
template <> DEVICE f32 p_min(f32 a, f32 b) {
    f32 least = b < a ? b : a;
    least = a == b ? f32_of(bits_of(a) | bits_of(b)) : least;
    return a != a || b != b ? f32_of(0x7fc00000u) : least;
}
template <> DEVICE f32 p_max(f32 a, f32 b) {
    f32 most = a < b ? b : a;
    most = a == b ? f32_of(bits_of(a) & bits_of(b)) : most;
    return a != a || b != b ? f32_of(0x7fc00000u) : most;
}
#endif
template <> DEVICE f64 p_min(f64 a, f64 b) {
    f64 least = b < a ? b : a;
    least = a == b ? f64_of(bits_of(a) | bits_of(b)) : least;
    return a != a || b != b ? f64_of(0x7ff8000000000000ull) : least;
}
template <> DEVICE f64 p_max(f64 a, f64 b) {
    f64 most = a < b ? b : a;
    most = a == b ? f64_of(bits_of(a) & bits_of(b)) : most;
    return a != a || b != b ? f64_of(0x7ff8000000000000ull) : most;
}

template <typename T> DEVICE T p_and(T a, T b) { return (T)(a & b); }
template <typename T> DEVICE T p_or(T a, T b) { return (T)(a | b); }
template <typename T> DEVICE T p_xor(T a, T b) { return (T)(a ^ b); }
template <typename T> DEVICE T p_not(T a) { return (T)~a; }
template <> DEVICE bool p_not(bool a) { return !a; }

// Counts outside the width give 0, or all sign bits.
template <typename T> DEVICE T p_shl(T a, T b) {
    typedef typename Unsigned<T>::type U;
    return (U)b < 8 * sizeof(T) ? (T)((U)a << (U)b) : (T)0;
}
template <typename T> DEVICE T p_shr(T a, T b) {
    typedef typename Unsigned<T>::type U;
    if ((U)b < 8 * sizeof(T)) return (T)(a >> (U)b);
    return Is<T>::is_signed && a < 0 ? (T)-1 : (T)0;
}
DEVICE u32 p_mul_high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
DEVICE u64 p_mul_high(u64 a, u64 b) { return high_product(a, b); }
template <typename T> DEVICE T p_gcd(T a, T b) {
    while (b != 0) { T rest = (T)(a % b); a = b; b = rest; }
    return a;
}

template <typename T> DEVICE T p_neg(T a) { return p_sub((T)0, a); }
template <> DEVICE f32 p_neg(f32 a) { return f32_of(bits_of(a) ^ 0x80000000u); }
template <> DEVICE f64 p_neg(f64 a) { return f64_of(bits_of(a) ^ 0x8000000000000000ull); }
template <typename T> DEVICE T p_abs(T a) { return Is<T>::is_signed && a < 0 ? p_neg(a) : a; }
template <> DEVICE f32 p_abs(f32 a) { return f32_of(bits_of(a) & 0x7fffffffu); }
template <> DEVICE f64 p_abs(f64 a) { return f64_of(bits_of(a) & 0x7fffffffffffffffull); }
template <typename T> DEVICE T p_sqrt(T a) { return root(a); }
template <typename T> DEVICE T p_floor(T a) { return floor_(a); }
template <typename T> DEVICE T p_ceil(T a) { return ceil_(a); }
template <typename T> DEVICE T p_trunc(T a) { return trunc_(a); }
template <typename T> DEVICE T p_rint(T a) { return rint_(a); }
template <typename T> DEVICE T p_fma(T a, T b, T c) { return fused(a, b, c); }

// Rounds the magnitude of a float of FROM fraction bits and bias FROM_BIAS to TO and TO_BIAS, once, ties to even.
template <int FROM, int FROM_BIAS, int TO, int TO_BIAS> DEVICE u16 narrow(u64 bits) {
    int exponent = (int)(bits >> FROM);
    u64 significand = bits & ((1ull << FROM) - 1);
    if (exponent == 0) exponent = 1; else significand |= 1ull << FROM;
    u16 infinity = (u16)((2 * TO_BIAS + 1) << TO);
    int target = exponent - FROM_BIAS + TO_BIAS;
    int drop = FROM - TO + (target < 1 ? 1 - target : 0);
    if (drop > FROM + 1) return 0;
    u64 kept = significand >> drop, rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    u64 up = rest > half || (rest == half && (kept & 1)) ? 1 : 0;
    u64 base = target < 1 ? 0 : (u64)(target - 1) << TO;
    u64 rounded = base + kept + up;
    return rounded >= infinity ? infinity : (u16)rounded;
}
DEVICE u16 f64_to_f16(f64 x) {
    u64 bits = bits_of(x);
    u16 sign = (u16)(bits >> 48 & 0x8000);
    return x != x ? (u16)0x7e00 : (u16)(sign | narrow<52, 1023, 10, 15>(bits & 0x7fffffffffffffffull));
}
DEVICE u16 f64_to_bf16(f64 x) {
    u64 bits = bits_of(x);
    u16 sign = (u16)(bits >> 48 & 0x8000);
    return x != x ? (u16)0x7fc0 : (u16)(sign | narrow<52, 1023, 7, 127>(bits & 0x7fffffffffffffffull));
}
DEVICE u16 f32_to_bf16(f32 x) {
    u32 bits = bits_of(x);
    return x != x ? (u16)0x7fc0 : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
DEVICE f32 bf16_to_f32(u16 x) { return f32_of((u32)x << 16); }
DEVICE f32 p_round_f16(f32 a) { return f16_to_f32(f32_to_f16(a)); }
DEVICE f32 p_round_bf16(f32 a) { return bf16_to_f32(f32_to_bf16(a)); }
DEVICE f32 p_narrow_f16(f64 a) { return f16_to_f32(f64_to_f16(a)); }
DEVICE f32 p_narrow_bf16(f64 a) { return bf16_to_f32(f64_to_bf16(a)); }

// Conversions: integers wrap, to bool is != 0, floats to integers truncate and saturate and NaN gives 0.
template <typename To, typename From> struct Conversion { static DEVICE To of(From a) { return (To)a; } };
template <typename From> struct Conversion<bool, From> { static DEVICE bool of(From a) { return a != 0; } };
// LEAST and FIRST: the smallest value, and the first float that is too large.
template <typename To, typename From> DEVICE To saturate(From a, To least, To most, From first) {
    if (a != a) return 0;
    if (a >= first) return most;
    if (a <= (From)least) return least;
    return (To)a;
}
#define SATURATES(To, least, most, first) \
    template <> struct Conversion<To, f32> { static DEVICE To of(f32 a) { return saturate<To, f32>(a, least, most, first); } }; \
    template <> struct Conversion<To, f64> { static DEVICE To of(f64 a) { return saturate<To, f64>(a, least, most, first); } };
SATURATES(i8, -128, 127, 128.0f)
SATURATES(i16, -32768, 32767, 32768.0f)
SATURATES(i32, (-2147483647 - 1), 2147483647, 2147483648.0f)
SATURATES(i64, (-9223372036854775807ll - 1), 9223372036854775807ll, 9223372036854775808.0f)
SATURATES(u8, 0, 255, 256.0f)
SATURATES(u16, 0, 65535, 65536.0f)
SATURATES(u32, 0, 4294967295u, 4294967296.0f)
SATURATES(u64, 0, 18446744073709551615ull, 18446744073709551616.0f)
template <typename To, typename From> DEVICE To p_cast(From a) { return Conversion<To, From>::of(a); }

template <typename To, typename From> DEVICE To p_bitcast(From a) { return __builtin_bit_cast(To, a); }

// Elements in memory. A 16-bit float is its bits.
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
struct c64 { f32 part[2]; };
struct c128 { f64 part[2]; };
struct boolean { u8 bits; };
template <int PART, typename T> DEVICE T get(T x) { return x; }
template <int PART> DEVICE f32 get(f16 x) { return f16_to_f32(x.bits); }
template <int PART> DEVICE f32 get(bf16 x) { return bf16_to_f32(x.bits); }
template <int PART> DEVICE f32 get(c64 x) { return x.part[PART]; }
template <int PART> DEVICE f64 get(c128 x) { return x.part[PART]; }
template <int PART> DEVICE bool get(boolean x) { return x.bits != 0; }

// A part of the element at a position; zeros outside of `size` elements.
template <int PART, typename R, typename T> DEVICE R gather(const T* from, i64 position, i64 size) {
    if ((u64)position >= (u64)size) return (R)0;
    return get<PART>(from[position]);
}
template <typename T> DEVICE void put(T& to, T a, T b) { to = a; }
DEVICE void put(f16& to, f32 a, f32 b) { to.bits = f32_to_f16(a); }
DEVICE void put(bf16& to, f32 a, f32 b) { to.bits = f32_to_bf16(a); }
DEVICE void put(c64& to, f32 a, f32 b) { to.part[0] = a; to.part[1] = b; }
DEVICE void put(c128& to, f64 a, f64 b) { to.part[0] = a; to.part[1] = b; }
DEVICE void put(boolean& to, bool a, bool b) { to.bits = a; }

// COUNT neighbours, moved in pieces of up to 16 bytes; the address is a multiple of their size or of 16.
template <int BYTES> struct Uint;
template <> struct Uint<1> { typedef u8 type; };
template <> struct Uint<2> { typedef u16 type; };
template <> struct Uint<4> { typedef u32 type; };
template <> struct Uint<8> { typedef u64 type; };
struct alignas(16) Sixteen { u32 words[4]; };
template <> struct Uint<16> { typedef Sixteen type; };
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT < 16 ? sizeof(T) * COUNT : 16) Pack { T at[COUNT]; };
template <int COUNT, typename T> DEVICE Pack<T, COUNT> load(const T* from) {
    const int BYTES = sizeof(T) * COUNT, PIECE = BYTES < 16 ? BYTES : 16;
    typedef typename Uint<PIECE>::type P;
    Pack<T, COUNT> pack;
    P* to = reinterpret_cast<P*>(&pack);
    const P* pieces = reinterpret_cast<const P*>(from);
#pragma unroll
    for (int k = 0; k < BYTES / PIECE; k++) to[k] = pieces[k];
    return pack;
}
template <int COUNT, typename T> DEVICE void store(T* to, const Pack<T, COUNT>& pack) {
    const int BYTES = sizeof(T) * COUNT, PIECE = BYTES < 16 ? BYTES : 16;
    typedef typename Uint<PIECE>::type P;
    const P* from = reinterpret_cast<const P*>(&pack);
    P* pieces = reinterpret_cast<P*>(to);
#pragma unroll
    for (int k = 0; k < BYTES / PIECE; k++) pieces[k] = from[k];
}
