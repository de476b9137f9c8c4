//! Creation: NumPy's forms and defaults.

use super::bind::Bound;
use super::{Function, Value};
use crate::array::{self, Spacing};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::Operand;
use crate::scalar::{Number, Scalar};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.zeros",
        parameters: "shape dtype? order=C * device=None like=None",
        run: |call| filled(call, 0, DType::F64),
    },
    Function {
        name: "np.ones",
        parameters: "shape dtype? order=C * device=None like=None",
        run: |call| filled(call, 1, DType::F64),
    },
    Function {
        name: "np.full",
        parameters: "shape fill_value dtype? order=C * device=None like=None",
        run: full,
    },
    Function {
        name: "np.zeros_like",
        parameters: "a dtype? order=K subok=True shape=None * device=None",
        run: |call| like(call, Scalar::from(0)),
    },
    Function {
        name: "np.ones_like",
        parameters: "a dtype? order=K subok=True shape=None * device=None",
        run: |call| like(call, Scalar::from(1)),
    },
    Function {
        name: "np.full_like",
        parameters: "a fill_value dtype? order=K subok=True shape=None * device=None",
        run: |call| match call.scalar("fill_value")? {
            Some(value) => like(call, value),
            None => Err(call.type_error("fill_value must be a number")),
        },
    },
    Function {
        name: "np.arange",
        parameters: "start? stop? step? dtype? * device=None like=None",
        run: arange,
    },
    Function {
        name: "np.linspace",
        parameters: "start stop num? endpoint? retstep? dtype? axis? * device=None",
        run: |call| {
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            let (values, step) = array::try_linspace_step(start, stop, spacing(call)?)?;
            Ok(match call.flag("retstep", false)? {
                true => Value::Tuple(vec![Value::Array(values), Value::Array(step)]),
                false => Value::Array(values),
            })
        },
    },
    Function {
        name: "np.logspace",
        parameters: "start stop num? endpoint? base? dtype? axis?",
        run: |call| {
            let base = match call.get("base") {
                Some(_) => call.operand("base")?,
                None => Operand::from(10.0),
            };
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            array::try_logspace(start, stop, base, spacing(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.geomspace",
        parameters: "start stop num? endpoint? dtype? axis?",
        run: |call| {
            let (start, stop) = (call.operand("start")?, call.operand("stop")?);
            array::try_geomspace(start, stop, spacing(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.eye",
        parameters: "N M? k? dtype? order=C * device=None like=None",
        run: |call| {
            let extent = |name| call.some(name).map(|value| call.count(name, value)).transpose();
            let rows = extent("N")?.ok_or_else(|| call.type_error("N must be an integer"))?;
            let columns = extent("M")?.unwrap_or(rows);
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            let diagonal = call.int("k")?.unwrap_or(0);
            array::try_eye(rows, columns, diagonal, dtype).map(Value::Array)
        },
    },
    Function {
        name: "np.identity",
        parameters: "n dtype? * like=None",
        run: |call| {
            let size = call.some("n").ok_or_else(|| call.type_error("n must be an integer"))?;
            let size = call.count("n", size)?;
            let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
            array::try_eye(size, size, 0, dtype).map(Value::Array)
        },
    },
];

fn filled(call: &Bound<'_>, value: i64, default: DType) -> Result<Value> {
    let dtype = call.dtype("dtype")?.unwrap_or(default);
    array::try_full(call.shape("shape")?.as_slice(), value, dtype).map(Value::Array)
}

fn full(call: &Bound<'_>) -> Result<Value> {
    let (shape, dtype) = (call.shape("shape")?, call.dtype("dtype")?);
    Ok(Value::Array(match call.operand("fill_value")? {
        Operand::Scalar(scalar) => {
            let dtype = dtype.unwrap_or(scalar.natural_dtype());
            array::try_full(shape.as_slice(), scalar, dtype)?
        }
        Operand::Array(values) => {
            let dtype = dtype.unwrap_or(values.dtype());
            values.try_broadcast_to(shape.as_slice())?.try_astype(dtype)?.try_copy()?
        }
    }))
}

fn like(call: &Bound<'_>, value: Scalar) -> Result<Value> {
    let model = call.array("a")?;
    let dtype = call.dtype("dtype")?.unwrap_or(model.dtype());
    let _guard = model.device().enter();
    array::try_full(model.shape(), value, dtype).map(Value::Array)
}

/// `arange(stop)`, `arange(start, stop)`, `arange(start, stop, step)`.
fn arange(call: &Bound<'_>) -> Result<Value> {
    let (first, second) = (call.scalar("start")?, call.scalar("stop")?);
    let (start, stop) = match (first, second) {
        (start, Some(stop)) => (start.unwrap_or(Scalar::from(0)), stop),
        (Some(stop), None) => (Scalar::from(0), stop),
        (None, None) => return Err(call.type_error("stop is missing")),
    };
    let step = call.scalar("step")?.unwrap_or(Scalar::from(1));
    let zero = match step.number() {
        Number::Int(value) => value == 0,
        Number::Bool(value) => !value,
        Number::Float(value) => value == 0.0,
        Number::Complex(..) => false,
    };
    if zero && step.dtype().is_none() {
        // NumPy divides Python numbers here, and reports what that reports.
        return Err(Error::ZeroDivision { op: "arange" });
    }
    let dtype = call.dtype("dtype")?;
    let range = array::try_arange(start, stop, step, dtype)?;
    match (dtype, range.size()) {
        (Some(DType::Bool), 3..) => Err(call.type_error("no range of more than two truth values")),
        _ => Ok(Value::Array(range)),
    }
}

/// The parameters that `linspace` and its kin share.
fn spacing(call: &Bound<'_>) -> Result<Spacing> {
    Ok(Spacing {
        count: call.get("num").map_or(Ok(50), |value| call.count("num", value))?,
        endpoint: call.flag("endpoint", true)?,
        dtype: call.dtype("dtype")?,
        axis: call.int("axis")?.unwrap_or(0),
    })
}
