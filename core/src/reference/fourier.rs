//! Fourier transforms, row after row, in 64 bits a part and rounded to the dtype at the end.

use num_complex::Complex64 as C;

use super::factor::{read, store, write};
use super::{Reference, read_lock};
use crate::backend::{Fourier, Transform, Transformation};
use crate::error::Result;
use crate::fft::plain;
use crate::host;

/// Bytes that [`transform_one`] takes for itself: the row and its values, roots, and what the steps of the recursion hold,
/// each of as many elements as the row; of a length with a large prime factor those of three convolutions of up to four
/// times the length.
pub fn transform_bytes(transform: &Transform<'_>) -> usize {
    let rows = if plain::convolves(transform.length) { 48 } else { 12 };
    transform.length.saturating_mul(rows * size_of::<C>())
}

/// Transforms one row: the bytes of its output. A CPU without a library of transforms does it like this, too.
pub fn transform_one(transform: &Transform<'_>, input: &[u8]) -> Vec<u8> {
    let [from, to] = transform.dtypes();
    let given: Vec<C> = input.chunks_exact(from.size()).map(|bytes| read(from, bytes)).collect();
    let n = transform.length;
    let mut values = match transform.kind {
        Transformation::Forward | Transformation::RealToHalf => plain::forward(&given),
        Transformation::Backward => plain::backward(&given),
        Transformation::HalfToReal => plain::backward(&plain::whole(&given, n)),
    };
    values.truncate(transform.extents()[1]);
    values.iter().flat_map(|value| write(to, value * transform.scale)).collect()
}

impl Fourier for Reference {
    fn transform(&self, transform: &Transform<'_>) -> Result<()> {
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        host::room_for(self, transform_bytes(transform))?;
        for row in 0..transform.rows {
            let first = (transform.input.offset + row * taken) * from.size();
            let input = read_lock(transform.input.memory)[first..][..taken * from.size()].to_vec();
            let first = (transform.output.offset + row * made) * to.size();
            store(transform.output.memory, first, &transform_one(transform, &input));
        }
        Ok(())
    }
}
