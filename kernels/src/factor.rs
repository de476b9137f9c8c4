//! The pattern `factor`: factorizations of batches of matrices and systems, where no vendor's library does them.
//!
//! A block takes one matrix after the other; its threads share the rows and columns. A matrix that is being worked on
//! lies in shared memory where it fits there, else in memory of the block's own. Blocks' threads meet at barriers only,
//! and add up in an order that the extents fix.
//!
//! Arguments: the number of matrices, rows m, columns n, right sides, whether vectors are wanted (of LU: all of it; of
//! systems: whether all have the same right sides), columns of Q or of the singular vectors of the longer side,
//! elements that a block works on, the addresses of both inputs, of three outputs, of the status words and of the
//! blocks' memory; 0 for what a task has not.

use std::fmt::Write;

use ndany_core::DType;

use crate::{Dialect, Kernel, Source};

/// Most bytes of shared memory for a matrix that is worked on.
const SHARED_BYTES: usize = 32 << 10;

/// The fewest threads of a block, and the most.
const THREADS: [u32; 2] = [32, 256];

/// What is done to each matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Exchanges of rows, L and U.
    Lu,
    /// A system by LU.
    Solve,
    /// The lower factor.
    Cholesky,
    /// Householder's reflections.
    Qr,
    /// Singular values, by rotations of columns.
    Svd,
    /// Eigenvalues of Hermitian matrices, by rotations of rows and columns.
    Eigh,
    /// Eigenvalues of any matrices, by QR steps.
    Eig,
}

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Factor {
    /// What is done.
    pub task: Task,
    /// F32, F64, C64 or C128.
    pub dtype: DType,
    /// Threads of a block.
    pub threads: u32,
    /// Elements of shared memory for a matrix; 0: it lies in memory of the block's own.
    pub in_shared: usize,
}

/// The text of a task.
struct Part {
    entry: &'static str,
    text: &'static str,
    function: &'static str,
}

impl Task {
    /// Elements that a block works on, as the task's text lays them out. `columns` are those of Q, and 0 where no
    /// vectors are wanted.
    pub fn need(self, m: usize, n: usize, right: usize, columns: usize) -> usize {
        match self {
            Self::Lu | Self::Cholesky => m * n,
            Self::Solve => n * (n + right),
            Self::Qr => m * n + m * columns + m.min(n),
            Self::Svd => {
                let (long, short) = (m.max(n), m.min(n));
                match columns {
                    0 => short * (long | 1) + 2 * long,
                    _ => short * ((long + short) | 1) + 4 * long,
                }
            }
            Self::Eigh => {
                let even = n.next_multiple_of(2);
                let vectors = if columns > 0 { n * n } else { 0 };
                even * (even + 1) + vectors + 3 * (even / 2) + n
            }
            Self::Eig => n * n * if columns > 0 { 3 } else { 1 } + 4 * n,
        }
    }

    /// What a block works in, for matrices of this dtype.
    pub fn element(self, dtype: DType) -> DType {
        match self {
            Self::Lu | Self::Solve | Self::Cholesky | Self::Qr | Self::Svd | Self::Eigh => dtype,
            Self::Eig => DType::C128,
        }
    }

    fn part(self) -> Part {
        match self {
            Self::Lu => Part {
                entry: "factor_lu",
                text: include_str!("device/factor_lu.h"),
                function: "lu",
            },
            Self::Solve => Part {
                entry: "factor_solve",
                text: include_str!("device/factor_lu.h"),
                function: "solve",
            },
            Self::Cholesky => Part {
                entry: "factor_cholesky",
                text: include_str!("device/factor_cholesky.h"),
                function: "cholesky",
            },
            Self::Qr => Part {
                entry: "factor_qr",
                text: include_str!("device/factor_qr.h"),
                function: "qr",
            },
            Self::Svd => Part {
                entry: "factor_svd",
                text: concat!(
                    include_str!("device/factor_jacobi.h"),
                    include_str!("device/factor_svd.h")
                ),
                function: "svd",
            },
            Self::Eigh => Part {
                entry: "factor_eigh",
                text: concat!(
                    include_str!("device/factor_jacobi.h"),
                    include_str!("device/factor_eigh.h")
                ),
                function: "eigh",
            },
            Self::Eig => Part {
                entry: "factor_eig",
                text: include_str!("device/factor_eig.h"),
                function: "eig",
            },
        }
    }
}

/// What texts of factorizations call numbers of this dtype.
pub(crate) fn number(dtype: DType) -> &'static str {
    match (dtype.part() == DType::F32, dtype.is_complex()) {
        (true, false) => "f32",
        (false, false) => "f64",
        (true, true) => "Complex<f32>",
        (false, true) => "Complex<f64>",
    }
}

impl Factor {
    /// For matrices of this many rows or columns, of which a block works on `need` elements.
    pub fn new(task: Task, dtype: DType, extent: usize, need: usize) -> Self {
        // Rows and columns of small matrices keep few threads busy, and more blocks fit a processor.
        let threads =
            (extent.next_power_of_two() * 2).clamp(THREADS[0] as usize, THREADS[1] as usize);
        let in_shared = need.next_power_of_two().max(64);
        let bytes = in_shared * task.element(dtype).size();
        let in_shared = if bytes <= SHARED_BYTES { in_shared } else { 0 };
        Self { task, dtype, threads: threads as u32, in_shared }
    }
}

impl Kernel for Factor {
    fn source(&self, dialect: &Dialect) -> Source {
        let Self { task, dtype, threads, in_shared } = self;
        let Part { entry, text: own, function } = task.part();
        let (source, element) = (number(*dtype), number(task.element(*dtype)));
        let mut text = Source::begin(dialect);
        let _ = writeln!(text, "#define THREADS {threads}\n#define IN_SHARED {}", *in_shared > 0);
        text.push_str(include_str!("device/numbers.h"));
        text.push_str(include_str!("device/factor.h"));
        text.push_str(own);
        let work = match in_shared {
            0 => "T* work = static_cast<T*>(a.work) + block_x() * a.need;".to_string(),
            in_shared => {
                format!("SHARED Shared<{in_shared}> work_shared;\nT* work = work_shared.at;")
            }
        };
        let _ = writeln!(
            text,
            "typedef {source} S;\n\
             typedef {element} T;\n\
             template <int COUNT> struct Shared {{ T at[COUNT]; }};\n\
             KERNEL({threads}) {entry}(const Args a) {{\n\
             SHARED Board<T> board;\n\
             {work}\n\
             for (u64 number = block_x(); number < a.batch; number += grid_x()) {{\n\
             barrier();\n\
             const i32 status = {function}<S>(a, number, work, board);\n\
             if (thread() == 0) a.status[number] = status;\n\
             }}\n}}"
        );
        Source::new(&text, entry)
    }
}
