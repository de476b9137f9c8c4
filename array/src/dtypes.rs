//! The dtype of several operands, and of one number: NumPy's `result_type`, `min_scalar_type`.

use ndany_core::{DType, Error, Number, Result};

use crate::graph::{Operand, promote};
use crate::scalar::Scalar;

/// Returns the dtype to which arrays and numbers promote, as `np.result_type`; numbers are weak unless typed.
///
/// - **Errors**: no operands.
///
/// ```
/// use ndany::{Array, DType, Device, result_type};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([1.0f32]);
/// assert_eq!(result_type(&[(&a).into(), 2.5.into()])?, DType::F32);
/// assert_eq!(result_type(&[(&a).into(), (&a.astype(DType::I32)).into()])?, DType::F64);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn result_type(operands: &[Operand]) -> Result<DType> {
    match operands.is_empty() {
        true => Err(Error::NoArrays { op: "result_type" }),
        false => Ok(promote(operands)),
    }
}

/// Returns the smallest dtype that holds a number, as `np.min_scalar_type`; for floats in size, not in precision.
///
/// ```
/// use ndany::{DType, min_scalar_type};
/// assert_eq!(min_scalar_type(300), DType::U16);
/// assert_eq!(min_scalar_type(-300), DType::I16);
/// assert_eq!(min_scalar_type(1e50), DType::F64);
/// ```
pub fn min_scalar_type(number: impl Into<Scalar>) -> DType {
    let scalar: Scalar = number.into();
    // NumPy's bounds are these, not those of the dtypes.
    let single = |value: f64| value > -3.4e38 && value < 3.4e38;
    match scalar.number() {
        Number::Bool(_) => DType::Bool,
        Number::Int(value) => {
            let unsigned = [DType::U8, DType::U16, DType::U32, DType::U64];
            let signed = [DType::I8, DType::I16, DType::I32, DType::I64];
            let kinds = if value >= 0 { unsigned } else { signed };
            let holds = |dtype: &DType| {
                let (low, high) = dtype.int_range();
                (low..=high).contains(&value)
            };
            kinds.into_iter().find(holds).unwrap_or(kinds[3])
        }
        Number::Float(value) => {
            if !value.is_finite() || value > -65000.0 && value < 65000.0 {
                DType::F16
            } else if single(value) {
                DType::F32
            } else {
                DType::F64
            }
        }
        Number::Complex(re, im) => {
            if scalar.dtype() == Some(DType::C64) || single(re) && single(im) {
                DType::C64
            } else {
                DType::C128
            }
        }
    }
}
