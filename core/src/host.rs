//! Memory of the host beside that of arrays: lists, texts, and what libraries take for themselves.

use std::collections::TryReserveError;
use std::hint::black_box;

use crate::backend::Backend;
use crate::error::{Error, Result};

/// Bytes up to which nothing is asked: a program that has not even these ends anywhere.
const FEW: usize = 1 << 14;

/// Is there room for this many bytes? They are taken and given back at once, so that what follows may take them in ways
/// that cannot fail but by ending the process: `Vec`s, and libraries. Another thread may come in between; what this
/// catches is the request that is too large by itself, and memory that has run out.
///
/// The pages are not touched: it costs a call of the allocator.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn room(op: &'static str, bytes: usize) -> Result<()> {
    match has_room(bytes) {
        true => Ok(()),
        false => {
            let device = "host".to_string();
            Err(Error::OutOfMemory { op, device, requested: bytes, memory: None })
        }
    }
}

/// [`room`] for what a backend takes beside its memory. Core says for which operation.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn room_for(backend: &dyn Backend, bytes: usize) -> Result<()> {
    match has_room(bytes) {
        true => Ok(()),
        false => {
            let device = backend.name();
            Err(Error::OutOfMemory { op: "allocate", device, requested: bytes, memory: None })
        }
    }
}

fn has_room(bytes: usize) -> bool {
    if bytes <= FEW {
        return true;
    }
    let taken = || -> Result<Vec<u8>, TryReserveError> {
        let mut taken = Vec::new();
        taken.try_reserve_exact(bytes)?;
        Ok(taken)
    };
    match taken() {
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
    fn what_no_memory_holds_is_refused() {
        assert!(room("test", 1 << 20).is_ok());
        for bytes in [usize::MAX, isize::MAX as usize, 1 << 60] {
            let error = room("test", bytes).expect_err("too much");
            assert_eq!(error.class(), "MemoryError", "{error}");
        }
    }
}
