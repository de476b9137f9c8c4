//! Kernels of two operands as ufuncs, on the reference device.

use crate::attempt;
use crate::kernel::tests::{reference, values};
use crate::kernel::{Elementwise, elementwise};
use crate::prelude::*;

fn minus() -> Elementwise<2, 1> {
    elementwise("minus", |_, [a, b]| [a - b])
}

#[test]
fn folds_are_those_of_the_ufunc() {
    let _guard = reference();
    let x = (arange(24).reshape((2, 3, 4)) * 7 % 11).astype(F32) / 4;
    for axis in [0, 1, 2, -1] {
        let (found, expected) = (minus().reduce(&x, axis), ufunc::subtract.reduce(&x, axis));
        assert_eq!((found.shape(), values::<f32>(&found)), (expected.shape(), values(&expected)));
        let (found, expected) =
            (minus().accumulate(&x, axis), ufunc::subtract.accumulate(&x, axis));
        assert_eq!(values::<f32>(&found), values::<f32>(&expected));
    }
    assert_eq!(
        values::<f32>(&minus().reduce(&x, ..)),
        values::<f32>(&ufunc::subtract.reduce(&x, ..))
    );
    assert_eq!(
        values::<f32>(&minus().accumulate(&x, ..)),
        values::<f32>(&minus().accumulate(&x, 0))
    );
    // Several axes are one row, in C order.
    let found = minus().reduce(&x, over((0, 2)).keepdims());
    let rows = x.transpose((1, 0, 2)).reshape((3, 8));
    assert_eq!(found.shape(), [1, 3, 1]);
    assert_eq!(values::<f32>(&found), values::<f32>(&ufunc::subtract.reduce(&rows, 1)));
    let z = array([Complex64::new(1.0, 2.0), Complex64::new(0.0, -1.0), Complex64::new(4.0, 0.5)]);
    assert_eq!(
        values::<Complex64>(&minus().accumulate(&z, 0)),
        values::<Complex64>(&ufunc::subtract.accumulate(&z, 0))
    );
}

#[test]
fn pairs() {
    let _guard = reference();
    let (x, y) = (arange(6).reshape((2, 3)), array([0.5f32, 2.0]));
    let (found, expected) = (minus().outer(&x, &y), ufunc::subtract.outer(&x, &y));
    assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()));
    assert_eq!(values::<f64>(&found), values::<f64>(&expected));
    assert_eq!(minus().outer(&x, 1).shape(), [2, 3]);
    assert_eq!(minus().outer(1, &x).shape(), [2, 3]);
}

#[test]
fn elements_at_positions_in_the_order_of_the_values() {
    let _guard = reference();
    let kernel = elementwise("kernel", |_, [a, b]| [a * 3 - b]);
    // Each step is stored in the array's dtype; values may have another.
    let mut a = array([[1i32, 2], [3, 4]]);
    kernel.at(&mut a, (array([0, 1, 0]), array([1, 1, 1])), array([0.5, 1.5, 2.5]));
    // 2 → trunc(5.5) = 5 → trunc(12.5) = 12; 4 → trunc(10.5) = 10
    assert_eq!(values::<i32>(&a), [1, 12, 3, 10]);
    let mut a = array([1.0, 2.0, 5.0]);
    kernel.at(&mut a, [1, 1, 1], 1);
    assert_eq!(values::<f64>(&a), [1.0, 41.0, 5.0]);
    kernel.at(&mut a, array([true, false, true]), array([1.0, 2.0]));
    assert_eq!(values::<f64>(&a), [2.0, 41.0, 13.0]);
    kernel.at(&mut a, zeros(0, I64), 1);
    assert_eq!(values::<f64>(&a), [2.0, 41.0, 13.0]);
    let mut same = a.copy();
    ufunc::subtract.at(&mut same, [0, 2, 0], 1);
    minus().at(&mut a, [0, 2, 0], 1);
    assert_eq!(values::<f64>(&a), values::<f64>(&same));
}

#[test]
fn what_does_not_fold_says_why() {
    let _guard = reference();
    let x = array([[1, 2], [3, 4]]);
    let refused = |made: crate::Result<Array>, text: &str| match made {
        Err(error) => assert!(error.to_string().contains(text), "{error}"),
        Ok(_) => panic!("expected: {text}"),
    };
    let less = elementwise("less", |_, [a, b]| [a.less(b)]);
    refused(attempt(|| less.reduce(&x, 0)), "[less]");
    assert_eq!(values::<i32>(&less.clone().outputs([I32]).reduce(&x, 1)), [1, 1]);
    refused(attempt(|| minus().reduce(&x, 2)), "[minus] axis 2");
    refused(attempt(|| minus().accumulate(&array(1.0), 0)), "[minus] axis 0");
    refused(attempt(|| minus().reduce(&zeros((2, 0), F64), 1)), "minus");
    let power = elementwise("power", |_, [a, b]| [a.pow(b)]);
    refused(attempt(|| power.reduce(&x, 0)), "which a combination must have");
    let scaled = elementwise("scaled", |k, [a, b]| [a + b * k.param("by")]).param("by", I32, 2);
    refused(attempt(|| scaled.accumulate(&x, 0)), "has no parameters");
    let mut a = array([1.0]);
    assert!(attempt(|| minus().at(&mut a, [1], 1)).is_err());
    assert_eq!(values::<f64>(&a), [1.0]);
}
