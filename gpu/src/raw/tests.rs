//! Calls of raw kernels that are wrong, each with the text of its error: those that can be known make no call of the driver.
//! And each call of the driver that launches make fails once.

use ndany_array::kernel::{Init, RawKernel, RawLayout, RawModule, Structure};
use ndany_array::{Array, DType, Device, s, zeros};

use super::*;
use crate::driver::DriverError;
use crate::fake::{Fake, FakeCompiler};
use crate::settings::Settings;

/// A device, and what it is asked for.
fn device() -> (Fake, Device) {
    let fake = Fake::new(1 << 30);
    let backend = GpuBackend::with(
        Box::new(fake.clone()),
        Ok(Box::new(FakeCompiler::default())),
        Settings::default(),
    );
    (fake, Device::custom(Arc::new(backend.expect("a device"))))
}

/// What a call comes to.
type Outcome = Result<Vec<Array>>;

/// A wrong call: what it is given, and what it says.
struct Wrong {
    what: &'static str,
    call: fn(&Device) -> Outcome,
    says: &'static str,
}

/// A kernel of a number, an array read and an array written.
fn three() -> RawKernel {
    let kernel = RawKernel::new("k", "y[0] = a * x[0];").scalar("a", DType::F32);
    kernel.input("x", DType::F32).inout("y", DType::F32)
}

/// The same called in a grid of one thread.
macro_rules! call {
    ($kernel:expr, $device:expr, $arguments:expr) => {
        call!($kernel, $device, 1, 1, $arguments)
    };
    ($kernel:expr, $device:expr, $grid:expr, $block:expr, $arguments:expr) => {
        // SAFETY: the device runs nothing.
        unsafe { $kernel.launch($device, $grid, $block, $arguments) }
    };
}

fn floats(size: usize) -> Array {
    zeros(size, DType::F32)
}

fn elsewhere() -> Array {
    let _guard = Device::open("reference").expect("always there").enter();
    floats(4)
}

/// In a grid and block that are its arguments.
fn of_extents(device: &Device, grid: [u32; 3], block: [u32; 3]) -> Outcome {
    call!(three(), device, grid, block, (1.0f32, &floats(4), &mut floats(4)))
}

/// A kernel with one array, changed.
fn with_array(device: &Device, change: fn(RawKernel) -> RawKernel) -> Outcome {
    call!(change(RawKernel::new("k", "").inout("y", DType::F32)), device, (&mut floats(4),))
}

fn module() -> RawModule {
    RawModule::source("m", "kernel one")
}

const WRONG: [Wrong; 50] = [
    Wrong {
        what: "an argument is missing",
        call: |d| call!(three(), d, (1.0f32, &floats(4))),
        says: "[k] bad arguments: expected 3 arguments (a, x, y), got 2",
    },
    Wrong {
        what: "one too many",
        call: |d| call!(three(), d, (1.0f32, &floats(4), &mut floats(4), 2i32)),
        says: "[k] bad arguments: expected 3 arguments (a, x, y), got 4",
    },
    Wrong {
        what: "none",
        call: |d| call!(three(), d, ()),
        says: "[k] bad arguments: expected 3 arguments (a, x, y), got 0",
    },
    Wrong {
        what: "dtype of a number",
        call: |d| call!(three(), d, (1.0f64, &floats(4), &mut floats(4))),
        says: "[k] bad arguments: dtype of a: expected float32, got float64",
    },
    Wrong {
        what: "an integer for a float",
        call: |d| call!(three(), d, (1i32, &floats(4), &mut floats(4))),
        says: "[k] bad arguments: dtype of a: expected float32, got int32",
    },
    Wrong {
        what: "dtype of an input",
        call: |d| call!(three(), d, (1.0f32, &zeros(4, DType::I64), &mut floats(4))),
        says: "[k] bad arguments: dtype of x: expected float32, got int64",
    },
    Wrong {
        what: "dtype of an output",
        call: |d| call!(three(), d, (1.0f32, &floats(4), &mut zeros(4, DType::C64))),
        says: "[k] bad arguments: dtype of y: expected float32, got complex64",
    },
    Wrong {
        what: "a number for an array",
        call: |d| call!(three(), d, (1.0f32, 2.0f32, &mut floats(4))),
        says: "[k] bad arguments: x: expected an array to read (&x), got a number of float32",
    },
    Wrong {
        what: "an array for a number",
        call: |d| call!(three(), d, (&floats(1), &floats(4), &mut floats(4))),
        says: "[k] bad arguments: a: expected a number, got an array to read (&x)",
    },
    Wrong {
        what: "no exclusive array",
        call: |d| call!(three(), d, (1.0f32, &floats(4), &floats(4))),
        says: "[k] bad arguments: y: expected an array to write (&mut x), got an array to read (&x)",
    },
    Wrong {
        what: "an exclusive array to read",
        call: |d| call!(three(), d, (1.0f32, &mut floats(4), &mut floats(4))),
        says: "[k] bad arguments: x: expected an array to read (&x), got an array to write (&mut x)",
    },
    Wrong {
        what: "a shape for an array",
        call: |d| call!(three(), d, (1.0f32, &floats(4), ([4], Init::Zeros))),
        says: "[k] bad arguments: y: expected an array to write (&mut x), got the shape of a new array",
    },
    Wrong {
        what: "an array for a shape",
        call: |d| call!(RawKernel::new("k", "").output("z", DType::F32), d, (&mut floats(4),)),
        says: "[k] bad arguments: z: expected the shape of a new array, got an array to write (&mut x)",
    },
    Wrong {
        what: "another structure",
        call: |d| {
            call!(
                RawKernel::new("k", "").structure::<[f32; 2]>("p", "P"),
                d,
                (Structure(&[1.0f32; 3]),)
            )
        },
        says: "[k] bad arguments: p: expected a structure of 8 bytes, got a structure of 12 bytes",
    },
    Wrong {
        what: "a number for a structure",
        call: |d| call!(RawKernel::new("k", "").structure::<[f32; 2]>("p", "P"), d, (1.0f64,)),
        says: "[k] bad arguments: p: expected a structure of 8 bytes, got a number of float64",
    },
    Wrong {
        what: "alignment of a structure",
        call: |d| {
            call!(RawKernel::new("k", "").structure::<u128>("p", "P"), d, (Structure(&1u128),))
        },
        says: "[k] bad arguments: the structure p is aligned to 16 bytes: expected at most 8",
    },
    Wrong {
        what: "device of an input",
        call: |d| call!(three(), d, (1.0f32, &elsewhere(), &mut floats(4))),
        says: "[k] operands are on fake:0 and reference: move one with to_device",
    },
    Wrong {
        what: "device of an output",
        call: |d| call!(three(), d, (1.0f32, &floats(4), &mut elsewhere())),
        says: "[k] operands are on fake:0 and reference: move one with to_device",
    },
    Wrong {
        what: "rank of an input",
        call: |d| call!(RawKernel::new("k", "").input("x", (DType::F32, 2)), d, (&floats(4),)),
        says: "[k] bad arguments: x: expected 2 axes, got 1",
    },
    Wrong {
        what: "rank of an output",
        call: |d| {
            call!(
                RawKernel::new("k", "").inout("y", (DType::F32, 3)),
                d,
                (&mut zeros((2, 2), DType::F32),)
            )
        },
        says: "[k] bad arguments: y: expected 3 axes, got 2",
    },
    Wrong {
        what: "rank of a new array",
        call: |d| {
            call!(RawKernel::new("k", "").output("z", (DType::F32, 1)), d, (([2, 2], Init::Zeros),))
        },
        says: "[k] bad arguments: z: expected 1 axes, got 2",
    },
    Wrong {
        what: "a new array without end",
        call: |d| {
            call!(
                RawKernel::new("k", "").output("z", DType::F32),
                d,
                (([usize::MAX, 2], Init::Zeros),)
            )
        },
        says: "[k] an array of shape (18446744073709551615, 2) and dtype float32 is too large to address",
    },
    Wrong {
        what: "elements at one place",
        call: |d| {
            call!(
                RawKernel::new("k", "").inout("y", (DType::F32, 2, RawLayout::Strided)),
                d,
                (&mut zeros((1, 4), DType::F32).broadcast_to((3, 4)),)
            )
        },
        says: "[k] refused: y has elements at one place (strides [0, 1] over shape [3, 4]): copy it before it is written",
    },
    Wrong {
        what: "alignment of an input",
        call: |d| {
            call!(
                RawKernel::new("k", "").input("x", (DType::F32, RawLayout::Aligned(16))),
                d,
                (&floats(8).i(s![1..]),)
            )
        },
        says: "[k] refused: x begins at a multiple of 4 bytes: expected 16: copy the view first",
    },
    Wrong {
        what: "alignment of an output",
        call: |d| {
            call!(
                RawKernel::new("k", "").inout("y", (DType::F32, RawLayout::Aligned(16))),
                d,
                (&mut floats(8).i(s![2..]),)
            )
        },
        says: "[k] refused: y begins at a multiple of 8 bytes: expected 16: copy the view first",
    },
    Wrong {
        what: "no power of two",
        call: |d| with_array(d, |k| k.inout("z", (DType::F32, RawLayout::Aligned(12)))),
        says: "[k] bad arguments: z is aligned to 12: expected a power of two",
    },
    Wrong {
        what: "no blocks",
        call: |d| of_extents(d, [0, 1, 1], [1, 1, 1]),
        says: "[k] refused: a grid of 0 blocks along x: expected from 1 to 2147483647",
    },
    Wrong {
        what: "blocks along x",
        call: |d| of_extents(d, [1 << 31, 1, 1], [1, 1, 1]),
        says: "[k] refused: a grid of 2147483648 blocks along x: expected from 1 to 2147483647",
    },
    Wrong {
        what: "blocks along y",
        call: |d| of_extents(d, [1, 70_000, 1], [1, 1, 1]),
        says: "[k] refused: a grid of 70000 blocks along y: expected from 1 to 65535",
    },
    Wrong {
        what: "blocks along z",
        call: |d| of_extents(d, [1, 1, 65_536], [1, 1, 1]),
        says: "[k] refused: a grid of 65536 blocks along z: expected from 1 to 65535",
    },
    Wrong {
        what: "no threads",
        call: |d| of_extents(d, [1, 1, 1], [1, 0, 1]),
        says: "[k] refused: a block of 0 threads along y: expected from 1 to 1024",
    },
    Wrong {
        what: "threads along x",
        call: |d| of_extents(d, [1, 1, 1], [1025, 1, 1]),
        says: "[k] refused: a block of 1025 threads along x: expected from 1 to 1024",
    },
    Wrong {
        what: "threads along z",
        call: |d| of_extents(d, [1, 1, 1], [1, 1, 65]),
        says: "[k] refused: a block of 65 threads along z: expected from 1 to 64",
    },
    Wrong {
        what: "threads of a block",
        call: |d| of_extents(d, [1, 1, 1], [32, 32, 2]),
        says: "[k] refused: a block of 32 x 32 x 2 = 2048 threads: expected at most 1024",
    },
    Wrong {
        what: "threads of a launch",
        call: |d| of_extents(d, [1 << 23, 1, 1], [512, 1, 1]),
        says: "[k] refused: a launch of 4294967296 threads along x: expected at most 4294967295",
    },
    Wrong {
        what: "shared memory",
        call: |d| with_array(d, |k| k.shared(200_000)),
        says: "[k] refused: 200000 bytes of shared memory: expected at most 102400",
    },
    Wrong {
        what: "bytes of arguments",
        call: |d| {
            call!(
                RawKernel::new("k", "").structure::<[f64; 512]>("p", "P"),
                d,
                (Structure(&[1.0f64; 512]),)
            )
        },
        says: "[k] refused: 4112 bytes of arguments: expected at most 4096",
    },
    Wrong {
        what: "a name twice",
        call: |d| with_array(d, |k| k.input("y", DType::F32)),
        says: "[k] bad arguments: the name y is declared twice",
    },
    Wrong {
        what: "a definition of a parameter",
        call: |d| with_array(d, |k| k.define("y", 3)),
        says: "[k] bad arguments: the name y is declared twice",
    },
    Wrong {
        what: "a word of the text",
        call: |d| with_array(d, |k| k.scalar("barrier", DType::F32)),
        says: "[k] bad arguments: the name barrier is a word of raw kernels: expected another",
    },
    Wrong {
        what: "no name",
        call: |d| with_array(d, |k| k.scalar("2x", DType::F32)),
        says: "[k] bad arguments: \"2x\" is no name: expected letters, digits and single _, the first no digit, not ndany_ in front",
    },
    Wrong {
        what: "no name of a kernel",
        call: |d| call!(RawKernel::new("a kernel", ""), d, ()),
        says: "[a kernel] bad arguments: \"a kernel\" is no name: expected letters, digits and single _, the first no digit, not ndany_ in front",
    },
    Wrong {
        what: "strided without a rank",
        call: |d| with_array(d, |k| k.input("z", (DType::F32, RawLayout::Strided))),
        says: "[k] bad arguments: z is strided without a number of axes: expected (dtype, axes, RawLayout::Strided)",
    },
    Wrong {
        what: "a type that nothing binds",
        call: |d| call!(RawKernel::new("k", "").output("z", "T"), d, (([4], Init::Zeros),)),
        says: "[k] bad arguments: no argument has the dtype T: bind it with define(\"T\", dtype)",
    },
    Wrong {
        what: "a type that is two",
        call: |d| {
            call!(RawKernel::new("k", "").scalar("a", "T").input("x", "T"), d, (1.0f64, &floats(4)))
        },
        says: "[k] bad arguments: dtype of x: expected float64 (T), got float32",
    },
    Wrong {
        what: "an instance that was not asked for",
        call: |d| call!(module().kernel("f<int>"), d, ()),
        says: "[f<int>] bad arguments: the module m has no f<int>: ask for it by name_expression",
    },
    Wrong {
        what: "a definition of a module",
        call: |d| call!(module().kernel("one").define("N", 4), d, ()),
        says: "[one] bad arguments: a module has no defines: give them as options",
    },
    Wrong {
        what: "a preamble of a module",
        call: |d| call!(module().kernel("one").preamble("int x;"), d, ()),
        says: "[one] bad arguments: a module has no preamble: its source is whole",
    },
    Wrong {
        what: "checks of a module",
        call: |d| call!(module().kernel("one").with_checks(), d, ()),
        says: "[one] bad arguments: only kernels with a body have checks",
    },
    Wrong {
        what: "contraction of a module",
        call: |d| call!(module().kernel("one").contract(), d, ()),
        says: "[one] bad arguments: contraction is an option of the module",
    },
];

#[test]
fn wrong_calls_are_refused_before_the_driver_is_called() {
    let (fake, device) = device();
    let _guard = device.enter();
    for Wrong { what, call, says } in WRONG {
        let before = fake.total();
        let error = call(&device).expect_err(what).to_string();
        assert_eq!(error, says, "{what}");
        assert_eq!(fake.total(), before, "{what} calls the driver");
    }
}

/// What the compiled kernel does not have. The fake's kernels have 512 threads, 256 bytes of static shared memory, and 1024
/// threads on each of 4 multiprocessors.
#[test]
fn launches_beyond_the_compiled_kernel_are_refused_before_they_run() {
    let (fake, device) = device();
    let _guard = device.enter();
    type Case = (fn(&Device) -> Outcome, &'static str);
    let cases: [Case; 8] = [
        (
            |d| call!(three(), d, 1, 513, (1.0f32, &floats(4), &mut floats(4))),
            "[k] refused: a block of 513 threads: expected at most 512, as registers and bounds of the kernel allow",
        ),
        (
            |d| with_array(d, |k| k.shared(102_400)),
            "[k] refused: 102400 bytes of dynamic shared memory beside 256 static ones: expected at most 102400 in all",
        ),
        (
            |d| call!(RawKernel::new("k", "").cooperative(), d, (8, 8), 256, ()),
            "[k] refused: a cooperative grid of 64 blocks: expected at most 16, 4 on each of 4 multiprocessors",
        ),
        (
            |d| call!(module().kernel("two"), d, ()),
            "[two] bad arguments: the module m has no kernel two",
        ),
        (
            |d| {
                call!(
                    RawModule::source("m", "one words 2 ").kernel("one").inout("y", DType::F32),
                    d,
                    (&mut floats(1),)
                )
            },
            "[one] refused: 1 parameters declared: the kernel takes 2",
        ),
        (
            |d| {
                call!(
                    RawModule::source("m", "one words 1 ").kernel("one").scalar("a", DType::I32),
                    d,
                    (1i32,)
                )
            },
            "[one] refused: parameter 0 is declared with 4 bytes: the kernel takes 8 bytes",
        ),
        (
            |d| call!(RawKernel::new("k", "refuse"), d, ()),
            "[k] bad arguments: the text does not compile on fake:0 for fake_1 (fake compiler 1.0): line 1: refused",
        ),
        (
            |d| call!(RawModule::binary("m", vec![0xFF]).kernel("one"), d, ()),
            "[m] bad arguments: the machine code is not for fake_1: bad image",
        ),
    ];
    for (call, says) in cases {
        assert_eq!(call(&device).expect_err(says).to_string(), says);
        assert!(
            fake.launched()
                .iter()
                .all(|launched| launched.words.is_empty() || launched.entry != "k")
        );
    }
}

/// One of everything that calls the driver in a way of its own.
fn work(device: &Device) -> Result<()> {
    let _guard = device.enter();
    let module = RawModule::source("m", "coef one words 1 ");
    let kernel =
        RawKernel::new("k", "").inout("y", DType::F32).cooperative().with_checks().shared(60_000);
    let mut y = Array::try_from_slice(&[1.0f32], 1)?;
    call!(kernel, device, 2, 32, (&mut y,))?;
    call!(module.kernel("one").inout("y", DType::F32), device, (&mut y,))?;
    let attributes = kernel.attributes(device, 32)?;
    assert_eq!((attributes.registers, attributes.local_bytes), (32, 8));
    assert_eq!((attributes.max_threads_per_block, attributes.shared_bytes), (512, 256));
    assert_eq!((attributes.constant_bytes, attributes.blocks_per_multiprocessor), (16, 32));
    module.write(device, "coef", &[1.0f32, 2.0, 3.0, 4.0])?;
    assert_eq!(module.read::<f32>(device, "coef")?, [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(y.to_vec::<f32>()?, [1.0]);
    device.synchronize()
}

#[test]
fn each_call_of_the_driver_fails_once() {
    let (fake, first) = device();
    work(&first).expect("values");
    assert_eq!(fake.violations(), [""; 0]);
    let calls = [
        "load",
        "function",
        "attribute",
        "allow_shared",
        "occupancy",
        "parameters",
        "launch",
        "global",
    ];
    let mut runs = 0;
    for call in calls {
        let count = fake.calls(call);
        assert!(count > 0, "{call} is not called");
        for nth in 0..count {
            let (fake, device) = device();
            let text = "injected".to_string();
            fake.fail(Some(call), nth, DriverError::Call { call, code: 999, text });
            let error = work(&device).expect_err("it fails").to_string();
            assert!(!fake.spare(), "{call} {nth} is not reached");
            assert!(error.contains("injected"), "{call} {nth}: {error}");
            // The device goes on, and the kernel is there.
            work(&device).expect("the device goes on");
            assert_eq!(fake.violations(), [""; 0]);
            runs += 1;
        }
    }
    assert!(runs >= 15, "{runs}");
}

#[test]
fn equal_kernels_are_compiled_once() {
    let (fake, device) = device();
    let _guard = device.enter();
    for _ in 0..3 {
        call!(three(), &device, (1.0f32, &floats(4), &mut floats(4))).expect("a launch");
    }
    // Two own kernels fill arrays.
    let loaded = fake.calls("load");
    call!(three().with_checks(), &device, (1.0f32, &floats(4), &mut floats(4))).expect("a launch");
    assert_eq!(fake.calls("load"), loaded + 1);
}
