//! Names of a function, and what is known of them.

use std::collections::HashMap;

use crate::code::Known;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Name {
    /// A Rust value, known when the kernel is recorded.
    Known(Known),
    /// A value or an array of the kernel, which is bound once.
    Value,
    /// An array that the kernel reads.
    Input,
    /// A variable of the kernel: `let mut`.
    Variable,
}

/// The names of a function, the innermost scope last.
#[derive(Debug, Default)]
pub struct Scopes(Vec<HashMap<String, Name>>);

impl Scopes {
    pub fn open(&mut self) {
        self.0.push(HashMap::new());
    }

    pub fn close(&mut self) {
        self.0.pop();
    }

    pub fn bind(&mut self, name: &syn::Ident, stands_for: Name) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.to_string(), stands_for);
        }
    }

    pub fn find(&self, name: &str) -> Option<Name> {
        self.0.iter().rev().find_map(|scope| scope.get(name).copied())
    }
}

/// Whether a name is that of a constant: `TILE`, `N`, `MAX_2`.
pub fn is_constant(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
