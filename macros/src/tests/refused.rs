//! What the attributes refuse: each message, and a stand-in with the signature. Where rustc shows the messages is a test of its
//! own (`tests/places`).

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use super::expanded;
use super::refused_cases::CASES;

/// The messages of an expansion, in order; and what stands after them.
fn messages(tokens: TokenStream) -> (Vec<String>, TokenStream) {
    let file: syn::File = syn::parse2(tokens).expect("items");
    let (mut found, mut rest) = (Vec::new(), TokenStream::new());
    for item in file.items {
        let syn::Item::Macro(made) = &item else {
            item.to_tokens(&mut rest);
            continue;
        };
        assert!(made.mac.path.segments.last().is_some_and(|last| last.ident == "compile_error"));
        let Some(TokenTree::Literal(text)) = made.mac.tokens.clone().into_iter().next() else {
            panic!("a text");
        };
        let text: syn::LitStr = syn::parse2(TokenTree::from(text).into()).expect("a text");
        found.push(text.value());
    }
    (found, rest)
}

#[test]
fn each_is_refused() {
    for (source, expected) in CASES {
        let (found, _) = messages(expanded(source));
        let expected = expected.iter().map(|message| message.split_once(' ').expect("a place").1);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{source}");
    }
    assert!(CASES.len() >= 45);
}

#[test]
fn callers_find_a_function_of_the_same_signature() {
    let signature = |source: &str| {
        let (messages, rest) = messages(expanded(source));
        assert!(!messages.is_empty(), "{source}");
        let function: syn::ItemFn = syn::parse2(rest).expect("a function");
        function
            .sig
            .to_token_stream()
            .to_string()
            .replace(":: ndany :: kernel :: simt :: recording :: ", "")
    };
    assert_eq!(
        signature("#[kernel] fn f<T: Real>(x: &[T], #[comptime] n: u32) -> u32 { |a| a; }"),
        "fn f < T : Real > (n : u32) -> Kernel"
    );
    assert_eq!(
        signature("#[device] fn g<'a, T>(x: T, s: &str, y: &mut [T]) -> (T, bool) { \"text\" }"),
        "fn g < 'k , T > (k : & 'k Recorder , x : impl IntoValue < 'k , T > , \
         _refused : impl :: core :: marker :: Sized , y : ViewMut < 'k , T , 1 >) \
         -> (Value < 'k , T > , Value < 'k , bool > ,)"
    );
}
