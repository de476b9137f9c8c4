//! An architecture that is newer than the table of known ones: amd_comgr is asked whether hipRTC knows it, or a child process
//! tries, also where the program ignores SIGCHLD or waits for all children in a thread of its own. On the software GPU.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use ndany_array::{Array, Device};
use support::{Folder, process, task};

const NEW: (&str, &str) = ("NDANY_SOFTGPU_ARCHITECTURE", "gfx942");

/// What the program does about its children.
const PROGRAMS: [&str; 3] = ["waits for its own children", "ignores SIGCHLD", "reaps all children"];

fn folder() -> Folder {
    Folder::of_software_gpu("trial", &["libamdhip64.so.6", "libhiprtc.so.6"])
}

/// An amd_comgr that knows two architectures.
fn comgr(names: [&str; 2]) -> String {
    let [first, second] = names.map(|name| format!("\"amdgcn-amd-amdhsa--{name}\""));
    format!(
        "#include <stddef.h>\n\
         int amd_comgr_get_isa_count(size_t* count) {{ *count = 2; return 0; }}\n\
         int amd_comgr_get_isa_name(size_t index, const char** name) {{\n\
         *name = index == 0 ? {first} : {second}; return index > 1; }}\n"
    )
}

#[test]
fn a_child_tries_whatever_the_program_does_about_children() {
    let folder = folder();
    for program in PROGRAMS {
        let text = process(program, Some(&folder.0), &[NEW]);
        assert!(text.contains("[2.0, 3.0], forks: 1"), "{program}: {text}");
    }
}

#[test]
fn no_child_where_the_compilers_own_library_says_what_it_knows() {
    let folder = folder();
    folder.compile("libamd_comgr.so.2", &comgr(["gfx90a:sramecc+", "gfx942"]));
    for program in PROGRAMS {
        let text = process(program, Some(&folder.0), &[NEW]);
        assert!(text.contains("[2.0, 3.0], forks: 0"), "{program}: {text}");
    }
    folder.compile("libamd_comgr.so.2", &comgr(["gfx900", "gfx906"]));
    let text = process(PROGRAMS[0], Some(&folder.0), &[NEW]);
    assert!(text.contains("does not know gfx942") && text.contains("forks: 0"), "{text}");
}

static FORKS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn forks() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    // SAFETY: a handler that counts, and one of the two ways in which a program may treat its children.
    unsafe { libc::pthread_atfork(Some(forks), None, None) };
    let program = task();
    if program == PROGRAMS[1] {
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    } else if program == PROGRAMS[2] {
        std::thread::spawn(|| {
            loop {
                // SAFETY: it waits for any child, and wants to know nothing of it.
                if unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } < 0 {
                    std::thread::yield_now();
                }
            }
        });
    }
    let device = Device::open("hip:0").expect("a device");
    let _guard = device.enter();
    let values = (&Array::from([1.0f32, 2.0]) + 1).to_vec::<f32>();
    let forks = FORKS.load(Ordering::Relaxed);
    match values {
        Ok(values) => println!("{values:?}, forks: {forks}"),
        Err(error) => println!("{error}, forks: {forks}"),
    }
}
