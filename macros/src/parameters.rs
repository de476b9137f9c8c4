//! Parameters and types.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, GenericArgument, Ident, Pat, PathArguments, Type};

use crate::code::{internal, recorder, simt};

/// A parameter of a function.
pub struct Parameter {
    pub name: Ident,
    pub kind: ParameterKind,
}

pub enum ParameterKind {
    /// `x: T`, `mut x: T`.
    Scalar { ty: Type, mutable: bool },
    /// `x: &[T]`, `x: &mut Matrix<T>`, …
    Array { element: Type, rank: TokenStream, writes: bool },
    /// `#[comptime] n: u32`.
    Known { ty: Type },
}

/// Types of Rust that no value of a kernel has, with the remedy.
const NO_NUMBERS: [(&str, &str); 8] = [
    ("usize", "positions and sizes are `u32`, or `u64` in long arrays"),
    ("isize", "positions and sizes are `u32` or `i32`, or `i64` in long arrays"),
    ("u128", "the widest integers are `u64` and `i64`"),
    ("i128", "the widest integers are `u64` and `i64`"),
    ("char", "characters are numbers: `u8` or `u32`"),
    ("str", "kernels have numbers and arrays of numbers"),
    ("String", "kernels have numbers and arrays of numbers"),
    ("Self", "kernels are functions, not methods"),
];

/// Names of Rust's types of numbers, of which a literal may be.
pub fn is_plain_number(ty: &Type) -> bool {
    let name = ty.to_token_stream().to_string();
    matches!(
        &*name,
        "bool" | "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64"
    ) || NO_NUMBERS[..4].iter().any(|(other, _)| *other == name)
}

/// Checks that a type can be that of a number in a kernel: a name without parameters.
pub fn check_number(ty: &Type) -> syn::Result<()> {
    let expected = "expected a number (`f32`, `u32`, `bool`, `T` of the generics, …)";
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            let name = path.path.to_token_stream().to_string();
            if let Some((_, remedy)) = NO_NUMBERS.iter().find(|(other, _)| *other == name) {
                let message = format!("a kernel has no values of the type `{name}`: {remedy}");
                return Err(syn::Error::new(ty.span(), message));
            }
            let plain = path.path.segments.iter().all(|one| one.arguments.is_none());
            let wanted = path.path.segments.last().filter(|_| !plain);
            match wanted {
                None => Ok(()),
                Some(last) => {
                    let message = format!(
                        "a kernel has no values of the type `{}`: {expected}; arrays are `&[T]`, `&Matrix<T>`, `&Tensor<T, 3>`",
                        last.ident
                    );
                    Err(syn::Error::new(ty.span(), message))
                }
            }
        }
        Type::Group(group) => check_number(&group.elem),
        Type::Paren(paren) => check_number(&paren.elem),
        _ => Err(syn::Error::new(ty.span(), format!("no type of a value in a kernel: {expected}"))),
    }
}

/// The types of a result: none, one, or those of a tuple.
pub fn results(output: &syn::ReturnType) -> syn::Result<Option<Results>> {
    let syn::ReturnType::Type(_, ty) = output else { return Ok(None) };
    match &**ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(None),
        Type::Tuple(tuple) => {
            tuple.elems.iter().try_for_each(check_number)?;
            Ok(Some(Results { types: tuple.elems.iter().cloned().collect(), tuple: true }))
        }
        Type::Reference(_) => Err(syn::Error::new(
            ty.span(),
            "a `#[device]` function returns numbers, no arrays: give it the array as an argument",
        )),
        ty => {
            check_number(ty)?;
            Ok(Some(Results { types: vec![ty.clone()], tuple: false }))
        }
    }
}

/// What a function returns.
#[derive(Clone)]
pub struct Results {
    pub types: Vec<Type>,
    pub tuple: bool,
}

impl Results {
    /// One of its parts each, as its value has them.
    pub fn tokens(&self, parts: impl Iterator<Item = TokenStream>) -> TokenStream {
        if self.tuple { quote!((#(#parts,)*)) } else { quote!(#(#parts)*) }
    }
}

impl Parameter {
    /// Reads a parameter.
    pub fn new(argument: &FnArg) -> syn::Result<Parameter> {
        let typed = match argument {
            FnArg::Typed(typed) => typed,
            FnArg::Receiver(receiver) => {
                let message = "a kernel is a function, not a method: give what it needs of `self` as arguments";
                return Err(syn::Error::new(receiver.self_token.span(), message));
            }
        };
        let mut known = false;
        for attribute in &typed.attrs {
            let plain = matches!(attribute.meta, syn::Meta::Path(_));
            if !(plain && attribute.path().is_ident("comptime")) {
                let message = "a parameter takes no attribute but `#[comptime]`";
                return Err(syn::Error::new(attribute.span(), message));
            }
            known = true;
        }
        let (name, mutable) = match &*typed.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                (pat.ident.clone(), pat.mutability.is_some())
            }
            Pat::Wild(_) => {
                let message = "a parameter needs a name: errors of launches show it; write `_x`";
                return Err(syn::Error::new(typed.pat.span(), message));
            }
            other => {
                let message = "a parameter is a name: take the parts by `let` in the body";
                return Err(syn::Error::new(other.span(), message));
            }
        };
        if known {
            if mutable {
                let message = "a `#[comptime]` parameter does not change: write `let mut` in the body for a variable that starts with it";
                return Err(syn::Error::new(typed.pat.span(), message));
            }
            if let Type::ImplTrait(_) | Type::Reference(_) = &*typed.ty {
                let message =
                    "a `#[comptime]` parameter is a value of a type with a name, as `u32`";
                return Err(syn::Error::new(typed.ty.span(), message));
            }
            return Ok(Parameter { name, kind: ParameterKind::Known { ty: (*typed.ty).clone() } });
        }
        Ok(Parameter { name, kind: kind(&typed.ty, mutable)? })
    }

    /// The statement that makes it a value in a kernel.
    pub fn declared(&self) -> TokenStream {
        let (name, span) = (&self.name, self.name.span());
        let k = recorder(span);
        let text = syn::ext::IdentExt::unraw(name).to_string();
        match &self.kind {
            ParameterKind::Scalar { ty, mutable } => {
                let value = quote_spanned!(span=> #k.scalar::<#ty>(#text));
                match mutable {
                    true => quote_spanned!(span=> let #name = #k.mutable(#value);),
                    false => quote_spanned!(span=> let #name = #value;),
                }
            }
            ParameterKind::Array { element, rank, writes: false } => {
                quote_spanned!(span=> let #name = #k.input::<#element, #rank>(#text);)
            }
            ParameterKind::Array { element, rank, writes: true } => {
                quote_spanned!(span=> let #name = #k.output::<#element, #rank>(#text);)
            }
            ParameterKind::Known { .. } => TokenStream::new(),
        }
    }

    /// Itself as a parameter of the function of a `#[device]` function.
    pub fn taken(&self, lifetime: &syn::Lifetime) -> TokenStream {
        let (name, span) = (&self.name, self.name.span());
        let simt = simt(span);
        match &self.kind {
            ParameterKind::Scalar { ty, .. } => {
                quote_spanned!(span=> #name: impl #simt::IntoValue<#lifetime, #ty>)
            }
            ParameterKind::Array { element, rank, writes: false } => {
                quote_spanned!(span=> #name: impl #simt::IntoView<#lifetime, #element, #rank>)
            }
            ParameterKind::Array { element, rank, writes: true } => {
                quote_spanned!(span=> #name: #simt::ViewMut<#lifetime, #element, #rank>)
            }
            ParameterKind::Known { ty } => {
                quote_spanned!(span=> #name: impl #simt::IntoConstant<#ty>)
            }
        }
    }

    /// The statement that converts what a `#[device]` function was given.
    pub fn converted(&self) -> TokenStream {
        let (name, span) = (&self.name, self.name.span());
        let (k, simt) = (recorder(span), simt(span));
        match &self.kind {
            ParameterKind::Scalar { ty, mutable } => {
                let value =
                    quote_spanned!(span=> #simt::IntoValue::<'_, #ty>::into_value(#name, #k));
                match mutable {
                    true => quote_spanned!(span=> let #name = #k.mutable(#value);),
                    false => quote_spanned!(span=> let #name = #value;),
                }
            }
            ParameterKind::Array { element, rank, writes: false } => quote_spanned! {span=>
                let #name = #simt::IntoView::<'_, #element, #rank>::into_view(#name);
            },
            ParameterKind::Array { .. } => TokenStream::new(),
            ParameterKind::Known { ty } => quote_spanned! {span=>
                let #name: #ty = #simt::IntoConstant::<#ty>::into_constant(#name, #k);
            },
        }
    }
}

/// What the type of a parameter says.
fn kind(ty: &Type, mutable: bool) -> syn::Result<ParameterKind> {
    let Type::Reference(reference) = ty else {
        match ty {
            Type::Slice(_) | Type::Array(_) => {
                let message = "an array is given by reference: `&[T]`, or `&mut [T]` to write it";
                return Err(syn::Error::new(ty.span(), message));
            }
            Type::ImplTrait(bounds) => {
                let message = "`impl` is no type of a kernel's parameter: write a generic type, `fn f<T: Real>(x: T)`";
                return Err(syn::Error::new(bounds.span(), message));
            }
            Type::Path(path)
                if path
                    .path
                    .segments
                    .last()
                    .is_some_and(|one| one.ident == "Matrix" || one.ident == "Tensor") =>
            {
                let message =
                    "an array is given by reference: `&Matrix<T>`, or `&mut Matrix<T>` to write it";
                return Err(syn::Error::new(ty.span(), message));
            }
            _ => {}
        }
        check_number(ty)?;
        return Ok(ParameterKind::Scalar { ty: ty.clone(), mutable });
    };
    if mutable {
        let message = "an array that is written is `x: &mut [T]`; the name itself does not change";
        return Err(syn::Error::new(ty.span(), message));
    }
    if let Some(lifetime) = &reference.lifetime {
        let message = "arrays of a kernel have no lifetimes: write `&[T]` or `&mut [T]`";
        return Err(syn::Error::new(lifetime.span(), message));
    }
    let writes = reference.mutability.is_some();
    let array = |element: &Type, rank: TokenStream| {
        check_number(element)?;
        Ok(ParameterKind::Array { element: element.clone(), rank, writes })
    };
    let wrong = || {
        let message = "no array of a kernel: expected `[T]`, `Matrix<T>` or `Tensor<T, 3>` after `&`; a number is given by value, and returned by `#[device]` functions";
        Err(syn::Error::new(reference.elem.span(), message))
    };
    match &*reference.elem {
        Type::Slice(slice) => array(&slice.elem, quote!(1)),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return wrong() };
            let PathArguments::AngleBracketed(given) = &last.arguments else { return wrong() };
            let given: Vec<_> = given.args.iter().collect();
            match (&*last.ident.to_string(), &given[..]) {
                ("Matrix", [GenericArgument::Type(element)]) => array(element, quote!(2)),
                ("Tensor", [GenericArgument::Type(element), GenericArgument::Const(rank)]) => {
                    check_rank(rank)?;
                    array(element, quote!(#rank))
                }
                // A constant's name reads as a type.
                (
                    "Tensor",
                    [GenericArgument::Type(element), GenericArgument::Type(Type::Path(rank))],
                ) => array(element, quote!(#rank)),
                _ => wrong(),
            }
        }
        _ => wrong(),
    }
}

fn check_rank(rank: &Expr) -> syn::Result<()> {
    match rank {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })
            if !matches!(number.base10_digits(), "1" | "2" | "3") =>
        {
            Err(syn::Error::new(number.span(), "arrays of a kernel have 1, 2 or 3 axes"))
        }
        _ => Ok(()),
    }
}

/// The parameter that stands for one which was refused.
pub fn stand_in(argument: &FnArg) -> TokenStream {
    let name = internal("_refused", argument.span());
    quote!(#name: impl ::core::marker::Sized)
}
