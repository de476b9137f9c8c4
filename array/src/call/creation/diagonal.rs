//! Diagonals, triangles and sliding windows.

use crate::arguments::{AxisOptions, Eye};
use crate::array::{self, Array};
use crate::call::bind::Bound;
use crate::call::support::{COMPOSED, VIEW};
use crate::call::ufunc::methods::into_out;
use crate::call::{Function, Value};
use ndany_core::{DType, Number, Result};

/// A function of one array, the first parameter.
macro_rules! of_array {
    ($name:literal, $parameters:literal, $facts:expr, |$call:ident, $array:ident| $body:expr) => {
        Function {
            name: $name,
            parameters: $parameters,
            facts: $facts,
            run: |$call| {
                let first = $parameters.split(' ').next().unwrap_or($parameters);
                let $array = $call.array(first)?;
                Ok(Value::Array($body))
            },
        }
    };
}

pub(in crate::call) static FUNCTIONS: &[Function] = &[
    of_array!("np.diagonal", "a offset? axis1? axis2?", VIEW, |call, array| {
        let [offset, axis1, axis2] = planes(call)?;
        array.try_diagonal(offset, [axis1, axis2])?
    }),
    of_array!("np.trace", "a offset? axis1? axis2? dtype? out?", COMPOSED, |call, array| {
        let [offset, axis1, axis2] = planes(call)?;
        into_out(call, {
            let axes = AxisOptions::new(Some([axis1, axis2].into_iter().collect()))
                .dtype_or_default(call.dtype("dtype")?);
            array.try_trace(offset, axes)?
        })?
    }),
    // The array API's, of matrices in the last two axes.
    of_array!("np.linalg.diagonal", "x * offset?", VIEW, |call, array| {
        array.try_diagonal(call.int("offset")?.unwrap_or(0), [-2, -1])?
    }),
    of_array!("np.linalg.trace", "x * offset? dtype?", COMPOSED, |call, array| {
        let offset = call.int("offset")?.unwrap_or(0);
        {
            let axes = AxisOptions::new(Some([-2, -1].into_iter().collect()))
                .dtype_or_default(call.dtype("dtype")?);
            array.try_trace(offset, axes)?
        }
    }),
    of_array!("np.diag", "v k?", COMPOSED.views(), |call, array| array
        .try_diag(call.int("k")?.unwrap_or(0))?),
    of_array!("np.diagflat", "v k?", COMPOSED, |call, array| {
        array.try_diagflat(call.int("k")?.unwrap_or(0))?
    }),
    of_array!("np.tril", "m k?", COMPOSED, |call, array| array.try_tril(call.offset("k")?)?),
    of_array!("np.triu", "m k?", COMPOSED, |call, array| array.try_triu(call.offset("k")?)?),
    Function {
        name: "np.tri",
        parameters: "N M? k? dtype? * like=None",
        facts: COMPOSED,
        run: tri,
    },
    of_array!("np.vander", "x N? increasing?", COMPOSED, |call, array| {
        array.try_vander(call.some_count("N")?, call.flag("increasing", false)?)?
    }),
    Function {
        name: "np.lib.stride_tricks.sliding_window_view",
        parameters: "x window_shape axis? * subok~ writeable~",
        facts: VIEW,
        run: |call| {
            let array = call.array("x")?;
            let window = call.axes("window_shape")?;
            let window = window.ok_or_else(|| call.type_error("window_shape must be integers"))?;
            sliding(&array, &window, call.axes("axis")?.as_deref()).map(Value::Array)
        },
    },
];

fn planes(call: &Bound<'_>) -> Result<[isize; 3]> {
    let number = |name| call.int(name);
    let (offset, axis1) = (number("offset")?.unwrap_or(0), number("axis1")?.unwrap_or(0));
    Ok([offset, axis1, number("axis2")?.unwrap_or(1)])
}

fn tri(call: &Bound<'_>) -> Result<Value> {
    // A negative number of rows or columns is none, and one that was begun is one more.
    let count = |name: &str| -> Result<Option<usize>> {
        match call.some(name) {
            Some(Value::Scalar(scalar)) if matches!(scalar.number(), Number::Float(_)) => {
                Ok(call.float(name)?.map(|extent| extent.ceil() as usize))
            }
            _ => Ok(call.some_int(name)?.map(|extent| usize::try_from(extent).unwrap_or(0))),
        }
    };
    let rows = count("N")?.ok_or_else(|| call.type_error("N must be an integer"))?;
    let columns = count("M")?.unwrap_or(rows);
    let offset = call.offset("k")?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::F64);
    array::try_tri(Eye::of(rows, columns, offset, dtype)).map(Value::Array)
}

fn sliding(array: &Array, window: &[isize], axes: Option<&[isize]>) -> Result<Array> {
    match axes {
        Some(axes) => array.try_sliding_window_view(window, axes),
        None => array.try_sliding_window_view(window, ..),
    }
}
