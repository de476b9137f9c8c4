//! Parameters of kernels: numbers that are given with each call.

use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::graph::Operand;
use crate::scalar::Scalar;

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) dtype: DType,
    value: Scalar,
}

/// The parameters of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Params(SmallVec<[Param; 2]>);

impl Params {
    /// Declares a parameter, or declares it anew.
    pub(super) fn declare(&mut self, name: &'static str, dtype: DType, value: Scalar) {
        self.0.retain(|param| param.name != name);
        self.0.push(Param { name, dtype, value });
    }

    /// Gives a parameter of kernel `op` another value.
    pub(super) fn set(&mut self, op: &str, name: &str, value: Scalar) -> Result<()> {
        match self.0.iter_mut().find(|param| param.name == name) {
            Some(param) => {
                param.value = value;
                Ok(())
            }
            None => {
                let reason = format!("there is no parameter {name:?}");
                Err(Error::Arguments { op: op.to_string(), reason })
            }
        }
    }

    pub(super) fn as_slice(&self) -> &[Param] {
        &self.0
    }

    /// Their values as operands.
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> {
        let typed = |param: &Param| Operand::Scalar(Scalar::typed(param.dtype, param.value));
        self.0.iter().map(typed)
    }
}
