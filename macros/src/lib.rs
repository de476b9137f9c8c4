//! The attributes `kernel` and `device`: functions of Rust become kernels of threads and blocks.
//!
//! A kernel's function is rewritten to one that records: each operator, index, branch and loop becomes a call of the recorder
//! of `ndany::kernel::simt::recording`, at the place of the source that it stands for. So rustc checks types, generics, traits and calls,
//! and shows its errors there. What the rewriting does not know is refused with the remedy, all such places at once.
//!
//! `ndany::kernel::simt` says what a kernel may contain. This crate:
//!
//! | file | content |
//! |---|---|
//! | `function` | the function that an attribute makes, and its stand-in after an error |
//! | `parameters` | parameters and types |
//! | `scope` | names, and which of them change or are known when the kernel is recorded |
//! | `code` | rewritten expressions, and how literals and known numbers become values |
//! | `statements`, `bindings`, `expressions`, `assignment`, `control` | the rewriting |
//! | `refused` | expressions that a kernel does not have |
//! | `tokens` | questions about tokens |

mod assignment;
mod bindings;
mod code;
mod control;
mod expressions;
mod function;
mod parameters;
mod refused;
mod scope;
mod statements;
#[cfg(test)]
mod tests;
mod tokens;

use function::Kind;
use proc_macro::TokenStream;

/// Makes a kernel of threads and blocks of a function, as `cupyx.jit.rawkernel`.
///
/// The function then takes the parameters marked `#[comptime]` and returns an `ndany::kernel::simt::Kernel`, whose `launch` takes
/// the others. `#[kernel(unordered)]` allows atomic sums of floats, whose results depend on the order of the threads.
///
/// - **Errors**: at compile time, what a kernel cannot contain, at its place and with the remedy; `launch` returns what is found
///   later.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Kernel, options.into(), item.into()).into()
}

/// Makes a function that kernels call, as `cupyx.jit.rawkernel(device=True)`.
///
/// It takes numbers, arrays and known numbers (`#[comptime]`), and returns nothing, a number or a tuple of numbers.
///
/// - **Errors**: at compile time, what such a function cannot contain, at its place and with the remedy.
#[proc_macro_attribute]
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Device, options.into(), item.into()).into()
}
