//! Rewritten expressions.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;

/// A number that is known when the kernel is recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// Made of integers of the source without a type.
    Integer,
    /// Made of floats of the source without a type.
    Float,
    /// Anything else: constants, `#[comptime]` parameters, `2u32`.
    Typed,
}

/// A rewritten expression.
#[derive(Clone, Debug)]
pub struct Code {
    /// The expression in Rust.
    pub tokens: TokenStream,
    /// What it is known to be; `None` for what is recorded.
    pub known: Option<Known>,
    /// Whether a name stands in what is known, so that Rust may give it a type of its own.
    named: bool,
    /// Where it stands.
    pub span: Span,
    /// The parts of a tuple.
    pub parts: Vec<Code>,
}

impl Code {
    pub fn recorded(span: Span, tokens: TokenStream) -> Code {
        Code { tokens, known: None, named: true, span, parts: Vec::new() }
    }

    pub fn known(span: Span, known: Known, tokens: TokenStream) -> Code {
        Code { known: Some(known), ..Code::recorded(span, tokens) }
    }

    /// A number of the source, or an expression of such alone.
    pub fn literal(span: Span, known: Known, tokens: TokenStream) -> Code {
        Code { named: false, ..Code::known(span, known, tokens) }
    }

    /// A tuple.
    pub fn tuple(span: Span, parts: Vec<Code>) -> Code {
        let values = parts.iter().cloned().map(Code::value);
        let tokens = quote!((#(#values,)*));
        Code { parts, ..Code::recorded(span, tokens) }
    }

    /// What two known numbers make: without a type as long as both are.
    pub fn joined(&self, other: &Code, tokens: TokenStream) -> Option<Code> {
        let known = match (self.known?, other.known?) {
            (Known::Typed, _) | (_, Known::Typed) => Known::Typed,
            (Known::Integer, Known::Integer) => Known::Integer,
            (Known::Float, _) | (_, Known::Float) => Known::Float,
        };
        let named = self.named || other.named;
        Some(Code { named, ..Code::known(self.span, known, tokens) })
    }

    /// The same number, written in another way.
    pub fn written(self, tokens: TokenStream) -> Code {
        Code { tokens, ..self }
    }

    /// As an argument: a known number keeps its Rust type, for functions that need it when the kernel is recorded.
    pub fn argument(self) -> TokenStream {
        let (tokens, span) = (self.tokens, self.span);
        let simt = simt(span);
        match (self.known, self.named) {
            (None | Some(Known::Typed), _) => tokens,
            (Some(Known::Integer), false) => quote_spanned!(span=> #simt::Literal::Int(#tokens)),
            (Some(Known::Float), false) => quote_spanned!(span=> #simt::Literal::Float(#tokens)),
            (Some(Known::Integer), true) => {
                quote_spanned!(span=> #simt::Literal::Int((#tokens) as i128))
            }
            (Some(Known::Float), true) => {
                quote_spanned!(span=> #simt::Literal::Float((#tokens) as f64))
            }
        }
    }

    /// As an operand: a value, or a literal.
    pub fn value(self) -> TokenStream {
        match self.known {
            Some(Known::Typed) => {
                let (k, tokens, span) = (recorder(self.span), self.tokens, self.span);
                quote_spanned!(span=> #k.constant(#tokens))
            }
            _ => self.argument(),
        }
    }

    /// As a value of a type.
    pub fn typed(self, ty: &Type) -> TokenStream {
        let (k, span, simt) = (recorder(self.span), self.span, simt(self.span));
        let value = self.argument();
        quote_spanned!(span=> #simt::IntoValue::<'_, #ty>::into_value(#value, #k))
    }

    /// As what a method is called of.
    pub fn receiver(self, is_simple: bool) -> TokenStream {
        let tokens = if self.known.is_some() { self.tokens } else { self.value() };
        if is_simple { tokens } else { quote!((#tokens)) }
    }
}

/// The recorder, a name that no name of the user is.
pub fn recorder(span: Span) -> Ident {
    internal("k", span)
}

/// A name that no name of the user is.
pub fn internal(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}

/// The module of the recorder.
pub fn simt(span: Span) -> TokenStream {
    quote_spanned!(span=> ::ndany::kernel::simt::recording)
}
