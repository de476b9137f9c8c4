//! Each call that a workload makes of a vendor's libraries fails once: an error comes out that names the operation and
//! the cause, the device goes on or says that it is lost, and nothing is given back twice or not at all.
//!
//! The libraries are the software GPU's, of which this file has the functions for tests. What only a process's first
//! calls do (finding libraries, beginning) fails in processes of their own.

#![allow(dead_code, reason = "each user needs some of it")]

#[path = "control.rs"]
mod control;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::support::every;
use control::Control;
use ndany_array::exchange::{
    Export, IpcHandle, MemoryAdvice, MemoryPlace, MemorySource, advise, allocate_from, prefetch,
};
use ndany_array::kernel::{Argument, RawKernel, RawModule};
use ndany_array::{
    Array, Attribute, DType, Device, Graph, HostBuffer, Priority, Result, Stream, checked, s,
};
use ndany_gpu::GpuBackend;
use ndany_gpu::driver::{CompileError, Compiler, Driver};
use ndany_gpu::platform::OpenError;

/// In the place of a code: the devices are lost from that call on.
const LOST: u32 = u32::MAX;
/// The codes that all vendors have.
const OUT_OF_MEMORY: u32 = 2;
const OUT_OF_RESOURCES: u32 = 701;
const UNKNOWN: u32 = 999;
/// Their compilers' code for what should not be.
const INTERNAL: u32 = 11;

/// A device that gives everything back when its last handle and array go.
pub fn device<D: Driver, C: Compiler>(
    driver: std::result::Result<D, OpenError>,
    compiler: std::result::Result<C, CompileError>,
) -> std::result::Result<Device, String> {
    let compiler = compiler.map(|compiler| Box::new(compiler) as Box<dyn Compiler>);
    let driver = driver.map_err(|error| error.to_string())?;
    let backend = GpuBackend::new(driver, compiler).map_err(|error| error.to_string())?;
    Ok(Device::custom(Arc::new(backend)))
}

/// What a workload gives.
type Values = Vec<Vec<f32>>;

/// Something of everything.
fn workload(device: &Device) -> Result<Values> {
    let _guard = device.enter();
    let values: Vec<f32> = (0..320).map(|k| (k * 37 % 101) as f32 - 50.5).collect();
    let x = Array::try_from_slice(&values, (8, 40))?;
    let mut all = Values::new();
    // A map, a reduction with a map in front, a scan, a sort, a product.
    let formula = |x: &Array| (x * 2.0 + 1.0).fabs().sqrt();
    let y = formula(&x);
    all.push(y.to_vec()?);
    all.push((&y - 1.0).sum(1).to_vec()?);
    all.push(checked::cumsum(&x, 1)?.to_vec()?);
    all.push(checked::sort(&x, 1)?.to_vec()?);
    // Exact in any order: halves, and few of them.
    all.push(checked::matmul(&x, x.transpose(..))?.to_vec()?);
    // A gather, which may find an index out of range, and a part of an array written.
    let places = Array::try_from_slice(&[3i64, -1, 0], 3)?;
    all.push(checked::take(&x, &places, 1)?.to_vec()?);
    let mut z = y.clone();
    z.set(s![2..4, ..], 7.0f32);
    all.push(z.to_vec()?);
    // Beside the default stream, and after it again.
    let stream = device.stream(..)?;
    let beside = {
        let _entered = stream.enter();
        let beside = formula(&y);
        beside.eval()?;
        beside
    };
    all.push((&beside + &z).to_vec()?);
    stream.synchronize()?;
    steer(device, stream)?;
    // More than a small transfer, into and out of memory that others had.
    let large = Array::try_from_slice(&[0.5f32; 20_000], 20_000)?;
    drop((x, beside, z));
    all.push(formula(&large).to_vec()?);
    drop((large, y));
    all.extend(sources(device)?);
    all.extend(raw(device)?);
    all.extend(graph(device)?);
    device.synchronize()?;
    // The reference keeps no pool.
    if device.memory().is_ok() {
        device.release_memory()?;
    }
    Ok(all)
}

/// Managed memory with hints, and a handle for other processes, which a process of its own cannot open.
fn sources(device: &Device) -> Result<Values> {
    let a = {
        let _managed = allocate_from(device, MemorySource::Managed)?;
        let a = Array::try_from_slice(&[1.5f32, 2.5], 2)? * 2.0f32;
        a.eval()?;
        a
    };
    prefetch(&a, MemoryPlace::Device)?;
    advise(&a, MemoryAdvice::AccessedBy(MemoryPlace::Host, true))?;
    let b = checked::add(&a, 1.0f32)?;
    b.eval()?;
    if device.name() != "reference" {
        let handle = IpcHandle::of(&Export::read(&b, None)?)?;
        assert_eq!(IpcHandle::from_bytes(&handle.to_bytes())?, handle);
    }
    Ok(vec![b.to_vec()?])
}

/// Kernels of C++ text: more dynamic shared memory than all kernels have, all blocks at the same time, a template and a
/// variable of a module.
fn raw(device: &Device) -> Result<Values> {
    let text =
        "shared_memory<f32>()[thread_x()] = y[global_x()]; grid_barrier(); y[global_x()] += 1;";
    let kernel = RawKernel::new("steps", text).inout("y", DType::F32).cooperative().shared(50_000);
    let kernel = kernel.on_cpu(|arguments| {
        if let [Argument::InOut(y)] = arguments {
            **y = &**y + 1.0f32;
        }
        Ok(())
    });
    let mut y = Array::try_from_slice(&[1.0f32; 64], 64)?;
    // SAFETY: as many threads as elements, which fit into shared memory.
    unsafe { kernel.launch(device, 2, 32, (&mut y,))? };
    if device.name() == "reference" {
        return Ok(vec![y.to_vec()?, vec![3.0], vec![5.0]]);
    }
    let text = "
        __constant__ float by[1];
        template <typename T> __global__ void shift(T* x) { x[threadIdx.x] += by[0]; }";
    let module = RawModule::source("shifts", text).name_expression("shift<float>");
    module.write(device, "by", &[3.0f32])?;
    let mut x = Array::try_from_slice(&[2.0f32], 1)?;
    // SAFETY: one thread, one element.
    unsafe {
        module.kernel("shift<float>").inout("x", DType::F32).launch(device, 1, 1, (&mut x,))?
    };
    Ok(vec![y.to_vec()?, module.read(device, "by")?, x.to_vec()?])
}

/// A graph: of a list, of the driver, and with other arrays.
fn graph(device: &Device) -> Result<Values> {
    let _guard = device.enter();
    let x = Array::try_from_slice(&[4.0f32, 1.0, 3.0, 2.0], 4)?;
    // The scatter clears memory first, which is a call that a graph captures.
    let graph = Graph::capture("graph", [&x], |_, [x]| {
        let at = Array::try_from_slice(&[2i64, 0], 2)?;
        let mut y = checked::add(&x, 1.0)?;
        let taken = checked::multiply(checked::take(&x, &at, 0)?, 10.0)?;
        y.set(at, taken);
        Ok([checked::cumsum(&y, 0)?])
    })?;
    let mut all = Values::new();
    let mut given = x;
    for _ in 0..4 {
        let [made] = graph.launch([&given])?;
        all.push(made.to_vec()?);
        given = checked::multiply(&given, 0.5)?;
    }
    Ok(all)
}

/// What programs steer: events, priorities, functions of the host.
fn steer(device: &Device, stream: Stream) -> Result<()> {
    let start = device.record()?;
    let urgent = device.stream(Priority::High)?;
    urgent.wait(&start)?;
    let (send, reached) = channel();
    // Where a call in between fails, nothing receives it.
    urgent.then(move || send.send(7).unwrap_or_default())?;
    let end = urgent.record()?;
    stream.wait(&end)?;
    assert!(end.elapsed_since(&start)? >= 0.0);
    assert_eq!(reached.try_recv(), Ok(7));
    end.synchronize()?;
    assert!(end.is_completed()? && urgent.is_idle()?);
    let mut buffer = HostBuffer::<f32>::new(device, 300)?;
    buffer[299] = 2.0;
    let (array, sent) = buffer.upload(300)?;
    let received = (array + 1.0).download(sent.wait()?)?;
    // The reference has no driver to ask.
    if device.native().is_some() {
        device.attribute(Attribute::WarpSize)?;
    }
    let received = received.wait()?;
    assert_eq!(received[298..], [1.0, 3.0]);
    Ok(())
}

/// One operation, on a device that may have seen failures.
fn small(device: &Device) -> Result<()> {
    let _guard = device.enter();
    let x = Array::try_from_slice(&[1.0f32, 2.0, 3.0], 3)?;
    assert_eq!((&x * &x).sum(..).item::<f32>()?, 14.0);
    device.synchronize()
}

/// What came of the runs.
#[derive(Debug, Default)]
struct Outcomes {
    runs: usize,
    errors: usize,
    lost: usize,
    /// Failures without consequence, by function and code.
    survived: BTreeMap<(String, u32), usize>,
}

/// Whether the workload may end although a call of this function failed.
fn may_survive(function: &str, code: u32) -> bool {
    // There is more to get: the pool gives back what it keeps, and asks again.
    let again = code == OUT_OF_MEMORY;
    // Nothing depends on it: it is only for reports, or for the pool, which takes other memory meanwhile.
    let idle =
        ["Version", "Log", "SupportedArchs", "GetInfo", "EventCreate", "EventRecord", "EventQuery"];
    may_keep(function) || again || idle.iter().any(|part| function.contains(part))
}

/// Whether memory may be lost with it: it frees something, or switches the thread to a device for that.
fn may_keep(function: &str) -> bool {
    let turns = ["cuCtxGetCurrent", "cuCtxSetCurrent", "hipGetDevice", "hipSetDevice"];
    turns.contains(&function)
        || ["Free", "Destroy", "Unload"].iter().any(|part| function.contains(part))
}

/// Whether a call is one of those that make a graph of the driver.
fn is_of_graphs(function: &str) -> bool {
    ["GraphCreate", "GraphAdd", "GraphInstantiate", "Capture", "StreamCreate", "Memset"]
        .iter()
        .any(|part| function.contains(part))
}

/// Whether a call belongs to the compiler.
fn is_compilers(function: &str) -> bool {
    function.contains("rtc")
}

/// The codes that a function is given: each is one of its own, and all but the compilers' lose the device.
fn codes(function: &str) -> Vec<u32> {
    if is_compilers(function) {
        return vec![INTERNAL, LOST];
    }
    let takes = ["Alloc", "Create", "Load", "Retain"].iter().any(|part| function.contains(part));
    let mut codes = vec![UNKNOWN, LOST];
    if takes {
        codes.push(OUT_OF_MEMORY);
    }
    if function.contains("Launch") {
        codes.extend([OUT_OF_MEMORY, OUT_OF_RESOURCES]);
    }
    codes
}

/// Fails each call with each of its codes; prints how many those were.
pub fn each_call_fails(
    name: &str,
    library: &Path,
    open: impl Fn() -> std::result::Result<Device, String>,
) {
    // The first device finds the libraries; later ones do the same calls each time.
    drop(open().expect("the software GPU"));
    let control = Control::of(library);
    let run = || -> (u64, Values) {
        control.reset();
        let before = control.calls();
        let device = open().expect("the software GPU");
        let values = workload(&device).expect("values");
        drop(device);
        assert_eq!(control.leaks(), [""; 0], "without any failure");
        (control.calls() - before, values)
    };
    let (first, expected) = run();
    assert_eq!(
        expected,
        workload(&Device::open("reference").expect("the reference")).expect("values")
    );
    let (count, _) = run();
    assert_eq!(first, count, "each run makes the same calls");
    let start = control.calls() - count;
    let functions: Vec<String> = (1..=count).map(|nth| control.name(start + nth)).collect();
    let mut book = Outcomes::default();
    for (nth, function) in (1..).zip(&functions).step_by(every()) {
        for code in codes(function) {
            let what = || format!("{name}: call {nth}, {function}, with {}", code as i32);
            let past = &functions[..nth as usize];
            let mut next = functions.iter().skip(nth as usize).take(3);
            let next = next.any(|call| call.contains("GraphCreate"));
            let in_graph = next || past.iter().any(|call| call.contains("GraphCreate"));
            let (control, expected) = (&control, &expected);
            let case = Case { name, nth, code, function, in_graph, control, expected };
            let ended = catch_unwind(AssertUnwindSafe(|| case.run(&open)));
            match ended.unwrap_or_else(|_| panic!("{} panics", what())) {
                Ok(ended) => book.add(ended, function, code),
                Err(wrong) => panic!("{}: {wrong}", what()),
            }
        }
    }
    println!("{BEGIN}{}{END}", book.summary(name, count));
}

/// How a run came to its end.
enum Ended {
    Error,
    Lost,
    Survived,
}

impl Outcomes {
    fn add(&mut self, ended: Ended, function: &str, code: u32) {
        self.runs += 1;
        match ended {
            Ended::Error => self.errors += 1,
            Ended::Lost => self.lost += 1,
            Ended::Survived => {
                *self.survived.entry((function.to_string(), code)).or_default() += 1;
            }
        }
    }

    fn summary(&self, name: &str, calls: u64) -> String {
        let survived: usize = self.survived.values().sum();
        let mut text = format!(
            "{name}: {calls} calls of a workload, {} failures, one a run: {} came out as errors, {} lost the device and \
             said so, {survived} had no consequence",
            self.runs, self.errors, self.lost
        );
        for ((function, code), count) in &self.survived {
            let _ = write!(text, "\n    {count} × {function} with {}", *code as i32);
        }
        text
    }
}

/// One failure.
struct Case<'c> {
    name: &'c str,
    nth: u64,
    code: u32,
    function: &'c str,
    /// Whether a graph of the driver is begun, or was.
    in_graph: bool,
    control: &'c Control,
    expected: &'c Values,
}

impl Case<'_> {
    fn run(
        &self,
        open: &impl Fn() -> std::result::Result<Device, String>,
    ) -> std::result::Result<Ended, String> {
        let Self { control, code, function, .. } = *self;
        control.forgive();
        control.reset();
        let misuses = control.misuses();
        control.fail(self.nth, code);
        let (lost, start) = (code == LOST, control.calls());
        let reached = || control.calls() - start >= self.nth;
        let ended = match open() {
            Err(error) => {
                self.names_the_cause(&error)?;
                if lost {
                    Ended::Lost
                } else {
                    open().and_then(|device| small(&device).map_err(|error| error.to_string()))?;
                    Ended::Error
                }
            }
            Ok(device) => {
                let result = workload(&device);
                let error = result.as_ref().err().map(ToString::to_string);
                match &result {
                    Ok(values) if values != self.expected => {
                        return Err("other values come out".to_string());
                    }
                    Ok(_) | Err(_) => drop(result),
                }
                if let Some(error) = &error {
                    self.names_the_cause(error)?;
                    let operation = error.starts_with('[') && error.contains(self.name);
                    operation.then_some(()).ok_or_else(|| format!("no operation in {error}"))?;
                }
                let live = device.memory().map_err(|error| error.to_string())?.live;
                (live == 0).then_some(()).ok_or_else(|| format!("{live} bytes are live"))?;
                let while_it_worked = reached();
                if while_it_worked {
                    match small(&device) {
                        Ok(()) if lost => return Err("a lost device computes".to_string()),
                        Err(error) if !lost => return Err(format!("it does not go on: {error}")),
                        Err(error) if !error.to_string().contains("the device is lost") => {
                            return Err(format!("it does not say that it is lost: {error}"));
                        }
                        Ok(()) | Err(_) => {}
                    }
                }
                drop(device);
                match error {
                    Some(_) if lost => Ended::Lost,
                    Some(_) => Ended::Error,
                    // When the device is closed there is no caller to report to.
                    None if !while_it_worked || may_survive(function, code) => Ended::Survived,
                    // A graph that the driver does not make is launched piece by piece.
                    None if self.in_graph && is_of_graphs(function) => Ended::Survived,
                    None => return Err("no error comes out".to_string()),
                }
            }
        };
        if !reached() {
            return Err("it was not reached".to_string());
        }
        if control.misuses() != misuses {
            return Err(format!("{} calls were wrong by themselves", control.misuses() - misuses));
        }
        // A lost device is called no more, not even to give something back.
        let leaks = control.leaks();
        let own = usize::from(may_keep(function));
        if !lost && leaks.len() > own {
            return Err(format!("not given back: {}", leaks.join(", ")));
        }
        Ok(ended)
    }

    /// Whether an error says which call failed, or what its code means.
    fn names_the_cause(&self, error: &str) -> std::result::Result<(), String> {
        let code = format!("({})", self.code);
        let words: &[&str] = match self.code {
            LOST => &["the device is lost", "(719)"],
            OUT_OF_MEMORY => &["out of memory"],
            INTERNAL => &["NVRTC_ERROR_INTERNAL_ERROR", "HIPRTC_ERROR_INTERNAL_ERROR", "error 11"],
            _ => &[self.function, &code],
        };
        let named = words.iter().any(|word| error.contains(word));
        named.then_some(()).ok_or_else(|| format!("no cause in {error}"))
    }
}

/// The software GPU's variable of faults.
const FAIL: &str = "NDANY_SOFTGPU_FAIL";
/// The variable by which a child knows the library.
const LIBRARY: &str = "NDANY_TEST_LIBRARY";

/// A kind of pool: the value of `NDANY_POOL`, and what a summary calls it.
pub type KindOfPool = (&'static str, &'static str);
pub const CACHING: KindOfPool = ("", "a caching pool");
pub const DIRECT: KindOfPool = ("direct", "allocations of its own for each array");

/// Runs it all: the workload in one process for each of these pools, and what a process does first in one for each of those
/// calls. `folder` has the vendor's libraries as one, of which `library` is a name.
pub fn in_processes(
    name: &str,
    folder: &Path,
    library: &str,
    pools: &[KindOfPool],
    process: impl Fn(&str, Option<&Path>, &[(&str, &str)]) -> String,
) {
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let (library, kept) = (path(folder.join(library)), path(folder.join("kernels")));
    let run = |task: &str, (name, value): (&str, &str)| {
        let variables = [
            (LIBRARY, library.as_str()),
            ("NDANY_SOFTGPU_CACHE", &kept),
            ("NDANY_SOFTGPU_ORDER", "late"),
            // Each kernel is compiled each time, where it is launched: each run makes the same calls.
            ("NDANY_CACHE_DIR", "/dev/null/none"),
            ("NDANY_COMPILE_THREADS", "1"),
            (name, value),
        ];
        process(task, Some(folder), &variables)
    };
    let line = |text: &str, word: &str| -> String {
        let found = text.lines().find_map(|line| line.split_once(word));
        found.unwrap_or_else(|| panic!("no {word} in {text}")).1.to_string()
    };
    let calls: u64 = line(&run("open", (FAIL, "")), "calls: ").parse().expect("a number");
    let mut errors = 0;
    for nth in (1..=calls).step_by(every()) {
        let text = run("open", (FAIL, &format!("*:{nth}:{UNKNOWN}")));
        let error = line(&text, "opened: ");
        let failed = line(&text, "failed: ");
        let cause = error.contains(&failed) || error.contains(&format!("({UNKNOWN})"));
        assert!(cause || error == "yes" && may_survive(&failed, UNKNOWN), "{failed}: {error}");
        errors += usize::from(error != "yes");
    }
    println!(
        "{name}: {calls} calls of a process that opens a device, each failed in a process of its own: {errors} came out \
         as errors"
    );
    for (pool, title) in pools {
        let text = run("calls", ("NDANY_POOL", pool));
        let summary = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
        println!("with {title}, {}", summary.unwrap_or_else(|| panic!("no summary in {text}")).0);
    }
}

/// What a summary stands between.
const BEGIN: &str = "<<";
const END: &str = ">>";

/// What a process of its own does.
pub fn alone(name: &str, task: &str, open: impl Fn() -> std::result::Result<Device, String>) {
    let library = PathBuf::from(std::env::var_os(LIBRARY).expect("a library"));
    match task {
        "calls" => each_call_fails(name, &library, open),
        "open" => {
            let control = Control::of(&library);
            let opened = Device::open(name);
            println!("calls: {}", control.calls());
            let wish = std::env::var(FAIL).unwrap_or_default();
            let nth = wish.split(':').nth(1).and_then(|nth| nth.parse().ok());
            println!("failed: {}", nth.map_or(String::new(), |nth| control.name(nth)));
            match opened {
                Ok(device) => {
                    small(&device).expect("a device that is open computes");
                    println!("opened: yes");
                }
                Err(error) => println!("opened: {error}"),
            }
        }
        other => panic!("no task {other}"),
    }
}
