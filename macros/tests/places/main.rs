//! Where rustc shows what the attributes refuse: it compiles all cases as one file, which takes less than a second.

mod cases;

use std::process::Command;

use cases::CASES;

/// A case that rustc's own parser refuses, so that it would hide the others.
fn is_refused_by_rustc(messages: &[&str]) -> bool {
    messages.iter().any(|message| message.contains("comparison operators cannot be chained"))
}

/// The library of the attributes that was built last.
fn library() -> std::path::PathBuf {
    let built = std::env::current_exe().expect("this program");
    let entries = std::fs::read_dir(built.parent().expect("a folder")).expect("a folder");
    let libraries = entries.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.trim_start_matches("lib");
        name.starts_with("ndany_macros-") && name.ends_with(std::env::consts::DLL_SUFFIX)
    });
    let newest =
        libraries.max_by_key(|path| std::fs::metadata(path).and_then(|of| of.modified()).ok());
    newest.expect("cargo builds the library for this test")
}

#[test]
fn messages_stand_where_the_code_is() {
    let mut text = String::new();
    // The line in front of each case, and the case.
    let mut starts = Vec::new();
    for (number, (source, expected)) in CASES.iter().enumerate() {
        if !is_refused_by_rustc(expected) {
            text.push_str(&format!("mod case_{number} {{ use ndany_macros::{{device, kernel}};\n"));
            starts.push((text.lines().count(), number));
            text.push_str(source);
            text.push_str("\n}\n");
        }
    }
    let folder = std::env::temp_dir().join(format!("ndany-places-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("cases.rs");
    std::fs::write(&file, text).expect("a file");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--error-format=short"])
        .args(["-Awarnings", "--color=never", "--out-dir"])
        .arg(&folder)
        .arg("--extern")
        .arg(format!("ndany_macros={}", library().display()))
        .arg(&file)
        .output()
        .expect("rustc, which has compiled this program");
    std::fs::remove_dir_all(&folder).expect("the folder");
    let errors = String::from_utf8(output.stderr).expect("text");

    let mut found = vec![Vec::new(); CASES.len()];
    for line in errors.lines() {
        // `path:line:column: error: text`; rustc's own errors have a number, `error[E0433]`.
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let mut numbers = place.rsplit(':').map_while(|number| number.parse::<usize>().ok());
        let (Some(column), Some(line)) = (numbers.next(), numbers.next()) else { continue };
        let before = starts.partition_point(|(start, _)| *start < line);
        let Some(&(start, case)) = before.checked_sub(1).map(|at| &starts[at]) else { continue };
        found[case].push(format!("{}:{column} {message}", line - start));
    }
    let mut wrong = String::new();
    for ((source, expected), mut found) in CASES.iter().zip(found) {
        let mut sorted: Vec<String> = expected.iter().map(|text| (*text).to_string()).collect();
        // rustc sorts nothing, but combines what is equal.
        sorted.sort();
        found.sort();
        if !is_refused_by_rustc(expected) && found != sorted {
            wrong.push_str(&format!("    (r##\"{source}\"##, &[\n"));
            found.iter().for_each(|message| wrong.push_str(&format!("        {message:?},\n")));
            wrong.push_str("    ]),\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}\n{}", if wrong.len() > 9999 { &*errors } else { "" });
}
