//! Kernels made of closures on software GPUs: the bits of the reference, alone and fused.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::kernel::elementwise;
use ndany::{Array, DType, Device, along, over, s};
use support::{Folder, SearchVariables, process_among};

const LIBRARIES: [&str; 4] =
    ["libcuda.so.1", "libnvrtc.so.13", "libamdhip64.so.6", "libhiprtc.so.6"];

const VARIABLES: SearchVariables =
    SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "ROCM_PATH"] };

#[test]
fn kernels_have_the_bits_of_the_reference() {
    let folder = Folder::of_software_gpu("kernels", &LIBRARIES);
    let rocm = folder.0.to_string_lossy().into_owned();
    process_among(&VARIABLES, "alone", Some(&folder.0), &[("NDANY_ROCM_LIBRARIES", &*rocm)]);
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    let open = |name| Device::open(name).expect("a device");
    let expected = results(&open("reference"));
    let devices =
        [("cpu", true), ("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    for (name, _) in devices.into_iter().filter(|(_, built)| *built) {
        for ((what, expected), (_, found)) in expected.iter().zip(results(&open(name))) {
            assert!(*expected == found, "{what} on {name}: {expected:?}, got {found:?}");
        }
    }
}

/// What each kernel makes of some values: bytes, or the text of an error.
fn results(device: &Device) -> Vec<(&'static str, Result<Vec<u8>, String>)> {
    let _guard = device.enter();
    let element = |k: usize| (k * 37 % 101) as f64 / 13.0 - 3.0;
    let values: Vec<f64> = (0..3000).map(element).collect();
    let x = Array::from_slice(&values, &[30, 100][..]);
    let mut made = Vec::new();
    let mut keep = |what, array: Array| {
        made.push((what, array.to_bytes().map_err(|error| error.to_string())));
    };

    let mandelbrot = elementwise("mandelbrot", |k, [re, im]| {
        let [.., steps] = k.repeat_while(
            60,
            [re.zero(), im.zero(), k.value(0)],
            |[x, y, _]| (x * x + y * y).less(4),
            |[x, y, n]| [x * x - y * y + re, 2 * x * y + im, n + 1],
        );
        [steps]
    });
    for dtype in [DType::F32, DType::F16, DType::F64] {
        let (re, im) = ((&x * 0.4).astype(dtype), (x.t().reshape((30, 100)) * 0.3).astype(dtype));
        let [steps] = mandelbrot.call((&re, &im));
        keep("steps", steps.clone());
        // In the rows of a reduction, in columns, along a scan.
        keep("rows of steps", (&steps - steps.max(over(1).keepdims())).sum(1));
        let [steps] = mandelbrot.call((&re, &im));
        keep("columns of steps", steps.sum(0));
        let [steps] = mandelbrot.call((&re, 0.25));
        keep("a scan of steps", steps.cumsum(along(1)));
    }

    let polar = elementwise("polar", |_, [x, y]| [x.hypot(y), y.atan2(x), x.less(y)]);
    let [r, angle, less] = polar.call((&x, &x.i(s![.., ..;-1])));
    keep("radius", r);
    keep("angle", angle);
    keep("comparison", less);

    let position = elementwise("position", |k, [x]| [x * k.index() + k.param("shift")]);
    let position = position.param("shift", DType::F64, 0.5);
    let [y] = position.call([&x.t()]);
    keep("positions of a view", y.clone());
    keep("what is made of them", (y * 2).sum(1));
    let [y] = position.with("shift", -1).call([&(&x - x.mean(over(1).keepdims()))]);
    keep("another parameter", y);

    // A state of complex numbers, one loop within another, and a formula in both.
    let nested = elementwise("nested", |k, [x]| {
        let [w, _] = k.repeat_while(
            5,
            [x.astype(DType::C128), k.value(0)],
            |[w, _]| w.abs().less(3),
            |[w, n]| {
                let [angle, _] = k.repeat_while(
                    4,
                    [x, n],
                    |[angle, n]| angle.less(2) & n.less(9),
                    |[angle, n]| [(angle + n).exp().log1p(), n + 1],
                );
                [w * w + angle, n + 1]
            },
        );
        [w]
    });
    let [w] = nested.call([&x]);
    keep("loops within loops", w);

    let powers = elementwise("powers", |k, [n]| {
        let [_, sum] = k.repeat_while(
            9,
            [n, n.zero()],
            |[n, _]| n.less(3),
            |[n, sum]| [n + 1, sum + (n.zero() + 3).pow(n)],
        );
        [sum]
    });
    let n = x.abs().astype(DType::I64);
    let [sum] = powers.call([&n]);
    keep("powers", sum);
    let [sum] = powers.call([&(n - 1)]);
    keep("a negative power", sum);
    made
}
