//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use super::{ARCHITECTURE, LANES, code, current};
use crate::exports::launches::{Grid, SHARED, find, function, launch, load, occupancy, unload};
use crate::exports::{exports, put};
use crate::failure::Failure;

exports! { TABLE, code;
    /// Loads machine code.
    fn cuModuleLoadData(to: *mut u64, image: *const c_void) {
        // SAFETY: the caller's.
        unsafe { load(current()?, ARCHITECTURE, to, image) }
    }
    /// The same, with options, which are ignored.
    fn cuModuleLoadDataEx(
        to: *mut u64, image: *const c_void, _count: u32, _options: *mut u32, _values: *mut *mut c_void,
    ) {
        // SAFETY: the caller's.
        unsafe { load(current()?, ARCHITECTURE, to, image) }
    }
    /// Forgets it and its functions.
    fn cuModuleUnload(module: u64) {
        unload(current()?, module)
    }
    /// A kernel by its name.
    fn cuModuleGetFunction(to: *mut u64, module: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe { find(current()?, to, module, name) }
    }
    /// An attribute, by the numbers of `CUfunction_attribute`.
    fn cuFuncGetAttribute(to: *mut i32, number: i32, handle: u64) {
        let (function, dynamic) = function(current()?, handle)?;
        let value = match number {
            0 => function.kernel.threads as i32,
            1 => function.kernel.shared as i32,
            4 => 32,
            5 | 6 => 90,
            8 => dynamic as i32,
            2..10 => 0,
            _ => return Err(Failure::InvalidValue("no such attribute")),
        };
        // SAFETY: the caller's.
        unsafe { put(to, value) }
    }
    /// Sets one: dynamic shared memory; the rest are hints.
    fn cuFuncSetAttribute(handle: u64, number: i32, value: i32) {
        let (function, _) = function(current()?, handle)?;
        if number == 8 {
            let value = u32::try_from(value).ok().filter(|v| v + function.kernel.shared <= SHARED[1]);
            let value = value.ok_or(Failure::InvalidValue("more shared memory than there is"))?;
            current()?.loaded().dynamic.insert(handle, value);
        }
        Ok(())
    }
    /// Blocks that a multiprocessor holds.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: *mut i32, handle: u64, block: i32, shared: usize) {
        // SAFETY: the caller's.
        unsafe { occupancy(current()?, to, handle, block, shared) }
    }
    /// The same, with flags, which are ignored.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        to: *mut i32, handle: u64, block: i32, shared: usize, _flags: u32,
    ) {
        // SAFETY: the caller's.
        unsafe { occupancy(current()?, to, handle, block, shared) }
    }
    /// Runs a kernel.
    fn cuLaunchKernel(
        handle: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let grid = Grid { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], shared };
        // SAFETY: the caller's.
        unsafe { launch(current()?, LANES, handle, &grid, stream, parameters, extra) }
    }
}
