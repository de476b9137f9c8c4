//! Modules, functions and their launches.

use std::ffi::{c_char, c_void};

use super::{ARCHITECTURE, code, current};
use crate::compiler::Image;
use crate::device::{Function, Machine};
use crate::exports::{exports, put, text};
use crate::failure::{Failure, Result};
use crate::module::Module;
use crate::run::{Launch, hooks};

/// Shared memory of a block, unasked and asked for.
const SHARED: [u32; 2] = [48 << 10, 227 << 10];

unsafe fn load(to: *mut u64, image: *const c_void) -> Result<()> {
    let (device, handle) = (current()?, Machine::get()?.handle());
    if image.is_null() {
        return Err(Failure::InvalidValue("a null pointer for an image"));
    }
    // SAFETY: the caller's: an image.
    let image = unsafe { Image::read(image.cast()) }?;
    if image.architecture != ARCHITECTURE {
        return Err(Failure::WrongArchitecture(image.architecture));
    }
    let module = Module::load(&image, hooks())?;
    device.loaded().modules.insert(handle, module);
    // SAFETY: the caller's.
    unsafe { put(to, handle) }
}

fn function(handle: u64) -> Result<(Function, u32)> {
    let device = current()?;
    let loaded = device.loaded();
    let (_, function) = loaded.functions.get(&handle).ok_or(Failure::InvalidHandle("function"))?;
    let most = loaded.dynamic.get(&handle).copied();
    Ok((function.clone(), most.unwrap_or(SHARED[0].saturating_sub(function.kernel.shared))))
}

/// Blocks that a multiprocessor holds.
fn occupancy(function: &Function, block: i32, dynamic: usize) -> Result<i32> {
    let threads = u32::try_from(block).ok().filter(|&n| n > 0);
    let threads = threads.ok_or(Failure::InvalidValue("a block of no threads"))?;
    if threads > function.kernel.threads {
        return Ok(0);
    }
    let shared = function.kernel.shared as usize + dynamic + 1024;
    let by_shared = (228 << 10) / shared;
    Ok((2048 / threads.next_multiple_of(32)).min(32).min(by_shared as u32) as i32)
}

exports! { TABLE, code;
    /// Loads machine code.
    fn cuModuleLoadData(to: *mut u64, image: *const c_void) {
        // SAFETY: the caller's.
        unsafe { load(to, image) }
    }
    /// The same, with options, which are ignored.
    fn cuModuleLoadDataEx(
        to: *mut u64, image: *const c_void, _count: u32, _options: *mut u32, _values: *mut *mut c_void,
    ) {
        // SAFETY: the caller's.
        unsafe { load(to, image) }
    }
    /// Forgets it and its functions.
    fn cuModuleUnload(module: u64) {
        let device = current()?;
        let mut loaded = device.loaded();
        loaded.modules.remove(&module).ok_or(Failure::InvalidHandle("module"))?;
        loaded.functions.retain(|_, (whose, _)| *whose != module);
        Ok(())
    }
    /// A kernel by its name.
    fn cuModuleGetFunction(to: *mut u64, module: u64, name: *const c_char) {
        let (device, handle) = (current()?, Machine::get()?.handle());
        // SAFETY: the caller's.
        let name = unsafe { text(name) }?;
        let mut loaded = device.loaded();
        let found = loaded.modules.get(&module).cloned().ok_or(Failure::InvalidHandle("module"))?;
        let kernel = found.kernel(&name)?;
        loaded.functions.insert(handle, (module, Function { module: found, kernel }));
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// An attribute, by the numbers of `CUfunction_attribute`.
    fn cuFuncGetAttribute(to: *mut i32, number: i32, handle: u64) {
        let (function, dynamic) = function(handle)?;
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
        let (function, _) = function(handle)?;
        if number == 8 {
            let value = u32::try_from(value).ok().filter(|v| v + function.kernel.shared <= SHARED[1]);
            let value = value.ok_or(Failure::InvalidValue("more shared memory than there is"))?;
            current()?.loaded().dynamic.insert(handle, value);
        }
        Ok(())
    }
    /// Blocks that a multiprocessor holds.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(to: *mut i32, handle: u64, block: i32, shared: usize) {
        let (function, _) = function(handle)?;
        // SAFETY: the caller's.
        unsafe { put(to, occupancy(&function, block, shared)?) }
    }
    /// The same, with flags, which are ignored.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        to: *mut i32, handle: u64, block: i32, shared: usize, _flags: u32,
    ) {
        let (function, _) = function(handle)?;
        // SAFETY: the caller's.
        unsafe { put(to, occupancy(&function, block, shared)?) }
    }
    /// Runs a kernel.
    fn cuLaunchKernel(
        handle: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: u64, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let device = current()?;
        let (Function { module, kernel }, most) = function(handle)?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
        if grid.contains(&0) || block.contains(&0) || grid_x > i32::MAX as u32 || grid_y.max(grid_z) > 65_535 {
            return Err(Failure::InvalidValue("a grid or block that is empty or too large"));
        }
        if threads > 1024 || block_z > 64 {
            return Err(Failure::InvalidValue("a block of more than 1024 threads"));
        }
        if threads > u64::from(kernel.threads) {
            let what = format!("{threads} threads a block, its bounds are {}", kernel.threads);
            return Err(Failure::OutOfResources(kernel.name.clone(), what));
        }
        if shared > most {
            return Err(Failure::InvalidValue("more dynamic shared memory than the function may have"));
        }
        if !extra.is_null() || parameters.is_null() && !kernel.sizes.is_empty() {
            return Err(Failure::InvalidValue("parameters are taken from kernelParams only"));
        }
        let argument = |(k, &bytes): (usize, &usize)| {
            let mut words = vec![0u128; bytes.div_ceil(16)];
            // SAFETY: the caller's: a pointer to each parameter, of the size that the kernel's declaration has.
            unsafe {
                let from = (*parameters.add(k)).cast::<u8>();
                words.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from, bytes);
            }
            words
        };
        let arguments = kernel.sizes.iter().enumerate().map(argument).collect();
        let launch = Launch { kernel, module, grid, block, lanes: 32, shared, arguments };
        Machine::get()?.submit(device, stream, Box::new(move || device.launch(&launch)))
    }
}
