//! Modules, functions and their launches, for every vendor's functions.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::{put, text};
use crate::compiler::{self, Image};
use crate::device::{Device, Function, Machine};
use crate::failure::{Failure, Result};
use crate::inject;
use crate::module::{Kernel, Module};
use crate::run::{Launch, hooks};
use crate::settings::Settings;

/// Shared memory of a block, unasked and asked for.
pub(super) const SHARED: [u32; 2] = [48 << 10, 227 << 10];

/// Loads machine code for an architecture.
///
/// # Safety
/// An image, and a result that can be written.
pub(super) unsafe fn load(
    device: &'static Device,
    architecture: &str,
    to: *mut u64,
    image: *const c_void,
) -> Result<()> {
    let handle = Machine::get()?.handle();
    if image.is_null() {
        return Err(Failure::InvalidValue("a null pointer for an image"));
    }
    // SAFETY: the caller's: an image.
    let image = unsafe { Image::read(image.cast()) }?;
    if image.architecture != architecture {
        return Err(Failure::WrongArchitecture(image.architecture));
    }
    compiler::check(&image)?;
    let module = Module::load(&image, hooks())?;
    device.loaded().modules.insert(handle, (module, inject::number()));
    // SAFETY: the caller's.
    unsafe { put(to, handle) }
}

/// Forgets a module and its functions.
pub(super) fn unload(device: &'static Device, module: u64) -> Result<()> {
    let mut loaded = device.loaded();
    loaded.modules.remove(&module).ok_or(Failure::InvalidHandle("module"))?;
    loaded.functions.retain(|_, (whose, _)| *whose != module);
    Ok(())
}

/// A kernel by its name.
///
/// # Safety
/// A C string, and a result that can be written.
pub(super) unsafe fn find(
    device: &'static Device,
    to: *mut u64,
    module: u64,
    name: *const c_char,
) -> Result<()> {
    let handle = Machine::get()?.handle();
    // SAFETY: the caller's.
    let name = unsafe { text(name) }?;
    let mut loaded = device.loaded();
    let (found, _) =
        loaded.modules.get(&module).cloned().ok_or(Failure::InvalidHandle("module"))?;
    let kernel = found.kernel(&name)?;
    loaded.functions.insert(handle, (module, Function { module: found, kernel }));
    // SAFETY: the caller's.
    unsafe { put(to, handle) }
}

/// What a handle means, and how much dynamic shared memory it may have.
pub(super) fn function(device: &'static Device, handle: u64) -> Result<(Function, u32)> {
    let loaded = device.loaded();
    let (_, function) = loaded.functions.get(&handle).ok_or(Failure::InvalidHandle("function"))?;
    let most = loaded.dynamic.get(&handle).copied();
    Ok((function.clone(), most.unwrap_or(SHARED[0].saturating_sub(function.kernel.shared))))
}

/// Blocks that a multiprocessor holds.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn occupancy(
    device: &'static Device,
    to: *mut i32,
    handle: u64,
    block: i32,
    dynamic: usize,
) -> Result<()> {
    let (function, _) = function(device, handle)?;
    let threads = u32::try_from(block).ok().filter(|&n| n > 0);
    let threads = threads.ok_or(Failure::InvalidValue("a block of no threads"))?;
    let blocks = resident(&function.kernel, threads, dynamic);
    // SAFETY: the caller's.
    unsafe { put(to, blocks as i32) }
}

/// Blocks of a kernel that a multiprocessor holds.
fn resident(kernel: &Kernel, threads: u32, dynamic: usize) -> u32 {
    let shared = kernel.shared as usize + dynamic + 1024;
    let by_shared = (228 << 10) / shared;
    match threads > kernel.threads {
        true => 0,
        false => (2048 / threads.next_multiple_of(32)).min(32).min(by_shared as u32),
    }
}

/// A variable of a module.
///
/// # Safety
/// A C string, and results that are null or can be written.
pub(super) unsafe fn global(
    device: &'static Device,
    to: *mut u64,
    bytes: *mut usize,
    module: u64,
    name: *const c_char,
) -> Result<()> {
    // SAFETY: the caller's.
    let name = unsafe { text(name) }?;
    let loaded = device.loaded();
    let (found, _) = loaded.modules.get(&module).ok_or(Failure::InvalidHandle("module"))?;
    let global = found.global(&name)?;
    // SAFETY: the caller's.
    unsafe {
        if !bytes.is_null() {
            put(bytes, global.bytes as usize)?;
        }
        if to.is_null() { Ok(()) } else { put(to, global.address) }
    }
}

/// An attribute of a kernel, by the numbers that both vendors have.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn attribute(
    device: &'static Device,
    to: *mut i32,
    number: i32,
    handle: u64,
) -> Result<()> {
    let (function, dynamic) = function(device, handle)?;
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

/// Lets a kernel have dynamic shared memory up to a number of bytes with its static one.
pub(super) fn allow(
    device: &'static Device,
    handle: u64,
    most: impl FnOnce(u32) -> Option<u32>,
) -> Result<()> {
    let (function, _) = function(device, handle)?;
    let value = most(function.kernel.shared);
    let value = value.ok_or(Failure::InvalidValue("more shared memory than there is"))?;
    device.loaded().dynamic.insert(handle, value);
    Ok(())
}

/// How a kernel is run.
pub(super) struct Grid {
    /// Blocks.
    pub(super) grid: [u32; 3],
    /// Threads of each.
    pub(super) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
    /// Whether all blocks run at the same time.
    pub(super) cooperative: bool,
}

/// Runs a kernel.
///
/// # Safety
/// A pointer to each parameter, of the size that the kernel's declaration has.
pub(super) unsafe fn launch(
    device: &'static Device,
    lanes: u32,
    handle: u64,
    grid: &Grid,
    stream: u64,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<()> {
    // SAFETY: the caller's.
    let launch = unsafe { prepare(device, lanes, handle, grid, parameters, extra) }?;
    Machine::get()?.perform(device, stream, Arc::new(move || device.launch(&launch)))
}

/// A launch with all that it needs.
///
/// # Safety
/// A pointer to each parameter, of the size that the kernel's declaration has.
pub(super) unsafe fn prepare(
    device: &'static Device,
    lanes: u32,
    handle: u64,
    grid: &Grid,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Launch> {
    let (Function { module, kernel }, most) = function(device, handle)?;
    let Grid { grid, block, shared, cooperative } = *grid;
    let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
    if grid.contains(&0)
        || block.contains(&0)
        || grid[0] > i32::MAX as u32
        || grid[1].max(grid[2]) > 65_535
    {
        return Err(Failure::InvalidValue("a grid or block that is empty or too large"));
    }
    if threads > 1024 || block[2] > 64 {
        return Err(Failure::InvalidValue("a block of more than 1024 threads"));
    }
    if threads > u64::from(kernel.threads) {
        let what = format!("{threads} threads a block, its bounds are {}", kernel.threads);
        return Err(Failure::OutOfResources(kernel.name.clone(), what));
    }
    if cooperative {
        let blocks = grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let processors = u64::from(Settings::get().processors);
        let most = processors * u64::from(resident(&kernel, threads as u32, shared as usize));
        if blocks > most {
            return Err(Failure::TooManyBlocks(kernel.name.clone(), blocks, most));
        }
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
    Ok(Launch { kernel, module, grid, block, lanes, shared, cooperative, arguments })
}
