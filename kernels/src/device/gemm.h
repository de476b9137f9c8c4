// Sums of products of elements, as the pattern `matmul` means them: each product and each sum rounded, in the order of
// k, 16-bit floats in f32.

template <typename T> struct Sum { typedef T type; };
template <> struct Sum<f16> { typedef f32 type; };
template <> struct Sum<bf16> { typedef f32 type; };
template <> struct Sum<boolean> { typedef bool type; };

template <typename T> DEVICE typename Sum<T>::type widen(T x) { return get<0>(x); }
template <> DEVICE c64 widen(c64 x) { return x; }
template <> DEVICE c128 widen(c128 x) { return x; }
template <typename S> DEVICE S nothing() { return (S)0; }
template <> DEVICE c64 nothing() { return c64{ { 0, 0 } }; }
template <> DEVICE c128 nothing() { return c128{ { 0, 0 } }; }

template <typename S> DEVICE S gain(S sum, S a, S b) { return p_add(sum, p_mul(a, b)); }
template <> DEVICE bool gain(bool sum, bool a, bool b) { return sum || (a && b); }
template <typename C> DEVICE C gain_complex(C sum, C a, C b) {
    const auto real = p_sub(p_mul(a.part[0], b.part[0]), p_mul(a.part[1], b.part[1]));
    const auto imaginary = p_add(p_mul(a.part[0], b.part[1]), p_mul(a.part[1], b.part[0]));
    return C{ { p_add(sum.part[0], real), p_add(sum.part[1], imaginary) } };
}
template <> DEVICE c64 gain(c64 sum, c64 a, c64 b) { return gain_complex(sum, a, b); }
template <> DEVICE c128 gain(c128 sum, c128 a, c128 b) { return gain_complex(sum, a, b); }

template <typename T, typename S> DEVICE void put_sum(T& to, S sum) { put(to, sum, sum); }
template <> DEVICE void put_sum(c64& to, c64 sum) { to = sum; }
template <> DEVICE void put_sum(c128& to, c128 sum) { to = sum; }
