//! The runner as a program: exit codes, lost workers, hostile folders, known failures, two devices.
//!
//! Needs of the engine only that `np.positive` and `np.add` of float64 work, that `np.negative`
//! refuses bool, and that an unknown name is unsupported.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value as Json, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A folder of cases that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("data")).expect("the temporary folder is writable");
        let folder = Folder(path);
        folder.npy("ones", "<f8", &[1.0f64, f64::NAN].map(f64::to_le_bytes).concat());
        folder.npy("twos", "<f8", &[2.0f64, f64::NAN].map(f64::to_le_bytes).concat());
        folder.npy("truth", "|b1", &[1, 0]);
        folder.known(&json!([]));
        folder
    }

    fn npy(&self, name: &str, descr: &str, data: &[u8]) {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        std::fs::write(self.0.join(format!("data/{name}.npy")), file).expect("writable");
    }

    fn known(&self, list: &Json) {
        std::fs::write(self.0.join("data/known.json"), list.to_string()).expect("writable");
    }

    fn manifest(&self, cases: &[Json]) -> &Self {
        self.text(&json!({"format": "golden-1", "cases": cases}).to_string())
    }

    fn text(&self, text: &str) -> &Self {
        std::fs::write(self.0.join("manifest.json"), text).expect("writable");
        self
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join("data").join(name)).expect("there")
    }

    /// Writes an archive of these entries.
    fn archive(&self, name: &str, method: CompressionMethod, entries: &[(&str, Vec<u8>)]) {
        let file = std::fs::File::create(self.0.join(name)).expect("writable");
        let mut archive = ZipWriter::new(file);
        for (name, bytes) in entries {
            let options = SimpleFileOptions::default().compression_method(method);
            match name.strip_suffix('/') {
                Some(folder) => archive.add_directory(folder, options).expect("writable"),
                None => archive.start_file(*name, options).expect("writable"),
            }
            archive.write_all(bytes).expect("writable");
        }
        archive.finish().expect("writable");
    }

    /// Moves the arrays from `data` to `data.zip`.
    fn pack(&self, method: CompressionMethod) {
        let names = ["ones.npy", "twos.npy", "truth.npy"];
        let entries = names.map(|name| (format!("data/{name}"), self.read(name)));
        let entries = entries.each_ref().map(|(name, bytes)| (name.as_str(), bytes.clone()));
        self.archive("data.zip", method, &entries);
        for name in names {
            std::fs::remove_file(self.0.join("data").join(name)).expect("there");
        }
    }

    /// Changes bytes of `data.zip`, wherever they stand.
    fn patch(&self, from: &[u8], to: &[u8]) {
        let path = self.0.join("data.zip");
        let mut bytes = std::fs::read(&path).expect("there");
        let places: Vec<usize> =
            (0..=bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
        assert!(!places.is_empty(), "{from:?} is not there");
        places.iter().for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to));
        std::fs::write(path, bytes).expect("writable");
    }

    /// Nothing is run, and the error has these words.
    fn refuses(&self, words: &[&str]) {
        let output = self.run(&[]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text:?} lacks one of {words:?}");
        assert!(!text.contains("panicked"), "{text}");
    }

    /// Nothing is run with these options, and the error has these words.
    fn refuses_options(&self, options: &[&str], words: &str) {
        let output = self.run(options);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(words), "{text}");
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ndany-conformance"))
            .args(["--device", "reference", "--jobs", "1", "--cases"])
            .arg(&self.0)
            .arg("--known")
            .arg(self.0.join("data/known.json"))
            .arg("--json")
            .arg(self.0.join("out.json"))
            .args(arguments)
            // A backtrace of a program without optimizations takes longer than a case may.
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("the runner starts")
    }

    /// Exit code, and `status message` of each case.
    fn judged(&self, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
        let output = self.run(arguments);
        let text = std::fs::read_to_string(self.0.join("out.json"))
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let report: Json = serde_json::from_str(&text).expect("the report is JSON");
        let word = |case: &Json, key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let cases = report["cases"].as_array().expect("a list").iter();
        let lines = cases.map(|case| format!("{} {}", word(case, "status"), word(case, "message")));
        (output.status.code(), lines.map(|line| line.trim().to_owned()).collect())
    }
}

fn case(id: &str, op: &str, files: &[&str], expected: &Json) -> Json {
    let args: Vec<Json> =
        files.iter().map(|file| json!({"npy": format!("data/{file}.npy")})).collect();
    json!({"id": id, "family": "f", "op": op, "args": args, "kwargs": {}, "expected": expected,
        "tolerance": {"kind": "exact", "signed_zero": true}})
}

fn positive(id: &str) -> Json {
    case(id, "np.positive", &["ones"], &json!({"npy": "data/ones.npy"}))
}

#[test]
fn three_figures() {
    let folder = Folder::new("figures");
    folder.manifest(&[
        positive("right"),
        case("sum", "np.add", &["ones", "ones"], &json!({"npy": "data/twos.npy"})),
        case("wrong", "np.positive", &["ones"], &json!({"npy": "data/twos.npy"})),
        case("no such thing", "np.no_such_thing", &["ones"], &json!({"npy": "data/ones.npy"})),
        case("error", "np.negative", &["truth"], &json!({"error": ["TypeError"]})),
        case("wrong class", "np.negative", &["truth"], &json!({"error": ["ValueError"]})),
        case("no error", "np.positive", &["ones"], &json!({"error": ["ValueError"]})),
    ]);
    let (code, lines) = folder.judged(&["--report", &folder.0.join("r.html").to_string_lossy()]);
    assert_eq!(code, Some(1));
    let statuses: Vec<&str> =
        lines.iter().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    let expected = ["passed", "passed", "failed", "unsupported", "passed", "failed", "failed"];
    assert_eq!(statuses, expected, "{lines:?}");
    assert!(lines[2].contains("expected 2.0, got 1.0"), "{}", lines[2]);
    let page = std::fs::read_to_string(folder.0.join("r.html")).expect("the page is written");
    assert!(
        page.contains("wrong class") && !page.contains("http://") && !page.contains("https://")
    );
    let (code, lines) = folder.judged(&["--filter", "right"]);
    assert_eq!((code, lines), (Some(0), vec!["passed".to_owned()]));
    assert_eq!(folder.run(&["--filter", "nothing like it"]).status.code(), Some(2));
}

#[test]
fn a_lost_worker_costs_one_case() {
    let folder = Folder::new("lost");
    folder.manifest(&["a", "b", "c", "d", "e", "f", "g"].map(positive));
    let (code, lines) = folder.judged(&[
        "--seconds",
        "5",
        "--mebibytes",
        "200",
        "--fault",
        "crash=b",
        "--fault",
        "panic=c",
        "--fault",
        "hang=d",
        "--fault",
        "grow=e",
        "--fault",
        "flaky=f",
    ]);
    assert_eq!(code, Some(1));
    for (line, part) in lines.iter().zip([
        "passed",
        "it said: asked to crash",
        "failed panicked: asked to panic",
        "failed no answer in 5 s",
        "failed outgrew its memory",
        "failed not repeatable",
        "passed",
    ]) {
        assert!(line.contains(part), "{line:?} lacks {part:?}");
    }
}

#[test]
fn known_failures_are_forgiven_until_they_pass() {
    let folder = Folder::new("known");
    folder.manifest(&[
        positive("right"),
        case("wrong/1", "np.positive", &["ones"], &json!({"npy": "data/twos.npy"})),
    ]);
    assert_eq!(folder.judged(&[]).0, Some(1));
    folder.known(&json!([{"case": "wrong/*", "reason": "a test", "issue": "#1"}]));
    assert_eq!(folder.judged(&[]).0, Some(0));
    folder.known(&json!([{"case": "*", "reason": "a test", "issue": "#1"}]));
    let (code, lines) = folder.judged(&[]);
    assert_eq!(code, Some(1));
    assert!(lines[0].starts_with("failed passes, although"), "{}", lines[0]);
    folder.known(&json!([{"case": "*", "reason": "", "issue": "#1"}]));
    assert_eq!(folder.run(&[]).status.code(), Some(2));
}

#[test]
fn two_devices_are_compared() {
    let folder = Folder::new("against");
    folder.manifest(&[
        positive("right"),
        case("error", "np.negative", &["truth"], &json!({"error": ["TypeError"]})),
        case("library", "np.matmul", &["ones"], &json!({"error": ["TypeError"]})),
        case("none", "np.no_such_thing", &["ones"], &json!({"npy": "data/ones.npy"})),
    ]);
    let output = folder.run(&["--against", "cpu", "--filter", "r"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("2 cases compared bit for bit, 0 differ"), "{text}");
    assert!(text.contains("1 vendor calls left out"), "{text}");
    assert_eq!(output.status.code(), Some(0));
    let nothing = folder.run(&["--against", "cpu", "--filter", "none"]);
    assert_eq!(nothing.status.code(), Some(1), "a comparison of nothing must not pass");
}

/// The shell stands for an emulator, and a script for the program.
#[cfg(unix)]
#[test]
fn cases_run_in_another_program() {
    let folder = Folder::new("emulator");
    folder.manifest(&[positive("right")]);
    let [script, log] = ["script", "log"].map(|name| folder.0.join(name));
    let this = env!("CARGO_BIN_EXE_ndany-conformance");
    let text = format!("echo \"$@\" >> '{}'\nexec '{this}' \"$@\"\n", log.display());
    std::fs::write(&script, text).expect("writable");
    let script = script.to_string_lossy();
    let emulated = ["--emulator", "/bin/sh", "--program", &*script, "--against", "cpu"];
    assert_eq!(folder.judged(&emulated), (Some(0), vec!["passed".to_owned()]));
    // The device to compare with runs in this program.
    let seen = std::fs::read_to_string(log).expect("the script has run");
    assert!(seen.lines().all(|line| line.starts_with("--worker --device reference ")), "{seen}");
    folder.refuses_options(&["--program", "/nonexistent"], "does not start");
    folder.refuses_options(&["--emulator", "/bin/sh"], "--emulator needs a --program");
}

#[test]
fn devices_stand_side_by_side() {
    let folder = Folder::new("beside");
    folder.manifest(&[
        positive("right"),
        case("wrong", "np.positive", &["ones"], &json!({"npy": "data/twos.npy"})),
    ]);
    let page = folder.0.join("r.html");
    let output = folder.run(&["--device", "cpu:level=v1", "--report", &page.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let compared = "cpu:level=v1 against reference: 2 cases compared bit for bit, 0 differ";
    assert!(text.contains(compared), "{text}");
    let page = std::fs::read_to_string(page).expect("the page is written");
    assert!(page.contains("<tr><th>case<th>reference<th>cpu:level=v1</tr>"), "{page}");
    let text = std::fs::read_to_string(folder.0.join("out.json")).expect("the file is written");
    let report: Json = serde_json::from_str(&text).expect("the report is JSON");
    let beside = &report["beside"][0];
    assert_eq!(
        (&report["device"], &beside["device"]),
        (&json!("reference"), &json!("cpu:level=v1"))
    );
    assert_eq!(beside["cases"].as_array().map(Vec::len), Some(2));
    assert_eq!(beside["comparison"]["compared"], json!(2));
    assert_eq!(report["compared_with"], json!("reference"));
    // Whose devices are missing, and why, stands there too.
    let machine = report["machine"].as_array().expect("what the machine has");
    assert!(machine.iter().any(|found| found["family"] == "cpu"), "{machine:?}");
    let hip = machine.iter().find(|found| found["family"] == "hip").expect("AMD's");
    let libraries = hip["libraries"].as_array().expect("AMD's libraries");
    for name in ["HIP", "hipRTC", "rocBLAS"] {
        let library = libraries.iter().find(|library| library["name"] == name).expect(name);
        assert!(library["version"].is_string() != library["missing"].is_string(), "{hip}");
    }

    // All that there are, each once, against the one that was asked for.
    let output = folder.run(&["--device", "all", "--filter", "right"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("cpu against reference: 1 cases"), "{text}");
    assert!(!text.contains("reference against"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn every_nth_case_and_some_families_in_full() {
    let folder = Folder::new("every");
    folder.manifest(&["a0", "a1", "a2", "b3", "b4", "b5", "b6"].map(positive));
    let count = |arguments: &[&str]| folder.judged(arguments).1.len();
    assert_eq!(count(&["--every", "3"]), 3);
    assert_eq!(count(&["--every", "3", "--whole", "a"]), 5);
    assert_eq!(count(&["--every", "3", "--filter", "b"]), 2);
    assert_eq!(folder.run(&["--every", "0"]).status.code(), Some(2));
}

#[test]
fn hostile_folders_are_errors_that_name_the_case() {
    let folder = Folder::new("hostile");
    let refuses = Folder::refuses;
    refuses(&folder, &["manifest.json"]);
    refuses(folder.text("{\"format\": "), &["not JSON"]);
    refuses(folder.text("[]"), &["no \"format\""]);
    refuses(folder.text("{\"format\": \"golden-9\"}"), &["golden-9"]);
    refuses(folder.text("{\"format\": \"golden-1\", \"cases\": 3}"), &["cases"]);
    refuses(
        folder.text("{\"format\": \"golden-1\", \"n_cases\": 2, \"cases\": []}"),
        &["n_cases says 2"],
    );
    let path = |file: &str| json!({"npy": file});
    refuses(
        folder.manifest(&[case("gone", "np.positive", &["gone"], &path("data/ones.npy"))]),
        &["case gone", "data/gone.npy"],
    );
    for file in ["../hostile/data/ones.npy", "/etc/hostname", "data/../../x", "", "data"] {
        refuses(
            folder.manifest(&[case("leaves", "np.positive", &["ones"], &path(file))]),
            &["case leaves"],
        );
    }
    let mut odd = positive("odd");
    odd["tolerance"] = json!({"kind": "about right"});
    refuses(folder.manifest(&[odd]), &["case odd", "about right"]);
    let mut nameless = positive("x");
    nameless["id"] = json!(7);
    refuses(folder.manifest(&[positive("y"), nameless]), &["case number 1", "no id"]);
    refuses(folder.manifest(&[positive("y"), positive("y")]), &["case y", "twice"]);
    refuses(folder.manifest(&[json!("text")]), &["case number 0", "not an object"]);
    #[cfg(unix)]
    {
        let link = folder.0.join("data/link.npy");
        std::os::unix::fs::symlink("/etc/hostname", link).expect("links work");
        refuses(
            folder.manifest(&[case("linked", "np.positive", &["link"], &path("data/ones.npy"))]),
            &["case linked", "link"],
        );
    }
}

#[test]
fn files_that_are_no_arrays_fail_their_case_only() {
    let folder = Folder::new("broken");
    std::fs::write(folder.0.join("data/broken.npy"), b"\x93NUMPY\x01\x00\xff").expect("writable");
    folder.manifest(&[
        case("broken", "np.positive", &["broken"], &json!({"npy": "data/ones.npy"})),
        case("expected", "np.positive", &["ones"], &json!({"npy": "data/broken.npy"})),
        positive("right"),
    ]);
    let (code, lines) = folder.judged(&[]);
    assert_eq!(code, Some(1));
    assert!(lines[0].starts_with("failed bad case: data/broken.npy"), "{}", lines[0]);
    assert!(lines[1].starts_with("failed bad case: data/broken.npy"), "{}", lines[1]);
    assert_eq!(lines[2], "passed");
}

#[test]
fn arrays_of_an_archive_are_those_of_files() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let folder = Folder::new("packed");
        folder.manifest(&[
            positive("right"),
            case("sum", "np.add", &["ones", "ones"], &json!({"npy": "data/twos.npy"})),
            case("wrong", "np.positive", &["ones"], &json!({"npy": "data/twos.npy"})),
            case("error", "np.negative", &["truth"], &json!({"error": ["TypeError"]})),
        ]);
        let files = folder.judged(&["--jobs", "3"]);
        assert_eq!(files.0, Some(1));
        assert!(files.1[2].contains("expected 2.0, got 1.0"), "{files:?}");
        folder.pack(method);
        assert_eq!(folder.judged(&["--jobs", "3"]), files);
        assert!(!folder.0.join("data/ones.npy").exists(), "unpacked");
    }
}

#[test]
fn every_manifest_has_its_own_archive() {
    let folder = Folder::new("parts");
    let manifest = |id: &str| json!({"format": "golden-1", "cases": [positive(id)]}).to_string();
    for part in ["a", "b", "c", "d"] {
        std::fs::write(folder.0.join(format!("{part}.json")), manifest(part)).expect("writable");
    }
    let (ones, twos) = (folder.read("ones.npy"), folder.read("twos.npy"));
    let stored = CompressionMethod::Stored;
    folder.archive("a.zip", stored, &[("data/ones.npy", ones.clone())]);
    // Packed from inside of the folder, or with an entry for the folder itself.
    folder.archive("b.zip", stored, &[("ones.npy", ones.clone())]);
    folder.archive("c.zip", stored, &[("data/", vec![]), ("data/ones.npy", b"no array".to_vec())]);
    let (code, lines) = folder.judged(&[]);
    assert_eq!(code, Some(1));
    assert_eq!([&lines[0], &lines[1], &lines[3]], ["passed"; 3], "{lines:?}");
    assert!(lines[2].starts_with("failed bad case: data/ones.npy"), "{}", lines[2]);
    // The report lies where manifests do.
    std::fs::remove_file(folder.0.join("out.json")).expect("there");
    // What has no archive of its name is in the common one, which none of the others looks into.
    folder.archive("data.zip", stored, &[("data/twos.npy", twos)]);
    folder.refuses(&["case d", "data/ones.npy", "not in data.zip"]);
    folder.archive("data.zip", stored, &[("data/ones.npy", ones)]);
    assert_eq!(folder.judged(&["--filter", "d"]), (Some(0), vec!["passed".to_owned()]));
}

#[test]
fn hostile_archives_are_errors_that_name_the_file() {
    let whole = || {
        let folder = Folder::new("hostile archive");
        folder.manifest(&[positive("right")]).pack(CompressionMethod::Stored);
        folder
    };
    let folder = whole();
    assert_eq!(folder.judged(&[]).0, Some(0));
    let path = folder.0.join("data.zip");
    let bytes = std::fs::read(&path).expect("there");
    for length in [0, 1, 30, bytes.len() / 2, bytes.len() - 100, bytes.len() - 22, bytes.len() - 1]
    {
        std::fs::write(&path, &bytes[..length]).expect("writable");
        folder.refuses(&["data.zip", "not a whole zip archive"]);
    }
    std::fs::write(&path, b"PK, but no archive").expect("writable");
    folder.refuses(&["data.zip", "not a whole zip archive"]);

    whole().patch(b"data/twos.npy", b"data/ones.npy");
    folder.refuses(&["data.zip", "two entries have the same name"]);
    for name in [b"../data/x.npy", b"/ata/ones.npy", b"data/../s.npy", b"data\\ones.npy"] {
        whole().patch(b"data/twos.npy", name);
        folder.refuses(&["data.zip", "leaves the folder of the cases"]);
    }

    whole();
    let gone = json!({"npy": "data/gone.npy"});
    folder.manifest(&[case("gone", "np.positive", &["ones"], &gone)]);
    folder.refuses(&["case gone", "data/gone.npy", "not in data.zip"]);
    for file in ["../data.zip", "/etc/hostname", "data/../data/ones.npy", "", "data", "data/"] {
        folder.manifest(&[case("leaves", "np.positive", &["ones"], &json!({"npy": file}))]);
        folder.refuses(&["case leaves", file]);
    }
    // Neither an archive nor files.
    std::fs::remove_file(&path).expect("there");
    folder.manifest(&[positive("nowhere")]).refuses(&["case nowhere", "data/ones.npy"]);
}

#[test]
fn entries_that_are_broken_fail_their_case_only() {
    let folder = Folder::new("broken archive");
    let cases = [
        positive("broken"),
        case("right", "np.positive", &["twos"], &json!({"npy": "data/twos.npy"})),
    ];
    folder.manifest(&cases).pack(CompressionMethod::Stored);
    let whole = std::fs::read(folder.0.join("data.zip")).expect("there");
    let fails = |words: &str| {
        let (code, lines) = folder.judged(&[]);
        assert_eq!(code, Some(1));
        assert!(lines[0].starts_with("failed bad case: data/ones.npy in data.zip"), "{lines:?}");
        assert!(lines[0].contains(words), "{lines:?}");
        assert_eq!(lines[1], "passed");
    };
    // Other values than the checksum is of.
    folder.patch(&1.0f64.to_le_bytes(), &3.0f64.to_le_bytes());
    fails("checksum");
    // Lengths, methods and places that are not the entry's own: the first record of the directory.
    let record = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").expect("a directory");
    for (field, value) in [(20, 1), (24, 1), (24, 1 << 31), (10, 99), (10, 8), (42, 7)] {
        let mut bytes = whole.clone();
        let size = if field == 10 { 2 } else { 4 };
        bytes[record + field..][..size].copy_from_slice(&u32::to_le_bytes(value)[..size]);
        std::fs::write(folder.0.join("data.zip"), bytes).expect("writable");
        fails("");
    }
}

#[test]
fn a_device_that_does_not_open_is_said_at_once() {
    let folder = Folder::new("device");
    folder.manifest(&[positive("right")]);
    let output = folder.run(&["--device", "abacus:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("abacus:0"));
}
