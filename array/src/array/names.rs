//! NumPy's words for choices: `"linear".parse::<QuantileMethod>()`.

use std::str::FromStr;

use super::{BinRule, BitOrder, Digits, Order, Overlap, QuantileMethod, Sign, Zeros};
use ndany_core::names;

names! {
    BinRule: "rule for bins";
    BitOrder: "order of bits";
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
    use ndany_core::DType;

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
