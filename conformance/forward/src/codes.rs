//! Errors by HIP's numbers. Most are CUDA's own; the table has the others.

use std::ffi::{CStr, c_char};

use crate::Done;
use crate::cuda::{absence, cuda};

pub(crate) const INVALID_VALUE: u32 = 1;
pub(crate) const INSUFFICIENT_DRIVER: u32 = 35;
pub(crate) const INVALID_DEVICE: u32 = 101;
pub(crate) const NOT_SUPPORTED: u32 = 801;
const ECC: u32 = 214;
const INVALID_KERNEL_FILE: u32 = 218;
const LAUNCH_FAILURE: u32 = 719;
const UNKNOWN: u32 = 999;

/// A result of CUDA as one of HIP.
#[inline]
pub(crate) fn check(code: u32) -> Done {
    match code {
        0 => Ok(()),
        code => Err(of(code)),
    }
}

/// HIP's number of an error of CUDA.
#[cold]
fn of(code: u32) -> u32 {
    match code {
        // HIP knows these by other numbers, or has one for several. After a failed launch, and after memory that cannot
        // be corrected, a device is lost on both sides.
        34 | 803 | 804 => INSUFFICIENT_DRIVER,
        220 | 226 => ECC,
        221..=224 => INVALID_KERNEL_FILE,
        46 | 714..=718 | 721 => LAUNCH_FAILURE,
        _ if NAMES.iter().any(|(number, _)| *number == code) => code,
        _ => UNKNOWN,
    }
}

/// HIP's errors, but those of textures, graphics, graphs and profilers.
const NAMES: [(u32, &CStr); 42] = [
    (0, c"hipSuccess"),
    (INVALID_VALUE, c"hipErrorInvalidValue"),
    (2, c"hipErrorOutOfMemory"),
    (3, c"hipErrorNotInitialized"),
    (4, c"hipErrorDeinitialized"),
    (9, c"hipErrorInvalidConfiguration"),
    (INSUFFICIENT_DRIVER, c"hipErrorInsufficientDriver"),
    (53, c"hipErrorPriorLaunchFailure"),
    (98, c"hipErrorInvalidDeviceFunction"),
    (100, c"hipErrorNoDevice"),
    (INVALID_DEVICE, c"hipErrorInvalidDevice"),
    (200, c"hipErrorInvalidImage"),
    (201, c"hipErrorInvalidContext"),
    (205, c"hipErrorMapFailed"),
    (206, c"hipErrorUnmapFailed"),
    (209, c"hipErrorNoBinaryForGpu"),
    (ECC, c"hipErrorECCNotCorrectable"),
    (215, c"hipErrorUnsupportedLimit"),
    (216, c"hipErrorContextAlreadyInUse"),
    (217, c"hipErrorPeerAccessUnsupported"),
    (INVALID_KERNEL_FILE, c"hipErrorInvalidKernelFile"),
    (300, c"hipErrorInvalidSource"),
    (301, c"hipErrorFileNotFound"),
    (302, c"hipErrorSharedObjectSymbolNotFound"),
    (303, c"hipErrorSharedObjectInitFailed"),
    (304, c"hipErrorOperatingSystem"),
    (400, c"hipErrorInvalidHandle"),
    (401, c"hipErrorIllegalState"),
    (500, c"hipErrorNotFound"),
    (600, c"hipErrorNotReady"),
    (700, c"hipErrorIllegalAddress"),
    (701, c"hipErrorLaunchOutOfResources"),
    (702, c"hipErrorLaunchTimeOut"),
    (704, c"hipErrorPeerAccessAlreadyEnabled"),
    (705, c"hipErrorPeerAccessNotEnabled"),
    (708, c"hipErrorSetOnActiveProcess"),
    (709, c"hipErrorContextIsDestroyed"),
    (710, c"hipErrorAssert"),
    (712, c"hipErrorHostMemoryAlreadyRegistered"),
    (713, c"hipErrorHostMemoryNotRegistered"),
    (LAUNCH_FAILURE, c"hipErrorLaunchFailure"),
    (NOT_SUPPORTED, c"hipErrorNotSupported"),
];

/// The name of an error.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(code: u32) -> *const c_char {
    let name = NAMES.iter().find(|(number, _)| *number == code);
    name.map_or(c"hipErrorUnknown", |(_, name)| name).as_ptr()
}

/// What CUDA says of it.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(code: u32) -> *const c_char {
    if let Some(reason) = absence(code) {
        return reason;
    }
    let mut text = std::ptr::null();
    // SAFETY: it takes any number and writes the address of a constant text, or none.
    let known = cuda().is_ok_and(|cuda| unsafe { (cuda.cuGetErrorString)(code, &mut text) } == 0);
    if known && !text.is_null() { text } else { hipGetErrorName(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_where_hip_has_them() {
        for code in [1, 2, 100, 201, 209, 500, 600, 700, 719] {
            assert_eq!(check(code), Err(code));
        }
        assert_eq!(check(0), Ok(()));
        // A misaligned address, an instruction that is none, a driver that is a stub; and an unknown code.
        assert_eq!([716, 715, 34, 12_345].map(check), [719, 719, 35, 999].map(Err));
    }

    #[test]
    fn names_stand_in_order() {
        assert!(NAMES.is_sorted_by_key(|(number, _)| *number));
    }
}
