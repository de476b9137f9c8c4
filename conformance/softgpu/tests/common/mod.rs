//! What a program does with the vendor's functions, in few words.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Once;

use ndany_softgpu::exports::cuda::{context::*, device::*, entry::*, memory::*, module::*};
use ndany_softgpu::exports::nvrtc::*;

/// Makes a device current on this thread, with settings that are the same for all tests of a binary. Each test takes a
/// device of its own.
pub fn open_with(ordinal: i32, settings: &[(&str, &str)]) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (name, value) in [("NDANY_SOFTGPU_DEVICES", "16")].iter().chain(settings) {
            // SAFETY: every test of this binary begins here, so nothing else reads the environment meanwhile.
            unsafe { std::env::set_var(name, value) };
        }
        // SAFETY: no pointers.
        assert_eq!(unsafe { cuInit(0) }, 0);
    });
    let mut context = 0;
    // SAFETY: the context is written, and valid then.
    unsafe {
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, ordinal), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
    }
}

/// The same, with the settings of the environment.
pub fn open(ordinal: i32) {
    open_with(ordinal, &[]);
}

/// An image of a text, compiled as ndany compiles.
pub fn compile(text: &str) -> Result<Vec<u8>, String> {
    let source = CString::new(text).unwrap();
    let options = [c"--gpu-architecture=sm_90", c"--fmad=false", c"--std=c++17"];
    let options = options.map(CStr::as_ptr);
    let mut program = 0;
    // SAFETY: every pointer is to memory of the size that the functions say.
    unsafe {
        let null = std::ptr::null();
        assert_eq!(
            nvrtcCreateProgram(&mut program, source.as_ptr(), null, 0, null.cast(), null.cast()),
            0
        );
        let compiled = nvrtcCompileProgram(program, options.len() as i32, options.as_ptr());
        let mut size = 0;
        assert_eq!(nvrtcGetProgramLogSize(program, &mut size), 0);
        let mut log = vec![0u8; size];
        assert_eq!(nvrtcGetProgramLog(program, log.as_mut_ptr().cast()), 0);
        assert_eq!(nvrtcGetCUBINSize(program, &mut size), 0);
        let mut image = vec![0u8; size];
        assert_eq!(nvrtcGetCUBIN(program, image.as_mut_ptr().cast()), 0);
        assert_eq!(nvrtcDestroyProgram(&mut program), 0);
        match compiled {
            0 => Ok(image),
            code => Err(format!("{code}: {}", String::from_utf8_lossy(&log))),
        }
    }
}

/// The kernel of a text.
pub fn kernel(text: &str, name: &str) -> u64 {
    let image = compile(text).unwrap();
    let (mut module, mut function) = (0, 0);
    let name = CString::new(name).unwrap();
    // SAFETY: an image, and results that are written.
    unsafe {
        assert_eq!(cuModuleLoadData(&mut module, image.as_ptr().cast()), 0);
        assert_eq!(cuModuleGetFunction(&mut function, module, name.as_ptr()), 0);
    }
    function
}

/// Memory with these values.
pub fn upload<T: Copy>(values: &[T]) -> u64 {
    let mut address = 0;
    // SAFETY: the sizes are those of the values.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&mut address, size_of_val(values)), 0);
        assert_eq!(
            cuMemcpyHtoDAsync_v2(address, values.as_ptr().cast(), size_of_val(values), 0),
            0
        );
    }
    address
}

/// What lies there.
pub fn download<T: Copy + Default>(address: u64, count: usize) -> Vec<T> {
    let mut values = vec![T::default(); count];
    // SAFETY: the sizes are those of the values.
    let done = unsafe {
        cuMemcpyDtoHAsync_v2(values.as_mut_ptr().cast(), address, count * size_of::<T>(), 0)
    };
    assert_eq!(done, 0);
    values
}

/// Launches a kernel whose one parameter is a structure of these words, in a stream.
pub fn launch_on(
    stream: u64,
    function: u64,
    grid: [u32; 2],
    block: u32,
    shared: u32,
    words: &[u64],
) -> u32 {
    let mut parameters = [words.as_ptr().cast_mut().cast::<c_void>()];
    let parameters = parameters.as_mut_ptr();
    let ([x, y], none) = (grid, std::ptr::null_mut());
    // SAFETY: the kernels of these tests take a structure of as many words.
    unsafe { cuLaunchKernel(function, x, y, 1, block, 1, 1, shared, stream, parameters, none) }
}

/// The same in the default stream.
pub fn launch(function: u64, grid: [u32; 2], block: u32, shared: u32, words: &[u64]) -> u32 {
    launch_on(0, function, grid, block, shared, words)
}

/// The text of an error.
pub fn words_of(code: u32) -> String {
    let mut text: *const c_char = std::ptr::null();
    // SAFETY: the text is written, and lives as long as the process.
    unsafe {
        assert_eq!(cuGetErrorString(code, &mut text), 0);
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

/// Waits for everything.
pub fn synchronize() -> u32 {
    // SAFETY: no pointers.
    unsafe { cuCtxSynchronize() }
}
