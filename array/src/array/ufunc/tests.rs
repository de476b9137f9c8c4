//! What golden cases cannot say of folds: passes, bits shared with reductions, errors found when it runs.

use crate::arguments::AxisOptions;
use crate::{Array, DType, Device, Result, Statistics, arange, over, ufunc};

fn on_reference(test: impl FnOnce() -> Result<()>) {
    let device = Device::open("reference").expect("always there");
    let _guard = device.enter();
    test().expect("no error");
}

#[test]
fn what_is_in_front_joins_the_pass() {
    on_reference(|| {
        let x = arange(12).reshape([3, 4]).astype(DType::F64);
        x.eval()?;
        let before = Statistics::now();
        let folded = ufunc::subtract.reduce(&((&x * 2.0) + 1.0), 1);
        let running = ufunc::divide.accumulate(&((&x * 2.0) + 1.0), 0);
        let sums = ufunc::add.reduceat(&((&x * 2.0) + 1.0), &Array::from([0, 2]), 1);
        let counts = Statistics::now().since(&before);
        assert_eq!((counts.folds, counts.reductions), (3, 0));
        assert_eq!(folded.to_vec::<f64>()?, [-14.0, -30.0, -46.0]);
        assert_eq!(running.i(0).to_vec::<f64>()?, [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(sums.to_vec::<f64>()?, [4.0, 12.0, 20.0, 28.0, 36.0, 44.0]);
        Ok(())
    });
}

#[test]
fn rows_in_any_order_have_the_bits_of_their_reductions() {
    on_reference(|| {
        let x = arange(10_000).astype(DType::F32).sin();
        let same = |left: Array, right: Array| -> Result<()> {
            assert_eq!(left.item::<f32>()?.to_bits(), right.item::<f32>()?.to_bits());
            Ok(())
        };
        same(ufunc::add.reduce(&x, AxisOptions::default()), x.sum(..))?;
        same(ufunc::multiply.reduce(&x, AxisOptions::default()), x.prod(..))?;
        same(ufunc::maximum.reduce(&x, AxisOptions::default()), x.max(..))?;
        // A segment is a row of its own.
        let parts = ufunc::add.reduceat(&x, &Array::from([0, 5000]), 0);
        same(parts.i(0), x.i(..5000).sum(..))?;
        same(parts.i(1), x.i(5000..).sum(..))?;
        let running = ufunc::add.accumulate(&x, 0);
        assert!(running.array_equal(x.cumsum(0))?);
        let last = ufunc::subtract.accumulate(&x, 0).i(-1);
        same(last, ufunc::subtract.reduce(&x, 0))
    });
}

#[test]
fn an_offset_that_is_not_there_fails_the_result() {
    on_reference(|| {
        let x = arange(5);
        for indices in [[0, 5], [-1, 2], [7, 0]] {
            let result = ufunc::add.reduceat(&x, &Array::from(indices), 0);
            let error = result.to_vec::<i64>().expect_err("outside");
            assert_eq!(error.class(), "IndexError");
        }
        let mut a = x.copy();
        let error = ufunc::subtract.try_at(&mut a, [0, 5], 1).expect_err("outside");
        assert_eq!(error.class(), "IndexError");
        assert!(a.array_equal(&x)?, "nothing has changed");
        Ok(())
    });
}

#[test]
fn an_error_does_not_depend_on_which_elements_a_segment_reads() {
    on_reference(|| {
        let (base, exponent) = (Array::from([2, 3, 4]), Array::from([1, -1, 2]));
        let powers = || base.pow(&exponent);
        let alone = ufunc::add.reduceat(&powers(), &Array::from([2]), 0);
        let error = alone.to_vec::<i64>().expect_err("the second power has no value");
        assert_eq!(error.class(), "ValueError");
        Ok(())
    });
}

#[test]
fn other_handles_keep_their_values() {
    on_reference(|| {
        let mut a = Array::from([1.0, 2.0, 3.0]);
        let (before, view) = (a.clone(), a.i(1..));
        ufunc::add.try_at(&mut a, [1, 1], Array::from([0.5, 0.25]))?;
        assert_eq!(a.to_vec::<f64>()?, [1.0, 2.75, 3.0]);
        assert_eq!(before.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
        assert_eq!(view.to_vec::<f64>()?, [2.0, 3.0]);
        ufunc::sqrt.try_at(&mut a, [0, 0])?;
        assert_eq!(a.to_vec::<f64>()?, [1.0, 2.75, 3.0]);
        Ok(())
    });
}

#[test]
fn over_no_axes_every_element_stays_by_itself() {
    on_reference(|| {
        let none: [isize; 0] = [];
        let a = arange(5);
        assert_eq!(ufunc::subtract.reduce(&a, none).to_vec::<i64>()?, [0, 1, 2, 3, 4]);
        let started = ufunc::subtract.reduce(&arange(5), over(none).initial(10));
        assert_eq!(started.to_vec::<i64>()?, [10, 9, 8, 7, 6]);
        Ok(())
    });
}

#[test]
fn options_that_make_no_sense_are_refused() {
    on_reference(|| {
        let a = arange(6).reshape([2, 3]);
        let class = |result: Result<Array>| result.expect_err("refused").class();
        assert_eq!(class(ufunc::subtract.try_reduce(&a, AxisOptions::default())), "ValueError");
        assert_eq!(class(ufunc::less.try_reduce(&a, 0)), "TypeError");
        assert_eq!(class(ufunc::add.try_accumulate(&a, AxisOptions::default())), "ValueError");
        assert_eq!(class(ufunc::add.try_accumulate(&a.i((0, 0)), 0)), "TypeError");
        let floats = Array::from([0.0, 1.0]);
        assert_eq!(class(ufunc::add.try_reduceat(&a, &floats, 0)), "TypeError");
        assert_eq!(class(ufunc::divide.try_reduce(&a, over(0).dtype(DType::I64))), "TypeError");
        Ok(())
    });
}
