//! The header of an `.npy` file: text of a Python dict literal, parsed and printed.
//!
//! The parser is strict: three known keys in any order, one descr string, one boolean, one tuple
//! of plain integers, and nothing else. It is a loop over bytes without recursion, so nesting
//! cannot exhaust the stack, and it allocates nothing but the shape, whose length is limited
//! while it grows. It accepts every header that NumPy writes for the dtypes of [`DType`], besides
//! the `3L` integers of Python 2; it refuses the rest of what `ast.literal_eval` would take
//! (escapes, `+3`, `1_000`, joined strings), which no writer of such arrays makes.

use ndany_core::ShapeText;

use super::error::quoted;
use super::{DType, IoError, MAX_DIMS, Result};

/// What an `.npy` header says.
///
/// ```
/// use ndany::{DType, io::npy};
/// let mut file = Vec::new();
/// npy::encode(&mut file, DType::U8, &[2, 1], &[7, 8]).unwrap();
/// let reader = npy::Reader::new(std::io::Cursor::new(file)).unwrap();
/// let header = reader.header();
/// assert_eq!((header.dtype, &header.shape[..]), (DType::U8, &[2, 1][..]));
/// assert!(!header.fortran_order && !header.big_endian);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The element type.
    pub dtype: DType,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// Whether the first axis is the fastest in the file.
    pub fortran_order: bool,
    /// Whether the elements' bytes are big-endian in the file. False for one-byte elements.
    pub big_endian: bool,
}

impl Header {
    /// Returns the bytes of data after the header.
    ///
    /// - **Errors**: [`IoError::ShapeOverflow`] where no such array can exist.
    ///
    /// ```
    /// use ndany::io::npy;
    /// let mut file = Vec::new();
    /// npy::encode(&mut file, ndany::DType::U8, &[3], &[1, 2, 3])?;
    /// assert_eq!(npy::Reader::new(std::io::Cursor::new(file))?.header().data_len()?, 3);
    /// # Ok::<(), ndany::io::IoError>(())
    /// ```
    pub fn data_len(&self) -> Result<usize> {
        data_len(self.dtype, &self.shape)
    }
}

/// Bytes that an array takes, where it can exist.
///
/// As in NumPy, the axes longer than zero must make a possible array even beside an empty axis;
/// so strides computed from any part of a checked shape do not overflow.
pub(super) fn data_len(dtype: DType, shape: &[usize]) -> Result<usize> {
    if shape.len() > MAX_DIMS {
        return Err(IoError::TooManyDimensions { got: shape.len() });
    }
    shape
        .iter()
        .filter(|&&n| n != 0)
        .try_fold(dtype.size(), |bytes, &n| bytes.checked_mul(n))
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .map(|bytes| if shape.contains(&0) { 0 } else { bytes })
        .ok_or_else(|| IoError::ShapeOverflow {
            shape: quoted(format!("{shape:?}").as_bytes()),
            dtype,
        })
}

/// The header's text for little-endian data in C order, as NumPy prints it.
pub(super) fn print(dtype: DType, shape: &[usize], fortran: bool) -> String {
    let tuple = ShapeText::from(shape);
    let descr = descr(dtype);
    // NumPy leaves room so that the axis that runs slowest can grow in place to 21 digits.
    let slowest = if fortran { shape.last() } else { shape.first() };
    let room = slowest.map_or(0, |n| 21 - n.to_string().len());
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {tuple}, }}{:room$}", "")
}

fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "|b1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U8 => "|u1",
        DType::U16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F16 => "<f2",
        // NumPy has no bfloat16. ml_dtypes registers one of kind V, which saves as little-endian
        // void; plain void of two bytes saves as |V2, so the two differ in the file.
        DType::BF16 => "<V2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::C64 => "<c8",
        DType::C128 => "<c16",
    }
}

/// The dtype of a descr and whether it is big-endian, or what the descr means instead.
fn dtype(descr: &[u8]) -> Result<(DType, bool), &'static str> {
    let Some((&order, code)) = descr.split_first() else { return Err("empty") };
    let dtype = match code {
        b"b1" => DType::Bool,
        b"i1" => DType::I8,
        b"i2" => DType::I16,
        b"i4" => DType::I32,
        b"i8" => DType::I64,
        b"u1" => DType::U8,
        b"u2" => DType::U16,
        b"u4" => DType::U32,
        b"u8" => DType::U64,
        b"f2" => DType::F16,
        b"V2" if order != b'|' => DType::BF16,
        b"f4" => DType::F32,
        b"f8" => DType::F64,
        b"c8" => DType::C64,
        b"c16" => DType::C128,
        _ => {
            let kind = if b"<>|=".contains(&order) { code.first() } else { Some(&order) };
            return Err(match kind {
                Some(b'O') => "pickled Python objects, which are never loaded",
                Some(b'S' | b'a') => "byte strings",
                Some(b'U') => "text",
                Some(b'M') => "datetimes",
                Some(b'm') => "time differences",
                Some(b'V') => "raw bytes, or a float8 or int4 of ml_dtypes",
                Some(b'f' | b'c') => "an extended float or an unknown size",
                _ => "unknown",
            });
        }
    };
    match order {
        b'<' => Ok((dtype, false)),
        // One byte has no order; writers put any of the three marks.
        b'>' => Ok((dtype, dtype.size() > 1)),
        b'|' if dtype.size() == 1 => Ok((dtype, false)),
        _ => Err("without a byte order"),
    }
}

/// Parses the header's text, from `{` to the padding. `python2` allows integers like `3L`, which
/// NumPy accepts up to version 2.0.
pub(super) fn parse(text: &[u8], python2: bool) -> Result<Header> {
    let mut p = Parser { text, at: 0 };
    let (mut element, mut fortran_order, mut shape) = (None, None, None);
    p.expect(b'{', "{")?;
    while !p.take(b'}') {
        let at = p.at;
        match p.string("a key in quotes or }")? {
            b"descr" => {
                p.expect(b':', ":")?;
                once("descr", &mut element, p.descr()?)?;
            }
            b"fortran_order" => {
                p.expect(b':', ":")?;
                once("fortran_order", &mut fortran_order, p.boolean()?)?;
            }
            b"shape" => {
                p.expect(b':', ":")?;
                once("shape", &mut shape, p.tuple(python2)?)?;
            }
            _ => return Err(IoError::UnknownKey { key: p.seen_from(at) }),
        }
        if !p.take(b',') {
            p.expect(b'}', ", or }")?;
            break;
        }
    }
    p.space();
    if p.at < text.len() {
        return Err(p.error("only spaces after the }"));
    }
    let (dtype, big_endian) = element.ok_or(IoError::MissingKey { key: "descr" })?;
    let fortran_order = fortran_order.ok_or(IoError::MissingKey { key: "fortran_order" })?;
    let shape = shape.ok_or(IoError::MissingKey { key: "shape" })?;
    Ok(Header { dtype, shape, fortran_order, big_endian })
}

fn once<T>(key: &'static str, slot: &mut Option<T>, value: T) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(IoError::RepeatedKey { key }),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, expected: &'static str) -> IoError {
        let rest = &self.text[self.at..];
        let got = match rest {
            [] => "the end of the header".to_owned(),
            _ => quoted(&rest[..rest.len().min(24)]),
        };
        IoError::HeaderSyntax { at: self.at, expected, got }
    }

    /// The text passed since `start`, for an error.
    fn seen_from(&self, start: usize) -> String {
        quoted(self.text[start..self.at].trim_ascii())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Passes `byte` and the space before it, if it is next.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// A string of printable ASCII in either quote; an escape has no place in a key or descr.
    fn string(&mut self, expected: &'static str) -> Result<&'a [u8]> {
        self.space();
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.error(expected)),
        };
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|b| b != quote && b != b'\\' && matches!(b, b' '..=b'~')) {
            self.at += 1;
        }
        let string = &self.text[start..self.at];
        if self.peek() != Some(quote) {
            return Err(self.error("plain characters and the closing quote"));
        }
        self.at += 1;
        Ok(string)
    }

    fn descr(&mut self) -> Result<(DType, bool)> {
        self.space();
        let start = self.at;
        if matches!(self.peek(), Some(b'[' | b'(' | b'{')) {
            // A structured dtype. Only its own text is wanted for the error: count brackets.
            let mut depth = 0usize;
            while let Some(byte) = self.peek() {
                self.at += 1;
                match byte {
                    b'[' | b'(' | b'{' => depth += 1,
                    b']' | b')' | b'}' if depth == 1 => break,
                    b']' | b')' | b'}' => depth -= 1,
                    _ => {}
                }
            }
            let descr = self.seen_from(start);
            return Err(IoError::UnsupportedDescr { descr, kind: "a structured dtype" });
        }
        let descr = self.string("a descr in quotes")?;
        dtype(descr)
            .map_err(|kind| IoError::UnsupportedDescr { descr: self.seen_from(start), kind })
    }

    fn boolean(&mut self) -> Result<bool> {
        self.space();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("True or False"))
    }

    fn tuple(&mut self, python2: bool) -> Result<Vec<usize>> {
        self.expect(b'(', "a tuple, beginning with (")?;
        let mut shape = Vec::new();
        while !self.take(b')') {
            if shape.len() == MAX_DIMS {
                return Err(IoError::TooManyDimensions { got: MAX_DIMS + 1 });
            }
            let axis = self.integer(shape.len(), python2)?;
            shape.push(axis);
            if !self.take(b',') {
                // In Python, (3) is a number in brackets and no tuple.
                if shape.len() == 1 {
                    return Err(self.error("a comma, as in (3,)"));
                }
                self.expect(b')', ", or )")?;
                break;
            }
        }
        Ok(shape)
    }

    fn integer(&mut self, axis: usize, python2: bool) -> Result<usize> {
        self.space();
        let start = self.at;
        let negative = self.take(b'-');
        let digits = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        let number = &self.text[digits..self.at];
        if number.is_empty() || (number.len() > 1 && number[0] == b'0') {
            self.at = start;
            return Err(self.error("a decimal number"));
        }
        if negative && number != b"0" {
            return Err(IoError::NegativeDimension { axis, got: self.seen_from(start) });
        }
        let value = number.iter().try_fold(0usize, |value, digit| {
            value.checked_mul(10)?.checked_add(usize::from(digit - b'0'))
        });
        if python2 && self.peek() == Some(b'L') {
            self.at += 1;
        }
        value.ok_or_else(|| {
            self.at = start;
            self.error("a number that fits the address space")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> Header {
        parse(text.as_bytes(), true).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn text(text: &str) -> String {
        parse(text.as_bytes(), false).unwrap_err().to_string()
    }

    #[test]
    fn any_order_of_keys_quotes_and_spaces() {
        let expected =
            Header { dtype: DType::F32, shape: vec![2, 3], fortran_order: true, big_endian: true };
        for spelling in [
            "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }   \n",
            "{'shape': (2, 3), 'descr': '>f4', 'fortran_order': True}",
            "{\"fortran_order\":True,\"shape\":(2,3,),\"descr\":\">f4\"}\n",
            " {\t'descr' : '>f4' ,\n'fortran_order' : True , 'shape' : ( 2L , 3L ) } \r\n ",
        ] {
            assert_eq!(ok(spelling), expected, "{spelling}");
        }
    }

    #[test]
    fn every_dtype_prints_and_parses() {
        use DType::*;
        let all = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128];
        for dtype in all {
            for shape in [&[][..], &[0], &[3], &[2, 3], &[1, 0, usize::MAX / 64]] {
                let header = parse(print(dtype, shape, false).as_bytes(), false).unwrap();
                assert_eq!((header.dtype, &header.shape[..]), (dtype, shape));
                assert!(!header.fortran_order && !header.big_endian);
            }
        }
    }

    #[test]
    fn one_byte_elements_take_any_order_mark_and_others_need_one() {
        for order in ['<', '>', '|'] {
            let h = ok(&format!("{{'descr': '{order}u1', 'fortran_order': False, 'shape': ()}}"));
            assert_eq!((h.dtype, h.big_endian), (DType::U8, false));
        }
        for descr in ["|f4", "=f4", "f4", "float32", "|V2", "=V2", "V2"] {
            let e = text(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}"));
            assert!(e.contains(descr) && e.contains("not supported"), "{e}");
        }
    }

    #[test]
    fn errors_name_what_they_found() {
        let with = |descr: &str| {
            text(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}"))
        };
        for (descr, kind) in [
            ("'|O'", "pickled"),
            ("'|S5'", "byte strings"),
            ("'<U7'", "text"),
            ("'<M8[ns]'", "datetimes"),
            ("'<m8[s]'", "time differences"),
            ("'|V2'", "raw bytes"),
            ("'<V1'", "float8"),
            ("'<f16'", "extended"),
            ("'<c32'", "extended"),
            ("[('a', '<f4'), ('b', [('c', '<i2', (2,))])]", "structured"),
            ("('<f4', (2, 2))", "structured"),
        ] {
            let e = with(descr);
            assert!(e.contains(&format!("got {}", quoted(descr.as_bytes()))), "{e}");
            assert!(e.contains(kind), "{e}");
        }
        assert_eq!(
            text("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3), }"),
            "[load] axis 1 has a negative length: expected 0 or more, got -3"
        );
        assert_eq!(
            text("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }"),
            "[load] the npy header is malformed at byte 34: expected True or False, got 0, 'shape': (2,), }"
        );
        assert_eq!(
            text("{'descr': '<f4', 'shape': (2,), }"),
            "[load] the npy header lacks a key: expected descr, fortran_order and shape, got no fortran_order"
        );
    }

    #[test]
    fn shapes_that_cannot_be() {
        let max = isize::MAX as usize;
        assert_eq!(data_len(DType::U8, &[max]).unwrap(), max);
        assert_eq!(data_len(DType::U8, &[0, max]).unwrap(), 0);
        for shape in [&[max, 2][..], &[0, max, 2], &[usize::MAX], &[1 << 32, 1 << 32]] {
            assert!(matches!(data_len(DType::U8, shape), Err(IoError::ShapeOverflow { .. })));
        }
        assert!(matches!(data_len(DType::F64, &[max / 4]), Err(IoError::ShapeOverflow { .. })));
        assert!(matches!(data_len(DType::U8, &[1; 65]), Err(IoError::TooManyDimensions { .. })));
    }
}
