//! Arrays in NumPy's files: `.npy`, one array a file, and `.npz`, named arrays in an archive.
//!
//! The formats are `crate::io`'s business; here their bytes become arrays of the thread's current device
//! and back. Nothing is memory-mapped, and a path is taken as it stands (`np.save` adds an extension).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::array::Array;
use crate::device::Device;
#[cfg(feature = "npz")]
use crate::io::npz;
use crate::io::{Compression, IoError, Raw, npy};
use ndany_core::Result;

/// Reads a `.npy` file onto the thread's current device, as `np.load(path, allow_pickle=False)`.
///
/// It takes any of the dtypes, in either byte order, in C or Fortran order. Memory is taken only when header and length agree.
///
/// - **Shapes**: the file's.
/// - **Dtypes**: the file's.
/// - **Errors**: [`Error::Io`](crate::Error::Io): a file that does not open, or is no sound file of a supported dtype; no
///   memory on the device.
///
/// ```
/// use ndany::{arange, io};
/// let path = std::env::temp_dir().join(format!("ndany-load-{}.npy", std::process::id()));
/// let a = arange(6).reshape([2, 3]).transpose(..);
/// io::save(&path, &a)?;
/// assert!(io::load(&path)?.array_equal(&a)?);
/// std::fs::remove_file(&path).expect("just written");
/// assert_eq!(io::load(&path).expect_err("gone").class(), "OSError");
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Array> {
    of_stored(&npy::load_stored(path.as_ref())?)
}

/// Writes a `.npy` file, byte for byte as `np.save`; in Fortran order where the array lies so.
///
/// - **Errors**: what failed on the way to the values, a file that cannot be made or written.
///
/// ```
/// use ndany::prelude::*;
/// let path = std::env::temp_dir().join(format!("ndany-save-{}.npy", std::process::id()));
/// io::save(&path, array([1, 2]))?;
/// assert_eq!(io::load(&path)?.to_string(), "[1 2]");
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn save(path: impl AsRef<Path>, array: impl AsRef<Array>) -> Result<()> {
    let array = array.as_ref();
    let (fortran, bytes) = to_store(array)?;
    let mut file = create(path.as_ref())?;
    npy::encode_in(&mut file, array.dtype(), array.shape(), fortran, &bytes)?;
    Ok(file.flush().map_err(IoError::Write)?)
}

/// Reads all arrays of an `.npz` archive onto the thread's current device, as `np.load` and reading each name.
///
/// The arrays come in the archive's order. A compressed entry of more than 1 GiB is refused; `io::npz::Reader` can raise that limit
/// and read single entries.
///
/// - **Shapes**: the file's.
/// - **Dtypes**: the file's.
/// - **Errors**: [`Error::Io`](crate::Error::Io): a file that does not open, is no sound archive, or holds an entry that
///   is no array; no memory on the device; [`Error::Unsupported`](crate::Error::Unsupported): the feature `npz` is off.
///
/// ```
/// use ndany::{Array, io};
/// let path = std::env::temp_dir().join(format!("ndany-load-{}.npz", std::process::id()));
/// let (weights, bias) = (Array::from([[0.5f32, 1.0], [1.5, 2.0]]), Array::from([0.25f32, -0.25]));
/// io::save_npz(&path, &[("weights", &weights), ("bias", &bias)], io::Compression::Deflated)?;
///
/// let arrays = io::load_npz(&path)?;
/// assert_eq!(arrays[1].0, "bias");
/// assert_eq!(arrays[1].1.to_vec::<f32>()?, [0.25, -0.25]);
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[cfg(feature = "npz")]
pub fn load_npz(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>> {
    let mut archive = npz::Reader::open(path.as_ref())?;
    let names = archive.names().to_vec();
    names
        .into_iter()
        .map(|name| Ok((name.clone(), of_stored(&archive.read_stored(&name)?)?)))
        .collect()
}

/// Writes named arrays into an `.npz` archive, as `np.savez` and `np.savez_compressed`.
///
/// [`Compression::Stored`] or [`Compression::Deflated`]. The same arrays make the same file: no times are written.
///
/// - **Errors**: what failed on the way to the values, a name given twice, a file that cannot be made or written;
///   [`Error::Unsupported`](crate::Error::Unsupported): the feature `npz` is off.
///
/// ```
/// use ndany::prelude::*;
/// let path = std::env::temp_dir().join(format!("ndany-save-{}.npz", std::process::id()));
/// io::save_npz(&path, &[("a", &array([1, 2]))], Compression::Stored)?;
/// assert_eq!(io::load_npz(&path)?[0].1.to_string(), "[1 2]");
/// # std::fs::remove_file(&path).expect("just written");
/// # Ok::<(), ndany::Error>(())
/// ```
#[cfg(feature = "npz")]
#[track_caller]
pub fn save_npz(
    path: impl AsRef<Path>,
    arrays: &[(&str, &Array)],
    compression: Compression,
) -> Result<()> {
    let mut archive = npz::Writer::new(create(path.as_ref())?, compression);
    for (name, array) in arrays {
        let (fortran, bytes) = to_store(array)?;
        archive.add_in(name, array.dtype(), array.shape(), fortran, &bytes)?;
    }
    Ok(archive.finish()?.flush().map_err(IoError::Write)?)
}

/// Reads no `.npz` archive, because the feature `npz` is off.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported), which names the feature.
#[cfg(not(feature = "npz"))]
pub fn load_npz(_: impl AsRef<Path>) -> Result<Vec<(String, Array)>> {
    Err(without_npz("load_npz"))
}

/// Writes no `.npz` archive, because the feature `npz` is off.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported), which names the feature.
#[cfg(not(feature = "npz"))]
pub fn save_npz(_: impl AsRef<Path>, _: &[(&str, &Array)], _: Compression) -> Result<()> {
    Err(without_npz("save_npz"))
}

#[cfg(not(feature = "npz"))]
fn without_npz(op: &str) -> ndany_core::Error {
    let reason = "npz archives need the feature \"npz\" of the crate ndany, which is off";
    ndany_core::Error::Unsupported { op: op.to_string(), reason: reason.to_string() }
}

/// Reads all arrays of a safetensors file onto the thread's current device, in the order of their data.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io): the file does not open, is not sound, or holds an array of a dtype that
/// ndany does not have (8-bit floats and smaller). No memory on the device.
#[cfg(feature = "safetensors")]
pub fn load_safetensors(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>> {
    let arrays = crate::io::safetensors::load(path.as_ref())?;
    arrays.into_iter().map(|(name, raw)| Ok((name, of_raw(&raw)?))).collect()
}

/// The elements as they lie, in Fortran order where that is how the array lies and not in C order.
#[track_caller]
fn to_store(array: &Array) -> Result<(bool, Vec<u8>)> {
    let fortran = array.is_f_contiguous() && !array.is_c_contiguous();
    let bytes = if fortran { array.try_transpose(..)?.to_bytes()? } else { array.to_bytes()? };
    Ok((fortran, bytes))
}

/// An array as a file holds it: in Fortran order, the transpose of what was read.
fn of_stored((raw, fortran): &(Raw, bool)) -> Result<Array> {
    let array = of_raw(raw)?;
    if *fortran { array.try_transpose(..) } else { Ok(array) }
}

fn of_raw(raw: &Raw) -> Result<Array> {
    Array::from_bytes(raw.dtype, &raw.shape, &raw.data, &Device::current())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file =
        File::create(path).map_err(|source| IoError::Create { path: path.into(), source })?;
    Ok(BufWriter::new(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arange;

    #[test]
    fn files_keep_the_order() {
        let _guard = Device::open("reference").expect("always there").enter();
        let path = std::env::temp_dir().join(format!("ndany-order-{}.npy", std::process::id()));
        let a = arange(6).reshape([2, 3]);
        for (array, fortran) in
            [(a.clone(), false), (a.asfortranarray(), true), (a.transpose(..), true)]
        {
            save(&path, &array).expect("written");
            let bytes = std::fs::read(&path).expect("there");
            let flag: &[u8] =
                if fortran { b"'fortran_order': True" } else { b"'fortran_order': False" };
            assert!(bytes.windows(flag.len()).any(|window| window == flag));
            let back = load(&path).expect("read");
            assert_eq!(back.is_f_contiguous(), fortran);
            assert!(back.array_equal(&array).expect("equal shapes"));
            let archive = path.with_extension("npz");
            for compression in [Compression::Stored, Compression::Deflated] {
                save_npz(&archive, &[("a", &array)], compression).expect("written");
                let back = load_npz(&archive).expect("read").remove(0).1;
                assert_eq!(back.is_f_contiguous(), fortran);
                assert!(back.array_equal(&array).expect("equal shapes"));
            }
            std::fs::remove_file(archive).expect("just written");
        }
        std::fs::remove_file(path).expect("just written");
    }

    #[test]
    fn errors_name_the_file_and_the_entry() {
        let _guard = Device::open("reference").expect("always there").enter();
        let nowhere = std::env::temp_dir().join("ndany-no-such-folder/a.npy");
        let a = arange(3);
        let error = save(&nowhere, &a).expect_err("no folder");
        assert!(error.to_string().starts_with("[save] "), "{error}");
        assert!(error.to_string().contains("ndany-no-such-folder"), "{error}");
        let path = std::env::temp_dir().join(format!("ndany-twice-{}.npz", std::process::id()));
        let error = save_npz(&path, &[("a", &a), ("a.npy", &a)], Compression::Stored)
            .expect_err("a name twice");
        assert!(error.to_string().contains("repeats a name"), "{error}");
        std::fs::remove_file(path).expect("begun");
    }
}
