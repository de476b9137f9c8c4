//! The function that an attribute makes.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericParam, Generics, ItemFn, Lifetime, ReturnType, Signature};

use crate::code::{internal, recorder, simt};
use crate::parameters::{self, Parameter, ParameterKind, Results, stand_in};
use crate::scope::Name;
use crate::statements::Body;

/// Which attribute it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Kernel,
    Device,
}

/// The errors of a function, all of which are shown.
#[derive(Debug, Default)]
pub struct Errors(Option<syn::Error>);

impl Errors {
    pub fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// A result, or nothing and its error.
    pub fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }
}

/// What an attribute makes of a function, or messages and a function of the same signature in its place.
pub fn expand(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let is_function = item
                .into_iter()
                .any(|token| matches!(&token, proc_macro2::TokenTree::Ident(word) if word == "fn"));
            let attribute = if kind == Kind::Kernel { "kernel" } else { "device" };
            let message = format!("`#[{attribute}]` stands before a function");
            return match is_function {
                true => error,
                false => syn::Error::new(error.span(), message),
            }
            .into_compile_error();
        }
    };
    let mut errors = Errors::default();
    let unordered = errors.keep(read_options(kind, options)).unwrap_or(false);
    check_signature(kind, &function, &mut errors);
    let parameters: Vec<Option<Parameter>> =
        function.sig.inputs.iter().map(|argument| errors.keep(Parameter::new(argument))).collect();
    let mut seen = std::collections::HashSet::new();
    for parameter in parameters.iter().flatten() {
        if !seen.insert(parameter.name.to_string()) {
            errors.at(
                parameter.name.span(),
                format!("two parameters have the name `{}`", parameter.name),
            );
        }
    }
    let results = match kind {
        Kind::Kernel => None,
        Kind::Device => errors.keep(parameters::results(&function.sig.output)).flatten(),
    };
    let body = body(kind, &function, parameters.iter().flatten(), results.clone(), &mut errors);
    let head = Head { kind, function: &function, parameters: &parameters, results: &results };
    match errors.0 {
        None => head.function(body, unordered),
        Some(error) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(head.stand_in());
            tokens
        }
    }
}

fn read_options(kind: Kind, options: TokenStream) -> syn::Result<bool> {
    let Some(first) = options.clone().into_iter().next() else { return Ok(false) };
    let text = options.to_string().replace(" ,", ",");
    match kind {
        Kind::Kernel if text == "unordered" => Ok(true),
        Kind::Kernel => {
            let message =
                format!("unknown option `{text}`: expected `#[kernel]` or `#[kernel(unordered)]`");
            Err(syn::Error::new(first.span(), message))
        }
        Kind::Device => {
            let message = format!("unknown option `{text}`: `#[device]` takes none");
            Err(syn::Error::new(first.span(), message))
        }
    }
}

/// Refuses what the function of a kernel cannot be.
fn check_signature(kind: Kind, function: &ItemFn, errors: &mut Errors) {
    let Signature { constness, asyncness, unsafety, abi, generics, variadic, output, .. } =
        &function.sig;
    if let Some(word) = constness {
        errors.at(word.span(), "a kernel is no `const fn`: remove `const`");
    }
    if let Some(word) = asyncness {
        errors.at(
            word.span(),
            "a kernel is no `async fn`: remove `async`; a launch returns before the kernel has run",
        );
    }
    if let Some(word) = unsafety {
        errors.at(word.span(), "a kernel is safe, since every access is checked: remove `unsafe`");
    }
    if let Some(abi) = abi {
        errors.at(abi.extern_token.span(), "a kernel is no `extern` function: remove `extern`");
    }
    if let Some(variadic) = variadic {
        errors.at(
            variadic.dots.span(),
            "a kernel has a fixed number of arguments: an array takes many values",
        );
    }
    for generic in &generics.params {
        if let GenericParam::Lifetime(lifetime) = generic {
            errors.at(lifetime.lifetime.span(), "a kernel has no lifetimes: remove the parameter");
        }
    }
    if let (Kind::Kernel, ReturnType::Type(arrow, ty)) = (kind, output) {
        let span = arrow.span();
        let span = span.join(ty.span()).unwrap_or(span);
        errors.at(span, "a kernel returns nothing: write results to a parameter `&mut [T]`");
    }
}

/// The statements of the body.
fn body<'a>(
    kind: Kind,
    function: &ItemFn,
    parameters: impl Iterator<Item = &'a Parameter> + Clone,
    results: Option<Results>,
    errors: &mut Errors,
) -> TokenStream {
    let mut body = Body::new(kind, function.sig.ident.to_string());
    body.scopes.open();
    for generic in &function.sig.generics.params {
        if let GenericParam::Const(constant) = generic {
            body.scopes.bind(&constant.ident, Name::Known(crate::code::Known::Typed));
        }
    }
    for parameter in parameters.clone() {
        let name = match parameter.kind {
            ParameterKind::Scalar { mutable: true, .. } => Name::Variable,
            ParameterKind::Known { .. } => Name::Known(crate::code::Known::Typed),
            ParameterKind::Array { writes: false, .. } => Name::Input,
            _ => Name::Value,
        };
        body.scopes.bind(&parameter.name, name);
    }
    let heads: TokenStream = match kind {
        Kind::Kernel => parameters.map(Parameter::declared).collect(),
        Kind::Device => parameters.map(Parameter::converted).collect(),
    };
    let code = body.of_function(&function.block, results);
    if let Some(error) = std::mem::take(&mut body.errors).0 {
        errors.push(error);
    }
    quote!(#heads #code)
}

/// What stands before the body of a function.
struct Head<'a> {
    kind: Kind,
    function: &'a ItemFn,
    parameters: &'a [Option<Parameter>],
    results: &'a Option<Results>,
}

impl Head<'_> {
    /// The type parameters and constants, after a lifetime of the recorder if there is one.
    fn generics(&self, lifetime: Option<&Lifetime>) -> TokenStream {
        let Generics { params, .. } = &self.function.sig.generics;
        let others = params.iter().filter(|one| !matches!(one, GenericParam::Lifetime(_)));
        let all: Vec<TokenStream> = lifetime
            .map(ToTokens::to_token_stream)
            .into_iter()
            .chain(others.map(ToTokens::to_token_stream))
            .collect();
        if all.is_empty() { TokenStream::new() } else { quote!(<#(#all),*>) }
    }

    /// Attributes, visibility, name, parameters, result and bounds.
    fn signature(&self) -> TokenStream {
        let ItemFn { attrs, vis, sig, .. } = self.function;
        let (fn_token, name, bounds) = (&sig.fn_token, &sig.ident, &sig.generics.where_clause);
        let (span, mixed) = (name.span(), Span::mixed_site());
        let (simt, lifetime) = (simt(mixed), Lifetime::new("'k", mixed));
        let allowed = quote!(#[allow(clippy::all, clippy::nursery, clippy::pedantic, unused_braces, unused_parens)]);
        let parameters = self.parameters.iter().zip(&sig.inputs);
        match self.kind {
            Kind::Kernel => {
                let generics = self.generics(None);
                let known = parameters.filter_map(|(parameter, argument)| match parameter {
                    Some(Parameter { name, kind: ParameterKind::Known { ty } }) => {
                        Some(quote!(#name: #ty))
                    }
                    Some(_) => None,
                    None => is_marked(argument).then(|| stand_in(argument)),
                });
                quote_spanned! {span=>
                    #(#attrs)* #allowed #vis #fn_token #name #generics(#(#known),*) -> #simt::Kernel #bounds
                }
            }
            Kind::Device => {
                let generics = self.generics(Some(&lifetime));
                let k = recorder(mixed);
                let taken = parameters.map(|(parameter, argument)| match parameter {
                    Some(parameter) => parameter.taken(&lifetime),
                    None => stand_in(argument),
                });
                let result = self.results.as_ref().map(|results| {
                    let values = results.types.iter().map(|ty| {
                        let ty_span = ty.span();
                        quote_spanned!(ty_span=> #simt::Value<#lifetime, #ty>)
                    });
                    let values = results.tokens(values);
                    quote!(-> #values)
                });
                quote_spanned! {span=>
                    #(#attrs)* #allowed #vis #fn_token #name #generics(#k: &#lifetime #simt::Recorder #(, #taken)*) #result #bounds
                }
            }
        }
    }

    /// The function that records.
    fn function(&self, body: TokenStream, unordered: bool) -> TokenStream {
        let signature = self.signature();
        let mixed = Span::mixed_site();
        let (simt, k) = (simt(mixed), recorder(mixed));
        match self.kind {
            Kind::Kernel => {
                let name = self.function.sig.ident.unraw().to_string();
                quote! { #signature { #simt::Kernel::record(#name, #unordered, |#k| { let _ = #k; #body }) } }
            }
            Kind::Device => {
                // Functions that call each other in a circle would record without end.
                let span = self.function.sig.ident.span();
                let depth = internal("_depth", span);
                let zeros = self.results.as_ref().map(|results| {
                    let zero = |ty: &syn::Type| quote!(<#ty as #simt::Number>::zero(#k));
                    results.tokens(results.types.iter().map(zero))
                });
                let enter = quote_spanned! {span=>
                    let ::core::option::Option::Some(#depth) = #k.enter() else { return #zeros; };
                };
                quote! { #signature { #enter #body } }
            }
        }
    }

    /// A function that callers find in place of one with errors.
    fn stand_in(&self) -> TokenStream {
        let signature = self.signature();
        quote! { #[allow(unused)] #signature { ::core::unreachable!() } }
    }
}

/// Whether a parameter that was refused has an attribute: the function of a kernel takes these alone.
fn is_marked(argument: &syn::FnArg) -> bool {
    let attributes = match argument {
        syn::FnArg::Typed(typed) => &typed.attrs,
        syn::FnArg::Receiver(receiver) => &receiver.attrs,
    };
    attributes.iter().any(|attribute| attribute.path().is_ident("comptime"))
}
