//! Kernels on the fake device.

use std::fs;
use std::sync::Barrier;

use super::*;
use crate::cache::tests::Folder;
use crate::fake::{Fake, FakeCompiler, FakeCompilerAfter, Named};
use crate::settings::Settings;

fn cached(folder: &Folder) -> Cache {
    Cache::of(&Settings { cache: Some(folder.0.clone()), ..Settings::default() })
}

fn with_compiler(compiler: &FakeCompiler, cache: Cache) -> Modules {
    Modules::new(Ok(Box::new(compiler.clone())), cache, 1)
}

fn without_compiler(cache: Cache) -> Modules {
    let reason = "libnvrtc was not found: install it or set CUDA_PATH".to_string();
    Modules::new(Err(CompileError::Absent { reason }), cache, 1)
}

fn texts(compiler: &FakeCompiler) -> usize {
    compiler.compiled.lock().unwrap().len()
}

#[test]
fn a_kernel_is_compiled_once_and_found_by_its_value() {
    let (fake, compiler) = (Fake::new(1 << 20), FakeCompiler::default());
    let checked = CheckedDriver::new(Box::new(fake.clone()));
    let modules = with_compiler(&compiler, Cache::default());
    let first = modules.function(&checked, &Named("map")).unwrap();
    assert_eq!(modules.function(&checked, &Named("map")).unwrap(), first);
    assert_ne!(modules.function(&checked, &Named("scan")).unwrap(), first);
    assert_eq!((texts(&compiler), fake.calls("load")), (2, 2));
}

#[test]
fn threads_that_ask_for_one_kernel_compile_it_once() {
    let (checked, compiler) =
        (CheckedDriver::new(Box::new(Fake::new(1 << 20))), FakeCompiler::default());
    let modules = with_compiler(&compiler, Cache::default());
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                modules.function(&checked, &Named("map")).unwrap();
            });
        }
    });
    assert_eq!(texts(&compiler), 1);
}

#[test]
fn a_compilation_does_not_block_other_threads() {
    let [begun, done] = [(); 2].map(|()| Arc::new(Barrier::new(2)));
    // It is not done before another kernel has been found.
    let barriers = [begun.clone(), done.clone()];
    let slow = FakeCompilerAfter(move |source: &str| {
        if source.ends_with("slow") {
            for barrier in &barriers {
                barrier.wait();
            }
        }
    });
    let modules = Modules::new(Ok(Box::new(slow)), Cache::default(), 1);
    let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
    std::thread::scope(|scope| {
        let compiling = scope.spawn(|| modules.function(&checked, &Named("slow")).is_ok());
        begun.wait();
        assert!(modules.function(&checked, &Named("quick")).is_ok());
        done.wait();
        assert!(compiling.join().unwrap());
    });
}

#[test]
fn the_next_process_compiles_nothing() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    for _ in 0..3 {
        let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
        let modules = with_compiler(&compiler, cached(&folder));
        modules.function(&checked, &Named("map")).unwrap();
    }
    assert_eq!(texts(&compiler), 1);
    let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
    let modules = without_compiler(cached(&folder));
    assert!(modules.function(&checked, &Named("map")).is_ok(), "what is cached serves");
    let error = modules.function(&checked, &Named("scan")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[compile] device fake:0 failed: no run-time compiler: \
         libnvrtc was not found: install it or set CUDA_PATH"
    );
}

#[test]
fn shipped_code_is_compiled_only_where_the_driver_refuses_it() {
    let (own, shipped, compiler) = (Folder::new(), Folder::new(), FakeCompiler::default());
    let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
    let [map, scan] = ["map", "scan"].map(|name| Named(name).source(checked.driver().dialect()));
    cached(&shipped).store(&map.text, "fake_1", "another compiler", map.text.as_bytes());
    cached(&shipped).store(&scan.text, "fake_1", "another compiler", &[0xFF]);
    let cache = || {
        let (cache, shipped) = (Some(own.0.clone()), Some(shipped.0.clone()));
        Cache::of(&Settings { cache, shipped, ..Settings::default() })
    };
    let modules = with_compiler(&compiler, cache());
    modules.function(&checked, &Named("map")).unwrap();
    assert_eq!((texts(&compiler), own.files().len()), (0, 0));
    modules.function(&checked, &Named("scan")).unwrap();
    assert_eq!((texts(&compiler), own.files().len()), (1, 1));
    let modules = with_compiler(&compiler, cache());
    modules.function(&checked, &Named("scan")).unwrap();
    assert_eq!(texts(&compiler), 1, "what was made here counts first");
    assert!(without_compiler(cache()).function(&checked, &Named("map")).is_ok());
}

#[test]
fn texts_are_recorded_whether_or_not_they_are_compiled() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    let (kernels, texts) = (folder.0.join("kernels"), folder.0.join("texts"));
    for _ in 0..2 {
        let (cache, texts) = (Some(kernels.clone()), Some(texts.clone()));
        let cache = Cache::of(&Settings { cache, texts, ..Settings::default() });
        let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
        with_compiler(&compiler, cache).function(&checked, &Named("map")).unwrap();
        let recorded: Vec<_> = fs::read_dir(folder.0.join("texts")).unwrap().collect();
        assert_eq!(recorded.len(), 1);
        fs::remove_file(recorded[0].as_ref().unwrap().path()).unwrap();
    }
}

#[test]
fn a_damaged_entry_is_made_anew() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    let ask = || {
        let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
        with_compiler(&compiler, cached(&folder)).function(&checked, &Named("map")).unwrap();
    };
    ask();
    let [path] = &folder.files()[..] else { panic!("one file") };
    fs::write(path, b"ndany").unwrap();
    ask();
    assert_eq!(texts(&compiler), 2);
    ask();
    assert_eq!(texts(&compiler), 2, "it was kept");
}

#[test]
fn a_whole_entry_that_the_driver_refuses_is_made_anew() {
    let (folder, compiler) = (Folder::new(), FakeCompiler::default());
    let checked = CheckedDriver::new(Box::new(Fake::new(1 << 20)));
    let text = Named("map").source(checked.driver().dialect()).text;
    cached(&folder).store(&text, "fake_1", &compiler.version(), &[0xFF]);
    with_compiler(&compiler, cached(&folder)).function(&checked, &Named("map")).unwrap();
    assert_eq!(texts(&compiler), 1);
    assert_eq!(cached(&folder).load(&text, "fake_1", None), Some(text.as_bytes().to_vec()));
}

#[test]
fn what_the_compiler_refuses_is_an_error_with_its_words() {
    let (checked, compiler) =
        (CheckedDriver::new(Box::new(Fake::new(1 << 20))), FakeCompiler::default());
    let modules = with_compiler(&compiler, Cache::default());
    for _ in 0..2 {
        let error = modules.function(&checked, &Named("refuse")).unwrap_err().to_string();
        assert!(error.contains("fake compiler 1.0 refuses a kernel for fake_1"), "{error}");
        assert!(error.contains("line 1: refused"), "{error}");
    }
}

#[test]
fn a_failure_is_tried_again() {
    let fake = Fake::new(1 << 20);
    let (checked, compiler) = (CheckedDriver::new(Box::new(fake.clone())), FakeCompiler::default());
    let modules = with_compiler(&compiler, Cache::default());
    for call in ["load", "function"] {
        fake.fail(Some(call), 0, DriverError::OutOfMemory { call });
        let error = modules.function(&checked, &Named("map")).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }));
    }
    assert!(modules.function(&checked, &Named("map")).is_ok());
    assert_eq!(fake.leaks()[4], 1, "the module without a function was unloaded");
}
