//! Many kernels as one text, because most of what hipRTC takes for a small one it takes for any text at all.
//!
//! Each text stands whole, its prelude included, in a namespace of its own. What that changes is names: a kernel is no
//! longer `extern "C"`, and its types and functions are those of the namespace. What a text defines for the preprocessor
//! ends with it.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A kernel: its name and its text.
pub(super) type Kernel<'a> = (&'a str, &'a str);

/// Kernels in groups of about the same number of bytes, none of more than this many kernels.
pub(super) fn groups<'a>(kernels: &[Kernel<'a>], most: usize) -> Vec<Vec<Kernel<'a>>> {
    let count = kernels.len().div_ceil(most.max(1));
    let mut groups = vec![(0, Vec::new()); count];
    // The longest first, each to the group that has least.
    let mut sorted = kernels.to_vec();
    sorted.sort_by_key(|(name, text)| (std::cmp::Reverse(text.len()), *name));
    for (name, text) in sorted {
        let open = groups.iter_mut().filter(|(_, group)| group.len() < most);
        if let Some((bytes, group)) = open.min_by_key(|(bytes, _)| *bytes) {
            *bytes += text.len();
            group.push((name, text));
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// One text of these. Errors name the number of a kernel in it, its own name, and the line of its own text.
pub(super) fn together(kernels: &[Kernel<'_>]) -> String {
    let mut batch = String::new();
    for (number, (name, text)) in kernels.iter().enumerate() {
        let _ = writeln!(batch, "namespace k{number} {{\n#line 1 \"{number}-{name}\"");
        batch.push_str(&text.replace("extern \"C\" ", ""));
        batch.push_str("\n}\n");
        for name in defined(text) {
            let _ = writeln!(batch, "#undef {name}");
        }
    }
    batch
}

/// The names that a text defines for the preprocessor.
fn defined(text: &str) -> BTreeSet<&str> {
    let definitions = text.lines().filter_map(|line| line.trim_start().strip_prefix("#define "));
    definitions
        .filter_map(|definition| {
            definition.split(|c: char| !c.is_alphanumeric() && c != '_').next()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_in_one_group() {
        let texts: Vec<String> = (0..10).map(|k| "x".repeat(1 + 10 * k)).collect();
        let kernels: Vec<Kernel<'_>> = texts.iter().map(|text| ("map", text.as_str())).collect();
        let groups = groups(&kernels, 4);
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 10);
        assert!(groups.len() == 3 && groups.iter().all(|group| group.len() <= 4));
        let mut all: Vec<Kernel<'_>> = groups.concat();
        all.sort();
        assert_eq!(all, kernels);
    }

    #[test]
    fn two_kernels_of_one_name_stay_apart() {
        let text =
            "#define WIDTH 4\n#define KERNEL(n) extern \"C\" __global__ void\nKERNEL(1) map() {}";
        let batch = together(&[("map", text), ("map", text)]);
        assert!(!batch.contains("extern"), "{batch}");
        for part in ["namespace k1 {", "#line 1 \"1-map\"", "#undef WIDTH\n", "#undef KERNEL\n"] {
            assert!(batch.contains(part), "{part} is not in {batch}");
        }
    }
}
