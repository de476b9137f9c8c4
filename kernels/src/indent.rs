//! Indentation of generated text.

/// Spaces of a level.
const LEVEL: usize = 4;

/// The text with its lines indented by the braces that are open around them. Lines that begin with a space (text of a
/// header), preprocessor directives and empty lines stay as they are.
pub(crate) fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut depth = 0usize;
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let closing = code.trim_start().bytes().take_while(|&byte| byte == b'}').count();
        if !line.is_empty() && !line.starts_with([' ', '#']) {
            let spaces = LEVEL * depth.saturating_sub(closing);
            out.extend(std::iter::repeat_n(' ', spaces));
        }
        out.push_str(line);
        out.push('\n');
        for byte in code.bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_by_open_braces() {
        let text = "struct S {\nint x; // }\nvoid f() {\n#pragma unroll\nif (x) {\ny();\n} else {\n\nz();\n}\n}\n};\n";
        let expected = "struct S {\n    int x; // }\n    void f() {\n#pragma unroll\n        if (x) {\n            y();\n        \
                        } else {\n\n            z();\n        }\n    }\n};\n";
        assert_eq!(indented(text), expected);
    }

    #[test]
    fn text_that_is_indented_stays() {
        let text = "void f() {\n    if (x) {\n        y();\n    }\n}\n";
        assert_eq!(indented(text), text);
    }
}
