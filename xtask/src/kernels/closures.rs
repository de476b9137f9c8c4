//! Kernels of closures, as users write them: loops, several results, positions, and operands that are read by position.

use ndany::kernel::{OutOfRange, elementwise, reduction};
use ndany::{Array, DType};

/// Evaluates on the current device.
pub(super) fn evaluate() {
    let matrix = |dtype| ndany::zeros((40, 64), dtype);
    let newton = elementwise("newton", |k, [x]| {
        let [root, _] = k.repeat_while(
            20,
            [x, x.zero()],
            |[root, before]| root.not_equal(before),
            |[root, _]| [(root + x / root) / 2, root],
        );
        [root, root.less(x)]
    });
    for dtype in [DType::F32, DType::F16, DType::F64] {
        computed(newton.call([&matrix(dtype)]));
    }
    // Neighbours by every rule, in small elements and large ones.
    let around = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
    let life = elementwise("life", move |k, [alive, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        let count = around.into_iter().fold(alive.zero(), |count, (di, dj)| {
            count + all.at(([i + di, j + dj], OutOfRange::Wrap))
        });
        [(count.equal(3) | (alive.equal(1) & count.equal(2))).astype(alive.dtype())]
    });
    let life = life.whole(1);
    let cross = elementwise("cross", |k, [x, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        let filled = all.at(([i, j - 1], OutOfRange::fill(0)));
        [filled + all.at(([i + 1, j], OutOfRange::Clamp)), all.at([i, j]) - x]
    });
    let cross = cross.whole(1);
    for dtype in [DType::U8, DType::F16, DType::F32, DType::C128] {
        let x = matrix(dtype);
        computed(life.call([&x, &x]));
        computed(cross.call([&x, &x]));
    }
    let product = elementwise("product", |k, [begin, end, values, columns, x]| {
        let [sum, _] = k.repeat_while(
            1000,
            [values.at(0).zero(), begin],
            |[_, p]| p.less(end),
            |[sum, p]| [sum + values.at(p) * x.at(columns.at(p)), p + 1],
        );
        [sum]
    });
    let (product, i) = (product.whole(2).whole(3).whole(4), matrix(DType::I64));
    for dtype in [DType::F32, DType::C128] {
        let values = matrix(dtype);
        computed(product.call([&i, &(&i + 1), &values, &i, &values]));
    }
    let moments = reduction(
        "moments",
        |k, [x]| [x, x * x, k.index()],
        |_, [a, b, i], [c, d, j]| [a + c, b + d, i.maximum(j)],
        |k, [a, b, i]| [a / k.size(), b - a * a, i],
    );
    for axis in [0, 1] {
        computed(moments.call([&matrix(DType::F32)], axis));
    }
}

fn computed<const N: usize>(results: [Array; N]) {
    for result in results {
        // What the recording device lacks is counted elsewhere.
        let _ = result.eval();
    }
}
