//! Stands in for the facade in the examples of the documentation of special functions.

pub use ndany_array::api::*;

/// As the facade's module.
pub mod special {
    pub use ndany_array::special::*;
    pub use ndany_special::*;
}

/// As the facade's prelude.
pub mod prelude {
    pub use super::special;
    pub use ndany_array::prelude::*;
}

ndany_core::providers![];
