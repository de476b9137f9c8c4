//! Operations as values with methods, under their names: `ufunc::add.reduce(&a, 0)`.

use ndany_core::ops::rows;
use ndany_core::{binary_table, unary_table};

pub use crate::array::ufunc::Ufunc;
pub use crate::array::ufunc::at::UnaryUfunc;

macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)?;)+) => { $(
        #[doc = concat!("`", $numpy, "` as a value, with its method.")]
        #[allow(non_upper_case_globals)]
        pub static $name: UnaryUfunc = UnaryUfunc::new(&rows::$name);
    )+ };
}

macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)? $(=> $fold:ident)?;)+) => { $(
        #[doc = concat!("`", $numpy, "` as a value, with its methods.")]
        #[allow(non_upper_case_globals)]
        pub static $name: Ufunc = Ufunc::new(&rows::$name);
    )+ };
}

unary_table!(unary);
binary_table!(binary);
