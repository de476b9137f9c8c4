//! One float by itself, by all of NumPy's options.

use super::number::{Real, exponent_text, parts};
use super::options::{FloatFormat, Zeros};

/// Digits after those that are asked for, which tell what is cut off from what is rounded up.
const LONGER: usize = 25;

impl Real {
    pub(super) fn written_positional(self, format: &FloatFormat) -> String {
        if !self.is_finite() {
            return self.special(format);
        }
        let (whole, fraction) = self.digits(format);
        let (whole, fraction) =
            (self.sign(format.sign).to_string() + &whole, trimmed(fraction, format.zeros));
        let (left, right) = (format.pad_left, format.pad_right);
        let point = if fraction.is_empty() && format.zeros == Zeros::None { "" } else { "." };
        // A point that is not there leaves its room, where there is any to leave.
        let after = if right > 0 && point.is_empty() { " " } else { point };
        format!("{whole:>left$}{after}{fraction:<right$}")
    }

    pub(super) fn written_scientific(self, format: &FloatFormat) -> String {
        if !self.is_finite() {
            return self.special(format);
        }
        let size = self.size();
        let (mut digits, mut exponent) = self.shortest();
        let exact = |places: usize| parts(&format!("{size:.places$e}"));
        let places = digits.len() - 1;
        match format.precision {
            Some(most) if !format.unique || places > most => (digits, exponent) = exact(most),
            _ => {}
        }
        if let Some(most) = format.precision.filter(|&most| format.unique && places > most) {
            // Nines that were rounded up are gone, digits that were zero before are there.
            let longer = exact(most + LONGER).0;
            if longer.as_bytes()[most] == b'9' && !longer.starts_with(&digits) {
                digits.truncate(digits.trim_end_matches('0').len().max(1));
            }
        }
        if let Some(least) = format.min_digits.filter(|&least| digits.len() - 1 < least) {
            (digits, exponent) = exact(least);
        }
        let whole = self.sign(format.sign).to_string() + &digits[..1];
        let fraction = trimmed(digits[1..].to_string(), format.zeros);
        let point = if fraction.is_empty() && format.zeros == Zeros::None { "" } else { "." };
        let (left, exponent) = (format.pad_left, exponent_text(exponent, format.exponent_digits));
        format!("{whole:>left$}{point}{fraction}e{exponent}")
    }

    /// `nan` has no sign.
    fn special(self, format: &FloatFormat) -> String {
        match self.size().is_nan() {
            true => "nan".to_string(),
            false => self.not_finite(format.sign).to_string(),
        }
    }

    /// Digits before and after the point.
    fn digits(self, format: &FloatFormat) -> (String, String) {
        let size = self.size();
        let (shortest, exponent) = self.shortest();
        let places = (shortest.len() as i32 - 1 - exponent).max(0) as usize;
        let most = match (format.precision, format.fractional) {
            (None, _) => usize::MAX,
            (Some(most), true) => most,
            // Digits in all: those before the point count, zeros after it do not.
            (Some(most), false) => {
                let after = most as i32 - 1 - exponent;
                if after < 0 {
                    // Zeros in place of digits before the point.
                    let (digits, exponent) = parts(&format!("{size:.*e}", most - 1));
                    return (format!("{digits:0<0$}", exponent as usize + 1), String::new());
                }
                after as usize
            }
        };
        let text = if !format.unique {
            format!("{size:.most$}")
        } else if places > most {
            let (rounded, longer) = (format!("{size:.most$}"), format!("{size:.*}", most + LONGER));
            let cut = &longer[..longer.len() - LONGER];
            match cut.trim_end_matches('.').ends_with('9') && cut != rounded && most > 0 {
                true => rounded.trim_end_matches('0').to_string(),
                false => rounded,
            }
        } else {
            // Digits before the point count where they are more than the shortest ones.
            let after = |least: usize| (least as i64 + i64::from(exponent) + 1).max(0) as usize;
            match (format.min_digits, format.fractional) {
                (Some(least), true) if after(least) > shortest.len() => format!("{size:.least$}"),
                // From the first digit that is not zero on.
                (Some(least), false) if least > shortest.len() => {
                    let (digits, exponent) = parts(&format!("{size:.*e}", least - 1));
                    return placed(&digits, exponent);
                }
                _ => {
                    let (whole, fraction) = self.positional(usize::MAX, false);
                    return (whole.trim_start_matches('-').to_string(), fraction);
                }
            }
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        (whole.to_string(), fraction.to_string())
    }
}

/// Digits before and after the point, of which the first stands at the place of `exponent`.
fn placed(digits: &str, exponent: i32) -> (String, String) {
    match usize::try_from(exponent) {
        Ok(exponent) if digits.len() <= exponent + 1 => {
            (format!("{digits:0<0$}", exponent + 1), String::new())
        }
        Ok(exponent) => (digits[..=exponent].to_string(), digits[exponent + 1..].to_string()),
        Err(_) => {
            let zeros = exponent.unsigned_abs() as usize - 1;
            ("0".to_string(), format!("{}{digits}", "0".repeat(zeros)))
        }
    }
}

fn trimmed(fraction: String, zeros: Zeros) -> String {
    let bare = fraction.trim_end_matches('0');
    match zeros {
        Zeros::Keep => fraction,
        Zeros::One if bare.is_empty() => "0".to_string(),
        Zeros::One | Zeros::Point | Zeros::None => bare.to_string(),
    }
}
