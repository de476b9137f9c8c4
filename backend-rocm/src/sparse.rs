//! What is hipSPARSE's own: the names of its functions, and its numbers. It stands in front of rocSPARSE, whose functions for these
//! products have other arguments in each generation.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::SparseMatrices;
use ndany_gpu::vendor::sparse::{Api, Names};

use crate::driver::Amd;
use crate::library;

ndany_gpu::names! {
    pub(crate) const NAMES: sparse;
    create: hipsparseCreate,
    set_stream: hipsparseSetStream,
    create_rows: hipsparseCreateCsr,
    destroy_rows: hipsparseDestroySpMat,
    create_vector: hipsparseCreateDnVec,
    destroy_vector: hipsparseDestroyDnVec,
    create_matrix: hipsparseCreateDnMat,
    destroy_matrix: hipsparseDestroyDnMat,
    times_vector_workspace: hipsparseSpMV_bufferSize,
    times_vector: hipsparseSpMV,
    times_matrix_workspace: hipsparseSpMM_bufferSize,
    times_matrix: hipsparseSpMM,
}

ndany_gpu::symbols! {
    /// Nothing that other libraries do not have alike.
    pub struct Own {}
}

/// AMD's library for sparse arrays.
#[derive(Debug)]
pub struct Hipsparse;

// SAFETY: a test compares signatures and numbers with the vendor's headers.
unsafe impl SparseMatrices for Hipsparse {
    type Vendor = Amd;
    type Own = Own;

    const NAME: &'static str = "hipSPARSE";
    const NAMES: Names = NAMES;
    /// The number was 0 in ROCm 5 and is 2 since.
    const BY_ROWS: Option<[u32; 2]> = None;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::HIPSPARSE
    }

    fn version(_: &Own) -> String {
        "not told".to_string()
    }
}

/// What the headers call the numbers.
#[cfg(test)]
pub(crate) const CONSTANTS: [(&str, u32); 13] = {
    use ndany_gpu::vendor::sparse::numbers::*;
    [
        ("HIP_R_32F", R_32F),
        ("HIP_R_64F", R_64F),
        ("HIP_C_32F", C_32F),
        ("HIP_C_64F", C_64F),
        ("HIPSPARSE_INDEX_32I", INDEX_32I),
        ("HIPSPARSE_INDEX_64I", INDEX_64I),
        ("HIPSPARSE_INDEX_BASE_ZERO", BASE_ZERO),
        ("HIPSPARSE_OPERATION_NON_TRANSPOSE", AS_IT_IS),
        ("HIPSPARSE_OPERATION_TRANSPOSE", TRANSPOSED),
        ("HIPSPARSE_ORDER_COLUMN", BY_COLUMNS),
        ("HIPSPARSE_MV_ALG_DEFAULT", ALGORITHM_DEFAULT),
        ("HIPSPARSE_MM_ALG_DEFAULT", ALGORITHM_DEFAULT),
        ("HIPSPARSE_STATUS_ALLOC_FAILED", ALLOC_FAILED),
    ]
};
