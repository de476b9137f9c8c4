//! How many launches expressions make: a device made outside the engine sees each of them.

use ndany::{Array, DType, Result, arange, over};

use crate::canonical;
use crate::mock::{self, Launched, Mocked};

fn watched<T>(test: impl FnOnce(&Mocked) -> Result<T>) -> Result<T> {
    let mocked = mock::poisoned(0xFF);
    let _guard = mocked.device.enter();
    test(&mocked)
}

fn grid() -> Array {
    Array::from([[1.0f32, -2.0, 3.0], [0.5, 0.25, -4.0]])
}

#[test]
fn softplus_is_one_map() -> Result<()> {
    watched(|mocked| {
        let x = grid();
        let softplus = x.maximum(0) + (-x.abs()).exp().log1p();
        softplus.eval()?;
        assert_eq!(mocked.log.patterns(), ["map"]);
        Ok(())
    })
}

fn softmax(x: &Array) -> Array {
    let e = (x - x.max(over(1).keepdims())).exp();
    let total = e.sum(over(1).keepdims());
    e / total
}

#[test]
fn softmax_is_one_pass_over_rows_and_the_same_bits_in_several() -> Result<()> {
    let one = watched(|mocked| {
        let softmax = softmax(&grid());
        softmax.eval()?;
        let launched = Launched { pattern: "fused_rowwise", outputs: 1, reductions: 2 };
        assert_eq!(mocked.log.launches(), [launched]);
        Ok(canonical(&softmax))
    })?;
    let short = mock::with_row_limit(0xFF, 2);
    let _guard = short.device.enter();
    let softmax = softmax(&grid());
    softmax.eval()?;
    let patterns = short.log.patterns();
    assert!(patterns.len() > 1 && !patterns.contains(&"fused_rowwise"), "{patterns:?}");
    assert_eq!(canonical(&softmax), one);
    Ok(())
}

#[test]
fn standardize_is_one_pass_over_rows() -> Result<()> {
    watched(|mocked| {
        let x = grid();
        let z = (&x - x.mean(0)) / (x.var(0) + 1e-5).sqrt();
        z.eval()?;
        let launched = Launched { pattern: "fused_rowwise", outputs: 1, reductions: 2 };
        assert_eq!(mocked.log.launches(), [launched]);
        Ok(())
    })
}

#[test]
fn what_is_in_front_of_a_reduction_joins_it() -> Result<()> {
    watched(|mocked| {
        let (x, m) = (grid(), Array::from([0.5f32, 1.0, -1.0]));
        let sum = ((&x - &m) * (&x - &m)).sum(0);
        sum.eval()?;
        let launched = Launched { pattern: "reduce", outputs: 1, reductions: 1 };
        assert_eq!(mocked.log.launches(), [launched]);
        assert_eq!(sum.to_vec::<f32>()?, [0.25, 9.5625, 25.0]);
        Ok(())
    })
}

#[test]
fn a_shared_value_with_a_live_handle_is_written_by_the_same_launch_if_it_is_dear() -> Result<()> {
    watched(|mocked| {
        // It depends on three arrays: writing it out moves fewer bytes than reading them all again.
        let (x, y, z) = (grid(), grid(), grid());
        let dear = || &x * &y + &z;
        let shared = dear();
        let sum = &shared + 1;
        sum.eval()?;
        let both = Launched { pattern: "map", outputs: 2, reductions: 0 };
        assert_eq!(mocked.log.launches(), [both]);
        shared.to_bytes()?;
        assert_eq!(mocked.log.patterns(), [""; 0]);

        let shared = dear();
        let product = &shared * &shared;
        drop(shared);
        product.eval()?;
        let alone = Launched { pattern: "map", outputs: 1, reductions: 0 };
        assert_eq!(mocked.log.launches(), [alone]);
        Ok(())
    })
}

#[test]
fn a_cheap_shared_value_is_computed_again_rather_than_written() -> Result<()> {
    watched(|mocked| {
        let x = grid();
        // The temporary lives to the end of its statement, and is not read.
        (&x * &x).sum(..).eval()?;
        let alone = Launched { pattern: "reduce", outputs: 1, reductions: 1 };
        assert_eq!(mocked.log.launches(), [alone]);
        // One that is read after all, is right, though its array was given away meanwhile.
        let doubled = &x * 2;
        let more = &doubled + 1;
        drop(x);
        more.eval()?;
        assert_eq!(mocked.log.launches().len(), 1);
        assert_eq!(doubled.to_vec::<f32>()?[1] + 1.0, more.to_vec::<f32>()?[1]);
        Ok(())
    })
}

#[test]
fn an_array_given_by_value_lends_its_memory() -> Result<()> {
    watched(|mocked| {
        let x = grid();
        let before = mocked.log.allocations();
        let mut x = x * 2 + 1;
        x.eval()?;
        x += 1;
        x.eval()?;
        assert_eq!(mocked.log.allocations(), before, "donated twice");
        let kept = x.clone();
        let y = x + 1;
        y.eval()?;
        assert_eq!(mocked.log.allocations(), before + 1, "another handle needs the old value");
        assert_eq!(kept.to_vec::<f32>()?[0] + 1.0, y.to_vec::<f32>()?[0]);
        // Another dtype, and elements in another order, cannot take the memory.
        drop(kept);
        let wide = y.astype(DType::F64);
        drop(y);
        wide.eval()?;
        assert_eq!(mocked.log.allocations(), before + 2);
        let turned = wide.flip(..) + 1;
        drop(wide);
        turned.eval()?;
        assert_eq!(mocked.log.allocations(), before + 3);
        Ok(())
    })
}

#[test]
fn lent_memory_is_read_before_it_is_written() -> Result<()> {
    for device in crate::devices() {
        let _guard = device.enter();
        // `same` is `x` as it is, while `x` lends its memory to the other output.
        for size in [1usize, 5, 5000] {
            let x = arange(size).astype(DType::F64);
            x.eval()?;
            let same = x.positive();
            let other = &same * -1 - 1;
            drop(x);
            other.eval()?;
            let expected: Vec<f64> = (0..size).map(|value| value as f64).collect();
            assert_eq!(same.to_vec::<f64>()?, expected, "{device}, {size}");
        }
    }
    Ok(())
}

#[test]
fn views_and_constants_launch_nothing() -> Result<()> {
    watched(|mocked| {
        let x = grid();
        let view = x.transpose(..).i((1.., ..)).flip(0isize).broadcast_to((2, 2, 2));
        let zeros = ndany::zeros((1000, 1000), DType::F64);
        assert_eq!((view.size(), zeros.size()), (8, 1_000_000));
        assert_eq!(mocked.log.patterns(), [""; 0]);
        let before = mocked.log.allocations();
        (x + ndany::ones(3, DType::F32)).eval()?;
        assert!(mocked.log.allocations() <= before + 1);
        assert_eq!(mocked.log.patterns(), ["map"]);
        Ok(())
    })
}
