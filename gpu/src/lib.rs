//! What every GPU backend shares.
//!
//! A vendor supplies a [`driver::Driver`] and a [`driver::Compiler`]; [`GpuBackend`] makes a backend of them. Its
//! planning half has one file per execution pattern and decides what to launch. Its run-time half (`runtime` and what
//! that file names) decides when and where: memory, order, machine code, transfers, errors. Neither knows a vendor.
//!
//! | variable | meaning | else |
//! |---|---|---|
//! | `NDANY_POOL=direct` | an allocation of the driver's own for every array, of its words of four bytes, used once | a caching pool |
//! | `NDANY_POOL=managed` | arrays are in managed memory, unless a thread asks for other | memory of the device |
//! | `NDANY_POOL_LIMIT` | bytes that the pool may take | all there are |
//! | `NDANY_LAUNCH_LIMIT` | threads that a launch may have; longer ones are cut, for tests | what the device takes |
//! | `NDANY_POISON` | fresh memory is filled with 0xFF, which is NaN | it is left as it is |
//! | `NDANY_FFT` | `own` kernels or the vendor's `library` do Fourier transforms | the library where there is one |
//! | `NDANY_LINALG` | `own` kernels or the vendor's `library` factor matrices | the faster of both, by extents |
//! | `NDANY_GRAPHS=own` | graphs are launched piece by piece | as graphs of the driver, where it has such |
//! | `NDANY_CACHE_DIR` | folder of machine code | the platform's folder for caches |
//! | `NDANY_CACHE_SHIPPED` | folder of machine code that an application brings along, read and never written | `ndany-kernels` beside the program |
//! | `NDANY_CACHE_TEXTS` | folder into which the texts of kernels are recorded | they are not recorded |
//! | `NDANY_COMPILE_THREADS` | threads that compile kernels while launches are put off; with 0 or 1 each is compiled where it is launched | one a processor, at most 8 |

mod backend;
mod backlog;
pub mod blas;
mod bounded;
mod cache;
mod checked;
mod control;
mod correlate;
mod deferred;
pub mod dft;
pub mod direct;
pub mod driver;
mod event;
mod factor;
#[cfg(test)]
mod fake;
mod folds;
mod foreign;
mod fourier;
mod gather_scatter;
mod graph;
mod host_function;
mod job;
pub mod library;
mod map;
mod matmul;
mod memory;
mod modules;
mod nth_element;
mod operand;
mod partition_three_way;
mod pinned;
pub mod platform;
mod pool;
mod process;
mod products;
pub mod ranges;
mod raw;
pub mod recording;
mod rows;
mod runtime;
mod scan;
mod search;
mod select;
mod settings;
mod simt;
pub mod solver;
mod sort;
mod sources;
pub mod sparse;
mod staging;
mod steering;
mod stream;
mod texts;
mod twiddles;
pub mod vendor;

pub use backend::GpuBackend;
pub use texts::{CompiledTexts, compile_texts};
