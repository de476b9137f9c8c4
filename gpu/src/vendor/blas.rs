//! [`Library`]: the [`Blas`] made of a vendor's library for products of matrices.
//!
//! Such libraries go by columns. Read by columns, memory that holds a matrix row by row holds its transpose; so instead
//! of `left · right` they are asked for `rightᵗ · leftᵗ`, whose columns are the rows wanted.
//!
//! Deliberately absent: integers.

use std::ffi::CStr;
use std::fmt;

use ndany_core::DType;

use super::api::{Context, Vendor};
use super::handle::{Handles, LockedHandle};
use super::table::{self, NamedBy, functions};
use crate::blas::{Blas, Factor, Gemm, Matrix};
use crate::driver::{Address, DriverError, DriverResult, Stream};
use crate::library::{LazyLibrary, Symbols};

functions! {
    /// What every such library has besides the products.
    pub struct Functions {
        fn create(handle: *mut u64);
        fn set_stream(handle: u64, stream: u64);
        fn set_workspace(handle: u64, memory: u64, bytes: usize);
        fn set_mode(handle: u64, mode: u32);
    }
}

/// A vendor's library: what every vendor has, and the products.
pub type Api<P> = table::Api<P, Functions, <P as Products>::Own>;

// SAFETY: an implementation of `Products` guarantees its names.
unsafe impl<P: Products> NamedBy<Functions> for P {
    const NAMES: Names = <P as Products>::NAMES;
}

/// The numbers of a dtype and of the type to compute in.
pub type Types = [u32; 2];

/// A library's numbers for dtypes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "dtypes")]
pub struct TypesOf {
    pub f16: Types,
    pub bf16: Types,
    pub f32: Types,
    pub f64: Types,
    pub c64: Types,
    pub c128: Types,
}

impl TypesOf {
    /// Nothing for what such libraries do not multiply.
    fn of(&self, dtype: DType) -> Option<Types> {
        match dtype {
            DType::F16 => Some(self.f16),
            DType::BF16 => Some(self.bf16),
            DType::F32 => Some(self.f32),
            DType::F64 => Some(self.f64),
            DType::C64 => Some(self.c64),
            DType::C128 => Some(self.c128),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => None,
        }
    }
}

/// A batch of matrices as a library takes it; sizes are numbers of 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct BlasOperand<I> {
    /// The first element.
    pub at: Address,
    /// Elements from a column to the next.
    pub leading: I,
    /// Elements from a matrix to the next.
    pub step: i64,
    /// Whether, or how, the library transposes it.
    pub operation: u32,
}

/// A batch of products by columns: `out = first · second`, of `m` by `k` and `k` by `n`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "said above")]
pub struct Columns<I> {
    pub handle: u64,
    pub m: I,
    pub n: I,
    pub k: I,
    pub batch: I,
    pub first: BlasOperand<I>,
    pub second: BlasOperand<I>,
    pub out: BlasOperand<I>,
    pub dtype: u32,
    pub compute: u32,
    /// The factors of the product and of what is there.
    pub one: *const u8,
    pub zero: *const u8,
}

impl<I> Columns<I> {
    /// The same in numbers of another width, if all fit into it.
    fn of<J: TryInto<I> + Copy>(wide: &Columns<J>) -> Option<Self> {
        let size = |size: J| size.try_into().ok();
        let operand = |wide: &BlasOperand<J>| {
            let BlasOperand { at, leading, step, operation } = *wide;
            Some(BlasOperand { at, leading: size(leading)?, step, operation })
        };
        Some(Self {
            handle: wide.handle,
            m: size(wide.m)?,
            n: size(wide.n)?,
            k: size(wide.k)?,
            batch: size(wide.batch)?,
            first: operand(&wide.first)?,
            second: operand(&wide.second)?,
            out: operand(&wide.out)?,
            dtype: wide.dtype,
            compute: wide.compute,
            one: wide.one,
            zero: wide.zero,
        })
    }
}

/// What is a vendor's own about its library.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Functions`].
pub unsafe trait Products: fmt::Debug + Send + Sync + Sized + 'static {
    /// Whose it is.
    type Vendor: Vendor;
    /// The products, and what no other vendor has alike.
    type Own: Symbols + Send + Sync;

    /// Product name.
    const NAME: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// The mode that it is set to.
    const MODE: u32;
    /// Bytes that it works in.
    const WORKSPACE: usize;
    /// Its code for too little memory.
    const MEMORY_ERROR: u32;
    /// Its numbers of operations: none and transposition.
    const OPERATIONS: [u32; 2];
    /// Its numbers for dtypes.
    const TYPES: TypesOf;
    /// Its number for computing in f32 by TF32, where it has that.
    const TF32: Option<u32>;
    /// The functions that multiply, with sizes of 32 and of 64 bits.
    const CALLS: [&'static str; 2];

    /// The library.
    fn library() -> &'static LazyLibrary<Api<Self>>;

    /// Its version.
    fn version(own: &Self::Own) -> String;

    /// The function that names a code.
    fn error_strings(own: &Self::Own) -> Option<unsafe extern "C" fn(u32) -> *const u8>;

    /// Multiplies.
    ///
    /// # Safety
    /// The handle and the matrices are alive, and so are the factors until it returns.
    unsafe fn multiply(own: &Self::Own, columns: &Columns<i32>) -> u32;

    /// Multiplies matrices beyond 2³¹ elements; nothing where the library is too old.
    ///
    /// # Safety
    /// As of [`Products::multiply`].
    unsafe fn multiply_wide(own: &Self::Own, columns: &Columns<i64>) -> Option<u32>;
}

/// A vendor's library on one device.
#[derive(Debug)]
pub struct Library<P: Products> {
    context: Context<P::Vendor>,
    /// One for all streams: such libraries let a handle change its stream, if each call brings its own workspace.
    handles: Handles,
}

impl<P: Products> Library<P> {
    /// For a device; opens nothing yet.
    pub fn new(context: Context<P::Vendor>) -> Self {
        Self { context, handles: Handles::default() }
    }

    fn hold(&self) -> DriverResult<Option<(&'static Api<P>, LockedHandle<'_>)>> {
        let Ok(found) = P::library().get() else { return Ok(None) };
        let api = &found.symbols;
        let Functions { create, set_mode, .. } = &api.functions;
        let prepare = |handle| {
            // SAFETY: a live handle. A library that does not know the mode keeps its default.
            unsafe { (set_mode.function)(handle, P::MODE) };
        };
        // SAFETY: an implementation of `Products` guarantees the function.
        let held = unsafe {
            self.handles.hold(&self.context, create, (P::NAME, P::MEMORY_ERROR), 0, prepare)
        };
        Ok(held?.map(|held| (api, held)))
    }
}

impl<P: Products> Api<P> {
    fn check(&self, call: &'static str, code: u32) -> DriverResult<()> {
        if code == P::MEMORY_ERROR {
            return Err(DriverError::OutOfMemory { call });
        }
        if code == 0 {
            return Ok(());
        }
        let text = P::error_strings(&self.own).map(|function| {
            // SAFETY: it takes any number, and gives a constant text.
            unsafe { CStr::from_ptr(function(code).cast()) }
        });
        let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
        Err(DriverError::Call { call, code, text })
    }
}

impl<P: Products> Blas for Library<P> {
    fn is_there(&self) -> DriverResult<bool> {
        Ok(self.hold()?.is_some())
    }

    fn workspace(&self) -> usize {
        P::WORKSPACE
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: Stream) -> DriverResult<()> {
        let [call, wide_call] = P::CALLS;
        let (Some((api, held)), Some([dtype, compute])) = (self.hold()?, P::TYPES.of(gemm.dtype))
        else {
            return Err(DriverError::Missing { call });
        };
        let _current = self.context.enter(call)?;
        let handle = held.handle;
        let Functions { set_stream, set_workspace, .. } = &api.functions;
        // SAFETY: a live handle; the caller vouches for the stream.
        api.check(set_stream.name, unsafe { (set_stream.function)(handle, stream.0) })?;
        // After the stream is set, which resets it. SAFETY: the caller vouches for the memory.
        let code = unsafe { (set_workspace.function)(handle, gemm.workspace, P::WORKSPACE) };
        api.check(set_workspace.name, code)?;
        let single = matches!(gemm.dtype, DType::F32 | DType::C64);
        let operand = |matrix: &Matrix| BlasOperand {
            at: matrix.address,
            leading: matrix.leading,
            step: matrix.step as i64,
            operation: P::OPERATIONS[usize::from(matrix.transposed)],
        };
        let [one, zero] = [1.0, 0.0].map(|value| Factor::of(gemm.dtype, value));
        // Read by columns the right matrix is the first.
        let columns = Columns {
            handle,
            m: gemm.n,
            n: gemm.m,
            k: gemm.k,
            batch: gemm.batch,
            first: operand(&gemm.right),
            second: operand(&gemm.left),
            out: operand(&gemm.out),
            dtype,
            compute: P::TF32.filter(|_| gemm.tf32 && single).unwrap_or(compute),
            one: one.as_ptr(),
            zero: zero.as_ptr(),
        };
        if let Some(columns) = Columns::of(&columns) {
            // SAFETY: the caller vouches for the matrices; the factors outlive the call, which reads them at once.
            return api.check(call, unsafe { P::multiply(&api.own, &columns) });
        }
        let missing = DriverError::Missing { call: wide_call };
        let Some(columns) = Columns::of(&columns) else { return Err(missing) };
        // SAFETY: as above.
        let code = unsafe { P::multiply_wide(&api.own, &columns) };
        api.check(wide_call, code.ok_or(missing)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_narrow_where_they_fit() {
        let operand = BlasOperand { at: 256, leading: 7usize, step: 0, operation: 0 };
        let [first, second, out] = [operand; 3];
        let (one, zero) = (std::ptr::null(), std::ptr::null());
        let columns = Columns {
            handle: 1,
            m: 2usize,
            n: 3,
            k: 5,
            batch: 1,
            first,
            second,
            out,
            dtype: 0,
            compute: 0,
            one,
            zero,
        };
        assert_eq!(Columns::<i32>::of(&columns).expect("small sizes").k, 5);
        let tall = Columns { k: 1 << 31, ..columns };
        assert!(Columns::<i32>::of(&tall).is_none());
        assert_eq!(Columns::<i64>::of(&tall).expect("wide sizes").k, 1 << 31);
        let apart = Columns { first: BlasOperand { leading: 1 << 31, ..operand }, ..columns };
        assert!(Columns::<i32>::of(&apart).is_none());
    }
}
