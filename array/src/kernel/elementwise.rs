//! Elementwise kernels made of closures.

use std::fmt;
use std::sync::Arc;

use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::params::Params;
use super::record::{self, Code, Traced, dtypes_of};
use super::scope::{Part, Scope};
use super::{Operands, Val};
use crate::declare::expect;
use crate::graph::kernel::{Fact, TracedKernel, TracedReduction};
use crate::graph::{Array, Operand};
use crate::scalar::Scalar;

type Closure<const N: usize, const M: usize> =
    dyn for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; M] + Send + Sync;

/// An elementwise kernel of `N` operands and `M` results. Clones share what was recorded.
#[derive(Clone)]
pub struct Elementwise<const N: usize, const M: usize> {
    name: &'static str,
    closure: Arc<Closure<N, M>>,
    params: Params,
    outputs: Option<[DType; M]>,
    wholes: SmallVec<[u8; 1]>,
    traced: Arc<Traced<TracedKernel>>,
    folds: Arc<Traced<TracedReduction>>,
}

/// Makes an elementwise kernel of a closure, as CuPy's `ElementwiseKernel` and `fuse`.
///
/// The closure gets a value for each operand and returns the results; [the module](crate::kernel) says what it may do. It is
/// run when the kernel is called with dtypes that it has not met. `name` is what errors call it.
///
/// - **Shapes**: `(…), (…) → (…)`, broadcast, element by element; lazy, and fused with what is around.
/// - **Dtypes**: any; results have the dtypes that the closure makes, or those of [`Elementwise::outputs`].
/// - **Errors**: those of [`Elementwise::call`].
///
/// ```
/// use ndany::{kernel::elementwise, prelude::*};
/// let polar = elementwise("polar", |_, [x, y]| [x.hypot(y), y.atan2(x)]);
/// let [r, angle] = polar.call([&array([3.0, 0.0]), &array([4.0, 2.0])]);
/// assert_eq!((r.to_string(), angle.to_string()), ("[5. 2.]".into(), "[0.92729522 1.57079633]".into()));
/// ```
pub fn elementwise<const N: usize, const M: usize>(
    name: &'static str,
    closure: impl for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; M] + Send + Sync + 'static,
) -> Elementwise<N, M> {
    Elementwise {
        name,
        closure: Arc::new(closure),
        params: Params::default(),
        outputs: None,
        wholes: SmallVec::new(),
        traced: Arc::default(),
        folds: Arc::default(),
    }
}

impl<const N: usize, const M: usize> Elementwise<N, M> {
    /// Declares a parameter: a number of a dtype that may change from call to call without another kernel.
    ///
    /// It has this value unless [`Elementwise::with`] gives another.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let axpy = elementwise("axpy", |k, [x, y]| [k.param("a") * x + y]).param("a", F64, 2);
    /// let (x, y) = (array([1.0, 2.0]), array([10.0, 20.0]));
    /// let [two] = axpy.call([&x, &y]);
    /// let [five] = axpy.with("a", 5).call([&x, &y]);
    /// assert_eq!((two.to_string(), five.to_string()), ("[12. 24.]".into(), "[15. 30.]".into()));
    /// ```
    pub fn param(mut self, name: &'static str, dtype: DType, value: impl Into<Scalar>) -> Self {
        self.params.declare(name, dtype, value.into());
        // Other parameters are other kernels.
        self.traced = Arc::default();
        self
    }

    /// Returns the same kernel with another value of a parameter.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let scaled = elementwise("scaled", |k, [x]| [x * k.param("by")]).param("by", F64, 3);
    /// assert_eq!(scaled.with("by", 5).call([&array([1.0, 2.0])])[0].to_string(), "[ 5. 10.]");
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

    /// Sets the dtypes of the results; what the closure makes is converted to them.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let third = elementwise("third", |_, [x]| [x / 3]).outputs([F32]);
    /// let [y] = third.call([&array([1, 2])]);
    /// assert_eq!(y.dtype(), F32);
    /// ```
    pub fn outputs(mut self, dtypes: [DType; M]) -> Self {
        self.outputs = Some(dtypes);
        (self.traced, self.folds) = (Arc::default(), Arc::default());
        self
    }

    /// Declares that operand `operand` is read by position, with [`Val::at`], as CuPy's `raw` parameters.
    ///
    /// It may have any shape, which does not broadcast with those of other operands; it is evaluated before the kernel runs, and
    /// copied first if its elements do not lie in C order. Several operands may be whole.
    ///
    /// - **Errors** of a call: a number for the operand; an operand that the closure does not have; positions per axis where it
    ///   has another number of axes; no elements where [`OutOfRange`](super::OutOfRange) needs one. A position out of range is an
    ///   error of the result, told when it is read.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let lookup = elementwise("lookup", |_, [i, table]| [table.at(i)]).whole(1);
    /// let [y] = lookup.call([&array([2, 0]), &array([0.5, 1.5, 2.5])]);
    /// assert_eq!(y.to_string(), "[2.5 0.5]");
    /// ```
    pub fn whole(mut self, operand: usize) -> Self {
        // A number beyond all operands is an error of the call.
        self.wholes.push(u8::try_from(operand).unwrap_or(u8::MAX));
        (self.traced, self.folds) = (Arc::default(), Arc::default());
        self
    }

    /// Asks for the results of the kernel over operands, in one pass when a value is needed.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast.
    /// - **Dtypes**: any; a number takes the dtype to which it promotes beside the arrays.
    /// - **Errors**: shapes that do not broadcast, operands on two devices, and what the closure asks for in vain: operations that
    ///   dtypes refuse, a step of a loop that changes the dtype of the state, a value of a loop used after it, an unknown parameter.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let f = elementwise("f", |_, [x, y]| [x + y, x * y]);
    /// let [sum, product] = f.call((&array([1, 2]), 10));
    /// assert_eq!((sum.to_string(), product.to_string()), ("[11 12]".into(), "[10 20]".into()));
    /// ```
    ///
    /// # Panics
    /// Where [`Elementwise::try_call`] returns an error.
    #[track_caller]
    pub fn call(&self, operands: impl Operands<N>) -> [Array; M] {
        expect(self.try_call(operands))
    }

    /// [`Elementwise::call`], with errors as values.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast.
    /// - **Dtypes**: as [`Elementwise::call`].
    /// - **Errors**: as [`Elementwise::call`].
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let bits = elementwise("bits", |_, [x]| [x & 1]);
    /// assert!(bits.try_call([&array([0.5])]).is_err());
    /// ```
    #[track_caller]
    pub fn try_call(&self, operands: impl Operands<N>) -> Result<[Array; M]> {
        let mut operands: SmallVec<[Operand; 4]> = operands.operands().into_iter().collect();
        let kernel = self.traced.get_or(self.dtypes_of(&operands), |dtypes| self.record(dtypes))?;
        let wholes = self.take_wholes(&mut operands)?;
        operands.extend(self.params.operands());
        Ok(record::results(kernel.ask(&mut operands, wholes)?))
    }

    /// Whether an operand is read by position.
    fn is_whole(&self, operand: usize) -> bool {
        self.wholes.iter().any(|&whole| usize::from(whole) == operand)
    }

    /// The dtypes of operands. Numbers follow the arrays that are no whole operands.
    fn dtypes_of(&self, operands: &[Operand]) -> SmallVec<[DType; 4]> {
        if self.wholes.is_empty() {
            return dtypes_of(operands);
        }
        let own = operands.iter().enumerate().filter(|(operand, _)| !self.is_whole(*operand));
        let own: SmallVec<[Operand; 4]> = own.map(|(_, operand)| operand.clone()).collect();
        let mut own = dtypes_of(&own).into_iter();
        let dtypes = operands.iter().enumerate().map(|(number, operand)| match operand {
            Operand::Array(array) if self.is_whole(number) => array.dtype(),
            // A number where an array is expected is refused later.
            Operand::Scalar(scalar) if self.is_whole(number) => scalar.natural_dtype(),
            _ => own.next().unwrap_or(DType::F64),
        });
        dtypes.collect()
    }

    /// Takes operands that are read by position out of the list, each with its number.
    #[track_caller]
    fn take_wholes(
        &self,
        operands: &mut SmallVec<[Operand; 4]>,
    ) -> Result<SmallVec<[(u8, Array); 1]>> {
        let mut wholes: SmallVec<[(u8, Array); 1]> = SmallVec::new();
        if self.wholes.is_empty() {
            return Ok(wholes);
        }
        // From the last on, so that numbers stay.
        for operand in (0..operands.len()).rev() {
            if !self.is_whole(operand) {
                continue;
            }
            match operands.remove(operand) {
                Operand::Array(array) if array.layout().is_contiguous() => {
                    wholes.push((operand as u8, array));
                }
                Operand::Array(array) => wholes.push((operand as u8, array.try_copy()?)),
                Operand::Scalar(_) => {
                    let reason =
                        format!("operand {operand} is whole: expected an array, got a number");
                    return Err(Error::Arguments { op: self.name.to_string(), reason });
                }
            }
        }
        wholes.reverse();
        Ok(wholes)
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The dtypes that were set for the results.
    pub(super) fn result_dtypes(&self) -> Option<[DType; M]> {
        self.outputs
    }

    /// What is recorded of it as a fold, by the dtype of elements.
    pub(super) fn folds(&self) -> &Traced<TracedReduction> {
        &self.folds
    }

    /// Runs the closure.
    pub(super) fn run<'k>(&self, scope: &'k Scope, operands: [Val<'k>; N]) -> [Val<'k>; M] {
        (self.closure)(scope, operands)
    }

    fn record(&self, dtypes: &[DType]) -> Result<TracedKernel> {
        let (name, params) = (self.name, self.params.as_slice());
        let wholes = self.wholes.as_slice();
        if let Some(operand) = wholes.iter().find(|&&operand| usize::from(operand) >= N) {
            let reason = format!("operand {operand} is whole: expected one of {N} operands");
            return Err(Error::Arguments { op: name.to_string(), reason });
        }
        let mut facts: SmallVec<[Fact; 2]> = SmallVec::new();
        let recorded = loop {
            let code = Code {
                name,
                part: Part::Elementwise,
                arguments: dtypes,
                wholes,
                params,
                facts: &facts,
            };
            let mut asked = SmallVec::new();
            let recorded = code.record(&mut asked, |scope, values| {
                let results = self.run(scope, record::array(values));
                record::converted(scope, results, self.outputs)
            })?;
            if asked.is_empty() {
                break recorded;
            }
            facts.extend(asked);
        };
        let (body, params) = (recorded.body, params.iter().map(|param| param.dtype));
        let own = dtypes.iter().enumerate();
        let own = own.filter(|(operand, _)| !self.is_whole(*operand));
        Ok(TracedKernel {
            name,
            operands: own.map(|(_, &dtype)| dtype).chain(params).collect(),
            outputs: recorded.outputs,
            facts,
            fails: body.fails(),
            steps: record::steps(name, &[&body])?,
            body,
        })
    }
}

impl<const N: usize, const M: usize> fmt::Debug for Elementwise<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elementwise({}: {N} operands, {M} results)", self.name)
    }
}
