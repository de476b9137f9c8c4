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
    let recipe = Recipe { variate: Variate::Bits, dtype: DType::U32, scaled: false };
    let drawn = draw::draw("test", recipe, counter, &[], Shape::from_slice(&[count]));
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
    let words = rng.dtype(DType::U32).integers(.., (5, 5));
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
        .dtype(DType::U64)
        .integers(.., 5);
    let pairs: Vec<u64> = expected
        .chunks_exact(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .take(5)
        .collect();
    assert_eq!(wide.to_vec::<u64>().expect("computed"), pairs);
    // Uniform numbers are the upper bits of the same words.
    let mut rng = Generator::new(0x0123_4567_89AB_CDEF).stream(7).at(position);
    let uniform = rng.dtype(DType::F32).random(25).to_vec::<f32>().expect("computed");
    let scaled: Vec<f32> = words.iter().map(|word| (word >> 8) as f32 / 16_777_216.0).collect();
    assert_eq!(uniform, scaled);
    let mut rng = Generator::new(0x0123_4567_89AB_CDEF).stream(7).at(position);
    let half = rng.dtype(DType::F16).random(25).to_vec::<f16>().expect("computed");
    let scaled: Vec<f16> =
        words.iter().map(|word| f16::from_f32((word >> 21) as f32 / 2048.0)).collect();
    assert_eq!(half, scaled);
}

#[test]
fn refused_numbers_are_drawn_again_by_attempt() {
    let _guard = Device::open("reference").expect("always there").enter();
    // Nearly half of all words are refused for this bound.
    let bound = (1u64 << 63) + 1;
    let drawn = Generator::new(5).dtype(DType::U64).integers(0..bound, 64);
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
            rng.dtype(dtype).normal(1.0, 2.0, 3),
            rng.dtype(dtype).uniform(1, 2, 3),
            rng.dtype(dtype).lognormal(0.0, 1.0, 3),
            rng.dtype(dtype).triangular(0.0, 1.0, 2.0, 3),
            rng.dtype(dtype).weibull(2.0, 3),
            rng.dtype(dtype).normal(crate::zeros(3, DType::F64), 1.0, 3),
        ] {
            assert_eq!(drawn.dtype(), dtype);
            assert!(drawn.isfinite().all(..).item::<bool>().expect("computed"));
        }
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_int()) {
        let (low, high) = dtype.int_range();
        assert_eq!(rng.dtype(dtype).integers(.., 3).dtype(), dtype);
        let last = rng.dtype(dtype).integers(high as u64.., 3);
        assert!(last.equal(high as u64).all(..).item::<bool>().expect("computed"));
        let first = rng.dtype(dtype).integers(..=low as i64, 3);
        assert!(first.equal(low as i64).all(..).item::<bool>().expect("computed"));
    }
    let flags = rng.dtype(DType::Bool).integers(0..2, 64).astype(DType::I64).sum(..);
    assert!((1..64).contains(&flags.item::<i64>().expect("computed")));
}

#[test]
fn what_is_refused() {
    let _guard = Device::open("reference").expect("always there").enter();
    let mut rng = Generator::new(3);
    let class = |drawn: Result<Array>| drawn.map(|_| ()).expect_err("refused").class();
    assert_eq!(class(rng.try_integers(3..3, 2)), "ValueError");
    assert_eq!(class(rng.dtype(DType::U8).try_integers(0..257, 2)), "ValueError");
    assert_eq!(class(rng.dtype(DType::U8).try_integers(-1..2, 2)), "ValueError");
    assert_eq!(class(rng.dtype(DType::F32).try_integers(0..2, 2)), "TypeError");
    assert_eq!(class(rng.dtype(DType::I32).try_normal(0.0, 1.0, 2)), "TypeError");
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
    let table = crate::arange(0, 12, 1).reshape((3, 4));
    let rows = rng.shuffled(&table, 0);
    assert_eq!(vector(rows.sort(0)), vector(table.clone()));
    assert!(rows.i((.., 0)).remainder(4).equal(0).all(..).item::<bool>().expect("computed"));
    let mut columns = table.clone();
    rng.shuffle(&mut columns, 1).expect("an axis");
    assert_eq!(vector(columns.sort(1)), vector(table.clone()));
    assert_eq!(vector(rng.permuted(&table, 1).sort(1)), vector(table.clone()));
    assert_eq!(vector(rng.permuted(&table, ..).sort(..)), vector(table.ravel()));
    // Each of the six orders of three.
    let mut seen = std::collections::HashMap::new();
    for order in
        vector(rng.permuted(&(crate::zeros((6000, 3), DType::I64) + crate::arange(0, 3, 1)), 1))
            .chunks_exact(3)
    {
        *seen.entry(order.to_vec()).or_insert(0) += 1;
    }
    assert!(seen.len() == 6 && seen.values().all(|count| (900..1100).contains(count)), "{seen:?}");
    let weights = Array::from([1.0f32, 0.0, 2.0, 5.0]);
    let drawn = vector(rng.choice(Choice::from(4).weights(&weights), 8000));
    let count = |value| drawn.iter().filter(|&&drawn| drawn == value).count();
    assert!(count(1) == 0 && (880..1120).contains(&count(0)) && (1860..2140).contains(&count(2)));
    for _ in 0..20 {
        let mut three = vector(rng.choice(Choice::from(4).weights(&weights).distinct(), 3));
        three.sort_unstable();
        assert_eq!(three, [0, 2, 3]);
    }
    let pair = rng.choice(Choice::from(&table).axis(1).distinct(), 2);
    assert_eq!(pair.shape(), [3, 2]);
    assert_eq!(rng.choice(5, (2, 3)).shape(), [2, 3]);
    assert_eq!(rng.choice(0, (0, 3)).shape(), [0, 3]);
    let class = |drawn: Result<Array>| drawn.map(|_| ()).expect_err("refused").class();
    assert_eq!(class(rng.try_choice(0, 1)), "ValueError");
    assert_eq!(class(rng.try_choice(Choice::from(3).distinct(), 4)), "ValueError");
    assert_eq!(
        class(rng.try_choice(Choice::from(4).weights(&weights).distinct(), 4)),
        "ValueError"
    );
    assert_eq!(class(rng.try_choice(Choice::from(3).weights(&weights), 4)), "ValueError");
    assert_eq!(class(rng.try_choice(Choice::from(4).weights(&-&weights), 4)), "ValueError");
    assert_eq!(class(rng.try_choice(Choice::from(&Array::scalar(1)), 4)), "AxisError");
}
