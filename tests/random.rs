//! Random numbers: the same bits on every device, and the distributions that are asked for.
//!
//! Seeds are fixed, so nothing here fails by chance: bounds are those that a right generator passes with
//! a probability of 0.999 or so, and did.

use ndany::{Array, DType, Device, Generator, Shape};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn on(device: &str) -> ndany::DeviceGuard {
    Device::open(device).expect("compiled in").enter()
}

fn every_kind(size: usize) -> Vec<Array> {
    let mut rng = Generator::new(0xFEED).stream(9);
    let mut drawn = Vec::new();
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        drawn.push(rng.random(Shape::new(size).dtype(dtype)));
        drawn.push(rng.normal(0.0, 1.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.normal(5.0, 0.25, Shape::new(size).dtype(dtype)));
        drawn.push(rng.exponential(2.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.laplace(0.0, 1.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.logistic(0.0, 1.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.gumbel(0.0, 1.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.cauchy(0.0, 1.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.weibull(1.5, Shape::new(size).dtype(dtype)));
        drawn.push(rng.lognormal(0.0, 1.0, Shape::new(size).dtype(dtype)));
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_int()) {
        drawn.push(rng.integers(.., Shape::new(size).dtype(dtype)));
        drawn.push(rng.integers(0..=100, Shape::new(size).dtype(dtype)));
    }
    drawn.push(rng.integers(0..(1i64 << 62) + 12345, size));
    drawn.push(rng.integers(0..(1u32 << 31) + 1, Shape::new(size).dtype(DType::U32)));
    drawn.push(rng.geometric(0.25, size));
    drawn.push(rng.bytes(size));
    refusing(&mut rng, size, &mut drawn);
    drawn
}

/// What is proposed and refused, with parameters as numbers and as arrays.
fn refusing(rng: &mut Generator, size: usize, drawn: &mut Vec<Array>) {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        drawn.push(rng.standard_gamma(0.5, Shape::new(size).dtype(dtype)));
        drawn.push(rng.beta(2.0, 0.1, Shape::new(size).dtype(dtype)));
        drawn.push(rng.standard_t(4.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.vonmises(1.0, 2.0, Shape::new(size).dtype(dtype)));
        drawn.push(rng.wald(1.0, 2.0, Shape::new(size).dtype(dtype)));
    }
    let column = Array::from([[0.5], [20.0]]);
    drawn.push(rng.gamma(&column, 2.0, (2, size)));
    drawn.push(rng.poisson(&column, (2, size)));
    drawn.push(rng.poisson(1e6, size));
    drawn.push(rng.poisson(3.0, Shape::new(size).dtype(DType::F32)));
    drawn.push(rng.binomial(200, 0.5, Shape::new(size).dtype(DType::U8)));
    drawn.push(rng.binomial(Array::from([[5i64], [5000]]), 0.3, (2, size)));
    drawn.push(rng.hypergeometric(200, 300, 100, size));
    drawn.push(rng.negative_binomial(3.5, 0.1, size));
    drawn.push(rng.noncentral_f(3.0, 5.0, 2.0, size));
    drawn.push(rng.logseries(0.9, size));
    drawn.push(rng.zipf(1.7, size));
    drawn.push(
        rng.integers(&Array::from([[0i64], [-9]])..&Array::from([[7i64], [1 << 62]]), (2, size)),
    );
    drawn.push(rng.dirichlet(&Array::from([0.1, 1.0, 5.0]), size));
    drawn.push(rng.multinomial(100, &Array::from([0.2, 0.3, 0.5]), size));
    drawn.push(rng.multivariate_hypergeometric(&Array::from([20i64, 30, 50]), 40, size));
    let covariance = Array::from([[2.0, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 0.5]]);
    drawn.push(rng.multivariate_normal(&Array::from([0.0, 1.0, 2.0]), &covariance, size));
}

/// Bytes, with one NaN for all.
fn bytes(array: &Array) -> Vec<u8> {
    array.to_bytes().expect("computed")
}

#[test]
fn every_device_draws_the_same_bits() {
    for size in [1, 5, 2051] {
        let expected: Vec<Vec<u8>> = {
            let _guard = on("reference");
            every_kind(size).iter().map(bytes).collect()
        };
        for device in ["cpu:threads=1", "cpu:threads=2", "cpu:threads=8", "cpu:threads=2,level=v1"]
        {
            let _guard = on(device);
            for (kind, (drawn, expected)) in every_kind(size).iter().zip(&expected).enumerate() {
                assert!(bytes(drawn) == *expected, "kind {kind} of {size} on {device}");
            }
        }
    }
}

#[test]
fn threads_share_a_large_draw_alike() {
    let draw = |device: &str| {
        let _guard = on(device);
        let mut rng = Generator::new(11);
        let normal = rng.normal(0.0, 1.0, Shape::new(1_000_003).dtype(DType::F32));
        // A quarter of the words is refused and drawn again.
        let whole = rng.integers(0..3u64 << 62, Shape::new(100_003).dtype(DType::U64));
        (bytes(&normal), bytes(&whole))
    };
    let one = draw("cpu:threads=1");
    assert!(one == draw("cpu:threads=2") && one == draw("cpu:threads=8"));
}

fn floats(array: Array) -> Vec<f64> {
    let mut values = array.astype(DType::F64).to_vec::<f64>().expect("computed");
    values.sort_by(f64::total_cmp);
    values
}

/// Kolmogorov's distance to a distribution function, times √n: above 1.95 once in a thousand times.
fn distance(values: &[f64], distribution: impl Fn(f64) -> f64) -> f64 {
    let count = values.len() as f64;
    let each = values.iter().enumerate().map(|(place, &value)| {
        let exact = distribution(value);
        (exact - place as f64 / count).abs().max(((place + 1) as f64 / count - exact).abs())
    });
    each.fold(0.0, f64::max) * count.sqrt()
}

/// The normal distribution function, to 10^-7 (Abramowitz & Stegun 7.1.26).
fn phi(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let series = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
    let tail = series.iter().fold(0.0, |sum, c| sum * t + c) * t * (-z * z).exp() / 2.0;
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[test]
fn distributions_are_what_they_are_called() {
    let _guard = on("cpu");
    const COUNT: usize = 200_000;
    for dtype in [DType::F32, DType::F64] {
        let mut rng = Generator::new(2024);
        let close = |name: &str, drawn: Array, distribution: &dyn Fn(f64) -> f64| {
            let distance = distance(&floats(drawn), distribution);
            assert!(distance < 1.95, "{name} in {dtype}: {distance}");
        };
        close("uniform", rng.uniform(-2.0, 3.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            (x + 2.0) / 5.0
        });
        close("normal", rng.normal(1.0, 2.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            phi((x - 1.0) / 2.0)
        });
        close("exponential", rng.exponential(3.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            -(-x / 3.0).exp_m1()
        });
        close("laplace", rng.laplace(0.0, 2.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            let tail = (-x.abs() / 2.0).exp() / 2.0;
            if x < 0.0 { tail } else { 1.0 - tail }
        });
        close("logistic", rng.logistic(0.0, 1.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            1.0 / (1.0 + (-x).exp())
        });
        close("gumbel", rng.gumbel(0.0, 1.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            (-(-x).exp()).exp()
        });
        close("cauchy", rng.standard_cauchy(Shape::new(COUNT).dtype(dtype)), &|x| {
            0.5 + x.atan() / std::f64::consts::PI
        });
        close("lognormal", rng.lognormal(0.0, 0.5, Shape::new(COUNT).dtype(dtype)), &|x| {
            phi(x.ln() / 0.5)
        });
        close("weibull", rng.weibull(1.5, Shape::new(COUNT).dtype(dtype)), &|x| {
            -(-x.powf(1.5)).exp_m1()
        });
        close("pareto", rng.pareto(3.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            1.0 - (1.0 + x).powf(-3.0)
        });
        close("power", rng.power(2.5, Shape::new(COUNT).dtype(dtype)), &|x| x.powf(2.5));
        close("rayleigh", rng.rayleigh(2.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            -(-x * x / 8.0).exp_m1()
        });
        close("triangular", rng.triangular(-1.0, 0.0, 3.0, Shape::new(COUNT).dtype(dtype)), &|x| {
            if x < 0.0 { (x + 1.0).powi(2) / 4.0 } else { 1.0 - (3.0 - x).powi(2) / 12.0 }
        });
    }
}

#[test]
fn normal_moments_tails_and_independence() -> Outcome {
    let _guard = on("cpu");
    const COUNT: usize = 1 << 20;
    for dtype in [DType::F32, DType::F64] {
        let x =
            Generator::new(77).standard_normal(Shape::new(COUNT).dtype(dtype)).astype(DType::F64);
        let moment = |power: i32| (1..power).fold(x.clone(), |y, _| y * &x).mean(..).item::<f64>();
        let error = 4.0 / (COUNT as f64).sqrt();
        assert!(moment(1)?.abs() < error, "mean {}", moment(1)?);
        assert!((moment(2)? - 1.0).abs() < 2f64.sqrt() * error, "variance {}", moment(2)?);
        assert!(moment(3)?.abs() < 15f64.sqrt() * error, "third moment {}", moment(3)?);
        assert!((moment(4)? - 3.0).abs() < 96f64.sqrt() * error, "fourth moment {}", moment(4)?);
        // Four standard deviations: 66 of 2^20 expected, five: less than one.
        let beyond = x.abs().greater(4.0).astype(DType::I64).sum(..).item::<i64>()?;
        assert!((40..95).contains(&beyond), "{beyond} beyond four deviations");
        // Neighbours, and the two that share a radius.
        for lag in 1..=4usize {
            let product = (x.i(..COUNT - lag) * x.i(lag..)).mean(..).item::<f64>()?;
            assert!(product.abs() < error, "lag {lag}: {product}");
            let (a, b) = (x.i(..COUNT - lag).square() - 1.0, x.i(lag..).square() - 1.0);
            let product = (a * b).mean(..).item::<f64>()?;
            assert!(product.abs() < 2.0 * error, "squares at lag {lag}: {product}");
        }
    }
    Ok(())
}

/// Pearson's χ² less its mean, in standard deviations.
fn excess(values: &[i64], count: usize) -> f64 {
    let mut seen = vec![0u64; count];
    values.iter().for_each(|&value| seen[value as usize] += 1);
    let expected = values.len() as f64 / count as f64;
    let chi: f64 = seen.iter().map(|&seen| (seen as f64 - expected).powi(2) / expected).sum();
    let freedom = (count - 1) as f64;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn integers_are_equally_likely() -> Outcome {
    let _guard = on("cpu");
    let mut rng = Generator::new(31);
    for bound in [2usize, 3, 6, 10, 100, 1000] {
        for dtype in [DType::I64, DType::U16, DType::I32] {
            let drawn = rng.integers(0..bound, Shape::new(300_000).dtype(dtype)).astype(DType::I64);
            let excess = excess(&drawn.to_vec::<i64>()?, bound);
            assert!(excess.abs() < 4.0, "{bound} in {dtype}: {excess}");
        }
    }
    // Three quarters of the words, so that without drawing again a third of the numbers would be twice
    // as likely (those of one remainder by three); each is looked at by remainder and by part of the range.
    let bound = 3u64 << 62;
    let drawn = rng.integers(0..bound, Shape::new(300_000).dtype(DType::U64));
    let remainders = (&drawn % 3u64).astype(DType::I64).to_vec::<i64>()?;
    assert!(excess(&remainders, 3).abs() < 4.0);
    let drawn = drawn.bitwise_right_shift(60u64).astype(DType::I64).to_vec::<i64>()?;
    assert!(excess(&drawn, 12).abs() < 4.0);
    let flags = rng.bernoulli(0.3, 300_000).astype(DType::F64).mean(..).item::<f64>()?;
    assert!((flags - 0.3).abs() < 0.0033, "{flags}");
    let trials = rng.geometric(0.25, 300_000).astype(DType::F64);
    assert!((trials.mean(..).item::<f64>()? - 4.0).abs() < 0.03);
    assert_eq!(rng.geometric(1.0, 100).max(..).item::<i64>()?, 1);
    Ok(())
}

#[test]
fn uniform_stays_below_one() -> Outcome {
    let _guard = on("cpu");
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let x = Generator::new(8).random(Shape::new(1 << 20).dtype(dtype)).astype(DType::F64);
        assert!(x.max(..).item::<f64>()? < 1.0 && x.min(..).item::<f64>()? >= 0.0, "{dtype}");
        assert!((x.mean(..).item::<f64>()? - 0.5).abs() < 0.003, "{dtype}");
        let e = Generator::new(8)
            .standard_exponential(Shape::new(1 << 20).dtype(dtype))
            .astype(DType::F64);
        assert!(e.min(..).item::<f64>()? > 0.0, "{dtype}");
    }
    Ok(())
}

#[test]
fn parameters_broadcast() -> Outcome {
    let _guard = on("cpu");
    let mean = Array::from([[0.0], [100.0]]);
    let deviation = Array::from([0.0, 1.0, 2.0]);
    let x = Generator::new(5).normal(&mean, &deviation, (2, 3));
    let z = Generator::new(5).standard_normal((2, 3));
    assert!(x.array_equal(&(z * &deviation + &mean))?);
    Ok(())
}

/// Covariances of the columns of a table, as their own matrix.
fn covariances(x: &Array) -> Vec<f64> {
    let x = x.astype(DType::F64);
    let count = x.shape()[0] as f64;
    let rest = &x - x.mean(0);
    (rest.transpose(..).matmul(&rest) / count).to_vec::<f64>().expect("computed")
}

#[test]
fn what_is_drawn_together_hangs_together() {
    let _guard = on("cpu");
    const COUNT: usize = 100_000;
    let mut rng = Generator::new(99);
    let close = |x: &Array, expected: &[f64], size: f64| {
        for (got, expected) in covariances(x).iter().zip(expected) {
            // Five deviations of a normal covariance.
            let allowed = 5.0 * 2f64.sqrt() * size / (COUNT as f64).sqrt();
            assert!((got - expected).abs() < allowed, "{got} for {expected}, allowed {allowed}");
        }
    };
    let covariance = [2.0, 0.6, -0.5, 0.6, 1.0, 0.2, -0.5, 0.2, 0.5];
    let matrix = Array::from(covariance.to_vec()).reshape((3, 3));
    let x = rng.multivariate_normal(&Array::from([0.0, 1.0, 2.0]), &matrix, COUNT);
    close(&x, &covariance, 2.0);
    // n (p − p²) on the diagonal, −n p q beside it; four kinds, so that halves have halves.
    let p = [0.1, 0.2, 0.3, 0.4];
    let moments = |scale: f64| -> Vec<f64> {
        let each = |i: usize, j: usize| if i == j { p[i] - p[i] * p[i] } else { -p[i] * p[j] };
        (0..16).map(|at| scale * each(at / 4, at % 4)).collect()
    };
    close(&rng.multinomial(50, &Array::from(p), COUNT), &moments(50.0), 50.0 * 0.24);
    let colors = Array::from([10i64, 20, 30, 40]);
    let drawn = rng.multivariate_hypergeometric(&colors, 60, COUNT);
    close(&drawn, &moments(60.0 * 40.0 / 99.0), 60.0 * 40.0 / 99.0 * 0.24);
    let shares = rng.dirichlet(&Array::from([1.0, 2.0, 3.0, 4.0]), COUNT);
    close(&shares, &moments(1.0 / 11.0), 0.24 / 11.0);
}

#[test]
fn neighbours_that_were_refused_are_independent() -> Outcome {
    let _guard = on("cpu");
    const COUNT: usize = 1 << 18;
    let mut rng = Generator::new(4);
    for x in
        [rng.standard_gamma(0.6, COUNT), rng.poisson(15.0, COUNT), rng.vonmises(0.0, 1.0, COUNT)]
    {
        let x = x.astype(DType::F64);
        let x = (&x - x.mean(..)) / x.std(..);
        for lag in [1usize, 2, 4, 1024] {
            let product = (x.i(..COUNT - lag) * x.i(lag..)).mean(..).item::<f64>()?;
            assert!(product.abs() * (COUNT as f64).sqrt() < 4.0, "lag {lag}: {product}");
        }
    }
    Ok(())
}
