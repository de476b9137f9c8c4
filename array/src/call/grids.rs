//! Grids of positions, and windows.

use super::bind::Bound;
use super::support::{COMPOSED, VIEW};
use super::{Function, Value};
use crate::arguments::Arrays;
use crate::array::{self, Array, Indexing};
use ndany_core::{DType, Result};

pub(super) static FUNCTIONS: &[Function] = &[
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
        name: "np.bartlett",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_bartlett(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.blackman",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_blackman(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.hamming",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_hamming(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.hanning",
        parameters: "M",
        facts: COMPOSED,
        run: |call| array::try_hanning(call.point_count()?).map(Value::Array),
    },
    Function {
        name: "np.kaiser",
        parameters: "M beta",
        facts: COMPOSED,
        run: |call| {
            let beta =
                call.float("beta")?.ok_or_else(|| call.type_error("beta must be a number"))?;
            array::try_kaiser(call.point_count()?, beta).map(Value::Array)
        },
    },
];

impl Bound<'_> {
    /// The number of points of a window.
    fn point_count(&self) -> Result<f64> {
        self.float("M")?.ok_or_else(|| self.type_error("M must be a number"))
    }
}

fn several(arrays: Arrays) -> Value {
    Value::Tuple(arrays.into_iter().map(Value::Array).collect())
}

fn meshgrid(call: &Bound<'_>) -> Result<Value> {
    let indexing = match call.text("indexing", "xy")? {
        "xy" => Indexing::Xy,
        "ij" => Indexing::Ij,
        other => return Err(call.value_error(format!("indexing is {other:?}, not xy or ij"))),
    };
    // Arrays being values, a view cannot be told from a copy.
    call.flag("copy", true)?;
    let axes = call.rest_arrays()?;
    let axes: Vec<&Array> = axes.iter().collect();
    Ok(several(match call.flag("sparse", false)? {
        true => array::try_open_meshgrid(&axes, indexing)?,
        false => array::try_meshgrid(&axes, indexing)?,
    }))
}

fn indices(call: &Bound<'_>) -> Result<Value> {
    call.sequence("dimensions")?;
    let shape = call.shape("dimensions")?;
    let dtype = call.dtype("dtype")?.unwrap_or(DType::I64);
    if dtype == DType::Bool && shape.iter().any(|&extent| extent > 2) {
        return Err(call.type_error("no range of more than two truth values"));
    }
    match call.flag("sparse", false)? {
        true => array::try_open_indices(shape.as_slice(), dtype).map(several),
        false => array::try_indices(shape.as_slice(), dtype).map(Value::Array),
    }
}
