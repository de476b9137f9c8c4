//! Stands in for the facade in core's documentation examples.
//!
//! They read as an application's code does (`use ndany::…`) and need somebody to say which backends are
//! compiled in. The facade itself would make every test of core wait for the backends to build.

pub use ndany_core::*;

ndany_core::providers![];
