//! The transform of a real row of an even length from that of its pairs, as complex numbers: the library's own way copies
//! the row, which it spoils, and takes a fifth of all its time for what is done here.
//!
//! Let z be the transform of the m pairs. The sum of z[k] and the conjugate of z[m - k] is twice the transform of the even
//! numbers, their difference 2i times that of the odd ones; the row's is the even numbers' plus the root times the odd
//! ones'.

macro_rules! precision {
    ($name:ident $real:ident) => {
        pub(crate) mod $name {
            use num_complex::Complex;

            type Number = Complex<$real>;

            /// What differences are multiplied by, from the first on: -i / 2 times the roots of unity.
            pub(crate) fn roots(length: usize) -> Vec<Number> {
                let turn = std::f64::consts::TAU / length as f64;
                let root = |k| {
                    let (sine, cosine) = (k as f64 * turn).sin_cos();
                    Number::new((-0.5 * sine) as $real, (-0.5 * cosine) as $real)
                };
                (1..length.div_ceil(4)).map(root).collect()
            }

            /// A row as its pairs.
            pub(crate) fn pairs(row: &[$real]) -> &[Number] {
                // SAFETY: a complex number is its two parts in order, aligned as one, and half as many lie in the row.
                unsafe { std::slice::from_raw_parts(row.as_ptr().cast(), row.len() / 2) }
            }

            /// The first half of a row's transform, from that of its pairs.
            pub(crate) fn part(pairs: &[Number], row: &mut [Number], roots: &[Number]) {
                let ([whole, pairs @ ..], [first, inner @ .., last]) = (pairs, row) else {
                    unreachable!("a row has pairs, and its transform one number more")
                };
                *first = Number::new(whole.re + whole.im, 0.0);
                *last = Number::new(whole.re - whole.im, 0.0);
                // Both ends at once; what is between them stands alone.
                let (count, ends) = (pairs.len(), pairs.len() / 2);
                if count % 2 == 1 {
                    inner[ends] = pairs[ends].conj();
                }
                let (near, far) = inner.split_at_mut(count - ends);
                let made = near.iter_mut().zip(far.iter_mut().rev());
                let given = pairs.iter().zip(pairs.iter().rev());
                for (((near, far), (x, y)), root) in made.zip(given).zip(roots) {
                    let even = Number::new(0.5 * (x.re + y.re), 0.5 * (x.im - y.im));
                    let odd = Number::new(x.re - y.re, x.im + y.im) * root;
                    *near = even + odd;
                    *far = (even - odd).conj();
                }
            }
        }
    };
}

precision!(f32s f32);
precision!(f64s f64);

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use crate::{Kind, f64s};

    /// The transform by its definition.
    fn plain(row: &[f64]) -> Vec<Complex<f64>> {
        let turn = -std::f64::consts::TAU / row.len() as f64;
        let root = |k: usize| Complex::cis(turn * (k % row.len()) as f64);
        let at = |k: usize| row.iter().enumerate().map(|(i, &x)| root(i * k) * x).sum();
        (0..=row.len() / 2).map(at).collect()
    }

    #[test]
    fn rows_of_all_lengths() {
        for length in (1..70).chain([510, 512, 514, 516, 1000, 1022, 1026, 1030]) {
            let row: Vec<f64> = (0..length).map(|i| (i as f64 * 1.7).sin() + 0.1).collect();
            let wanted = plain(&row);
            let mut found = vec![Complex::new(f64::NAN, f64::NAN); wanted.len()];
            f64s::Worker::new(Kind::RealToHalf, length).to_half(&row, &mut found, 1.0);
            for (k, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                assert!((found - wanted).norm() < 1e-11, "{k} of {length}: {found}, not {wanted}");
            }
        }
    }
}
