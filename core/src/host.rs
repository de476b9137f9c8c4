//! Memory of the host beside that of arrays: lists, texts, and what libraries take for themselves.

use std::hint::black_box;

use crate::backend::Backend;
use crate::error::{Error, Result};

/// A number of bytes that the host could not allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack(pub usize);

impl Lack {
    /// The error of a backend whose work needs this memory beside its operands. Core says for which operation.
    pub fn of(self, backend: &dyn Backend) -> Error {
        let device = backend.name();
        Error::OutOfMemory { op: "allocate", device, requested: self.0, memory: None }
    }

    /// The error of an operation that needs this memory of the host, whatever its device.
    pub fn on_host(self, op: &'static str) -> Error {
        let device = "host".to_string();
        Error::OutOfMemory { op, device, requested: self.0, memory: None }
    }
}

/// Memory for `count` values, in a vector that holds none yet and does not allocate until it has them all.
///
/// # Errors
/// Number of bytes that could not be allocated.
pub fn reserved<T>(count: usize) -> std::result::Result<Vec<T>, Lack> {
    let mut values = Vec::new();
    match values.try_reserve_exact(count) {
        Ok(()) => Ok(values),
        Err(_) => Err(Lack(count.saturating_mul(size_of::<T>()))),
    }
}

/// A vector of one value, `count` times.
///
/// # Errors
/// As [`reserved`].
pub fn filled<T: Clone>(value: T, count: usize) -> std::result::Result<Vec<T>, Lack> {
    let mut values = reserved(count)?;
    values.resize(count, value);
    Ok(values)
}

/// A vector of the `count` values of an iterator.
///
/// # Errors
/// As [`reserved`].
pub fn gathered<T>(
    count: usize,
    from: impl Iterator<Item = T>,
) -> std::result::Result<Vec<T>, Lack> {
    let mut values = reserved(count)?;
    values.extend(from);
    Ok(values)
}

/// Checks that this many bytes can be allocated. They are allocated and freed at once, so that what follows may allocate in ways
/// that cannot fail but by ending the process: standard collections and libraries that allocate by themselves. Another thread may
/// come in between, so this is a bound and no promise: it catches the request that is too large by itself, and memory that has run
/// out. Memory that the caller takes itself is taken by [`reserved`] and kept instead.
///
/// The pages are not touched: it costs a call of the allocator.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn ensure_memory(op: &'static str, bytes: usize) -> Result<()> {
    match has_memory(bytes) {
        true => Ok(()),
        false => Err(Lack(bytes).on_host(op)),
    }
}

/// [`ensure_memory`] for what a backend takes beside its memory. Core says for which operation.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn ensure_memory_for(backend: &dyn Backend, bytes: usize) -> Result<()> {
    match has_memory(bytes) {
        true => Ok(()),
        false => Err(Lack(bytes).of(backend)),
    }
}

fn has_memory(bytes: usize) -> bool {
    match reserved::<u8>(bytes) {
        // Or the compiler leaves out memory that nothing is done with.
        Ok(mut taken) => {
            black_box(taken.as_mut_ptr());
            true
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_the_memory_of_their_values_or_say_how_much_there_is_not() {
        assert_eq!(filled(7u16, 5), Ok(vec![7; 5]));
        assert_eq!(gathered(3, 1..4), Ok(vec![1, 2, 3]));
        let memory = reserved::<u64>(1000).expect("8,000 bytes");
        assert!(memory.is_empty() && memory.capacity() >= 1000);
        assert_eq!(filled(0u64, 1 << 60), Err(Lack(1 << 63)));
        assert_eq!(filled(0u64, 1 << 62), Err(Lack(usize::MAX)));
        assert_eq!(reserved::<u8>(1 << 60), Err(Lack(1 << 60)));
    }

    #[test]
    fn what_no_memory_holds_is_refused() {
        assert!(ensure_memory("test", 1 << 20).is_ok());
        for bytes in [usize::MAX, isize::MAX as usize, 1 << 60] {
            let error = ensure_memory("test", bytes).expect_err("too much");
            assert_eq!(error.class(), "MemoryError", "{error}");
        }
    }
}
