//! The driver, the compiler and the engine over them, on the software GPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ndany_array::{Array, Device};
use ndany_cuda::{CudaCompiler, CudaDriver};
use ndany_gpu::compile_texts;
use ndany_gpu::driver::{CompileError, Compiler, Driver, DriverError, KernelLaunch, Stream};
use ndany_kernels::CUDA;
use support::{Folder, process, task};

const BOTH: [&str; 2] = ["libcuda.so.1", "libnvrtc.so.13"];

/// Runs a task on the software GPU; it fails if the task does.
fn run(task: &str, libraries: &[&str], variables: &[(&str, &str)]) -> String {
    let folder = Folder::of_software_gpu(task, libraries);
    let kept = folder.0.join("kernels");
    let kept = kept.to_string_lossy();
    let mut variables = variables.to_vec();
    variables.push(("NDANY_SOFTGPU_CACHE", &kept));
    process(task, Some(&folder.0), &variables)
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    match task().as_str() {
        "memory" => memory(),
        "order" => order(),
        "kernels" => kernels(),
        "compiler" => compiler(),
        "peers" => peers(),
        "between" => between(),
        "pool" => pool(),
        "exhaustion" => exhaustion(),
        "loss" => loss(),
        "fork" => fork(),
        "engine" => engine(),
        "rows" => rows(),
        "no-compiler" => no_compiler(),
        "kept" => kept(),
        "unread" => unread(),
        "texts" => texts(),
        other => panic!("no task {other}"),
    }
}

fn open(ordinal: u32) -> CudaDriver {
    CudaDriver::open(ordinal).expect("the software GPU")
}

/// Runs work on a stream of its own and waits for it.
fn on_a_stream(driver: &CudaDriver, work: impl FnOnce(Stream)) {
    let stream = driver.create_stream().expect("a stream");
    work(stream);
    // SAFETY: the stream is alive until it is destroyed.
    unsafe {
        driver.wait_for_stream(stream).expect("the end of the work");
        driver.destroy_stream(stream).expect("a stream");
    }
}

#[test]
fn memory_is_written_filled_and_read() {
    run("memory", &BOTH, &[]);
}

fn memory() {
    let driver = open(0);
    assert_eq!(driver.name(), "cuda:0");
    let properties = driver.properties();
    assert_eq!(
        (properties.architecture.as_str(), properties.capabilities.warp_size),
        ("sm_90", 32)
    );
    assert_eq!(properties.memory, 1 << 30);
    let capabilities = properties.capabilities;
    assert_eq!(
        (capabilities.max_threads_per_block, capabilities.max_blocks),
        (1024, (1 << 31) - 1)
    );
    assert_eq!((capabilities.float64, capabilities.atomics64), (true, true));
    let [free, total] = driver.memory().expect("figures");
    assert!(free <= total && total == 1 << 30, "{free} of {total}");

    let (a, b) = (driver.allocate(1000).expect("memory"), driver.allocate(1000).expect("memory"));
    assert_eq!((a % 256, b % 256), (0, 0));
    let from: Vec<u8> = (0..1000).map(|k| k as u8).collect();
    let mut to = vec![0u8; 1000];
    let pinned = driver.allocate_host(16).expect("page-locked memory");
    // SAFETY: memories and vectors are as long as the copies, and alive until the stream is done.
    on_a_stream(&driver, |stream| unsafe {
        driver.upload(a, from.as_ptr(), 1000, stream).expect("a copy");
        driver.upload(b, from[1..].as_ptr(), 999, stream).expect("a copy");
        driver.fill(b, 0xAB, 10, stream).expect("a fill");
        driver.download(to.as_mut_ptr(), b, 999, stream).expect("a copy");
        driver.download(pinned, b, 16, stream).expect("a copy");
    });
    assert_eq!(to[..10], [0xAB; 10]);
    assert_eq!(to[10..999], from[11..]);
    // SAFETY: as above; what is given back was given, but for the last.
    unsafe {
        assert_eq!(std::slice::from_raw_parts(pinned, 16), &to[..16]);
        driver.free_host(pinned).expect("page-locked memory");
        driver.free(a).expect("memory");
        driver.free(b).expect("memory");
        let error = driver.free(b).expect_err("given back twice");
        assert!(error.to_string().contains("cuMemFree_v2: CUDA_ERROR_INVALID"), "{error}");
    }
}

#[test]
fn events_order_streams() {
    run("order", &BOTH, &[]);
}

fn order() {
    let driver = open(0);
    let [start, end] = [(); 2].map(|()| driver.create_event().expect("an event"));
    let memory = driver.allocate(8).expect("memory");
    let mut value = [0u8; 8];
    let [first, second] = [(); 2].map(|()| driver.create_stream().expect("a stream"));
    // SAFETY: all handles are alive until they are destroyed, and the memory and the value until the wait.
    unsafe {
        driver.record(start, first).expect("a mark");
        driver.fill(memory, 7, 8, first).expect("a fill");
        driver.record(end, first).expect("a mark");
        driver.stream_waits(second, end).expect("a wait");
        driver.download(value.as_mut_ptr(), memory, 8, second).expect("a copy");
        driver.wait_for_stream(second).expect("the end");
        assert_eq!(value, [7; 8]);
        driver.wait_for_event(end).expect("the end");
        assert!(driver.is_completed(end).expect("an answer"));
        for event in [start, end] {
            driver.destroy_event(event).expect("an event");
        }
        for stream in [first, second] {
            driver.destroy_stream(stream).expect("a stream");
        }
        driver.free(memory).expect("memory");
    }
}

const TWICE: &str =
    "struct Args { unsigned long long* x; unsigned long long count; unsigned long long by; };
extern \"C\" __global__ void __launch_bounds__(64) scale(const Args a) {
    unsigned long long k = (unsigned long long)blockIdx.x * 64 + threadIdx.x;
    if (k < a.count) a.x[k] *= a.by;
}";

#[test]
fn kernels_are_compiled_loaded_and_launched_from_any_thread() {
    run("kernels", &BOTH, &[]);
}

fn kernels() {
    let driver = open(0);
    let compiler = CudaCompiler::open().expect("a compiler");
    let image = compiler.compile(TWICE, "sm_90").expect("machine code");
    let module = driver.load(&image).expect("a module");
    // SAFETY: the module is alive until it is unloaded.
    let function = unsafe { driver.function(module, "scale") }.expect("a kernel");
    // SAFETY: as above.
    let error = unsafe { driver.function(module, "scales") }.expect_err("no such kernel");
    assert!(matches!(&error, DriverError::Call { code: 500, .. }), "{error:?}");
    let error = driver
        .load(b"this is no machine code, and as long as a header may be")
        .expect_err("garbage");
    assert!(matches!(error, DriverError::Call { .. }), "{error:?}");

    let driver = &driver;
    std::thread::scope(|scope| {
        for by in 1..5u64 {
            scope.spawn(move || {
                let mut values: Vec<u64> = (0..1000).collect();
                let memory = driver.allocate(8000).expect("memory");
                on_a_stream(driver, |stream| {
                    let call = KernelLaunch::linear(function, 16, 64, stream);
                    // SAFETY: the kernel takes these three words, and the memory holds as many elements.
                    unsafe {
                        driver
                            .upload(memory, values.as_ptr().cast(), 8000, stream)
                            .expect("a copy");
                        driver.launch(&call, &[memory, 1000, by]).expect("a launch");
                        driver
                            .download(values.as_mut_ptr().cast(), memory, 8000, stream)
                            .expect("a copy");
                    }
                });
                assert_eq!(values, (0..1000).map(|k| k * by).collect::<Vec<u64>>());
                // SAFETY: the stream is done with it.
                unsafe { driver.free(memory) }.expect("memory");
            });
        }
    });
    // SAFETY: nothing of it runs any more.
    unsafe { driver.unload(module) }.expect("a module");
}

#[test]
fn what_the_compiler_refuses_comes_with_its_words() {
    run("compiler", &BOTH, &[]);
}

fn compiler() {
    let compiler = CudaCompiler::open().expect("a compiler");
    assert!(compiler.version().starts_with("NVRTC 13.0 --fmad=false"), "{}", compiler.version());
    match compiler.compile("extern \"C\" __global__ void k() { undeclared(); }", "sm_90") {
        Err(CompileError::Refused { log, .. }) => assert!(log.contains("undeclared"), "{log}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(compiler.compile("a\0b", "sm_90"), Err(CompileError::Refused { .. })));
}

#[test]
fn two_devices_keep_to_their_own_memory_and_copy_from_each_other() {
    run("peers", &BOTH, &[("NDANY_SOFTGPU_DEVICES", "2")]);
}

fn peers() {
    let [one, two] = [0, 1].map(open);
    let free = |driver: &CudaDriver| driver.memory().expect("figures")[0];
    let before = [free(&one), free(&two)];
    let there = two.allocate(10 << 20).expect("memory");
    assert_eq!(free(&one), before[0], "the other device's memory");
    assert!(free(&two) <= before[1] - (10 << 20));
    let here = one.allocate(16).expect("memory");
    let mut value = [0u8; 16];
    // SAFETY: memories are that long and alive until the streams are done.
    on_a_stream(&two, |stream| unsafe { two.fill(there, 9, 16, stream).expect("a fill") });
    // SAFETY: as above.
    on_a_stream(&one, |stream| unsafe {
        one.copy_from_peer(here, there, &two, 16, stream).expect("a copy");
        one.download(value.as_mut_ptr(), here, 16, stream).expect("a copy");
    });
    assert_eq!(value, [9; 16]);
}

#[test]
fn copies_between_devices_are_ordered_with_other_work() {
    for order in ["now", "late"] {
        let settings = [("NDANY_SOFTGPU_DEVICES", "2"), ("NDANY_SOFTGPU_ORDER", order)];
        let calls = run("between", &BOTH, &[settings.as_slice(), &[TRACE]].concat());
        assert!(calls.contains("cuMemcpyPeerAsync"), "{calls}");
    }
}

#[test]
fn a_device_tells_what_its_pool_holds_and_keeps_to_a_limit() {
    run("pool", &BOTH, &[("NDANY_SOFTGPU_MEMORY", "67108864")]);
}

fn pool() {
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    let live = || device.memory().expect("a pool").live;
    let row = |mebibytes: usize| {
        let array = ndany_array::zeros(mebibytes << 20, ndany_core::DType::U8);
        array.eval().map(|()| array)
    };
    assert_eq!((live(), device.free_memory().expect("figures")), (0, 64 << 20));
    let held = row(10).expect("memory");
    assert_eq!(live(), 10 << 20);
    device.limit_memory(Some(20 << 20)).expect("a pool");
    let error = row(30).expect_err("beyond the limit");
    let figures = format!("{} bytes requested, {} live", 30 << 20, 10 << 20);
    assert!(error.to_string().contains(&figures), "{error}");
    device.limit_memory(None).expect("a pool");
    drop(row(30).expect("memory"));
    let sum: u64 = held.sum(..).item().expect("a sum");
    drop(held);
    let memory = device.memory().expect("a pool");
    assert_eq!((sum, memory.live, memory.peak_live >= 40 << 20), (0, 0, true));
    assert!(memory.reserved >= 40 << 20 && memory.peak_reserved >= memory.reserved);
    device.release_memory().expect("a pool");
    assert_eq!(device.memory().expect("a pool").reserved, 0);
    // The reference takes its memory from the system, and its streams change nothing.
    let reference = Device::open("reference").expect("the reference");
    let error = reference.memory().expect_err("no pool");
    assert_eq!(error.to_string(), "[memory] is not supported: reference keeps no pool of memory");
    let stream = reference.stream(..).expect("a stream");
    let _streams = (reference.enter(), stream.enter());
    assert_eq!(ndany_array::arange(5).sum(..).item::<i64>().expect("a sum"), 10);
    assert!(stream.synchronize().is_ok() && *stream.device() == reference);
}

const TRACE: (&str, &str) = ("NDANY_SOFTGPU_TRACE", "calls");

fn between() {
    let [one, two] = ["cuda:0", "cuda:1"].map(|name| Device::open(name).expect("a device"));
    let _guard = one.enter();
    let row = |add: i64| ndany_array::arange(5000) + add;
    // A stream of each, so that no default queue orders anything by chance.
    let [here, there] = [&one, &two].map(|device| device.stream(..).expect("a stream"));
    for round in 0..20 {
        let _streams = (here.enter(), there.enter());
        let moved = row(round).to_device(&two).expect("a copy");
        // The source has gone; its memory is used again at once.
        let other = row(1_000_000);
        other.eval().expect("a launch");
        let back = (moved * 2).to_device(&one).expect("a copy");
        let sum = (back - other).sum(..).item::<i64>().expect("a sum");
        assert_eq!(sum, 5000 * 4999 / 2 + 5000 * (2 * round - 1_000_000));
    }
    // Views, and arrays of nothing.
    let part = row(0).i(ndany_array::s![100..200;-7]);
    let values = part.to_vec::<i64>().expect("values");
    let moved = part.to_device(&two).expect("a copy");
    assert_eq!((moved.to_vec::<i64>().expect("values"), moved.device()), (values, &two));
    let nothing = row(0).i(5000..).to_device(&two).expect("nothing");
    assert_eq!(nothing.to_vec::<i64>().expect("nothing"), [0; 0]);
    // What failed here comes out here, not there.
    let failed = row(0).take(Array::from([9000i64]), 0);
    let error = failed.to_device(&two).expect_err("an index out of range").to_string();
    assert!(error.contains("9000"), "{error}");
    // Through the host where there is no other way.
    let reference = Device::open("reference").expect("the reference");
    assert_eq!(
        row(3).to_device(&reference).expect("a copy").to_vec::<i64>().expect("values")[7],
        10
    );
    assert!(one.synchronize().is_ok() && two.synchronize().is_ok());
}

#[test]
fn after_an_out_of_memory_the_device_goes_on() {
    run("exhaustion", &BOTH, &[("NDANY_SOFTGPU_MEMORY", "67108864")]);
}

fn exhaustion() {
    let driver = open(0);
    let error = driver.allocate(1 << 30).expect_err("more than there is");
    assert_eq!(error, DriverError::OutOfMemory { call: "cuMemAlloc_v2" });
    driver.allocate(1 << 20).expect("memory");
}

#[test]
fn a_lost_device_says_so() {
    run("loss", &BOTH, &[("NDANY_SOFTGPU_FAIL", "cuStreamSynchronize:1:719,cuMemAlloc_v2:1:1")]);
}

fn loss() {
    let driver = open(0);
    let error = driver.allocate(16).expect_err("a failure asked for");
    assert!(matches!(&error, DriverError::Call { code: 1, .. }), "{error:?}");
    let stream = driver.create_stream().expect("a stream");
    // SAFETY: the stream is alive.
    let error = unsafe { driver.wait_for_stream(stream) }.expect_err("a failure asked for");
    let words = "cuStreamSynchronize: the device is lost: CUDA_ERROR_LAUNCH_FAILED";
    assert!(error.to_string().starts_with(words), "{error}");
    assert!(matches!(&error, DriverError::Lost { code: 719, .. }), "{error:?}");
}

#[test]
fn a_forked_child_makes_no_calls() {
    let text = run("fork", &BOTH, &[]);
    assert!(text.contains("the child ended with 0"), "{text}");
}

fn fork() {
    let driver = open(0);
    // SAFETY: the child calls the driver, which must not call CUDA, and leaves without unwinding or handlers.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let forked = [
            driver.allocate(16).expect_err("forked"),
            driver.memory().expect_err("forked"),
            driver.create_stream().expect_err("forked"),
        ];
        let right = forked.iter().all(|error| matches!(error, DriverError::Forked { .. }));
        let again =
            CudaDriver::open(0).is_err_and(|error| error.to_string().contains("process forked"));
        // SAFETY: it ends the process.
        unsafe { libc::_exit(if right && again { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: it writes a number.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    println!("the child ended with {status}");
    driver.allocate(16).expect("the parent goes on");
}

#[test]
fn the_engine_has_the_bits_of_the_reference() {
    run("engine", &BOTH, &[]);
}

fn engine() {
    assert_eq!(Device::all(), ["cuda:0", "reference"]);
    let compute = |name: &str| {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        let x = Array::from([[1.0f32, 2.5, -3.0], [0.1, 0.2, 0.3]]);
        let y = (&x * &x + 1.0).sqrt();
        let product = ndany_array::checked::matmul(&y, x.transpose(..)).expect("a product");
        let sums = (&y / &x).sum(1).to_vec::<f32>().expect("values");
        (y.to_vec::<f32>().expect("values"), sums, product.shape().to_vec())
    };
    assert_eq!(compute("cuda:0"), compute("reference"));
    assert_eq!(Device::open("cuda").expect("a device"), Device::open("cuda:0").expect("a device"));
}

#[test]
fn rows_of_any_length_have_the_bits_of_the_reference() {
    run("rows", &BOTH, &[]);
}

/// Lengths around those of a warp, a block and a chunk; several rows, so that
/// several groups of threads, each with a row, share a block.
fn rows() {
    let sums = |name: &str, length: usize| -> Vec<f32> {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        let values: Vec<f32> = (0..5 * length).map(|k| 1.0 / (k as f32 + 0.3)).collect();
        let a = Array::from_slice(&values, (5, length));
        a.sum(1).to_vec().expect("sums")
    };
    for length in [1, 2, 3, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 4096, 4097] {
        assert_eq!(sums("cuda:0", length), sums("reference", length), "rows of {length}");
    }
}

#[test]
fn without_a_compiler_the_device_opens_and_says_what_is_missing() {
    run("no-compiler", &["libcuda.so.1"], &[]);
}

fn no_compiler() {
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    let x = Array::from([1.0f32, 2.0]);
    assert_eq!(x.to_vec::<f32>().expect("no kernel is needed"), [1.0, 2.0]);
    let error = (&x + &x).to_vec::<f32>().expect_err("a kernel is needed").to_string();
    assert!(
        error.contains("no run-time compiler: NVRTC (libnvrtc) is not usable: tried"),
        "{error}"
    );
    assert!(error.contains("pip install nvidia-cuda-nvrtc"), "{error}");
}

#[test]
fn kept_machine_code_of_another_software_gpu_is_compiled_anew() {
    let folder = Folder::new("kept");
    let path = folder.0.to_string_lossy();
    let compiles = |check: &str| {
        let variables = [("NDANY_CACHE_DIR", &*path), ("NDANY_SOFTGPU_CHECK", check), TRACE];
        let text = run("kept", &BOTH, &variables);
        let refused = text.contains("not of this library: it was compiled by");
        (text.contains("nvrtcCompileProgram"), refused)
    };
    // Machine code compiled with checks differs, although its key is the same.
    assert_eq!([compiles(""), compiles("")], [(true, false), (false, false)]);
    assert_eq!([compiles("bytes"), compiles("bytes")], [(true, true), (false, false)]);
}

fn kept() {
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    let x = Array::from([1.0f32, 2.0]);
    assert_eq!((&x + &x).to_vec::<f32>().expect("values"), [2.0, 4.0]);
}

#[test]
fn a_process_may_end_while_kernels_are_compiled() {
    let (folder, threads) = (Folder::new("unread"), ("NDANY_COMPILE_THREADS", "4"));
    let path = folder.0.to_string_lossy();
    run("unread", &BOTH, &[("NDANY_CACHE_DIR", &path), threads]);
}

/// Asks for values and does not wait for them.
fn unread() {
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    let x = Array::from([1.0f64, 2.0]);
    let values = [x.exp(), x.log1p() * &x, x.sinh() + 1.0, x.cumsum(..), x.sort(0), x.tanh() / &x];
    for value in &values {
        value.eval().expect("a launch");
    }
}

/// All files below a folder, with what they hold.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files(&path)),
            path => drop(found.insert(path.clone(), std::fs::read(path).expect("a file"))),
        }
    }
    found
}

#[test]
fn shipped_machine_code_needs_no_compiler_and_is_not_written() {
    let folder = Folder::new("shipped");
    let at = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let [filled, own] = ["filled", "own"].map(at);
    run("kept", &BOTH, &[("NDANY_CACHE_DIR", &filled)]);
    let before = files(Path::new(&filled));
    assert!(!before.is_empty());
    let variables = [("NDANY_CACHE_DIR", &*own), ("NDANY_CACHE_SHIPPED", &*filled), TRACE];
    let compiles = || run("kept", &BOTH, &variables).contains("nvrtcCompileProgram");
    assert!(!compiles());
    run("kept", &["libcuda.so.1"], &variables);
    assert!(files(Path::new(&own)).is_empty(), "nothing was made");
    assert_eq!(files(Path::new(&filled)), before);
    for (path, bytes) in &before {
        let mut damaged = bytes.clone();
        *damaged.last_mut().expect("machine code") ^= 1;
        std::fs::write(path, damaged).expect("a file of the test");
    }
    let damaged = files(Path::new(&filled));
    assert!(compiles(), "damaged entries are passed over");
    assert_eq!(files(Path::new(&filled)), damaged);
    assert_eq!(files(Path::new(&own)).len(), before.len());
    assert!(!compiles(), "what was made counts");
}

#[test]
fn recorded_texts_are_compiled_for_cards_that_are_not_there() {
    let folder = Folder::new("texts");
    let at = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let [kept, texts] = ["kept", "texts"].map(at);
    run("kept", &BOTH, &[("NDANY_CACHE_DIR", &kept), ("NDANY_CACHE_TEXTS", &texts)]);
    // The software GPU is one of sm_90; a card of an architecture that was not thought of has its kernels compiled.
    for (names, compiles) in [("sm_80,sm_90", false), ("sm_80", true)] {
        let [own, made] = ["own", "made"].map(|name| at(&format!("{name}-{names}")));
        let variables = [
            ("NDANY_TEST_TEXTS", &*texts),
            ("NDANY_TEST_MADE", &*made),
            ("NDANY_TEST_ARCHITECTURES", names),
        ];
        run("texts", &BOTH, &variables);
        let variables = [("NDANY_CACHE_DIR", &*own), ("NDANY_CACHE_SHIPPED", &*made), TRACE];
        assert_eq!(run("kept", &BOTH, &variables).contains("nvrtcCompileProgram"), compiles);
    }
}

/// Compiles the recorded texts.
fn texts() {
    let variable = |name: &str| std::env::var(name).expect("a variable");
    let [texts, made] =
        ["NDANY_TEST_TEXTS", "NDANY_TEST_MADE"].map(|name| PathBuf::from(variable(name)));
    let names: Vec<String> =
        variable("NDANY_TEST_ARCHITECTURES").split(',').map(str::to_string).collect();
    let compiler = CudaCompiler::open().expect("the software GPU's compiler");
    let done = compile_texts(&compiler, &CUDA, &texts, &names, &made).expect("folders");
    assert_eq!((done.kept, done.passed_over, done.refused.len()), (0, 0, 0));
    assert!(done.compiled > 0 && done.compiled.is_multiple_of(names.len()));
}
