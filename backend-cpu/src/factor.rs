//! Linear algebra: by faer if that feature is on, else by the reference's plain loops, one matrix at a time.
//!
//! A batch of many matrices is shared among the threads by matrices; a few large matrices use all threads one
//! after the other.

#[cfg(feature = "linalg")]
use std::sync::{OnceLock, atomic::Ordering};

use ndany_core::backend::{
    Backend as _, Checked, ContiguousView, Factor, Factoring, LinearAlgebra,
};
use ndany_core::{DType, Result, host};

use crate::Cpu;
use crate::batch::Batch;
use crate::threads::Threads;

/// Operations from which a matrix is factored by several threads.
const SHARED: usize = 1 << 22;

/// The operands of a batch.
struct FactorJob<'a> {
    factor: &'a Factor<'a>,
    inputs: Vec<Batch>,
    outputs: Vec<Batch>,
    status: Batch,
}

impl LinearAlgebra for Cpu {
    fn can(&self, _: Factoring) -> bool {
        true
    }

    fn factor(&self, factor: Checked<&Factor<'_>>) -> Result<()> {
        let at_once =
            if shares(&factor, &self.threads) { 1 } else { factor.batch.min(self.threads.count()) };
        // Plain loops compute in 128-bit complex numbers and hold them twice.
        let (plain, complex) =
            (cfg!(not(feature = "linalg")), matches!(factor.task, Factoring::Eig { .. }));
        let size = if plain {
            2 * DType::C128.size()
        } else {
            factor.dtype.size() << usize::from(complex)
        };
        // This is only a bound. The copies of operands for faer, the buffers that its products keep for each
        // thread, and the vectors of the reference's plain loops are allocated inside calls that abort the process if
        // memory is short. Another thread may still take the memory that is found here.
        host::ensure_memory_for(self, factor.host_bytes(size).saturating_mul(at_once))?;
        #[cfg(feature = "linalg")]
        if factor.rows.max(factor.columns) > PACKED {
            self.prepare_all()?;
        }
        if factor.task != Factoring::Inverse {
            return run(&factor, None, &self.threads);
        }
        let identity = identity(factor.rows, factor.dtype);
        let memory = self.allocate(identity.len())?;
        self.write(memory.as_ref(), &identity)?;
        run(&factor, Some(ContiguousView { memory: memory.as_ref(), offset: 0 }), &self.threads)
    }
}

#[cfg(feature = "linalg")]
impl Cpu {
    /// Lets the library allocate its buffers for the threads that will factor: for all of them before the
    /// first matrix that uses all threads, or before a batch that is shared among them.
    fn prepare_all(&self) -> Result<()> {
        self.prepare()?;
        if self.prepared.load(Ordering::Acquire) {
            return Ok(());
        }
        let failure = OnceLock::new();
        self.threads.broadcast(|| self.prepare().unwrap_or_else(|error| drop(failure.set(error))));
        failure.into_inner().map_or(Ok(()), Err)?;
        self.prepared.store(true, Ordering::Release);
        Ok(())
    }
}

/// Whether these are a few large matrices, each of which uses all threads.
fn shares(factor: &Factor<'_>, threads: &Threads) -> bool {
    let cost = factor.rows * factor.columns * factor.least();
    factor.batch < 2 * threads.count() && cost > SHARED
}

/// The largest matrix for which no product of the library packs its operands.
#[cfg(feature = "linalg")]
const PACKED: usize = 16;

/// The bytes of the identity matrix.
fn identity(n: usize, dtype: DType) -> Vec<u8> {
    let (size, mut bytes) = (dtype.size(), vec![0; n * n * dtype.size()]);
    for at in (0..n).map(|i| i * (n + 1) * size) {
        match dtype.part() {
            DType::F32 => bytes[at..at + 4].copy_from_slice(&1f32.to_ne_bytes()),
            _ => bytes[at..at + 8].copy_from_slice(&1f64.to_ne_bytes()),
        }
    }
    bytes
}

/// Factors a batch. For inverses, the identity is the right side.
fn run(factor: &Factor<'_>, identity: Option<ContiguousView<'_>>, threads: &Threads) -> Result<()> {
    let (taken, made) = factor.sizes();
    let dtypes = factor.output_dtypes();
    let pieces = |place, (elements, dtype)| Batch::new(place, elements, dtype);
    let inputs = taken.into_iter().chain(identity.map(|_| factor.rows * factor.rows));
    let inputs = inputs.map(|elements| (elements, factor.dtype));
    let batch = FactorJob {
        factor,
        inputs: (factor.inputs.iter().chain(&identity).zip(inputs))
            .map(|(place, of)| pieces(place, of))
            .collect(),
        outputs: (factor.outputs.iter().zip(made.into_iter().zip(dtypes)))
            .map(|(place, of)| pieces(place, of))
            .collect(),
        status: Batch::new(&factor.status, 1, DType::I32),
    };
    let cost = factor.rows * factor.columns * factor.least();
    if shares(factor, threads) {
        let all = || (0..factor.batch).for_each(|number| batch.one(number, threads.count()));
        // Plain loops run on one thread.
        match cfg!(feature = "linalg") {
            true => threads.install_spinning(all),
            false => all(),
        }
        return Ok(());
    }
    #[cfg(feature = "linalg")]
    if batch.is_interleaved() {
        use ndany_linalg::factor::LANES;
        return threads.split(factor.batch, LANES, factor.batch * cost, |begin, end| {
            let groups = (begin..end).step_by(LANES);
            groups.for_each(|first| batch.group(first, end.min(first + LANES)));
            Ok(())
        });
    }
    threads.split(factor.batch, 1, factor.batch * cost, |begin, end| {
        (begin..end).for_each(|number| batch.one(number, 1));
        Ok(())
    })
}

impl FactorJob<'_> {
    /// Factors matrix `number`.
    fn one(&self, number: usize, threads: usize) {
        let info = self.matrix(number, threads);
        // SAFETY: each number is passed once.
        let status = unsafe { self.status.write::<i32>(number) };
        status[0] = info;
    }

    #[cfg(not(feature = "linalg"))]
    fn matrix(&self, number: usize, _: usize) -> i32 {
        self.by_loops(number)
    }

    fn by_loops(&self, number: usize) -> i32 {
        let given = self.inputs.iter().take(self.factor.inputs.len());
        let inputs = given.enumerate().map(|(input, pieces)| {
            // SAFETY: inputs are only read.
            unsafe { pieces.read(self.factor.place(input, number)) }
        });
        let inputs: Vec<&[u8]> = inputs.collect();
        let (outputs, status) = ndany_reference::factor_one(self.factor, &inputs);
        for (place, bytes) in self.outputs.iter().zip(outputs) {
            // SAFETY: each number is passed once; bytes are bytes.
            unsafe { place.write::<u8>(number) }.copy_from_slice(&bytes);
        }
        status
    }

    /// Whether this is a batch of small matrices that one call factors in SIMD lanes.
    #[cfg(feature = "linalg")]
    fn is_interleaved(&self) -> bool {
        use ndany_core::backend::Vectors;
        let Factor { task, rows, columns, dtype, batch, .. } = *self.factor;
        let kind = matches!(task, Factoring::Svd(Vectors::None) | Factoring::Eigh { .. });
        let real = matches!(dtype, DType::F32 | DType::F64);
        kind && real && batch > 1 && ndany_linalg::factor::is_small(rows, columns)
    }

    /// Factors the matrices `begin..end` in SIMD lanes.
    #[cfg(feature = "linalg")]
    fn group(&self, begin: usize, end: usize) {
        use ndany_linalg::factor::{many_f32s, many_f64s};
        let Factor { task, rows: m, columns: n, .. } = *self.factor;
        macro_rules! side_by_side {
            ($kind:ident) => {{
                // SAFETY: inputs are only read, each number is passed once, outputs do not overlap; elements
                // have the dtypes that the task states.
                unsafe {
                    let a: Vec<_> = (begin..end).map(|number| self.inputs[0].read(number)).collect();
                    let output = |output: usize| (begin..end).map(move |number| self.outputs[output].write(number)).collect();
                    let mut values: Vec<_> = output(0);
                    match task {
                        Factoring::Eigh { vectors } => {
                            let mut v: Vec<_> = if vectors { output(1) } else { Vec::new() };
                            $kind::eigh(&a, n, &mut values, &mut v)
                        }
                        _ => $kind::svdvals(&a, [m, n], &mut values),
                    }
                }
            }};
        }
        let status = match self.factor.dtype {
            DType::F32 => side_by_side!(many_f32s),
            DType::F64 => side_by_side!(many_f64s),
            _ => unreachable!("others are not computed side by side"),
        };
        for (number, info) in (begin..end).zip(status) {
            // SAFETY: each number is passed once.
            let status = unsafe { self.status.write::<i32>(number) };
            status[0] = info;
        }
    }

    #[cfg(feature = "linalg")]
    fn matrix(&self, number: usize, threads: usize) -> i32 {
        use ndany_core::backend::Vectors;
        use ndany_linalg::factor::{OVERFLOWED, c64s, c128s, f32s, f64s};
        let Factor { task, rows: m, columns: n, .. } = *self.factor;
        // The four modules have the same functions for four types.
        macro_rules! by_faer {
            ($kind:ident) => {{
                // SAFETY: inputs are only read, each number is passed once, outputs do not overlap; elements
                // have the dtypes that the task states.
                unsafe {
                    let a = self.inputs[0].read(number);
                    match task {
                        Factoring::Lu => {
                            let [lu, pivots] = [&self.outputs[0], &self.outputs[1]];
                            $kind::lu(a, m, n, lu.write(number), pivots.write(number), threads)
                        }
                        Factoring::Pivots => {
                            let [diagonal, pivots] = [&self.outputs[0], &self.outputs[1]];
                            $kind::pivots(a, n, diagonal.write(number), pivots.write(number), threads)
                        }
                        Factoring::Cholesky => {
                            $kind::cholesky(a, n, self.outputs[0].write(number), threads)
                        }
                        Factoring::Solve { right, .. } => {
                            let b = self.inputs[1].read(self.factor.place(1, number));
                            $kind::solve(a, b, n, right, self.outputs[0].write(number), threads)
                        }
                        Factoring::Inverse => {
                            let identity = self.inputs[1].read(0);
                            $kind::solve(a, identity, n, n, self.outputs[0].write(number), threads)
                        }
                        Factoring::Qr(Vectors::None) => {
                            $kind::qr(a, [m, n], None, self.outputs[0].write(number), threads)
                        }
                        Factoring::Qr(Vectors::Reduced | Vectors::Full) => {
                            let (q, r) = (self.outputs[0].write(number), self.outputs[1].write(number));
                            $kind::qr(a, [m, n], Some(q), r, threads)
                        }
                        Factoring::Svd(Vectors::None) => {
                            $kind::svd(a, [m, n], self.outputs[0].write(number), None, threads)
                        }
                        Factoring::Svd(Vectors::Reduced | Vectors::Full) => {
                            let vectors = [self.outputs[0].write(number), self.outputs[2].write(number)];
                            $kind::svd(a, [m, n], self.outputs[1].write(number), Some(vectors), threads)
                        }
                        Factoring::Eigh { vectors } => {
                            let v = vectors.then(|| self.outputs[1].write(number));
                            $kind::eigh(a, n, self.outputs[0].write(number), v, threads)
                        }
                        Factoring::Eig { vectors } => {
                            let v = vectors.then(|| self.outputs[1].write(number));
                            $kind::eig(a, n, self.outputs[0].write(number), v, threads)
                        }
                    }
                }
            }};
        }
        let status = match self.factor.dtype {
            DType::F32 => by_faer!(f32s),
            DType::F64 => by_faer!(f64s),
            DType::C64 => by_faer!(c64s),
            DType::C128 => by_faer!(c128s),
            _ => unreachable!("core asks for floats of 32 and 64 bits"),
        };
        // The plain loops compute vectors that need a scaling substitution, and continue an elimination after
        // a zero pivot.
        match task {
            Factoring::Eig { .. } if status == OVERFLOWED => self.by_loops(number),
            Factoring::Lu | Factoring::Pivots if status != 0 => self.by_loops(number),
            _ => status,
        }
    }
}
