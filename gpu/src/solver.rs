//! Factorizations by a vendor's library: what the backend asks for where there is one.
//!
//! Such libraries take one matrix at a time, by columns, and work in place. The library is opened at the first
//! question, not with the device. Deliberately absent: batches, scaling, and the order that core wants: `factor` and
//! this crate's kernels see to these.

use std::fmt::Debug;

use ndany_core::DType;
use ndany_core::backend::Vectors;

use crate::driver::{Address, DriverResult, Stream};

/// What is done to a matrix `a`, by columns that follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverStep {
    /// Of `a`, n by n and Hermitian, the lower triangle becomes the lower Cholesky factor.
    Cholesky {
        /// Rows and columns.
        n: usize,
    },
    /// `a`, m by n, becomes its LU; `b` gets the exchanges of rows, I32, counted from 1.
    Lu {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
    },
    /// `a` is an LU and `b` its exchanges; `c`, n by `right`, becomes the solution.
    Solve {
        /// Rows and columns of `a`.
        n: usize,
        /// Columns of `c`.
        right: usize,
    },
    /// `a`, m by n, becomes R and, below the diagonal, reflections; `b` gets their factors.
    Reflect {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
    },
    /// `a` holds reflections and `b` their factors; `a`, m by `columns`, becomes the first columns of Q.
    Basis {
        /// Rows.
        m: usize,
        /// Columns of Q.
        columns: usize,
        /// Reflections.
        count: usize,
    },
    /// Of `a`, n by n and Hermitian, the upper triangle counts; `b` gets the eigenvalues, ascending, and `a` the
    /// vectors, or is spoiled.
    Eigh {
        /// Rows and columns.
        n: usize,
        /// The vectors too?
        vectors: bool,
    },
    /// `a`, m by n with m ≥ n, is spoiled; `b` gets the singular values, `c` the left vectors, m by n or m by m, `d`
    /// the adjoint of the right ones, n by n.
    Svd {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// Which vectors.
        vectors: Vectors,
    },
    /// The same with as many vectors as values, by a polar decomposition, which is faster; but `d` gets the right
    /// vectors themselves. It is not for matrices that are near a singular one.
    Polar {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
    },
}

/// Addresses of the matrices of a step; 0 for those that it does not have.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "as the steps call them")]
pub struct Pointers {
    pub a: Address,
    pub b: Address,
    pub c: Address,
    pub d: Address,
    /// Gets LAPACK's `info`, an I32.
    pub status: Address,
}

/// A vendor's library for factorizations on one device.
pub trait Solver: Debug + Send + Sync {
    /// Whether the library is present, for work in this stream. Opens it at the first call; if it is missing the
    /// backend uses its own kernels. A library that finds no memory to start in is an error, and is asked again the
    /// next time.
    fn is_there(&self, stream: Stream) -> DriverResult<bool>;

    /// Bytes of workspace that a step wants; only where the library [is there](Solver::is_there). A step that it has
    /// not is a call that fails.
    fn workspace(&self, step: &SolverStep, dtype: DType, stream: Stream) -> DriverResult<usize>;

    /// Submits a step to the stream; only where the library is there. May wait for the stream. `false` where the
    /// matrix is not for the step.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory and the workspace are alive and have no other
    /// user until the stream has executed the step.
    unsafe fn run(
        &self,
        step: &SolverStep,
        dtype: DType,
        places: &Pointers,
        workspace: (Address, usize),
        stream: Stream,
    ) -> DriverResult<bool>;
}
