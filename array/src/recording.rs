//! Whether this thread records a graph, and which memory from outside of the recording it uses.
//!
//! Memory passes through here where it is taken and where a request gets it, so a recording knows what it has to hold. A thread
//! that does not record pays for one look at a word of its own.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use ndany_core::Result;
use ndany_core::backend::{Memory, not_capturable};

thread_local! {
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
    static USED: RefCell<Used> = RefCell::default();
}

/// Memory by the place of its handle.
#[derive(Default)]
struct Used {
    /// Of the recording. A weak handle keeps the place from standing for other memory.
    own: HashMap<*const (), Weak<dyn Memory>>,
    outside: HashMap<*const (), Arc<dyn Memory>>,
}

fn place(memory: &Arc<dyn Memory>) -> *const () {
    Arc::as_ptr(memory).cast()
}

/// Memory that a recording uses.
pub(crate) struct Tracking(());

impl Tracking {
    /// Begins to look at what memory this thread uses.
    pub(crate) fn begin() -> Self {
        ACTIVE.set(true);
        Self(())
    }

    /// Whether memory was taken since.
    pub(crate) fn is_own(&self, memory: &Arc<dyn Memory>) -> bool {
        USED.with_borrow(|used| used.own.contains_key(&place(memory)))
    }

    /// Ends it, and returns the memory from outside that was used.
    pub(crate) fn end(self) -> Vec<Arc<dyn Memory>> {
        USED.take().outside.into_values().collect()
    }
}

impl Drop for Tracking {
    fn drop(&mut self) {
        ACTIVE.set(false);
        // Memory is given back when nothing is borrowed.
        drop(USED.take());
    }
}

/// Whether this thread records a graph.
#[inline]
pub(crate) fn is_active() -> bool {
    ACTIVE.get()
}

/// Returns the error of an operation that a graph does not repeat, if this thread records one.
#[inline]
pub(crate) fn refuse(op: &'static str, reason: &'static str) -> Result<()> {
    match is_active() {
        true => Err(not_capturable(op, reason)),
        false => Ok(()),
    }
}

/// Notes memory that this thread has taken.
#[inline]
pub(crate) fn taken(memory: &Arc<dyn Memory>) {
    if is_active() {
        USED.with_borrow_mut(|used| used.own.insert(place(memory), Arc::downgrade(memory)));
    }
}

/// Notes memory that a request gets.
#[inline]
pub(crate) fn used(memory: &Arc<dyn Memory>) {
    if is_active() {
        USED.with_borrow_mut(|used| {
            let place = place(memory);
            if !used.own.contains_key(&place) {
                used.outside.entry(place).or_insert_with(|| memory.clone());
            }
        });
    }
}
