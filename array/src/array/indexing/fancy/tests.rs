//! Advanced indexing on the reference device. What NumPy makes of it is in the golden cases.

use crate::*;

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

#[test]
fn every_kind_of_item_stands_in_one_index() -> Result<()> {
    on_reference(|| {
        let a = arange(24).reshape([2, 3, 4]);
        let (rows, mask) = (Array::from([1i32, 0]), Array::from([true, false, true]));
        assert_eq!(a.i(s![&rows, &mask, ..;2]).to_vec::<i64>()?, [12, 14, 8, 10]);
        assert_eq!(a.i((rows, .., vec![3i64, -4])).shape(), [2, 3]);
        assert_eq!(a.i((.., [true, false, true], 1)).to_vec::<i64>()?, [1, 9, 13, 21]);
        assert_eq!(a.i((1, Ellipsis, [[0, 1], [2, 3]])).shape(), [2, 2, 3]);
        assert_eq!(a.i((true, NewAxis, 1)).shape(), [1, 1, 3, 4]);
        assert_eq!(a.i(false).shape(), [0, 2, 3, 4]);
        Ok(())
    })
}

#[test]
fn views_stay_views_and_gathers_are_one_launch() -> Result<()> {
    on_reference(|| {
        let a = arange(24).reshape([2, 3, 4]);
        a.eval()?;
        let before = Statistics::now();
        let _views = (a.i((1, ..)), a.i(s![.., ..;-1]), a.i(true));
        assert_eq!(Statistics::now().since(&before).operations, 0);
        a.i((1, [2, 0])).eval()?;
        assert_eq!(Statistics::now().since(&before).launches(), 1);
        Ok(())
    })
}

#[test]
fn a_masked_assignment_of_one_value_is_one_map() -> Result<()> {
    on_reference(|| {
        let mut a = arange(6) - 3;
        a.eval()?;
        let before = Statistics::now();
        let negative = a.less(0);
        a.try_set(negative, 0)?;
        assert_eq!(a.to_vec::<i64>()?, [0, 0, 0, 0, 1, 2]);
        assert_eq!(Statistics::now().since(&before).launches(), 1);
        Ok(())
    })
}

#[test]
fn windows_through_masks_and_index_arrays() -> Result<()> {
    on_reference(|| {
        let mut a = arange(6).reshape([2, 3]);
        let before = a.clone();
        let even = a.remainder(2).equal(0);
        *a.view_mut(&even) += 10;
        assert_eq!(a.to_vec::<i64>()?, [10, 1, 12, 3, 14, 5]);
        *a.view_mut(&even) *= &Array::from([1i64, 2, 3]);
        assert_eq!(a.to_vec::<i64>()?, [10, 1, 24, 3, 42, 5]);
        // Twice the same place: nothing adds up.
        *a.view_mut((0, [1, 1])) += 1;
        assert_eq!(a.view_mut((0, ..)).get().to_vec::<i64>()?, [10, 2, 24]);
        a.view_mut((.., [0, 2])).try_assign(Array::from([[-1], [-2]]))?;
        assert_eq!(a.to_vec::<i64>()?, [-1, 2, -1, -2, 42, -2]);
        assert_eq!(before.to_vec::<i64>()?, [0, 1, 2, 3, 4, 5]);
        Ok(())
    })
}

#[test]
fn what_cannot_be_an_index_says_why() {
    on_reference(|| {
        let mut a = zeros((2, 3), DType::F32);
        let cases: [(Vec<Index>, &str, &str); 5] = [
            (vec![Index::from(Array::from([0.5f32]))], "IndexError", "integers or bool"),
            (vec![Index::from([true, false, true])], "IndexError", "mask of shape (3,)"),
            (vec![Index::from([0, 1]), Index::from([0, 1, 2])], "IndexError", "do not broadcast"),
            (vec![Index::from([0]), Index::from(..), Index::from([0])], "IndexError", "too many"),
            (
                vec![Index::from([2])],
                "IndexError",
                "index 2 is out of bounds for axis 0 with size 2",
            ),
        ];
        for (items, class, text) in cases {
            let read = a.try_i(items.as_slice()).and_then(|part| part.eval());
            let written = a.try_set(items.as_slice(), 1);
            for outcome in [read, written] {
                let error = outcome.expect_err("no index of this array");
                assert_eq!(error.class(), class, "{error}");
                assert!(error.to_string().contains(text), "{error}");
            }
        }
        let value = Array::from([1.0f32, 2.0]);
        assert_eq!(a.try_set([0, 1, 0], &value).expect_err("3 columns").class(), "ValueError");
    });
}
