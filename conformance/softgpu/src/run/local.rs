//! Thread-local memory of a module: since shared memory is declared as such, this is where it is.

use std::ffi::c_void;

use super::ThreadPosition;

struct Search {
    address: usize,
    found: Option<(*mut u8, usize)>,
}

unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _: libc::size_t,
    search: *mut c_void,
) -> libc::c_int {
    // SAFETY: both are what `find` and the loader hand over, for the time of this call.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: the loader's table of this object.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let here = headers.iter().any(|header| {
        let from = (info.dlpi_addr + header.p_vaddr) as usize;
        header.p_type == libc::PT_LOAD
            && (from..from + header.p_memsz as usize).contains(&search.address)
    });
    if !here {
        return 0;
    }
    let local = headers.iter().find(|header| header.p_type == libc::PT_TLS);
    search.found = local.map(|header| (info.dlpi_tls_data.cast(), header.p_memsz as usize));
    1
}

/// Where a module's thread-local memory is, counted from the place of its threads; the same on every thread.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    in_front: usize,
    bytes: usize,
}

impl Local {
    /// Asks the loader about the module that has this function.
    pub fn of(place: unsafe extern "C" fn() -> *mut ThreadPosition) -> Option<Self> {
        // SAFETY: the module's function, which returns an address; it also makes this thread's memory be there.
        let at = unsafe { place() } as usize;
        let mut search = Search { address: place as usize, found: None };
        // SAFETY: `visit` takes what is given here.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        let (from, bytes) = search.found.filter(|(from, _)| !from.is_null())?;
        Some(Self { in_front: at.checked_sub(from as usize)?, bytes })
    }

    /// How much of it is not the place itself.
    pub fn shared(self) -> usize {
        self.bytes.saturating_sub(size_of::<ThreadPosition>())
    }

    /// All of it, on the thread that has this place.
    pub(super) fn range(self, place: *mut ThreadPosition) -> (*mut u8, usize) {
        (place.cast::<u8>().wrapping_sub(self.in_front), self.bytes)
    }
}
