//! A small, careful reader of `.npy` files of the fifteen dtypes, versions 1 to 3, little-endian.
//!
//! The judge reads its own data, apart from the engine's reader, so that a mistake there cannot hide.
//! `<V2` is bfloat16: ml_dtypes saves it so, as NumPy has no name for it. Big-endian, structured and
//! object dtypes are refused. Every length is checked before it is used.

use crate::host::{Dtype, HostArray};

/// Why bytes are not an array.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum NpyError {
    #[error("not an npy file: bad magic")]
    Magic,
    #[error("npy version {0}.{1} is not known")]
    Version(u8, u8),
    #[error("the file ends inside its header")]
    Truncated,
    #[error("the header is not text")]
    NotText,
    #[error("the header has no {0}")]
    MissingKey(&'static str),
    #[error("dtype {0:?} is not one of the fifteen")]
    Descr(String),
    #[error("bad fortran_order")]
    Order,
    #[error("bad shape {0:?}")]
    Shape(String),
    #[error("shape {shape:?} of {dtype} needs {expected:?} bytes, the file has {got}")]
    Length { shape: Vec<usize>, dtype: Dtype, expected: Option<usize>, got: usize },
}

/// The array in the bytes of an `.npy` file, in C order.
pub fn decode(file: &[u8]) -> Result<HostArray, NpyError> {
    let rest = file.strip_prefix(b"\x93NUMPY").ok_or(NpyError::Magic)?;
    let (&[major, minor], rest) = rest.split_first_chunk::<2>().ok_or(NpyError::Truncated)?;
    let (length, rest) = match major {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or(NpyError::Truncated)?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or(NpyError::Truncated)?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err(NpyError::Version(major, minor)),
    };
    let (header, data) = rest.split_at_checked(length).ok_or(NpyError::Truncated)?;
    let header = std::str::from_utf8(header).map_err(|_| NpyError::NotText)?;
    let dtype = dtype_of(quoted(value_of(header, "descr")?)?)?;
    let fortran = match value_of(header, "fortran_order")? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => return Err(NpyError::Order),
    };
    let shape = shape_of(value_of(header, "shape")?)?;
    let expected = shape.iter().try_fold(dtype.size(), |size, &extent| size.checked_mul(extent));
    if expected != Some(data.len()) {
        return Err(NpyError::Length { shape, dtype, expected, got: data.len() });
    }
    let bytes = if fortran { to_c_order(data, &shape, dtype.size()) } else { data.to_vec() };
    HostArray::new(dtype, shape, bytes).map_err(|_| NpyError::Truncated)
}

/// The text after a key of the header, which is a Python dictionary literal.
fn value_of<'a>(header: &'a str, key: &'static str) -> Result<&'a str, NpyError> {
    let at = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|quoted| header.find(quoted.as_str()).map(|start| start + quoted.len()))
        .ok_or(NpyError::MissingKey(key))?;
    Ok(header[at..].trim_start().strip_prefix(':').ok_or(NpyError::MissingKey(key))?.trim_start())
}

fn quoted(text: &str) -> Result<&str, NpyError> {
    let bad = || NpyError::Descr(text.chars().take(40).collect());
    let inner = text.strip_prefix('\'').ok_or_else(bad)?;
    Ok(&inner[..inner.find('\'').ok_or_else(bad)?])
}

fn dtype_of(descr: &str) -> Result<Dtype, NpyError> {
    Ok(match descr {
        "|b1" | "?" => Dtype::Bool,
        "|i1" => Dtype::Int8,
        "<i2" => Dtype::Int16,
        "<i4" => Dtype::Int32,
        "<i8" => Dtype::Int64,
        "|u1" => Dtype::Uint8,
        "<u2" => Dtype::Uint16,
        "<u4" => Dtype::Uint32,
        "<u8" => Dtype::Uint64,
        "<f2" => Dtype::Float16,
        "<V2" | "|V2" | "bfloat16" => Dtype::Bfloat16,
        "<f4" => Dtype::Float32,
        "<f8" => Dtype::Float64,
        "<c8" => Dtype::Complex64,
        "<c16" => Dtype::Complex128,
        other => return Err(NpyError::Descr(other.chars().take(40).collect())),
    })
}

fn shape_of(text: &str) -> Result<Vec<usize>, NpyError> {
    let bad = || NpyError::Shape(text.chars().take(60).collect());
    let inner = text.strip_prefix('(').ok_or_else(bad)?;
    let inner = inner[..inner.find(')').ok_or_else(bad)?].trim();
    if inner.is_empty() {
        return Ok(Vec::new());
    }
    let shape: Option<Vec<usize>> = inner
        .strip_suffix(',')
        .unwrap_or(inner)
        .split(',')
        .map(|extent| extent.trim().trim_end_matches('L').parse().ok())
        .collect();
    shape.filter(|shape| shape.len() <= 64).ok_or_else(bad)
}

fn to_c_order(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0usize; shape.len()];
    for _ in 0..data.len() / size {
        // Horner from the last axis: Fortran order runs fastest along the first.
        let at = index.iter().zip(shape).rev().fold(0, |at, (&i, &extent)| at * extent + i);
        out.extend_from_slice(&data[at * size..(at + 1) * size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn good_files() {
        let header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let data: Vec<u8> = [1u16, 4, 2, 5, 3, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
        let array = decode(&file(header, &data)).expect("reads");
        assert_eq!(array.part_bits().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        let scalar = "{'descr': '<V2', 'fortran_order': False, 'shape': (), }";
        assert_eq!(decode(&file(scalar, &[0x80, 0x3f])).expect("reads").dtype(), Dtype::Bfloat16);
        let empty = "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }";
        assert_eq!(decode(&file(empty, &[])).expect("reads").len(), 0);
    }

    #[test]
    fn hostile_files_are_errors() {
        let good = file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", &[1, 2, 3, 4]);
        assert!(decode(&good).is_ok());
        for end in 0..good.len() {
            assert!(decode(&good[..end]).is_err(), "cut at {end}");
        }
        let long = [good.as_slice(), &[0]].concat();
        assert!(matches!(decode(&long), Err(NpyError::Length { .. })));
        let bad = |header: &str| decode(&file(header, &[0; 8])).expect_err("refused");
        let shaped = |shape: &str| {
            bad(&format!("{{'descr': '<i2', 'fortran_order': False, 'shape': {shape}, }}"))
        };
        assert!(matches!(shaped("(-1,)"), NpyError::Shape(_)));
        assert!(matches!(shaped("(18446744073709551616,)"), NpyError::Shape(_)));
        assert!(matches!(
            shaped("(9223372036854775807, 9223372036854775807)"),
            NpyError::Length { .. }
        ));
        assert!(matches!(shaped("(9223372036854775807, 0)"), NpyError::Length { .. }));
        assert!(matches!(shaped("(4"), NpyError::Shape(_)));
        assert!(matches!(shaped("4"), NpyError::Shape(_)));
        assert!(matches!(shaped("(,)"), NpyError::Shape(_)));
        assert!(matches!(shaped(&format!("({})", "1,".repeat(65))), NpyError::Shape(_)));
        let typed = |descr: &str| {
            bad(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (4,), }}"))
        };
        for descr in ["'>i2'", "'|O'", "[('a', '<i2')]", "'<i2", "<i2", "'<U3'", "'é'"] {
            assert!(matches!(typed(descr), NpyError::Descr(_)), "{descr}");
        }
        assert_eq!(bad("{'fortran_order': False, 'shape': (4,), }"), NpyError::MissingKey("descr"));
        assert_eq!(bad("{'descr': '<i2', 'fortran_order': 1, 'shape': (4,), }"), NpyError::Order);
        assert_eq!(decode(b"\x93NUMPY\x09\x00\x00\x00"), Err(NpyError::Version(9, 0)));
        assert_eq!(decode(b"PK\x03\x04"), Err(NpyError::Magic));
        let mut not_text = good;
        not_text[12] = 0xff;
        assert_eq!(decode(&not_text), Err(NpyError::NotText));
    }
}
