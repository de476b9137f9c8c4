//! Eigenvalues of Hermitian operators by Lanczos' method with thick restarts (Wu & Simon 2000), and singular values by them.

use ndany_array::extend::{Ahead, is_dry_run};
use ndany_array::{
    Array, Complex64, DType, Error, Generator, Result, concatenate, s, stack, zeros,
};

use super::small;
use super::{
    LinearOperator, Operator, combinations, dot, inner, inner_of_two, length, less, rows_of_zeros,
    run, scaled, square,
};
use crate::kernels::{LANCZOS_COLUMN, LANCZOS_PARTS};
use crate::support::below;
use crate::threads::{lanczos_next_of, lanczos_rest_of};

/// Vectors of a basis by default, at least: with twenty, as SciPy has them, Poisson's equation in a cube takes half as many steps more and
/// three times as many restarts.
const VECTORS: usize = 32;

/// How many times more than what is left of a vector a step may take away, if one pass over the basis is to leave it orthogonal: it is so
/// to this many roundings.
const MOST_TAKEN: f64 = 100.0;

/// Which eigenvalues [`eigsh`](fn@eigsh) and [`eigs`](fn@super::eigs) find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Which {
    /// The largest by absolute value, SciPy's "LM".
    #[default]
    LargestMagnitude,
    /// The smallest by absolute value, SciPy's "SM".
    SmallestMagnitude,
    /// The largest, SciPy's "LA"; of complex ones those of the largest real parts, "LR".
    Largest,
    /// The smallest, SciPy's "SA"; of complex ones those of the smallest real parts, "SR".
    Smallest,
    /// Those of the largest imaginary parts, SciPy's "LI"; of a real operator, by absolute value.
    LargestImaginary,
    /// Those of the smallest imaginary parts, SciPy's "SI"; of a real operator, by absolute value.
    SmallestImaginary,
}

/// Options of [`eigsh`](fn@eigsh), [`eigs`](fn@super::eigs) and [`svds`](fn@svds): `..` for SciPy's defaults.
///
/// ```
/// use ndany::sparse::linalg::{Spectrum, Which};
/// let _ = Spectrum::new().which(Which::Smallest).tol(1e-8).maxiter(100);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    pub(super) which: Which,
    pub(super) tol: f64,
    pub(super) maxiter: Option<usize>,
    ncv: Option<usize>,
    v0: Option<Array>,
    pub(super) shifted: Option<(Complex64, LinearOperator)>,
    pub(super) m: Option<LinearOperator>,
    pub(super) minv: Option<LinearOperator>,
}

impl From<std::ops::RangeFull> for Spectrum {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

impl Spectrum {
    /// Starts options with SciPy's defaults.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Spectrum::new().tol(1e-8);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which eigenvalues are found; with [`Spectrum::sigma`], of the inverse.
    ///
    /// ```
    /// use ndany::sparse::linalg::{Spectrum, Which};
    /// let _ = Spectrum::new().which(Which::Smallest);
    /// ```
    pub fn which(mut self, which: Which) -> Self {
        self.which = which;
        self
    }

    /// Sets the tolerance of residuals relative to eigenvalues; 0, as at first, is the precision of the dtype.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Spectrum::new().tol(1e-8);
    /// ```
    pub fn tol(mut self, tol: f64) -> Self {
        self.tol = tol;
        self
    }

    /// Sets the largest number of restarts, ten times the unknowns by default.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Spectrum::new().maxiter(100);
    /// ```
    pub fn maxiter(mut self, maxiter: usize) -> Self {
        self.maxiter = Some(maxiter);
        self
    }

    /// Sets the number of vectors of a basis: by default `max(2 k + 1, 32)`, of [`eigs`](fn@super::eigs) SciPy's `max(2 k + 1, 20)`.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Spectrum::new().ncv(40);
    /// ```
    pub fn ncv(mut self, ncv: usize) -> Self {
        self.ncv = Some(ncv);
        self
    }

    /// Sets the vector that the iteration starts from; it is random by default, and always the same.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let _ = sparse::linalg::Spectrum::new().v0(array([1.0, 2.0]));
    /// ```
    pub fn v0(mut self, v0: impl AsRef<Array>) -> Self {
        self.v0 = Some(v0.as_ref().clone());
        self
    }

    /// Finds eigenvalues near `sigma` by a solver of `A - sigma I`, SciPy's `sigma` and `OPinv`: [`splu`](fn@super::splu) makes one.
    ///
    /// Of [`eigs`](fn@super::eigs) it may be complex. With [`Spectrum::m`] the solver is one of `A - sigma M`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// use ndany::sparse::linalg::{Spectrum, eigsh, splu};
    /// let a = sparse::diags_array([&array([1.0, 2.0, 5.0, 9.0])], [0i64], ..).to_csr();
    /// let solver = splu(&(&a - sparse::eye_array(4) * 4.0))?;
    /// let (values, _) = eigsh(&a, 2, Spectrum::new().sigma(4.0, &solver))?;
    /// assert_eq!(format!("{values:.4}"), "[2. 5.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn sigma(mut self, sigma: impl Into<Complex64>, solver: impl Into<LinearOperator>) -> Self {
        self.shifted = Some((sigma.into(), solver.into()));
        self
    }

    /// Finds eigenvalues of `A x = λ M x`, SciPy's `M`: a Hermitian positive definite operator.
    ///
    /// Beside it stands a solver of `M` ([`Spectrum::minv`]), or with [`Spectrum::sigma`] one of `A - sigma M`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// use ndany::sparse::linalg::{Spectrum, eigsh, splu};
    /// let diagonal = |values: [f64; 4]| sparse::diags_array([&array(values)], [0i64], ..).to_csr();
    /// let (a, m) = (diagonal([1.0, 2.0, 6.0, 9.0]), diagonal([1.0, 2.0, 3.0, 4.0]));
    /// let solver = splu(&(&a - &(&m * 1.8)))?;
    /// let (values, _) = eigsh(&a, 1, Spectrum::new().m(&m).sigma(1.8, &solver))?;
    /// assert_eq!(format!("{values:.4}"), "[2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn m(mut self, m: impl Into<LinearOperator>) -> Self {
        self.m = Some(m.into());
        self
    }

    /// Sets the solver of [`Spectrum::m`], SciPy's `Minv`: [`splu`](fn@super::splu) makes one.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// use ndany::sparse::linalg::{Spectrum, eigsh, splu};
    /// let diagonal = |values: [f64; 4]| sparse::diags_array([&array(values)], [0i64], ..).to_csr();
    /// let (a, m) = (diagonal([1.0, 2.0, 6.0, 9.0]), diagonal([1.0, 2.0, 3.0, 4.0]));
    /// let (values, _) = eigsh(&a, 1, Spectrum::new().m(&m).minv(&splu(&m)?))?;
    /// assert_eq!(format!("{values:.4}"), "[2.25]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn minv(mut self, solver: impl Into<LinearOperator>) -> Self {
        self.minv = Some(solver.into());
        self
    }
}

/// An operator after another one, of one shape.
struct After<'a> {
    last: &'a dyn Operator,
    first: &'a dyn Operator,
}

impl Operator for After<'_> {
    fn shape(&self) -> [usize; 2] {
        self.first.shape()
    }
    fn dtype(&self) -> DType {
        DType::promote(self.first.dtype(), self.last.dtype())
    }
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array {
        self.last.matvec(&self.first.matvec(x))
    }
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array {
        self.first.rmatvec(&self.last.rmatvec(x))
    }
}

impl Spectrum {
    /// The dtype of the basis, of an operator of this one.
    pub(super) fn dtype(&self, of_a: DType) -> DType {
        let of_m = self.m.as_ref().map_or(DType::F32, |m| m.dtype().to_inexact());
        DType::promote(DType::promote(of_a.to_inexact(), DType::F32), of_m)
    }

    /// Calls `find` with the operator whose eigenvalues are found in place of `a`'s, and checks what that is made of: `a`, a solver of it
    /// less a shift, or either of these with `M`.
    #[track_caller]
    pub(super) fn with_operator<R>(
        &self,
        op: &'static str,
        a: &impl Operator,
        find: impl FnOnce(&dyn Operator) -> Result<R>,
    ) -> Result<R> {
        let shifted = self.shifted.as_ref().map(|(_, solver)| ("a solver", solver));
        let given =
            [shifted, self.m.as_ref().map(|m| ("M", m)), self.minv.as_ref().map(|m| ("Minv", m))];
        for (what, operator) in given.into_iter().flatten() {
            if operator.shape() != a.shape() {
                let expected = format!("{what} of the operator's shape, {:?}", a.shape());
                return Err(Error::Shape { op, expected, got: operator.shape()[..].into() });
            }
        }
        match (shifted, &self.m, &self.minv) {
            (None, None, _) => find(a),
            (Some((_, solver)), None, _) => find(solver),
            (Some((_, solver)), Some(m), _) => find(&After { last: solver, first: m }),
            (None, Some(_), Some(minv)) => find(&After { last: minv, first: a }),
            (None, Some(_), None) => {
                let reason = "M has no solver: expected minv (splu(&m) is one), or sigma with a solver of A - sigma M";
                Err(Error::ArgumentValue { op: op.to_string(), reason: reason.to_string() })
            }
        }
    }
}

/// Returns `k` eigenvalues of a Hermitian operator, the least first, and their vectors in columns, as `scipy.sparse.linalg.eigsh`.
///
/// A step takes away what a vector has along the last two of the basis, and what rounding has left along all, in one pass over the basis on
/// the device, the current one unless [`Spectrum::v0`] is on another; where little of a vector is left, and of complex numbers, in two.
/// The small matrix is read once a restart, and solved on the host. With [`Spectrum::m`] they are those of `A x = λ M x`, and vectors are
/// orthogonal and of unit length in `xᴴ M y`.
///
/// - **Shapes**: `(n, n) → (k,), (n, k)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64. Eigenvalues are real.
/// - **Errors**: an operator that is not square, `k` not from 1 to `n - 1`, an `M` without a solver, no convergence.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::eigsh;
/// let a = sparse::diags_array([&array([1.0, 2.0, -5.0, 3.0])], [0i64], ..).to_csr();
/// let (values, vectors) = eigsh(&a, 2, ..)?;
/// assert_eq!((format!("{values:.4}"), vectors.shape()), ("[-5.  3.]".into(), &[4, 2][..]));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn eigsh(a: &impl Operator, k: usize, options: impl Into<Spectrum>) -> Result<(Array, Array)> {
    let options = options.into();
    let dtype = options.dtype(a.dtype());
    let sigma = options.shifted.as_ref().map(|(sigma, _)| *sigma);
    if let Some(sigma) = sigma.filter(|sigma| sigma.im != 0.0) {
        let reason = format!("expected a real sigma, got {sigma}: eigs takes complex ones");
        return Err(Error::ArgumentValue { op: "eigsh".to_string(), reason });
    }
    static KERNELS: Ahead = Ahead::new();
    if let (Some(own), true) = (a.as_sparse(), options.is_plain()) {
        // The second sweep begins with a rotated basis.
        KERNELS.ask(own, (k, options.which, options.ncv), |own, (k, which, ncv)| {
            let options = Spectrum { which, ncv, maxiter: Some(2), ..Spectrum::new() };
            eigsh(own, k, options).map(drop)
        });
    }
    options.with_operator("eigsh", a, |operator| {
        lanczos("eigsh", operator, k, dtype, &options, |theta| match sigma {
            None => theta,
            Some(sigma) => sigma.re + 1.0 / theta,
        })
    })
}

/// Returns `k` singular values, the largest first, between their left vectors in columns and their right ones in rows, as
/// `scipy.sparse.linalg.svds`.
///
/// They are those of `Aᴴ A` or `A Aᴴ`, the smaller one, by [`eigsh`](fn@eigsh); so values far below the largest lose digits, as SciPy's.
///
/// - **Shapes**: `(m, n) → (m, k), (k,), (k, n)`.
/// - **Dtypes**: as [`eigsh`](fn@eigsh).
/// - **Errors**: `k` not from 1 to `min(m, n) - 1`, a shift or an `M`, no convergence.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]), ..);
/// let (u, s, vt) = sparse::linalg::svds(&a, 1, ..)?;
/// assert_eq!((format!("{s:.4}"), u.shape(), vt.shape()), ("[4.]".into(), &[2, 1][..], &[1, 3][..]));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn svds(
    a: &impl Operator,
    k: usize,
    options: impl Into<Spectrum>,
) -> Result<(Array, Array, Array)> {
    let (options, [m, n]) = (options.into(), a.shape());
    let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
    if options.shifted.is_some() || options.m.is_some() {
        let reason = "singular values have no shift and no M: expected none".to_string();
        return Err(Error::ArgumentValue { op: "svds".to_string(), reason });
    }
    let square = Gram { a, tall: m >= n };
    let (values, vectors) = lanczos("svds", &square, k, dtype, &options, |theta| theta)?;
    let sizes = values.maximum(0.0).sqrt().flip(0);
    let vectors = vectors.flip(1);
    run(&[&sizes, &vectors])?;
    let mut others = Vec::new();
    for number in 0..k {
        let vector = vectors.i(s![.., number]);
        let other = if m >= n { a.matvec(&vector) } else { a.rmatvec(&vector) };
        let size = length(&other);
        run(&[&other, &size])?;
        // Of a value of zero any vector would do; it stays zero.
        let unit = ndany_array::where_(size.greater(0), &other / &size, &other);
        others.push(unit);
    }
    let others = stack(&others, 1);
    let right = |vectors: &Array| vectors.conj().t();
    Ok(match m >= n {
        true => (others, sizes, right(&vectors)),
        false => (vectors, sizes, right(&others)),
    })
}

/// `Aᴴ A` of a tall operator, `A Aᴴ` of a wide one.
struct Gram<'a, A> {
    a: &'a A,
    tall: bool,
}

impl<A: Operator> Operator for Gram<'_, A> {
    fn shape(&self) -> [usize; 2] {
        let [m, n] = self.a.shape();
        [m.min(n); 2]
    }
    fn dtype(&self) -> DType {
        self.a.dtype()
    }
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array {
        match self.tall {
            true => self.a.rmatvec(&self.a.matvec(x)),
            false => self.a.matvec(&self.a.rmatvec(x)),
        }
    }
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array {
        self.matvec(x)
    }
}

/// What an iteration begins with.
pub(super) struct Start {
    pub(super) n: usize,
    /// Vectors of a basis.
    pub(super) ncv: usize,
    /// A rounding of the dtype.
    pub(super) epsilon: f64,
    pub(super) rng: Generator,
    /// A vector of unit length.
    pub(super) first: Array,
}

impl Spectrum {
    /// Whether it has no operator and no vector of the caller's.
    fn is_plain(&self) -> bool {
        matches!(self, Self { v0: None, shifted: None, m: None, minv: None, .. })
    }

    /// Checks the operator and the options. A basis has at least so many vectors by default.
    #[track_caller]
    pub(super) fn start(
        &self,
        op: &'static str,
        a: &dyn Operator,
        k: usize,
        dtype: DType,
        least: usize,
    ) -> Result<Start> {
        let [m, n] = a.shape();
        if m != n {
            let expected = "a square operator".to_string();
            return Err(Error::Shape { op, expected, got: [m, n][..].into() });
        }
        let wrong = |reason: String| Err(Error::ArgumentValue { op: op.to_string(), reason });
        if k == 0 || k >= n {
            return wrong(format!("expected k from 1 to {}, got {k}", n.saturating_sub(1)));
        }
        let ncv = self.ncv.unwrap_or((2 * k + 1).max(least)).min(n);
        if ncv <= k {
            return wrong(format!("expected ncv of more than k, {k}, got {ncv}"));
        }
        let epsilon = if dtype.part().size() == 8 { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let mut rng = Generator::new(1);
        let first = match &self.v0 {
            Some(v0) if v0.shape() == [n] => {
                let v0 = v0.astype(dtype);
                &v0 / length(&v0)
            }
            Some(v0) => {
                let expected = format!("{n} elements to start from");
                return Err(Error::Shape { op, expected, got: v0.shape().into() });
            }
            None => random(n, dtype, &mut rng, None, None)?,
        };
        run(&[&first])?;
        Ok(Start { n, ncv, epsilon, rng, first })
    }
}

/// What inner products are taken with in place of a vector: `M x`, or the vector.
#[track_caller]
fn image(m: Option<&LinearOperator>, x: &Array) -> Result<Array> {
    let Some(m) = m else { return Ok(x.clone()) };
    let image = m.matvec(x).astype(x.dtype());
    run(&[&image])?;
    Ok(image)
}

/// `xᴴ M x`, or the square of the Euclidean norm, computed.
#[track_caller]
fn square_in(m: Option<&LinearOperator>, x: &Array) -> Result<Array> {
    let square = match m {
        None => square(x),
        Some(_) => dot(x, &image(m, x)?).real(),
    };
    run(&[&square])?;
    Ok(square)
}

/// A random vector of unit length, orthogonal to a basis if there is one; in inner products by `M`, if there is one.
#[track_caller]
pub(super) fn random(
    n: usize,
    dtype: DType,
    rng: &mut Generator,
    basis: Option<&Array>,
    m: Option<&LinearOperator>,
) -> Result<Array> {
    let mut v = rng.uniform(-1.0, 1.0, n).astype(dtype);
    if let Some(basis) = basis {
        for _ in 0..2 {
            (_, v) = without(basis, v, m)?;
        }
    }
    let square = square_in(m, &v)?;
    Ok(&v / square.sqrt())
}

/// What a vector has along those of a basis, and the rest of it; in inner products by `M`, if there is one.
#[track_caller]
fn without(basis: &Array, w: Array, m: Option<&LinearOperator>) -> Result<(Array, Array)> {
    let part = inner(basis, &image(m, &w)?);
    run(&[&part])?;
    let rest = less(&w, &part, basis)?;
    Ok((part, rest))
}

/// What is taken from `w` along the vectors of a basis by [`LANCZOS_PARTS`], whose products these are, and `w` less that, computed.
#[track_caller]
fn parted(basis: &Array, w: &Array, products: [&Array; 3]) -> Result<(Array, Array)> {
    if let Some([along, rest]) = lanczos_rest_of(basis, w, products)? {
        return Ok((along, rest));
    }
    let (count, [products, newest, before]) = (basis.shape()[0], products);
    let place = below(count, products);
    let [along] = LANCZOS_PARTS.call((place, count as i64 - 1, products, newest, before));
    run(&[&along])?;
    let rest = less(w, &along, basis)?;
    Ok((along, rest))
}

#[track_caller]
fn lanczos(
    op: &'static str,
    a: &dyn Operator,
    k: usize,
    dtype: DType,
    options: &Spectrum,
    value_of: impl Fn(f64) -> f64,
) -> Result<(Array, Array)> {
    if matches!(options.which, Which::LargestImaginary | Which::SmallestImaginary) {
        let reason = "real values have no imaginary parts: eigs finds complex ones".to_string();
        return Err(Error::ArgumentValue { op: op.to_string(), reason });
    }
    let Start { n, ncv, epsilon, mut rng, mut first } = options.start(op, a, k, dtype, VECTORS)?;
    let (part, m) = (dtype.part(), options.m.as_ref());
    if m.is_some() {
        first = &first / square_in(m, &first)?.sqrt();
        run(&[&first])?;
    }
    let tol = if options.tol > 0.0 { options.tol } else { epsilon };
    // Written row by row, in place: nothing else holds it then.
    let mut basis = rows_of_zeros(ncv + 1, &first);
    basis.set(s![0, ..], first);
    // The operator between the vectors of the basis.
    let mut t = vec![vec![0.0; ncv]; ncv];
    let mut kept = 0;
    // Whether each vector is orthogonalized in two passes.
    let mut twice = m.is_some() || dtype.is_complex();
    let maxiter = options.maxiter.unwrap_or(10 * n);
    for _ in 0..maxiter.max(1) {
        let mut count = kept;
        while count < ncv {
            // Steps up to the end of the basis, which is then read.
            let begin = count;
            let mut columns = {
                let _guard = basis.device().enter();
                zeros((ncv - begin, 2), part)
            };
            // Products of the vector before the newest with those before it.
            let mut before = None;
            for j in begin..ncv {
                let newest = basis.i(s![j, ..]);
                let mut w = a.matvec(&newest).astype(dtype);
                run(&[&w])?;
                let own = basis.i(s![..j as isize + 1, ..]);
                let along;
                (along, w) = if twice {
                    let (first, rest) = without(&own, w, m)?;
                    let (second, rest) = without(&own, rest, m)?;
                    (first + second, rest)
                } else {
                    let [products, overlaps] = inner_of_two(&own, &w, &newest)?;
                    match before.replace(overlaps.clone()) {
                        // The first vector of a sweep has parts along all that a restart has kept.
                        None => {
                            let rest = less(&w, &products, &own)?;
                            let (second, rest) = without(&own, rest, m)?;
                            (products + second, rest)
                        }
                        Some(before) => parted(&own, &w, [&products, &overlaps, &before])?,
                    }
                };
                // The basis is written in place: nothing else holds it then.
                drop((own, newest));
                let square = square_in(m, &w)?;
                let of = [&w, &square, &along];
                if !lanczos_next_of(&mut basis, &mut columns, of, [j, j - begin])? {
                    basis.set(s![j + 1, ..], scaled(&w, &square));
                    let place = below(2, &square);
                    let of = (place, j as i64, along, &square.reshape(1));
                    let [column] = LANCZOS_COLUMN.call(of);
                    columns.set(s![j - begin, ..], column);
                }
            }
            // What was taken away along the vector itself, and the length of the next one.
            let mut read: Vec<f64> = columns.astype(DType::F64).ravel().to_vec()?;
            if is_dry_run() {
                // No vector ends the basis, and no value is found yet.
                read.fill(1.0);
            }
            let read: &[[f64; 2]] = read.as_chunks().0;
            let size = t
                .iter()
                .flatten()
                .chain(read.as_flattened())
                .fold(0.0, |size: f64, x| size.max(x.abs()));
            let sizes = std::iter::once(0.0).chain(read.iter().map(|&[_, left]| left));
            let little = |(&[along, left], before): (&[f64; 2], f64)| {
                left * MOST_TAKEN <= along.abs() + before
            };
            if !twice && read.iter().zip(sizes).any(little) {
                // The sweep once more, and all others, in two passes.
                twice = true;
                continue;
            }
            let mut whole = true;
            for (number, column) in read.iter().enumerate() {
                let j = begin + number;
                t[j][j] = column[0];
                count = j + 1;
                let ends = column[1].is_nan() || column[1] <= epsilon * size * 8.0;
                let next = if ends { 0.0 } else { column[1] };
                if count < ncv {
                    (t[j][count], t[count][j]) = (next, next);
                }
                if ends {
                    if column[0].is_nan() {
                        return Err(Error::Convergence { op, steps: count });
                    }
                    // The basis is invariant: it goes on with any other vector.
                    whole = false;
                    let own = basis.i(s![..count as isize, ..]);
                    let more = match count < n {
                        true => random(n, dtype, &mut rng, Some(&own), m)?,
                        false => own.i(s![0, ..]).zeros_like(),
                    };
                    run(&[&more])?;
                    drop(own);
                    basis.set(s![count, ..], more);
                    break;
                }
            }
            if whole || count == ncv {
                let last = read.get(count - begin - 1).map_or(0.0, |column| column[1]);
                let last = if whole && !last.is_nan() { last } else { 0.0 };
                let (values, vectors) = small::symmetric(t.clone());
                let mut order: Vec<usize> = (0..ncv).collect();
                let key = |i: usize| match options.which {
                    Which::LargestMagnitude => -values[i].abs(),
                    Which::SmallestMagnitude => values[i].abs(),
                    Which::Largest => -values[i],
                    Which::Smallest => values[i],
                    // Refused above.
                    Which::LargestImaginary | Which::SmallestImaginary => 0.0,
                };
                order.sort_by(|&i, &j| key(i).total_cmp(&key(j)));
                let error = |i: usize| (last * vectors[i][ncv - 1]).abs();
                let bound = |i: usize| tol.max(epsilon) * values[i].abs().max(epsilon * size);
                let good = order[..k].iter().filter(|&&i| error(i) <= bound(i)).count();
                let rotate = |chosen: &[usize], basis: &Array| {
                    let flat: Vec<f64> =
                        chosen.iter().flat_map(|&i| vectors[i].iter().copied()).collect();
                    let _guard = basis.device().enter();
                    let small = Array::from(flat.as_slice()).reshape((chosen.len(), ncv));
                    combinations(&small.astype(dtype), &basis.i(s![..ncv as isize, ..]))
                };
                if good == k {
                    let mut chosen: Vec<usize> = order[..k].to_vec();
                    let found = |i: usize| value_of(values[i]);
                    chosen.sort_by(|&i, &j| found(i).total_cmp(&found(j)));
                    let x = rotate(&chosen, &basis).t();
                    let values: Vec<f64> = chosen.iter().map(|&i| found(i)).collect();
                    let _guard = basis.device().enter();
                    let values = Array::from(values.as_slice()).astype(part);
                    run(&[&x, &values])?;
                    return Ok((values, x));
                }
                // More are kept than asked for, so that the next ones do not hold them back.
                kept = (k + ((ncv - k) / 3).max(good.min((ncv - k) / 2))).min(ncv - 1);
                let chosen = &order[..kept];
                let rotated = rotate(chosen, &basis);
                let rest = rows_of_zeros(ncv - kept, &basis.i(s![0, ..]));
                let next = basis.i(s![ncv, ..]).reshape((1, n));
                basis = concatenate([&rotated, &next, &rest], 0);
                run(&[&basis])?;
                t = vec![vec![0.0; ncv]; ncv];
                for (number, &i) in chosen.iter().enumerate() {
                    t[number][number] = values[i];
                    let arrow = last * vectors[i][ncv - 1];
                    (t[number][kept], t[kept][number]) = (arrow, arrow);
                }
                break;
            }
        }
    }
    Err(Error::Convergence { op, steps: maxiter })
}
