//! Arrays on the reference device.

use crate::arguments::Arange;
use crate::*;

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

#[test]
fn arithmetic_broadcasts_promotes_and_fuses() -> Result<()> {
    on_reference(|| {
        let a = Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let row = Array::from([10i16, 20, 30]);
        let before = Statistics::now();
        let c = (&a * 2.0 + &row - 1) / 2;
        assert_eq!(c.dtype(), DType::F32);
        assert_eq!(c.to_vec::<f32>()?, [5.5, 11.5, 17.5, 8.5, 14.5, 20.5]);
        assert_eq!(Statistics::now().since(&before).maps, 1);
        Ok(())
    })
}

#[test]
fn softmax_is_one_launch() -> Result<()> {
    on_reference(|| {
        let a = Array::from([[1.0f64, 2.0, 3.0], [0.0, 0.0, 0.0]]);
        let before = Statistics::now();
        let softmax = {
            let e = (&a - a.max(over(1).keepdims())).exp();
            let total = e.sum(over(1).keepdims());
            e / total
        };
        softmax.eval()?;
        let during = Statistics::now().since(&before);
        assert_eq!((during.rows, during.launches()), (1, 1));
        let sums = softmax.sum(1).to_vec::<f64>()?;
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-15), "{sums:?}");
        assert_eq!(softmax.i((1, 0)).item::<f64>()?, 1.0 / 3.0);
        Ok(())
    })
}

#[test]
fn standardize_over_columns_is_one_launch() -> Result<()> {
    on_reference(|| {
        let a = arange(12).reshape([4, 3]).astype(DType::F64);
        a.eval()?;
        let before = Statistics::now();
        let z = (&a - a.mean(0)) / (a.var(0) + 1e-9).sqrt();
        z.eval()?;
        let during = Statistics::now().since(&before);
        assert_eq!((during.rows, during.launches()), (1, 1));
        let std = z.std(0).to_vec::<f64>()?;
        assert!(std.iter().all(|std| (std - 1.0).abs() < 1e-9), "{std:?}");
        Ok(())
    })
}

#[test]
fn writes_never_show_through_other_handles() -> Result<()> {
    on_reference(|| {
        let mut a = arange(12).reshape([3, 4]);
        let column = a.i((.., 1));
        let pending = &a + 100;
        a.try_set(s![.., 1], -1)?;
        *a.view_mut(s![0, ..;2]) += 1000;
        assert_eq!(column.to_vec::<i64>()?, [1, 5, 9]);
        assert_eq!(pending.i(0).to_vec::<i64>()?, [100, 101, 102, 103]);
        assert_eq!(a.to_vec::<i64>()?, [1000, -1, 1002, 3, 4, -1, 6, 7, 8, -1, 10, 11]);
        let reversed = a.flip(..);
        a.try_set(.., &reversed)?;
        assert_eq!(a.i(0).to_vec::<i64>()?, [11, 10, -1, 8]);
        Ok(())
    })
}

#[test]
fn reductions_follow_numpy() -> Result<()> {
    on_reference(|| {
        let a = Array::from([[3i32, -1, 7], [7, 0, -5]]);
        assert_eq!(a.sum(..).item::<i64>()?, 11);
        assert_eq!(a.argmax(..).item::<i64>()?, 2);
        assert_eq!(a.argmin(0).to_vec::<i64>()?, [0, 0, 1]);
        assert_eq!(a.mean(1).to_vec::<f64>()?, [3.0, 2.0 / 3.0]);
        let mask = a.greater(0);
        assert_eq!(a.sum(over(0).where_(&mask)).to_vec::<i64>()?, [10, 0, 7]);
        assert_eq!(a.max(over(1).initial(5)).to_vec::<i32>()?, [7, 7]);
        assert_eq!(a.mean(over(1).where_(&mask)).to_vec::<f64>()?, [5.0, 7.0]);
        let empty = zeros((0, 3), DType::F32);
        assert_eq!(empty.sum(0).to_vec::<f32>()?, [0.0; 3]);
        assert_eq!(empty.try_max(0).expect_err("no identity").class(), "ValueError");
        assert!(empty.mean(0).to_vec::<f32>()?.iter().all(|mean| mean.is_nan()));
        assert_eq!(a.cumsum(1).to_vec::<i64>()?, [3, 2, 9, 7, 7, 2]);
        Ok(())
    })
}

#[test]
fn sums_asked_for_as_bool_are_logical() -> Result<()> {
    on_reference(|| {
        let a = Array::from([1u8, 2, 0]);
        assert!(a.sum(over(..).dtype(DType::Bool)).item::<bool>()?);
        assert!(!a.prod(over(..).dtype(DType::Bool)).item::<bool>()?);
        assert_eq!(a.cumsum(along(0).dtype(DType::Bool)).to_vec::<bool>()?, [true; 3]);
        Ok(())
    })
}

#[test]
fn ranges_step_as_numpys_do() -> Result<()> {
    on_reference(|| {
        let tenths = arange((1, 2, 0.1)).to_vec::<f64>()?;
        assert_eq!(tenths[..4], [1.0, 1.1, 1.2000000000000002, 1.3000000000000003]);
        assert_eq!(tenths[4..7], [1.4000000000000004, 1.5000000000000004, 1.6000000000000005]);
        let whole = crate::checked::arange(Arange::of(0.5, 5.0, 1.5, Some(DType::I32)))?;
        assert_eq!(whole.to_vec::<i32>()?, [0, 2, 4]);
        let half = crate::checked::arange(Arange::of(0.0, 1.0, 0.1, Some(DType::F16)))?
            .to_vec::<half::f16>()?;
        let tenth = half::f16::from_f64(0.1).to_f32();
        assert_eq!(half[7], half::f16::from_f32(7.0 * tenth));
        assert_eq!(arange((5, 0, -2)).to_vec::<i64>()?, [5, 3, 1]);
        let large =
            crate::checked::arange(Arange::of(u64::MAX - 2, u64::MAX, 1, Some(DType::U64)))?;
        assert_eq!(large.to_vec::<u64>()?, [u64::MAX - 2, u64::MAX - 1]);
        Ok(())
    })
}

#[test]
fn a_failure_is_its_own_nodes_alone() -> Result<()> {
    on_reference(|| {
        let a = Array::from([2i32, 3]);
        let doubled = &a * 2;
        let failed = doubled.pow(&(&doubled - 100));
        drop(a);
        assert_eq!(failed.eval().expect_err("a negative power").class(), "ValueError");
        assert_eq!(doubled.to_vec::<i32>()?, [4, 6]);
        Ok(())
    })
}

#[test]
fn a_failure_shows_even_where_nothing_reads_the_value() {
    on_reference(|| {
        let launches = |array: &Array| {
            let before = Statistics::now();
            let outcome = array.eval();
            (outcome.is_err(), Statistics::now().since(&before).maps)
        };
        let base = Array::from([2i32, 3]);
        // No integer is NaN, so a program for this reads nothing.
        assert_eq!(launches(&base.pow(&(&base - 3)).isnan()), (true, 1));
        assert_eq!(launches(&base.pow(&(&base - 2)).isnan()), (false, 2));
        // What may fail is a launch of its own: its error belongs to what depends on it, and to nothing else.
        assert_eq!(launches(&(base.pow(&(&base - 2)) + 1)), (false, 2));
    });
}

#[test]
fn a_map_has_no_rows() -> Result<()> {
    on_reference(|| {
        let a = Array::from([[1.0f64, 3.0], [2.0, 6.0]]);
        let total = a.sum(over(1).keepdims());
        let half = &total / 2;
        // The sum is there before the quotient that still counts it among its steps.
        total.eval()?;
        let before = Statistics::now();
        assert_eq!((&a - &half).to_vec::<f64>()?, [-1.0, 1.0, -2.0, 2.0]);
        let during = Statistics::now().since(&before);
        assert_eq!((during.maps, during.launches()), (2, 2));
        assert_eq!(half.to_vec::<f64>()?, [2.0, 4.0]);
        Ok(())
    })
}

#[test]
fn a_scan_leaves_reductions_and_other_readers_to_their_own_launches() -> Result<()> {
    on_reference(|| {
        let a = Array::from([[1.0f64, 3.0], [2.0, 6.0]]);
        let shares = &a / a.sum(over(1).keepdims());
        let running = shares.cumsum(1);
        assert_eq!(running.to_vec::<f64>()?, [0.25, 1.0, 0.25, 1.0]);
        assert_eq!(shares.to_vec::<f64>()?, [0.25, 0.75, 0.25, 0.75]);
        Ok(())
    })
}

#[test]
fn errors_name_the_operation_and_the_remedy() {
    on_reference(|| {
        let a = zeros((3, 4), DType::F32);
        let b = zeros(5, DType::F32);
        let error = a.try_add(&b).expect_err("do not broadcast");
        assert_eq!(error.to_string(), "[add] shapes (3, 4) and (5,) do not broadcast");
        let error = Array::from([1u8]).try_add(300).expect_err("out of range");
        assert_eq!(error.class(), "OverflowError");
        assert_eq!(Array::from([true]).try_negative().expect_err("bool").class(), "TypeError");
        let base = Array::from([2i32]);
        let failed = base.pow(Array::from([-1i32]));
        let derived = &failed + 1;
        let error = derived.eval().expect_err("a negative power");
        assert_eq!(error.class(), "ValueError");
        assert!(error.to_string().contains("tests.rs"), "{error}");
    });
}

#[test]
fn long_chains_and_many_pending_arrays_need_no_stack() -> Result<()> {
    on_reference(|| {
        let mut a = zeros(1, DType::I64);
        for _ in 0..20_000 {
            a += 1;
        }
        assert_eq!(a.item::<i64>()?, 20_000);
        let kept: Vec<Array> = (0..20_000).map(|i| &a + i).collect();
        drop(kept);
        let mut doubled = zeros(1, DType::I64) + 1;
        for _ in 0..62 {
            doubled = &doubled + &doubled;
        }
        assert_eq!(doubled.item::<i64>()?, 1 << 62);
        Ok(())
    })
}

#[test]
fn matmul_broadcasts_batches() -> Result<()> {
    on_reference(|| {
        let a = arange(12).reshape([2, 2, 3]);
        let b = arange(6).reshape([3, 2]);
        assert_eq!(a.matmul(&b).to_vec::<i64>()?, [10, 13, 28, 40, 46, 67, 64, 94]);
        assert_eq!(b.transpose(..).matmul(Array::from([1i64, 1, 1])).to_vec::<i64>()?, [6, 9]);
        assert!(a.try_matmul(&a).is_err());
        Ok(())
    })
}

#[test]
fn two_results_of_an_operation_take_one_launch() {
    let _guard = Device::open("reference").expect("always there").enter();
    let a = Array::from([7.5f64, -7.5, 0.25]);
    for second_first in [false, true] {
        let before = Statistics::now();
        let (quotient, rest) = a.divmod(2);
        let read = |array: &Array| array.to_vec::<f64>().expect("nothing fails");
        if second_first {
            assert_eq!(read(&rest), [1.5, 0.5, 0.25]);
        }
        assert_eq!(read(&quotient), [3.0, -4.0, 0.0]);
        assert_eq!(read(&rest), [1.5, 0.5, 0.25]);
        assert_eq!(Statistics::now().since(&before).launches(), 1);
    }
    // The one that is left alone is computed alone, and both join what is made of them.
    let fraction = a.modf().0;
    assert_eq!(fraction.to_vec::<f64>().expect("nothing fails"), [0.5, -0.5, 0.25]);
    let before = Statistics::now();
    let (fraction, exponent) = a.frexp();
    assert!(fraction.ldexp(exponent).array_equal(&a).expect("nothing fails"));
    assert_eq!(Statistics::now().since(&before).launches(), 1);
}

#[test]
fn results_go_into_the_memory_of_a_sole_handle_and_past_others() {
    let _guard = Device::open("reference").expect("always there").enter();
    let read = |array: &Array| array.to_vec::<f64>().expect("nothing fails");
    let a = Array::from([1.0f64, 4.0, 9.0]);
    let mut out = Array::from([-1.0f64; 3]);
    let before = std::sync::Arc::as_ptr(out.node());
    a.sqrt().store(&mut out);
    assert_eq!(read(&out), [1.0, 2.0, 3.0]);
    (&a + 1).store(out.masked(&Array::from([true, false, true])));
    assert_eq!(read(&out), [2.0, 2.0, 10.0]);
    assert_eq!(std::sync::Arc::as_ptr(out.node()), before, "written in place");
    // A view of another array's memory, and a second handle, keep what they show.
    let view = out.i(1..);
    let other = out.clone();
    (&out * 2).store(&mut out);
    assert_eq!((read(&out), read(&other)), (vec![4.0, 4.0, 20.0], vec![2.0, 2.0, 10.0]));
    assert_eq!(read(&view), [2.0, 10.0]);
    // Refusals leave the array as it was.
    let mut whole = Array::from([0i64; 3]);
    let error = checked::store(&a + 0.5, &mut whole).expect_err("floats into integers");
    assert_eq!(error.class(), "TypeError");
    assert_eq!(
        checked::store(&a + &a, &mut Array::from([0.0f64; 2])).expect_err("3 into 2").class(),
        "ValueError"
    );
    assert_eq!(whole.to_vec::<i64>().expect("nothing fails"), [0; 3]);
    checked::store(&a + 0.5, Target::from(&mut whole).casting(Casting::Unsafe)).expect("asked for");
    assert_eq!(whole.to_vec::<i64>().expect("nothing fails"), [1, 4, 9]);
}

#[test]
fn results_go_into_windows() -> Result<()> {
    let _guard = Device::open("reference")?.enter();
    let a = Array::from([1i64, 2, 3]);
    let mut out = arange((0i64, 8));
    (&a * 10).store(out.view_mut(s![1..4]));
    assert_eq!(out.to_vec::<i64>()?, [0, 10, 20, 30, 4, 5, 6, 7]);
    // Over itself: the values of before are read.
    let shifted = out.i(..3);
    shifted.store(out.view_mut(s![1..4]));
    assert_eq!(out.to_vec::<i64>()?, [0, 0, 10, 20, 4, 5, 6, 7]);
    let mask = Array::from([true, false, true]);
    a.negative().store(Target::from(out.view_mut(s![..6;2])).masked(&mask));
    assert_eq!(out.to_vec::<i64>()?, [-1, 0, 10, 20, -3, 5, 6, 7]);
    a.square().store(out.view_mut(Array::from([7i64, 0, 6])));
    assert_eq!(out.to_vec::<i64>()?, [4, 0, 10, 20, -3, 5, 9, 1]);
    // Refusals leave the array as it was.
    let error = checked::store(a.sqrt(), out.view_mut(s![..3])).expect_err("floats into integers");
    assert_eq!(error.class(), "TypeError");
    let error = checked::store(&a + 1, out.view_mut(s![..2])).expect_err("3 into 2");
    assert_eq!(error.class(), "ValueError");
    assert_eq!(out.to_vec::<i64>()?, [4, 0, 10, 20, -3, 5, 9, 1]);
    // One pass computes and writes.
    out.eval()?;
    let (before, memory) = (Statistics::now(), std::sync::Arc::as_ptr(out.node()));
    (&a * 2 + 1).store(out.view_mut(s![2..5]));
    assert_eq!(Statistics::now().since(&before).launches(), 1);
    assert_eq!(std::sync::Arc::as_ptr(out.node()), memory, "written in place");
    Ok(())
}

#[test]
fn masked_elements_of_powers_do_not_fail() -> Result<()> {
    let _guard = Device::open("reference")?.enter();
    let base = Array::from([[2i64, 3], [4, 5], [6, 7]]);
    let exponent = Array::from([[1i64, -1], [2, -2], [-3, 3]]);
    let mask = exponent.greater(0);
    let expected = [2i64, 0, 16, 0, 0, 343];
    let mut out = base.zeros_like();
    base.pow(&exponent).store(out.masked(&mask));
    assert_eq!(out.to_vec::<i64>()?, expected);
    // Operands whose columns lie together make a node of another order of axes.
    let columns = |array: &Array| array.asfortranarray();
    let mut out = base.zeros_like();
    columns(&base).pow(columns(&exponent)).store(out.masked(&mask));
    assert_eq!(out.to_vec::<i64>()?, expected);
    let mut out = base.transpose(..).zeros_like();
    base.pow(&exponent).transpose(..).store(out.masked(&mask.transpose(..)));
    assert_eq!(out.transpose(..).to_vec::<i64>()?, expected);
    // Without a mask, or with one that lets them through, they do.
    let mut out = base.zeros_like();
    let error = checked::store(base.pow(&exponent), &mut out).and_then(|()| out.eval());
    assert_eq!(error.expect_err("a negative exponent").class(), "ValueError");
    let mut out = base.zeros_like();
    let error = checked::store(base.pow(&exponent), out.masked(&mask.logical_not()))
        .and_then(|()| out.eval());
    assert_eq!(error.expect_err("a negative exponent").class(), "ValueError");
    Ok(())
}

#[test]
fn bytes_of_truths_count_as_one() -> Result<()> {
    let device = Device::open("reference")?;
    let _guard = device.enter();
    let truths = Array::from_bytes(DType::Bool, &[4], &[0, 1, 3, 255], &device)?;
    assert_eq!(truths.to_bytes()?, [0, 1, 1, 1]);
    let two = Array::from([2u16, 2, 2, 2]);
    assert_eq!(two.try_add(&truths)?.to_vec::<u16>()?, [2, 3, 3, 3]);
    assert_eq!(truths.sum(..).item::<i64>()?, 3);
    Ok(())
}

#[test]
fn results_of_their_own_lie_in_c_order() {
    on_reference(|| {
        // The longer one is what the shorter one is laid along, whichever comes first.
        let (short, long) = (arange((0.0, 5.0, 1.0)), arange((0.0, 6.0, 1.0)));
        assert_eq!(short.correlate(&long, Overlap::Valid).strides(), [1]);
        assert_eq!(long.correlate(&short, Overlap::Valid).strides(), [1]);
        assert_eq!(
            crate::linalg::matrix_power(ones((2, 2, 2), DType::F64), 0).strides(),
            [4, 2, 1]
        );
    });
}

#[test]
fn a_shape_that_does_not_fit_is_said_as_a_tuple() {
    on_reference(|| {
        let text = |shape: &[isize]| {
            let error = zeros(0, DType::F64).try_reshape(shape).expect_err("no elements");
            error.to_string()
        };
        assert_eq!(text(&[]), "[reshape] cannot reshape (0,) (0 elements) into ()");
        assert_eq!(text(&[2]), "[reshape] cannot reshape (0,) (0 elements) into (2,)");
        assert_eq!(text(&[2, -1, 0]), "[reshape] cannot reshape (0,) (0 elements) into (2, -1, 0)");
    });
}

#[test]
fn descending_sorts_are_stable_and_leave_nan_last() -> Result<()> {
    let _guard = Device::open("reference")?.enter();
    let down = || crate::along(-1).descending();
    for dtype in DType::ALL {
        let a = Array::from([3i64, 1, 2, 3, 0, 1]).astype(dtype);
        let places = a.argsort(down());
        let expected: &[i64] = match dtype {
            // Truth values: the false one last.
            DType::Bool => &[0, 1, 2, 3, 5, 4],
            _ => &[0, 3, 2, 1, 5, 4],
        };
        assert_eq!(places.to_vec::<i64>()?, expected, "{dtype}");
        assert!(a.sort(down()).array_equal(a.take(&places, ..))?, "{dtype}");
        assert_eq!(a.sort(down()).dtype(), dtype);
    }
    let a =
        Array::from([[1.0, f64::NAN, -0.0, 0.0], [f64::INFINITY, -1.0, f64::NEG_INFINITY, 2.0]]);
    let places = a.argsort(down());
    assert_eq!(a.sort(down()).to_bytes()?, a.take_along_axis(&places, -1).to_bytes()?);
    assert_eq!(places.to_vec::<i64>()?, [0, 2, 3, 1, 0, 3, 1, 2]);
    assert_eq!(a.sort(crate::along(0).descending()).i(0).to_vec::<f64>()?[..1], [f64::INFINITY]);
    // The smallest integers have no negatives.
    let ends = Array::from([i8::MIN, 0, i8::MAX, i8::MIN]);
    assert_eq!(ends.sort(down()).to_vec::<i8>()?, [127, 0, -128, -128]);
    let bytes = Array::from([0u8, 255, 1]);
    assert_eq!(bytes.sort(down()).to_vec::<u8>()?, [255, 1, 0]);
    Ok(())
}
