//! Factorizations by a vendor's library, which goes by columns: what it is asked for, and what goes around it.
//!
//! Read by columns, memory that holds a matrix row by row holds its transpose. Where a task has an answer for that,
//! nothing is transposed: of a Hermitian matrix it is the conjugate; of singular vectors both sides change places. What
//! iterates is divided by a power of two first, so that numbers near the limits of a dtype neither overflow nor vanish.
//! cuSOLVER's LU takes a NaN for a zero (seen with CUDA 13.0: the inverse of such a matrix has numbers only), so NaN is
//! put back.

use std::sync::Arc;

use ndany_core::backend::{Factor, Factoring, Vectors};
use ndany_core::{DType, Result};
use ndany_kernels::pack::{BLOCK, Diagonal, MaxAbs, Pack, Rescale, SIDE, Scaling, Triangle};

use crate::driver::Address;
use crate::graph::LibraryCall;
use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Arguments, first};
use crate::runtime::Runtime;
use crate::solver::{Pointers, Solver, SolverStep};

/// Bytes of matrices that are handed over together.
const CHUNK_BYTES: usize = 256 << 20;

/// Rows and columns from which a polar decomposition is tried first.
const POLAR: usize = 128;

/// Matrices one after the other.
#[derive(Clone, Copy)]
struct Batch {
    at: Address,
    /// Elements from a row to the next, and from a matrix to the next.
    row: usize,
    matrix: usize,
}

/// Factors a batch; `false` where the library does not take its sizes.
pub(super) fn factor(
    runtime: &Arc<Runtime>,
    solver: &Arc<dyn Solver>,
    request: &Factor<'_>,
) -> Result<bool> {
    let (m, n, k) = (request.rows, request.columns, request.least());
    let steps = steps(request);
    if steps.is_empty() {
        return Ok(false);
    }
    let mut workspace = 0;
    for step in &steps {
        match runtime.solver_workspace(&**solver, step, request.dtype)? {
            Some(bytes) => workspace = workspace.max(bytes),
            None => return Ok(false),
        }
    }
    let mut polar = false;
    if let Factoring::Svd(vectors) = request.task
        && k >= POLAR
        && (vectors != Vectors::Full || m == n)
    {
        let step = SolverStep::Polar { m: m.max(n), n: k };
        if let Some(bytes) = runtime.solver_workspace(&**solver, &step, request.dtype)? {
            workspace = workspace.max(bytes);
            polar = true;
        }
    }
    let reads = request.inputs.iter().map(|place| place.memory);
    let writes = request.outputs.iter().chain([&request.status]).map(|place| place.memory);
    let job = Job::begin(runtime, reads, writes, &[], None)?;
    let part = request.dtype.part();
    // Matrices as the library works on them, what else it takes and makes, and the largest parts.
    let [working, extra] = match request.task {
        Factoring::Lu | Factoring::Pivots => [m * n, 0],
        Factoring::Cholesky => [n * n, 0],
        Factoring::Solve { right, .. } => [n * n, n * right],
        Factoring::Inverse => [n * n, n * n],
        Factoring::Qr(vectors) => [m * n.max(basis(vectors, m, k)), k],
        Factoring::Svd(Vectors::None) if !polar => [m * n, 0],
        Factoring::Svd(Vectors::None | Vectors::Reduced) => [m * n, m * n + k * k],
        Factoring::Svd(Vectors::Full) => [m * n, m.max(n).pow(2) + k * k],
        Factoring::Eigh { .. } | Factoring::Eig { .. } => [n * n, n],
    };
    let size = request.dtype.size();
    let chunk = match request.task {
        Factoring::Svd(_) => 1,
        _ => (CHUNK_BYTES / ((working + extra) * size)).clamp(1, request.batch),
    };
    let scratch = |elements: usize| job.scratch((elements * size).max(1));
    let factorization = Factorization {
        request,
        solver,
        matrices: scratch(chunk * working)?,
        extra: scratch(chunk * extra)?,
        largest: job.scratch(chunk * part.size())?,
        unread: job.scratch(size_of::<i32>())?,
        workspace: job.scratch(workspace.max(1))?,
        workspace_bytes: workspace,
        polar,
        job,
    };
    for begin in (0..request.batch).step_by(chunk) {
        factorization.factor(BatchChunk { begin, count: chunk.min(request.batch - begin) })?;
    }
    Ok(true)
}

/// What the library does to each matrix, in order.
fn steps(request: &Factor<'_>) -> Vec<SolverStep> {
    let (m, n, count) = (request.rows, request.columns, request.least());
    match request.task {
        Factoring::Lu | Factoring::Pivots => vec![SolverStep::Lu { m, n }],
        Factoring::Cholesky => vec![SolverStep::Cholesky { n }],
        Factoring::Solve { right, .. } => {
            vec![SolverStep::Lu { m: n, n }, SolverStep::Solve { n, right }]
        }
        Factoring::Inverse => vec![SolverStep::Lu { m: n, n }, SolverStep::Solve { n, right: n }],
        Factoring::Qr(Vectors::None) => vec![SolverStep::Reflect { m, n }],
        Factoring::Qr(vectors) => {
            let columns = basis(vectors, m, count);
            vec![SolverStep::Reflect { m, n }, SolverStep::Basis { m, columns, count }]
        }
        Factoring::Svd(vectors) => {
            vec![SolverStep::Svd { m: m.max(n), n: count, vectors }]
        }
        Factoring::Eigh { vectors } => vec![SolverStep::Eigh { n, vectors }],
        Factoring::Eig { .. } => Vec::new(),
    }
}

/// Columns of q, of m or k.
fn basis(vectors: Vectors, m: usize, k: usize) -> usize {
    match vectors {
        Vectors::None => 0,
        Vectors::Reduced => k,
        Vectors::Full => m,
    }
}

/// The library and the elements that matrices pass through.
struct Factorization<'s, 'l> {
    request: &'s Factor<'s>,
    solver: &'s Arc<dyn Solver>,
    job: Job<'l>,
    matrices: Scratch,
    extra: Scratch,
    largest: Scratch,
    unread: Scratch,
    workspace: Scratch,
    workspace_bytes: usize,
    /// Whether the library has a polar decomposition that pays for the matrix.
    polar: bool,
}

/// Some matrices of the batch: the first, and how many.
#[derive(Clone, Copy)]
struct BatchChunk {
    begin: usize,
    count: usize,
}

/// Matrices that follow each other row by row.
fn packed(at: Address, rows: usize, columns: usize) -> Batch {
    Batch { at, row: columns, matrix: rows * columns }
}

impl Factorization<'_, '_> {
    fn factor(&self, chunk: BatchChunk) -> Result<()> {
        match self.request.task {
            Factoring::Lu | Factoring::Pivots => self.lu(chunk),
            Factoring::Cholesky => self.cholesky(chunk),
            Factoring::Solve { right, shared } => {
                let b = match shared {
                    true => first(&self.request.inputs[1], self.request.dtype),
                    false => self.input(chunk, 1),
                };
                let step = if shared { 0 } else { self.request.columns * right };
                self.solve(chunk, right, Some(Batch { at: b, row: right, matrix: step }))
            }
            Factoring::Inverse => self.solve(chunk, self.request.columns, None),
            Factoring::Qr(vectors) => self.qr(chunk, vectors),
            Factoring::Eigh { vectors } => self.eigh(chunk, vectors),
            Factoring::Svd(vectors) => self.svd(chunk, vectors),
            // It has no steps, and so is not begun.
            Factoring::Eig { .. } => Ok(()),
        }
    }

    fn lu(&self, chunk: BatchChunk) -> Result<()> {
        let (m, n) = (self.request.rows, self.request.columns);
        let (copy, a) = (self.matrices.address(), self.input(chunk, 0));
        let pivots = self.request.task == Factoring::Pivots;
        // The transpose has the same determinant.
        let way = if pivots { Pack::of(self.request.dtype) } else { self.transposed() };
        self.measure(chunk, a, m * n)?;
        self.pack(way, chunk.count, [n, m], packed(a, m, n), packed(copy, n, m))?;
        let exchanges = self.output(chunk, 1);
        self.each(chunk, |number| {
            let a = self.past(copy, number * m * n);
            let b = exchanges + (number * self.request.least() * size_of::<i32>()) as u64;
            let places =
                Pointers { a, b, status: self.status(chunk, number), ..Pointers::default() };
            self.step(SolverStep::Lu { m, n }, places)
        })?;
        let (back, out) = (Pack { scaling: Scaling::Spoil, ..way }, self.output(chunk, 0));
        match pivots {
            true => {
                let diagonal = Batch { at: copy, row: n + 1, matrix: n * n };
                self.pack(back, chunk.count, [n, 1], diagonal, packed(out, n, 1))
            }
            false => self.pack(back, chunk.count, [m, n], packed(copy, n, m), packed(out, m, n)),
        }
    }

    fn cholesky(&self, chunk: BatchChunk) -> Result<()> {
        let (n, dtype) = (self.request.columns, self.request.dtype);
        let (copy, transposed) = (packed(self.matrices.address(), n, n), self.transposed());
        // Turned, the lower triangle stays the lower one: libraries are faster with it.
        self.pack(transposed, chunk.count, [n, n], packed(self.input(chunk, 0), n, n), copy)?;
        self.each(chunk, |number| {
            let a = self.past(copy.at, number * n * n);
            let places = Pointers { a, status: self.status(chunk, number), ..Pointers::default() };
            self.step(SolverStep::Cholesky { n }, places)
        })?;
        let (lower, l) = (Pack { keep: Triangle::Lower, ..transposed }, self.output(chunk, 0));
        self.pack(lower, chunk.count, [n, n], copy, packed(l, n, n))?;
        let mut arguments = Arguments::default();
        arguments.push(n as u64);
        arguments.places([l, self.status(chunk, 0)]);
        self.job.launch(&Diagonal { dtype }, chunk.count, BLOCK, &arguments)
    }

    /// For these right sides, or the identity.
    fn solve(&self, chunk: BatchChunk, right: usize, b: Option<Batch>) -> Result<()> {
        let n = self.request.columns;
        let copy = packed(self.matrices.address(), n, n);
        let sides = packed(self.extra.address(), right, n);
        let (transposed, a) = (self.transposed(), self.input(chunk, 0));
        self.measure(chunk, a, n * n)?;
        self.pack(transposed, chunk.count, [n, n], packed(a, n, n), copy)?;
        match b {
            Some(b) => self.pack(transposed, chunk.count, [right, n], b, sides)?,
            None => {
                let identity = Pack { keep: Triangle::Identity, ..Pack::of(self.request.dtype) };
                self.pack(identity, chunk.count, [n, n], sides, sides)?;
            }
        }
        let exchanges = self.job.scratch(n * size_of::<i32>())?;
        self.each(chunk, |number| {
            let a = self.past(copy.at, number * n * n);
            let c = self.past(sides.at, number * n * right);
            let status = self.status(chunk, number);
            let places = Pointers { a, b: exchanges.address(), c, status, ..Pointers::default() };
            self.step(SolverStep::Lu { m: n, n }, places)?;
            let places = Pointers { status: self.unread.address(), ..places };
            self.step(SolverStep::Solve { n, right }, places)
        })?;
        let (back, x) = (Pack { scaling: Scaling::Spoil, ..transposed }, self.output(chunk, 0));
        self.pack(back, chunk.count, [n, right], sides, packed(x, n, right))
    }

    fn qr(&self, chunk: BatchChunk, vectors: Vectors) -> Result<()> {
        let (m, n, count) = (self.request.rows, self.request.columns, self.request.least());
        let (columns, transposed) = (basis(vectors, m, count), self.transposed());
        let elements = m * n.max(columns);
        let (a, copy) =
            (self.input(chunk, 0), Batch { at: self.matrices.address(), row: m, matrix: elements });
        self.measure(chunk, a, m * n)?;
        let down = Pack { scaling: Scaling::Down, ..transposed };
        self.pack(down, chunk.count, [n, m], packed(a, m, n), copy)?;
        let places = |number: usize, status: Address| Pointers {
            a: self.past(copy.at, number * elements),
            b: self.past(self.extra.address(), number * count),
            status,
            ..Pointers::default()
        };
        self.each(chunk, |number| {
            self.step(SolverStep::Reflect { m, n }, places(number, self.status(chunk, number)))
        })?;
        let up = Pack { keep: Triangle::Upper, scaling: Scaling::Up, ..transposed };
        let rows = columns.max(count);
        let r = self.output(chunk, usize::from(columns > 0));
        self.pack(up, chunk.count, [rows, n], copy, packed(r, rows, n))?;
        if columns == 0 {
            return Ok(());
        }
        self.each(chunk, |number| {
            self.step(
                SolverStep::Basis { m, columns, count },
                places(number, self.unread.address()),
            )
        })?;
        self.pack(
            transposed,
            chunk.count,
            [m, columns],
            copy,
            packed(self.output(chunk, 0), m, columns),
        )
    }

    fn eigh(&self, chunk: BatchChunk, vectors: bool) -> Result<()> {
        let (n, plain) = (self.request.columns, Pack::of(self.request.dtype));
        let copy = packed(self.matrices.address(), n, n);
        // The other half is not read, not even where it is not finite.
        let lower = Pack { keep: Triangle::Lower, ..plain };
        self.pack(lower, chunk.count, [n, n], packed(self.input(chunk, 0), n, n), copy)?;
        self.measure(chunk, copy.at, n * n)?;
        let down = Pack { scaling: Scaling::DownOrZero, ..plain };
        self.pack(down, chunk.count, [n, n], copy, copy)?;
        let values = self.output(chunk, 0);
        self.each(chunk, |number| {
            let a = self.past(copy.at, number * n * n);
            let b = values + (number * n * self.request.dtype.part().size()) as u64;
            let places =
                Pointers { a, b, status: self.status(chunk, number), ..Pointers::default() };
            self.step(SolverStep::Eigh { n, vectors }, places)
        })?;
        if vectors {
            // Columns of the conjugate are rows here.
            let back = Pack { mirrored: true, ..self.transposed() };
            let v = packed(self.output(chunk, 1), n, n);
            self.pack(back, chunk.count, [n, n], copy, v)?;
        }
        self.rescale(chunk, n, values)
    }

    /// Singular values of a lot of one matrix, by whichever of its steps the library takes.
    fn svd(&self, chunk: BatchChunk, vectors: Vectors) -> Result<()> {
        let request = self.request;
        let (m, n) = (request.rows, request.columns);
        let (a, alone) = (self.input(chunk, 0), vectors == Vectors::None);
        let [u, s, vh] = match alone {
            true => [0, self.output(chunk, 0), 0],
            false => [0, 1, 2].map(|number| self.output(chunk, number)),
        };
        // The longer extent is the rows of what the library sees: of a wide matrix the transpose.
        let (wide, high, low) = (m <= n, m.max(n), request.least());
        let width = if vectors == Vectors::Full { high } else { low };
        let (copy, lefts) = (self.matrices.address(), self.extra.address());
        let rights = self.past(lefts, high * width);
        let (plain, transposed) = (Pack::of(request.dtype), self.transposed());
        let rows = |at: Address, columns: usize| packed(at, 1, columns);
        let down = Pack { scaling: Scaling::DownOrZero, transposed: !wide, ..plain };
        self.measure(chunk, a, m * n)?;
        let mut steps = vec![SolverStep::Svd { m: high, n: low, vectors }];
        if self.polar {
            steps.push(SolverStep::Polar { m: high, n: low });
        }
        while let Some(step) = steps.pop() {
            self.pack(down, 1, [low, high], rows(a, n), rows(copy, high))?;
            let polar = matches!(step, SolverStep::Polar { .. });
            // The left vectors of a transpose are those asked for on the right, row by row.
            let c = if wide && !alone { vh } else { lefts };
            let d = if wide && !polar { u } else { rights };
            let [c, d] = if alone && !polar { [0, 0] } else { [c, d] };
            let status = self.status(chunk, 0);
            if !self.takes(step, Pointers { a: copy, b: s, c, d, status })? {
                continue;
            }
            if !alone {
                if !wide {
                    self.pack(transposed, 1, [high, width], rows(lefts, high), rows(u, width))?;
                }
                // Of the polar step they are not the adjoint, but its columns.
                let right = match (wide, polar) {
                    (true, true) => Some((Pack { mirrored: true, ..transposed }, u)),
                    (false, true) => Some((Pack { mirrored: true, ..plain }, vh)),
                    (false, false) => Some((transposed, vh)),
                    (true, false) => None,
                };
                if let Some((kernel, to)) = right {
                    self.pack(kernel, 1, [low, low], rows(rights, low), rows(to, low))?;
                }
            }
            break;
        }
        self.rescale(chunk, low, s)
    }

    fn transposed(&self) -> Pack {
        Pack { transposed: true, ..Pack::of(self.request.dtype) }
    }

    /// The address `elements` elements further on.
    fn past(&self, at: Address, elements: usize) -> Address {
        at + (elements * self.request.dtype.size()) as u64
    }

    /// Where an input of a lot begins.
    fn input(&self, chunk: BatchChunk, number: usize) -> Address {
        let (elements, dtype) = (self.request.sizes().0[number], self.request.dtype);
        self.past(first(&self.request.inputs[number], dtype), chunk.begin * elements)
    }

    /// Where an output of a lot begins.
    fn output(&self, chunk: BatchChunk, number: usize) -> Address {
        let elements = self.request.sizes().1[number];
        let dtype = self.request.output_dtypes()[number];
        let from = first(&self.request.outputs[number], dtype);
        from + (chunk.begin * elements * dtype.size()) as u64
    }

    /// The status word of a matrix of a lot.
    fn status(&self, chunk: BatchChunk, number: usize) -> Address {
        let from = first(&self.request.status, DType::I32);
        from + ((chunk.begin + number) * size_of::<i32>()) as u64
    }

    fn each(&self, chunk: BatchChunk, step: impl Fn(usize) -> Result<()>) -> Result<()> {
        (0..chunk.count).try_for_each(step)
    }

    fn step(&self, step: SolverStep, places: Pointers) -> Result<()> {
        self.takes(step, places).map(|_| ())
    }

    /// Does a step; `false` where the matrix is not for it.
    fn takes(&self, step: SolverStep, places: Pointers) -> Result<bool> {
        let workspace = (self.workspace.address(), self.workspace_bytes);
        let (solver, dtype) = (self.solver.clone(), self.request.dtype);
        self.job.runtime.library(&LibraryCall::Solve { solver, step, dtype, places, workspace })
    }

    /// Copies matrices of these extents.
    fn pack(
        &self,
        kernel: Pack,
        count: usize,
        [height, width]: [usize; 2],
        from: Batch,
        to: Batch,
    ) -> Result<()> {
        let sizes = [height, width, from.row, from.matrix, to.row, to.matrix];
        let mut arguments = Arguments::default();
        arguments.extend(sizes.map(|size| size as u64));
        arguments.places([from.at, to.at, self.largest.address()]);
        let blocks = height.div_ceil(SIDE) * width.div_ceil(SIDE) * count;
        self.job.launch(&kernel, blocks, BLOCK, &arguments)
    }

    /// Finds the largest parts of matrices of `elements` elements.
    fn measure(
        &self,
        BatchChunk { count, .. }: BatchChunk,
        from: Address,
        elements: usize,
    ) -> Result<()> {
        let part = self.request.dtype.part();
        let parts = elements * (self.request.dtype.size() / part.size());
        let blocks = parts.div_ceil(MaxAbs::EACH);
        self.job.fill(self.largest.address(), 0, count * part.size())?;
        let mut arguments = Arguments::default();
        arguments.extend([parts as u64, blocks as u64]);
        arguments.places([from, self.largest.address()]);
        self.job.launch(&MaxAbs { part }, blocks * count, BLOCK, &arguments)
    }

    /// Multiplies values back, and tells of what was not finite.
    fn rescale(&self, chunk: BatchChunk, values: usize, at: Address) -> Result<()> {
        let part = self.request.dtype.part();
        let mut arguments = Arguments::default();
        arguments.push(values as u64);
        arguments.places([at, self.largest.address(), self.status(chunk, 0)]);
        self.job.launch(&Rescale { part }, chunk.count, BLOCK, &arguments)
    }
}
