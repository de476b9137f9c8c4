//! NumPy's words for choices: `"linear".parse::<QuantileMethod>()`.

use std::str::FromStr;

use crate::array::{BinRule, BitOrder, Digits, Order, Overlap, QuantileMethod, Sign, Zeros};
use crate::dtype::{Casting, DType};
use crate::error::{Error, Result};

macro_rules! names {
    ($($ty:ident: $what:literal;)+) => {$(
        impl FromStr for $ty {
            type Err = Error;

            #[doc = concat!("The ", $what, " that NumPy calls by this name.")]
            ///
            /// # Errors
            /// NumPy has no such name, or what it names is not here.
            fn from_str(name: &str) -> Result<Self> {
                Self::from_name(name).ok_or_else(|| Error::ArgumentValue {
                    op: stringify!($ty).to_string(),
                    reason: format!(concat!("{:?} is no ", $what), name),
                })
            }
        }
    )+};
}
names! {
    BinRule: "rule for bins";
    BitOrder: "order of bits";
    Casting: "rule of casting";
    DType: "dtype";
    Digits: "way to choose digits";
    Order: "order of elements";
    Overlap: "overlap";
    QuantileMethod: "method for quantiles";
    Sign: "sign of numbers";
    Zeros: "way to end numbers";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numpy_are_known() {
        let dtype = |name: &str| name.parse::<DType>().ok();
        assert_eq!(dtype("float32"), Some(DType::F32));
        assert_eq!(dtype("<i4"), Some(DType::I32));
        assert_eq!(dtype("p"), Some(DType::I64));
        assert_eq!(dtype(">f8"), None);
        let error = "hazel".parse::<QuantileMethod>().expect_err("no such method");
        assert_eq!(error.class(), "ValueError");
        assert!(error.to_string().contains("hazel"), "{error}");
        assert_eq!("fortran".parse::<Order>().ok(), None);
        assert_eq!("F".parse::<Order>().ok(), Some(Order::F));
    }
}
