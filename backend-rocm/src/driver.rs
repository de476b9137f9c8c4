//! HIP as a vendor of [`Device`]s: what is AMD's own about a device and the calls to it.
//!
//! A device's primary context is everybody's, so memory and streams can be shared with the libraries over HIP. A thread
//! gets to it by making it its current device. Deliberately absent: whatever `gpu` does for all vendors.

use std::ffi::CStr;
use std::sync::OnceLock;

use ndany_gpu::calls::constants::NO_DEVICE;
use ndany_gpu::calls::{self, Calls, Device, Named, PeerCopy, Questions, Vendor};
use ndany_gpu::driver::{DriverError, DriverResult, Function, Properties};
use ndany_gpu::forked;
use ndany_kernels::{Dialect, HIP_32, HIP_64};

use crate::library::{self, Hip};

/// Constants of HIP's interface; of ROCm 5, 6 and 7 alike.
pub(crate) mod constants {
    /// What `hipInit` says of no device in ROCm 5; later it says what others say.
    pub(crate) const INVALID_DEVICE: u32 = 101;
    /// After these the device answers nothing any more.
    pub(crate) const LOST: [u32; 8] = [4, 201, 214, 700, 702, 709, 710, 719];
    pub(crate) const WARP_SIZE: u32 = 87;
    pub(crate) const PROCESSORS: u32 = 63;
    pub(crate) const SHARED_PER_BLOCK: u32 = 74;
    pub(crate) const THREADS_PER_PROCESSOR: u32 = 57;

    /// What the headers call them.
    #[cfg(test)]
    pub(crate) const NAMES: [(&str, u32); 20] = {
        use ndany_gpu::calls::constants::*;
        [
            ("hipErrorOutOfMemory", OUT_OF_MEMORY),
            ("hipErrorNoDevice", NO_DEVICE),
            ("hipErrorNotReady", NOT_READY),
            ("hipHostMallocPortable", HOST_PORTABLE),
            ("hipHostMallocMapped", HOST_MAPPED),
            ("hipStreamNonBlocking", NON_BLOCKING),
            ("hipEventDisableTiming", DISABLE_TIMING),
            ("hipErrorInvalidDevice", INVALID_DEVICE),
            ("hipErrorDeinitialized", LOST[0]),
            ("hipErrorInvalidContext", LOST[1]),
            ("hipErrorECCNotCorrectable", LOST[2]),
            ("hipErrorIllegalAddress", LOST[3]),
            ("hipErrorLaunchTimeOut", LOST[4]),
            ("hipErrorContextIsDestroyed", LOST[5]),
            ("hipErrorAssert", LOST[6]),
            ("hipErrorLaunchFailure", LOST[7]),
            ("hipDeviceAttributeWarpSize", WARP_SIZE),
            ("hipDeviceAttributeMultiprocessorCount", PROCESSORS),
            ("hipDeviceAttributeMaxSharedMemoryPerBlock", SHARED_PER_BLOCK),
            ("hipDeviceAttributeMaxThreadsPerMultiProcessor", THREADS_PER_PROCESSOR),
        ]
    };
}
use constants::*;

/// HIP, initialized; once in a process. The error says what to do.
pub(crate) fn initialized() -> Result<&'static Hip, String> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let found = library::hip().map_err(ToString::to_string)?;
    let hip = &found.symbols;
    let started = STARTED.get_or_init(|| {
        forked::watch();
        // SAFETY: a plain number.
        let code = unsafe { (hip.hipInit)(0) };
        let remedy = match code {
            0 => return Ok(()),
            NO_DEVICE | INVALID_DEVICE => {
                "HIP sees no AMD GPU: /dev/kfd must be there and open to this user (groups render and video), and \
                 HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide it"
            }
            _ => "see whether rocminfo works",
        };
        let path =
            found.path.as_ref().map_or(String::new(), |path| format!(" of {}", path.display()));
        Err(format!("hipInit{path}: {} ({code}): {remedy}", words(hip, code)))
    });
    started.clone()?;
    forked::check("hipInit").map_err(|error| error.to_string())?;
    Ok(hip)
}

/// Number of devices; makes no context.
pub(crate) fn count() -> Result<i32, String> {
    let hip = initialized()?;
    let mut count = 0;
    // SAFETY: it writes a number.
    match unsafe { (hip.hipGetDeviceCount)(&mut count) } {
        NO_DEVICE => Ok(0),
        code => check(hip, "hipGetDeviceCount", code).map(|()| count).map_err(|e| e.to_string()),
    }
}

/// What HIP calls a result.
fn words(hip: &Hip, code: u32) -> String {
    let text = |function: Option<unsafe extern "C" fn(u32) -> *const u8>| {
        // SAFETY: it takes any number, and gives a constant text or nothing.
        let text = unsafe { function?(code) };
        // SAFETY: a constant text.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy())
    };
    match (text(hip.hipGetErrorName), text(hip.hipGetErrorString)) {
        // Older versions have no words but the names.
        (Some(name), Some(words)) if name != words => format!("{name}: {words}"),
        (Some(one), _) | (None, Some(one)) => one.into_owned(),
        (None, None) => "an error that HIP does not name".to_string(),
    }
}

fn check(hip: &Hip, call: &'static str, code: u32) -> DriverResult<()> {
    calls::check(call, code, &LOST, |code| words(hip, code))
}

/// HIP and a device's number: what a call needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    hip: &'static Hip,
    device: i32,
}

/// While it lives, the thread's current device is this.
#[derive(Debug)]
pub struct Current {
    hip: &'static Hip,
    before: Option<i32>,
}

impl Context {
    /// Makes the device current where it is not. It is asked for every time: a memo would be wrong as soon as somebody
    /// else in the thread chooses another.
    pub(crate) fn enter(&self, call: &'static str) -> DriverResult<Current> {
        forked::check(call)?;
        let Self { hip, device } = *self;
        let mut before = 0;
        // SAFETY: it writes a number.
        check(hip, call, unsafe { (hip.hipGetDevice)(&mut before) })?;
        if before == device {
            return Ok(Current { hip, before: None });
        }
        // SAFETY: a plain number.
        check(hip, call, unsafe { (hip.hipSetDevice)(device) })?;
        Ok(Current { hip, before: Some(before) })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // SAFETY: a device that was current a moment ago. That it should fail concerns its owner alone.
            unsafe { (self.hip.hipSetDevice)(before) };
        }
    }
}

/// A ROCm device.
pub type RocmDriver = Device<Rocm>;

/// What is AMD's own about a device.
#[derive(Debug)]
pub struct Rocm {
    context: Context,
    calls: Calls,
}

impl Rocm {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// Why there is no such device, and how to mend it.
    pub fn open(ordinal: u32) -> Result<RocmDriver, String> {
        let there = count()?;
        let device = i32::try_from(ordinal).ok().filter(|&device| device < there);
        let device = device.ok_or_else(|| {
            format!(
                "there are {there} ROCm devices, numbered from 0 (HIP_VISIBLE_DEVICES may hide some)"
            )
        })?;
        let hip = initialized()?;
        let properties = properties(hip, device).map_err(|error| error.to_string())?;
        let dialect = dialect(properties.lanes)?;
        let calls = ndany_gpu::calls! {
            hip;
            allocate: hipMalloc,
            free: hipFree,
            memory: hipMemGetInfo,
            allocate_host: hipHostMalloc,
            free_host: hipHostFree,
            address_of_host: hipHostGetDevicePointer,
            upload: hipMemcpyHtoDAsync,
            download: hipMemcpyDtoHAsync,
            copy: hipMemcpyDtoDAsync,
            fill: hipMemsetD8Async,
            create_stream: hipStreamCreateWithFlags,
            destroy_stream: hipStreamDestroy,
            wait_for_stream: hipStreamSynchronize,
            stream_waits: hipStreamWaitEvent,
            create_event: hipEventCreateWithFlags,
            destroy_event: hipEventDestroy,
            record: hipEventRecord,
            is_past: hipEventQuery,
            wait_for_event: hipEventSynchronize,
            milliseconds: hipEventElapsedTime,
            load: hipModuleLoadData,
            unload: hipModuleUnload,
            function: hipModuleGetFunction,
            occupancy: hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
            launch: hipModuleLaunchKernel,
        };
        let vendor = Self { context: Context { hip, device }, calls };
        Ok(Device::new(vendor, dialect, format!("hip:{ordinal}"), properties))
    }

    pub(crate) fn context(&self) -> Context {
        self.context
    }
}

// SAFETY: HIP's functions, which a test compares with its headers; libraries are never closed.
unsafe impl Vendor for Rocm {
    type Current = Current;
    type Place = i32;

    /// HIP does not promise that it copies an image, and may look into it when a function is first asked for.
    const KEEPS_IMAGES: bool = true;

    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn enter(&self, call: &'static str) -> DriverResult<Current> {
        self.context.enter(call)
    }

    fn check(&self, call: &'static str, code: u32) -> DriverResult<()> {
        check(self.context.hip, call, code)
    }

    fn place(&self) -> i32 {
        self.context.device
    }

    fn peer_copy(&self) -> Named<Option<PeerCopy<i32>>> {
        Named { name: "hipMemcpyPeerAsync", function: self.context.hip.hipMemcpyPeerAsync }
    }

    fn peer_access(&self) -> Option<unsafe extern "C" fn(i32, u32) -> u32> {
        self.context.hip.hipDeviceEnablePeerAccess
    }

    /// There is nothing to ask: a launch may have what the device has.
    unsafe fn ask_for_shared(&self, _: Function, _: u32) -> DriverResult<()> {
        Ok(())
    }
}

/// The version of HIP, which is that of ROCm.
pub(crate) fn version(hip: &Hip) -> String {
    let mut version = 0;
    // SAFETY: it writes a number, or says that there is no device.
    match unsafe { (hip.hipRuntimeGetVersion)(&mut version) } {
        0 => {
            let [major, minor] = [version / 10_000_000, version / 100_000 % 100];
            format!("HIP {major}.{minor}.{}", version % 100_000)
        }
        _ => "HIP".to_string(),
    }
}

/// How device text is written for wavefronts of so many lanes.
fn dialect(lanes: u32) -> Result<&'static Dialect, String> {
    match lanes {
        32 => Ok(&HIP_32),
        64 => Ok(&HIP_64),
        _ => Err(format!("its wavefronts have {lanes} lanes: 32 and 64 are known")),
    }
}

/// What a device is; makes no context.
pub(crate) fn properties(hip: &Hip, device: i32) -> DriverResult<Properties> {
    let questions = Questions {
        name: Named { name: "hipDeviceGetName", function: hip.hipDeviceGetName },
        memory: Named { name: "hipDeviceTotalMem", function: hip.hipDeviceTotalMem },
        attribute: Named { name: "hipDeviceGetAttribute", function: hip.hipDeviceGetAttribute },
        lanes: WARP_SIZE,
        processors: PROCESSORS,
        threads_per_processor: THREADS_PER_PROCESSOR,
        shared_per_block: SHARED_PER_BLOCK,
    };
    let (architecture, version) = (architecture(hip, device)?, version(hip));
    // SAFETY: HIP's functions, and a device's number.
    unsafe {
        questions.properties(device, architecture, version, |call, code| check(hip, call, code))
    }
}

/// The name of a device's architecture, which no attribute tells: only a structure has it, whose layout and size
/// changed between versions (and under one name of the function). So neither is relied on: the structure goes into
/// memory of several times its size, and the name is looked for in it.
fn architecture(hip: &Hip, device: i32) -> DriverResult<String> {
    let call = "hipGetDeviceProperties";
    let get = hip.hipGetDevicePropertiesR0600.or(hip.hipGetDeviceProperties);
    let get = get.ok_or(DriverError::Missing { call })?;
    // Aligned like any structure. The largest so far has 1472 bytes.
    let mut words = [0u64; 2048];
    // SAFETY: the memory is larger than the structure of any version.
    check(hip, call, unsafe { get(words.as_mut_ptr().cast(), device) })?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    architecture_in(&bytes).ok_or_else(|| DriverError::Call {
        call,
        code: 0,
        text: "it names no architecture (gfx…)".to_string(),
    })
}

/// The name in a structure of properties: `gfx90a` of `gfx90a:sramecc+:xnack-`, because machine code without a word
/// about such modes runs in all of them.
fn architecture_in(properties: &[u8]) -> Option<String> {
    // In all layouts the product's name comes first, which may hold the letters too ("AMD Radeon gfx90c").
    let rest = properties.get(256..)?;
    let at = rest.windows(3).position(|letters| letters == b"gfx")?;
    let name = rest[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
    let name: String = name.map(|&byte| char::from(byte)).collect();
    (name.len() > 3).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_architecture_is_found_in_every_layout() {
        // Offsets in the old layout, in that of ROCm 6, and in one that nobody has seen.
        for offset in [396, 1160, 3000] {
            for (name, found) in [
                ("gfx90a:sramecc+:xnack-", "gfx90a"),
                ("gfx1030", "gfx1030"),
                ("gfx9-4-generic", "gfx9-4-generic"),
            ] {
                let mut bytes = vec![0u8; 4096];
                let product = b"AMD Radeon Graphics gfx90c";
                bytes[..product.len()].copy_from_slice(product);
                bytes[300..304].copy_from_slice(&1030u32.to_ne_bytes());
                bytes[offset..offset + name.len()].copy_from_slice(name.as_bytes());
                assert_eq!(architecture_in(&bytes).as_deref(), Some(found), "{offset}");
            }
        }
        assert_eq!(architecture_in(&[0; 4096]), None);
        assert_eq!(architecture_in(b"gfx906"), None);
    }

    #[test]
    fn lanes_choose_the_dialect() {
        for lanes in [32, 64] {
            assert_eq!(dialect(lanes).expect("a dialect").lanes, lanes);
        }
        assert!(dialect(16).expect_err("no such device").contains("16 lanes"));
    }
}
