//! Texts in files, and their machine code in a folder, with a compiler that knows everything.

use super::*;
use crate::cache::tests::Folder;
use crate::fake::FakeCompiler;
use ndany_kernels::{CUDA, HIP_32, HIP_64};

fn raw() -> Text {
    let options = Options {
        contract: true,
        options: vec!["-DA=1".to_string(), String::new()],
        expressions: vec!["scale<float>".to_string()],
    };
    Text::new(&CUDA, "template <typename T> ...", Some(options))
}

#[test]
fn a_text_is_read_as_it_was_written() {
    let folder = Folder::new();
    let bare = Options::default();
    let texts = [
        Text::new(&CUDA, "text", None),
        Text::new(&HIP_64, "", None),
        Text::new(&HIP_32, "text", Some(bare)),
        raw(),
    ];
    for text in &texts {
        assert_eq!(Text::of_bytes(&text.bytes()).as_ref(), Some(text));
        text.write(&folder.0).unwrap();
        text.write(&folder.0).unwrap();
    }
    let files = folder.files();
    assert_eq!(files.len(), texts.len(), "each once");
    let read: Vec<Text> = files.iter().filter_map(|path| Text::read(path)).collect();
    assert!(texts.iter().all(|text| read.contains(text)));
}

#[test]
fn a_damaged_text_is_none() {
    let folder = Folder::new();
    raw().write(&folder.0).unwrap();
    let [path] = &folder.files()[..] else { panic!("one file") };
    let whole = fs::read(path).unwrap();
    for k in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[k] ^= 0x40;
        fs::write(path, &damaged).unwrap();
        assert_eq!(Text::read(path), None, "byte {k} differs");
        fs::write(path, &whole[..k]).unwrap();
        assert_eq!(Text::read(path), None, "ends at byte {k}");
    }
}

#[test]
fn texts_are_compiled_once_for_each_architecture() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    let (texts, into) = (folder.0.join("texts"), folder.0.join("kernels"));
    for name in ["one", "two", "refuse"] {
        Text::new(&CUDA, name, None).write(&texts).unwrap();
    }
    raw().write(&texts).unwrap();
    Text::new(&HIP_32, "other", None).write(&texts).unwrap();
    fs::write(texts.join("note"), b"no text").unwrap();
    let architectures = ["sm_80", "sm_90"].map(str::to_string);
    let run = || compile_texts(&compiler, &CUDA, &texts, &architectures, &into).unwrap();
    let first = run();
    assert_eq!((first.compiled, first.kept, first.passed_over), (6, 0, 1));
    let refused: Vec<&str> = first.refused.iter().map(|text| &text[..5]).collect();
    assert_eq!(refused, ["sm_80", "sm_90"]);
    let second = run();
    assert_eq!((second.compiled, second.kept), (0, 6));
    let cache = Cache::of(&Settings { shipped: Some(into), ..Settings::default() });
    assert_eq!(cache.load("one", "sm_80", Some("another compiler")), Some(b"one".to_vec()));
    assert_eq!(cache.load("one", "sm_75", None), None);
    let packed = cache.load(&raw().key(), "sm_90", None).unwrap();
    assert!(packed.ends_with(b"template <typename T> ..."));
}

#[test]
fn folders_that_cannot_be_are_errors() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    let architectures = ["sm_80".to_string()];
    let missing = folder.0.join("missing");
    assert!(compile_texts(&compiler, &CUDA, &missing, &architectures, &folder.0).is_err());
    let texts = folder.0.join("texts");
    Text::new(&CUDA, "one", None).write(&texts).unwrap();
    let file = folder.0.join("file");
    fs::write(&file, b"a file").unwrap();
    assert!(compile_texts(&compiler, &CUDA, &texts, &architectures, &file).is_err());
}
