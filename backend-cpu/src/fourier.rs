//! Fourier transforms: by rustfft where it is compiled in, else by core's plain loops; threads over the rows.
//!
//! Rows that lie side by side, as columns do, are brought into the cache some at a time and transformed from there: a
//! transposed copy of all would go through memory twice more.

use std::ops::Range;

use ndany_core::Result;
use ndany_core::backend::{Fourier, Transform};
use ndany_core::host::{Lack, reserved};

use crate::Cpu;
use crate::pieces::Pieces;

/// Bytes of rows that are brought into the cache together: half of what is a core's own.
const BROUGHT: usize = 1 << 18;
/// Bytes of a cache line.
const LINE: usize = 64;

impl Fourier for Cpu {
    fn takes_rows_side_by_side(&self) -> bool {
        true
    }

    fn transform(&self, transform: &Transform<'_>) -> Result<()> {
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        let input = Pieces::new(&transform.input, taken, from);
        let output = Pieces::new(&transform.output, made, to);
        // Some steps for each doubling of the length.
        let steps = 2 + transform.length.ilog2() as usize;
        let effort = transform.rows * transform.length * steps;
        let unit = together(transform);
        self.threads.split(transform.rows, unit, effort, |begin, end| {
            rows(self, transform, input, output, begin, end)
        })
    }
}

/// How many rows of the input are brought together: whole lines of the cache, where there are as many.
fn together(transform: &Transform<'_>) -> usize {
    let (size, row) = (transform.dtypes()[0].size(), transform.extents()[0]);
    (BROUGHT / (row * size)).clamp(LINE / size, 512).min(transform.beside)
}

/// Rows of the input, one after the other.
struct Source<'t, T> {
    transform: &'t Transform<'t>,
    input: Pieces,
    /// Elements of a row.
    length: usize,
    /// Elements from one row that has been brought to the next: a line more, so that the lines of some rows' elements,
    /// written in turn, have different places in the cache.
    step: usize,
    brought: Vec<T>,
    /// Which rows those are.
    rows: Range<usize>,
}

impl<'t, T: Copy> Source<'t, T> {
    /// # Safety
    /// Nobody writes the input, and `T` is its element, or as many bytes.
    unsafe fn new(transform: &'t Transform<'t>, input: Pieces) -> Self {
        let length = transform.extents()[0];
        let step = length + LINE / size_of::<T>();
        Self { transform, input, length, step, brought: Vec::new(), rows: 0..0 }
    }

    /// The row of this number, of those before `end`.
    fn row(&mut self, row: usize, end: usize) -> std::result::Result<&[T], Lack> {
        let beside = self.transform.beside;
        if beside == 1 {
            // SAFETY: as `new` says.
            return Ok(unsafe { self.input.read(row) });
        }
        if !self.rows.contains(&row) {
            self.bring(row, end.min(row + together(self.transform)))?;
        }
        Ok(&self.brought[(row - self.rows.start) * self.step..][..self.length])
    }

    /// Brings rows up to one, or the last that lies beside the first.
    fn bring(&mut self, begin: usize, end: usize) -> std::result::Result<(), Lack> {
        let Transform { rows, beside, .. } = *self.transform;
        let (block, first) = (begin / beside, begin % beside);
        let count = (end - begin).min(beside - first);
        // SAFETY: as `new` says.
        let all: &[T] = unsafe { self.input.all(rows) };
        let block = &all[block * beside * self.length..][..beside * self.length];
        if self.brought.capacity() < count * self.step {
            self.brought = reserved(count * self.step)?;
        }
        self.brought.resize(count * self.step, all[0]);
        for (place, line) in block.chunks_exact(beside).enumerate() {
            for (row, &element) in line[first..][..count].iter().enumerate() {
                self.brought[row * self.step + place] = element;
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
    input: Pieces,
    output: Pieces,
    begin: usize,
    end: usize,
) -> Result<()> {
    use ndany_core::reference::transform_one;
    let size = transform.dtypes()[0].size();
    macro_rules! by_loops {
        ($element:ty) => {{
            // SAFETY: the input is only read, and its elements are as many bytes, any of which may be such numbers.
            let mut source = unsafe { Source::<$element>::new(transform, input) };
            for row in begin..end {
                let made = source
                    .row(row, end)
                    .and_then(|from| transform_one(transform, from.as_flattened()))
                    .map_err(|lack| lack.of(cpu))?;
                // SAFETY: each row is given once; bytes are bytes.
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
    input: Pieces,
    output: Pieces,
    begin: usize,
    end: usize,
) -> Result<()> {
    use ndany_core::DType;
    use ndany_core::backend::Transformation;
    use ndany_fft::{Kind, f32s, f64s};
    // By the same names in two modules.
    macro_rules! by_library {
        ($kind:ident) => {{
            let scale = transform.scale as $kind::Real;
            let of = |lack: Lack| lack.of(cpu);
            let worker = |kind| {
                $kind::Worker::new(kind, transform.length).map_err(|bytes| of(Lack(bytes)))
            };
            // By the type of an element, as it is transformed.
            macro_rules! each {
                ($worker:ident $way:ident) => {{
                    let mut source = Source::new(transform, input);
                    for row in begin..end {
                        $worker.$way(source.row(row, end).map_err(of)?, output.write(row), scale);
                    }
                }};
            }
            // SAFETY: inputs are only read, each row is given once, the output is not the input; elements are of the
            // dtypes that the transformation says.
            unsafe {
                match transform.kind {
                    Transformation::Forward | Transformation::Backward => {
                        let forward = transform.kind == Transformation::Forward;
                        let mut worker = worker(if forward { Kind::Forward } else { Kind::Backward })?;
                        each!(worker complex)
                    }
                    Transformation::RealToHalf => {
                        let mut worker = worker(Kind::RealToHalf)?;
                        each!(worker to_half)
                    }
                    Transformation::HalfToReal => {
                        let mut worker = worker(Kind::HalfToReal)?;
                        each!(worker to_real)
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
