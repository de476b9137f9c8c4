//! The ROCm backend of ndany: AMD as `ndany-gpu` asks vendors to describe themselves.
//!
//! - `library`: where AMD's libraries are
//! - `driver`, `compiler`, `blas`, `fft`, `solver`, `sparse`: what is AMD's own about HIP, hipRTC, rocBLAS, hipFFT, hipSOLVER, hipSPARSE
//! - `comgr`: which architectures the compiler knows
//!
//! Nothing of ROCm is needed to build this, and nothing of it but HIP to open a device. A missing library or function
//! is an error that says what was tried and how to mend it, never a panic.

mod blas;
mod comgr;
mod compiler;
mod driver;
mod fft;
mod library;
mod ranges;
mod solver;
mod sparse;

use ndany_gpu::vendor;

pub use compiler::Hiprtc;
pub use driver::Amd;

/// A ROCm device.
pub type RocmDriver = vendor::Device<Amd>;

/// hipRTC: text to a code object of the device's own architecture.
pub type RocmCompiler = vendor::Rtc<Hiprtc>;

/// What the facade hands to core: devices named `hip:0`, `hip:1`, …; `hip` is the first.
pub const PROVIDER: ndany_core::Provider = ndany_gpu::provider!(vendor::VendorPlatform<Amd>);
