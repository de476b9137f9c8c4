//! What a row of the operation table holds.

use super::Formula;
use super::fold::FoldKind;
use super::lowering::LoweredValue;
use super::signature::Signature;
use crate::dtype::{DType, Kind};
use crate::program::Builder;

/// An elementwise operation: everything that the engine, the backends, the docs and the conformance
/// suite know of it.
#[derive(Debug)]
pub struct UfuncDef {
    /// The method and the free function.
    pub name: &'static str,
    /// NumPy's name.
    pub numpy: &'static str,
    /// One line for the docs table.
    pub doc: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// Dtype rule.
    pub signature: Signature,
    /// What it computes, in primitives and formulas.
    pub lower: LowerFn,
    /// How far a result may be from the true value.
    pub accuracy: Accuracy,
    /// How it folds, where it has two operands.
    pub fold: FoldKind,
    /// The range from which tests draw ordinary arguments.
    pub test_range: (f64, f64),
}

impl PartialEq for UfuncDef {
    /// Names tell rows apart.
    fn eq(&self, other: &UfuncDef) -> bool {
        self.name == other.name
    }
}
impl Eq for UfuncDef {}
impl std::hash::Hash for UfuncDef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// Lowers an operation: takes the values of the operands and returns that of the result. The dtype is the one computed in (that
/// of the first operand), for the few operations that depend on the format of a 16-bit float.
pub type LowerFn = for<'b> fn(&'b Builder, DType, &[LoweredValue<'b>]) -> LoweredValue<'b>;

/// The error of a row's results, in units in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Correctly rounded, or not a matter of rounding.
    Exact,
    /// As the formula declares it for real floats.
    Formula(Formula),
}

impl Accuracy {
    /// Largest error in ulp of a real float dtype; `None` for dtypes whose bound is relative to the
    /// magnitude of the whole complex number.
    pub fn ulp(self, dtype: DType) -> Option<u32> {
        match (self, dtype.kind()) {
            (Accuracy::Exact, Kind::Complex) | (Accuracy::Formula(_), Kind::Complex) => None,
            (Accuracy::Exact, Kind::Bool | Kind::Int | Kind::Float) => Some(0),
            (Accuracy::Formula(_), Kind::Bool | Kind::Int) => Some(0),
            (Accuracy::Formula(formula), Kind::Float) => Some(match dtype.size() {
                2 => 1,
                4 => formula.ulp(32),
                _ => formula.ulp(64),
            }),
        }
    }
}

impl UfuncDef {
    /// The rows of every arity.
    pub fn all() -> impl Iterator<Item = &'static UfuncDef> {
        let tables = [super::rows::UNARY, super::rows::BINARY, super::rows::TERNARY];
        tables.into_iter().flatten().copied()
    }

    /// The row that NumPy calls `numpy` (with the `np.` in front).
    pub fn by_numpy_name(numpy: &str) -> Option<&'static UfuncDef> {
        UfuncDef::all().find(|row| row.numpy == numpy)
    }

    /// May some element have no answer, where operands are computed in `dtype`
    /// ([`Program::fails`](crate::program::Program::fails))? So it is with powers of integers: exponents may be negative.
    #[inline]
    pub fn may_fail(&self, dtype: DType) -> bool {
        std::ptr::eq(self, &super::rows::power) && dtype.is_int() && !dtype.is_unsigned()
    }
}
