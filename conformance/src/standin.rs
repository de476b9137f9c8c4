//! A stand-in with the engine's interface and almost nothing behind it, so that the suite compiles
//! and tests itself apart from the engine.
//!
//! It knows `np.positive`, `np.add` of float64 and `np.negative`'s refusal of bool. Everything else is
//! unsupported. It goes away when `engine` imports `ndany_core`.

#![allow(missing_docs, unreachable_pub, dead_code)]

use crate::host::Dtype;

#[derive(Clone, Debug)]
pub enum Value {
    Array(Array),
    Scalar(Scalar),
    DType(DType),
    Str(String),
    Bool(bool),
    None,
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Slice { start: Option<i64>, stop: Option<i64>, step: Option<i64> },
    NewAxis,
    Ellipsis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DType(Dtype);

impl DType {
    pub fn from_name(name: &str) -> Option<Self> {
        Dtype::from_name(name).map(DType)
    }
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Scalar;

impl Scalar {
    pub fn weak_int(_: i128) -> Self {
        Scalar
    }
    pub fn weak_float(_: f64) -> Self {
        Scalar
    }
    pub fn weak_complex(_: f64, _: f64) -> Self {
        Scalar
    }
    pub fn weak_bool(_: bool) -> Self {
        Scalar
    }
    pub fn typed(_: DType, _: Scalar) -> Self {
        Scalar
    }
}

#[derive(Clone, Debug)]
pub struct Array {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    pub fn from_bytes(
        dtype: DType,
        shape: &[usize],
        bytes: &[u8],
        _: &Device,
    ) -> Result<Self, Error> {
        Ok(Self { dtype, shape: shape.to_vec(), bytes: bytes.to_vec() })
    }
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(self.bytes.clone())
    }
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    pub fn dtype(&self) -> DType {
        self.dtype
    }
}

#[derive(Clone, Debug)]
pub struct Device;

impl Device {
    pub fn open(name: &str) -> Result<Self, Error> {
        match name.split(':').next() {
            Some("cpu" | "reference") => Ok(Device),
            Some(_) | None => Err(Error::NoDevice(name.to_owned())),
        }
    }
    pub fn enter(&self) -> DeviceGuard {
        DeviceGuard
    }
}

pub struct DeviceGuard;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("[{0}] is not supported: the stand-in does not know it")]
    Unsupported(String),
    #[error("[open] no device {0:?}")]
    NoDevice(String),
    #[error("[{0}] is not defined for these dtypes")]
    DTypes(String),
}

impl Error {
    pub fn class(&self) -> &'static str {
        match self {
            Error::Unsupported(_) => "NotImplementedError",
            Error::NoDevice(_) => "ValueError",
            Error::DTypes(_) => "TypeError",
        }
    }
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Error::Unsupported(_))
    }
}

pub fn row_names() -> impl Iterator<Item = &'static str> {
    ["np.positive", "np.add"].into_iter()
}

pub fn call(name: &str, args: &[Value], _: &[(String, Value)]) -> Result<Value, Error> {
    match (name, args) {
        ("np.positive", [Value::Array(array)]) => Ok(Value::Array(array.clone())),
        ("np.negative", [Value::Array(array)]) if array.dtype.0 == Dtype::Bool => {
            Err(Error::DTypes(name.to_owned()))
        }
        ("np.add", [Value::Array(a), Value::Array(b)])
            if a.shape == b.shape && a.dtype.0 == Dtype::Float64 && a.dtype == b.dtype =>
        {
            let value = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("8 bytes"));
            let sums = a.bytes.chunks(8).zip(b.bytes.chunks(8));
            let bytes = sums.flat_map(|(a, b)| (value(a) + value(b)).to_le_bytes()).collect();
            Ok(Value::Array(Array { dtype: a.dtype, shape: a.shape.clone(), bytes }))
        }
        _ => Err(Error::Unsupported(name.to_owned())),
    }
}
