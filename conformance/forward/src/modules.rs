//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use crate::codes::{self, check};
use crate::context::enter;
use crate::{exports, same};

same! {
    enter, check;
    /// Loads machine code.
    fn hipModuleLoadData(to: *mut u64, image: *const c_void) = cuModuleLoadData;
    /// Forgets it and its functions.
    fn hipModuleUnload(module: u64) = cuModuleUnload;
    /// A kernel by its name.
    fn hipModuleGetFunction(to: *mut u64, module: u64, name: *const c_char) = cuModuleGetFunction;
    /// A variable by its name.
    fn hipModuleGetGlobal(to: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) = cuModuleGetGlobal_v2;
    /// An attribute of a kernel; the numbers are CUDA's.
    fn hipFuncGetAttribute(to: *mut i32, number: u32, function: u64) = cuFuncGetAttribute;
    /// Blocks that a multiprocessor holds.
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        to: *mut i32, function: u64, block: i32, shared: usize,
    ) = cuOccupancyMaxActiveBlocksPerMultiprocessor;
}

exports! {
    /// Runs a kernel.
    fn hipModuleLaunchKernel(
        function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let cuda = enter()?;
        allow(function, shared)?;
        let mut own = [std::ptr::null_mut(); EXTRA];
        let extra = match extra.is_null() {
            true => extra,
            // SAFETY: the caller's: a list with its end.
            false => unsafe { translated(extra, &mut own) }?,
        };
        // SAFETY: the caller's.
        check(unsafe {
            (cuda.cuLaunchKernel)(
                function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra,
            )
        })
    }
}

exports! {
    /// Runs a kernel whose blocks are all there at the same time.
    fn hipModuleLaunchCooperativeKernel(
        function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void,
    ) {
        let cuda = enter()?;
        allow(function, shared)?;
        // SAFETY: the caller's.
        check(unsafe {
            (cuda.cuLaunchCooperativeKernel)(
                function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
            )
        })
    }
}

/// Asks for a kernel's dynamic shared memory: beyond some, CUDA's kernels have to, HIP's have not.
fn allow(function: u64, shared: u32) -> crate::Done {
    if shared == 0 {
        return Ok(());
    }
    // SAFETY: the caller's function; 8 is the number of the most dynamic shared memory.
    check(unsafe { (enter()?.cuFuncSetAttribute)(function, 8, shared as i32) })
}

/// Parameters as one piece of memory: its address, its bytes, the end.
const EXTRA: usize = 5;

/// HIP's mark of the list's end, where CUDA has null. The other marks are the same.
const END: usize = 3;

/// The list as CUDA takes it.
///
/// # Safety
/// Pairs of a mark and a value, then the mark of the end.
unsafe fn translated(
    from: *mut *mut c_void,
    to: &mut [*mut c_void; EXTRA],
) -> crate::Done<*mut *mut c_void> {
    for at in (0..EXTRA).step_by(2) {
        // SAFETY: the caller's: the end has not come yet.
        let mark = unsafe { *from.add(at) };
        if mark as usize == END {
            to[at] = std::ptr::null_mut();
            return Ok(to.as_mut_ptr());
        }
        if at + 1 == EXTRA {
            break;
        }
        // SAFETY: as above: a mark is followed by its value.
        (to[at], to[at + 1]) = (mark, unsafe { *from.add(at + 1) });
    }
    Err(codes::INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_parameters_ends_as_cuda_wants() {
        let place = |number: usize| std::ptr::without_provenance_mut::<c_void>(number);
        // Address, bytes, end.
        let mut list = [1, 4096, 2, 8192, 3].map(place);
        let mut own = [place(7); EXTRA];
        // SAFETY: a list with its end.
        let got = unsafe { translated(list.as_mut_ptr(), &mut own) }.expect("a list");
        assert_eq!(got, own.as_mut_ptr());
        assert_eq!(own, [1, 4096, 2, 8192, 0].map(place));
        let mut endless = [1, 4096, 2, 8192, 9].map(place);
        // SAFETY: no longer than is looked at.
        let refused = unsafe { translated(endless.as_mut_ptr(), &mut own) };
        assert_eq!(refused, Err(codes::INVALID_VALUE));
    }
}
