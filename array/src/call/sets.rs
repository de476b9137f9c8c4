//! Different elements, and sets of them.

use super::bind::Bound;
use super::support::COMPOSED;
use super::{Function, Value, sequence};
use crate::arguments::along;
use crate::array::{Array, Find};
use ndany_core::{DType, Result};

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "np.unique",
        parameters: "ar return_index? return_inverse? return_counts? axis? * equal_nan? sorted?",
        facts: COMPOSED.waits("always"),
        run: unique,
    },
    Function {
        name: "np.unique_all",
        parameters: "x",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let found = call.array("x")?.try_unique_all(..)?;
            let (values, indices, inverse, counts) = found.into();
            Ok(tuple([Some(values), Some(indices), Some(inverse), Some(counts)]))
        },
    },
    Function {
        name: "np.unique_counts",
        parameters: "x",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let found = call.array("x")?.try_unique_counts(..)?;
            Ok(tuple([Some(found.values), Some(found.counts)]))
        },
    },
    Function {
        name: "np.unique_inverse",
        parameters: "x",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let found = call.array("x")?.try_unique_inverse(..)?;
            Ok(tuple([Some(found.values), Some(found.inverse_indices)]))
        },
    },
    Function {
        name: "np.unique_values",
        parameters: "x",
        facts: COMPOSED.waits("always"),
        run: |call| call.array("x")?.try_unique(along(..).equal_nan(false)).map(Value::Array),
    },
    Function {
        name: "np.isin",
        parameters: "element test_elements assume_unique? invert? * kind?",
        facts: COMPOSED.waits("among many integers"),
        run: |call| {
            if let Some(none) = without_numbers(call)? {
                return Ok(none);
            }
            let element = call.array("element")?;
            isin(call, &element, &call.array_beside("test_elements", element.dtype())?)
        },
    },
    Function {
        name: "np.in1d",
        parameters: "ar1 ar2 assume_unique? invert? * kind?",
        facts: COMPOSED.waits("among many integers"),
        run: |call| isin(call, &call.array("ar1")?.try_ravel()?, &call.array("ar2")?),
    },
    Function {
        name: "np.intersect1d",
        parameters: "ar1 ar2 assume_unique? return_indices?",
        facts: COMPOSED.waits("always"),
        run: intersect1d,
    },
    Function {
        name: "np.union1d",
        parameters: "ar1 ar2",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let both = vec![call.operand("ar1")?, call.operand("ar2")?];
            let both = sequence::promoted(call, both)?;
            both[0].try_union1d(&both[1]).map(Value::Array)
        },
    },
    Function {
        name: "np.setdiff1d",
        parameters: "ar1 ar2 assume_unique?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (left, right) = (call.array("ar1")?, call.array("ar2")?);
            match call.flag("assume_unique", false)? {
                true => left.try_setdiff1d_of_unique(&right),
                false => left.try_setdiff1d(&right),
            }
            .map(Value::Array)
        },
    },
    Function {
        name: "np.setxor1d",
        parameters: "ar1 ar2 assume_unique?",
        facts: COMPOSED.waits("always"),
        run: |call| {
            let (left, right) = (call.array("ar1")?, call.array("ar2")?);
            match call.flag("assume_unique", false)? {
                true => left.try_setxor1d_of_unique(&right),
                false => left.try_setxor1d(&right),
            }
            .map(Value::Array)
        },
    },
];

/// Those results that are there.
fn tuple(results: impl IntoIterator<Item = Option<Array>>) -> Value {
    Value::Tuple(results.into_iter().flatten().map(Value::Array).collect())
}

fn unique(call: &Bound<'_>) -> Result<Value> {
    let array = call.array("ar")?;
    let axis = match call.some("axis") {
        Some(Value::Tuple(_) | Value::List(_)) => {
            return Err(call.value_error("axis must be one integer"));
        }
        _ => call.axes("axis")?.map(|axes| axes[0]),
    };
    // Sorted is one of the orders that "not sorted" allows.
    call.flag("sorted", true)?;
    let options = Find {
        index: call.flag("return_index", false)?,
        inverse: call.flag("return_inverse", false)?,
        counts: call.flag("return_counts", false)?,
        equal_nan: call.flag("equal_nan", true)?,
    };
    let found = array.unique_by(axis, options)?;
    Ok(match (&found.index, &found.inverse, &found.counts) {
        (None, None, None) => Value::Array(found.values),
        _ => tuple([Some(found.values), found.index, found.inverse, found.counts]),
    })
}

fn isin(call: &Bound<'_>, elements: &Array, others: &Array) -> Result<Value> {
    call.flag("assume_unique", false)?;
    let integers = |array: &Array| array.dtype().is_int() || array.dtype() == DType::Bool;
    match call.some("kind") {
        None => {}
        Some(Value::Str(kind)) if kind == "sort" => {}
        Some(Value::Str(kind)) if kind == "table" && integers(elements) && integers(others) => {}
        Some(Value::Str(kind)) if kind == "table" => {
            return Err(call.value_error("kind=\"table\" is for integers and truth values"));
        }
        Some(_) => return Err(call.value_error("kind must be None, \"sort\" or \"table\"")),
    }
    let found = elements.try_isin(others)?;
    let found = if call.flag("invert", false)? { found.try_logical_not()? } else { found };
    Ok(Value::Array(found))
}

/// The answer where one side holds nothing but `None`, which is among no numbers.
fn without_numbers(call: &Bound<'_>) -> Result<Option<Value>> {
    fn empty(value: &Value) -> bool {
        match value {
            Value::None => true,
            Value::List(items) | Value::Tuple(items) => {
                !items.is_empty() && items.iter().all(empty)
            }
            _ => false,
        }
    }
    let (elements, others) = (call.required("element"), call.required("test_elements"));
    let shape = match (empty(elements), empty(others)) {
        (false, true) => call.array("element")?.shape().to_vec(),
        (true, false) => {
            call.array("test_elements")?;
            sequence::array_as(call, "element", elements, DType::Bool)?.shape().to_vec()
        }
        _ => return Ok(None),
    };
    let absent = call.flag("invert", false)?;
    crate::array::try_full(shape.as_slice(), absent, DType::Bool).map(|found| Some(found.into()))
}

fn intersect1d(call: &Bound<'_>) -> Result<Value> {
    let (left, right) = (call.array("ar1")?, call.array("ar2")?);
    let unique = call.flag("assume_unique", false)?;
    Ok(match (call.flag("return_indices", false)?, unique) {
        (true, _) => {
            let (values, first, second) = match unique {
                true => left.try_intersect1d_of_unique_with_indices(&right)?,
                false => left.try_intersect1d_indices(&right)?,
            };
            tuple([Some(values), Some(first), Some(second)])
        }
        (false, true) => Value::Array(left.try_intersect1d_of_unique(&right)?),
        (false, false) => Value::Array(left.try_intersect1d(&right)?),
    })
}
