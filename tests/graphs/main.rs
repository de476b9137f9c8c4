//! Graphs: launches have the bits of calls of the closure, on every device; what cannot be recorded is refused where it stands.
//! `NDANY_PROPERTY_DEVICES` names other devices than the CPU and the reference.

mod cases;
mod refused;
mod state;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, Capture, Device, Generator, Graph};

/// The CPU and the reference, or those that `NDANY_PROPERTY_DEVICES` asks for.
pub fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu reference").split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

/// How many launches each graph gets: one less than `NDANY_TEST_REPLAYS`, or a few.
fn replays() -> u64 {
    std::env::var("NDANY_TEST_REPLAYS").map_or(3, |count| count.parse().expect("a number"))
}

/// Bytes of all arrays, or the error.
pub fn bytes<const O: usize>(arrays: &[Array; O]) -> Vec<Result<Vec<u8>, String>> {
    let bytes = |array: &Array| array.to_bytes().map_err(|error| error.to_string());
    arrays.iter().map(bytes).collect()
}

/// Compares launches on many inputs with calls of the closure.
#[track_caller]
pub fn same<const I: usize, const O: usize>(
    name: &'static str,
    inputs: impl Fn(&mut Generator) -> [Array; I],
    closure: impl Fn(&mut Generator, [Array; I]) -> [Array; O],
) {
    let mut values = Generator::new(11);
    let (mut eager, mut drawn) = (Generator::new(5), Generator::new(5));
    let first = inputs(&mut values);
    let captured = Graph::capture(name, (&drawn, first.each_ref()), |k: &mut Capture, arrays| {
        closure(k.generator(), arrays)
    });
    let graph = captured.unwrap_or_else(|error| panic!("{name}: {error}"));
    for round in 0..replays() {
        let given = inputs(&mut values);
        let expected = closure(&mut eager, given.clone());
        let made = graph.launch((&mut drawn, given.each_ref()));
        let made = made.unwrap_or_else(|error| panic!("{name}, launch {round}: {error}"));
        for (number, (got, expected)) in made.iter().zip(&expected).enumerate() {
            assert_eq!(got.shape(), expected.shape(), "{name}, launch {round}, output {number}");
            assert_eq!(got.dtype(), expected.dtype(), "{name}, launch {round}, output {number}");
        }
        assert!(bytes(&made) == bytes(&expected), "{name}, launch {round}: other bits\n{graph}");
        assert_eq!(drawn, eager, "{name}, launch {round}: the generator");
    }
}

fn all() {
    for device in devices() {
        let _guard = device.enter();
        cases::all();
        state::all();
        refused::all();
    }
}

#[test]
fn launches_have_the_bits_of_calls() {
    all();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn launches_have_the_bits_of_calls_on_software_gpus() {
    use support::{Folder, LIBRARIES, process_of_all_vendors};
    let folder = Folder::of_software_gpu("graphs", &LIBRARIES);
    let names = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    let names: Vec<&str> =
        names.into_iter().filter(|(_, built)| *built).map(|(name, _)| name).collect();
    let devices = ("NDANY_PROPERTY_DEVICES", &*names.join(" "));
    // Accesses are of a text that is one for both vendors but for its dialect; it is compiled with a check of each.
    let checked = [
        ("NDANY_PROPERTY_DEVICES", names.first().copied().unwrap_or_default()),
        ("NDANY_SOFTGPU_CHECK", "bytes"),
        ("NDANY_POISON", "1"),
        ("NDANY_POOL", "direct"),
    ];
    process_of_all_vendors(&folder, "all", &checked);
    let late = [devices, ("NDANY_SOFTGPU_ORDER", "late"), ("NDANY_SOFTGPU_LANES", "32")];
    process_of_all_vendors(&folder, "all", &late);
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    all();
}
