//! The programs whose kernels are kept as golden files: each execution pattern, and what its text depends on.

use ndany_array::{
    Array, DType, Generator, Overlap, Result, Shape, Side, arange, concatenate, fft, kernel, over,
    s, ufunc, where_, zeros,
};

/// A program of a name: arrays that are there first, and what is evaluated with them.
pub struct Program {
    /// Of its file.
    pub name: &'static str,
    inputs: fn() -> Vec<Array>,
    run: fn(&[Array]) -> Result<()>,
}

impl Program {
    /// Makes the arrays, tells `ready`, and evaluates.
    pub fn run(&self, ready: impl FnOnce()) -> Result<()> {
        let inputs = (self.inputs)();
        inputs.iter().try_for_each(Array::eval)?;
        ready();
        (self.run)(&inputs)
    }
}

fn of(shape: &[usize], dtypes: &[DType]) -> Vec<Array> {
    dtypes.iter().map(|&dtype| zeros(shape, dtype)).collect()
}

macro_rules! programs {
    ($($name:literal: $shape:expr, [$($dtype:ident)*], $run:expr;)*) => {
        /// All of them.
        pub const PROGRAMS: &[Program] = &[$(Program {
            name: $name,
            inputs: || of(&$shape, &[$(DType::$dtype),*]),
            run: $run,
        }),*];
    };
}

programs! {
    // Maps: layouts, then what instructions become.
    "map-add": [40, 64], [F32 F32], |x| (&x[0] + &x[1]).eval();
    "map-row-for-all": [40, 64], [F64 F64], |x| (&x[0] + x[1].i(0)).eval();
    "map-stepped": [40, 64], [I16 I16], |x| (x[0].i(s![.., ..;2]) * x[1].i(s![.., 1..;2])).eval();
    "map-chain": [40, 64], [F32 F32], |x| {
        ((&x[0] * &x[1] + &x[0]) * (&x[1] - 2.0) / (x[0].square() + 1.0)).eval()
    };
    "map-exp": [1000], [F32], |x| x[0].exp().eval();
    "map-half": [1000], [F16 BF16], |x| (&x[0] * &x[0]).astype(DType::BF16).multiply(&x[1]).eval();
    "map-complex": [1000], [C64 C64], |x| (&x[0] / &x[1]).eval();
    "map-select": [1000], [I64 U8], |x| {
        where_(x[0].less(&x[1]), x[0].floor_divide(3), x[0].astype(DType::I64)).eval()
    };
    "map-power-of-integers": [1000], [I32 I32], |x| x[0].pow(&x[1]).eval();
    // The slow path of a formula is a branch in a loop too.
    "map-sine-in-loop": [1000], [F64], |x| {
        let steps = kernel::elementwise("steps", |k, [x]| {
            k.repeat_while(9, [x], |[x]| x.less(1), |[x]| [x.sin() + 2])
        });
        let [value] = steps.call([&x[0]]);
        value.eval()
    };
    // A large loop that stands twice is a function.
    "map-loop-twice": [1000], [F64], |x| {
        let steps = kernel::elementwise("steps", |k, [x]| {
            let after = |first| {
                let [last] = k.repeat_while(9, [first], |[x]| x.less(1), |[x]| [x.sin() + 2]);
                last
            };
            [after(x) - after(x * 3)]
        });
        let [value] = steps.call([&x[0]]);
        value.eval()
    };
    // So is a short one whose condition always holds.
    "map-once-twice": [1000], [F64], |x| {
        let steps = kernel::elementwise("steps", |k, [x]| {
            let once = |first| {
                let always = |_: [_; 1]| k.value(0).less(1);
                let [root] = k.repeat_while(1, [first], always, |[x]| [x.sqrt() + 2]);
                root
            };
            [once(x) - once(x * 3)]
        });
        let [value] = steps.call([&x[0]]);
        value.eval()
    };
    // A loop with a state of three, inside the loop over neighbours.
    "map-loop": [1000], [F32 F32], |x| {
        let steps = kernel::elementwise("steps", |k, [re, im]| {
            let state = [re.zero(), im.zero(), k.value(0)];
            let [.., steps] = k.repeat_while(
                100,
                state,
                |[x, y, _]| (x * x + y * y).less(4),
                |[x, y, n]| [x * x - y * y + re, 2 * x * y + im, n + 1],
            );
            [steps]
        });
        let [steps] = steps.call([&x[0], &x[1]]);
        steps.eval()
    };
    // Elements at positions: checked, and of a value where there are none.
    "map-at-positions": [30, 40], [F32], |x| {
        let next = kernel::elementwise("next", |k, [x, all]| {
            let (i, j) = (k.coordinate(0), k.coordinate(1));
            let after = all.at(([i, j + 1], kernel::OutOfRange::fill(0)));
            [after - x + all.at(k.index())]
        });
        let [next] = next.whole(1).call([&x[0], &x[0]]);
        next.eval()
    };
    // Neighbours at offsets: the interior, where some inputs do not lie at pieces, and borders.
    "map-stencil": [16, 64], [F32], |x| {
        let smooth = kernel::stencil("smooth", |_, [x]| {
            [x.at([-1, 0]) + x.at([0, 0]) + x.at([0, 1])]
        });
        let [smooth] = smooth.boundary(kernel::Boundary::Wrap).call([&x[0]]);
        smooth.eval()
    };
    "map-uniform": [1], [], |_| Generator::new(1).uniform(0.0, 1.0, Shape::new(1000).dtype(DType::F32)).eval();
    // Two selects with one rare condition.
    "map-normal": [1], [], |_| Generator::new(1).standard_normal(Shape::new(1000).dtype(DType::F32)).eval();
    "tiles-sum-with-transpose": [200, 200], [F32 F32], |x| (&x[0] + x[1].transpose(..)).eval();
    // Reductions: by groups of lanes of a warp, by a block, over chunks, in columns.
    "rows-sum-of-20": [40, 20], [F32], |x| x[0].sum(1).eval();
    "rows-sum-of-50": [40, 50], [F32], |x| x[0].sum(1).eval();
    "rows-norm-of-100": [40, 100], [F16], |x| x[0].square().sum(1).sqrt().eval();
    "rows-argmax": [40, 1000], [F32], |x| x[0].argmax(1).eval();
    "rows-softmax": [40, 1000], [F32], |x| {
        let e = (&x[0] - x[0].max(over(1).keepdims())).exp2();
        let total = e.sum(over(1).keepdims());
        (e / total).eval()
    };
    "rows-long-sum": [3, 1 << 20], [F32], |x| x[0].sum(1).eval();
    "rows-many-short": [3000, 41], [F32], |x| x[0].sum(1).eval();
    "rows-many-in-packs": [3000, 40], [F32], |x| x[0].sum(1).eval();
    "rows-many-norms": [3000, 300], [F16], |x| x[0].square().sum(1).sqrt().eval();
    "columns-mean": [4000, 64], [F32], |x| x[0].mean(0).eval();
    "columns-argmax": [300, 4000], [F32], |x| x[0].argmax(0).eval();
    "columns-short-max": [8, 4000], [I32], |x| x[0].max(0).eval();
    "columns-short-sum-of-30": [30, 4000], [F32], |x| x[0].sum(0).eval();
    // Scans and folds.
    "scan-rows": [40, 1000], [F32], |x| x[0].cumsum(1).eval();
    "scan-columns": [40, 1000], [F32], |x| x[0].cumsum(0).eval();
    "scan-long": [1 << 20], [I32], |x| x[0].cumsum(..).eval();
    // States of 8 bytes and of 20, of which some of a chunk come into shared memory at a time.
    "scan-states": [9000], [F32 F32], |x| {
        let recurrence = kernel::scan(
            "recurrence",
            |_, [a, b]| [a, b],
            |_, [a, b], [c, d]| [a * c, c * b + d],
            |_, [_, y]| [y],
        );
        let [y] = recurrence.call([&x[0], &x[1]], 0);
        y.eval()
    };
    "scan-large-states": [1000], [F64 I32], |x| {
        let largest = kernel::scan(
            "largest",
            |k, [x, n]| [x, k.index(), n],
            |_, [x, i, n], [y, j, m]| {
                let left = x.greater_equal(y);
                [left.select(x, y), left.select(i, j), n + m]
            },
            |_, [x, i, n]| [x * n, i],
        );
        let [_, place] = largest.call([&x[0], &x[1]], 0);
        place.eval()
    };
    "fold-from-the-left": [40, 64], [F32], |x| ufunc::subtract.accumulate(&x[0], 1).eval();
    "fold-of-segments": [40, 64], [F64], |x| {
        ufunc::add.reduceat(&x[0], &arange((0, 60, 7)), 1).eval()
    };
    // Moving, selecting, ordering, searching, products.
    "gather": [4000], [F32 I64], |x| x[0].take(&x[1], 0).eval();
    "scatter-add": [4000], [I32 I64], |x| {
        let mut sums = x[0].copy();
        ufunc::add.at(&mut sums, &x[1], 1);
        sums.eval()
    };
    "select-by-mask": [4000], [F32 Bool], |x| x[0].try_i(&x[1])?.eval();
    "sort-block": [40, 100], [F32], |x| x[0].sort(1).eval();
    "sort-radix": [1 << 20], [C64], |x| x[0].argsort(0).eval();
    "search": [1000], [F64 F64], |x| x[0].searchsorted(&x[1], Side::Left).eval();
    "correlate": [3000], [F16 F16], |x| x[0].correlate(&x[1].i(s![..65]), Overlap::Same).eval();
    "correlate-many": [1 << 20], [C128 C128], |x| {
        x[0].convolve(&x[1].i(s![..65]), Overlap::Full).eval()
    };
    "gemm": [40, 40], [I32 I32], |x| x[0].matmul(&x[1]).eval();
    "fourier": [40, 240], [C64], |x| fft::ifft(&x[0], ..).eval();
    "fourier-of-a-power": [40, 1024], [F32], |x| fft::rfft(&x[0], ..).eval();
    "fourier-of-parts": [2, 6000], [C128], |x| fft::irfft(&x[0], ..).eval();
    "joined": [40, 64], [U8 U8], |x| concatenate(&[&x[0], &x[1]], 0).eval();
}
