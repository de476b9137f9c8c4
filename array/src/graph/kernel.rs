//! Kernels made of closures, in the graph: code that is recorded in the program of whoever computes the result.

use std::panic::Location;
use std::sync::Arc;

use smallvec::SmallVec;

use super::node::{Expr, KernelExpr, Siblings};
use super::{Array, Launched, Operand, in_order, launched, submit};
use ndany_core::program::Body;
use ndany_core::{DType, Result};

/// The code of a kernel for operands of certain dtypes.
#[derive(Debug)]
pub(crate) struct TracedKernel {
    /// Its name, for errors.
    pub(crate) name: &'static str,
    /// The dtypes to which operands, and parameters after them, are converted. Their registers are the arguments of `body`,
    /// two of a complex number.
    pub(crate) operands: SmallVec<[DType; 4]>,
    pub(crate) outputs: SmallVec<[TracedOutput; 2]>,
    pub(crate) body: Body,
    /// Whether it asks for positions in the result.
    pub(crate) asks_position: bool,
    /// Whether an element may have no result.
    pub(crate) fails: bool,
    /// How many operations it counts as, at most as many as may wait behind a value.
    pub(crate) steps: u32,
}

/// A result of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedOutput {
    pub(crate) dtype: DType,
    /// Which result of the body is its (real) part.
    pub(crate) first: usize,
}

impl TracedKernel {
    /// Asks for the results. The operands are taken out of the slice.
    ///
    /// # Errors
    /// Shapes that do not broadcast, operands on two devices, a number that its dtype does not hold.
    #[track_caller]
    pub(crate) fn ask(self: &Arc<Self>, operands: &mut [Operand]) -> Result<SmallVec<[Array; 2]>> {
        let largest =
            self.outputs.iter().map(|output| output.dtype).max_by_key(|dtype| dtype.size());
        let largest = largest.unwrap_or(DType::Bool);
        // Positions count along the axes as they are.
        let Launched { shape, device, args, axes } = match self.asks_position {
            true => in_order(self.name, operands, &self.operands, largest)?,
            false => launched(self.name, operands, &self.operands, largest)?,
        };
        let siblings = (self.outputs.len() > 1).then(|| Arc::new(Siblings::new()));
        let origin = Location::caller();
        let results: SmallVec<[Array; 2]> = (0..self.outputs.len())
            .map(|output| {
                let (kernel, args, siblings) = (self.clone(), args.clone(), siblings.clone());
                let expr = Expr::Kernel(KernelExpr { kernel, args, output, siblings });
                submit(shape.clone(), self.outputs[output].dtype, device.clone(), origin, expr)
            })
            .collect();
        if let Some(siblings) = siblings {
            let nodes = results.iter().map(|result| Arc::downgrade(result.node())).collect();
            // Never set before: this call made it.
            let _ = siblings.set(nodes);
        }
        Ok(results.into_iter().map(|result| result.unordered(axes.as_deref())).collect())
    }
}
