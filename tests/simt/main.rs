//! Kernels of threads and blocks, written with the attributes `kernel` and `device`: every device has the bits of the reference,
//! and these are what loops of Rust give. `NDANY_PROPERTY_DEVICES` names other devices than the CPU.

mod complex;
#[path = "../../examples/kernels/threads.rs"]
mod kernels;
mod planted;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../gpu/tests/support/mod.rs"]
mod support;
mod types;

use kernels::*;
use ndany::kernel::Init;
use ndany::kernel::simt::Real;
use ndany::{Array, DType, Device, Element, zeros};
use ndany_gpu::recording::Recording;

/// The CPU, or those that `NDANY_PROPERTY_DEVICES` asks for.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu").split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

fn reference() -> Device {
    Device::open("reference").expect("always there")
}

/// Results of all kernels, by name.
type Results = Vec<(&'static str, Vec<u8>)>;

/// Integers that look random.
fn numbers(count: usize, below: u32) -> Vec<u32> {
    (0..count as u32).map(|k| (k.wrapping_mul(0x9E37_79B1) >> 7) % below).collect()
}

fn bytes(array: &Array) -> Vec<u8> {
    array.to_bytes().expect("no error")
}

/// What each kernel makes on a device.
fn results(device: &Device) -> Results {
    let _guard = device.enter();
    let mut made = Vec::new();
    vectors(device, &mut made);
    matrices(device, &mut made);
    blocks(device, &mut made);
    complex::results(device, &mut made);
    made
}

/// `y = a x + y`.
fn scaled_sum<T: Real>(device: &Device, a: T, x: &Array, y: &mut Array) {
    saxpy::<T>().launch(device, 16, 64, (a, x, y)).expect("a launch");
}

fn vectors(device: &Device, made: &mut Results) {
    let x = Array::from_vec(numbers(1000, 2000), 1000);
    for dtype in [DType::F32, DType::F64, DType::F16, DType::I32, DType::U8] {
        let (x, mut y) = ((&x / 7).astype(dtype), (&x - 900).astype(dtype));
        match dtype {
            DType::F32 => scaled_sum(device, 0.3f32, &x, &mut y),
            DType::F64 => scaled_sum(device, 0.3f64, &x, &mut y),
            DType::F16 => scaled_sum(device, ndany::f16::from_f32(0.3), &x, &mut y),
            DType::I32 => scaled_sum(device, -3i32, &x, &mut y),
            _ => scaled_sum(device, 3u8, &x, &mut y),
        }
        made.push(("saxpy", bytes(&y)));
    }
    let mut counts = zeros(BINS as usize, DType::U32);
    histogram().launch(device, 3, 64, (&x, &mut counts)).expect("a launch");
    made.push(("histogram", bytes(&counts)));

    let points = numbers(600, 1000);
    let re: Vec<f32> = points.iter().map(|&n| n as f32 / 400.0 - 2.0).collect();
    let im: Vec<f32> = points.iter().rev().map(|&n| n as f32 / 400.0 - 1.25).collect();
    let (re, im) = (Array::from_vec(re, 600), Array::from_vec(im, 600));
    let arguments = (200u32, &re, &im, ([600], Init::Zeros));
    let steps = mandelbrot::<f32>().launch(device, 10, 64, arguments).expect("a launch");
    made.push(("mandelbrot", bytes(&steps[0])));
    let (re, im) = (re.astype(DType::F64), im.astype(DType::F64));
    let arguments = (200u32, &re, &im, ([600], Init::Zeros));
    let steps = mandelbrot::<f64>().launch(device, 10, 64, arguments).expect("a launch");
    made.push(("mandelbrot of f64", bytes(&steps[0])));

    let sorted: Vec<i32> = (0..100).map(|k| k * k / 9 - 50).collect();
    let wanted: Vec<i32> = numbers(300, 1200).into_iter().map(|n| n as i32 - 80).collect();
    let (sorted, wanted) = (Array::from_vec(sorted, 100), Array::from_vec(wanted, 300));
    let arguments = (&sorted, &wanted, ([300, 2], Init::Zeros));
    let places = search_all().launch(device, 5, 64, arguments).expect("a launch");
    made.push(("search", bytes(&places[0])));

    for (factor, twice) in [(0.25, false), (1.5, true)] {
        let mut y = zeros(8, DType::F32);
        known::<48>(factor, twice).launch(device, 1, 64, (&mut y,)).expect("a launch");
        made.push(("known numbers", bytes(&y)));
    }
}

fn matrices(device: &Device, made: &mut Results) {
    let a = Array::from_vec(numbers(33 * 47, 19), (33, 47)) - 9;
    let b = Array::from_vec(numbers(47 * 21, 23), (47, 21)) - 11;
    for dtype in [DType::F32, DType::I64] {
        let (a, b) = (a.astype(dtype), b.astype(dtype));
        let arguments = (&a, &b, ([33, 21], Init::Zeros));
        let kernel = if dtype == DType::F32 { matmul::<f32, 8>() } else { matmul::<i64, 8>() };
        let c = kernel.launch(device, (3, 5), (8, 8), arguments).expect("a launch");
        made.push(("matmul", bytes(&c[0])));
        assert!(c[0].array_equal(a.matmul(&b)).expect("no error"), "whole numbers of {dtype}");
    }
    let bodies = Array::from_vec(numbers(100 * 4, 1000), (100, 4)).astype(DType::F32) / 100 + 0.25;
    let arguments = (0.01f32, &bodies, ([100, 3], Init::Zeros));
    let force = forces::<32>().launch(device, 4, 32, arguments).expect("a launch");
    made.push(("forces", bytes(&force[0])));
}

fn blocks(device: &Device, made: &mut Results) {
    let x = Array::from_vec(numbers(500, 3000), 500).astype(DType::I32) - 1500;
    let sums = block_sums::<i32>().launch(device, 4, 128, (&x, ([4], Init::Zeros)));
    made.push(("block sums", bytes(&sums.expect("a launch")[0])));
    let x = Array::from_vec(numbers(512, 3000), 512).astype(DType::F32) - 1500;
    let sums = prefix_sums::<f32>().launch(device, 4, 128, (&x, ([512], Init::Zeros)));
    made.push(("prefix sums", bytes(&sums.expect("a launch")[0])));
    let mut sorted = x.clone();
    bitonic_sort::<f32, 128>().launch(device, 4, 128, (&mut sorted,)).expect("a launch");
    made.push(("sorted", bytes(&sorted)));
    assert!(sorted.array_equal(x.reshape((4, 128)).sort(1).reshape(512)).expect("no error"));

    // Rows of different lengths. Sums of whole numbers do not depend on the lanes of a warp.
    let lengths = numbers(40, 130);
    let starts: Vec<u32> = std::iter::once(0)
        .chain(lengths.iter().scan(0, |end, n| {
            *end += n;
            Some(*end)
        }))
        .collect();
    let count = starts[40] as usize;
    let columns = Array::from_vec(numbers(count, 64), count);
    let values = Array::from_vec(numbers(count, 9), count).astype(DType::F32) - 4;
    let (starts, vector) = (Array::from_vec(starts, 41), ndany::arange(64).astype(DType::F32));
    // Enough warps of 64 lanes.
    let arguments = (&starts, &columns, &values, &vector, ([40], Init::Zeros));
    let y = sparse_product::<f32>().launch(device, 20, 128, arguments).expect("a launch");
    made.push(("sparse product", bytes(&y[0])));
}

fn compare(devices: &[Device]) {
    let expected = results(&reference());
    for device in devices {
        for ((what, expected), (_, found)) in expected.iter().zip(results(device)) {
            assert!(*expected == found, "{what} on {}", device.name());
        }
    }
}

#[test]
fn kernels_have_the_bits_of_the_reference() {
    compare(&devices());
}

fn values<T: Element>(bytes: &[u8], read: impl Fn(&[u8]) -> T) -> Vec<T> {
    bytes.chunks(size_of::<T>()).map(read).collect()
}

#[test]
fn kernels_give_what_loops_give() {
    let results = results(&reference());
    let u32s = |name| {
        let (_, bytes) = results.iter().find(|(what, _)| *what == name).expect("a kernel");
        values(bytes, |four| u32::from_le_bytes(four.try_into().expect("four bytes")))
    };
    let f32s = |name| u32s(name).into_iter().map(f32::from_bits).collect::<Vec<_>>();

    let saxpy = numbers(1000, 2000).into_iter().map(|n| {
        let x = (f64::from(n) / 7.0) as f32;
        // Unsigned numbers wrap.
        0.3f32 * x + (n.wrapping_sub(900)) as f32
    });
    assert_eq!(f32s("saxpy"), saxpy.collect::<Vec<f32>>());

    let mut counts = vec![0; BINS as usize];
    numbers(1000, 2000).into_iter().for_each(|n| counts[(n % BINS) as usize] += 1);
    assert_eq!(u32s("histogram"), counts);

    let points = numbers(600, 1000);
    let steps = points.iter().zip(points.iter().rev()).map(|(&re, &im)| {
        let (re, im) = (re as f32 / 400.0 - 2.0, im as f32 / 400.0 - 1.25);
        let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
        while n < 200 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
            n += 1;
        }
        n
    });
    assert_eq!(u32s("mandelbrot"), steps.collect::<Vec<u32>>());

    let sorted: Vec<i32> = (0..100).map(|k| k * k / 9 - 50).collect();
    let found = u32s("search");
    for (number, pair) in numbers(300, 1200).into_iter().zip(found.chunks(2)) {
        let wanted = number as i32 - 80;
        let place = pair[0] as usize;
        match pair[1] {
            1 => assert_eq!(sorted[place], wanted),
            _ => assert_eq!(sorted.partition_point(|&x| x < wanted), place),
        }
        assert_eq!(pair[1] == 1, sorted.contains(&wanted));
    }

    let x: Vec<i32> = numbers(500, 3000).into_iter().map(|n| n as i32 - 1500).collect();
    let sums: Vec<u32> = x.chunks(128).map(|part| part.iter().sum::<i32>() as u32).collect();
    assert_eq!(u32s("block sums"), sums);

    let x: Vec<f32> = numbers(512, 3000).into_iter().map(|n| n as f32 - 1500.0).collect();
    let sums = x.chunks(128).flat_map(|part| {
        part.iter().scan(0.0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
    });
    // Sums of whole numbers are exact in any order.
    assert_eq!(f32s("prefix sums"), sums.collect::<Vec<f32>>());

    let lengths = numbers(40, 130);
    let count: u32 = lengths.iter().sum();
    let columns = numbers(count as usize, 64);
    let values: Vec<f32> = numbers(count as usize, 9).into_iter().map(|n| n as f32 - 4.0).collect();
    let mut at = 0;
    let products = lengths.into_iter().map(|length| {
        let row = at..at + length as usize;
        at = row.end;
        row.map(|k| values[k] * columns[k] as f32).sum::<f32>()
    });
    assert_eq!(f32s("sparse product"), products.collect::<Vec<f32>>());
    // 48 threads add 0.25 to four elements.
    assert_eq!(f32s("known numbers"), [3.0, 3.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_reference_finds_races() {
    let device = reference();
    let _guard = device.enter();
    let mut y = zeros(2, DType::U32);
    let launched = race().launch(&device, 2, 4, (&mut y,)).map(|_| ());
    let error = launched.and_then(|()| y.to_vec::<u32>().map(|_| ())).expect_err("a race");
    let text = error.to_string();
    assert!(text.contains("race") && text.contains("element 0 of y"), "{text}");
}

#[test]
fn planted_races_and_barriers_are_found() {
    let device = reference();
    let _guard = device.enter();
    let x = Array::from_vec(numbers(128, 9), 128);
    for (kernel, words) in planted::PLANTED {
        let (kernel, mut y) = (kernel(), zeros(128, DType::U32));
        let error = kernel.launch(&device, 2, 64, (&x, &mut y)).expect_err("it has a mistake");
        let text = error.to_string();
        assert!(text.contains(words), "{kernel:?}: expected {words:?}, got {text}");
        // Where it has to be reached, and what may lead elsewhere.
        assert!(!words.starts_with('a') || text.contains("planted.rs:"), "{text}");
    }
}

#[test]
fn barriers_of_some_threads_are_refused_with_both_places() {
    let device = reference();
    let _guard = device.enter();
    let mut y = zeros(8, DType::U32);
    let error = divergent().launch(&device, 1, 8, (&mut y,)).expect_err("some threads only");
    let (file, branch, barrier) = (kernels::FILE, DIVERGENT + 3, DIVERGENT + 5);
    assert_eq!(
        error.to_string(),
        format!(
            "[divergent] bad arguments: a barrier at {file}:{barrier}:9 has to be reached by all threads of the block: \
             the branch or loop at {file}:{branch}:5 may take some of them elsewhere"
        )
    );
}

#[test]
fn literals_that_are_no_known_number_are_refused() {
    let device = reference();
    let _guard = device.enter();
    let mut y = zeros(1, DType::F32);
    let error = negative_size().launch(&device, 1, 1, (&mut y,)).expect_err("a negative size");
    let text = error.to_string();
    assert!(text.contains("threads.rs") && text.ends_with("the literal -16 is no u32"), "{text}");
}

#[test]
fn functions_that_call_each_other_in_a_circle_are_refused() {
    let device = reference();
    let _guard = device.enter();
    let mut y = zeros(1, DType::Bool);
    let error = circle().launch(&device, 1, 1, (&mut y,)).expect_err("a circle");
    assert!(error.to_string().contains("each other in a circle"), "{error}");
}

#[test]
fn positions_out_of_range_name_argument_and_index() {
    for device in devices().into_iter().chain([reference()]) {
        let _guard = device.enter();
        let x = Array::from_vec(numbers(8, 9), 8);
        let mut y = zeros(8, DType::U32);
        let launched = beyond().launch(&device, 1, 8, (&x, &mut y)).map(|_| ());
        let error = launched.and_then(|()| y.to_vec::<u32>().map(|_| ())).expect_err("8 of 8");
        let text = error.to_string();
        assert!(text.contains("[beyond]") && text.contains("index 8 of y"), "{text}");
        assert!(text.contains("is out of bounds for 8"), "{text}");
    }
}

/// The last word of a launch is the address of its error word.
#[test]
fn launches_that_stay_inside_have_no_error_word() {
    let (backend, recording) = Recording::device("sm_90", &ndany_kernels::CUDA).expect("a device");
    let device = Device::custom(backend);
    let _guard = device.enter();
    for (count, has_word) in [(1000, false), (999, true), (1001, false)] {
        let (x, mut y) = (zeros(count, DType::F32).copy(), zeros(1000, DType::F32).copy());
        x.eval().expect("a device");
        y.eval().expect("a device");
        recording.take_launches();
        scaled_sum(&device, 2.0f32, &x, &mut y);
        let launches = recording.take_launches();
        assert_eq!(launches.len(), 1);
        let word = *launches[0].words.last().expect("words");
        assert_eq!(word != 0, has_word, "{count} elements");
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn software_gpus_have_the_bits_of_the_reference() {
    let folder = support::Folder::of_software_gpu("simt", &support::LIBRARIES);
    support::process_of_all_vendors(&folder, "gpus", &[]);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "run by the other"]
fn alone() {
    let names = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    let names = names.into_iter().filter_map(|(name, built)| built.then_some(name));
    compare(&names.map(|name| Device::open(name).expect("a device")).collect::<Vec<_>>());
}
