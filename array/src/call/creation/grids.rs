//! Grids of positions, and windows.

use crate::arguments::Arrays;
use crate::array;
use crate::array::creation::grids::open_indices;
use crate::array::{Array, Indexing};
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, VIEW};
use crate::call::{Function, Value};
use crate::dtypes::result_type;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::{DType, Number, Result};

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.meshgrid",
        parameters: "* copy? sparse? indexing? ...",
        facts: VIEW,
        run: meshgrid,
    },
    Function {
        name: "np.indices",
        parameters: "dimensions dtype? sparse?",
        facts: COMPOSED.waits("where the shape is an array"),
        run: indices,
    },
    Function {
        name: "np.mgrid",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| match grid_axes(call)?.as_slice() {
            [axis] => line(axis).map(Value::Array),
            axes => array::try_mgrid(axes).map(Value::Array),
        },
    },
    Function {
        name: "np.ogrid",
        parameters: "first ...",
        facts: COMPOSED,
        run: |call| {
            Ok(match grid_axes(call)?.as_slice() {
                [axis] => Value::Array(line(axis)?),
                axes => {
                    Value::Tuple(array::try_ogrid(axes)?.into_iter().map(Value::Array).collect())
                }
            })
        },
    },
];

fn several(arrays: Arrays) -> Value {
    Value::Tuple(arrays.into_iter().map(Value::Array).collect())
}

fn meshgrid(call: &Bound<'_>) -> Result<Value> {
    let sparse = call.flag("sparse", false)?;
    let indexing = match call.text("indexing", "xy")? {
        "xy" if sparse => Indexing::SparseXy,
        "xy" => Indexing::Xy,
        "ij" if sparse => Indexing::SparseIj,
        "ij" => Indexing::Ij,
        other => return Err(call.value_error(format!("indexing is {other:?}, not xy or ij"))),
    };
    // Arrays being values, a view cannot be told from a copy.
    call.flag("copy", true)?;
    let axes = call.rest_arrays()?;
    array::try_meshgrid(&axes, indexing).map(several)
}

fn indices(call: &Bound<'_>) -> Result<Value> {
    call.sequence("dimensions")?;
    let shape = call.shape("dimensions")?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::I64);
    match call.flag("sparse", false)? {
        true => open_indices(&shape, dtype).map(several),
        false => array::try_indices(shape.as_slice(), dtype).map(Value::Array),
    }
}

/// Slices as axes of a grid: a complex step is a count of points, both ends included.
fn grid_axes(call: &Bound<'_>) -> Result<Vec<array::GridAxis>> {
    let axis = |value: &Value| {
        let Value::Slice { start, stop, step } = *value else {
            return Err(call.type_error("expected slices"));
        };
        // NumPy hands the beginning of a single slice to `arange` then, which takes it for the end.
        let (start, stop) = match stop {
            None if call.rest.is_empty() => (Scalar::from(0), start.unwrap_or(Scalar::from(0))),
            None => return Err(call.type_error("a slice must have an end")),
            Some(stop) => (start.unwrap_or(Scalar::from(0)), stop),
        };
        let step = step.unwrap_or(Scalar::from(1));
        Ok(match points(call, step)? {
            // A count of its own dtype takes part in the grid's.
            Some(count) => array::GridAxis::Count(
                match step.dtype() {
                    Some(dtype) => {
                        let numbers = [start, Scalar::typed(dtype.part(), 0)];
                        Scalar::typed(result_type(&numbers.map(Operand::Scalar))?, start)
                    }
                    None => start,
                },
                stop,
                count,
            ),
            None => array::GridAxis::Step(start, stop, step),
        })
    };
    call.get("first").into_iter().chain(call.rest).map(axis).collect()
}

/// One slice makes a range, not a grid.
fn line(axis: &array::GridAxis) -> Result<Array> {
    match *axis {
        array::GridAxis::Step(start, stop, step) => array::try_arange((start, stop, step)),
        array::GridAxis::Count(..) => Ok(array::try_ogrid(&[*axis])?[0].clone()),
    }
}

/// The number of points that a complex step stands for: the whole part of its absolute value.
fn points(call: &Bound<'_>, step: Scalar) -> Result<Option<usize>> {
    let Number::Complex(re, im) = step.number() else { return Ok(None) };
    let count = libm::hypot(re, im);
    match count.is_nan() {
        true => Err(call.value_error("a step of NaN is no number of points")),
        false => Ok(Some(count as usize)),
    }
}

/// A slice among what `np.r_` and `np.c_` join: a range, or points between two ends.
pub(in crate::call) fn range(
    call: &Bound<'_>,
    start: Option<Scalar>,
    stop: Option<Scalar>,
    step: Option<Scalar>,
) -> Result<Array> {
    let (zero, step) = (Scalar::from(0), step.unwrap_or(Scalar::from(1)));
    match (points(call, step)?, stop) {
        (Some(count), Some(stop)) => {
            array::try_linspace(start.unwrap_or(zero), stop, array::Linspace::new(count))
        }
        (Some(_), None) => Err(call.type_error("a slice of points must have an end")),
        (None, Some(stop)) => array::try_arange((start.unwrap_or(zero), stop, step)),
        // As of a range of one number, which is its end.
        (None, None) => array::try_arange((zero, start.unwrap_or(zero), step)),
    }
}
