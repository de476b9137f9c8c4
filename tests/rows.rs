//! Chains of reductions over rows, each of which one kernel computes on GPUs: what passes over a row share stays on the
//! chip, and the values are those of the reference, to the last bit, for rows of every length.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, DType, Device, over};
use support::{Folder, LIBRARIES, process_of_all_vendors};

/// Around a warp, a block, the elements that a thread reads ahead, what a block keeps of a row, and a chunk.
const EXTENTS: [usize; 6] = [1, 33, 129, 513, 1025, 4099];

#[test]
fn chains_over_rows_are_those_of_the_reference() {
    let folder = Folder::of_software_gpu("rows", &LIBRARIES);
    process_of_all_vendors(&folder, "chains", &[]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = |name| Device::open(name).expect("a device");
    let reference = open("reference");
    for dtype in [DType::F32, DType::F16, DType::F64] {
        // The text of both vendors' kernels is one but for its dialect.
        let names = match dtype {
            DType::F32 => &["cpu", "cuda:0", "hip:0"][..],
            _ => &["cpu", "cuda:0"],
        };
        let expected = columns(&reference, dtype);
        for name in names {
            for (expected, found) in expected.iter().zip(columns(&open(name), dtype)) {
                assert!(*expected == found, "{dtype} columns of {} on {name}", found.0);
            }
        }
        for extent in EXTENTS {
            let expected = chains(&reference, dtype, extent);
            for name in names {
                let found = chains(&open(name), dtype, extent);
                for ((chain, expected), (_, found)) in expected.iter().zip(&found) {
                    assert!(expected == found, "{chain} of {dtype} rows of {extent} on {name}");
                }
            }
        }
    }
}

/// Around the elements that a thread of a column reads together, and those of columns with one thread each.
const SHORT: [usize; 14] = [1, 2, 4, 5, 8, 9, 12, 16, 17, 24, 25, 31, 32, 33];

/// The bytes of what columns of each short extent are reduced to.
fn columns(device: &Device, dtype: DType) -> Vec<(usize, Vec<Vec<u8>>)> {
    let _guard = device.enter();
    let of = |extent: usize| {
        let values: Vec<f64> =
            (0..70 * extent).map(|k| (k * 37 % 101) as f64 / 13.0 - 3.0).collect();
        let x = Array::from_slice(&values, &[extent, 70][..]).astype(dtype);
        let weights = x.i(ndany::s![.., 0]).reshape((extent, 1)).exp();
        for array in [&x, &weights] {
            array.eval().expect("values");
        }
        let square = &x * &x;
        [x.sum(0), (&weights * &x).sum(0), x.max(0), x.var(0), square.prod(0)]
            .map(|made| made.to_bytes().expect("values"))
            .into()
    };
    SHORT.map(|extent| (extent, of(extent))).into()
}

/// The bytes of what each chain makes of three rows.
fn chains(device: &Device, dtype: DType, extent: usize) -> Vec<(&'static str, Vec<u8>)> {
    let _guard = device.enter();
    let element = |k: usize| (k * 37 % 101) as f64 / 13.0 - 3.0;
    let values: Vec<f64> = (0..3 * extent).map(element).collect();
    let mask: Vec<bool> = (0..3 * extent).map(|k| k % 3 != 1).collect();
    let x = Array::from_slice(&values, &[3, extent][..]).astype(dtype);
    let mask = Array::from_slice(&mask, &[3, extent][..]);
    let rows = || over(1).keepdims();
    let bytes = |array: &Array| array.to_bytes().expect("values");
    let mut made = Vec::new();
    let powers = (&x - &x.max(rows())).exp();
    made.push(("softmax", bytes(&(&powers / &powers.sum(rows())))));
    let lower = &x - &x.max(rows());
    made.push(("log_softmax", bytes(&(&lower - &lower.exp().sum(rows()).log()))));
    let centered = &x - &x.mean(rows());
    // A row of one value has no deviation.
    let deviation = (&centered * &centered).mean(rows()).sqrt() + 1;
    made.push(("standardized", bytes(&(&centered / &deviation))));
    // Of the value that is kept a sum is asked for first: the value itself is written along.
    let sums = x.logaddexp(x.all(rows()));
    let total = sums.sum(rows().where_(&mask));
    total.eval().expect("a sum");
    made.push(("logaddexp", bytes(&sums)));
    made.push(("its masked sum", bytes(&total)));
    // Each pass replaces what the one before kept.
    let mut value = x.clone();
    for _ in 0..4 {
        value = (&value - &value.mean(rows())).tanh();
        value = &value * &value.fabs().max(rows());
    }
    made.push(("eight passes", bytes(&value)));
    made
}
