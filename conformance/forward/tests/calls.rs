//! What HIP does that CUDA's driver does not, and the words of kernels, with the software GPU as the driver.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../../../gpu/tests/support/mod.rs"]
mod support;

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Once;

use ndany_forward::codes::{hipGetErrorName, hipGetErrorString};
use ndany_forward::device::*;
use ndany_forward::memory::*;
use ndany_forward::modules::*;
use ndany_forward::rtc::*;
use support::Folder;

/// Finds the driver.
fn open() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let folder = Folder::of_software_gpu("calls", &["libcuda.so.1", "libnvrtc.so.13"]);
        // SAFETY: every test begins here, so nothing else reads the environment meanwhile.
        unsafe {
            std::env::set_var("NDANY_CUDA_LIBRARIES", &folder.0);
            std::env::set_var("NDANY_SOFTGPU_DEVICES", "2");
        }
        // SAFETY: numbers that are written.
        unsafe {
            assert_eq!(hipInit(0), 0);
            assert_eq!(hiprtcVersion(&mut 0, &mut 0), 0);
        }
    });
}

/// Machine code, or the number of what is wrong, and the log.
fn compile(text: &str, options: &[&CStr]) -> Result<Vec<u8>, (u32, String)> {
    let text = CString::new(text).expect("a text");
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let (mut program, mut bytes) = (0, 0);
    let (name, none) = (c"test.hip".as_ptr(), std::ptr::null());
    // SAFETY: C strings, and results of the size that the functions say.
    unsafe {
        assert_eq!(hiprtcCreateProgram(&mut program, text.as_ptr(), name, 0, none, none), 0);
        let compiled = hiprtcCompileProgram(program, options.len() as i32, options.as_ptr());
        let mut log = vec![0u8; 1 << 16];
        assert_eq!(hiprtcGetProgramLogSize(program, &mut bytes), 0);
        assert!(bytes <= log.len());
        assert_eq!(hiprtcGetProgramLog(program, log.as_mut_ptr().cast()), 0);
        assert_eq!(hiprtcGetCodeSize(program, &mut bytes), 0);
        let mut image = vec![0u8; bytes];
        assert_eq!(hiprtcGetCode(program, image.as_mut_ptr().cast()), 0);
        assert_eq!(hiprtcDestroyProgram(&mut program), 0);
        let log = CStr::from_bytes_until_nul(&log).expect("an end").to_string_lossy().into_owned();
        if compiled == 0 { Ok(image) } else { Err((compiled, log)) }
    }
}

#[test]
fn memory_of_no_bytes_is_null() {
    open();
    let (mut address, mut memory) = (7, std::ptr::dangling_mut::<c_void>());
    // SAFETY: results that are written.
    unsafe {
        assert_eq!((hipMalloc(&mut address, 0), address), (0, 0));
        assert_eq!(hipFree(0), 0);
        assert_eq!(hipHostMalloc(&mut memory, 0, 3), 0);
        assert!(memory.is_null());
        assert_eq!(hipHostFree(memory), 0);
    }
}

#[test]
fn each_thread_has_a_device() {
    open();
    let current = || {
        let mut device = -1;
        // SAFETY: a number that is written.
        assert_eq!(unsafe { hipGetDevice(&mut device) }, 0);
        device
    };
    // SAFETY: numbers.
    unsafe {
        assert_eq!((current(), hipSetDevice(1), current()), (0, 0, 1));
        assert_eq!((hipSetDevice(2), hipSetDevice(-1), current()), (101, 101, 1));
    }
    assert_eq!(std::thread::spawn(current).join().expect("a device"), 0);
}

#[test]
fn a_device_says_what_it_is() {
    open();
    let mut properties = [0u8; 1472];
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: a number that is written.
        let code = unsafe { hipDeviceGetAttribute(&mut value, number, 0) };
        (code, value)
    };
    // SAFETY: as large as the structure.
    assert_eq!(unsafe { hipGetDevicePropertiesR0600(properties.as_mut_ptr().cast(), 0) }, 0);
    let text = |at: usize| CStr::from_bytes_until_nul(&properties[at..]).expect("an end");
    assert_eq!((text(0), text(1160)), (c"ndany softgpu", c"gfx-sm90"));
    // Lanes, threads of a block, and an attribute that is not known.
    assert_eq!([87, 56, 9999].map(attribute), [(0, 32), (0, 1024), (1, 0)]);
}

#[test]
fn errors_have_hips_names_and_cudas_words() {
    // SAFETY: constant texts.
    let text = |text| unsafe { CStr::from_ptr(text) };
    open();
    assert_eq!(text(hipGetErrorName(719)), c"hipErrorLaunchFailure");
    assert_eq!(text(hipGetErrorName(12_345)), c"hipErrorUnknown");
    assert_eq!(text(hipGetErrorString(2)), c"out of memory");
    assert_eq!(text(hipGetErrorString(12_345)), c"hipErrorUnknown");
}

#[test]
fn kernels_speak_hip() {
    open();
    let options = [c"--offload-arch=gfx-sm90", c"-O3", c"-ffp-contract=off"];
    let refused = compile("extern \"C\" __global__ void wrong() { undeclared(); }", &options);
    assert!(refused.is_err_and(|(code, log)| code == 6 && log.contains("undeclared")));
    let unknown = compile("", &[c"--offload-arch=gfx-sm90", c"-fnothing"]);
    assert!(unknown.is_err_and(|(code, log)| code == 5 && log.contains("-fnothing")));
    assert!(compile("", &[c"--offload-arch=gfx1030"]).is_err_and(|(code, _)| code == 5));

    // One after another, the sum of all lanes, what the next and the one before have, and which lanes are odd.
    let text =
        "extern \"C\" __global__ void __launch_bounds__(32, 1) words(unsigned long long* to) {
        unsigned lane = threadIdx.x, sum = lane;
        for (unsigned step = 16; step; step >>= 1) sum += __shfl_down(sum, step, 32);
        unsigned all = __shfl(sum, 0, 32);
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"wavefront\");
        __builtin_amdgcn_wave_barrier();
        unsigned before = __shfl_up(lane, 1, 32);
        to[lane] = __ballot(lane & 1) << 32 | all << 8 | before;
    }";
    let image = compile(text, &options).expect("machine code");
    let (mut module, mut function, mut memory) = (0, 0, 0);
    let mut values = [0u64; 32];
    // SAFETY: an image, a kernel of one parameter, memory that is as large as is said, and results that are written.
    unsafe {
        assert_eq!(hipModuleLoadData(&mut module, image.as_ptr().cast()), 0);
        assert_eq!(hipModuleGetFunction(&mut function, module, c"words".as_ptr()), 0);
        assert_eq!(hipMalloc(&mut memory, size_of_val(&values)), 0);
        let mut parameters = [(&raw mut memory).cast::<c_void>()];
        let (list, none) = (parameters.as_mut_ptr(), std::ptr::null_mut());
        assert_eq!(hipModuleLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, list, none), 0);
        let to = values.as_mut_ptr().cast();
        assert_eq!(hipMemcpyDtoHAsync(to, memory, size_of_val(&values), 0), 0);
        assert_eq!(ndany_forward::order::hipStreamSynchronize(0), 0);
        assert_eq!(hipFree(memory), 0);
        assert_eq!(hipModuleUnload(module), 0);
    }
    let expected = |lane: u64| 0xaaaa_aaaa << 32 | 496 << 8 | lane.saturating_sub(1);
    assert_eq!(values, std::array::from_fn(|lane| expected(lane as u64)));
}
