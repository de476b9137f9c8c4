//! Leaks: memory, streams, events, modules, programs, with the calls that made them.
//!
//! Listed when the process exits, if `NDANY_SOFTGPU_LEAKS` asks for it. A library that keeps its devices open until then
//! gives nothing back by design, so the list is for programs that close them.

use std::fmt::Write;
use std::sync::Once;

use crate::device::Machine;
use crate::exports::rtc;
use crate::inject;
use crate::settings::{Leaks, Settings};

/// What a process ends with that has leaks, where that is asked for.
pub const CODE: i32 = 70;

/// Has the process list leaks when it exits, if the settings ask for it.
pub fn watch() {
    extern "C" fn exiting() {
        let text = text();
        eprint!("{text}");
        if Settings::get().leaks == Leaks::Fatal && !text.is_empty() {
            // SAFETY: what is printed is flushed; nothing else runs any more, which is what is wanted.
            unsafe {
                libc::fflush(std::ptr::null_mut());
                libc::_exit(CODE);
            }
        }
    }
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        if Settings::get().leaks != Leaks::Ignored {
            // SAFETY: the handler lives as long as this library; unloading it runs the handler.
            unsafe { libc::atexit(exiting) };
        }
    });
}

/// A line each, in the order of the calls within each kind.
pub fn list() -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |what: String, call: u64| {
        let name = inject::name(call).unwrap_or("of an unknown function");
        lines.push(format!("leak: {what}, made by call {call}, {name}"));
    };
    if let Ok(machine) = Machine::get() {
        for device in &machine.devices {
            let ordinal = device.ordinal;
            for [serial, bytes, call] in device.heap().leaks() {
                line(format!("{bytes} bytes of device {ordinal} (allocation #{serial})"), call);
            }
            let mut modules: Vec<u64> =
                device.loaded().modules.values().map(|&(_, call)| call).collect();
            modules.sort_unstable();
            modules
                .into_iter()
                .for_each(|call| line(format!("a module of device {ordinal}"), call));
        }
        for [serial, bytes, call] in machine.host().leaks() {
            line(format!("{bytes} page-locked bytes of the host (allocation #{serial})"), call);
        }
        let graphs = machine.graphs().leaks();
        for (what, ordinal, call) in machine.order().leaks().into_iter().chain(graphs) {
            line(format!("{what} of device {ordinal}"), call);
        }
    }
    rtc::leaks().into_iter().for_each(|call| line("a program of the compiler".to_owned(), call));
    lines
}

/// What is printed: nothing if there are none.
fn text() -> String {
    let lines = list();
    let mut text = String::new();
    for line in &lines {
        let _ = writeln!(text, "softgpu: {line}");
    }
    if !lines.is_empty() {
        let _ = writeln!(text, "softgpu: {} not given back", lines.len());
    }
    text
}
