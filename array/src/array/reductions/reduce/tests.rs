//! Options of reductions and scans: every method whose argument carries options, under every option and each two of
//! them, gives NumPy's result, or has no such option where NumPy has none. `conformance/oracle/options.py` writes NumPy's results.

use std::collections::BTreeMap;

use crate::arguments::AxisOptions;
use crate::arguments::options::*;
use crate::{Array, DType, Device, QuantileMethod, Result, over, ufunc};

const A: [[f64; 4]; 3] = [[3.0, -1.5, 0.0, 2.25], [0.5, 4.0, -2.0, 7.0], [1.0, 0.0, 6.5, -3.0]];
const WEIGHTS: [[f64; 4]; 3] = [[1.0, 2.0, 0.5, 1.0], [3.0, 1.0, 1.0, 2.0], [0.25, 1.0, 4.0, 1.0]];
const MASK: [[bool; 4]; 3] =
    [[true, false, false, true], [true, false, true, true], [false, true, true, true]];
const MEAN: [[f64; 4]; 1] = [[1.0, 0.5, 2.0, -1.0]];

/// A call over axis 0, or both axes of a matrix.
struct Case {
    /// The function in `options.txt`.
    oracle: &'static str,
    /// The options that its argument may carry.
    set: &'static [&'static str],
    run: fn(&Array, AxisOptions) -> Result<Array>,
    axes: &'static [isize],
}

fn nans() -> Array {
    let mut a = A;
    (a[0][1], a[2][3]) = (f64::NAN, f64::NAN);
    Array::from(a)
}

macro_rules! cases {
    ($($oracle:literal $set:ident $run:expr;)+) => {
        vec![$(Case { oracle: $oracle, set: $set::NAMES, run: $run, axes: &[0] },)+]
    };
}

fn cases() -> Vec<Case> {
    let mut cases = cases! {
        "sum" SumOptions |a, o| a.try_sum(o);
        "prod" SumOptions |a, o| a.try_prod(o);
        "min" ExtremumOptions |a, o| a.try_min(o);
        "max" ExtremumOptions |a, o| a.try_max(o);
        "any" MaskOptions |a, o| a.try_any(o);
        "all" MaskOptions |a, o| a.try_all(o);
        "argmin" KeepOptions |a, o| a.try_argmin(o);
        "argmax" KeepOptions |a, o| a.try_argmax(o);
        "mean" MeanOptions |a, o| a.try_mean(o);
        "var" SpreadOptions |a, o| a.try_var(o);
        "std" SpreadOptions |a, o| a.try_std(o);
        "count_nonzero" KeepOptions |a, o| a.try_count_nonzero(o);
        "ptp" KeepOptions |a, o| a.try_ptp(o);
        "median" KeepOptions |a, o| a.try_median(o);
        "cumsum" ScanOptions |a, o| a.try_cumsum(o);
        "cumprod" ScanOptions |a, o| a.try_cumprod(o);
        "cummax" ScanOptions |a, o| a.try_cummax(o);
        "cummin" ScanOptions |a, o| a.try_cummin(o);
        "cumulative_sum" CumulativeOptions |a, o| a.try_cumulative_sum(o.include_initial());
        "cumulative_prod" CumulativeOptions |a, o| a.try_cumulative_prod(o.include_initial());
        "nansum" SumOptions |_, o| nans().try_nansum(o);
        "nanprod" SumOptions |_, o| nans().try_nanprod(o);
        "nanmin" ExtremumOptions |_, o| nans().try_nanmin(o);
        "nanmax" ExtremumOptions |_, o| nans().try_nanmax(o);
        "nanargmin" KeepOptions |_, o| nans().try_nanargmin(o);
        "nanargmax" KeepOptions |_, o| nans().try_nanargmax(o);
        "nanmean" MeanOptions |_, o| nans().try_nanmean(o);
        "nanvar" SpreadOptions |_, o| nans().try_nanvar(o);
        "nanstd" SpreadOptions |_, o| nans().try_nanstd(o);
        "nancumsum" ScanOptions |_, o| nans().try_nancumsum(o);
        "nancumprod" ScanOptions |_, o| nans().try_nancumprod(o);
        "nanmedian" KeepOptions |_, o| nans().try_nanmedian(o);
        "quantile" QuantileOptions |a, o| a.try_quantile(0.25, o);
        "quantile_by" QuantileOptions |a, o| a.try_quantile(0.25, o.method(QuantileMethod::Hazen));
        "percentile" QuantileOptions |a, o| a.try_percentile(25.0, o);
        "nanquantile" QuantileOptions |_, o| nans().try_nanquantile(0.25, o);
        "nanpercentile" QuantileOptions |_, o| nans().try_nanpercentile(25.0, o);
        "quantile_weighted" QuantileOptions |a, o| a.try_quantile(0.25, o.weights(&weights()));
        "percentile_weighted" QuantileOptions |a, o| a.try_percentile(25.0, o.weights(&weights()));
        "nanquantile_weighted" QuantileOptions |_, o| nans().try_nanquantile(0.25, o.weights(&weights()));
        "nanpercentile_weighted" QuantileOptions |_, o| nans().try_nanpercentile(25.0, o.weights(&weights()));
        "average" AverageOptions |a, o| a.try_average(o);
        "average_weighted" AverageOptions |a, o| a.try_average(o.weights(&weights()));
        "norm" NormOptions |a, o| a.try_norm(o);
        "vector_norm" NormOptions |a, o| a.try_vector_norm(o);
        "add.reduce" ReduceOptions |a, o| ufunc::add.try_reduce(a, o);
        "multiply.reduce" ReduceOptions |a, o| ufunc::multiply.try_reduce(a, o);
        "maximum.reduce" ReduceOptions |a, o| ufunc::maximum.try_reduce(a, o);
        "minimum.reduce" ReduceOptions |a, o| ufunc::minimum.try_reduce(a, o);
        "fmax.reduce" ReduceOptions |a, o| ufunc::fmax.try_reduce(a, o);
        "hypot.reduce" ReduceOptions |a, o| ufunc::hypot.try_reduce(a, o);
        "logical_or.reduce" ReduceOptions |a, o| ufunc::logical_or.try_reduce(a, o);
        "subtract.reduce" ReduceOptions |a, o| ufunc::subtract.try_reduce(a, o);
        "add.accumulate" AccumulateOptions |a, o| ufunc::add.try_accumulate(a, o);
        "subtract.accumulate" AccumulateOptions |a, o| ufunc::subtract.try_accumulate(a, o);
        "add.reduceat" AccumulateOptions |a, o| ufunc::add.try_reduceat(a, &Array::from([0, 2]), o);
    };
    cases.push(Case {
        oracle: "norm_matrices",
        set: NormOptions::NAMES,
        run: |a, o| a.try_norm(o.ord(1.into())),
        axes: &[0, 1],
    });
    cases
}

fn weights() -> Array {
    Array::from(WEIGHTS)
}

/// The options with one more, and the name that it has in the sets.
fn with(options: AxisOptions, option: &str) -> (AxisOptions, &'static str) {
    match option {
        "keepdims" => (options.keepdims(), "Keepdims"),
        "dtype" => (options.dtype(DType::F32), "Dtype"),
        "initial" => (options.initial(5.0.into()), "Initial"),
        "initial_low" => (options.initial((-2.75).into()), "Initial"),
        "from_first" => (options.initial_none(), "Initial"),
        "where" => (options.where_(&Array::from(MASK)), "Where"),
        "correction" => (options.ddof(1.0), "Ddof"),
        "correction0" => (options.ddof(0.0), "Ddof"),
        "mean" => (options.mean(Array::from(MEAN).into()), "Mean"),
        _ => panic!("no option {option}"),
    }
}

/// Options and the expected result (dtype, shape, values), or `None` where NumPy refuses.
type Expected = (String, Option<(String, String, Vec<f64>)>);

fn oracle() -> BTreeMap<String, Vec<Expected>> {
    let mut table: BTreeMap<String, Vec<Expected>> = BTreeMap::new();
    for line in include_str!("../../../../tests/data/options.txt").lines() {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let numbers = |text: &str| text.split(' ').map(|x| x.parse().expect("a number")).collect();
        let result = match fields.as_slice() {
            [_, _, "refused"] => None,
            [_, _, dtype, shape, values] => {
                Some((dtype.to_string(), shape.to_string(), numbers(values)))
            }
            _ => panic!("bad line: {line}"),
        };
        table.entry(fields[0].to_string()).or_default().push((fields[1].to_string(), result));
    }
    table
}

fn compare(got: &Array, expected: &(String, String, Vec<f64>)) -> std::result::Result<(), String> {
    let shape: Vec<String> = got.shape().iter().map(usize::to_string).collect();
    let shown = (got.dtype().to_string(), shape.join(","));
    let values = got.astype(DType::F64).to_vec::<f64>().map_err(|error| error.to_string())?;
    let error = if got.dtype() == DType::F32 { 1e-6 } else { 1e-14 };
    let near = |(&x, &y): (&f64, &f64)| {
        x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= error * y.abs()
    };
    let same = values.len() == expected.2.len() && values.iter().zip(&expected.2).all(near);
    match same && shown == (expected.0.clone(), expected.1.clone()) {
        true => Ok(()),
        false => Err(format!("expected {expected:?}, got {shown:?} {values:?}")),
    }
}

#[test]
fn every_option_is_obeyed_or_refused() {
    let table = oracle();
    let mut wrong = Vec::new();
    let _guard = Device::open("reference").expect("always there").enter();
    for case in cases() {
        for (options, expected) in &table[case.oracle] {
            let mut given = AxisOptions::new(Some(case.axes.into()));
            let mut exist = true;
            for name in options.split('+').filter(|name| !name.is_empty()) {
                let marker;
                (given, marker) = with(given, name);
                exist &= case.set.contains(&marker);
            }
            if !exist {
                // It does not compile, and NumPy has no such keyword.
                if expected.is_some() {
                    wrong.push(format!("{}({options}): the option is missing", case.oracle));
                }
                continue;
            }
            let verdict = match ((case.run)(&Array::from(A), given), expected) {
                (Err(_), None) => Ok(()),
                (Ok(got), None) => Err(format!("expected an error, got {got:?}")),
                (Err(error), Some(_)) => Err(format!("refused: {error}")),
                (Ok(got), Some(expected)) => compare(&got, expected),
            };
            if let Err(reason) = verdict {
                wrong.push(format!("{}({options}): {reason}", case.oracle));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// An option that comes from a call by name is refused by its name, beside those that the function takes.
#[test]
fn a_refused_option_is_named() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let options = AxisOptions::new(None).where_(&Array::from(MASK));
    let error = Array::from(A).try_argmin(options).unwrap_err();
    let text =
        "[argmin] bad arguments: takes no such option: expected axes and keepdims, got where_";
    assert_eq!((error.class(), error.to_string().as_str()), ("TypeError", text));
}

/// `np.mean(…, dtype=int)`: elements are converted, added up, divided and converted again.
#[test]
fn a_mean_in_integers() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let floats = Array::from([1.9, 2.9, 4.0]);
    let mean = floats.mean(over(..).dtype(DType::I32));
    assert_eq!((mean.dtype(), mean.to_string().as_str()), (DType::I32, "2"));
    let rows = Array::from([[1, 2], [4, 6]]);
    let mask = Array::from([[true, false], [true, true]]);
    let masked = rows.mean(over(0).dtype(DType::I64).where_(&mask).keepdims());
    assert_eq!((masked.shape(), masked.to_string().as_str()), (&[1, 2][..], "[[2 6]]"));
    assert_eq!(rows.nanmean(over(..).dtype(DType::I64)).to_string(), "3");
    let class = |result: Result<Array>| result.expect_err("no such mean").class();
    assert_eq!(class(floats.try_nanmean(over(..).dtype(DType::I64))), "TypeError");
    assert_eq!(class(Array::scalar(1.0).try_mean(over(0).dtype(DType::I64))), "AxisError");
    let unsupported = rows.try_var(over(..).dtype(DType::I64)).expect_err("var in integers");
    assert!(unsupported.is_unsupported());
}

/// `initial=None`: no identity is there, so that -0.0 stays and no elements are an error.
#[test]
fn sums_and_products_from_the_first_element() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let zero = Array::from([-0.0]);
    assert_eq!(zero.sum(..).to_string(), "0.0");
    assert_eq!(zero.sum(over(..).from_first()).to_string(), "-0.0");
    let class = |result: Result<Array>| result.expect_err("nothing to start from").class();
    let nothing = crate::zeros(0, DType::F64);
    assert_eq!(class(nothing.try_sum(over(..).from_first())), "ValueError");
    assert_eq!(class(nothing.try_nanprod(over(..).from_first())), "ValueError");
    let numbers = Array::from([f64::NAN, 3.0, 2.0]);
    assert_eq!(numbers.nansum(over(..).from_first()).to_string(), "5.0");
    assert_eq!(numbers.nanprod(over(..).from_first()).to_string(), "6.0");
}

/// NumPy's nan-forms add up by ufuncs, to which a 0-d array has an axis 0. `np.mean` and `np.var` look for it.
#[test]
fn nan_forms_take_axis_0_of_a_number() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let number = Array::scalar(3.0);
    assert_eq!(number.nanmean(0).to_string(), "3.0");
    assert_eq!(number.nansum(-1).to_string(), "3.0");
    assert_eq!(number.nanvar(over(0).keepdims()).to_string(), "0.0");
    for refused in [number.try_mean(0), number.try_var(0), number.try_nanmean(1)] {
        assert_eq!(refused.expect_err("no axis").class(), "AxisError");
    }
}

/// `np.var(a, mean=…)`: a number takes the dtype of the elements.
#[test]
fn a_known_mean_may_be_a_number() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let singles = Array::from([1.0f32, 3.0]);
    let spread = singles.var(over(..).mean(1.0));
    assert_eq!((spread.dtype(), spread.to_string().as_str()), (DType::F32, "2.0"));
    assert_eq!(Array::from([1, 3]).std(over(0).mean(1).keepdims()).to_string(), "[1.41421356]");
}
