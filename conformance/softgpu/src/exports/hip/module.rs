//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use super::{architecture, code, current};
use crate::exports::exports;
use crate::exports::launches::{Grid, find, launch, load, occupancy, unload};
use crate::failure::Failure;
use crate::settings::Settings;

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
        unsafe { find(current()?, to, module, name) }
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
        let grid = Grid { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], shared };
        // A limit of HIP's own: CUDA's is of blocks alone.
        if grid.grid.iter().zip(grid.block).any(|(&grid, block)| u64::from(grid) * u64::from(block) >= 1 << 32) {
            return Err(Failure::InvalidValue("a launch of 2^32 threads or more in a dimension"));
        }
        // SAFETY: the caller's.
        unsafe { launch(current()?, Settings::get().lanes, handle, &grid, stream, parameters, extra) }
    }
}
