//! Numbers by formats of C's printf, as Python's `%` operator takes them.

use std::iter::Peekable;
use std::str::Chars;

use ndany_core::Number;

/// The largest width and precision.
const LARGEST: usize = 10_000;

/// A format, in pieces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Format {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Spec(Spec),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

impl Format {
    /// Reads a format; says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Format, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                plain.push(letter);
                continue;
            }
            if letters.next_if_eq(&'%').is_some() {
                plain.push('%');
                continue;
            }
            let mut spec = Spec::default();
            while let Some(flag) = letters.next_if(|letter| "-+ 0#".contains(*letter)) {
                match flag {
                    '-' => spec.left = true,
                    '+' => spec.plus = true,
                    ' ' => spec.space = true,
                    '0' => spec.zero = true,
                    _ => spec.sharp = true,
                }
            }
            let digits = |letters: &mut Peekable<Chars<'_>>| -> Result<Option<usize>, String> {
                let mut value = None;
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    let digit = digit as usize - '0' as usize;
                    let next = value.unwrap_or(0) * 10 + digit;
                    if next > LARGEST {
                        return Err(format!("a number beyond {LARGEST} in the format {text:?}"));
                    }
                    value = Some(next);
                }
                Ok(value)
            };
            spec.width = digits(&mut letters)?.unwrap_or(0);
            if letters.next_if_eq(&'.').is_some() {
                // Without digits it is zero.
                spec.precision = Some(digits(&mut letters)?.unwrap_or(0));
            }
            // C's length of an integer says nothing here.
            while letters.next_if(|letter| "hlL".contains(*letter)).is_some() {}
            spec.conversion = match letters.next() {
                Some(letter) if "diueEfFgGsxXo".contains(letter) => letter,
                Some(letter) => {
                    return Err(format!("no conversion {letter:?} in the format {text:?}"));
                }
                None => return Err(format!("the format {text:?} ends too soon")),
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Spec(spec));
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Format { pieces })
    }

    /// How many numbers it takes.
    pub(crate) fn count(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Spec(_))).count()
    }

    /// The text of as many numbers; `word` says what `%s` makes of the one at a position.
    pub(crate) fn write(
        &self,
        numbers: &[Number],
        word: impl Fn(usize) -> String,
    ) -> Result<String, String> {
        let mut text = String::new();
        let mut position = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Text(plain) => text += plain,
                Piece::Spec(spec) => {
                    text += &spec.write(numbers[position], || word(position))?;
                    position += 1;
                }
            }
        }
        Ok(text)
    }
}

impl Spec {
    fn write(&self, number: Number, word: impl FnOnce() -> String) -> Result<String, String> {
        let upper = self.conversion.is_ascii_uppercase();
        let (negative, digits) = match self.conversion {
            's' => (false, word()),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                let value = to_integer(number, self.conversion)?;
                let size = value.unsigned_abs();
                let least = self.precision.unwrap_or(0);
                let (mark, digits) = match self.conversion {
                    'x' => ("0x", format!("{size:0>least$x}")),
                    'X' => ("0X", format!("{size:0>least$X}")),
                    'o' => ("0o", format!("{size:0>least$o}")),
                    _ => ("", format!("{size:0>least$}")),
                };
                (value < 0, if self.sharp { format!("{mark}{digits}") } else { digits })
            }
            conversion => {
                let value = match number {
                    Number::Bool(value) => f64::from(u8::from(value)),
                    Number::Int(value) => value as f64,
                    Number::Float(value) => value,
                    Number::Complex(..) => {
                        return Err("a complex number for a real one".to_string());
                    }
                };
                let size = value.abs();
                let precision = self.precision.unwrap_or(6);
                let digits = match conversion.to_ascii_lowercase() {
                    _ if value.is_nan() => "nan".to_string(),
                    _ if value.is_infinite() => "inf".to_string(),
                    'f' => self.pointed(format!("{size:.precision$}")),
                    'e' => self.scientific(size, precision),
                    _ => self.general(size, precision),
                };
                let digits = if upper { digits.to_ascii_uppercase() } else { digits };
                (value.is_sign_negative() && !value.is_nan(), digits)
            }
        };
        let sign = match (negative, self.plus, self.space) {
            _ if self.conversion == 's' => "",
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        };
        let width = self.width;
        Ok(if self.left {
            format!("{:<width$}", format!("{sign}{digits}"))
        } else if self.zero && self.conversion != 's' {
            let room = width.saturating_sub(sign.len());
            format!("{sign}{digits:0>room$}")
        } else {
            format!("{:>width$}", format!("{sign}{digits}"))
        })
    }

    /// With `#`, a point where there is none.
    fn pointed(&self, digits: String) -> String {
        if self.sharp && !digits.contains('.') { digits + "." } else { digits }
    }

    fn scientific(&self, size: f64, precision: usize) -> String {
        let text = format!("{size:.precision$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", self.pointed(mantissa.to_string()), exponent.abs())
    }

    /// `%g`: digits in all, without zeros at the end, in whichever form is shorter.
    fn general(&self, size: f64, precision: usize) -> String {
        let digits = precision.max(1);
        let text = format!("{size:.*e}", digits - 1);
        let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let trimmed = |text: String| match self.sharp || !text.contains('.') {
            true => text,
            false => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        };
        if exponent < -4 || exponent >= digits as i32 {
            let text = self.scientific(size, digits - 1);
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
            return format!("{}e{exponent}", trimmed(mantissa.to_string()));
        }
        let places = (digits as i32 - 1 - exponent) as usize;
        trimmed(self.pointed(format!("{size:.places$}")))
    }
}

/// An integer, or a float without its fraction where Python takes one.
fn to_integer(number: Number, conversion: char) -> Result<i128, String> {
    match number {
        Number::Bool(value) => Ok(i128::from(value)),
        Number::Int(value) => Ok(value),
        Number::Float(value) if "diu".contains(conversion) && value.is_finite() => {
            Ok(value as i128)
        }
        Number::Float(value) => Err(format!("{value} for %{conversion}")),
        Number::Complex(..) => Err(format!("a complex number for %{conversion}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python prints.
    #[test]
    fn numbers_are_what_python_prints() {
        let pi = Number::Float(std::f64::consts::PI);
        for (format, number, expected) in [
            ("%.18e", Number::Float(0.1), "1.000000000000000056e-01"),
            ("%e", Number::Float(-123456.0), "-1.234560e+05"),
            ("%10.3f|", pi, "     3.142|"),
            ("%-10.3f|", pi, "3.142     |"),
            ("%+08.2f", pi, "+0003.14"),
            ("%d", Number::Float(-2.9), "-2"),
            ("%5d%%", Number::Int(42), "   42%"),
            ("%g", Number::Float(0.0001), "0.0001"),
            ("%g", Number::Float(0.00001), "1e-05"),
            ("%g", Number::Float(1234567.0), "1.23457e+06"),
            ("%#g", Number::Float(1.0), "1.00000"),
            ("%G", Number::Float(1e-10), "1E-10"),
            ("%x", Number::Int(255), "ff"),
            ("% d", Number::Bool(true), " 1"),
            ("%f", Number::Float(f64::NEG_INFINITY), "-inf"),
            ("%.0f", Number::Float(2.5), "2"),
            ("%.f", Number::Float(2.5), "2"),
            ("%.3d", Number::Int(7), "007"),
            ("<%s>", Number::Int(1), "<word>"),
        ] {
            let parsed = Format::parse(format).expect(format);
            assert_eq!(
                parsed.write(&[number], |_| "word".to_string()).as_deref(),
                Ok(expected),
                "{format}"
            );
        }
        for bad in ["%", "%q", "%5", "%99999d", "%.99999d"] {
            assert!(Format::parse(bad).is_err(), "{bad}");
        }
        let format = Format::parse("%d").expect("sound");
        assert!(format.write(&[Number::Float(f64::NAN)], |_| String::new()).is_err());
    }
}
