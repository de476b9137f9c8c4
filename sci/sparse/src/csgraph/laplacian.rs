//! Laplacians of graphs.

use ndany_array::extend::Ahead;
use ndany_array::{Array, DType, Kind, Result, concatenate, where_};

use super::nodes;
use crate::Sparse;
use crate::array::Structure;
use crate::kernels::OF_LAPLACIAN;
use crate::support::below;
use crate::threads::{WithDiagonal, with_diagonal};

/// Options of [`laplacian`](fn@laplacian): `..` for SciPy's defaults.
///
/// ```
/// let _ = ndany::sparse::csgraph::Laplacian::new().normed(true);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Laplacian {
    normed: bool,
    use_out_degree: bool,
    symmetrized: bool,
}

impl From<std::ops::RangeFull> for Laplacian {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

impl Laplacian {
    /// Starts options with SciPy's defaults.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Laplacian::new().normed(true);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether it is divided by the roots of the degrees of both nodes.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Laplacian::new().normed(true);
    /// ```
    pub fn normed(mut self, normed: bool) -> Self {
        self.normed = normed;
        self
    }

    /// Sets whether degrees are sums of rows, in place of columns.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Laplacian::new().use_out_degree(true);
    /// ```
    pub fn use_out_degree(mut self, use_out_degree: bool) -> Self {
        self.use_out_degree = use_out_degree;
        self
    }

    /// Sets whether the conjugate transpose is added first.
    ///
    /// ```
    /// let _ = ndany::sparse::csgraph::Laplacian::new().symmetrized(true);
    /// ```
    pub fn symmetrized(mut self, symmetrized: bool) -> Self {
        self.symmetrized = symmetrized;
        self
    }
}

/// Returns the Laplacian of a graph and its diagonal, or the roots of the degrees where it is normed, as
/// `scipy.sparse.csgraph.laplacian` with `return_diag`.
///
/// - **Shapes**: `(n, n) → (n, n), (n,)`.
/// - **Dtypes**: that of the array, bool counts as int64; integers that are normed become float64.
/// - **Errors**: an array that is not square, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let graph = sparse::csr_array(&array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]), ..);
/// let (laplacian, degrees) = sparse::csgraph::laplacian(&graph, ..)?;
/// assert_eq!(laplacian.to_dense().to_string(), "[[ 2 -2  0]\n [-2  3 -1]\n [ 0 -1  1]]");
/// assert_eq!(degrees.to_string(), "[2 3 1]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn laplacian(graph: &Sparse, options: impl Into<Laplacian>) -> Result<(Sparse, Array)> {
    let options = options.into();
    let n = nodes("laplacian", graph)?;
    static KERNELS: Ahead = Ahead::new();
    KERNELS.ask(graph, options, |graph, options| laplacian(graph, options)?.0.data().eval());
    let mut own = graph.to_csr();
    if own.dtype() == DType::Bool {
        own = own.astype(DType::I64);
    }
    if options.normed && matches!(own.dtype().kind(), Kind::Int) {
        own = own.astype(DType::F64);
    }
    if options.symmetrized {
        own = &own + own.transpose().conj().to_csr();
    }
    let dtype = own.dtype();
    let axis = if options.use_out_degree { 1 } else { 0 };
    let mut degrees = (own.sum(axis) - own.diagonal(0)).astype(dtype);
    own = own.sum_duplicates();
    let places = with_diagonal(&own.indptr(), &own.indices())?;
    let [mut rows, mut columns, mut values] = own.entries();
    if places.is_none() {
        let apart = rows.not_equal(&columns).flatnonzero();
        [rows, columns, values] = [rows, columns, values].map(|part| part.take(&apart, ..));
    }
    let mut diagonal = degrees.clone();
    if options.normed {
        let alone = degrees.equal(0);
        degrees = where_(&alone, degrees.zeros_like() + 1, degrees.sqrt()).astype(dtype);
        diagonal = alone.logical_not().astype(dtype);
        degrees.eval()?;
        values = values / degrees.take(&rows, ..) / degrees.take(&columns, ..);
    }
    if let Some(WithDiagonal { indptr, columns, from }) = places {
        let [values] = OF_LAPLACIAN.call((&from, &values, &diagonal));
        values.eval()?;
        degrees.eval()?;
        let parts = [indptr, columns, values];
        return Ok((Sparse::csr(own.shape(), parts, Structure::canonical()), degrees));
    }
    let node = below(n, &values).astype(rows.dtype());
    let join = |a: &Array, b: &Array| concatenate([a, b], 0);
    let values = join(&-&values, &diagonal);
    let coordinates = (join(&rows, &node), join(&columns, &node));
    let made = crate::coo_array((values, coordinates), own.shape()).to_csr();
    degrees.eval()?;
    Ok((made, degrees))
}
