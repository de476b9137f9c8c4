//! The table of CuPy's tests: each line has a test of ours that exists, or says why there is none.

use std::path::Path;

const TABLE: &str = include_str!("cupy.txt");

/// What a line may say in place of own tests.
const REASONS: [&str; 2] = ["none: ", "lacking: "];

/// Whether a source file has a function of this name that is a test, or that another line of the file uses.
fn has_test(source: &str, name: &str) -> bool {
    let declared = format!("fn {name}(");
    let word =
        |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name);
    let mut before = "";
    let mut is_test = false;
    let (mut declarations, mut uses) = (0, 0);
    for line in source.lines() {
        if line.contains(&declared) {
            declarations += 1;
            is_test |= before.trim() == "#[test]";
        } else if word(line) {
            uses += 1;
        }
        before = line;
    }
    declarations > 0 && (is_test || uses > 0)
}

#[test]
fn each_line_names_tests_that_exist_or_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project's folder");
    let (mut wrong, mut files, mut items, mut ported) = (Vec::new(), 0, 0, 0);
    let lines = TABLE.lines().enumerate().map(|(k, line)| (k + 1, line.trim_end()));
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        if !line.starts_with(' ') {
            files += 1;
            assert!(line.ends_with(".py"), "line {number}: expected a file, got {line:?}");
            continue;
        }
        let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
        let [item, count, says] = fields[..] else {
            panic!("line {number}: expected three fields, got {line:?}");
        };
        let count: usize = count.parse().unwrap_or_else(|_| panic!("line {number}: {count:?}"));
        assert!(item.contains("test") && count > 0, "line {number}: {line:?}");
        items += count;
        if REASONS.iter().any(|reason| says.strip_prefix(reason).is_some_and(|why| why.len() > 5)) {
            continue;
        }
        ported += count;
        for own in says.split("; ") {
            let found = own.rsplit_once(' ').is_some_and(|(file, name)| {
                std::fs::read_to_string(root.join(file)).is_ok_and(|text| has_test(&text, name))
            });
            if !found {
                wrong.push(format!("line {number}: no test {own:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files >= 40 && items >= 2_000 && ported >= 900, "{files} files, {items}, {ported}");
}

#[test]
fn a_name_that_nothing_tests_is_found() {
    let source = "const CASES: [fn(); 1] = [used];\nfn used() {}\n#[test]\nfn tested() {}\nfn alone() {}\nfn used_up() {}";
    assert!(has_test(source, "used") && has_test(source, "tested"));
    assert!(
        !has_test(source, "alone") && !has_test(source, "used_up") && !has_test(source, "absent")
    );
}
