//! Stands in for the facade in the examples of the documentation of distributions.

pub use ndany_array::api::*;
pub use ndany_stats as stats;

/// As the facade's prelude.
pub mod prelude {
    pub use super::stats;
    pub use ndany_array::prelude::*;
}

ndany_core::providers![];
