//! Routes on the reference device.

use super::{AdvancedIndex, coordinates, flat_positions, gather, scatter, select};
use crate::*;
use ndany_core::program::Prim;

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

#[test]
fn take_puts_the_axes_of_the_indices_in_place_of_the_axis() -> Result<()> {
    on_reference(|| {
        let a = arange(24).reshape([2, 3, 4]);
        let taken = a.take(Array::from([[2, 0], [-1, 1]]), 1);
        assert_eq!(taken.shape(), [2, 2, 2, 4]);
        let expected: Vec<i64> = [0, 12]
            .iter()
            .flat_map(|block| [2, 0, 2, 1].map(|row| block + 4 * row))
            .flat_map(|first| first..first + 4)
            .collect();
        assert_eq!(taken.to_vec::<i64>()?, expected);
        // Strides of a view, backwards and transposed.
        let view = a.i(s![.., ..;-1, 1..;2]).transpose([2isize, 0, 1]);
        assert_eq!(view.take([1, 1], 2).to_vec::<i64>()?, [5, 5, 17, 17, 7, 7, 19, 19]);
        assert_eq!(a.take([23, -24], ..).to_vec::<i64>()?, [23, 0]);
        Ok(())
    })
}

#[test]
fn positions_of_every_integer_dtype_name_the_same_elements() -> Result<()> {
    on_reference(|| {
        let a = arange(12).reshape([3, 4]);
        let (rows, columns) = (Array::from([2i64, -1, 0]), Array::from([[1i64], [-4]]));
        let taken = |dtype: DType, other: DType| -> Result<Vec<Vec<i64>>> {
            let (rows, columns) = (rows.astype(dtype), columns.astype(other));
            let mut written = a.clone();
            written.set((&rows, &columns), arange(6).reshape([2, 3]));
            let along = Array::from([[0i64, -1], [1, 1], [-4, 3]]).astype(dtype);
            let results = [
                a.take(&rows, 0),
                a.i((&rows, &columns)),
                a.i((.., &rows)),
                a.take_along_axis(&along, 1),
                a.transpose(..).take(rows.i(s![..;-1]), 1),
                written,
            ];
            results.iter().map(Array::to_vec::<i64>).collect()
        };
        let expected = taken(DType::I64, DType::I64)?;
        assert_eq!(expected[1], [9, 9, 1, 8, 8, 0]);
        for (dtype, other) in
            [(DType::I32, DType::I32), (DType::I32, DType::I8), (DType::I8, DType::I32)]
        {
            assert_eq!(taken(dtype, other)?, expected, "{dtype} {other}");
        }
        for bad in [3i32, -4, i32::MAX, i32::MIN] {
            let narrow = Array::from([0, bad]);
            assert_eq!(narrow.dtype(), DType::I32);
            let error = a.take(&narrow, 0).eval().expect_err("out of range").to_string();
            assert!(error.contains(&format!("index {bad} is out of bounds")), "{error}");
        }
        // Nothing to read, and still no such position.
        let empty = zeros((3, 0), DType::F32);
        let class =
            |at: i32| empty.take(Array::from([at]), 0).eval().map_err(|error| error.class());
        assert_eq!((class(2), class(3)), (Ok(()), Err("IndexError")));
        Ok(())
    })
}

#[test]
fn a_position_out_of_range_fails_what_is_made_of_it() -> Result<()> {
    on_reference(|| {
        let a = Array::from([1.0f32, 2.0, 3.0]);
        for bad in [3i64, -4, i64::MAX, i64::MIN] {
            let taken = a.take([0, bad], 0);
            assert_eq!(taken.shape(), [2]);
            let error = (taken + 1).to_vec::<f32>().expect_err("out of range");
            assert_eq!(error.class(), "IndexError");
            assert!(
                error.to_string().contains(&format!("index {bad} is out of bounds")),
                "{error}"
            );
            let mut b = a.clone();
            assert_eq!(
                b.try_put([0i64, bad], 9, ..).expect_err("out of range").class(),
                "IndexError"
            );
            assert_eq!(b.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
        }
        // Nothing to read, and still no such position.
        let empty = zeros((3, 0), DType::F32);
        assert_eq!(empty.take([3], 0).eval().expect_err("no row 3").class(), "IndexError");
        assert_eq!(empty.take([2], 0).shape(), [1, 0]);
        Ok(())
    })
}

#[test]
fn of_an_empty_axis_every_position_is_out_of_range() -> Result<()> {
    on_reference(|| {
        let class = |error: Error| error.class();
        let read = |array: &Array, index: Vec<Index>| {
            array.try_i(index.as_slice()).and_then(|array| array.eval()).map_err(class)
        };
        let at = |position: i64| Index::from(Array::from([position]));
        let (rows, columns) = (zeros((0, 3), DType::F32), zeros((3, 0), DType::F32));
        for bad in [0, -1] {
            assert_eq!(read(&rows, vec![at(bad)]), Err("IndexError"));
            assert_eq!(read(&columns, vec![Index::from(..), at(bad)]), Err("IndexError"));
            // Two axes, of which one is empty: the position along it counts.
            assert_eq!(read(&columns, vec![at(2), at(bad)]), Err("IndexError"));
            assert_eq!(rows.clone().try_put([bad], 9, ..).map_err(class), Err("IndexError"));
        }
        Ok(())
    })
}

#[test]
fn the_last_writer_wins_and_other_handles_keep_their_values() -> Result<()> {
    on_reference(|| {
        let mut a = zeros((2, 3), DType::I16);
        let before = a.clone();
        a.try_put([0, 4, 0, -1, 4], Array::from([1, 2, 3, 4, 5]), ..)?;
        assert_eq!(a.to_vec::<i16>()?, [3, 0, 0, 0, 5, 4]);
        assert_eq!(before.to_vec::<i16>()?, [0; 6]);
        let mut turned = a.transpose(..);
        turned.try_put([1], 7, ..)?;
        assert_eq!(turned.to_vec::<i16>()?, [3, 7, 0, 5, 0, 4]);
        assert_eq!(a.to_vec::<i16>()?, [3, 0, 0, 0, 5, 4]);
        Ok(())
    })
}

#[test]
fn scatters_combine_in_any_order() -> Result<()> {
    on_reference(|| {
        let index = Array::from([1i64, 1, 0, 1, -1]);
        let mut counts = zeros(3, DType::I64);
        let along = |target: &Array| AdvancedIndex::along(target, 0, &index);
        let one = Array::from([1i64]);
        scatter("bincount", &mut counts, &along, &one, Some(Prim::Add))?;
        assert_eq!(counts.to_vec::<i64>()?, [1, 3, 1]);
        let mut largest = Array::from([0.5f32, 0.5, f32::NAN]);
        let values = Array::from([1.0f32, 3.0, -1.0, 2.0, 5.0]);
        scatter("maximum", &mut largest, &along, &values, Some(Prim::Max))?;
        let largest = largest.to_vec::<f32>()?;
        assert_eq!(largest[..2], [0.5, 3.0]);
        assert!(largest[2].is_nan());
        Ok(())
    })
}

#[test]
fn masks_select_in_c_order() -> Result<()> {
    on_reference(|| {
        let a = arange(12).reshape([3, 4]);
        let mask = a.remainder(5).equal(1);
        assert_eq!(select(&a, &mask)?.to_vec::<i64>()?, [1, 6, 11]);
        let (turned, mask) = (a.transpose(..), mask.transpose(..));
        assert_eq!(select(&turned, &mask)?.to_vec::<i64>()?, [1, 6, 11]);
        let flat = flat_positions(&mask)?;
        assert_eq!(flat.to_vec::<i64>()?, [3, 7, 11]);
        let both = coordinates(&flat, mask.shape())?;
        assert_eq!(both[0].to_vec::<i64>()?, [1, 2, 3]);
        assert_eq!(both[1].to_vec::<i64>()?, [0, 1, 2]);
        assert_eq!(a.less(0).flatnonzero().shape(), [0]);
        Ok(())
    })
}

#[test]
fn what_is_pending_in_front_is_one_launch() -> Result<()> {
    on_reference(|| {
        let (a, index) = (Array::from([1.0f32, 2.0, 3.0]), Array::from([0i64, 1]));
        let before = Statistics::now();
        let taken =
            gather("take", &(&a * 2.0 + 1.0), &AdvancedIndex::along(&a, 0, &(&index + 1 - 0))?)?;
        assert_eq!(taken.to_vec::<f32>()?, [5.0, 7.0]);
        let during = Statistics::now().since(&before);
        assert_eq!((during.maps, during.gathers, during.launches()), (2, 1, 3));
        Ok(())
    })
}

/// A mistake of the caller is raised and changes nothing; what is wrong with a value goes into the array.
#[test]
fn writes_raise_or_fail_the_array() -> Result<()> {
    let _guard = Device::open("reference")?.enter();
    let mut a = Array::from([1i64, 2, 3]);
    let raised = crate::attempt(|| a.put(Array::from([0.5]), 9, ..));
    assert_eq!(raised.map_err(|error| error.class()), Err("TypeError"));
    // A position is a value, too.
    let mut b = a.copy();
    b.put([7], 9, ..);
    assert_eq!(b.to_vec::<i64>().map_err(|error| error.class()), Err("IndexError"));
    let raised = crate::attempt(|| a.set(0, Array::from([1i64, 2])));
    assert_eq!(raised.map_err(|error| error.class()), Err("ValueError"));
    assert_eq!(a.to_vec::<i64>()?, [1, 2, 3]);
    let wrong = Array::from([1i64, 2, 3]).take(Array::from([0i64, 9]), 0);
    let error = crate::checked::set(&mut a, crate::s![..2], &wrong);
    assert_eq!(error.map_err(|error| error.class()), Err("IndexError"));
    a.set(crate::s![..2], &wrong);
    assert_eq!(a.shape(), [3]);
    assert_eq!(a.to_vec::<i64>().map_err(|error| error.class()), Err("IndexError"));
    Ok(())
}
