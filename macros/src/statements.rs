//! Blocks, statements and names.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Item, Stmt};

use crate::code::{Code, Known, internal, recorder};
use crate::function::{Errors, Kind};
use crate::parameters::Results;
use crate::scope::{Name, Scopes};
use crate::tokens;

/// The rewriting of a function's body.
pub struct Body {
    pub kind: Kind,
    /// The name of the function.
    pub name: String,
    pub scopes: Scopes,
    pub errors: Errors,
    /// For each loop around, whether `break` or `continue` stands in it.
    pub loops: Vec<bool>,
    /// What a `#[device]` function returns.
    pub results: Option<Results>,
}

impl Body {
    pub fn new(kind: Kind, name: String) -> Body {
        let (scopes, errors) = (Scopes::default(), Errors::default());
        Body { kind, name, scopes, errors, loops: Vec::new(), results: None }
    }

    /// Notes an error; the code after it is never compiled.
    pub fn refuse(&mut self, span: Span, message: impl std::fmt::Display) -> Code {
        self.errors.at(span, message);
        Code::recorded(span, quote_spanned!(span=> ()))
    }

    /// Refuses attributes.
    pub fn no_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            let message = "an attribute inside a kernel: only `#[comptime] let` is supported";
            self.errors.at(attribute.span(), message);
        }
    }

    /// The body of the function. Where `return` stands in a `#[device]` function, its results are variables.
    pub fn of_function(&mut self, block: &Block, results: Option<Results>) -> TokenStream {
        self.results = results.clone();
        let returns = self.kind == Kind::Device && tokens::contains(block, "return");
        let (statements, tail) = self.statements(&block.stmts);
        let Some(results) = results else {
            let tail = tail.map(Code::value);
            let code = quote!(#statements #tail);
            let k = recorder(block.span());
            return if returns { quote!(#k.call(|| { #code });) } else { code };
        };
        let end = block.brace_token.span.close();
        let leaves = diverges(block);
        if tail.is_none() && !leaves {
            self.errors.at(end, "this function has to end in the value that it returns");
        }
        let Some(tail) = tail.clone().filter(|_| !leaves) else {
            let tail = tail.map(Code::value);
            return self.with_results(&results, quote!(#statements #tail), block.span());
        };
        match returns {
            true => {
                let set = self.set_results(&results, tail);
                self.with_results(&results, quote!(#statements #set), block.span())
            }
            false => {
                let value = as_results(&results, tail);
                quote!(#statements #value)
            }
        }
    }

    /// Variables around a body that returns by [`Body::set_results`].
    fn with_results(&self, results: &Results, body: TokenStream, span: Span) -> TokenStream {
        let (k, simt) = (recorder(span), crate::code::simt(span));
        let made = results.types.iter().enumerate().map(|(number, ty)| {
            let result = internal(&format!("result_{number}"), span);
            quote!(let #result = #k.mutable(<#ty as #simt::Number>::zero(#k));)
        });
        let read = results.tokens((0..results.types.len()).map(|number| {
            let result = internal(&format!("result_{number}"), span);
            quote!(#result.get())
        }));
        quote!(#(#made)* #k.call(|| { #body }); #read)
    }

    /// Statements that set the results.
    pub fn set_results(&self, results: &Results, value: Code) -> TokenStream {
        let span = value.span;
        let value = as_results(results, value);
        let name = |number| internal(&format!("result_{number}"), span);
        let value_name = internal("value", span);
        if !results.tuple {
            let result = name(0);
            return quote_spanned!(span=> #result.set(#value););
        }
        let sets = (0..results.types.len()).map(|number| {
            let (result, index) = (name(number), syn::Index { index: number as u32, span });
            quote_spanned!(span=> #result.set(#value_name.#index);)
        });
        quote_spanned!(span=> let #value_name = #value; #(#sets)*)
    }

    /// Statements, and the value at their end.
    fn statements(&mut self, statements: &[Stmt]) -> (TokenStream, Option<Code>) {
        let mut made = TokenStream::new();
        for (number, statement) in statements.iter().enumerate() {
            match statement {
                Stmt::Local(local) => made.extend(self.local(local)),
                Stmt::Item(item) => made.extend(self.item(item)),
                Stmt::Macro(statement) => {
                    self.no_macro(&statement.mac);
                }
                Stmt::Expr(expr, semicolon) => {
                    let code = self.expression(expr);
                    if semicolon.is_none() && number + 1 == statements.len() {
                        return (made, Some(code));
                    }
                    let tokens = code.tokens;
                    match semicolon {
                        Some(semicolon) => made.extend(quote!(#tokens #semicolon)),
                        None => made.extend(quote!(#tokens;)),
                    }
                }
            }
        }
        (made, None)
    }

    /// The statements of a block in a scope of their own, and the value at their end.
    fn scoped(&mut self, block: &Block) -> (TokenStream, Option<Code>) {
        self.scopes.open();
        let result = self.statements(&block.stmts);
        self.scopes.close();
        result
    }

    /// A block, with its value.
    pub fn block(&mut self, block: &Block) -> Code {
        let span = block.span();
        let (statements, tail) = self.scoped(block);
        match tail {
            Some(tail) if statements.is_empty() && tail.known.is_some() => {
                let tokens = &tail.tokens;
                let tokens = braced(block, quote!(#tokens));
                tail.written(tokens)
            }
            tail => {
                let tail = tail.map(Code::value);
                Code::recorded(span, braced(block, quote!(#statements #tail)))
            }
        }
    }

    /// A block whose value, if it is a known number, becomes a value of the kernel.
    pub fn branch(&mut self, block: &Block) -> TokenStream {
        let (statements, tail) = self.scoped(block);
        let tail = tail.map(Code::value);
        braced(block, quote!(#statements #tail))
    }

    pub fn no_macro(&mut self, made: &syn::Macro) -> Code {
        let name = made.path.to_token_stream().to_string();
        let remedy = match &*name {
            "print" | "println" | "eprint" | "eprintln" | "dbg" => {
                "write the values to an array and print that"
            }
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "panic" | "unreachable"
            | "todo" | "unimplemented" => {
                "write to an array what is wrong; positions are checked anyway"
            }
            "vec" => "take arrays as parameters, or `shared::<T>(n)`; a kernel has no heap",
            _ => "write what it expands to, or a `#[device]` function",
        };
        self.refuse(
            made.path.span(),
            format!("the macro `{name}!` is not supported in a kernel: {remedy}"),
        )
    }

    fn item(&mut self, item: &Item) -> TokenStream {
        match item {
            Item::Const(item) => {
                self.no_attributes(&item.attrs);
                self.scopes.bind(&item.ident, Name::Known(Known::Typed));
                item.to_token_stream()
            }
            Item::Use(item) => item.to_token_stream(),
            Item::Fn(item) => {
                let message =
                    "a function inside a kernel: write it outside, with the attribute `#[device]`";
                self.refuse(item.sig.fn_token.span(), message).tokens
            }
            item => {
                let message = "an item inside a kernel: only `const` and `use` are supported; write it outside";
                self.refuse(item.span(), message).tokens
            }
        }
    }
}

/// The braces of a block around other tokens.
fn braced(block: &Block, tokens: TokenStream) -> TokenStream {
    let mut made = TokenStream::new();
    block.brace_token.surround(&mut made, |inner| inner.extend(tokens));
    made
}

/// A value as what the function returns.
fn as_results(results: &Results, value: Code) -> TokenStream {
    let types = &results.types;
    if !results.tuple {
        return value.typed(&types[0]);
    }
    if value.parts.len() != types.len() {
        return value.value();
    }
    let parts = value.parts.into_iter().zip(types).map(|(part, ty)| part.typed(ty));
    quote!((#(#parts,)*))
}

/// Whether a block never comes to its end.
pub fn diverges(block: &Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(expr, _)) => expr_diverges(expr),
        _ => false,
    }
}

fn expr_diverges(expr: &Expr) -> bool {
    match expr {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Block(block) => diverges(&block.block),
        Expr::Loop(looped) => !tokens::contains(&looped.body, "break"),
        Expr::If(branch) => {
            let otherwise = branch.else_branch.as_ref();
            diverges(&branch.then_branch)
                && otherwise.is_some_and(|(_, otherwise)| expr_diverges(otherwise))
        }
        _ => false,
    }
}
