//! Kernels of a user's own text: the text around a body. See `device/raw.h` for the words that a body has.
//!
//! Arguments are one structure. Each begins at a multiple of eight bytes: a number or a structure as it is; of an array
//! its address, its size, then as many extents as the body indexes by, and as many steps where it may lie in any way.
//! A cooperative kernel has the address of two words for its barrier after them, a checked one that of four words of
//! its error.

use std::fmt::Write;

use ndany_core::DType;
use ndany_core::backend::{RawBody, RawKind, RawParameter};

use crate::Dialect;

/// The C++ type of an element.
fn element(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        other => crate::text::element_of(other),
    }
}

/// The whole text of a kernel with a body.
pub fn text(name: &str, body: &RawBody, dialect: &Dialect) -> String {
    let mut text = String::from(dialect.preamble);
    if body.checked {
        text.push_str("#define NDANY_CHECKED\n");
    }
    text.push_str(include_str!("device/raw.h"));
    for (name, dtype) in &body.types {
        let _ = writeln!(text, "using {name} = {};", element(*dtype));
    }
    for (name, value) in &body.defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
    if !body.preamble.is_empty() {
        let _ = writeln!(text, "#line 1 \"{name}.preamble\"\n{}\n#line 1 \"ndany\"", body.preamble);
    }
    text.push_str("struct Args {\n");
    for RawParameter { name, kind } in &body.parameters {
        let _ = match kind {
            RawKind::Scalar(dtype) => writeln!(text, "    alignas(8) {} {name};", element(*dtype)),
            RawKind::Structure { name: ty, .. } => writeln!(text, "    alignas(8) {ty} {name};"),
            RawKind::Array { rank, strided, .. } => {
                let words = 2 + rank * if *strided { 2 } else { 1 };
                writeln!(text, "    u64 {name}[{words}];")
            }
        };
    }
    if body.cooperative {
        text.push_str("    u64 ndany_barrier;\n");
    }
    if body.checked {
        text.push_str("    u64 ndany_error;\n");
    }
    // A structure without members has a size too, and no word.
    if body.parameters.is_empty() && !body.cooperative && !body.checked {
        text.push_str("    u64 ndany_nothing;\n");
    }
    text.push_str("};\n");
    for RawParameter { kind, .. } in &body.parameters {
        if let RawKind::Structure { name: ty, bytes } = kind {
            let _ = writeln!(
                text,
                "static_assert(sizeof({ty}) == {bytes} && alignof({ty}) <= 8, \"{ty} has {bytes} bytes on the host\");"
            );
        }
    }
    let _ = writeln!(text, "extern \"C\" __global__ void {name}(const Args ndany_args) {{");
    for (number, RawParameter { name, kind }) in body.parameters.iter().enumerate() {
        let _ = match kind {
            RawKind::Scalar(_) | RawKind::Structure { .. } => {
                writeln!(text, "    const auto {name} = ndany_args.{name};")
            }
            RawKind::Array { dtype, rank, strided, writes } => {
                let constant = if *writes { "" } else { "const " };
                let error = match body.checked {
                    true => format!(", (u64*)ndany_args.ndany_error, {}", number + 1),
                    false => String::new(),
                };
                writeln!(
                    text,
                    "    const Array<{constant}{}, {rank}, {strided}> {name}(ndany_args.{name}{error});",
                    element(*dtype)
                )
            }
        };
    }
    if body.cooperative {
        text.push_str(
            "#define grid_barrier() ndany_grid_barrier((u32*)ndany_args.ndany_barrier)\n",
        );
    }
    let _ = write!(text, "#line 1 \"{name}\"\n{}\n}}\n", body.body);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CUDA;

    #[test]
    fn reserved_words_are_in_order() {
        let words = ndany_core::backend::RAW_WORDS;
        assert!(words.is_sorted());
        // Those of C++ and the accessors' own stand in no header.
        let words_of_text = "Args if for return const char short void";
        let texts = [CUDA.preamble, include_str!("device/raw.h"), words_of_text];
        let texts = texts.concat();
        let missing: Vec<_> = words.iter().filter(|word| !texts.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_body_keeps_its_lines() {
        let array = |writes| RawKind::Array { dtype: DType::F32, rank: 2, strided: true, writes };
        let body = RawBody {
            parameters: vec![
                RawParameter { name: "a", kind: RawKind::Scalar(DType::F64) },
                RawParameter { name: "x", kind: array(false) },
                RawParameter { name: "y", kind: array(true) },
            ],
            types: vec![("T", DType::BF16)],
            defines: vec![("TILE", "16".to_string())],
            body: "y(0, 0) = x(0, 0);".to_string(),
            cooperative: true,
            ..RawBody::default()
        };
        let text = text("two", &body, &CUDA);
        let end = text.split_once("using T = bf16;\n").expect("the types").1;
        assert_eq!(
            end,
            "#define TILE 16\nstruct Args {\n    alignas(8) f64 a;\n    u64 x[6];\n    u64 y[6];\n    u64 ndany_barrier;\n};\n\
             extern \"C\" __global__ void two(const Args ndany_args) {\n    const auto a = ndany_args.a;\n    \
             const Array<const f32, 2, true> x(ndany_args.x);\n    const Array<f32, 2, true> y(ndany_args.y);\n\
             #define grid_barrier() ndany_grid_barrier((u32*)ndany_args.ndany_barrier)\n#line 1 \"two\"\ny(0, 0) = x(0, 0);\n}\n"
        );
    }
}
