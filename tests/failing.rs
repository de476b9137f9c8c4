//! Every operation that may fail on a device, in front of every execution pattern: what is made of a failed value is the
//! same error on each device, whether it is computed along with it or afterwards. Without the fault, the values are right.
//!
//! `NDANY_PROPERTY_DEVICES` names devices, `"cuda:0 hip:0"` for instance.

use ndany::call::{Value, call};
use ndany::{Array, DType, Device, Index, Result, arange, checked};

/// The CPU in some forms, or those that `NDANY_PROPERTY_DEVICES` asks for.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu cpu:threads=8");
    names.split_whitespace().map(|name| Device::open(name).expect("a device")).collect()
}

fn np<const N: usize>(name: &str, args: [Value; N], kwargs: &[(&str, Value)]) -> Result<Array> {
    let kwargs: Vec<_> =
        kwargs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    match call(name, &args, &kwargs)? {
        Value::Array(array) => Ok(array),
        Value::Tuple(values) | Value::List(values) => {
            let first = values.into_iter().next().expect("a result");
            Ok(first.into_array().expect("an array"))
        }
        other => panic!("{name} gives {other:?}"),
    }
}

fn axis(axis: i64) -> (&'static str, Value) {
    ("axis", Value::from(axis))
}

/// Integers of a shape, `0..limit` again and again; `bad` at a position, if there is one.
fn counted(shape: [usize; 2], limit: i64, bad: Option<(usize, i64)>) -> Array {
    let count = shape[0] * shape[1];
    let mut values: Vec<i64> = (0..count as i64).map(|k| k % limit).collect();
    bad.into_iter().for_each(|(place, value)| values[place] = value);
    Array::from(values).reshape(shape)
}

/// Makes an array of a shape that fails at a position, if there is one.
type Producer = fn([usize; 2], Option<usize>) -> Result<Array>;

/// What may fail, and the class of its error.
const PRODUCERS: [(&str, &str, Producer); 17] = [
    ("power", "ValueError", |shape, bad| {
        let exponents = counted(shape, 3, bad.map(|place| (place, -1)));
        np("np.power", [counted(shape, 7, None).into(), exponents.into()], &[])
    }),
    ("power of int8", "ValueError", |shape, bad| {
        let exponents = counted(shape, 3, bad.map(|place| (place, -1))).astype(DType::I8);
        let power = np(
            "np.power",
            [counted(shape, 7, None).astype(DType::I8).into(), exponents.into()],
            &[],
        )?;
        np("astype", [power.into(), DType::I64.into()], &[])
    }),
    ("power within a chain", "ValueError", |shape, bad| {
        let exponents = counted(shape, 3, bad.map(|place| (place, -1)));
        let power =
            np("np.power", [counted(shape, 5, None).into(), (exponents + 1 - 1).into()], &[])?;
        Ok(power * 2 - counted([1, shape[1]], 4, None))
    }),
    ("power of a row", "ValueError", |shape, bad| {
        let exponents = counted([1, shape[1]], 3, bad.map(|place| (place % shape[1], -1)));
        np("np.power", [counted(shape, 7, None).into(), exponents.into()], &[])
    }),
    ("power.accumulate", "ValueError", |shape, bad| {
        // The first of a row is a base.
        let bad = bad.map(|place| if place % shape[1] == 0 { place + 1 } else { place });
        let exponents = counted(shape, 2, bad.map(|place| (place, -1)));
        np("np.power.accumulate", [exponents.into()], &[axis(1)])
    }),
    ("power.reduce", "ValueError", |shape, bad| {
        let mut values: Vec<i64> = (0..3 * shape[0] * shape[1]).map(|k| (k % 2) as i64).collect();
        bad.into_iter().for_each(|place| values[3 * place + 1] = -1);
        let three = Array::from(values).reshape([shape[0], shape[1], 3]);
        np("np.power.reduce", [three.into()], &[axis(2)])
    }),
    ("power.reduceat", "ValueError", |shape, bad| {
        // A segment is two rows: bases, and exponents.
        let place = |place: usize| (2 * (place / shape[1]) + 1) * shape[1] + place % shape[1];
        let bad = bad.map(|bad| (place(bad), -1));
        let values = counted([2 * shape[0], shape[1]], 2, bad);
        let offsets = arange(shape[0] as i64) * 2;
        np("np.power.reduceat", [values.into(), offsets.into()], &[axis(0)])
    }),
    ("take", "IndexError", |shape, bad| {
        let places = counted(shape, 50, bad.map(|place| (place, 1000)));
        np("np.take", [(arange(50) * 3).into(), places.into()], &[])
    }),
    ("take along rows", "IndexError", |shape, bad| {
        let places = arange(shape[1] as i64);
        let far = places.equal(bad.map_or(-1, |place| (place % shape[1]) as i64)) * 100_000;
        np("np.take", [counted(shape, 50, None).into(), (places + far).into()], &[axis(1)])
    }),
    ("getitem", "IndexError", |shape, bad| {
        let places = counted(shape, 50, bad.map(|place| (place, -51)));
        np("getitem", [(arange(50) * 3).into(), places.into()], &[])
    }),
    ("take_along_axis", "IndexError", |shape, bad| {
        let places = counted(shape, shape[1] as i64, bad.map(|place| (place, shape[1] as i64)));
        np("np.take_along_axis", [counted(shape, 9, None).into(), places.into()], &[axis(1)])
    }),
    ("setitem", "IndexError", |shape, bad| {
        let count = shape[0] * shape[1];
        let places = counted([1, count], count as i64, bad.map(|place| (place, count as i64)));
        let mut target = counted([1, count], 11, None).reshape(-1);
        let places = Index::Array(Box::new(places.reshape(-1)));
        checked::set(&mut target, &[places][..], arange(count as i64))?;
        Ok(target.reshape(shape))
    }),
    ("add.at", "IndexError", |shape, bad| {
        let places =
            counted([1, shape[0]], shape[0] as i64, bad.map(|place| (place / shape[1], 1 << 40)));
        np("np.add.at", [counted(shape, 11, None).into(), places.reshape(-1).into(), 5.into()], &[])
    }),
    ("reduceat", "IndexError", |shape, bad| {
        let offsets =
            counted([1, shape[0]], shape[0] as i64, bad.map(|place| (place / shape[1], -2)));
        np(
            "np.add.reduceat",
            [counted(shape, 11, None).into(), offsets.reshape(-1).into()],
            &[axis(0)],
        )
    }),
    ("choose", "ValueError", |shape, bad| {
        let numbers = counted(shape, 2, bad.map(|place| (place, 2)));
        let choices = [5, 6].map(|limit| Value::Array(counted(shape, limit, None)));
        np("np.choose", [numbers.into(), Value::List(choices.to_vec())], &[])
    }),
    ("unravel_index", "ValueError", |shape, bad| {
        let places = counted(shape, 50, bad.map(|place| (place, 50)));
        np("np.unravel_index", [places.into(), Value::Tuple(vec![5.into(), 10.into()])], &[])
    }),
    ("ravel_multi_index", "ValueError", |shape, bad| {
        let places = counted(shape, 5, bad.map(|place| (place, 5)));
        let both = Value::Tuple(vec![places.into(), counted(shape, 10, None).into()]);
        np("np.ravel_multi_index", [both, Value::Tuple(vec![5.into(), 10.into()])], &[])
    }),
];

/// Makes something of an array of two axes.
type Consumer = fn(&Array) -> Result<Array>;

fn over_all(x: &Array, name: &str) -> Result<Array> {
    np(name, [x.into()], &[])
}

fn along(x: &Array, name: &str, number: i64) -> Result<Array> {
    np(name, [x.into()], &[axis(number)])
}

/// Positions along the first axis, in another order and with repetitions.
fn some_rows(x: &Array) -> Array {
    let rows = x.shape()[0] as i64;
    (arange(rows) * 7 + 1) % rows
}

/// Each execution pattern in its forms.
const CONSUMERS: [(&str, Consumer); 62] = [
    ("nothing", |x| Ok(x.clone())),
    ("map", |x| Ok(x * 3 + 1)),
    ("map to floats", |x| np("np.sqrt", [np("np.absolute", [x.into()], &[])?.into()], &[])),
    ("map to half floats", |x| np("astype", [x.into(), DType::F16.into()], &[])),
    ("map to truths", |x| np("np.greater", [x.into(), 2.into()], &[])),
    ("where", |x| np("np.where", [x.greater(2).into(), x.into(), 0.into()], &[])),
    ("two results", |x| np("np.divmod", [x.into(), 3.into()], &[])),
    ("across", |x| Ok(checked::reshape(&(x.swapaxes(0, 1) + 1), -1)? + checked::reshape(x, -1)?)),
    ("broadcast", |x| Ok(x.try_i((0..1, ..))? + x)),
    ("flip", |x| over_all(x, "np.flip")),
    ("copy", |x| over_all(x, "np.copy")),
    ("concatenate", |x| np("np.concatenate", [Value::Tuple(vec![x.into(), x.into()])], &[axis(0)])),
    ("pad", |x| np("np.pad", [x.into(), 1.into()], &[])),
    ("roll", |x| np("np.roll", [x.into(), 3.into()], &[])),
    ("repeat", |x| np("np.repeat", [x.into(), 2.into()], &[])),
    ("sum of all", |x| over_all(x, "np.sum")),
    ("largest of all", |x| over_all(x, "np.max")),
    ("where the least of all is", |x| over_all(x, "np.argmin")),
    ("any", |x| over_all(x, "np.any")),
    ("sum of rows", |x| along(x, "np.sum", 1)),
    ("sum of a map of rows", |x| along(&(x * 2 + 1), "np.sum", 1)),
    ("product of rows", |x| along(x, "np.prod", 1)),
    ("least of rows", |x| along(x, "np.min", 1)),
    ("where the largest of rows is", |x| along(x, "np.argmax", 1)),
    ("mean of rows", |x| along(x, "np.mean", 1)),
    ("deviation of rows", |x| along(x, "np.std", 1)),
    ("rows by their sums", |x| {
        let sums = np("np.sum", [x.into()], &[axis(1), ("keepdims", true.into())])?;
        Ok(x - sums)
    }),
    ("sum of rows with a mask", |x| {
        np("np.sum", [x.into()], &[axis(1), ("where", x.greater(1).into())])
    }),
    ("sum of columns", |x| along(x, "np.sum", 0)),
    ("sum of a map of columns", |x| along(&(x * 2 + 1), "np.sum", 0)),
    ("product of columns", |x| along(x, "np.prod", 0)),
    ("largest of columns", |x| along(x, "np.max", 0)),
    ("where the least of columns is", |x| along(x, "np.argmin", 0)),
    ("deviation of columns", |x| along(x, "np.std", 0)),
    ("columns by their sums", |x| {
        let sums = np("np.sum", [x.into()], &[axis(0), ("keepdims", true.into())])?;
        Ok(x - sums)
    }),
    ("running sum of all", |x| over_all(x, "np.cumsum")),
    ("running sum of rows", |x| along(x, "np.cumsum", 1)),
    ("running sum of columns", |x| along(x, "np.cumsum", 0)),
    ("running product of rows", |x| along(x, "np.cumprod", 1)),
    ("subtract.accumulate", |x| along(x, "np.subtract.accumulate", 1)),
    ("subtract.reduce of rows", |x| along(x, "np.subtract.reduce", 1)),
    ("subtract.reduce of columns", |x| along(x, "np.subtract.reduce", 0)),
    ("segments of rows", |x| {
        np("np.add.reduceat", [x.into(), Array::from([0i64, 2, 1]).into()], &[axis(1)])
    }),
    ("segments of columns", |x| {
        np("np.maximum.reduceat", [x.into(), Array::from([0i64, 2, 1]).into()], &[axis(0)])
    }),
    ("gather", |x| np("np.take", [x.into(), some_rows(x).into()], &[axis(0)])),
    ("gather of a map", |x| np("getitem", [(x + 1).into(), some_rows(x).into()], &[])),
    ("positions", |x| {
        let places = np("np.remainder", [x.into(), 3.into()], &[])?;
        np("np.take", [Array::from([5i64, 6, 7]).into(), places.into()], &[])
    }),
    ("scatter into it", |x| {
        let mut x = x.clone();
        checked::set(&mut x, &[Index::Array(Box::new(Array::from([0i64, 2])))][..], 5)?;
        Ok(x)
    }),
    ("scatter from it", |x| {
        let mut target = counted([x.shape()[0], x.shape()[1]], 3, None);
        let rows = arange(x.shape()[0] as i64);
        checked::set(&mut target, &[Index::Array(Box::new(rows))][..], x)?;
        Ok(target)
    }),
    ("add.at", |x| np("np.add.at", [x.into(), Array::from([0i64, 2, 0]).into(), 5.into()], &[])),
    ("write into a part", |x| {
        let mut x = x.clone();
        checked::set(&mut x, (1..2, ..), 5)?;
        Ok(x)
    }),
    ("write of a part", |x| {
        let mut target = counted([x.shape()[0] + 1, x.shape()[1]], 3, None);
        checked::set(&mut target, (1.., ..), x)?;
        Ok(target)
    }),
    ("sort of rows", |x| along(x, "np.sort", 1)),
    ("sort of columns", |x| along(x, "np.sort", 0)),
    ("argsort", |x| np("np.argsort", [x.into()], &[("kind", "stable".into())])),
    ("median of rows", |x| along(x, "np.median", 1)),
    ("selection", |x| np("np.extract", [x.greater(1).into(), x.into()], &[])),
    ("search", |x| {
        let sorted = arange(5);
        np("np.searchsorted", [sorted.into(), x.into()], &[])
    }),
    ("product of matrices", |x| {
        let part = x.try_i((.., ..3))?;
        np("np.matmul", [part.swapaxes(0, 1).into(), x.into()], &[])
    }),
    ("correlation", |x| {
        let taps = Array::from([1i64, 2, 1]);
        np("np.convolve", [checked::reshape(x, -1)?.into(), taps.into()], &[])
    }),
    ("transform", |x| {
        let transformed = np("np.fft.fft", [x.try_i((.., ..4))?.into()], &[])?;
        // Rounded: transforms promise a bound.
        np("np.isnan", [transformed.into()], &[])
    }),
    ("bits", |x| np("np.packbits", [x.greater(1).into()], &[])),
];

/// Few short rows, few long ones, many short ones: of each pattern all forms.
const SHAPES: [[usize; 2]; 4] = [[3, 7], [5, 200], [3, 4200], [200, 4]];

/// What there is to read: bytes, or an error's class.
fn read(made: Result<Array>) -> Result<Vec<u8>, String> {
    made.and_then(|array| array.to_bytes()).map_err(|error| error.class().to_string())
}

/// The outcome of a consumer after a producer: all at once, or with the producer under way `before`.
fn outcome(
    device: &Device,
    (producer, consumer): (Producer, Consumer),
    shape: [usize; 2],
    (bad, before): (Option<usize>, bool),
) -> Result<Vec<u8>, String> {
    let _guard = device.enter();
    let made = producer(shape, bad);
    if let (true, Ok(array)) = (before, &made) {
        // An error comes with what is made of it.
        let _ = array.eval();
    }
    read(made.and_then(|array| consumer(&array)))
}

/// How the pair of a number is tried in a shape: everything in the first one; in others the first position or the last,
/// in turn, and now and then none.
fn trials(shape: [usize; 2], pair: usize) -> Vec<(Option<usize>, bool)> {
    let last = shape[0] * shape[1] - 1;
    if shape == SHAPES[0] {
        let bad = [Some(0), Some(last), None];
        return bad.into_iter().flat_map(|bad| [(bad, false), (bad, true)]).collect();
    }
    let bad = if pair.is_multiple_of(2) { 0 } else { last };
    let mut trials = vec![(Some(bad), pair.is_multiple_of(3))];
    if pair.is_multiple_of(5) {
        trials.push((None, false));
    }
    trials
}

#[test]
fn a_failure_reaches_all_that_is_made_of_it() {
    let reference = Device::open("reference").expect("always there");
    let (gpus, others): (Vec<Device>, Vec<Device>) =
        devices().into_iter().partition(|device| device.native().is_some());
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (shape, pair) in SHAPES
        .iter()
        .flat_map(|&shape| (0..PRODUCERS.len() * CONSUMERS.len()).map(move |pair| (shape, pair)))
    {
        // GPUs share the pairs: the text of their kernels is one but for its dialect, and takes long to compile.
        let gpu = gpus.get((pair / 2 + shape[1]) % gpus.len().max(1));
        let (producer_name, class, producer) = PRODUCERS[pair / CONSUMERS.len()];
        let (consumer_name, consumer) = CONSUMERS[pair % CONSUMERS.len()];
        let right = outcome(&reference, (producer, consumer), shape, (None, false));
        let right = right.unwrap_or_else(|error| {
            panic!("{consumer_name} of {producer_name}, {shape:?}: {error}")
        });
        for device in std::iter::once(&reference).chain(&others).chain(gpu) {
            for trial @ (bad, before) in trials(shape, pair) {
                count += 1;
                let got = outcome(device, (producer, consumer), shape, trial);
                let (expected, is_right) = match bad {
                    Some(_) => (class, got.as_ref().is_err_and(|got| got == class)),
                    None => ("the reference's values", got.as_ref() == Ok(&right)),
                };
                if !is_right {
                    let got = got.map_or_else(|class| class, |_| "values".to_string());
                    let before = if before { ", which is under way" } else { "" };
                    wrong.push(format!(
                        "{}: {consumer_name} of {producer_name}{before}, {shape:?}, bad at {bad:?}: \
                         expected {expected}, got {got}",
                        device.name()
                    ));
                }
            }
        }
    }
    let shown = wrong.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} outcomes are wrong:\n{shown}", wrong.len());
}
