//! Arguments matched with parameters, and read as what a function needs.
//!
//! A table entry says all that a function takes (see [`parameters`](super::parameters)), and nothing that was given can be
//! overlooked.

use std::cell::Cell;

use super::integers::number_of;
use super::parameters::{Parameter, Parameters, Takes};
use super::{Value, sequence};
use crate::array::{Array, Order};
use crate::graph::Operand;
use crate::scalar::{Scalar, beyond_integers};
use ndany_core::{Casting, DType, Error, Kind, Number, Result, ShapeText};
use smallvec::SmallVec;

/// The arguments of one call, by parameter.
pub(super) struct Bound<'a> {
    op: &'static str,
    parameters: &'a [Parameter],
    given: SmallVec<[(&'static str, &'a Value); 4]>,
    /// How many of them were given by position.
    pub(super) by_position: usize,
    /// Positional arguments after the last parameter, where `...` takes them.
    pub(super) rest: &'a [Value],
    /// The array to be changed in place of the argument that stands for it.
    pub(super) target: Cell<Option<&'a mut Array>>,
}

impl<'a> Bound<'a> {
    pub(super) fn new(
        op: &'static str,
        parameters: &'a Parameters,
        args: &'a [Value],
        kwargs: &'a [(String, Value)],
    ) -> Result<Self> {
        let mut bound = Bound {
            op,
            parameters: &parameters.all,
            given: SmallVec::new(),
            by_position: args.len(),
            rest: &[],
            target: Cell::new(None),
        };
        let positional = parameters.positional();
        for (parameter, value) in positional.iter().zip(args) {
            bound.given.push((parameter.name, value));
        }
        if args.len() > positional.len() {
            if !parameters.takes_rest() {
                let reason = format!(
                    "takes at most {} arguments by position, got {}",
                    positional.len(),
                    args.len()
                );
                return Err(bound.type_error(reason));
            }
            bound.rest = &args[positional.len()..];
        }
        for (keyword, value) in kwargs {
            match parameters.named().find(|parameter| parameter.name == keyword) {
                Some(known) if bound.get(known.name).is_some() => {
                    return Err(bound.type_error(format!("{keyword} is given twice")));
                }
                Some(known) => bound.given.push((known.name, value)),
                None if parameters.refuses_keywords_by_value => {
                    return Err(
                        bound.value_error(format!("unsupported keyword argument {keyword}"))
                    );
                }
                None => {
                    return Err(bound.type_error(format!("there is no keyword {keyword}")));
                }
            }
        }
        for &Parameter { name, takes, .. } in parameters.named() {
            match (takes, bound.get(name)) {
                (Takes::Only(default), Some(value)) if !is_default(value, default) => {
                    return Err(bound.unsupported(format!("{name} other than {default}")));
                }
                (Takes::Either, Some(_)) => {
                    bound.flag(name, true)?;
                }
                (Takes::Required, None) => {
                    return Err(bound.type_error(format!("{name} is missing")));
                }
                (Takes::Only(_) | Takes::Either | Takes::Required | Takes::Optional, _) => {}
            }
        }
        Ok(bound)
    }

    pub(super) fn op(&self) -> &'static str {
        self.op
    }

    /// An argument of a form that ndany does not understand.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::Unsupported { op: self.op.to_string(), reason: what.into() }
    }

    /// An argument that is wrong by its type.
    pub(super) fn type_error(&self, reason: impl Into<String>) -> Error {
        Error::Arguments { op: self.op.to_string(), reason: reason.into() }
    }

    /// An argument that is wrong by its value.
    pub(super) fn value_error(&self, reason: impl Into<String>) -> Error {
        Error::ArgumentValue { op: self.op.to_string(), reason: reason.into() }
    }

    /// The argument, if it was given.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The argument, if it was given and is not `None`.
    pub(super) fn some(&self, name: &str) -> Option<&'a Value> {
        self.get(name).filter(|value| !matches!(value, Value::None))
    }

    pub(super) fn required(&self, name: &str) -> &'a Value {
        match self.get(name) {
            Some(value) => value,
            None => unreachable!("[{}] {name} is bound or an error", self.op),
        }
    }

    /// An operand that may be missing.
    pub(super) fn some_operand(&self, name: &str) -> Result<Option<Operand>> {
        self.some(name).map(|_| self.operand(name)).transpose()
    }

    /// What an elementwise operation takes.
    pub(super) fn operand(&self, name: &str) -> Result<Operand> {
        self.operand_of(name, self.required(name))
    }

    pub(super) fn operand_of(&self, name: &str, value: &Value) -> Result<Operand> {
        match value {
            Value::Array(array) => Ok(Operand::from(array)),
            Value::Scalar(scalar) => Ok(Operand::Scalar(*scalar)),
            Value::Bool(value) => Ok(Operand::from(*value)),
            Value::None | Value::Str(_) | Value::DType(_) | Value::Ellipsis => {
                let given = match value {
                    Value::None => "None".to_owned(),
                    Value::Str(text) => format!("the text {text:?}"),
                    Value::DType(dtype) => format!("the dtype {dtype}"),
                    _ => "an ellipsis".to_owned(),
                };
                Err(self.type_error(format!("{name} must be an array or a number, got {given}")))
            }
            Value::Tuple(_) | Value::List(_) => {
                sequence::array(self, name, value).map(Operand::Array)
            }
            Value::Slice { .. } | Value::NewAxis => {
                Err(self.unsupported(format!("{name} as an item of an index")))
            }
        }
    }

    /// An array; a number counts as a 0-d one.
    #[track_caller]
    pub(super) fn array(&self, name: &str) -> Result<Array> {
        self.array_of(name, self.required(name))
    }

    /// Changes the array whose values a function changes: that of [`Callable::change`](super::Callable::change), in place, else a
    /// copy of the argument, which is the result. It is no list, which the change would not reach. The declaration marks its parameter.
    pub(super) fn change(&self, write: impl FnOnce(&mut Array) -> Result<()>) -> Result<Value> {
        if let Some(target) = self.target.take() {
            return write(target).map(|()| Value::None);
        }
        let Some(changed) = self.parameters.iter().find(|parameter| parameter.is_changed) else {
            unreachable!("[{}] the declaration marks the parameter that is changed", self.op)
        };
        match self.required(changed.name) {
            Value::Array(array) => {
                let mut array = array.clone();
                write(&mut array)?;
                Ok(Value::Array(array))
            }
            _ => Err(self.type_error(format!("{} must be an array", changed.name))),
        }
    }

    /// A value as an array; a number counts as a 0-d one, nested sequences of numbers and arrays as
    /// NumPy takes them.
    #[track_caller]
    pub(super) fn array_of(&self, name: &str, value: &Value) -> Result<Array> {
        Ok(match self.operand_of(name, value)? {
            Operand::Array(array) => array,
            Operand::Scalar(scalar) => crate::array::try_full((), scalar, scalar.natural_dtype())?,
        })
    }

    /// An array that meets another one; an integer beyond all integer dtypes is a float for floats, and
    /// infinite for integers, none of which it equals.
    #[track_caller]
    pub(super) fn array_beside(&self, name: &str, other: DType) -> Result<Array> {
        match self.get(name) {
            Some(Value::Scalar(scalar)) => match scalar.number() {
                Number::Int(value) => match beyond_integers(value) {
                    Some(infinite) => {
                        let met = if other.kind() <= Kind::Int { infinite } else { value as f64 };
                        crate::array::try_full((), met, DType::F64)
                    }
                    None => self.array(name),
                },
                _ => self.array(name),
            },
            _ => self.array(name),
        }
    }

    /// The arrays of a sequence.
    #[track_caller]
    pub(super) fn arrays(&self, name: &str) -> Result<Vec<Array>> {
        let items = match self.required(name) {
            Value::Tuple(items) | Value::List(items) => items,
            // An array is the sequence of what its first axis holds.
            Value::Array(array) if array.ndim() > 0 => return array.try_unstack(0).map(Into::into),
            _ => return Err(self.type_error(format!("{name} must be a sequence of arrays"))),
        };
        items.iter().map(|item| self.array_of(name, item)).collect()
    }

    /// The arrays given after the last parameter.
    #[track_caller]
    pub(super) fn rest_arrays(&self) -> Result<Vec<Array>> {
        self.rest.iter().map(|value| self.array_of("an array", value)).collect()
    }

    /// A memory order.
    pub(super) fn order(&self, default: Order) -> Result<Order> {
        match self.some("order") {
            None => Ok(default),
            Some(_) => {
                let text = self.text("order", "")?;
                Order::from_name(text)
                    .ok_or_else(|| self.value_error(format!("order is {text:?}, not C, F, A or K")))
            }
        }
    }

    /// A rule of casting with its default.
    pub(super) fn casting(&self, default: &'a str) -> Result<Casting> {
        let name = self.text("casting", default)?;
        Casting::from_name(name)
            .ok_or_else(|| self.value_error(format!("there is no casting {name:?}")))
    }

    /// A flag with its default.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(*value),
            Some(Value::Scalar(scalar)) => match scalar.number() {
                Number::Bool(value) => Ok(value),
                Number::Int(value) => Ok(value != 0),
                Number::Float(_) | Number::Complex(..) => {
                    Err(self.type_error(format!("{name} must be a truth value")))
                }
            },
            Some(_) => Err(self.unsupported(format!("{name} of this type"))),
        }
    }

    /// A dtype, by itself or by name.
    pub(super) fn dtype(&self, name: &str) -> Result<Option<DType>> {
        match self.some(name) {
            None => Ok(None),
            Some(Value::DType(dtype)) => Ok(Some(*dtype)),
            Some(Value::Str(text)) => self.dtype_named(text).map(Some),
            // A NumPy scalar has a dtype, a Python number has none.
            Some(Value::Scalar(scalar)) if scalar.dtype().is_some() => Ok(scalar.dtype()),
            Some(_) => Err(self.type_error(format!("{name} must be a dtype"))),
        }
    }

    /// The dtype that a text names.
    pub(super) fn dtype_named(&self, text: &str) -> Result<DType> {
        match DType::from_name(text) {
            Some(dtype) => Ok(dtype),
            None if is_foreign_dtype(text) => Err(self.unsupported(format!("the dtype {text}"))),
            None => Err(self.type_error(format!("there is no dtype {text:?}"))),
        }
    }

    /// The array to write a result into, if there is one.
    pub(super) fn out(&self) -> Result<Option<Array>> {
        match self.some("out") {
            None => Ok(None),
            Some(Value::Array(out)) => Ok(Some(out.clone())),
            Some(_) => Err(self.type_error("out must be an array")),
        }
    }

    /// The text of a refusal: a result has another shape than the array to write it into.
    pub(super) fn other_shape(&self, result: &Array, out: &Array) -> String {
        let (needed, got) = (ShapeText::from(result.shape()), ShapeText::from(out.shape()));
        format!("out has the wrong shape: expected {needed}, got {got}")
    }

    /// A mask, where the argument is more than `True`: an array of bool, a sequence, or any value for its truth.
    #[track_caller]
    pub(super) fn mask(&self, name: &str) -> Result<Option<Array>> {
        let truth = match self.get(name) {
            None => true,
            Some(Value::Array(mask)) if mask.dtype() == DType::Bool => {
                return Ok(Some(mask.clone()));
            }
            Some(Value::Array(_)) => {
                return Err(self.type_error(format!("{name} must be of dtype bool")));
            }
            Some(list @ (Value::Tuple(_) | Value::List(_))) => {
                return sequence::array_as(self, name, list, DType::Bool).map(Some);
            }
            Some(Value::Bool(truth)) => *truth,
            Some(Value::None) => false,
            Some(Value::Str(text)) => !text.is_empty(),
            Some(Value::Scalar(scalar)) => match scalar.number() {
                Number::Bool(truth) => truth,
                Number::Int(value) => value != 0,
                Number::Float(value) => value != 0.0,
                Number::Complex(re, im) => re != 0.0 || im != 0.0,
            },
            Some(Value::DType(_) | Value::Slice { .. } | Value::NewAxis | Value::Ellipsis) => {
                return Err(self.type_error(format!("{name} must be a mask")));
            }
        };
        if truth { Ok(None) } else { crate::array::try_full((), false, DType::Bool).map(Some) }
    }

    /// A text with its default.
    pub(super) fn text(&self, name: &str, default: &'a str) -> Result<&'a str> {
        match self.get(name) {
            None => Ok(default),
            Some(Value::Str(text)) => Ok(text),
            Some(_) => Err(self.type_error(format!("{name} must be a text"))),
        }
    }

    /// A number, weak or strong.
    pub(super) fn scalar(&self, name: &str) -> Result<Option<Scalar>> {
        match self.some(name) {
            None => Ok(None),
            Some(Value::Scalar(scalar)) => Ok(Some(*scalar)),
            Some(Value::Bool(value)) => Ok(Some(Scalar::from(*value))),
            Some(Value::Array(array)) if array.ndim() == 0 => number_of(array).map(Some),
            Some(_) => Err(self.type_error(format!("{name} must be a number"))),
        }
    }

    /// A real number.
    pub(super) fn float(&self, name: &str) -> Result<Option<f64>> {
        let Some(scalar) = self.scalar(name)? else { return Ok(None) };
        match (scalar.kind(), scalar.number()) {
            (Kind::Complex, _) | (_, Number::Complex(..)) => {
                Err(self.unsupported(format!("{name} as a complex number")))
            }
            (_, Number::Bool(value)) => Ok(Some(f64::from(u8::from(value)))),
            (_, Number::Int(value)) => Ok(Some(value as f64)),
            (_, Number::Float(value)) => Ok(Some(value)),
        }
    }
}

/// Whether this is the value written after `=`.
fn is_default(value: &Value, default: &str) -> bool {
    match value {
        Value::None => default == "None",
        Value::Bool(value) => default == if *value { "True" } else { "False" },
        Value::Scalar(scalar) => match scalar.number() {
            Number::Bool(value) => default == if value { "True" } else { "False" },
            Number::Int(value) => default == value.to_string(),
            Number::Float(_) | Number::Complex(..) => false,
        },
        Value::Str(text) => default == text,
        Value::Array(_)
        | Value::DType(_)
        | Value::Tuple(_)
        | Value::List(_)
        | Value::Slice { .. }
        | Value::NewAxis
        | Value::Ellipsis => false,
    }
}

/// Is it a dtype of NumPy's that ndany does not have: texts, bytes, dates, objects, records, long floats, or another byte
/// order than the machine's?
fn is_foreign_dtype(text: &str) -> bool {
    let names = [
        "object",
        "object_",
        "str",
        "str_",
        "unicode",
        "bytes",
        "bytes_",
        "void",
        "datetime64",
        "timedelta64",
        "longdouble",
        "clongdouble",
        "float128",
        "complex256",
    ];
    if names.contains(&text) || text.starts_with("datetime64[") || text.starts_with("timedelta64[")
    {
        return true;
    }
    // Records, and elements that are arrays.
    if text.contains(',') || text.starts_with('(') {
        return true;
    }
    let known = |text: &str| DType::from_name(text).is_some();
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        let element = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
        return known(element) || is_foreign_dtype(element);
    }
    let swapped = text.strip_prefix('>');
    let code = swapped.or_else(|| text.strip_prefix(['<', '=', '|'])).unwrap_or(text);
    if swapped.is_some() && known(&format!("={code}")) {
        return true;
    }
    let sized = |letters: &[char]| {
        let size = code.strip_prefix(letters);
        size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let date = |letter: char| {
        let unit = code.strip_prefix(letter).map(|rest| rest.strip_prefix('8').unwrap_or(rest));
        unit.is_some_and(|unit| unit.is_empty() || (unit.starts_with('[') && unit.ends_with(']')))
    };
    matches!(code, "O" | "O4" | "O8" | "c" | "T" | "g" | "G" | "f16" | "c32")
        || sized(&['S', 'U', 'V', 'a'])
        || date('M')
        || date('m')
}
