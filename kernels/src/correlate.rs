//! The pattern `correlate`: a short sequence laid along a long one.
//!
//! A block makes a tile of results, a thread some neighbours of it in registers, and the taps pass by in runs: each run
//! and the elements under it are copied to shared memory, widened to the type of the sums. A thread reads an element
//! once for all of its results and a tap once for all, so that products and sums are what takes time. Runs whose
//! elements are all there have no test in their inner loop.
//!
//! Where there are few results, threads have fewer of them and blocks fewer threads, so that more processors have work.
//!
//! Arguments: elements of the long sequence, taps, results, places in front of the long one; the addresses of the long
//! one, the taps, the results.

use std::fmt::Write;

use ndany_core::DType;
use ndany_core::backend::RUN;

use crate::text::element_of;
use crate::{Dialect, Kernel, Source};

/// A kernel of the pattern: everything its text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Correlate {
    /// The elements.
    pub element: DType,
    /// Whether there are few results.
    pub few: bool,
}

impl Correlate {
    /// Threads of a block.
    pub fn block(&self) -> u32 {
        if self.few { 64 } else { 256 }
    }

    /// Neighbours that a thread makes: as many as registers are kept for, four for each.
    fn each(&self) -> u32 {
        match self.element.size() {
            _ if self.few => 2,
            8 | 16 => 4,
            _ => 8,
        }
    }

    /// Results of a block.
    pub fn tile(&self) -> usize {
        (self.block() * self.each()) as usize
    }
}

impl Kernel for Correlate {
    fn source(&self, dialect: &Dialect) -> Source {
        let mut text = Source::begin(dialect);
        let (threads, each) = (self.block(), self.each());
        let _ = writeln!(text, "#define THREADS {threads}\n#define EACH {each}\n#define RUN {RUN}");
        text.push_str(include_str!("device/correlate.h"));
        let element = element_of(self.element);
        let _ = writeln!(
            text,
            "typedef Sum<{element}>::type S;\n\
             KERNEL({threads}) correlate(const Args a) {{\n\
             SHARED CorrelateShared<S> shared;\n\
             correlate_tile<{element}, S>(a, shared);\n}}"
        );
        Source::new(&text, "correlate")
    }
}
