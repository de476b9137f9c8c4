//! Sizes past what 32 or 64 bits count.

use ndany::{Arange, Array, DType, Eye, Result, arange, checked, zeros};

#[test]
fn row_5_sizes_that_overflow_are_errors_before_anything_is_allocated() {
    let mocked = crate::mock::poisoned(0xFF);
    let _guard = mocked.device.enter();
    const HUGE: usize = 1 << 40;
    let refused = |what: &str, result: Result<Array>| {
        let error = result.and_then(|array| array.eval().map(|()| array));
        let class = error.err().map(|error| error.class());
        assert_eq!(class, Some("ValueError"), "{what}");
    };
    refused("zeros", checked::zeros((HUGE, HUGE), DType::F64));
    refused("zeros", checked::zeros((HUGE, HUGE, 0), DType::U8));
    refused("zeros", checked::zeros(usize::MAX, DType::U8));
    refused("full", checked::full((1usize << 32, 1usize << 32), 1, DType::I8));
    refused("eye", checked::eye(Eye::new(HUGE).dtype(DType::F32)));
    refused("arange", checked::arange((0.0, 1e300, 1e-300)));
    refused("arange", checked::arange(Arange::new((0, i64::MAX, 1)).dtype(DType::F64)));
    refused("linspace", checked::linspace(0.0, 1.0, usize::MAX));
    let one = Array::from([1.0f64]);
    refused("broadcast_to", checked::broadcast_to(&one, (HUGE, HUGE)));
    let (row, column) = (one.broadcast_to((1, HUGE)), one.broadcast_to((HUGE, 1)));
    refused("add", checked::add(&row, &column));
    refused("where", checked::where_(&row, &column, 0));
    refused("matmul", checked::matmul(&column, &row));
    let long = one.broadcast_to(1usize << 59);
    refused("concatenate", checked::concatenate(&[&long, &long, &long], 0));
    refused("stack", checked::stack(&[&long, &long, &long], 0));
    refused("astype", checked::astype(&zeros(1usize << 59, DType::I8), DType::C128));
    refused("expand_dims", (0..65).try_fold(one.clone(), |a, _| checked::expand_dims(&a, 0isize)));
    refused("reshape", checked::reshape(&one, [-1isize, 1 << 40, 1 << 40]));
    refused("reshape", checked::reshape(&zeros((0, 3), DType::F32), [0isize, 1 << 40, 1 << 40]));
    assert_eq!(mocked.log.allocations(), 1, "only the array of one element");
}

#[test]
fn row_28_a_result_that_no_machine_holds_is_an_error_and_not_an_abort() {
    for device in crate::devices() {
        let _guard = device.enter();
        let long = Array::from([1u8]).broadcast_to(1usize << 60);
        let error = (&long + 1).eval().expect_err("an exbibyte");
        assert_eq!(error.class(), "MemoryError", "{error}");
        let error = checked::cumsum(&long, 0).expect_err("eight of them");
        assert_eq!(error.class(), "ValueError", "{error}");
        assert_eq!(Array::from([1u8, 2]).sum(..).item::<u64>().ok(), Some(3));
    }
}

/// More than 2^32 elements without the memory: repeated, or computed where they are used. This takes minutes without
/// optimization, so it is asked for by the variable `NDANY_TEST_LONG`.
#[test]
fn row_2_3_and_4_more_than_two_to_the_32_elements() -> Result<()> {
    if std::env::var_os("NDANY_TEST_LONG").is_none() {
        return Ok(());
    }
    let device = ndany::Device::open("cpu")?;
    let _guard = device.enter();
    let count = (1usize << 32) + 10;
    let ones = Array::from([1u8]).broadcast_to(count);
    assert_eq!(ones.sum(..).item::<u64>()?, count as u64);
    let range = arange(count);
    assert_eq!(range.max(..).item::<i64>()?, count as i64 - 1);
    assert_eq!(arange(count).argmax(..).item::<i64>()?, count as i64 - 1);
    let rows = Array::from([[1u8], [2]]).broadcast_to((2, count));
    assert_eq!(rows.sum(1).to_vec::<u64>()?, [count as u64, 2 * count as u64]);
    Ok(())
}

#[test]
fn empty_arrays_of_every_operation() -> Result<()> {
    for device in crate::devices() {
        let _guard = device.enter();
        for shape in [[0usize, 3], [3, 0], [0, 0]] {
            let x = zeros(shape, DType::F32);
            assert_eq!((&x + 1).exp().to_vec::<f32>()?, [0.0f32; 0]);
            assert_eq!(x.sum(0).to_vec::<f32>()?, vec![0.0; shape[1]]);
            assert_eq!(x.prod(1).to_vec::<f32>()?, vec![1.0; shape[0]]);
            assert_eq!(x.cumsum(1).shape(), shape);
            assert_eq!(x.matmul(x.transpose(..)).to_vec::<f32>()?, vec![0.0; shape[0] * shape[0]]);
            assert_eq!(ndany::concatenate(&[&x, &x], 0).shape(), [2 * shape[0], shape[1]]);
            // NumPy asks for an element in each row, also where there is no row.
            assert_eq!(checked::argmax(&x, 0).is_err(), shape[0] == 0, "{shape:?}");
            let mut y = x.clone();
            y.set(.., 1);
            assert_eq!(y.flip(..).to_vec::<f32>()?, [0.0f32; 0]);
        }
    }
    Ok(())
}

#[test]
fn long_ranges_keep_their_last_elements() -> Result<()> {
    for device in crate::devices() {
        let _guard = device.enter();
        let count = 70_001usize;
        let range = arange(count);
        assert_eq!(range.i(s_last()).to_vec::<i64>()?, [count as i64 - 2, count as i64 - 1]);
        assert_eq!((range * 3).max(..).item::<i64>()?, 3 * (count as i64 - 1));
    }
    Ok(())
}

fn s_last() -> ndany::Index {
    ndany::Index::from(-2..)
}
