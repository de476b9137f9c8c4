//! Descriptive statistics beside SciPy's values.

use ndany::prelude::*;
use ndany::stats::{Bias, Kind, Ties};

fn near(found: &Array, expected: &[f64]) {
    let found = found.to_vec::<f64>().expect("values");
    assert_eq!(found.len(), expected.len(), "{found:?} is not {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        let is_near =
            (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(is_near, "{found:?} is not {expected:?}");
    }
}

fn reference() -> ndany::DeviceGuard {
    ndany::Device::open("reference").expect("always there").enter()
}

#[test]
#[rustfmt::skip]
#[allow(clippy::approx_constant, reason = "values of SciPy")]
fn values_are_those_of_scipy() {
    let _guard = reference();
    let x = array([[2.0, 8.0, 0.5], [4.0, 1.0, 9.0], [9.0, 3.0, 4.0], [7.0, 7.0, 4.0]]);
    near(&stats::skew(&x, 0, ..), &[0.0, -0.13205603299151566, 0.36577430685131224]);
    near(&stats::skew(&x, 0, Bias::Corrected), &[0.0, -0.228727758587297, 0.6335396835697616]);
    near(&stats::kurtosis(&x, 0, ..), &[-1.5243757431629013, -1.7158673736961716, -0.9700408336211326]);
    near(&stats::kurtosis(&x, 0, Bias::Corrected), &[-2.4328180737217604, -3.869005302721286, 1.7246937478415063]);
    near(&stats::moment(&x, 3, 0), &[0.0, -3.09375, 10.16015625]);
    near(&stats::moment(&x, 5, 0), &[0.0, -84.43359375, 310.6256103515625]);
    near(&stats::moment(&x, 1, 0), &[0.0, 0.0, 0.0]);
    near(&stats::gmean(&x, 0), &[4.738137220537587, 3.600205743678508, 2.9129506302439405]);
    near(&stats::hmean(&x, 0), &[3.984189723320158, 2.4981412639405205, 1.5319148936170213]);
    near(&stats::zscore(&x, 0, 0.0), &[-1.299867367239363, 1.1358152736593492, -1.279506932290144, -0.5570860145311556, -1.310556084991557, 1.5271534353140428, 1.299867367239363, -0.6115928396627265, -0.12382325151194941, 0.5570860145311556, 0.7863336509949341, -0.12382325151194941]);
    near(&stats::zscore(&x, 0, 1.0), &[-1.1257181615796847, 0.9836448809953706, -1.1080855076815603, -0.4824506406770077, -1.1349748626869662, 1.3225536704586365, 1.1257181615796847, -0.5296549359205842, -0.10723408138853809, 0.4824506406770077, 0.6809849176121797, -0.10723408138853809]);
    near(&stats::sem(&x, 0, 1.0), &[1.5545631755148024, 1.6520189667999174, 1.748511271529774]);
    near(&stats::variation(&x, 0, 0.0), &[0.4895604370122276, 0.6023959548557682, 0.6922309394048981]);
    near(&stats::variation(&x, 0, 1.0), &[0.5652957001872009, 0.6955869333894389, 0.7993194384136109]);
    near(&stats::iqr(&x, 0), &[4.0, 4.75, 2.125]);
    near(&stats::median_abs_deviation(&x, 0, 1.0), &[2.5, 2.5, 1.75]);
    near(&stats::trim_mean(&x, 0.3, 0), &[5.5, 5.0, 4.0]);
    near(&stats::entropy(&x, None, 0), &[1.2579577240395605, 1.1785052821753768, 1.1182693098034613]);
    near(&stats::entropy(&x, Some(&(&x + 1.0)), 0), &[0.004032775082926947, 0.01036168773439264, 0.018269243017396138]);
    near(&stats::mode(&x, 0)[0], &[2.0, 1.0, 4.0]);
    near(&stats::mode(&x, 0)[1].astype(F64), &[1.0, 1.0, 2.0]);
    near(&stats::rankdata(&x, Ties::Average, 0), &[1.0, 4.0, 1.0, 2.0, 1.0, 4.0, 4.0, 2.0, 2.5, 3.0, 3.0, 2.5]);
    near(&stats::rankdata(&x, Ties::Min, 0), &[1.0, 4.0, 1.0, 2.0, 1.0, 4.0, 4.0, 2.0, 2.0, 3.0, 3.0, 2.0]);
    near(&stats::rankdata(&x, Ties::Max, 0), &[1.0, 4.0, 1.0, 2.0, 1.0, 4.0, 4.0, 2.0, 3.0, 3.0, 3.0, 3.0]);
    near(&stats::rankdata(&x, Ties::Dense, 0), &[1.0, 4.0, 1.0, 2.0, 1.0, 3.0, 4.0, 2.0, 2.0, 3.0, 3.0, 2.0]);
    near(&stats::rankdata(&x, Ties::Ordinal, 0), &[1.0, 4.0, 1.0, 2.0, 1.0, 4.0, 4.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    near(&stats::skew(&x, 1, ..), &[0.5951700641394975, 0.29479962014482863, 0.6309038567106241, -0.7071067811865475]);
    near(&stats::skew(&x, 1, Bias::Corrected), &[1.457862967321305, 0.7221086457211349, 1.5453925256950214, -1.732050807568877]);
    near(&stats::kurtosis(&x, 1, ..), &[-1.5, -1.4999999999999996, -1.5000000000000002, -1.5]);
    near(&stats::moment(&x, 3, 1), &[20.25, 10.592592592592583, 11.407407407407414, -2.0]);
    near(&stats::moment(&x, 5, 1), &[531.5625, 288.35390946502037, 196.46090534979433, -10.0]);
    near(&stats::moment(&x, 1, 1), &[0.0, 0.0, 0.0, 0.0]);
    near(&stats::gmean(&x, 1), &[2.0, 3.3019272488946263, 4.762203155904598, 5.808785733563703]);
    near(&stats::hmean(&x, 1), &[1.1428571428571428, 2.204081632653061, 4.32, 5.6]);
    near(&stats::zscore(&x, 1, 0.0), &[-0.4629100498862757, 1.3887301496588271, -0.9258200997725514, -0.20203050891044225, -1.111167799007432, 1.313198307917874, 1.3970013970020956, -0.8890008890013334, -0.5080005080007619, 0.7071067811865475, 0.7071067811865475, -1.414213562373095]);
    near(&stats::zscore(&x, 1, 1.0), &[-0.3779644730092272, 1.1338934190276817, -0.7559289460184544, -0.16495721976846456, -0.9072647087265548, 1.0722219284950192, 1.140646864203468, -0.7258661863112975, -0.41478067789217, 0.5773502691896258, 0.5773502691896258, -1.1547005383792517]);
    near(&stats::sem(&x, 1, 1.0), &[2.2912878474779204, 2.3333333333333335, 1.8559214542766742, 1.0]);
    near(&stats::variation(&x, 1, 0.0), &[0.9258200997725515, 0.7071067811865475, 0.4921254921257382, 0.23570226039551587]);
    near(&stats::variation(&x, 1, 1.0), &[1.1338934190276817, 0.8660254037844385, 0.6027281725620597, 0.28867513459481287]);
    near(&stats::iqr(&x, 1), &[3.75, 4.0, 3.0, 1.5]);
    near(&stats::median_abs_deviation(&x, 1, 1.0), &[1.5, 3.0, 1.0, 0.0]);
    near(&stats::trim_mean(&x, 0.3, 1), &[3.5, 4.666666666666667, 5.333333333333333, 6.0]);
    near(&stats::entropy(&x, None, 1), &[0.6680178186607535, 0.8304717124362917, 0.9840865030829147, 1.0688206728265008]);
    near(&stats::entropy(&x, Some(&(&x + 1.0)), 1), &[0.032028652490291666, 0.013158441102584531, 0.002858690455870623, 0.0007054741605830427]);
    near(&stats::mode(&x, 1)[0], &[0.5, 1.0, 3.0, 7.0]);
    near(&stats::mode(&x, 1)[1].astype(F64), &[1.0, 1.0, 1.0, 2.0]);
    near(&stats::rankdata(&x, Ties::Average, 1), &[2.0, 3.0, 1.0, 2.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.5, 2.5, 1.0]);
    near(&stats::rankdata(&x, Ties::Min, 1), &[2.0, 3.0, 1.0, 2.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.0, 2.0, 1.0]);
    near(&stats::rankdata(&x, Ties::Max, 1), &[2.0, 3.0, 1.0, 2.0, 1.0, 3.0, 3.0, 1.0, 2.0, 3.0, 3.0, 1.0]);
    near(&stats::rankdata(&x, Ties::Dense, 1), &[2.0, 3.0, 1.0, 2.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.0, 2.0, 1.0]);
    near(&stats::rankdata(&x, Ties::Ordinal, 1), &[2.0, 3.0, 1.0, 2.0, 1.0, 3.0, 3.0, 1.0, 2.0, 2.0, 3.0, 1.0]);
    near(&stats::skew(&x, .., ..), &[0.053861289754946376]);
    near(&stats::skew(&x, .., Bias::Corrected), &[0.06188191064412527]);
    near(&stats::kurtosis(&x, .., ..), &[-1.36749494873004]);
    near(&stats::kurtosis(&x, .., Bias::Corrected), &[-1.4394641963155084]);
    near(&stats::moment(&x, 3, ..), &[1.31640625]);
    near(&stats::moment(&x, 5, ..), &[6.3043212890625]);
    near(&stats::moment(&x, 1, ..), &[0.0]);
    near(&stats::gmean(&x, ..), &[3.6763994535855553]);
    near(&stats::hmean(&x, ..), &[2.300494484594903]);
    near(&stats::zscore(&x, .., 0.0), &[-0.9906801321840805, 1.07682623063487, -1.507556722888818, -0.30151134457776363, -1.3352645259872389, 1.4214106244380285, 1.4214106244380285, -0.646095738380922, -0.30151134457776363, 0.7322418368317116, 0.7322418368317116, -0.30151134457776363]);
    near(&stats::zscore(&x, .., 1.0), &[-0.9485040136686709, 1.0309826235529032, -1.4433756729740645, -0.28867513459481287, -1.2784184532056, 1.3608970630898323, 1.3608970630898323, -0.6185895741317419, -0.28867513459481287, 0.7010681840159741, 0.7010681840159741, -0.28867513459481287]);
    near(&stats::sem(&x, .., 1.0), &[0.875]);
    near(&stats::variation(&x, .., 0.0), &[0.5952916290381487]);
    near(&stats::variation(&x, .., 1.0), &[0.6217618283580585]);
    near(&stats::iqr(&x, ..), &[4.5]);
    near(&stats::median_abs_deviation(&x, .., 1.0), &[3.0]);
    near(&stats::trim_mean(&x, 0.3, ..), &[4.833333333333333]);
    near(&stats::entropy(&x, None, ..), &[2.284421510091692]);
    near(&stats::mode(&x, ..)[0], &[4.0]);
    near(&stats::mode(&x, ..)[1].astype(F64), &[3.0]);
    near(&stats::rankdata(&x, Ties::Average, ..), &[3.0, 10.0, 1.0, 6.0, 2.0, 11.5, 11.5, 4.0, 6.0, 8.5, 8.5, 6.0]);
    near(&stats::rankdata(&x, Ties::Min, ..), &[3.0, 10.0, 1.0, 5.0, 2.0, 11.0, 11.0, 4.0, 5.0, 8.0, 8.0, 5.0]);
    near(&stats::rankdata(&x, Ties::Max, ..), &[3.0, 10.0, 1.0, 7.0, 2.0, 12.0, 12.0, 4.0, 7.0, 9.0, 9.0, 7.0]);
    near(&stats::rankdata(&x, Ties::Dense, ..), &[3.0, 7.0, 1.0, 5.0, 2.0, 8.0, 8.0, 4.0, 5.0, 6.0, 6.0, 5.0]);
    near(&stats::rankdata(&x, Ties::Ordinal, ..), &[3.0, 10.0, 1.0, 5.0, 2.0, 11.0, 12.0, 4.0, 6.0, 8.0, 9.0, 7.0]);
    near(&stats::percentileofscore(&x, array([4.0, 0.0, 3.5, 10.0]), Kind::Rank), &[50.0, 0.0, 33.333333333333336, 100.0]);
    near(&stats::percentileofscore(&x, array([4.0, 0.0, 3.5, 10.0]), Kind::Weak), &[58.333333333333336, 0.0, 33.333333333333336, 100.0]);
    near(&stats::percentileofscore(&x, array([4.0, 0.0, 3.5, 10.0]), Kind::Strict), &[33.333333333333336, 0.0, 33.333333333333336, 100.0]);
    near(&stats::percentileofscore(&x, array([4.0, 0.0, 3.5, 10.0]), Kind::Mean), &[45.833333333333336, 0.0, 33.333333333333336, 100.0]);
}

#[test]
fn constants_and_nan() {
    let _guard = reference();
    let constant = array([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]);
    assert!(stats::skew(&constant, 1, ..).i(0).item::<f64>().expect("a number").is_nan());
    assert!(stats::kurtosis(&constant, 1, ..).i(0).item::<f64>().expect("a number").is_nan());
    near(&stats::zscore(&constant, 1, 0.0).i(0), &[f64::NAN; 3]);
    near(&stats::hmean(array([[1.0, 0.0], [-1.0, 2.0]]), 1), &[0.0, f64::NAN]);
    near(&stats::gmean(array([[1.0, 0.0], [-1.0, 2.0]]), 1), &[0.0, f64::NAN]);
    let x = array([[1.0, f64::NAN, 1.0], [3.0, 1.0, 1.0]]);
    near(&stats::rankdata(&x, Ties::Average, 1), &[f64::NAN, f64::NAN, f64::NAN, 3.0, 1.5, 1.5]);
    near(&stats::mode(array([f64::NAN, 2.0, f64::NAN]), 0)[0], &[f64::NAN]);
    near(&stats::percentileofscore(&x, 1.0, ..), &[f64::NAN]);
    near(&stats::iqr(&x, 1), &[f64::NAN, 1.0]);
}

#[test]
fn dtypes_shapes_and_options() {
    let _guard = reference();
    let whole = array([[3, 1, 2], [2, 2, 1]]);
    assert_eq!(stats::skew(&whole, over(1).keepdims(), ..).shape(), [2, 1]);
    assert_eq!(stats::skew(&whole, (0, 1), ..).ndim(), 0);
    assert_eq!(stats::skew(whole.astype(F32), 1, ..).dtype(), F32);
    assert_eq!(stats::rankdata(&whole, Ties::Min, 0).to_string(), "[[2 1 2]\n [1 2 1]]");
    let d = stats::describe(&whole, 1, ..);
    assert_eq!((d.nobs, d.minmax[0].to_string()), (3, "[1 1]".to_string()));
    near(&d.variance, &[1.0, 1.0 / 3.0]);
    let [value, count] = stats::mode(&whole, 1);
    assert_eq!((value.to_string(), count.to_string()), ("[1 2]".to_string(), "[1 2]".to_string()));
}

#[test]
fn wrong_arguments_are_errors() {
    let _guard = reference();
    let x = array([1.0, 2.0, 3.0]);
    let complex = array([Complex64::new(1.0, 1.0)]);
    let is_refused = |outcome: ndany::Result<Array>| assert!(outcome.is_err());
    is_refused(attempt(|| stats::skew(&complex, 0, ..)));
    is_refused(attempt(|| stats::rankdata(&complex, .., 0)));
    is_refused(attempt(|| stats::rankdata(&x, .., 1)));
    is_refused(attempt(|| stats::skew(&x, 1, ..)));
    is_refused(attempt(|| stats::trim_mean(&x, 0.7, 0)));
    is_refused(attempt(|| stats::trim_mean(&x, -0.1, 0)));
    let none = Array::from(&[] as &[f64]);
    is_refused(attempt(|| stats::percentileofscore(&none, 1.0, ..)));
    is_refused(attempt(|| stats::mode(&none, 0)[0].clone()));
    assert_eq!(stats::rankdata(&none, .., 0).size(), 0);
}
