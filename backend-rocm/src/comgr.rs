//! The architectures that amd_comgr knows, the library by which hipRTC makes machine code.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::sync::OnceLock;

use crate::library;

ndany_gpu::symbols! {
    /// What is asked of it. Results other than 0 are failures.
    pub struct Comgr {
        fn amd_comgr_get_isa_count(count: *mut usize) -> u32;
        fn amd_comgr_get_isa_name(index: usize, name: *mut *const u8) -> u32;
    }
}

/// What stands in front of the name of an architecture in that of an instruction set: `amdgcn-amd-amdhsa--gfx942`.
const TARGET: &str = "amdgcn-amd-amdhsa--";

/// The names of all architectures that it knows; nothing where it is not to be had. It is asked once.
pub(crate) fn architectures() -> Option<&'static BTreeSet<String>> {
    static NAMES: OnceLock<Option<BTreeSet<String>>> = OnceLock::new();
    let ask = || names(&library::comgr()?.symbols);
    NAMES.get_or_init(ask).as_ref()
}

fn names(comgr: &Comgr) -> Option<BTreeSet<String>> {
    let mut count = 0;
    // SAFETY: it writes a number.
    if unsafe { (comgr.amd_comgr_get_isa_count)(&mut count) } != 0 {
        return None;
    }
    let names: BTreeSet<String> = (0..count)
        .filter_map(|index| {
            let mut name = std::ptr::null();
            // SAFETY: it writes the address of a constant text.
            let code = unsafe { (comgr.amd_comgr_get_isa_name)(index, &mut name) };
            if code != 0 || name.is_null() {
                return None;
            }
            // SAFETY: so it is one.
            let name = unsafe { CStr::from_ptr(name.cast()) }.to_str().ok()?;
            // Modes may follow: `gfx90a:sramecc+`.
            Some(name.strip_prefix(TARGET)?.split(':').next()?.to_string())
        })
        .collect();
    // One that names none in this way is not understood.
    (!names.is_empty()).then_some(names)
}
