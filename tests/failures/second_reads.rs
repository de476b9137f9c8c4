//! Values that are read again: what is expensive to compute is stored by its second read, what is not is computed again.

use ndany::{Array, Device, Result, Statistics, arange};
use ndany_core::backend::DeviceProfile;

use crate::{canonical, mock};

/// A length that is kept on chip with the elements of a row, and one that is not.
const LENGTHS: [i64; 2] = [1_000, 100_000];

fn expensive(x: &Array) -> Array {
    (x.sin() * 0.5 + 0.25).exp()
}

fn light(x: &Array) -> Array {
    x + 1
}

fn on_cpu<T>(test: impl FnOnce() -> Result<T>) -> Result<T> {
    let _guard = Device::open("cpu:threads=1")?.enter();
    test()
}

fn operand(length: i64) -> Result<Array> {
    let x = arange(length) / 1000.0;
    x.eval()?;
    Ok(x)
}

/// Maps, reductions and launches of rows that evaluate an array.
fn launches(array: &Array) -> Result<[u64; 3]> {
    let before = Statistics::now();
    array.eval()?;
    let during = Statistics::now().since(&before);
    assert_eq!(during.launches(), during.maps + during.reductions + during.rows);
    Ok([during.maps, during.reductions, during.rows])
}

fn is_pending(array: &Array) -> bool {
    format!("{array:?}").contains("pending")
}

#[test]
fn the_second_read_of_an_expensive_value_stores_it() -> Result<()> {
    on_cpu(|| {
        for length in LENGTHS {
            let x = operand(length)?;
            let a = expensive(&x);
            let first = a.sum(..);
            assert_eq!(launches(&first)?, [0, 1, 0]);
            assert!(is_pending(&a), "it may have been the only read");
            let second = a.max(..);
            // Elements are written along with short rows, and before long ones.
            let storing = if length == LENGTHS[0] { [0, 0, 1] } else { [1, 1, 0] };
            assert_eq!(launches(&second)?, storing);
            assert!(!is_pending(&a));
            let third = a.min(..);
            assert_eq!(launches(&third)?, [0, 1, 0]);
            let stored = expensive(&x);
            stored.eval()?;
            let expected = [stored.sum(..), stored.max(..), stored.min(..)];
            for (found, expected) in [first, second, third].iter().zip(&expected) {
                assert_eq!(canonical(found), canonical(expected), "{length} elements");
            }
            assert_eq!(canonical(&a), canonical(&stored), "{length} elements");
        }
        Ok(())
    })
}

#[test]
fn a_light_value_is_computed_again_at_each_read() -> Result<()> {
    on_cpu(|| {
        for length in LENGTHS {
            let x = operand(length)?;
            let a = light(&x);
            for _ in 0..9 {
                assert_eq!(launches(&a.sum(..))?, [0, 1, 0]);
                assert!(is_pending(&a));
            }
        }
        Ok(())
    })
}

#[test]
fn a_value_whose_handle_is_gone_is_not_stored() -> Result<()> {
    on_cpu(|| {
        for length in LENGTHS {
            let x = operand(length)?;
            let a = expensive(&x);
            let [first, second] = [a.sum(..), a.max(..)];
            drop(a);
            // Two sums hold it; the second to be computed is the last.
            assert_eq!(launches(&first)?, [0, 1, 0]);
            assert_eq!(launches(&second)?, [0, 1, 0]);
            for _ in 0..3 {
                assert_eq!(launches(&expensive(&x).sum(..))?, [0, 1, 0]);
            }
        }
        Ok(())
    })
}

#[test]
fn what_a_stored_value_is_made_of_is_not_stored_with_it() -> Result<()> {
    on_cpu(|| {
        for length in LENGTHS {
            let x = operand(length)?;
            let inner = x.exp();
            let outer = &inner * 2 + 1;
            outer.sum(..).eval()?;
            outer.max(..).eval()?;
            assert!(!is_pending(&outer) && is_pending(&inner), "{length} elements");
            // The first read of its own was that of `outer`; this is the second.
            inner.sum(..).eval()?;
            assert!(!is_pending(&inner), "{length} elements");
        }
        Ok(())
    })
}

#[test]
fn scans_store_what_they_read_again() -> Result<()> {
    on_cpu(|| {
        let x = operand(LENGTHS[0])?;
        let a = expensive(&x);
        a.cumsum(..).eval()?;
        assert!(is_pending(&a));
        let running = a.cumsum(..);
        running.eval()?;
        assert!(!is_pending(&a));
        assert_eq!(canonical(&running), canonical(&expensive(&x).cumsum(..)));
        Ok(())
    })
}

#[test]
fn a_second_read_without_memory_for_the_value_computes_it_again() -> Result<()> {
    for row_limit in [usize::MAX, 2] {
        let mocked = mock::with_row_limit(0xFF, row_limit);
        let _guard = mocked.device.enter();
        let x = Array::from([[1.0f32, -2.0, 3.0], [0.5, 0.25, -4.0]]);
        let a = x.sin().exp().tanh().log1p().sinh().asinh();
        let sum = a.sum(..).item::<f32>()?;
        mocked.log.fail_after(0);
        let max = a.max(..).item::<f32>()?;
        assert!(mocked.log.failed() && is_pending(&a));
        assert_eq!(a.min(..).item::<f32>()?, a.min(..).item::<f32>()?);
        assert!(!is_pending(&a), "there is memory again");
        assert_eq!((a.sum(..).item::<f32>()?, a.max(..).item::<f32>()?), (sum, max));
    }
    Ok(())
}

#[test]
fn truth_values_of_a_long_row_are_stored_at_once_where_computing_takes_time() -> Result<()> {
    let (reduced, stored) = ([0, 1, 0], [1, 1, 0]);
    let expected = [
        (DeviceProfile::SYNCHRONOUS, [stored, reduced]),
        (DeviceProfile::ASYNCHRONOUS, [reduced, stored]),
    ];
    for (profile, expected) in expected {
        let mocked = mock::with_profile(0xFF, 2, profile);
        let _guard = mocked.device.enter();
        let x = Array::from([1.0, -2.0, 3.0, 0.5, 0.25, -4.0]);
        let mask = x.less(0.0);
        let (any, sum) = (mask.any(..), mask.sum(..));
        assert_eq!([launches(&any)?, launches(&sum)?], expected, "{profile:?}");
        assert!(!is_pending(&mask));
        assert_eq!((any.item::<bool>()?, sum.item::<i64>()?), (true, 2));
    }
    Ok(())
}
