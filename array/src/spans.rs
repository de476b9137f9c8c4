//! Spans of `tracing` that say where time goes, on every device: `evaluate`, `launch`, `allocate`, `wait`. Opening a device
//! has one too, and backends add their own (kernels, compilation, transfers, library calls).
//!
//! All are of level DEBUG. Where no subscriber takes that level, a span is a comparison with a constant of the process: its
//! fields are not evaluated, and there is nothing to drop.

use std::fmt;

use tracing::debug_span;
use tracing::level_filters::LevelFilter;
use tracing::span::EnteredSpan;

use ndany_core::DType;
use ndany_core::backend::Backend;
use ndany_core::program::{Combine, Op, Program};

/// A span that is entered until the value is dropped, if a subscriber may want it.
pub(crate) type Entered = Option<EnteredSpan>;

/// Makes a span where a subscriber may want it.
#[inline(always)]
fn entered(span: impl FnOnce() -> tracing::Span) -> Entered {
    #[cold]
    fn make(span: impl FnOnce() -> tracing::Span) -> Entered {
        Some(span().entered())
    }
    if LevelFilter::current() >= LevelFilter::DEBUG { make(span) } else { None }
}

/// The evaluation of a pending value by this thread.
#[inline]
pub(crate) fn evaluate(
    backend: &dyn Backend,
    op: &'static str,
    shape: &[usize],
    dtype: DType,
) -> Entered {
    entered(|| debug_span!("evaluate", device = backend.name(), op, shape = ?shape, dtype = %dtype))
}

/// A wait for another thread that computes a value.
pub(crate) fn wait(backend: &dyn Backend) -> Entered {
    entered(|| debug_span!("wait", device = backend.name(), of = "value"))
}

/// The allocation of memory for an array.
#[inline]
pub(crate) fn allocate(backend: &dyn Backend, op: &'static str, bytes: usize) -> Entered {
    entered(|| debug_span!("allocate", device = backend.name(), op, bytes))
}

/// A launch of a program by an execution pattern of the backend.
#[inline]
pub(crate) fn launch(
    backend: &dyn Backend,
    pattern: &'static str,
    shape: &[usize],
    program: &Program,
) -> Entered {
    entered(|| {
        let (device, operations) = (backend.name(), Operations(program));
        debug_span!("launch", device, pattern, operations = %operations, shape = ?shape)
    })
}

/// A launch of an execution pattern without a program: its operation is the pattern.
#[inline]
pub(crate) fn launch_of(backend: &dyn Backend, pattern: &'static str, shape: &[usize]) -> Entered {
    entered(|| {
        let device = backend.name();
        debug_span!("launch", device, pattern, operations = pattern, shape = ?shape)
    })
}

/// The operations of a program, in order: `exp mul add`. Loads, constants and conversions are left out.
struct Operations<'p>(&'p Program);

/// Maximum number of operations that are named.
const NAMED: usize = 64;

impl fmt::Display for Operations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instrs = self.0.instrs.iter();
        let of_elements = instrs.filter_map(|instr| match instr.op {
            Op::Call(formula) => Some(formula.name().to_string()),
            Op::CallOpen(formula) => Some(formula.name.to_string()),
            Op::Prim(prim) => Some(format!("{prim:?}").to_lowercase()),
            _ => None,
        });
        let of_reductions = self.0.reductions.iter().map(|reduction| match &reduction.combine {
            Combine::Prim(prim) => format!("reduce({})", format!("{prim:?}").to_lowercase()),
            Combine::Body(body) => match body.known {
                Some(known) => format!("reduce({known:?})"),
                None => "reduce".to_string(),
            },
        });
        let mut names = of_elements.chain(of_reductions);
        for (position, name) in names.by_ref().take(NAMED).enumerate() {
            let space = if position == 0 { "" } else { " " };
            write!(f, "{space}{name}")?;
        }
        match names.count() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
