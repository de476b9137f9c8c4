//! Stands in for the facade in the examples of the documentation of sparse arrays.

pub use ndany_array::api::*;
pub use ndany_sparse as sparse;

/// As the facade's prelude.
pub mod prelude {
    pub use super::sparse;
    pub use ndany_array::prelude::*;
}

ndany_core::providers![];
