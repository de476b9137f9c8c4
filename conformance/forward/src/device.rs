//! What a device is, and which one a thread uses. CUDA's handle of a device is its number.

use std::ffi::{c_char, c_void};

use crate::context::{choose, context, device, enter};
use crate::cuda::{Cuda, cuda};
use crate::{Done, codes, exports, put};

/// The version of HIP that it says it is, with CUDA's in the last place: 6.2.13000.
const VERSION: i32 = 60_200_000;

/// Numbers of CUDA's attributes by HIP's; others are refused.
const ATTRIBUTES: [(u32, u32); 38] = [
    (0, 32),     // ecc enabled
    (2, 40),     // async engine count
    (3, 19),     // can map host memory
    (5, 13),     // clock rate
    (8, 31),     // concurrent kernels
    (9, 89),     // concurrent managed access
    (10, 95),    // cooperative launch
    (16, 18),    // integrated
    (18, 17),    // kernel exec timeout
    (19, 38),    // l2 cache size
    (23, 75),    // compute capability major
    (24, 83),    // managed memory
    (25, 106),   // max blocks per multiprocessor
    (26, 2),     // max block dim x
    (27, 3),     // max block dim y
    (28, 4),     // max block dim z
    (29, 5),     // max grid dim x
    (30, 6),     // max grid dim y
    (31, 7),     // max grid dim z
    (56, 1),     // max threads per block
    (57, 39),    // max threads per multiprocessor
    (59, 37),    // memory bus width
    (60, 36),    // memory clock rate
    (61, 76),    // compute capability minor
    (63, 16),    // multiprocessor count
    (67, 33),    // pci bus id
    (68, 34),    // pci device id
    (69, 50),    // pci domain id
    (71, 12),    // max registers per block
    (72, 82),    // max registers per multiprocessor
    (74, 97),    // max shared memory per block, for which kernels of HIP do not ask
    (75, 97),    // max shared memory per block optin
    (78, 78),    // stream priorities supported
    (83, 9),     // total constant memory
    (85, 41),    // unified addressing
    (87, 10),    // warp size
    (88, 115),   // memory pools supported
    (10002, 81), // max shared memory per multiprocessor
];
/// CUDA's compute capability.
const CAPABILITY: [u32; 2] = [75, 76];

/// Bytes of `hipDeviceProp_t` since version 6, where in it the architecture's name is, and bytes of a name.
const PROPERTIES: usize = 1472;
const ARCHITECTURE_AT: usize = 1160;
const NAME: usize = 256;

fn attribute(cuda: &Cuda, number: u32, device: i32) -> Done<i32> {
    let mut value = 0;
    // SAFETY: it writes a number.
    codes::check(unsafe { (cuda.cuDeviceGetAttribute)(&mut value, number, device) })?;
    Ok(value)
}

exports! {
    /// Begins, which need not be asked for.
    fn hipInit(flags: u32) {
        cuda()?;
        if flags == 0 { Ok(()) } else { Err(codes::INVALID_VALUE) }
    }
    /// The version.
    fn hipRuntimeGetVersion(to: *mut i32) {
        let mut version = 0;
        // SAFETY: the caller's; the driver writes a number.
        codes::check(unsafe { (cuda()?.cuDriverGetVersion)(&mut version) })?;
        // SAFETY: as above.
        unsafe { put(to, VERSION + version) }
    }
    /// How many devices.
    fn hipGetDeviceCount(to: *mut i32) {
        // SAFETY: the caller's.
        codes::check(unsafe { (cuda()?.cuDeviceGetCount)(to) })
    }
    /// The thread's device.
    fn hipGetDevice(to: *mut i32) {
        enter()?;
        // SAFETY: the caller's.
        unsafe { put(to, device()) }
    }
    /// Chooses it.
    fn hipSetDevice(device: i32) {
        choose(device)
    }
    /// Its name.
    fn hipDeviceGetName(to: *mut c_char, bytes: i32, device: i32) {
        // SAFETY: the caller's.
        codes::check(unsafe { (cuda()?.cuDeviceGetName)(to, bytes, device) })
    }
    /// Bytes of memory.
    fn hipDeviceTotalMem(to: *mut usize, device: i32) {
        // SAFETY: the caller's.
        codes::check(unsafe { (cuda()?.cuDeviceTotalMem_v2)(to, device) })
    }
    /// An attribute.
    fn hipDeviceGetAttribute(to: *mut i32, number: u32, device: i32) {
        let known = ATTRIBUTES.iter().find(|(hip, _)| *hip == number);
        let (_, number) = known.ok_or(codes::INVALID_VALUE)?;
        // SAFETY: the caller's.
        unsafe { put(to, attribute(cuda()?, *number, device)?) }
    }
    /// The structure of version 6, in which only the names are filled in: the device's, and for its architecture one
    /// that no AMD device has and that says what to compile for, such as `gfx-sm90`.
    fn hipGetDevicePropertiesR0600(to: *mut c_void, device: i32) {
        let cuda = cuda()?;
        let [major, minor] = CAPABILITY.map(|number| attribute(cuda, number, device));
        let architecture = format!("{}{}{}", crate::rtc::ARCHITECTURE, major?, minor?);
        let mut bytes = [0u8; PROPERTIES];
        bytes[ARCHITECTURE_AT..][..architecture.len()].copy_from_slice(architecture.as_bytes());
        // SAFETY: as many bytes as it is told.
        codes::check(unsafe { (cuda.cuDeviceGetName)(bytes.as_mut_ptr().cast(), NAME as i32, device) })?;
        // SAFETY: the caller's.
        unsafe { put(to.cast(), bytes) }
    }
    /// Lets the current device use a device's memory.
    fn hipDeviceEnablePeerAccess(peer: i32, flags: u32) {
        let cuda = enter()?;
        // SAFETY: the context of a device.
        codes::check(unsafe { (cuda.cuCtxEnablePeerAccess)(context(cuda, peer)?, flags) })
    }
}
