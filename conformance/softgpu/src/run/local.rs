//! Thread-local memory of a module: since shared memory is declared as such, this is where it is.

use std::ffi::c_void;

use super::Place;

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

/// The thread-local memory, on this thread, of the module that has this function.
pub(super) fn find(place: unsafe extern "C" fn() -> *mut Place) -> Option<(*mut u8, usize)> {
    // SAFETY: the module's function, which returns an address; it also makes this thread's memory be there.
    unsafe { place() };
    let mut search = Search { address: place as usize, found: None };
    // SAFETY: `visit` takes what is given here.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found.filter(|(at, _)| !at.is_null())
}

/// Bytes of thread-local memory of the module that has this function.
pub fn thread_local_bytes(place: unsafe extern "C" fn() -> *mut Place) -> usize {
    find(place).map_or(0, |(_, bytes)| bytes)
}
