//! What a raw kernel declares, whether that makes sense, and the code that it comes to for the dtypes of a call.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ndany_core::backend::{RawBody, RawCode, RawKind, RawParameter, RawText};
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use super::arguments::Argument;

/// The dtype of a parameter: a [`DType`], or the name of a type that a call or [`RawKernel::define`] binds.
///
/// [`RawKernel::define`]: super::RawKernel::define
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawType {
    /// This one.
    DType(DType),
    /// That of the first argument of a parameter with this name of a type.
    Named(&'static str),
}

impl From<DType> for RawType {
    fn from(dtype: DType) -> Self {
        Self::DType(dtype)
    }
}
impl From<&'static str> for RawType {
    fn from(name: &'static str) -> Self {
        Self::Named(name)
    }
}

/// How the elements of an array have to lie for a raw kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RawLayout {
    /// In C order; an array that lies otherwise is copied.
    #[default]
    Contiguous,
    /// In C order, the first element at a multiple of this number of bytes, for vector loads.
    Aligned(usize),
    /// In any way: views are passed with their strides, without a copy.
    Strided,
}

/// An array as a raw kernel declares it: its dtype (or the name of a type), with its number of axes and how its elements lie.
///
/// The number of axes is what the body indexes by: `x(i, j)` of two. In the text of a body a strided array needs it.
///
/// ```
/// use ndany::kernel::{RawKernel, RawLayout};
/// use ndany::prelude::*;
/// let kernel = RawKernel::new("corner", "y(0, 0) = (T)x(1, 1);")
///     .input("x", ("T", 2, RawLayout::Strided))
///     .inout("y", ("T", 2))
///     .inout("z", (F32, RawLayout::Aligned(16)))
///     .output("w", F32);
/// # let _ = kernel;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawOperand {
    pub(super) ty: RawType,
    pub(super) rank: Option<usize>,
    pub(super) layout: RawLayout,
}

impl RawOperand {
    pub(super) fn is_strided(&self) -> bool {
        self.layout == RawLayout::Strided
    }

    /// The bytes of which the address of the first element is a multiple.
    pub(super) fn alignment(&self) -> usize {
        match self.layout {
            RawLayout::Aligned(bytes) => bytes,
            RawLayout::Contiguous | RawLayout::Strided => 1,
        }
    }
}

impl<T: Into<RawType>> From<T> for RawOperand {
    fn from(ty: T) -> Self {
        Self { ty: ty.into(), rank: None, layout: RawLayout::default() }
    }
}
impl<T: Into<RawType>> From<(T, usize)> for RawOperand {
    fn from((ty, rank): (T, usize)) -> Self {
        Self { ty: ty.into(), rank: Some(rank), layout: RawLayout::default() }
    }
}
impl<T: Into<RawType>> From<(T, RawLayout)> for RawOperand {
    fn from((ty, layout): (T, RawLayout)) -> Self {
        Self { ty: ty.into(), rank: None, layout }
    }
}
impl<T: Into<RawType>> From<(T, usize, RawLayout)> for RawOperand {
    fn from((ty, rank, layout): (T, usize, RawLayout)) -> Self {
        Self { ty: ty.into(), rank: Some(rank), layout }
    }
}

/// What a name stands for in the text of a raw kernel: a number, a text, or a type of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A macro with this text.
    Text(String),
    /// A type.
    DType(DType),
}

impl From<i64> for Definition {
    fn from(value: i64) -> Self {
        Self::Text(value.to_string())
    }
}
impl From<f64> for Definition {
    fn from(value: f64) -> Self {
        Self::Text(format!("{value:?}"))
    }
}
impl From<&str> for Definition {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}
impl From<DType> for Definition {
    fn from(dtype: DType) -> Self {
        Self::DType(dtype)
    }
}

/// How a kernel uses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Input,
    InOut,
    Output,
}

/// What a parameter is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Scalar(RawType),
    Structure { name: &'static str, bytes: usize, align: usize },
    Array(ArrayParameter),
}

/// An array as a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayParameter {
    pub(super) operand: RawOperand,
    pub(super) access: Access,
}

/// A declared parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

impl Parameter {
    fn ty(&self) -> Option<RawType> {
        match &self.kind {
            Kind::Scalar(ty) => Some(*ty),
            Kind::Array(parameter) => Some(parameter.operand.ty),
            Kind::Structure { .. } => None,
        }
    }

    /// What a call has to give.
    pub(super) fn expected(&self) -> String {
        match &self.kind {
            Kind::Scalar(_) => "a number".to_string(),
            Kind::Structure { bytes, .. } => format!("a structure of {bytes} bytes"),
            Kind::Array(parameter) => match parameter.access {
                Access::Input => "an array to read (&x)".to_string(),
                Access::InOut => "an array to write (&mut x)".to_string(),
                Access::Output => "the shape of a new array".to_string(),
            },
        }
    }
}

/// Where a kernel's text is.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A body, and text in front of the kernel.
    Body { preamble: String, body: String },
    /// A module, and why the kernel cannot be one of it.
    Module(Arc<RawCode>, Option<String>),
}

/// The codes of a kernel by the dtypes of its named types.
type ByTypes = Vec<(SmallVec<[DType; 4]>, Arc<RawCode>)>;

/// What a declaration has come to.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// Set once the declaration was found to make sense.
    sound: OnceLock<()>,
    made: Mutex<ByTypes>,
}

/// A kernel as it was declared.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) types: Vec<(&'static str, DType)>,
    pub(super) defines: Vec<(&'static str, String)>,
    pub(super) source: Source,
    pub(super) shared: usize,
    pub(super) cooperative: bool,
    pub(super) contract: bool,
    pub(super) checked: bool,
    /// The first option that was asked for in vain.
    pub(super) misused: Option<&'static str>,
    /// Of this declaration; others have their own.
    pub(super) codes: Arc<Codes>,
}

/// Whether a text is a name in C++ that the engine leaves to users.
fn is_name(text: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.chars().next().is_some_and(begins)
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text.starts_with("ndany_")
        && !text.contains("__")
}

impl Declared {
    pub(super) fn arguments(&self, reason: String) -> Error {
        Error::Arguments { op: self.name.to_string(), reason }
    }

    /// Whether the declaration makes sense; looked at once.
    pub(super) fn check(&self) -> Result<()> {
        if self.codes.sound.get().is_none() {
            self.look()?;
            self.codes.sound.get_or_init(|| ());
        }
        Ok(())
    }

    #[cold]
    fn look(&self) -> Result<()> {
        if let Some(reason) = self.misused {
            return Err(self.arguments(reason.to_string()));
        }
        if let Source::Module(_, Some(reason)) = &self.source {
            return Err(self.arguments(reason.clone()));
        }
        let is_body = matches!(self.source, Source::Body { .. });
        let types = self.parameters.iter().filter_map(Parameter::ty).filter_map(|ty| match ty {
            RawType::Named(name) => Some(name),
            RawType::DType(_) => None,
        });
        let mut type_names: SmallVec<[&'static str; 4]> = SmallVec::new();
        for name in types.chain(self.types.iter().map(|(name, _)| *name)) {
            if !type_names.contains(&name) {
                type_names.push(name);
            }
        }
        let names = self.parameters.iter().map(|parameter| parameter.name);
        let names = names.chain(self.defines.iter().map(|(name, _)| *name)).chain(type_names);
        let mut seen: SmallVec<[&'static str; 8]> = SmallVec::new();
        for name in is_body.then_some(self.name).into_iter().chain(names) {
            if !is_name(name) {
                let reason = format!(
                    "{name:?} is no name: expected letters, digits and single _, the first no digit, not ndany_ in front"
                );
                return Err(self.arguments(reason));
            }
            if seen.contains(&name) {
                return Err(self.arguments(format!("the name {name} is declared twice")));
            }
            if is_body && ndany_core::backend::RAW_WORDS.binary_search(&name).is_ok() {
                let reason = format!("the name {name} is a word of raw kernels: expected another");
                return Err(self.arguments(reason));
            }
            seen.push(name);
        }
        for parameter in &self.parameters {
            match &parameter.kind {
                Kind::Array(ArrayParameter { operand, .. })
                    if is_body && operand.is_strided() && operand.rank.is_none() =>
                {
                    let name = parameter.name;
                    let reason = format!(
                        "{name} is strided without a number of axes: expected (dtype, axes, RawLayout::Strided)"
                    );
                    return Err(self.arguments(reason));
                }
                Kind::Array(ArrayParameter { operand, .. })
                    if !operand.alignment().is_power_of_two() =>
                {
                    let (name, align) = (parameter.name, operand.alignment());
                    let reason = format!("{name} is aligned to {align}: expected a power of two");
                    return Err(self.arguments(reason));
                }
                Kind::Structure { align, .. } if is_body && *align > 8 => {
                    let name = parameter.name;
                    let reason = format!(
                        "the structure {name} is aligned to {align} bytes: expected at most 8"
                    );
                    return Err(self.arguments(reason));
                }
                Kind::Scalar(_) | Kind::Structure { .. } | Kind::Array(_) => {}
            }
        }
        Ok(())
    }

    /// The dtype of a parameter, where names of types are bound to these.
    fn bound(ty: RawType, types: &[(&'static str, DType)]) -> Option<DType> {
        match ty {
            RawType::DType(dtype) => Some(dtype),
            RawType::Named(name) => {
                types.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
            }
        }
    }

    /// The dtypes of the parameters for these arguments, whose number and kinds are right; and what names of types are.
    #[allow(clippy::type_complexity, reason = "two lists that are made together")]
    pub(super) fn dtypes(
        &self,
        arguments: &[Argument<'_>],
    ) -> Result<(SmallVec<[Option<DType>; 8]>, SmallVec<[(&'static str, DType); 4]>)> {
        let mut types: SmallVec<[(&'static str, DType); 4]> = SmallVec::new();
        types.extend_from_slice(&self.types);
        for (parameter, argument) in self.parameters.iter().zip(arguments) {
            let (Some(ty), Some(given)) = (parameter.ty(), argument.dtype()) else { continue };
            match (Self::bound(ty, &types), ty) {
                (None, RawType::Named(name)) => types.push((name, given)),
                (Some(expected), _) if expected != given => {
                    let of = match ty {
                        RawType::Named(name) => format!(" ({name})"),
                        RawType::DType(_) => String::new(),
                    };
                    let name = parameter.name;
                    let reason = format!("dtype of {name}: expected {expected}{of}, got {given}");
                    return Err(self.arguments(reason));
                }
                (Some(_) | None, _) => {}
            }
        }
        let mut dtypes = SmallVec::new();
        for parameter in &self.parameters {
            let dtype = parameter.ty().map(|ty| match (Self::bound(ty, &types), ty) {
                (Some(dtype), _) => Ok(dtype),
                (None, RawType::Named(name)) => {
                    let reason = format!(
                        "no argument has the dtype {name}: bind it with define({name:?}, dtype)"
                    );
                    Err(self.arguments(reason))
                }
                (None, RawType::DType(_)) => unreachable!("it is bound"),
            });
            dtypes.push(dtype.transpose()?);
        }
        Ok((dtypes, types))
    }

    /// The code for these types.
    pub(super) fn code(&self, types: &[(&'static str, DType)]) -> Arc<RawCode> {
        let Source::Body { preamble, body } = &self.source else {
            let Source::Module(code, _) = &self.source else { unreachable!("one of two") };
            return code.clone();
        };
        let key: SmallVec<[DType; 4]> = types.iter().map(|(_, dtype)| *dtype).collect();
        let mut codes = self.codes.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, code)) = codes.iter().find(|(known, _)| *known == key) {
            return code.clone();
        }
        let bound = |ty| match Self::bound(ty, types) {
            Some(dtype) => dtype,
            None => unreachable!("all names of types are bound"),
        };
        let kind = |kind: &Kind| match *kind {
            Kind::Scalar(ty) => RawKind::Scalar(bound(ty)),
            Kind::Structure { name, bytes, .. } => RawKind::Structure { name, bytes },
            Kind::Array(ArrayParameter { operand, access }) => RawKind::Array {
                dtype: bound(operand.ty),
                rank: operand.rank.unwrap_or(0),
                strided: operand.is_strided(),
                writes: access != Access::Input,
            },
        };
        let parameters = self
            .parameters
            .iter()
            .map(|parameter| RawParameter { name: parameter.name, kind: kind(&parameter.kind) });
        let body = RawBody {
            parameters: parameters.collect(),
            types: types.to_vec(),
            defines: self.defines.clone(),
            preamble: preamble.clone(),
            body: body.clone(),
            cooperative: self.cooperative,
            checked: self.checked,
        };
        let text = RawText::Body(body);
        let code = RawCode::new(self.name, text, self.contract, Vec::new(), Vec::new());
        let code = Arc::new(code);
        codes.push((key, code.clone()));
        code
    }
}
