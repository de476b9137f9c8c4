//! `.npz`: named arrays in a zip archive, read one by one and written stored or deflated.
//!
//! The archive itself is the business of the zip crate (MIT, last release 9.4.1 of November 2026;
//! of its features only deflate, in Rust). Memory for its index is bounded by the directory that
//! is in the file: some five times its bytes, and at most 11 MB for what a lying entry count
//! reserves. What an entry declares about its size is held against the archive's length, the .npy
//! header inside and the most that deflate can do, before memory is taken for the array;
//! compressed data gets memory as it arrives. A name is a key and never a path.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use zip::read::{ArchiveOffset, Config};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

pub use super::Compression;
use super::error::quoted;
use super::{DType, IoError, Raw, Result, npy};

/// What [`Reader::inflate_limit`] is at first: 1 GiB.
pub const INFLATE_LIMIT: u64 = 1 << 30;

/// Reads the arrays of an archive by name. Follows `np.load(path, allow_pickle=False)`.
///
/// A name is the entry's without `.npy`. Entries that are no arrays are listed by their whole name,
/// and reading one is an error.
///
/// ```
/// use ndany::{DType, io::npz};
/// let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new()), npz::Compression::Deflated);
/// writer.add("weights", DType::U8, &[2], &[7, 8])?;
/// let file = writer.finish()?;
///
/// let mut reader = npz::Reader::new(file)?;
/// assert_eq!(reader.names(), ["weights"]);
/// assert_eq!(reader.read("weights")?.data, [7, 8]);
/// # Ok::<(), ndany::io::IoError>(())
/// ```
pub struct Reader<R> {
    archive: ZipArchive<R>,
    /// In the order of the archive.
    names: Vec<String>,
    /// Indices into `names`, sorted by name.
    sorted: Vec<usize>,
    length: u64,
    inflate_limit: u64,
}

impl Reader<BufReader<File>> {
    /// Opens the archive at `path`, as `np.load` of an `.npz` file.
    ///
    /// - **Errors**: [`IoError::Open`], and those of [`Reader::new`].
    ///
    /// ```
    /// use ndany::io::npz;
    /// assert!(npz::Reader::open(std::path::Path::new("no such file.npz")).is_err());
    /// ```
    pub fn open(path: &Path) -> Result<Self> {
        Self::new(BufReader::new(npy::open(path)?))
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the directory of an archive that begins at the source's start.
    ///
    /// - **Errors**: [`IoError::Archive`] when this is no sound zip archive; [`IoError::RepeatedName`] when two entries have
    ///   one name; [`IoError::Read`].
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// assert_eq!(npz::Reader::new(file.finish()?)?.read("a")?.data, [1, 2]);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn new(mut source: R) -> Result<Self> {
        let length = source.seek(SeekFrom::End(0)).map_err(IoError::Read)?;
        // A fixed offset keeps the crate from searching the whole file for a directory.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let archive = ZipArchive::with_config(config, source).map_err(archive_error)?;

        let mut names = Vec::with_capacity(archive.len());
        for name in archive.file_names() {
            let name = name.map_err(archive_error)?;
            names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_unstable_by(|&a, &b| names[a].cmp(&names[b]));
        let repeated = sorted.windows(2).find(|pair| names[pair[0]] == names[pair[1]]);
        if let Some(pair) = repeated {
            return Err(IoError::RepeatedName { name: quoted(names[pair[0]].as_bytes()) });
        }
        // The crate keeps one entry of each whole name, and knows only that there were more.
        if archive.has_duplicate_names() {
            return Err(IoError::RepeatedName { name: "one of the names".to_owned() });
        }
        Ok(Self { archive, names, sorted, length, inflate_limit: INFLATE_LIMIT })
    }

    /// Returns the names of the entries, in the order of the archive, as `NpzFile.files` of NumPy.
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// assert_eq!(npz::Reader::new(file.finish()?)?.names(), ["a"]);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Sets how many bytes one compressed entry may become; [`INFLATE_LIMIT`] at first.
    ///
    /// A megabyte of deflated zeros is a gigabyte of them, so a compressed entry above the limit is refused. Stored entries have no
    /// limit: the file itself is as long.
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Deflated);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// let mut reader = npz::Reader::new(file.finish()?)?;
    /// reader.inflate_limit(1);
    /// assert!(reader.read("a").is_err());
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn inflate_limit(&mut self, bytes: u64) {
        self.inflate_limit = bytes;
    }

    /// Reads the array `name`, as `NpzFile[name]` of NumPy.
    ///
    /// The name is compared as it stands, `.npy` apart. After an error other arrays of the archive can still be read.
    ///
    /// - **Errors**: [`IoError::NoSuchName`]; otherwise [`IoError::Entry`] with the name and what is wrong: as
    ///   [`npy::decode`], and [`IoError::Archive`], [`IoError::EntrySize`], [`IoError::InflateLimit`].
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// assert!(npz::Reader::new(file.finish()?)?.read("b").is_err());
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn read(&mut self, name: &str) -> Result<Raw> {
        Ok(self.read_in(name, false)?.0)
    }

    /// Reads the bytes of the entry `name` as they are, for dtypes that ndany has not.
    ///
    /// The entry of an array is a whole `.npy` file.
    ///
    /// - **Errors**: [`IoError::NoSuchName`]; otherwise [`IoError::Entry`] with [`IoError::Archive`], [`IoError::EntrySize`] or
    ///   [`IoError::InflateLimit`], which limits stored entries here, too.
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// assert_eq!(npz::Reader::new(file.finish()?)?.read_bytes("a")?[..6], *b"\x93NUMPY");
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn read_bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        let (index, name) = self.index_of(name)?;
        self.bytes_of(index).map_err(|source| entry_error(&name, source))
    }

    /// Reads the array `name` without putting its elements in order, as [`npy::Reader::into_stored`].
    ///
    /// - **Errors**: those of [`Reader::read`].
    pub(crate) fn read_stored(&mut self, name: &str) -> Result<(Raw, bool)> {
        self.read_in(name, true)
    }

    fn read_in(&mut self, name: &str, stored: bool) -> Result<(Raw, bool)> {
        let (index, name) = self.index_of(name)?;
        self.read_index(index, stored).map_err(|source| entry_error(&name, source))
    }

    /// The entry of a name, and the name without `.npy`.
    fn index_of(&self, name: &str) -> Result<(usize, String)> {
        let name = name.strip_suffix(".npy").unwrap_or(name);
        let place = self.sorted.binary_search_by(|&i| self.names[i].as_str().cmp(name));
        match place {
            Ok(place) => Ok((self.sorted[place], name.to_owned())),
            Err(_) => Err(IoError::NoSuchName {
                name: quoted(name.as_bytes()),
                names: quoted(self.some_names().as_bytes()),
            }),
        }
    }

    fn bytes_of(&mut self, index: usize) -> Result<Vec<u8>> {
        let mut entry = self.archive.by_index(index).map_err(archive_error)?;
        let declared = entry.size();
        if declared > self.inflate_limit {
            return Err(IoError::InflateLimit { limit: self.inflate_limit, got: declared });
        }
        // What arrives takes memory, not what is declared; one byte more shows that there is more.
        let mut bytes = Vec::new();
        let read = (&mut entry).take(declared + 1).read_to_end(&mut bytes);
        let got = read.map_err(IoError::Read)? as u64;
        match got == declared {
            true => Ok(bytes),
            false => Err(IoError::EntrySize { expected: declared, got }),
        }
    }

    /// A few names for an error, however many there are.
    fn some_names(&self) -> String {
        let first: Vec<&str> = self.names.iter().take(20).map(String::as_str).collect();
        first.join(", ")
    }

    fn read_index(&mut self, index: usize, as_stored: bool) -> Result<(Raw, bool)> {
        let mut entry = self.archive.by_index(index).map_err(archive_error)?;
        let (packed, declared) = (entry.compressed_size(), entry.size());
        if packed > self.length {
            return Err(IoError::EntrySize { expected: self.length, got: packed });
        }
        let stored = entry.compression() == CompressionMethod::Stored;
        if stored {
            if declared != packed {
                return Err(IoError::EntrySize { expected: packed, got: declared });
            }
        } else {
            let most = most_inflated(packed);
            if declared > most {
                return Err(IoError::EntrySize { expected: most, got: declared });
            }
            if declared > self.inflate_limit {
                return Err(IoError::InflateLimit { limit: self.inflate_limit, got: declared });
            }
        }
        let array = npy::Reader::of_length(&mut entry, declared)?;
        let (array, fortran) = if as_stored { array.into_stored() } else { (array, false) };
        // A stored entry's bytes are the file's own, so that memory can be taken at once.
        let raw = if stored { array.read()? } else { array.read_growing()? };
        // The checksum is compared when the end is seen.
        let got = entry.read(&mut [0]).map_err(IoError::Read)?;
        if got != 0 {
            return Err(IoError::EntrySize { expected: declared, got: declared + 1 });
        }
        Ok((raw, fortran))
    }
}

fn entry_error(name: &str, source: IoError) -> IoError {
    IoError::Entry { name: quoted(name.as_bytes()), source: Box::new(source) }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Reader").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The most that `packed` bytes of deflate become: 258 bytes of two bits, and a small constant.
fn most_inflated(packed: u64) -> u64 {
    packed.saturating_mul(1032).saturating_add(1032)
}

/// The crate's errors as the standard library's: no type of its becomes part of this interface.
fn archive_error(error: ZipError) -> IoError {
    match error {
        ZipError::Io(error) => IoError::Read(error),
        other => IoError::Archive(other.into()),
    }
}

/// Writes an archive of arrays, one after the other. See [`Reader`] for an example.
///
/// The same arrays in the same order make the same file: no times are written.
pub struct Writer<W: Write + Seek> {
    archive: ZipWriter<W>,
    names: std::collections::BTreeSet<String>,
    compression: Compression,
}

impl<W: Write + Seek> Writer<W> {
    /// Begins an archive where `sink` stands, as `np.savez` and `np.savez_compressed`.
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// assert!(npz::Reader::new(file.finish()?)?.names().is_empty());
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn new(sink: W, compression: Compression) -> Self {
        Self { archive: ZipWriter::new(sink), names: Default::default(), compression }
    }

    /// Adds an array as the entry `name.npy`; `data` is little-endian and in C order.
    ///
    /// - **Errors**: [`IoError::RepeatedName`], [`IoError::Write`] (then the archive is not sound), and those of
    ///   [`npy::encode`].
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add("a", ndany::DType::U8, &[2], &[1, 2])?;
    /// assert!(file.add("a", ndany::DType::U8, &[2], &[1, 2]).is_err());
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn add(&mut self, name: &str, dtype: DType, shape: &[usize], data: &[u8]) -> Result<()> {
        self.add_in(name, dtype, shape, false, data)
    }

    /// Adds bytes as the entry `name.npy`, a whole `.npy` file: for dtypes that ndany has not.
    ///
    /// - **Errors**: [`IoError::RepeatedName`], [`IoError::Write`].
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let mut file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// file.add_bytes("a", b"any")?;
    /// assert_eq!(npz::Reader::new(file.finish()?)?.read_bytes("a")?, b"any");
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.start(name, bytes.len())?;
        self.archive.write_all(bytes).map_err(IoError::Write)
    }

    /// Adds an array as the entry `name.npy`, with `data` in Fortran order where `fortran` says so.
    ///
    /// - **Errors**: those of [`Writer::add`].
    pub(crate) fn add_in(
        &mut self,
        name: &str,
        dtype: DType,
        shape: &[usize],
        fortran: bool,
        data: &[u8],
    ) -> Result<()> {
        npy::check(dtype, shape, data)?;
        self.start(name, data.len())?;
        npy::encode_in(&mut self.archive, dtype, shape, fortran, data)
    }

    /// Begins the entry `name.npy` of so many bytes.
    fn start(&mut self, name: &str, bytes: usize) -> Result<()> {
        let name = name.strip_suffix(".npy").unwrap_or(name);
        if !self.names.insert(name.to_owned()) {
            return Err(IoError::RepeatedName { name: quoted(name.as_bytes()) });
        }
        let method = match self.compression {
            Compression::Stored => CompressionMethod::Stored,
            Compression::Deflated => CompressionMethod::Deflated,
        };
        // The 32-bit fields of zip hold what is clearly below 4 GiB, deflate's overhead included.
        let large = bytes as u64 > 0xF000_0000;
        let options = SimpleFileOptions::default().compression_method(method).large_file(large);
        self.archive.start_file(format!("{name}.npy"), options).map_err(write_error)
    }

    /// Writes the directory and returns the sink.
    ///
    /// - **Errors**: [`IoError::Write`].
    ///
    /// ```
    /// use ndany::io::{Compression, npz};
    /// let file = npz::Writer::new(std::io::Cursor::new(Vec::new()), Compression::Stored);
    /// assert!(!file.finish()?.into_inner().is_empty());
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn finish(self) -> Result<W> {
        self.archive.finish().map_err(write_error)
    }
}

impl<W: Write + Seek> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("npz::Writer").field("names", &self.names).finish_non_exhaustive()
    }
}

fn write_error(error: ZipError) -> IoError {
    IoError::Write(error.into())
}
