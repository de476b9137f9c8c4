//! Counting and histograms.

use crate::array::{Array, BinRule, Bins, Counts, HistogramDdOptions, try_histogramdd};
use crate::call::bind::Bound;
use crate::call::integers::number_of;
use crate::call::support::COMPOSED;
use crate::call::{Function, Value};
use crate::scalar::Scalar;
use ndany_core::{DType, Kind, Number, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.bincount",
        parameters: "x weights? minlength?",
        facts: COMPOSED.waits("always"),
        run: bincount,
    },
    Function {
        name: "np.histogram",
        parameters: "a bins? range? density? weights?",
        facts: COMPOSED.waits("always"),
        run: histogram,
    },
    Function {
        name: "np.histogram2d",
        parameters: "x y bins? range? density? weights?",
        facts: COMPOSED.waits("always"),
        run: |call| grid(call, &[call.array("x")?, call.array("y")?]),
    },
    // The grid's edges follow it one by one.
    Function {
        name: "np.histogramdd",
        parameters: "sample bins? range? density? weights?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            // A sequence has a variable in each item, an array in each column; numbers are one variable.
            let rows = matches!(call.get("sample"), Some(Value::List(_) | Value::Tuple(_)));
            let sample = call.array("sample")?;
            let variables = match sample.ndim() {
                0 | 1 => vec![sample.try_ravel()?],
                2 => sample.try_unstack(if rows { 0 } else { 1 })?.into(),
                _ => return Err(call.value_error("samples have at most two dimensions")),
            };
            grid(call, &variables)
        },
    },
    Function {
        name: "np.histogram_bin_edges",
        parameters: "a bins? range? weights?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (array, range) = (call.array("a")?, range(call)?);
            let weights = call.some("weights").map(|_| call.array("weights")).transpose()?;
            array.try_histogram_bin_edges(Bins { range, weights, ..bins(call)? }).map(Value::Array)
        },
    },
];

fn bincount(call: &Bound<'_>) -> Result<Value> {
    let mut numbers = call.array("x")?;
    // Numbers of a sequence become integers as they do one by one; an array's dtype must be one of integers.
    if matches!(call.get("x"), Some(Value::List(_) | Value::Tuple(_)))
        && !numbers.dtype().is_complex()
    {
        numbers = numbers.try_astype(DType::I64)?;
    }
    // A dtype that is none of integers is said before a length that is none.
    if matches!(numbers.dtype().kind(), Kind::Float | Kind::Complex) {
        return numbers.try_bincount(..).map(Value::Array);
    }
    let minlength = match call.get("minlength") {
        None => 0,
        Some(Value::None) => return Err(call.type_error("minlength is 0, not None")),
        Some(value) => call.count("minlength", value)?,
    };
    match call.some("weights") {
        Some(_) => {
            let weights = call.array("weights")?;
            let counts = Counts::new().minlength(minlength).weights(&weights);
            numbers.try_bincount(counts).map(Value::Array)
        }
        None => numbers.try_bincount(minlength).map(Value::Array),
    }
}

fn histogram(call: &Bound<'_>) -> Result<Value> {
    let weights = match call.some("weights") {
        Some(_) => Some(call.array("weights")?),
        None => None,
    };
    let density = match call.some("density") {
        Some(_) => call.flag("density", false)?,
        None => false,
    };
    let range = range(call)?;
    let array = call.array("a")?;
    let (counts, edges) = array.try_histogram(Bins { range, weights, density, ..bins(call)? })?;
    Ok(Value::Tuple(vec![Value::Array(counts), Value::Array(edges)]))
}

fn grid(call: &Bound<'_>, variables: &[Array]) -> Result<Value> {
    let count = variables.len();
    let one = |value: &Value| match value {
        Value::Array(edges) if edges.ndim() > 0 => Ok(Bins::from(edges.clone())),
        Value::Array(number) => Ok(Bins::from(self::count(call, number.clone())?)),
        Value::List(_) | Value::Tuple(_) => call.array_of("bins", value).map(Bins::from),
        // Here NumPy compares with 1 before it asks for an integer.
        Value::Scalar(number) if matches!(number.number(), Number::Float(value) if value < 1.0) => {
            Err(call.value_error("bins must be positive, when a number"))
        }
        value => number_of_bins(call, value),
    };
    let bins = match call.get("bins") {
        None => vec![Bins::from(10); count],
        Some(Value::Tuple(bins) | Value::List(bins))
            if call.op() == "np.histogramdd" || bins.len() <= 2 =>
        {
            bins.iter().map(one).collect::<Result<_>>()?
        }
        Some(Value::Array(bins))
            if bins.ndim() == 1 && (call.op() == "np.histogramdd" || bins.size() == 2) =>
        {
            let each = |k: usize| Ok(Bins::from(self::count(call, bins.try_i(k as isize)?)?));
            (0..bins.size()).map(each).collect::<Result<_>>()?
        }
        Some(Value::Tuple(_) | Value::List(_) | Value::Array(_)) => vec![bins(call)?; count],
        Some(value) => vec![number_of_bins(call, value)?; count],
    };
    let ranges: Vec<Option<(Scalar, Scalar)>> = match call.some("range") {
        None => Vec::new(),
        Some(Value::Tuple(ranges) | Value::List(ranges)) => ranges
            .iter()
            .map(|range| match range {
                Value::None => Ok(None),
                range => pair(call, range).map(Some),
            })
            .collect::<Result<_>>()?,
        Some(Value::Array(ranges)) if ranges.ndim() == 2 && ranges.shape()[1] == 2 => {
            let edges = ranges.try_astype(DType::F64)?.to_vec::<f64>()?;
            let pair = |edges: &[f64]| Some((Scalar::from(edges[0]), Scalar::from(edges[1])));
            edges.chunks_exact(2).map(pair).collect()
        }
        Some(_) => return Err(call.type_error("range must have a pair for each variable")),
    };
    let weights = match call.some("weights") {
        Some(_) => Some(call.array("weights")?),
        None => None,
    };
    let density = call.some("density").is_some() && call.flag("density", false)?;
    if !ranges.is_empty() && ranges.len() != count {
        return Err(call.value_error("range must have an entry for each variable"));
    }
    let mut bins: Vec<Bins> = bins;
    for (bins, range) in bins.iter_mut().zip(ranges) {
        bins.range = range;
    }
    let options = HistogramDdOptions { weights, density };
    let variables: Vec<&Array> = variables.iter().collect();
    let (counts, edges) = try_histogramdd(&variables, bins, &options)?;
    Ok(Value::Tuple([counts].into_iter().chain(edges).map(Value::Array).collect()))
}

fn number_of_bins(call: &Bound<'_>, value: &Value) -> Result<Bins> {
    match call.int_of("bins", value)? {
        ..=0 => Err(call.value_error("bins must be positive, when a number")),
        bins => Ok(Bins::from(usize::try_from(bins).unwrap_or(usize::MAX))),
    }
}

/// The bins: a number, a rule's name, edges.
fn bins(call: &Bound<'_>) -> Result<Bins> {
    match call.get("bins") {
        None => Ok(Bins::from(10)),
        Some(Value::Str(name)) => match BinRule::from_name(name) {
            Some(rule) => Ok(Bins::from(rule)),
            None => Err(call.value_error(format!("bins is {name:?}, which is no rule"))),
        },
        Some(Value::Array(edges)) if edges.ndim() > 0 => Ok(Bins::from(edges.clone())),
        Some(Value::Array(_)) => Ok(Bins::from(count(call, call.array("bins")?)?)),
        Some(Value::List(_) | Value::Tuple(_)) => call.array("bins").map(Bins::from),
        Some(value) => number_of_bins(call, value),
    }
}

/// A number of bins that stands in a 0-d array.
fn count(call: &Bound<'_>, bins: Array) -> Result<usize> {
    if !bins.dtype().is_int() {
        return Err(call.type_error("bins must be an integer, a text or an array"));
    }
    let bins = bins.try_astype(DType::I64)?.item::<i64>()?;
    usize::try_from(bins).map_err(|_| call.value_error("bins must be positive, when a number"))
}

fn range(call: &Bound<'_>) -> Result<Option<(Scalar, Scalar)>> {
    call.some("range").map(|range| pair(call, range)).transpose()
}

/// Two edges.
fn pair(call: &Bound<'_>, range: &Value) -> Result<(Scalar, Scalar)> {
    let edge = |value: &Value| match value {
        Value::Scalar(edge) => Ok(*edge),
        Value::Bool(edge) => Ok(Scalar::from(*edge)),
        Value::Array(edge) if edge.ndim() == 0 => number_of(edge),
        _ => Err(call.type_error("range must be two numbers")),
    };
    match range {
        Value::Array(edges) if edges.ndim() == 1 => match edges.size() {
            2 => Ok((number_of(&edges.try_i(0)?)?, number_of(&edges.try_i(1)?)?)),
            _ => Err(call.value_error("range must have two edges")),
        },
        Value::Tuple(edges) | Value::List(edges) if edges.len() == 2 => {
            Ok((edge(&edges[0])?, edge(&edges[1])?))
        }
        Value::Tuple(_) | Value::List(_) => Err(call.value_error("range must have two edges")),
        _ => Err(call.type_error("range must be two numbers")),
    }
}
