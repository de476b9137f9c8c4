//! Transforms by plain recursion, in complex numbers of 64 bits a part: what the reference device does.
//!
//! Lengths fall into their prime factors; a large prime becomes a convolution of a power of two (Bluestein). Written to be
//! read; roots of unity are taken from an eighth of the circle, where sine and cosine are accurate. Speed beyond the right
//! order of growth is deliberately no concern.

use num_complex::Complex64 as C;

use ndany_core::host::{Lack, filled, gathered, reserved};

/// Prime factors up to this are summed as they stand.
const SMALL: usize = 50;

/// `exp(2πi k/n)`.
pub fn root(k: usize, n: usize) -> C {
    let (eighths, n) = (8 * (k % n) as u128, n as u128);
    let octant = eighths / n;
    // From the nearer end of the octant that is a multiple of a quarter turn.
    let rest = if octant % 2 == 0 { eighths - octant * n } else { (octant + 1) * n - eighths };
    let (s, c) = match rest == n {
        true => [std::f64::consts::FRAC_1_SQRT_2; 2].into(),
        false => (std::f64::consts::FRAC_PI_4 * (rest as f64 / n as f64)).sin_cos(),
    };
    match octant {
        0 => C::new(c, s),
        1 => C::new(s, c),
        2 => C::new(-s, c),
        3 => C::new(-c, s),
        4 => C::new(-c, -s),
        5 => C::new(-s, -c),
        6 => C::new(s, -c),
        _ => C::new(c, -s),
    }
}

/// `Σ x[j] exp(-2πi jk/n)`.
///
/// # Errors
/// Number of bytes that could not be allocated.
pub fn forward(x: &[C]) -> Result<Vec<C>, Lack> {
    // Exchanging the parts is a reflection, and so is going backward.
    let turned = gathered(x.len(), x.iter().map(|x| C::new(x.im, x.re)))?;
    let mut sums = backward(&turned)?;
    sums.iter_mut().for_each(|y| *y = C::new(y.im, y.re));
    Ok(sums)
}

/// `Σ x[j] exp(2πi jk/n)`.
pub(crate) fn backward(x: &[C]) -> Result<Vec<C>, Lack> {
    let roots = gathered(x.len(), (0..x.len()).map(|k| root(k, x.len())))?;
    stage(x, 1, x.len(), &roots)
}

/// Of every `step`-th element, `n` in all; `roots` are those of the whole.
fn stage(x: &[C], step: usize, n: usize, roots: &[C]) -> Result<Vec<C>, Lack> {
    let prime = least_factor(n);
    if prime == 1 {
        return filled(x[0], 1);
    }
    if prime > SMALL && prime == n {
        return convolved(&gathered(n, x.iter().step_by(step).take(n).copied())?);
    }
    let inner = n / prime;
    let mut parts: Vec<Vec<C>> = reserved(prime)?;
    for r in 0..prime {
        parts.push(stage(&x[r * step..], step * prime, inner, roots)?);
    }
    let sum = |k: usize| (0..prime).map(|r| parts[r][k % inner] * roots[r * k % n * step]).sum();
    gathered(n, (0..n).map(sum))
}

/// The smallest prime that divides `n`; 1 for 1.
fn least_factor(n: usize) -> usize {
    (2..).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)).unwrap_or(n)
}

/// Bluestein: as `2jk = j² + k² - (k-j)²`, a transform is a convolution with a chirp.
fn convolved(x: &[C]) -> Result<Vec<C>, Lack> {
    let n = x.len();
    let chirp = gathered(n, (0..n).map(|k| root(k * k % (2 * n), 2 * n)))?;
    let size = (2 * n - 1).next_power_of_two();
    let (mut signal, mut filter) = (filled(C::ZERO, size)?, filled(C::ZERO, size)?);
    for k in 0..n {
        signal[k] = x[k] * chirp[k];
        filter[k] = chirp[k].conj();
        filter[(size - k) % size] = chirp[k].conj();
    }
    let mut products = backward(&signal)?;
    products.iter_mut().zip(backward(&filter)?).for_each(|(s, f)| *s *= f);
    let sums = forward(&products)?;
    gathered(n, (0..n).map(|k| sums[k] * chirp[k] / size as f64))
}

/// A row of `n` from its first half.
pub(crate) fn from_half(half: &[C], n: usize) -> Result<Vec<C>, Lack> {
    let real = |k: usize| k == 0 || 2 * k == n;
    let of = |k| match k {
        k if real(k) => C::new(half[k].re, 0.0),
        k if k < half.len() => half[k],
        k => half[n - k].conj(),
    };
    gathered(n, (0..n).map(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[C], b: &[C], bound: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).norm() <= bound)
    }

    #[test]
    fn roots_are_where_they_should_be() {
        for n in 1..200 {
            for k in 0..n {
                let exact = C::from_polar(1.0, std::f64::consts::TAU * k as f64 / n as f64);
                assert!((root(k, n) - exact).norm() < 2e-15, "{k}/{n}");
                // Conjugates are so to the last bit.
                assert_eq!(root(k, n).conj(), root(n - k, n), "{k}/{n}");
            }
        }
        assert_eq!(root(2, 8), C::new(0.0, 1.0));
        assert_eq!(root(3, 6), C::new(-1.0, 0.0));
    }

    #[test]
    fn transforms_are_the_sums_that_define_them() {
        for n in (1..=64).chain([101, 106, 128, 243, 303]) {
            let x: Vec<C> =
                (0..n).map(|j| C::new((j * j % 17) as f64 - 8.0, (j * 5 % 13) as f64)).collect();
            let sums: Vec<C> =
                (0..n).map(|k| (0..n).map(|j| x[j] * root(j * k % n, n)).sum()).collect();
            assert!(close(&backward(&x).expect("memory"), &sums, 1e-12 * n as f64), "{n}");
            let back: Vec<C> =
                forward(&sums).expect("memory").iter().map(|y| y / n as f64).collect();
            assert!(close(&back, &x, 1e-12), "{n}");
        }
    }

    #[test]
    fn long_rows_come_back() {
        // A large prime, a power of a prime, a number of many factors.
        for n in [1009, 2187, 2520] {
            let x: Vec<C> = (0..n).map(|j| C::new((j % 7) as f64, (j % 3) as f64)).collect();
            let back: Vec<C> = backward(&forward(&x).expect("memory"))
                .expect("memory")
                .iter()
                .map(|y| y / n as f64)
                .collect();
            assert!(close(&back, &x, 1e-12), "{n}");
        }
    }
}
