//! The one place where the suite touches the engine: arguments in, outcomes out, and the row names.
//!
//! Nothing is judged here and no value is looked at. Operations and views go through the engine's
//! `call` by NumPy name, so a new operation needs no line in this file.

use std::collections::BTreeMap;

use ndany::call::{Value, call};
use ndany::{Array, DType, Device, Error, Scalar};

use crate::argument::{Argument, Bound, Number, Slice, Strength, ViewStep};
use crate::arrays::Arrays;
use crate::compare::{ExpectedValue, Outcome};
use crate::host::{Dtype, HostArray};
use crate::manifest::{Case, Expected};
use crate::npy;

/// NumPy's name of every row of the engine's tables, of all that draws, and SciPy's of what its crates add: each needs a golden
/// case.
pub fn row_names() -> Vec<String> {
    let rows = ndany_core::ops::UfuncDef::all().map(|row| row.numpy);
    let reductions = ndany_core::ops::REDUCTIONS.iter().map(|row| row.facts().numpy);
    let pairs = ndany_core::ops::PAIRS.iter().map(|row| row.numpy);
    // A state is no array, which a case would expect.
    let stateful = ["np.random.seed", "np.random.get_state", "np.random.set_state"];
    let draws = ndany::call::names()
        .filter(|name| name.starts_with("np.random.") && !stateful.contains(name));
    let of_crates = ndany_array::extend::functions().map(|function| function.numpy);
    rows.chain(pairs)
        .chain(reductions)
        .chain(draws)
        .chain(of_crates)
        .chain(["np.cumsum", "np.matmul", "np.einsum"])
        .map(str::to_owned)
        .collect()
}

/// A device, open.
pub struct Engine {
    device: Device,
}

/// Data of a case that cannot be used: the fault of the case, not of the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file that cannot be read.
    #[error("bad case: {0}")]
    Path(String),
    /// A file that is no array.
    #[error("bad case: {file}: {source}")]
    Npy {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: npy::NpyError,
    },
}

/// Where in a case the engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The arguments are there, and the function is next.
    Called,
    /// The function has returned; its result was not read yet.
    Returned,
}

/// Why an argument did not become a value.
enum Refused {
    Data(DataError),
    /// The engine would not make the array or the view.
    Engine(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused::Engine(error)
    }
}

impl Engine {
    /// Opens a device by name, such as `cpu`, `reference`, `cuda:0`.
    pub fn open(name: &str) -> Result<Self, String> {
        let device = Device::open(name).map_err(|error| error.to_string())?;
        Ok(Self { device })
    }

    /// On a device that is open.
    #[cfg(test)]
    pub(crate) fn on(device: Device) -> Self {
        Self { device }
    }

    /// Runs a case; an `Err` is a case whose files are bad.
    pub fn run(&self, case: &Case) -> Result<Outcome, DataError> {
        self.run_watched(case, |_| ())
    }

    /// The same, telling when the function is called and when it has returned; results are read after that.
    pub(crate) fn run_watched(
        &self,
        case: &Case,
        mut watch: impl FnMut(Moment),
    ) -> Result<Outcome, DataError> {
        // Creations and scalar operands have no array to tell them the device.
        let _current = self.device.enter();
        // An array that occurs twice in a case is one array, so that shared buffers are tried too.
        let mut arrays = BTreeMap::new();
        let mut array = |file: &str| -> Result<Array, Refused> {
            if let Some(array) = arrays.get(file) {
                return Ok(Array::clone(array));
            }
            let host = read(&case.arrays, file).map_err(Refused::Data)?;
            let dtype = dtype_of(host.dtype());
            let array = Array::from_bytes(dtype, host.shape(), host.bytes(), &self.device)?;
            arrays.insert(file.to_owned(), array.clone());
            Ok(array)
        };
        let mut value = |argument| Engine::value(argument, &mut array);
        let args: Result<Vec<Value>, Refused> = case.args.iter().map(&mut value).collect();
        let kwargs: Result<Vec<(String, Value)>, Refused> =
            case.kwargs.iter().map(|(key, argument)| Ok((key.clone(), value(argument)?))).collect();
        // Handles on the arguments must not outlive their use: the engine may reuse single-owner
        // buffers, and that path shall be tried as well.
        drop(arrays);
        let (args, kwargs) = match (args, kwargs) {
            (Ok(args), Ok(kwargs)) => (args, kwargs),
            (Err(Refused::Data(error)), _) | (_, Err(Refused::Data(error))) => return Err(error),
            (Err(Refused::Engine(error)), _) | (_, Err(Refused::Engine(error))) => {
                return Ok(failure(&error));
            }
        };
        // What all cases draw from begins anew for each, so that their order does not matter.
        if case.op.starts_with("np.random.") {
            call("np.random.seed", &[Value::from(0)], &[]).expect("a seed");
        }
        watch(Moment::Called);
        // Sparse arrays are no values of calls by name.
        #[cfg(feature = "sparse")]
        let made = crate::sparse::call(&case.op, &args);
        #[cfg(not(feature = "sparse"))]
        let made = None;
        let made = made.unwrap_or_else(|| call(&case.op, &args, &kwargs));
        watch(Moment::Returned);
        Ok(match made.and_then(Engine::outcome) {
            Ok(outcome) => outcome,
            Err(error) => failure(&error),
        })
    }

    /// An argument as a value; `array` makes the arrays.
    fn value(
        argument: &Argument,
        array: &mut dyn FnMut(&str) -> Result<Array, Refused>,
    ) -> Result<Value, Refused> {
        let mut list = |items: &[Argument]| -> Result<Vec<Value>, Refused> {
            items.iter().map(|item| Engine::value(item, array)).collect()
        };
        Ok(match argument {
            Argument::Array { file, view } => {
                view.iter().try_fold(Value::Array(array(file)?), apply)?
            }
            Argument::Scalar { strength, number } => Value::Scalar(scalar((*strength, *number))),
            Argument::Dtype(dtype) => Value::DType(dtype_of(*dtype)),
            Argument::Str(text) => Value::Str(text.clone()),
            Argument::Bool(flag) => Value::Bool(*flag),
            Argument::None => Value::None,
            Argument::Tuple(items) => Value::Tuple(list(items)?),
            Argument::List(items) => Value::List(list(items)?),
            Argument::Slice(numbers) => slice(numbers),
            Argument::NewAxis => Value::NewAxis,
            Argument::Ellipsis => Value::Ellipsis,
        })
    }

    /// An argument that is no array.
    pub(crate) fn constant(&self, argument: &Argument) -> Option<Value> {
        let none = |file: &str| Err(Refused::Data(DataError::Path(format!("{file} is an array"))));
        Engine::value(argument, &mut { none }).ok()
    }

    /// The device.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// A value as host arrays: numbers have no axes, texts and names of dtypes are the bytes of their letters. Other
    /// results that are no arrays are failures in the open: no golden case expects one.
    fn outcome(value: Value) -> Result<Outcome, Error> {
        let single = |value: Value| match value {
            Value::Array(array) => Ok(host(&array)?),
            Value::Bool(flag) => Ok(HostArray::new(Dtype::Bool, Vec::new(), vec![u8::from(flag)])
                .expect("one byte fills a bool")),
            Value::Scalar(scalar) => {
                Ok(host(&ndany::checked::full((), scalar, scalar.natural_dtype())?)?)
            }
            Value::Str(text) => Ok(letters(&text)),
            Value::DType(dtype) => Ok(letters(dtype.name())),
            other => Err(NoArray::Value(format!("{other:?}"))),
        };
        let made = match value {
            Value::Tuple(items) | Value::List(items) => {
                // A tuple within, as that of a fit's quality, counts as its items.
                let items = items.into_iter().flat_map(|item| match item {
                    Value::Tuple(inner) | Value::List(inner) => inner,
                    other => vec![other],
                });
                items.map(single).collect::<Result<_, _>>().map(Outcome::List)
            }
            other => single(other).map(Outcome::Array),
        };
        match made {
            Ok(outcome) => Ok(outcome),
            Err(NoArray::Engine(error)) => Err(error),
            Err(NoArray::Value(text)) => Ok(Outcome::Error {
                class: "(no array)".to_owned(),
                message: format!("the result is not an array: {text}"),
            }),
        }
    }
}

fn letters(text: &str) -> HostArray {
    HostArray::new(Dtype::Uint8, vec![text.len()], text.as_bytes().to_vec()).expect("a byte each")
}

enum NoArray {
    Engine(Error),
    Value(String),
}

impl From<Error> for NoArray {
    fn from(error: Error) -> Self {
        NoArray::Engine(error)
    }
}

fn failure(error: &Error) -> Outcome {
    if error.is_unsupported() {
        Outcome::Unsupported(error.to_string())
    } else {
        Outcome::Error { class: error.class().to_owned(), message: error.to_string() }
    }
}

/// An array of a case.
pub fn read(arrays: &Arrays, file: &str) -> Result<HostArray, DataError> {
    let bytes = arrays.read(file).map_err(DataError::Path)?;
    npy::decode(&bytes).map_err(|source| DataError::Npy { file: file.to_owned(), source })
}

/// The arrays that a case expects.
pub fn wanted(case: &Case) -> Result<ExpectedValue, DataError> {
    Ok(match &case.expected {
        Expected::Array(file) => ExpectedValue::Array(read(&case.arrays, file)?),
        Expected::List(files) => {
            let read = |file: &String| read(&case.arrays, file);
            ExpectedValue::List(files.iter().map(read).collect::<Result<_, _>>()?)
        }
        Expected::Error(classes) => ExpectedValue::Error(classes.clone()),
    })
}

/// The first array argument as it lies in its file: what property checks call `A`.
pub fn operand(case: &Case) -> Result<Option<HostArray>, DataError> {
    match case.args.first() {
        Some(Argument::Array { file, view }) if view.is_empty() => {
            read(&case.arrays, file).map(Some)
        }
        Some(_) | None => Ok(None),
    }
}

fn apply(value: Value, step: &ViewStep) -> Result<Value, Error> {
    let integers = |values: &[i64]| {
        Value::Tuple(
            values.iter().map(|&v| Value::Scalar(Scalar::weak_int(i128::from(v)))).collect(),
        )
    };
    match step {
        ViewStep::Index(items) => {
            let index = items.iter().map(index_value);
            call("getitem", &std::iter::once(value).chain(index).collect::<Vec<_>>(), &[])
        }
        ViewStep::Transpose(axes) if axes.is_empty() => call("np.transpose", &[value], &[]),
        ViewStep::Transpose(axes) => call("np.transpose", &[value, integers(axes)], &[]),
        ViewStep::BroadcastTo(shape) => call("np.broadcast_to", &[value, integers(shape)], &[]),
    }
}

/// An item of a view's index; `argument` admits integers, slices, new axes and ellipses there.
fn index_value(item: &Argument) -> Value {
    match item {
        Argument::Scalar { number, .. } => Value::Scalar(weak(*number)),
        Argument::Slice(numbers) => slice(numbers),
        Argument::NewAxis => Value::NewAxis,
        Argument::Ellipsis => Value::Ellipsis,
        Argument::Array { .. }
        | Argument::None
        | Argument::Dtype(_)
        | Argument::Str(_)
        | Argument::Bool(_)
        | Argument::Tuple(_)
        | Argument::List(_) => unreachable!("refused when the view was read"),
    }
}

fn slice(Slice { start, stop, step }: &Slice) -> Value {
    Value::Slice { start: start.map(scalar), stop: stop.map(scalar), step: step.map(scalar) }
}

fn scalar((strength, number): Bound) -> Scalar {
    match strength {
        Strength::Weak => weak(number),
        Strength::Strong(dtype) => Scalar::typed(dtype_of(dtype), weak(number)),
    }
}

fn weak(number: Number) -> Scalar {
    match number {
        Number::Bool(value) => Scalar::weak_bool(value),
        Number::Int(value) => Scalar::weak_int(value),
        Number::Float(value) => Scalar::weak_float(value),
        Number::Complex(re, im) => Scalar::weak_complex(re, im),
    }
}

pub(crate) fn host(array: &Array) -> Result<HostArray, Error> {
    let bytes = array.to_bytes()?;
    let dtype = Dtype::from_name(array.dtype().name()).expect("both sides know the same dtypes");
    let shape = array.shape().to_vec();
    Ok(HostArray::new(dtype, shape, bytes).expect("to_bytes gives the bytes of the shape"))
}

pub(crate) fn dtype_of(dtype: Dtype) -> DType {
    dtype.name().parse().expect("both sides know the same dtypes")
}
