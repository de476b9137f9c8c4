//! Plans matrix products on the project's own kernel.

use ndany_core::Result;
use ndany_core::backend::{Matmul, StridedView};
use ndany_kernels::gemm::{BLOCK, Gemm, TILE};

use crate::job::Job;
use crate::operand::{Arguments, Operand, index_map, is_wide};

pub(crate) fn matmul(job: &Job<'_>, product: &Matmul<'_>) -> Result<()> {
    let Matmul { batch, m, k, n, left, right, out } = product;
    let axes = batch.len();
    let operands: Vec<Operand> = [left, right, out].map(Operand::new).into_iter().collect();
    let over_batch: Vec<Operand> =
        operands.iter().map(|operand| operand.along(&operand.strides[..axes])).collect();
    let wide = is_wide(batch, &over_batch);
    let (down, across) = (m.div_ceil(TILE), n.div_ceil(TILE));
    let mut arguments = Arguments::default();
    arguments.extend([*m as u64, *k as u64, *n as u64]);
    arguments.divisor(across, false);
    arguments.divisor(down * across, false);
    let index_map = index_map(batch, &over_batch, 0..axes, wide, &mut arguments);
    let kernel = Gemm { dtype: out.dtype, batch: index_map };
    let inner =
        |place: &StridedView<'_>| [axes, axes + 1].map(|axis| place.strides[axis] as i64 as u64);
    arguments.extend([left, right, out].into_iter().flat_map(inner));
    arguments.addresses(&operands);
    let batches: usize = batch.iter().product();
    job.launch(&kernel, batches * down * across, BLOCK, &arguments)
}
