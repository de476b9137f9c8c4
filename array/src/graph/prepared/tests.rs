//! Kept programs: which operations share one, and that none is taken for another.

use super::KEPT;
use crate::kernel::elementwise;
use crate::prelude::*;
use crate::{Device, DeviceGuard};

fn reference() -> DeviceGuard {
    match Device::open("reference") {
        Ok(device) => device.enter(),
        Err(error) => panic!("{error}"),
    }
}

fn stored(values: [f64; 3], dtype: DType) -> Array {
    let array = array(values).astype(dtype);
    array.eval().unwrap_or_else(|error| panic!("{error}"));
    array
}

fn computed(array: Array) -> String {
    array.eval().unwrap_or_else(|error| panic!("{error}"));
    array.to_string()
}

/// How many programs the thread keeps.
fn kept() -> usize {
    KEPT.with_borrow(|kept| kept.iter().map(Vec::len).sum())
}

/// How many programs are kept because of this.
fn newly_kept(ask: impl FnOnce()) -> usize {
    let before = kept();
    ask();
    kept() - before
}

#[test]
fn a_program_depends_on_dtypes_and_operands_and_not_on_values() {
    let _guard = reference();
    let (x, y) = (stored([1.0, 2.0, 3.0], F64), stored([5.0, 7.0, 9.0], F64));
    let narrow = stored([1.0, 2.0, 3.0], F32);
    let sum = || drop(computed(&x + &y));
    assert_eq!(newly_kept(sum), 1);
    assert_eq!(newly_kept(sum), 0);
    // Other arrays, other shapes, other numbers.
    assert_eq!(newly_kept(|| assert_eq!(computed(&y + &x), "[ 6.  9. 12.]")), 0);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.i(s![1..]) + y.i(s![1..])), "[ 9. 12.]")), 0);
    assert_eq!(newly_kept(|| assert_eq!(computed(&x * 2), "[2. 4. 6.]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(&x * 3), "[3. 6. 9.]")), 0);
    // Another operation, another dtype, one array twice, a number in front.
    assert_eq!(newly_kept(|| assert_eq!(computed(&x - &y), "[-4. -5. -6.]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(&narrow + &y), "[ 6.  9. 12.]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(&x + &x), "[2. 4. 6.]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(1 - &x), "[ 0. -1. -2.]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.astype(I32)), "[1 2 3]")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.astype(I64)), "[1 2 3]")), 1);
}

#[test]
fn what_is_pending_or_lies_otherwise_is_not_kept() {
    let _guard = reference();
    let x = stored([1.0, 2.0, 3.0], F64);
    let asked = || {
        computed(&x * 2 + 1);
        computed(x.i(s![..;2]) + 1);
        computed(x.i(s![..;-1]) + 1);
        let pending = &x + 1;
        computed(pending.sum(..));
        computed(x.i(s![..;2]).sum(..));
        computed(array([[1.0, 2.0], [3.0, 4.0]]).sum(0));
        computed(x.i(s![..1]).sum(..));
        computed(&x + &array([[1.0], [2.0]]));
        computed(arange(5).astype(F64));
    };
    assert_eq!(newly_kept(asked), 0);
}

#[test]
fn a_kernel_that_is_gone_is_taken_for_no_other() {
    let _guard = reference();
    let x = stored([1.0, 2.0, 3.0], F64);
    for factor in 0..1000 {
        let [scaled] = elementwise("scaled", move |_, [x]| [x * factor]).call([&x]);
        let values: Vec<f64> = scaled.to_vec().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(values, [1, 2, 3].map(|k| f64::from(k * factor)), "{factor}");
    }
    // The last ones of each set.
    assert!(kept() <= super::SETS * super::WAYS);
}

#[test]
fn an_operand_lends_its_memory() {
    let _guard = reference();
    let y = stored([5.0, 7.0, 9.0], F64);
    let place = |array: &Array| array.buffer().map(|buffer| buffer.handle().clone());
    let lent = |make: &dyn Fn(Array) -> Array| {
        let x = stored([1.0, 2.0, 3.0], F64);
        let before = place(&x).map(|memory| std::sync::Arc::as_ptr(&memory).addr());
        let after = place(&make(x)).map(|memory| std::sync::Arc::as_ptr(&memory).addr());
        before.ok() == after.ok()
    };
    assert!(lent(&|x| x + &y));
    assert!(lent(&|x| x.clone() * x));
    // Of another dtype, or held by somebody.
    assert!(!lent(&|x| x.less(&y)));
    let kept = std::cell::RefCell::new(Vec::new());
    assert!(!lent(&|x| {
        kept.borrow_mut().push(x.clone());
        x + &y
    }));
}

#[test]
fn a_reduction_of_last_axes_is_kept_for_every_size() {
    let _guard = reference();
    let (x, m) = (stored([1.0, 2.0, 6.0], F64), arange(24).astype(F64).reshape((2, 3, 4)));
    m.eval().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(newly_kept(|| assert_eq!(computed(x.mean(..)), "3.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.i(s![..2]).mean(..)), "1.5")), 0);
    let rows = "[[ 1.5  5.5  9.5]\n [13.5 17.5 21.5]]";
    assert_eq!(newly_kept(|| assert_eq!(computed(m.mean(-1)), rows)), 0);
    assert_eq!(newly_kept(|| assert_eq!(computed(m.mean([1, 2])), "[ 5.5 17.5]")), 0);
    assert_eq!(newly_kept(|| assert_eq!(computed(m.mean(..)), "11.5")), 0);
    // Another reduction, the same with a correction of its own, another dtype, an initial value.
    assert_eq!(newly_kept(|| assert_eq!(computed(x.sum(..)), "9.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.max(..)), "6.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.argmax(..)), "2")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.i(s![..2]).var(..)), "0.25")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.i(s![..2]).var(over(..).ddof(1))), "0.5")), 0);
    let narrow = stored([1.0, 2.0, 6.0], F32);
    assert_eq!(newly_kept(|| assert_eq!(computed(narrow.sum(..)), "9.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.sum(over(..).initial(1))), "10.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.sum(over(..).initial(2))), "11.0")), 0);
}

#[test]
fn a_reduction_of_what_nothing_else_reads_is_kept() {
    let _guard = reference();
    let (x, y) = (stored([1.0, 2.0, 6.0], F64), stored([5.0, 7.0, 9.0], F64));
    assert_eq!(newly_kept(|| assert_eq!(computed(x.dot(&y)), "73.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(computed(y.dot(&x)), "73.0")), 0);
    assert_eq!(newly_kept(|| assert_eq!(computed(x.i(s![..2]).dot(y.i(s![1..]))), "25.0")), 0);
    // One array twice; a number, whatever it is, before the number of elements.
    assert_eq!(newly_kept(|| assert_eq!(computed(x.dot(&x)), "41.0")), 1);
    let scaled = |by: f64| {
        let scaled = (&x * by).mean(..);
        computed(scaled)
    };
    assert_eq!(newly_kept(|| assert_eq!(scaled(2.0), "6.0")), 1);
    assert_eq!(newly_kept(|| assert_eq!(scaled(3.0), "9.0")), 0);
    // What another handle may read is computed where all of it is known.
    let product = &x * &y;
    assert_eq!(newly_kept(|| assert_eq!(computed(product.sum(..)), "73.0")), 0);
    assert_eq!(computed(product), "[ 5. 14. 54.]");
    // A value that cannot be computed leaves nothing claimed.
    let failing = stored([1.0, 2.0, 6.0], I64);
    let powers = failing.pow(stored([1.0, 2.0, -1.0], I64)).sum(..);
    assert!(powers.eval().is_err());
    // A number says by itself whether it may fail, and is no part of what a program depends on.
    let sum_of_powers = |exponent: i64| {
        let sum = failing.pow(exponent).sum(..);
        sum.item::<i64>()
    };
    assert_eq!((sum_of_powers(2).ok(), sum_of_powers(3).ok()), (Some(41), Some(225)));
    let error = sum_of_powers(-1).expect_err("a negative exponent").to_string();
    assert!(error.starts_with("[power]"), "{error}");
}
