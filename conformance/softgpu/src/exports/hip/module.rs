//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use super::{architecture, code, current};
use crate::exports::exports;
use crate::exports::launches::{
    Grid, allow, attribute, find, global, launch, load, occupancy, unload,
};
use crate::failure::{Failure, Result};
use crate::settings::Settings;

/// Shared memory of a block, as of gfx950.
pub(super) const SHARED: u32 = 160 << 10;

exports! { TABLE, code;
    /// Loads machine code.
    fn hipModuleLoadData(to: *mut u64, image: *const c_void) {
        // SAFETY: the caller's.
        unsafe { load(current()?, architecture(), to, image) }
    }
    /// Forgets it and its functions.
    fn hipModuleUnload(module: u64) {
        unload(current()?, module)
    }
    /// A kernel by its name.
    fn hipModuleGetFunction(to: *mut u64, module: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe {
            find(current()?, to, module, name)?;
            // Kernels need not ask for what a block may have.
            allow(current()?, *to, |own| SHARED.checked_sub(own))
        }
    }
    /// An attribute, by the numbers of `hipFunction_attribute`.
    fn hipFuncGetAttribute(to: *mut i32, number: i32, handle: u64) {
        // SAFETY: the caller's.
        unsafe { attribute(current()?, to, number, handle) }
    }
    /// A variable by its name.
    fn hipModuleGetGlobal(to: *mut u64, bytes: *mut usize, module: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe { global(current()?, to, bytes, module, name) }
    }
    /// Blocks that a multiprocessor holds.
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(to: *mut i32, handle: u64, block: i32, shared: usize) {
        // SAFETY: the caller's.
        unsafe { occupancy(current()?, to, handle, block, shared) }
    }
    /// Runs a kernel.
    fn hipModuleLaunchKernel(
        handle: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let grid = limited(Grid { grid, block, shared, cooperative: false })?;
        // SAFETY: the caller's.
        unsafe { launch(current()?, Settings::get().lanes, handle, &grid, stream, parameters, extra) }
    }
    /// Runs a kernel whose blocks are all there at the same time.
    fn hipModuleLaunchCooperativeKernel(
        handle: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let grid = limited(Grid { grid, block, shared, cooperative: true })?;
        let none = std::ptr::null_mut();
        // SAFETY: the caller's.
        unsafe { launch(current()?, Settings::get().lanes, handle, &grid, stream, parameters, none) }
    }
}

/// Refuses what is over a limit of HIP's own: CUDA's is of blocks alone.
fn limited(grid: Grid) -> Result<Grid> {
    let along = grid.grid.iter().zip(grid.block);
    match along.map(|(&grid, block)| u64::from(grid) * u64::from(block)).any(|n| n >= 1 << 32) {
        true => Err(Failure::InvalidValue("a launch of 2^32 threads or more in a dimension")),
        false => Ok(grid),
    }
}
