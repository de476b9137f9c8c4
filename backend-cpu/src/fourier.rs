//! Fourier transforms: by rustfft where it is compiled in, else by core's plain loops; threads over the rows.

use ndany_core::backend::{Fourier, Transform};
use ndany_core::{DType, Result};

use crate::Cpu;
use crate::memory::address;

/// Where rows lie.
#[derive(Clone, Copy)]
struct Packed {
    start: *mut u8,
    /// Bytes of a row.
    size: usize,
}

// SAFETY: an address and a number; each use of the address states why it is allowed.
unsafe impl Send for Packed {}
// SAFETY: as above.
unsafe impl Sync for Packed {}

impl Packed {
    /// # Safety
    /// Nobody writes the row of this number, and `T` is the element.
    unsafe fn read<'a, T>(&self, row: usize) -> &'a [T] {
        let start = self.start.wrapping_add(row * self.size).cast_const().cast();
        // SAFETY: the caller's; core places all rows in their memory, aligned for the dtype.
        unsafe { std::slice::from_raw_parts(start, self.size / size_of::<T>()) }
    }

    /// # Safety
    /// Nobody else reads or writes the row of this number, and any bytes are a `T`.
    unsafe fn write<'a, T>(&self, row: usize) -> &'a mut [T] {
        let start = self.start.wrapping_add(row * self.size).cast();
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(start, self.size / size_of::<T>()) }
    }
}

impl Fourier for Cpu {
    fn transform(&self, transform: &Transform<'_>) -> Result<()> {
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        let packed =
            |place: &ndany_core::backend::Rows<'_>, elements: usize, dtype: DType| Packed {
                start: address(place.memory).wrapping_add(place.offset * dtype.size()),
                size: elements * dtype.size(),
            };
        let input = packed(&transform.input, taken, from);
        let output = packed(&transform.output, made, to);
        // Some steps for each doubling of the length.
        let steps = 2 + transform.length.ilog2() as usize;
        let effort = transform.rows * transform.length * steps;
        self.threads.split(transform.rows, 1, effort, |begin, end| {
            rows(transform, input, output, begin, end);
            Ok(())
        })
    }
}

#[cfg(not(feature = "fft"))]
fn rows(transform: &Transform<'_>, input: Packed, output: Packed, begin: usize, end: usize) {
    for row in begin..end {
        // SAFETY: inputs are only read; each row is given once; bytes are bytes.
        let (from, to) = unsafe { (input.read::<u8>(row), output.write::<u8>(row)) };
        to.copy_from_slice(&ndany_core::reference::transform_one(transform, from));
    }
}

#[cfg(feature = "fft")]
fn rows(transform: &Transform<'_>, input: Packed, output: Packed, begin: usize, end: usize) {
    use ndany_core::backend::Transformation;
    use ndany_fft::{Kind, f32s, f64s};
    // By the same names in two modules.
    macro_rules! by_library {
        ($kind:ident) => {{
            let scale = transform.scale as $kind::Real;
            let worker = |kind| $kind::Worker::new(kind, transform.length);
            // SAFETY: inputs are only read, each row is given once, the output is not the input; elements are of the
            // dtypes that the transformation says.
            unsafe {
                match transform.kind {
                    Transformation::Forward | Transformation::Backward => {
                        let forward = transform.kind == Transformation::Forward;
                        let mut worker = worker(if forward { Kind::Forward } else { Kind::Backward });
                        for row in begin..end {
                            worker.complex(input.read(row), output.write(row), scale);
                        }
                    }
                    Transformation::RealToHalf => {
                        let mut worker = worker(Kind::RealToHalf);
                        for row in begin..end {
                            worker.to_half(input.read(row), output.write(row), scale);
                        }
                    }
                    Transformation::HalfToReal => {
                        let mut worker = worker(Kind::HalfToReal);
                        for row in begin..end {
                            worker.to_real(input.read(row), output.write(row), scale);
                        }
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
}
