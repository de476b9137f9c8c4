//! [`Library`]: the [`Sparse`] made of a vendor's library for sparse arrays, of the shape of cuSPARSE's generic functions.
//!
//! Operands are descriptors, which each call makes and destroys: they are numbers in the host's memory.
//!
//! Deliberately absent: transposed arrays (such libraries add into the result by atomics), and 16-bit floats.

use std::fmt;

use ndany_core::DType;

use super::api::{Context, Vendor};
use super::handle::{self, Handles, LockedHandle};
use super::table::{self, Named, NamedBy, functions};
use crate::blas::Factor;
use crate::driver::{DriverError, DriverResult, Stream};
use crate::library::{LazyLibrary, Symbols};
use crate::sparse::{Product, Sparse};

functions! {
    /// What every such library has.
    pub struct Functions {
        fn create(handle: *mut u64);
        fn set_stream(handle: u64, stream: u64);
        fn create_rows(
            made: *mut u64, rows: i64, columns: i64, entries: i64, indptr: u64, indices: u64, values: u64,
            indptr_type: u32, index_type: u32, base: u32, dtype: u32,
        );
        fn destroy_rows(rows: u64);
        fn create_vector(made: *mut u64, size: i64, values: u64, dtype: u32);
        fn destroy_vector(vector: u64);
        fn create_matrix(
            made: *mut u64, rows: i64, columns: i64, leading: i64, values: u64, dtype: u32, order: u32,
        );
        fn destroy_matrix(matrix: u64);
        fn times_vector_workspace(
            handle: u64, of_a: u32, one: *const u8, a: u64, x: u64, zero: *const u8, y: u64, compute: u32,
            algorithm: u32, bytes: *mut usize,
        );
        fn times_vector(
            handle: u64, of_a: u32, one: *const u8, a: u64, x: u64, zero: *const u8, y: u64, compute: u32,
            algorithm: u32, workspace: u64,
        );
        fn times_matrix_workspace(
            handle: u64, of_a: u32, of_b: u32, one: *const u8, a: u64, b: u64, zero: *const u8, c: u64, compute: u32,
            algorithm: u32, bytes: *mut usize,
        );
        fn times_matrix(
            handle: u64, of_a: u32, of_b: u32, one: *const u8, a: u64, b: u64, zero: *const u8, c: u64, compute: u32,
            algorithm: u32, workspace: u64,
        );
    }
}

/// A vendor's library.
pub type Api<S> = table::Api<S, Functions, <S as SparseMatrices>::Own>;

// SAFETY: an implementation of `SparseMatrices` guarantees its names.
unsafe impl<S: SparseMatrices> NamedBy<Functions> for S {
    const NAMES: Names = <S as SparseMatrices>::NAMES;
}

/// Numbers that are alike with all vendors, which their tests compare.
#[allow(missing_docs, reason = "their names are those of the vendors")]
pub mod numbers {
    pub const R_32F: u32 = 0;
    pub const R_64F: u32 = 1;
    pub const C_32F: u32 = 4;
    pub const C_64F: u32 = 5;
    pub const INDEX_32I: u32 = 2;
    pub const INDEX_64I: u32 = 3;
    pub const BASE_ZERO: u32 = 0;
    pub const AS_IT_IS: u32 = 0;
    pub const TRANSPOSED: u32 = 1;
    pub const BY_COLUMNS: u32 = 1;
    /// That of products with vectors, and with matrices.
    pub const ALGORITHM_DEFAULT: u32 = 0;
    pub const ALLOC_FAILED: u32 = 2;
}
use numbers::*;

/// What is a vendor's own about its library.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Functions`], and its numbers are [`numbers`].
pub unsafe trait SparseMatrices: fmt::Debug + Send + Sync + Sized + 'static {
    /// Whose it is.
    type Vendor: Vendor;
    /// What no other vendor has alike.
    type Own: Symbols + Send + Sync;

    /// Product name.
    const NAME: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// Its numbers for matrices row by row and for the algorithm that is best for these; nothing where releases differ.
    const BY_ROWS: Option<[u32; 2]>;

    /// The library.
    fn library() -> &'static LazyLibrary<Api<Self>>;

    /// Its version.
    fn version(own: &Self::Own) -> String;
}

/// A vendor's library on one device.
#[derive(Debug)]
pub struct Library<S: SparseMatrices> {
    context: Context<S::Vendor>,
    /// One for each stream: what such a library keeps on the device besides the workspace that it is given is not documented.
    handles: Handles,
}

/// A descriptor, destroyed when it goes.
struct Descriptor<'f> {
    at: u64,
    destroy: &'f Named<unsafe extern "C" fn(u64) -> u32>,
}

impl Drop for Descriptor<'_> {
    fn drop(&mut self) {
        // SAFETY: a live descriptor without another user; the library has read it when its calls have returned.
        unsafe { (self.destroy.function)(self.at) };
    }
}

/// A product whose operands are described: what the calls take.
struct Described<'f> {
    a: Descriptor<'f>,
    right: Descriptor<'f>,
    out: Descriptor<'f>,
    dtype: u32,
    of_right: u32,
    algorithm: u32,
    one: Factor,
    zero: Factor,
}

fn check(call: &Named<impl Copy>, code: u32) -> DriverResult<()> {
    handle::check(call.name, code, ALLOC_FAILED)
}

/// The number of a dtype.
fn number(dtype: DType) -> u32 {
    match (dtype.part() == DType::F32, dtype.is_complex()) {
        (true, false) => R_32F,
        (false, false) => R_64F,
        (true, true) => C_32F,
        (false, true) => C_64F,
    }
}

/// What a function makes of the place of a descriptor.
fn described<'f>(
    call: &Named<impl Copy>,
    destroy: &'f Named<unsafe extern "C" fn(u64) -> u32>,
    make: impl FnOnce(*mut u64) -> u32,
) -> DriverResult<Descriptor<'f>> {
    let mut at = 0;
    check(call, make(&mut at))?;
    Ok(Descriptor { at, destroy })
}

impl<S: SparseMatrices> Library<S> {
    /// For a device; opens nothing yet.
    pub fn new(context: Context<S::Vendor>) -> Self {
        Self { context, handles: Handles::default() }
    }

    fn hold(&self, stream: Stream) -> DriverResult<Option<(&'static Functions, LockedHandle<'_>)>> {
        let Ok(found) = S::library().get() else { return Ok(None) };
        let functions = &found.symbols.functions;
        // SAFETY: an implementation of `SparseMatrices` guarantees the function.
        let held = unsafe {
            let starts = (S::NAME, ALLOC_FAILED);
            self.handles.hold(&self.context, &functions.create, starts, stream.0, |_| ())
        };
        Ok(held?.map(|held| (functions, held)))
    }

    /// Describes the operands; the device's context is current.
    fn describe<'f>(f: &'f Functions, product: &Product) -> DriverResult<Described<'f>> {
        let Product { rows, columns, entries, width, indptr, indices, values, right, out, .. } =
            *product;
        let dtype = number(product.dtype);
        let index = if product.index_dtype == DType::I64 { INDEX_64I } else { INDEX_32I };
        let [rows, columns, entries] = [rows, columns, entries].map(|extent| extent as i64);
        let a = described(&f.create_rows, &f.destroy_rows, |to| {
            // SAFETY: it writes a handle, and reads no memory of the device.
            unsafe {
                (f.create_rows.function)(
                    to, rows, columns, entries, indptr, indices, values, index, index, BASE_ZERO,
                    dtype,
                )
            }
        })?;
        let [order, algorithm] = S::BY_ROWS.unwrap_or([BY_COLUMNS, ALGORITHM_DEFAULT]);
        let (right, out, of_right, algorithm) = match width {
            None => {
                let vector = |size, at| {
                    described(&f.create_vector, &f.destroy_vector, |to| {
                        // SAFETY: as above.
                        unsafe { (f.create_vector.function)(to, size, at, dtype) }
                    })
                };
                (vector(columns, right)?, vector(rows, out)?, AS_IT_IS, ALGORITHM_DEFAULT)
            }
            Some(width) => {
                let width = width as i64;
                let matrix = |[rows, columns, leading]: [i64; 3], at| {
                    described(&f.create_matrix, &f.destroy_matrix, |to| {
                        // SAFETY: as above.
                        unsafe {
                            (f.create_matrix.function)(to, rows, columns, leading, at, dtype, order)
                        }
                    })
                };
                match order {
                    // Read by columns, what lies row by row is the transpose.
                    BY_COLUMNS => {
                        let right = matrix([width, columns, width], right)?;
                        (right, matrix([rows, width, rows], out)?, TRANSPOSED, algorithm)
                    }
                    _ => {
                        let right = matrix([columns, width, width], right)?;
                        (right, matrix([rows, width, width], out)?, AS_IT_IS, algorithm)
                    }
                }
            }
        };
        let [one, zero] = [1.0, 0.0].map(|value| Factor::of(product.dtype, value));
        Ok(Described { a, right, out, dtype, of_right, algorithm, one, zero })
    }
}

impl<S: SparseMatrices> Sparse for Library<S> {
    fn is_there(&self, stream: Stream) -> DriverResult<bool> {
        Ok(self.hold(stream)?.is_some())
    }

    fn writes_columns(&self) -> bool {
        S::BY_ROWS.is_none()
    }

    fn workspace(&self, product: &Product, stream: Stream) -> DriverResult<usize> {
        let missing = DriverError::Missing { call: S::NAME };
        let Some((f, held)) = self.hold(stream)? else { return Err(missing) };
        let _current = self.context.enter(S::NAME)?;
        let handle = held.handle;
        // SAFETY: a live handle; the stream is that of the thread that asks.
        check(&f.set_stream, unsafe { (f.set_stream.function)(handle, stream.0) })?;
        let d = Self::describe(f, product)?;
        let (one, zero) = (d.one.as_ptr(), d.zero.as_ptr());
        let mut bytes = 0;
        match product.width {
            None => {
                let call = &f.times_vector_workspace;
                // SAFETY: live descriptors; it writes a number.
                let code = unsafe {
                    (call.function)(
                        handle,
                        AS_IT_IS,
                        one,
                        d.a.at,
                        d.right.at,
                        zero,
                        d.out.at,
                        d.dtype,
                        d.algorithm,
                        &mut bytes,
                    )
                };
                check(call, code)?;
            }
            Some(_) => {
                let call = &f.times_matrix_workspace;
                // SAFETY: as above.
                let code = unsafe {
                    (call.function)(
                        handle,
                        AS_IT_IS,
                        d.of_right,
                        one,
                        d.a.at,
                        d.right.at,
                        zero,
                        d.out.at,
                        d.dtype,
                        d.algorithm,
                        &mut bytes,
                    )
                };
                check(call, code)?;
            }
        }
        Ok(bytes)
    }

    unsafe fn multiply(&self, product: &Product, stream: Stream) -> DriverResult<()> {
        let missing = DriverError::Missing { call: S::NAME };
        let Some((f, held)) = self.hold(stream)? else { return Err(missing) };
        let _current = self.context.enter(S::NAME)?;
        let handle = held.handle;
        // SAFETY: a live handle; the caller vouches for the stream.
        check(&f.set_stream, unsafe { (f.set_stream.function)(handle, stream.0) })?;
        let d = Self::describe(f, product)?;
        let (one, zero) = (d.one.as_ptr(), d.zero.as_ptr());
        match product.width {
            None => {
                let call = &f.times_vector;
                // SAFETY: the caller vouches for the memory and the positions; the factors and descriptors outlive the call, which
                // reads them at once.
                let code = unsafe {
                    (call.function)(
                        handle,
                        AS_IT_IS,
                        one,
                        d.a.at,
                        d.right.at,
                        zero,
                        d.out.at,
                        d.dtype,
                        d.algorithm,
                        product.workspace,
                    )
                };
                check(call, code)
            }
            Some(_) => {
                let call = &f.times_matrix;
                // SAFETY: as above.
                let code = unsafe {
                    (call.function)(
                        handle,
                        AS_IT_IS,
                        d.of_right,
                        one,
                        d.a.at,
                        d.right.at,
                        zero,
                        d.out.at,
                        d.dtype,
                        d.algorithm,
                        product.workspace,
                    )
                };
                check(call, code)
            }
        }
    }
}
