//! Kernels of a user's own C++ text, for CUDA and HIP alike.

mod arguments;
mod definition;
pub(super) mod launch;
mod module;

use std::fmt;
use std::sync::Arc;

use bytemuck::NoUninit;
use ndany_core::backend::KernelAttributes;
use ndany_core::{Error, Result};

pub use arguments::{Argument, Extents, Init, RawArguments, Structure};
use definition::{Access, ArrayParameter, Declared, Kind, Parameter, Source};
pub use definition::{Definition, RawLayout, RawOperand, RawType};
pub use module::RawModule;

use crate::device::Device;

/// What runs on devices that compile no text.
type Twin = dyn Fn(&mut [Argument<'_>]) -> Result<()> + Send + Sync;

/// A kernel of C++ text whose signature the engine writes, as `cupy.RawKernel`.
///
/// The text is the body of a kernel, for NVRTC and hipRTC alike. Its parameters are declared in order, and are there by their names:
/// a number, a structure, or an array `x` with `x[i]` (position in C order), `x(i, j)` (where the [number of axes](RawOperand) is declared),
/// `x.size`, `x.extent(axis)` and `x.data`. `docs/kernels.md` lists the words that a body has: dtypes (`f32`, `i64`), `global_x()`,
/// `grid_size()`, `thread_x()`, `block_x()`, `block_size_x()`, `barrier()`, `SHARED`, `shared_memory<T>()`, `fused(a, b, c)`.
///
/// ```
/// use ndany::kernel::RawKernel;
/// use ndany::prelude::*;
/// let saxpy = RawKernel::new("saxpy", "for (u64 i = global_x(); i < y.size; i += grid_size()) y[i] = a * x[i] + y[i];")
///     .scalar("a", F32)
///     .input("x", F32)
///     .inout("y", F32);
/// let device = Device::current();
/// let (x, mut y) = (ones(1000, F32), ones(1000, F32));
/// // SAFETY: the loop stays below `y.size`, and `x` is as long.
/// match unsafe { saxpy.launch(&device, 4, 256, (2.0f32, &x, &mut y)) } {
///     Ok(_) => assert_eq!(y.sum(..).item::<f32>()?, 3000.0),
///     Err(error) => assert!(error.is_unsupported()),     // the CPU compiles no text
/// }
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone)]
pub struct RawKernel {
    declared: Declared,
    twin: Option<Arc<Twin>>,
}

impl RawKernel {
    /// Makes a kernel of a name and the statements of its body.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let fill = RawKernel::new("fill", "if (global_x() < z.size) z[global_x()] = 7;").output("z", I32);
    /// assert_eq!(format!("{fill:?}"), "RawKernel(fill: z)");
    /// ```
    pub fn new(name: &'static str, body: impl Into<String>) -> Self {
        Self::of(name, Source::Body { preamble: String::new(), body: body.into() })
    }

    fn of(name: &'static str, source: Source) -> Self {
        let declared = Declared {
            name,
            parameters: Vec::new(),
            types: Vec::new(),
            defines: Vec::new(),
            source,
            shared: 0,
            cooperative: false,
            contract: false,
            checked: false,
            misused: None,
            codes: Arc::default(),
        };
        Self { declared, twin: None }
    }

    /// The same kernel, declared in another way.
    fn with(mut self, change: impl FnOnce(&mut Declared)) -> Self {
        change(&mut self.declared);
        self.declared.codes = Arc::default();
        self
    }

    fn with_body(self, why: &'static str, change: impl FnOnce(&mut Declared)) -> Self {
        self.with(|declared| match declared.source {
            Source::Body { .. } => change(declared),
            Source::Module(..) => drop(declared.misused.get_or_insert(why)),
        })
    }

    fn parameter(self, name: &'static str, kind: Kind) -> Self {
        self.with(|declared| declared.parameters.push(Parameter { name, kind }))
    }

    fn array(self, name: &'static str, operand: RawOperand, access: Access) -> Self {
        self.parameter(name, Kind::Array(ArrayParameter { operand, access }))
    }

    /// Declares a number: of a dtype, or of a named type (`"T"`) that the call binds.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("scale", "y[global_x()] *= a;").scalar("a", "T").inout("y", "T");
    /// # let _ = kernel;
    /// ```
    pub fn scalar(self, name: &'static str, dtype: impl Into<RawType>) -> Self {
        self.parameter(name, Kind::Scalar(dtype.into()))
    }

    /// Declares a structure, passed by value as [`Structure`]; `ty` is its type in the [preamble](RawKernel::preamble).
    ///
    /// ```
    /// use ndany::{kernel::{RawKernel, Structure}, prelude::*};
    /// let kernel = RawKernel::new("shift", "y[global_x()] += by.step[1];")
    ///     .preamble("struct By { f32 step[2]; };")
    ///     .structure::<[f32; 2]>("by", "By")
    ///     .inout("y", F32);
    /// let mut y = ones(1, F32);
    /// // SAFETY: one thread, one element.
    /// let _ = unsafe { kernel.launch(&Device::current(), 1, 1, (Structure(&[1.0f32, 2.0]), &mut y)) };
    /// ```
    pub fn structure<T: NoUninit>(self, name: &'static str, ty: &'static str) -> Self {
        let (bytes, align) = (size_of::<T>(), align_of::<T>());
        self.parameter(name, Kind::Structure { name: ty, bytes, align })
    }

    /// Declares an array that the kernel reads: `&x` in the call.
    ///
    /// It is computed before the launch if it is pending, and copied if it does not lie in C order, unless it is declared
    /// [strided](RawLayout::Strided).
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("corner", "z[0] = x(1, 2);").input("x", (F64, 2)).output("z", F64);
    /// # let _ = kernel;
    /// ```
    pub fn input(self, name: &'static str, operand: impl Into<RawOperand>) -> Self {
        self.array(name, operand.into(), Access::Input)
    }

    /// Declares an array that the kernel reads and writes in place: `&mut y` in the call.
    ///
    /// Other handles on its value keep the old values, so it is copied first if there are some.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("double_it", "y[global_x()] *= 2;").inout("y", I32);
    /// # let _ = kernel;
    /// ```
    pub fn inout(self, name: &'static str, operand: impl Into<RawOperand>) -> Self {
        self.array(name, operand.into(), Access::InOut)
    }

    /// Declares a new array, which the launch returns: its shape and what it holds first ([`Init`]) are the argument.
    ///
    /// ```
    /// use ndany::{kernel::{Init, RawKernel}, prelude::*};
    /// let count = RawKernel::new("count", "z[global_x()] = (i32)global_x();").output("z", I32);
    /// // SAFETY: as many threads as elements.
    /// if let Ok(made) = unsafe { count.launch(&Device::current(), 1, 3, (([3], Init::Uninit),)) } {
    ///     assert_eq!(made[0].to_string(), "[0 1 2]");
    /// }
    /// ```
    pub fn output(self, name: &'static str, operand: impl Into<RawOperand>) -> Self {
        self.array(name, operand.into(), Access::Output)
    }

    /// Defines a name of the body: a constant (`#define TILE 16`), or what a named type is (`using T = f32`).
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("tiles", "SHARED T tile[TILE];").define("TILE", 16).define("T", F32);
    /// # let _ = kernel;
    /// ```
    pub fn define(self, name: &'static str, value: impl Into<Definition>) -> Self {
        let value = value.into();
        self.with_body("a module has no defines: give them as options", |declared| match value {
            Definition::Text(text) => declared.defines.push((name, text)),
            Definition::DType(dtype) => declared.types.push((name, dtype)),
        })
    }

    /// Sets the text in front of the kernel: structures, device functions, constants.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("squares", "y[global_x()] = square(y[global_x()]);")
    ///     .preamble("DEVICE f32 square(f32 x) { return x * x; }")
    ///     .inout("y", F32);
    /// # let _ = kernel;
    /// ```
    pub fn preamble(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.with_body("a module has no preamble: its source is whole", |declared| {
            if let Source::Body { preamble, .. } = &mut declared.source {
                *preamble = text;
            }
        })
    }

    /// Sets the bytes of dynamic shared memory of a block, which the body has as `shared_memory<T>()`.
    ///
    /// More than 48 KiB are asked for where the driver wants that.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("staged", "f32* tile = shared_memory<f32>();").shared(100_000);
    /// # let _ = kernel;
    /// ```
    pub fn shared(mut self, bytes: usize) -> Self {
        // The text does not depend on it.
        self.declared.shared = bytes;
        self
    }

    /// Runs all blocks at the same time: the body has `grid_barrier()`, as CuPy's `enable_cooperative_groups`.
    ///
    /// A grid that does not fit the device as a whole is an error.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("steps", "y[0] = 1; grid_barrier();").inout("y", F32).cooperative();
    /// # let _ = kernel;
    /// ```
    pub fn cooperative(self) -> Self {
        self.with(|declared| declared.cooperative = true)
    }

    /// Lets the compiler round `a * b + c` once. Without it, results are those of the operations as they are written.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("fast", "y[0] = y[0] * y[0] + y[0];").inout("y", F32).contract();
    /// # let _ = kernel;
    /// ```
    pub fn contract(self) -> Self {
        self.with_body("contraction is an option of the module", |declared| {
            declared.contract = true
        })
    }

    /// Compares every index of the accessors with the extents: an access out of bounds is an error of the arrays written.
    ///
    /// Such a read gives zero, such a write does nothing; the error names kernel, argument and index.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("beyond", "y[y.size] = 1;").inout("y", F32).with_checks();
    /// # let _ = kernel;
    /// ```
    pub fn with_checks(self) -> Self {
        self.with_body("only kernels with a body have checks", |declared| declared.checked = true)
    }

    /// Gives a closure that does the kernel's work on devices that compile no text.
    ///
    /// It gets the arguments after all checks; new arrays are there as [`Argument::InOut`].
    ///
    /// ```
    /// use ndany::{kernel::{Argument, RawKernel}, prelude::*};
    /// let double = RawKernel::new("double_it", "y[global_x()] *= 2;").inout("y", I32).on_cpu(|arguments| {
    ///     if let [Argument::InOut(y)] = arguments {
    ///         **y = &**y * 2;
    ///     }
    ///     Ok(())
    /// });
    /// let device = Device::open("reference")?;
    /// let _guard = device.enter();
    /// let mut y = array([1, 2]);
    /// // SAFETY: as many threads as elements.
    /// unsafe { double.launch(&device, 1, 2, (&mut y,))? };
    /// assert_eq!(y.to_string(), "[2 4]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn on_cpu(
        mut self,
        twin: impl Fn(&mut [Argument<'_>]) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.twin = Some(Arc::new(twin));
        self
    }

    /// Returns what the compiled kernel is, as the attributes of `cupy.RawKernel`; compiles it if it is not yet.
    ///
    /// `block` is that of the occupancy. Named types have to be bound by [`RawKernel::define`].
    ///
    /// - **Errors**: a device that compiles no text, a text that does not compile, what fails on the device.
    ///
    /// ```
    /// use ndany::{kernel::RawKernel, prelude::*};
    /// let kernel = RawKernel::new("nothing", "");
    /// match kernel.attributes(&Device::current(), 256) {
    ///     Ok(attributes) => assert!(attributes.max_threads_per_block >= 256),
    ///     Err(error) => assert!(error.is_unsupported()),
    /// }
    /// ```
    pub fn attributes(
        &self,
        device: &Device,
        block: impl Into<Extents>,
    ) -> Result<KernelAttributes> {
        let declared = &self.declared;
        declared.check()?;
        let Some(raw) = device.backend().raw() else { return Err(self.unsupported(device)) };
        let Extents(block) = block.into();
        launch::check_block(declared.name, declared.shared, block, raw.limits())?;
        let (_, types) = declared.dtypes(&[])?;
        let code = declared.code(&types);
        raw.attributes(&code, declared.name, block.iter().product(), declared.shared)
    }

    fn unsupported(&self, device: &Device) -> Error {
        let reason = format!(
            "{} compiles no text: launch it on a GPU, or give it a closure by on_cpu",
            device.name()
        );
        Error::Unsupported { op: self.declared.name.to_string(), reason }
    }
}

impl fmt::Debug for RawKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> =
            self.declared.parameters.iter().map(|parameter| parameter.name).collect();
        write!(f, "RawKernel({}: {})", self.declared.name, names.join(", "))
    }
}
