//! Chores of the repository, run as `cargo xtask CHORE`.
//!
//! Only reads the command line; each chore has a file of its own.

mod api;
mod bench;
mod debian;
#[cfg(test)]
mod directions;
mod docs;
mod emulator;
mod kernels;
mod oracle;
mod pack;
mod rocm;
mod sources;
mod stand_ins;
mod support;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE

  accuracy EVALUATE write docs/special.md: the errors of special functions beside SciPy's; EVALUATE is the built example
                    `evaluate` of ndany-special
  oracle [PART ..]  make the golden cases of conformance/golden with NumPy and mpmath, packed
  oracle --check    make them again elsewhere, and fail unless the bytes are the same
  api [--check]     write docs/api.txt: every public function and method of the crate ndany, counted; --check fails
                    unless it is there already and every function is documented
  api --docs        list the functions whose documentation lacks a summary, a section or an example
  docs              write docs/operations.md from the tables of operations
  support           write docs/support.md: what there is of NumPy's names, and how it is computed
  kernels [--all] [--only NAME] [--every N] [--keep FOLDER] [--cuda] [--hip] [--hip-newer] [--forward]
                    compile kernels of every pattern and row, without a GPU, with the real NVRTC for sm_75,
                    sm_80, sm_90 and sm_120 (--cuda), with hipRTC 5.2 for gfx90a and gfx1030 (--hip; both unless
                    said), with 5.7 for gfx942 and gfx1100 and 6.4 for gfx1201 (--hip-newer); HIP's with
                    NVRTC, as they run on an NVIDIA card (--forward); --all takes every row over every dtype,
                    --only those kernels whose names begin so, --keep writes the texts; --every: one kernel of N,
                    other ones for each architecture, and one of each pattern
  hiprtc ARCHITECTURE FILE
                    compile one text with the hipRTC that is found: kernels runs this in processes of its own
  rocm SUITE        fetch HIP and hipRTC of a suite of Debian (bookworm, trixie, sid); prints what to put in
                    front of a program to run it with them
  headers           fetch the headers of AMD's libraries of three releases; prints their folders, for
                    NDANY_TEST_HIP_HEADERS
  emulator CPU      fetch qemu; prints the program that runs Linux programs of this CPU (aarch64)
  softgpu           build the software GPU; prints the folder to put on LD_LIBRARY_PATH
  forward           build HIP in front of CUDA's driver, for an NVIDIA card; likewise
  bench [--device NAME] [--peer numpy|cupy|torch|jax|DEVICE] [--workloads NAME] [--only WORDS] [--out FOLDER] [--binary EXAMPLE]
        [--python PYTHON]
                    time the workloads on a device (cpu:threads=2) and in a peer; prints times, ratios
                    and parts of memory bandwidth, and writes them as JSON and as a picture; EXAMPLE is
                    the built example (workloads, or gpu_workloads for a GPU's peer), PYTHON has the peer
";

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["accuracy", evaluate] => oracle::accuracy(evaluate).map_err(|error| error.to_string()),
        ["oracle", "--check"] => oracle::check().map_err(|error| error.to_string()),
        ["oracle", parts @ ..] => oracle::make(parts).map_err(|error| error.to_string()),
        ["api"] => api::write(),
        ["api", "--check"] => api::check(),
        ["api", "--docs"] => api::docs(),
        ["docs"] => docs::write(),
        ["support"] => support::write(),
        ["kernels", options @ ..] => {
            kernels::Options::parse(options).and_then(|options| kernels::run(&options))
        }
        ["hiprtc", architecture, path] => kernels::compile_one(architecture, path),
        ["headers"] => rocm::headers().map(|folders| println!("{folders}")),
        ["rocm", suite] => rocm::line(suite).map(|command| println!("{command}")),
        ["emulator", cpu] => emulator::of(cpu).map(|program| println!("{}", program.display())),
        ["softgpu"] => stand_ins::SOFTGPU.prepare().map(|folder| println!("{}", folder.display())),
        ["forward"] => stand_ins::FORWARD.prepare().map(|folder| println!("{}", folder.display())),
        ["bench", options @ ..] => bench::Options::parse(options).and_then(|options| {
            let python = if options.needs_python() { oracle::python()? } else { String::new() };
            bench::run(&options, &python)
        }),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
