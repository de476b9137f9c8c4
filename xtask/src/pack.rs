//! Packs golden cases into few files: beside each manifest one zip archive of the arrays that it names.
//!
//! The bytes are the same on every machine, and stay so when libraries are updated: no times, and a compressor of one
//! version (`=` in Cargo.toml) that computes with integers only.
//!
//! Git compresses and compares the archives again, for which all this is chosen: Huffman's codes are deflate's fixed
//! ones, so that what two entries have in common is the same bytes in both (a quarter less in the repository than with
//! codes of each entry's own); entries are in the order in which the manifest first names them, so that what is alike is
//! near; and none depends on another, so that a changed case is a small difference.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress,
    create_comp_flags_from_zip_params,
};

/// Why cases cannot be packed.
#[derive(Debug)]
pub(crate) enum PackError {
    /// A file or folder that cannot be read or written.
    File(PathBuf, std::io::Error),
    /// An archive whose lengths or counts do not fit the fields of zip.
    Large(PathBuf),
}

impl std::fmt::Display for PackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PackError::File(path, error) => write!(f, "{}: {error}", path.display()),
            PackError::Large(path) => write!(f, "{}: too large for a zip archive", path.display()),
        }
    }
}

/// Copies the manifest `folder/part.json` to `packed`, and the arrays that it names into `packed/part.zip`.
pub(crate) fn part(folder: &Path, part: &str, packed: &Path) -> Result<(), PackError> {
    let read = |path: PathBuf| std::fs::read(&path).map_err(|error| PackError::File(path, error));
    let write = |path: PathBuf, bytes: &[u8]| {
        std::fs::write(&path, bytes).map_err(|error| PackError::File(path, error))
    };
    let manifest = read(folder.join(part).with_extension("json"))?;
    let text = String::from_utf8_lossy(&manifest);
    let mut seen = HashSet::new();
    let names = arrays(&text).filter(|name| seen.insert(*name));
    let entries = names.map(|name| Ok((name, read(folder.join(name))?)));
    let entries = entries.collect::<Result<Vec<(&str, Vec<u8>)>, PackError>>()?;
    let path = packed.join(part).with_extension("zip");
    let bytes = archive(&entries).ok_or_else(|| PackError::Large(path.clone()))?;
    write(path, &bytes)?;
    write(packed.join(part).with_extension("json"), &manifest)
}

/// The paths of arrays in a part of a manifest, as often as they occur. The generator writes JSON without spaces.
pub(crate) fn arrays(manifest: &str) -> impl Iterator<Item = &str> {
    manifest.split("\"npy\":\"").skip(1).filter_map(|rest| rest.split('"').next())
}

/// A zip archive of these entries, each deflated where that makes it shorter. `None` where it does not fit the format.
fn archive(entries: &[(&str, Vec<u8>)]) -> Option<Vec<u8>> {
    // Of 1 January 1980, the first day that the format knows; regular files of Unix that everybody may read.
    const DAY: u16 = (1 << 5) | 1;
    const UNIX: u16 = 3 << 8;
    const MODE: u32 = 0o100644 << 16;
    const VERSION: u16 = 20;
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in entries {
        let (method, packed) = match deflate(bytes) {
            Some(deflated) => (8, deflated),
            None => (0, bytes.clone()),
        };
        // What the entry and the directory both say of it.
        let mut facts = Fields::default();
        facts.short([VERSION, 0, method, 0, DAY]).long([crc32fast::hash(bytes)]);
        facts.long([u32::try_from(packed.len()).ok()?, u32::try_from(bytes.len()).ok()?]);
        facts.short([u16::try_from(name.len()).ok()?, 0]);

        let mut record = Fields::default();
        record.long([0x0201_4b50]).short([UNIX | VERSION]).all(&facts.0);
        record.short([0, 0, 0]).long([MODE, u32::try_from(out.len()).ok()?]).all(name.as_bytes());
        directory.extend(record.0);

        let mut entry = Fields::default();
        entry.long([0x0403_4b50]).all(&facts.0).all(name.as_bytes()).all(&packed);
        out.extend(entry.0);
    }
    let count = u16::try_from(entries.len()).ok()?;
    let (start, length) = (u32::try_from(out.len()).ok()?, u32::try_from(directory.len()).ok()?);
    let mut end = Fields::default();
    end.long([0x0605_4b50]).short([0, 0, count, count]).long([length, start]).short([0]);
    out.extend(directory);
    out.extend(end.0);
    Some(out)
}

/// The bytes deflated, by fixed codes; `None` where that is not shorter.
fn deflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let flags = create_comp_flags_from_zip_params(9, 0, CompressionStrategy::Fixed as i32);
    let mut out = vec![0; bytes.len()];
    let compressor = &mut CompressorOxide::new(flags);
    let (status, _, length) = compress(compressor, bytes, &mut out, TDEFLFlush::Finish);
    out.truncate(length);
    // It is not done where there is no more room.
    (status == TDEFLStatus::Done && length < bytes.len()).then_some(out)
}

/// Little-endian fields, one after the other.
#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn short<const N: usize>(&mut self, values: [u16; N]) -> &mut Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    fn long<const N: usize>(&mut self, values: [u32; N]) -> &mut Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    fn all(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ndany::io::{npy, npz};
    use ndany::{DType, Result};

    use super::*;

    /// The bytes of an `.npy` file.
    fn npy(values: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        npy::encode(&mut out, DType::U8, &[values.len()], values).expect("a vector grows");
        out
    }

    /// Bytes without a pattern that deflate finds.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(0x915f_77f5).wrapping_add(0x9e37_79b9);
            (state >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn an_archive_is_read_by_another_reader() -> Result<()> {
        let values: [Vec<u8>; 3] = [vec![7; 1000], noise(40_000), vec![]];
        let names = ["data/a.npy", "data/b.npy", "data/c.npy"];
        let entries: Vec<_> = names.into_iter().zip(values.iter().map(|data| npy(data))).collect();
        let bytes = archive(&entries).expect("small");
        let mut reader = npz::Reader::new(Cursor::new(&bytes)).expect("a sound archive");
        assert_eq!(reader.names(), ["data/a", "data/b", "data/c"]);
        for (name, values) in names.into_iter().zip(&values) {
            assert_eq!(&reader.read(name).expect(name).data, values);
        }
        assert!((40_000..42_000).contains(&bytes.len()), "{} bytes", bytes.len());
        Ok(())
    }

    #[test]
    fn the_compressor_and_the_container_make_the_same_bytes_for_ever() {
        let text = b"sums of products of sums of products of differences ".repeat(40);
        let bytes = archive(&[("data/text", text), ("data/noise", noise(500))]).expect("small");
        assert_eq!(
            (bytes.len(), crc32fast::hash(&bytes)),
            (764, 0x3a7d_312c),
            "golden data change with this"
        );
    }

    #[test]
    fn a_part_holds_what_its_manifest_names() {
        let folder = std::env::temp_dir().join(format!("ndany-pack-{}", std::process::id()));
        let packed = folder.join("packed");
        std::fs::create_dir_all(folder.join("data")).expect("writable");
        std::fs::create_dir_all(&packed).expect("writable");
        for name in ["a", "b", "other"] {
            std::fs::write(folder.join(format!("data/{name}.npy")), npy(b"123")).expect("writable");
        }
        let manifest = r#"{"args":[{"npy":"data/b.npy"},{"npy":"data/b.npy"}],"expected":{"npy":"data/a.npy"}}"#;
        std::fs::write(folder.join("some.json"), manifest).expect("writable");
        part(&folder, "some", &packed).expect("packs");
        let again = std::fs::read_to_string(packed.join("some.json")).expect("there");
        assert_eq!(again, manifest);
        let reader = npz::Reader::open(&packed.join("some.zip")).expect("a sound archive");
        assert_eq!(reader.names(), ["data/b", "data/a"]);

        std::fs::write(folder.join("some.json"), manifest.replace("a.npy", "c.npy"))
            .expect("writable");
        let error = part(&folder, "some", &packed).expect_err("there is no such file").to_string();
        assert!(error.contains("c.npy"), "{error}");
        std::fs::remove_dir_all(&folder).expect("there");
    }
}
