//! The numbers of a device's attributes, of all vendors in one place. Tests of each vendor compare its column with headers.

use ndany_core::backend::Attribute;

/// An attribute, and what vendors call it and number it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The attribute.
    pub attribute: Attribute,
    /// Its number in `CUdevice_attribute`.
    pub cuda: u32,
    /// Its name there, after `CU_DEVICE_ATTRIBUTE_`.
    pub cuda_name: &'static str,
    /// Its number in `hipDeviceAttribute_t`.
    pub hip: u32,
    /// Its name there, after `hipDeviceAttribute`.
    pub hip_name: &'static str,
}

macro_rules! rows {
    ($($attribute:ident: $cuda:literal $cuda_name:ident, $hip:literal $hip_name:ident;)+) => {
        /// All attributes.
        pub const ROWS: &[Row] = &[$(Row {
            attribute: Attribute::$attribute,
            cuda: $cuda,
            cuda_name: stringify!($cuda_name),
            hip: $hip,
            hip_name: stringify!($hip_name),
        }),+];
    };
}

rows! {
    AsyncEngineCount: 40 ASYNC_ENGINE_COUNT, 2 AsyncEngineCount;
    CanMapHostMemory: 19 CAN_MAP_HOST_MEMORY, 3 CanMapHostMemory;
    ClockRate: 13 CLOCK_RATE, 5 ClockRate;
    ComputeCapabilityMajor: 75 COMPUTE_CAPABILITY_MAJOR, 23 ComputeCapabilityMajor;
    ComputeCapabilityMinor: 76 COMPUTE_CAPABILITY_MINOR, 61 ComputeCapabilityMinor;
    ConcurrentKernels: 31 CONCURRENT_KERNELS, 8 ConcurrentKernels;
    ConcurrentManagedAccess: 89 CONCURRENT_MANAGED_ACCESS, 9 ConcurrentManagedAccess;
    CooperativeLaunch: 95 COOPERATIVE_LAUNCH, 10 CooperativeLaunch;
    EccEnabled: 32 ECC_ENABLED, 0 EccEnabled;
    Integrated: 18 INTEGRATED, 16 Integrated;
    KernelExecTimeout: 17 KERNEL_EXEC_TIMEOUT, 18 KernelExecTimeout;
    L2CacheSize: 38 L2_CACHE_SIZE, 19 L2CacheSize;
    ManagedMemory: 83 MANAGED_MEMORY, 24 ManagedMemory;
    MaxBlockDimX: 2 MAX_BLOCK_DIM_X, 26 MaxBlockDimX;
    MaxBlockDimY: 3 MAX_BLOCK_DIM_Y, 27 MaxBlockDimY;
    MaxBlockDimZ: 4 MAX_BLOCK_DIM_Z, 28 MaxBlockDimZ;
    MaxBlocksPerMultiprocessor: 106 MAX_BLOCKS_PER_MULTIPROCESSOR, 25 MaxBlocksPerMultiProcessor;
    MaxGridDimX: 5 MAX_GRID_DIM_X, 29 MaxGridDimX;
    MaxGridDimY: 6 MAX_GRID_DIM_Y, 30 MaxGridDimY;
    MaxGridDimZ: 7 MAX_GRID_DIM_Z, 31 MaxGridDimZ;
    MaxRegistersPerBlock: 12 MAX_REGISTERS_PER_BLOCK, 71 MaxRegistersPerBlock;
    MaxRegistersPerMultiprocessor: 82 MAX_REGISTERS_PER_MULTIPROCESSOR, 72 MaxRegistersPerMultiprocessor;
    MaxSharedMemoryPerBlock: 8 MAX_SHARED_MEMORY_PER_BLOCK, 74 MaxSharedMemoryPerBlock;
    MaxSharedMemoryPerBlockOptin: 97 MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 75 SharedMemPerBlockOptin;
    MaxSharedMemoryPerMultiprocessor: 81 MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        10002 MaxSharedMemoryPerMultiprocessor;
    MaxThreadsPerBlock: 1 MAX_THREADS_PER_BLOCK, 56 MaxThreadsPerBlock;
    MaxThreadsPerMultiprocessor: 39 MAX_THREADS_PER_MULTIPROCESSOR, 57 MaxThreadsPerMultiProcessor;
    MemoryBusWidth: 37 GLOBAL_MEMORY_BUS_WIDTH, 59 MemoryBusWidth;
    MemoryClockRate: 36 MEMORY_CLOCK_RATE, 60 MemoryClockRate;
    MemoryPoolsSupported: 115 MEMORY_POOLS_SUPPORTED, 88 MemoryPoolsSupported;
    MultiprocessorCount: 16 MULTIPROCESSOR_COUNT, 63 MultiprocessorCount;
    PciBusId: 33 PCI_BUS_ID, 67 PciBusId;
    PciDeviceId: 34 PCI_DEVICE_ID, 68 PciDeviceId;
    PciDomainId: 50 PCI_DOMAIN_ID, 69 PciDomainID;
    StreamPrioritiesSupported: 78 STREAM_PRIORITIES_SUPPORTED, 78 StreamPrioritiesSupported;
    TotalConstantMemory: 9 TOTAL_CONSTANT_MEMORY, 83 TotalConstantMemory;
    UnifiedAddressing: 41 UNIFIED_ADDRESSING, 85 UnifiedAddressing;
    WarpSize: 10 WARP_SIZE, 87 WarpSize;
}

/// The row of an attribute; none of one that is newer than this table.
pub fn row(attribute: Attribute) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.attribute == attribute)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_attribute_has_one_row_and_numbers_of_its_own() {
        let distinct = |numbers: Vec<u32>| numbers.into_iter().collect::<BTreeSet<_>>().len();
        let attributes: BTreeSet<_> = ROWS.iter().map(|row| row.attribute).collect();
        // The last one in the order of the type: all before it have a row, too.
        assert_eq!(attributes.last(), Some(&Attribute::WarpSize));
        assert_eq!(Attribute::WarpSize as usize + 1, ROWS.len());
        assert_eq!(attributes.len(), ROWS.len());
        assert_eq!(distinct(ROWS.iter().map(|row| row.cuda).collect()), ROWS.len());
        assert_eq!(distinct(ROWS.iter().map(|row| row.hip).collect()), ROWS.len());
        assert_eq!(row(Attribute::WarpSize).map(|row| (row.cuda, row.hip)), Some((10, 87)));
    }
}
