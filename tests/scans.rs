//! Running combinations along rows, of which blocks post the totals of their chunks, or have several: the values are those of the
//! reference, to the last bit, in whatever order blocks run.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::kernel::scan;
use ndany::{Array, DType, Device, Generator, ufunc};
use num_complex::Complex64;
use support::{Folder, LIBRARIES, process_of_all_vendors};

const CHUNK: usize = 4096;
const SEGMENT: usize = 32;

/// Rows and their extents: short rows, of which blocks have several, one chunk, a few, around a segment of chunks, around a segment
/// of those, and three levels.
const SHAPES: [[usize; 2]; 18] = [
    [5000, 1],
    [3001, 3],
    [1025, SEGMENT - 1],
    [1000, SEGMENT],
    [999, SEGMENT + 1],
    [700, 100],
    [131, 4 * SEGMENT],
    [67, 1000],
    [50, CHUNK / 2 + 1],
    [3, CHUNK - 1],
    [3, CHUNK],
    [3, CHUNK + 1],
    [1, 31 * CHUNK + 5],
    [2, SEGMENT * CHUNK],
    [1, SEGMENT * CHUNK + 1],
    [3, 2 * SEGMENT * CHUNK + 77],
    [1, 33 * SEGMENT * CHUNK + 4095],
    [1, CHUNK * CHUNK + 33 * CHUNK + 3],
];

fn is_long(shape: [usize; 2]) -> bool {
    shape[1] > 4 * SEGMENT * CHUNK
}

fn on_software_gpus(shuffle: &str) {
    let folder = Folder::of_software_gpu(&format!("scans-{shuffle}"), &LIBRARIES);
    let variables = [("NDANY_SOFTGPU_SHUFFLE", shuffle)];
    process_of_all_vendors(&folder, &format!("order {shuffle}"), &variables);
}

#[test]
fn scans_are_those_of_the_reference() {
    on_software_gpus("0");
}

#[test]
fn scans_are_those_of_the_reference_in_another_order() {
    on_software_gpus("7");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let open = |name| Device::open(name).expect("a device");
    let reference = open("reference");
    let shuffled = std::env::var("NDANY_SOFTGPU_SHUFFLE").is_ok_and(|seed| seed != "0");
    for shape in SHAPES {
        // Long ones take a while, and the text of both vendors' kernels is one but for its dialect.
        let names: &[&str] = match (is_long(shape), shuffled) {
            (true, true) => continue,
            (true, false) => &["cpu", "cuda:0"],
            (false, _) => &["cpu", "cuda:0", "hip:0"],
        };
        let expected = made(&reference, shape);
        for name in names {
            for ((what, expected), (_, found)) in expected.iter().zip(made(&open(name), shape)) {
                assert!(*expected == found, "{what} of {shape:?} on {name}");
            }
        }
    }
}

/// The bytes of what scans along the rows of an array make.
fn made(device: &Device, shape: [usize; 2]) -> Vec<(&'static str, Vec<u8>)> {
    let _guard = device.enter();
    let x = Generator::new(7).standard_normal(shape);
    let bytes = |array: &Array| array.to_bytes().expect("values");
    let single = x.astype(DType::F32);
    let mut results = vec![("float32", bytes(&single.cumsum(1)))];
    if is_long(shape) {
        return results;
    }
    results.push(("float64", bytes(&x.cumsum(1))));
    results.push(("integers", bytes(&(&x * 1000).astype(DType::I16).cumsum(1))));
    results.push(("bool", bytes(&ufunc::logical_or.accumulate(&x.greater(3.5), 1))));
    let turned = &x.astype(DType::C128) * Complex64::new(0.5, -0.25);
    results.push(("complex128", bytes(&turned.cumsum(1))));
    results.push(("columns", bytes(&single.t().cumsum(0))));
    let rows_last = x.t().copy();
    results.push(("columns as they lie", bytes(&rows_last.cumsum(0))));
    let turned = turned.t().copy();
    results.push(("complex columns", bytes(&turned.cumsum(0))));
    let scaled = &x * &x.i((.., ..1));
    results.push(("rows with factors of their own", bytes(&scaled.cumsum(1))));
    let recurrence = scan(
        "recurrence",
        |_, [a, b]| [a, b],
        |_, [a, b], [c, d]| [a * c, c * b + d],
        |_, [_, y]| [y],
    );
    results.push(("a recurrence", bytes(&recurrence.call((&(&x * 0.3), &x), 1)[0])));
    let factors = x.i((.., ..1)).broadcast_to(shape);
    results
        .push(("a recurrence of factors of rows", bytes(&recurrence.call((&factors, &x), 1)[0])));
    let [single, columns] = [single.t().copy(), (&single * 0.3f32).t().copy()];
    results.push(("a recurrence of columns", bytes(&recurrence.call((&columns, &single), 0)[0])));
    results
}
