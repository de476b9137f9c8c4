//! What the compiler hands out where CUDA's hands out a cubin: machine code of the host, for what, and from what text.

use crate::failure::{Failure, Result};

const MAGIC: [u8; 16] = *b"ndany softgpu 2\n";
/// Magic, and four lengths.
const HEAD: usize = 16 + 4 * 8;

/// Machine code of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it was compiled for.
    pub architecture: String,
    /// By what it was compiled: an image is run only by a software GPU that would compile it the same way.
    pub build: String,
    /// A shared library.
    pub code: Vec<u8>,
    /// The text, for people.
    pub source: String,
}

impl Image {
    /// As bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let [architecture, build, source] =
            [&self.architecture, &self.build, &self.source].map(|text| text.as_bytes());
        let parts = [architecture, build, &self.code, source];
        let mut bytes = MAGIC.to_vec();
        parts.iter().for_each(|part| bytes.extend((part.len() as u64).to_le_bytes()));
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    /// From bytes of unknown number.
    ///
    /// # Safety
    /// At least 16 bytes can be read; if they are this file's magic, so can be what follows.
    pub unsafe fn read(from: *const u8) -> Result<Self> {
        // SAFETY: the caller's.
        let bytes =
            |at: usize, len: usize| unsafe { std::slice::from_raw_parts(from.add(at), len) };
        if bytes(0, MAGIC.len()) != MAGIC {
            return Err(Failure::InvalidImage("it begins otherwise".to_owned()));
        }
        let length = |part: usize| {
            let mut length = [0; 8];
            length.copy_from_slice(bytes(MAGIC.len() + 8 * part, 8));
            u64::from_le_bytes(length) as usize
        };
        let lengths = [length(0), length(1), length(2), length(3)];
        let part = |part: usize| {
            let before = lengths[..part].iter().sum::<usize>();
            bytes(HEAD + before, lengths[part])
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Self {
            architecture: text(part(0)),
            build: text(part(1)),
            code: part(2).to_vec(),
            source: text(part(3)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_from_its_bytes() {
        let image = Image {
            architecture: "sm_90".to_owned(),
            build: "by me".to_owned(),
            code: vec![1, 2, 3],
            source: "text".to_owned(),
        };
        let bytes = image.bytes();
        // SAFETY: an image, and 16 bytes that are none.
        unsafe {
            assert_eq!(Image::read(bytes.as_ptr()), Ok(image));
            assert!(Image::read([0x7f; 16].as_ptr()).is_err());
        }
    }
}
