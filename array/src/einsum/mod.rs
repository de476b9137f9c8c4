//! Einstein summation: any number of operands, products and sums said by letters.
//!
//! - `subscripts`: what the letters say, checked against the operands
//! - `order`: which operands meet first
//! - `contract`: how two operands become one
//!
//! The result does not depend on the order beyond rounding. 16-bit floats are computed in f32 and
//! rounded once. Sums that need no matrix product keep the bits of every device. Deliberately absent:
//! a memory limit for intermediate results.

mod contract;
mod order;
mod subscripts;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::arguments::list;
use crate::array::Array;
use crate::array::products::{accumulator, together};
use crate::declare::expect;
use contract::Factor;
use ndany_core::{DType, Error, Result};
use subscripts::Label;
pub(crate) use subscripts::Subscripts;
#[cfg(feature = "call")]
pub(crate) use subscripts::Written;

/// In which order operands meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Optimize {
    /// The cheapest order for up to eight operands, a greedy one for more.
    #[default]
    Best,
    /// From left to right.
    No,
    /// At each step whatever helps most.
    Greedy,
    /// These positions at each step, as `np.einsum_path` gives them: the operands named leave the list,
    /// and their product joins it at the end.
    Path(Vec<Vec<usize>>),
}

/// The options of [`einsum`].
///
/// ```
/// use ndany::{Array, DType, Device, Einsum};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[1i8, 100], [100, 3]]);
/// let trace = Einsum::new("ii").dtype(DType::I32).of(&[&a])?;
/// assert_eq!(trace.item::<i32>()?, 4);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Einsum<'a> {
    subscripts: &'a str,
    dtype: Option<DType>,
    optimize: Optimize,
}

impl<'a> Einsum<'a> {
    /// Starts the options of a sum by these subscripts, as `np.einsum`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::Einsum::new("i,i->").of([array([1, 2]), array([3, 4])])?.to_string(), "11");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn new(subscripts: &'a str) -> Self {
        Self { subscripts, dtype: None, optimize: Optimize::Best }
    }

    /// Converts the operands to this dtype first, and returns it, as `dtype` of `np.einsum`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::Einsum::new("i,i->").dtype(F64).of([array([1, 2]), array([3, 4])])?.to_string(), "11.0");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Chooses the order in which operands meet, as `optimize` of `np.einsum`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let sum = ndany::Einsum::new("i,i->").optimize(ndany::Optimize::Greedy);
    /// assert_eq!(sum.of([array([1, 2]), array([3, 4])])?.to_string(), "11");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn optimize(mut self, optimize: Optimize) -> Self {
        self.optimize = optimize;
        self
    }

    /// Returns the sum over these operands, as `np.einsum`.
    ///
    /// - **Shapes**: as the subscripts say.
    /// - **Dtypes**: any; operands promote as NumPy's, or the option `dtype`.
    /// - **Errors**: subscripts that are malformed or do not fit the operands, extents of one letter that differ, no
    ///   operands, operands on two devices, a path that does not end in one operand.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::Einsum::new("ij->ji").of([array([[1, 2], [3, 4]])])?.to_string(), "[[1 3]\n [2 4]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn of(&self, operands: impl IntoIterator<Item: AsRef<Array>>) -> Result<Array> {
        list!(operands);
        let ndims: SmallVec<[usize; 4]> = operands.iter().map(|operand| operand.ndim()).collect();
        let subscripts = Subscripts::parse(self.subscripts, &ndims)?;
        sum(&subscripts, operands, self.dtype, &self.optimize)
    }
}

/// Returns the sum of products that the subscripts say, as `np.einsum`.
///
/// Letters name axes, commas part operands, an ellipsis stands for axes that broadcast. Letters after `->` are the axes of the
/// result; without it, those that occur once, in alphabetical order.
///
/// - **Shapes**: as the subscripts say: `"ij,jk->ik"` is `(i, j), (j, k) → (i, k)`.
/// - **Dtypes**: any; operands promote as NumPy's.
/// - **Errors**: subscripts that are malformed or do not fit the operands, extents of one letter that differ, no
///   operands, operands on two devices.
///
/// ```
/// use ndany::{Array, Device, einsum};
/// # let _guard = Device::open("reference")?.enter();
/// let (a, b) = (Array::from([[1.0, 2.0], [3.0, 4.0]]), Array::from([10.0, 1.0]));
/// assert_eq!(einsum("ij,j->i", [&a, &b]).to_vec::<f64>()?, [12.0, 34.0]);
/// assert_eq!(einsum("ii->i", [&a]).to_vec::<f64>()?, [1.0, 4.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
///
/// # Panics
/// Where [`checked::einsum`](fn@crate::checked::einsum) returns an error.
#[track_caller]
pub fn einsum(subscripts: &str, operands: impl IntoIterator<Item: AsRef<Array>>) -> Array {
    expect(try_einsum(subscripts, operands))
}

/// [`einsum`], with errors as values: see [`Einsum::of`].
#[track_caller]
pub fn try_einsum(
    subscripts: &str,
    operands: impl IntoIterator<Item: AsRef<Array>>,
) -> Result<Array> {
    Einsum::new(subscripts).of(operands)
}

/// The sum that parsed subscripts say.
#[track_caller]
pub(crate) fn sum(
    subscripts: &Subscripts,
    operands: &[&Array],
    dtype: Option<DType>,
    optimize: &Optimize,
) -> Result<Array> {
    let (mut factors, extents, dtype) = factors(subscripts, operands, dtype)?;
    let path = order::path(&factors, &subscripts.output, &extents, optimize)?;
    for step in path {
        let mut positions = step;
        positions.sort_unstable_by(|a, b| b.cmp(a));
        // In the order of the operands, the last one first.
        let mut waiting: SmallVec<[Factor; 2]> =
            positions.into_iter().map(|position| factors.remove(position)).collect();
        let Some(mut product) = waiting.pop() else { continue };
        while let Some(next) = waiting.pop() {
            // Letters that anything later needs stay.
            let needed = |label| {
                let later = factors.iter().chain(&waiting);
                subscripts.output.contains(&label)
                    || later.into_iter().any(|factor| factor.labels.contains(&label))
            };
            product = contract::pair(product, next, needed)?;
        }
        factors.push(product);
    }
    match factors.as_slice() {
        [only] => only.arranged(&subscripts.output, &extents)?.try_astype(dtype),
        _ => unreachable!("a path ends in one operand"),
    }
}

/// The operands without what occurs in one of them only, the extent of each letter, and the dtype of the result.
#[track_caller]
fn factors(
    subscripts: &Subscripts,
    operands: &[&Array],
    dtype: Option<DType>,
) -> Result<(Vec<Factor>, HashMap<Label, usize>, DType)> {
    const OP: &str = "einsum";
    let first = operands.first().ok_or(Error::NoArrays { op: OP })?;
    for operand in operands {
        together(OP, first, operand)?;
    }
    let promoted = operands.iter().map(|operand| operand.dtype());
    let dtype = dtype.or(DType::promote_all(promoted)).unwrap_or(first.dtype());
    let wide = if operands.len() > 1 { accumulator(dtype) } else { dtype };
    let extents = subscripts.extents(operands)?;
    let shape: SmallVec<[usize; 4]> =
        subscripts.output.iter().map(|label| extents[label]).collect();
    ndany_core::shape::checked_size(OP, &shape, dtype)?;
    let mut factors: Vec<Factor> = operands
        .iter()
        .zip(&subscripts.inputs)
        .map(|(operand, labels)| Factor::new(operand, labels, wide))
        .collect();
    // What occurs in one operand only is summed before anything is multiplied.
    for position in 0..factors.len() {
        let lone: SmallVec<[u32; 4]> = factors[position]
            .labels
            .iter()
            .copied()
            .filter(|label| {
                let elsewhere = |(other, factor): (usize, &Factor)| {
                    other != position && factor.labels.contains(label)
                };
                !subscripts.output.contains(label) && !factors.iter().enumerate().any(elsewhere)
            })
            .collect();
        factors[position].sum(&lone)?;
    }
    Ok((factors, extents, dtype))
}

/// Returns the order in which [`einsum`] lets operands meet, as `np.einsum_path`.
///
/// Each step has the positions that leave the list, whose product joins it at the end. [`Optimize::Path`] takes it. Nothing is
/// computed.
///
/// - **Errors**: those of [`Einsum::of`].
///
/// ```
/// use ndany::{DType, Device, Einsum, Optimize, einsum_path, zeros};
/// # let _guard = Device::open("reference")?.enter();
/// let (a, b, c) = (zeros((2, 90), DType::F32), zeros((90, 80), DType::F32), zeros((80, 3), DType::F32));
/// let path = einsum_path("ij,jk,kl->il", [&a, &b, &c], &Optimize::Best)?;
/// assert_eq!(path, [[0, 1], [0, 1]]);
/// let product = Einsum::new("ij,jk,kl->il").optimize(Optimize::Path(path)).of([&a, &b, &c])?;
/// assert_eq!(product.shape(), [2, 3]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn einsum_path(
    subscripts: &str,
    operands: impl IntoIterator<Item: AsRef<Array>>,
    optimize: &Optimize,
) -> Result<Vec<Vec<usize>>> {
    list!(operands);
    let ndims: SmallVec<[usize; 4]> = operands.iter().map(|operand| operand.ndim()).collect();
    path(&Subscripts::parse(subscripts, &ndims)?, operands, optimize)
}

/// [`einsum_path`] of subscripts that are parsed.
#[track_caller]
pub(crate) fn path(
    subscripts: &Subscripts,
    operands: &[&Array],
    optimize: &Optimize,
) -> Result<Vec<Vec<usize>>> {
    let (factors, extents, _) = factors(subscripts, operands, None)?;
    let mut path = order::path(&factors, &subscripts.output, &extents, optimize)?;
    for step in &mut path {
        step.sort_unstable();
    }
    Ok(path)
}
