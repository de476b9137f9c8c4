//! Facts about a device, by name.

use std::fmt;

/// A fact about a device that its driver knows, as the keys of `cupy.cuda.Device.attributes`.
///
/// A type in place of a text: what does not exist does not compile, and an editor lists what there is. Each is asked for by
/// itself (`Device::attribute`), so one that a driver does not know costs no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "their names are the drivers' own")]
pub enum Attribute {
    AsyncEngineCount,
    CanMapHostMemory,
    /// In kHz.
    ClockRate,
    ComputeCapabilityMajor,
    ComputeCapabilityMinor,
    ConcurrentKernels,
    /// Whether the host may use managed memory while the device works.
    ConcurrentManagedAccess,
    CooperativeLaunch,
    EccEnabled,
    Integrated,
    KernelExecTimeout,
    /// In bytes.
    L2CacheSize,
    ManagedMemory,
    MaxBlockDimX,
    MaxBlockDimY,
    MaxBlockDimZ,
    MaxBlocksPerMultiprocessor,
    MaxGridDimX,
    MaxGridDimY,
    MaxGridDimZ,
    MaxRegistersPerBlock,
    MaxRegistersPerMultiprocessor,
    /// In bytes.
    MaxSharedMemoryPerBlock,
    /// In bytes, of a kernel that asks for more than [`Attribute::MaxSharedMemoryPerBlock`].
    MaxSharedMemoryPerBlockOptin,
    /// In bytes.
    MaxSharedMemoryPerMultiprocessor,
    MaxThreadsPerBlock,
    MaxThreadsPerMultiprocessor,
    /// In bits.
    MemoryBusWidth,
    /// In kHz.
    MemoryClockRate,
    MemoryPoolsSupported,
    MultiprocessorCount,
    PciBusId,
    PciDeviceId,
    PciDomainId,
    StreamPrioritiesSupported,
    /// In bytes.
    TotalConstantMemory,
    UnifiedAddressing,
    WarpSize,
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a vendor's own interface calls a device, as `Device::native` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeDevice {
    /// The `CUdevice`, or the number of HIP's device.
    pub device: i32,
    /// The `CUcontext`, which is the device's primary one. HIP needs none.
    pub context: Option<u64>,
}
