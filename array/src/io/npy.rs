//! `.npy`: one array a file, read from untrusted bytes and written as NumPy writes it.
//!
//! Own code and not the crate npyz 0.9.1, which was read first: it allocates the header by its
//! declared 32-bit length (4 GiB for a 12-byte file), parses it with a recursive grammar for
//! arbitrary Python literals, multiplies the shape unchecked, does not compare the data with the
//! file's length, and hands out elements one by one. What is needed is a page, so the checks
//! stand where they can be seen. Reading takes three steps, each bounded by the one before:
//! header (a constant limit), length (against the file's), data (once, in place).

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::fortran::{orders_differ, read_transposed};
use super::header::{self, Header};
use super::{DType, IoError, Raw, Result};

const MAGIC: [u8; 6] = *b"\x93NUMPY";
/// The longest header that is read. `np.load` refuses longer ones by default, too; 64 axes of
/// twenty digits take 1,400 bytes.
const MAX_HEADER: u64 = 10_000;
/// Data and header begin at multiples of this.
const ALIGN: usize = 64;

/// Decodes a whole `.npy` file that lies in memory, as `np.load` of bytes.
///
/// - **Errors**: every variant of [`IoError`] that concerns a file's content; memory for the data is taken only when
///   header and length are right.
///
/// ```
/// use ndany::{DType, io::npy};
/// let mut file = Vec::new();
/// npy::encode(&mut file, DType::I16, &[3], &[1, 0, 2, 0, 255, 255])?;
/// let raw = npy::decode(&file)?;
/// assert_eq!((raw.dtype, raw.shape, raw.data), (DType::I16, vec![3], vec![1, 0, 2, 0, 255, 255]));
/// # Ok::<(), ndany::io::IoError>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<Raw> {
    Reader::new(Cursor::new(bytes))?.read()
}

/// Reads the `.npy` file at `path` without putting its elements in order, as [`Reader::into_stored`].
pub(crate) fn load_stored(path: &Path) -> Result<(Raw, bool)> {
    let mut file = BufReader::new(open(path)?);
    let (reader, fortran) = Reader::new(&mut file)?.into_stored();
    Ok((reader.read()?, fortran))
}

pub(super) fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| IoError::Open { path: path.to_owned(), source })
}

/// An `.npy` file whose header is checked and whose data is still to be read, into memory that
/// the caller supplies: so that the elements need not pass through a second buffer.
///
/// ```
/// use ndany::{DType, io::npy};
/// let mut file = Vec::new();
/// npy::encode(&mut file, DType::U16, &[2], &[1, 0, 2, 0])?;
/// let reader = npy::Reader::new(std::io::Cursor::new(file))?;
/// let mut mine = vec![0; reader.data_len()];
/// reader.read_into(&mut mine)?;
/// assert_eq!(mine, [1, 0, 2, 0]);
/// # Ok::<(), ndany::io::IoError>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    header: Header,
    data_len: usize,
}

impl<R: Read + Seek> Reader<R> {
    /// Reads and checks the header, and compares the length of the data with that of the source.
    ///
    /// - **Errors**: those of [`decode`], and [`IoError::Read`] with what the source says, apart from what only the data can show.
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// let reader = npy::Reader::new(std::io::Cursor::new(file))?;
    /// assert_eq!(reader.header().shape, [3]);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn new(mut source: R) -> Result<Self> {
        let start = source.stream_position().map_err(IoError::Read)?;
        let end = source.seek(SeekFrom::End(0)).map_err(IoError::Read)?;
        source.seek(SeekFrom::Start(start)).map_err(IoError::Read)?;
        Self::of_length(source, end.saturating_sub(start))
    }
}

impl<R: Read> Reader<R> {
    /// As `new`, for a source that cannot seek and is known to hold `length` bytes.
    pub(super) fn of_length(mut source: R, length: u64) -> Result<Self> {
        let mut counted = (&mut source).take(length);
        let header = read_header(&mut counted, length)?;
        let left = counted.limit();
        let data_len = header.data_len()?;
        let expected = data_len as u64;
        if left < expected {
            return Err(IoError::Truncated { what: "data", expected, got: left });
        }
        if left > expected {
            return Err(IoError::TrailingBytes { expected, got: left });
        }
        Ok(Self { source, header, data_len })
    }

    /// Reads the elements in the order of the file, and says whether that is Fortran order.
    ///
    /// A file in Fortran order is read as the array of the reversed shape in C order, of which it is the transpose.
    pub(super) fn into_stored(mut self) -> (Self, bool) {
        let fortran = std::mem::take(&mut self.header.fortran_order);
        if fortran {
            self.header.shape.reverse();
        }
        (self, fortran)
    }

    /// Returns the header.
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// assert_eq!(npy::Reader::new(std::io::Cursor::new(file))?.header().dtype, ndany::DType::U8);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the bytes that [`read_into`](Self::read_into) fills; the source has as many.
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// assert_eq!(npy::Reader::new(std::io::Cursor::new(file))?.data_len(), 3);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn data_len(&self) -> usize {
        self.data_len
    }

    /// Fills `out` with the elements, little-endian, in C order, bools as 0 or 1.
    ///
    /// - **Errors**: [`IoError::DataLength`] when `out` is not as long as [`data_len`](Self::data_len); [`IoError::Read`];
    ///   [`IoError::Truncated`] when the source became shorter meanwhile, and then `out` holds a part of the data.
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// let mut bytes = [0; 3];
    /// npy::Reader::new(std::io::Cursor::new(file))?.read_into(&mut bytes)?;
    /// assert_eq!(bytes, [1, 2, 3]);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn read_into(mut self, out: &mut [u8]) -> Result<()> {
        self.fill(out)
    }

    /// Reads the elements into new memory.
    ///
    /// - **Errors**: those of [`read_into`](Self::read_into), and [`IoError::OutOfMemory`].
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// assert_eq!(npy::Reader::new(std::io::Cursor::new(file))?.read()?.data, [1, 2, 3]);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn read(mut self) -> Result<Raw> {
        let mut data = try_zeroed(self.data_len)?;
        self.fill(&mut data)?;
        Ok(Raw { dtype: self.header.dtype, shape: self.header.shape, data })
    }

    /// As `read`, for a source whose length is only a claim: memory is taken as bytes arrive, at
    /// most twice what arrived. Fortran order needs a second buffer here, but only once all bytes
    /// are there.
    #[cfg(feature = "npz")]
    pub(super) fn read_growing(mut self) -> Result<Raw> {
        const FIRST: usize = 1 << 16;
        let mut data = Vec::new();
        while data.len() < self.data_len {
            let filled = data.len();
            let target = filled.saturating_mul(2).clamp(FIRST, self.data_len.max(FIRST));
            let target = target.min(self.data_len);
            data.try_reserve_exact(target - filled)
                .map_err(|_| IoError::OutOfMemory { bytes: target as u64 })?;
            data.resize(target, 0);
            let (done, total) = (filled as u64, self.data_len as u64);
            read_exactly(&mut self.source, &mut data[filled..], done, total)?;
        }
        let Header { dtype, shape, fortran_order, big_endian } = self.header;
        if fortran_order && orders_differ(&shape) {
            let mut ordered = try_zeroed(data.len())?;
            read_transposed(&mut &data[..], &shape, dtype.size(), &mut ordered)?;
            data = ordered;
        }
        normalise(dtype, big_endian, &mut data);
        Ok(Raw { dtype, shape, data })
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        let Header { dtype, ref shape, fortran_order, big_endian } = self.header;
        let expected = self.data_len as u64;
        if out.len() != self.data_len {
            return Err(IoError::DataLength { expected, got: out.len() as u64 });
        }
        if fortran_order && orders_differ(shape) {
            read_transposed(&mut self.source, shape, dtype.size(), out)?;
        } else {
            read_exactly(&mut self.source, out, 0, expected)?;
        }
        normalise(dtype, big_endian, out);
        Ok(())
    }
}

/// Reads magic, version and header from a source that holds `available` bytes; the data is next.
///
/// The shape is not yet known to be possible: [`Header::data_len`] tells.
///
/// - **Errors**: those of [`decode`], apart from what concerns the data.
fn read_header(reader: &mut impl Read, available: u64) -> Result<Header> {
    let mut preamble = [0; 8];
    let have = available.min(8);
    read_part(reader, &mut preamble[..have as usize], "preamble")?;
    // A short file that begins differently is no npy file, rather than a truncated one.
    let begun = MAGIC.len().min(have as usize);
    if preamble[..begun] != MAGIC[..begun] {
        let mut got = [0; 6];
        got.copy_from_slice(&preamble[..6]);
        return Err(IoError::Magic { got });
    }
    if have < 8 {
        return Err(IoError::Truncated { what: "preamble", expected: 8, got: have });
    }
    let [.., major, minor] = preamble;
    let width = match (major, minor) {
        (1, 0) => 2,
        (2 | 3, 0) => 4,
        _ => return Err(IoError::Version { major, minor }),
    };
    let left = available - 8;
    if left < width {
        return Err(IoError::Truncated { what: "header length", expected: width, got: left });
    }
    let mut length = [0; 4];
    read_part(reader, &mut length[..width as usize], "header length")?;
    let length = u64::from(u32::from_le_bytes(length));
    let left = left - width;
    if length > MAX_HEADER {
        return Err(IoError::HeaderTooLong { limit: MAX_HEADER, got: length });
    }
    if left < length {
        return Err(IoError::Truncated { what: "header", expected: length, got: left });
    }
    let mut text = vec![0; length as usize];
    read_part(reader, &mut text, "header")?;
    header::parse(&text, major < 3)
}

/// Writes an array as `np.save` does, byte for byte.
///
/// `data` is little-endian and in C order. An error leaves a part of the file in `writer`.
///
/// - **Errors**: [`IoError::Write`]; [`IoError::DataLength`], [`IoError::ShapeOverflow`] and
///   [`IoError::TooManyDimensions`] before anything is written.
///
/// ```
/// use ndany::{DType, io::npy};
/// let mut file = Vec::new();
/// npy::encode(&mut file, DType::U8, &[2], &[7, 8])?;
/// assert_eq!(file.len(), 128 + 2);
/// assert!(file[10..].starts_with(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }"));
/// # Ok::<(), ndany::io::IoError>(())
/// ```
pub fn encode(writer: &mut impl Write, dtype: DType, shape: &[usize], data: &[u8]) -> Result<()> {
    encode_in(writer, dtype, shape, false, data)
}

/// Writes an array as `np.save` does, with `data` in Fortran order where `fortran` says so.
///
/// - **Errors**: those of [`encode`].
pub(crate) fn encode_in(
    writer: &mut impl Write,
    dtype: DType,
    shape: &[usize],
    fortran: bool,
    data: &[u8],
) -> Result<()> {
    check(dtype, shape, data)?;
    let header = wrap(&header::print(dtype, shape, fortran));
    writer.write_all(&header).map_err(IoError::Write)?;
    writer.write_all(data).map_err(IoError::Write)
}

/// Whether `data` is an array of this dtype and shape.
pub(super) fn check(dtype: DType, shape: &[usize], data: &[u8]) -> Result<()> {
    let (expected, got) = (header::data_len(dtype, shape)? as u64, data.len() as u64);
    if expected == got { Ok(()) } else { Err(IoError::DataLength { expected, got }) }
}

/// Puts magic, version, length and padding around a header's text, in the oldest version that
/// can hold it. An array of at most 64 axes never needs 2.0; the rule is the format's.
fn wrap(text: &str) -> Vec<u8> {
    // NumPy pads a header that ends on the boundary by a whole line, not by nothing.
    let padded = |prefix: usize| {
        let length = text.len() + 1;
        length + ALIGN - (prefix + length) % ALIGN
    };
    let mut file = MAGIC.to_vec();
    let length = match u16::try_from(padded(10)) {
        Ok(length) => {
            file.extend([1, 0]);
            file.extend(length.to_le_bytes());
            usize::from(length)
        }
        Err(_) => {
            let length = padded(12);
            file.extend([2, 0]);
            file.extend((length as u32).to_le_bytes());
            length
        }
    };
    let end = file.len() + length;
    file.extend(text.as_bytes());
    file.resize(end - 1, b' ');
    file.push(b'\n');
    file
}

/// Turns the file's elements into little-endian ones, and bools into 0 and 1.
///
/// A bool of any other byte would be undefined further on, and NumPy takes it as true.
fn normalise(dtype: DType, big_endian: bool, data: &mut [u8]) {
    let number = match dtype {
        DType::Bool => {
            data.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            return;
        }
        // The two parts of a complex number are swapped each.
        _ => dtype.part().size(),
    };
    if big_endian {
        match number {
            2 => data.as_chunks_mut::<2>().0.iter_mut().for_each(|bytes| bytes.reverse()),
            4 => data.as_chunks_mut::<4>().0.iter_mut().for_each(|bytes| bytes.reverse()),
            8 => data.as_chunks_mut::<8>().0.iter_mut().for_each(|bytes| bytes.reverse()),
            _ => unreachable!("a header is big-endian only for numbers of 2, 4 or 8 bytes"),
        }
    }
}

fn read_part(reader: &mut impl Read, out: &mut [u8], what: &'static str) -> Result<()> {
    let expected = out.len() as u64;
    match read_up_to(reader, out)? as u64 {
        got if got < expected => Err(IoError::Truncated { what, expected, got }),
        _ => Ok(()),
    }
}

/// Fills `out`, the bytes from `done` on of `total` bytes of data.
pub(super) fn read_exactly(
    reader: &mut impl Read,
    out: &mut [u8],
    done: u64,
    total: u64,
) -> Result<()> {
    let got = read_up_to(reader, out)?;
    if got < out.len() {
        return Err(IoError::Truncated { what: "data", expected: total, got: done + got as u64 });
    }
    Ok(())
}

fn read_up_to(reader: &mut impl Read, out: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < out.len() {
        match reader.read(&mut out[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(IoError::Read(e)),
        }
    }
    Ok(filled)
}

/// Zeroed memory, or an error where `vec!` would abort.
pub(super) fn try_zeroed(length: usize) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    data.try_reserve_exact(length).map_err(|_| IoError::OutOfMemory { bytes: length as u64 })?;
    data.resize(length, 0);
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_header_takes_version_2() {
        for (length, version) in [(10, 1), (65_524, 1), (65_525, 2), (100_000, 2)] {
            let file = wrap(&"x".repeat(length));
            assert_eq!((file[6], file.len() % ALIGN), (version, 0), "{length}");
            let (prefix, declared) = match version {
                1 => (10, u32::from(u16::from_le_bytes([file[8], file[9]]))),
                _ => (12, u32::from_le_bytes([file[8], file[9], file[10], file[11]])),
            };
            assert_eq!(file.len(), prefix + declared as usize);
            assert_eq!(file.last(), Some(&b'\n'));
        }
    }

    #[test]
    fn a_source_that_shrinks_is_truncated() {
        let mut file = Vec::new();
        encode(&mut file, DType::U8, &[10], &[1; 10]).unwrap();
        let shorter = &file[..file.len() - 3];
        let reader = Reader::of_length(shorter, file.len() as u64).unwrap();
        let error = reader.read().unwrap_err();
        assert_eq!(error.to_string(), "[load] the data is truncated: expected 10 bytes, got 7");
        let reader = Reader::of_length(shorter, file.len() as u64).unwrap();
        assert!(matches!(reader.read_growing(), Err(IoError::Truncated { got: 7, .. })));
    }

    #[test]
    fn fortran_order_is_put_in_order_or_kept() {
        let mut file = Vec::new();
        encode_in(&mut file, DType::U8, &[2, 3], true, &[1, 2, 3, 4, 5, 6]).unwrap();
        let raw = decode(&file).unwrap();
        assert_eq!((&raw.shape[..], &raw.data[..]), (&[2, 3][..], &[1, 3, 5, 2, 4, 6][..]));
        let (reader, fortran) = Reader::new(Cursor::new(file)).unwrap().into_stored();
        let raw = reader.read().unwrap();
        assert!(fortran);
        assert_eq!((&raw.shape[..], &raw.data[..]), (&[3, 2][..], &[1, 2, 3, 4, 5, 6][..]));
    }
}
