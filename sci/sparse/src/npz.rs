//! Sparse arrays in `.npz` archives, as SciPy writes and reads them. What a file says is checked as parts are that a program gives.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use ndany_array::io::{Compression, IoError, Raw, npz};
use ndany_array::{Array, DType, Device, Error, Result, attempt};

use crate::array::{Format, Sparse, Storage};

/// Writes a sparse array, as `scipy.sparse.save_npz`; SciPy reads the file.
///
/// - **Errors**: [`Error::Io`]: the file cannot be written.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[0.0, 5.0], [7.0, 0.0]]), ..);
/// let path = std::env::temp_dir().join(format!("ndany-doc-{}.npz", std::process::id()));
/// sparse::save_npz(&path, &a, ndany::Compression::Deflated)?;
/// assert_eq!(sparse::load_npz(&path)?.to_dense().to_string(), "[[0. 5.]\n [7. 0.]]");
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn save_npz(path: impl AsRef<Path>, array: &Sparse, compression: Compression) -> Result<()> {
    let path = path.as_ref();
    let file =
        File::create(path).map_err(|source| IoError::Create { path: path.into(), source })?;
    let mut archive = npz::Writer::new(BufWriter::new(file), compression);
    let mut add = |name: &str, part: &Array| -> Result<()> {
        Ok(archive.add(name, part.dtype(), part.shape(), &part.to_bytes()?)?)
    };
    match &array.storage {
        Storage::Compressed { indptr, indices, data, .. }
        | Storage::Blocks { indptr, indices, data } => {
            add("indices", indices)?;
            add("indptr", indptr)?;
            add("data", data)?;
        }
        Storage::Coordinates { rows, columns, data } => {
            add("row", rows)?;
            add("col", columns)?;
            add("data", data)?;
        }
        Storage::Diagonals { offsets, data } => {
            let offsets: Vec<i64> = offsets.to_vec();
            add("offsets", &Array::from_slice(&offsets, offsets.len()))?;
            add("data", data)?;
        }
    }
    archive.add_bytes("format", &text(array.format()))?;
    let shape = array.shape().map(|extent| extent as i64);
    let bytes: Vec<u8> = shape.iter().flat_map(|extent| extent.to_le_bytes()).collect();
    archive.add("shape", DType::I64, &[2], &bytes)?;
    archive.add("_is_array", DType::Bool, &[], &[1])?;
    Ok(archive.finish()?.flush().map_err(IoError::Write)?)
}

/// Reads a sparse array onto the current device, as `scipy.sparse.load_npz`.
///
/// - **Dtypes**: those of the file.
/// - **Errors**: [`Error::Io`]: the file does not open, or is not sound; parts that do not go together.
///
/// ```
/// assert!(ndany::sparse::load_npz("no such file.npz").is_err());
/// ```
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>) -> Result<Sparse> {
    let mut archive = npz::Reader::open(path.as_ref())?;
    let format = archive.read_bytes("format")?;
    let wrong = |reason: String| Error::ArgumentValue { op: "load_npz".to_string(), reason };
    let formats = [Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr];
    let is_format =
        |known: &&Format| format_of(&format).is_some_and(|name| name == known.to_string());
    let Some(&format) = formats.iter().find(is_format) else {
        return Err(wrong("the entry format is none of csr, csc, coo, dia and bsr".to_string()));
    };
    let mut read = |name: &str| -> Result<Array> {
        let Raw { dtype, shape, data } = archive.read(name)?;
        Array::from_bytes(dtype, &shape, &data, &Device::current())
    };
    let shape = read("shape")?;
    let is_shape = shape.shape() == [2] && shape.dtype().kind() == ndany_array::Kind::Int;
    let extents: Vec<i64> = match is_shape {
        true => shape.astype(DType::I64).to_vec()?,
        false => return Err(wrong("the entry shape is not two integers".to_string())),
    };
    let extent = |number: usize| {
        let extent = extents[number];
        // Sums of two extents stay within 64 bits.
        match usize::try_from(extent) {
            Ok(size) if extent <= i64::MAX / 4 => Ok(size),
            _ => Err(wrong(format!("an extent of {extent}"))),
        }
    };
    let shape = [extent(0)?, extent(1)?];
    let data = read("data")?;
    // Parts are checked where they become an array.
    match format {
        Format::Csr | Format::Csc | Format::Bsr => {
            let (indices, indptr) = (read("indices")?, read("indptr")?);
            let parts = (data, indices, indptr);
            attempt(|| match format {
                Format::Csr => crate::csr_array(parts, shape),
                Format::Csc => crate::csc_array(parts, shape),
                _ => crate::bsr_array(parts, shape),
            })
        }
        Format::Coo => {
            let (rows, columns) = (read("row")?, read("col")?);
            attempt(|| crate::coo_array((data, (rows, columns)), shape))
        }
        Format::Dia => {
            let offsets = read("offsets")?;
            if offsets.ndim() != 1 || offsets.dtype().kind() != ndany_array::Kind::Int {
                return Err(wrong("offsets: expected integers along one axis".to_string()));
            }
            let offsets: Vec<i64> = offsets.astype(DType::I64).to_vec()?;
            // Beyond the array there is nothing, and sums of offsets and extents stay within 64 bits.
            let most = shape[0].max(shape[1]) as i64;
            if let Some(beyond) = offsets.iter().find(|offset| offset.unsigned_abs() > most as u64)
            {
                return Err(wrong(format!("offsets: expected -{most} to {most}, got {beyond}")));
            }
            attempt(|| crate::dia_array((data, offsets), shape))
        }
    }
}

/// The `.npy` file of a text of three bytes without axes, as NumPy writes `b"csr"`.
fn text(format: Format) -> Vec<u8> {
    let mut header = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }".to_string();
    // The data begin at a multiple of 64 bytes.
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(format.to_string().as_bytes());
    file
}

/// The text of such a file: bytes, or characters of four bytes, as old versions of SciPy wrote them.
fn format_of(file: &[u8]) -> Option<String> {
    let rest = file.strip_prefix(b"\x93NUMPY")?;
    let (version, rest) = rest.split_at_checked(2)?;
    let width = if version[0] == 1 { 2 } else { 4 };
    let (length, rest) = rest.split_at_checked(width)?;
    let length = length.iter().rev().fold(0usize, |length, &byte| length << 8 | usize::from(byte));
    let (header, data) = rest.split_at_checked(length)?;
    let header = std::str::from_utf8(header).ok()?;
    let characters = match () {
        () if header.contains("'|S3'") && data.len() == 3 => data.to_vec(),
        () if header.contains("'<U3'") && data.len() == 12 => {
            let character = |bytes: &[u8]| (bytes[1..] == [0; 3]).then_some(bytes[0]);
            data.chunks(4).map(character).collect::<Option<Vec<u8>>>()?
        }
        () => return None,
    };
    String::from_utf8(characters).ok()
}
