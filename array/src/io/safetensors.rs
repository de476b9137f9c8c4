//! safetensors: named arrays after a JSON header, read from untrusted bytes.
//!
//! Header and offsets are the well-kept crate's business (it checks that offsets follow each other without
//! gaps to the end of the file, and that shapes times sizes are their lengths); what is added here is the
//! meaning of dtypes and a sound byte in every bool. Memory is taken for no more than the file has. Writing
//! is deliberately absent, as are the 4-, 6- and 8-bit floats, which ndany has no dtype for.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};

use super::error::quoted;
use super::npy::try_zeroed;
use super::{DType, IoError, Raw, Result};

/// Decodes a whole file that lies in memory: its arrays in the order of their data.
///
/// # Errors
/// [`IoError::SafeTensors`] for a file that is not sound, [`IoError::Dtype`] for a dtype that ndany does
/// not have.
pub fn decode(bytes: &[u8]) -> Result<Vec<(String, Raw)>> {
    let unsound = |error: safetensors::SafeTensorError| IoError::SafeTensors(error.to_string());
    let file = SafeTensors::deserialize(bytes).map_err(unsound)?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(unsound)?;
    let array = |name: String| {
        let tensor = file.tensor(&name).map_err(unsound)?;
        let dtype = dtype_of(tensor.dtype()).ok_or_else(|| IoError::Dtype {
            got: quoted(format!("{:?}", tensor.dtype()).as_bytes()),
        })?;
        let mut data = try_zeroed(tensor.data().len())?;
        data.copy_from_slice(tensor.data());
        if dtype == DType::Bool {
            // Any other byte would be undefined further on.
            data.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Ok((name, Raw { dtype, shape: tensor.shape().to_vec(), data }))
    };
    metadata.offset_keys().into_iter().map(array).collect()
}

/// Reads the file at `path`.
///
/// # Errors
/// [`IoError::Open`], [`IoError::Read`], and as [`decode`].
pub fn load(path: &Path) -> Result<Vec<(String, Raw)>> {
    use std::io::Read;
    let mut file = super::npy::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(IoError::Read)?;
    decode(&bytes)
}

fn dtype_of(dtype: Dtype) -> Option<DType> {
    match dtype {
        Dtype::BOOL => Some(DType::Bool),
        Dtype::I8 => Some(DType::I8),
        Dtype::I16 => Some(DType::I16),
        Dtype::I32 => Some(DType::I32),
        Dtype::I64 => Some(DType::I64),
        Dtype::U8 => Some(DType::U8),
        Dtype::U16 => Some(DType::U16),
        Dtype::U32 => Some(DType::U32),
        Dtype::U64 => Some(DType::U64),
        Dtype::F16 => Some(DType::F16),
        Dtype::BF16 => Some(DType::BF16),
        Dtype::F32 => Some(DType::F32),
        Dtype::F64 => Some(DType::F64),
        Dtype::C64 => Some(DType::C64),
        // The crate's enum grows; what it may name besides has no dtype here.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of this header and data.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn reads_every_dtype_in_the_order_of_the_data() {
        let names = [
            ("BOOL", DType::Bool),
            ("U8", DType::U8),
            ("I16", DType::I16),
            ("F16", DType::F16),
            ("BF16", DType::BF16),
            ("I32", DType::I32),
            ("F64", DType::F64),
            ("C64", DType::C64),
        ];
        let (mut header, mut data) =
            (String::from("{\"__metadata__\":{\"by\":\"hand\"}"), Vec::new());
        for (position, (name, dtype)) in names.iter().enumerate() {
            let (start, end) = (data.len(), data.len() + 2 * dtype.size());
            header += &format!(
                ",\"{}\":{{\"dtype\":\"{name}\",\"shape\":[2,1],\"data_offsets\":[{start},{end}]}}",
                // Names in an order that is not that of the data.
                char::from(b'z' - position as u8)
            );
            data.extend((start..end).map(|byte| byte as u8));
        }
        header.push('}');
        let arrays = decode(&file(&header, &data)).expect("a sound file");
        assert_eq!(arrays.len(), names.len());
        let mut at = 0;
        for ((name, raw), (_, dtype)) in arrays.iter().zip(names) {
            assert_eq!((raw.dtype, raw.shape.as_slice()), (dtype, &[2, 1][..]), "{name}");
            let expected = &data[at..at + raw.data.len()];
            at += raw.data.len();
            match dtype {
                DType::Bool => assert_eq!(raw.data, [0, 1]),
                _ => assert_eq!(raw.data, expected, "{name}"),
            }
        }
    }

    #[test]
    fn refuses_hostile_files() {
        let entry = |dtype: &str, shape: &str, start: usize, end: usize| {
            format!(
                "{{\"a\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[{start},{end}]}}}}"
            )
        };
        let huge = format!("[{}, {}]", 1u64 << 40, 1u64 << 40);
        let hostile = [
            Vec::new(),
            vec![0xFF; 8],
            (u64::MAX).to_le_bytes().to_vec(),
            (1u64 << 40).to_le_bytes().to_vec(),
            file("{", &[]),
            file("[]", &[]),
            file(&entry("F32", "[2]", 0, 8), &[0; 4]),
            file(&entry("F32", "[2]", 0, 8), &[0; 12]),
            file(&entry("F32", "[3]", 0, 8), &[0; 8]),
            file(&entry("F32", &huge, 0, 8), &[0; 8]),
            file(&entry("F32", "[2]", 4, 12), &[0; 12]),
            file(&entry("F32", "[2]", 8, 0), &[0; 8]),
            file(&entry("F8_E4M3", "[2]", 0, 2), &[0; 2]),
            file(&entry("STRING", "[2]", 0, 2), &[0; 2]),
            file(&entry("F32", "[-1]", 0, 4), &[0; 4]),
            file(&"[".repeat(100_000), &[]),
        ];
        for (position, bytes) in hostile.iter().enumerate() {
            assert!(decode(bytes).is_err(), "{position}");
        }
    }
}
