//! Parameters of functions as data: the words in which a declaration states them, and what they say.
//!
//! A declaration lists its parameters as words, in NumPy's order. `a` is required and `axis?` is optional. `out=None` is optional and
//! takes only the value that stands there, NumPy's default. `subok~` takes either truth value, because arrays here are the same
//! with both. `a!` is required, and the function changes the array that it is given. What follows `*` is passed by keyword only, `...` takes
//! further positional arguments. After `**` a keyword that no parameter has is a `ValueError`, as of NumPy's own `**kwargs`.

/// A parameter of a function, in its place in NumPy's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, by which it can be passed unless it is [`Passing::Rest`].
    pub name: &'static str,
    /// How an argument is passed to it.
    pub passing: Passing,
    /// Which arguments it takes.
    pub takes: Takes,
    /// Whether the function changes the array that is passed. The call returns the changed array.
    pub is_changed: bool,
}

/// How an argument is passed to a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By position or by keyword.
    PositionalOrKeyword,
    /// By keyword only.
    Keyword,
    /// All further positional arguments, as Python's `*args`.
    Rest,
}

/// Which arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One that must be given.
    Required,
    /// One that may be left out.
    Optional,
    /// None, or a value that is NumPy's default, as Python writes it.
    Only(&'static str),
    /// None, or either truth value.
    Either,
}

/// What a list of words says.
#[derive(Debug)]
pub(super) struct Parameters {
    pub(super) all: Box<[Parameter]>,
    /// Whether an unknown keyword is a wrong value, and not a wrong type.
    pub(super) refuses_keywords_by_value: bool,
}

impl Parameters {
    /// Reads a list of words.
    pub(super) fn parse(words: &'static str) -> Self {
        let mut passing = Passing::PositionalOrKeyword;
        let (mut all, mut refuses_keywords_by_value) = (Vec::new(), false);
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            match word {
                "*" => passing = Passing::Keyword,
                "**" => refuses_keywords_by_value = true,
                "..." => {
                    all.push(Parameter {
                        name: "args",
                        passing: Passing::Rest,
                        takes: Takes::Optional,
                        is_changed: false,
                    });
                    passing = Passing::Keyword;
                }
                _ => {
                    let (name, takes) = match word.split_once('=') {
                        Some((name, default)) => (name, Takes::Only(default)),
                        None => match word.strip_suffix(['?', '~', '!']) {
                            Some(name) if word.ends_with('?') => (name, Takes::Optional),
                            Some(name) if word.ends_with('~') => (name, Takes::Either),
                            Some(name) => (name, Takes::Required),
                            None => (word, Takes::Required),
                        },
                    };
                    all.push(Parameter { name, passing, takes, is_changed: word.ends_with('!') });
                }
            }
        }
        Self { all: all.into(), refuses_keywords_by_value }
    }

    /// The parameters to which arguments are passed by position, in order.
    pub(super) fn positional(&self) -> &[Parameter] {
        let count = self
            .all
            .iter()
            .take_while(|parameter| parameter.passing == Passing::PositionalOrKeyword)
            .count();
        &self.all[..count]
    }

    /// Whether further positional arguments are taken.
    pub(super) fn takes_rest(&self) -> bool {
        self.all.iter().any(|parameter| parameter.passing == Passing::Rest)
    }

    /// The parameters that have a name.
    pub(super) fn named(&self) -> impl Iterator<Item = &Parameter> {
        self.all.iter().filter(|parameter| parameter.passing != Passing::Rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parameters() {
        let read = Parameters::parse("a! axis? ... out=None subok~ **");
        let said: Vec<_> =
            read.all.iter().map(|own| (own.name, own.passing, own.takes, own.is_changed)).collect();
        assert_eq!(
            said,
            [
                ("a", Passing::PositionalOrKeyword, Takes::Required, true),
                ("axis", Passing::PositionalOrKeyword, Takes::Optional, false),
                ("args", Passing::Rest, Takes::Optional, false),
                ("out", Passing::Keyword, Takes::Only("None"), false),
                ("subok", Passing::Keyword, Takes::Either, false),
            ]
        );
        assert!(read.refuses_keywords_by_value && read.takes_rest());
        assert_eq!(read.positional().len(), 2);
    }
}
