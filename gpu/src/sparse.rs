//! Products of sparse arrays by a vendor's library: what the backend asks for where a caller allows any order of additions.
//!
//! The library is opened at the first question, not with the device. Deliberately absent: products of two sparse arrays, and other
//! formats than compressed rows.

use std::fmt::Debug;

use ndany_core::backend::{Checked, SparseProduct, SparseProducts};
use ndany_core::{DType, Result};

use crate::GpuBackend;
use crate::driver::{Address, DriverResult, Stream};
use crate::graph::LibraryCall;
use crate::job::Job;
use crate::operand::first;

/// An array of compressed rows times a vector, or times a matrix that lies row by row. No extent is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as core's request calls them")]
pub struct Product {
    pub dtype: DType,
    pub index_dtype: DType,
    pub rows: usize,
    pub columns: usize,
    pub entries: usize,
    /// Columns of the matrix; nothing for a vector.
    pub width: Option<usize>,
    pub indptr: Address,
    pub indices: Address,
    pub values: Address,
    pub right: Address,
    /// Column by column where the library [writes columns](Sparse::writes_columns), else row by row.
    pub out: Address,
    /// Memory without another user until the stream has executed the product, of [`Sparse::workspace`] bytes.
    pub workspace: Address,
}

/// A vendor's library for products of sparse arrays on one device.
pub trait Sparse: Debug + Send + Sync {
    /// Whether the library is present, for work in this stream. Opens it at the first call; if it is missing the caller's own kernels
    /// take its place. A library that finds no memory to start in is an error, and is asked again the next time.
    fn is_there(&self, stream: Stream) -> DriverResult<bool>;

    /// Whether a result that is a matrix lies column by column.
    fn writes_columns(&self) -> bool;

    /// Bytes of workspace that a product wants; only where the library [is there](Sparse::is_there). A product that it does not take is
    /// a call that fails.
    fn workspace(&self, product: &Product, stream: Stream) -> DriverResult<usize>;

    /// Submits a product to the stream; only where the library is there.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user. `indptr` begins with 0, does
    /// not decrease and ends with the number of entries, and indices are below the number of columns.
    unsafe fn multiply(&self, product: &Product, stream: Stream) -> DriverResult<()>;
}

impl SparseProducts for GpuBackend {
    fn writes_columns(&self) -> bool {
        self.sparse.as_ref().is_some_and(|sparse| sparse.writes_columns())
    }

    fn multiply(&self, request: Checked<&SparseProduct<'_>>) -> Result<bool> {
        let (Some(sparse), runtime) = (&self.sparse, self.runtime()) else { return Ok(false) };
        let stream = runtime.stream();
        if !runtime.starts("matmul", || sparse.is_there(stream))? {
            return Ok(false);
        }
        let SparseProduct { dtype, index_dtype, rows, columns, entries, width, .. } = **request;
        let product = Product {
            dtype,
            index_dtype,
            rows,
            columns,
            entries,
            width,
            indptr: first(&request.indptr, index_dtype),
            indices: first(&request.indices, index_dtype),
            values: first(&request.values, dtype),
            right: first(&request.right, dtype),
            out: first(&request.out, dtype),
            workspace: 0,
        };
        let Some(bytes) = runtime.sparse_workspace(&**sparse, &product)? else { return Ok(false) };
        let reads = [request.indptr, request.indices, request.values, request.right];
        let reads = reads.map(|view| view.memory);
        let job = Job::begin(runtime, reads, [request.out.memory], &[], None)?;
        let workspace = job.scratch(bytes.max(1))?;
        let product = Product { workspace: workspace.address(), ..product };
        runtime.library(&LibraryCall::Sparse { sparse: sparse.clone(), product })
    }
}
