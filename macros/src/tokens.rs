//! Questions about the tokens of an expression.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;

/// Whether a word stands anywhere in it.
pub fn contains(code: &impl ToTokens, word: &str) -> bool {
    fn search(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == word,
            TokenTree::Group(group) => search(group.stream(), word),
            _ => false,
        })
    }
    search(code.to_token_stream(), word)
}

/// Whether it has blocks, which may change variables.
pub fn has_blocks(code: &impl ToTokens) -> bool {
    fn search(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => {
                group.delimiter() == Delimiter::Brace || search(group.stream())
            }
            _ => false,
        })
    }
    search(code.to_token_stream())
}

/// Whether it has blocks or calls, which may write.
pub fn has_effects(code: &impl ToTokens) -> bool {
    fn search(tokens: TokenStream) -> bool {
        let mut named = false;
        tokens.into_iter().any(|token| {
            let found = match &token {
                TokenTree::Group(group) => {
                    let delimiter = group.delimiter();
                    (delimiter == Delimiter::Parenthesis && named)
                        || delimiter == Delimiter::Brace
                        || search(group.stream())
                }
                _ => false,
            };
            // `f(…)`, `x.f(…)` and `f::<T>(…)`; `as T > (…)` counts too.
            named = match &token {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(punct) => punct.as_char() == '>',
                _ => false,
            };
            found
        })
    }
    search(code.to_token_stream())
}

/// The names that stand alone in it: not after `.` or `::`.
pub fn names(code: &impl ToTokens) -> Vec<Ident> {
    fn collect(tokens: TokenStream, found: &mut Vec<Ident>) {
        let mut after = ' ';
        for token in tokens {
            let last = std::mem::replace(&mut after, ' ');
            match token {
                TokenTree::Ident(ident) if last != '.' && last != ':' => found.push(ident),
                TokenTree::Group(group) => collect(group.stream(), found),
                TokenTree::Punct(punct) => after = punct.as_char(),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(code.to_token_stream(), &mut found);
    found
}
