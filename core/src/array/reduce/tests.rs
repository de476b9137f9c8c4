//! Options of reductions and scans: every method that takes an `Over`, under every option and each two of
//! them, gives NumPy's result or errs. `conformance/oracle/options.py` writes NumPy's results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Array, DType, Device, Norm, Over, QuantileMethod, Result, over, ufunc};

const A: [[f64; 4]; 3] = [[3.0, -1.5, 0.0, 2.25], [0.5, 4.0, -2.0, 7.0], [1.0, 0.0, 6.5, -3.0]];
const WEIGHTS: [[f64; 4]; 3] = [[1.0, 2.0, 0.5, 1.0], [3.0, 1.0, 1.0, 2.0], [0.25, 1.0, 4.0, 1.0]];
const MASK: [[bool; 4]; 3] =
    [[true, false, false, true], [true, false, true, true], [false, true, true, true]];
const MEAN: [[f64; 4]; 1] = [[1.0, 0.5, 2.0, -1.0]];

/// A call over axis 0, or both axes of a matrix.
struct Case {
    /// The function in `options.txt`.
    oracle: &'static str,
    /// The method of the engine.
    method: &'static str,
    run: fn(&Array, Over) -> Result<Array>,
    axes: &'static [isize],
}

fn nans() -> Array {
    let mut a = A;
    (a[0][1], a[2][3]) = (f64::NAN, f64::NAN);
    Array::from(a)
}

macro_rules! cases {
    ($($oracle:literal $method:ident $run:expr;)+) => {
        vec![$(Case { oracle: $oracle, method: stringify!($method), run: $run, axes: &[0] },)+]
    };
}

fn cases() -> Vec<Case> {
    let mut cases = cases! {
        "sum" sum |a, o| a.try_sum(o);
        "prod" prod |a, o| a.try_prod(o);
        "min" min |a, o| a.try_min(o);
        "max" max |a, o| a.try_max(o);
        "any" any |a, o| a.try_any(o);
        "all" all |a, o| a.try_all(o);
        "argmin" argmin |a, o| a.try_argmin(o);
        "argmax" argmax |a, o| a.try_argmax(o);
        "mean" mean |a, o| a.try_mean(o);
        "var" var |a, o| a.try_var(o);
        "std" std |a, o| a.try_std(o);
        "count_nonzero" count_nonzero |a, o| a.try_count_nonzero(o);
        "ptp" ptp |a, o| a.try_ptp(o);
        "median" median |a, o| a.try_median(o);
        "cumsum" cumsum |a, o| a.try_cumsum(o);
        "cumprod" cumprod |a, o| a.try_cumprod(o);
        "cummax" cummax |a, o| a.try_cummax(o);
        "cummin" cummin |a, o| a.try_cummin(o);
        "cumulative_sum" cumulative_sum |a, o| a.try_cumulative_sum(o, true);
        "cumulative_prod" cumulative_prod |a, o| a.try_cumulative_prod(o, true);
        "nansum" nansum |_, o| nans().try_nansum(o);
        "nanprod" nanprod |_, o| nans().try_nanprod(o);
        "nanmin" nanmin |_, o| nans().try_nanmin(o);
        "nanmax" nanmax |_, o| nans().try_nanmax(o);
        "nanargmin" nanargmin |_, o| nans().nanargmin(o);
        "nanargmax" nanargmax |_, o| nans().nanargmax(o);
        "nanmean" nanmean |_, o| nans().try_nanmean(o);
        "nanvar" nanvar |_, o| nans().try_nanvar(o);
        "nanstd" nanstd |_, o| nans().try_nanstd(o);
        "nancumsum" nancumsum |_, o| nans().try_nancumsum(o);
        "nancumprod" nancumprod |_, o| nans().try_nancumprod(o);
        "nanmedian" nanmedian |_, o| nans().try_nanmedian(o);
        "quantile" quantile |a, o| a.try_quantile(0.25, o);
        "quantile_by" quantile_by |a, o| a.try_quantile_by(0.25, o, QuantileMethod::Hazen);
        "percentile" percentile |a, o| a.try_percentile(25.0, o, QuantileMethod::Linear);
        "nanquantile" nanquantile |_, o| nans().try_nanquantile(0.25, o, QuantileMethod::Linear);
        "nanpercentile" nanpercentile |_, o| nans().try_nanpercentile(25.0, o, QuantileMethod::Linear);
        "quantile_weighted" quantile_weighted |a, o| a.try_quantile_weighted(0.25, o, &weights());
        "percentile_weighted" percentile_weighted |a, o| a.try_percentile_weighted(25.0, o, &weights());
        "nanquantile_weighted" nanquantile_weighted |_, o| nans().try_nanquantile_weighted(0.25, o, &weights());
        "nanpercentile_weighted" nanpercentile_weighted |_, o| nans().try_nanpercentile_weighted(25.0, o, &weights());
        "average" average |a, o| a.average(o, None).map(|(average, _)| average);
        "average_weighted" average |a, o| a.average(o, Some(&weights())).map(|(average, _)| average);
        "norm" norm |a, o| a.try_norm(Norm::Default, o);
        "vector_norm" vector_norm |a, o| a.try_vector_norm(Norm::Default, o);
        "add.reduce" reduce |a, o| ufunc::add.try_reduce(a, o);
        "multiply.reduce" reduce |a, o| ufunc::multiply.try_reduce(a, o);
        "maximum.reduce" reduce |a, o| ufunc::maximum.try_reduce(a, o);
        "minimum.reduce" reduce |a, o| ufunc::minimum.try_reduce(a, o);
        "fmax.reduce" reduce |a, o| ufunc::fmax.try_reduce(a, o);
        "hypot.reduce" reduce |a, o| ufunc::hypot.try_reduce(a, o);
        "logical_or.reduce" reduce |a, o| ufunc::logical_or.try_reduce(a, o);
        "subtract.reduce" reduce |a, o| ufunc::subtract.try_reduce(a, o);
        "add.accumulate" accumulate |a, o| ufunc::add.try_accumulate(a, o);
        "subtract.accumulate" accumulate |a, o| ufunc::subtract.try_accumulate(a, o);
        "add.reduceat" reduceat |a, o| ufunc::add.try_reduceat(a, &Array::from([0, 2]), o);
    };
    cases.push(Case {
        oracle: "norm_matrices",
        method: "norm",
        run: |a, o| a.try_norm(1, o),
        axes: &[0, 1],
    });
    cases
}

fn weights() -> Array {
    Array::from(WEIGHTS)
}

fn with(over: Over, option: &str) -> Over {
    match option {
        "keepdims" => over.keepdims(),
        "dtype" => over.dtype(DType::F32),
        "initial" => over.initial(5.0),
        "initial_low" => over.initial(-2.75),
        "from_first" => over.from_first(),
        "where" => over.where_(&Array::from(MASK)),
        "correction" => over.correction(1.0),
        "correction0" => over.correction(0.0),
        "mean" => over.mean(&Array::from(MEAN)),
        _ => panic!("no option {option}"),
    }
}

/// Options and the expected result (dtype, shape, values), or `None` where NumPy refuses.
type Expected = (String, Option<(String, String, Vec<f64>)>);

fn oracle() -> BTreeMap<String, Vec<Expected>> {
    let mut table: BTreeMap<String, Vec<Expected>> = BTreeMap::new();
    for line in include_str!("../../../tests/data/options.txt").lines() {
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
            let names = options.split('+').filter(|name| !name.is_empty());
            let result = (case.run)(&Array::from(A), names.fold(over(case.axes), with));
            let verdict = match (result, expected) {
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

/// A refused option is named, beside those that the function takes.
#[test]
fn a_refused_option_is_named() {
    let _guard = Device::open("reference").expect("the reference").enter();
    let error = Array::from(A).try_count_nonzero(over(0).where_(&Array::from(MASK))).unwrap_err();
    let text = "[count_nonzero] bad arguments: takes no such option: expected axes and keepdims, got where_";
    assert_eq!((error.class(), error.to_string().as_str()), ("TypeError", text));
}

/// Names of methods that take an `Over`, as the source declares them.
fn declared(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            declared(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            // Not written as one, so that this file does not declare it.
            for (at, _) in text.match_indices(concat!("impl Into<", "Over>")) {
                let start = text[..at].rfind('(').expect("a list of parameters");
                let name =
                    text[..start].trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_');
                let name = name.into_iter().next().expect("a name");
                names.insert(name.trim_start_matches("try_").to_string());
            }
        }
    }
}

/// A method that joins those with an `Over` joins this test.
#[test]
fn every_method_with_options_is_asked() {
    let mut names = BTreeSet::new();
    declared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/array"), &mut names);
    names.remove("over");
    let asked: BTreeSet<String> = cases().iter().map(|case| case.method.to_string()).collect();
    assert_eq!(names, asked);
}
