//! Machine code of users' texts: compiled once for each [`RawCode`], on disk with the names of its templates.
//!
//! A module stays loaded until the device closes. A failure is not kept. What a kernel may have is asked once, when it
//! is first looked up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use foldhash::fast::RandomState;
use ndany_core::backend::{RawCode, RawText};
use ndany_core::{Error, Result};

use super::Modules;
use crate::checked::CheckedDriver;
use crate::driver::{
    CompileError, CompileRequest, CompiledModule, DriverError, Function, FunctionAttribute, Module,
};
use crate::texts::{Options, Text};

/// What both vendors call a name that a module does not have.
pub(crate) const NOT_FOUND: u32 = 500;
/// And an image that is none, or none for the device, or a text of PTX that is wrong.
const BAD_IMAGE: [u32; 3] = [200, 209, 218];

type Slot = OnceLock<Result<Arc<RawModule>>>;

/// Loaded code of users.
#[derive(Debug, Default)]
pub(crate) struct RawModules {
    known: RwLock<HashMap<Arc<RawCode>, Arc<Slot>, RandomState>>,
}

/// Loaded code.
#[derive(Debug)]
pub(crate) struct RawModule {
    pub(crate) module: Module,
    /// What the expressions of the code are called in it.
    names: Vec<String>,
    functions: Mutex<Vec<(&'static str, Arc<RawFunction>)>>,
}

/// A kernel of loaded code.
#[derive(Debug)]
pub(crate) struct RawFunction {
    pub(crate) function: Function,
    pub(crate) max_threads: u32,
    /// Bytes of static shared memory.
    pub(crate) shared: usize,
    /// Bytes of each parameter, where the driver says them.
    pub(crate) parameters: Option<Vec<usize>>,
    /// The dynamic shared memory that it may have by now.
    pub(crate) allowed: Mutex<usize>,
}

/// Names and image as one entry of the cache.
pub(crate) fn packed(compiled: &CompiledModule) -> Vec<u8> {
    let mut bytes = (compiled.names.len() as u32).to_le_bytes().to_vec();
    for name in &compiled.names {
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes.extend(&compiled.image);
    bytes
}

fn unpacked(bytes: &[u8]) -> Option<CompiledModule> {
    let number = |bytes: &mut &[u8]| {
        let (first, rest) = bytes.split_first_chunk::<4>()?;
        *bytes = rest;
        Some(u32::from_le_bytes(*first) as usize)
    };
    let mut rest = bytes;
    let mut names = Vec::new();
    for _ in 0..number(&mut rest)? {
        let length = number(&mut rest)?;
        let (name, after) = rest.split_at_checked(length)?;
        names.push(String::from_utf8(name.to_vec()).ok()?);
        rest = after;
    }
    Some(CompiledModule { image: rest.to_vec(), names })
}

impl RawModules {
    /// The loaded code; compiled by the first thread that asks for it.
    pub(crate) fn get(
        &self,
        modules: &Modules,
        checked: &CheckedDriver,
        code: &Arc<RawCode>,
    ) -> Result<Arc<RawModule>> {
        let found = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            known.get(code).cloned()
        };
        if let Some(Ok(module)) = found.as_ref().and_then(|slot| slot.get()) {
            return Ok(module.clone());
        }
        let slot = found.unwrap_or_else(|| {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            known.entry(code.clone()).or_default().clone()
        });
        let made = slot.get_or_init(|| modules.raw(checked, code).map(Arc::new));
        if made.is_err() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.get(code).is_some_and(|same| Arc::ptr_eq(same, &slot)) {
                known.remove(code);
            }
        }
        made.clone()
    }
}

impl RawModule {
    /// A kernel by its name, or by an expression of the code.
    pub(crate) fn function(
        &self,
        checked: &CheckedDriver,
        code: &RawCode,
        name: &'static str,
    ) -> Result<Arc<RawFunction>> {
        let functions = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = functions().iter().find(|(known, _)| *known == name) {
            return Ok(found.clone());
        }
        let expression = code.expressions.iter().position(|expression| expression == name);
        let lowered = expression.and_then(|at| self.names.get(at)).map_or(name, String::as_str);
        // SAFETY: the module is loaded and stays so.
        let found =
            checked.attempt(name, |driver| unsafe { driver.function(self.module, lowered) });
        let function = match found {
            Ok(function) => function,
            Err(DriverError::Call { code: NOT_FOUND, .. }) => {
                let reason = format!("the module {} has no kernel {name}", code.name);
                return Err(Error::Arguments { op: name.to_string(), reason });
            }
            Err(error) => return Err(checked.error(name, error)),
        };
        // SAFETY: a function of a module that stays loaded.
        let (attribute, parameters) = unsafe {
            let attribute = |attribute| {
                checked.call(name, |driver| driver.function_attribute(function, attribute))
            };
            (attribute, checked.call(name, |driver| driver.parameters(function))?)
        };
        let made = Arc::new(RawFunction {
            function,
            max_threads: attribute(FunctionAttribute::MaxThreads)?,
            shared: attribute(FunctionAttribute::SharedBytes)? as usize,
            parameters,
            allowed: Mutex::default(),
        });
        functions().push((name, made.clone()));
        Ok(made)
    }
}

impl Modules {
    /// Loads the code from disk or from the compiler.
    fn raw(&self, checked: &CheckedDriver, code: &RawCode) -> Result<RawModule> {
        let properties = checked.driver().properties();
        let (name, architecture) = (code.name, &*properties.architecture);
        let device = checked.driver().name();
        let _span = tracing::debug_span!("compile", device, kernel = name, architecture).entered();
        let loaded = |module: Module, names: Vec<String>| {
            self.loaded.lock().unwrap_or_else(PoisonError::into_inner).push(module);
            RawModule { module, names, functions: Mutex::default() }
        };
        let load = |image: &[u8]| checked.attempt("load", |driver| driver.load(image));
        let text = match &code.text {
            RawText::Binary(image) => {
                // Texts of the driver's own compiler end with a zero.
                let image = [image.as_slice(), &[0]].concat();
                return match load(&image) {
                    Ok(module) => Ok(loaded(module, Vec::new())),
                    Err(DriverError::Call { code, text, .. }) if BAD_IMAGE.contains(&code) => {
                        let reason = format!("the machine code is not for {architecture}: {text}");
                        Err(Error::Arguments { op: name.to_string(), reason })
                    }
                    Err(error) => Err(checked.error("load", error)),
                };
            }
            RawText::Body(body) => ndany_kernels::raw::text(name, body, checked.driver().dialect()),
            RawText::Module(text) => text.clone(),
        };
        let RawCode { contract, options, expressions, .. } = code;
        let own = Options {
            contract: *contract,
            options: options.clone(),
            expressions: expressions.clone(),
        };
        let recorded = Text::new(checked.driver().dialect(), &text, Some(own));
        // What the machine code depends on beside the text is in the key.
        let key = recorded.key();
        self.cache.record(|| recorded);
        let version = self.compiler.as_ref().ok().map(|(_, version)| version.as_str());
        let kept = self.cache.load(&key, architecture, version).and_then(|kept| unpacked(&kept));
        if let Some(CompiledModule { image, names }) = kept {
            match load(&image) {
                Ok(module) => return Ok(loaded(module, names)),
                Err(DriverError::Call { .. }) if self.compiler.is_ok() => {}
                Err(error) => return Err(checked.error("load", error)),
            }
        }
        let (compiler, version) = self.compiler.as_ref().map_err(|error| Error::Device {
            op: "compile",
            device: device.to_string(),
            reason: error.to_string(),
        })?;
        let request = CompileRequest { contract: *contract, options, expressions };
        let compiled = compiler.compile_with(&text, architecture, &request);
        let compiled = compiled.map_err(|error| match error {
            CompileError::Refused { compiler, architecture, log } => {
                let reason = format!(
                    "the text does not compile on {device} for {architecture} ({compiler}): {log}"
                );
                Error::Arguments { op: name.to_string(), reason }
            }
            other => Error::Device {
                op: "compile",
                device: device.to_string(),
                reason: other.to_string(),
            },
        })?;
        let module = load(&compiled.image).map_err(|error| checked.error("load", error))?;
        self.cache.store(&key, architecture, version, &packed(&compiled));
        Ok(loaded(module, compiled.names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_with_the_image() {
        let names = vec!["_Z1kIfEvPT_".to_string(), String::new()];
        for names in [names, Vec::new()] {
            let compiled = CompiledModule { image: vec![1, 2, 3], names };
            assert_eq!(unpacked(&packed(&compiled)), Some(compiled));
        }
        assert_eq!(unpacked(&[1, 0, 0, 0, 9, 0, 0, 0, 1]), None);
        assert_eq!(unpacked(&[1]), None);
    }
}
