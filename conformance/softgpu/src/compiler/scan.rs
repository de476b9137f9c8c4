//! What a host's compiler must be told about a text: which functions are kernels, and what is dynamic shared memory.
//!
//! Reads tokens, not C++: enough for kernels that are declared by `__global__`, or by a macro that says `__global__`,
//! with `__launch_bounds__` of a number or of such a macro's argument.

use std::collections::HashSet;
use std::fmt::Write;

/// A kernel's name and the most threads of its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) threads: u32,
}

/// The text as the host's compiler takes it, followed by tables of its kernels, instances of templates by their
/// expressions among them, and of its variables.
pub(super) fn prepare(source: &str, expressions: &[String]) -> String {
    let mut text = dynamic_shared(source);
    text.push_str("\nSOFTGPU_EXPORT const softgpu_Kernel softgpu_kernels[] = {\n");
    for Declared { name, threads } in kernels(source) {
        let call = format!("softgpu_Call<&{name}>");
        let _ = writeln!(
            text,
            "{{\"{name}\", {call}::call, {call}::sizes, {call}::count, {threads}}},"
        );
    }
    for expression in expressions {
        let call = format!("softgpu_Call<&{expression}>");
        let _ =
            writeln!(text, "{{{expression:?}, {call}::call, {call}::sizes, {call}::count, 1024}},");
    }
    text.push_str("{0, 0, 0, 0, 0}};\n");
    text.push_str("SOFTGPU_EXPORT const softgpu_Global softgpu_globals[] = {\n");
    for (name, constant) in globals(source) {
        let constant = u8::from(constant);
        let _ = writeln!(text, "{{\"{name}\", (void*)&{name}, sizeof({name}), {constant}}},");
    }
    text.push_str("{0, 0, 0, 0}};\n");
    text
}

/// Variables that are declared by `__constant__` or `__device__`, outside of all braces; whether they cannot be written.
fn globals(source: &str) -> Vec<(String, bool)> {
    let (tokens, _) = tokens(source);
    let is_const = |token: &Token<'_>| matches!(token.text, "const" | "constexpr");
    let (mut found, mut depth, mut at): (Vec<(String, bool)>, _, _) = (Vec::new(), 0u32, 0);
    while at < tokens.len() {
        match tokens[at].text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "__constant__" | "__device__" if depth == 0 => {
                let begun = at;
                let before = tokens[..begun].iter().rev();
                let mut before = before.take_while(|t| !matches!(t.text, ";" | "{" | "}"));
                let mut constant = before.any(is_const);
                let name = loop {
                    at += 1;
                    constant |= tokens.get(at).is_some_and(is_const);
                    match tokens.get(at).map(|token| token.text) {
                        Some("alignas" | "__align__") => at = behind_group(&tokens, at + 1) - 1,
                        Some("[" | "=" | ";") => break tokens.get(at - 1),
                        Some("(" | "{" | "<") | None => break None,
                        Some(_) => {}
                    }
                };
                let outside = begun.checked_sub(1).is_some_and(|k| tokens[k].text == "extern");
                if let Some(name) = name.filter(|_| !outside)
                    && found.iter().all(|(other, _)| other != name.text)
                {
                    found.push((name.text.to_owned(), constant));
                }
                // A brace that follows counts.
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a declaration that this token is in begins with `template`.
fn is_template(tokens: &[Token<'_>], at: usize) -> bool {
    let before = tokens[..at].iter().rev();
    before.take_while(|token| !matches!(token.text, ";" | "{" | "}")).any(|t| t.text == "template")
}

/// A word, a number or a sign, and where it begins and ends.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    from: usize,
    to: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tokens without comments and the preprocessor's lines, and the latter.
fn tokens(source: &str) -> (Vec<Token<'_>>, Vec<&str>) {
    let bytes = source.as_bytes();
    let (mut found, mut directives, mut at, mut fresh) = (Vec::new(), Vec::new(), 0, true);
    let end_of_line = |mut at: usize| {
        while at < bytes.len() && (bytes[at] != b'\n' || at > 0 && bytes[at - 1] == b'\\') {
            at += 1;
        }
        at
    };
    while at < bytes.len() {
        let (byte, from) = (bytes[at], at);
        match byte {
            b'\n' => fresh = true,
            b'/' if source[at..].starts_with("//") => {
                at = end_of_line(at);
                continue;
            }
            b'/' if source[at..].starts_with("/*") => {
                at = source[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
                continue;
            }
            b'#' if fresh => {
                at = end_of_line(at);
                directives.push(&source[from..at]);
                continue;
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => {
                fresh = false;
                at += 1;
                if byte == b'"' {
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at = (at + 1).min(bytes.len());
                } else if is_word(byte) {
                    while at < bytes.len() && is_word(bytes[at]) {
                        at += 1;
                    }
                } else {
                    while !source.is_char_boundary(at) {
                        at += 1;
                    }
                }
                found.push(Token { text: &source[from..at], from, to: at });
                continue;
            }
        }
        at += 1;
    }
    (found, directives)
}

/// The words that mean `word`: itself, and macros whose text has it.
fn meaning<'a>(word: &'a str, directives: &[&'a str]) -> HashSet<&'a str> {
    let defined = directives.iter().filter_map(|line| {
        let rest = line.trim_start_matches('#').trim_start().strip_prefix("define")?.trim_start();
        let end = rest.bytes().position(|byte| !is_word(byte))?;
        rest[end..].contains(word).then_some(&rest[..end])
    });
    defined.chain([word]).collect()
}

/// Behind the group of parentheses that begins here, if one does.
fn behind_group(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (k, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if token.text == ")" { k + 1 } else { at };
        }
    }
    tokens.len()
}

pub(super) fn kernels(source: &str) -> Vec<Declared> {
    let (tokens, directives) = tokens(source);
    let globals = meaning("__global__", &directives);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let mut found: Vec<Declared> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !globals.contains(tokens[at].text) {
            at += 1;
            continue;
        }
        // Instances have names of their own.
        if is_template(&tokens, at) {
            at += 1;
            continue;
        }
        let mut threads = 1024;
        while let Some(token) = tokens.get(at) {
            let bounds = globals.contains(token.text) || token.text == "__launch_bounds__";
            if bounds && is(at + 1, "(") {
                threads = tokens.get(at + 2).and_then(|n| n.text.parse().ok()).unwrap_or(threads);
                at = behind_group(&tokens, at + 1);
            } else if is(at + 1, "(") && token.text.bytes().all(is_word) {
                let name = token.text.to_owned();
                if found.iter().all(|other| other.name != name) {
                    found.push(Declared { name, threads });
                }
                break;
            } else if matches!(token.text, ";" | "{") {
                break;
            } else {
                at += 1;
            }
        }
        at += 1;
    }
    found
}

/// `extern __shared__ T name[];` becomes a pointer to where the block's dynamic shared memory is.
fn dynamic_shared(source: &str) -> String {
    let (tokens, directives) = tokens(source);
    let shared = meaning("__shared__", &directives);
    let (mut out, mut copied) = (String::new(), 0);
    for at in 0..tokens.len() {
        let next = tokens.get(at + 1);
        if tokens[at].text != "extern" || !next.is_some_and(|next| shared.contains(next.text)) {
            continue;
        }
        let Some(end) = (at..tokens.len()).find(|&k| tokens[k].text == ";") else { break };
        let aligned = tokens.get(at + 2).is_some_and(|t| matches!(t.text, "alignas" | "__align__"));
        let first = if aligned { behind_group(&tokens, at + 3) } else { at + 2 };
        // T name [ ] ;
        let [before, name] = [end.wrapping_sub(4), end.wrapping_sub(3)];
        if before < first || before >= tokens.len() {
            continue;
        }
        let element = &source[tokens[first].from..tokens[before].to];
        let name = tokens[name].text;
        out.push_str(&source[copied..tokens[at].from]);
        let _ = write!(out, "{element}* const {name} = ({element}*)softgpu_place.dynamic;");
        copied = tokens[end].to;
    }
    out.push_str(&source[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_after_attributes_and_macros() {
        let text = "
            #define KERNEL(threads) extern \"C\" __global__ void \\
                __launch_bounds__(threads)
            // __global__ void commented(int);
            KERNEL(256) map(const Args a) { f(a); }
            extern \"C\" __global__ void __launch_bounds__(128, 2) two(int* x) {}
            extern \"C\" __global__ void plain() {}
            static __device__ void none(int);
        ";
        let found: Vec<_> = kernels(text).into_iter().map(|k| (k.name, k.threads)).collect();
        let expected = [("map", 256), ("two", 128), ("plain", 1024)];
        assert_eq!(found, expected.map(|(name, threads)| (name.to_owned(), threads)));
    }

    #[test]
    fn variables_are_found_and_templates_are_no_kernels() {
        let text = "
            __constant__ float coef[4];
            __device__ __constant__ alignas(16) double one = 1.0;
            static __device__ int counter;
            static const __device__ int table[] = {1, 2};
            extern __device__ int elsewhere;
            __device__ __forceinline__ int f(int x) { static __device__ int inside; return x; }
            struct S { int x; };
            __device__ S record{};
            template <typename T> __global__ void fx3(T* x) {}
            extern \"C\" __global__ void plain(int* x) {}
        ";
        let found = globals(text);
        let found: Vec<_> = found.iter().map(|(name, constant)| (&**name, *constant)).collect();
        let expected = [("coef", false), ("one", false), ("counter", false), ("table", true)];
        assert_eq!(found, expected);
        let names: Vec<_> = kernels(text).into_iter().map(|kernel| kernel.name).collect();
        assert_eq!(names, ["plain"]);
        let text = prepare(text, &["fx3<float>".to_owned()]);
        assert!(text.contains("{\"fx3<float>\", softgpu_Call<&fx3<float>>::call"), "{text}");
    }

    #[test]
    fn dynamic_shared_memory_is_a_pointer() {
        let text = "void k() { extern __shared__ unsigned long long x[]; x[0] = 1; }";
        let expected = "void k() { unsigned long long* const x = \
                        (unsigned long long*)softgpu_place.dynamic; x[0] = 1; }";
        assert_eq!(dynamic_shared(text), expected);
        let aligned = "{ extern __shared__ alignas(16) float x[]; }";
        assert_eq!(dynamic_shared(aligned), "{ float* const x = (float*)softgpu_place.dynamic; }");
        let fixed = "{ __shared__ float x[32]; }";
        assert_eq!(dynamic_shared(fixed), fixed);
    }
}
