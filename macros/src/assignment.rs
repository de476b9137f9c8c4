//! Assignments.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprAssign, ExprBinary};

use crate::code::{Code, internal, recorder};
use crate::expressions::method_of;
use crate::scope::Name;
use crate::statements::Body;
use crate::tokens;

impl Body {
    /// `x = e`, `x[i] = e`, `(x, y[i]) = e`. As in Rust, the value comes first and the index after it.
    pub fn assignment(&mut self, assign: &ExprAssign) -> Code {
        let span = assign.eq_token.span();
        if let Expr::Assign(inner) = &*assign.right {
            let message = "an assignment has no value: write two statements";
            return self.refuse(inner.eq_token.span(), message);
        }
        let value = self.expression(&assign.right);
        if let Expr::Tuple(left) = &*assign.left {
            return self.assign_tuple(left, value, span);
        }
        let first = match &*assign.left {
            Expr::Index(index) => {
                tokens::has_effects(&index.index) || tokens::has_effects(&assign.right)
            }
            _ => false,
        };
        if !first {
            let tokens = self.assign(&assign.left, value.argument(), span);
            return Code::recorded(span, tokens);
        }
        let (name, value) = (internal("value", span), value.argument());
        let set = self.assign(&assign.left, quote!(#name), span);
        Code::recorded(span, quote_spanned!(span=> { let #name = #value; #set; }))
    }

    /// `(a, b) = (b, a)`.
    fn assign_tuple(
        &mut self,
        left: &syn::ExprTuple,
        value: Code,
        span: proc_macro2::Span,
    ) -> Code {
        self.no_attributes(&left.attrs);
        let names: Vec<Ident> = (0..left.elems.len())
            .map(|number| internal(&format!("value_{number}"), span))
            .collect();
        let value = value.value();
        let sets: Vec<TokenStream> = left
            .elems
            .iter()
            .zip(&names)
            .map(|(left, name)| self.assign(left, quote!(#name), span))
            .collect();
        Code::recorded(span, quote_spanned!(span=> { let (#(#names,)*) = #value; #(#sets;)* }))
    }

    /// The call that sets what stands left of `=`.
    fn assign(&mut self, left: &Expr, value: TokenStream, span: proc_macro2::Span) -> TokenStream {
        match left {
            Expr::Paren(paren) => self.assign(&paren.expr, value, span),
            Expr::Group(group) => self.assign(&group.expr, value, span),
            Expr::Infer(_) => quote_spanned!(span=> { let _ = #value; }),
            Expr::Index(index) => {
                let base = self.place(&index.expr);
                let at = self.position(&index.index);
                quote_spanned!(span=> #base.put(#at, #value))
            }
            Expr::Path(_) => match self.variable(left) {
                Some(name) => quote_spanned!(span=> #name.set(#value)),
                None => TokenStream::new(),
            },
            other => {
                self.not_assigned(other);
                TokenStream::new()
            }
        }
    }

    fn not_assigned(&mut self, left: &Expr) {
        let message = match left {
            Expr::Field(_) => {
                "a part of a tuple does not change: bind the parts, `let (mut a, mut b) = …`"
            }
            Expr::Unary(_) => {
                "`*` is not supported in a kernel: there are no references; an element is `x[i]`"
            }
            _ => "only variables and elements of arrays are assigned to: `x = …`, `x[i] = …`",
        };
        self.refuse(left.span(), message);
    }

    /// The array of an element that is written.
    fn place(&mut self, base: &Expr) -> TokenStream {
        if let Expr::Path(path) = base
            && let Some(name) = path.path.get_ident()
            && self.scopes.find(&name.to_string()) == Some(Name::Input)
        {
            let message =
                format!("`{name}` is only read: declare it as `{name}: &mut …` to write it");
            self.refuse(base.span(), message);
        }
        let code = self.expression(base);
        if code.known.is_some() {
            let message =
                "a constant array is not written: take an array as a parameter `&mut [T]`";
            self.refuse(base.span(), message);
        }
        code.receiver(matches!(base, Expr::Path(_)))
    }

    /// The name of a variable that changes.
    fn variable<'a>(&mut self, left: &'a Expr) -> Option<&'a Ident> {
        let Expr::Path(path) = left else {
            self.not_assigned(left);
            return None;
        };
        let Some(name) = path.path.get_ident() else {
            self.not_assigned(left);
            return None;
        };
        let message = match self.scopes.find(&name.to_string()) {
            Some(Name::Variable) => return Some(name),
            Some(Name::Value | Name::Input | Name::Known(_)) => {
                format!(
                    "`{name}` does not change: declare it by `let mut {name}`, or `mut {name}` among the parameters"
                )
            }
            None => format!("there is no variable `{name}` in this kernel"),
        };
        self.refuse(name.span(), message);
        None
    }

    /// `x += e`, `x[i] += e`: the value comes first, and the index is computed once.
    pub fn compound_assignment(&mut self, binary: &ExprBinary) -> Code {
        let span = binary.op.span();
        let Some(method) = method_of(&binary.op) else {
            return self.refuse(span, "this operator is not supported in a kernel");
        };
        let (k, method) = (recorder(span), Ident::new(method, span));
        let value = self.expression(&binary.right).value();
        let mut left = &*binary.left;
        while let Expr::Paren(syn::ExprParen { expr, .. })
        | Expr::Group(syn::ExprGroup { expr, .. }) = left
        {
            left = expr;
        }
        let name = internal("value", span);
        let tokens = match left {
            Expr::Index(index) => {
                let base = self.place(&index.expr);
                let at = self.position(&index.index);
                let (array, position) = (internal("array", span), internal("position", span));
                quote_spanned! {span=> {
                    let #name = #value;
                    let (#array, #position) = (#base, #at);
                    #array.put(#position, #k.#method((#array.at(#position), #name)));
                }}
            }
            left => {
                let Some(variable) = self.variable(left) else {
                    return Code::recorded(span, quote!(()));
                };
                match tokens::has_blocks(&binary.right) {
                    false => {
                        quote_spanned!(span=> #variable.set(#k.#method((#variable.get(), #value))))
                    }
                    true => quote_spanned! {span=> {
                        let #name = #value;
                        #variable.set(#k.#method((#variable.get(), #name)));
                    }},
                }
            }
        };
        Code::recorded(span, tokens)
    }
}
