//! Products of matrices by a vendor's library: what the backend asks for where there is one.
//!
//! The library is opened at the first question, not with the device: it is large, and most programs multiply nothing.
//! Deliberately absent: every other function of such a library, and integers, for which the project's own kernels
//! stand.

use std::fmt::Debug;

use ndany_core::DType;

use crate::driver::{Address, DriverResult, Stream};

/// A batch of matrices in device memory, each row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The first element.
    pub address: Address,
    /// Elements from a row to the next; at least the length of a row, and at least 1.
    pub leading: usize,
    /// Elements from a matrix of the batch to the next; 0 where all are one.
    pub step: usize,
    /// Whether the memory holds the transpose. Then a row of the memory is a column of the matrix.
    pub transposed: bool,
}

/// A batch of products `out[b] = left[b] · right[b]`. No extent is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gemm {
    /// Of all three; a float, real or complex. 16-bit floats accumulate in f32.
    pub dtype: DType,
    /// Rows of the left matrix.
    pub m: usize,
    /// Columns of the left, rows of the right.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
    /// Number of products.
    pub batch: usize,
    /// `m` by `k`.
    pub left: Matrix,
    /// `k` by `n`.
    pub right: Matrix,
    /// `m` by `n`, never transposed: ask for the transposed product instead.
    pub out: Matrix,
    /// Memory without another user until the stream has executed the product, of [`Blas::workspace`] bytes.
    pub workspace: Address,
    /// Whether f32 operands may be rounded to TF32.
    pub tf32: bool,
}

/// One and zero as libraries read the factors of a product: of the type computed in, the imaginary part of complex
/// numbers after the real one, aligned as the largest of these are.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor([u8; 16]);

impl Factor {
    /// A real factor of a product of this dtype.
    pub fn of(dtype: DType, value: f32) -> Self {
        let mut bytes = [0; 16];
        if matches!(dtype, DType::F64 | DType::C128) {
            bytes[..8].copy_from_slice(&f64::from(value).to_ne_bytes());
        } else {
            bytes[..4].copy_from_slice(&value.to_ne_bytes());
        }
        Self(bytes)
    }

    /// Where it lies.
    pub fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

/// A vendor's library for products of matrices on one device.
pub trait Blas: Debug + Send + Sync {
    /// Whether the library is present. Opens it at the first call; if it is missing the backend uses its own kernels. A
    /// library that finds no memory to start in is an error, and is asked again the next time.
    fn is_there(&self) -> DriverResult<bool>;

    /// Bytes of workspace that a product wants.
    fn workspace(&self) -> usize;

    /// Submits a batch of products to the stream; only where the library [is there](Blas::is_there).
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user.
    unsafe fn gemm(&self, gemm: &Gemm, stream: Stream) -> DriverResult<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_of_the_type_to_compute_in() {
        assert_eq!(Factor::of(DType::C64, 1.0).0[..4], 1f32.to_ne_bytes());
        assert_eq!(Factor::of(DType::F64, 1.0).0[..8], 1f64.to_ne_bytes());
        assert_eq!(Factor::of(DType::C128, 1.0).0[8..], [0; 8]);
    }
}
