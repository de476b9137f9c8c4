//! Expressions.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprLit, Lit, Member, Token, Type, UnOp};

use crate::code::{Code, Known, recorder};
use crate::parameters;
use crate::refused::refused;
use crate::scope::{Name, is_constant};
use crate::statements::Body;

/// The method of the recorder for an operator.
pub fn method_of(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => "add",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "sub",
        BinOp::Mul(_) | BinOp::MulAssign(_) => "mul",
        BinOp::Div(_) | BinOp::DivAssign(_) => "div",
        BinOp::Rem(_) | BinOp::RemAssign(_) => "rem",
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => "bitxor",
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => "bitand",
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => "bitor",
        BinOp::Shl(_) | BinOp::ShlAssign(_) => "shl",
        BinOp::Shr(_) | BinOp::ShrAssign(_) => "shr",
        BinOp::And(_) => "and",
        BinOp::Or(_) => "or",
        BinOp::Eq(_) => "eq",
        BinOp::Lt(_) => "lt",
        BinOp::Le(_) => "le",
        BinOp::Ne(_) => "ne",
        BinOp::Ge(_) => "ge",
        BinOp::Gt(_) => "gt",
        _ => return None,
    })
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Whether the result is a `bool`.
fn is_logical(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(op, And(_) | Or(_) | Eq(_) | Lt(_) | Le(_) | Ne(_) | Ge(_) | Gt(_))
}

/// Whether a method can be called of the tokens of an expression as they are.
fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(_)
        | Expr::Path(_)
        | Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Index(_)
        | Expr::Lit(_) => true,
        Expr::Field(field) => is_simple(&field.base),
        _ => false,
    }
}

impl Body {
    /// An expression.
    pub fn expression(&mut self, expr: &Expr) -> Code {
        let span = expr.span();
        match expr {
            Expr::Lit(literal) => self.literal(literal),
            Expr::Path(path) => {
                self.no_attributes(&path.attrs);
                self.path(path)
            }
            Expr::Paren(paren) => {
                self.no_attributes(&paren.attrs);
                let code = self.expression(&paren.expr);
                parenthesized(code, &paren.expr)
            }
            Expr::Group(group) => {
                let code = self.expression(&group.expr);
                parenthesized(code, &group.expr)
            }
            Expr::Tuple(tuple) => {
                self.no_attributes(&tuple.attrs);
                let parts = tuple.elems.iter().map(|part| self.expression(part)).collect();
                Code::tuple(span, parts)
            }
            Expr::Unary(unary) => {
                self.no_attributes(&unary.attrs);
                self.unary(unary)
            }
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                self.no_attributes(&binary.attrs);
                self.compound_assignment(binary)
            }
            Expr::Binary(binary) => {
                self.no_attributes(&binary.attrs);
                self.binary(binary)
            }
            Expr::Cast(cast) => {
                self.no_attributes(&cast.attrs);
                self.cast(cast)
            }
            Expr::Index(index) => {
                self.no_attributes(&index.attrs);
                self.index(index)
            }
            Expr::Call(call) => {
                self.no_attributes(&call.attrs);
                self.call(call)
            }
            Expr::MethodCall(call) => {
                self.no_attributes(&call.attrs);
                self.method_call(call)
            }
            Expr::Field(field) => {
                self.no_attributes(&field.attrs);
                let Member::Unnamed(member) = &field.member else {
                    let message = "a value of a kernel has no named fields: use tuples, `t.0`, or several arguments";
                    return self.refuse(field.member.span(), message);
                };
                let base = self.expression(&field.base);
                let base = base.receiver(is_simple(&field.base));
                let dot = &field.dot_token;
                Code::recorded(span, quote!(#base #dot #member))
            }
            Expr::Assign(assign) => {
                self.no_attributes(&assign.attrs);
                self.assignment(assign)
            }
            Expr::Block(block) => {
                self.no_attributes(&block.attrs);
                self.no_label(block.label.as_ref());
                self.block(&block.block)
            }
            Expr::Const(constant) => Code::known(span, Known::Typed, constant.to_token_stream()),
            Expr::If(branch) => {
                self.no_attributes(&branch.attrs);
                self.branches(branch)
            }
            Expr::While(looped) => self.while_loop(looped),
            Expr::Loop(looped) => self.endless_loop(looped),
            Expr::ForLoop(looped) => self.for_loop(looped),
            Expr::Break(leave) => self.break_loop(leave),
            Expr::Continue(leave) => self.continue_loop(leave),
            Expr::Return(leave) => self.return_from(leave),
            Expr::Match(choice) => self.choice(choice),
            Expr::Macro(made) => self.no_macro(&made.mac),
            other => {
                let (span, message) = refused(other);
                self.refuse(span, message)
            }
        }
    }

    pub fn no_label(&mut self, label: Option<&syn::Label>) {
        self.no_label_of(label.map(|label| &label.name));
    }

    fn literal(&mut self, literal: &ExprLit) -> Code {
        self.no_attributes(&literal.attrs);
        let (span, tokens) = (literal.lit.span(), literal.lit.to_token_stream());
        let known = match &literal.lit {
            Lit::Int(number) if number.suffix().is_empty() => Known::Integer,
            Lit::Float(number) if number.suffix().is_empty() => Known::Float,
            Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) | Lit::Byte(_) => Known::Typed,
            Lit::Char(_) => {
                let message =
                    "characters are not supported in a kernel: write a byte, `b'a'`, or a number";
                return self.refuse(span, message);
            }
            _ => {
                let message = "strings are not supported in a kernel: values are numbers and arrays of numbers";
                return self.refuse(span, message);
            }
        };
        Code::literal(span, known, tokens)
    }

    fn path(&mut self, path: &syn::ExprPath) -> Code {
        let (span, tokens) = (path.span(), path.to_token_stream());
        let name = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if name == "self" {
            let message =
                "a kernel is a function, not a method: give what it needs of `self` as arguments";
            return self.refuse(span, message);
        }
        let found = path.path.get_ident().and_then(|name| self.scopes.find(&name.to_string()));
        match found {
            Some(Name::Known(known)) => Code::known(span, known, tokens),
            Some(Name::Value | Name::Input) => Code::recorded(span, tokens),
            Some(Name::Variable) => Code::recorded(span, quote_spanned!(span=> #tokens.get())),
            None if is_constant(&name) => Code::known(span, Known::Typed, tokens),
            None => Code::recorded(span, tokens),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Code {
        let (op, span) = (&unary.op, unary.op.span());
        let method = match op {
            UnOp::Neg(_) => "neg",
            UnOp::Not(_) => "not",
            _ => {
                let message = "`*` is not supported in a kernel: there are no references; an element is `x[i]`";
                return self.refuse(span, message);
            }
        };
        let code = self.expression(&unary.expr);
        if code.known.is_some() {
            let tokens = &code.tokens;
            let tokens = quote!(#op #tokens);
            return code.written(tokens);
        }
        let (k, method, value) = (recorder(span), Ident::new(method, span), code.value());
        Code::recorded(span, quote_spanned!(span=> #k.#method(#value)))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Code {
        let (op, span) = (&binary.op, binary.op.span());
        let (left, right) = (self.expression(&binary.left), self.expression(&binary.right));
        let (a, b) = (&left.tokens, &right.tokens);
        if let Some(mut code) = left.joined(&right, quote!(#a #op #b)) {
            if is_logical(op) {
                code.known = Some(Known::Typed);
            }
            return code;
        }
        let Some(method) = method_of(op) else {
            return self.refuse(span, "this operator is not supported in a kernel");
        };
        let (k, name) = (recorder(span), Ident::new(method, span));
        let (a, b) = (left.value(), right.value());
        let tokens = match op {
            BinOp::And(_) | BinOp::Or(_) => quote_spanned!(span=> #k.#name(#a, || #b)),
            _ => quote_spanned!(span=> #k.#name((#a, #b))),
        };
        Code::recorded(span, tokens)
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Code {
        let (ty, as_token, span) = (&cast.ty, &cast.as_token, cast.as_token.span());
        let code = self.expression(&cast.expr);
        if code.known.is_some() {
            let tokens = code.tokens;
            return Code::known(code.span, Known::Typed, quote!(#tokens #as_token #ty));
        }
        if !matches!(**ty, Type::Infer(_))
            && let Err(error) = parameters::check_number(ty)
        {
            self.errors.push(error);
        }
        let (k, value) = (recorder(span), code.value());
        Code::recorded(span, quote_spanned!(span=> #k.cast::<_, #ty>(#value)))
    }

    /// A position: `i`, `(i, j)`, `[i, j]`.
    pub fn position(&mut self, index: &Expr) -> TokenStream {
        match index {
            Expr::Paren(paren) => self.position(&paren.expr),
            Expr::Group(group) => self.position(&group.expr),
            Expr::Tuple(syn::ExprTuple { elems, .. })
            | Expr::Array(syn::ExprArray { elems, .. }) => {
                let parts: Vec<_> =
                    elems.iter().map(|part| self.expression(part).argument()).collect();
                let span = index.span();
                quote_spanned!(span=> (#(#parts,)*))
            }
            Expr::Range(range) => {
                let message = "a part of an array is not supported in a kernel: read one element, `x[first + i]`";
                self.refuse(range.limits.span(), message).tokens
            }
            index => self.expression(index).argument(),
        }
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Code {
        let span = index.bracket_token.span.join();
        let base = self.expression(&index.expr);
        if base.known.is_some() {
            return self.index_of_constant(index, base);
        }
        let base = base.receiver(is_simple(&index.expr));
        let at = self.position(&index.index);
        Code::recorded(span, quote_spanned!(span=> #base.at(#at)))
    }

    /// An element of a constant array of Rust.
    fn index_of_constant(&mut self, index: &syn::ExprIndex, base: Code) -> Code {
        let at = self.expression(&index.index);
        if at.known.is_none() {
            let message = "a constant array is read at known positions: give it to the kernel as an argument `&[T]`";
            return self.refuse(index.expr.span(), message);
        }
        let (base, at) = (base.tokens, at.tokens);
        Code::known(index.span(), Known::Typed, quote!(#base[#at]))
    }

    /// The arguments of a call. A reference is what it refers to: arrays of a kernel are handles.
    fn arguments(&mut self, arguments: &Punctuated<Expr, Token![,]>) -> Vec<Code> {
        let mut made = Vec::new();
        for argument in arguments {
            made.push(match argument {
                Expr::Reference(reference) => {
                    self.no_attributes(&reference.attrs);
                    self.expression(&reference.expr)
                }
                other => self.expression(other),
            });
        }
        made
    }

    fn call(&mut self, call: &syn::ExprCall) -> Code {
        let arguments = self.arguments(&call.args);
        let Expr::Path(path) = &*call.func else {
            let message = "only functions with a name are called in a kernel: words as `barrier()`, and `#[device]` functions";
            return self.refuse(call.func.span(), message);
        };
        let segments = &path.path.segments;
        let name = segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let span = path.span();
        if path.path.is_ident(&self.name) {
            let message =
                format!("`{name}` calls itself, which a kernel does not do: write a loop");
            return self.refuse(span, message);
        }
        if name.starts_with(char::is_uppercase) {
            let message = format!(
                "`{name}(…)` is not supported in a kernel: values are numbers, arrays and tuples of these"
            );
            return self.refuse(span, message);
        }
        if self.scopes.find(&name).is_some() && segments.len() == 1 {
            let message = format!("`{name}` is a value, no function");
            return self.refuse(span, message);
        }
        if segments.len() == 2
            && !matches!(&*name, "zero" | "one")
            && parameters::is_plain_number(&Type::Path(syn::TypePath {
                qself: None,
                path: segments[0].ident.clone().into(),
            }))
        {
            let message = format!(
                "`{}::{name}` is a function of Rust's numbers: call the method of the value, `x.{name}(…)`; a constant is `const {{ … }}`",
                segments[0].ident
            );
            return self.refuse(span, message);
        }
        let k = recorder(span);
        let arguments = arguments.into_iter().map(Code::argument);
        let mut tokens = path.to_token_stream();
        call.paren_token.surround(&mut tokens, |inner| inner.extend(quote!(#k #(, #arguments)*)));
        Code::recorded(call.span(), tokens)
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall) -> Code {
        let receiver = self.expression(&call.receiver);
        let arguments = self.arguments(&call.args);
        let known = receiver.known.is_some() && arguments.iter().all(|one| one.known.is_some());
        let simple = is_simple(&call.receiver);
        let (dot, method, turbofish) = (&call.dot_token, &call.method, &call.turbofish);
        let (mut tokens, arguments): (_, Vec<_>) = match known {
            true => {
                (receiver.receiver(simple), arguments.into_iter().map(|one| one.tokens).collect())
            }
            false => {
                let simple = simple || receiver.known.is_some();
                let value = Code::recorded(receiver.span, receiver.value());
                (value.receiver(simple), arguments.into_iter().map(Code::argument).collect())
            }
        };
        tokens.extend(quote!(#dot #method #turbofish));
        call.paren_token.surround(&mut tokens, |inner| inner.extend(quote!(#(#arguments),*)));
        match known {
            true => Code::known(call.span(), Known::Typed, tokens),
            false => Code::recorded(call.span(), tokens),
        }
    }
}

/// What stands between parentheses. What is recorded stands for itself; Rust's operators need them.
fn parenthesized(code: Code, inner: &Expr) -> Code {
    let tokens = &code.tokens;
    let block = matches!(inner, Expr::Block(_) | Expr::If(_) | Expr::Match(_));
    if code.known.is_some() || block {
        let tokens = quote!((#tokens));
        return code.written(tokens);
    }
    code
}
