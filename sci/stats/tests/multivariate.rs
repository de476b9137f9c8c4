//! Distributions of vectors beside SciPy's values.

use ndany::prelude::*;
use ndany::stats::Singular;

fn near(found: &Array, expected: &[f64]) {
    let found = found.to_vec::<f64>().expect("values");
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!(
            a == b || (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
            "{found:?} is not {expected:?}"
        );
    }
}

fn reference() -> ndany::DeviceGuard {
    ndany::Device::open("reference").expect("always there").enter()
}

#[test]
fn normal_vectors() {
    let _guard = reference();
    let mean = array([1.0, -2.0, 0.5]);
    let covariance = array([[2.0, 0.5, 0.3], [0.5, 1.0, -0.2], [0.3, -0.2, 0.7]]);
    let x = array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [3.0, -1.0, 2.0]]);
    let logs = [-2.7543093287022464, -6.009334454330389, -5.516872142772597];
    let d = stats::multivariate_normal(&mean, &covariance, ..);
    near(&d.logpdf(&x), &logs);
    near(&d.pdf(&x), &logs.map(libm::exp));
    near(&d.entropy(), &[4.254309328702247]);
    let diagonal = stats::multivariate_normal(&mean, array([0.5, 2.0, 3.0]), ..);
    near(&diagonal.logpdf(&x), &[-3.306121743948073, -5.34778841061474, -7.931121743948074]);
    // A batch of distributions, each with its vector, and all with all.
    let covariances = stack(&[&covariance, &(eye(3) * array([0.5, 2.0, 3.0]))], 0);
    let both = stats::multivariate_normal(&mean, &covariances, ..);
    near(&both.logpdf(x.i(..2)), &[logs[0], -5.34778841061474]);
    assert_eq!(both.logpdf(x.expand_dims(1)).shape(), [3, 2]);
    near(&both.logpdf(x.expand_dims(1)).i((.., 0)), &logs);
    assert_eq!(d.rvs(&mut random::default_rng(1), (2, 5)).shape(), [2, 5, 3]);
}

#[test]
fn normal_numbers_are_vectors_of_one_component() {
    let _guard = reference();
    let d = stats::multivariate_normal(array(1.5), array(4.0), ..);
    let x = array([0.0, 1.5, 7.0]);
    near(&d.logpdf(&x), &[-1.893335713764618, -1.612085713764618, -5.393335713764618]);
    near(&d.cdf(&x), &[0.2266273523768682, 0.5, 0.9970202367649454]);
}

#[test]
fn singular_covariances() {
    let _guard = reference();
    let mean = array([1.0, -2.0, 0.5]);
    let covariance = array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]);
    let x = array([[2.0, -1.0, 0.0], [2.0, -1.1, 0.0], [1.5, -1.5, 3.0]]);
    let d = stats::multivariate_normal(&mean, &covariance, Singular::Allowed);
    near(&d.logpdf(&x), &[-3.0935242469692907, f64::NEG_INFINITY, -4.218524246969291]);
    near(&d.entropy(), &[3.5310242469692907]);
    let error =
        attempt(|| stats::multivariate_normal(&mean, &covariance, ..)).expect_err("singular");
    assert!(error.to_string().contains("singular"), "{error}");
}

#[test]
fn shares_and_counts() {
    let _guard = reference();
    let d = stats::dirichlet(array([0.4, 5.0, 15.0]));
    let x = array([[0.2, 0.2, 0.6], [0.01, 0.5, 0.49]]);
    near(&d.logpdf(&x), &[-1.2574327653159187, 1.3698298287524615]);
    near(&d.logpdf(x.i((.., ..2))), &[-1.2574327653159187, 1.3698298287524615]);
    near(&d.var(), &[0.0008982885805962482, 0.008646027588238889, 0.00909517187853701]);
    near(&d.cov().i(0), &[0.0008982885805962482, -0.0002245721451490621, -0.0006737164354471862]);
    near(&d.entropy(), &[-4.3280162474082715]);

    let d = stats::multinomial(8, array([0.3, 0.2, 0.5]));
    let counts = array([[1, 3, 4], [8, 0, 0], [2, 2, 2], [-1, 4, 5]]);
    let none = f64::NEG_INFINITY;
    near(&d.logpmf(&counts), &[-3.170085660698767, -9.631782434607489, none, none]);
    near(&d.cov().i(0), &[1.68, -0.48, -1.2]);
    near(&d.entropy(), &[3.1024923490755816]);
    let two = array([[0.3, 0.2, 0.5], [0.1, 0.1, 0.8]]);
    let batch = stats::multinomial(array([8, 3]), &two);
    near(&batch.logpmf(array([[1, 3, 4], [1, 1, 1]])), &[-3.170085660698767, -3.0365542680742457]);
    near(&batch.entropy(), &[3.1024923490755807, 1.3498989419909524]);
    assert_eq!(batch.cov().shape(), [2, 3, 3]);
}

#[test]
fn wrong_parameters_are_errors() {
    let _guard = reference();
    let is_refused = |part: &str, outcome: ndany::Result<()>| {
        let error = outcome.expect_err(part).to_string();
        assert!(error.contains(part), "{error} says nothing of {part}");
    };
    let normal = |covariance: Array| {
        attempt(|| stats::multivariate_normal(zeros(2, ..), covariance, ..)).map(drop)
    };
    is_refused("covariance of shape", normal(eye(3)));
    is_refused("not symmetric", normal(array([[1.0, 0.5], [0.2, 1.0]])));
    is_refused("not positive semidefinite", normal(array([[1.0, 2.0], [2.0, 1.0]])));
    is_refused("NaN", normal(array([[1.0, f64::NAN], [f64::NAN, 1.0]])));
    let d = stats::multivariate_normal(zeros(2, ..), eye(2), ..);
    is_refused("2 components", attempt(|| d.logpdf(array([1.0, 2.0, 3.0]))).map(drop));
    is_refused("one component", attempt(|| d.cdf(zeros(2, ..))).map(drop));
    is_refused("above 0", attempt(|| stats::dirichlet(array([1.0, 0.0]))).map(drop));
    let d = stats::dirichlet(array([0.5, 2.0]));
    is_refused("add up to 1", attempt(|| d.pdf(array([0.5, 0.6]))).map(drop));
    is_refused("from 0 to 1", attempt(|| d.pdf(array([-0.5, 1.5]))).map(drop));
    is_refused("below 1", attempt(|| d.pdf(array([0.0, 1.0]))).map(drop));
    is_refused("add up to 1", attempt(|| stats::multinomial(3, array([0.2, 0.3]))).map(drop));
    is_refused("from 0 to 1", attempt(|| stats::multinomial(3, array([1.2, -0.2]))).map(drop));
    is_refused("whole", attempt(|| stats::multinomial(2.5, array([0.5, 0.5]))).map(drop));
}
