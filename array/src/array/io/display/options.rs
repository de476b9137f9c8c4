//! How arrays are printed: NumPy's printing options, `array2string`, `array_repr`, `array_str`, and single floats.

use super::{Array, number, text};
use crate::scalar::Scalar;
#[cfg(feature = "call")]
use ndany_core::ShapeText;
use ndany_core::{DType, Error, Number, Result};

/// How many digits the floats of an array have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// As many as each needs, at most the precision.
    #[default]
    AtMost,
    /// As many as the one that needs most, at most the precision.
    AtMostEqual,
    /// As many as the precision says.
    Fixed,
    /// As many as each needs.
    Unique,
}

impl Digits {
    /// From the name of NumPy's `floatmode`.
    pub(crate) fn from_name(name: &str) -> Option<Digits> {
        match name {
            "maxprec" => Some(Digits::AtMost),
            "maxprec_equal" => Some(Digits::AtMostEqual),
            "fixed" => Some(Digits::Fixed),
            "unique" => Some(Digits::Unique),
            _ => None,
        }
    }
}

/// What stands in front of numbers that are not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// Nothing (NumPy's `-`).
    #[default]
    Nothing,
    /// A plus sign (`+`).
    Plus,
    /// A space, also where no number is negative (` `).
    Space,
}

impl Sign {
    /// From the letter of NumPy's `sign`.
    pub(crate) fn from_name(name: &str) -> Option<Sign> {
        match name {
            "-" => Some(Sign::Nothing),
            "+" => Some(Sign::Plus),
            " " => Some(Sign::Space),
            _ => None,
        }
    }
}

/// How an array is printed, as `np.printoptions`; `..` stands for NumPy's defaults.
///
/// ```
/// use ndany::{Array, Device, Printing};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([0.5, 1.0 / 3.0]);
/// let options = Printing { precision: 3, separator: ", ".into(), ..Printing::default() };
/// assert_eq!(a.array2string(options)?, "[0.5  , 0.333]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Printing {
    /// Digits after the point; 8.
    pub precision: usize,
    /// What they are for; [`Digits::AtMost`].
    pub digits: Digits,
    /// No scientific notation for small numbers.
    pub suppress_small: bool,
    /// What stands in front of numbers that are not negative; [`Sign::Nothing`].
    pub sign: Sign,
    /// Letters of a line; 75.
    pub line_width: usize,
    /// What stands between numbers; a space.
    pub separator: String,
    /// Elements above which only the edges are shown; 1000.
    pub threshold: usize,
    /// Items shown at each end of a long axis; 3.
    pub edge_items: usize,
    /// Letters that will stand before the first line, for which the others are indented.
    pub prefix: usize,
    /// Letters that will follow the last line.
    pub suffix: usize,
}

impl Default for Printing {
    fn default() -> Self {
        Self {
            precision: 8,
            digits: Digits::AtMost,
            suppress_small: false,
            sign: Sign::Nothing,
            line_width: 75,
            separator: " ".to_string(),
            threshold: 1000,
            edge_items: 3,
            prefix: 0,
            suffix: 0,
        }
    }
}

impl From<std::ops::RangeFull> for Printing {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

impl Array {
    /// Returns the text of the values, as `np.array2string`; waits for the device.
    ///
    /// - **Errors**: what failed on the way to the values.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.5, 1.0 / 3.0]).array2string(..)?, "[0.5        0.33333333]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn array2string(&self, options: impl Into<Printing>) -> Result<String> {
        text(self, &options.into(), false)
    }

    /// What `print` shows, as `np.array_str`: of a 0-d array all digits.
    ///
    /// # Errors
    /// What failed on the way to the values.
    #[track_caller]
    #[cfg(feature = "call")]
    pub(crate) fn array_str(&self, options: impl Into<Printing>) -> Result<String> {
        text(self, &options.into(), true)
    }

    /// The text that would make the array in Python, as `np.array_repr`.
    ///
    /// # Errors
    /// What failed on the way to the values.
    #[track_caller]
    #[cfg(feature = "call")]
    pub(crate) fn array_repr(&self, options: impl Into<Printing>) -> Result<String> {
        const BEGIN: &str = "array(";
        let options = options.into();
        let width = options.line_width;
        let inner =
            Printing { separator: ", ".into(), prefix: BEGIN.len(), suffix: 1, ..options.clone() };
        let values = text(self, &inner, false)?;
        let mut extras = Vec::new();
        let empty = self.size() == 0;
        if empty && self.shape() != [0] || self.size() > options.threshold {
            extras.push(format!("shape={}", ShapeText::from(self.shape())));
        }
        let implied = matches!(self.dtype(), DType::Bool | DType::I64 | DType::F64 | DType::C128);
        if !implied || empty {
            extras.push(format!("dtype={}", self.dtype()));
        }
        if extras.is_empty() {
            return Ok(format!("{BEGIN}{values})"));
        }
        let (values, extras) = (format!("{BEGIN}{values},"), format!("{})", extras.join(", ")));
        let last = values.len() - values.rfind('\n').map_or(0, |at| at + 1);
        let space = match last + extras.len() + 1 > width {
            true => format!("\n{}", " ".repeat(BEGIN.len())),
            false => " ".to_string(),
        };
        Ok(values + &space + &extras)
    }
}

/// What becomes of zeros at the end of a float's digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// They stay, and so does the point (NumPy's `k`).
    #[default]
    Keep,
    /// They go; the point stays (`.`).
    Point,
    /// They are dropped except one after the point (`0`).
    One,
    /// They go, and the point too where it ends the digits (`-`).
    None,
}

impl Zeros {
    /// From the letter of NumPy's `trim`.
    pub(crate) fn from_name(name: &str) -> Option<Zeros> {
        match name {
            "k" => Some(Zeros::Keep),
            "." => Some(Zeros::Point),
            "0" => Some(Zeros::One),
            "-" => Some(Zeros::None),
            _ => None,
        }
    }
}

/// How a float is written by itself: what `np.format_float_positional` and `np.format_float_scientific` take.
#[derive(Clone, Copy, Debug)]
pub struct FloatFormat {
    /// The most digits; without, as many as there are.
    pub precision: Option<usize>,
    /// The shortest digits that name the float in its dtype, as far as the precision goes; else exact ones, of which there
    /// are as many as the precision says.
    pub unique: bool,
    /// The precision counts digits after the point; else all of them.
    pub fractional: bool,
    /// What becomes of zeros at the end.
    pub zeros: Zeros,
    /// A sign before a number that is positive.
    pub sign: bool,
    /// Letters before the point, at least.
    pub pad_left: usize,
    /// Minimum number of letters after it.
    pub pad_right: usize,
    /// Digits at least, counted as those of the precision: exact ones, where the shortest are fewer. Without, the
    /// shortest suffice, and zeros fill the places up to the point.
    pub min_digits: Option<usize>,
    /// Digits of an exponent, at least.
    pub exponent_digits: usize,
}

impl Default for FloatFormat {
    fn default() -> Self {
        Self {
            precision: None,
            unique: true,
            fractional: true,
            zeros: Zeros::Keep,
            sign: false,
            pad_left: 0,
            pad_right: 0,
            min_digits: None,
            exponent_digits: 2,
        }
    }
}

impl From<std::ops::RangeFull> for FloatFormat {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

/// The float and its dtype; integers count as float64.
fn real(op: &'static str, number: Scalar) -> Result<number::Real> {
    let dtype = number.dtype().filter(|dtype| dtype.is_float()).unwrap_or(DType::F64);
    match number.number() {
        Number::Bool(value) => Ok(number::Real::new(f64::from(u8::from(value)), dtype)),
        Number::Int(value) => Ok(number::Real::new(value as f64, dtype)),
        Number::Float(value) => Ok(number::Real::new(value, dtype)),
        Number::Complex(..) => {
            let (dtypes, remedy) = ("complex numbers".to_string(), "format both parts");
            Err(Error::DTypes { op, dtypes, remedy })
        }
    }
}

/// The most letters or digits that an option may ask for, as NumPy's buffer has it.
pub(super) const WIDEST: usize = 16_384;

fn sound(op: &'static str, format: &FloatFormat) -> Result<()> {
    let op = op.to_string();
    if !format.unique && format.precision.is_none() {
        let reason = "digits that are not unique need a precision".to_string();
        return Err(Error::Arguments { op, reason });
    }
    if !format.fractional && format.precision == Some(0) {
        let reason = "a precision of no digits at all".to_string();
        return Err(Error::ArgumentValue { op, reason });
    }
    // As many as NumPy has room for; a width of `format!` ends at 65,535.
    let exact = format.precision.filter(|_| !format.unique).unwrap_or(0);
    let least = format.min_digits.unwrap_or(0);
    let widths = [exact, format.pad_left, format.pad_right, least, format.exponent_digits];
    if let Some(width) = widths.into_iter().find(|&width| width > WIDEST) {
        let reason = format!("a width of {width}: expected {WIDEST} at most");
        return Err(Error::ArgumentValue { op, reason });
    }
    if let (Some(most), Some(least)) = (format.precision, format.min_digits)
        && least > most
    {
        let reason = "more digits at least than at most".to_string();
        return Err(Error::ArgumentValue { op, reason });
    }
    Ok(())
}

/// Returns the text of a float without an exponent, as `np.format_float_positional`.
///
/// - **Errors**: a complex number, no precision for digits that are not unique, more digits at least than at most, a
///   width beyond 16,384.
///
/// ```
/// use ndany::{DType, FloatFormat, Scalar, format_float_positional, format_float_scientific};
/// assert_eq!(format_float_positional(1e-7, ..)?, "0.0000001");
/// assert_eq!(format_float_positional(Scalar::typed(DType::F32, 0.1f32), ..)?, "0.1");
/// let three = FloatFormat { precision: Some(3), unique: false, ..FloatFormat::default() };
/// assert_eq!(format_float_scientific(123456.789, three)?, "1.235e+05");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn format_float_positional(
    number: impl Into<Scalar>,
    format: impl Into<FloatFormat>,
) -> Result<String> {
    const OP: &str = "format_float_positional";
    let format = format.into();
    sound(OP, &format)?;
    Ok(real(OP, number.into())?.written_positional(&format))
}

/// Returns the text of a float with an exponent, as `np.format_float_scientific`.
///
/// - **Errors**: those of [`format_float_positional`].
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(ndany::format_float_scientific(1234.5, ..)?, "1.2345e+03");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn format_float_scientific(
    number: impl Into<Scalar>,
    format: impl Into<FloatFormat>,
) -> Result<String> {
    const OP: &str = "format_float_scientific";
    let format = format.into();
    sound(OP, &format)?;
    Ok(real(OP, number.into())?.written_scientific(&format))
}
