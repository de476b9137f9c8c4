//! Kernels of two operands and one result as NumPy's ufuncs: what `reduce`, `accumulate`, `outer` and `at` of them are.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ndany_core::program::Combine;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::elementwise::Elementwise;
use super::record::{Code, Recorded, array as operands_of, converted, dtypes_of, steps};
use super::reduction::reduce;
use super::scope::{Part, Scope};
use super::val::Val;
use crate::arguments::options::{FirstAxis, KernelReduceOptions};
use crate::arguments::{AxisOptions, IntoAxes, IntoAxis};
use crate::array::indexing::index::IntoIndex;
use crate::array::ufunc::at::at_by;
use crate::array::ufunc::pairs;
use crate::declare::expect;
use crate::graph::fold::{Fold, Pattern, fold};
use crate::graph::kernel::TracedReduction;
use crate::graph::{Array, Operand};

/// Methods of NumPy's ufuncs, for kernels of two operands and one result: `np.frompyfunc(f, 2, 1)` has them.
///
/// They combine from the first element to the last, so the kernel need not be associative.
impl Elementwise<2, 1> {
    /// Folds the elements over axes into one, as `np.ufunc.reduce`: `f(f(f(a, b), c), d)`, in C order of the axes.
    ///
    /// One thread goes through each row; [`reduction`](fn@super::reduction) is for what may be combined in another order.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, which `..` is, as in NumPy.
    /// - **Dtypes**: those for which the kernel returns the dtype of its operands; [`Elementwise::outputs`] converts.
    /// - **Errors**: an axis out of range or given twice, no elements, another dtype of the result, a kernel that has parameters,
    ///   loops or positions, or whose result may fail.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let halving = elementwise("halving", |_, [a, b]| [(a + b) / 2]);
    /// assert_eq!(halving.reduce(&array([[8.0, 4.0, 1.0]]), 1).to_string(), "[3.5]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn reduce(&self, array: &Array, axes: impl IntoAxes<KernelReduceOptions>) -> Array {
        expect(self.try_reduce(array, &axes.into_axes()))
    }

    #[track_caller]
    fn try_reduce(&self, array: &Array, axes: &AxisOptions) -> Result<Array> {
        let kernel = self.folded(array.dtype())?;
        let results = reduce(&kernel, &mut [Operand::from(array)], axes, None, true)?;
        match results.into_iter().next() {
            Some(result) => Ok(result),
            None => unreachable!("a fold has one result"),
        }
    }

    /// Returns every running value along an axis, the first one for `..`, as `np.ufunc.accumulate`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: as in [`Elementwise::reduce`].
    /// - **Errors**: an axis out of range, and those of [`Elementwise::reduce`].
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// // Exponential smoothing.
    /// let smooth = elementwise("smooth", |_, [state, x]| [state + (x - state) / 4]);
    /// assert_eq!(smooth.accumulate(&array([0.0, 8.0, 4.0]), 0).to_string(), "[0.  2.  2.5]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn accumulate(&self, array: &Array, axis: impl IntoAxis<FirstAxis>) -> Array {
        expect(self.try_accumulate(array, axis))
    }

    #[track_caller]
    fn try_accumulate(&self, array: &Array, axis: impl IntoAxis<FirstAxis>) -> Result<Array> {
        let (op, dtype) = (self.name(), array.dtype());
        let kernel = self.folded(dtype)?;
        let axes = axis.into_axis().reduced_axes(op, array.ndim(), false)?;
        let combine = kernel.combine.clone();
        let pattern = Pattern::FoldLeft { combine, start: None, mask: None, store_all: true };
        fold(&Fold { op, array, dtype, axes, pattern })
    }

    /// Applies the kernel to every pair of elements, as `np.ufunc.outer`; lazy.
    ///
    /// - **Shapes**: `(a…), (b…) → (a…, b…)`.
    /// - **Dtypes**: as [`Elementwise::call`].
    /// - **Errors**: those of [`Elementwise::call`].
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let gap = elementwise("gap", |_, [a, b]| [(a - b).abs()]);
    /// assert_eq!(gap.outer(array([1, 5]), array([2, 3])).to_string(), "[[1 2]\n [3 2]]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn outer(&self, x: impl Into<Operand>, y: impl Into<Operand>) -> Array {
        let [result] = self.call(expect(pairs(x.into(), y.into())));
        result
    }

    /// Applies the kernel in place to elements at positions and values, one after the other, as `np.ufunc.at`.
    ///
    /// The values broadcast to the positions; where a position comes twice, both values count, in their order. Results are
    /// converted to the array's dtype after each step.
    ///
    /// - **Errors**: a bad index, or one out of range (nothing is changed then), values that do not broadcast, two devices, and
    ///   those of [`Elementwise::reduce`] but for another dtype of the result.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let push = elementwise("push", |_, [digits, digit]| [digits * 10 + digit]);
    /// let mut a = array([0, 0, 7]);
    /// push.at(&mut a, [2, 0, 2], array([1, 2, 3]));
    /// assert_eq!(a.to_string(), "[  2   0 713]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met, but for an error of memory or the device, which stays with the array.
    #[track_caller]
    pub fn at(&self, array: &mut Array, indices: impl IntoIndex, values: impl Into<Operand>) {
        let outcome = self.try_at(array, indices, values.into());
        array.settle(self.name(), outcome);
    }

    #[track_caller]
    fn try_at(&self, array: &mut Array, indices: impl IntoIndex, values: Operand) -> Result<()> {
        let stored = array.dtype();
        let dtypes = dtypes_of(&[Operand::from(&*array), values.clone()]);
        let given = dtypes[1];
        // One dtype that holds both.
        let compute = DType::promote(stored, given);
        let recorded = self.combination(compute, |scope, [state, value]| {
            let operands = [scope.convert(state, stored), scope.convert(value, given)];
            let [next] = converted(scope, self.run(scope, operands), self.result_dtypes());
            [scope.convert(scope.convert(next, stored), compute)]
        })?;
        let combine = Combine::Body(Arc::new(recorded.body));
        at_by(self.name(), array, indices, values, compute, combine)
    }

    /// The fold of elements of this dtype.
    fn folded(&self, dtype: DType) -> Result<Arc<TracedReduction>> {
        self.folds().get_or(SmallVec::from_slice(&[dtype]), |_| {
            let combined = self.combination(dtype, |scope, operands| {
                converted(scope, self.run(scope, operands), self.result_dtypes())
            })?;
            let made = combined.outputs[0].dtype;
            if made != dtype {
                let dtypes = format!("{dtype} and {dtype}, of which it makes {made}");
                let remedy = "a fold returns what it takes: set the dtype of the result by outputs";
                return Err(Error::DTypes { op: self.name(), dtypes, remedy });
            }
            let same = |part| {
                let (name, arguments) = (self.name(), &[dtype][..]);
                let code = Code { name, part, arguments, wholes: &[], params: &[], facts: &[] };
                code.record(&mut SmallVec::new(), |_, values| operands_of::<1>(values))
            };
            let (lift, finish) = (same(Part::Lift)?, same(Part::Finish)?);
            Ok(TracedReduction {
                name: self.name(),
                operands: SmallVec::from_slice(&[dtype]),
                outputs: finish.outputs,
                numbers: lift.numbers,
                facts: SmallVec::new(),
                fails: false,
                steps: steps(self.name(), &[&combined.body])?,
                lift: lift.body,
                combine: Combine::Body(Arc::new(combined.body)),
                finish: finish.body,
            })
        })
    }

    /// Records a combination of two values of this dtype.
    fn combination(
        &self,
        dtype: DType,
        closure: impl for<'k> FnOnce(&'k Scope, [Val<'k>; 2]) -> [Val<'k>; 1],
    ) -> Result<Recorded> {
        let (name, arguments) = (self.name(), &[dtype; 2][..]);
        let code =
            Code { name, part: Part::Combine, arguments, wholes: &[], params: &[], facts: &[] };
        let recorded =
            code.record(&mut SmallVec::new(), |scope, values| closure(scope, operands_of(values)))?;
        recorded.without_fault(name)
    }
}
