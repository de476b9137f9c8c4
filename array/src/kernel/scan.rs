//! Scans made of closures.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use ndany_core::shape::{self, Shape};
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::params::Params;
use super::record::{self, Traced, dtypes_of};
use super::reduction::{Record, closures};
use super::scope::{Part, Scope};
use super::{Operands, Val};
use crate::arguments::IntoAxis;
use crate::arguments::options::FirstAxis;
use crate::array::{Index, try_concatenate, try_full};
use crate::declare::expect;
use crate::graph::fold::scan_rows;
use crate::graph::kernel::TracedReduction;
use crate::graph::{Array, Operand, constant, device_of};
use crate::scalar::Scalar;

/// A scan of `N` operands and `M` results. Clones share what was recorded.
#[derive(Clone)]
pub struct Scan<const N: usize, const M: usize> {
    name: &'static str,
    closures: Arc<dyn Record<M>>,
    params: Params,
    /// The operands of an element in front of the first.
    initial: Option<[Scalar; N]>,
    exclusive: bool,
    traced: Arc<Traced<TracedReduction>>,
}

/// Makes a scan of closures: running results along an axis, as `np.ufunc.accumulate`, for states of several values.
///
/// `lift` makes the state of an element, up to four values (complex numbers count twice); `combine` makes one state of two
/// neighbouring runs of elements, the left one first; `finish` makes the results at an element of the state of all elements up to it.
///
/// States are combined in the order of `cumsum`, which depends on the number of elements alone, so that bits are the same on
/// every device. Runs keep their sequence, so `combine` has to be associative, but for rounding; it need not be commutative.
///
/// - **Shapes**: `(m, n), (m, n) → (m, n)`, operands broadcast. It runs when it is called, with what stands in front.
/// - **Dtypes**: any; results have the dtypes that `finish` makes.
/// - **Errors**: those of [`Scan::call`].
///
/// ```
/// use ndany::{kernel::scan, prelude::*};
/// // The linear recurrence y[i] = a[i] · y[i - 1] + b[i]: a run of elements is a linear function.
/// let recurrence = scan(
///     "recurrence",
///     |_, [a, b]| [a, b],
///     |_, [a, b], [c, d]| [a * c, c * b + d],
///     |_, [_, y]| [y],
/// );
/// let [y] = recurrence.call((&array([2.0, 3.0, 0.5]), &array([1.0, 1.0, 4.0])), 0);
/// assert_eq!(y.to_string(), "[1. 4. 6.]");
/// ```
pub fn scan<const N: usize, const S: usize, const M: usize>(
    name: &'static str,
    lift: impl for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; S] + Send + Sync + 'static,
    combine: impl for<'k> Fn(&'k Scope, [Val<'k>; S], [Val<'k>; S]) -> [Val<'k>; S]
    + Send
    + Sync
    + 'static,
    finish: impl for<'k> Fn(&'k Scope, [Val<'k>; S]) -> [Val<'k>; M] + Send + Sync + 'static,
) -> Scan<N, M> {
    Scan {
        name,
        closures: closures(lift, combine, finish),
        params: Params::default(),
        initial: None,
        exclusive: false,
        traced: Arc::default(),
    }
}

impl<const N: usize, const M: usize> Scan<N, M> {
    /// Declares a parameter, as [`Elementwise::param`](super::Elementwise::param). Combinations have none.
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// let count = scan(
    ///     "count",
    ///     |k, [x]| [x.greater(k.param("limit")).astype(I64)],
    ///     |_, [a], [b]| [a + b],
    ///     |_, state| state,
    /// )
    /// .param("limit", F64, 2);
    /// assert_eq!(count.call([&array([3.0, 1.0, 5.0])], 0)[0].to_string(), "[1 1 2]");
    /// ```
    pub fn param(mut self, name: &'static str, dtype: DType, value: impl Into<Scalar>) -> Self {
        self.params.declare(name, dtype, value.into());
        // Other parameters are other kernels.
        self.traced = Arc::default();
        self
    }

    /// Returns the same scan with another value of a parameter.
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// let scaled = scan("scaled", |_, [x]| [x], |_, [a], [b]| [a + b], |k, [a]| [a * k.param("by")])
    ///     .param("by", F64, 2);
    /// assert_eq!(scaled.with("by", 3).call([&array([1.0, 2.0])], 0)[0].to_string(), "[3. 9.]");
    /// ```
    ///
    /// # Panics
    /// If no parameter has the name.
    #[track_caller]
    pub fn with(&self, name: &str, value: impl Into<Scalar>) -> Self {
        let mut own = self.clone();
        expect(own.params.set(self.name, name, value.into()));
        own
    }

    /// Sets an element in front of the first one of every row, by its operands, as `initial` of `np.sum`.
    ///
    /// It is lifted and combined as any other, and has no result of its own. Positions of the closures count from it.
    ///
    /// - **Errors** of a call: a number that the dtype of its operand does not hold.
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// let recurrence =
    ///     scan("recurrence", |_, [a, b]| [a, b], |_, [a, b], [c, d]| [a * c, c * b + d], |_, [_, y]| [y]);
    /// // From y = 10.
    /// let [y] = recurrence.initial([0.0, 10.0]).call((&array([2.0, 3.0]), 1.0), 0);
    /// assert_eq!(y.to_string(), "[21. 64.]");
    /// ```
    pub fn initial(mut self, operands: [impl Into<Scalar>; N]) -> Self {
        self.initial = Some(operands.map(Into::into));
        self
    }

    /// Leaves each element out of its own result, as CUB's `ExclusiveScan`: the first one is that of [`Scan::initial`] alone.
    ///
    /// - **Errors** of a call: no initial element.
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    /// let [offsets] = total.initial([0]).exclusive().call([&array([3, 1, 4])], 0);
    /// assert_eq!(offsets.to_string(), "[0 3 4]");
    /// ```
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Returns the running results along an axis, the first one for `..`.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (m, n)`, operands broadcast.
    /// - **Dtypes**: any; a number takes the dtype to which it promotes beside the arrays.
    /// - **Errors**: an axis out of range, shapes that do not broadcast, operands on two devices, and what the closures ask for in
    ///   vain: operations that dtypes refuse, a combination that changes the dtype of the state, or that has a loop, a parameter or
    ///   a position.
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// // Sums that begin anew where a segment begins.
    /// let segmented = scan(
    ///     "segmented",
    ///     |_, [x, begins]| [x, begins],
    ///     |_, [x, a], [y, b]| [b.select(y, x + y), a | b],
    ///     |_, [sum, _]| [sum],
    /// );
    /// let [sums] = segmented.call((&array([1, 2, 3, 4]), &array([true, false, true, false])), 0);
    /// assert_eq!(sums.to_string(), "[1 3 3 7]");
    /// ```
    ///
    /// # Panics
    /// Where [`Scan::try_call`] returns an error.
    #[track_caller]
    pub fn call(&self, operands: impl Operands<N>, axis: impl IntoAxis<FirstAxis>) -> [Array; M] {
        expect(self.try_call(operands, axis))
    }

    /// [`Scan::call`], with errors as values.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (m, n)`.
    /// - **Dtypes**: as [`Scan::call`].
    /// - **Errors**: as [`Scan::call`].
    ///
    /// ```
    /// use ndany::{kernel::scan, prelude::*};
    /// let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    /// assert!(total.try_call([&array([1.0])], 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_call(
        &self,
        operands: impl Operands<N>,
        axis: impl IntoAxis<FirstAxis>,
    ) -> Result<[Array; M]> {
        let mut operands: SmallVec<[Operand; 4]> = operands.operands().into_iter().collect();
        let kernel = self.traced.get_or(dtypes_of(&operands), |dtypes| {
            self.closures.record(self.name, dtypes, self.params.as_slice(), None, Part::Running)
        })?;
        let axis = axis.into_axis();
        let Some(initial) = &self.initial else {
            if self.exclusive {
                let reason = "an exclusive scan: expected an element in front of the first: set it with `initial`";
                return Err(Error::Arguments {
                    op: self.name.to_string(),
                    reason: reason.to_string(),
                });
            }
            operands.extend(self.params.operands());
            let together = kernel.together(&mut operands)?;
            let axes = axis.reduced_axes(self.name, together.shape.len(), false)?;
            return Ok(record::results(scan_rows(&kernel, together, axes[0])?));
        };
        let mut shape = Shape::new();
        for operand in &operands {
            if let Operand::Array(array) = operand {
                shape = shape::broadcast(self.name, &shape, array.shape())?;
            }
        }
        let axis = axis.reduced_axes(self.name, shape.len(), false)?[0];
        self.put_in_front(&mut operands, initial, &shape, axis, &kernel.operands)?;
        operands.extend(self.params.operands());
        let results = scan_rows(&kernel, kernel.together(&mut operands)?, axis)?;
        let own = match self.exclusive {
            true => Index::from(..shape[axis] as isize),
            false => Index::from(1..),
        };
        let mut at: SmallVec<[Index; 4]> = SmallVec::from_elem(Index::from(..), axis);
        at.push(own);
        let results = results.iter().map(|result| result.try_i(at.as_slice()));
        Ok(record::results(results.collect::<Result<SmallVec<[Array; 2]>>>()?))
    }

    /// Puts the initial element in front of the rows of operands, which get one shape.
    #[track_caller]
    fn put_in_front(
        &self,
        operands: &mut [Operand],
        initial: &[Scalar; N],
        shape: &Shape,
        axis: usize,
        dtypes: &[DType],
    ) -> Result<()> {
        let device = device_of(self.name, operands)?;
        let _guard = device.enter();
        let mut first = shape.clone();
        first[axis] = 1;
        for ((operand, &value), &dtype) in operands.iter_mut().zip(initial).zip(dtypes) {
            // The dtype has to hold it.
            constant(self.name, &value, dtype)?;
            let rows = match operand {
                Operand::Array(array) => array.broadcast_view(shape),
                Operand::Scalar(scalar) => try_full(shape.as_slice(), *scalar, dtype)?,
            };
            let first = try_full(first.as_slice(), value, dtype)?;
            *operand = Operand::Array(try_concatenate(&[&first, &rows], axis as isize)?);
        }
        Ok(())
    }
}

impl<const N: usize, const M: usize> fmt::Debug for Scan<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scan({}: {N} operands, {M} results)", self.name)
    }
}
