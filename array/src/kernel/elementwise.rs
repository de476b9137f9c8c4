//! Elementwise kernels made of closures.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::program::{Body, Op, Program, steps_of};
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::scope::{Param, Scope};
use super::{Operands, Val};
use crate::declare::expect;
use crate::graph::kernel::{TracedKernel, TracedOutput};
use crate::graph::{Array, MAX_STEPS, Operand, promote};
use crate::scalar::Scalar;

/// Instructions that count as one of the operations that may wait behind a value.
const INSTRS_PER_STEP: usize = 8;

type Closure<const N: usize, const M: usize> =
    dyn for<'k> Fn(&'k Scope, [Val<'k>; N]) -> [Val<'k>; M] + Send + Sync;

/// The kernels of a closure, by the dtypes of operands.
type Traced = Mutex<HashMap<SmallVec<[DType; 4]>, Arc<TracedKernel>>>;

/// An elementwise kernel of `N` operands and `M` results. Clones share what was recorded.
#[derive(Clone)]
pub struct Elementwise<const N: usize, const M: usize> {
    name: &'static str,
    closure: Arc<Closure<N, M>>,
    params: SmallVec<[Param; 2]>,
    outputs: Option<[DType; M]>,
    traced: Arc<Traced>,
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
        params: SmallVec::new(),
        outputs: None,
        traced: Arc::default(),
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
        self.params.retain(|param| param.name != name);
        self.params.push(Param { name, dtype, value: value.into() });
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
        match own.params.iter_mut().find(|param| param.name == name) {
            Some(param) => param.value = value.into(),
            None => {
                let reason = format!("there is no parameter {name:?}");
                expect(Err(Error::Arguments { op: self.name.to_string(), reason }))
            }
        }
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
        self.traced = Arc::default();
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
        // A number takes the dtype that it has beside the arrays.
        let common = promote(&operands);
        let dtypes: SmallVec<[DType; 4]> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Array(array) => array.dtype(),
                Operand::Scalar(scalar) => scalar.dtype().unwrap_or(common),
            })
            .collect();
        let kernel = self.traced(dtypes)?;
        operands.extend(
            self.params
                .iter()
                .map(|param| Operand::Scalar(Scalar::typed(param.dtype, param.value))),
        );
        let results = kernel.ask(&mut operands)?;
        match results.into_iter().collect::<Vec<_>>().try_into() {
            Ok(results) => Ok(results),
            Err(_) => unreachable!("a kernel has as many results as its closure"),
        }
    }

    /// The kernel for these dtypes, recorded once.
    fn traced(&self, dtypes: SmallVec<[DType; 4]>) -> Result<Arc<TracedKernel>> {
        let known = || self.traced.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known().get(&dtypes) {
            return Ok(kernel.clone());
        }
        // The lock is not held while the closure runs, which may call kernels.
        let kernel = Arc::new(self.record(&dtypes)?);
        Ok(known().entry(dtypes).or_insert(kernel).clone())
    }

    fn record(&self, dtypes: &[DType]) -> Result<TracedKernel> {
        let scope = Scope::new(self.name, &self.params);
        let mut first = 0;
        let mut operands = dtypes.iter();
        let arguments = [(); N].map(|()| match operands.next() {
            Some(&dtype) => scope.argument(&mut first, dtype),
            None => unreachable!("as many dtypes as operands"),
        });
        scope.give_params(&mut first);
        let results = (self.closure)(&scope, arguments).map(|value| scope.usable(value));
        let results = match self.outputs {
            None => results,
            Some(dtypes) => {
                let mut dtypes = dtypes.into_iter();
                results.map(|value| match dtypes.next() {
                    Some(dtype) => scope.convert(value, dtype),
                    None => unreachable!("as many dtypes as results"),
                })
            }
        };
        if let Some(error) = scope.take_error() {
            return Err(error);
        }
        let mut outputs = SmallVec::new();
        let mut registers: SmallVec<[u16; 4]> = SmallVec::new();
        for value in &results {
            outputs.push(TracedOutput { dtype: value.dtype, first: registers.len() });
            registers.extend(value.terms().iter().map(|term| term.reg()));
        }
        let mut program = Program::default();
        scope.builder.move_to(&mut program);
        let body =
            Body { instrs: program.instrs, loops: program.loops, results: registers, known: None };
        let weight = weight(&body);
        if weight > MAX_WEIGHT {
            let reason = format!("a kernel of {weight} steps: expected {MAX_WEIGHT} at most");
            return Err(Error::Arguments { op: self.name.to_string(), reason });
        }
        Ok(TracedKernel {
            name: self.name,
            operands: dtypes
                .iter()
                .copied()
                .chain(self.params.iter().map(|param| param.dtype))
                .collect(),
            outputs,
            asks_position: scope.asks_position(),
            fails: body.fails(),
            steps: ((weight / INSTRS_PER_STEP) as u32).clamp(1, MAX_STEPS),
            body,
        })
    }
}

/// Maximum weight of a kernel, so that programs with its formulas written out have fewer registers than there are.
const MAX_WEIGHT: usize = 1 << 14;

/// How many instructions a body is about, with formulas written out.
fn weight(body: &Body) -> usize {
    let own = body.instrs.iter().map(|instr| match instr.op {
        Op::Call(formula) => steps_of(formula),
        _ => 1,
    });
    let loops = body.loops.iter().map(|own| weight(&own.condition) + weight(&own.step));
    own.sum::<usize>() + loops.sum::<usize>()
}

impl<const N: usize, const M: usize> fmt::Debug for Elementwise<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elementwise({}: {N} operands, {M} results)", self.name)
    }
}
