//! Calling by NumPy name, with values whose types are known at run time only.
//!
//! This is how a conformance suite, a REPL or a binding to another language reaches the engine: rows
//! and reductions come from their tables, everything else from one table of functions here. A function
//! states its parameters as NumPy does, and whatever it does not understand is
//! [`Error::Unsupported`](ndany_core::Error::Unsupported): no argument is ever ignored. Deliberately absent: functions that NumPy has
//! and ndany has not, even where they could be pieced together.

mod binary;
mod bind;
mod creation;
mod dtypes;
mod fft;
mod indexing;
mod integers;
mod io;
mod linalg;
mod logic;
mod manipulation;
mod math;
mod memory;
#[cfg(test)]
mod numpy_names;
pub mod parameters;
mod polynomial;
mod products;
mod random;
mod reductions;
mod resolve;
mod sequence;
mod sets;
mod sorting;
mod special;
mod statistics;
pub mod support;
#[cfg(test)]
mod tests;
mod ufunc;
mod windows;

use crate::array::Array;
use crate::elementwise::{METHODS, MethodKind, UNARY_METHODS};
use crate::scalar::Scalar;
use bind::Bound;
use ndany_core::ops::{PAIRS, UfuncDef};
use ndany_core::{DType, Result};
pub use random::draw;
pub use resolve::{Callable, resolve};

/// What a call takes and returns.
#[derive(Clone, Debug)]
pub enum Value {
    /// An array.
    Array(Array),
    /// A number, weak (a Python number) or strong (a NumPy scalar).
    Scalar(Scalar),
    /// An element type.
    DType(DType),
    /// A text, as in `order="F"`.
    Str(String),
    /// A flag; as an operand, a weak truth value.
    Bool(bool),
    /// Nothing given; in an index, a new axis.
    None,
    /// A tuple.
    Tuple(Vec<Value>),
    /// A list.
    List(Vec<Value>),
    /// `start:stop:step`. Integers in an index; in `np.mgrid`, `np.ogrid`, `np.r_` and `np.c_` any numbers, of which a
    /// complex step is a count of points.
    Slice {
        /// First position.
        start: Option<Scalar>,
        /// Position to stop before.
        stop: Option<Scalar>,
        /// Step.
        step: Option<Scalar>,
    },
    /// A new axis.
    NewAxis,
    /// All axes that are left.
    Ellipsis,
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Value::Array(array)
    }
}
impl From<&Array> for Value {
    fn from(array: &Array) -> Self {
        Value::Array(array.clone())
    }
}
impl From<DType> for Value {
    fn from(dtype: DType) -> Self {
        Value::DType(dtype)
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_string())
    }
}
impl<T: Into<Scalar>> From<T> for Value {
    fn from(scalar: T) -> Self {
        Value::Scalar(scalar.into())
    }
}

impl Value {
    /// Returns the array, if the value is one.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(ndany::call::Value::from(array([1, 2])).into_array().is_some());
    /// ```
    pub fn into_array(self) -> Option<Array> {
        match self {
            Value::Array(array) => Some(array),
            Value::Scalar(_)
            | Value::DType(_)
            | Value::Str(_)
            | Value::Bool(_)
            | Value::None
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Slice { .. }
            | Value::NewAxis
            | Value::Ellipsis => None,
        }
    }
}

/// A function that is not a row: NumPy's name, its parameters (see [`parameters`]), and what it does.
struct Function {
    name: &'static str,
    parameters: &'static str,
    /// How it is computed, and when a call waits for the device.
    facts: support::Facts,
    run: fn(&Bound<'_>) -> Result<Value>,
}

/// Every table of functions.
fn functions() -> impl Iterator<Item = &'static Function> {
    let rooms = [
        creation::TABLES,
        manipulation::TABLES,
        indexing::TABLES,
        math::TABLES,
        reductions::TABLES,
        statistics::TABLES,
        linalg::TABLES,
    ];
    let tables = [
        binary::FUNCTIONS,
        dtypes::FUNCTIONS,
        fft::NUMPY,
        fft::SCIPY,
        fft::FUNCTIONS,
        io::FUNCTIONS,
        logic::FUNCTIONS,
        memory::FUNCTIONS,
        polynomial::PAIRS,
        polynomial::SEVERAL,
        polynomial::FUNCTIONS,
        products::PAIRS,
        products::FUNCTIONS,
        random::FUNCTIONS,
        sets::FUNCTIONS,
        sorting::FUNCTIONS,
        special::FUNCTIONS,
        windows::FUNCTIONS,
    ];
    rooms.into_iter().flatten().copied().chain(tables).flatten()
}

/// Second names that NumPy gives to one function.
static ALIASES: &[(&str, &str)] = &[
    ("np.true_divide", "np.divide"),
    ("np.mod", "np.remainder"),
    ("np.abs", "np.absolute"),
    ("np.conj", "np.conjugate"),
    ("np.pow", "np.power"),
    ("sp.special.sinc", "np.sinc"),
    ("np.asin", "np.arcsin"),
    ("np.acos", "np.arccos"),
    ("np.atan", "np.arctan"),
    ("np.atan2", "np.arctan2"),
    ("np.asinh", "np.arcsinh"),
    ("np.acosh", "np.arccosh"),
    ("np.atanh", "np.arctanh"),
    ("np.bitwise_invert", "np.invert"),
    ("np.bitwise_not", "np.invert"),
    ("np.bitwise_left_shift", "np.left_shift"),
    ("np.bitwise_right_shift", "np.right_shift"),
    ("np.amax", "np.max"),
    ("np.amin", "np.min"),
    ("np.around", "np.round"),
    ("np.concat", "np.concatenate"),
    ("np.permute_dims", "np.transpose"),
    ("np.linalg.matrix_transpose", "np.matrix_transpose"),
    ("np.astype", "astype"),
    ("np.asanyarray", "np.asarray"),
    ("np.row_stack", "np.vstack"),
    ("np.polynomial.polynomial.polytrim", "np.polynomial.polyutils.trimcoef"),
    ("fft.fftshift", "np.fft.fftshift"),
    ("fft.ifftshift", "np.fft.ifftshift"),
    ("fft.fftfreq", "np.fft.fftfreq"),
    ("fft.rfftfreq", "np.fft.rfftfreq"),
];

/// Iterates over every name that [`call`] knows: elementwise operations, functions, second names.
///
/// ```
/// use ndany::prelude::*;
/// assert!(ndany::call::names().any(|name| name == "np.exp"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    let rows = UfuncDef::all().map(|row| row.numpy).chain(PAIRS.iter().map(|row| row.numpy));
    // A function that shares its name with a row is that row, with more forms.
    let rest = functions().map(|function| function.name);
    let rest = rest.filter(|name| UfuncDef::by_numpy_name(name).is_none());
    let methods = METHODS.iter().chain(UNARY_METHODS);
    let methods = methods.filter(|method| method.kind != MethodKind::BinaryOnly);
    let methods = methods.map(|method| method.name);
    let others = crate::extend::functions().map(|function| function.numpy);
    let others = others.chain(crate::extend::computed().map(|function| function.numpy));
    rows.chain(methods).chain(rest).chain(others).chain(ALIASES.iter().map(|(alias, _)| *alias))
}

/// Calls a function by its NumPy name, on the thread's current device where no array says otherwise.
///
/// A name that is called often is [resolved](resolve) once.
///
/// - **Errors**: [`Error::Unsupported`](ndany_core::Error::Unsupported) for a name or an argument that is not known here; otherwise what the function
///   itself reports, of the class that NumPy gives.
///
/// ```
/// use ndany::call::{Value, call};
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// let kwargs = [("axis".to_string(), Value::from(0))];
/// let sum = call("np.sum", &[Value::from(&a)], &kwargs)?.into_array().expect("an array");
/// assert_eq!(sum.to_vec::<f32>()?, [4.0, 6.0]);
/// assert!(call("fft.dct", &[Value::from(a)], &[]).is_err_and(|error| error.is_unsupported()));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn call(name: &str, args: &[Value], kwargs: &[(String, Value)]) -> Result<Value> {
    resolve(name)?.call(args, kwargs)
}
