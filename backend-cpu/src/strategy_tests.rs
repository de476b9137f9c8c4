//! Every fast path of maps, reductions and scans runs for the launches that it is made for, and for no others. The
//! strategies are those of the trace events, so the launches are core's.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::sync::Once;

use ndany_array::{Array, Casting, DType, Device, Generator};
use num_complex::Complex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    /// The strategies of this thread, as `pattern strategy`.
    static FOUND: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Records the strategies of each thread. It serves all threads: while only one thread has a subscriber, the event that another thread
/// sends first is off for all.
struct Recorder;

/// The fields of one event, joined by spaces.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        let space = if self.0.is_empty() { "" } else { " " };
        write!(self.0, "{space}{value:?}").expect("strings take all text");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "ndany_cpu::strategy"
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        FOUND.with_borrow_mut(|found| found.push(line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The strategies of the launches that evaluate an array; its operands are evaluated before.
fn strategies(make: impl FnOnce() -> Array) -> Vec<String> {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        tracing::subscriber::set_global_default(Recorder).expect("the only one of all threads");
    });
    FOUND.take();
    make().eval().expect("computed");
    FOUND.take()
}

#[track_caller]
fn check(expected: &[&str], make: impl FnOnce() -> Array) {
    assert_eq!(strategies(make), expected);
}

/// An evaluated array of random numbers.
fn random(shape: &[usize]) -> Array {
    let array = Generator::new(1).standard_normal(shape);
    array.eval().expect("computed");
    array
}

fn evaluated(array: Array) -> Array {
    array.eval().expect("computed");
    array
}

/// Packed complex numbers, evaluated.
fn complex(shape: &[usize]) -> Array {
    let (re, im) = (random(shape), random(shape));
    evaluated((&re + &im * Complex::<f64>::I).copy())
}

#[test]
fn maps() {
    let _guard = Device::open("cpu:threads=2").expect("a CPU").enter();
    let (z, w) = (complex(&[100]), complex(&[100]));
    check(&["map Complex(Product)"], || &z * &w);
    check(&["map Complex(Quotient)"], || &z / &w);
    check(&["map Complex(Conjugate)"], || z.conj());
    check(&["map Complex(Abs)"], || z.abs());
    // Fused, broadcast or reversed operands run on registers.
    check(&["map Blocks"], || &z * &w + &z);
    check(&["map Blocks"], || &z * z.i(0));
    check(&["map Blocks"], || z.flip(0) * &w);

    let (x, y) = (random(&[64, 48]), random(&[64, 48]));
    check(&["map Copy(Transpose { axis: 0 })"], || x.transpose(..).copy());
    check(&["map Copy(Repeat { times: 4 })"], || x.repeat(4, ..));
    check(&["map Copy(Runs)"], || z.flip(0).copy());
    check(&["map Blocks"], || x.flip(0).copy());
    check(&["map Blocks"], || &x + &y);
    let square = random(&[128, 128]);
    check(&["map Tiles { axis: 0 }"], || &square + square.transpose(..));
    // What a mask leaves alone stays where it is; a mask that is computed on the way is no input.
    let few = evaluated(x.greater(2.5));
    let mut changed = evaluated(&x + 1.0);
    changed.copyto(&y, Casting::SameKind, Some(&few));
    check(&["map Masked"], || changed);
    let mut changed = evaluated(&x + 1.0);
    changed.copyto(&y, Casting::SameKind, Some(&x.greater(2.5)));
    check(&["map Blocks"], || changed);
    check(&["map Blocks"], || ndany_array::where_(&few, &y, &x));
    // A small launch fits the cache.
    let small = random(&[64, 64]);
    check(&["map Blocks"], || &small + small.transpose(..));
}

#[test]
fn reductions() {
    let _guard = Device::open("cpu:threads=2").expect("a CPU").enter();
    let (x, y) = (random(&[9, 1000]), random(&[9, 1000]));
    let mask = evaluated(x.greater(0.0));
    check(&["reduce CountTrue"], || mask.sum(..));
    check(&["reduce Along", "fold [Unordered]"], || mask.sum(1));
    let z = complex(&[1000]);
    check(&["reduce ComplexSum"], || z.sum(..));
    check(&["reduce Along", "fold [Accumulators, Accumulators]"], || z.flip(0).sum(..));
    check(&["reduce Along", "fold [Accumulators]"], || x.sum(1));
    check(&["reduce Along", "fold [Unordered]"], || x.max(1));
    check(&["reduce Along", "fold [Locate]"], || x.argmax(1));
    check(&["reduce Along", "fold [Products]"], || (&x * &y).sum(1));
    check(&["reduce Along", "fold [Bool]"], || x.less(&y).all(1));
    check(&["reduce Along", "fold [Bool]"], || mask.any(1));
    check(&["reduce Across"], || x.sum(0));
}

#[test]
fn scans() {
    let _guard = Device::open("cpu:threads=2").expect("a CPU").enter();
    let x = random(&[100, 90]);
    let whole = evaluated((&x * 10.0).astype(DType::I32));
    check(&["scan Chunks"], || x.cumsum(1));
    check(&["scan IntegerSum"], || whole.cumsum(1));
    check(&["scan Columns { lifted: 0 }"], || x.cumsum(0));
    check(&["scan Chunks"], || whole.cumprod(1));
}
