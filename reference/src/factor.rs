//! Linear algebra, matrix after matrix, in 64 bits a part and rounded to the dtype at the end.

use num_complex::Complex64 as C;

use super::{Reference, bytes_of, read_lock};
use crate::linalg::{self, Dense};
use ndany_core::backend::{Checked, Factor, Factoring, LinearAlgebra};
use ndany_core::host;
use ndany_core::{DType, Result};

/// Does the task for one matrix: the bytes of its outputs and LAPACK's `info`. The bytes of the inputs are those of this
/// matrix alone. A CPU without a library of linear algebra does it like this, too.
pub fn factor_one(factor: &Factor<'_>, inputs: &[&[u8]]) -> (Vec<Vec<u8>>, i32) {
    let (m, n) = (factor.rows, factor.columns);
    let right = match factor.task {
        Factoring::Solve { right, .. } => right,
        _ => 0,
    };
    let shapes = [(m, n), (n, right)];
    let matrices = inputs.iter().zip(shapes).map(|(bytes, (rows, columns))| {
        let size = factor.dtype.size();
        let values = bytes.chunks_exact(size).map(|bytes| read(factor.dtype, bytes)).collect();
        Dense::new(rows, columns, values)
    });
    let real = factor.dtype == factor.dtype.part();
    let (outputs, status) = linalg::factor(factor.task, matrices.collect(), real);
    let written = outputs.iter().zip(factor.output_dtypes()).map(|(values, dtype)| {
        let mut bytes = Vec::with_capacity(values.len() * dtype.size());
        values.iter().for_each(|value| write_to(&mut bytes, dtype, *value));
        bytes
    });
    (written.collect(), status)
}

pub(super) fn read(dtype: DType, bytes: &[u8]) -> C {
    let single = |at: usize| {
        f64::from(f32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
    };
    let double = |at: usize| {
        let mut part = [0; 8];
        part.copy_from_slice(&bytes[at..at + 8]);
        f64::from_ne_bytes(part)
    };
    match dtype {
        DType::F32 => C::from(single(0)),
        DType::F64 => C::from(double(0)),
        DType::C64 => C::new(single(0), single(4)),
        DType::C128 => C::new(double(0), double(8)),
        _ => unreachable!("core asks for floats of 32 and 64 bits"),
    }
}

/// Appends the bytes of a value, rounded to the dtype.
pub(super) fn write_to(bytes: &mut Vec<u8>, dtype: DType, value: C) {
    let single = |x: f64| (x as f32).to_ne_bytes();
    match dtype {
        DType::F32 => bytes.extend(single(value.re)),
        DType::F64 => bytes.extend(value.re.to_ne_bytes()),
        DType::C64 => bytes.extend([single(value.re), single(value.im)].as_flattened()),
        DType::C128 => {
            bytes.extend([value.re.to_ne_bytes(), value.im.to_ne_bytes()].as_flattened());
        }
        DType::I32 => bytes.extend((value.re as i32).to_ne_bytes()),
        _ => unreachable!("no task writes others"),
    }
}

impl LinearAlgebra for Reference {
    fn can(&self, _: Factoring) -> bool {
        true
    }

    fn factor(&self, factor: Checked<&Factor<'_>>) -> Result<()> {
        let (taken, made) = factor.sizes();
        let dtypes = factor.output_dtypes();
        // Only a bound: the plain loops allocate vectors as they go, so another thread may take what is found here.
        host::ensure_memory_for(self, factor.host_bytes(2 * size_of::<C>()))?;
        for matrix in 0..factor.batch {
            let inputs: Vec<Vec<u8>> = factor
                .inputs
                .iter()
                .zip(&taken)
                .enumerate()
                .map(|(number, (input, elements))| {
                    let size = factor.dtype.size();
                    let first = (input.offset + factor.place(number, matrix) * elements) * size;
                    read_lock(input.memory)[first..][..elements * size].to_vec()
                })
                .collect();
            let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            let (outputs, status) = factor_one(&factor, &inputs);
            let places = factor.outputs.iter().zip(&made).zip(&dtypes);
            for (bytes, ((place, elements), dtype)) in outputs.iter().zip(places) {
                let first = (place.offset + matrix * elements) * dtype.size();
                store(place.memory, first, bytes);
            }
            let at = (factor.status.offset + matrix) * size_of::<i32>();
            store(factor.status.memory, at, &status.to_ne_bytes());
        }
        Ok(())
    }
}

pub(super) fn store(memory: &dyn ndany_core::backend::Memory, first: usize, bytes: &[u8]) {
    let mut memory = bytes_of(memory).write().unwrap_or_else(std::sync::PoisonError::into_inner);
    memory[first..][..bytes.len()].copy_from_slice(bytes);
}
