//! Libraries that are missing, broken, empty, too old or without a device: each is an error that says what was tried
//! and how to mend it, and no panic. The same for every vendor, whose test file includes this one and asks for the
//! tests by `loading_tests!`.

use ndany_array::Device;
use ndany_gpu::vendor::Vendor;

use super::support::{Folder, PLACES, process, process_in, task};

/// What differs between vendors.
pub struct Libraries {
    /// The file of the driver.
    pub file: &'static str,
    /// What the error of a missing one says; the first is how a test sees that there is none.
    pub absent: &'static [&'static str],
    /// How a driver says how many devices there are and what they are like: C, with `DEVICES` in it.
    pub devices: &'static str,
    /// Other libraries, by the first of their names.
    pub others: &'static [&'static str],
    /// Folders of these below `site-packages`.
    pub wheel: &'static str,
    /// Functions that are not in the table.
    pub besides: &'static [&'static str],
    /// Codes of a driver that does not start, and what the error says.
    pub refusals: &'static [(&'static str, &'static str)],
}

/// In a process of its own: what discovery and opening come to.
pub fn alone() {
    if let Some(name) = task().strip_prefix("fork ") {
        return fork(name);
    }
    let all = Device::all();
    println!("devices {}", all.join(" "));
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
    println!(
        "discovery loads a compiler: {}",
        maps.contains("libnvrtc") || maps.contains("libhiprtc")
    );
    match Device::open(&task()) {
        Ok(device) => println!("opened {}", device.description()),
        Err(error) => println!("error {error}"),
    }
    // A report must not panic either.
    for report in Device::reports() {
        println!("{report}");
    }
}

/// Forks while another thread opens a device, and says how the child ended.
fn fork(name: &str) {
    let open = name.to_string();
    let opening = std::thread::spawn(move || Device::open(&open).is_ok());
    std::thread::sleep(std::time::Duration::from_secs(1));
    // SAFETY: the child opens devices, which is what is tried, and ends without running what belongs to its parent; a
    // child that waits for a thread of its parent's is ended by the alarm.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a plain number.
        unsafe { libc::alarm(20) };
        let refused = Device::open(name).is_err_and(|error| error.to_string().contains("forked"));
        let goes_on = Device::open("reference").is_ok();
        let alone = Device::all() == ["reference"] && Device::reports().len() == 1;
        // SAFETY: it ends this process and nothing else.
        unsafe { libc::_exit(i32::from(!(refused && goes_on && alone))) };
    }
    let mut status = 0;
    // SAFETY: a child of this process, and a number of this frame.
    unsafe { libc::waitpid(child, &mut status, 0) };
    println!("the child ended with {status}");
    opening.join().expect("no panic");
}

impl Libraries {
    /// Whether this machine has a driver that a broken copy in front would not hide.
    fn is_there<V: Vendor>(&self) -> bool {
        let text = process(V::FAMILY, None, &[]);
        !text.contains(self.absent[0])
    }

    /// Opening fails with these words, unless the machine also has a complete driver, which is found after it.
    fn fails<V: Vendor>(&self, folder: &Folder, words: &[&str]) {
        let text = process(V::FAMILY, Some(&folder.0), &[]);
        if self.is_there::<V>() {
            let found = format!("devices {}:0 ", V::FAMILY);
            assert!(text.contains("Init of /") || text.contains(&found), "{text}");
            return;
        }
        assert!(text.contains("devices reference\n"), "{text}");
        for word in words {
            assert!(text.contains(word), "{word} is not in {text}");
        }
    }

    pub fn no_library_at_all<V: Vendor>(&self) {
        let text = process(V::FAMILY, None, &[]);
        for words in self.absent {
            assert!(self.is_there::<V>() || text.contains(words), "{words} is not in {text}");
        }
    }

    pub fn number_is_expected<V: Vendor>(&self) {
        let text = process(&format!("{}:first", V::FAMILY), None, &[]);
        assert!(text.contains("the number of a device is expected after the colon"), "{text}");
    }

    pub fn empty_file<V: Vendor>(&self) {
        let folder = Folder::new("empty");
        let library = folder.0.join(self.file);
        std::fs::write(&library, "").expect("a file of the test");
        self.fails::<V>(&folder, &[&format!("{}: ", library.display()), "file too short"]);
    }

    pub fn no_functions<V: Vendor>(&self) {
        let folder = Folder::new("hollow");
        folder.compile(self.file, "int unused;");
        self.fails::<V>(&folder, &[&format!("{}: it has no {}", self.file, V::NAMES.init[0])]);
    }

    pub fn one_function_less<V: Vendor>(&self) {
        let (folder, launch) = (Folder::new("old"), V::NAMES.launch[0]);
        folder.compile(self.file, &self.driver::<V>("0", "1").replace(launch, "launches"));
        self.fails::<V>(&folder, &[&format!("{}: it has no {launch}", self.file)]);
    }

    /// A driver whose functions all give this, and that reports this number of devices.
    pub fn driver<V: Vendor>(&self, code: &str, devices: &str) -> String {
        let told = self.devices.replace("DEVICES", devices);
        let signatures = V::NAMES.signatures::<V::DeviceKey>();
        let needed = signatures
            .iter()
            .filter(|(name, needed, _)| *needed && !told.contains(&format!(" {name}(")));
        let functions = needed.map(|(name, ..)| name).chain(self.besides);
        let functions: std::collections::BTreeSet<_> = functions.collect();
        let bodies = functions.iter().map(|name| format!("int {name}() {{ return {code}; }}\n"));
        told + "\n" + &bodies.collect::<String>()
    }

    pub fn refusals<V: Vendor>(&self) {
        // Complete, so the search ends with it, and without names for its errors.
        for (code, words) in self.refusals {
            let folder = Folder::new(&format!("code-{code}"));
            folder.compile(self.file, &self.driver::<V>(code, "1"));
            let text = process(V::FAMILY, Some(&folder.0), &[]);
            let error = format!("an error without a name ({code}): {words}");
            assert!(text.contains(&error), "{error} is not in {text}");
            assert!(text.contains("devices reference\n"), "{text}");
        }
    }

    /// Files of the right names lie wherever an empty or relative element of a variable would have them looked for.
    pub fn nothing_of_the_working_directory<V: Vendor>(&self) {
        let folder = Folder::new("working");
        let text = "#include <unistd.h>\n\
            __attribute__((constructor)) static void run() { write(2, \"FOREIGN CODE\\n\", 13); }";
        folder.compile("foreign.so", text);
        let packages = format!("lib/python3.11/site-packages/{}", self.wheel);
        for below in ["", "lib", "lib64", &packages, &format!(".local/{packages}"), "bin"] {
            let below = folder.0.join(below);
            std::fs::create_dir_all(&below).expect("a folder of the test");
            for file in [self.file, "python3"].iter().chain(self.others) {
                let whole = std::fs::copy(folder.0.join("foreign.so"), below.join(file));
                whole.expect("a copy");
            }
        }
        let listed = [PLACES.libraries, "LD_LIBRARY_PATH"];
        let lists = ["", ":", "/nonexistent:", ":/nonexistent", "/nonexistent::/none", ".", "lib"];
        let mut cases: Vec<(&str, &str)> =
            listed.iter().flat_map(|&name| lists.map(|list| (name, list))).collect();
        cases.push(("LD_LIBRARY_PATH", "/nonexistent;lib"));
        let homes = PLACES.homes.into_iter().chain(["VIRTUAL_ENV", "CONDA_PREFIX", "HOME"]);
        cases.extend(homes.flat_map(|home| [(home, ""), (home, ".")]));
        cases.push(("PATH", "bin:/usr/bin:/bin"));
        for (name, value) in cases {
            let text = process_in(&folder.0, V::FAMILY, &[(name, value)]);
            assert!(!text.contains("FOREIGN CODE"), "{name}={value:?}: {text}");
        }
    }

    pub fn a_child_forked_while_a_device_opens<V: Vendor>(&self) {
        let folder = Folder::new("slow");
        let init = V::NAMES.init[0];
        let slow = format!("int {init}() {{ sleep(3); return 0; }}");
        let text =
            self.driver::<V>("0", "1").replace(&format!("int {init}() {{ return 0; }}"), &slow);
        assert!(text.contains(&slow), "{text}");
        folder.compile(self.file, &text);
        let text = process(&format!("fork {}:7", V::FAMILY), Some(&folder.0), &[]);
        assert!(text.contains("the child ended with 0"), "{text}");
    }

    pub fn too_few_devices<V: Vendor>(&self) {
        let family = V::FAMILY;
        for (devices, names) in [("0", ""), ("2", "FAMILY:0 FAMILY:1 ")] {
            let folder = Folder::new(&format!("few-{devices}"));
            folder.compile(self.file, &self.driver::<V>("0", devices));
            let text = process(&format!("{family}:7"), Some(&folder.0), &[]);
            let there = format!("there are {devices} {} devices, numbered from 0", V::TITLE);
            assert!(text.contains(&there), "{text}");
            let names = names.replace("FAMILY", family);
            assert!(text.contains(&format!("devices {names}reference\n")), "{text}");
        }
    }
}

/// The tests, of a vendor and its [`Libraries`].
macro_rules! loading_tests {
    ($vendor:ty, $libraries:expr; $($test:ident),*) => {
        #[test]
        #[ignore = "run by the others"]
        fn alone() {
            loading::alone();
        }

        $(#[test]
        fn $test() {
            $libraries.$test::<$vendor>();
        })*
    };
}
pub(crate) use loading_tests;
