//! The CUDA backend of ndany: NVIDIA as `ndany-gpu` asks vendors to describe themselves.
//!
//! - `library`: where NVIDIA's libraries are
//! - `driver`, `compiler`, `blas`, `fft`, `solver`, `sparse`: what is NVIDIA's own about the driver, NVRTC, cuBLAS, cuFFT, cuSOLVER,
//!   cuSPARSE
//! - `direct`: cuDSS, which no other vendor has alike
//!
//! Nothing of CUDA is needed to build this, and nothing of it but the driver to open a device. A missing library or
//! function is an error that says what was tried and how to mend it, never a panic.

mod blas;
mod compiler;
mod direct;
mod driver;
mod fft;
mod library;
mod ranges;
mod solver;
mod sparse;

use ndany_gpu::vendor;

pub use compiler::Nvrtc;
pub use driver::Nvidia;

/// A CUDA device.
pub type CudaDriver = vendor::Device<Nvidia>;

/// NVRTC: text to a cubin of the device's own architecture.
pub type CudaCompiler = vendor::Rtc<Nvrtc>;

/// What the facade hands to core: devices named `cuda:0`, `cuda:1`, …; `cuda` is the first.
pub const PROVIDER: ndany_core::Provider = ndany_gpu::provider!(vendor::VendorPlatform<Nvidia>);
