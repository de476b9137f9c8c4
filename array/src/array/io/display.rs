//! Printing values as NumPy's `str(array)` prints them: brackets, alignment, lines of 75, and `...` where
//! there are more than 1,000 elements.
//!
//! This file lays words out; `number` makes them. Of a long array only the corners are copied and read.
//! `{:.3}` overrides the precision of 8. NumPy has no bfloat16; it prints as float16 does.

mod float;
mod number;
mod options;
#[cfg(test)]
mod tests;

use std::fmt;

use smallvec::SmallVec;

use crate::array::{Array, Index};
use ndany_core::host;
use ndany_core::{Error, Result};
use number::{ElementFormat, Style};
pub use options::{
    Digits, FloatFormat, Printing, Sign, Zeros, format_float_positional, format_float_scientific,
};

/// A number by itself, as `str` of a NumPy scalar.
pub(in crate::array) use number::scalar as scalar_text;

impl fmt::Display for Array {
    /// Evaluates the array. One that failed prints as `<failed: …>`.
    ///
    /// ```
    /// use ndany::{Array, Device, arange};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, 2.5], [-3.0, f64::NAN]]);
    /// assert_eq!(a.to_string(), "[[ 1.   2.5]\n [-3.   nan]]");
    /// assert_eq!(format!("{:.2}", &a / 3), "[[ 0.33  0.83]\n [-1.     nan]]");
    /// assert_eq!(arange(2000).to_string(), "[   0    1    2 ... 1997 1998 1999]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (defaults, whole) = (Printing::default(), f.precision().is_none());
        let precision = f.precision().unwrap_or(defaults.precision);
        match text(self, &Printing { precision, ..defaults }, whole) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<failed: {error}>"),
        }
    }
}

/// The text of an array; `whole` prints a 0-d one with all its digits.
fn text(array: &Array, options: &Printing, whole: bool) -> Result<String> {
    array.eval()?;
    if array.size() == 0 {
        return Ok("[]".to_string());
    }
    let summarize = array.size() > options.threshold;
    let shown = if summarize { corners(array, 0, options.edge_items)? } else { array.clone() };
    let bytes = shown.to_bytes()?;
    if array.ndim() == 0 && whole {
        return Ok(number::scalar(array.dtype(), &bytes));
    }
    if options.digits == Digits::Fixed && options.precision > options::WIDEST {
        let reason = format!("{} digits: expected {} at most", options.precision, options::WIDEST);
        return Err(Error::ArgumentValue { op: "array2string".to_string(), reason });
    }
    host::ensure_memory("array2string", options.prefix.saturating_mul(array.ndim() + 1))?;
    let style = Style {
        precision: options.precision,
        digits: options.digits,
        suppress_small: options.suppress_small,
        sign: options.sign,
    };
    let words = ElementFormat::new(array.dtype(), &bytes, style, array.ndim() == 0);
    if array.ndim() == 0 {
        return Ok(words.word(0));
    }
    let axes: Vec<Axis> = array
        .shape()
        .iter()
        .zip(shown.shape())
        .map(|(&whole, &shown)| Axis { shown, cut: summarize && whole > 2 * options.edge_items })
        .collect();
    let mut next = 0;
    let indent = " ".repeat(1 + options.prefix);
    let width = options.line_width.saturating_sub(options.suffix);
    Ok(nested(&axes, &words, &mut next, &indent, width, options))
}

/// The first and last items of every long axis. The views are cut down to corners before anything is
/// copied.
fn corners(array: &Array, axis: usize, edge_items: usize) -> Result<Array> {
    if axis == array.ndim() {
        return Ok(array.clone());
    }
    if array.shape()[axis] <= 2 * edge_items {
        return corners(array, axis + 1, edge_items);
    }
    let edge = |start: Option<isize>, stop: Option<isize>| {
        let mut items: SmallVec<[Index; 4]> = (0..axis).map(|_| Index::from(..)).collect();
        items.push(Index::Slice { start, stop, step: 1 });
        corners(&array.try_i(items.as_slice())?, axis + 1, edge_items)
    };
    let head = edge(None, Some(edge_items as isize))?;
    if edge_items == 0 {
        return Ok(head);
    }
    let tail = edge(Some(-(edge_items as isize)), None)?;
    crate::array::try_concatenate(&[&head, &tail], axis as isize)
}

/// One axis of what is printed.
struct Axis {
    shown: usize,
    /// Whether items in the middle are left out.
    cut: bool,
}

/// The text of one sub-array, whose words begin at `next`; `indent` is what its lines after the first
/// start with. As NumPy's `_formatArray`.
fn nested(
    axes: &[Axis],
    words: &ElementFormat,
    next: &mut usize,
    indent: &str,
    width: usize,
    options: &Printing,
) -> String {
    let (axis, inner) = axes.split_first().expect("at least one axis");
    let mut text = String::from("[");
    let separator = options.separator.as_str();
    let tight = separator.trim_end();
    // What stands between items, and where the mark of those that are missing does.
    let places = axis.shown + usize::from(axis.cut);
    let missing = |place: usize| axis.cut && place == options.edge_items;
    if inner.is_empty() {
        let room = width.saturating_sub(tight.len().max(1));
        let mut line = indent.to_string();
        for place in 0..places {
            let word = if missing(place) {
                "...".to_string()
            } else {
                *next += 1;
                words.word(*next - 1)
            };
            extend(&mut text, &mut line, &word, indent, room);
            if place + 1 < places {
                line.push_str(separator);
            }
        }
        push_line(&mut text, &line, indent);
    } else {
        let between = format!("{tight}{}", "\n".repeat(inner.len()));
        let deeper = format!("{indent} ");
        for place in 0..places {
            if place > 0 {
                text += &between;
                text += indent;
            }
            if missing(place) {
                text += "...";
            } else {
                text += &nested(inner, words, next, &deeper, width.saturating_sub(1), options);
            }
        }
    }
    text.push(']');
    text
}

/// Adds a word to the line, or to a new one where it would not fit before the closing bracket.
fn extend(text: &mut String, line: &mut String, word: &str, indent: &str, width: usize) {
    // A line that holds nothing yet gains nothing by being wrapped.
    if line.len() + word.len() > width && line.len() > indent.len() {
        push_line(text, line.trim_end(), indent);
        text.push('\n');
        *line = indent.to_string();
    }
    *line += word;
}

/// The first line begins with its bracket instead of the indent.
fn push_line(text: &mut String, line: &str, indent: &str) {
    *text += if text.len() == 1 { line.get(indent.len()..).unwrap_or("") } else { line };
}
