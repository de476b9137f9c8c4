//! A platform that is not of CUDA's shape: the fake device.

use super::*;
use crate::driver::Capabilities;
use crate::fake::{Fake, FakeCompiler};

/// Two devices; the second one does not open.
struct Small;

fn compiler() -> std::result::Result<Box<dyn Compiler>, CompileError> {
    Ok(Box::new(FakeCompiler::default()))
}

impl Platform for Small {
    type Driver = Fake;

    const FAMILY: &'static str = "small";
    const DRIVER: &'static str = "the fake driver";
    const FALLBACK: &'static str = "nothing";
    const RANGES: Option<fn() -> Ranges> = None;

    fn open_devices() -> &'static OpenDevices {
        static OPEN: OpenDevices = OpenDevices::new();
        &OPEN
    }

    fn count() -> std::result::Result<u32, OpenError> {
        Ok(2)
    }

    fn open(ordinal: u32) -> std::result::Result<Fake, OpenError> {
        match ordinal {
            0 => Ok(Fake::new(1 << 20)),
            _ => Err(OpenError::NoSuch { count: 1, title: "small", visibility: "SMALL" }),
        }
    }

    fn compiler() -> std::result::Result<Box<dyn Compiler>, CompileError> {
        compiler()
    }

    fn libraries(_: &Fake) -> Libraries {
        Libraries::default()
    }

    fn describe(ordinal: u32) -> std::result::Result<Vec<(&'static str, String)>, OpenError> {
        match ordinal {
            0 => Ok(vec![("is a", "fake".to_string())]),
            _ => Err(OpenError::NoNumber),
        }
    }

    fn report_libraries() -> Vec<LibraryReport> {
        vec![driver_report::<Self>(Err(LibraryError::new("built in".to_string())))]
    }
}

/// A device whose capabilities are not enough.
struct Without64;

impl Platform for Without64 {
    type Driver = Fake;

    const FAMILY: &'static str = "without64";
    const DRIVER: &'static str = "the fake driver";
    const FALLBACK: &'static str = "nothing";
    const RANGES: Option<fn() -> Ranges> = None;

    fn open_devices() -> &'static OpenDevices {
        static OPEN: OpenDevices = OpenDevices::new();
        &OPEN
    }

    fn count() -> std::result::Result<u32, OpenError> {
        Ok(1)
    }

    fn open(_: u32) -> std::result::Result<Fake, OpenError> {
        let atomics64 = false;
        Ok(Fake::with(1 << 20, |capabilities| Capabilities { atomics64, ..capabilities }))
    }

    fn compiler() -> std::result::Result<Box<dyn Compiler>, CompileError> {
        compiler()
    }

    fn libraries(_: &Fake) -> Libraries {
        Libraries::default()
    }

    fn describe(_: u32) -> std::result::Result<Vec<(&'static str, String)>, OpenError> {
        Ok(Vec::new())
    }

    fn report_libraries() -> Vec<LibraryReport> {
        Vec::new()
    }
}

#[test]
fn a_platform_of_any_shape_opens_is_discovered_and_reported() {
    assert_eq!(discover::<Small>(), ["small:0", "small:1"]);
    let first = open::<Small>("").expect("the first device");
    assert!(Arc::ptr_eq(&first, &open::<Small>("0").expect("the same device")));
    let refused = |options| open::<Small>(options).expect_err("no such device").to_string();
    assert!(refused("1").contains("small:1"), "{}", refused("1"));
    assert!(refused("1").contains("there are 1 small devices, numbered from 0 (SMALL may hide"));
    assert!(refused("one").contains("the number of a device is expected after the colon"));
    let Report { devices, libraries, .. } = report::<Small>();
    assert_eq!(devices[0].facts, [("is a", "fake".to_string())]);
    assert_eq!(devices[1].facts[0].0, "failed:");
    assert_eq!((libraries.len(), libraries[0].name), (1, "the fake driver"));
}

#[test]
fn a_device_that_lacks_a_capability_is_refused_by_name() {
    let error = open::<Without64>("").expect_err("no such atomics").to_string();
    let need = "kernels need 64-bit atomic operations, and the device has none";
    assert!(error.contains(need), "{error}");
    let enough = Fake::new(1).properties().capabilities;
    let cases = [
        (Capabilities { warp_size: 8, ..enough }, "warps of 32 or 64 threads"),
        (Capabilities { max_threads_per_block: 128, ..enough }, "blocks of 512 threads"),
        (Capabilities { float64: false, ..enough }, "64-bit floats"),
    ];
    assert_eq!(enough.check(), Ok(()));
    for (capabilities, expected) in cases {
        let error = capabilities.check().expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_forked_child_opens_no_device_of_its_parents_platform() {
    open::<Small>("0").expect("the first device");
    // SAFETY: the child asks for a device and a report, and ends without running anything that belongs to its parent.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let refused = open::<Small>("0").is_err_and(|error| error.to_string().contains("forked"));
        let reported = report::<Small>().devices.is_empty();
        // SAFETY: it ends this process and nothing else.
        unsafe { libc::_exit(if refused && reported { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `child` is a child of this process and `status` may be written.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0);
}
