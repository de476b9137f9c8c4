//! `let`, and what patterns bind.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Local, Pat, Type};

use crate::code::{Code, Known, internal, recorder};
use crate::parameters;
use crate::scope::Name;
use crate::statements::Body;
use crate::tokens;

const PATTERN: &str =
    "a pattern in a kernel is a name, `_`, or a tuple of these: `let (a, mut b) = …`";

/// `let`.
impl Body {
    /// A statement.
    pub fn local(&mut self, local: &Local) -> TokenStream {
        let let_token = &local.let_token;
        let comptime = local.attrs.iter().any(|attribute| {
            matches!(attribute.meta, syn::Meta::Path(_)) && attribute.path().is_ident("comptime")
        });
        if !(comptime && local.attrs.len() == 1) {
            self.no_attributes(&local.attrs);
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            let message = "a variable needs a value: `let mut x = 0.0f32;`";
            return self.refuse(local.pat.span(), message).tokens;
        };
        if let Some((otherwise, _)) = &init.diverge {
            let message =
                "`let … else` is not supported in a kernel: values have no variants; write `if`";
            return self.refuse(otherwise.span(), message).tokens;
        }
        if comptime {
            return self.comptime(local, pat, ty, &init.expr);
        }
        let value = self.expression(&init.expr);
        // A number of Rust keeps its type as it is written.
        if let (Pat::Ident(pat), Some(ty)) = (pat, ty)
            && pat.mutability.is_none()
            && value.known.is_some()
            && parameters::is_plain_number(ty)
        {
            let (name, tokens) = (&pat.ident, &value.tokens);
            self.scopes.bind(name, Name::Known(Known::Typed));
            return quote!(#let_token #name: #ty = #tokens;);
        }
        let (pattern, value, after) = self.bind(pat, ty, value);
        quote!(#let_token #pattern = #value; #after)
    }

    /// `#[comptime] let`: its value is Rust.
    fn comptime(
        &mut self,
        local: &Local,
        pat: &Pat,
        ty: Option<&Type>,
        value: &Expr,
    ) -> TokenStream {
        for name in tokens::names(value) {
            if matches!(
                self.scopes.find(&name.to_string()),
                Some(Name::Value | Name::Input | Name::Variable)
            ) {
                let message = format!(
                    "`{name}` is known only when the kernel runs: `#[comptime] let` takes constants, `#[comptime]` parameters and what is made of them"
                );
                self.errors.at(name.span(), message);
            }
        }
        let mut names = Vec::new();
        self.comptime_names(pat, &mut names);
        for name in names {
            self.scopes.bind(&name, Name::Known(Known::Typed));
        }
        let let_token = &local.let_token;
        let ty = ty.map(|ty| quote!(: #ty));
        quote!(#let_token #pat #ty = #value;)
    }

    fn comptime_names(&mut self, pat: &Pat, names: &mut Vec<syn::Ident>) {
        match pat {
            Pat::Wild(_) => {}
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                if let Some(word) = &pat.mutability {
                    let message = "a name of `#[comptime] let` does not change: remove `mut`, or `#[comptime]`";
                    self.errors.at(word.span(), message);
                }
                names.push(pat.ident.clone());
            }
            Pat::Paren(pat) => self.comptime_names(&pat.pat, names),
            Pat::Tuple(tuple) => {
                tuple.elems.iter().for_each(|pat| self.comptime_names(pat, names));
            }
            other => {
                self.refuse(other.span(), PATTERN);
            }
        }
    }
}

/// `let`: patterns and what they take.
impl Body {
    /// The pattern, what it takes, and statements after.
    fn bind(
        &mut self,
        pat: &Pat,
        ty: Option<&Type>,
        value: Code,
    ) -> (TokenStream, TokenStream, TokenStream) {
        let mut types = |count: usize| -> Vec<Option<Type>> {
            match ty {
                Some(Type::Tuple(tuple)) if tuple.elems.len() == count => {
                    return tuple.elems.iter().cloned().map(Some).collect();
                }
                Some(ty) => self.errors.at(ty.span(), format!("expected a tuple of {count} types")),
                None => {}
            }
            vec![None; count]
        };
        match pat {
            Pat::Paren(pat) => self.bind(&pat.pat, ty, value),
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let name = &pat.ident;
                let value = self.bound(name, pat.mutability.is_some(), ty, value);
                (quote!(#name), value, TokenStream::new())
            }
            Pat::Wild(_) => (quote!(_), value.argument(), TokenStream::new()),
            Pat::Tuple(pats) if value.parts.len() == pats.elems.len() => {
                let types = types(pats.elems.len());
                let (mut patterns, mut taken, mut after) = (Vec::new(), Vec::new(), Vec::new());
                for ((pat, value), ty) in pats.elems.iter().zip(value.parts).zip(&types) {
                    let (pattern, value, then) = self.bind(pat, ty.as_ref(), value);
                    patterns.push(pattern);
                    taken.push(value);
                    after.push(then);
                }
                (quote!((#(#patterns,)*)), quote!((#(#taken,)*)), quote!(#(#after)*))
            }
            Pat::Tuple(pats) => {
                let types = types(pats.elems.len());
                let (pattern, after) = self.bind_parts(pats, &types);
                (pattern, value.tokens, after)
            }
            other => {
                self.refuse(other.span(), PATTERN);
                (quote!(_), quote!(()), TokenStream::new())
            }
        }
    }

    /// The names of a tuple that is one value; those that change or have a type are bound again after.
    fn bind_parts(
        &mut self,
        pats: &syn::PatTuple,
        types: &[Option<Type>],
    ) -> (TokenStream, TokenStream) {
        let (mut patterns, mut after) = (Vec::new(), TokenStream::new());
        for (pat, ty) in pats.elems.iter().zip(types) {
            match pat {
                Pat::Wild(_) => patterns.push(quote!(_)),
                Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                    let name = &pat.ident;
                    patterns.push(quote!(#name));
                    let mutable = pat.mutability.is_some();
                    let code = Code::recorded(name.span(), quote!(#name));
                    let value = self.bound(name, mutable, ty.as_ref(), code);
                    if mutable || ty.is_some() {
                        after.extend(quote!(let #name = #value;));
                    }
                }
                Pat::Tuple(inner) => {
                    let types: Vec<Option<Type>> = match ty {
                        Some(Type::Tuple(tuple)) => tuple.elems.iter().cloned().map(Some).collect(),
                        _ => vec![None; inner.elems.len()],
                    };
                    let (pattern, then) = self.bind_parts(inner, &types);
                    patterns.push(pattern);
                    after.extend(then);
                }
                other => {
                    self.refuse(other.span(), PATTERN);
                }
            }
        }
        (quote!((#(#patterns,)*)), after)
    }

    /// What a name is bound to.
    fn bound(
        &mut self,
        name: &syn::Ident,
        mutable: bool,
        ty: Option<&Type>,
        code: Code,
    ) -> TokenStream {
        let known = code.known;
        let plain = ty.is_none_or(parameters::is_plain_number);
        if let (Some(known), false, true) = (known, mutable, plain) {
            let known = if ty.is_some() { Known::Typed } else { known };
            self.scopes.bind(name, Name::Known(known));
            let tokens = code.tokens;
            let value = internal("value", name.span());
            return match ty {
                Some(ty) => quote!({ let #value: #ty = #tokens; #value }),
                None => tokens,
            };
        }
        let value = match ty {
            Some(ty) => {
                if let Err(error) = parameters::check_number(ty) {
                    self.errors.push(error);
                }
                code.typed(ty)
            }
            None => code.value(),
        };
        self.scopes.bind(name, if mutable { Name::Variable } else { Name::Value });
        let (span, k) = (name.span(), recorder(name.span()));
        if mutable { quote_spanned!(span=> #k.mutable(#value)) } else { value }
    }
}
