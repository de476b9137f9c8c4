//! [`Library`]: the [`Dft`] made of a vendor's library for Fourier transforms, of the shape of cuFFT's.
//!
//! Plans are kept, up to a number of bytes by estimate; the longest unused go first. They have no workspace of their
//! own: each call brings one.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use ndany_core::DType;
use ndany_core::backend::Transformation;

use super::api::{Context, Vendor};
use super::handle;
use super::table::{self, Named, NamedBy, functions};
use crate::bounded::Bounded;
use crate::dft::{Dft, Plan};
use crate::driver::{Address, DriverError, DriverResult, Stream};
use crate::library::LazyLibrary;

/// Bytes of plans that are kept, by estimate. The one last used stays, however large.
pub const PLAN_BYTES: usize = 256 << 20;

/// What a plan takes besides its tables.
const PLAN_OVERHEAD: usize = 256 << 10;

functions! {
    /// What such libraries have, by what they call a plan.
    pub struct Functions<P> {
        fn version(version: *mut i32);
        fn create(plan: *mut P);
        fn destroy(plan: P);
        fn set_allocation(plan: P, automatic: i32);
        fn make(
            plan: P, rank: i32, lengths: *mut i64, input: *mut i64, input_step: i64, input_row: i64,
            output: *mut i64, output_step: i64, output_row: i64, kind: u32, rows: i64, workspace: *mut usize,
        );
        fn set_stream(plan: P, stream: u64);
        fn set_workspace(plan: P, memory: u64);
        fn complex_singles(plan: P, from: u64, to: u64, direction: i32);
        fn complex_doubles(plan: P, from: u64, to: u64, direction: i32);
        fn singles_to_half(plan: P, from: u64, to: u64);
        fn doubles_to_half(plan: P, from: u64, to: u64);
        fn half_to_singles(plan: P, from: u64, to: u64);
        fn half_to_doubles(plan: P, from: u64, to: u64);
    }
}

/// A vendor's library.
pub type Api<T> = table::Api<T, Functions<<T as Transforms>::Handle>, ()>;

// SAFETY: an implementation of `Transforms` guarantees its names.
unsafe impl<T: Transforms> NamedBy<Functions<T::Handle>> for T {
    const NAMES: Names = <T as Transforms>::NAMES;
}

impl<T: Transforms> Api<T> {
    /// The library's version, as it counts.
    pub fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: it writes a number.
        unsafe { (self.functions.version.function)(&mut version) };
        version.to_string()
    }
}

/// What is a vendor's own about its library.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Functions`].
pub unsafe trait Transforms: fmt::Debug + Send + Sync + Sized + 'static {
    /// Whose it is.
    type Vendor: Vendor;
    /// What it calls a plan by.
    type Handle: Copy + Default + Send;

    /// Product name.
    const NAME: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// Its code for too little memory.
    const MEMORY_ERROR: u32;

    /// The library.
    fn library() -> &'static LazyLibrary<Api<Self>>;
}

/// Numbers of kinds, alike with all vendors: complex, to half, to real; in singles and in doubles.
pub const KINDS: [[u32; 3]; 2] = [[0x29, 0x2a, 0x2c], [0x69, 0x6a, 0x6c]];
/// Those of directions: forward and backward.
pub const DIRECTIONS: [i32; 2] = [-1, 1];

fn kind(plan: &Plan) -> u32 {
    let number = match plan.kind {
        Transformation::Forward | Transformation::Backward => 0,
        Transformation::RealToHalf => 1,
        Transformation::HalfToReal => 2,
    };
    KINDS[usize::from(plan.part == DType::F64)][number]
}

/// Both directions of a transform are one plan.
type Key = (u32, usize, usize, bool);

fn key(plan: &Plan) -> Key {
    (kind(plan), plan.length, plan.rows, plan.across)
}

/// The plans of a device: handles, and the workspace that each needs.
type Plans<H> = Bounded<Key, (H, usize)>;

/// A vendor's library on one device.
pub struct Library<T: Transforms> {
    context: Context<T::Vendor>,
    /// Calls set the stream and the workspace of a plan first, so they come one by one.
    plans: Mutex<Plans<T::Handle>>,
    there: OnceLock<bool>,
}

impl<T: Transforms> fmt::Debug for Library<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(T::NAME).finish_non_exhaustive()
    }
}

impl<T: Transforms> Library<T> {
    /// For a device; opens nothing yet.
    pub fn new(context: Context<T::Vendor>) -> Self {
        Self { context, plans: Mutex::new(Bounded::new(PLAN_BYTES)), there: OnceLock::new() }
    }

    fn api() -> Option<&'static Functions<T::Handle>> {
        Some(&T::library().get().ok()?.symbols.functions)
    }

    /// The plan's handle and workspace, made where there is none; the device's context is current.
    fn plan(
        &self,
        api: &Functions<T::Handle>,
        plans: &mut Plans<T::Handle>,
        plan: &Plan,
    ) -> DriverResult<(T::Handle, usize)> {
        if let Some(&kept) = plans.get(key(plan)) {
            return Ok(kept);
        }
        let mut handle = T::Handle::default();
        // SAFETY: it writes a handle, of the current device.
        check::<T>(&api.create, unsafe { (api.create.function)(&mut handle) })?;
        let made = Self::make(api, handle, plan);
        let Ok(workspace) = made else {
            // SAFETY: a live handle without another user.
            unsafe { (api.destroy.function)(handle) };
            return made.map(|workspace| (handle, workspace));
        };
        let bytes = PLAN_OVERHEAD + 2 * plan.length * 2 * plan.part.size();
        for (old, _) in plans.put(key(plan), (handle, workspace), bytes) {
            // SAFETY: the handle has no other user; giving its memory back waits for the device.
            unsafe { (api.destroy.function)(old) };
        }
        Ok((handle, workspace))
    }

    fn make(api: &Functions<T::Handle>, handle: T::Handle, plan: &Plan) -> DriverResult<usize> {
        let ([input, output], mut workspace) = (plan.kind.extents(plan.length), 0);
        let [mut length, mut from, mut to] = [plan.length, input, output].map(|size| size as i64);
        let (input_row, rows) = (from, plan.rows as i64);
        let (output_step, output_row) = if plan.across { (rows, 1) } else { (1, to) };
        // SAFETY: a live handle; numbers are read before the call returns, and it writes one.
        unsafe {
            check::<T>(&api.set_allocation, (api.set_allocation.function)(handle, 0))?;
            let code = (api.make.function)(
                handle,
                1,
                &mut length,
                &mut from,
                1,
                input_row,
                &mut to,
                output_step,
                output_row,
                kind(plan),
                rows,
                &mut workspace,
            );
            check::<T>(&api.make, code)?;
        }
        Ok(workspace)
    }
}

fn check<T: Transforms>(call: &Named<impl Copy>, code: u32) -> DriverResult<()> {
    handle::check(call.name, code, T::MEMORY_ERROR)
}

impl<T: Transforms> Dft for Library<T> {
    fn is_there(&self) -> bool {
        *self.there.get_or_init(|| Self::api().is_some())
    }

    fn workspace(&self, plan: &Plan) -> DriverResult<usize> {
        let Some(api) = Self::api() else { return Err(DriverError::Missing { call: T::NAME }) };
        let _current = self.context.enter(api.make.name)?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        self.plan(api, &mut plans, plan).map(|(_, workspace)| workspace)
    }

    fn release(&self) -> bool {
        let Some(api) = Self::api() else { return false };
        let Ok(_current) = self.context.enter(api.destroy.name) else { return false };
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner).take();
        for &(plan, _) in &plans {
            // SAFETY: the handle has no other user; giving its memory back waits for the device.
            unsafe { (api.destroy.function)(plan) };
        }
        !plans.is_empty()
    }

    unsafe fn transform(
        &self,
        plan: &Plan,
        from: Address,
        to: Address,
        workspace: Address,
        stream: Stream,
    ) -> DriverResult<()> {
        let Some(api) = Self::api() else { return Err(DriverError::Missing { call: T::NAME }) };
        let _current = self.context.enter(api.make.name)?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let (handle, _) = self.plan(api, &mut plans, plan)?;
        let doubles = plan.part == DType::F64;
        // SAFETY: a live handle; the caller vouches for the stream and the memory.
        unsafe {
            check::<T>(&api.set_stream, (api.set_stream.function)(handle, stream.0))?;
            check::<T>(&api.set_workspace, (api.set_workspace.function)(handle, workspace))?;
            match plan.kind {
                Transformation::Forward | Transformation::Backward => {
                    let call = if doubles { &api.complex_doubles } else { &api.complex_singles };
                    let direction = DIRECTIONS[usize::from(plan.kind == Transformation::Backward)];
                    check::<T>(call, (call.function)(handle, from, to, direction))
                }
                Transformation::RealToHalf => {
                    let call = if doubles { &api.doubles_to_half } else { &api.singles_to_half };
                    check::<T>(call, (call.function)(handle, from, to))
                }
                Transformation::HalfToReal => {
                    let call = if doubles { &api.half_to_doubles } else { &api.half_to_singles };
                    check::<T>(call, (call.function)(handle, from, to))
                }
            }
        }
    }
}
