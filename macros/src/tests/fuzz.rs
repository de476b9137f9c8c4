//! Kernels with changed tokens: the attributes give a function or messages, and never panic.

use proc_macro2::{Group, TokenStream, TokenTree};

use super::split;
use crate::function::expand;

const TRIES: u64 = 20_000;

const SOURCES: [&str; 4] = [
    "#[kernel] fn f<T: Real, const N: u32>(mut a: T, #[comptime] n: u32, x: &[T], y: &mut Matrix<T>) where T: Copy {
        let (mut s, t): (T, u32) = (x[0] + 1.0, global_x() as u32);
        for i in (0..N).step_by(2) { s += x[i * n]; if s > a { break; } else { continue; } }
        while t < 3 && !(t == n) || t > 1 { y[(t, 0)] -= -s; }
        loop { y[[t, 1]] = match t { 0 => a, 1 | 2 => s, _ => T::zero() }; return; }
    }",
    "#[device] pub fn g<T>(x: T, v: &mut [T], #[comptime] c: bool) -> (T, u32) {
        const K: u32 = 3;
        #[comptime] let k = K + 1;
        if c { return (x, 0); } else if x < v[1] { barrier(); }
        let z = { let q = h::<T>(&v, x.max(0.5), k); q.0 };
        (z, if x > z { 1u32 } else { 2 })
    }",
    "#[kernel(unordered)] fn h(x: &Tensor<f32, 3>, y: &mut [f32]) {
        (y[0], y[1]) = (x[(0, 1, 2)], 'c');
        let s = S { a: 1, ..d } ; let v = [0; 4]; let w = &x[1..2]?; let mut u; let Some(p) = q else { return };
        'a: for (i, j) in x.iter().rev() { |a, b| a + b; println!(\"{}\", i); break 'a 3; }
        unsafe { *p = async { 1 }.await; } fn inner() {} #[cold] s.t.u(); if let 1 = 2 {} self.f = \"s\"; _ = 1;
    }",
    "#[device] const unsafe extern \"C\" fn v<'a>(self, (a, b): (u32, f32), c: impl Copy, _: &'a str, ...) -> &[u32] { v(1); a < b }",
];

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

/// Drops, doubles or swaps one token here or in a group within; or takes one of the spare ones.
fn changed(tokens: TokenStream, dice: &mut Dice, spare: &[TokenTree]) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    let groups: Vec<usize> =
        (0..trees.len()).filter(|&at| matches!(trees[at], TokenTree::Group(_))).collect();
    if !groups.is_empty() && dice.below(8) > 1 {
        let at = groups[dice.below(groups.len())];
        if let TokenTree::Group(group) = &trees[at] {
            let inner = changed(group.stream(), dice, spare);
            trees[at] = Group::new(group.delimiter(), inner).into();
        }
        return trees.into_iter().collect();
    }
    if trees.is_empty() {
        return [spare[dice.below(spare.len())].clone()].into_iter().collect();
    }
    let (at, other) = (dice.below(trees.len()), dice.below(trees.len()));
    match dice.below(4) {
        0 => drop(trees.remove(at)),
        1 => trees.insert(other, trees[at].clone()),
        2 => trees.swap(at, other),
        _ => trees.insert(at, spare[dice.below(spare.len())].clone()),
    }
    trees.into_iter().collect()
}

fn flat(tokens: TokenStream, all: &mut Vec<TokenTree>) {
    for tree in tokens {
        if let TokenTree::Group(group) = &tree {
            flat(group.stream(), all);
        }
        all.push(tree);
    }
}

#[test]
fn changed_kernels_never_panic() {
    let sources: Vec<_> = SOURCES
        .iter()
        .map(|source| {
            let (kind, options, item) = split(source);
            let parse = |text: String| text.parse::<TokenStream>().expect("tokens");
            (kind, parse(options), parse(item))
        })
        .collect();
    let mut spare = Vec::new();
    sources.iter().for_each(|(_, _, item)| flat(item.clone(), &mut spare));
    let (mut dice, mut functions, mut parsed) = (Dice(1), 0, 0);
    for _ in 0..TRIES {
        let (kind, options, item) = sources[dice.below(sources.len())].clone();
        let mut item = changed(item, &mut dice, &spare);
        while dice.below(3) == 0 {
            item = changed(item, &mut dice, &spare);
        }
        parsed += u32::from(syn::parse2::<syn::ItemFn>(item.clone()).is_ok());
        let made = expand(kind, options, item).to_string();
        functions += u32::from(!made.contains("compile_error"));
    }
    // Both ends of it are tried: whole functions, and messages about parsed ones.
    assert!(functions > 200 && parsed > functions + 1000, "{functions} of {parsed}");
}
