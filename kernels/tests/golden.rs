//! The text of chosen kernels is what `tests/golden/` holds, in each dialect: a change of a printer shows as a
//! change of these files, and one that should change nothing changes none.
//!
//! `NDANY_GOLDEN=write` writes them anew; `NDANY_GOLDEN=FOLDER` puts the whole texts, as compilers get them, into a
//! folder. In the files the parts that stand in `src/device/` are named, not repeated. What the texts compute is
//! tested elsewhere.

#[path = "golden/programs.rs"]
mod programs;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use ndany_array::Device;
use ndany_gpu::recording::Recording;
use ndany_kernels::{CUDA, Dialect, HIP_32, HIP_64};
use programs::{PROGRAMS, Program};

ndany_core::providers![];

/// Each dialect, the folder of its files, and an architecture that speaks it.
const DIALECTS: [(&Dialect, &str, &str); 2] =
    [(&CUDA, "cuda", "sm_90"), (&HIP_64, "hip", "gfx90a")];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The kernels that a program asks for: name and text.
fn kernels(
    program: &Program,
    dialect: &'static Dialect,
    architecture: &str,
) -> Vec<(String, String)> {
    let (backend, recording) = Recording::device(architecture, dialect).expect("a device");
    let _guard = Device::custom(backend).enter();
    let mut before = BTreeSet::new();
    let done = program.run(|| before = recording.kernels());
    done.unwrap_or_else(|error| panic!("{}: {error}", program.name));
    recording.kernels().difference(&before).cloned().collect()
}

/// A text with the parts that are files of their own named.
fn short(text: &str, parts: &[(String, String)]) -> String {
    let mut short = text.to_string();
    for (name, part) in parts {
        short = short.replace(part, &format!("#include \"{name}\"\n"));
    }
    short
}

/// The files of `src/device/`: name and text.
fn parts() -> Vec<(String, String)> {
    let device = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device");
    let files = fs::read_dir(device).expect("device text").map(|entry| entry.expect("a file"));
    let named = files.map(|file| {
        let name = file.file_name().into_string().expect("a name");
        (name, fs::read_to_string(file.path()).expect("text"))
    });
    named.collect()
}

/// Lines that are gone with `-`, new ones with `+`, by the longest common subsequence; of those that stay only the
/// nearest.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    let changed = |k: usize| lines.get(k).is_some_and(|&(mark, _)| mark != ' ');
    let mut text = String::new();
    for (k, (mark, line)) in lines.iter().enumerate() {
        if (k.saturating_sub(2)..=k + 2).any(changed) {
            let _ = writeln!(text, "{mark} {line}");
        }
    }
    text
}

#[test]
fn texts_are_the_golden_ones() {
    let wish = std::env::var("NDANY_GOLDEN").unwrap_or_default();
    let parts = parts();
    let mut wrong = Vec::new();
    for (dialect, name, architecture) in DIALECTS {
        let home = folder().join(name);
        fs::create_dir_all(&home).expect("a folder");
        let mut stale: BTreeSet<_> = fs::read_dir(&home)
            .expect("a folder")
            .map(|entry| entry.expect("a file").path())
            .collect();
        for program in PROGRAMS {
            let mut text = String::new();
            for (number, (entry, whole)) in
                kernels(program, dialect, architecture).into_iter().enumerate()
            {
                let _ = write!(text, "// Kernel {entry}\n{}", short(&whole, &parts));
                if !matches!(wish.as_str(), "" | "write") {
                    fs::create_dir_all(&wish).expect("a folder");
                    let file = format!("{name}-{}-{number}.txt", program.name);
                    fs::write(Path::new(&wish).join(file), whole).expect("written");
                }
            }
            assert!(!text.is_empty(), "{} asks for no kernel", program.name);
            let path = home.join(format!("{}.txt", program.name));
            stale.remove(&path);
            let golden = fs::read_to_string(&path).unwrap_or_default();
            if wish == "write" {
                fs::write(&path, &text).expect("written");
            } else if golden != text {
                wrong.push(format!("{name}/{}\n{}", program.name, difference(&golden, &text)));
            }
        }
        for path in stale {
            if wish == "write" {
                fs::remove_file(path).expect("removed");
            } else {
                wrong.push(format!("{} belongs to no program", path.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} texts differ from the golden ones; NDANY_GOLDEN=write takes them over\n\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// After a vendor's preamble no text depends on the vendor.
#[test]
fn dialects_of_as_many_lanes_differ_in_their_words_alone() {
    for program in PROGRAMS {
        let rest = |dialect: &'static Dialect, architecture| {
            let kernels = kernels(program, dialect, architecture).into_iter();
            let rests = kernels.map(|(entry, text)| {
                let rest = text.strip_prefix(dialect.preamble).expect("words stand in front");
                (entry, rest.to_string())
            });
            rests.collect::<BTreeSet<_>>()
        };
        assert_eq!(rest(&CUDA, "sm_90"), rest(&HIP_32, "gfx1030"), "{}", program.name);
    }
}

#[test]
fn differences_show_what_changed_and_little_else() {
    let old = "a\nb\nc\nd\ne\nf\ng\n";
    assert_eq!(difference(old, old), "");
    assert_eq!(difference(old, "a\nb\nc\nx\ne\nf\ng\n"), "  b\n  c\n- d\n+ x\n  e\n  f\n");
    assert_eq!(difference("", "a\n"), "+ a\n");
}
