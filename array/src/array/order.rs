//! Memory order: how the elements of a result lie, as NumPy keeps it.
//!
//! A node of the graph is always C-ordered over its own axes. An array that lies otherwise (in Fortran
//! order, or as a permuted operand does) is a view of such a node with its axes permuted, so neither
//! traces nor backends know of orders, and bits cannot depend on them.

use std::panic::Location;

use smallvec::SmallVec;

use super::Array;
use crate::declare::array_functions;
use crate::graph;
use ndany_core::shape::{self, Layout};
use ndany_core::{DType, Error, Result};

/// The order in which elements lie in memory, or are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The last axis runs fastest.
    #[default]
    C,
    /// The first axis runs fastest.
    F,
    /// As [`Order::F`] for arrays that lie in Fortran order and not in C order, else as [`Order::C`].
    A,
    /// As near to how the array lies as can be.
    K,
}

impl Order {
    /// The order that NumPy calls `name`, in either case.
    pub(crate) fn from_name(name: &str) -> Option<Order> {
        match name {
            "C" | "c" => Some(Order::C),
            "F" | "f" => Some(Order::F),
            "A" | "a" => Some(Order::A),
            "K" | "k" => Some(Order::K),
            _ => None,
        }
    }
}

/// Axes from the one that runs slowest to the one that runs fastest.
pub(crate) type AxisOrder = SmallVec<[usize; 4]>;

/// The axis order of an array of this layout that is copied in `order`; `None` for C order.
pub(crate) fn axis_order(layout: &Layout, order: Order) -> Option<AxisOrder> {
    match order {
        Order::C => None,
        Order::F if layout.shape.len() < 2 => None,
        Order::F => Some((0..layout.shape.len()).rev().collect()),
        Order::A if layout.is_fortran() && !layout.is_contiguous() => axis_order(layout, Order::F),
        Order::A => None,
        Order::K => {
            let step = |axis: usize| layout.strides[axis].unsigned_abs();
            let sorted =
                |axes: &[usize]| axes.windows(2).all(|pair| step(pair[0]) >= step(pair[1]));
            let mut axes: AxisOrder = (0..layout.shape.len()).collect();
            if sorted(&axes) {
                return None;
            }
            axes.sort_by_key(|&axis| std::cmp::Reverse(step(axis)));
            Some(axes)
        }
    }
}

/// The axis order of a result made of operands of one shape, as NumPy's iterator finds it; `None` for C
/// order. An axis that an operand does not step along has no say, and where operands disagree C order
/// wins.
pub(crate) fn common_order<'a>(
    ndim: usize,
    operands: impl Iterator<Item = &'a Layout> + Clone,
) -> Option<AxisOrder> {
    if ndim < 2 || operands.clone().all(runs_down) {
        return None;
    }
    let step = |layout: &Layout, axis: usize| match layout.shape[axis] {
        1 => 0,
        _ => layout.strides[axis].unsigned_abs(),
    };
    // From the fastest axis to the slowest; inserted one by one, as NumPy does.
    let mut order: AxisOrder = SmallVec::new();
    for axis in (0..ndim).rev() {
        let mut place = order.len();
        for position in (0..order.len()).rev() {
            let faster = order[position];
            let (mut decided, mut swaps) = (false, false);
            for layout in operands.clone() {
                let (own, other) = (step(layout, axis), step(layout, faster));
                if own != 0 && other != 0 {
                    swaps = if other <= own { false } else { swaps || !decided };
                    decided = true;
                }
            }
            match (decided, swaps) {
                (true, true) => place = position,
                (true, false) => break,
                (false, _) => {}
            }
        }
        order.insert(place, axis);
    }
    order.reverse();
    (!order.iter().copied().eq(0..ndim)).then_some(order)
}

/// Do the steps shrink from axis to axis, so that C order is as the operand lies?
fn runs_down(layout: &Layout) -> bool {
    let mut least = usize::MAX;
    for (&extent, &stride) in layout.shape.iter().zip(&layout.strides) {
        let step = stride.unsigned_abs();
        if extent != 1 && step != 0 {
            if step > least {
                return false;
            }
            least = step;
        }
    }
    true
}

/// The axis order that undoes another.
pub(crate) fn inverse(order: &[usize]) -> AxisOrder {
    let mut inverse: AxisOrder = SmallVec::from_elem(0, order.len());
    for (position, &axis) in order.iter().enumerate() {
        inverse[axis] = position;
    }
    inverse
}

impl Array {
    /// The array whose axes, in this order, are those of `self`.
    pub(crate) fn unordered(self, order: Option<&[usize]>) -> Array {
        match order {
            Some(order) => self.with_layout(self.layout().permute(&inverse(order))),
            None => self,
        }
    }

    /// Tests whether the elements lie in C order without gaps, as NumPy's `flags.c_contiguous`.
    ///
    /// A pending array answers how it will lie.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([[1, 2], [3, 4]]).is_c_contiguous());
    /// ```
    pub fn is_c_contiguous(&self) -> bool {
        self.layout().is_contiguous()
    }

    /// Tests whether the elements lie in Fortran order without gaps, as NumPy's `flags.f_contiguous`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([[1, 2], [3, 4]]).t().is_f_contiguous());
    /// ```
    pub fn is_f_contiguous(&self) -> bool {
        self.layout().is_fortran()
    }
}

impl Array {
    /// The same elements under another shape, of which one extent may be -1, read and placed in `order`.
    #[track_caller]
    pub(super) fn reshaped_in(&self, asked: &[isize], order: Order) -> Result<Array> {
        let fortran = match order {
            Order::C => false,
            Order::F => true,
            Order::A => axis_order(self.layout(), Order::A).is_some(),
            Order::K if asked == [-1] => return self.try_ravel_in(order),
            Order::K => return Err(Error::Order { op: "reshape", allowed: "C, F or A" }),
        };
        if !fortran {
            return self.reshaped(asked);
        }
        // Counting the first axis fastest is C order of everything reversed.
        let reversed: SmallVec<[isize; 4]> = asked.iter().rev().copied().collect();
        self.try_transpose(..)?.reshaped(&reversed)?.try_transpose(..)
    }

    /// The elements as one axis, in `order`, as `np.ravel(a, order)`. A view where strides can say it.
    #[track_caller]
    pub(crate) fn try_ravel_in(&self, order: Order) -> Result<Array> {
        let axes = match order {
            // Unlike a copy, a flat view leaves axes that repeat where they are.
            Order::K => common_order(self.ndim(), std::iter::once(self.layout())),
            Order::C | Order::F | Order::A => axis_order(self.layout(), order),
        };
        match axes {
            None => self.try_ravel(),
            Some(axes) => self.with_layout(self.layout().permute(&axes)).try_ravel(),
        }
    }
}

array_functions! {
    checked order;

    /// Returns the array in C order without gaps, of at least one axis, as `np.ascontiguousarray`.
    ///
    /// An array that lies so already is returned as it is.
    ///
    /// - **Shapes**: `(…) → (…)`, `() → (1,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([[1, 2], [3, 4]]).t().ascontiguousarray().is_c_contiguous());
    /// ```
    ascontiguousarray / try_ascontiguousarray (self) -> Array {
        if self.ndim() == 0 {
            return self.try_expand_dims(0);
        }
        self.try_astype_in(self.dtype(), Order::C)
    }

    /// Returns the array in Fortran order without gaps, of at least one axis, as `np.asfortranarray`.
    ///
    /// An array that lies so already is returned as it is.
    ///
    /// - **Shapes**: `(…) → (…)`, `() → (1,)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(array([[1, 2], [3, 4]]).asfortranarray().is_f_contiguous());
    /// ```
    asfortranarray / try_asfortranarray (self) -> Array {
        if self.ndim() == 0 {
            return self.try_expand_dims(0);
        }
        self.try_astype_in(self.dtype(), Order::F)
    }
}

impl Array {
    /// Converted to another dtype as by [`Array::astype`], lying in `order`, as `a.astype(dtype, order)`.
    /// A handle on the same array where it is so already.
    #[track_caller]
    pub(crate) fn try_astype_in(&self, dtype: DType, order: Order) -> Result<Array> {
        let lies = match order {
            Order::C => self.is_c_contiguous(),
            Order::F => self.is_f_contiguous(),
            Order::A => self.is_c_contiguous() || self.is_f_contiguous(),
            Order::K => true,
        };
        if dtype == self.dtype() && lies {
            return Ok(self.clone());
        }
        shape::checked_size("astype", self.shape(), dtype)?;
        Ok(graph::cast(self, dtype, order, Location::caller()))
    }
}

#[cfg(test)]
mod tests {
    use super::graph;
    use crate::*;

    fn reference() -> DeviceGuard {
        Device::open("reference").expect("always there").enter()
    }

    /// What NumPy 2.4 gives for the same operands, in elements.
    #[test]
    fn results_lie_as_their_operands_do() {
        let _guard = reference();
        let x = arange(24).reshape([2, 3, 4]);
        let turned = x.transpose([2, 0, 1]);
        assert_eq!((&turned + 1).strides(), [1, 12, 4]);
        assert_eq!((&turned + &turned.copy()).strides(), [6, 3, 1]);
        assert_eq!((turned.flip(..) * 2).strides(), [1, 12, 4]);
        assert_eq!(turned.astype(DType::F32).strides(), [1, 12, 4]);
        assert_eq!(turned.sum(0).strides(), [3, 1]);
        assert_eq!(turned.sum(1).strides(), [1, 4]);
        let narrow = x.i((.., ..1)).transpose(..);
        assert_eq!((&narrow + 1).shape(), [4, 1, 2]);
        assert_eq!([(&narrow + 1).strides()[0], (&narrow + 1).strides()[2]], [1, 4]);
        let f = Array::from([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]).asfortranarray();
        assert!(f.is_f_contiguous() && !f.is_c_contiguous());
        assert_eq!((&f + arange((0.0, 3.0, 1.0))).strides(), [1, 2]);
        assert_eq!((&f + &f.ascontiguousarray()).strides(), [3, 1]);
        assert_eq!(where_(f.greater(1), &f, 0).strides(), [1, 2]);
        assert_eq!(f.sum(over(0).keepdims()).shape(), [1, 3]);
        let row = arange(3).broadcast_to([4, 3]);
        assert_eq!((&row + 0).strides(), [3, 1]);
        let copy = graph::cast(&row, row.dtype(), Order::K, std::panic::Location::caller());
        assert_eq!(copy.strides(), [1, 4]);
    }

    #[test]
    fn values_do_not_depend_on_the_order() {
        let _guard = reference();
        let x = arange(24).reshape([2, 3, 4]).astype(DType::F64);
        for axes in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let lies = x.transpose(axes).copy();
            let back = super::inverse(&axes.map(|axis| axis as usize));
            let back: Vec<isize> = back.iter().map(|&axis| axis as isize).collect();
            let y = lies.transpose(back.as_slice());
            assert!(y.array_equal(&x).expect("no failure"));
            let chain = |a: &Array| {
                let e = (a - a.max(over([0, 2]).keepdims())).exp();
                &e / e.sum(over([0, 2]).keepdims()) + (a * 0.1).sum(1).expand_dims(1)
            };
            let (got, expected) = (chain(&y), chain(&x));
            assert_eq!(
                got.to_vec::<f64>().expect("got"),
                expected.to_vec::<f64>().expect("expected")
            );
            assert_eq!((y + 1.0).sum(..).to_vec::<f64>().expect("sum"), [300.0]);
        }
    }

    #[test]
    fn ravel_in_every_order() {
        let _guard = reference();
        let row = arange(3);
        let repeated = row.broadcast_to([2, 3]);
        assert_eq!(
            repeated.reshape(Shape::new(-1).order(Order::K)).to_vec::<i64>().expect("K"),
            [0, 1, 2, 0, 1, 2]
        );
        let f = arange(6).reshape([2, 3]).asfortranarray();
        assert_eq!(
            f.reshape(Shape::new(-1).order(Order::C)).to_vec::<i64>().expect("C"),
            [0, 1, 2, 3, 4, 5]
        );
        for order in [Order::F, Order::A, Order::K] {
            assert_eq!(
                f.reshape(Shape::new(-1).order(order)).to_vec::<i64>().expect("F"),
                [0, 3, 1, 4, 2, 5]
            );
        }
        assert_eq!(
            f.try_reshape(Shape::new(6).order(Order::K)).expect_err("no K").class(),
            "ValueError"
        );
    }
}
