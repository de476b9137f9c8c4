//! Products of a thin matrix with a vector: a few columns, which lie side by side, or a few rows of which this is true. The library
//! takes some thirty instructions for each of their short rows.

use std::ops::{Add, Mul};

use super::{Matrices, Products};

/// Most elements of a short side.
const SHORT: usize = 8;

/// Longest sum of a matrix of few rows: what is longer is summed by the library, in parts.
const LONG: usize = 1 << 14;

/// Which side of the matrix is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thin {
    /// Each row has few elements.
    Rows,
    /// There are few rows.
    Columns,
}

impl Thin {
    /// Whether a product is one of these. It depends on shapes and strides alone.
    pub(super) fn of<T>(products: &Products<T>) -> Option<Self> {
        let Products { m, k, n, left, .. } = products;
        if *n != 1 || *k == 0 {
            return None;
        }
        match (left.row, left.column) {
            (_, 1) if *k <= SHORT => Some(Self::Rows),
            (1, _) if *m <= SHORT && *k <= LONG => Some(Self::Columns),
            _ => None,
        }
    }

    /// Rows `begin .. end` of product `index` of a batch; of few rows, all.
    ///
    /// # Safety
    /// All elements are valid for reads, and those of the output for writes by this call alone.
    pub(super) unsafe fn multiply<T: Copy + Add<Output = T> + Mul<Output = T>>(
        self,
        products: &Products<T>,
        index: usize,
        begin: usize,
        end: usize,
    ) {
        let Products { k, left, right, out, .. } = products;
        let at = |matrices: &Matrices<T>, row: usize| {
            matrices.first(&products.batch, index).wrapping_offset(row as isize * matrices.row)
        };
        let (left_at, right_at, out_at) = (at(left, begin), at(right, 0), at(out, begin));
        macro_rules! of_length {
            ($length:expr, $function:ident, $($argument:expr),+) => {
                match $length {
                    1 => $function::<T, 1>($($argument),+),
                    2 => $function::<T, 2>($($argument),+),
                    3 => $function::<T, 3>($($argument),+),
                    4 => $function::<T, 4>($($argument),+),
                    5 => $function::<T, 5>($($argument),+),
                    6 => $function::<T, 6>($($argument),+),
                    7 => $function::<T, 7>($($argument),+),
                    8 => $function::<T, SHORT>($($argument),+),
                    length => unreachable!("a short side has {length} elements"),
                }
            };
        }
        // SAFETY: the caller upholds this; the short side has this length.
        unsafe {
            match self {
                Self::Rows => of_length!(
                    *k,
                    rows,
                    left_at,
                    left.row,
                    right_at,
                    right.row,
                    out_at,
                    out.row,
                    end - begin
                ),
                Self::Columns => of_length!(
                    products.m,
                    columns,
                    left_at,
                    left.column,
                    right_at,
                    right.row,
                    out_at,
                    out.row,
                    *k
                ),
            }
        }
    }
}

/// `count` sums of K products each.
///
/// # Safety
/// As [`Thin::multiply`].
#[inline(always)]
unsafe fn rows<T: Copy + Add<Output = T> + Mul<Output = T>, const K: usize>(
    left: *const T,
    step: isize,
    right: *const T,
    right_step: isize,
    out: *mut T,
    out_step: isize,
    count: usize,
) {
    // SAFETY: the caller upholds this.
    unsafe {
        let right: [T; K] = std::array::from_fn(|j| *right.offset(j as isize * right_step));
        for i in 0..count as isize {
            let row = left.offset(i * step);
            let mut sum = *row * right[0];
            for (j, &factor) in right.iter().enumerate().skip(1) {
                sum = sum + *row.add(j) * factor;
            }
            *out.offset(i * out_step) = sum;
        }
    }
}

/// M sums of `count` products each, side by side.
///
/// # Safety
/// As [`Thin::multiply`].
#[inline(always)]
unsafe fn columns<T: Copy + Add<Output = T> + Mul<Output = T>, const M: usize>(
    left: *const T,
    step: isize,
    right: *const T,
    right_step: isize,
    out: *mut T,
    out_step: isize,
    count: usize,
) {
    // SAFETY: the caller upholds this.
    unsafe {
        let first = *right;
        let mut sums: [T; M] = std::array::from_fn(|i| *left.add(i) * first);
        for j in 1..count as isize {
            let (column, factor) = (left.offset(j * step), *right.offset(j * right_step));
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = *sum + *column.add(i) * factor;
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            *out.offset(i as isize * out_step) = sum;
        }
    }
}
