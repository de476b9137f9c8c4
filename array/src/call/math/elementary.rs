//! Functions over the rows that stand on formulas.

use crate::array::Array;
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value};
use ndany_core::{DType, Kind, Result};

/// As a ufunc's.
const UFUNC: &str = "x1 out=None * where=True dtype=None casting=same_kind order=K subok~";

/// SciPy's form of a row: f32 in itself, other real numbers in f64.
macro_rules! special {
    ($name:literal, $method:ident) => {
        Function {
            name: $name,
            parameters: UFUNC,
            facts: NATIVE,
            run: |call| widened(call)?.$method().map(Value::Array),
        }
    };
    ($name:literal, real $method:ident) => {
        Function {
            name: $name,
            parameters: UFUNC,
            facts: NATIVE,
            run: |call| match widened(call)? {
                array if array.dtype().is_complex() => Err(call.type_error("complex numbers")),
                array => array.$method().map(Value::Array),
            },
        }
    };
}
pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.angle",
        parameters: "z deg?",
        facts: COMPOSED,
        run: |call| call.array("z")?.try_angle(call.flag("deg", false)?).map(Value::Array),
    },
    special!("sp.special.log1p", try_log1p),
    special!("sp.special.expm1", try_expm1),
    special!("sp.special.exp2", real try_exp2),
    special!("sp.special.cbrt", try_cbrt),
    special!("sp.special.i0", try_i0),
    Function {
        name: "cupyx.rsqrt",
        parameters: "x",
        facts: COMPOSED,
        run: |call| call.array("x")?.try_rsqrt().map(Value::Array),
    },
];

/// The operand as SciPy's loops take it.
fn widened(call: &Bound<'_>) -> Result<Array> {
    let array = call.array("x1")?;
    let dtype = match (array.dtype().kind(), array.dtype()) {
        (_, DType::BF16) => DType::F32,
        (Kind::Bool | Kind::Int, _) | (_, DType::F16) => DType::F64,
        (Kind::Float | Kind::Complex, dtype) => dtype,
    };
    array.try_astype(dtype)
}
