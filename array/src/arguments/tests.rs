use std::path::Path;

use super::*;
use crate::array::{IndexMode, Order};
use crate::{Array, Device, DeviceGuard, Result, arange, fft};

fn reference() -> DeviceGuard {
    Device::open("reference").expect("always there").enter()
}

#[test]
fn every_form_of_integers_says_the_same() {
    fn of(list: impl Integers) -> Vec<isize> {
        list.integers().to_vec()
    }
    let (n, m) = (2usize, -1i64);
    let (array, list) = ([2i64, -1], vec![2, -1]);
    for same in [of((n, m)), of([2, -1]), of(array), of(&[2isize, -1][..]), of(&list), of(list)] {
        assert_eq!(same, [2, -1]);
    }
    assert_eq!(of(3), [3]);
    assert_eq!(of((3u32,)), [3]);
    assert_eq!(of(()), [0isize; 0]);
    assert_eq!(of((1, 2u64, 3usize, 4i64, 5isize, 6u32)), [1, 2, 3, 4, 5, 6]);
    // What no isize holds is no axis and no extent.
    assert_eq!(of(u64::MAX), [isize::MAX]);
}

#[test]
fn axes_and_shapes_take_every_form() -> Result<()> {
    let _guard = reference();
    let a = arange(24).reshape((2, 3, 4));
    let (axis, count) = (1isize, 4usize);
    assert_eq!(a.sum(axis).shape(), a.sum(1).shape());
    assert_eq!(a.sum((0, 2)).shape(), [3]);
    assert_eq!(a.sum([0i64, 2]).shape(), [3]);
    assert_eq!(a.sum(vec![0usize, 2]).shape(), [3]);
    assert_eq!(a.sum(..).shape(), [0usize; 0]);
    assert_eq!(a.sum(over([] as [i32; 0])).shape(), a.shape());
    let rows = over((0, 2)).keepdims();
    assert_eq!(a.max(&rows).shape(), a.min(rows).shape());
    assert_eq!(a.reshape((count, -1)).shape(), [4, 6]);
    assert_eq!(a.reshape(a.shape()).shape(), a.shape());
    assert_eq!(a.roll((1, -1), (0, 2)).shape(), a.shape());
    assert_eq!(a.take(5, along(2).mode(IndexMode::Clip)).shape(), [2, 3]);
    let turned = a.reshape(Shape::new((6, -1)).order(Order::F));
    assert_eq!(turned.i((1, 0)).item::<i64>()?, a.i((1, 0, 0)).item::<i64>()?);
    assert_eq!(a.reshape(Shape::new(-1).order(Order::K)).shape(), [24]);
    Ok(())
}

/// What types cannot say is an error, not a panic.
#[test]
fn an_axis_that_is_needed_is_asked_for() {
    let _guard = reference();
    let a = arange(6).reshape((2, 3));
    let class = |result: Result<Array>| result.map(|_| ()).map_err(|error| error.class());
    assert_eq!(class(a.try_swapaxes(0, along(..))), Err("TypeError"));
    assert_eq!(class(a.try_expand_dims(..)), Err("TypeError"));
    assert_eq!(class(a.try_moveaxis(.., 0)), Err("TypeError"));
    assert_eq!(class(a.try_diff(along(0).n(-1))), Err("ValueError"));
    assert_eq!(class(a.try_rot90(1, (0, 1, 0))), Err("ValueError"));
    assert_eq!(class(a.try_matrix_norm(over(0))), Err("ValueError"));
    assert_eq!(class(crate::array::try_zeros((2, -1), crate::DType::F32)), Err("ValueError"));
    assert_eq!(class(fft::checked::fft(&a, along(1).n(-1))), Err("ValueError"));
}

/// A page that forgets a function would send its reader elsewhere.
#[test]
fn the_page_of_each_set_lists_the_functions_that_take_it() {
    let source = |path: &Path| std::fs::read_to_string(path).expect("a file of this crate");
    let mut text = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("options.rs")
            {
                text.push_str(&source(&path));
            }
        }
    }
    let pages = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/arguments/options.rs"));
    let mut page = String::new();
    let mut found = 0;
    for line in pages.split("sets! {").last().expect("there").lines() {
        let line = line.trim();
        if let Some(doc) = line.strip_prefix("///") {
            page.push_str(doc);
            continue;
        }
        let Some((set, _)) = line.split_once(':') else { continue };
        let set = set.split(" = ").next().unwrap_or_default();
        let listed: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
        // Sets without options, and those of whole modules, list examples only.
        let whole = !matches!(set, "AxesOnly" | "AxisOnly" | "FlatAxis" | "ShapeOnly")
            && !matches!(set, "TransformOptions" | "DrawShape");
        for (at, _) in text.match_indices(&format!("<{set}>")) {
            let head = &text[..at];
            let line = head[head.rfind('\n').map_or(0, |end| end + 1)..].trim();
            let name = line.trim_start_matches("pub fn ").split([' ', '(', '<']).next();
            let name = name.unwrap_or_default().trim_start_matches("try_");
            if !whole || !line.contains(" / try_") && !line.starts_with("pub fn ") {
                continue;
            }
            found += 1;
            assert!(listed.contains(&name), "`{name}` takes `{set}`, whose page lists {listed:?}");
        }
        page.clear();
    }
    assert!(found > 40, "{found} functions with options");
}

/// `..` is NumPy's default of each function, an integer an axis only where NumPy has one in this place.
#[test]
fn nothing_given_is_numpys_default() -> Result<()> {
    let _guard = reference();
    let a = Array::from([[3, 1, 2], [0, 5, 4]]);
    let same = |got: Array, expected: Array| -> Result<()> {
        assert_eq!(got.shape(), expected.shape());
        assert_eq!(got.to_vec::<i64>()?, expected.to_vec::<i64>()?);
        Ok(())
    };
    let wide = a.astype(crate::DType::I64);
    same(wide.sort(..), wide.sort(1))?;
    same(a.argsort(..), a.argsort(-1))?;
    same(wide.partition(1, ..), wide.partition(1, -1))?;
    same(wide.take_along_axis(&a.argsort(..), ..), wide.sort(-1))?;
    same(crate::concatenate([&wide, &wide], ..), crate::concatenate([&wide, &wide], 0))?;
    same(crate::stack([&wide, &wide], ..), crate::stack([&wide, &wide], 0))?;
    same(wide.split(3, 1)[0].clone(), wide.i(crate::s![.., 0..1]))?;
    same(wide.split(2, ..)[1].clone(), wide.i(crate::s![1..]))?;
    same(wide.diff(..), wide.diff(along(1)))?;
    same(wide.cumsum(..), wide.ravel().cumsum(0))?;
    same(wide.vecdot(&wide, ..), wide.square().sum(-1))?;
    same(wide.cross(&wide, ..), wide.zeros_like())?;
    same(wide.sum(..), wide.ravel().sum(0))?;
    same(crate::ufunc::add.reduce(&wide, ..), wide.sum(0))?;
    same(crate::ufunc::add.reduce(&wide, over(..).keepdims()), wide.sum(over(0).keepdims()))?;
    same(crate::ufunc::add.accumulate(&wide, ..), wide.cumsum(0))?;
    // A call by name says "flat" with no axis at all.
    same(wide.try_sort(AxisOptions::default())?, wide.ravel().sort(0))
}
