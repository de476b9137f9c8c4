//! Branches, loops and what leaves them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit, Pat, RangeLimits};

use crate::code::{Code, Known, internal, recorder, simt};
use crate::function::Kind;
use crate::scope::Name;
use crate::statements::{Body, diverges};

impl Body {
    /// `if`. Of a known condition it is Rust's.
    pub fn branches(&mut self, branch: &syn::ExprIf) -> Code {
        let span = branch.if_token.span();
        let (if_token, otherwise) = (&branch.if_token, branch.else_branch.as_ref());
        let condition = self.expression(&branch.cond);
        if condition.known.is_some() {
            return self.known_branches(branch, condition);
        }
        let (k, condition) = (recorder(if_token.span()), condition.value());
        let Some((_, otherwise)) = otherwise else {
            let then = self.branch(&branch.then_branch);
            return Code::recorded(span, quote_spanned!(span=> #k.when(#condition, || #then)));
        };
        // A branch that leaves has no value: what comes after it is the other one.
        let leaves = [
            diverges(&branch.then_branch),
            matches!(&**otherwise, Expr::Block(block) if diverges(&block.block)),
        ];
        let then = self.branch(&branch.then_branch);
        let otherwise = match &**otherwise {
            Expr::Block(block) => self.branch(&block.block),
            other => self.expression(other).value(),
        };
        let tokens = match leaves {
            [true, false] => quote_spanned! {span=> { #k.when(#condition, || #then); #otherwise }},
            [false, true] => {
                let not = internal("condition", span);
                quote_spanned! {span=> {
                    let #not = #k.not(#condition);
                    #k.when(#not, || #otherwise);
                    #then
                }}
            }
            _ => quote_spanned!(span=> #k.either(#condition, || #then, || #otherwise)),
        };
        Code::recorded(span, tokens)
    }

    fn known_branches(&mut self, branch: &syn::ExprIf, condition: Code) -> Code {
        let (if_token, condition) = (&branch.if_token, condition.tokens);
        let span = if_token.span();
        let then = self.block(&branch.then_branch);
        let Some((else_token, otherwise)) = &branch.else_branch else {
            let then = then.value();
            return Code::recorded(span, quote!(#if_token #condition #then));
        };
        let otherwise = match &**otherwise {
            Expr::Block(block) => self.block(&block.block),
            other => self.expression(other),
        };
        let (a, b) = (&then.tokens, &otherwise.tokens);
        if let Some(code) = then.joined(&otherwise, quote!(#if_token #condition #a #else_token #b))
        {
            return code;
        }
        // `{ 1 }` beside a value is a value of the kernel, too.
        let block = |code: Code| match code.known {
            Some(_) => {
                let value = code.value();
                quote!({ #value })
            }
            None => code.tokens,
        };
        let (then, otherwise) = (block(then), block(otherwise));
        Code::recorded(span, quote!(#if_token #condition #then #else_token #otherwise))
    }

    /// The body of a loop, and whether `break` or `continue` of it stands there.
    fn looped(&mut self, body: &syn::Block) -> (TokenStream, bool) {
        self.loops.push(false);
        let body = self.branch(body);
        (body, self.loops.pop().unwrap_or_default())
    }

    /// `while`.
    pub fn while_loop(&mut self, looped: &syn::ExprWhile) -> Code {
        self.no_attributes(&looped.attrs);
        self.no_label(looped.label.as_ref());
        let span = looped.while_token.span();
        let condition = self.expression(&looped.cond).value();
        let (body, _) = self.looped(&looped.body);
        let k = recorder(span);
        Code::recorded(span, quote_spanned!(span=> #k.repeat(|| #condition, || #body)))
    }

    /// `loop`.
    pub fn endless_loop(&mut self, looped: &syn::ExprLoop) -> Code {
        self.no_attributes(&looped.attrs);
        self.no_label(looped.label.as_ref());
        let span = looped.loop_token.span();
        let (body, _) = self.looped(&looped.body);
        let k = recorder(span);
        Code::recorded(span, quote_spanned!(span=> #k.repeat(|| #k.constant(true), || #body)))
    }

    /// `for i in a..b`, `for i in (a..b).step_by(s)`.
    pub fn for_loop(&mut self, looped: &syn::ExprForLoop) -> Code {
        self.no_attributes(&looped.attrs);
        self.no_label(looped.label.as_ref());
        let span = looped.for_token.span();
        let range = self.range(&looped.expr);
        self.scopes.open();
        let k = recorder(span);
        let (name, mutable) = match &*looped.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let (name, mutable) = (&pat.ident, pat.mutability.is_some());
                self.scopes.bind(name, if mutable { Name::Variable } else { Name::Value });
                let variable = mutable.then(|| quote!(let #name = #k.mutable(#name);));
                (quote!(#name), variable)
            }
            Pat::Wild(_) => (quote!(_), None),
            other => {
                self.refuse(other.span(), "the counter of a `for` loop is a name or `_`");
                (quote!(_), None)
            }
        };
        let (body, left) = self.looped(&looped.body);
        self.scopes.close();
        let Some((ends, step)) = range else { return Code::recorded(span, quote!(())) };
        let unroll = !left;
        Code::recorded(
            span,
            quote_spanned!(span=> #k.range(#ends, #step, #unroll, |#name| { #mutable #body })),
        )
    }

    /// The ends and the step of a loop.
    fn range(&mut self, expr: &Expr) -> Option<(TokenStream, TokenStream)> {
        match expr {
            Expr::Paren(paren) => self.range(&paren.expr),
            Expr::Group(group) => self.range(&group.expr),
            Expr::Range(range) => Some((self.ends(range)?, quote!(::core::option::Option::None))),
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                let (ends, _) = self.range(&call.receiver)?;
                let span = call.args[0].span();
                let (k, simt) = (recorder(span), simt(span));
                let step = self.expression(&call.args[0]).argument();
                let value = quote_spanned!(span=> #simt::IntoValue::into_value(#step, #k));
                Some((ends, quote!(::core::option::Option::Some(#value))))
            }
            Expr::MethodCall(call) if call.method == "rev" => {
                let message = "`.rev()` is not supported in a kernel: count up, and compute the position, `let i = n - 1 - j;`";
                self.refuse(call.method.span(), message);
                None
            }
            other => {
                let message = "a `for` loop goes over a range, `a..b` or `(a..b).step_by(s)`: of an array write `for i in 0..x.len()`, and read `x[i]`";
                self.refuse(other.span(), message);
                None
            }
        }
    }

    fn ends(&mut self, range: &syn::ExprRange) -> Option<TokenStream> {
        let span = range.limits.span();
        if let RangeLimits::Closed(_) = range.limits {
            self.refuse(span, "`..=` is not supported in a kernel: write `a..b + 1`");
            return None;
        }
        let (Some(first), Some(end)) = (&range.start, &range.end) else {
            self.refuse(span, "a range in a kernel has both ends: `a..b`");
            return None;
        };
        let negative = [first, end].iter().any(|end| matches!(&***end, Expr::Unary(_)));
        let (first, end) = (self.expression(first), self.expression(end));
        let k = recorder(span);
        let is_integer = |code: &Code| code.known == Some(Known::Integer);
        // Two integers of the source have no type: positions are `u32`.
        let (first, end) = if is_integer(&first) && is_integer(&end) {
            let (first, end) = (first.argument(), end.tokens);
            let ty = if negative { quote!(i32) } else { quote!(u32) };
            (first, quote_spanned!(span=> #k.constant::<#ty>(#end)))
        } else {
            (first.value(), end.value())
        };
        Some(quote_spanned!(span=> (#first, #end)))
    }

    /// `break`.
    pub fn break_loop(&mut self, leave: &syn::ExprBreak) -> Code {
        let span = leave.break_token.span();
        self.no_label_of(leave.label.as_ref());
        if let Some(value) = &leave.expr {
            let message =
                "`break` with a value is not supported in a kernel: set a variable before `break`";
            return self.refuse(value.span(), message);
        }
        self.leave_loop(span, "break", "stop")
    }

    /// `continue`.
    pub fn continue_loop(&mut self, leave: &syn::ExprContinue) -> Code {
        self.no_label_of(leave.label.as_ref());
        self.leave_loop(leave.continue_token.span(), "continue", "skip")
    }

    pub fn no_label_of(&mut self, label: Option<&syn::Lifetime>) {
        if let Some(label) = label {
            let message = "labels are not supported in a kernel: leave an outer loop by a variable, or put the loops into a `#[device]` function and `return`";
            self.refuse(label.span(), message);
        }
    }

    fn leave_loop(&mut self, span: proc_macro2::Span, word: &str, method: &str) -> Code {
        let Some(left) = self.loops.last_mut() else {
            return self.refuse(span, format!("`{word}` outside of a loop"));
        };
        *left = true;
        let (k, method) = (recorder(span), proc_macro2::Ident::new(method, span));
        Code::recorded(span, quote_spanned!(span=> #k.#method()))
    }

    /// `return`.
    pub fn return_from(&mut self, leave: &syn::ExprReturn) -> Code {
        self.no_attributes(&leave.attrs);
        let span = leave.return_token.span();
        let k = recorder(span);
        let results = self.results.clone();
        match (&leave.expr, results) {
            (None, None) => Code::recorded(span, quote_spanned!(span=> #k.leave())),
            (None, Some(_)) => {
                self.refuse(span, "`return` has to give the value that this function returns")
            }
            (Some(value), None) => {
                let message = match self.kind {
                    Kind::Kernel => {
                        "a kernel returns nothing: write results to a parameter `&mut [T]`"
                    }
                    Kind::Device => {
                        "this function returns nothing: declare the type of its result, `-> T`"
                    }
                };
                self.refuse(value.span(), message)
            }
            (Some(value), Some(results)) => {
                let value = self.expression(value);
                let set = self.set_results(&results, value);
                Code::recorded(span, quote_spanned!(span=> { #set #k.leave(); }))
            }
        }
    }

    /// `match` on literals: a chain of branches.
    pub fn choice(&mut self, choice: &syn::ExprMatch) -> Code {
        self.no_attributes(&choice.attrs);
        let span = choice.match_token.span();
        let message = "`match` is supported on integers and `bool`, with literals and a last arm `_`: write a chain of `if` and `else`";
        let scrutinee = self.expression(&choice.expr);
        let (k, name) = (recorder(span), internal("chosen", span));
        let mut conditions = Vec::new();
        for (number, arm) in choice.arms.iter().enumerate() {
            self.no_attributes(&arm.attrs);
            if let Some((word, _)) = &arm.guard {
                return self.refuse(word.span(), message);
            }
            let is_last = number + 1 == choice.arms.len();
            match &arm.pat {
                Pat::Wild(_) if is_last => {}
                pat if is_last => return self.refuse(pat.span(), message),
                pat => {
                    let Some(literals) = literals(pat) else {
                        return self.refuse(pat.span(), message);
                    };
                    let tests = literals.into_iter().map(|literal| {
                        let span = literal.span;
                        let value = literal.value();
                        quote_spanned!(span=> #k.eq((#name, #value)))
                    });
                    let test = tests.reduce(|a, b| quote_spanned!(span=> #k.or(#a, || #b)));
                    conditions.push(test.unwrap_or_default());
                }
            }
        }
        if choice.arms.is_empty() {
            return self.refuse(span, message);
        }
        let bodies: Vec<TokenStream> = choice
            .arms
            .iter()
            .map(|arm| {
                self.scopes.open();
                let value = self.expression(&arm.body).value();
                self.scopes.close();
                value
            })
            .collect();
        let mut bodies = bodies.into_iter().rev();
        let last = bodies.next().unwrap_or_default();
        let chain = conditions.into_iter().rev().zip(bodies).fold(last, |otherwise, (test, then)| {
            quote_spanned!(span=> #k.either(#test, || #then, || #otherwise))
        });
        let scrutinee = scrutinee.value();
        Code::recorded(span, quote_spanned!(span=> { let #name = #scrutinee; #chain }))
    }
}

/// The literals of a pattern: `0`, `-1`, `true`, `1 | 2`.
fn literals(pat: &Pat) -> Option<Vec<Code>> {
    match pat {
        Pat::Paren(pat) => literals(&pat.pat),
        Pat::Or(pat) => {
            let cases: Option<Vec<_>> = pat.cases.iter().map(literals).collect();
            Some(cases?.into_iter().flatten().collect())
        }
        Pat::Lit(literal) => {
            let known = match &literal.lit {
                Lit::Int(number) if number.suffix().is_empty() => Known::Integer,
                Lit::Int(_) | Lit::Bool(_) | Lit::Byte(_) => Known::Typed,
                _ => return None,
            };
            let tokens = quote::ToTokens::to_token_stream(&literal.lit);
            Some(vec![Code::literal(pat.span(), known, tokens)])
        }
        _ => None,
    }
}
