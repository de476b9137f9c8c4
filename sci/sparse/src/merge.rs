//! Sums, differences, elementwise products, extremes and comparisons: two sorted lists of places are merged by their ranks.

use std::ops::{Add, Div, Mul, Neg, Sub};

use ndany_array::extend::{Ahead, expect, guess};
use ndany_array::{Array, DType, Operand, Scalar, Side, concatenate};

use crate::array::{Format, Sparse, Structure};
use crate::kernels::{OR_ZERO, PLACES};
use crate::support::{below, first_of_groups, index_dtype, refuse};

/// Refuses operands of two shapes.
#[track_caller]
fn same_shape(op: &str, left: [usize; 2], right: &[usize]) {
    if left != right {
        refuse::<()>(op, format!("expected operands of one shape, got {left:?} and {right:?}"));
    }
}

/// An elementwise operation of two sparse arrays whose value of two zeros is zero.
#[track_caller]
pub(crate) fn merge(
    op: &'static str,
    left: &Sparse,
    right: &Sparse,
    f: &dyn Fn(&Array, &Array) -> Array,
) -> Sparse {
    same_shape(op, left.shape, &right.shape);
    static KERNELS: Ahead = Ahead::new();
    KERNELS.ask(&(left, right), op, |(left, right), op| {
        let f: fn(&Array, &Array) -> Array = match op {
            "add" => |x, y| x + y,
            "subtract" => |x, y| x - y,
            "multiply" => |x, y| x * y,
            "maximum" => |x, y| x.maximum(y),
            "minimum" => |x, y| x.minimum(y),
            _ => return Ok(()),
        };
        merge(op, left, right, &f).data().eval()
    });
    if left.format() == Format::Csc {
        // Columns are the rows of the transposed arrays, of which nothing moves.
        return merge(op, &left.transpose(), &right.to_csc().transpose(), f).transpose();
    }
    let dtype = DType::promote(left.dtype(), right.dtype());
    let shape = left.shape;
    let [a, b] = [left, right].map(|operand| operand.to_csr().canonical_rows());
    let [x, y] = [&a, &b].map(|operand| operand.values().astype(dtype));
    a.expect_keys(op);
    let index = index_dtype(&[], shape[0].max(shape[1]).max(x.size() + y.size()));
    let combine = |entries: [&Array; 2]| {
        let [x, y] = [(&x, entries[0]), (&y, entries[1])].map(|(values, entry)| {
            let [values] = OR_ZERO.call((entry, values));
            values
        });
        let result = f(&x, &y);
        expect(result.eval());
        result
    };
    let [left, right] = [&a, &b].map(|operand| [operand.indptr(), operand.indices()]);
    if index == DType::I32
        && let Some(union) = expect(crate::threads::unite(left.each_ref(), right.each_ref()))
    {
        let result = combine(union.entries.each_ref());
        let made =
            Sparse::csr(shape, [union.indptr, union.columns, result], Structure::canonical());
        let all = made.values().astype(DType::Bool).all(..);
        return match guess(expect(all.item::<bool>()), true) {
            true => made,
            false => made.eliminate_zeros(),
        };
    }
    let [left_keys, right_keys] = [a.keys(), b.keys()];
    // All entries by place, the left one's first; where a place begins, and which entries are at it.
    let keys = concatenate([&left_keys, &right_keys], 0);
    let order = keys.argsort(..);
    let sorted = keys.take(&order, ..);
    let first = match keys.size() {
        0 => below(0, &keys),
        _ => first_of_groups(&sorted),
    };
    let [at_left, at_right] = PLACES.call((&first, x.size() as i64, &order, &sorted));
    let result = combine([&at_left, &at_right]);
    let kept = result.flatnonzero();
    let places = sorted.take(first.take(&kept, ..), ..);
    let width = shape[1].max(1) as i64;
    let row_ends = below(shape[0] + 1, &places) * shape[1] as i64;
    let indptr = places.searchsorted(row_ends, Side::Left);
    let columns = places.remainder(width);
    let parts = [indptr.astype(index), columns.astype(index), result.take(&kept, ..)];
    Sparse::csr(shape, parts, Structure::canonical())
}

/// What a sparse array is combined with element by element: a sparse array, a dense array, or a number.
#[derive(Clone, Debug)]
pub enum Other {
    /// A sparse array.
    Sparse(Sparse),
    /// A dense array of the same shape, or of one that broadcasts to it.
    Dense(Array),
    /// A number.
    Number(Scalar),
}

impl From<&Sparse> for Other {
    fn from(sparse: &Sparse) -> Self {
        Other::Sparse(sparse.clone())
    }
}
impl From<Sparse> for Other {
    fn from(sparse: Sparse) -> Self {
        Other::Sparse(sparse)
    }
}
impl<T: Into<Operand>> From<T> for Other {
    fn from(operand: T) -> Self {
        match operand.into() {
            Operand::Array(dense) => Other::Dense(dense),
            Operand::Scalar(number) => Other::Number(number),
        }
    }
}

macro_rules! merged {
    ($($name:ident $left:tt $right:tt $shown:literal $text:literal;)+) => {
        /// Elementwise operations of two sparse arrays, whose value of two zeros is zero.
        impl Sparse { $(
            #[doc = concat!("Returns ", $text, " of SciPy.")]
            ///
            /// Places are sorted and duplicates summed first, if they are not. Elements that are zero are not stored.
            ///
            /// - **Shapes**: `(m, n), (m, n) → (m, n)`.
            /// - **Dtypes**: as the operation on dense arrays.
            /// - **Errors**: two shapes, two devices.
            ///
            /// ```
            /// use ndany::prelude::*;
            #[doc = concat!("let a = sparse::csr_array(&array(", stringify!($left), "), ..);")]
            #[doc = concat!("let b = sparse::csr_array(&array(", stringify!($right), "), ..);")]
            #[doc = concat!("assert_eq!(a.", stringify!($name), "(&b).to_dense().to_string(), \"", $shown, "\");")]
            /// ```
            #[track_caller]
            pub fn $name(&self, other: &Sparse) -> Sparse {
                merge(stringify!($name), self, other, &|x, y| x.$name(y))
            }
        )+ }
    };
}

merged! {
    maximum [[1, -1]] [[2, 0]] "[[2 0]]" "the larger of two elements, as `a.maximum(b)`";
    minimum [[1, -1]] [[2, 0]] "[[ 1 -1]]" "the smaller of two elements, as `a.minimum(b)`";
}

macro_rules! comparisons {
    ($($name:ident $shown:literal $text:literal;)+) => {
        /// Comparisons of elements.
        impl Sparse { $(
            #[doc = concat!("Returns where elements are ", $text, " of SciPy: a sparse array, a dense one, or a number.")]
            ///
            /// Elements that are not true are not stored. Where two zeros compare as true, the result has nearly all elements.
            ///
            /// - **Shapes**: `(m, n), (m, n) → (m, n)`; dense arrays broadcast to it.
            /// - **Dtypes**: any, ordered ones where it is an order; bool.
            /// - **Errors**: two shapes, two devices.
            ///
            /// ```
            /// use ndany::prelude::*;
            /// let a = sparse::csr_array(&array([[1, 0, 3]]), ..);
            /// let b = sparse::csr_array(&array([[2, 0, 3]]), ..);
            #[doc = concat!("assert_eq!(a.", stringify!($name), "(&b).to_dense().to_string(), \"", $shown, "\");")]
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Into<Other>) -> Sparse {
                compare(stringify!($name), self, other.into(), &|x, y| x.$name(y))
            }
        )+ }
    };
}
comparisons! {
    equal "[[False  True  True]]" "equal to others, as `a == b`";
    not_equal "[[ True False False]]" "not equal to others, as `a != b`";
    less "[[ True False False]]" "less than others, as `a < b`";
    less_equal "[[ True  True  True]]" "less than others or equal, as `a <= b`";
    greater "[[False False False]]" "greater than others, as `a > b`";
    greater_equal "[[False  True  True]]" "greater than others or equal, as `a >= b`";
}

/// A comparison of elements. What is true of two zeros is stored where it is true, so the other places are found first.
#[track_caller]
fn compare(
    op: &'static str,
    left: &Sparse,
    other: Other,
    f: &dyn Fn(&Array, &Array) -> Array,
) -> Sparse {
    let zero = |dtype| crate::support::zeros_on(1, dtype, left.values());
    let is_true = |x: &Array, y: &Array| expect(f(x, y).all(..).item::<bool>());
    // The places at which it is false, if it is true of zeros.
    let rest = |failing: Sparse| {
        let whole = failing.to_dense().logical_not();
        crate::csr_array(&whole, ..).to_format(left.format())
    };
    match other {
        Other::Sparse(right) => match is_true(&zero(left.dtype()), &zero(right.dtype())) {
            true => rest(merge(op, left, &right, &|x, y| f(x, y).logical_not())),
            false => merge(op, left, &right, f),
        },
        Other::Number(number) => {
            let own = left.to_csr().sum_duplicates();
            let like = own.values();
            let number = zero(left.dtype()) + number;
            let of_values = |invert: bool| {
                let found = f(like, &number);
                let found = if invert { found.logical_not() } else { found };
                own.with_data(found).eliminate_zeros()
            };
            match is_true(&zero(left.dtype()), &number) {
                true => rest(of_values(true)),
                false => of_values(false).to_format(left.format()),
            }
        }
        Other::Dense(dense) => {
            let dense = left.broadcast(op, &dense);
            crate::csr_array(f(&left.to_dense(), &dense), ..).to_format(left.format())
        }
    }
}

impl Sparse {
    /// Multiplies element by element, as `a.multiply(b)` and `a * b` of SciPy: by a sparse or a dense array, or a number.
    ///
    /// Elements that only one array stores are multiplied by zero, as in SciPy: infinite ones give NaN. Dense arrays are read at the
    /// stored places alone.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (m, n)`; dense arrays broadcast to it.
    /// - **Dtypes**: as multiplication of dense arrays.
    /// - **Errors**: two shapes, two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1, 0], [2, 3]]), ..);
    /// assert_eq!(a.multiply(&a).to_dense().to_string(), "[[1 0]\n [4 9]]");
    /// assert_eq!(a.multiply(array([[10, 1]])).to_dense().to_string(), "[[10  0]\n [20  3]]");
    /// ```
    #[track_caller]
    pub fn multiply(&self, other: impl Into<Other>) -> Sparse {
        match other.into() {
            Other::Sparse(other) => merge("multiply", self, &other, &|x, y| x.multiply(y)),
            Other::Number(number) => self.with_data(self.values().multiply(number)),
            Other::Dense(dense) => {
                let dense = self.broadcast("multiply", &dense);
                let flat = |operand: &Sparse| {
                    let [rows, columns] = operand.places();
                    let at = crate::support::wide(&rows) * self.shape[1] as i64
                        + crate::support::wide(&columns);
                    dense.ravel().take(at, ..)
                };
                match self.format() {
                    Format::Csr | Format::Csc | Format::Coo => {
                        self.with_data(self.values().multiply(flat(self)))
                    }
                    Format::Dia | Format::Bsr => {
                        let own = self.to_csr();
                        let factors = flat(&own);
                        own.with_data(own.values().multiply(factors))
                    }
                }
            }
        }
    }

    /// A dense array in the shape of this one.
    #[track_caller]
    fn broadcast(&self, op: &str, dense: &Array) -> Array {
        if dense.ndim() > 2 {
            let reason = format!("expected at most two axes, got shape {:?}", dense.shape());
            return refuse(op, reason);
        }
        dense.broadcast_to(self.shape)
    }

    /// Adds a dense array, as `a + dense` of SciPy.
    ///
    /// - **Shapes**: `(m, n), (m, n) → (m, n)`.
    /// - **Dtypes**: as addition of dense arrays.
    /// - **Errors**: another shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::eye_array(2);
    /// assert_eq!(a.add_dense(array([[1.0, 2.0], [3.0, 4.0]])).to_string(), "[[2. 2.]\n [3. 5.]]");
    /// ```
    #[track_caller]
    pub fn add_dense(&self, dense: impl AsRef<Array>) -> Array {
        let dense = dense.as_ref();
        same_shape("add_dense", self.shape, dense.shape());
        self.to_dense() + dense
    }

    #[track_caller]
    fn plus(&self, other: &Sparse) -> Sparse {
        merge("add", self, other, &|x, y| x.add(y))
    }

    #[track_caller]
    fn minus(&self, other: &Sparse) -> Sparse {
        merge("subtract", self, other, &|x, y| x.subtract(y))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $function:ident;)+) => {$(
        impl $trait<&Sparse> for &Sparse {
            type Output = Sparse;
            #[track_caller]
            fn $method(self, other: &Sparse) -> Sparse { self.$function(other) }
        }
        impl $trait<Sparse> for &Sparse {
            type Output = Sparse;
            #[track_caller]
            fn $method(self, other: Sparse) -> Sparse { self.$function(&other) }
        }
        impl $trait<&Sparse> for Sparse {
            type Output = Sparse;
            #[track_caller]
            fn $method(self, other: &Sparse) -> Sparse { (&self).$function(other) }
        }
        impl $trait<Sparse> for Sparse {
            type Output = Sparse;
            #[track_caller]
            fn $method(self, other: Sparse) -> Sparse { (&self).$function(&other) }
        }
    )+};
}
operators! {
    Add add plus;
    Sub sub minus;
}

macro_rules! products {
    ($($sparse:ty),+) => {$(
        impl<T: Into<Other>> Mul<T> for $sparse {
            type Output = Sparse;
            #[track_caller]
            fn mul(self, other: T) -> Sparse { self.multiply(other) }
        }
        impl<T: Into<Scalar>> Div<T> for $sparse {
            type Output = Sparse;
            #[track_caller]
            fn div(self, number: T) -> Sparse {
                self.with_data(self.values().divide(number.into()))
            }
        }
    )+};
}
products! { &Sparse, Sparse }

macro_rules! by_numbers {
    ($($number:ty),+) => {$(
        impl Mul<&Sparse> for $number {
            type Output = Sparse;
            #[track_caller]
            fn mul(self, sparse: &Sparse) -> Sparse { sparse.multiply(self) }
        }
    )+};
}
by_numbers! { i32, i64, f32, f64 }

impl Neg for &Sparse {
    type Output = Sparse;
    #[track_caller]
    fn neg(self) -> Sparse {
        self.with_data(-self.values())
    }
}
impl Neg for Sparse {
    type Output = Sparse;
    #[track_caller]
    fn neg(self) -> Sparse {
        -&self
    }
}
