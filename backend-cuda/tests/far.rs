//! Arrays whose elements lie 2^31 apart, on the software GPU: every pattern with positions and offsets of 64 bits, on
//! few elements of a buffer of two gigabytes. What has that many elements itself needs a device (`examples/endurance`).

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use ndany_array::{Array, DType, Device, Side, checked, over, s, ufunc};
use support::{Folder, process, task};

/// Rows of the buffer, its columns, and how many of them are looked at.
const ROWS: usize = 2049;
const APART: usize = 1 << 20;
const NEAR: usize = 48;

#[test]
fn patterns_over_two_gigabytes_have_the_bits_of_the_reference() {
    let folder = Folder::of_software_gpu("far", &["libcuda.so.1", "libnvrtc.so.13"]);
    let kept = folder.0.join("kernels").to_string_lossy().into_owned();
    let memory = (3u64 << 30).to_string();
    let variables = [("NDANY_SOFTGPU_MEMORY", memory.as_str()), ("NDANY_SOFTGPU_CACHE", &kept)];
    process("far", Some(&folder.0), &variables);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    assert_eq!(task(), "far");
    far();
}

/// What is done to a matrix.
type Work = (&'static str, fn(&Array) -> Array);

const WORK: &[Work] = &[
    ("map", |x| x * 3 + 1),
    ("map of types", |x| x.astype(DType::F64).sqrt()),
    ("backwards", |x| x.i(s![..;-3, ..;-1]).copy()),
    ("across", |x| x.transpose(..).copy()),
    ("positions", |x| x + ndany_array::arange(NEAR as i64)),
    ("reduce all", |x| x.sum(..)),
    ("reduce rows", |x| x.sum(1)),
    ("reduce columns", |x| x.sum(0)),
    ("reduce to places", |x| x.argmax(0)),
    ("rows", |x| {
        let e = (x.astype(DType::F32) - x.max(over(1).keepdims())).square();
        let total = e.sum(over(1).keepdims());
        e / (total + 1.0)
    }),
    ("columns back", |x| x.astype(DType::F32) - x.mean(over(0).keepdims()).astype(DType::F32)),
    ("scan rows", |x| x.cumsum(1)),
    ("scan columns", |x| x.cumsum(0)),
    ("scan all", |x| x.cumsum(..)),
    ("sort rows", |x| x.sort(1)),
    ("sort columns", |x| x.sort(0)),
    ("argsort columns", |x| x.argsort(0)),
    ("mask", |x| x.i(x.greater(100))),
    ("nonzero", |x| x.i((.., 5)).not_equal(0).nonzero()[0].clone()),
    ("take rows", |x| x.take([2048i64, -1, 0, 2047, -2049], 0)),
    ("take columns", |x| x.take([1i64, -1], 1)),
    ("index arrays", |x| x.i((Array::from([2048i64, 0, 2047]), Array::from([3i64, -1, 0])))),
    ("segments", |x| ufunc::add.reduceat(x, &Array::from([0i64, 7, 2000, 5]), 0)),
    ("left fold", |x| ufunc::subtract.accumulate(&x.astype(DType::I32), 0)),
    ("search", |x| x.i((.., 0)).sort(0).searchsorted(x.i((.., 1)), Side::Left)),
    ("product", |x| x.astype(DType::I32).matmul(x.transpose(..).i((.., ..3)).astype(DType::I32))),
];

fn far() {
    let mut values = vec![0u8; ROWS * APART];
    let mut near = Vec::new();
    for row in 0..ROWS {
        for column in 0..NEAR {
            let value = (row * 37 + column * 101 + row * column) as u8;
            values[row * APART + column] = value;
            near.push(value);
        }
    }
    let device = Device::open("cuda:0").expect("the software GPU");
    let reference = Device::open("reference").expect("the reference");
    let _guard = device.enter();
    let mut buffer = Array::from(values.as_slice());
    drop(values);
    let right = Array::from_bytes(DType::U8, &[ROWS, NEAR], &near, &reference).expect("a matrix");
    {
        let matrix = buffer.reshape([ROWS, APART]);
        let matrix = matrix.i((.., ..NEAR));
        for (name, work) in WORK {
            let got = work(&matrix);
            let expected = {
                let _guard = reference.enter();
                work(&right)
            };
            assert_eq!((got.dtype(), got.shape()), (expected.dtype(), expected.shape()), "{name}");
            let [got, expected] = [got, expected].map(|array| array.to_bytes().expect(name));
            let wrong = got.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!((wrong, got.len()), (None, expected.len()), "{name}");
        }
    }
    // Writing into the far end, by places (the last of several writers wins) and through a window.
    let end = ROWS * APART;
    let places = [end - 1, 1 << 31, (1 << 31) - 1, 1 << 31, 7].map(|place| place as i64);
    buffer.put(Array::from(places), Array::from([1u8, 2, 3, 4, 5]), ..);
    buffer.set(s![end - 3..end - 1], 9);
    let read = |from: usize, to: usize| buffer.i(from..to).to_vec::<u8>().expect("values");
    assert_eq!(read(end - 4, end), [0, 9, 9, 1]);
    assert_eq!(read((1 << 31) - 1, (1 << 31) + 1), [3, 4]);
    assert_eq!(read(7, 8), [5]);
    let outside = checked::put(&mut buffer, Array::from([end as i64]), 1, ..)
        .and_then(|()| buffer.i(..1).to_bytes());
    assert!(outside.is_err(), "{outside:?}");
}
