//! Differences, interpolation, convolution.

use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, NATIVE};
use crate::call::{Function, Value, sequence};
use smallvec::SmallVec;

use crate::arguments::AxisOptions;
use crate::array::{Array, Interp, Overlap, Spacing};
use crate::graph::Operand;
use ndany_core::{Number, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.diff",
        parameters: "a n? axis? prepend? append?",
        facts: COMPOSED,
        run: |call| {
            let times = call.int("n")?.unwrap_or(1);
            let axis = call.int("axis")?.unwrap_or(-1);
            let end = |name| strong(call, name).map(|end| end.map(Operand::Array));
            let (prepend, append) = (end("prepend")?, end("append")?);
            let mut options = AxisOptions::from(Some(axis)).n(SmallVec::from_slice(&[times]));
            if let Some(values) = prepend {
                options = options.prepend(values);
            }
            if let Some(values) = append {
                options = options.append(values);
            }
            call.array("a")?.try_diff(options).map(Value::Array)
        },
    },
    Function {
        name: "np.ediff1d",
        parameters: "ary to_end? to_begin?",
        facts: COMPOSED,
        run: |call| {
            let end = |name| strong(call, name).map(|end| end.map(Operand::Array));
            let (end, begin) = (end("to_end")?, end("to_begin")?);
            call.array("ary")?.try_ediff1d(end, begin).map(Value::Array)
        },
    },
    Function {
        name: "np.gradient",
        parameters: "f ... * axis? edge_order?",
        facts: COMPOSED.waits("with positions"),
        run: gradient,
    },
    Function {
        name: "np.interp",
        parameters: "x xp fp left? right? period?",
        facts: COMPOSED,
        run: |call| {
            let mut outside = Interp::new();
            if let Some(left) = strong(call, "left")? {
                outside = outside.left(left);
            }
            if let Some(right) = strong(call, "right")? {
                outside = outside.right(right);
            }
            if let Some(period) = call.float("period")? {
                outside = outside.period(period);
            }
            let (xp, fp) = (call.array("xp")?, call.array("fp")?);
            let x = call.array_beside("x", xp.dtype())?;
            x.try_interp(&xp, &fp, outside).map(Value::Array)
        },
    },
    Function {
        name: "np.convolve",
        parameters: "a v mode?",
        facts: NATIVE,
        run: |call| {
            let overlap = overlap(call, "full")?;
            call.array("a")?.try_convolve(&call.array("v")?, overlap).map(Value::Array)
        },
    },
    Function {
        name: "np.correlate",
        parameters: "a v mode?",
        facts: NATIVE,
        run: |call| {
            let overlap = overlap(call, "valid")?;
            call.array("a")?.try_correlate(&call.array("v")?, overlap).map(Value::Array)
        },
    },
];

/// An argument that NumPy makes an array of, so that numbers are not weak.
#[track_caller]
fn strong(call: &Bound<'_>, name: &str) -> Result<Option<Array>> {
    call.some(name).map(|_| call.array(name)).transpose()
}

fn overlap(call: &Bound<'_>, default: &'static str) -> Result<Overlap> {
    if let Some(value @ (Value::Scalar(_) | Value::Array(_))) = call.get("mode") {
        return match call.int_of("mode", value)? {
            0 => Ok(Overlap::Valid),
            1 => Ok(Overlap::Same),
            2 => Ok(Overlap::Full),
            mode => Err(call.value_error(format!("mode is one of 0, 1 and 2, got {mode}"))),
        };
    }
    let name = call.text("mode", default)?;
    Overlap::from_name(name).ok_or_else(|| {
        call.value_error(format!("mode is one of full, same and valid, got {name:?}"))
    })
}

/// A distance or coordinates.
fn spacing(call: &Bound<'_>, value: &Value) -> Result<Spacing> {
    let array = |array: &Array| Ok(Spacing::from(array));
    match value {
        Value::Array(values) => array(values),
        Value::Bool(value) => Ok(Spacing::Step(f64::from(u8::from(*value)))),
        Value::Scalar(scalar) => match (scalar.dtype(), scalar.number()) {
            (Some(dtype), _) => array(&crate::array::try_full((), *scalar, dtype)?),
            (None, Number::Bool(value)) => Ok(Spacing::Step(f64::from(u8::from(value)))),
            (None, Number::Int(value)) => Ok(Spacing::Step(value as f64)),
            (None, Number::Float(value)) => Ok(Spacing::Step(value)),
            (None, Number::Complex(..)) => Err(call.unsupported("a complex distance")),
        },
        Value::List(_) | Value::Tuple(_) => array(&sequence::array(call, "varargs", value)?),
        _ => Err(call.type_error("distances are numbers or arrays")),
    }
}

/// One array, or, along several axes, a tuple of them.
fn gradient(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("f")?;
    let spacing: Vec<Spacing> =
        call.rest.iter().map(|value| spacing(call, value)).collect::<Result<_>>()?;
    let order = usize::try_from(call.int("edge_order")?.unwrap_or(1)).unwrap_or(0);
    let axes = call.axes("axis")?;
    let slopes =
        array.try_gradient(spacing.as_slice(), AxisOptions::new(axes).edge_order(order))?;
    Ok(match slopes.len() {
        1 => Value::Array(slopes[0].clone()),
        _ => Value::Tuple(slopes.into_iter().map(Value::Array).collect()),
    })
}
