//! Planning matrix products on the project's own kernel.

use ndany_core::Result;
use ndany_core::backend::{Matmul, StridedView};
use ndany_kernels::gemm::{BLOCK, Gemm, TILE};

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Arguments, Operand, is_wide, walk};

pub(crate) fn matmul<D: Driver>(job: &Job<'_, D>, product: &Matmul<'_>) -> Result<()> {
    let Matmul { batch, m, k, n, left, right, out } = product;
    let axes = batch.len();
    let operands: Vec<Operand> = [left, right, out].map(Operand::new::<D>).into_iter().collect();
    let over_batch: Vec<Operand> =
        operands.iter().map(|operand| operand.along(&operand.strides[..axes])).collect();
    let wide = is_wide(batch, &over_batch);
    let (walk, strides) = walk(batch, &over_batch, 0..axes, wide);
    let kernel = Gemm { dtype: out.dtype, batch: walk };
    let (down, across) = (m.div_ceil(TILE), n.div_ceil(TILE));
    let mut words = Arguments::default();
    words.extend([*m as u64, *k as u64, *n as u64]);
    words.divisor(across, false);
    words.divisor(down * across, false);
    words.append(&strides);
    let inner =
        |place: &StridedView<'_>| [axes, axes + 1].map(|axis| place.strides[axis] as i64 as u64);
    words.extend([left, right, out].into_iter().flat_map(inner));
    words.addresses(&operands);
    let batches: usize = batch.iter().product();
    job.launch(&kernel, batches * down * across, BLOCK, &words)
}
