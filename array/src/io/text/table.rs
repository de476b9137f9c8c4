//! Lines and fields.

use super::super::Raw;
use super::{TableFormat, number};
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Kind, Result};

fn wrong(op: &'static str, line: usize, reason: String) -> Error {
    Error::Text { op, line, reason }
}

/// The numbers of a table: rows and columns, of which `lenient` (as `genfromtxt`) fills those that are missing.
pub(crate) fn read(
    op: &'static str,
    text: &str,
    format: &TableFormat,
    lenient: bool,
) -> Result<Raw> {
    let mut data = Vec::new();
    // Where each row's bytes begin, so that those at the end can be dropped.
    let mut starts = Vec::new();
    let mut expected = None;
    // Rows with other counts of fields, of which the last may belong to what is dropped at the end.
    let mut invalid = Vec::new();
    for (position, line) in text.lines().enumerate().skip(format.skip_rows) {
        if format.rows.is_some_and(|most| starts.len() == most) {
            break;
        }
        let line = without_comment(line, format);
        let fields: Vec<&str> = match &format.delimiter {
            _ if line.is_empty() => continue,
            None => line.split_whitespace().collect(),
            Some(delimiter) => line.split(delimiter.as_str()).map(str::trim).collect(),
        };
        if fields.is_empty() || lenient && line.trim_matches(' ').is_empty() {
            continue;
        }
        let (number, count) = (position + 1, fields.len());
        let first = *expected.get_or_insert(count);
        let chosen = match &format.columns {
            None if count != first => Err(format!("{count} fields, and {first} in the first row")),
            None => Ok(fields),
            Some(columns) => {
                let from = if lenient { first } else { count };
                columns.iter().map(|&column| field(&fields, column, from)).collect()
            }
        };
        let chosen = match chosen {
            Ok(chosen) => chosen,
            Err(reason) if lenient => {
                invalid.push((number, reason));
                continue;
            }
            Err(reason) => return Err(wrong(op, number, reason)),
        };
        starts.push(data.len());
        for (column, field) in chosen.iter().enumerate() {
            let value = match lenient {
                false => number::strict(field, format.dtype),
                true => number::lenient(field, format.dtype)
                    .or_else(|| substitute(field, column, format)),
            };
            let Some(value) = value else {
                let dtype = format.dtype;
                let reason = format!("{:?} in column {column} is no {dtype}", shortened(field));
                return Err(wrong(op, number, reason));
            };
            number::push(op, value, format.dtype, &mut data)?;
        }
    }
    let body = (starts.len() + invalid.len()).saturating_sub(format.skip_footer) + format.skip_rows;
    let of_footer =
        invalid.iter().filter(|(number, _)| *number > body).count().min(format.skip_footer);
    invalid.truncate(invalid.len() - of_footer);
    if let Some((number, reason)) = invalid.into_iter().next().filter(|_| !format.drop_invalid) {
        return Err(wrong(op, number, reason));
    }
    let kept = starts.len().saturating_sub(format.skip_footer - of_footer);
    data.truncate(starts.get(kept).copied().unwrap_or(data.len()));
    let columns = match &format.columns {
        Some(columns) => columns.len(),
        None => expected.unwrap_or(1),
    };
    Ok(Raw { dtype: format.dtype, shape: vec![kept, columns], data })
}

fn without_comment<'a>(line: &'a str, format: &TableFormat) -> &'a str {
    let begins = format.comments.iter().filter(|mark| !mark.is_empty());
    let end = begins.filter_map(|mark| line.find(mark.as_str())).min().unwrap_or(line.len());
    line[..end].trim_end_matches(['\r', '\n'])
}

fn field<'a>(
    fields: &[&'a str],
    column: isize,
    count: usize,
) -> std::result::Result<&'a str, String> {
    let at = if column < 0 { column + count as isize } else { column };
    let found = usize::try_from(at).ok().and_then(|at| fields.get(at)).copied();
    found.ok_or_else(|| format!("no column {column} among {} fields", fields.len()))
}

/// What stands for a field that is missing.
fn substitute(field: &str, column: usize, format: &TableFormat) -> Option<Scalar> {
    if let Some(missing) = &format.missing
        && !field.is_empty()
        && !missing.iter().any(|text| text == field)
    {
        return None;
    }
    let given = match format.fill.as_slice() {
        [one] => Some(*one),
        many => many.get(column).copied(),
    };
    Some(given.unwrap_or_else(|| match format.dtype.kind() {
        Kind::Bool => Scalar::from(false),
        Kind::Int => Scalar::from(-1),
        Kind::Float => Scalar::from(f64::NAN),
        Kind::Complex => Scalar::weak_complex(f64::NAN, 0.0),
    }))
}

/// A field for an error: texts are untrusted, and may be long.
fn shortened(field: &str) -> String {
    field.chars().take(40).collect()
}

/// Numbers between separators, in which white space stands for any amount of it.
pub(crate) fn read_separated(
    op: &'static str,
    text: &str,
    separator: &str,
    dtype: DType,
    most: Option<usize>,
) -> Result<Raw> {
    let mark = separator.trim();
    let mut fields: Vec<&str> = match mark {
        "" => text.split_whitespace().collect(),
        mark => text.split(mark).map(str::trim).collect(),
    };
    // A separator may stand at the end, and nothing at all is no field.
    if fields.last().is_some_and(|field| field.is_empty()) {
        fields.pop();
    }
    let mut data = Vec::new();
    let count = most.unwrap_or(usize::MAX).min(fields.len());
    for field in &fields[..count] {
        let value = number::strict(field, dtype).ok_or_else(|| {
            let line =
                1 + text[..field.as_ptr() as usize - text.as_ptr() as usize].matches('\n').count();
            wrong(op, line, format!("{:?} is no {dtype}", shortened(field)))
        })?;
        number::push(op, value, dtype, &mut data)?;
    }
    Ok(Raw { dtype, shape: vec![count], data })
}
