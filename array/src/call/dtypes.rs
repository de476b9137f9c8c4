//! What is known of arrays without their values: dtypes, shapes, memory; and what is made of indices.

use super::bind::Bound;
use super::support::VIEW;
use super::{Function, Value};
use crate::dtypes::{min_scalar_type, result_type};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Result, finfo, iinfo};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.can_cast",
        parameters: "from_ to casting?",
        facts: VIEW,
        run: |call| {
            let from = match call.get("from_") {
                Some(Value::Array(array)) => array.dtype(),
                // Of a NumPy scalar; Python's numbers have no dtype of their own.
                _ => dtype(call, "from_")?,
            };
            let casting = call.casting("safe")?;
            Ok(Value::Bool(from.can_cast(dtype(call, "to")?, casting)))
        },
    },
    Function {
        name: "np.promote_types",
        parameters: "type1 type2",
        facts: VIEW,
        run: |call| Ok(Value::DType(DType::promote(dtype(call, "type1")?, dtype(call, "type2")?))),
    },
    Function {
        name: "np.result_type",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            // As strong as any number of the dtype.
            let strong = |dtype| Ok(Operand::Scalar(Scalar::typed(dtype, 0)));
            let operand = |value: &Value| match value {
                Value::DType(dtype) => strong(*dtype),
                Value::Str(text) => strong(call.dtype_named(text)?),
                // As a dtype, None is the default one.
                Value::None => strong(DType::F64),
                Value::Tuple(_) | Value::List(_) => {
                    Err(call.type_error("expected arrays, numbers and dtypes, got a sequence"))
                }
                value => call.operand_of("an operand", value),
            };
            let operands = call.rest.iter().map(operand).collect::<Result<Vec<Operand>>>()?;
            if operands.is_empty() {
                return Err(call.value_error("expected at least one array or dtype, got none"));
            }
            result_type(&operands).map(Value::DType)
        },
    },
    Function {
        name: "np.min_scalar_type",
        parameters: "a",
        facts: VIEW,
        run: |call| match call.get("a") {
            Some(Value::Array(array)) => Ok(Value::DType(array.dtype())),
            _ => {
                let number = call.scalar("a")?.ok_or_else(|| call.type_error("a is no number"))?;
                Ok(Value::DType(min_scalar_type(number)))
            }
        },
    },
    Function {
        name: "np.common_type",
        parameters: "...",
        facts: VIEW,
        run: |call| {
            let arrays = call.rest.iter();
            let dtypes = arrays.map(|value| Ok(call.array_of("an array", value)?.dtype()));
            let dtypes = dtypes.collect::<Result<Vec<_>>>()?;
            if dtypes.is_empty() {
                // Where NumPy begins to promote.
                return Ok(Value::DType(DType::F16));
            }
            DType::common_type(&dtypes).map(Value::DType)
        },
    },
    Function {
        // NumPy's attributes eps, epsneg, max, min, smallest_normal, smallest_subnormal, resolution, precision, bits.
        name: "np.finfo",
        parameters: "dtype",
        facts: VIEW,
        run: |call| {
            let info = finfo(limits_of(call, "dtype")?)
                .map_err(|error| call.value_error(error.to_string()))?;
            let float = |value: f64| Value::Scalar(Scalar::typed(info.dtype, value));
            let floats = [
                info.eps,
                info.epsneg,
                info.max,
                info.min,
                info.smallest_normal,
                info.smallest_subnormal,
                info.resolution,
            ];
            let counts =
                [info.precision, info.bits].map(|count| Value::Scalar(Scalar::from(count)));
            Ok(Value::Tuple(floats.into_iter().map(float).chain(counts).collect()))
        },
    },
    Function {
        // NumPy's attributes min, max, bits.
        name: "np.iinfo",
        parameters: "type",
        facts: VIEW,
        run: |call| {
            let info = iinfo(limits_of(call, "type")?)
                .map_err(|error| call.value_error(error.to_string()))?;
            let values = [info.min, info.max, i128::from(info.bits)].map(Scalar::weak_int);
            Ok(Value::Tuple(values.map(Value::Scalar).into()))
        },
    },
    Function {
        name: "np.iscomplexobj",
        parameters: "x",
        facts: VIEW,
        run: |call| Ok(Value::Bool(call.array("x")?.dtype().is_complex())),
    },
    Function {
        name: "np.isrealobj",
        parameters: "x",
        facts: VIEW,
        run: |call| Ok(Value::Bool(!call.array("x")?.dtype().is_complex())),
    },
    Function {
        name: "np.isscalar",
        parameters: "element",
        facts: VIEW,
        run: |call| {
            let number = matches!(
                call.get("element"),
                Some(Value::Scalar(_) | Value::Bool(_) | Value::Str(_))
            );
            Ok(Value::Bool(number))
        },
    },
    Function {
        name: "np.iterable",
        parameters: "y",
        facts: VIEW,
        run: |call| {
            Ok(Value::Bool(match call.get("y") {
                Some(Value::Array(array)) => array.ndim() > 0,
                Some(Value::List(_) | Value::Tuple(_) | Value::Str(_)) => true,
                _ => false,
            }))
        },
    },
    Function {
        name: "np.show_config",
        parameters: "mode=stdout",
        facts: VIEW,
        run: |_| {
            let reports = crate::Device::reports();
            let version = env!("CARGO_PKG_VERSION");
            let text: String = reports.iter().map(ToString::to_string).collect();
            Ok(Value::Str(format!("ndany {version}\n{text}")))
        },
    },
];

fn dtype(call: &Bound<'_>, name: &str) -> Result<DType> {
    call.dtype(name)?.ok_or_else(|| call.type_error(format!("{name} must be a dtype")))
}

/// The dtype of which limits are asked: a number stands for its own, and what is no dtype has a wrong value.
fn limits_of(call: &Bound<'_>, name: &str) -> Result<DType> {
    match call.get(name) {
        Some(Value::Scalar(scalar)) => Ok(scalar.natural_dtype()),
        Some(Value::Bool(_)) => Ok(DType::Bool),
        _ => dtype(call, name).map_err(|error| match error {
            Error::Arguments { .. } => {
                call.value_error(format!("{name} must be a dtype of numbers"))
            }
            other => other,
        }),
    }
}
