//! Programs with one bug each, and the same without it: what tools that look for such bugs must find, and must not.

#![allow(dead_code, reason = "each user needs some of it")]

use ndany_gpu::driver::{
    Address, Compiler, Driver, DriverResult, Event, Function, KernelLaunch, Stream,
};

/// Threads of the one block that each kernel runs in, and elements of its buffers.
pub const SIZE: usize = 1024;

/// A kernel of two pointers, `from` and `to`, each to [`SIZE`] words, and a program around it.
pub struct Bug {
    /// Its name on the command line; `right-` and a name is the same without the bug.
    pub name: &'static str,
    /// What the kernel does with thread `t` of `n`.
    body: &'static str,
    /// What the program does not do.
    forgets: Forgets,
}

/// What a program may forget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forgets {
    /// Nothing: the bug is in the kernel.
    Nothing,
    /// To write `from`.
    Write,
    /// To let the stream of the kernel wait for the one that writes `from`.
    Wait,
    /// To give `from` back.
    Free,
}

const COPY: &str = "to[t] = from[t] * 3;";

/// Those that pass, packed to the front, by the ballots of warps.
macro_rules! packed {
    ($lanes:literal) => {
        concat!(
            "const unsigned lanes = ",
            $lanes,
            ", lane = t % lanes, warp = t / lanes;\n\
             const bool passes = (from[t] * 2654435761u >> 16) % 3 == 0;\n\
             const unsigned long long ballot = BALLOT(passes), mask = ~0ull >> (64 - lanes);\n\
             if (lane == 0) room[warp] = __popcll(ballot & mask);\n\
             to[t] = 0;\n\
             __syncthreads();\n\
             unsigned place = __popcll(ballot & ((1ull << lane) - 1));\n\
             for (unsigned w = 0; w < warp; w++) place += room[w];\n\
             if (passes) to[place] = from[t];"
        )
    };
}

/// The bugs, each before what is right.
pub const BUGS: [Bug; 12] = [
    // The last thread reads one element past the end.
    Bug { name: "outside", body: "to[t] = from[t + 1];", forgets: Forgets::Nothing },
    Bug {
        name: "right-outside",
        body: "to[t] = from[t + 1 < n ? t + 1 : 0];",
        forgets: Forgets::Nothing,
    },
    // Neighbours in another warp may not have written yet.
    Bug {
        name: "barrier",
        body: "room[t] = from[t]; to[t] = room[(t + 32) % n];",
        forgets: Forgets::Nothing,
    },
    Bug {
        name: "right-barrier",
        body: "room[t] = from[t]; __syncthreads(); to[t] = room[(t + 32) % n];",
        forgets: Forgets::Nothing,
    },
    // The host has written nothing.
    Bug { name: "unwritten", body: COPY, forgets: Forgets::Write },
    Bug { name: "right-unwritten", body: COPY, forgets: Forgets::Nothing },
    // A ballot of 64 lanes is taken for one of 32: a bug where wavefronts have 64.
    Bug { name: "lanes", body: packed!("32"), forgets: Forgets::Nothing },
    Bug { name: "right-lanes", body: packed!("LANES"), forgets: Forgets::Nothing },
    // The kernel's stream runs beside the one that writes what it reads.
    Bug { name: "wait", body: COPY, forgets: Forgets::Wait },
    Bug { name: "right-wait", body: COPY, forgets: Forgets::Nothing },
    Bug { name: "leak", body: COPY, forgets: Forgets::Free },
    Bug { name: "right-leak", body: COPY, forgets: Forgets::Nothing },
];

impl Bug {
    /// By its name.
    pub fn find(name: &str) -> Option<&'static Self> {
        BUGS.iter().find(|bug| bug.name == name)
    }

    /// The text of its kernel, `planted`, and of `first`, which writes what that reads.
    fn text(&self, lanes: u32, ballot: &str) -> String {
        format!(
            "#define LANES {lanes}\n\
             #define BALLOT(x) {ballot}\n\
             struct Args {{ const unsigned* from; unsigned* to; }};\n\
             extern \"C\" __global__ void first(const Args args) {{ args.to[threadIdx.x] = threadIdx.x; }}\n\
             extern \"C\" __global__ void planted(const Args args) {{\n\
             __shared__ unsigned room[{SIZE}];\n\
             const unsigned t = threadIdx.x, n = {SIZE};\n\
             const unsigned* from = args.from;\n\
             unsigned* to = args.to;\n\
             room[t] = 0;\n\
             __syncthreads();\n\
             {}\n\
             }}\n",
            self.body
        )
    }

    /// What `to` has when the program is right.
    pub fn expected(&self) -> Vec<u32> {
        let all = 0..SIZE as u32;
        match self.name.trim_start_matches("right-") {
            "outside" => all.map(|t| (t + 1) % SIZE as u32).collect(),
            "barrier" => all.map(|t| (t + 32) % SIZE as u32).collect(),
            "lanes" => {
                let mut packed: Vec<u32> =
                    all.filter(|t| (t.wrapping_mul(2_654_435_761) >> 16) % 3 == 0).collect();
                packed.resize(SIZE, 0);
                packed
            }
            _ => all.map(|t| 3 * t).collect(),
        }
    }

    /// Compiles, runs and reads `to`; `ballot` is how the vendor asks for `x` of all lanes.
    pub fn run<D: Driver>(
        &self,
        driver: &D,
        compiler: &dyn Compiler,
        ballot: &str,
    ) -> DriverResult<Vec<u32>> {
        let properties = driver.properties();
        let text = self.text(properties.capabilities.warp_size, ballot);
        let image = compiler.compile(&text, &properties.architecture).expect("a kernel");
        let module = driver.load(&image)?;
        // Exact allocations of the driver, as in the pool's direct mode; nothing follows the last one.
        let [to, from] = [driver.allocate(BYTES)?, driver.allocate(BYTES)?];
        let [first, second] = [driver.create_stream()?, driver.create_stream()?];
        let event = driver.create_event()?;
        // SAFETY: handles are alive, and memory is as long as is said. What a kernel does beyond its memory is the
        // point, and touches no other memory: the process has nothing else on the device.
        unsafe {
            let functions =
                [driver.function(module, "first")?, driver.function(module, "planted")?];
            let program = Program { from, to, functions, streams: [first, second], event };
            let results = program.run(driver, self.forgets)?;
            if self.forgets != Forgets::Free {
                driver.free(from)?;
            }
            driver.free(to)?;
            driver.destroy_event(event)?;
            driver.destroy_stream(first)?;
            driver.destroy_stream(second)?;
            driver.unload(module)?;
            Ok(results)
        }
    }
}

const BYTES: usize = SIZE * size_of::<u32>();

/// What is needed to run.
struct Program {
    from: Address,
    to: Address,
    functions: [Function; 2],
    streams: [Stream; 2],
    event: Event,
}

impl Program {
    /// # Safety
    /// Everything is alive and has no other user.
    unsafe fn run<D: Driver>(&self, driver: &D, forgets: Forgets) -> DriverResult<Vec<u32>> {
        let Self { from, to, functions: [first, planted], streams: [one, two], event } = *self;
        let mut results = vec![0u32; SIZE];
        let call = |function, stream| KernelLaunch::linear(function, 1, SIZE as u32, stream);
        // SAFETY: the caller's; the vector is as long as is said, and waited for.
        unsafe {
            if forgets != Forgets::Write {
                driver.launch(&call(first, one), &[0, from])?;
            }
            if forgets != Forgets::Wait {
                driver.record(event, one)?;
                driver.stream_waits(two, event)?;
            }
            driver.launch(&call(planted, two), &[from, to])?;
            driver.download(results.as_mut_ptr().cast(), to, BYTES, two)?;
            driver.wait_for_stream(two)?;
            driver.wait_for_stream(one)?;
        }
        Ok(results)
    }
}

/// What a process of its own does with a bug: the report of what is found, or the right values.
pub fn alone<D: Driver>(name: &str, driver: &D, compiler: &dyn Compiler, ballot: &str) {
    let bug = Bug::find(name).expect("a bug");
    match bug.run(driver, compiler, ballot) {
        Ok(values) => assert_eq!(values, bug.expected()),
        Err(error) => println!("report: {error}"),
    }
}

/// A variable and its value.
type Setting = (&'static str, &'static str);

/// What finds each bug, and what the report says of it.
const FOUND: [(&str, &[Setting], &[&str]); 6] = [
    (
        "outside",
        &[("NDANY_SOFTGPU_CHECK", "bytes")],
        &[
            "kernel planted reads 4 bytes, 0 bytes past the end of allocation",
            "thread [1023, 0, 0]",
        ],
    ),
    (
        "barrier",
        &[("NDANY_SOFTGPU_SEEDS", "3")],
        &[
            "kernel planted depends on the order of its threads",
            "to which word 1 of argument 0 points",
        ],
    ),
    (
        "unwritten",
        &[("NDANY_SOFTGPU_CHECK", "bytes")],
        &[
            "kernel planted reads 4 bytes that nothing wrote",
            "to which word 0 of argument 0 points",
        ],
    ),
    (
        "lanes",
        &[("NDANY_SOFTGPU_SEEDS", "3")],
        &[
            "kernel planted depends on the order of its threads",
            "to which word 1 of argument 0 points",
        ],
    ),
    (
        "wait",
        &[("NDANY_SOFTGPU_CHECK", "bytes"), ("NDANY_SOFTGPU_ORDER", "late")],
        &[
            "kernel planted reads 4 bytes that nothing wrote",
            "to which word 0 of argument 0 points",
        ],
    ),
    (
        "leak",
        &[("NDANY_SOFTGPU_LEAKS", "list")],
        &["leak: 4096 bytes of device 0 (allocation #2), made by call"],
    ),
];

/// What is right is right under everything at once.
const ALL: [Setting; 4] = [
    ("NDANY_SOFTGPU_CHECK", "bytes"),
    ("NDANY_SOFTGPU_SEEDS", "3"),
    ("NDANY_SOFTGPU_ORDER", "late:1"),
    ("NDANY_SOFTGPU_LEAKS", "list"),
];

/// Has a process run each of these bugs, which is found, and then the same without it, where nothing is. Prints the
/// reports.
pub fn each_is_found(names: &[&str], process: impl Fn(&str, &[(&str, &str)]) -> String) {
    let reports = |text: &str| -> Vec<String> {
        let lines =
            text.lines().filter(|line| line.contains("report: ") || line.contains("softgpu: "));
        lines.map(str::to_string).collect()
    };
    for name in names {
        let (_, settings, words) = FOUND.iter().find(|row| row.0 == *name).expect("a bug");
        let text = process(name, settings);
        let found = reports(&text);
        let report = found.iter().find(|line| words.iter().all(|word| line.contains(word)));
        let report = report.unwrap_or_else(|| panic!("{name} is not found: {text}"));
        // The harness writes on the same line.
        println!("{name}: {}", report.split("report: ").last().unwrap_or(report));
        let right = process(&format!("right-{name}"), &ALL);
        assert_eq!(reports(&right), [""; 0], "in what is right of {name}");
    }
}
