//! Sorting and searching.

use super::bind::Bound;
use super::support::{COMPOSED, NATIVE};
use super::{Function, Value};
use crate::arguments::AxisOptions;
use crate::array::{Array, Side, try_lexsort};
use crate::graph::Operand;
use ndany_core::{Kind, Result};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.sort",
        parameters: "a axis? kind? order? * stable? descending?",
        facts: NATIVE,
        run: |call| {
            kind(call)?;
            call.array("a")?.try_sort(sorted(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.argsort",
        parameters: "a axis? kind? order? * stable? descending?",
        facts: NATIVE,
        run: |call| {
            kind(call)?;
            call.axis("axis")?;
            call.array("a")?.try_argsort(sorted(call)?).map(Value::Array)
        },
    },
    Function {
        name: "np.partition",
        parameters: "a kth axis? kind? order?",
        facts: NATIVE.waits("of a long row, and where kth is an array"),
        run: |call| partition(call, |a, kth, axis| a.try_partition(kth, AxisOptions::from(axis))),
    },
    Function {
        name: "np.argpartition",
        parameters: "a kth axis? kind? order?",
        facts: NATIVE.waits("of a long row, and where kth is an array"),
        run: |call| {
            partition(call, |a, kth, axis| a.try_argpartition(kth, AxisOptions::from(axis)))
        },
    },
    Function {
        name: "np.msort",
        parameters: "a",
        facts: NATIVE,
        run: |call| call.array("a")?.try_sort(0).map(Value::Array),
    },
    Function {
        name: "np.sort_complex",
        parameters: "a",
        facts: COMPOSED,
        run: |call| call.array("a")?.try_sort_complex().map(Value::Array),
    },
    Function {
        name: "np.searchsorted",
        parameters: "a v side? sorter?",
        facts: NATIVE.waits("with a sorter"),
        run: searchsorted,
    },
    Function { name: "np.lexsort", parameters: "keys axis?", facts: COMPOSED, run: lexsort },
    Function {
        name: "np.digitize",
        parameters: "x bins right?",
        facts: NATIVE.waits("between two edges and more"),
        run: |call| {
            let (x, bins) = (call.array("x")?, call.array("bins")?);
            x.try_digitize(&bins, call.flag("right", false)?).map(Value::Array)
        },
    },
];

/// The axis, by default the last one.
fn along(call: &Bound<'_>) -> Result<Option<isize>> {
    match (call.get("axis"), call.reduced("axis")?) {
        (None, _) => Ok(Some(-1)),
        (Some(Value::Tuple(_) | Value::List(_)), _) => {
            Err(call.type_error("axis must be one integer"))
        }
        (_, None) => Ok(None),
        (_, Some(axes)) => Ok(Some(axes[0])),
    }
}

/// The axis and the direction.
fn sorted(call: &Bound<'_>) -> Result<AxisOptions> {
    let descending = call.flag("descending", false)?;
    Ok(AxisOptions::from(along(call)?).descending(descending))
}

/// Checks `kind`, `stable` and `order`: whatever they ask for, a stable sort does it.
fn kind(call: &Bound<'_>) -> Result<()> {
    no_order(call)?;
    let stable = call.some("stable").is_some();
    if stable {
        call.flag("stable", false)?;
    }
    match call.some("kind") {
        None => Ok(()),
        Some(_) if stable => Err(call.value_error("kind and stable exclude each other")),
        Some(Value::Str(kind)) => {
            match kind.bytes().next().map(|letter| letter.to_ascii_lowercase()) {
                Some(b'q' | b'h' | b'm' | b's') => Ok(()),
                _ => Err(call.value_error(format!(
                    "kind is {kind:?}: expected \"quick\", \"heap\" or \"stable\""
                ))),
            }
        }
        Some(_) => Err(call.type_error("kind must be a text")),
    }
}

fn no_order(call: &Bound<'_>) -> Result<()> {
    match call.some("order") {
        None => Ok(()),
        Some(_) => Err(call.value_error("order names fields, and the array has none")),
    }
}

fn partition(
    call: &Bound<'_>,
    run: impl Fn(&Array, &[isize], Option<isize>) -> Result<Array>,
) -> Result<Value> {
    no_order(call)?;
    if call.text("kind", "introselect")? != "introselect" {
        return Err(call.value_error("kind must be \"introselect\""));
    }
    let kth = match call.some("kth") {
        None => return Err(call.type_error("kth must be an integer")),
        // NumPy takes a list without items for one of floats.
        Some(Value::Tuple(items) | Value::List(items)) if items.is_empty() => {
            return Err(call.type_error("kth must be integers"));
        }
        Some(Value::Bool(_)) => return Err(call.value_error("kth is a truth value")),
        Some(Value::Scalar(scalar)) if scalar.kind() == Kind::Bool => {
            return Err(call.value_error("kth is a truth value"));
        }
        Some(Value::Array(array)) => integers(call, array)?,
        Some(value) => call.ints("kth", value)?.into_vec(),
    };
    run(&call.array("a")?, &kth, along(call)?).map(Value::Array)
}

/// The few positions of an array.
fn integers(call: &Bound<'_>, array: &Array) -> Result<Vec<isize>> {
    if !array.dtype().is_int() {
        return Err(call.type_error("kth must be integers"));
    }
    if array.ndim() > 1 {
        return Err(call.value_error("kth has more than one dimension"));
    }
    let values = array.try_astype(crate::DType::I64)?.to_vec::<i64>()?;
    Ok(values.into_iter().map(|value| value as isize).collect())
}

/// The keys are a sequence, or the parts of an array along its first axis.
fn lexsort(call: &Bound<'_>) -> Result<Value> {
    let keys = match call.get("keys") {
        Some(Value::Array(keys)) if keys.ndim() > 0 => {
            (0..keys.shape()[0]).map(|key| keys.try_i(key as isize)).collect::<Result<Vec<_>>>()?
        }
        Some(Value::Tuple(_) | Value::List(_)) => call.arrays("keys")?,
        _ => return Err(call.type_error("keys must be a sequence")),
    };
    let axis = match call.get("axis") {
        Some(Value::None) => return Err(call.type_error("axis must be an integer")),
        _ => call.int("axis")?.unwrap_or(-1),
    };
    try_lexsort(&keys.iter().collect::<Vec<_>>(), axis).map(Value::Array)
}

fn searchsorted(call: &Bound<'_>) -> Result<Value> {
    let side = match call.text("side", "left")? {
        "left" => Side::Left,
        "right" => Side::Right,
        other => {
            let reason = format!("side is {other:?}: expected \"left\" or \"right\"");
            return Err(call.value_error(reason));
        }
    };
    let sorted = call.array("a")?;
    let values = Operand::Array(call.array_beside("v", sorted.dtype())?);
    match call.some("sorter") {
        Some(_) => sorted.try_searchsorted_by(&call.array("sorter")?, values, side),
        None => sorted.try_searchsorted(values, side),
    }
    .map(Value::Array)
}
