//! `fit` beside SciPy's: the likelihood is at least SciPy's, closed forms are the same numbers.

use ndany::prelude::*;
use ndany::stats::{Distribution, Fixed};

const NAN: f64 = f64::NAN;

/// A sample, which parameters are fixed (NaN is free), and SciPy's answer.
struct Case {
    family: &'static str,
    fixed: &'static [f64],
    scipy: &'static [f64],
    log_likelihood: f64,
    data: &'static [f64],
}

include!("fit_cases.in");

/// Families that SciPy has in closed form, with these parameters fixed.
fn is_closed(case: &Case) -> bool {
    let shapes = case.fixed.len() - 2;
    let loc_is_fixed = !case.fixed[shapes].is_nan();
    match case.family {
        "norm" | "expon" | "uniform" | "laplace" | "halfnorm" => true,
        "lognorm" | "rayleigh" | "pareto" => loc_is_fixed,
        _ => false,
    }
}

fn distribution(name: &str) -> Distribution {
    match name {
        "norm" => stats::norm(),
        "expon" => stats::expon(),
        "uniform" => stats::uniform(),
        "laplace" => stats::laplace(),
        "lognorm" => stats::lognorm(1.0),
        "gamma" => stats::gamma(1.0),
        "beta" => stats::beta(1.0, 1.0),
        "weibull_min" => stats::weibull_min(1.0),
        "t" => stats::t(1.0),
        "logistic" => stats::logistic(),
        "cauchy" => stats::cauchy(),
        "gumbel_r" => stats::gumbel_r(),
        "gumbel_l" => stats::gumbel_l(),
        "pareto" => stats::pareto(1.0),
        "rayleigh" => stats::rayleigh(),
        "halfnorm" => stats::halfnorm(),
        "invgauss" => stats::invgauss(1.0),
        "invgamma" => stats::invgamma(1.0),
        "maxwell" => stats::maxwell(),
        "chi2" => stats::chi2(1.0),
        "vonmises" => stats::vonmises(1.0),
        name => panic!("no case is of {name}"),
    }
}

fn fixed(case: &Case) -> Fixed {
    let shapes = case.fixed.len() - 2;
    let family = stats::FAMILIES.iter().find(|family| family.name == case.family);
    let names = family.expect("a family of the table").shapes;
    let mut fixed = Fixed::new();
    for (name, &value) in names.iter().zip(case.fixed) {
        if !value.is_nan() {
            fixed = fixed.shape(name, value);
        }
    }
    if !case.fixed[shapes].is_nan() {
        fixed = fixed.loc(case.fixed[shapes]);
    }
    if !case.fixed[shapes + 1].is_nan() {
        fixed = fixed.scale(case.fixed[shapes + 1]);
    }
    fixed
}

#[test]
fn the_likelihood_is_at_least_that_of_scipy() {
    let _guard = ndany::Device::open("reference").expect("always there").enter();
    let mut wrong = Vec::new();
    for case in CASES {
        let what = format!("{} {:?}", case.family, case.fixed);
        let data = Array::from(case.data);
        let fit =
            distribution(case.family).fit(&data, fixed(case)).expect("a sample that has a fit");
        let found: Vec<f64> = fit.shapes.iter().copied().chain([fit.loc, fit.scale]).collect();
        let least = case.log_likelihood - 1e-9 * case.log_likelihood.abs();
        let near = |tolerance: f64| {
            found.iter().zip(case.scipy).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
        };
        let is_right = fit.converged
            && fit.log_likelihood >= least
            && near(if is_closed(case) { 1e-12 } else { 2e-3 });
        if !is_right {
            wrong.push(format!(
                "{what}: {found:?} (SciPy {:?}), {} (SciPy {}), converged {}",
                case.scipy, fit.log_likelihood, case.log_likelihood, fit.converged
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_fitted_is_an_error() {
    let _guard = ndany::Device::open("reference").expect("always there").enter();
    let x = array([1.0, 2.0, 4.0]);
    let none = Array::from(&[] as &[f64]);
    let error = |outcome: ndany::Result<stats::Fit>| outcome.expect_err("no fit").to_string();
    assert!(error(stats::poisson(1.0).fit(&x, ..)).contains("discrete"));
    assert!(error(stats::norm().fit(&none, ..)).contains("no data"));
    assert!(error(stats::norm().fit(&array([1.0, f64::NAN]), ..)).contains("NaN"));
    assert!(error(stats::pareto(1.0).fit(&x, Fixed::new().loc(1.0))).contains("support"));
    assert!(error(stats::expon().fit(&x, Fixed::new().loc(2.0))).contains("support"));
    assert!(
        error(stats::gamma(1.0).fit(&x, Fixed::new().shape("b", 2.0)))
            .contains("shape parameter b")
    );
    let all = Fixed::new().loc(0.0).scale(1.0);
    assert!(error(stats::norm().fit(&x, all)).contains("all parameters"));
    assert!(error(stats::logistic().fit(&array([2.0, 2.0]), ..)).contains("equal"));
    assert!(error(stats::uniform().fit(&x, Fixed::new().scale(2.0))).contains("do not fit"));
    assert!(error(stats::norm().fit(&x, Fixed::new().scale(-1.0))).contains("positive"));
}

/// A sample whose likelihood grows without an end gives what was met, and says so.
#[test]
fn a_search_without_a_maximum_ends() {
    let _guard = ndany::Device::open("reference").expect("always there").enter();
    let x = array([1.0, 1.001, 1.002, 3.0, 8.0, 20.0]);
    let fit = stats::gamma(1.0).fit(&x, ..).expect("finite parameters");
    assert!(fit.log_likelihood.is_finite() && fit.loc < 1.0);
}

/// Every continuous family ends with finite parameters, where it has none of its own start too.
#[test]
fn every_family_ends() {
    let _guard = ndany::Device::open("reference").expect("always there").enter();
    let families = [
        stats::chi2(3.0),
        stats::f(4.0, 9.0),
        stats::truncnorm(-1.0, 2.0),
        stats::gennorm(1.5),
        stats::skewnorm(1.0),
        stats::chi(3.0),
        stats::dgamma(1.5),
        stats::levy(),
        stats::invgauss(0.5),
        stats::exponnorm(1.0),
        stats::loguniform(0.5, 4.0),
        stats::triang(0.4),
        stats::halfcauchy(),
    ];
    let x = array([0.3, 1.7, 0.9, 2.2, 1.1, 0.6, 4.1, 1.4, 0.8, 2.9, 1.2, 1.9]);
    for family in families {
        let fit = family.fit(&x, ..).expect("a sample that has a fit");
        let is_finite = fit.shapes.iter().chain([&fit.loc, &fit.scale]).all(|p| p.is_finite());
        assert!(is_finite && fit.log_likelihood.is_finite() && fit.scale > 0.0, "{fit:?}");
    }
}
