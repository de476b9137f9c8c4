//! Modules of a user's own text or machine code.

use std::fmt;
use std::sync::{Arc, OnceLock};

use ndany_core::backend::{RawCode, RawText};
use ndany_core::{Error, Result};

use super::RawKernel;
use super::definition::Source;
use crate::device::Device;
use crate::element::Element;

/// A module of whole C++ source or of machine code, as `cupy.RawModule`.
///
/// Its kernels are [`RawKernel`]s whose parameters are declared as those of a body: a number by value, an array as the address of
/// its first element. Equal modules are one on a device, with one set of variables. Where the driver knows the parameters of a kernel (CUDA 12.4 and later), they are compared.
///
/// ```
/// use ndany::kernel::RawModule;
/// use ndany::prelude::*;
/// let module = RawModule::source("module", r#"
///     __constant__ float coef[2];
///     template <typename T> __global__ void polynomial(T* x, int n) {
///         int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) x[i] = coef[0] + coef[1] * x[i];
///     }"#)
///     .name_expression("polynomial<float>");
/// let kernel = module.kernel("polynomial<float>").inout("x", F32).scalar("n", I32);
/// let device = Device::current();
/// let mut x = arange(3.0f32);
/// if module.write(&device, "coef", &[1.0f32, 10.0]).is_ok() {
///     // SAFETY: the kernel stays below `n`.
///     unsafe { kernel.launch(&device, 1, 32, (&mut x, 3i32))? };
///     assert_eq!(x.to_string(), "[ 1. 11. 21.]");
/// }
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone)]
pub struct RawModule {
    name: &'static str,
    text: RawText,
    options: Vec<String>,
    expressions: Vec<String>,
    code: OnceLock<Arc<RawCode>>,
}

impl RawModule {
    fn of(name: &'static str, text: RawText) -> Self {
        let (options, expressions, code) = Default::default();
        Self { name, text, options, expressions, code }
    }

    /// Makes a module of C++ text, which the device's compiler takes as it is; `name` is what errors call it.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::source("module", "extern \"C\" __global__ void nothing() {}");
    /// # let _ = module;
    /// ```
    pub fn source(name: &'static str, text: impl Into<String>) -> Self {
        Self::of(name, RawText::Module(text.into()))
    }

    /// Makes a module of machine code: a cubin or PTX for CUDA, a code object for HIP.
    ///
    /// - **Errors**: none here; code that the driver does not take is an error of the launch.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::binary("module", b"no machine code");
    /// let kernel = module.kernel("nothing");
    /// // SAFETY: it is refused.
    /// assert!(unsafe { kernel.launch(&Device::current(), 1, 1, ()) }.is_err());
    /// ```
    pub fn binary(name: &'static str, image: impl Into<Vec<u8>>) -> Self {
        Self::of(name, RawText::Binary(image.into()))
    }

    /// Adds an option of the compiler, in the vendor's words: `--maxrregcount=64`, `-DN=4`.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::source("module", "__constant__ float coef[N];").option("-DN=4");
    /// # let _ = module;
    /// ```
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self.code = OnceLock::new();
        self
    }

    /// Asks for an instance of a template, which is a kernel by this expression: `scale<float>`.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let text = "template <typename T> __global__ void scale(T* x) { x[threadIdx.x] *= 2; }";
    /// let module = RawModule::source("module", text).name_expression("scale<double>");
    /// # let _ = module;
    /// ```
    pub fn name_expression(mut self, expression: impl Into<String>) -> Self {
        self.expressions.push(expression.into());
        self.code = OnceLock::new();
        self
    }

    fn code(&self) -> &Arc<RawCode> {
        self.code.get_or_init(|| {
            let (options, expressions) = (self.options.clone(), self.expressions.clone());
            Arc::new(RawCode::new(self.name, self.text.clone(), false, options, expressions))
        })
    }

    /// Returns a kernel of the module, whose parameters are to be declared in order, as `cupy.RawModule.get_function`.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::source("module", "extern \"C\" __global__ void one(float* x) { x[0] = 1; }");
    /// let kernel = module.kernel("one").inout("x", F32);
    /// assert_eq!(format!("{kernel:?}"), "RawKernel(one: x)");
    /// ```
    pub fn kernel(&self, name: &'static str) -> RawKernel {
        let known = !name.contains('<') || self.expressions.iter().any(|known| known == name);
        let unknown = (!known).then(|| {
            format!("the module {} has no {name}: ask for it by name_expression", self.name)
        });
        RawKernel::of(name, Source::Module(self.code().clone(), unknown))
    }

    /// Writes a variable of the module (`__constant__` or `__device__`), as `cupy.RawModule.get_global`; waits for the device.
    ///
    /// - **Errors**: no such variable, a number of bytes that is not the variable's, a text that does not compile, a device that
    ///   compiles no text, what fails on the device.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::source("module", "__constant__ float coef[2];");
    /// let error = module.write(&Device::current(), "coef", &[1.0f32]).unwrap_err();
    /// assert!(error.is_unsupported() || error.to_string().contains("8 bytes"));
    /// ```
    pub fn write<T: Element>(&self, device: &Device, variable: &str, values: &[T]) -> Result<()> {
        let bytes = T::as_bytes(values);
        self.variable(device, variable, bytes.len())?;
        match device.backend().raw() {
            Some(raw) => raw.write_global(self.code(), variable, &bytes),
            None => unreachable!("it was looked for"),
        }
    }

    /// Reads a variable of the module; waits for the device.
    ///
    /// - **Errors**: as [`RawModule::write`], and a size that is no multiple of an element's.
    ///
    /// ```
    /// use ndany::{kernel::RawModule, prelude::*};
    /// let module = RawModule::source("module", "__device__ int count = 5;");
    /// match module.read::<i32>(&Device::current(), "count") {
    ///     Ok(values) => assert_eq!(values, [5]),
    ///     Err(error) => assert!(error.is_unsupported()),
    /// }
    /// ```
    pub fn read<T: Element>(&self, device: &Device, variable: &str) -> Result<Vec<T>> {
        let raw = device.backend().raw().ok_or_else(|| self.unsupported(device))?;
        let (bytes, size) = (raw.global_bytes(self.code(), variable)?, size_of::<T>());
        if !bytes.is_multiple_of(size) {
            let reason = format!("{variable} has {bytes} bytes: expected a multiple of {size}");
            return Err(Error::Arguments { op: self.name.to_string(), reason });
        }
        T::filled(bytes / size, |bytes| raw.read_global(self.code(), variable, bytes))
    }

    /// Whether a variable has this number of bytes.
    fn variable(&self, device: &Device, variable: &str, given: usize) -> Result<()> {
        let raw = device.backend().raw().ok_or_else(|| self.unsupported(device))?;
        let bytes = raw.global_bytes(self.code(), variable)?;
        if bytes != given {
            let reason = format!("{variable} has {bytes} bytes, got {given}");
            return Err(Error::Arguments { op: self.name.to_string(), reason });
        }
        Ok(())
    }

    fn unsupported(&self, device: &Device) -> Error {
        let reason = format!("{} compiles no text: use a GPU", device.name());
        Error::Unsupported { op: self.name.to_string(), reason }
    }
}

impl fmt::Debug for RawModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawModule({})", self.name)
    }
}
