//! Expressions that a kernel does not have.

use proc_macro2::Span;
use syn::Expr;
use syn::spanned::Spanned;

const ARRAYS: &str = "arrays as values are not supported in a kernel: take one as a parameter `&[T]`, or `shared::<T>(n)`";

/// What a kernel does not have, and the remedy.
pub fn refused(expr: &Expr) -> (Span, &'static str) {
    match expr {
        Expr::Array(array) => (array.bracket_token.span.open(), ARRAYS),
        Expr::Repeat(array) => (array.bracket_token.span.open(), ARRAYS),
        Expr::Async(code) => {
            (code.async_token.span(), "`async` is not supported in a kernel: remove it")
        }
        Expr::Await(code) => {
            (code.await_token.span(), "`.await` is not supported in a kernel: remove it")
        }
        Expr::Closure(closure) => (
            closure.or1_token.span(),
            "closures are not supported in a kernel: write a `#[device]` function",
        ),
        Expr::Let(code) => (
            code.let_token.span(),
            "`let` in a condition is not supported in a kernel: values have no variants; compare with `==`",
        ),
        Expr::Range(range) => {
            (range.limits.span(), "a range is no value of a kernel: it stands in `for i in a..b`")
        }
        Expr::RawAddr(code) => {
            (code.and_token.span(), "pointers are not supported in a kernel: an element is `x[i]`")
        }
        Expr::Reference(reference) => (
            reference.and_token.span(),
            "a reference stands only in the arguments of a call: name the value itself",
        ),
        Expr::Struct(code) => (
            code.path.span(),
            "structures are not supported in a kernel: use tuples or several variables",
        ),
        Expr::Try(code) => (
            code.question_token.span(),
            "`?` is not supported in a kernel, which has no errors: branch with `if`",
        ),
        Expr::TryBlock(code) => {
            (code.try_token.span(), "`try` is not supported in a kernel, which has no errors")
        }
        Expr::Unsafe(code) => (
            code.unsafe_token.span(),
            "`unsafe` is not supported in a kernel: every access is checked; remove it",
        ),
        Expr::Yield(code) => {
            (code.yield_token.span(), "`yield` is not supported in a kernel: remove it")
        }
        Expr::Infer(code) => (code.underscore_token.span(), "`_` is no value"),
        other => (other.span(), "this expression is not supported in a kernel"),
    }
}
