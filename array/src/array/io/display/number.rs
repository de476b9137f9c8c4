//! One number as NumPy prints it, alone and among others.
//!
//! The rules are those of NumPy 2's `FloatingFormat` and of its scalars' `str`: the shortest digits that
//! name the value, cut to the precision, in scientific notation where the magnitudes ask for it. The
//! digits come from Rust's own formatting, which is exact; only the shortest digits of 16-bit floats,
//! which it does not know, are searched for here.

use super::options::{Digits, Sign};
use ndany_core::{DType, Kind, Number, float, read_number};

/// A real number and the float dtype that it has.
#[derive(Clone, Copy)]
pub(super) struct Real {
    value: f64,
    dtype: DType,
}

impl Real {
    pub(super) fn new(value: f64, dtype: DType) -> Self {
        Self { value, dtype }
    }

    pub(super) fn is_finite(self) -> bool {
        self.value.is_finite()
    }

    pub(super) fn size(self) -> f64 {
        self.value.abs()
    }

    /// The digits of the shortest decimal `d.ddd`, without sign, and its exponent.
    pub(super) fn shortest(self) -> (String, i32) {
        let value = self.value.abs();
        let text = match self.dtype {
            narrow if float::is_narrow(narrow) => shortest_of_narrow(value, narrow),
            DType::F32 => format!("{:e}", value as f32),
            _ => format!("{value:e}"),
        };
        let (digits, exponent) = parts(&text);
        // Of two that are equally near, NumPy takes the even one and Rust the larger.
        let places = digits.len() - 1;
        let nearest = format!("{value:.places$e}");
        let names = match self.dtype {
            DType::F32 => nearest.parse() == Ok(value as f32),
            _ => nearest.parse() == Ok(value),
        };
        if names { parts(&nearest) } else { (digits, exponent) }
    }

    pub(super) fn sign(self, plus: bool) -> &'static str {
        match (self.value.is_sign_negative(), plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// Whole and fractional digits, at most `precision` of the latter and no trailing zeros.
    pub(super) fn positional(self, precision: usize, plus: bool) -> (String, String) {
        let (digits, exponent) = self.shortest();
        let places = (digits.len() as i32 - 1 - exponent).max(0) as usize;
        // Digits of the shortest decimal where they suffice, else of the exact value.
        let text = if places <= precision {
            let exponent = exponent.max(-(places as i32));
            match usize::try_from(exponent) {
                Ok(exponent) if digits.len() <= exponent + 1 => {
                    format!("{digits:0<0$}", exponent + 1)
                }
                Ok(exponent) => format!("{}.{}", &digits[..=exponent], &digits[exponent + 1..]),
                Err(_) => format!("0.{digits:0>places$}"),
            }
        } else {
            format!("{:.precision$}", self.value.abs())
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let sign = self.sign(plus);
        (format!("{sign}{whole}"), fraction.trim_end_matches('0').to_string())
    }

    /// [`Real::positional`], or as many exact digits as the precision says.
    fn laid_out(self, precision: usize, plus: bool, exact: bool) -> (String, String) {
        if !exact {
            return self.positional(precision, plus);
        }
        let text = format!("{:.precision$}", self.value.abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        (format!("{}{whole}", self.sign(plus)), fraction.to_string())
    }

    /// Whole digit, fractional digits and exponent. At least `least` and at most `precision` fractional
    /// digits; of those beyond the shortest, the exact value's.
    fn scientific(self, precision: usize, least: usize, plus: bool) -> (String, String, i32) {
        let (digits, exponent) = self.shortest();
        let places = digits.len() - 1;
        let wanted = places.clamp(least, precision.max(least));
        let (digits, exponent) = if places == wanted {
            (digits, exponent)
        } else {
            parts(&format!("{:.wanted$e}", self.value.abs()))
        };
        let sign = self.sign(plus);
        (format!("{sign}{}", &digits[..1]), digits[1..].to_string(), exponent)
    }

    /// `nan`, `inf` and `-inf`.
    pub(super) fn not_finite(self, plus: bool) -> &'static str {
        match (self.value.is_nan(), self.value < 0.0, plus) {
            (true, _, true) => "+nan",
            (true, _, false) => "nan",
            (false, true, _) => "-inf",
            (false, false, true) => "+inf",
            (false, false, false) => "inf",
        }
    }

    /// The number alone: all its digits, with `trailing` (`.0` or nothing) after a whole number.
    fn alone(self, plus: bool, trailing: &str) -> String {
        if !self.is_finite() {
            return self.not_finite(plus).to_string();
        }
        let magnitude = self.value.abs();
        if magnitude == 0.0 || (1e-4..alone_cutoff(self.dtype)).contains(&magnitude) {
            let (whole, fraction) = self.positional(usize::MAX, plus);
            if fraction.is_empty() { whole + trailing } else { format!("{whole}.{fraction}") }
        } else {
            let (whole, fraction, exponent) = self.scientific(usize::MAX, 0, plus);
            let point = if fraction.is_empty() { "" } else { "." };
            format!("{whole}{point}{fraction}e{}", exponent_text(exponent, 2))
        }
    }
}

/// Digits and exponent of Rust's scientific notation.
pub(super) fn parts(text: &str) -> (String, i32) {
    let (digits, exponent) = text.split_once('e').expect("scientific notation");
    (digits.replace('.', ""), exponent.parse().expect("an exponent"))
}

pub(super) fn exponent_text(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0digits$}", exponent.abs())
}

/// From where on a number alone is printed in scientific notation.
fn alone_cutoff(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e16,
        _ => cutoff(dtype),
    }
}

/// From where on an array is printed in scientific notation: the decimal digits that the dtype is sure
/// of, at most 8.
fn cutoff(dtype: DType) -> f64 {
    match dtype.size() {
        ..=2 => 1e3,
        4 => 1e6,
        _ => 1e8,
    }
}

/// The decimal with the fewest digits that lies nearer to this narrow float than to any other, in
/// scientific notation (Steele & White 1990, free format). `value` is finite and not negative.
fn shortest_of_narrow(value: f64, dtype: DType) -> String {
    let (bits, of_bits) = (float::to_bits(dtype, value), |bits| float::from_bits(dtype, bits));
    if bits == 0 {
        return "0e0".to_string();
    }
    // Halfway to the neighbours; past the largest number, as far as the last step. All exact in f64.
    let below = of_bits(bits - 1);
    let above = of_bits(bits + 1);
    let low = (below + value) / 2.0;
    let high =
        if above.is_finite() { (value + above) / 2.0 } else { value + (value - below) / 2.0 };
    let even = bits % 2 == 0;
    let names = |decimal: f64| {
        low < decimal && decimal < high || even && (decimal == low || decimal == high)
    };
    for places in 0..17 {
        let (digits, exponent) = parts(&format!("{value:.places$e}"));
        let whole: i64 = digits.parse().expect("digits");
        let number = |whole: i64| -> f64 {
            format!("{whole}e{}", exponent - places as i32).parse().expect("a number")
        };
        // The nearest with this number of digits, else the next one on the other side.
        let other = if number(whole) < value { whole + 1 } else { whole - 1 };
        if let Some(whole) = [whole, other].into_iter().find(|&whole| names(number(whole))) {
            return format!("{:e}", number(whole));
        }
    }
    format!("{value:e}")
}

/// What is asked of floats that are printed together.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) precision: usize,
    pub(super) digits: Digits,
    pub(super) suppress_small: bool,
    pub(super) sign: Sign,
}

/// How a set of floats is printed in one width.
pub(super) struct Floats {
    exact: bool,
    equal: bool,
    scientific: bool,
    precision: usize,
    plus: bool,
    pad_left: usize,
    pad_right: usize,
    exponent_digits: usize,
}

impl Floats {
    /// The format that suits all of `values`.
    fn new(values: &[Real], style: Style) -> Self {
        let plus = style.sign == Sign::Plus;
        let precision = match style.digits {
            Digits::Unique => usize::MAX,
            Digits::AtMost | Digits::AtMostEqual | Digits::Fixed => style.precision,
        };
        let exact = style.digits == Digits::Fixed;
        let least = if exact { precision } else { 0 };
        let finite: Vec<Real> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let mut format = Self {
            exact,
            equal: matches!(style.digits, Digits::Fixed | Digits::AtMostEqual),
            scientific: needs_exponent(&finite, style.suppress_small),
            precision,
            plus,
            pad_left: 0,
            pad_right: 0,
            exponent_digits: 0,
        };
        if format.scientific {
            let mut fractions = 0;
            for value in &finite {
                let (whole, fraction, exponent) = value.scientific(precision, least, plus);
                format.pad_left = format.pad_left.max(whole.len());
                let digits = if exact { &fraction } else { fraction.trim_end_matches('0') };
                fractions = fractions.max(digits.len());
                let digits = exponent_text(exponent, 2).len() - 1;
                format.exponent_digits = format.exponent_digits.max(digits);
            }
            format.precision = fractions;
            format.pad_right = format.exponent_digits + 2 + fractions;
        } else {
            for value in &finite {
                let (whole, fraction) = value.laid_out(precision, plus, exact);
                format.pad_left = format.pad_left.max(whole.len());
                format.pad_right = format.pad_right.max(fraction.len());
            }
        }
        // A space in place of a sign, where no minus sign makes room for it.
        if style.sign == Sign::Space && !finite.iter().any(|value| value.value.is_sign_negative()) {
            format.pad_left += 1;
        }
        if finite.len() < values.len() {
            let signed = style.sign != Sign::Nothing
                || values.iter().any(|value| value.value == f64::NEG_INFINITY);
            let room = format.pad_right + 1;
            let widest = 3 + usize::from(signed);
            format.pad_left = format.pad_left.max(3usize.saturating_sub(room));
            format.pad_left = format.pad_left.max(widest.saturating_sub(room));
        }
        format
    }

    fn word(&self, value: Real) -> String {
        let (left, right) = (self.pad_left, self.pad_right);
        if !value.is_finite() {
            return format!("{:>1$}", value.not_finite(self.plus), left + right + 1);
        }
        if self.scientific {
            let (whole, fraction, exponent) =
                value.scientific(self.precision, self.precision, self.plus);
            let exponent = exponent_text(exponent, self.exponent_digits);
            format!("{whole:>left$}.{fraction}e{exponent}")
        } else {
            let (whole, fraction) = value.laid_out(self.precision, self.plus, self.exact);
            match self.equal {
                true => format!("{whole:>left$}.{fraction:0<right$}"),
                false => format!("{whole:>left$}.{fraction:<right$}"),
            }
        }
    }
}

/// Whether the magnitudes need scientific notation. They are compared in the dtype, as NumPy does.
fn needs_exponent(finite: &[Real], suppress_small: bool) -> bool {
    let magnitudes = finite.iter().map(|value| value.value.abs()).filter(|&value| value != 0.0);
    let (low, high) = magnitudes
        .fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let Some(dtype) = finite.first().map(|value| value.dtype).filter(|_| high > 0.0) else {
        return false;
    };
    let ratio = if dtype.size() < 8 { f64::from(high as f32 / low as f32) } else { high / low };
    let (smallest, ratio) = (float::rounded(dtype, 1e-4), float::rounded(dtype, ratio));
    high >= cutoff(dtype) || !suppress_small && (low < smallest || ratio > 1000.0)
}

/// The elements of an array, and how each is printed.
pub(super) enum ElementFormat {
    /// ` True` and `False`.
    Bools {
        values: Vec<bool>,
        alone: bool,
    },
    /// Right-aligned in one width.
    Ints {
        values: Vec<i128>,
        width: usize,
        plus: bool,
    },
    Floats(Vec<Real>, Floats),
    Complex(Vec<(Real, Real)>, Floats, Floats),
}

impl ElementFormat {
    /// Of the elements in `bytes`.
    pub(super) fn new(dtype: DType, bytes: &[u8], style: Style, alone: bool) -> Self {
        match elements(dtype, bytes) {
            Elements::Bools(values) => ElementFormat::Bools { values, alone },
            Elements::Ints(values) => {
                let plus = style.sign == Sign::Plus;
                let lengths = values.iter().map(|&value| integer(value, plus).len());
                let negative = values.iter().any(|&value| value < 0);
                let space = style.sign == Sign::Space && !negative;
                let width = lengths.max().unwrap_or(0) + usize::from(space);
                ElementFormat::Ints { values, width, plus }
            }
            Elements::Floats(values) => {
                let format = Floats::new(&values, style);
                ElementFormat::Floats(values, format)
            }
            Elements::Complex(values) => {
                let (re, im): (Vec<Real>, Vec<Real>) = values.iter().copied().unzip();
                let re = Floats::new(&re, style);
                let im = Floats::new(&im, Style { sign: Sign::Plus, ..style });
                ElementFormat::Complex(values, re, im)
            }
        }
    }

    /// The element at a position in C order.
    pub(super) fn word(&self, position: usize) -> String {
        match self {
            ElementFormat::Bools { values, alone } => {
                let width = if *alone { 0 } else { 5 };
                format!("{:>width$}", python_bool(values[position]))
            }
            ElementFormat::Ints { values, width, plus } => {
                format!("{:>width$}", integer(values[position], *plus))
            }
            ElementFormat::Floats(values, format) => format.word(values[position]),
            ElementFormat::Complex(values, real, imaginary) => {
                let (re, im) = values[position];
                let im = imaginary.word(im);
                let (digits, padding) = im.split_at(im.trim_end().len());
                format!("{}{digits}j{padding}", real.word(re))
            }
        }
    }
}

/// An integer, with a sign where it is negative, or where it is asked for.
fn integer(value: i128, plus: bool) -> String {
    if plus { format!("{value:+}") } else { value.to_string() }
}

enum Elements {
    Bools(Vec<bool>),
    Ints(Vec<i128>),
    Floats(Vec<Real>),
    Complex(Vec<(Real, Real)>),
}

fn elements(dtype: DType, bytes: &[u8]) -> Elements {
    let part = dtype.part();
    let real = |value: f64| Real { value, dtype: part };
    let numbers = || bytes.chunks_exact(dtype.size()).map(|bytes| read_number(dtype, bytes));
    match dtype.kind() {
        Kind::Bool => Elements::Bools(numbers().map(|value| value == Number::Bool(true)).collect()),
        Kind::Int => Elements::Ints(numbers().map(integer_of).collect()),
        Kind::Float => Elements::Floats(numbers().map(|value| real(parts_of(value).0)).collect()),
        Kind::Complex => {
            let both = |(re, im)| (real(re), real(im));
            Elements::Complex(numbers().map(|value| both(parts_of(value))).collect())
        }
    }
}

/// An integer's value.
fn integer_of(number: Number) -> i128 {
    match number {
        Number::Int(value) => value,
        Number::Bool(_) | Number::Float(_) | Number::Complex(..) => 0,
    }
}

/// The parts of a float or a complex number.
fn parts_of(number: Number) -> (f64, f64) {
    match number {
        Number::Float(value) => (value, 0.0),
        Number::Complex(re, im) => (re, im),
        Number::Bool(_) | Number::Int(_) => (0.0, 0.0),
    }
}

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// A 0-d array: all digits, as `str` of a NumPy scalar.
pub(in crate::array) fn scalar(dtype: DType, bytes: &[u8]) -> String {
    match elements(dtype, bytes) {
        Elements::Bools(values) => python_bool(values[0]).to_string(),
        Elements::Ints(values) => values[0].to_string(),
        Elements::Floats(values) => values[0].alone(false, ".0"),
        Elements::Complex(values) => {
            let (re, im) = values[0];
            if re.value == 0.0 && !re.value.is_sign_negative() {
                format!("{}j", im.alone(false, ""))
            } else {
                format!("({}{}j)", re.alone(false, ""), im.alone(true, ""))
            }
        }
    }
}
