//! How device text is written for a vendor: the few words that differ. Everything else is one source.

/// The words of a vendor's compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The vendor's platform: `cuda`, `hip`.
    pub name: &'static str,
    /// Text in front of every kernel.
    pub preamble: &'static str,
    /// Threads of a warp or wavefront.
    pub warp_size: u32,
}

/// NVIDIA's, as NVRTC takes it.
pub static CUDA: Dialect =
    Dialect { name: "cuda", preamble: include_str!("device/cuda.h"), warp_size: 32 };

/// AMD's, as hipRTC takes it, for wavefronts of 32 lanes: graphics cards.
pub static HIP_32: Dialect = Dialect {
    name: "hip",
    preamble: concat!("#define LANES 32\n", include_str!("device/hip.h")),
    warp_size: 32,
};

/// The same for wavefronts of 64 lanes: accelerators.
pub static HIP_64: Dialect = Dialect {
    name: "hip",
    preamble: concat!("#define LANES 64\n", include_str!("device/hip.h")),
    warp_size: 64,
};
