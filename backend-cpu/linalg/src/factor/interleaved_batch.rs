//! Many small real matrices in SIMD lanes: each lane of a few vectors holds a number of one matrix, so that a
//! step serves all, however long its chain of divisions and roots.
//!
//! Eigenvalues of symmetric matrices by Jacobi rotations, singular values by Hestenes rotations (Golub & Van
//! Loan, "Matrix Computations", 8.5 and 8.6), pair by pair of columns in sweeps. A lane rotates and stops by
//! its own numbers, so the result for a matrix does not depend on the others of the group. Deliberately absent:
//! complex numbers, and singular vectors, which the library computes.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

use super::scale::{Part, Scale, worse};

/// Matrices of a group.
pub const LANES: usize = 16;

/// Maximum number of sweeps; about eight are usual.
const MAX_ITERATIONS: usize = 60;

/// The element type.
pub(super) trait Real:
    Part + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    const EPSILON: Self;
    const ZERO: Self;
    const ONE: Self;
    fn root(self) -> Self;
    fn size(self) -> Self;
    fn signed(self, sign: Self) -> Self;
}

macro_rules! reals {
    ($($ty:ident)+) => {$(
        impl Real for $ty {
            const EPSILON: Self = $ty::EPSILON;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn size(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn signed(self, sign: Self) -> Self {
                self.copysign(sign)
            }
        }
    )+};
}

reals! { f32 f64 }

/// One number of each matrix.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Lanes<P>([P; LANES]);

impl<P: Real> Lanes<P> {
    const ZERO: Self = Self([P::ZERO; LANES]);

    #[inline(always)]
    fn each(of: impl FnMut(usize) -> P) -> Self {
        Self(from_fn(of))
    }
}

/// The rotation that makes two columns orthogonal.
struct Rotation<P> {
    cosine: Lanes<P>,
    sine: Lanes<P>,
    /// The change of both squares as a factor of the product: one grows, the other shrinks.
    tangent: Lanes<P>,
}

impl<P: Real> Rotation<P> {
    /// The rotation by the smaller angle, from the columns' squares and product; the identity in lanes that
    /// are not `wanted`.
    #[inline(always)]
    fn of(p: &Lanes<P>, q: &Lanes<P>, product: &Lanes<P>, wanted: &[bool; LANES]) -> Self {
        let tangent = Lanes::each(|l| {
            let (gap, twice) = (q.0[l] - p.0[l], product.0[l] + product.0[l]);
            let longest = gap.size() + (gap * gap + twice * twice).root();
            let tangent = twice / longest.signed(gap);
            if wanted[l] { tangent } else { P::ZERO }
        });
        let cosine = Lanes::each(|l| P::ONE / (P::ONE + tangent.0[l] * tangent.0[l]).root());
        let sine = Lanes::each(|l| tangent.0[l] * cosine.0[l]);
        Self { cosine, sine, tangent }
    }

    /// Rotates the elements of two columns in a row.
    #[inline(always)]
    fn rotate(&self, numbers: &mut [Lanes<P>], p: usize, q: usize) {
        let (x, y, c, s) = (numbers[p].0, numbers[q].0, &self.cosine.0, &self.sine.0);
        numbers[p] = Lanes::each(|l| c[l] * x[l] - s[l] * y[l]);
        numbers[q] = Lanes::each(|l| s[l] * x[l] + c[l] * y[l]);
    }

    /// Updates the squares of the two columns.
    #[inline(always)]
    fn squares(&self, numbers: &mut [Lanes<P>], p: usize, q: usize, product: &Lanes<P>) {
        let (x, y, t) = (numbers[p].0, numbers[q].0, &self.tangent.0);
        numbers[p] = Lanes::each(|l| x[l] - t[l] * product.0[l]);
        numbers[q] = Lanes::each(|l| y[l] + t[l] * product.0[l]);
    }
}

#[inline(always)]
fn any(wanted: &[bool; LANES]) -> bool {
    wanted.iter().fold(false, |any, &one| any | one)
}

/// Code compiled for several vector widths, with the same results for all.
trait Sweeps {
    fn run(self) -> [bool; LANES];
}

fn dispatch<S: Sweeps>(sweeps: S) -> [bool; LANES] {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
        fn v4<S: Sweeps>(sweeps: S) -> [bool; LANES] {
            sweeps.run()
        }
        #[target_feature(enable = "avx2")]
        fn v3<S: Sweeps>(sweeps: S) -> [bool; LANES] {
            sweeps.run()
        }
        let has = [
            is_x86_feature_detected!("avx512f"),
            is_x86_feature_detected!("avx512dq"),
            is_x86_feature_detected!("avx512bw"),
            is_x86_feature_detected!("avx512vl"),
        ];
        if has == [true; 4] {
            // SAFETY: the CPU has these features, as the check above says.
            return unsafe { v4(sweeps) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { v3(sweeps) };
        }
    }
    sweeps.run()
}

/// The index of an element in the packed lower triangle of a symmetric matrix.
#[inline(always)]
fn place(n: usize, i: usize, j: usize) -> usize {
    if i > j { i * n + j } else { j * n + i }
}

/// The diagonal becomes the eigenvalues; the contiguous columns of `v` become the vectors, if there are any.
struct Symmetric<'a, P> {
    n: usize,
    a: &'a mut [Lanes<P>],
    v: &'a mut [Lanes<P>],
}

impl<P: Real> Sweeps for Symmetric<'_, P> {
    #[inline(always)]
    fn run(self) -> [bool; LANES] {
        let Self { n, a, v } = self;
        // The remaining off-diagonal elements change no value by more than a unit in the last place.
        let small = P::of(P::EPSILON.wide() / 32.0);
        let mut wanted = [true; LANES];
        for _ in 0..MAX_ITERATIONS {
            let mut more = [false; LANES];
            for p in 0..n {
                for q in p + 1..n {
                    let product = a[q * n + p];
                    wanted = from_fn(|l| product.0[l].size() > small);
                    if !any(&wanted) {
                        continue;
                    }
                    more = from_fn(|l| more[l] | wanted[l]);
                    let rotation = Rotation::of(&a[p * n + p], &a[q * n + q], &product, &wanted);
                    rotation.squares(a, p * n + p, q * n + q, &product);
                    a[q * n + p] = Lanes::each(|l| if wanted[l] { P::ZERO } else { product.0[l] });
                    for k in (0..p).chain(p + 1..q).chain(q + 1..n) {
                        rotation.rotate(a, place(n, k, p), place(n, k, q));
                    }
                    if !v.is_empty() {
                        (0..n).for_each(|k| rotation.rotate(v, p * n + k, q * n + k));
                    }
                }
            }
            wanted = more;
            if !any(&wanted) {
                break;
            }
        }
        wanted
    }
}

/// Contiguous columns of `m` elements become orthogonal; their squares are the squared singular values.
struct Columns<'a, P> {
    m: usize,
    a: &'a mut [Lanes<P>],
    squares: &'a mut [Lanes<P>],
}

impl<P: Real> Sweeps for Columns<'_, P> {
    #[inline(always)]
    fn run(self) -> [bool; LANES] {
        let Self { m, a, squares } = self;
        // The rounding error of a product of m elements, and a threshold relative to the largest element.
        let close = P::of(P::EPSILON.wide() * m as f64);
        let close = close * close;
        let nothing = P::of(P::EPSILON.wide() * P::EPSILON.wide() / 64.0);
        let product = |a: &[Lanes<P>], p: usize, q: usize| {
            let pairs = a[p * m..][..m].iter().zip(&a[q * m..][..m]);
            pairs.fold(Lanes::ZERO, |sum, (x, y)| Lanes::each(|l| sum.0[l] + x.0[l] * y.0[l]))
        };
        let mut wanted = [true; LANES];
        for _ in 0..MAX_ITERATIONS {
            (0..squares.len()).for_each(|p| squares[p] = product(a, p, p));
            if !any(&wanted) {
                break;
            }
            let mut more = [false; LANES];
            for p in 0..squares.len() {
                for q in p + 1..squares.len() {
                    let product = product(a, p, q);
                    let (x, y) = (&squares[p].0, &squares[q].0);
                    wanted = from_fn(|l| {
                        let apart = product.0[l] * product.0[l] > close * x[l] * y[l];
                        apart & (product.0[l].size() > nothing)
                    });
                    if !any(&wanted) {
                        continue;
                    }
                    more = from_fn(|l| more[l] | wanted[l]);
                    let rotation = Rotation::of(&squares[p], &squares[q], &product, &wanted);
                    rotation.squares(squares, p, q, &product);
                    (0..m).for_each(|k| rotation.rotate(a, p * m + k, q * m + k));
                }
            }
            wanted = more;
        }
        wanted
    }
}

/// Each matrix's scale, and the group with elements below about 1, from places `(number in a matrix, number
/// in the group)`. Matrices that are not finite become zero.
fn gather<P: Real>(
    matrices: &[&[P]],
    size: usize,
    places: impl Iterator<Item = (usize, usize)> + Clone,
) -> ([Option<Scale>; LANES], Vec<Lanes<P>>) {
    let mut group = vec![Lanes::ZERO; size];
    let scales = from_fn(|lane| {
        let matrix = matrices.get(lane)?;
        let sizes = places.clone().map(|(from, _)| matrix[from].size().wide());
        let scale = Scale::by::<P>(sizes.fold(0.0, worse))?;
        let factor = P::of(scale.inverse().0);
        places.clone().for_each(|(from, to)| group[to].0[lane] = matrix[from] * factor);
        Some(scale)
    });
    (scales, group)
}

/// Eigenvalues, ascending, of up to [`LANES`] symmetric matrices whose lower triangles are given, and vectors
/// in columns. Returns LAPACK's `info` of each: 0 or 1.
pub(super) fn eigh<P: Real>(
    matrices: &[&[P]],
    n: usize,
    values: &mut [&mut [P]],
    vectors: &mut [&mut [P]],
) -> [i32; LANES] {
    let below = (0..n).flat_map(|i| (0..=i).map(move |j| i * n + j)).map(|at| (at, at));
    let (scales, mut a) = gather(matrices, n * n, below);
    let mut v = vec![Lanes::ZERO; if vectors.is_empty() { 0 } else { n * n }];
    v.iter_mut().step_by(n + 1).for_each(|one| *one = Lanes([P::ONE; LANES]));
    let left = dispatch(Symmetric { n, a: &mut a, v: &mut v });
    for (lane, values) in values.iter_mut().enumerate() {
        let Some(scale) = scales[lane] else { continue };
        let own = |j: usize| a[j * n + j].0[lane];
        let order = sorted(n, |i, j| own(i) <= own(j));
        values.iter_mut().zip(&order).for_each(|(to, &j)| *to = own(j) * P::of(scale.0));
        if let Some(vectors) = vectors.get_mut(lane) {
            for (i, row) in vectors.chunks_exact_mut(n).enumerate() {
                row.iter_mut().zip(&order).for_each(|(to, &j)| *to = v[j * n + i].0[lane]);
            }
        }
    }
    from_fn(|lane| i32::from(left[lane] || scales[lane].is_none()))
}

/// Singular values, descending, of up to [`LANES`] matrices. Returns LAPACK's `info` of each: 0 or 1.
pub(super) fn svdvals<P: Real>(
    matrices: &[&[P]],
    [m, n]: [usize; 2],
    values: &mut [&mut [P]],
) -> [i32; LANES] {
    // Of the matrix or its adjoint, the one with fewer columns.
    let (long, short) = (m.max(n), m.min(n));
    let place = move |i: usize, j: usize| if m >= n { j * m + i } else { i * n + j };
    let all = (0..m).flat_map(|i| (0..n).map(move |j| (i * n + j, place(i, j))));
    let (scales, mut a) = gather(matrices, m * n, all);
    let mut squares = vec![Lanes::ZERO; short];
    let left = dispatch(Columns { m: long, a: &mut a, squares: &mut squares });
    for (lane, values) in values.iter_mut().enumerate() {
        let Some(scale) = scales[lane] else { continue };
        let own = |j: usize| squares[j].0[lane];
        let order = sorted(short, |i, j| own(i) >= own(j));
        values.iter_mut().zip(&order).for_each(|(to, &j)| *to = own(j).root() * P::of(scale.0));
    }
    from_fn(|lane| i32::from(left[lane] || scales[lane].is_none()))
}

/// The numbers below `n`, sorted by `before`.
fn sorted(n: usize, before: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(n);
    for next in 0..n {
        let place = order.iter().rposition(|&other| before(other, next)).map_or(0, |at| at + 1);
        order.insert(place, next);
    }
    order
}
