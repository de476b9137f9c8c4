//! Elementwise functions whose value of zero is zero: lazy on the stored values.

use ndany_array::Operand;

use crate::array::Sparse;

macro_rules! of_values {
    ($($name:ident $shown:literal $text:literal;)+) => {
        /// Elementwise functions whose value of zero is zero.
        impl Sparse { $(
            #[doc = concat!("Returns ", $text, " of each element, as `", stringify!($name), "` of SciPy; lazy.")]
            ///
            /// Entries of one place are summed first, if there are such.
            ///
            /// - **Shapes**: as it is.
            /// - **Dtypes**: as the function of dense arrays.
            /// - **Errors**: dtypes that the function does not take.
            ///
            /// ```
            /// use ndany::prelude::*;
            /// let a = sparse::csr_array(&array([[0.0, 0.5]]), ..);
            #[doc = concat!("assert_eq!(a.", stringify!($name), "().data().to_string(), \"", $shown, "\");")]
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Sparse {
                let own = self.sum_duplicates();
                own.with_data(own.values().$name())
            }
        )+ }
    };
}

of_values! {
    abs "[0.5]" "the absolute value";
    sqrt "[0.70710678]" "the square root";
    sin "[0.47942554]" "the sine";
    tan "[0.54630249]" "the tangent";
    asin "[0.52359878]" "the inverse sine";
    atan "[0.46364761]" "the inverse tangent";
    sinh "[0.52109531]" "the hyperbolic sine";
    tanh "[0.46211716]" "the hyperbolic tangent";
    asinh "[0.48121183]" "the inverse hyperbolic sine";
    atanh "[0.54930614]" "the inverse hyperbolic tangent";
    expm1 "[0.64872127]" "the exponential less one";
    log1p "[0.40546511]" "the logarithm of one more";
    floor "[0.]" "the integer below";
    ceil "[1.]" "the integer above";
    trunc "[0.]" "the integer toward zero";
    rint "[0.]" "the nearest integer";
    sign "[1.]" "the sign";
    deg2rad "[0.00872665]" "the angle in radians";
    rad2deg "[28.64788976]" "the angle in degrees";
    conj "[0.5]" "the complex conjugate";
    real "[0.5]" "the real part";
    imag "[0.]" "the imaginary part";
}

impl Sparse {
    /// Raises each stored element to a power, as `power` of SciPy; lazy. Powers of 0 or less would fill the array.
    ///
    /// - **Shapes**: as it is.
    /// - **Dtypes**: as [`pow`](ndany_array::Array::pow) of dense arrays.
    /// - **Errors**: those of dense arrays.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0.0, 3.0]]), ..);
    /// assert_eq!(a.power(2.0).data().to_string(), "[9.]");
    /// ```
    #[track_caller]
    pub fn power(&self, n: impl Into<Operand>) -> Sparse {
        let own = self.sum_duplicates();
        own.with_data(own.values().pow(n))
    }
}
