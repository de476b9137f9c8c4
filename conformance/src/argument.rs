//! The arguments of a golden case, as data: what the manifest says, before any engine sees it.
//!
//! Arrays stay paths here, with the view steps that make them strided. Turning an argument into a
//! value of the engine is `engine`'s.

use serde_json::Value as Json;

use crate::host::Dtype;

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An array in a file, and the steps that turn it into the view to be passed.
    Array {
        /// Path below the folder of the cases.
        file: String,
        /// Applied in order.
        view: Vec<ViewStep>,
    },
    /// A number.
    Scalar {
        /// Weak (a Python number) or of a dtype.
        strength: Strength,
        /// Its value.
        number: Number,
    },
    /// A dtype.
    Dtype(Dtype),
    /// A word such as an order or a mode.
    Str(String),
    /// A flag.
    Bool(bool),
    /// Python's `None`.
    None,
    /// A tuple.
    Tuple(Vec<Argument>),
    /// A list.
    List(Vec<Argument>),
    /// `start:stop:step`.
    Slice(Slice),
    /// A new axis, inside an index.
    NewAxis,
    /// `...`, inside an index.
    Ellipsis,
}

/// `start:stop:step` as Python has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// First index.
    pub start: Option<Bound>,
    /// First index not taken.
    pub stop: Option<Bound>,
    /// Step.
    pub step: Option<Bound>,
}

/// A number of a slice.
pub type Bound = (Strength, Number);

/// Whether a scalar takes the dtype of the arrays that it meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// A Python number: it does.
    Weak,
    /// A NumPy scalar: it promotes as a 0-d array.
    Strong(Dtype),
}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// A step of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewStep {
    /// Basic indexing.
    Index(Vec<Argument>),
    /// Axes in a new order.
    Transpose(Vec<i64>),
    /// Stride 0 along new or repeated axes.
    BroadcastTo(Vec<i64>),
}

impl Argument {
    /// An argument from its JSON.
    pub fn parse(json: &Json) -> Result<Self, String> {
        let object = json.as_object().ok_or_else(|| format!("argument {json} is not an object"))?;
        let list = |value: &Json| -> Result<Vec<Argument>, String> {
            let items = value.as_array().ok_or_else(|| format!("{value} is not a list"))?;
            items.iter().map(Argument::parse).collect()
        };
        let word = |value: &Json| {
            value.as_str().map(str::to_owned).ok_or_else(|| format!("{value} is not a string"))
        };
        let (form, value) = object
            .iter()
            .find(|(key, _)| !matches!(key.as_str(), "view" | "type"))
            .ok_or_else(|| format!("argument {json} has no form"))?;
        match form.as_str() {
            "npy" => {
                let view = match object.get("view") {
                    None => Vec::new(),
                    Some(Json::Array(steps)) => {
                        steps.iter().map(ViewStep::parse).collect::<Result<_, _>>()?
                    }
                    Some(other) => return Err(format!("view {other} is not a list")),
                };
                Ok(Argument::Array { file: word(value)?, view })
            }
            "scalar" => {
                let name = object.get("type").and_then(Json::as_str);
                let name = name.ok_or_else(|| format!("scalar {value} has no type"))?;
                scalar(name, value)
            }
            "dtype" => {
                let name = word(value)?;
                let dtype = Dtype::from_name(&name);
                Ok(Argument::Dtype(dtype.ok_or_else(|| format!("unknown dtype {name:?}"))?))
            }
            "str" => Ok(Argument::Str(word(value)?)),
            "bool" => {
                let flag = value.as_bool().ok_or_else(|| format!("{value} is not a bool"))?;
                Ok(Argument::Bool(flag))
            }
            "none" => Ok(Argument::None),
            "tuple" => Ok(Argument::Tuple(list(value)?)),
            "list" => Ok(Argument::List(list(value)?)),
            "slice" => Ok(Argument::Slice(slice(value)?)),
            "newaxis" => Ok(Argument::NewAxis),
            "ellipsis" => Ok(Argument::Ellipsis),
            other => Err(format!("unknown form of argument {other:?}")),
        }
    }

    /// Adds the files that this argument reads.
    pub fn files<'a>(&'a self, files: &mut Vec<&'a str>) {
        match self {
            Argument::Array { file, view: _ } => files.push(file),
            Argument::Tuple(items) | Argument::List(items) => {
                items.iter().for_each(|item| item.files(files));
            }
            Argument::Scalar { .. }
            | Argument::Dtype(_)
            | Argument::Str(_)
            | Argument::Bool(_)
            | Argument::None
            | Argument::Slice(_)
            | Argument::NewAxis
            | Argument::Ellipsis => {}
        }
    }
}

impl ViewStep {
    fn parse(json: &Json) -> Result<Self, String> {
        let integers = |value: &Json| -> Result<Vec<i64>, String> {
            let items = value.as_array().and_then(|items| items.iter().map(Json::as_i64).collect());
            items.ok_or_else(|| format!("view step {json}: {value} is not a list of integers"))
        };
        if let Some(items) = json.get("slice") {
            let items =
                items.as_array().ok_or_else(|| format!("view step {json} is not a list"))?;
            Ok(ViewStep::Index(items.iter().map(index_item).collect::<Result<_, _>>()?))
        } else if let Some(axes) = json.get("transpose") {
            // Null is a transpose without axes: all of them reversed.
            Ok(ViewStep::Transpose(if axes.is_null() { Vec::new() } else { integers(axes)? }))
        } else if let Some(shape) = json.get("broadcast_to") {
            Ok(ViewStep::BroadcastTo(integers(shape)?))
        } else {
            Err(format!("unknown view step {json}"))
        }
    }
}

/// Inside a view's index, integers and null stand bare.
fn index_item(json: &Json) -> Result<Argument, String> {
    match json {
        Json::Number(_) => {
            let index = json.as_i64().ok_or_else(|| format!("{json} is not an index"))?;
            Ok(Argument::Scalar {
                strength: Strength::Weak,
                number: Number::Int(i128::from(index)),
            })
        }
        Json::Null => Ok(Argument::NewAxis),
        Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            match Argument::parse(json)? {
                Argument::None => Ok(Argument::NewAxis),
                item @ (Argument::Slice(_)
                | Argument::NewAxis
                | Argument::Ellipsis
                | Argument::Scalar { number: Number::Int(_), .. }) => Ok(item),
                Argument::Array { .. }
                | Argument::Scalar { .. }
                | Argument::Dtype(_)
                | Argument::Str(_)
                | Argument::Bool(_)
                | Argument::Tuple(_)
                | Argument::List(_) => Err(format!("{json} makes no view")),
            }
        }
    }
}

fn slice(json: &Json) -> Result<Slice, String> {
    let bad = || format!("slice {json} is not [start, stop, step]");
    let end = |value: &Json| match value {
        Json::Null => Ok(None),
        Json::Object(_) => match Argument::parse(value)? {
            Argument::Scalar { strength, number } => Ok(Some((strength, number))),
            _ => Err(bad()),
        },
        other => {
            let index = other.as_i64().ok_or_else(bad)?;
            Ok(Some((Strength::Weak, Number::Int(i128::from(index)))))
        }
    };
    match json.as_array().map(Vec::as_slice) {
        Some([start, stop, step]) => {
            Ok(Slice { start: end(start)?, stop: end(stop)?, step: end(step)? })
        }
        Some(_) | None => Err(bad()),
    }
}

fn scalar(type_name: &str, value: &Json) -> Result<Argument, String> {
    let bad = || format!("scalar {value} is not a {type_name}");
    let strength = match type_name {
        "pyint" | "pyfloat" | "pycomplex" | "pybool" => Strength::Weak,
        name => {
            let dtype = Dtype::from_name(name);
            Strength::Strong(dtype.ok_or_else(|| format!("unknown scalar type {name:?}"))?)
        }
    };
    let number = match type_name {
        "pybool" | "bool" => Number::Bool(value.as_bool().ok_or_else(bad)?),
        "pyint" => Number::Int(integer(value).ok_or_else(bad)?),
        name if name.starts_with("int") || name.starts_with("uint") => {
            Number::Int(integer(value).ok_or_else(bad)?)
        }
        name if name.contains("complex") => {
            let (re, im) = complex(value).ok_or_else(bad)?;
            Number::Complex(re, im)
        }
        _ => Number::Float(float(value).ok_or_else(bad)?),
    };
    Ok(Argument::Scalar { strength, number })
}

/// Integers beyond 64 bits come as strings.
fn integer(value: &Json) -> Option<i128> {
    match value {
        Json::Number(number) => {
            number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
        }
        Json::String(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// What JSON cannot say (infinities, NaN) comes as a string.
fn float(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.parse().ok(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// `[re, im]`, or Python's text of a complex number, or a real number.
fn complex(value: &Json) -> Option<(f64, f64)> {
    if let Some([re, im]) = value.as_array().map(Vec::as_slice) {
        return Some((float(re)?, float(im)?));
    }
    let Some(text) = value.as_str() else { return Some((float(value)?, 0.0)) };
    let text = text.trim_start_matches('(').trim_end_matches(')');
    let Some(body) = text.strip_suffix('j') else { return Some((text.parse().ok()?, 0.0)) };
    // The sign of the imaginary part is the last one that does not belong to an exponent.
    let split = body.char_indices().rev().find(|&(at, sign)| {
        matches!(sign, '+' | '-') && at > 0 && !body[..at].ends_with(['e', 'E'])
    });
    match split {
        Some((at, _)) => Some((body[..at].parse().ok()?, body[at..].parse().ok()?)),
        None => Some((0.0, body.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars() {
        let number = |json| match Argument::parse(&json) {
            Ok(Argument::Scalar { number, .. }) => Some(number),
            Ok(_) | Err(_) => None,
        };
        let big = json!({"scalar": "-36893488147419103232", "type": "pyint"});
        assert_eq!(number(big), Some(Number::Int(-(1 << 65))));
        let top = json!({"scalar": u64::MAX, "type": "uint64"});
        assert_eq!(number(top), Some(Number::Int(i128::from(u64::MAX))));
        let inf = json!({"scalar": "-inf", "type": "pyfloat"});
        assert_eq!(number(inf), Some(Number::Float(f64::NEG_INFINITY)));
        let text = json!({"scalar": "(1e-05-2.5j)", "type": "pycomplex"});
        assert_eq!(number(text), Some(Number::Complex(1e-5, -2.5)));
        let pair = json!({"scalar": [0.5, "nan"], "type": "complex64"});
        assert!(matches!(number(pair), Some(Number::Complex(re, im)) if re == 0.5 && im.is_nan()));
        assert_eq!(number(json!({"scalar": 1.5, "type": "pyint"})), None);
        assert_eq!(number(json!({"scalar": 1, "type": "pybool"})), None);
        assert_eq!(number(json!({"scalar": 1, "type": "float128"})), None);
        assert_eq!(number(json!({"scalar": 1})), None);
    }

    #[test]
    fn views_and_indices() {
        let argument = Argument::parse(&json!({"npy": "data/a.npy", "view": [
            {"slice": [{"slice": [1, null, 3]}, 2, null, {"ellipsis": true}]}, {"transpose": [1, 0]}]}));
        let Ok(Argument::Array { view, .. }) = argument else { panic!("{argument:?}") };
        let [ViewStep::Index(items), ViewStep::Transpose(axes)] = view.as_slice() else {
            panic!("{view:?}")
        };
        assert_eq!(axes, &[1, 0]);
        assert_eq!(items[2..], [Argument::NewAxis, Argument::Ellipsis]);
        for bad in [
            json!({"npy": 3}),
            json!({"npy": "a", "view": [{"rotate": 1}]}),
            json!({"npy": "a", "view": [{"transpose": ["x"]}]}),
            json!({"slice": [1, 2]}),
            json!({"slice": ["1", 2, 3]}),
            json!({"what": 1}),
            json!({}),
            json!(7),
            json!({"dtype": "float128"}),
            json!({"tuple": [7]}),
        ] {
            assert!(Argument::parse(&bad).is_err(), "{bad}");
        }
    }
}
