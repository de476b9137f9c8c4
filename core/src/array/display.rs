//! Printing values as NumPy's `str(array)` prints them: brackets, alignment, lines of 75, and `...` where
//! there are more than 1,000 elements.
//!
//! This file lays words out; `number` makes them. Of a long array only the corners are copied and read.
//! `{:.3}` overrides the precision of 8. NumPy has no bfloat16; it prints as float16 does.

mod number;
#[cfg(test)]
mod tests;

use std::fmt;

use smallvec::SmallVec;

use super::{Array, Index};
use crate::error::Result;
use number::Words;

/// Elements above which only the edges are shown.
const THRESHOLD: usize = 1000;
/// Items shown at each end of a long axis.
const EDGE_ITEMS: usize = 3;
const LINE_WIDTH: usize = 75;
const PRECISION: usize = 8;

impl fmt::Display for Array {
    /// Evaluates the array. One that failed prints as `<failed: …>`.
    ///
    /// ```
    /// use ndany::{Array, Device, arange};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, 2.5], [-3.0, f64::NAN]]);
    /// assert_eq!(a.to_string(), "[[ 1.   2.5]\n [-3.   nan]]");
    /// assert_eq!(format!("{:.2}", &a / 3), "[[ 0.33  0.83]\n [-1.     nan]]");
    /// assert_eq!(arange(0, 2000, 1).to_string(), "[   0    1    2 ... 1997 1998 1999]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match text(self, f.precision()) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<failed: {error}>"),
        }
    }
}

fn text(array: &Array, precision: Option<usize>) -> Result<String> {
    array.eval()?;
    if array.size() == 0 {
        return Ok("[]".to_string());
    }
    let summarize = array.size() > THRESHOLD;
    let shown = if summarize { corners(array, 0)? } else { array.clone() };
    let bytes = shown.to_bytes()?;
    if array.ndim() == 0 && precision.is_none() {
        return Ok(number::scalar(array.dtype(), &bytes));
    }
    let words =
        Words::new(array.dtype(), &bytes, precision.unwrap_or(PRECISION), array.ndim() == 0);
    if array.ndim() == 0 {
        return Ok(words.word(0).trim().to_string());
    }
    let axes: Vec<Axis> = array
        .shape()
        .iter()
        .zip(shown.shape())
        .map(|(&whole, &shown)| Axis { shown, cut: whole != shown })
        .collect();
    let mut next = 0;
    Ok(nested(&axes, &words, &mut next, " ", LINE_WIDTH))
}

/// The first and last items of every long axis. The views are cut down to corners before anything is
/// copied.
fn corners(array: &Array, axis: usize) -> Result<Array> {
    if axis == array.ndim() {
        return Ok(array.clone());
    }
    if array.shape()[axis] <= 2 * EDGE_ITEMS {
        return corners(array, axis + 1);
    }
    let edge = |start: Option<isize>, stop: Option<isize>| {
        let mut items: SmallVec<[Index; 4]> = (0..axis).map(|_| Index::from(..)).collect();
        items.push(Index::Slice { start, stop, step: 1 });
        corners(&array.try_i(items.as_slice())?, axis + 1)
    };
    let head = edge(None, Some(EDGE_ITEMS as isize))?;
    let tail = edge(Some(-(EDGE_ITEMS as isize)), None)?;
    super::try_concatenate(&[&head, &tail], axis as isize)
}

/// One axis of what is printed.
struct Axis {
    shown: usize,
    /// Are items missing in the middle?
    cut: bool,
}

/// The text of one sub-array, whose words begin at `next`; `indent` is what its lines after the first
/// start with. As NumPy's `_formatArray`.
fn nested(axes: &[Axis], words: &Words, next: &mut usize, indent: &str, width: usize) -> String {
    let (axis, inner) = axes.split_first().expect("at least one axis");
    let mut text = String::from("[");
    if inner.is_empty() {
        let mut line = indent.to_string();
        for item in 0..axis.shown {
            if axis.cut && item == EDGE_ITEMS {
                extend(&mut text, &mut line, "...", indent, width);
                line.push(' ');
            }
            extend(&mut text, &mut line, &words.word(*next), indent, width);
            *next += 1;
            if item + 1 < axis.shown {
                line.push(' ');
            }
        }
        push_line(&mut text, &line, indent);
    } else {
        let separator = "\n".repeat(inner.len());
        let deeper = format!("{indent} ");
        for item in 0..axis.shown {
            if item > 0 {
                text += &separator;
                text += indent;
            }
            if axis.cut && item == EDGE_ITEMS {
                text += "...";
                text += &separator;
                text += indent;
            }
            text += &nested(inner, words, next, &deeper, width - 1);
        }
    }
    text.push(']');
    text
}

/// Adds a word to the line, or to a new one where it would not fit before the closing bracket.
fn extend(text: &mut String, line: &mut String, word: &str, indent: &str, width: usize) {
    // A line that holds nothing yet gains nothing by being wrapped.
    if line.len() + word.len() > width - 1 && line.len() > indent.len() {
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
