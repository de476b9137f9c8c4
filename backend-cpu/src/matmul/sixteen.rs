//! Products of 16-bit floats: operands and result are converted through f32, in which faer multiplies and adds.

use ndany_core::Result;
use ndany_core::backend::{Matmul, StridedView};
use ndany_core::shape::{Shape, contiguous_strides, size_of};

use super::{F32, Matrices, Products};
use crate::Cpu;
use crate::interpreter::BLOCK;
use crate::loops::{LoopFn, Loops};
use crate::memory::{Address, Scratch};
use crate::strided_cursor::StridedCursor;
use crate::threads::Threads;

pub(super) fn matmul(product: &Matmul<'_>, cpu: &Cpu) -> Result<()> {
    let (level, threads) = (cpu.level, &cpu.threads);
    let dtype = product.out.dtype;
    let (Some(widen), Some(narrow)) = (level.widen(dtype), level.narrow(dtype)) else {
        unreachable!("{dtype} is no 16-bit float")
    };
    let Matmul { m, k, n, .. } = *product;
    let shape =
        |rows, columns| -> Shape { product.batch.iter().copied().chain([rows, columns]).collect() };
    let mut left = Wide::read(&product.left, &shape(m, k), widen, threads)?;
    let mut right = Wide::read(&product.right, &shape(k, n), widen, threads)?;
    let mut out = Wide::empty(&shape(m, n))?;
    if k == 0 {
        let bytes = size_of(&shape(m, n)) * std::mem::size_of::<f32>();
        // SAFETY: the result's own memory has these bytes, and zeros are floats.
        unsafe { std::ptr::write_bytes(out.values.address(), 0, bytes) };
    }
    let products = Products {
        batch: product.batch.clone(),
        m,
        k,
        n,
        left: left.matrices(),
        right: right.matrices(),
        out: out.matrices(),
    };
    F32.multiply(&products, threads, cpu)?;
    out.write(&product.out, narrow, threads)
}

/// A packed copy in f32; broadcast axes have extent 1.
struct Wide {
    values: Scratch,
    shape: Shape,
    strides: Vec<isize>,
}

impl Wide {
    /// A copy with zero elements.
    fn empty(shape: &[usize]) -> Result<Self> {
        let strides = contiguous_strides(shape).to_vec();
        let values = Scratch::new(size_of(shape).saturating_mul(std::mem::size_of::<f32>()))?;
        Ok(Self { values, shape: Shape::from_slice(shape), strides })
    }

    fn matrices(&mut self) -> Matrices<f32> {
        let (batch, last) = self.strides.split_at(self.strides.len() - 2);
        Matrices {
            start: self.values.address().cast(),
            batch: batch.iter().copied().collect(),
            row: last[0],
            column: last[1],
        }
    }

    fn read(
        place: &StridedView<'_>,
        shape: &[usize],
        widen: LoopFn,
        threads: &Threads,
    ) -> Result<Self> {
        let own: Shape = shape
            .iter()
            .zip(&place.strides)
            .map(|(&extent, &stride)| if stride == 0 { 1 } else { extent })
            .collect();
        let mut wide = Wide::empty(&own)?;
        for (step, &stride) in wide.strides.iter_mut().zip(&place.strides) {
            *step = if stride == 0 { 0 } else { *step };
        }
        let cursor = StridedCursor::new(place, &own, 0);
        let size = size_of(&wide.shape);
        let to = Address(wide.values.address().cast::<f32>());
        threads.split(size, BLOCK, size, |begin, end| {
            let mut raw = [0u16; BLOCK];
            for index in (begin..end).step_by(BLOCK) {
                let count = BLOCK.min(end - index);
                // SAFETY: `Checked` places the operand's elements in its memory; the slot holds a block; ranges of
                // different threads are disjoint parts of `values`.
                unsafe {
                    let from = cursor.direct(index, count).unwrap_or_else(|| {
                        cursor.gather(index, count, raw.as_mut_ptr().cast());
                        raw.as_mut_ptr().cast()
                    });
                    widen(to.at(index).cast(), [from.cast_const(); 3], count);
                }
            }
            Ok(())
        })?;
        Ok(wide)
    }

    fn write(&mut self, place: &StridedView<'_>, narrow: LoopFn, threads: &Threads) -> Result<()> {
        let cursor = StridedCursor::new(place, &self.shape, 0);
        let size = size_of(&self.shape);
        let from = Address(self.values.address().cast::<f32>());
        threads.split(size, BLOCK, size, |begin, end| {
            let mut raw = [0u16; BLOCK];
            for index in (begin..end).step_by(BLOCK) {
                let count = BLOCK.min(end - index);
                let values = from.at(index).cast::<u8>().cast_const();
                // SAFETY: as in `read`; no other code uses the output while its launch runs.
                unsafe {
                    match cursor.direct(index, count) {
                        Some(to) => narrow(to, [values; 3], count),
                        None => {
                            let fault = narrow(raw.as_mut_ptr().cast(), [values; 3], count);
                            cursor.scatter(index, count, raw.as_ptr().cast());
                            fault
                        }
                    };
                }
            }
            Ok(())
        })
    }
}
