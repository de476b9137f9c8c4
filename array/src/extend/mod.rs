//! What a crate beside this one needs to add functions of its own: a formula over
//! [`Algebra`](ndany_core::formulas::algebra::Algebra), a [`Function`] that says how NumPy or SciPy calls it, and a table of
//! names that [`call`](fn@crate::call::call) and the tables of docs read.
//!
//! A function is data: no backend and no kernel is changed for it. Its results are lazy, fuse with the operations around them and
//! have the same bits on every device. A function that reads numbers on the host has an [`Ahead`], so that its kernels are compiled
//! together.
//!
//! ```
//! use ndany_array::extend::{Function, results};
//! use ndany_array::{Array, Operand};
//! use ndany_core::formulas::algebra::{Algebra, Native};
//! use ndany_core::program::OpenFormula;
//! use ndany_core::program::{State, Words};
//! # use ndany::Device; let _guard = Device::open("reference")?.enter();
//!
//! // The arithmetic-geometric mean: a loop whose length depends on the element.
//! fn agm<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
//!     let apart = |a: &A, [x, y]: [A::F; 2]| a.lt(a.abs(x) * a.f(1e-15), a.abs(x - y));
//!     let step = |a: &A, [x, y]: [A::F; 2]| [(x + y) * a.f(0.5), a.sqrt(x * y)];
//!     a.repeat_while(16, [x, y], apart, step)[0]
//! }
//!
//! static FORMULA: OpenFormula = OpenFormula::new(
//!     "agm",
//!     2,
//!     1,
//!     |b, v| State::from_slice(&[agm(&Words::<64>(b), v[0], v[1])]),
//!     None,
//!     [1, 4],
//! );
//! static AGM: Function = Function::new("agm", "sp.special.agm", "a b", &FORMULA, |operands, results| {
//!     results[0] = agm(&Native::<f64, true>::new(), operands[0], operands[1]);
//! });
//!
//! let [mean] = results(AGM.try_call([Operand::from(1.0), Operand::from(&Array::from([2.0, 3.0]))])?);
//! assert_eq!(mean.to_string(), "[1.45679103 1.86361678]");
//! # Ok::<(), ndany::Error>(())
//! ```

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ndany_core::ops::UfuncDef;
use ndany_core::ops::signature::Signature;
use ndany_core::program::OpenFormula;
use ndany_core::program::{Body, Builder, Op, Program, RegType, SsaValue, State};
use ndany_core::{DType, Result};
use smallvec::SmallVec;

use crate::device::hook;
use crate::graph::kernel::{TracedKernel, TracedOutput};
use crate::graph::{Array, MAX_STEPS, Operand, promote};
use crate::scalar::Scalar;

pub use crate::declare::expect;

mod ahead;
mod direct;
mod sort;
mod sparse;

pub use ahead::{Ahead, StandIn, guess, is_dry_run, magnitude};

#[doc(hidden)]
pub use direct::SparseFactor;
#[doc(hidden)]
pub use sort::{Pairs, sort_pairs};
#[doc(hidden)]
pub use sparse::{CheckedRows, unordered_product};

/// Instructions that count as one of the operations that may wait in front of a value.
const INSTRS_PER_STEP: usize = 8;

/// Maximum number of operations that a function counts as, so that others may wait beside it.
const MOST_STEPS: u32 = MAX_STEPS / 2;

/// The largest number of the host for which [`Function::with_whole`] is called.
pub const MOST_WHOLE: f64 = 1000.0;

/// Whether a number is whole, and from 0 to [`MOST_WHOLE`].
fn is_whole(number: &Scalar) -> bool {
    let Ok([bits, _]) = number.bits_as("", DType::F64) else { return false };
    let value = f64::from_bits(bits);
    (0.0..=MOST_WHOLE).contains(&value) && value.fract() == 0.0
}

/// An elementwise function of another crate.
///
/// Operands are real, unless it is a function of complex numbers ([`Function::of_complex`]), whose formula takes real and imaginary parts.
/// A real function may name one of those: it is called in its place where an operand is complex ([`Function::with_complex`]).
/// float32 is computed in float32 or, where the formula has no steps in it, in float64 and rounded once; all else is computed in float64,
/// as SciPy's functions do. So it is with the parts of complex64 and complex128.
#[derive(Debug)]
pub struct Function {
    /// The name of the function here.
    pub name: &'static str,
    /// Its name in NumPy or SciPy (with `np.` or `sp.` in front).
    pub numpy: &'static str,
    /// Its parameters in calls by name: as many as the formula has operands, with `?` after those that have a default, then
    /// options with the only value that each may have (`out=None`).
    pub parameters: &'static str,
    /// The values of the last operands, where a call by name leaves them out.
    pub defaults: &'static [f64],
    /// What it computes.
    pub formula: &'static OpenFormula,
    /// The same of single numbers: takes as many as the formula has operands, and writes as many as it has results.
    pub host: fn(&[f64], &mut [f64]),
    /// Of a function whose results are complex: which of its operands are. Each is two operands of the formula, its parts, and so is
    /// each result.
    pub parts: Option<&'static [bool]>,
    /// The function of the same name for complex operands.
    pub complex: Option<&'static Function>,
    /// The same values where the first operand is a whole number of the host, of 0 to [`MOST_WHOLE`], with less code.
    pub whole: Option<&'static Function>,
    /// An option by the name of its last parameter, and the function that is called where it is true.
    pub option: Option<(&'static str, &'static Function)>,
    kernels: [OnceLock<Arc<TracedKernel>>; 2],
}

impl Function {
    /// A function of this formula. A static is made of it.
    pub const fn new(
        name: &'static str,
        numpy: &'static str,
        parameters: &'static str,
        formula: &'static OpenFormula,
        host: fn(&[f64], &mut [f64]),
    ) -> Self {
        let kernels = [OnceLock::new(), OnceLock::new()];
        let (parts, complex, whole, option) = (None, None, None, None);
        Self {
            name,
            numpy,
            parameters,
            defaults: &[],
            formula,
            host,
            parts,
            complex,
            whole,
            option,
            kernels,
        }
    }

    /// The same with complex results, and complex operands where `operands` says so.
    pub const fn of_complex(mut self, operands: &'static [bool]) -> Self {
        self.parts = Some(operands);
        self
    }

    /// The same with a function that is called where an operand is complex.
    pub const fn with_complex(mut self, complex: &'static Function) -> Self {
        self.complex = Some(complex);
        self
    }

    /// The same with a function of the same values that is called where the first operand is a whole number of the host, of 0 to
    /// [`MOST_WHOLE`].
    pub const fn with_whole(mut self, whole: &'static Function) -> Self {
        self.whole = Some(whole);
        self
    }

    /// The same with an option in calls by name, a word of the parameters that follows the operands: where it is true, the other
    /// function is called.
    pub const fn with_option(mut self, name: &'static str, other: &'static Function) -> Self {
        self.option = Some((name, other));
        self
    }

    /// How many operands it takes.
    pub fn arity(&self) -> usize {
        self.parts.map_or(self.formula.arity, <[bool]>::len)
    }

    /// The same with values of the last operands where a call by name leaves them out.
    pub const fn with_defaults(mut self, defaults: &'static [f64]) -> Self {
        self.defaults = defaults;
        self
    }

    /// Asks for the results over operands, as many as the function has.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, broadcast; lazy.
    /// - **Dtypes**: every real dtype; float32 stays, all others give float64; complex numbers in the same two widths, where the function
    ///   takes them.
    /// - **Errors**: complex numbers where none are taken, shapes that do not broadcast, operands on two devices.
    ///
    /// # Panics
    /// If there are not as many operands as the function takes.
    #[track_caller]
    pub fn try_call(
        &'static self,
        operands: impl IntoIterator<Item = Operand>,
    ) -> Result<SmallVec<[Array; 2]>> {
        let mut operands: SmallVec<[Operand; 4]> = operands.into_iter().collect();
        assert_eq!(operands.len(), self.arity(), "operands of {}", self.name);
        let promoted = promote(&operands);
        if let (true, Some(complex)) = (promoted.is_complex(), self.complex) {
            return complex.try_call(operands);
        }
        if let (Some(whole), Some(Operand::Scalar(first))) = (self.whole, operands.first())
            && is_whole(first)
        {
            return whole.try_call(operands);
        }
        // Among complex operands those that are real must be.
        for (operand, _) in operands.iter().zip(self.parts.unwrap_or(&[])).filter(|own| !own.1) {
            Signature::SPECIAL.resolve(self.name, promote(std::slice::from_ref(operand)))?;
        }
        let promoted = if self.parts.is_some() { promoted.part() } else { promoted };
        let (dtype, _) = Signature::SPECIAL.resolve(self.name, promoted)?;
        let kernel =
            self.kernels[usize::from(dtype == DType::F64)].get_or_init(|| self.traced(dtype));
        kernel.ask(&mut operands, SmallVec::new())
    }

    fn traced(&self, dtype: DType) -> Arc<TracedKernel> {
        let formula = self.formula;
        let builder = Builder::new();
        let ty = RegType::of(dtype);
        let operands: State<'_> = (0..formula.arity)
            .map(|number| builder.push(Op::Argument(number as u16), ty, [0; 3]))
            .collect();
        let results = in_format(&builder, formula, &operands);
        let results: SmallVec<[u16; 4]> = results.iter().map(|value| value.reg()).collect();
        let mut program = Program::default();
        builder.move_to(&mut program);
        let body = Body { instrs: program.instrs, loops: program.loops, results, known: None };
        let computed = if formula.is_defined_in(ty) { ty } else { RegType::F64 };
        let steps = (formula.weight(computed) / INSTRS_PER_STEP) as u32;
        let complex = dtype.to_complex();
        let output = |first| TracedOutput { dtype, first };
        let pair = |number| TracedOutput { dtype: complex, first: 2 * number };
        let (operands, outputs) = match self.parts {
            None => (
                SmallVec::from_elem(dtype, formula.arity),
                (0..formula.results).map(output).collect(),
            ),
            Some(parts) => (
                parts.iter().map(|&is_complex| if is_complex { complex } else { dtype }).collect(),
                (0..formula.results / 2).map(pair).collect(),
            ),
        };
        Arc::new(TracedKernel {
            name: self.name,
            operands,
            outputs,
            body,
            facts: SmallVec::new(),
            fails: false,
            steps: steps.clamp(1, MOST_STEPS),
        })
    }
}

/// The functions that a crate adds to calls by name: [`providers!`](ndany_core::providers) names it in the program, or [`add`] does
/// while it runs.
#[derive(Debug)]
pub struct Table {
    /// Elementwise functions, by subject.
    pub functions: &'static [&'static [&'static Function]],
    /// Functions for complex operands of the engine's own operations that have none, by their names in SciPy.
    pub complex_rows: &'static [&'static Function],
    /// Functions of numbers that are computed on the host.
    pub computed: &'static [&'static [&'static Computed]],
}

/// A function of numbers whose results are arrays that the host computes: nodes of a rule, say.
#[derive(Debug)]
pub struct Computed {
    /// Its name in NumPy or SciPy (with `np.` or `sp.` in front).
    pub numpy: &'static str,
    /// Its parameters in calls by name: the numbers that it takes, then options with the only value that each may have.
    pub parameters: &'static str,
    /// The results of as many numbers.
    pub run: fn(&[f64]) -> Result<Vec<Array>>,
}

/// Tables that were added while the program ran.
static ADDED: RwLock<Vec<&'static Table>> = RwLock::new(Vec::new());

/// The tables of the program, then those that were added.
fn tables(added: &[&'static Table]) -> impl Iterator<Item = &'static Table> + use<> {
    let linked = hook::tables().iter().filter_map(|table| table.downcast_ref::<Table>());
    linked.chain(added.to_vec())
}

/// The elementwise functions of all crates that the program has.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    tables(&ADDED.read().unwrap_or_else(PoisonError::into_inner)).flat_map(Table::all)
}

/// The functions that are computed on the host, of all crates that the program has.
pub fn computed() -> impl Iterator<Item = &'static Computed> {
    tables(&ADDED.read().unwrap_or_else(PoisonError::into_inner)).flat_map(Table::all_computed)
}

/// What an operation of the engine that has real operands alone calls where an operand is complex, if a crate of the program has it.
pub(crate) fn of_complex(numpy: &str) -> Option<&'static Function> {
    let mut tables = tables(&ADDED.read().unwrap_or_else(PoisonError::into_inner));
    tables.find_map(|table| table.complex_rows.iter().copied().find(|own| own.numpy == numpy))
}

impl Table {
    /// Its functions.
    fn all(&self) -> impl Iterator<Item = &'static Function> + use<> {
        self.functions.iter().copied().flatten().copied()
    }

    /// Those that are computed on the host.
    fn all_computed(&self) -> impl Iterator<Item = &'static Computed> + use<> {
        self.computed.iter().copied().flatten().copied()
    }
}

/// Makes the functions of a table known to [calls by name](fn@crate::call::call), in a program whose
/// [`providers!`](ndany_core::providers) is another crate's, as that of `ndany` is. A table that is known stays as it is.
///
/// # Errors
/// [`ndany_core::Error::Arguments`] if an elementwise function by one of the names is known already; then none is added.
pub fn add(table: &'static Table) -> Result<()> {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    if tables(&added).any(|known| std::ptr::eq(known, table)) {
        return Ok(());
    }
    let is_taken = |name: &str| {
        UfuncDef::by_numpy_name(name).is_some()
            || tables(&added).flat_map(Table::all).any(|known| known.numpy == name)
            || tables(&added).flat_map(Table::all_computed).any(|known| known.numpy == name)
    };
    let names = table.all().map(|function| function.numpy);
    let mut names = names.chain(table.all_computed().map(|function| function.numpy));
    if let Some(taken) = names.find(|name| is_taken(name)) {
        return Err(ndany_core::Error::Arguments {
            op: "extend::add".into(),
            reason: format!("a function by the name {taken} is known already"),
        });
    }
    added.push(table);
    Ok(())
}

/// The formula on values of one float type, computed in float64 where it has no steps in that type.
fn in_format<'b>(
    builder: &'b Builder,
    formula: &'static OpenFormula,
    operands: &[SsaValue<'b>],
) -> State<'b> {
    let ty = operands[0].ty();
    if formula.is_defined_in(ty) {
        return builder.open_formula(formula, operands);
    }
    let wide: State<'b> = operands.iter().map(|value| value.cast(RegType::F64)).collect();
    builder.open_formula(formula, &wide).iter().map(|value| value.cast(ty)).collect()
}

/// The results of a call as an array.
///
/// # Panics
/// If the formula has another number of results.
pub fn results<const M: usize>(results: SmallVec<[Array; 2]>) -> [Array; M] {
    let mut results = results.into_iter();
    let own = std::array::from_fn(|_| match results.next() {
        Some(result) => result,
        None => panic!("fewer than {M} results"),
    });
    assert!(results.next().is_none(), "more than {M} results");
    own
}
