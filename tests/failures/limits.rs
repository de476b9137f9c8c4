//! One number that asks for too much, memory that is short, and names that are none: an error, and at once.

use std::time::{Duration, Instant};

use ndany::call::{Value, call};
use ndany::{
    Array, DType, Device, Digits, Error, FloatFormat, Printing, along, arange, checked,
    format_float_positional, format_float_scientific, ones,
};

fn class<T>(result: Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "no error",
        Err(error) => error.class(),
    }
}

/// Runs what must not take long, whatever number it is given.
fn at_once<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    result
}

#[test]
fn integers_that_span_all_64_bits_have_their_sets() {
    let _guard = Device::open("cpu").expect("the CPU is there").enter();
    let ends = |k: usize| if k.is_multiple_of(2) { 0 } else { u64::MAX };
    let unsigned = Array::from((0..2000).map(ends).collect::<Vec<u64>>());
    assert_eq!(unsigned.unique(..).to_vec::<u64>().expect("values"), [0, u64::MAX]);
    let signed = |k: usize| if k.is_multiple_of(2) { i64::MIN } else { i64::MAX };
    let signed = Array::from((0..2000).map(signed).collect::<Vec<i64>>());
    assert_eq!(signed.unique(..).to_vec::<i64>().expect("values"), [i64::MIN, i64::MAX]);
    let ends = [i64::MIN, i64::MAX];
    assert_eq!(signed.union1d(&signed).to_vec::<i64>().expect("values"), ends);
    assert_eq!(signed.intersect1d(&signed).to_vec::<i64>().expect("values"), ends);
    let found = call("np.isin", &[signed.clone().into(), signed.into()], &[]).expect("values");
    let found = found.into_array().expect("an array");
    assert!(found.all(..).item::<bool>().expect("a value"));
}

#[test]
fn texts_of_any_width() {
    // Beyond the 65,535 letters of a width of `format!`.
    let text = checked::binary_repr(5, Some(70_000)).expect("70,000 digits");
    assert_eq!(text.len(), 70_000);
    assert!(text.starts_with("000") && text.ends_with("000101"));
    let text = checked::binary_repr(-3, Some(70_000)).expect("70,000 digits");
    assert!(text.len() == 70_000 && text.starts_with("111") && text.ends_with("111101"));
    assert_eq!(checked::base_repr(-6, 5, 70_000).expect("digits").len(), 70_003);
    assert_eq!(checked::base_repr(0, 2, 0).expect("digits"), "0");
    assert_eq!(checked::base_repr(0, 2, 3).expect("digits"), "000");
    for width in [1 << 60, usize::MAX] {
        assert_eq!(class(checked::binary_repr(5, Some(width))), "MemoryError");
        assert_eq!(class(checked::base_repr(5, 2, width)), "MemoryError");
    }
    let plain = FloatFormat::default();
    let exact = FloatFormat { unique: false, ..plain };
    for width in [70_000, usize::MAX] {
        for format in [
            FloatFormat { pad_left: width, ..plain },
            FloatFormat { pad_right: width, ..plain },
            FloatFormat { min_digits: Some(width), ..plain },
            FloatFormat { exponent_digits: width, ..plain },
            FloatFormat { precision: Some(width), ..exact },
        ] {
            assert_eq!(class(format_float_positional(0.5, format)), "ValueError", "{format:?}");
            assert_eq!(class(format_float_scientific(0.5, format)), "ValueError", "{format:?}");
        }
        // Digits at most, of which there is one.
        let most = FloatFormat { precision: Some(width), ..plain };
        assert_eq!(format_float_positional(0.5, most).expect("a text"), "0.5");
        assert_eq!(format_float_scientific(0.5, most).expect("a text"), "5.e-01");
        let _guard = Device::open("reference").expect("always there").enter();
        let fixed = Printing { precision: width, digits: Digits::Fixed, ..Printing::default() };
        assert_eq!(class(Array::from([0.5]).array2string(fixed)), "ValueError");
        let most = Printing { precision: width, ..Printing::default() };
        assert_eq!(Array::from([0.5]).array2string(most).expect("a text"), "[0.5]");
    }
    let wide = FloatFormat { pad_left: 16_000, ..plain };
    assert_eq!(format_float_positional(0.5, wide).expect("a text").len(), 16_002);
}

#[test]
fn counts_that_no_memory_holds() {
    let _guard = Device::open("reference").expect("always there").enter();
    let a = arange(6);
    at_once(|| {
        for parts in [usize::MAX, 1 << 60] {
            assert_eq!(class(checked::array_split(&a, parts, 0)), "MemoryError", "{parts} parts");
        }
        for count in [i64::MIN, i64::MIN + 1, -100] {
            let bytes = ones((3,), DType::U8);
            let result = call("np.unpackbits", &[bytes.into()], &[("count".into(), count.into())]);
            assert_eq!(class(result), "ValueError", "count={count}");
        }
        for times in [7, 200_000, i64::MAX as usize, usize::MAX] {
            let empty = checked::diff(&a, along(0).n(times)).expect("nothing");
            assert_eq!((empty.size(), empty.dtype()), (0, DType::I64), "{times} times");
            let zero = checked::polyder(&Array::from([1.0, 2.0]), times).expect("nothing");
            assert_eq!(zero.size(), 0, "{times} times");
        }
        for degree in [1 << 40, i64::MAX as usize, usize::MAX] {
            let x = Array::from([1.0, 2.0]);
            let error = class(checked::polynomial::polyvander(&x, degree));
            assert!(["MemoryError", "ValueError"].contains(&error), "degree {degree}: {error}");
            let error = class(checked::polyint(&x, degree, 0));
            assert!(["MemoryError", "ValueError"].contains(&error), "{degree} times: {error}");
            let error = class(checked::vander(&x, Some(degree), true));
            assert!(["MemoryError", "ValueError"].contains(&error), "{degree} columns: {error}");
        }
    });
}

/// The name of the test that is a child's, and the variable that makes it one.
#[cfg(target_os = "linux")]
const CHILD: (&str, &str) = ("limits::child", "NDANY_TEST_LIMITS_CHILD");

/// Runs [`child`] in a process of its own: its status and what it printed.
#[cfg(target_os = "linux")]
fn in_child(task: &str, device: Option<&std::ffi::OsStr>) -> (bool, String) {
    let program = std::env::current_exe().expect("this program");
    let mut command = std::process::Command::new(program);
    command.args(["--exact", CHILD.0, "--nocapture", "--test-threads=1"]).env(CHILD.1, task);
    if let Some(device) = device {
        command.env("NDANY_DEVICE", device);
    }
    let output = command.output().expect("it starts");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), text.concat())
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_name_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let (fine, said) = in_child("current", Some(name));
    assert!(!fine && said.contains("NDANY_DEVICE is not UTF-8"), "{said}");
    let (fine, said) = in_child("current", Some("reference".as_ref()));
    assert!(fine && said.contains("current: reference"), "{said}");
}

/// Calls that take memory of the host beside that of arrays: names, devices, and what they are given.
#[cfg(target_os = "linux")]
const HUNGRY: &[(&str, &str, usize)] = &[
    ("matmul", "cpu:threads=2", 700),
    ("matmul16", "cpu:threads=2", 700),
    ("det", "cpu:threads=2", 700),
    ("inv", "cpu:threads=2", 700),
    ("solve", "cpu:threads=2", 700),
    ("cholesky", "cpu:threads=2", 700),
    ("qr", "cpu:threads=2", 700),
    ("eigh", "cpu:threads=2", 400),
    ("eigvals", "cpu:threads=2", 150),
    ("svd", "cpu:threads=2", 400),
    ("pinv", "cpu:threads=2", 300),
    ("fft", "cpu:threads=2", 2_000_000),
    ("fft", "cpu:threads=2", 1_000_003),
    ("rfft", "cpu:threads=2", 2_000_000),
    ("fft2", "cpu:threads=2", 1_000_000),
    // What reductions, folds and scans take for themselves.
    ("sum", "cpu:threads=2", 4_000_000),
    ("subtract.reduce", "cpu:threads=2", 4_000_000),
    ("cumsum", "cpu:threads=2", 4_000_000),
    ("tolist", "cpu:threads=2", 1_000_000),
    ("to_vec", "cpu:threads=2", 4_000_000),
    ("det", "reference", 120),
    ("inv", "reference", 120),
    ("svd", "reference", 60),
    ("fft", "reference", 300_000),
    ("fft", "reference", 100_003),
];

#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_short_is_an_error_and_the_device_goes_on() {
    let (mut refused, mut wrong) = (0, Vec::new());
    for &(name, device, size) in HUNGRY {
        // Plain loops take hundreds of times as long, and twice the memory at least.
        let iterates = ["eigh", "eigvals", "svd", "pinv"].contains(&name);
        let factors = iterates || ["det", "inv", "solve", "cholesky", "qr"].contains(&name);
        let size = match cfg!(feature = "linalg") || !factors || device == "reference" {
            true => size,
            false => size / if iterates { 6 } else { 3 },
        };
        // KiB after the operands.
        for room in [256, 1_000, 4_000, 16_000, 40_000, 70_000, 120_000, 300_000] {
            let (fine, said) = in_child(&format!("{name} {size} {room}"), Some(device.as_ref()));
            match fine {
                true => refused += usize::from(said.contains("outcome: MemoryError")),
                false => {
                    let last: Vec<&str> =
                        said.lines().rev().filter(|line| !line.is_empty()).collect();
                    wrong.push(format!(
                        "{name} of {size} on {device}, {room} KiB: {:?}",
                        &last[..last.len().min(3)]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > HUNGRY.len(), "{refused} were refused");
}

/// What the tests above run in a process of its own.
#[cfg(target_os = "linux")]
#[test]
fn child() {
    let Ok(task) = std::env::var(CHILD.1) else { return };
    let device = Device::current();
    println!("current: {device}");
    let words: Vec<&str> = task.split(' ').collect();
    let &[name, size, room] = words.as_slice() else { return };
    let [size, room]: [usize; 2] = [size, room].map(|number| number.parse().expect("a number"));
    let matrix = |dtype: DType| {
        let n = size as isize;
        let values = (arange((size * size) as i64) * 7919 % 1013).astype(DType::F64) / 1013.0;
        (values.reshape([n, n]) + ndany::eye(size) * 2.0 * size as f64).astype(dtype)
    };
    let line = || (arange(size as i64) % 1013).astype(DType::F64);
    let a = match name {
        "matmul16" => matrix(DType::F16),
        "fft" | "rfft" | "tolist" | "to_vec" => line(),
        "fft2" => line().reshape([1000, -1]),
        "sum" | "subtract.reduce" | "cumsum" => line().reshape([4, -1]),
        "cholesky" | "eigh" => matrix(DType::F64) + matrix(DType::F64).transpose(..),
        _ => matrix(DType::F64),
    };
    a.eval().expect("operands");
    let numpy = match name {
        "matmul16" => "np.matmul".to_string(),
        "matmul" => "np.matmul".to_string(),
        "fft" | "rfft" | "fft2" => format!("np.fft.{name}"),
        "tolist" => "np.ndarray.tolist".to_string(),
        "sum" | "subtract.reduce" | "cumsum" => format!("np.{name}"),
        name => format!("np.linalg.{name}"),
    };
    let mut args = vec![Value::from(&a)];
    if numpy == "np.matmul" || name == "solve" {
        args.push(Value::from(&a));
    }
    if ["np.sum", "np.cumsum"].contains(&numpy.as_str()) {
        args.push(0.into());
    }
    // The pool's threads have started, and have from the allocator what each takes at first.
    std::thread::sleep(Duration::from_millis(30));
    limit(room << 10);
    let result = match name {
        "to_vec" => a.to_vec::<f64>().map(|_| ()),
        _ => call(&numpy, &args, &[]).and_then(|result| evaluated(&result)),
    };
    match &result {
        Ok(()) => println!("outcome: fine"),
        Err(error) => println!("outcome: {}", error.class()),
    }
    if let Err(error) = &result {
        assert_eq!(error.class(), "MemoryError", "{error}");
    }
    // Operands gone, the device has memory again.
    drop((result, args, a));
    assert_eq!((arange(100) + 1).sum(..).item::<i64>().expect("it goes on"), 5050);
}

#[cfg(target_os = "linux")]
fn evaluated(value: &Value) -> Result<(), Error> {
    match value {
        Value::Array(array) => array.eval(),
        Value::Tuple(items) => items.iter().try_for_each(evaluated),
        _ => Ok(()),
    }
}

/// Lets the process's address space grow by no more than these bytes.
#[cfg(target_os = "linux")]
fn limit(room: usize) {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: usize = pages.split(' ').next().and_then(|word| word.parse().ok()).expect("pages");
    let bytes = (pages * 4096 + room) as libc::rlim_t;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it writes the structure that it is given.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    assert_eq!(status, 0, "the limit is known");
    limit.rlim_cur = bytes.min(limit.rlim_max);
    // SAFETY: it reads the structure that it is given.
    let status = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
    assert_eq!(status, 0, "the limit is set");
}
