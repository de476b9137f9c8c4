//! A software GPU: a shared library with the symbols of two vendors' drivers and run-time compilers, so that the real
//! backends run, fault and are checked on machines without a GPU.
//!
//! - `exports/`: the C functions, one folder or file a vendor's library; they translate and decide nothing
//! - `device`, `heap`, `order`, `module`: what a device is made of, in no vendor's words
//! - `graphs`: work that is launched together
//! - `states`: what is known of each byte of memory
//! - `compiler/`: kernel text to machine code of the host, by its C++ compiler, and a cache of that
//! - `run/`: blocks of threads as coroutines, barriers and exchanges, and what a kernel does wrong
//! - `outcomes`: a kernel in several orders, which must come to the same
//! - `chance`: random orders of threads, blocks and streams
//! - `settings`, `inject`, `leaks`: what can be set from outside; faults on demand; leaks
//!
//! Speed is not the aim, nor are the times that events give. It exists for Linux on x86-64; elsewhere the crate is
//! empty.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(non_snake_case, reason = "the names are the vendors'")]

mod chance;
pub mod compiler;
pub mod device;
pub mod exports;
pub mod failure;
pub mod graphs;
pub mod heap;
pub mod inject;
pub mod leaks;
pub mod module;
pub mod order;
mod outcomes;
pub mod run;
pub mod settings;
pub mod states;
