//! Recording: from the code of a closure to a body, once for the dtypes of the operands.

use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::program::{Body, Program};
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::params::Param;
use super::scope::{Part, Scope};
use super::val::Val;
use crate::graph::kernel::{Fact, TracedOutput};
use crate::graph::{Array, MAX_STEPS, Operand, promote};

/// Instructions that count as one of the operations that may wait in front of a value.
const INSTRS_PER_STEP: usize = 8;

/// Maximum weight of a kernel, so that programs with its formulas written out have fewer registers than there are.
const MAX_WEIGHT: usize = 1 << 14;

/// The kernels of a closure, by the dtypes of operands: few, so that comparing them takes less than a hash.
#[derive(Debug)]
pub(super) struct Traced<T>(Mutex<Vec<Recording<T>>>);

/// A kernel, and the dtypes of its operands.
type Recording<T> = (SmallVec<[DType; 4]>, Arc<T>);

impl<T> Default for Traced<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Traced<T> {
    /// The kernel for these dtypes, recorded once.
    pub(super) fn get_or(
        &self,
        dtypes: SmallVec<[DType; 4]>,
        record: impl FnOnce(&[DType]) -> Result<T>,
    ) -> Result<Arc<T>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &[Recording<T>]| {
            known.iter().find(|(own, _)| *own == dtypes).map(|(_, kernel)| kernel.clone())
        };
        if let Some(kernel) = find(&known()) {
            return Ok(kernel);
        }
        // The lock is not held while the closure runs, which may call kernels.
        let kernel = Arc::new(record(&dtypes)?);
        let mut known = known();
        // Another thread may have recorded it meanwhile.
        if let Some(first) = find(&known) {
            return Ok(first);
        }
        known.push((dtypes, kernel.clone()));
        Ok(kernel)
    }
}

/// The dtypes of operands: a number takes the one that it has beside the arrays.
pub(super) fn dtypes_of(operands: &[Operand]) -> SmallVec<[DType; 4]> {
    let common = promote(operands);
    let dtypes = operands.iter().map(|operand| match operand {
        Operand::Array(array) => array.dtype(),
        Operand::Scalar(scalar) => scalar.dtype().unwrap_or(common),
    });
    dtypes.collect()
}

/// What is recorded, and as what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<'a> {
    /// What errors call it.
    pub(super) name: &'static str,
    pub(super) part: Part,
    /// The dtypes of its arguments before numbers.
    pub(super) arguments: &'a [DType],
    /// Which of these are read by position: they are no arguments.
    pub(super) wholes: &'a [u8],
    pub(super) params: &'a [Param],
    pub(super) facts: &'a [Fact],
}

/// A body that was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) body: Body,
    pub(super) outputs: SmallVec<[TracedOutput; 2]>,
    /// How many arguments stand before the numbers.
    pub(super) numbers: usize,
}

impl Recorded {
    /// The body as a combination of states, which always has a result.
    pub(super) fn without_fault(self, name: &'static str) -> Result<Recorded> {
        if !self.body.fails() {
            return Ok(self);
        }
        let reason =
            "integers to the power of integers may have no result, which a combination must have";
        Err(Error::Arguments { op: name.to_string(), reason: reason.to_string() })
    }

    /// The dtypes of the results.
    pub(super) fn dtypes(&self) -> SmallVec<[DType; 4]> {
        self.outputs.iter().map(|output| output.dtype).collect()
    }
}

impl Code<'_> {
    /// Runs a closure. What it asked of the launch and is not among the facts is added to `asked`: then the body is of no use.
    pub(super) fn record<const M: usize>(
        &self,
        asked: &mut SmallVec<[Fact; 2]>,
        closure: impl for<'k> FnOnce(&'k Scope, &[Val<'k>]) -> [Val<'k>; M],
    ) -> Result<Recorded> {
        let scope = Scope::new(self.name, self.part, self.params);
        let mut first = 0;
        let argument =
            |(operand, &dtype): (usize, &DType)| match self.wholes.contains(&(operand as u8)) {
                true => scope.whole(operand as u8, dtype),
                false => scope.argument(&mut first, dtype),
            };
        let arguments: SmallVec<[Val<'_>; 8]> =
            self.arguments.iter().enumerate().map(argument).collect();
        let numbers = usize::from(first);
        scope.give_numbers(&mut first, self.facts);
        let results = closure(&scope, &arguments).map(|value| scope.usable(value));
        if let Some(error) = scope.take_error() {
            return Err(error);
        }
        let (outputs, registers) = results_of(&results);
        asked.extend(scope.take_asked());
        let mut program = Program::default();
        scope.builder.move_to(&mut program);
        let body =
            Body { instrs: program.instrs, loops: program.loops, results: registers, known: None };
        Ok(Recorded { body, outputs, numbers })
    }
}

/// The results of a closure, and their registers.
pub(super) fn results_of(results: &[Val<'_>]) -> (SmallVec<[TracedOutput; 2]>, SmallVec<[u16; 4]>) {
    let mut outputs = SmallVec::new();
    let mut registers: SmallVec<[u16; 4]> = SmallVec::new();
    for value in results {
        outputs.push(TracedOutput { dtype: value.dtype, first: registers.len() });
        registers.extend(value.terms().iter().map(|term| term.reg()));
    }
    (outputs, registers)
}

/// The arguments of a closure.
pub(super) fn array<'k, const N: usize>(values: &[Val<'k>]) -> [Val<'k>; N] {
    match values.try_into() {
        Ok(values) => values,
        Err(_) => unreachable!("as many dtypes as operands"),
    }
}

/// The results of a call.
pub(super) fn results<const M: usize>(results: impl IntoIterator<Item = Array>) -> [Array; M] {
    let mut results = results.into_iter();
    std::array::from_fn(|_| match results.next() {
        Some(result) => result,
        None => unreachable!("as many results as the closure makes"),
    })
}

/// Converts results to the dtypes that are asked for.
pub(super) fn converted<'k, const M: usize>(
    scope: &'k Scope,
    results: [Val<'k>; M],
    dtypes: Option<[DType; M]>,
) -> [Val<'k>; M] {
    let Some(dtypes) = dtypes else { return results };
    let mut dtypes = dtypes.into_iter();
    results.map(|value| match dtypes.next() {
        Some(dtype) => scope.convert(value, dtype),
        None => unreachable!("as many dtypes as results"),
    })
}

/// How many operations a kernel of these bodies counts as, at most as many as may wait in front of a value.
///
/// # Errors
/// More instructions than a kernel may have.
pub(super) fn steps(name: &'static str, bodies: &[&Body]) -> Result<u32> {
    let weight: usize = bodies.iter().map(|body| body.weight()).sum();
    if weight > MAX_WEIGHT {
        let reason = format!("a kernel of {weight} steps: expected {MAX_WEIGHT} at most");
        return Err(Error::Arguments { op: name.to_string(), reason });
    }
    Ok(((weight / INSTRS_PER_STEP) as u32).clamp(1, MAX_STEPS))
}
