//! Special functions and distributions: every device has the bits of the reference, and the host's plain code has them too.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::prelude::*;
use ndany_array::Operand;
use ndany_array::extend::Function;

/// Operands of a function: numbers of every kind, some of them in the places where functions change their method.
fn operands(function: &Function, count: usize) -> Vec<Vec<f64>> {
    const SPECIAL: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-310,
        1e300,
        -1e300,
        1e-8,
        30.0,
        170.5,
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut number = move || {
        let (kind, value) = (next(), next());
        match (kind * 10.0) as u32 {
            0 => SPECIAL[(value * 16.0) as usize],
            1 => (value * 20.0).floor(),
            2 => value * 200.0 - 100.0,
            3 => (value * 40.0 - 20.0).exp(),
            4 => -value,
            5 => value * 8.0 - 4.0,
            6 => value * 30.0,
            _ => value,
        }
    };
    (0..function.formula.arity).map(|_| (0..count).map(|_| number()).collect()).collect()
}

/// The bits of all results on a device, one after the other; a NaN is a NaN.
fn bits(function: &'static Function, operands: &[Vec<f64>], dtype: DType) -> Vec<u64> {
    let mut parts = operands.iter().map(|values| Array::from(values.as_slice()).astype(dtype));
    let mut part = || parts.next().expect("a part");
    let operands: Vec<Array> = (0..function.arity())
        .map(|number| match function.parts {
            Some(complex) if complex[number] => complex_of(&part(), &part()),
            _ => part(),
        })
        .collect();
    let results = function.try_call(operands.iter().map(Into::into)).expect("operands");
    let mut bits = Vec::new();
    let mut add = |result: Array| {
        let values = result.astype(DType::F64).to_vec::<f64>().expect("values");
        bits.extend(values.iter().map(|&value| canonical(value)));
    };
    for result in results {
        if result.dtype().is_complex() {
            add(result.real());
            add(result.imag());
        } else {
            add(result);
        }
    }
    bits
}

/// A complex array of these parts.
fn complex_of(re: &Array, im: &Array) -> Array {
    let dtype = if re.dtype() == DType::F32 { DType::C64 } else { DType::C128 };
    let values = |part: &Array| part.astype(DType::F64).to_vec::<f64>().expect("values");
    let pairs: Vec<Complex64> =
        values(re).into_iter().zip(values(im)).map(|(re, im)| Complex64::new(re, im)).collect();
    Array::from(pairs.as_slice()).astype(dtype)
}

fn canonical(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn compare(
    function: &'static Function,
    operands: &[Vec<f64>],
    dtype: DType,
    what: &str,
    expected: &[u64],
    found: &[u64],
) {
    let count = operands[0].len();
    for (position, (expected, found)) in expected.iter().zip(found).enumerate() {
        let given: Vec<f64> = operands.iter().map(|values| values[position % count]).collect();
        assert!(
            expected == found,
            "{} of {given:?}, {dtype}, {what}: expected {}, got {}",
            function.name,
            f64::from_bits(*expected),
            f64::from_bits(*found)
        );
    }
}

fn all() -> impl Iterator<Item = &'static Function> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    let every = support::every();
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    let every = 1;
    let special = ndany_special::TABLES.iter().chain(ndany_special::FORMS);
    special.chain(ndany_stats::FUNCTIONS).copied().flatten().copied().step_by(every)
}

#[test]
fn the_cpu_and_plain_code_have_the_bits_of_the_reference() {
    // Blocks that are not full, and elements that are done at other times than their neighbours.
    const COUNT: usize = 700;
    for function in all() {
        let operands = operands(function, COUNT);
        for dtype in [DType::F64, DType::F32] {
            let on = |device: &str| {
                let _guard = Device::open(device).expect("a device").enter();
                bits(function, &operands, dtype)
            };
            let expected = on("reference");
            for device in ["cpu", "cpu:level=v1"] {
                compare(function, &operands, dtype, device, &expected, &on(device));
            }
            if dtype == DType::F64 {
                let mut found = vec![0; expected.len()];
                let mut results = vec![0.0; function.formula.results];
                for position in 0..COUNT {
                    let given: Vec<f64> = operands.iter().map(|values| values[position]).collect();
                    (function.host)(&given, &mut results);
                    for (number, &result) in results.iter().enumerate() {
                        found[number * COUNT + position] = canonical(result);
                    }
                }
                compare(function, &operands, dtype, "plain code", &expected, &found);
            }
        }
    }
}

#[test]
fn an_element_depends_on_no_neighbour() {
    let _guard = Device::open("cpu").expect("always there").enter();
    for function in all() {
        let operands = operands(function, 400);
        let together = bits(function, &operands, DType::F64);
        for position in (0..400).step_by(57) {
            let alone: Vec<Vec<f64>> =
                operands.iter().map(|values| vec![values[position]]).collect();
            let alone = bits(function, &alone, DType::F64);
            for (number, alone) in alone.iter().enumerate() {
                assert_eq!(
                    together[number * 400 + position],
                    *alone,
                    "{}: {position}",
                    function.name
                );
            }
        }
    }
}

#[test]
fn operations_around_a_function_are_in_its_launch() -> ndany::Result<()> {
    let _guard = Device::open("cpu")?.enter();
    let x = linspace(0.5, 2.0, 1000);
    x.eval()?;
    let before = Statistics::now();
    (special::agm(&x + 1, 2.0) * 3 + 0.5).eval()?;
    assert_eq!(Statistics::now().since(&before).maps, 1);
    Ok(())
}

/// Where functions begin and end: values of SciPy 1.17.1, of mpmath where those are wrong.
#[test]
fn edges_are_those_of_scipy() {
    let close = |name: &str, own: &Array, expected: &[f64]| {
        let own: Vec<f64> = own.to_vec().expect("values");
        for (own, expected) in own.iter().zip(expected) {
            let same = own == expected || (own.is_nan() && expected.is_nan());
            let near = (own - expected).abs() <= 1e-13 * expected.abs();
            assert!(same || near, "{name}: {own}, not {expected}");
        }
        assert_eq!(own.len(), expected.len(), "{name}");
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let x = array([-50.0, -2.0, 0.0, 1.0]);
    close("exp1", &special::exp1(&x), &[nan, nan, inf, 0.219_383_934_395_520_3]);
    let ci = [-0.005_628_386_324_116_305, 0.422_980_828_774_864_9, -inf, 0.337_403_922_900_968_1];
    close("sici", &special::sici(&x)[1], &ci);
    close("chdtrc", &special::chdtrc(2.0, &x), &[nan, nan, 1.0, 0.606_530_659_712_633_4]);
    let negative = array([-3.0, -1.0]);
    close("gdtr", &special::gdtr(-2.0, 0.5, &negative), &[nan, nan]);
    close("gdtrc", &special::gdtrc(-2.0, 0.5, &negative), &[nan, nan]);
    let (n, b) =
        (array([2.0, -5.0, 1.0, -1.0, -3.0, 0.5]), array([-10.0, -4.0, -3.0, 1.0, 0.5, -7.5]));
    let beta = [1.0 / 90.0, inf, -1.0 / 3.0, -1.0, inf, 0.0];
    close("beta", &special::beta(&n, &b), &beta);
    close("betaln", &special::betaln(&n, &b), &beta.map(|value: f64| value.abs().ln()));
    let (z, m) = (array([-9.0, 1.0, -5.0, -1.0, 0.0]), array([-2.0, -2.0, -5.0, -5.0, -1.0]));
    let poch = [1.0 / 110.0, inf, -120.0 / 3_628_800.0, -1.0 / 720.0, -1.0];
    close("poch", &special::poch(&z, &m), &poch);
    // Orders count with their whole parts.
    let n = array([2.9, -2.5, 0.5]);
    let k = [1.624_838_898_635_177_4, 1.624_838_898_635_177_4, 0.421_024_438_240_708_34];
    close("kn", &special::kn(&n, 1.0), &k);
    let y = [-1.650_682_606_816_254_6, -1.650_682_606_816_254_6, 0.088_256_964_215_676_96];
    close("yn", &special::yn(&n, 1.0), &y);
    close("expn", &special::expn(&n, 1.0), &[0.148_495_506_775_922_05, nan, (-1.0_f64).exp()]);
    let bdtr = special::bdtr(array([0.0, 0.0, 2.0]), array([-0.5, 2.7, 1.0]), 0.5);
    close("bdtr", &bdtr, &[1.0, 0.25, nan]);
    let nbdtr = special::nbdtr(array([0.0, -0.5, 1.0]), array([0.0, 1.0, 1.9]), 0.5);
    close("nbdtr", &nbdtr, &[nan, 0.5, 0.75]);
    // Polynomials of other degrees: T(1/2) = cos(arccos(x)/2), U(−3) = −U(1), P(−3) = P(2).
    let x = array([0.5, 1.0, -1.0, -2.0]);
    let root = 0.75_f64.sqrt();
    close("eval_chebyt", &special::eval_chebyt(0.5, &x), &[root, 1.0, 0.0, nan]);
    close("eval_chebyu", &special::eval_chebyu(-3.0, &x), &[-1.0, -2.0, 2.0, 4.0]);
    close("eval_legendre", &special::eval_legendre(-3.0, &x), &[-0.125, 1.0, 1.0, 5.5]);
    let legendre = special::eval_legendre(0.5, &x);
    close("eval_legendre", &legendre, &[0.795_248_908_186_023_9, 1.0, -inf, nan]);
    // Of orders at which a divisor of the recurrence is 0.
    let jacobi = special::eval_jacobi(5.0, -2.4, array([-0.6, -1.6]), 0.2);
    close("eval_jacobi", &jacobi, &[-0.086_912, -0.016_512]);
    // Sums that end before a pole.
    let (p, c) = (array([-2.0, -5.0, 1.0, -0.5]), array([-2.0, -3.0, -2.0, 1.0]));
    let q = array([0.5, -2.0, 1.0, 2.0]);
    close("hyp2f1", &special::hyp2f1(&p, &q, &c, 1.0), &[1.875, 1.0, inf, -inf]);
    let hyp1f1 = special::hyp1f1(array([-2.0, 0.0, 1.0]), array([-2.0, -3.0, -1.0]), 1.0);
    close("hyp1f1", &hyp1f1, &[2.5, 1.0, inf]);
    let (one, zeros) = (array([1.0, 0.0, -1.0]), array([0.0, 0.0, 0.0]));
    close("elliprf", &special::elliprf(&one, &zeros, 0.0), &[inf, inf, nan]);
    close("elliprg", &special::elliprg(&one, &zeros, 0.0), &[0.5, 0.0, nan]);
    close("elliprc", &special::elliprc(&one, &zeros), &[nan, nan, nan]);
    let widths = special::voigt_profile(array([1.0, 1.0]), array([0.0, -1.0]), array([-1.0, 0.0]));
    close("voigt_profile", &widths, &[-0.159_154_943_091_895_35, -0.241_970_724_519_143_37]);
}

#[test]
fn wrong_operands_are_errors() {
    let _guard = Device::open("reference").expect("always there").enter();
    let complex = array([Complex64::new(1.0, 1.0)]);
    let error = ndany::attempt(|| special::agm(&complex, 1.0)).expect_err("complex");
    assert!(error.to_string().starts_with("[agm]"), "{error}");
    let error = ndany::attempt(|| special::jv(&complex, 1.0)).expect_err("a complex order");
    assert!(error.to_string().starts_with("[jv_complex]"), "{error}");
    let error = ndany::attempt(|| special::agm(array([1.0, 2.0]), array([1.0, 2.0, 3.0])));
    assert_eq!(error.expect_err("shapes").class(), "ValueError");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn software_gpus_have_the_bits_of_the_reference() {
    use support::{Folder, LIBRARIES, process_of_all_vendors};

    let folder = Folder::of_software_gpu("special", &LIBRARIES);
    process_of_all_vendors(&folder, "alone", &[]);
}

/// Every function on one of the devices; `NDANY_TEST_EVERY` says that every so many functions are enough, and
/// `NDANY_PROPERTY_DEVICES` names other devices.
#[test]
#[ignore = "run by the other"]
fn alone() {
    let every =
        std::env::var("NDANY_TEST_EVERY").map_or(8, |every| every.parse().expect("a number"));
    let named = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let built = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    let all_devices: Vec<&str> = match &named {
        Some(named) => named.split(' ').collect(),
        None => built.into_iter().filter(|(_, built)| *built).map(|(name, _)| name).collect(),
    };
    for (number, function) in all().enumerate().filter(|(number, _)| number % every == 0) {
        let operands = operands(function, 300);
        let on = |device: &str| {
            let _guard = Device::open(device).expect("a device").enter();
            bits(function, &operands, DType::F64)
        };
        let expected = on("reference");
        // Both vendors have one text: without names the devices take turns.
        let devices = match named {
            Some(_) => all_devices.clone(),
            None => vec![all_devices[(number / every) % all_devices.len()]],
        };
        for device in devices {
            compare(function, &operands, DType::F64, device, &expected, &on(device));
        }
    }
}

#[test]
fn whole_numbers_of_the_host_give_the_bits_of_those_of_arrays() {
    type Polynomial = fn(Operand, Operand) -> Array;
    let polynomials: [(&str, Polynomial); 13] = [
        ("legendre", |n, x| special::eval_legendre(n, x)),
        ("chebyt", |n, x| special::eval_chebyt(n, x)),
        ("chebyu", |n, x| special::eval_chebyu(n, x)),
        ("laguerre", |n, x| special::eval_laguerre(n, x)),
        ("genlaguerre", |n, x| special::eval_genlaguerre(n, 0.5, x)),
        ("gegenbauer", |n, x| special::eval_gegenbauer(n, -0.5, x)),
        ("jacobi", |n, x| special::eval_jacobi(n, -1.0, -2.0, x)),
        ("sh_legendre", |n, x| special::eval_sh_legendre(n, x)),
        ("sh_chebyt", |n, x| special::eval_sh_chebyt(n, x)),
        ("sh_chebyu", |n, x| special::eval_sh_chebyu(n, x)),
        ("sh_jacobi", |n, x| special::eval_sh_jacobi(n, 2.0, 1.5, x)),
        ("chebyc", |n, x| special::eval_chebyc(n, x)),
        ("chebys", |n, x| special::eval_chebys(n, x)),
    ];
    for x in [linspace(-2.5, 2.5, 41), linspace(-2.5, 2.5, 41).astype(F32)] {
        for n in [-3.0, -1.0, 0.0, 1.0, 2.0, 7.0, 40.0, 1000.0, 1001.0, 2.5] {
            for (name, polynomial) in polynomials {
                let bytes = |y: Array| -> Vec<u8> { y.view(U8).to_vec().unwrap() };
                let of_array = polynomial(Operand::from(&full(1, n, x.dtype())), Operand::from(&x));
                let of_host = polynomial(Operand::from(n), Operand::from(&x));
                assert_eq!(bytes(of_host), bytes(of_array), "{name} of degree {n}");
            }
        }
    }
}
