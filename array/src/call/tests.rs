//! Calls by name on the reference device: forms, defaults, and the classes of errors.

#![allow(clippy::cloned_ref_to_slice_refs)]

use super::{Value, call, names};
use crate::*;

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

fn kwargs(pairs: &[(&str, Value)]) -> Vec<(String, Value)> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// The array that a call returns.
fn array(name: &str, args: &[Value], pairs: &[(&str, Value)]) -> Array {
    match call(name, args, &kwargs(pairs)) {
        Ok(value) => value.into_array().expect("an array"),
        Err(error) => panic!("{name}: {error}"),
    }
}

fn class(name: &str, args: &[Value], pairs: &[(&str, Value)]) -> &'static str {
    match call(name, args, &kwargs(pairs)).and_then(|value| match value {
        Value::Array(array) => array.eval(),
        _ => Ok(()),
    }) {
        Ok(()) => panic!("{name}{args:?}{pairs:?} is no error"),
        Err(error) => error.class(),
    }
}

fn ints(values: &[i64]) -> Value {
    Value::Tuple(values.iter().map(|&value| Value::from(value)).collect())
}

fn grid() -> Array {
    arange(6).reshape([2, 3])
}

const UNSUPPORTED: &str = "NotImplementedError";

#[test]
fn every_name_is_there_once() {
    let all: Vec<&str> = names().collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), all.len());
    for name in ["np.add", "np.mod", "np.sum", "np.max", "np.where", "getitem", "np.linspace"] {
        assert!(all.contains(&name), "{name}");
    }
    on_reference(|| {
        // These take any number of arrays, none included.
        let any = [
            "np.broadcast_arrays",
            "np.broadcast_shapes",
            "np.meshgrid",
            "np.ix_",
            "np.atleast_1d",
            "np.atleast_2d",
            "np.atleast_3d",
            // The least float of no arrays is NumPy's float16.
            "np.common_type",
            // Takes nothing.
            "np.show_config",
        ];
        // Most of these have a default for everything; besides, they share their state with other tests.
        let shared = |name: &str| {
            name.starts_with("np.random.") && !name.starts_with("np.random.Generator.")
        };
        for name in all.into_iter().filter(|name| !any.contains(name) && !shared(name)) {
            // Nothing at all is a mistake of the caller for every function, not an unknown name.
            let value = name.starts_with("np.einsum") || name == "np.result_type";
            let expected = if value { "ValueError" } else { "TypeError" };
            assert_eq!(class(name, &[], &[]), expected, "{name}");
        }
        assert_eq!(class("fft.dct", &[], &[]), UNSUPPORTED);
    });
}

#[test]
fn rows_take_arrays_and_numbers() -> Result<()> {
    on_reference(|| {
        let a = Value::from(Array::from([1.0f32, -2.0]));
        let sum = array("np.add", &[a.clone(), Value::from(1)], &[]);
        assert_eq!(sum.dtype(), DType::F32);
        assert_eq!(sum.to_vec::<f32>()?, [2.0, -1.0]);
        let strong = Value::Scalar(Scalar::typed(DType::F64, 1));
        assert_eq!(array("np.true_divide", &[a.clone(), strong], &[]).dtype(), DType::F64);
        assert_eq!(array("np.abs", &[a.clone()], &[]).to_vec::<f32>()?, [1.0, 2.0]);
        assert_eq!(array("np.add", &[2.into(), 3.into()], &[]).item::<i64>()?, 5);
        assert!(!array("np.bitwise_not", &[Value::Bool(true)], &[]).item::<bool>()?);
        assert_eq!(class("np.negative", &[Value::Bool(true)], &[]), "TypeError");
        assert_eq!(class("np.add", &[a.clone()], &[]), "TypeError");
        assert_eq!(class("np.add", &[a.clone(), a.clone(), a.clone(), 1.into()], &[]), "TypeError");
        assert!(call("np.sqrt", &[a.clone()], &kwargs(&[("out", Value::None)])).is_ok());
        assert_eq!(class("np.sqrt", &["no".into()], &[]), "TypeError");
        let bytes = Value::from(Array::from([1u8]));
        assert_eq!(class("np.add", &[bytes, 300.into()], &[]), "OverflowError");
        Ok(())
    })
}

#[test]
fn reductions_take_numpys_options() -> Result<()> {
    on_reference(|| {
        let a = Value::from(grid());
        let all = array("np.sum", &[a.clone()], &[]);
        assert_eq!((all.ndim(), all.item::<i64>()?), (0, 15));
        let options = [("axis", Value::from(-1)), ("keepdims", Value::Bool(true))];
        let rows = array("np.sum", &[a.clone()], &options);
        assert_eq!((rows.shape(), rows.to_vec::<i64>()?), (&[2, 1][..], vec![3, 12]));
        let both = array("np.max", &[a.clone(), ints(&[0, 1])], &[]);
        assert_eq!(both.item::<i64>()?, 5);
        assert_eq!(array("np.add.reduce", &[a.clone()], &[]).to_vec::<i64>()?, [3, 5, 7]);
        let none = [("axis", Value::None)];
        assert_eq!(array("np.add.reduce", &[a.clone()], &none).item::<i64>()?, 15);
        assert_eq!(array("np.amin", &[a.clone()], &[]).item::<i64>()?, 0);
        let std = array("np.std", &[a.clone()], &[("axis", 0.into()), ("ddof", 1.into())]);
        assert_eq!(std.to_vec::<f64>()?, [4.5f64.sqrt(); 3]);
        let var = array("np.var", &[a.clone()], &[("axis", 0.into()), ("correction", 1.into())]);
        assert_eq!(var.to_vec::<f64>()?, [4.5; 3]);
        let mask = Value::from(Array::from([true, false, true]));
        let masked = array("np.sum", &[a.clone()], &[("where", mask.clone())]);
        assert_eq!(masked.item::<i64>()?, 10);
        let nothing = array("np.sum", &[a.clone()], &[("where", Value::Bool(false))]);
        assert_eq!(nothing.item::<i64>()?, 0);
        let options = [("initial", 9.into()), ("where", mask.clone()), ("axis", 1.into())];
        assert_eq!(array("np.max", &[a.clone()], &options).to_vec::<i64>()?, [9, 9]);
        let narrow = array("np.sum", &[a.clone()], &[("dtype", "int8".into())]);
        assert_eq!(narrow.dtype(), DType::I8);
        assert_eq!(
            array("np.logical_and.reduce", &[a.clone()], &[]).to_vec::<bool>()?,
            [false, true, true]
        );
        assert_eq!(array("np.cumsum", &[a.clone()], &[]).to_vec::<i64>()?, [0, 1, 3, 6, 10, 15]);
        let down = array("np.cumsum", &[a.clone(), 0.into()], &[]);
        assert_eq!(down.to_vec::<i64>()?, [0, 1, 2, 3, 5, 7]);
        assert_eq!(array("np.mean", &[5.into()], &[]).item::<f64>()?, 5.0);
        assert_eq!(class("np.sum", &[a.clone()], &[("axis", 2.into())]), "AxisError");
        assert_eq!(class("np.sum", &[a.clone()], &[("axis", ints(&[0, 0]))]), "ValueError");
        assert_eq!(class("np.sum", &[a.clone()], &[("axis", 0.5.into())]), "TypeError");
        assert_eq!(class("np.argmax", &[a.clone()], &[("axis", ints(&[0]))]), "TypeError");
        // More bins than can be counted.
        let bins = Value::from(crate::scalar::Scalar::weak_int(1 << 70));
        assert_eq!(class("np.histogram", &[a.clone(), bins], &[]), "ValueError");
        assert_eq!(class("np.max", &[a.clone()], &[("where", mask)]), "ValueError");
        assert_eq!(class("np.max", &[a.clone()], &[("dtype", DType::F32.into())]), "TypeError");
        let whole = array("np.mean", &[a.clone()], &[("dtype", DType::I32.into())]);
        assert_eq!((whole.dtype(), whole.item::<i32>()?), (DType::I32, 2));
        assert_eq!(class("np.var", &[a.clone()], &[("dtype", DType::I32.into())]), UNSUPPORTED);
        // A target of another shape than the result.
        assert_eq!(class("np.sum", &[a.clone()], &[("out", a.clone())]), "ValueError");
        assert_eq!(class("np.sum", &[a.clone()], &[("where", a.clone())]), "TypeError");
        assert_eq!(class("np.sum", &[a, 0.into()], &[("axis", 0.into())]), "TypeError");
        Ok(())
    })
}

#[test]
fn creation_takes_numpys_forms() -> Result<()> {
    on_reference(|| {
        assert_eq!(array("np.zeros", &[3.into()], &[]).to_vec::<f64>()?, [0.0; 3]);
        let ones = array("np.ones", &[ints(&[2, 2]), DType::U8.into()], &[]);
        assert_eq!(ones.to_vec::<u8>()?, [1; 4]);
        assert!(array("np.full", &[ints(&[]), true.into()], &[]).item::<bool>()?);
        let row = Value::from(Array::from([1i16, 2]));
        let full = array("np.full", &[ints(&[2, 2]), row.clone()], &[("dtype", DType::F32.into())]);
        assert_eq!(full.to_vec::<f32>()?, [1.0, 2.0, 1.0, 2.0]);
        assert_eq!(array("np.full_like", &[row, 7.9.into()], &[]).to_vec::<i16>()?, [7, 7]);
        assert_eq!(array("np.arange", &[3.into()], &[]).to_vec::<i64>()?, [0, 1, 2]);
        let range = array("np.arange", &[1.into(), 2.5.into(), 0.5.into()], &[]);
        assert_eq!(range.to_vec::<f64>()?, [1.0, 1.5, 2.0]);
        let range = array("np.arange", &[], &[("stop", 2.into()), ("dtype", "float16".into())]);
        assert_eq!((range.size(), range.dtype()), (2, DType::F16));
        assert_eq!(array("np.arange", &[5.into(), 1.into()], &[]).size(), 0);
        let line = array("np.linspace", &[0.into(), 1.into()], &[]);
        assert_eq!((line.size(), line.i(-1).item::<f64>()?), (50, 1.0));
        let line =
            array("np.linspace", &[0.into(), 10.into(), 4.into()], &[("dtype", DType::I32.into())]);
        assert_eq!(line.to_vec::<i32>()?, [0, 3, 6, 10]);
        let line = array("np.linspace", &[0.into(), 4.into(), 4.into(), false.into()], &[]);
        assert_eq!(line.to_vec::<f64>()?, [0.0, 1.0, 2.0, 3.0]);
        let typed = Value::Scalar(Scalar::typed(DType::F32, 0.1));
        let line = array("np.linspace", &[typed, 1.into(), 3.into()], &[]);
        assert_eq!(line.dtype(), DType::F32, "a Python number is weak");
        let end = |value| Value::Scalar(Scalar::typed(DType::F32, value));
        let line = array("np.linspace", &[end(0.0), end(1.0), 3.into()], &[]);
        assert_eq!(line.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
        let ends = [Value::from(0), Value::Scalar(Scalar::weak_complex(0.0, 2.0)), 3.into()];
        let line = array("np.linspace", &ends, &[]);
        assert_eq!(line.imag().to_vec::<f64>()?, [0.0, 1.0, 2.0]);
        let eye = array("np.eye", &[2.into(), 3.into()], &[("k", 1.into())]);
        assert_eq!(eye.to_vec::<f64>()?, [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(array("np.identity", &[2.into()], &[]).sum(..).item::<f64>()?, 2.0);
        let log = array("np.logspace", &[0.into(), 3.into(), 4.into()], &[]);
        assert_eq!(log.to_vec::<f64>()?, [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(class("np.zeros", &[ints(&[2, -1])], &[]), "ValueError");
        assert_eq!(class("np.zeros", &[ints(&[1 << 62])], &[]), "ValueError");
        assert_eq!(class("np.zeros", &[2.5.into()], &[]), "TypeError");
        assert_eq!(class("np.zeros", &[2.into(), "S3".into()], &[]), UNSUPPORTED);
        let bytes = [("dtype", DType::U8.into())];
        assert_eq!(class("np.full", &[2.into(), 256.into()], &bytes), "OverflowError");
        assert_eq!(class("np.arange", &[0.into(), 1.into(), 0.into()], &[]), "ZeroDivisionError");
        let huge = [Value::from(0.0), 1e300.into(), 1e-300.into()];
        assert_eq!(class("np.arange", &huge, &[]), "ValueError");
        assert_eq!(class("np.linspace", &[0.into(), 1.into(), (-1).into()], &[]), "ValueError");
        Ok(())
    })
}

#[test]
fn manipulation_follows_numpy() -> Result<()> {
    on_reference(|| {
        let a = Value::from(grid());
        let one = |name: &str, rest: &[Value], pairs: &[(&str, Value)]| {
            array(name, &[std::slice::from_ref(&a), rest].concat(), pairs)
        };
        assert_eq!(one("np.reshape", &[ints(&[3, -1])], &[]).shape(), [3, 2]);
        assert_eq!(one("np.reshape", &[(-1).into()], &[]).shape(), [6]);
        let fortran = one("np.reshape", &[ints(&[3, 2])], &[("order", "F".into())]);
        assert_eq!(fortran.to_vec::<i64>()?, [0, 4, 3, 2, 1, 5]);
        let ravelled = one("np.ravel", &[], &[("order", "F".into())]);
        assert_eq!(ravelled.to_vec::<i64>()?, [0, 3, 1, 4, 2, 5]);
        assert_eq!(one("np.transpose", &[], &[]).shape(), [3, 2]);
        assert_eq!(one("np.transpose", &[ints(&[0, 1])], &[]).shape(), [2, 3]);
        assert_eq!(one("np.moveaxis", &[0.into(), (-1).into()], &[]).shape(), [3, 2]);
        assert_eq!(one("np.swapaxes", &[0.into(), 1.into()], &[]).shape(), [3, 2]);
        assert_eq!(one("np.expand_dims", &[ints(&[0, 3])], &[]).shape(), [1, 2, 3, 1]);
        let wide = Value::from(grid().expand_dims(0));
        assert_eq!(array("np.squeeze", &[wide], &[]).shape(), [2, 3]);
        assert_eq!(one("np.broadcast_to", &[ints(&[2, 2, 3])], &[]).shape(), [2, 2, 3]);
        assert_eq!(one("np.flip", &[], &[]).to_vec::<i64>()?, [5, 4, 3, 2, 1, 0]);
        assert_eq!(one("np.flip", &[ints(&[0])], &[]).to_vec::<i64>()?, [3, 4, 5, 0, 1, 2]);
        assert_eq!(one("np.fliplr", &[], &[]).to_vec::<i64>()?, [2, 1, 0, 5, 4, 3]);
        assert_eq!(one("np.flipud", &[], &[]).to_vec::<i64>()?, [3, 4, 5, 0, 1, 2]);
        let flat = Value::from(Array::from([1.5f32]));
        let mixed = Value::Tuple(vec![a.clone(), flat.clone()]);
        let joined = array("np.concatenate", &[mixed], &[("axis", Value::None)]);
        assert_eq!((joined.dtype(), joined.shape()), (DType::F64, &[7][..]));
        let row = Value::from(Array::from([7i64, 8, 9]));
        let rows = Value::List(vec![a.clone(), row.clone()]);
        assert_eq!(array("np.vstack", &[rows.clone()], &[]).shape(), [3, 3]);
        let pair = Value::List(vec![row.clone(), row.clone()]);
        assert_eq!(array("np.hstack", &[pair.clone()], &[]).shape(), [6]);
        assert_eq!(array("np.dstack", &[pair.clone()], &[]).shape(), [1, 3, 2]);
        assert_eq!(array("np.stack", &[pair.clone()], &[("axis", (-1).into())]).shape(), [3, 2]);
        let narrow = [("dtype", Value::from("float32"))];
        assert_eq!(array("np.concatenate", &[pair.clone()], &narrow).dtype(), DType::F32);
        let unsigned = [("dtype", Value::from("uint64"))];
        assert_eq!(class("np.vstack", &[pair.clone()], &unsigned), "TypeError");
        assert_eq!(class("np.concatenate", &[rows], &[]), "ValueError");
        assert_eq!(class("np.concatenate", &[Value::Tuple(vec![])], &[]), "ValueError");
        assert_eq!(class("np.reshape", &[a.clone(), ints(&[-1, -1])], &[]), "ValueError");
        assert_eq!(class("np.reshape", &[a.clone(), ints(&[4])], &[]), "ValueError");
        assert_eq!(class("np.transpose", &[a.clone(), ints(&[0, 1, 2])], &[]), "ValueError");
        assert_eq!(class("np.transpose", &[a.clone(), ints(&[0, 2])], &[]), "AxisError");
        assert_eq!(class("np.squeeze", &[a.clone(), 0.into()], &[]), "ValueError");
        assert_eq!(class("np.fliplr", &[row], &[]), "ValueError");
        assert_eq!(
            one("np.ravel", &[], &[("order", "K".into())]).to_vec::<i64>()?,
            [0, 1, 2, 3, 4, 5]
        );
        assert_eq!(class("np.ravel", &[a], &[("order", "X".into())]), "ValueError");
        Ok(())
    })
}

#[test]
fn rounding_choosing_and_products() -> Result<()> {
    on_reference(|| {
        let a = Value::from(Array::from([0.5, 1.5, -2.5, 1234.567]));
        assert_eq!(array("np.round", &[a.clone()], &[]).to_vec::<f64>()?, [0.0, 2.0, -2.0, 1235.0]);
        let two = array("np.round", &[a.clone(), 2.into()], &[]);
        assert_eq!(two.to_vec::<f64>()?, [0.5, 1.5, -2.5, 1234.57]);
        let tens = array("np.around", &[a.clone()], &[("decimals", (-1).into())]);
        assert_eq!(tens.to_vec::<f64>()?, [0.0, 0.0, -0.0, 1230.0]);
        let whole = Value::from(Array::from([7i32]));
        assert_eq!(array("np.round", &[whole.clone()], &[]).to_vec::<i32>()?, [7]);
        let mask = Value::from(Array::from([true, false, false, true]));
        let chosen = array("np.where", &[mask.clone(), a.clone(), 0.into()], &[]);
        assert_eq!(chosen.to_vec::<f64>()?, [0.5, 0.0, 0.0, 1234.567]);
        let positions = call("np.where", &[mask.clone()], &[]).expect("positions");
        assert!(matches!(positions, Value::Tuple(arrays) if arrays.len() == 1));
        assert_eq!(class("np.where", &[mask, a.clone()], &[]), "ValueError");
        let m = Value::from(grid());
        let v = Value::from(Array::from([1i64, 0, -1]));
        assert_eq!(array("np.matmul", &[m.clone(), v], &[]).to_vec::<i64>()?, [-2, -2]);
        assert_eq!(class("np.matmul", &[m.clone(), 2.into()], &[]), "ValueError");
        assert_eq!(class("np.matmul", &[m.clone(), m], &[]), "ValueError");
        Ok(())
    })
}

#[test]
fn indexing_converting_and_comparing() -> Result<()> {
    on_reference(|| {
        let a = Value::from(grid());
        let all = Value::Slice { start: None, stop: None, step: None };
        let back = Value::Slice { start: None, stop: None, step: Some(Scalar::from(-2)) };
        let got = array("getitem", &[a.clone(), 1.into(), back.clone()], &[]);
        assert_eq!(got.to_vec::<i64>()?, [5, 3]);
        let got = array("getitem", &[a.clone(), all.clone(), Value::None, (-1).into()], &[]);
        assert_eq!((got.shape(), got.to_vec::<i64>()?), (&[2, 1][..], vec![2, 5]));
        let tuple = Value::Tuple(vec![Value::Ellipsis, 0.into()]);
        assert_eq!(array("getitem", &[a.clone(), tuple], &[]).to_vec::<i64>()?, [0, 3]);
        let set = array("setitem", &[a.clone(), (-1).into(), 0.into()], &[]);
        assert_eq!(set.to_vec::<i64>()?, [-1, -1, -1, 3, 4, 5]);
        let column = Value::from(Array::from([[7.9], [8.9]]));
        let set = array("setitem", &[a.clone(), column, all, back], &[]);
        assert_eq!(set.to_vec::<i64>()?, [7, 1, 7, 8, 4, 8]);
        assert_eq!(array("np.copy", &[a.clone()], &[]).sum(..).item::<i64>()?, 15);
        assert_eq!(array("astype", &[a.clone(), "bool".into()], &[]).sum(..).item::<i64>()?, 5);
        let nan = Value::from(Array::from([f64::NAN, 1.0]));
        let equal = |pairs: &[(&str, Value)]| {
            call("np.array_equal", &[nan.clone(), nan.clone()], &kwargs(pairs))
        };
        assert!(matches!(equal(&[])?, Value::Bool(false)));
        assert!(matches!(equal(&[("equal_nan", Value::Bool(true))])?, Value::Bool(true)));
        assert_eq!(class("getitem", &[a.clone(), 2.into()], &[]), "IndexError");
        assert_eq!(class("getitem", &[a.clone(), 0.5.into()], &[]), "IndexError");
        assert_eq!(class("getitem", &[a.clone(), 0.into(), 0.into(), 0.into()], &[]), "IndexError");
        let still = Value::Slice { start: None, stop: None, step: Some(Scalar::from(0)) };
        assert_eq!(class("getitem", &[a.clone(), still], &[]), "ValueError");
        let bytes = Value::from(Array::from([1u8, 2]));
        assert_eq!(class("setitem", &[bytes, 300.into(), 0.into()], &[]), "OverflowError");
        assert_eq!(class("setitem", &[a.clone(), f64::NAN.into(), 0.into()], &[]), "ValueError");
        let infinite = f64::INFINITY.into();
        assert_eq!(class("setitem", &[a.clone(), infinite, 0.into()], &[]), "OverflowError");
        let complex = Value::Scalar(Scalar::weak_complex(0.0, 1.0));
        assert_eq!(class("setitem", &[a, complex, 0.into()], &[]), "TypeError");
        Ok(())
    })
}

#[test]
fn options_of_printing_are_obeyed_or_refused() -> Result<()> {
    on_reference(|| {
        let a = || Value::from(Array::from([1.0, -2.5]));
        let print = |pairs: &[(&str, Value)]| call("np.array2string", &[a()], &kwargs(pairs));
        let spaced = print(&[("sign", " ".into())])?;
        assert!(matches!(&spaced, Value::Str(text) if text == "[ 1.  -2.5]"), "{spaced:?}");
        assert!(matches!(print(&[("legacy", Value::Bool(false))])?, Value::Str(_)));
        for mode in ["1.13", "1.21", "2.2"] {
            let error = print(&[("legacy", mode.into())]).expect_err("no such mode");
            assert!(error.is_unsupported() && error.to_string().contains("legacy"), "{error}");
        }
        Ok(())
    })
}

#[test]
fn the_table_of_support_says_what_is_so() {
    use super::support::{State, entries, others};
    let entries = entries();
    let unknown: Vec<_> = entries.iter().filter(|entry| entry.state == State::Unknown).collect();
    assert!(unknown.is_empty(), "names.txt has names that cannot be called: {unknown:?}");
    for entry in &entries {
        let called = format!("np.{}", entry.name);
        if matches!(entry.state, State::Absent(_))
            && !matches!(entry.page, "ext" | "fft" | "random")
        {
            assert!(
                names().all(|name| name != called),
                "{called} is there, and the table denies it"
            );
        }
    }
    // Every name that can be called is a page's, or one of the others, or a method of a ufunc.
    let paged = entries.iter().filter(|entry| matches!(entry.state, State::Callable(_))).count();
    assert!(paged > 450 && others().len() > 50, "{paged} and {}", others().len());
}

#[test]
fn every_name_resolves_to_its_function() {
    for name in names() {
        let known = super::resolve(name).unwrap_or_else(|error| panic!("{error}"));
        let first = super::support::first_name(name);
        let methods_row = first.rsplit_once('.').map_or(first, |(row, _)| row);
        assert!(
            known.name() == first || known.name().starts_with(methods_row),
            "{name}: {known:?}"
        );
        // Names are distinct, so that a binding can make a signature of them.
        let mut seen: Vec<&str> = known.parameters().iter().map(|own| own.name).collect();
        seen.sort_unstable();
        let count = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), count, "{name}");
    }
    for (alias, name) in [
        ("np.mod", "np.remainder"),
        ("np.pow.at", "np.power.at"),
        ("np.abs", "np.absolute"),
        ("np.amax", "np.max"),
    ] {
        assert_eq!(super::resolve(alias).expect("known").name(), name);
    }
    for name in ["np.nothing", "add", "np.", "", "np.add.", "np.add.sum"] {
        assert!(super::resolve(name).is_err_and(|error| error.is_unsupported()), "{name}");
    }
    assert_eq!(super::resolve("np.matmul.at").map_or_else(|e| e.class(), |_| ""), "TypeError");
}

#[test]
fn declarations_say_which_parameter_is_changed() {
    let changing = |name: &str| {
        let own = super::resolve(name).expect("known").parameters();
        own.iter().find(|parameter| parameter.is_changed).map(|parameter| parameter.name)
    };
    for (name, changed) in [
        ("np.put", "a"),
        ("np.copyto", "dst"),
        ("np.place", "arr"),
        ("np.add.at", "a"),
        ("np.negative.at", "a"),
        ("setitem", "a"),
        ("cupyx.scatter_add", "a"),
    ] {
        assert_eq!(changing(name), Some(changed), "{name}");
    }
    for name in ["np.add", "np.sort", "np.take", "getitem", "np.sum"] {
        assert_eq!(changing(name), None, "{name}");
    }
}
