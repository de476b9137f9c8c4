//! Kernels made of closures, which programs call among other operations.

use std::sync::LazyLock;

use ndany::kernel::{Elementwise, OutOfRange, Reduction, elementwise, reduction};
use ndany::{Array, DType, Result, along, attempt, over};

/// A kernel. It takes values of any shapes that broadcast; of several results the value is their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Of two operands, with a loop and two results.
    Repeated,
    /// Of two operands, three results.
    Several,
    /// Of one operand and its positions.
    Positions,
    /// Of two operands, the second read by position: where its elements say, and near its end.
    Whole,
    /// Of one operand along axes: the largest element and where it is first.
    FirstMax,
    /// Of two operands along axes, a state of three values.
    Products,
    /// Of two operands along axes, in the order of elements.
    Affine,
    /// Running values of one operand along the first of the axes.
    Smoothed,
}

impl Kernel {
    /// Those of elements.
    pub const ELEMENTWISE: [Kernel; 4] =
        [Kernel::Repeated, Kernel::Several, Kernel::Positions, Kernel::Whole];
    /// Those along axes.
    pub const REDUCTIONS: [Kernel; 3] = [Kernel::FirstMax, Kernel::Products, Kernel::Affine];

    pub fn operands(self) -> usize {
        match self {
            Kernel::Positions | Kernel::FirstMax | Kernel::Smoothed => 1,
            Kernel::Repeated
            | Kernel::Several
            | Kernel::Whole
            | Kernel::Products
            | Kernel::Affine => 2,
        }
    }

    /// What it makes of these arrays; reduced axes stay with an extent of 1.
    pub fn call(self, arrays: &[Array], axes: &[isize]) -> Result<Array> {
        let over = || over(axes.to_vec()).keepdims();
        let results: Vec<Array> = match (self, arrays) {
            (Kernel::Repeated, [x, y]) => REPEATED.try_call([x, y])?.into(),
            (Kernel::Several, [x, y]) => SEVERAL.try_call([x, y])?.into(),
            (Kernel::Whole, [x, y]) => WHOLE.try_call([x, y])?.into(),
            (Kernel::Positions, [x]) => POSITIONS.try_call([x])?.into(),
            (Kernel::FirstMax, [x]) => FIRST_MAX.try_call([x], over())?.into(),
            (Kernel::Products, [x, y]) => PRODUCTS.try_call([x, y], over())?.into(),
            (Kernel::Affine, [x, y]) => AFFINE.try_call([x, y], over())?.into(),
            (Kernel::Smoothed, [x]) => vec![attempt(|| SMOOTHED.accumulate(x, along(axes[0])))?],
            _ => unreachable!("{self:?} of {} arrays", arrays.len()),
        };
        attempt(|| results.into_iter().reduce(|sum, result| sum + result).expect("a result"))
    }
}

static REPEATED: LazyLock<Elementwise<2, 2>> = LazyLock::new(|| {
    elementwise("repeated", |k, [x, y]| {
        let [x, count] = k.repeat_while(
            6,
            [x, k.value(0)],
            |[x, count]| x.not_equal(y) & count.less(5),
            |[x, count]| [(x * 2 - y).astype(x.dtype()), count + 1],
        );
        [x, count]
    })
});

static SEVERAL: LazyLock<Elementwise<2, 3>> = LazyLock::new(|| {
    elementwise("several", |_, [x, y]| [x + y, x.equal(y), x.maximum(y).astype(DType::F32)])
});

static POSITIONS: LazyLock<Elementwise<1, 1>> =
    LazyLock::new(|| elementwise("positions", |k, [x]| [x * k.index() + k.size()]));

static WHOLE: LazyLock<Elementwise<2, 1>> = LazyLock::new(|| {
    let whole = elementwise("whole", |k, [x, y]| {
        let near = y.at((x.astype(DType::I64), OutOfRange::Wrap));
        [near + x * y.at((k.size() - 3, OutOfRange::fill(2)))]
    });
    whole.whole(1)
});

static FIRST_MAX: LazyLock<Reduction<1, 2>> = LazyLock::new(|| {
    reduction(
        "first_max",
        |k, [x]| [x, k.index()],
        |_, [v, i], [w, j]| {
            let left = v.greater(w) | (v.equal(w) & i.less(j));
            [left.select(v, w), left.select(i, j)]
        },
        |_, state| state,
    )
});

static PRODUCTS: LazyLock<Reduction<2, 2>> = LazyLock::new(|| {
    reduction(
        "products",
        |_, [x, y]| [x * y, x.one(), x.equal(y)],
        |_, [a, n, e], [b, m, f]| [a + b, n + m, e | f],
        |k, [a, n, e]| [(a / k.size()).maximum(n), e],
    )
});

static AFFINE: LazyLock<Reduction<2, 1>> = LazyLock::new(|| {
    reduction(
        "affine",
        |k, [x, y]| [x, y + k.index()],
        |_, [a, b], [c, d]| [(a * c).astype(a.dtype()), b * 2 + d],
        |_, [a, b]| [a + b],
    )
    .ordered()
});

static SMOOTHED: LazyLock<Elementwise<2, 1>> =
    LazyLock::new(|| elementwise("smoothed", |_, [a, b]| [(a + (b - a) / 4).astype(a.dtype())]));
