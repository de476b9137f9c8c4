//! How device text is written for a vendor: the few words that differ. Everything else is one source.

/// The words of a vendor's compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The vendor's platform: `cuda`, `hip`.
    pub name: &'static str,
    /// Text in front of every kernel.
    pub words: &'static str,
    /// Threads of a warp or wavefront.
    pub lanes: u32,
}

/// NVIDIA's, as NVRTC takes it.
pub const CUDA: Dialect = Dialect { name: "cuda", words: include_str!("device/cuda.h"), lanes: 32 };
