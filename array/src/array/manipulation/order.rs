//! Memory order of arrays: what is asked of it and made in it (`graph::order` has what it is).

use smallvec::SmallVec;

use crate::array::{Array, Order, axis_order, common_order};
use crate::declare::array_functions;
use crate::graph;
use ndany_core::shape;
use ndany_core::{CallSite, DType, Error, Result};

impl Array {
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
    pub(in crate::array) fn reshaped_in(&self, asked: &[isize], order: Order) -> Result<Array> {
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
    checked order, free free_order;

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
        Ok(graph::cast(self, dtype, order, CallSite::caller()))
    }
}

#[cfg(test)]
mod tests {
    use crate::graph;
    use crate::*;
    use ndany_core::CallSite;

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
        let copy = graph::cast(&row, row.dtype(), Order::K, CallSite::caller());
        assert_eq!(copy.strides(), [1, 4]);
    }

    #[test]
    fn values_do_not_depend_on_the_order() {
        let _guard = reference();
        let x = arange(24).reshape([2, 3, 4]).astype(DType::F64);
        for axes in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let lies = x.transpose(axes).copy();
            let back = crate::graph::order::inverse(&axes.map(|axis| axis as usize));
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
