//! Values with an edge: the ends of the integers, zero divisors, infinities, subnormals.

use ndany::{Array, DType, Element, Result, over};

macro_rules! signed_edges {
    ($($ty:ty),+) => {$({
        let (low, high) = (<$ty>::MIN, <$ty>::MAX);
        let x = Array::from([low, low, high, -7, 7, 0]);
        let y = Array::from([-1 as $ty, 0, 0, 2, -2, 0]);
        assert_eq!(x.floor_divide(&y).to_vec::<$ty>()?, [low, 0, 0, -4, -4, 0]);
        assert_eq!(x.remainder(&y).to_vec::<$ty>()?, [0, 0, 0, 1, -1, 0]);
        assert_eq!(x.fmod(&y).to_vec::<$ty>()?, [0, 0, 0, -1, 1, 0]);
        assert_eq!(x.negative().to_vec::<$ty>()?, [low, low, -high, 7, -7, 0]);
        assert_eq!(x.abs().to_vec::<$ty>()?, [low, low, high, 7, 7, 0]);
        assert_eq!((&x - 1).to_vec::<$ty>()?[..2], [high, high]);
        assert_eq!((&x * &y).to_vec::<$ty>()?[0], low);
        assert_eq!(x.bitwise_left_shift(&Array::from([100 as $ty])).to_vec::<$ty>()?, [0; 6]);
        let shifted = x.bitwise_right_shift(&Array::from([100 as $ty])).to_vec::<$ty>()?;
        assert_eq!(shifted, [-1, -1, 0, -1, 0, 0]);
        assert_eq!(x.min(..).item::<$ty>()?, low);
        assert_eq!(x.max(..).item::<$ty>()?, high);
        assert_eq!(x.reciprocal().to_vec::<$ty>()?[5], 0);
    })+};
}

macro_rules! unsigned_edges {
    ($($ty:ty),+) => {$({
        let high = <$ty>::MAX;
        let x = Array::from([high, high, 7, 0]);
        let y = Array::from([high, 0, 2, 0]);
        assert_eq!(x.floor_divide(&y).to_vec::<$ty>()?, [1, 0, 3, 0]);
        assert_eq!(x.remainder(&y).to_vec::<$ty>()?, [0, 0, 1, 0]);
        assert_eq!(x.negative().to_vec::<$ty>()?, [1, 1, high - 6, 0]);
        assert_eq!((&x + 1).to_vec::<$ty>()?[0], 0);
        assert_eq!(x.min(..).item::<$ty>()?, 0);
        assert_eq!(x.max(..).item::<$ty>()?, high);
    })+};
}

#[test]
fn row_28_integers_at_their_ends_and_divided_by_zero() -> Result<()> {
    for device in crate::devices() {
        let _guard = device.enter();
        signed_edges!(i8, i16, i32, i64);
        unsigned_edges!(u8, u16, u32, u64);
        // Enough of them for every SIMD width, and its remainder.
        for size in [1usize, 31, 64, 1000] {
            let x = ndany::full(size, i64::MIN, DType::I64);
            let y = ndany::full(size, -1, DType::I64);
            assert_eq!(x.floor_divide(&y).to_vec::<i64>()?, vec![i64::MIN; size]);
            assert_eq!(x.remainder(&y).to_vec::<i64>()?, vec![0; size]);
        }
    }
    Ok(())
}

#[test]
fn row_10_extrema_of_infinities() -> Result<()> {
    const INF: f64 = f64::INFINITY;
    for device in crate::devices() {
        let _guard = device.enter();
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            for size in [1usize, 2, 127, 128, 129, 4097] {
                let high = ndany::full((2, size), INF, dtype);
                let low = ndany::full((2, size), -INF, dtype);
                let nan = ndany::full((2, size), f64::NAN, dtype);
                for axis in [0isize, 1] {
                    let same = |a: Array, b: f64| -> Result<bool> {
                        a.astype(DType::F64).equal(b).all(..).item::<bool>()
                    };
                    assert!(same(high.min(axis), INF)?, "{dtype} {size} on {device}");
                    assert!(same(low.max(axis), -INF)?, "{dtype} {size} on {device}");
                    assert!(nan.min(axis).isnan().all(..).item::<bool>()?);
                    assert!(nan.max(axis).isnan().all(..).item::<bool>()?);
                }
            }
        }
        let none = Array::from([false, false]);
        let x = Array::from([5.0, -5.0]);
        assert_eq!(x.min(over(0).where_(&none).initial(INF)).item::<f64>()?, INF);
        assert_eq!(x.max(over(0).where_(&none).initial(-INF)).item::<f64>()?, -INF);
        assert_eq!(x.sum(over(0).where_(&none)).item::<f64>()?, 0.0);
        assert_eq!(
            ndany::checked::max(&x, over(0).where_(&none)).expect_err("no identity").class(),
            "ValueError"
        );
        let zeros = Array::from([0.0, -0.0]);
        assert_eq!(zeros.min(..).item::<f64>()?.to_bits(), (-0.0f64).to_bits());
        assert_eq!(zeros.max(..).item::<f64>()?.to_bits(), 0.0f64.to_bits());
    }
    Ok(())
}

#[test]
fn row_28_subnormals_are_not_flushed_on_any_thread() -> Result<()> {
    fn check<T: Element + PartialEq>(tiny: T, doubled: T) -> Result<()> {
        let size = 300_000;
        let x = ndany::Array::from(vec![tiny; size]);
        let sum = &x + &x;
        sum.eval()?;
        assert!(sum.to_vec::<T>()?.iter().all(|value| *value == doubled), "{doubled:?}");
        assert!((&x * 1).to_vec::<T>()?.iter().all(|value| *value == tiny));
        let product = x.reshape([-1isize, 2]).i(0..2).matmul(ndany::Array::from(vec![tiny; 2]));
        product.eval()?;
        assert_eq!(x.max(..).item::<T>()?, tiny);
        Ok(())
    }
    for device in crate::devices() {
        // The reference needs no third of a million to be right.
        if device.name() == "reference" {
            continue;
        }
        let _guard = device.enter();
        check(f32::from_bits(1), f32::from_bits(2))?;
        check(f64::from_bits(1), f64::from_bits(2))?;
        check(half::f16::from_bits(1), half::f16::from_bits(2))?;
        check(half::bf16::from_bits(1), half::bf16::from_bits(2))?;
    }
    Ok(())
}

#[test]
fn row_25_a_sum_has_one_value() -> Result<()> {
    let values: Vec<f32> = (0..200_000).map(|i: i32| (i * 7919 % 1009) as f32 * 0.37).collect();
    let mut found = Vec::new();
    for device in crate::devices() {
        let _guard = device.enter();
        let x = Array::from(values.as_slice());
        for _ in 0..3 {
            found.push(x.sum(..).item::<f32>()?.to_bits());
        }
        let columns = x.reshape([500, 400]);
        let (across, along) = (columns.sum(0), columns.transpose(..).copy().sum(1));
        assert_eq!(across.to_bytes()?, along.to_bytes()?, "{device}");
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:x?}");
    Ok(())
}
