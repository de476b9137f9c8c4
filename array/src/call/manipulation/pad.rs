//! `np.pad`: its modes, and the forms in which it takes numbers for each side of each axis.

use crate::array::{Array, Pad, Pairs, Reflection};
use crate::call::bind::Bound;
use crate::call::indexing::index::assignable;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use crate::device::Device;
use crate::scalar::{Scalar, beyond_integers};
use ndany_core::{DType, Kind, Number, Result, shape};

pub(in crate::call) static FUNCTIONS: &[Function] = &[Function {
    name: "np.pad",
    parameters: "array pad_width mode? * constant_values? end_values? stat_length? reflect_type? **",
    facts: COMPOSED.waits("by an array"),
    run: pad,
}];

fn pad(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("array")?;
    let widths = numbers(call, "pad_width")?;
    if !widths.dtype().is_int() || widths.dtype().is_unsigned() {
        return Err(call.type_error("pad_width must be of integral type"));
    }
    let widths = counts(call, "pad_width", &widths, array.ndim())?;
    let mode = match call.get("mode") {
        None => "constant",
        Some(Value::Str(mode)) => mode.as_str(),
        Some(_) => return Err(call.value_error("mode is not supported: expected a text")),
    };
    let allowed = match mode {
        "constant" => "constant_values",
        "linear_ramp" => "end_values",
        "maximum" | "mean" | "median" | "minimum" => "stat_length",
        "reflect" | "symmetric" => "reflect_type",
        "edge" | "wrap" | "empty" => "",
        _ => return Err(call.value_error(format!("mode {mode:?} is not supported"))),
    };
    let options = ["constant_values", "end_values", "stat_length", "reflect_type"];
    if let Some(other) = options.iter().find(|&&name| name != allowed && call.get(name).is_some()) {
        return Err(call.value_error(format!("{other} means nothing in mode {mode:?}")));
    }
    let lengths = || stat_lengths(call, array.ndim());
    let reflection = || reflection(call);
    let mode = match mode {
        "constant" => Pad::Constant(constants(call, &array)?),
        "linear_ramp" => Pad::LinearRamp(values(call, "end_values", array.ndim())?),
        "maximum" => Pad::Maximum(lengths()?),
        "mean" => Pad::Mean(lengths()?),
        "median" => Pad::Median(lengths()?),
        "minimum" => Pad::Minimum(lengths()?),
        "reflect" => Pad::Reflect(reflection()?),
        "symmetric" => Pad::Symmetric(reflection()?),
        "wrap" => Pad::Wrap,
        "empty" => Pad::Empty,
        _ => Pad::Edge,
    };
    array.try_pad(widths, mode).map(Value::Array)
}

fn stat_lengths(call: &Bound<'_>, ndim: usize) -> Result<Pairs<Option<usize>>> {
    if call.some("stat_length").is_none() {
        return Ok(Pairs::All(None));
    }
    let lengths = numbers(call, "stat_length")?.try_rint()?;
    Ok(match counts(call, "stat_length", &lengths, ndim)? {
        Pairs::All(length) => Pairs::All(Some(length)),
        Pairs::Both(before, after) => Pairs::Both(Some(before), Some(after)),
        Pairs::Each(each) => {
            Pairs::Each(each.into_iter().map(|(a, b)| (Some(a), Some(b))).collect())
        }
    })
}

fn reflection(call: &Bound<'_>) -> Result<Reflection> {
    Ok(match call.text("reflect_type", "even")? {
        "odd" => Reflection::Odd,
        // NumPy asks for "odd" and takes everything else as even.
        _ => Reflection::Even,
    })
}

/// Numbers that say how to pad. Those that are not on a device yet stay with the host, where they are needed.
fn numbers(call: &Bound<'_>, name: &str) -> Result<Array> {
    fn on_a_device(value: &Value) -> bool {
        match value {
            Value::Array(_) => true,
            Value::Tuple(items) | Value::List(items) => items.iter().any(on_a_device),
            Value::Scalar(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::None
            | Value::DType(_)
            | Value::Slice { .. }
            | Value::NewAxis
            | Value::Ellipsis => false,
        }
    }
    let host = match call.get(name) {
        Some(given) if !on_a_device(given) => Some(Device::open("reference")?),
        Some(_) | None => None,
    };
    let _guard = host.as_ref().map(Device::enter);
    call.array_beside(name, DType::F64)
}

/// Numbers in one of the forms that stand for a pair for each axis.
fn pairs<T: Copy>(
    call: &Bound<'_>,
    shape: &[usize],
    values: &[T],
    ndim: usize,
) -> Result<Pairs<T>> {
    match (shape.len(), values) {
        (..3, [one]) => return Ok(Pairs::All(*one)),
        (..3, [before, after]) if *shape != [2, 1] => return Ok(Pairs::Both(*before, *after)),
        _ => {}
    }
    let wrong = || call.value_error(format!("shape {shape:?} does not stand for {ndim} pairs"));
    let each = [ndim, 2];
    if shape::broadcast("pad", shape, &each).ok().as_deref() != Some(&each[..]) {
        return Err(wrong());
    }
    let [.., rows, columns] = *shape else {
        // One number for each side, for every axis: two were dealt with.
        return Err(wrong());
    };
    let at =
        |row: usize, column: usize| values[row.min(rows - 1) * columns + column.min(columns - 1)];
    Ok(Pairs::Each((0..ndim).map(|row| (at(row, 0), at(row, 1))).collect()))
}

fn counts(call: &Bound<'_>, name: &str, numbers: &Array, ndim: usize) -> Result<Pairs<usize>> {
    let values = numbers.try_astype(DType::I64)?.to_vec::<i64>()?;
    let counted: Option<Vec<usize>> =
        values.iter().map(|&value| usize::try_from(value).ok()).collect();
    let counted =
        counted.ok_or_else(|| call.value_error(format!("{name} has a negative number")))?;
    pairs(call, numbers.shape(), &counted, ndim)
}

/// Constants, which are written as single values are.
fn constants(call: &Bound<'_>, array: &Array) -> Result<Pairs<Scalar>> {
    let values = values(call, "constant_values", array.ndim())?;
    // One that no integer dtype holds is Python's to the last.
    if let Some(Value::Scalar(given)) = call.get("constant_values")
        && matches!(given.number(), Number::Int(value) if beyond_integers(value).is_some())
    {
        assignable(call, given, array.dtype())?;
    }
    let check = |scalar: &Scalar| assignable(call, scalar, array.dtype());
    match &values {
        Pairs::All(value) => check(value)?,
        Pairs::Both(before, after) => check(before).and_then(|()| check(after))?,
        Pairs::Each(each) => {
            each.iter().flat_map(|(before, after)| [before, after]).try_for_each(check)?;
        }
    }
    Ok(values)
}

/// Values, typed as NumPy types them: those of the short forms are its scalars, those given for each
/// axis Python's.
fn values(call: &Bound<'_>, name: &str, ndim: usize) -> Result<Pairs<Scalar>> {
    if call.some(name).is_none() {
        return Ok(Pairs::All(Scalar::from(0)));
    }
    let given = numbers(call, name)?;
    let dtype = given.dtype();
    let numbers: Vec<Scalar> = match dtype.kind() {
        Kind::Bool => given.to_vec::<bool>()?.into_iter().map(Scalar::from).collect(),
        Kind::Int if dtype == DType::U64 => {
            given.to_vec::<u64>()?.into_iter().map(Scalar::from).collect()
        }
        Kind::Int => {
            given.try_astype(DType::I64)?.to_vec::<i64>()?.into_iter().map(Scalar::from).collect()
        }
        Kind::Float => {
            given.try_astype(DType::F64)?.to_vec::<f64>()?.into_iter().map(Scalar::from).collect()
        }
        Kind::Complex => {
            let wide = given.try_astype(DType::C128)?;
            wide.to_vec::<num_complex::Complex<f64>>()?.into_iter().map(Scalar::from).collect()
        }
    };
    let typed = |scalar: Scalar| Scalar::typed(dtype, scalar);
    Ok(match pairs(call, given.shape(), &numbers, ndim)? {
        Pairs::All(value) => Pairs::All(typed(value)),
        Pairs::Both(before, after) => Pairs::Both(typed(before), typed(after)),
        each @ Pairs::Each(_) => each,
    })
}
