//! A tolerance that cannot fail is a bug: for each, what must pass and what must be caught.

use super::*;

const EXACT: Tolerance = Tolerance::Exact { signed_zero: true };
const ULP1: Tolerance = Tolerance::Ulp { ulp: 1, signed_zero: true };

fn f32s(values: &[f32]) -> HostArray {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    HostArray::new(Dtype::Float32, vec![values.len()], bytes).expect("fills")
}

fn f64s(values: &[f64]) -> HostArray {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    HostArray::new(Dtype::Float64, vec![values.len()], bytes).expect("fills")
}

fn raw16(dtype: Dtype, bits: u16) -> HostArray {
    HostArray::new(dtype, vec![], bits.to_le_bytes().to_vec()).expect("fills")
}

fn complex(values: &[(f64, f64)]) -> HostArray {
    let bytes =
        values.iter().flat_map(|v| [v.0.to_le_bytes(), v.1.to_le_bytes()]).flatten().collect();
    HostArray::new(Dtype::Complex128, vec![values.len()], bytes).expect("fills")
}

fn passes(got: HostArray, expected: HostArray, tolerance: &Tolerance) -> bool {
    judge("np.x", None, &Outcome::Array(got), &ExpectedValue::Array(expected), tolerance).is_ok()
}

fn close_to(rtol: f64, atol: f64) -> Tolerance {
    Tolerance::Allclose { rtol, atol }
}

fn all_kinds() -> [Tolerance; 3] {
    [EXACT, ULP1, close_to(0.1, 1.0)]
}

#[test]
fn one_ulp_is_caught_by_exact_and_two_by_ulp_one() {
    let step = |value: f32, steps: i32| f32::from_bits((value.to_bits() as i32 + steps) as u32);
    for value in [1.0f32, -1.0, f32::MIN_POSITIVE, 1e-45, 3.4e38] {
        let expected = f32s(&[value]);
        assert!(passes(expected.clone(), expected.clone(), &EXACT));
        assert!(!passes(f32s(&[step(value, 1)]), expected.clone(), &EXACT), "{value}");
        assert!(passes(f32s(&[step(value, 1)]), expected.clone(), &ULP1), "{value}");
        assert!(!passes(f32s(&[step(value, 2)]), expected.clone(), &ULP1), "{value}");
    }
    for dtype in [Dtype::Float16, Dtype::Bfloat16] {
        assert!(!passes(raw16(dtype, 0x3c01), raw16(dtype, 0x3c00), &EXACT));
        assert!(passes(raw16(dtype, 0x3c01), raw16(dtype, 0x3c00), &ULP1));
        assert!(!passes(raw16(dtype, 0x3c02), raw16(dtype, 0x3c00), &ULP1));
    }
}

#[test]
fn ulp_counts_through_zero_and_to_infinity() {
    let tiny = f32::from_bits(1);
    assert!(passes(f32s(&[tiny]), f32s(&[-0.0]), &ULP1));
    assert!(!passes(f32s(&[tiny]), f32s(&[-tiny]), &ULP1));
    assert!(passes(f32s(&[f32::INFINITY]), f32s(&[f32::MAX]), &ULP1));
    assert!(!passes(f32s(&[f32::INFINITY]), f32s(&[f32::NEG_INFINITY]), &ULP1));
    assert!(!passes(f32s(&[f32::INFINITY]), f32s(&[1.0]), &ULP1));
}

#[test]
fn dtype_shape_and_count_are_caught_by_every_tolerance() {
    let one = || f32s(&[1.0, 2.0]);
    let column = HostArray::new(Dtype::Float32, vec![2, 1], one().bytes().to_vec()).expect("fills");
    let bits = HostArray::new(Dtype::Int32, vec![2], one().bytes().to_vec()).expect("fills");
    for tolerance in all_kinds() {
        assert!(passes(one(), one(), &tolerance));
        assert!(!passes(f64s(&[1.0, 2.0]), one(), &tolerance));
        assert!(!passes(bits.clone(), one(), &tolerance));
        assert!(!passes(column.clone(), one(), &tolerance));
        let list = |count| Outcome::List(vec![one(); count]);
        let wanted = ExpectedValue::List(vec![one(), one()]);
        assert!(judge("x", None, &list(2), &wanted, &tolerance).is_ok());
        assert!(judge("x", None, &list(1), &wanted, &tolerance).is_err());
        assert!(judge("x", None, &list(3), &wanted, &tolerance).is_err());
        let single = ExpectedValue::Array(one());
        assert!(judge("x", None, &list(1), &single, &tolerance).is_err());
    }
    let empty = |shape: Vec<usize>| HostArray::new(Dtype::Int8, shape, Vec::new()).expect("fills");
    assert!(!passes(empty(vec![0, 3]), empty(vec![3, 0]), &EXACT));
}

#[test]
fn the_sign_of_zero_is_caught_where_it_matters() {
    let loose = Tolerance::Exact { signed_zero: false };
    let loose_ulp = Tolerance::Ulp { ulp: 1, signed_zero: false };
    for (strict, loose) in [(&EXACT, &loose), (&ULP1, &loose_ulp)] {
        assert!(!passes(f32s(&[-0.0]), f32s(&[0.0]), strict));
        assert!(!passes(f32s(&[0.0]), f32s(&[-0.0]), strict));
        assert!(passes(f32s(&[-0.0]), f32s(&[0.0]), loose));
    }
    assert!(!passes(f32s(&[-1.0]), f32s(&[1.0]), &loose));
    assert!(!passes(complex(&[(1.0, -0.0)]), complex(&[(1.0, 0.0)]), &EXACT));
}

#[test]
fn nan_must_be_where_it_should_and_nowhere_else() {
    let other_nan = f32::from_bits(0xffc0_1234);
    for tolerance in all_kinds() {
        assert!(passes(f32s(&[other_nan, 1.0]), f32s(&[f32::NAN, 1.0]), &tolerance));
        assert!(!passes(f32s(&[1.0, f32::NAN]), f32s(&[f32::NAN, 1.0]), &tolerance));
        assert!(!passes(f32s(&[f32::NAN, 1.0]), f32s(&[1.0, 1.0]), &tolerance));
        assert!(!passes(f32s(&[1.0, 1.0]), f32s(&[f32::NAN, 1.0]), &tolerance));
        assert!(!passes(f32s(&[f32::INFINITY]), f32s(&[f32::NAN]), &tolerance));
    }
    assert!(passes(raw16(Dtype::Bfloat16, 0x7fc0), raw16(Dtype::Bfloat16, 0xff81), &EXACT));
    assert!(!passes(raw16(Dtype::Bfloat16, 0x7f80), raw16(Dtype::Bfloat16, 0x7f81), &EXACT));
    assert!(!passes(raw16(Dtype::Float16, 0x7c00), raw16(Dtype::Float16, 0x7c01), &EXACT));
}

#[test]
fn allclose_has_edges_and_no_infinite_bound() {
    assert!(passes(f64s(&[1.0 + 9e-7]), f64s(&[1.0]), &close_to(1e-6, 0.0)));
    assert!(!passes(f64s(&[1.0 + 2e-6]), f64s(&[1.0]), &close_to(1e-6, 0.0)));
    assert!(passes(f64s(&[1e-9]), f64s(&[0.0]), &close_to(0.0, 1e-9)));
    assert!(!passes(f64s(&[2e-9]), f64s(&[0.0]), &close_to(0.0, 1e-9)));
    let loose = close_to(0.5, 1e30);
    assert!(passes(f64s(&[f64::INFINITY]), f64s(&[f64::INFINITY]), &loose));
    assert!(!passes(f64s(&[1.0]), f64s(&[f64::INFINITY]), &loose));
    assert!(!passes(f64s(&[f64::INFINITY]), f64s(&[1.0]), &loose));
    assert!(!passes(f64s(&[f64::NEG_INFINITY]), f64s(&[f64::INFINITY]), &loose));
    assert!(passes(complex(&[(1.0, 1e-7)]), complex(&[(1.0, 0.0)]), &close_to(1e-6, 0.0)));
    assert!(!passes(complex(&[(1.0, 1e-5)]), complex(&[(1.0, 0.0)]), &close_to(1e-6, 0.0)));
    assert!(!passes(
        complex(&[(f64::NAN, 2.0)]),
        complex(&[(f64::NAN, 1.0)]),
        &close_to(1e-6, 0.0)
    ));
    let i64s = |value: i64| {
        HostArray::new(Dtype::Int64, vec![], value.to_le_bytes().to_vec()).expect("fills")
    };
    assert!(!passes(i64s(i64::MAX - 1), i64s(i64::MAX), &close_to(0.0, 0.5)));
    assert!(passes(i64s(i64::MAX - 1), i64s(i64::MAX), &close_to(0.0, 1.0)));
    let truth = |byte| HostArray::new(Dtype::Bool, vec![], vec![byte]).expect("fills");
    assert!(!passes(truth(1), truth(0), &close_to(0.5, 1e30)));
}

#[test]
fn integers_and_bools_have_no_ulp() {
    let int = |value: i8| HostArray::new(Dtype::Int8, vec![], vec![value as u8]).expect("fills");
    assert!(!passes(int(1), int(2), &ULP1));
    let truth = |byte| HostArray::new(Dtype::Bool, vec![], vec![byte]).expect("fills");
    assert!(!passes(truth(2), truth(1), &EXACT), "a bool is 0 or 1");
}

#[test]
fn the_class_of_an_error_counts() {
    let error = |class: &str| Outcome::Error { class: class.to_owned(), message: "m".to_owned() };
    let wants =
        |classes: &[&str]| ExpectedValue::Error(classes.iter().map(|&c| c.to_owned()).collect());
    let ok = |outcome: &Outcome, wanted: &ExpectedValue| {
        judge("x", None, outcome, wanted, &EXACT).is_ok()
    };
    assert!(ok(&error("ValueError"), &wants(&["ValueError"])));
    assert!(ok(&error("MemoryError"), &wants(&["ValueError", "MemoryError"])));
    assert!(!ok(&error("TypeError"), &wants(&["ValueError"])));
    assert!(ok(&error("AxisError"), &wants(&["ValueError"])));
    assert!(!ok(&error("ValueError"), &wants(&["AxisError"])));
    assert!(!ok(&error("IndexError"), &ExpectedValue::Array(f32s(&[1.0]))));
    assert!(!ok(&Outcome::Array(f32s(&[1.0])), &wants(&["ValueError"])));
    assert!(!ok(&Outcome::Unsupported("no".to_owned()), &wants(&["NotImplementedError"])));
}

#[test]
fn messages_name_the_place_and_the_distance() {
    let got =
        HostArray::new(Dtype::Float32, vec![2, 2], f32s(&[1.0, 2.0, 3.0, 4.0]).bytes().to_vec());
    let expected = HostArray::new(
        Dtype::Float32,
        vec![2, 2],
        f32s(&[1.0, 2.0, 3.0000002, 4.5]).bytes().to_vec(),
    );
    let (got, expected) = (got.expect("fills"), expected.expect("fills"));
    let outcome = Outcome::Array(got);
    let mismatch =
        judge("x", None, &outcome, &ExpectedValue::Array(expected), &EXACT).expect_err("differs");
    assert_eq!(
        mismatch.to_string(),
        "element [1, 0]: expected 3.0000002, got 3.0, bits 40400001 and 40400000, 1 ulp \
         (2 of 4 elements differ)"
    );
}
