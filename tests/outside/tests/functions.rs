//! Functions of this crate behave as the engine's own: by name, lazily, with the same bits on each device.

use ndany::Error;
use ndany::call::{Value, call, names};
use ndany::prelude::*;
use ndany_array::extend::{Function, add};
use outside::{ESCAPE_STEPS, SOFT_SIGN, TABLE, TAKEN, TO_POLAR};

fn numbers(seed: u64) -> Vec<f64> {
    let mut numbers: Vec<f64> =
        (0..1000).map(|k| ((k * 7919 + seed) % 1999) as f64 * 0.002 - 2.0).collect();
    numbers.extend([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, -1e-310]);
    numbers
}

fn bits(function: &'static Function, operands: &[Vec<f64>], device: &str) -> Vec<u64> {
    let _guard = Device::open(device).expect("a device").enter();
    let operands = operands.iter().map(|values| Array::from(values.as_slice()).into());
    let results = function.try_call(operands).expect("real operands");
    let values = results.iter().flat_map(|result| result.to_vec::<f64>().expect("values"));
    values.map(|value| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }).collect()
}

#[test]
fn every_device_and_plain_code_have_the_same_bits() {
    for function in [&ESCAPE_STEPS, &TO_POLAR, &SOFT_SIGN] {
        let operands: Vec<Vec<f64>> =
            (0..function.formula.arity).map(|k| numbers(k as u64 * 31)).collect();
        let expected = bits(function, &operands, "reference");
        for device in ["cpu", "cpu:level=v1"] {
            assert_eq!(
                bits(function, &operands, device),
                expected,
                "{} on {device}",
                function.name
            );
        }
        let count = operands[0].len();
        let mut results = vec![0.0; function.formula.results];
        for position in 0..count {
            let given: Vec<f64> = operands.iter().map(|values| values[position]).collect();
            (function.host)(&given, &mut results);
            for (number, result) in results.iter().enumerate() {
                let found = if result.is_nan() { f64::NAN.to_bits() } else { result.to_bits() };
                assert_eq!(found, expected[number * count + position], "{}", function.name);
            }
        }
    }
}

#[test]
fn values_are_those_of_the_definitions() -> ndany::Result<()> {
    let _guard = Device::open("cpu")?.enter();
    let [distance, angle] = outside::polar(array([3.0, -1.0]), array([4.0, 0.0]));
    assert_eq!(distance.to_string(), "[5. 1.]");
    assert_eq!(angle.to_string(), "[0.92729522 3.14159265]");
    // c = 0 stays; c = 1 makes 1, 2, 5: the third is outside.
    let steps = ESCAPE_STEPS.try_call([(&array([0.0, 1.0])).into(), 0.0.into()])?;
    assert_eq!(steps[0].to_string(), "[50.  3.]");
    Ok(())
}

#[test]
fn calls_by_name_find_what_is_added() -> ndany::Result<()> {
    let _guard = Device::open("cpu")?.enter();
    let x = || Value::from(array([1.0, -3.0]));
    add(&TABLE)?;
    add(&TABLE)?;
    assert_eq!(names().filter(|name| *name == "outside.softsign").count(), 1);
    let Value::Array(found) = call("outside.softsign", &[x()], &[])? else { panic!("an array") };
    assert_eq!(found.to_string(), "[ 0.5  -0.75]");
    let Value::Tuple(pair) = call("outside.to_polar", &[x()], &[])? else { panic!("a tuple") };
    assert_eq!(pair.len(), 2);
    let refused = call("outside.escape_steps", &[x()], &[]).expect_err("an operand is missing");
    assert!(refused.to_string().contains("outside.escape_steps"), "{refused}");
    Ok(())
}

#[test]
fn a_name_that_is_taken_is_refused() {
    let refused = add(&TAKEN).expect_err("NumPy's name");
    assert!(matches!(refused, Error::Arguments { .. }), "{refused}");
    assert!(refused.to_string().contains("np.add"), "{refused}");
}
