//! Programs that are launched again and again.

use std::sync::atomic::{AtomicU64, Ordering};

use super::checked::Checked;
use crate::error::Result;
use crate::program::Program;

/// A checked program under a number that no other program of the process has. What a backend makes of the program it keeps by
/// this number, so that a launch neither hashes nor compares the program.
///
/// ```
/// use ndany_core::backend::PreparedProgram;
/// use ndany_core::program::Program;
/// let [one, two] = [(); 2].map(|()| PreparedProgram::new(Program::default()).expect("a program"));
/// assert_ne!(one.number(), two.number());
/// ```
#[derive(Debug)]
pub struct PreparedProgram {
    program: Checked<Program>,
    number: u64,
}

impl PreparedProgram {
    /// Checks a program and numbers it.
    ///
    /// # Errors
    /// [`Error::Launch`](crate::Error::Launch): the program is malformed.
    pub fn new(program: Program) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ok(Self { program: Checked::new(program)?, number: NEXT.fetch_add(1, Ordering::Relaxed) })
    }

    /// The program.
    #[inline]
    pub fn program(&self) -> Checked<&Program> {
        self.program.by_ref()
    }

    /// Its number.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number
    }
}
