//! Philox against its authors' answers, programs against Philox, and what is refused. Distributions are
//! tested where there is a fast device (`tests/random.rs`).

use half::f16;

use super::*;
use crate::Device;

/// Known answers of Random123 1.14, `tests/kat_vectors`: rounds, counter, key, words.
type Answer = (usize, [u32; 4], [u32; 2], [u32; 4]);
const ANSWERS: [Answer; 6] = [
    (7, [0; 4], [0; 2], [0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48]),
    (7, [u32::MAX; 4], [u32::MAX; 2], [0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662]),
    (7, PI_COUNTER, PI_KEY, [0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a]),
    (10, [0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
    (10, [u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
    (10, PI_COUNTER, PI_KEY, [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]),
];
const PI_COUNTER: [u32; 4] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
const PI_KEY: [u32; 2] = [0xa4093822, 0x299f31d0];

fn words_of(counter: Counter, count: usize) -> Vec<u32> {
    let sampler = Sampler { variate: Variate::Bits, dtype: DType::U32, scaled: false };
    let drawn = draw::draw("test", sampler, counter, &[], Shape::from_slice(&[count]));
    drawn.expect("drawn").to_vec::<u32>().expect("computed")
}

#[test]
fn known_answers() {
    for (rounds, counter, key, expected) in ANSWERS {
        assert_eq!(philox::words(counter, key, rounds), expected);
    }
}

#[test]
fn programs_give_the_known_answers() {
    let _guard = Device::open("reference").expect("always there").enter();
    for (_, [c0, c1, stream, attempt], [k0, k1], expected) in &ANSWERS[3..] {
        let join = |low: &u32, high: &u32| u64::from(*low) | u64::from(*high) << 32;
        let counter = Counter {
            seed: join(k0, k1),
            position: join(c0, c1),
            stream: *stream,
            attempt: *attempt,
            recorded: false,
        };
        assert_eq!(words_of(counter, 4), expected);
    }
}

#[test]
fn elements_are_words_of_consecutive_counters() {
    let _guard = Device::open("reference").expect("always there").enter();
    // The position crosses 32 bits on the way.
    let position = (1u64 << 32) - 3;
    let mut rng = Generator::new(0x0123_4567_89AB_CDEF).stream(7).at(position);
    let words = rng.integers(.., crate::Shape::new((5, 5)).dtype(DType::U32));
    assert_eq!(rng.position(), position + 7);
    let words = words.to_vec::<u32>().expect("computed");
    let expected: Vec<u32> = (position..position + 7)
        .flat_map(|block| {
            let counter = [block as u32, (block >> 32) as u32, 7, 0];
            philox::words(counter, [0x89AB_CDEF, 0x0123_4567], 10)
        })
        .take(25)
        .collect();
    assert_eq!(words, expected);
    let wide = Generator::new(0x0123_4567_89AB_CDEF)
        .stream(7)
        .at(position)
        .integers(.., crate::Shape::new(5).dtype(DType::U64));
    let pairs: Vec<u64> = expected
        .chunks_exact(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .take(5)
        .collect();
    assert_eq!(wide.to_vec::<u64>().expect("computed"), pairs);
    // Uniform numbers are the upper bits of the same words.
    let mut rng = Generator::new(0x0123_4567_89AB_CDEF).stream(7).at(position);
    let uniform =
        rng.random(crate::Shape::new(25).dtype(DType::F32)).to_vec::<f32>().expect("computed");
    let scaled: Vec<f32> = words.iter().map(|word| (word >> 8) as f32 / 16_777_216.0).collect();
    assert_eq!(uniform, scaled);
    let mut rng = Generator::new(0x0123_4567_89AB_CDEF).stream(7).at(position);
    let half =
        rng.random(crate::Shape::new(25).dtype(DType::F16)).to_vec::<f16>().expect("computed");
    let scaled: Vec<f16> =
        words.iter().map(|word| f16::from_f32((word >> 21) as f32 / 2048.0)).collect();
    assert_eq!(half, scaled);
}

#[test]
fn refused_numbers_are_drawn_again_by_attempt() {
    let _guard = Device::open("reference").expect("always there").enter();
    // Nearly half of all words are refused for this bound.
    let bound = (1u64 << 63) + 1;
    let drawn = Generator::new(5).integers(0..bound, crate::Shape::new(64).dtype(DType::U64));
    let drawn = drawn.to_vec::<u64>().expect("computed");
    let threshold = ((1u128 << 64) % u128::from(bound)) as u64;
    let mut attempts = 0;
    for (element, &drawn) in drawn.iter().enumerate() {
        let value = (0..).find_map(|attempt| {
            attempts = attempts.max(attempt);
            let words = philox::words([element as u32 / 2, 0, 0, attempt], [5, 0], 10);
            let [low, high] = [0, 1].map(|half| u128::from(words[element % 2 * 2 + half]));
            let product = (low | high << 32) * u128::from(bound);
            (product as u64 >= threshold).then_some((product >> 64) as u64)
        });
        assert_eq!(Some(drawn), value);
    }
    assert!(attempts > 2, "the bound must refuse some");
}

#[test]
fn draws_move_on_and_depend_on_seed_and_stream() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(1);
    let (first, second) = (rng.random(8), rng.random(8));
    let equal = |a: &Array, b: &Array| a.array_equal(b).expect("computed");
    assert!(!equal(&first, &second));
    assert!(equal(&second, &Generator::new(1).at(4).random((2, 4)).ravel()));
    for other in [Generator::new(2), Generator::new(1).stream(1), Generator::new(1 << 32 | 1)] {
        assert!(!equal(&first, &other.clone().random(8)));
    }
    // Whole blocks join; parts of blocks do not.
    let mut split = Generator::new(1);
    let joined = crate::concatenate(&[&split.random(6), &split.random(2)], 0);
    assert!(equal(&joined, &first));
}

#[test]
fn shapes_and_dtypes() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(3);
    assert_eq!(rng.normal(0.0, 1.0, ()).shape(), [0usize; 0]);
    assert_eq!(rng.normal(0.0, 1.0, (0, 3)).shape(), [0, 3]);
    assert_eq!(rng.position(), 1);
    assert_eq!(rng.integers(0..3, (2, 1)).dtype(), DType::I64);
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        for drawn in [
            rng.normal(1.0, 2.0, crate::Shape::new(3).dtype(dtype)),
            rng.uniform(1, 2, crate::Shape::new(3).dtype(dtype)),
            rng.lognormal(0.0, 1.0, crate::Shape::new(3).dtype(dtype)),
            rng.triangular(0.0, 1.0, 2.0, crate::Shape::new(3).dtype(dtype)),
            rng.weibull(2.0, crate::Shape::new(3).dtype(dtype)),
            rng.normal(crate::zeros(3, DType::F64), 1.0, crate::Shape::new(3).dtype(dtype)),
        ] {
            assert_eq!(drawn.dtype(), dtype);
            assert!(drawn.isfinite().all(..).item::<bool>().expect("computed"));
        }
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_int()) {
        let (low, high) = dtype.int_range();
        assert_eq!(rng.integers(.., crate::Shape::new(3).dtype(dtype)).dtype(), dtype);
        let last = rng.integers(high as u64.., crate::Shape::new(3).dtype(dtype));
        assert!(last.equal(high as u64).all(..).item::<bool>().expect("computed"));
        let first = rng.integers(..=low as i64, crate::Shape::new(3).dtype(dtype));
        assert!(first.equal(low as i64).all(..).item::<bool>().expect("computed"));
    }
    let flags =
        rng.integers(0..2, crate::Shape::new(64).dtype(DType::Bool)).astype(DType::I64).sum(..);
    assert!((1..64).contains(&flags.item::<i64>().expect("computed")));
}

#[test]
fn what_is_refused() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(3);
    let class = |drawn: Result<Array>| drawn.map(|_| ()).expect_err("refused").class();
    assert_eq!(class(rng.try_integers(3..3, 2)), "ValueError");
    assert_eq!(
        class(rng.try_integers(0..257, crate::Shape::new(2).dtype(DType::U8))),
        "ValueError"
    );
    assert_eq!(class(rng.try_integers(-1..2, crate::Shape::new(2).dtype(DType::U8))), "ValueError");
    assert_eq!(class(rng.try_integers(0..2, crate::Shape::new(2).dtype(DType::F32))), "TypeError");
    assert_eq!(
        class(rng.try_normal(0.0, 1.0, crate::Shape::new(2).dtype(DType::I32))),
        "TypeError"
    );
    assert_eq!(class(rng.try_normal(0.0, -1.0, 2)), "ValueError");
    assert_eq!(class(rng.try_exponential(-0.5, 2)), "ValueError");
    assert_eq!(class(rng.try_uniform(f64::NEG_INFINITY, 1.0, 2)), "OverflowError");
    assert_eq!(class(rng.try_triangular(0.0, 3.0, 2.0, 2)), "ValueError");
    assert_eq!(class(rng.try_weibull(-1.0, 2)), "ValueError");
    assert_eq!(class(rng.try_bernoulli(1.5, 2)), "ValueError");
    assert_eq!(class(rng.try_normal(crate::zeros(3, DType::F64), 1.0, 2)), "ValueError");
    assert_eq!(class(rng.try_random((1usize << 40, 1usize << 40))), "ValueError");
    assert_eq!(rng.position(), 1, "what is refused before it is drawn draws nothing");
}

#[test]
fn orders_and_samples() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(12);
    let vector = |array: Array| array.to_vec::<i64>().expect("computed");
    let order = vector(rng.permutation(100));
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted == (0..100).collect::<Vec<i64>>() && sorted != order);
    let table = crate::arange(12).reshape((3, 4));
    let rows = rng.shuffled(&table, 0);
    assert_eq!(vector(rows.sort(0)), vector(table.clone()));
    assert!(rows.i((.., 0)).remainder(4).equal(0).all(..).item::<bool>().expect("computed"));
    let mut columns = table.clone();
    rng.shuffle(&mut columns, 1);
    assert_eq!(vector(columns.sort(1)), vector(table.clone()));
    assert_eq!(vector(rng.permuted(&table, 1).sort(1)), vector(table.clone()));
    assert_eq!(vector(rng.permuted(&table, ..).ravel().sort(..)), vector(table.ravel()));
    // Each of the six orders of three.
    let mut seen = std::collections::HashMap::new();
    for order in vector(rng.permuted(&(crate::zeros((6000, 3), DType::I64) + crate::arange(3)), 1))
        .chunks_exact(3)
    {
        *seen.entry(order.to_vec()).or_insert(0) += 1;
    }
    assert!(seen.len() == 6 && seen.values().all(|count| (900..1100).contains(count)), "{seen:?}");
    let weights = Array::from([1.0f32, 0.0, 2.0, 5.0]);
    let drawn = vector(rng.choice(4, 8000, Choice::new().p(&weights)));
    let count = |value| drawn.iter().filter(|&&drawn| drawn == value).count();
    assert!(count(1) == 0 && (880..1120).contains(&count(0)) && (1860..2140).contains(&count(2)));
    for _ in 0..20 {
        let mut three = vector(rng.choice(4, 3, Choice::new().p(&weights).replace(false)));
        three.sort_unstable();
        assert_eq!(three, [0, 2, 3]);
    }
    // Few of many, with all that are drawn at once and with too few of them: each in each place as often as the others.
    for more in [4, 40] {
        let mut seen = [[0; 64]; 4];
        for _ in 0..3200 {
            let mut draw = Draw { generator: &mut rng, dtype: None };
            let four = vector(draw.few_of_many(64, 4, more).expect("drawn"));
            let different: std::collections::HashSet<_> = four.iter().collect();
            assert_eq!(different.len(), 4, "{four:?}");
            four.iter().zip(&mut seen).for_each(|(&number, seen)| seen[number as usize] += 1);
        }
        // Each number 50 times; of 256 counts the furthest is 3.5 deviations off, and 6 would be one in 10^6 trials.
        assert!(seen.as_flattened().iter().all(|count| (10..95).contains(count)), "{seen:?}");
    }
    assert_eq!(rng.choice(1usize << 40, (5, 7), false).unique(..).size(), 35);
    let pair = rng.choice(&table, 2, Choice::new().axis(1).replace(false));
    assert_eq!(pair.shape(), [3, 2]);
    assert_eq!(rng.choice(5, (2, 3), ..).shape(), [2, 3]);
    assert_eq!(rng.choice(0, (0, 3), ..).shape(), [0, 3]);
    let class = |drawn: Result<Array>| drawn.map(|_| ()).expect_err("refused").class();
    assert_eq!(class(rng.try_choice(0, 1, ..)), "ValueError");
    assert_eq!(class(rng.try_choice(3, 4, false)), "ValueError");
    assert_eq!(class(rng.try_choice(4, 4, Choice::new().p(&weights).replace(false))), "ValueError");
    assert_eq!(class(rng.try_choice(3, 4, Choice::new().p(&weights))), "ValueError");
    assert_eq!(class(rng.try_choice(4, 4, Choice::new().p(&-&weights))), "ValueError");
    assert_eq!(class(rng.try_choice(Array::scalar(1), 4, ..)), "AxisError");
}

/// Kinds whose values may be refused, each from the same generator.
fn refusing(rng: &Generator, size: usize) -> Vec<Array> {
    let rng = || rng.clone();
    vec![
        rng().standard_gamma(0.4, size),
        rng().dtype(DType::F32).standard_gamma(3.0, size),
        rng().poisson(40.0, size),
        rng().binomial(1000, 0.3, size),
        rng().hypergeometric(500, 700, 300, size),
        rng().zipf(1.5, size),
        rng().vonmises(0.0, 2.0, size),
    ]
}

#[test]
fn an_element_is_drawn_again_as_it_would_be_alone() {
    let _guard = Device::open("reference").expect("always there").enter();
    const SIZE: usize = 60;
    let rng = Generator::new(77).stream(3);
    let together = refusing(&rng.at(5), SIZE);
    for place in 0..SIZE {
        let alone = refusing(&rng.at(5 + place as u64), 1);
        for (kind, (one, all)) in alone.iter().zip(&together).enumerate() {
            assert!(one.array_equal(all.i(place..place + 1)).expect("computed"), "{kind} {place}");
        }
    }
}

#[test]
fn arrays_of_parameters_are_numbers_one_by_one() {
    let _guard = Device::open("reference").expect("always there").enter();
    let equal = |a: Array, b: &Array| a.array_equal(b).expect("computed");
    let full = |value: f64| crate::full((4, 1), value, DType::F64);
    let mut rng = Generator::new(6);
    let shape = (4, 30);
    assert!(equal(rng.clone().gamma(full(0.3), 2.0, shape), &rng.clone().gamma(0.3, 2.0, shape)));
    for mean in [3.0, 300.0] {
        let drawn = rng.clone().poisson(mean, shape);
        assert!(equal(rng.clone().poisson(full(mean), shape), &drawn));
        // The columns of a strided view.
        let means = crate::full((2, 60), mean, DType::F32);
        let view = means.i(crate::s![.., ..;2]);
        assert!(equal(rng.clone().poisson(&view, (2, 30)).ravel(), &drawn.ravel().i(..60)));
    }
    for n in [20i64, 20_000] {
        let drawn = rng.clone().binomial(n, 0.25, shape);
        let trials = crate::full((4, 30), n, DType::I32);
        assert!(equal(rng.clone().binomial(&trials, full(0.25), shape), &drawn));
    }
    let bounds = Array::from([[0i64, -3], [5, 100]]);
    let (low, high) = (bounds.i(0), bounds.i(1));
    let drawn = rng.integers(&low..&high, (500, 2));
    assert!(
        drawn
            .greater_equal(&low)
            .logical_and(drawn.less(&high))
            .all(..)
            .item::<bool>()
            .expect("computed")
    );
    let closed =
        rng.integers(&low.maximum(0)..=&high, crate::Shape::new((500, 2)).dtype(DType::U8));
    assert_eq!(closed.max(0).to_vec::<u8>().expect("computed"), [5, 100]);
    let every = Array::from([u64::MAX]);
    let words = rng
        .integers(&crate::zeros(1, DType::U64)..=&every, crate::Shape::new(64).dtype(DType::U64));
    assert!(words.bitwise_right_shift(63u64).sum(..).item::<u64>().expect("computed") > 10);
}

#[test]
fn extreme_parameters() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(9);
    let floats = |array: Array| array.to_vec::<f64>().expect("computed");
    let counts = |array: Array| array.to_vec::<i64>().expect("computed");
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    assert_eq!(floats(rng.gamma(0.0, 1.0, 3)), [0.0; 3]);
    assert_eq!(floats(rng.gamma(inf, 1.0, 2)), [inf; 2]);
    assert!(
        floats(rng.gamma(Array::from([nan, 1.0]), 1.0, (50, 2)))
            .iter()
            .step_by(2)
            .all(|x| x.is_nan())
    );
    assert!(floats(rng.vonmises(0.0, nan, 2)).iter().all(|x| x.is_nan()));
    assert!(floats(rng.vonmises(1.0, inf, 9)).iter().all(|x| *x == 1.0));
    assert!(floats(rng.vonmises(100.0, 3.0, 50)).iter().all(|x| x.abs() <= std::f64::consts::PI));
    // Variates of such shapes vanish; what is made of them does not.
    let shares = floats(rng.beta(1e-3, 1e-3, 400));
    assert!(shares.iter().all(|x| (0.0..=1.0).contains(x)) && shares.iter().any(|&x| x > 0.5));
    let mixture = rng.dirichlet(&crate::full(5, 1e-4, DType::F64), 100);
    assert!(floats(mixture.sum(1)).iter().all(|sum| (sum - 1.0).abs() < 1e-12));
    assert_eq!(floats(rng.dirichlet(&Array::from([0.0, 2.0]), 2)), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(floats(rng.weibull(0.0, 2)), [0.0; 2]);
    assert_eq!(counts(rng.poisson(0.0, 3)), [0; 3]);
    assert!(
        counts(rng.poisson(9e18, 20)).iter().all(|&count| (count as f64 / 9e18 - 1.0).abs() < 1e-8)
    );
    assert_eq!(
        counts(rng.binomial(Array::from([0, 7, 7]), Array::from([0.5, 0.0, 1.0]), 3)),
        [0, 0, 7]
    );
    assert!(
        counts(rng.binomial(1i64 << 53, 0.5, 20))
            .iter()
            .all(|&count| (count - (1 << 52)).abs() < 1 << 30)
    );
    assert_eq!(counts(rng.hypergeometric(0, 0, 0, 1)), [0]);
    assert_eq!(counts(rng.hypergeometric(5, 0, 3, 1)), [3]);
    assert_eq!(counts(rng.hypergeometric(1000, 2000, 3000, 1)), [1000]);
    assert!(
        counts(rng.hypergeometric(3, 1i64 << 40, 1i64 << 39, 50))
            .iter()
            .all(|count| (0..=3).contains(count))
    );
    assert_eq!(counts(rng.logseries(0.0, 2)), [1; 2]);
    assert_eq!(counts(rng.zipf(1e6, 2)), [1; 2]);
    assert!(counts(rng.zipf(1.0 + 1e-9, 50)).iter().all(|&count| count > 0));
    assert_eq!(counts(rng.negative_binomial(2.0, 1.0, 2)), [0; 2]);
    assert_eq!(
        counts(rng.multinomial(Array::from([9i64, 0]), &Array::from([[0.0, 0.0, 1.0]]), 2)),
        [0, 0, 9, 0, 0, 0]
    );
    let colors = Array::from([3i64, 0, 5, 9, 1]);
    assert!(
        rng.multivariate_hypergeometric(&colors, 18, 4)
            .equal(&colors)
            .all(..)
            .item::<bool>()
            .expect("computed")
    );
    assert_eq!(
        rng.multivariate_hypergeometric(&colors, 6, (2, 3))
            .sum(-1)
            .to_vec::<i64>()
            .expect("computed"),
        [6; 6]
    );
    assert_eq!(rng.multinomial(3, &Array::from([1.0]), ()).to_vec::<i64>().expect("computed"), [3]);
    // Nothing at all, of each kind.
    assert!(refusing(&rng, 0).iter().all(|empty| empty.shape() == [0]));
    assert_eq!(rng.multinomial(5, &Array::from([0.5, 0.5]), 0).shape(), [0, 2]);
}

#[test]
fn normal_vectors_have_the_covariance_or_an_error() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(10);
    let mean = Array::from([1.0, 2.0, 3.0]);
    // The third is the sum of the others.
    let singular = Array::from([[2.0, 0.5, 2.5], [0.5, 1.0, 1.5], [2.5, 1.5, 4.0]]);
    let x = rng.multivariate_normal(&mean, &singular, 200);
    let rest = x.i((.., 2)) - x.i((.., 0)) - x.i((.., 1));
    assert!(rest.abs().less(1e-6).all(..).item::<bool>().expect("computed"));
    assert_eq!(
        rng.multivariate_normal(&mean, &singular, crate::Shape::new(()).dtype(DType::F32)).dtype(),
        DType::F32
    );
    let class = |drawn: Result<Array>| drawn.map(|_| ()).expect_err("refused").class();
    let indefinite = Array::from([[1.0, 2.0], [2.0, 1.0]]);
    let lopsided = Array::from([[1.0, 0.5], [0.0, 1.0]]);
    let two = Array::from([0.0, 0.0]);
    for covariance in [&indefinite, &lopsided, &-&indefinite] {
        assert_eq!(class(rng.try_multivariate_normal(&two, covariance, 3)), "ValueError");
    }
    assert_eq!(class(rng.try_multivariate_normal(&mean, &indefinite, 3)), "ValueError");
    assert_eq!(class(rng.try_binomial(2.5, 0.5, 3)), "TypeError");
    assert_eq!(class(rng.try_poisson(crate::zeros(3, DType::C64), 3)), "TypeError");
    assert_eq!(class(rng.try_dirichlet(&Array::scalar(1.0), 3)), "ValueError");
    assert_eq!(class(rng.try_gamma(1.0, 1.0, crate::Shape::new(3).dtype(DType::I32))), "TypeError");
    let low = Array::from([1i64, -1]);
    assert_eq!(
        class(rng.try_integers(&low..&(&low + 5), crate::Shape::new(2).dtype(DType::U8))),
        "ValueError"
    );
    assert_eq!(class(rng.try_integers(&low..&low, 2)), "ValueError");
}

#[test]
fn children_and_the_shared_generator() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(1).stream(2);
    let mut children = rng.spawn(3);
    children.extend(rng.spawn(1));
    children.extend(children[0].clone().spawn(2));
    children.push(rng.clone());
    let drawn: Vec<Vec<u64>> = children
        .iter_mut()
        .map(|child| {
            child.integers(.., crate::Shape::new(4).dtype(DType::U64)).to_vec().expect("computed")
        })
        .collect();
    for (place, one) in drawn.iter().enumerate() {
        assert!(drawn[..place].iter().all(|other| other != one));
    }
    let again = Generator::new(1).stream(2).spawn(4);
    assert!(again[..3] == Generator::new(1).stream(2).spawn(3)[..]);
    // All that touches what all threads share is here.
    use crate::random;
    random::seed(5);
    let state = random::get_state();
    let child = random::shared().gamma(2.0, 1.0, 8);
    let [mut same] = Generator::new(5).spawn(1).try_into().expect("one");
    assert!(child.array_equal(same.gamma(2.0, 1.0, 8)).expect("computed"));
    // No two children are alike, and two of them in one expression wait for nothing.
    let both = random::shared().random(8).equal(random::shared().random(8));
    assert!(!both.any(..).item::<bool>().expect("computed"));
    random::set_state(state);
    assert!(random::shared().gamma(2.0, 1.0, 8).array_equal(&child).expect("computed"));
    let drawn = Generator::new(5).gamma(2.0, 1.0, 8);
    let mut cards = crate::arange(52);
    random::shared().shuffle(&mut cards, 0);
    assert_eq!(cards.sort(0).to_vec::<i64>().expect("computed"), (0..52).collect::<Vec<i64>>());
    #[cfg(feature = "call")]
    by_name(&drawn);
}

#[cfg(feature = "call")]
fn by_name(drawn: &Array) {
    use crate::call::{Value, call};
    let done = |name: &str, args: &[Value]| call(name, args, &[]).expect("done");
    done("np.random.seed", &[Value::from(5)]);
    let state = done("np.random.get_state", &[]);
    for _ in 0..2 {
        let args = [Value::from(2.0), Value::from(1.0), Value::from(8)];
        let again = done("np.random.gamma", &args).into_array().expect("an array");
        assert!(again.array_equal(drawn).expect("computed"));
        done("np.random.set_state", std::slice::from_ref(&state));
    }
    let other = call("np.random.set_state", &[Value::Tuple(vec![Value::from("MT19937")])], &[]);
    assert_eq!(other.expect_err("another generator's").class(), "ValueError");
    assert_eq!(
        call("np.random.seed", &[Value::from(-1)], &[]).expect_err("below 0").class(),
        "ValueError"
    );
}
