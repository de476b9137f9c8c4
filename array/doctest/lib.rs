//! Stands in for the facade in the examples of the documentation of core and arrays.
//!
//! They read as an application's code does (`use ndany::…`) and need a crate that says which backends are
//! compiled in. The facade itself would make every test wait for the backends to build.

pub use ndany_array::api::*;

ndany_core::providers![];
