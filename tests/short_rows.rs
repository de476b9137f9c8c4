//! Reductions of many rows, and of many columns, of extents around those at which the threads of a row change: the values are those of
//! the reference, to the last bit.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, DType, Device, Generator, arange, over};
use support::{Folder, LIBRARIES, process_of_all_vendors};

/// More rows than those from which on a device has enough to do with a part of a warp for each.
const ROWS: usize = 2051;

/// Those that are multiples of 4 are read in packs.
const EXTENTS: [usize; 20] =
    [1, 2, 3, 8, 9, 12, 16, 17, 20, 33, 36, 40, 64, 65, 100, 128, 129, 300, 513, 516];

#[test]
fn rows_are_those_of_the_reference() {
    let folder = Folder::of_software_gpu("short-rows", &LIBRARIES);
    process_of_all_vendors(&folder, "short rows", &[]);
}

/// So many columns that a thread has several parts of the lanes of one: of 64 lanes, and of 128.
const WIDE: [[usize; 2]; 2] = [[40, 131_075], [65, 131_075]];

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = |name| Device::open(name).expect("a device");
    let reference = open("reference");
    for shape in WIDE {
        let expected = wide(&reference, shape);
        for name in ["cuda:0", "hip:0"] {
            assert!(expected == wide(&open(name), shape), "columns of {} on {name}", shape[0]);
        }
    }
    for (number, extent) in EXTENTS.into_iter().enumerate() {
        let expected = made(&reference, extent);
        // The text of both vendors' kernels is one but for its dialect.
        let names =
            if number % 3 == 0 { &["cpu", "cuda:0", "hip:0"][..] } else { &["cpu", "cuda:0"] };
        for name in names {
            let found = made(&open(name), extent);
            for ((what, expected), (_, found)) in expected.iter().zip(&found) {
                assert!(expected == found, "{what} of {extent} elements on {name}");
            }
        }
    }
}

/// The bytes of reductions of many columns, of which one depends on the order of its elements.
fn wide(device: &Device, shape: [usize; 2]) -> [Vec<u8>; 2] {
    let _guard = device.enter();
    let x = (arange(shape[0] * shape[1]) * 37 % 1009).astype(DType::F32) / 13.0 - 30.0;
    let x = x.reshape(shape);
    x.eval().expect("values");
    [x.sum(0), x.argmin(0)].map(|array| array.to_bytes().expect("values"))
}

/// The bytes of reductions along rows of this extent, which lie one after the other or side by side.
fn made(device: &Device, extent: usize) -> Vec<(String, Vec<u8>)> {
    let _guard = device.enter();
    let x = Generator::new(11).standard_normal([ROWS, extent]).astype(DType::F32);
    let holes = x.where_(&x.less(1.5), f32::NAN);
    let columns = x.t().copy();
    let mut results = Vec::new();
    for (array, axis, lie) in [(&x, 1, "rows"), (&columns, 0, "columns")] {
        let mut add = |what: &str, array: &Array| {
            results.push((format!("{what} of {lie}"), array.to_bytes().expect("values")));
        };
        add("the sum", &array.sum(axis));
        add("the sum of integers", &array.astype(DType::I8).sum(axis));
        add("the sum of half floats", &array.astype(DType::F16).sum(axis));
        add("the sum of squares", &(array * array.abs()).sum(axis));
        add(
            "the sum of products with numbers of the row",
            &(array * array.sum(over(axis).keepdims())).sum(axis),
        );
        add("the place of the maximum", &array.argmax(axis));
        add("the variance", &array.astype(DType::F64).var(axis));
        add("the complex product", &array.astype(DType::C128).prod(axis));
        let mean = array.mean(over(axis).keepdims());
        add("what is left without the mean", &(array - &mean));
        let powers = (array - &array.max(over(axis).keepdims())).exp();
        add("the softmax", &(&powers / &powers.sum(over(axis).keepdims())));
    }
    // Rows inside of longer ones: neighbours that no pack has, and packs.
    for begin in [1, 4] {
        let padded = Generator::new(12).standard_normal([ROWS, extent + 8]).astype(DType::F32);
        let inside = padded.i(ndany::s![.., begin..begin + extent]);
        let sums = (&inside + &x).sum(1).to_bytes().expect("values");
        results.push((format!("the sum from the {begin}th element on"), sums));
    }
    results.push(("the largest number".into(), holes.nanmax(1).to_bytes().expect("values")));
    results
}
