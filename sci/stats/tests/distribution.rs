//! Moments, means of functions, supports and variates of distributions.

use ndany::prelude::*;
use ndany::stats::Distribution;

fn reference() -> ndany::DeviceGuard {
    ndany::Device::open("reference").expect("always there").enter()
}

#[test]
fn moments_are_those_of_scipy() {
    let _guard = reference();
    let cases: [(Distribution, [f64; 6]); 7] = [
        (
            stats::gamma(2.5).scale(3.0),
            [7.5, 78.75, 1063.125, 17541.5625, 342060.46875, 7696360.546875],
        ),
        (stats::norm().loc(1.0).scale(2.0), [1.0, 5.0, 13.0, 73.0, 281.0, 1741.0]),
        (
            stats::beta(2.0, 0.5),
            [
                0.8,
                0.6857142857142858,
                0.6095238095238097,
                0.5541125541125542,
                0.5114885114885115,
                0.4773892773892774,
            ],
        ),
        (
            stats::weibull_min(1.5).loc(2.0).scale(0.5),
            [
                2.4513726464754666,
                6.103150423091617,
                15.4524307808441,
                39.83852336114419,
                104.71961601534885,
                280.99536203189217,
            ],
        ),
        (stats::binom(12.0, 0.3), [3.6, 15.48, 74.88, 396.828, 2266.0272, 13783.49712]),
        (
            stats::poisson(4.5).loc(1.0),
            [5.5, 34.75, 245.125, 1896.0625, 15882.34375, 142736.921875],
        ),
        (stats::t(9.5), [0.0, 1.2666666666666666, 0.0, 6.5636363636363635, 0.0, 89.0779220779221]),
    ];
    for (distribution, moments) in cases {
        for (order, expected) in (1..).zip(moments) {
            let found = distribution.moment(order).item::<f64>().expect("a number");
            let what = format!("{order} of {distribution:?}: {found}, {expected}");
            assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{what}");
        }
        let all = distribution.expect(|x| x * 0.0 + 1.0).item::<f64>().expect("a number");
        assert!((all - 1.0).abs() < 1e-12, "{all} of {distribution:?}");
    }
    let batch = stats::poisson(array([[0.5], [40.0]])).expect(|k| k * k);
    assert!(batch.allclose(array([[0.75], [1640.0]]), ..).expect("numbers"));
    let error = attempt(|| stats::poisson(1e12).expect(|k| k + 0.0)).expect_err("too many");
    assert!(error.to_string().contains("integers to add up"), "{error}");
}

#[test]
fn supports_are_those_of_scipy() {
    let _guard = reference();
    let of = |distribution: Distribution| {
        let [low, high] = distribution.support();
        [low, high].map(|end| end.item::<f64>().expect("a number"))
    };
    assert_eq!(of(stats::beta(2.0, 0.5).loc(1.0)), [1.0, 2.0]);
    assert_eq!(of(stats::binom(12.0, 0.3)), [0.0, 12.0]);
    assert_eq!(of(stats::poisson(4.5).loc(1.0)), [1.0, f64::INFINITY]);
    assert_eq!(of(stats::randint(-3.0, 4.0)), [-3.0, 3.0]);
    assert_eq!(of(stats::dlaplace(1.0)), [f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!(of(stats::truncnorm(-1.0, 2.0).scale(3.0)), [-3.0, 6.0]);
}

/// Samples have the mean and the spread of their family, to six standard errors.
#[test]
fn variates_of_every_new_family() {
    let _guard = reference();
    let families: [Distribution; 15] = [
        stats::vonmises(2.0),
        stats::chi(3.0),
        stats::maxwell(),
        stats::dgamma(2.0),
        stats::invgauss(0.5),
        stats::exponnorm(1.5),
        stats::loguniform(0.5, 4.0),
        stats::triang(0.3),
        stats::betabinom(10.0, 2.0, 3.0),
        stats::randint(-3.0, 9.0),
        stats::zipf(6.0),
        stats::logser(0.6),
        stats::dlaplace(0.8),
        stats::planck(0.7),
        stats::boltzmann(0.4, 12.0),
    ];
    const COUNT: usize = 1000;
    for distribution in families {
        let x = distribution.rvs(&mut random::default_rng(11), COUNT);
        let number = |array: Array| array.item::<f64>().expect("a number");
        let (mean, spread) = (number(distribution.mean()), number(distribution.std()));
        let apart = (number(x.mean(..)) - mean).abs();
        assert!(apart < 6.0 * spread / (COUNT as f64).sqrt(), "{distribution:?}: {apart}");
        let ratio = number(x.std(..)) / spread;
        assert!((ratio - 1.0).abs() < 0.25, "{distribution:?}: {ratio}");
    }
    let angles = stats::vonmises(2.0).loc(3.0).rvs(&mut random::default_rng(11), COUNT);
    let largest = angles.abs().max(..).item::<f64>().expect("a number");
    assert!(largest <= std::f64::consts::PI && largest > 3.0, "{largest}");
}
