//! Reductions made of closures.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use ndany_core::program::{Combine, Reduction as CoreReduction};
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::params::{Param, Params};
use super::record::{self, Code, Traced, dtypes_of};
use super::scope::{Part, Scope};
use super::{Operands, Val};
use crate::arguments::options::KeepOptions;
use crate::arguments::{AxisOptions, IntoAxes};
use crate::array::try_full;
use crate::declare::expect;
use crate::graph::fold::fold_rows;
use crate::graph::kernel::{Fact, TracedReduction};
use crate::graph::node::Arg;
use crate::graph::{Array, Launched, Operand};
use crate::scalar::Scalar;

/// A reduction of `N` operands and `M` results. Clones share what was recorded.
#[derive(Clone)]
pub struct Reduction<const N: usize, const M: usize> {
    name: &'static str,
    closures: Arc<dyn Record<M>>,
    params: Params,
    outputs: Option<[DType; M]>,
    empty: Option<[Scalar; M]>,
    /// Whether states are combined in the order of the elements.
    ordered: bool,
    traced: Arc<Traced<TracedReduction>>,
}

/// Makes a reduction of closures, as CuPy's `ReductionKernel`.
///
/// `lift` makes the state of an element, up to four values (complex numbers count twice); `combine` makes one state of two, with
/// the same dtypes; `finish` makes the results of the state of a whole row. They are run when the reduction is called with dtypes
/// that it has not met.
///
/// States are combined in the order of all reductions here, which depends on the number of elements alone, so that bits are the
/// same on every device. It is not the order of the elements: `combine` has to be commutative and associative, but for rounding.
/// For others there is [`Reduction::ordered`].
///
/// - **Shapes**: `(m, n), (m, n) → (n,)` over axis 0, operands broadcast; lazy, and fused with what is around.
/// - **Dtypes**: any; results have the dtypes that `finish` makes, or those of [`Reduction::outputs`].
/// - **Errors**: those of [`Reduction::call`].
///
/// ```
/// use ndany::{kernel::reduction, prelude::*};
/// // The largest element and where it is first, in one pass.
/// let first_max = reduction(
///     "first_max",
///     |k, [x]| [x, k.index()],
///     |_, [v, i], [w, j]| {
///         let left = v.greater(w) | (v.equal(w) & i.less(j));
///         [left.select(v, w), left.select(i, j)]
///     },
///     |_, state| state,
/// );
/// let [largest, place] = first_max.call([&array([[1.0, 5.0, 5.0], [7.0, 3.0, 2.0]])], 1);
/// assert_eq!((largest.to_string(), place.to_string()), ("[5. 7.]".into(), "[1 0]".into()));
/// ```
pub fn reduction<const N: usize, const S: usize, const M: usize>(
    name: &'static str,
    lift: impl for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; S] + Send + Sync + 'static,
    combine: impl for<'k> Fn(&'k Scope, [Val<'k>; S], [Val<'k>; S]) -> [Val<'k>; S]
    + Send
    + Sync
    + 'static,
    finish: impl for<'k> Fn(&'k Scope, [Val<'k>; S]) -> [Val<'k>; M] + Send + Sync + 'static,
) -> Reduction<N, M> {
    Reduction {
        name,
        closures: closures(lift, combine, finish),
        params: Params::default(),
        outputs: None,
        empty: None,
        ordered: false,
        traced: Arc::default(),
    }
}

/// The closures of a reduction or scan, for recording.
pub(super) fn closures<const N: usize, const S: usize, const M: usize>(
    lift: impl for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; S] + Send + Sync + 'static,
    combine: impl for<'k> Fn(&'k Scope, [Val<'k>; S], [Val<'k>; S]) -> [Val<'k>; S]
    + Send
    + Sync
    + 'static,
    finish: impl for<'k> Fn(&'k Scope, [Val<'k>; S]) -> [Val<'k>; M] + Send + Sync + 'static,
) -> Arc<dyn Record<M>> {
    Arc::new(Closures::<_, _, _, N, S> { lift, combine, finish })
}

/// The closures of a reduction or scan with `S` values of state.
struct Closures<L, C, F, const N: usize, const S: usize> {
    lift: L,
    combine: C,
    finish: F,
}

/// Closures that can be recorded, however many values their state has.
pub(super) trait Record<const M: usize>: Send + Sync {
    /// Runs the closures; `finish` is the part of the last one.
    fn record(
        &self,
        name: &'static str,
        dtypes: &[DType],
        params: &[Param],
        outputs: Option<[DType; M]>,
        part: Part,
    ) -> Result<TracedReduction>;
}

impl<L, C, F, const N: usize, const S: usize, const M: usize> Record<M> for Closures<L, C, F, N, S>
where
    L: for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; S] + Send + Sync,
    C: for<'k> Fn(&'k Scope, [Val<'k>; S], [Val<'k>; S]) -> [Val<'k>; S] + Send + Sync,
    F: for<'k> Fn(&'k Scope, [Val<'k>; S]) -> [Val<'k>; M] + Send + Sync,
{
    fn record(
        &self,
        name: &'static str,
        dtypes: &[DType],
        params: &[Param],
        outputs: Option<[DType; M]>,
        part: Part,
    ) -> Result<TracedReduction> {
        let refused = |reason| Err(Error::Arguments { op: name.to_string(), reason });
        let mut facts: SmallVec<[Fact; 2]> = SmallVec::new();
        let (lift, states, finish) = loop {
            let mut asked = SmallVec::new();
            let lift = Code {
                name,
                part: Part::Lift,
                arguments: dtypes,
                wholes: &[],
                params,
                facts: &facts,
            };
            let lift =
                lift.record(&mut asked, |scope, values| (self.lift)(scope, record::array(values)))?;
            let (states, most) = (lift.body.results.len(), CoreReduction::MAX_STATE);
            if !(1..=most).contains(&states) {
                return refused(format!("a state has 1 to {most} numbers, got {states}"));
            }
            let states = lift.dtypes();
            // Elements have positions, rows have none.
            let has = |fact: &Fact| *fact != Fact::Index || part == Part::Running;
            let of_rows: SmallVec<[Fact; 2]> = facts.iter().copied().filter(has).collect();
            let finish =
                Code { name, part, arguments: &states, wholes: &[], params, facts: &of_rows };
            let finish = finish.record(&mut asked, |scope, values| {
                let results = (self.finish)(scope, record::array(values));
                record::converted(scope, results, outputs)
            })?;
            if asked.is_empty() {
                break (lift, states, finish);
            }
            for fact in asked {
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        };
        let two: SmallVec<[DType; 8]> = states.iter().chain(&states).copied().collect();
        let code = Code {
            name,
            part: Part::Combine,
            arguments: &two,
            wholes: &[],
            params: &[],
            facts: &[],
        };
        let combined = code.record(&mut SmallVec::new(), |scope, values| {
            let (left, right) = values.split_at(S);
            (self.combine)(scope, record::array(left), record::array(right))
        })?;
        for (position, (made, state)) in combined.dtypes().iter().zip(&states).enumerate() {
            if made != state {
                return refused(format!(
                    "value {position} of the state is {state}, the combination makes it {made}: convert with astype"
                ));
            }
        }
        let combined = combined.without_fault(name)?;
        let params = params.iter().map(|param| param.dtype);
        Ok(TracedReduction {
            name,
            operands: dtypes.iter().copied().chain(params).collect(),
            outputs: finish.outputs,
            numbers: lift.numbers,
            facts,
            fails: lift.body.fails() || finish.body.fails(),
            steps: record::steps(name, &[&lift.body, &combined.body, &finish.body])?,
            lift: lift.body,
            combine: Combine::Body(Arc::new(combined.body)),
            finish: finish.body,
        })
    }
}

impl<const N: usize, const M: usize> Reduction<N, M> {
    /// Declares a parameter, as [`Elementwise::param`](super::Elementwise::param). Combinations have none.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// let above = reduction(
    ///     "above",
    ///     |k, [x]| [x.greater(k.param("limit")).astype(I64)],
    ///     |_, [a], [b]| [a + b],
    ///     |_, state| state,
    /// )
    /// .param("limit", F64, 2);
    /// assert_eq!(above.call([&array([1.0, 3.0, 5.0])], ..)[0].to_string(), "2");
    /// ```
    pub fn param(mut self, name: &'static str, dtype: DType, value: impl Into<Scalar>) -> Self {
        self.params.declare(name, dtype, value.into());
        // Other parameters are other kernels.
        self.traced = Arc::default();
        self
    }

    /// Returns the same reduction with another value of a parameter.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// let scaled = reduction("scaled", |_, [x]| [x], |_, [a], [b]| [a + b], |k, [a]| [a * k.param("by")])
    ///     .param("by", F64, 2);
    /// assert_eq!(scaled.with("by", 3).call([&array([1.0, 2.0])], 0)[0].to_string(), "9.0");
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

    /// Sets the dtypes of the results; what `finish` makes is converted to them.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// let total = reduction("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state).outputs([F32]);
    /// assert_eq!(total.call([&array([1.5, 2.0])], 0)[0].dtype(), F32);
    /// ```
    pub fn outputs(mut self, dtypes: [DType; M]) -> Self {
        self.outputs = Some(dtypes);
        self.traced = Arc::default();
        self
    }

    /// Sets the results over no elements, which are an error otherwise.
    ///
    /// They are converted to the dtypes of the results. Rows that have elements do not start from them.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// let norm = reduction("norm", |_, [x]| [x * x], |_, [a], [b]| [a + b], |_, [a]| [a.sqrt()]);
    /// assert!(norm.try_call([&zeros(0, ..)], 0).is_err());
    /// assert_eq!(norm.empty([0]).call([&zeros(0, ..)], 0)[0].to_string(), "0.0");
    /// ```
    pub fn empty(mut self, results: [impl Into<Scalar>; M]) -> Self {
        self.empty = Some(results.map(Into::into));
        self
    }

    /// Combines states from the first element to the last.
    ///
    /// `left` of `combine` is the state of all elements so far, `right` that of the next one.
    /// This is for recurrences, and for combinations that are not commutative. One thread goes through each row, so that rows
    /// should be many. It runs when it is called, with what stands in front; elements of several axes are in C order, for which
    /// operands are copied if the axes do not lie as one.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// // Horner's scheme: the value of a polynomial at 2.
    /// let at_two = reduction("at_two", |_, [c]| [c], |_, [sum], [c]| [sum * 2 + c], |_, state| state).ordered();
    /// assert_eq!(at_two.call([&array([[1, 0, 3], [2, 1, 0]])], 1)[0].to_string(), "[ 7 10]");
    /// ```
    pub fn ordered(mut self) -> Self {
        self.ordered = true;
        self
    }

    /// Asks for the results of the reduction of operands over axes, in one pass when a value is needed.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (n,)` over axis 0, `()` over `..`, operands broadcast; [`over`](crate::over) keeps reduced
    ///   axes with `keepdims`.
    /// - **Dtypes**: any; a number takes the dtype to which it promotes beside the arrays.
    /// - **Errors**: an axis out of range or given twice, shapes that do not broadcast, operands on two devices, no elements without
    ///   [`Reduction::empty`], and what the closures ask for in vain: operations that dtypes refuse, a combination that changes the
    ///   dtype of the state, or that has a loop, a parameter or a position.
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// // Slope and intercept of the line through points, by least squares.
    /// let line = reduction(
    ///     "line",
    ///     |_, [x, y]| [x, y, x * x, x * y],
    ///     |_, [a, b, c, d], [p, q, r, s]| [a + p, b + q, c + r, d + s],
    ///     |k, [x, y, xx, xy]| {
    ///         let n = k.size();
    ///         let slope = (xy * n - x * y) / (xx * n - x * x);
    ///         [slope, (y - slope * x) / n]
    ///     },
    /// );
    /// let [slope, intercept] = line.call((&array([0.0, 1.0, 2.0]), &array([1.0, 3.0, 5.0])), ..);
    /// assert_eq!((slope.item::<f64>()?, intercept.item::<f64>()?), (2.0, 1.0));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`Reduction::try_call`] returns an error.
    #[track_caller]
    pub fn call(&self, operands: impl Operands<N>, axes: impl IntoAxes<KeepOptions>) -> [Array; M] {
        expect(self.try_call(operands, axes))
    }

    /// [`Reduction::call`], with errors as values.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (n,)` over axis 0.
    /// - **Dtypes**: as [`Reduction::call`].
    /// - **Errors**: as [`Reduction::call`].
    ///
    /// ```
    /// use ndany::{kernel::reduction, prelude::*};
    /// let total = reduction("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    /// assert!(total.try_call([&array([1.0])], 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_call(
        &self,
        operands: impl Operands<N>,
        axes: impl IntoAxes<KeepOptions>,
    ) -> Result<[Array; M]> {
        let mut operands: SmallVec<[Operand; 4]> = operands.operands().into_iter().collect();
        let kernel = self.traced.get_or(dtypes_of(&operands), |dtypes| {
            let params = self.params.as_slice();
            self.closures.record(self.name, dtypes, params, self.outputs, Part::Finish)
        })?;
        operands.extend(self.params.operands());
        let empty = self.empty.as_ref().map(<[Scalar; M]>::as_slice);
        Ok(record::results(reduce(&kernel, &mut operands, &axes.into_axes(), empty, self.ordered)?))
    }
}

/// The results of a reduction of operands, and numbers after them. They are taken out of the slice.
#[track_caller]
pub(super) fn reduce(
    kernel: &Arc<TracedReduction>,
    operands: &mut [Operand],
    options: &AxisOptions,
    empty: Option<&[Scalar]>,
    ordered: bool,
) -> Result<Vec<Array>> {
    let together = kernel.together(operands)?;
    let axes = options.reduced_axes(kernel.name, together.shape.len(), true)?;
    let results = match axes.iter().any(|&axis| together.shape[axis] == 0) {
        true => over_nothing(kernel, together, &axes, empty)?,
        false if ordered => fold_rows(kernel, in_rows(together, &axes)?)?,
        false => kernel.ask(together, &axes)?,
    };
    results.into_iter().map(|result| options.expanded(result, &axes)).collect()
}

/// The results of rows without elements.
#[track_caller]
fn over_nothing(
    kernel: &TracedReduction,
    together: Launched,
    axes: &[usize],
    empty: Option<&[Scalar]>,
) -> Result<SmallVec<[Array; 2]>> {
    let Launched { shape, device, .. } = together;
    let Some(values) = empty else {
        return Err(Error::EmptyReduction { op: kernel.name, shape: shape.as_slice().into() });
    };
    let kept = (0..shape.len()).filter(|axis| !axes.contains(axis));
    let kept: SmallVec<[usize; 4]> = kept.map(|axis| shape[axis]).collect();
    let _guard = device.enter();
    let mut results = SmallVec::new();
    for (value, output) in values.iter().zip(&kernel.outputs) {
        results.push(try_full(kept.as_slice(), *value, output.dtype)?);
    }
    Ok(results)
}

/// The operands with the reduced axes as one, after the others.
fn in_rows(mut together: Launched, axes: &[usize]) -> Result<Launched> {
    let shape = &together.shape;
    let kept: SmallVec<[usize; 8]> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let row: usize = axes.iter().map(|&axis| shape[axis]).product();
    let rows: Shape = kept.iter().map(|&axis| shape[axis]).chain([row]).collect();
    let order: SmallVec<[usize; 8]> = kept.iter().chain(axes).copied().collect();
    for arg in &mut together.args {
        if let Arg::Array(array) = arg {
            let moved = array.with_layout(array.layout().permute(&order));
            *array = match axes.len() {
                1 => moved,
                _ => moved.try_reshape(rows.as_slice())?,
            };
        }
    }
    together.shape = rows;
    Ok(together)
}

impl<const N: usize, const M: usize> fmt::Debug for Reduction<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reduction({}: {N} operands, {M} results)", self.name)
    }
}
