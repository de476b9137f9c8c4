//! What is hipFFT's own: the names of its functions, and its numbers. It stands in front of rocFFT.

use ndany_gpu::library::LazyLibrary;
use ndany_gpu::vendor::Transforms;
use ndany_gpu::vendor::dft::{Api, Names};

use crate::driver::Amd;
use crate::library;

ndany_gpu::names! {
    pub(crate) const NAMES: dft<u64>;
    version: hipfftGetVersion,
    create: hipfftCreate,
    destroy: hipfftDestroy,
    set_allocation: hipfftSetAutoAllocation,
    make: hipfftMakePlanMany64,
    set_stream: hipfftSetStream,
    set_workspace: hipfftSetWorkArea,
    complex_singles: hipfftExecC2C,
    complex_doubles: hipfftExecZ2Z,
    singles_to_half: hipfftExecR2C,
    doubles_to_half: hipfftExecD2Z,
    half_to_singles: hipfftExecC2R,
    half_to_doubles: hipfftExecZ2D,
}

/// AMD's library for Fourier transforms.
#[derive(Debug)]
pub struct Hipfft;

// SAFETY: the names follow cuFFT's, whose signatures are tested; a plan is a pointer.
unsafe impl Transforms for Hipfft {
    type Vendor = Amd;
    type Handle = u64;

    const NAME: &'static str = "hipFFT";
    const NAMES: Names = NAMES;
    const MEMORY_ERROR: u32 = 2;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::HIPFFT
    }
}

/// What the headers call the numbers.
#[cfg(test)]
pub(crate) const CONSTANTS: [(&str, u32); 9] = {
    use ndany_gpu::vendor::dft::{DIRECTIONS, KINDS};
    [
        ("HIPFFT_C2C", KINDS[0][0]),
        ("HIPFFT_R2C", KINDS[0][1]),
        ("HIPFFT_C2R", KINDS[0][2]),
        ("HIPFFT_Z2Z", KINDS[1][0]),
        ("HIPFFT_D2Z", KINDS[1][1]),
        ("HIPFFT_Z2D", KINDS[1][2]),
        ("(unsigned)HIPFFT_FORWARD", DIRECTIONS[0].cast_unsigned()),
        ("(unsigned)HIPFFT_BACKWARD", DIRECTIONS[1].cast_unsigned()),
        ("HIPFFT_ALLOC_FAILED", Hipfft::MEMORY_ERROR),
    ]
};
