//! Computes special functions of single numbers on the host: each line of the input is a name and the bits of its operands, in
//! hexadecimal; each line of the output has the bits of the results.
//!
//! `printf 'agm 3ff0000000000000 4000000000000000' | cargo run -p ndany-special --example evaluate`

use std::io::{BufRead, Write};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        let mut words = line.split_whitespace();
        let name = words.next().expect("a name");
        let tables = ndany_special::TABLES.iter().chain(ndany_special::FORMS);
        let function = tables.copied().flatten().find(|own| own.name == name);
        let function = function.unwrap_or_else(|| panic!("no function is called {name}"));
        let bits = |word| f64::from_bits(u64::from_str_radix(word, 16).expect("hexadecimal bits"));
        let arguments: Vec<f64> = words.map(bits).collect();
        let mut results = vec![0.0; function.formula.results];
        (function.host)(&arguments, &mut results);
        let results: Vec<String> =
            results.iter().map(|result| format!("{:016x}", result.to_bits())).collect();
        writeln!(out, "{}", results.join(" ")).expect("standard output");
    }
}
