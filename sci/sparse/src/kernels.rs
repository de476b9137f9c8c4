//! Kernels of closures: loops over the entries of a row, which read all operands at positions within the launch.

use std::sync::LazyLock;

use ndany_array::DType;
use ndany_array::kernel::{Elementwise, OutOfRange, Reduction, Scope, Val, elementwise, reduction};

/// Entries of a run: what one element of a launch adds from left to right.
pub(crate) const RUN: u32 = 64;

/// An element of a whole operand. Positions come from checked structures; what is outside reads zero.
pub(crate) fn at<'k>(whole: Val<'k>, position: Val<'k>) -> Val<'k> {
    whole.at((position, OutOfRange::fill(0)))
}

/// The sum of terms at the positions from `begin` to `end`, at most `limit`, from left to right, starting from zero.
fn sum_of<'k>(
    k: &'k Scope,
    limit: u32,
    zero: Val<'k>,
    [begin, end]: [Val<'k>; 2],
    term: impl Fn(Val<'k>) -> Val<'k>,
) -> Val<'k> {
    let [sum, _] = k.repeat_while(
        limit,
        [zero, begin],
        |[_, p]| p.less(end),
        |[sum, p]| [sum + term(p), p + 1],
    );
    sum
}

/// Sums of runs of a matrix times a vector: `begin, end, indices, data, x`.
pub(crate) static MATVEC: LazyLock<Elementwise<5, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.matvec", |k, [begin, end, indices, data, x]| {
        let dtype = DType::promote(data.dtype(), x.dtype());
        let term = |p| at(data, p).astype(dtype) * at(x, at(indices, p)).astype(dtype);
        [sum_of(k, RUN, data.zero().astype(dtype), [begin, end], term)]
    });
    kernel.whole(2).whole(3).whole(4)
});

/// Sums of runs of a matrix times a dense matrix of `count` columns: `begin, end, column, count, indices, data, x`.
pub(crate) static MATMUL: LazyLock<Elementwise<7, 1>> = LazyLock::new(|| {
    let kernel =
        elementwise("sparse.matmul", |k, [begin, end, column, count, indices, data, x]| {
            let dtype = DType::promote(data.dtype(), x.dtype());
            let term = |p| {
                let place = at(indices, p).astype(DType::I64) * count + column;
                at(data, p).astype(dtype) * at(x, place).astype(dtype)
            };
            [sum_of(k, RUN, data.zero().astype(dtype), [begin, end], term)]
        });
    kernel.whole(4).whole(5).whole(6)
});

/// Sums of products of entries of two matrices: `begin, end, order, left, right, a, b`. Term `p` is
/// `a[left[order[p]]] * b[right[order[p]]]`.
pub(crate) static PRODUCTS: LazyLock<Elementwise<7, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.products", |k, [begin, end, order, left, right, a, b]| {
        let dtype = DType::promote(a.dtype(), b.dtype());
        let term = |p| {
            let product = at(order, p);
            let [x, y] = [at(a, at(left, product)), at(b, at(right, product))];
            x.astype(dtype) * y.astype(dtype)
        };
        [sum_of(k, u32::MAX, a.zero().astype(dtype), [begin, end], term)]
    });
    kernel.whole(2).whole(3).whole(4).whole(5).whole(6)
});

/// Sums of neighbours from their first element on: `begin, end, data`.
pub(crate) static NEIGHBOURS: LazyLock<Elementwise<3, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.sum_duplicates", |k, [begin, end, data]| {
        let first = at(data, begin);
        [sum_of(k, u32::MAX, first, [begin + 1, end], |p| at(data, p))]
    });
    kernel.whole(2)
});

/// Sums of the entries of rows that are in one column each: `begin, end, column, indices, data`.
pub(crate) static ENTRIES: LazyLock<Elementwise<5, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.diagonal", |k, [begin, end, column, indices, data]| {
        let [sum, _] = k.repeat_while(
            u32::MAX,
            [data.zero(), begin],
            |[_, p]| p.less(end),
            |[sum, p]| {
                let is_here = at(indices, p).astype(DType::I64).equal(column);
                [is_here.select(sum + at(data, p), sum), p + 1]
            },
        );
        [sum]
    });
    kernel.whole(3).whole(4)
});

/// Where the rows at positions begin, and how many entries each has: `position, indptr`.
pub(crate) static ROW_SPANS: LazyLock<Elementwise<2, 2>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.row_spans", |_, [position, indptr]| {
        let begin = at(indptr, position);
        [begin, at(indptr, position + 1) - begin]
    });
    kernel.whole(1)
});

/// Inner products of each row of a basis with two vectors, in one read: `conj(basis), x, y`.
pub(crate) static INNER_OF_TWO: LazyLock<Reduction<3, 2>> = LazyLock::new(|| {
    reduction(
        "sparse.inner_of_two",
        |_, [row, x, y]| [row * x, row * y],
        |_, [x, y], [other_x, other_y]| [x + other_x, y + other_y],
        |_, sums| sums,
    )
});

/// A vector divided by the root of a number: `x, square`.
pub(crate) static SCALED: LazyLock<Elementwise<2, 1>> =
    LazyLock::new(|| elementwise("sparse.scaled", |_, [x, square]| [x / square.sqrt()]));

/// The real part.
fn real(value: Val<'_>) -> Val<'_> {
    if value.dtype().is_complex() { value.real() } else { value }
}

/// What a step of Lanczos' method leaves for the host, of the numbers 0 and 1: the element `j` of an array, and the root of the only one
/// of another: `number, j, along, square`.
pub(crate) static LANCZOS_COLUMN: LazyLock<Elementwise<4, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.lanczos_column", |_, [number, j, along, square]| {
        let size = at(square, j.zero()).sqrt();
        [number.equal(0).select(real(at(along, j)), size)]
    });
    kernel.whole(2).whole(3)
});

/// What is taken from a vector along each vector `i` of a basis, which is orthogonal but for rounding: `i, j, products, newest, before`.
/// `products` are those of the basis with the vector, which lies along the vectors `j` and `j - 1` of the basis but for rounding; `newest`
/// are those with the vector `j`, the last one, and `before` those of the others with the vector `j - 1`. They say how much of the two is
/// along the others.
pub(crate) static LANCZOS_PARTS: LazyLock<Elementwise<5, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.lanczos_parts", |_, [i, j, products, newest, before]| {
        let own = at(newest, i);
        let own = i.equal(j).select(own - 1, own);
        let other = i.equal(j).select(at(newest, j - 1), at(before, i));
        let other = i.equal(j - 1).select(other - 1, other);
        [at(products, i) - at(products, j) * own - at(products, j - 1) * other]
    });
    kernel.whole(2).whole(3).whole(4)
});

/// Which entries of two matrices are at a place: `first, count, order, keys`. `order` sorts the keys of both, of which the first has
/// `count`; the place's entries begin at `first`. An entry that is not there is -1.
pub(crate) static PLACES: LazyLock<Elementwise<4, 2>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.places", |_, [first, count, order, keys]| {
        let (entry, next) = (at(order, first), at(order, first + 1) - count);
        let is_left = entry.less(count);
        let both = keys.at((first + 1, OutOfRange::fill(-1))).equal(at(keys, first));
        let right = is_left.select(both.select(next, -1), entry - count);
        [is_left.select(entry, -1), right]
    });
    kernel.whole(2).whole(3)
});

/// The value of an entry, zero where there is none: `entry, values`.
pub(crate) static OR_ZERO: LazyLock<Elementwise<2, 1>> = LazyLock::new(|| {
    elementwise("sparse.or_zero", |_, [entry, values]| [at(values, entry)]).whole(1)
});

/// The values of a Laplacian: `from, values, diagonal`. That of an entry with its sign changed, or of the diagonal: of row `i` where
/// `from` is `-1 - i`.
pub(crate) static OF_LAPLACIAN: LazyLock<Elementwise<3, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.laplacian", |_, [from, values, diagonal]| {
        let row = -(from + 1);
        [from.less(0).select(at(diagonal, row), -at(values, from))]
    });
    kernel.whole(1).whole(2)
});

/// Makes a kernel of the extreme of each row: `begin, end, columns, data`. Rows of fewer entries than columns have zeros, too.
fn extreme(name: &'static str, is_largest: bool) -> Elementwise<4, 1> {
    let kernel = elementwise(name, move |k, [begin, end, columns, data]| {
        let first = (end - begin).less(columns).select(data.zero(), at(data, begin));
        let [value, _] = k.repeat_while(
            u32::MAX,
            [first, begin],
            |[_, p]| p.less(end),
            |[value, p]| {
                let next = at(data, p);
                [if is_largest { value.maximum(next) } else { value.minimum(next) }, p + 1]
            },
        );
        [value]
    });
    kernel.whole(3)
}

/// The least element of each row: `begin, end, columns, data`.
pub(crate) static LEAST: LazyLock<Elementwise<4, 1>> =
    LazyLock::new(|| extreme("sparse.min", false));

/// The largest element of each row.
pub(crate) static LARGEST: LazyLock<Elementwise<4, 1>> =
    LazyLock::new(|| extreme("sparse.max", true));

/// The least of a node's own value and those of its neighbours: `begin, end, own, indices, values`.
pub(crate) static NEAREST: LazyLock<Elementwise<5, 1>> = LazyLock::new(|| {
    let kernel = elementwise("sparse.nearest", |k, [begin, end, own, indices, values]| {
        let [least, _] = k.repeat_while(
            u32::MAX,
            [own, begin],
            |[_, p]| p.less(end),
            |[least, p]| [least.minimum(at(values, at(indices, p))), p + 1],
        );
        [least]
    });
    kernel.whole(3).whole(4)
});

/// A round of shortest paths: `begin, end, base, own, by, indices, weights, distances`. Edges lead to a node; its distance becomes the
/// least over them, if that is less than its own, and the node before it is the first one that has it.
pub(crate) static RELAX: LazyLock<Elementwise<8, 2>> = LazyLock::new(|| {
    let kernel = elementwise(
        "sparse.relax",
        |k, [begin, end, base, own, by, indices, weights, distances]| {
            let [distance, by, _] = k.repeat_while(
                u32::MAX,
                [own, by, begin],
                |[_, _, p]| p.less(end),
                |[distance, by, p]| {
                    let source = at(indices, p);
                    let next = at(distances, base + source.astype(DType::I64)) + at(weights, p);
                    let is_less = next.less(distance);
                    let node = source.astype(DType::I32);
                    [is_less.select(next, distance), is_less.select(node, by), p + 1]
                },
            );
            [distance, by]
        },
    );
    kernel.whole(5).whole(6).whole(7)
});

/// The best element of each row, and its column: `begin, end, columns, indices, data`. Columns rise; those that are not stored are
/// zeros. Of equal ones the first counts, and a NaN before all.
fn extreme_at(name: &'static str, is_largest: bool) -> Elementwise<5, 1> {
    let kernel = elementwise(name, move |k, [begin, end, columns, indices, data]| {
        // Columns that are stored without a gap from the first on; the first of the others is a zero.
        let start = [at(data, begin), at(indices, begin).astype(DType::I64), begin.zero(), begin];
        let [best, column, lead, _] = k.repeat_while(
            u32::MAX,
            start,
            |[_, _, _, p]| p.less(end),
            |[best, column, lead, p]| {
                let (next, place) = (at(data, p), at(indices, p).astype(DType::I64));
                let beats = if is_largest { next.greater(best) } else { next.less(best) };
                let is_first_nan = next.not_equal(next) & best.equal(best);
                let takes = (beats | is_first_nan) & p.greater(begin);
                [
                    takes.select(next, best),
                    takes.select(place, column),
                    place.equal(lead).select(lead + 1, lead),
                    p + 1,
                ]
            },
        );
        let zero = data.zero();
        let beats = if is_largest { zero.greater(best) } else { zero.less(best) };
        let earlier = best.equal(zero) & lead.less(column);
        let takes = lead.less(columns) & (beats | earlier | begin.equal(end));
        [takes.select(lead, column)]
    });
    kernel.whole(3).whole(4)
}

/// The column of the least element of each row.
pub(crate) static LEAST_AT: LazyLock<Elementwise<5, 1>> =
    LazyLock::new(|| extreme_at("sparse.argmin", false));

/// The column of the largest element of each row.
pub(crate) static LARGEST_AT: LazyLock<Elementwise<5, 1>> =
    LazyLock::new(|| extreme_at("sparse.argmax", true));
