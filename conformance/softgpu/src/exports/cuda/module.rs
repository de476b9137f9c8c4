//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use super::{ARCHITECTURE, LANES, code, current};
use crate::exports::launches::{
    Grid, SHARED, allow, attribute, find, function, global, launch, load, occupancy, unload,
};
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
        // SAFETY: the caller's.
        unsafe { attribute(current()?, to, number, handle) }
    }
    /// A parameter of a kernel: its place among the parameters, and its size.
    fn cuFuncGetParamInfo(handle: u64, number: usize, offset: *mut usize, bytes: *mut usize) {
        let (function, _) = function(current()?, handle)?;
        let sizes = &function.kernel.sizes;
        // The end of the list is an invalid value, and no mistake of a caller who looks for it.
        let size = *sizes.get(number).ok_or(Failure::Injected(1))?;
        // SAFETY: the caller's.
        unsafe {
            put(offset, sizes[..number].iter().sum())?;
            if bytes.is_null() { Ok(()) } else { put(bytes, size) }
        }
    }
    /// A variable by its name.
    fn cuModuleGetGlobal_v2(to: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe { global(current()?, to, bytes, module, name) }
    }
    /// Sets one: dynamic shared memory; the rest are hints.
    fn cuFuncSetAttribute(handle: u64, number: i32, value: i32) {
        match number {
            8 => allow(current()?, handle, |own| {
                u32::try_from(value).ok().filter(|value| value + own <= SHARED[1])
            }),
            _ => function(current()?, handle).map(|_| ()),
        }
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
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let grid = Grid { grid, block, shared, cooperative: false };
        // SAFETY: the caller's.
        unsafe { launch(current()?, LANES, handle, &grid, stream, parameters, extra) }
    }
    /// Runs a kernel whose blocks are all there at the same time.
    fn cuLaunchCooperativeKernel(
        handle: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let grid = Grid { grid, block, shared, cooperative: true };
        // SAFETY: the caller's.
        unsafe { launch(current()?, LANES, handle, &grid, stream, parameters, std::ptr::null_mut()) }
    }
}
