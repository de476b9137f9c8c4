//! Raw kernels on GPUs: options, names and machine code that are wrong, structures, complex numbers, threads of the host.

use num_complex::Complex32;

use ndany::kernel::{Init, RawKernel, RawLayout, RawModule, Structure};
use ndany::{Array, DType, Device, NewAxis, s, zeros};

use crate::{cases, is_gpu, message, numbers};

cases![
    options_go_to_the_compiler,
    modules_that_cannot_be_loaded_are_errors,
    a_kernel_that_is_not_there_spoils_no_later_launch,
    instances_that_cannot_be_made_are_errors,
    structures_lie_as_on_the_host,
    complex_numbers_in_a_body,
    variables_of_a_module_are_read_and_written,
    machine_code_is_made_without_a_launch,
    any_thread_launches,
    strided_arrays_of_several_axes,
];

const SCALE: &str = r#"
    extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }"#;

fn options_go_to_the_compiler(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    for factor in [3.0f32, 0.5] {
        let module = RawModule::source("scales", SCALE).option(format!("-DFACTOR={factor:?}f"));
        let mut x = numbers(32, DType::F32);
        let expected = &x * factor;
        // SAFETY: as many threads as elements.
        let launched = unsafe {
            module.kernel("scale").inout("x", DType::F32).launch(device, 1, 32, (&mut x,))
        };
        launched.expect("a launch");
        assert!(x.array_equal(expected).expect("values"));
    }
    let module =
        RawModule::source("scales", SCALE).option("-DFACTOR=3.0f").option("--no-such-option");
    let mut x = numbers(32, DType::F32);
    // SAFETY: it does not compile.
    let refused =
        unsafe { module.kernel("scale").inout("x", DType::F32).launch(device, 1, 32, (&mut x,)) };
    let text = message(refused);
    assert!(text.contains("no-such-option"), "{text}");
}

fn modules_that_cannot_be_loaded_are_errors(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let mut x = zeros(1, DType::F32);
    for image in [&b""[..], b"no machine code at all", b"\x7fELF and no more"] {
        let kernel = RawModule::binary("broken", image).kernel("scale").inout("x", DType::F32);
        // SAFETY: there is no code to run.
        let text = message(unsafe { kernel.launch(device, 1, 1, (&mut x,)) });
        assert!(text.starts_with("[broken] bad arguments: "), "{text}");
    }
    assert_eq!(x.to_vec::<f32>().expect("values"), [0.0]);
}

fn a_kernel_that_is_not_there_spoils_no_later_launch(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let module = RawModule::source("scales", SCALE).option("-DFACTOR=2.0f");
    let mut x = numbers(32, DType::F32);
    let expected = &x * 2.0f32;
    for _ in 0..2 {
        // SAFETY: there is no such kernel.
        let missing = unsafe {
            module.kernel("absent").inout("x", DType::F32).launch(device, 1, 32, (&mut x,))
        };
        let text = message(missing);
        assert!(text.contains("absent"), "{text}");
    }
    // SAFETY: as many threads as elements.
    let launched =
        unsafe { module.kernel("scale").inout("x", DType::F32).launch(device, 1, 32, (&mut x,)) };
    launched.expect("a launch");
    assert!(x.array_equal(expected).expect("values"));
}

fn instances_that_cannot_be_made_are_errors(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let text = "template <typename T> __global__ void add(T* x) { x[threadIdx.x] += 1; }";
    let mut x = zeros(4, DType::F32);
    for expression in ["add<no_such_type>", "no_such_template<float>"] {
        let module = RawModule::source("adds", text).name_expression(expression);
        let kernel = module.kernel(expression).inout("x", DType::F32);
        // SAFETY: it does not compile.
        let text = message(unsafe { kernel.launch(device, 1, 4, (&mut x,)) });
        assert!(text.contains("no_such"), "{text}");
    }
}

/// Fields of several sizes. C++ leaves the same gaps between them, which have names here.
#[repr(C)]
#[derive(Clone, Copy)]
struct Mixed {
    a: [i32; 4],
    b: i8,
    after_b: [u8; 7],
    c: [f64; 2],
    d: i16,
    after_d: [u8; 6],
    e: [u64; 3],
}

// SAFETY: all bytes belong to fields: the sizes add up to that of the structure, which a test compares.
unsafe impl bytemuck::NoUninit for Mixed {}

fn structures_lie_as_on_the_host(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let text = "
        const int i = thread_x();
        double sum = m.a[0] + m.a[1] + m.a[2] + m.a[3] + m.b;
        sum += m.c[0] + m.c[1] + m.d;
        for (int k = 0; k < 3; k++) sum += m.e[k];
        y[i] = x[i] + sum;";
    let kernel = RawKernel::new("mixed", text)
        .preamble("struct Mixed { i32 a[4]; i8 b; f64 c[2]; i16 d; u64 e[3]; };")
        .structure::<Mixed>("m", "Mixed")
        .input("x", DType::F64)
        .output("y", DType::F64);
    let (after_b, after_d) = ([255; 7], [255; 6]);
    let mixed = Mixed {
        a: [1, -2, 3, 4],
        b: -5,
        after_b,
        c: [0.5, 7.0],
        d: 300,
        after_d,
        e: [1 << 40, 9, 10],
    };
    let x = numbers(24, DType::F64);
    // SAFETY: as many threads as elements.
    let made =
        unsafe { kernel.launch(device, 1, 24, (Structure(&mixed), &x, ([24], Init::Poison))) };
    let expected = &x + (6.0 - 5.0 + 7.5 + 300.0 + (1u64 << 40) as f64 + 19.0);
    assert!(made.expect("a launch")[0].array_equal(expected).expect("values"));
    assert_eq!(size_of::<Mixed>(), 16 + 1 + 7 + 16 + 2 + 6 + 24);
}

fn complex_numbers_in_a_body(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let text = "
        const u64 i = global_x();
        T z;
        z.re = x[i].re * a.re - x[i].im * a.im;
        z.im = x[i].re * a.im + x[i].im * a.re;
        y[i] = z;";
    let kernel = RawKernel::new("product", text).scalar("a", "T").input("x", "T").output("y", "T");
    let host: Vec<Complex32> =
        (0..16u8).map(|k| Complex32::new(f32::from(k) - 7.0, f32::from(k % 5) * 0.5)).collect();
    let (x, a) = (Array::from_vec(host.clone(), 16), Complex32::new(0.5, -2.0));
    // SAFETY: as many threads as elements.
    let made = unsafe { kernel.launch(device, 1, 16, (a, &x, ([16], Init::Poison))) };
    let expected: Vec<Complex32> = host.iter().map(|x| x * a).collect();
    assert_eq!(made.expect("a launch")[0].to_vec::<Complex32>().expect("values"), expected);
}

fn variables_of_a_module_are_read_and_written(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let text = r#"
        __constant__ float weights[4];
        extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x % 4]; }"#;
    let module = RawModule::source("weights", text);
    let kernel = module.kernel("weigh").inout("x", DType::F32);
    for weights in [[1.0f32, 2.0, 4.0, 8.0], [-1.0, 0.5, 0.25, 0.0]] {
        module.write(device, "weights", &weights).expect("a variable");
        assert_eq!(module.read::<f32>(device, "weights").expect("a variable"), weights);
        let mut x = numbers(8, DType::F32);
        let expected = &x * Array::from(weights).tile(2);
        // SAFETY: as many threads as elements.
        unsafe { kernel.launch(device, 1, 8, (&mut x,)) }.expect("a launch");
        assert!(x.array_equal(expected).expect("values"));
    }
    // A size and a name that are not those of the source.
    let text = message(module.write(device, "weights", &[1.0f32; 3]));
    assert!(text.contains("weights"), "{text}");
    let text = message(module.read::<f32>(device, "heights"));
    assert!(text.contains("heights"), "{text}");
}

fn machine_code_is_made_without_a_launch(device: &Device) {
    let good = RawKernel::new("twice", "y[global_x()] *= 2;").inout("y", DType::F32);
    let wrong = RawKernel::new("wrong", "no_such_word();").inout("y", DType::F32);
    if !is_gpu(device) {
        assert!(good.attributes(device, 64).expect_err("no compiler").is_unsupported());
        return;
    }
    let attributes = good.attributes(device, 64).expect("machine code");
    assert!(attributes.max_threads_per_block >= 64 && attributes.registers > 0);
    let text = message(wrong.attributes(device, 64));
    assert!(text.contains("no_such_word"), "{text}");
}

fn any_thread_launches(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let kernel =
        RawKernel::new("add", "y[global_x()] += a;").scalar("a", DType::F32).inout("y", DType::F32);
    std::thread::scope(|scope| {
        for a in 1..5u8 {
            let kernel = &kernel;
            scope.spawn(move || {
                let _guard = device.enter();
                let mut y = zeros(64, DType::F32);
                for _ in 0..3 {
                    // SAFETY: as many threads as elements.
                    let launched = unsafe { kernel.launch(device, 1, 64, (f32::from(a), &mut y)) };
                    launched.expect("a launch");
                }
                assert_eq!(y.to_vec::<f32>().expect("values"), [3.0 * f32::from(a); 64]);
            });
        }
    });
}

/// Views that step over elements, backwards or not at all, in any order of axes, and empty ones.
fn strided_arrays_of_several_axes(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let x = numbers(120, DType::F32);
    let (matrix, cube) = (x.reshape((10, 12)), x.reshape((4, 5, 6)));
    let row = x.i(s![..7]);
    for view in [
        x.clone(),
        x.i(s![3..;5]),
        x.i(s![..;-1]),
        x.i(s![..1]).broadcast_to(9),
        x.i(s![..0]),
        matrix.t(),
        matrix.i(s![1..8;2, ..;-3]),
        row.broadcast_to((3, 7)),
        row.i((.., NewAxis)).broadcast_to((7, 4)),
        x.i(s![..1]).broadcast_to((3, 4)),
        matrix.i(s![..0, ..]),
        cube.t(),
        cube.i(s![..;-1, 1..;2, ..;-2]),
        cube.i(s![.., ..0, ..]),
    ] {
        let rank = view.ndim();
        let text = "for (u64 i = global_x(); i < x.size; i += grid_size()) y[i] = x[i] + 1.0f;";
        let kernel = RawKernel::new("next", text)
            .input("x", (DType::F32, rank, RawLayout::Strided))
            .output("y", (DType::F32, rank));
        // SAFETY: the loop ends at the size of both.
        let made = unsafe { kernel.launch(device, 2, 32, (&view, (view.shape(), Init::Poison))) };
        let found = made.expect("a launch");
        assert!(found[0].array_equal(&view + 1).expect("values"), "shape {:?}", view.shape());
    }
}
