//! Fourier transforms: by rustfft where it is compiled in, else by core's plain loops; threads over the rows.

use ndany_core::Result;
use ndany_core::backend::{Fourier, Transform};

use crate::Cpu;
use crate::pieces::Pieces;

impl Fourier for Cpu {
    fn transform(&self, transform: &Transform<'_>) -> Result<()> {
        let ([taken, made], [from, to]) = (transform.extents(), transform.dtypes());
        let input = Pieces::new(&transform.input, taken, from);
        let output = Pieces::new(&transform.output, made, to);
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
fn rows(transform: &Transform<'_>, input: Pieces, output: Pieces, begin: usize, end: usize) {
    for row in begin..end {
        // SAFETY: inputs are only read; each row is given once; bytes are bytes.
        let (from, to) = unsafe { (input.read::<u8>(row), output.write::<u8>(row)) };
        to.copy_from_slice(&ndany_core::reference::transform_one(transform, from));
    }
}

#[cfg(feature = "fft")]
fn rows(transform: &Transform<'_>, input: Pieces, output: Pieces, begin: usize, end: usize) {
    use ndany_core::DType;
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
