//! Factorizations by a vendor's library, which goes by columns: what it is asked for, and what goes around it.
//!
//! Read by columns, memory that holds a matrix row by row holds its transpose. Where a task has an answer for that, nothing
//! is transposed: of a Hermitian matrix it is the conjugate; of singular vectors both sides change places. What iterates is
//! divided by a power of two first, so that numbers near the limits of a dtype neither overflow nor vanish.

use std::sync::Arc;

use ndany_core::backend::{Factor, Factoring, Packed, Vectors};
use ndany_core::{DType, Result};
use ndany_kernels::bring::{BLOCK, Bring, Diagonal, Keep, Largest, SIDE, Scaling, Settle};

use crate::driver::{Address, Driver};
use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Words, first};
use crate::runtime::Runtime;
use crate::solver::{Places, Solver, Step};

/// Bytes of matrices that are handed over together.
const LOT_BYTES: usize = 256 << 20;

/// Rows and columns from which a polar decomposition is tried first.
const POLAR: usize = 128;

/// Matrices one behind the other.
#[derive(Clone, Copy)]
struct Batch {
    at: Address,
    /// Elements from a row to the next, and from a matrix to the next.
    row: usize,
    matrix: usize,
}

/// Factors a batch; `false` where the library does not take its sizes.
pub(super) fn factor<D: Driver>(
    runtime: &Arc<Runtime<D>>,
    solver: &dyn Solver,
    wanted: &Factor<'_>,
) -> Result<bool> {
    let (m, n, k) = (wanted.rows, wanted.columns, wanted.least());
    let steps = steps(wanted);
    if steps.is_empty() {
        return Ok(false);
    }
    let mut workspace = 0;
    for step in &steps {
        match runtime.solver_workspace(solver, step, wanted.dtype)? {
            Some(bytes) => workspace = workspace.max(bytes),
            None => return Ok(false),
        }
    }
    let mut polar = false;
    if let Factoring::Svd(vectors) = wanted.task
        && k >= POLAR
        && (vectors != Vectors::Full || m == n)
    {
        let step = Step::Polar { m: m.max(n), n: k };
        if let Some(bytes) = runtime.solver_workspace(solver, &step, wanted.dtype)? {
            workspace = workspace.max(bytes);
            polar = true;
        }
    }
    let reads = wanted.inputs.iter().map(|place| place.memory);
    let writes = wanted.outputs.iter().chain([&wanted.status]).map(|place| place.memory);
    let job = Job::begin(runtime, reads, writes, &[], None)?;
    let part = wanted.dtype.part();
    // Matrices as the library works on them, what else it takes and makes, and the largest parts.
    let [near, beside] = match wanted.task {
        Factoring::Lu => [m * n, 0],
        Factoring::Cholesky => [n * n, 0],
        Factoring::Solve { right, .. } => [n * n, n * right],
        Factoring::Qr { complete } => [m * n.max(if complete { m } else { k }), k],
        Factoring::Svd(Vectors::None) if !polar => [m * n, 0],
        Factoring::Svd(Vectors::None | Vectors::Reduced) => [m * n, m * n + k * k],
        Factoring::Svd(Vectors::Full) => [m * n, m.max(n).pow(2) + k * k],
        Factoring::Eigh { .. } | Factoring::Eig { .. } => [n * n, n],
    };
    let size = wanted.dtype.size();
    let lot = match wanted.task {
        Factoring::Svd(_) => 1,
        _ => (LOT_BYTES / ((near + beside) * size)).clamp(1, wanted.batch),
    };
    let scratch = |elements: usize| job.scratch((elements * size).max(1));
    let shop = Shop {
        wanted,
        solver,
        near: scratch(lot * near)?,
        beside: scratch(lot * beside)?,
        largest: job.scratch(lot * part.size())?,
        unread: job.scratch(size_of::<i32>())?,
        workspace: job.scratch(workspace.max(1))?,
        workspace_bytes: workspace,
        polar,
        job,
    };
    for begin in (0..wanted.batch).step_by(lot) {
        shop.lot(begin, lot.min(wanted.batch - begin))?;
    }
    Ok(true)
}

/// What the library does to each matrix, in order.
fn steps(wanted: &Factor<'_>) -> Vec<Step> {
    let (m, n, count) = (wanted.rows, wanted.columns, wanted.least());
    match wanted.task {
        Factoring::Lu => vec![Step::Lu { m, n }],
        Factoring::Cholesky => vec![Step::Cholesky { n }],
        Factoring::Solve { right, .. } => vec![Step::Lu { m: n, n }, Step::Solve { n, right }],
        Factoring::Qr { complete } => {
            let columns = if complete { m } else { count };
            vec![Step::Reflect { m, n }, Step::Basis { m, columns, count }]
        }
        Factoring::Svd(vectors) => {
            vec![Step::Svd { m: m.max(n), n: count, vectors }]
        }
        Factoring::Eigh { vectors } => vec![Step::Eigh { n, vectors }],
        Factoring::Eig { .. } => Vec::new(),
    }
}

struct Shop<'s, 'l, D: Driver> {
    wanted: &'s Factor<'s>,
    solver: &'s dyn Solver,
    job: Job<'l, D>,
    near: Scratch<D>,
    beside: Scratch<D>,
    largest: Scratch<D>,
    unread: Scratch<D>,
    workspace: Scratch<D>,
    workspace_bytes: usize,
    /// Has the library a polar decomposition, and is the matrix worth it?
    polar: bool,
}

impl<D: Driver> Shop<'_, '_, D> {
    /// Factors some matrices of the batch.
    fn lot(&self, begin: usize, count: usize) -> Result<()> {
        let wanted = self.wanted;
        let (m, n, k, dtype) = (wanted.rows, wanted.columns, wanted.least(), wanted.dtype);
        let (inputs, outputs) = wanted.sizes();
        let dtypes = wanted.output_dtypes();
        let place = |packed: &Packed<'_>, elements: usize, dtype: DType| {
            first::<D>(packed, dtype) + (begin * elements * dtype.size()) as u64
        };
        let input = |number: usize| place(&wanted.inputs[number], inputs[number], dtype);
        let output =
            |number: usize| place(&wanted.outputs[number], outputs[number], dtypes[number]);
        let status = place(&wanted.status, 1, DType::I32);
        let (near, beside) = (self.near.address(), self.beside.address());
        let plain = Bring::of(dtype);
        let turned = Bring { turned: true, ..plain };
        let rows = |at: Address, rows: usize, columns: usize| Batch {
            at,
            row: columns,
            matrix: rows * columns,
        };
        let (a, size, part) = (input(0), dtype.size() as u64, dtype.part().size());
        match wanted.task {
            Factoring::Lu => {
                self.bring(turned, count, [n, m], rows(a, m, n), rows(near, n, m))?;
                self.each(count, |number| {
                    let places = Places {
                        a: near + number * (m * n) as u64 * size,
                        b: output(1) + number * k as u64 * 4,
                        status: status + number * 4,
                        ..Places::default()
                    };
                    self.step(Step::Lu { m, n }, places)
                })?;
                self.bring(turned, count, [m, n], rows(near, n, m), rows(output(0), m, n))
            }
            Factoring::Cholesky => {
                // Turned, the lower triangle stays the lower one: libraries are faster with it.
                self.bring(turned, count, [n, n], rows(a, n, n), rows(near, n, n))?;
                self.each(count, |number| {
                    let a = near + number * (n * n) as u64 * size;
                    let places = Places { a, status: status + number * 4, ..Places::default() };
                    self.step(Step::Cholesky { n }, places)
                })?;
                let lower = Bring { keep: Keep::Lower, ..turned };
                self.bring(lower, count, [n, n], rows(near, n, n), rows(output(0), n, n))?;
                let mut words = Words::default();
                words.extend([n as u64, output(0), status]);
                self.job.launch(&Diagonal { dtype }, count, BLOCK, &words)
            }
            Factoring::Solve { right, shared } => {
                self.bring(turned, count, [n, n], rows(a, n, n), rows(near, n, n))?;
                let sides = rows(beside, right, n);
                let given = match shared {
                    true => {
                        Batch { matrix: 0, ..rows(first::<D>(&wanted.inputs[1], dtype), n, right) }
                    }
                    false => rows(input(1), n, right),
                };
                self.bring(turned, count, [right, n], given, sides)?;
                let exchanges = self.job.scratch(n * size_of::<i32>())?;
                self.each(count, |number| {
                    let places = Places {
                        a: near + number * (n * n) as u64 * size,
                        b: exchanges.address(),
                        c: beside + number * (n * right) as u64 * size,
                        status: status + number * 4,
                        d: 0,
                    };
                    self.step(Step::Lu { m: n, n }, places)?;
                    let places = Places { status: self.unread.address(), ..places };
                    self.step(Step::Solve { n, right }, places)
                })?;
                self.bring(turned, count, [n, right], sides, rows(output(0), n, right))
            }
            Factoring::Qr { complete } => {
                let columns = if complete { m } else { k };
                let high = n.max(columns);
                let work = Batch { at: near, row: m, matrix: m * high };
                self.measure(count, a, m * n)?;
                let down = Bring { scaling: Scaling::Down, ..turned };
                self.bring(down, count, [n, m], rows(a, m, n), work)?;
                let each = |step: Step, to_status: bool| {
                    self.each(count, |number| {
                        let unread = self.unread.address();
                        let places = Places {
                            a: near + number * (m * high) as u64 * size,
                            b: beside + number * k as u64 * size,
                            status: if to_status { status + number * 4 } else { unread },
                            ..Places::default()
                        };
                        self.step(step, places)
                    })
                };
                each(Step::Reflect { m, n }, true)?;
                let up = Bring { keep: Keep::Upper, scaling: Scaling::Up, ..turned };
                self.bring(up, count, [columns, n], work, rows(output(1), columns, n))?;
                each(Step::Basis { m, columns, count: k }, false)?;
                self.bring(turned, count, [m, columns], work, rows(output(0), m, columns))
            }
            Factoring::Eigh { vectors } => {
                // The other half is nobody's business, not even where it is not finite.
                let lower = Bring { keep: Keep::Lower, ..plain };
                let there = rows(near, n, n);
                self.bring(lower, count, [n, n], rows(a, n, n), there)?;
                self.measure(count, near, n * n)?;
                let down = Bring { scaling: Scaling::Down, ..plain };
                self.bring(down, count, [n, n], there, there)?;
                let values = output(0);
                self.each(count, |number| {
                    let places = Places {
                        a: near + number * (n * n) as u64 * size,
                        b: values + number * (n * part) as u64,
                        status: status + number * 4,
                        ..Places::default()
                    };
                    self.step(Step::Eigh { n, vectors }, places)
                })?;
                if vectors {
                    // Columns of the conjugate are rows here.
                    let back = Bring { mirrored: true, ..turned };
                    self.bring(back, count, [n, n], rows(near, n, n), rows(output(1), n, n))?;
                }
                self.settle(count, n, values, status)
            }
            Factoring::Svd(vectors) => {
                let at = usize::from(vectors != Vectors::None);
                let out = |number| if vectors == Vectors::None { 0 } else { output(number) };
                self.svd(vectors, a, [out(0), output(at), out(2)], status)
            }
            Factoring::Eig { .. } => unreachable!("no library is asked for it"),
        }
    }

    /// Singular values of one matrix, by whichever of its steps the library takes.
    fn svd(
        &self,
        vectors: Vectors,
        a: Address,
        [u, s, vh]: [Address; 3],
        status: Address,
    ) -> Result<()> {
        let wanted = self.wanted;
        let (m, n, dtype) = (wanted.rows, wanted.columns, wanted.dtype);
        // The longer extent is the rows of what the library sees: of a wide matrix the transpose.
        let (wide, high, low) = (m <= n, m.max(n), wanted.least());
        let width = if vectors == Vectors::Full { high } else { low };
        let (near, lefts) = (self.near.address(), self.beside.address());
        let rights = lefts + (high * width * dtype.size()) as u64;
        let plain = Bring::of(dtype);
        let rows = |at: Address, columns: usize| Batch { at, row: columns, matrix: 0 };
        let down = Bring { scaling: Scaling::Down, turned: !wide, ..plain };
        self.measure(1, a, m * n)?;
        let mut steps = vec![Step::Svd { m: high, n: low, vectors }];
        if self.polar {
            steps.push(Step::Polar { m: high, n: low });
        }
        let alone = vectors == Vectors::None;
        while let Some(step) = steps.pop() {
            self.bring(down, 1, [low, high], rows(a, n), rows(near, high))?;
            let polar = matches!(step, Step::Polar { .. });
            // The left vectors of a transpose are those wanted on the right, row by row.
            let c = if wide && !alone { vh } else { lefts };
            let d = if wide && !polar { u } else { rights };
            let [c, d] = if alone && !polar { [0, 0] } else { [c, d] };
            if !self.takes(step, Places { a: near, b: s, c, d, status })? {
                continue;
            }
            if !alone {
                let turned = Bring { turned: true, ..plain };
                if !wide {
                    self.bring(turned, 1, [high, width], rows(lefts, high), rows(u, width))?;
                }
                // Of the polar step they are not the adjoint, but its columns.
                let right = match (wide, polar) {
                    (true, true) => Some((Bring { mirrored: true, ..turned }, u)),
                    (false, true) => Some((Bring { mirrored: true, ..plain }, vh)),
                    (false, false) => Some((turned, vh)),
                    (true, false) => None,
                };
                if let Some((kernel, to)) = right {
                    self.bring(kernel, 1, [low, low], rows(rights, low), rows(to, low))?;
                }
            }
            break;
        }
        self.settle(1, low, s, status)
    }

    fn each(&self, count: usize, step: impl Fn(u64) -> Result<()>) -> Result<()> {
        (0..count as u64).try_for_each(step)
    }

    fn step(&self, step: Step, places: Places) -> Result<()> {
        self.takes(step, places).map(|_| ())
    }

    /// Does a step; `false` where the matrix is not for it.
    fn takes(&self, step: Step, places: Places) -> Result<bool> {
        let workspace = (self.workspace.address(), self.workspace_bytes);
        self.job.runtime.solve(self.solver, &step, self.wanted.dtype, &places, workspace)
    }

    /// Copies matrices of these extents.
    fn bring(
        &self,
        kernel: Bring,
        count: usize,
        [height, width]: [usize; 2],
        from: Batch,
        to: Batch,
    ) -> Result<()> {
        let sizes = [height, width, from.row, from.matrix, to.row, to.matrix];
        let mut words = Words::default();
        words.extend(sizes.map(|size| size as u64));
        words.extend([from.at, to.at, self.largest.address()]);
        let blocks = height.div_ceil(SIDE) * width.div_ceil(SIDE) * count;
        self.job.launch(&kernel, blocks, BLOCK, &words)
    }

    /// Finds the largest parts of matrices of so many elements.
    fn measure(&self, count: usize, from: Address, elements: usize) -> Result<()> {
        let part = self.wanted.dtype.part();
        let parts = elements * (self.wanted.dtype.size() / part.size());
        let blocks = parts.div_ceil(Largest::EACH);
        self.job.runtime.fill(self.largest.address(), 0, count * part.size())?;
        let mut words = Words::default();
        words.extend([parts as u64, blocks as u64, from, self.largest.address()]);
        self.job.launch(&Largest { part }, blocks * count, BLOCK, &words)
    }

    /// Multiplies values back, and tells of what was not finite.
    fn settle(&self, count: usize, values: usize, at: Address, status: Address) -> Result<()> {
        let part = self.wanted.dtype.part();
        let mut words = Words::default();
        words.extend([values as u64, at, self.largest.address(), status]);
        self.job.launch(&Settle { part }, count, BLOCK, &words)
    }
}
