//! Fourier transforms: by rustfft if that feature is on, else by the reference's plain loops. Threads share the rows.
//!
//! Interleaved rows (the columns of a matrix) are copied into the cache a few at a time and transformed there.
//! A transposed copy of the whole input would pass through memory twice more.

use std::ops::Range;

use ndany_core::Result;
use ndany_core::backend::{Checked, Fourier, Transform};
use ndany_core::host::{Lack, reserved};

use crate::Cpu;
use crate::batch::Batch;

/// Bytes of the rows that are copied together: half of a core's own cache.
const CACHED_BYTES: usize = 1 << 18;
/// Bytes of a cache line.
const LINE: usize = 64;

impl Fourier for Cpu {
    fn takes_rows_side_by_side(&self) -> bool {
        true
    }

    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()> {
        transform.one_after_the_other(true, false)?;
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        let input = Batch::new(&transform.input, taken, from);
        let output = Batch::new(&transform.output, made, to);
        // Two steps plus one for each doubling of the length.
        let steps = 2 + transform.length.ilog2() as usize;
        let cost = transform.rows * transform.length * steps;
        let unit = rows_per_load(&transform);
        self.threads.split(transform.rows, unit, cost, |begin, end| {
            rows(self, &transform, input, output, begin, end)
        })
    }
}

/// Number of input rows that are copied together: whole cache lines, if there are that many rows.
fn rows_per_load(transform: &Transform<'_>) -> usize {
    let (size, row) = (transform.dtypes()[0].size(), transform.extents()[0]);
    (CACHED_BYTES / (row * size)).clamp(LINE / size, 512).min(transform.beside)
}

/// The rows of the input, contiguous.
struct Source<'t, T> {
    transform: &'t Transform<'t>,
    input: Batch,
    /// Elements of a row.
    length: usize,
    /// Elements from one copied row to the next. An extra cache line per row gives the elements that are
    /// written in turn different cache sets.
    step: usize,
    cached: Vec<T>,
    /// Their row numbers.
    rows: Range<usize>,
}

impl<'t, T: Copy> Source<'t, T> {
    /// # Safety
    /// Nothing writes the input, and `T` has the size of its elements and is valid for any bytes.
    unsafe fn new(transform: &'t Transform<'t>, input: Batch) -> Self {
        let length = transform.extents()[0];
        let step = length + LINE / size_of::<T>();
        Self { transform, input, length, step, cached: Vec::new(), rows: 0..0 }
    }

    /// Row `row`; rows up to `end` may be copied with it.
    fn row(&mut self, row: usize, end: usize) -> std::result::Result<&[T], Lack> {
        let beside = self.transform.beside;
        if beside == 1 {
            // SAFETY: as `new` says.
            return Ok(unsafe { self.input.read(row) });
        }
        if !self.rows.contains(&row) {
            self.load(row, end.min(row + rows_per_load(self.transform)))?;
        }
        Ok(&self.cached[(row - self.rows.start) * self.step..][..self.length])
    }

    /// Copies rows from `begin` up to `end`, or up to the last row of the same interleaved group.
    fn load(&mut self, begin: usize, end: usize) -> std::result::Result<(), Lack> {
        let Transform { rows, beside, .. } = *self.transform;
        let (block, first) = (begin / beside, begin % beside);
        let count = (end - begin).min(beside - first);
        // SAFETY: as `new` says.
        let all: &[T] = unsafe { self.input.all(rows) };
        let block = &all[block * beside * self.length..][..beside * self.length];
        if self.cached.capacity() < count * self.step {
            self.cached = reserved(count * self.step)?;
        }
        self.cached.resize(count * self.step, all[0]);
        for (place, line) in block.chunks_exact(beside).enumerate() {
            for (row, &element) in line[first..][..count].iter().enumerate() {
                self.cached[row * self.step + place] = element;
            }
        }
        self.rows = begin..begin + count;
        Ok(())
    }
}

#[cfg(not(feature = "fft"))]
fn rows(
    cpu: &Cpu,
    transform: &Transform<'_>,
    input: Batch,
    output: Batch,
    begin: usize,
    end: usize,
) -> Result<()> {
    use ndany_reference::transform_one;
    let size = transform.dtypes()[0].size();
    macro_rules! by_loops {
        ($element:ty) => {{
            // SAFETY: the input is only read, and its elements are that many bytes, any of which are valid
            // numbers.
            let mut source = unsafe { Source::<$element>::new(transform, input) };
            for row in begin..end {
                let made = source
                    .row(row, end)
                    .and_then(|from| transform_one(transform, from.as_flattened()))
                    .map_err(|lack| lack.of(cpu))?;
                // SAFETY: each row is passed once; bytes are bytes.
                unsafe { output.write::<u8>(row) }.copy_from_slice(&made);
            }
        }};
    }
    match size {
        4 => by_loops!([u8; 4]),
        8 => by_loops!([u8; 8]),
        _ => by_loops!([u8; 16]),
    }
    Ok(())
}

#[cfg(feature = "fft")]
fn rows(
    cpu: &Cpu,
    transform: &Transform<'_>,
    input: Batch,
    output: Batch,
    begin: usize,
    end: usize,
) -> Result<()> {
    use ndany_core::DType;
    use ndany_core::backend::Transformation;
    use ndany_fft::{Kind, f32s, f64s};
    // The two modules have the same functions.
    macro_rules! by_library {
        ($kind:ident) => {{
            let scale = transform.scale as $kind::Real;
            let of = |lack: Lack| lack.of(cpu);
            let transformer = |kind| {
                $kind::RowTransform::new(kind, transform.length).map_err(|bytes| of(Lack(bytes)))
            };
            // By the element type of the transform.
            macro_rules! each {
                ($transformer:ident $way:ident) => {{
                    let mut source = Source::new(transform, input);
                    for row in begin..end {
                        $transformer.$way(source.row(row, end).map_err(of)?, output.write(row), scale);
                    }
                }};
            }
            // SAFETY: inputs are only read, each row is passed once, the output is not the input; elements
            // have the dtypes that the transform states.
            unsafe {
                match transform.kind {
                    Transformation::Forward | Transformation::Backward => {
                        let forward = transform.kind == Transformation::Forward;
                        let mut transformer = transformer(if forward { Kind::Forward } else { Kind::Backward })?;
                        each!(transformer complex)
                    }
                    Transformation::RealToHalf => {
                        let mut transformer = transformer(Kind::RealToHalf)?;
                        each!(transformer to_half)
                    }
                    Transformation::HalfToReal => {
                        let mut transformer = transformer(Kind::HalfToReal)?;
                        each!(transformer to_real)
                    }
                }
            }
        }};
    }
    match transform.part {
        DType::F32 => by_library!(f32s),
        DType::F64 => by_library!(f64s),
        _ => unreachable!("core asks for floats of 32 and 64 bits"),
    }
    Ok(())
}
