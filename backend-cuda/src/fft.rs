//! What is cuFFT's own: the names of its functions, and its numbers.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::Transforms;
use ndany_gpu::vendor::dft::{Api, Names};

use crate::driver::Nvidia;
use crate::library;

#[cfg(test)]
use cudarc::cufft::sys as bindings;

ndany_gpu::names! {
    const NAMES: dft<i32>, compared with bindings by signatures_are_those_of_other_bindings;
    version: cufftGetVersion,
    create: cufftCreate,
    destroy: cufftDestroy,
    set_allocation: cufftSetAutoAllocation,
    make: cufftMakePlanMany64,
    set_stream: cufftSetStream,
    set_workspace: cufftSetWorkArea,
    complex_singles: cufftExecC2C,
    complex_doubles: cufftExecZ2Z,
    singles_to_half: cufftExecR2C,
    doubles_to_half: cufftExecD2Z,
    half_to_singles: cufftExecC2R,
    half_to_doubles: cufftExecZ2D,
}

/// NVIDIA's library for Fourier transforms.
#[derive(Debug)]
pub struct Cufft;

// SAFETY: tests compare signatures and numbers with bindings of another project.
unsafe impl Transforms for Cufft {
    type Vendor = Nvidia;
    type Handle = i32;

    const NAME: &'static str = "cuFFT";
    const NAMES: Names = NAMES;
    const MEMORY_ERROR: u32 = 2;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::CUFFT
    }
}

#[cfg(test)]
mod tests {
    use cudarc::cufft::sys;
    use ndany_gpu::vendor::Transforms;
    use ndany_gpu::vendor::dft::KINDS;

    use super::Cufft;

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::cufftType as Kind;
        let singles = [Kind::CUFFT_C2C, Kind::CUFFT_R2C, Kind::CUFFT_C2R];
        let doubles = [Kind::CUFFT_Z2Z, Kind::CUFFT_D2Z, Kind::CUFFT_Z2D];
        assert_eq!(KINDS, [singles, doubles].map(|kinds| kinds.map(|kind| kind as u32)));
        assert_eq!(Cufft::MEMORY_ERROR, sys::cufftResult::CUFFT_ALLOC_FAILED as u32);
    }
}
