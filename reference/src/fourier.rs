//! Fourier transforms, row after row, in 64 bits a part and rounded to the dtype at the end.

use super::factor::{read, store, write_to};
use super::{Reference, read_lock};
use crate::fft;
use ndany_core::Result;
use ndany_core::backend::{Checked, Fourier, Transform, Transformation};
use ndany_core::host::{Lack, gathered, reserved};

/// Transforms one row: the bytes of its output. A CPU without a library of transforms does it like this, too.
///
/// # Errors
/// Number of bytes that could not be allocated.
pub fn transform_one(
    transform: &Transform<'_>,
    input: &[u8],
) -> std::result::Result<Vec<u8>, Lack> {
    let [from, to] = transform.dtypes();
    let values = input.chunks_exact(from.size()).map(|bytes| read(from, bytes));
    let (given, n) = (gathered(values.len(), values)?, transform.length);
    let mut values = match transform.kind {
        Transformation::Forward | Transformation::RealToHalf => fft::forward(&given)?,
        Transformation::Backward => fft::backward(&given)?,
        Transformation::HalfToReal => fft::backward(&fft::from_half(&given, n)?)?,
    };
    values.truncate(transform.extents()[1]);
    let mut bytes = reserved(values.len() * to.size())?;
    values.iter().for_each(|value| write_to(&mut bytes, to, value * transform.scale));
    Ok(bytes)
}

impl Fourier for Reference {
    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()> {
        transform.one_after_the_other(false, false)?;
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        for row in 0..transform.rows {
            let first = (transform.input.offset + row * taken) * from.size();
            let bytes = taken * from.size();
            let input = gathered(
                bytes,
                read_lock(transform.input.memory)[first..][..bytes].iter().copied(),
            );
            let output = input.and_then(|input| transform_one(&transform, &input));
            let first = (transform.output.offset + row * made) * to.size();
            store(transform.output.memory, first, &output.map_err(|lack| lack.of(self))?);
        }
        Ok(())
    }
}
