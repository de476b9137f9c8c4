//! ndany: a vendor-neutral n-dimensional array engine.
pub use ndany_core::*;

ndany_core::providers![
    #[cfg(feature = "cpu")]
    ndany_cpu::PROVIDER,
];
