//! What the attributes make of functions, and what they refuse.

mod fuzz;
mod golden;
mod refused;
#[path = "../../tests/places/cases.rs"]
mod refused_cases;

use proc_macro2::TokenStream;

use crate::function::{Kind, expand};

/// What the attribute in front of a function makes of it.
fn expanded(source: &str) -> TokenStream {
    let (kind, options, item) = split(source);
    expand(kind, options.parse().expect("tokens"), item.parse().expect("tokens"))
}

/// The attribute, its options, and the function.
fn split(source: &str) -> (Kind, String, String) {
    let source = source.trim();
    let start = source.find("#[kernel").or(source.find("#[device")).expect("an attribute");
    let end = start + source[start..].find(']').expect("its end") + 1;
    let (attribute, item) =
        (&source[start..end], format!("{}{}", &source[..start], &source[end..]));
    let kind = if attribute.starts_with("#[kernel") { Kind::Kernel } else { Kind::Device };
    let options = attribute.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(")]"));
    (kind, options.to_string(), item)
}
