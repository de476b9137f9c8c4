//! Texts of kernels in a folder, compiled for architectures without a device.
//!
//! A process records every text that a device asks for if `NDANY_CACHE_TEXTS` names a folder. [`compile_texts`] compiles what
//! was recorded for any architectures that the compiler knows, into a folder of machine code that an application brings along
//! (`NDANY_CACHE_SHIPPED`). A text depends on the vendor and on the lanes of a warp, not on the architecture.
//!
//! A file is `MAGIC`, a checksum, and strings with their lengths. A damaged one is passed over.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ndany_kernels::Dialect;

use crate::cache::{Cache, create_folder, file_name, hash, publish};
use crate::driver::{CompileError, CompileRequest, Compiler};
use crate::modules::packed;
use crate::settings::Settings;

/// The first bytes of a file; the last of them counts versions of the format.
const MAGIC: [u8; 8] = *b"ndanyt\0\x01";

/// Bytes in front of the strings: magic, checksum.
const HEAD: usize = 8 + 16;

/// The text of a kernel and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The vendor's platform.
    platform: String,
    /// Threads of a warp.
    lanes: String,
    text: String,
    options: Option<Options>,
}

/// How a user's text is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Whether `a * b + c` may be rounded once.
    pub(crate) contract: bool,
    /// Further options, in the vendor's words.
    pub(crate) options: Vec<String>,
    /// Names of instances of templates that the machine code has to have.
    pub(crate) expressions: Vec<String>,
}

impl Text {
    /// A text of the engine's, or of a user with options.
    pub(crate) fn new(dialect: &Dialect, text: &str, options: Option<Options>) -> Self {
        let (platform, lanes) = (dialect.name.to_string(), dialect.warp_size.to_string());
        Self { platform, lanes, text: text.to_string(), options }
    }

    /// Under which its machine code is kept: what that depends on beside architecture and compiler.
    pub(crate) fn key(&self) -> String {
        match &self.options {
            None => self.text.clone(),
            Some(Options { contract, options, expressions }) => {
                format!("// {contract} {options:?} {expressions:?}\n{}", self.text)
            }
        }
    }

    /// What is kept of its machine code.
    fn compile(
        &self,
        compiler: &dyn Compiler,
        architecture: &str,
    ) -> Result<Vec<u8>, CompileError> {
        let Some(Options { contract, options, expressions }) = &self.options else {
            return compiler.compile(&self.text, architecture);
        };
        let request = CompileRequest { contract: *contract, options, expressions };
        Ok(packed(&compiler.compile_with(&self.text, architecture, &request)?))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut strings = vec![&self.platform, &self.lanes, &self.text];
        let contract;
        if let Some(Options { contract: contracts, options, expressions }) = &self.options {
            contract = format!("{contracts} {}", options.len());
            strings.push(&contract);
            strings.extend(options.iter().chain(expressions));
        }
        let mut bytes = Vec::new();
        for string in strings {
            bytes.extend((string.len() as u64).to_le_bytes());
            bytes.extend(string.as_bytes());
        }
        bytes
    }

    fn of_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut strings = Vec::new();
        while !bytes.is_empty() {
            let (length, rest) = bytes.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (string, rest) = rest.split_at_checked(length)?;
            strings.push(String::from_utf8(string.to_vec()).ok()?);
            bytes = rest;
        }
        let mut strings = strings.into_iter();
        let (platform, lanes, text) = (strings.next()?, strings.next()?, strings.next()?);
        let options = match strings.next() {
            None => None,
            Some(head) => {
                let (contract, count) = head.split_once(' ')?;
                let (contract, count) = (contract.parse().ok()?, count.parse().ok()?);
                let options: Vec<String> = strings.by_ref().take(count).collect();
                Some(Options { contract, options, expressions: strings.collect() })
            }
        };
        Some(Self { platform, lanes, text, options })
    }

    /// Writes its file, if it is not there.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let bytes = self.bytes();
        let checksum = hash(&[&bytes]);
        let name = file_name(checksum);
        if folder.join(&name).exists() {
            return Ok(());
        }
        create_folder(folder)?;
        publish(folder, &name, &[&MAGIC, &checksum.to_le_bytes(), &bytes])
    }

    /// The text of a whole file.
    fn read(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let whole = head[..8] == MAGIC && head[8..] == hash(&[rest]).to_le_bytes();
        whole.then(|| Self::of_bytes(rest)).flatten()
    }
}

/// What [`compile_texts`] has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledTexts {
    /// Number of texts compiled, each for one architecture.
    pub compiled: usize,
    /// Number of those whose machine code was there.
    pub kept: usize,
    /// Number of files in the folder of texts that are damaged, or none.
    pub passed_over: usize,
    /// What the compiler says of texts that it does not compile, with the architecture.
    pub refused: Vec<String>,
}

/// Compiles the recorded texts of a vendor for architectures (`sm_90`) and keeps the machine code in a folder; needs no device.
///
/// The texts are those of dialects of this name and number of lanes. What is in the folder by now is not compiled again. Several
/// threads compile.
///
/// # Errors
/// A folder that cannot be read or written.
pub fn compile_texts(
    compiler: &dyn Compiler,
    dialect: &Dialect,
    texts: &Path,
    architectures: &[String],
    folder: &Path,
) -> io::Result<CompiledTexts> {
    let mut done = CompiledTexts::default();
    let mut tasks: Vec<(Text, &String)> = Vec::new();
    let mut paths =
        fs::read_dir(texts)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let of_dialect = |text: &Text| {
            text.platform == dialect.name && text.lanes == dialect.warp_size.to_string()
        };
        match Text::read(&path) {
            Some(text) if of_dialect(&text) => {
                tasks.extend(architectures.iter().map(|name| (text.clone(), name)));
            }
            // Of another vendor.
            Some(_) => {}
            None => {
                tracing::warn!(path = %path.display(), "the text of a kernel is damaged");
                done.passed_over += 1;
            }
        }
    }
    create_folder(folder)?;
    let folder = fs::canonicalize(folder)?;
    let cache = Cache::of(&Settings { cache: Some(folder.clone()), ..Settings::default() });
    let version = compiler.version();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(done));
    let work = || {
        while let Some((text, architecture)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let key = text.key();
            let mut outcome = CompiledTexts::default();
            if cache.load(&key, architecture, Some(&version)).is_some() {
                outcome.kept = 1;
            } else {
                match text.compile(compiler, architecture) {
                    Ok(code) => {
                        cache.store(&key, architecture, &version, &code);
                        outcome.compiled = 1;
                    }
                    Err(error) => outcome.refused.push(format!("{architecture}: {error}")),
                }
            }
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.compiled += outcome.compiled;
            done.kept += outcome.kept;
            done.refused.extend(outcome.refused);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.refused.sort();
    // What is not kept says nothing: it is a convenience elsewhere, and here the purpose.
    let lost = tasks.iter().filter(|(text, architecture)| {
        cache.load(&text.key(), architecture, Some(&version)).is_none()
    });
    match lost.count() == done.refused.len() {
        true => Ok(done),
        false => {
            let reason = format!("machine code is not kept in {}", folder.display());
            Err(io::Error::other(reason))
        }
    }
}

#[cfg(test)]
mod tests;
