// Real and complex numbers of factorizations: their parts, sizes, limits.

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

// By what a matrix is divided before a library sees it: the power of two at or below its largest part; 1 where there is
// no finite one.
template <typename P> DEVICE P power_of(P largest) {
    if (!Limits<P>::finite(largest) || largest == 0) return 1;
    const P power = Limits<P>::power(largest);
    return power < Limits<P>::least() ? Limits<P>::least() : power;
}

