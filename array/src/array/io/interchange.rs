//! Arrays of the crate `ndarray`: from them and to them, in C order or Fortran order as they lie.

use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn, ShapeBuilder};

use crate::array::Array;
use crate::element::Element;
use ndany_core::Result;

impl Array {
    /// Copies an array of the crate `ndarray` to the thread's current device.
    ///
    /// It lies in memory as that one does where that is C or Fortran order.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: that of the Rust type.
    /// - **Errors**: a shape that is too large, no memory left on the device.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::try_from_ndarray(&ndarray::arr2(&[[1, 2], [3, 4]]))?;
    /// assert_eq!(a.transpose(..).to_ndarray::<i32>()?, ndarray::arr2(&[[1, 3], [2, 4]]).into_dyn());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn try_from_ndarray<T: Element, S: Data<Elem = T>, D: Dimension>(
        array: &ArrayBase<S, D>,
    ) -> Result<Array> {
        let turned = array.t();
        match turned.as_slice() {
            Some(values) if !array.is_standard_layout() => {
                Array::try_from_slice(values, turned.shape())?.try_transpose(..)
            }
            _ => Array::try_from_vec(array.iter().copied().collect(), array.shape()),
        }
    }

    /// Returns the values as an array of the crate `ndarray`; waits for the device.
    ///
    /// It lies in Fortran order where this one does and not in C order, otherwise in C order.
    ///
    /// - **Errors**: a `T` that is not the dtype's Rust type, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let values = array([[1, 2], [3, 4]]).to_ndarray::<i32>()?;
    /// assert_eq!(values[[1, 0]], 3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let fortran = self.is_f_contiguous() && !self.is_c_contiguous();
        let values = if fortran { self.try_transpose(..)?.to_vec()? } else { self.to_vec()? };
        let shape = IxDyn(self.shape()).set_f(fortran);
        match ArrayD::from_shape_vec(shape, values) {
            Ok(array) => Ok(array),
            Err(error) => unreachable!("as many values as the shape has: {error}"),
        }
    }
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Array {
    #[track_caller]
    fn from(array: &ArrayBase<S, D>) -> Self {
        crate::declare::expect(Array::try_from_ndarray(array))
    }
}

/// Owned arrays that lie in C or Fortran order give their memory away.
impl<T: Element, D: Dimension> From<ndarray::Array<T, D>> for Array {
    #[track_caller]
    fn from(array: ndarray::Array<T, D>) -> Self {
        if !array.is_standard_layout() {
            return match array.t().is_standard_layout() {
                true => Array::from(array.reversed_axes()).transpose(..),
                false => Array::from(&array),
            };
        }
        let shape = array.shape().to_vec();
        let (values, offset) = array.into_raw_vec_and_offset();
        let size: usize = shape.iter().product();
        match offset {
            None | Some(0) if values.len() == size => Array::from_vec(values, shape),
            offset => Array::from_slice(&values[offset.unwrap_or(0)..][..size], shape),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn there_and_back_in_any_layout() {
        let _guard = Device::open("reference").expect("always there").enter();
        let plain =
            ndarray::Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (i * 12 + j * 4 + k) as f32);
        for array in [plain.view(), plain.t(), plain.slice(ndarray::s![.., ..;2, 1..])] {
            let ours = Array::from(&array);
            assert_eq!(ours.shape(), array.shape());
            assert_eq!(ours.to_ndarray::<f32>().expect("f32"), array.into_dyn());
        }
        assert!(Array::from(&plain.t()).is_f_contiguous());
        let part = plain.clone().slice_move(ndarray::s![1.., .., ..]);
        assert_eq!(Array::from(part.clone()).to_ndarray::<f32>().expect("f32"), part.into_dyn());
        let fortran =
            ndarray::Array2::from_shape_fn((2, 3), |(i, j)| (i + 10 * j) as i64).reversed_axes();
        let expected = fortran.clone().into_dyn();
        let ours = Array::from(fortran);
        assert!(ours.is_f_contiguous() && !ours.is_c_contiguous());
        assert_eq!(ours.to_ndarray::<i64>().expect("i64"), expected);
        let zero_d = ndarray::arr0(5i64);
        assert_eq!(Array::from(zero_d).item::<i64>().expect("one"), 5);
        assert_eq!(Array::from(ndarray::Array2::<u8>::zeros((0, 3))).shape(), [0, 3]);
        let turned = arange(6).reshape([2, 3]).transpose(..);
        let theirs = turned.to_ndarray::<i64>().expect("i64");
        assert!(theirs.t().is_standard_layout());
        assert_eq!(theirs[[2, 1]], 5);
    }
}
