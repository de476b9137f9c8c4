//! What is cuSPARSE's own: the names of its functions, and its numbers.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::SparseMatrices;
use ndany_gpu::vendor::sparse::{Api, Names};

use crate::driver::Nvidia;
use crate::library;

#[cfg(test)]
use cudarc::cusparse::sys as bindings;

ndany_gpu::names! {
    const NAMES: sparse, compared with bindings by signatures_are_those_of_other_bindings;
    create: cusparseCreate,
    set_stream: cusparseSetStream,
    create_rows: cusparseCreateCsr,
    destroy_rows: cusparseDestroySpMat,
    create_vector: cusparseCreateDnVec,
    destroy_vector: cusparseDestroyDnVec,
    create_matrix: cusparseCreateDnMat,
    destroy_matrix: cusparseDestroyDnMat,
    times_vector_workspace: cusparseSpMV_bufferSize,
    times_vector: cusparseSpMV,
    times_matrix_workspace: cusparseSpMM_bufferSize,
    times_matrix: cusparseSpMM,
}

ndany_gpu::symbols! {
    /// What other libraries do not have alike.
    pub struct Own checked by bindings {
        fn cusparseGetProperty(kind: u32, value: *mut i32) -> u32;
    }
}

/// NVIDIA's library for sparse arrays.
#[derive(Debug)]
pub struct Cusparse;

// SAFETY: tests compare signatures and numbers with bindings of another project.
unsafe impl SparseMatrices for Cusparse {
    type Vendor = Nvidia;
    type Own = Own;

    const NAME: &'static str = "cuSPARSE";
    const NAMES: Names = NAMES;
    const BY_ROWS: Option<[u32; 2]> = Some([2, 6]);

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::CUSPARSE
    }

    fn version(own: &Own) -> String {
        library::version(own.cusparseGetProperty)
    }
}

#[cfg(test)]
mod tests {
    use cudarc::cusparse::sys;
    use ndany_gpu::vendor::SparseMatrices;
    use ndany_gpu::vendor::sparse::numbers;

    use super::{Cusparse, Own};

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::{
            cudaDataType as Data, cusparseIndexBase_t as Base, cusparseIndexType_t as Index,
            cusparseOperation_t as Operation, cusparseOrder_t as Order,
            cusparseSpMMAlg_t as Matrix, cusparseSpMVAlg_t as Vector, cusparseStatus_t as Status,
        };
        let pairs = [
            (numbers::R_32F, Data::CUDA_R_32F as u32),
            (numbers::R_64F, Data::CUDA_R_64F as u32),
            (numbers::C_32F, Data::CUDA_C_32F as u32),
            (numbers::C_64F, Data::CUDA_C_64F as u32),
            (numbers::INDEX_32I, Index::CUSPARSE_INDEX_32I as u32),
            (numbers::INDEX_64I, Index::CUSPARSE_INDEX_64I as u32),
            (numbers::BASE_ZERO, Base::CUSPARSE_INDEX_BASE_ZERO as u32),
            (numbers::AS_IT_IS, Operation::CUSPARSE_OPERATION_NON_TRANSPOSE as u32),
            (numbers::TRANSPOSED, Operation::CUSPARSE_OPERATION_TRANSPOSE as u32),
            (numbers::BY_COLUMNS, Order::CUSPARSE_ORDER_COL as u32),
            (numbers::ALGORITHM_DEFAULT, Vector::CUSPARSE_SPMV_ALG_DEFAULT as u32),
            (numbers::ALGORITHM_DEFAULT, Matrix::CUSPARSE_SPMM_ALG_DEFAULT as u32),
            (numbers::ALLOC_FAILED, Status::CUSPARSE_STATUS_ALLOC_FAILED as u32),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours, theirs);
        }
        let by_rows = [Order::CUSPARSE_ORDER_ROW as u32, Matrix::CUSPARSE_SPMM_CSR_ALG2 as u32];
        assert_eq!(Cusparse::BY_ROWS, Some(by_rows));
        assert_eq!(Own::signatures_agree(), 1);
    }
}
