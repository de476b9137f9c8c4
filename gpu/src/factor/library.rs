//! Factorizations by a vendor's library, which goes by columns: what it is asked for, and what goes around it.
//!
//! Read by columns, memory that holds a matrix row by row holds its transpose. Where a task has an answer for that, nothing
//! is transposed: of a Hermitian matrix it is the conjugate; of singular vectors both sides change places. What iterates is
//! divided by a power of two first, so that numbers near the limits of a dtype neither overflow nor vanish. cuSOLVER's LU
//! takes a NaN for a zero (seen with CUDA 13.0: the inverse of such a matrix has numbers only), so NaN is put back.

use std::sync::Arc;

use ndany_core::backend::{Factor, Factoring, Vectors};
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
        shop.factor(Lot { begin, count: lot.min(wanted.batch - begin) })?;
    }
    Ok(true)
}

/// What the library does to each matrix, in order.
fn steps(wanted: &Factor<'_>) -> Vec<Step> {
    let (m, n, count) = (wanted.rows, wanted.columns, wanted.least());
    match wanted.task {
        Factoring::Lu | Factoring::Pivots => vec![Step::Lu { m, n }],
        Factoring::Cholesky => vec![Step::Cholesky { n }],
        Factoring::Solve { right, .. } => vec![Step::Lu { m: n, n }, Step::Solve { n, right }],
        Factoring::Inverse => vec![Step::Lu { m: n, n }, Step::Solve { n, right: n }],
        Factoring::Qr(Vectors::None) => vec![Step::Reflect { m, n }],
        Factoring::Qr(vectors) => {
            let columns = basis(vectors, m, count);
            vec![Step::Reflect { m, n }, Step::Basis { m, columns, count }]
        }
        Factoring::Svd(vectors) => {
            vec![Step::Svd { m: m.max(n), n: count, vectors }]
        }
        Factoring::Eigh { vectors } => vec![Step::Eigh { n, vectors }],
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

/// The library and the room that matrices pass through.
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

/// Some matrices of the batch: the first, and how many.
#[derive(Clone, Copy)]
struct Lot {
    begin: usize,
    count: usize,
}

/// Matrices that follow each other row by row.
fn packed(at: Address, rows: usize, columns: usize) -> Batch {
    Batch { at, row: columns, matrix: rows * columns }
}

impl<D: Driver> Shop<'_, '_, D> {
    fn factor(&self, lot: Lot) -> Result<()> {
        match self.wanted.task {
            Factoring::Lu | Factoring::Pivots => self.lu(lot),
            Factoring::Cholesky => self.cholesky(lot),
            Factoring::Solve { right, shared } => {
                let b = match shared {
                    true => first::<D>(&self.wanted.inputs[1], self.wanted.dtype),
                    false => self.input(lot, 1),
                };
                let step = if shared { 0 } else { self.wanted.columns * right };
                self.solve(lot, right, Some(Batch { at: b, row: right, matrix: step }))
            }
            Factoring::Inverse => self.solve(lot, self.wanted.columns, None),
            Factoring::Qr(vectors) => self.qr(lot, vectors),
            Factoring::Eigh { vectors } => self.eigh(lot, vectors),
            Factoring::Svd(vectors) => self.svd(lot, vectors),
            // It has no steps, and so is not begun.
            Factoring::Eig { .. } => Ok(()),
        }
    }

    fn lu(&self, lot: Lot) -> Result<()> {
        let (m, n) = (self.wanted.rows, self.wanted.columns);
        let (near, a) = (self.near.address(), self.input(lot, 0));
        let pivots = self.wanted.task == Factoring::Pivots;
        // The transpose has the same determinant.
        let way = if pivots { Bring::of(self.wanted.dtype) } else { self.turned() };
        self.measure(lot, a, m * n)?;
        self.bring(way, lot.count, [n, m], packed(a, m, n), packed(near, n, m))?;
        let exchanges = self.output(lot, 1);
        self.each(lot, |number| {
            let a = self.past(near, number * m * n);
            let b = exchanges + (number * self.wanted.least() * size_of::<i32>()) as u64;
            let places = Places { a, b, status: self.status(lot, number), ..Places::default() };
            self.step(Step::Lu { m, n }, places)
        })?;
        let (back, out) = (Bring { scaling: Scaling::Spoil, ..way }, self.output(lot, 0));
        match pivots {
            true => {
                let diagonal = Batch { at: near, row: n + 1, matrix: n * n };
                self.bring(back, lot.count, [n, 1], diagonal, packed(out, n, 1))
            }
            false => self.bring(back, lot.count, [m, n], packed(near, n, m), packed(out, m, n)),
        }
    }

    fn cholesky(&self, lot: Lot) -> Result<()> {
        let (n, dtype) = (self.wanted.columns, self.wanted.dtype);
        let (near, turned) = (packed(self.near.address(), n, n), self.turned());
        // Turned, the lower triangle stays the lower one: libraries are faster with it.
        self.bring(turned, lot.count, [n, n], packed(self.input(lot, 0), n, n), near)?;
        self.each(lot, |number| {
            let a = self.past(near.at, number * n * n);
            let places = Places { a, status: self.status(lot, number), ..Places::default() };
            self.step(Step::Cholesky { n }, places)
        })?;
        let (lower, l) = (Bring { keep: Keep::Lower, ..turned }, self.output(lot, 0));
        self.bring(lower, lot.count, [n, n], near, packed(l, n, n))?;
        let mut words = Words::default();
        words.extend([n as u64, l, self.status(lot, 0)]);
        self.job.launch(&Diagonal { dtype }, lot.count, BLOCK, &words)
    }

    /// For these right sides, or the identity.
    fn solve(&self, lot: Lot, right: usize, b: Option<Batch>) -> Result<()> {
        let n = self.wanted.columns;
        let near = packed(self.near.address(), n, n);
        let sides = packed(self.beside.address(), right, n);
        let (turned, a) = (self.turned(), self.input(lot, 0));
        self.measure(lot, a, n * n)?;
        self.bring(turned, lot.count, [n, n], packed(a, n, n), near)?;
        match b {
            Some(b) => self.bring(turned, lot.count, [right, n], b, sides)?,
            None => {
                let identity = Bring { keep: Keep::Identity, ..Bring::of(self.wanted.dtype) };
                self.bring(identity, lot.count, [n, n], sides, sides)?;
            }
        }
        let exchanges = self.job.scratch(n * size_of::<i32>())?;
        self.each(lot, |number| {
            let a = self.past(near.at, number * n * n);
            let c = self.past(sides.at, number * n * right);
            let status = self.status(lot, number);
            let places = Places { a, b: exchanges.address(), c, status, ..Places::default() };
            self.step(Step::Lu { m: n, n }, places)?;
            let places = Places { status: self.unread.address(), ..places };
            self.step(Step::Solve { n, right }, places)
        })?;
        let (back, x) = (Bring { scaling: Scaling::Spoil, ..turned }, self.output(lot, 0));
        self.bring(back, lot.count, [n, right], sides, packed(x, n, right))
    }

    fn qr(&self, lot: Lot, vectors: Vectors) -> Result<()> {
        let (m, n, count) = (self.wanted.rows, self.wanted.columns, self.wanted.least());
        let (columns, turned) = (basis(vectors, m, count), self.turned());
        let room = m * n.max(columns);
        let (a, near) =
            (self.input(lot, 0), Batch { at: self.near.address(), row: m, matrix: room });
        self.measure(lot, a, m * n)?;
        let down = Bring { scaling: Scaling::Down, ..turned };
        self.bring(down, lot.count, [n, m], packed(a, m, n), near)?;
        let places = |number: usize, status: Address| Places {
            a: self.past(near.at, number * room),
            b: self.past(self.beside.address(), number * count),
            status,
            ..Places::default()
        };
        self.each(lot, |number| {
            self.step(Step::Reflect { m, n }, places(number, self.status(lot, number)))
        })?;
        let up = Bring { keep: Keep::Upper, scaling: Scaling::Up, ..turned };
        let rows = columns.max(count);
        let r = self.output(lot, usize::from(columns > 0));
        self.bring(up, lot.count, [rows, n], near, packed(r, rows, n))?;
        if columns == 0 {
            return Ok(());
        }
        self.each(lot, |number| {
            self.step(Step::Basis { m, columns, count }, places(number, self.unread.address()))
        })?;
        self.bring(turned, lot.count, [m, columns], near, packed(self.output(lot, 0), m, columns))
    }

    fn eigh(&self, lot: Lot, vectors: bool) -> Result<()> {
        let (n, plain) = (self.wanted.columns, Bring::of(self.wanted.dtype));
        let near = packed(self.near.address(), n, n);
        // The other half is nobody's business, not even where it is not finite.
        let lower = Bring { keep: Keep::Lower, ..plain };
        self.bring(lower, lot.count, [n, n], packed(self.input(lot, 0), n, n), near)?;
        self.measure(lot, near.at, n * n)?;
        let down = Bring { scaling: Scaling::DownOrZero, ..plain };
        self.bring(down, lot.count, [n, n], near, near)?;
        let values = self.output(lot, 0);
        self.each(lot, |number| {
            let a = self.past(near.at, number * n * n);
            let b = values + (number * n * self.wanted.dtype.part().size()) as u64;
            let places = Places { a, b, status: self.status(lot, number), ..Places::default() };
            self.step(Step::Eigh { n, vectors }, places)
        })?;
        if vectors {
            // Columns of the conjugate are rows here.
            let back = Bring { mirrored: true, ..self.turned() };
            let v = packed(self.output(lot, 1), n, n);
            self.bring(back, lot.count, [n, n], near, v)?;
        }
        self.settle(lot, n, values)
    }

    /// Singular values of a lot of one matrix, by whichever of its steps the library takes.
    fn svd(&self, lot: Lot, vectors: Vectors) -> Result<()> {
        let wanted = self.wanted;
        let (m, n) = (wanted.rows, wanted.columns);
        let (a, alone) = (self.input(lot, 0), vectors == Vectors::None);
        let [u, s, vh] = match alone {
            true => [0, self.output(lot, 0), 0],
            false => [0, 1, 2].map(|number| self.output(lot, number)),
        };
        // The longer extent is the rows of what the library sees: of a wide matrix the transpose.
        let (wide, high, low) = (m <= n, m.max(n), wanted.least());
        let width = if vectors == Vectors::Full { high } else { low };
        let (near, lefts) = (self.near.address(), self.beside.address());
        let rights = self.past(lefts, high * width);
        let (plain, turned) = (Bring::of(wanted.dtype), self.turned());
        let rows = |at: Address, columns: usize| packed(at, 1, columns);
        let down = Bring { scaling: Scaling::DownOrZero, turned: !wide, ..plain };
        self.measure(lot, a, m * n)?;
        let mut steps = vec![Step::Svd { m: high, n: low, vectors }];
        if self.polar {
            steps.push(Step::Polar { m: high, n: low });
        }
        while let Some(step) = steps.pop() {
            self.bring(down, 1, [low, high], rows(a, n), rows(near, high))?;
            let polar = matches!(step, Step::Polar { .. });
            // The left vectors of a transpose are those wanted on the right, row by row.
            let c = if wide && !alone { vh } else { lefts };
            let d = if wide && !polar { u } else { rights };
            let [c, d] = if alone && !polar { [0, 0] } else { [c, d] };
            let status = self.status(lot, 0);
            if !self.takes(step, Places { a: near, b: s, c, d, status })? {
                continue;
            }
            if !alone {
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
        self.settle(lot, low, s)
    }

    fn turned(&self) -> Bring {
        Bring { turned: true, ..Bring::of(self.wanted.dtype) }
    }

    /// An address so many elements further on.
    fn past(&self, at: Address, elements: usize) -> Address {
        at + (elements * self.wanted.dtype.size()) as u64
    }

    /// Where an input of a lot begins.
    fn input(&self, lot: Lot, number: usize) -> Address {
        let (elements, dtype) = (self.wanted.sizes().0[number], self.wanted.dtype);
        self.past(first::<D>(&self.wanted.inputs[number], dtype), lot.begin * elements)
    }

    /// Where an output of a lot begins.
    fn output(&self, lot: Lot, number: usize) -> Address {
        let elements = self.wanted.sizes().1[number];
        let dtype = self.wanted.output_dtypes()[number];
        let from = first::<D>(&self.wanted.outputs[number], dtype);
        from + (lot.begin * elements * dtype.size()) as u64
    }

    /// The status word of a matrix of a lot.
    fn status(&self, lot: Lot, number: usize) -> Address {
        let from = first::<D>(&self.wanted.status, DType::I32);
        from + ((lot.begin + number) * size_of::<i32>()) as u64
    }

    fn each(&self, lot: Lot, step: impl Fn(usize) -> Result<()>) -> Result<()> {
        (0..lot.count).try_for_each(step)
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
    fn measure(&self, Lot { count, .. }: Lot, from: Address, elements: usize) -> Result<()> {
        let part = self.wanted.dtype.part();
        let parts = elements * (self.wanted.dtype.size() / part.size());
        let blocks = parts.div_ceil(Largest::EACH);
        self.job.runtime.fill(self.largest.address(), 0, count * part.size())?;
        let mut words = Words::default();
        words.extend([parts as u64, blocks as u64, from, self.largest.address()]);
        self.job.launch(&Largest { part }, blocks * count, BLOCK, &words)
    }

    /// Multiplies values back, and tells of what was not finite.
    fn settle(&self, lot: Lot, values: usize, at: Address) -> Result<()> {
        let part = self.wanted.dtype.part();
        let mut words = Words::default();
        words.extend([values as u64, at, self.largest.address(), self.status(lot, 0)]);
        self.job.launch(&Settle { part }, lot.count, BLOCK, &words)
    }
}
