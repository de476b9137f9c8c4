//! Closures of every pattern.

use ndany::kernel::simt::*;
use ndany::kernel::{self, Boundary};
use ndany::prelude::*;

use super::same;

fn floats(shape: &[usize]) -> impl Fn(&mut Generator) -> [Array; 1] + use<> {
    let shape = shape.to_vec();
    move |rng| [rng.normal(0.0, 1.0, Shape::new(&shape[..]).dtype(F32))]
}

fn pairs(shape: &[usize]) -> impl Fn(&mut Generator) -> [Array; 2] + use<> {
    let one = floats(shape);
    move |rng| {
        let ([x], [y]) = (one(rng), one(rng));
        [x, y]
    }
}

pub fn all() {
    elementwise();
    patterns();
    positions();
    products();
    factorizations();
    transforms();
    draws();
    kernels();
    outputs();
}

fn elementwise() {
    same("chain", pairs(&[5, 33]), |_, [x, y]| {
        let z = (&x * 2.0 + &y).exp();
        [(&z - &x).abs().sqrt(), z.floor().astype(I32)]
    });
    same("broadcast", pairs(&[4, 9]), |_, [x, y]| [&x - y.i((.., ..1)), x.transpose(..) + 1.0]);
    same("where", pairs(&[100]), |_, [x, y]| [where_(x.less(&y), &x, &y * 3.0)]);
    same("complex", pairs(&[40]), |_, [x, y]| {
        let z = x.astype(C64) + y.astype(C64) * Complex64::new(0.0, 1.0);
        [z.exp().real(), z.angle(false)]
    });
    // Host values of the closure are constants, also where the graph writes over them.
    same("constants", floats(&[3]), |_, [x]| {
        let weights = array([0.5f32, 1.5, 2.5]);
        let mut sums = array([1.0f32, 2.0, 3.0]);
        sums += &x * &weights;
        sums.set(s![1], 9.0f32);
        [sums]
    });
}

fn patterns() {
    same("reductions", floats(&[7, 300]), |_, [x]| [x.sum(..), x.max(1), x.var(0), x.argmin(1)]);
    same("softmax", floats(&[6, 50]), |_, [x]| {
        let shifted = (&x - x.max(over(1).keepdims())).exp();
        [&shifted / shifted.sum(over(1).keepdims())]
    });
    same("scans", floats(&[3, 5000]), |_, [x]| [x.cumsum(1), x.cumprod(0)]);
    same("sorts", floats(&[4, 700]), |_, [x]| [x.sort(1), x.argsort(1), x.ravel().sort(..)]);
    same("long sorts", floats(&[20_000]), |_, [x]| [x.sort(..), x.argsort(..)]);
    same("medians", floats(&[5, 99]), |_, [x]| [x.partition(49, 1)]);
    same("searches", pairs(&[500]), |_, [x, y]| [x.sort(..).searchsorted(&y, ..)]);
    same("correlations", pairs(&[200]), |_, [x, y]| [x.convolve(&y.i(s![..9]), ..)]);
    same("differences", floats(&[30]), |_, [x]| [x.diff(..)]);
}

fn positions() {
    same("gathers", floats(&[50, 4]), |_, [x]| {
        [x.take([3, 0, 49], 0), x.i((array([1, 2]), array([3, 0]))), x.roll(3, ..)]
    });
    let drawn = |rng: &mut Generator| [rng.random(64), rng.integers(0..8, 64)];
    same("scatters", drawn, |_, [x, at]| {
        let mut last = x.copy();
        last.set(at.i(s![..8]), 7.0);
        [last]
    });
    same("joins", pairs(&[6, 3]), |_, [x, y]| {
        [concatenate([&x, &y], 1), stack([&x, &y], 0), x.tile((2, 2)), x.repeat(3, 1)]
    });
}

fn products() {
    same("products", pairs(&[33, 33]), |_, [x, y]| {
        [x.matmul(&y), x.dot(y.i(0)), einsum("ij,kj->ik", [&x, &y])]
    });
    let whole = |rng: &mut Generator| [rng.integers(-9..10, (17, 17))];
    same("products of integers", whole, |_, [x]| [x.matmul(&x)]);
}

fn factorizations() {
    let matrices = |rng: &mut Generator| [rng.random((3, 12, 12)), rng.random((3, 12, 2))];
    same("equations", matrices, |_, [a, b]| {
        let symmetric = a.matmul(a.swapaxes(1, 2)) + eye(12) * 12.0;
        let factor = linalg::cholesky(&symmetric);
        let [q, r] = {
            let qr = linalg::qr(&a);
            [qr.q, qr.r]
        };
        [linalg::solve(&(&a + eye(12) * 12.0), &b), factor, q, r, linalg::det(&a)]
    });
    same("eigenvalues", matrices, |_, [a, _]| {
        let symmetric = &a + a.swapaxes(1, 2);
        let parts = linalg::eigh(&symmetric, ..);
        [parts.eigenvalues, parts.eigenvectors, linalg::svdvals(&a)]
    });
}

fn transforms() {
    for length in [256, 100, 97] {
        let signals = floats(&[4, length]);
        same("transforms", signals, |_, [x]| {
            let spectrum = fft::rfft(&x, ..);
            [fft::irfft(&(&spectrum * 0.5f32), along(-1).n(x.shape()[1])), fft::fft(&x, ..).imag()]
        });
    }
}

fn draws() {
    same("draws", floats(&[100]), |rng, [x]| {
        let noise = rng.normal(0.0, 0.1, Shape::new(x.shape()).dtype(F32));
        let step = rng.exponential(2.0, 7);
        [&x + noise, step, rng.uniform(-1.0, 1.0, (3, 3)), rng.permutation(50)]
    });
    // A generator of the closure's own draws the same each time, as it does in calls.
    same("own draws", floats(&[10]), |_, [x]| [x + Generator::new(3).random(10)]);
    same("bytes", floats(&[1]), |rng, [x]| [x + 1.0, rng.integers(0..256, 16)]);
}

#[kernel]
fn reversed(x: &[f32], y: &mut [f32]) {
    let i = global_x();
    if i < y.len() {
        y[i] = x[y.len() - 1 - i];
    }
}

fn kernels() {
    let newton = kernel::elementwise("newton", |k, [x]| {
        let [root, _] = k.repeat_while(
            40,
            [x.one(), x.one()],
            |[_, change]| change.abs().greater(1e-6),
            |[root, _]| {
                let next = (root + x.abs() / root) * 0.5;
                [next, next - root]
            },
        );
        [root]
    });
    same("own operations", floats(&[77]), |_, [x]| newton.call([&x]));
    let spread = kernel::reduction(
        "spread",
        |_, [x]| [x, x],
        |_, [low, high], [other, top]| [low.minimum(other), high.maximum(top)],
        |_, [low, high]| [high - low, low],
    );
    same("own reductions", floats(&[8, 40]), |_, [x]| spread.call([&x], 1));
    let blur = kernel::stencil("blur", |_, [x]| {
        let cells = x.window([3, 3]);
        let sum = cells.iter().copied().reduce(|sum, cell| sum + cell).expect("nine cells");
        [sum / 9.0]
    });
    let blur = blur.boundary(Boundary::Wrap);
    same("own stencils", floats(&[20, 30]), |_, [x]| blur.call([&x]));
    let device = Device::current();
    same("kernels of threads", floats(&[1000]), |_, [x]| {
        let mut y = zeros(1000, F32);
        reversed().launch(&device, 16, 64, (&x, &mut y)).expect("a launch");
        [y * 2.0]
    });
}

fn outputs() {
    let kept = array([1.0f32, 2.0]);
    same("inputs, views and constants", floats(&[2, 2]), |_, [x]| {
        let sum = &x + 1.0;
        [x.clone(), x.transpose(..), kept.clone(), sum.i((.., 0)), sum.i(s![..;-1]), sum]
    });
    same("nothing", floats(&[0, 3]), |_, [x]| [&x + 1.0, x.sum(0)]);
    same("no axes", |rng| [rng.random(())], |_, [x]| [&x * 2.0, zeros((), ..)]);
}
