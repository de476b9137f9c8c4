//! Against the text that NumPy makes (`tests/data/display/make.py`), and what NumPy does not have.

use crate::*;
use half::bf16;

const CASES: &str = include_str!("../../../../tests/data/display/cases.txt");

fn on_reference<T>(test: impl FnOnce() -> T) -> T {
    let _guard = Device::open("reference").expect("always there").enter();
    test()
}

fn array(dtype: DType, shape: &[usize], source: &str) -> Array {
    match source {
        "arange" => {
            let size: usize = shape.iter().product();
            let extents: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
            arange(size).astype(dtype).reshape(extents.as_slice())
        }
        "empty" => zeros(shape, dtype),
        hex => {
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|byte| u8::from_str_radix(&hex[2 * byte..2 * byte + 2], 16).expect("hex"))
                .collect();
            Array::from_bytes(dtype, shape, &bytes, &Device::current()).expect("an array")
        }
    }
}

#[test]
fn prints_as_numpy() {
    on_reference(|| {
        let mut lines = CASES.lines().peekable();
        let mut cases = 0;
        let mut wrong = Vec::new();
        while let Some(head) = lines.next() {
            let mut expected = Vec::new();
            while let Some(line) = lines.peek().and_then(|line| line.strip_prefix('|')) {
                expected.push(line);
                lines.next();
            }
            let [dtype, shape, precision, source] =
                head.split(' ').collect::<Vec<_>>().try_into().expect("four fields");
            let dtype = DType::from_name(dtype).expect("a dtype");
            let shape: Vec<usize> = match shape {
                "-" => Vec::new(),
                shape => shape.split(',').map(|extent| extent.parse().expect("extent")).collect(),
            };
            let array = array(dtype, &shape, source);
            let got = match precision.parse::<usize>() {
                Ok(precision) => format!("{array:.precision$}"),
                Err(_) => array.to_string(),
            };
            let expected = expected.join("\n");
            if got != expected {
                wrong.push(format!(
                    "{}\nexpected\n{expected}\ngot\n{got}\n",
                    &head[..head.len().min(90)]
                ));
            }
            cases += 1;
        }
        assert!(cases > 1000, "{cases} cases");
        let shown = wrong.iter().take(10).cloned().collect::<String>();
        assert!(wrong.is_empty(), "{} of {cases} are wrong:\n{shown}", wrong.len());
    });
}

#[test]
fn bfloat16_prints_its_shortest_digits() {
    on_reference(|| {
        let values = [1.0, 0.5, 3.140625, -256.0].map(bf16::from_f32);
        assert_eq!(Array::from(values).to_string(), "[   1.      0.5     3.14 -256.  ]");
        assert_eq!(Array::scalar(Scalar::typed(DType::BF16, 1e38)).to_string(), "1e+38");
        let largest = Array::from([bf16::MAX, bf16::from_bits(1)]);
        assert_eq!(largest.to_string(), "[3.39e+38 9.18e-41]");
    });
}

#[test]
fn a_failed_array_says_so_and_a_precision_shortens_a_scalar() {
    on_reference(|| {
        let failed = Array::from([2i32]).pow(Array::from([-1i32]));
        let text = failed.to_string();
        assert!(text.starts_with("<failed: [power] ") && text.ends_with('>'), "{text}");
        let third = Array::scalar(1.0 / 3.0);
        assert_eq!(third.to_string(), "0.3333333333333333");
        assert_eq!(format!("{third:.3}"), "0.333");
        assert_eq!(format!("{:.3}", Array::scalar(1e10 / 3.0)), "3.333e+09");
        assert_eq!(format!("{:.3}", Array::scalar(true)), "True");
    });
}

#[test]
fn views_print_in_their_own_order_and_huge_ones_are_not_copied() {
    on_reference(|| {
        let a = arange(6).reshape([2, 3]);
        assert_eq!(a.transpose(..).to_string(), "[[0 3]\n [1 4]\n [2 5]]");
        assert_eq!(a.flip(1isize).to_string(), "[[2 1 0]\n [5 4 3]]");
        // A view of 10^15 elements: only its corners can be held.
        let huge = Array::from([[1u8], [2]]).broadcast_to([1_000_000, 500_000_000, 2, 1]);
        let row = "[[1]\n   [2]]";
        assert!(
            huge.to_string().starts_with(&format!("[[{row}\n\n  {row}\n\n  {row}\n\n  ...\n\n"))
        );
    });
}
