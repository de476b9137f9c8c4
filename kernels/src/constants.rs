//! Numbers of 64 bits in constant memory.
//!
//! A float64 whose low half is not zero is no operand of an instruction: the compiler moves it into registers by two
//! instructions each time. In constant memory one instruction reads it, beside a multiplication that takes two issues. On an
//! H100, a polynomial of degree 120 takes 0.154 ms so and 0.201 ms with literals; 0.12 ms is what its multiplications take.

use std::collections::HashMap;
use std::fmt::Write;

/// Stands where the table of constants goes.
pub(crate) const PLACE: &str = "// constants\n";

/// How a literal begins, which [`crate::text`] prints.
const LITERAL: &str = "f64_of(0x";

/// Maximum number of constants in the table: half of the 64 KiB that a kernel has.
const MOST: usize = 4096;

/// The text with its float64 literals in a table at [`PLACE`].
pub(crate) fn pooled(text: &str) -> String {
    let Some((before, after)) = text.split_once(PLACE) else { return text.to_owned() };
    let (mut numbers, mut table, mut rest) = (HashMap::new(), String::new(), after);
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.find(LITERAL) {
        let (skipped, literal) = rest.split_at(at);
        out.push_str(skipped);
        let digits = &literal[LITERAL.len()..];
        let length = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest = &digits[length..];
        let bits = u64::from_str_radix(&digits[..length], 16).unwrap_or(0);
        let known = numbers.len();
        // The low half is zero: an operand as it is.
        if bits & u64::from(u32::MAX) == 0 || (known >= MOST && !numbers.contains_key(&bits)) {
            let _ = write!(out, "{LITERAL}{bits:x}");
            continue;
        }
        let number = *numbers.entry(bits).or_insert_with(|| {
            let _ = write!(table, "{bits:#x}ull, ");
            known
        });
        let _ = write!(out, "f64_of(constants[{number}]");
        rest = rest.strip_prefix("ull").unwrap_or(rest);
    }
    out.push_str(rest);
    let table = match table.trim_end_matches(", ") {
        "" => String::new(),
        table => format!("CONSTANTS u64 constants[{}] = {{ {table} }};\n", numbers.len()),
    };
    [before, &table, &out].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_one_constant_and_short_ones_stay() {
        let text = format!(
            "head\n{PLACE}x = f64_of(0x3fb999999999999aull /* 0.1 */);\ny = f64_of(0x3ff0000000000000ull /* 1.0 */);\n\
             z = f64_of(0x3fd3333333333333ull /* 0.3 */) * f64_of(0x3fb999999999999aull /* 0.1 */);\n"
        );
        let expected = "head\nCONSTANTS u64 constants[2] = { 0x3fb999999999999aull, 0x3fd3333333333333ull };\n\
             x = f64_of(constants[0] /* 0.1 */);\ny = f64_of(0x3ff0000000000000ull /* 1.0 */);\n\
             z = f64_of(constants[1] /* 0.3 */) * f64_of(constants[0] /* 0.1 */);\n";
        assert_eq!(pooled(&text), expected);
    }

    #[test]
    fn a_text_without_numbers_has_no_table() {
        assert_eq!(pooled(&format!("head\n{PLACE}tail\n")), "head\ntail\n");
        assert_eq!(
            pooled("head f64_of(0x3fb999999999999aull)"),
            "head f64_of(0x3fb999999999999aull)"
        );
    }
}
