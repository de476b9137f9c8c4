//! HIP takes fewer than 2^32 threads of a launch: longer launches are cut. Parts are made short here by a variable, so that every
//! pattern runs in parts, on the software GPU; it refuses what HIP refuses.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use ndany_array::{Array, DType, Device, Overlap, Side, arange, fft, identity, linalg, s};
use ndany_gpu::driver::{Compiler, Driver, DriverError, KernelLaunch};
use ndany_rocm::{RocmCompiler, RocmDriver};
use support::{Folder, process, task};

fn run(task: &str, variables: &[(&str, &str)]) -> String {
    let folder = Folder::of_software_gpu("cut", &["libamdhip64.so.6", "libhiprtc.so.6"]);
    process(task, Some(&folder.0), variables)
}

#[test]
fn values_of_launches_in_parts_are_the_same() {
    let values = |limit| {
        let variables = [("NDANY_LAUNCH_LIMIT", limit), ("NDANY_SOFTGPU_TRACE", "calls")];
        let text = run("values", &variables);
        let lines = text.lines().filter(|line| line.starts_with("value ")).map(str::to_string);
        (lines.collect::<Vec<_>>(), text.matches("softgpu: hipModuleLaunchKernel").count())
    };
    let (whole, launches) = values("");
    assert!(whole.len() > 15 && launches > whole.len(), "{whole:?} by {launches} launches");
    for limit in ["1", "600"] {
        let (cut, parts) = values(limit);
        assert_eq!(whole, cut, "parts of {limit} threads");
        assert!(parts > 5 * launches, "{parts} parts of {launches} launches");
    }
}

#[test]
fn as_many_threads_as_hip_refuses_are_refused() {
    let text = run("refused", &[]);
    assert!(text.contains("16777216 blocks of 256 are refused"), "{text}");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    match task().as_str() {
        "values" => values(),
        "refused" => refused(),
        other => panic!("no task {other}"),
    }
}

/// Kernels of all patterns over several blocks.
fn values() {
    let device = Device::open("hip:0").expect("a device");
    let _guard = device.enter();
    let x = (arange(20_000) * 7919 % 20_011).astype(DType::F64);
    let rows = x.reshape((200, 100));
    let symmetric = rows.i(s![..40, ..40]).copy();
    let symmetric = &symmetric + symmetric.transpose(..) + identity(40, DType::F64) * 1e6;
    let stack = ndany_array::stack(&[&symmetric; 5], 0);
    let at = (arange(9000) * 31 % 20_000).copy();
    let mut written = x.copy();
    written.put(&at, arange(9000).astype(DType::F64), ..);
    let made: Vec<(&str, Array)> = vec![
        ("map", (&x * 2.0 + 1.0).sqrt()),
        ("map backwards", x.i(s![..;-1]).copy()),
        ("tiles", (rows.transpose(..) + 1.0).copy()),
        ("rows", rows.sum(1)),
        ("columns", rows.sum(0)),
        ("reduction", x.sum(..)),
        ("scan", x.cumsum(0)),
        ("scan of rows", rows.cumsum(0)),
        ("sort", x.sort(0)),
        ("sort of rows", rows.argsort(1)),
        ("partition", x.partition(10_000, 0)),
        ("search", x.sort(0).searchsorted(&x, Side::Left)),
        ("gather", x.take(&at, 0)),
        ("scatter", written),
        ("select", x.i(x.greater(5000.0)).copy()),
        (
            "product of integers",
            rows.astype(DType::I64).matmul(rows.astype(DType::I64).transpose(..)),
        ),
        ("correlation", x.convolve(&arange(99).astype(DType::F64), Overlap::Full)),
        ("transform", fft::fft(&x, ..)),
        ("factorization", linalg::cholesky(&stack)),
    ];
    for (name, array) in made {
        let bytes = array.astype(DType::C128).to_vec::<num_complex::Complex64>().expect("values");
        let bits = bytes.iter().fold(0u64, |hash, z| {
            let step = |hash: u64, part: f64| {
                (hash ^ part.to_bits()).wrapping_mul(0x100_0000_01b3).rotate_left(9)
            };
            step(step(hash, z.re), z.im)
        });
        println!("value {name} {:?} {bits:016x}", array.shape());
    }
}

fn refused() {
    let driver = RocmDriver::open(0).expect("a device");
    let compiler = RocmCompiler::open().expect("a compiler");
    let text = "extern \"C\" __global__ void nothing() {}";
    let image = compiler.compile(text, &driver.properties().architecture).expect("machine code");
    // SAFETY: a kernel without arguments that touches nothing.
    unsafe {
        let module = driver.load(&image).expect("a module");
        let function = driver.function(module, "nothing").expect("a kernel");
        let stream = driver.create_stream().expect("a stream");
        let call = KernelLaunch::linear(function, 1 << 24, 256, stream);
        match driver.launch(&call, &[]) {
            Err(DriverError::Call { code: 1, .. }) => {
                println!("16777216 blocks of 256 are refused")
            }
            other => println!("{other:?}"),
        }
    }
}
