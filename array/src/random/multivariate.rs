//! Several values at once: shares, counts of several kinds, normal vectors.
//!
//! Counts are drawn by halves: how many of all are of the first half of the kinds, how many of these of its first half,
//! and so on, each level in one draw. So a thousand kinds take ten draws, not a thousand.

use super::parameter::{Must, broadcast_parameter, check, require_integers};
use super::samplers::Variate;
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::arguments::over;
use crate::array::products::accumulator;
use crate::array::{Array, Ellipsis, NewAxis, try_arange, try_concatenate, try_stack, try_zeros};
use crate::elementwise::{checked_binary, try_where};
use crate::graph::{Operand, device_of};
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};

/// One more axis at the end.
fn with_axis(shape: &[usize], extent: usize) -> Shape {
    shape.iter().copied().chain([extent]).collect()
}

fn extents(shape: &[usize]) -> Vec<isize> {
    shape.iter().map(|&extent| extent as isize).collect()
}

/// Sums of neighbours along the last axis, whose extent is even.
#[track_caller]
fn halves(array: &Array) -> Result<Array> {
    let last = array.shape()[array.ndim() - 1];
    let lead = &array.shape()[..array.ndim() - 1];
    let pairs = with_axis(&with_axis(lead, last / 2), 2);
    array.try_reshape(extents(&pairs).as_slice())?.try_sum(-1)
}

impl Draw<'_> {
    /// Counts of each kind, in float64: `counts` (of the shape) of all kinds, shared out by `split`, which is given
    /// the sizes of a first half and of both, and how many there are of both.
    #[track_caller]
    fn shared_out(
        &mut self,
        counts: Array,
        sizes: &Array,
        shape: &Shape,
        split: impl Fn(&mut Self, [&Array; 3], &Shape) -> Result<Array>,
    ) -> Result<Array> {
        let kinds = sizes.shape()[sizes.ndim() - 1];
        let lead = &sizes.shape()[..sizes.ndim() - 1];
        let missing = kinds.next_power_of_two() - kinds;
        let padding = try_zeros(with_axis(lead, missing).as_slice(), DType::F64)?;
        let mut levels = vec![try_concatenate(&[sizes, &padding], -1)?];
        while levels[levels.len() - 1].shape()[lead.len()] > 1 {
            levels.push(halves(&levels[levels.len() - 1])?);
        }
        let mut counts = counts.try_expand_dims(-1)?;
        for pair in levels.windows(2).rev() {
            let [children, parents] = pair else { unreachable!("windows of two") };
            let many = parents.shape()[lead.len()];
            let first = children.try_i(crate::s![Ellipsis, ..;2])?;
            let first = drawn(split(self, [&first, parents, &counts], &with_axis(shape, many))?)?;
            let second = counts.try_subtract(&first)?;
            let both = with_axis(shape, 2 * many);
            counts = try_stack(&[&first, &second], -1)?.try_reshape(extents(&both).as_slice())?;
        }
        counts.try_i((Ellipsis, ..kinds))
    }

    /// The lower triangle L with L Lᵀ = covariance, column by column, each in one launch; where what is left of a
    /// column has no variance the column is zero, so that a covariance may be singular.
    #[track_caller]
    fn factor(&self, op: &'static str, covariance: &Array) -> Result<Array> {
        let size = covariance.shape()[0];
        let diagonal = covariance.try_diagonal(0, ..)?;
        let least = diagonal.try_max(..)?.try_multiply(1e-14 * size as f64)?;
        let places = try_arange(size as i64)?;
        let mut rest = covariance.clone();
        let mut columns = Vec::with_capacity(size);
        for column in 0..size {
            let values = rest.try_i((.., column))?;
            let pivot = values.try_i(column)?;
            let taken = pivot
                .try_greater(&least)?
                .try_logical_and(places.try_greater_equal(column as i64)?)?;
            let values = try_where(taken, values.try_divide(pivot.try_sqrt()?)?, 0.0)?;
            let outer = values.try_expand_dims(1)?.try_multiply(&values)?;
            rest = rest.try_subtract(outer)?;
            rest.eval()?;
            columns.push(values);
        }
        let columns: Vec<&Array> = columns.iter().collect();
        let factor = try_stack(&columns, 1)?;
        let product = row_sums(&factor.try_expand_dims(1)?, &factor)?;
        let allowed = covariance.try_absolute()?.try_multiply(1e-8)?.try_add(1e-8)?;
        let near = product.try_subtract(covariance)?.try_absolute()?.try_less_equal(allowed)?;
        match near.try_all(..)?.item::<bool>()? {
            true => Ok(factor),
            false => Err(wrong(op, "the covariance is not symmetric positive semidefinite")),
        }
    }
}

/// Written out, so that what is made of it does not draw it again.
fn drawn(array: Array) -> Result<Array> {
    array.eval()?;
    Ok(array)
}

/// Sums of products along the last axis: by multiplication and summation, since a matrix product need not have the
/// same bits everywhere.
#[track_caller]
fn row_sums(left: &Array, right: &Array) -> Result<Array> {
    left.try_multiply(right)?.try_sum(-1)
}

/// The last axis of an array of parameters.
fn kinds(op: &'static str, array: &Array) -> Result<usize> {
    match array.shape() {
        [.., kinds] if *kinds > 0 => Ok(*kinds),
        shape => {
            let expected = "at least one kind along the last axis".to_string();
            Err(Error::Shape { op, expected, got: shape.into() })
        }
    }
}

draws! {
    mod checked;

    /// Draws shares that add up to 1, as NumPy's `Generator.dirichlet`.
    ///
    /// They are made of logarithms of gamma variates, so that tiny parameters give what they should. Waits for the device.
    ///
    /// - **Shapes**: `(k,) → (shape…, k)`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: a 0-d or empty `alpha`, negative parameters.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).dirichlet(&array([1.0, 2.0]), 5);
    /// assert!(x.sum(1).allclose(1.0, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    dirichlet / try_dirichlet (self, alpha: &Array, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "dirichlet";
        let shape = self.shape(OP, shape)?;
        let shape = with_axis(&shape, kinds(OP, alpha)?);
        check(OP, "alpha", &alpha.into(), Must::NotBeNegative)?;
        let dtype = self.float(OP)?;
        let logs = self.gammas(OP, alpha.into(), true, &shape)?;
        let parts = logs.try_subtract(logs.try_max(over(-1).keepdims())?)?.try_exp()?;
        parts.try_divide(parts.try_sum(over(-1).keepdims())?)?.try_astype(dtype)
    }

    /// Draws how many of `n` are of each kind, as NumPy's `Generator.multinomial`.
    ///
    /// Probabilities stand along the last axis of `p`, the last of which is taken to be what the others leave. Waits for the device.
    ///
    /// - **Shapes**: `(…), (…, k) → (shape…, k)`, other axes broadcast to the shape.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: probabilities outside of 0 to 1, or whose sum but for the last is above 1, a negative `n`.
    ///
    /// ```
    /// use ndany::{Array, Device, Generator};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut rng = Generator::new(42);
    /// let rolls = rng.multinomial(60, &Array::from([1.0 / 6.0; 6]), 100);
    /// assert!(rolls.sum(1).equal(60).all(..).item::<bool>()?);
    /// let hands = rng.multivariate_hypergeometric(&Array::from([13i64; 4]), 5, 100);
    /// assert_eq!((rolls.shape(), hands.shape()), (&[100, 6][..], &[100, 4][..]));
    /// let x = rng.multivariate_normal(&Array::from([0.0, 5.0]), &Array::from([[2.0, 1.0], [1.0, 3.0]]), 100);
    /// assert_eq!(x.shape(), [100, 2]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    multinomial / try_multinomial (self, n: impl Into<Operand>, p: &Array, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "multinomial";
        let (n, shape) = (n.into(), self.shape(OP, shape)?);
        let last = kinds(OP, p)? - 1;
        require_integers(OP, &n)?;
        check(OP, "n", &n, Must::NotBeNegative)?;
        check(OP, "p", &p.into(), Must::BeProbability)?;
        let _guard = device_of(OP, &[n.clone(), p.into()])?.enter();
        let given = p.try_astype(DType::F64)?.try_i((Ellipsis, ..last))?;
        let rest = checked_binary::subtract(1.0, given.try_sum(over(-1).keepdims())?)?;
        if rest.try_less(-1e-12)?.try_any(..)?.item::<bool>()? {
            return Err(wrong(OP, "all p but the last must add up to at most 1"));
        }
        let p = try_concatenate(&[&given, &rest.try_maximum(0.0)?], -1)?;
        broadcast_parameter(OP, &p, &with_axis(&shape, last + 1))?;
        let counts = checked_binary::add(n, 0.0)?.try_astype(DType::F64)?;
        let counts = broadcast_parameter(OP, &counts, &shape)?;
        let shared = self.shared_out(counts, &p, &shape, |draw, [first, both, counts], shape| {
            let share = try_where(both.try_greater(0.0)?, first.try_divide(both)?, 0.0)?;
            draw.binomials(OP, DType::F64, &counts.into(), &share.into(), shape)
        })?;
        shared.try_astype(self.dtype.unwrap_or(DType::I64))
    }

    /// Draws how many of a sample without replacement are of each kind, as NumPy's `multivariate_hypergeometric`.
    ///
    /// The numbers of each kind stand along the last axis of `colors`. Waits for the device.
    ///
    /// - **Shapes**: `(…, k), (…) → (shape…, k)`.
    /// - **Dtypes**: integers; the result is int64.
    /// - **Errors**: negative numbers, a sample above their sum.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).multivariate_hypergeometric(&array([3, 5]), 4, 10);
    /// assert!(x.sum(1).equal(4).all(..).item::<bool>()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    multivariate_hypergeometric / try_multivariate_hypergeometric (self, colors: &Array, sample: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "multivariate_hypergeometric";
        let (sample, shape) = (sample.into(), self.shape(OP, shape)?);
        let all = kinds(OP, colors)?;
        for (name, operand) in [("colors", &colors.into()), ("sample", &sample)] {
            require_integers(OP, operand)?;
            check(OP, name, operand, Must::NotBeNegative)?;
        }
        let _guard = device_of(OP, &[sample.clone(), colors.into()])?.enter();
        let colors = colors.try_astype(DType::F64)?;
        let counts = checked_binary::add(sample, 0.0)?.try_astype(DType::F64)?;
        if colors.try_sum(-1)?.try_less(&counts)?.try_any(..)?.item::<bool>()? {
            return Err(wrong(OP, "the sample must be at most the sum of colors"));
        }
        broadcast_parameter(OP, &colors, &with_axis(&shape, all))?;
        let counts = broadcast_parameter(OP, &counts, &shape)?;
        let shared = self.shared_out(counts, &colors, &shape, |draw, [first, both, counts], shape| {
            let other = both.try_subtract(first)?;
            let parameters = [&first.into(), &other.into(), &counts.into()];
            draw.hypergeometrics(OP, DType::F64, parameters, shape)
        })?;
        shared.try_astype(self.dtype.unwrap_or(DType::I64))
    }

    /// Draws normal vectors of a mean and a covariance matrix, as NumPy's `Generator.multivariate_normal`.
    ///
    /// As with `method="cholesky"` and `check_valid="raise"`; the covariance may be singular. Waits for the device, to check it.
    ///
    /// - **Shapes**: `(k,), (k, k) → (shape…, k)`.
    /// - **Dtypes**: the float dtype of the generator, or the option `dtype`.
    /// - **Errors**: shapes that do not fit, a covariance that is not symmetric and positive semidefinite.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).multivariate_normal(&zeros(2, ..), &eye(2), 10);
    /// assert_eq!(x.shape(), [10, 2]);
    /// ```
    multivariate_normal / try_multivariate_normal (self, mean: &Array, covariance: &Array, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "multivariate_normal";
        let shape = self.shape(OP, shape)?;
        let (&[size], true) = (mean.shape(), covariance.ndim() == 2) else {
            let expected = "a mean of one axis, a covariance of two".to_string();
            return Err(Error::Shape { op: OP, expected, got: covariance.shape().into() });
        };
        if covariance.shape() != [size, size] {
            let expected = format!("a covariance of shape ({size}, {size})");
            return Err(Error::Shape { op: OP, expected, got: covariance.shape().into() });
        }
        check(OP, "mean", &mean.into(), Must::BeReal)?;
        check(OP, "covariance", &covariance.into(), Must::BeReal)?;
        let dtype = self.float(OP)?;
        let _guard = device_of(OP, &[mean.into(), covariance.into()])?.enter();
        let whole = with_axis(&shape, size);
        if size == 0 {
            return try_zeros(whole.as_slice(), dtype);
        }
        let wide = accumulator(dtype);
        let factor = self.factor(OP, &covariance.try_astype(DType::F64)?)?.try_astype(wide)?;
        let normal = self.standard(OP, Variate::Normal, wide, &whole)?;
        let normal = normal.try_i((Ellipsis, NewAxis, ..))?;
        row_sums(&normal, &factor)?.try_add(mean.try_astype(wide)?)?.try_astype(dtype)
    }
}
