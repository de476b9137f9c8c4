//! DLPack in and out: every dtype and layout, versioned and legacy, with each rule of copies; foreign tensors; bad ones.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::Result;
use ndany::dlpack::abi::{
    self, DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
};
use ndany::dlpack::{Export, Import, Tensor, device_of, export, import, stream_of};
use ndany::prelude::*;

use crate::{is_pending, on_cpu};

/// A tensor through a raw pointer, as through a capsule.
fn through_pointer(tensor: Tensor) -> Tensor {
    match tensor.into_versioned() {
        // SAFETY: the pointer was just handed over.
        Ok(pointer) => unsafe { Tensor::from_versioned(pointer) }.expect("of the own version"),
        Err(tensor) => {
            let pointer = tensor.into_legacy().expect("one of the two");
            // SAFETY: as above.
            unsafe { Tensor::from_legacy(pointer) }.expect("not null")
        }
    }
}

fn imported(tensor: Tensor, options: Import) -> Result<Array> {
    // SAFETY: the tensors of these tests describe memory that they keep, or are refused.
    unsafe { import(tensor, options) }
}

fn asked(versioned: bool, copy: Option<bool>) -> Export<'static> {
    let max_version = versioned.then_some(DLPackVersion { major: 1, minor: 0 });
    Export { max_version, copy, ..Export::default() }
}

/// Arrays of each kind of layout.
fn layouts(dtype: DType) -> Vec<(&'static str, Array)> {
    let grid = || arange(24).reshape([4, 6]).astype(dtype);
    vec![
        ("C order", grid()),
        ("0-d", arange(1).astype(dtype).reshape([0isize; 0])),
        ("empty", grid().i(s![2..2, ..])),
        ("negative", grid().i(s![..;-1, ..;-2])),
        ("broadcast", grid().i(s![1, ..]).broadcast_to([3, 6])),
        ("offset", grid().i(s![1.., 2..5])),
        ("Fortran order", grid().transpose(..)),
        ("one element of a part", grid().i(s![3, 5])),
    ]
}

#[test]
fn every_dtype_and_layout_goes_out_and_in() {
    let _here = on_cpu();
    for dtype in DType::ALL {
        for versioned in [true, false] {
            for copy in [None, Some(true), Some(false)] {
                for (name, mut a) in layouts(dtype) {
                    let context = format!("{dtype} {name} versioned={versioned} copy={copy:?}");
                    let expected = a.to_bytes().expect("computed");
                    let shares = a.layout_may_share();
                    let tensor = match export(&mut a, asked(versioned, copy)) {
                        Ok(tensor) => tensor,
                        Err(error) => {
                            // Without a version there is no flag for memory that may not be written.
                            assert!(
                                shares && !versioned && copy == Some(false),
                                "{context}: {error}"
                            );
                            assert_eq!(error.class(), "ValueError");
                            continue;
                        }
                    };
                    let given = *tensor.tensor();
                    assert_eq!(given.ndim as usize, a.ndim(), "{context}");
                    assert_eq!(given.data.is_null(), a.size() == 0, "{context}");
                    assert_eq!((given.dtype.lanes, given.byte_offset), (1, 0), "{context}");
                    let copied = copy == Some(true) || (shares && !versioned);
                    let flags = match (versioned, copied, shares) {
                        (false, ..) => 0,
                        (true, true, _) => abi::IS_COPIED,
                        (true, false, true) => abi::READ_ONLY,
                        (true, false, false) => 0,
                    };
                    assert_eq!(tensor.flags(), flags, "{context}");
                    let tensor = through_pointer(tensor);
                    let mut b = imported(tensor, Import::default()).expect(&context);
                    assert_eq!((b.dtype(), b.shape()), (dtype, a.shape()), "{context}");
                    assert_eq!(b.to_bytes().expect("computed"), expected, "{context}");
                    if a.size() == 0 {
                        continue;
                    }
                    // A write to either shows in the other, unless one is a copy or may not write.
                    b.set(ndany::Ellipsis, 1);
                    let shows = a.to_bytes().expect("computed") != expected;
                    let changes = b.to_bytes().expect("computed") != expected;
                    assert_eq!(shows, changes && !copied && !shares, "{context}");
                }
            }
        }
    }
}

trait Shares {
    fn layout_may_share(&self) -> bool;
}
impl Shares for Array {
    fn layout_may_share(&self) -> bool {
        self.size() > 0 && self.strides().iter().zip(self.shape()).any(|(&s, &n)| s == 0 && n > 1)
    }
}

#[test]
fn copy_rules_of_the_consumer() {
    let _here = on_cpu();
    let reference = Device::open("reference").expect("always there");
    for versioned in [true, false] {
        let mut a = arange(4);
        let tensor = |a: &mut Array| export(a, asked(versioned, None)).expect("exported");
        let options = Import { copy: Some(true), ..Import::default() };
        let mut copy = imported(tensor(&mut a), options).expect("copied");
        copy.set(0, 9);
        assert_eq!((a.to_string(), copy.to_string()), ("[0 1 2 3]".into(), "[9 1 2 3]".into()));
        let options = Import { copy: Some(false), ..Import::default() };
        let mut same = imported(tensor(&mut a), options).expect("shared");
        same.set(0, 9);
        assert_eq!(a.to_string(), "[9 1 2 3]");
        let elsewhere = Import { copy: None, device: Some(reference.clone()) };
        let moved = imported(tensor(&mut a), elsewhere.clone()).expect("moved");
        assert_eq!(
            (moved.device().name().as_str(), moved.to_string()),
            ("reference", "[9 1 2 3]".into())
        );
        let never = Import { copy: Some(false), ..elsewhere };
        assert_eq!(imported(tensor(&mut a), never).expect_err("a copy").class(), "ValueError");
    }
    // The producer.
    let mut a = arange(4);
    let cpu = device_of(a.device()).expect("the CPU");
    let options = Export { device: Some(cpu), copy: Some(false), ..Export::default() };
    assert_eq!(export(&mut a, options).expect("the same device").flags(), 0);
    let mut far = a.to_device(&reference).expect("moved");
    assert!(export(&mut far, Export::default()).is_err_and(|error| error.is_unsupported()));
    // Other handles keep their values: the memory is copied, or read-only.
    let held = a.clone();
    let strict = export(&mut a, asked(true, Some(false))).expect("read-only");
    assert_eq!(strict.flags(), abi::READ_ONLY);
    assert!(export(&mut a, asked(false, Some(false))).is_err());
    drop(strict);
    let mut shared =
        imported(export(&mut a, asked(true, None)).expect("copied"), Import::default())
            .expect("shared");
    shared.set(0, 7);
    assert_eq!((a.to_string(), held.to_string()), ("[7 1 2 3]".into(), "[0 1 2 3]".into()));
}

#[test]
fn what_is_made_of_a_tensor_is_computed_at_once() {
    let _here = on_cpu();
    let mut a = arange(3).astype(F32);
    let b = imported(export(&mut a, Export::default()).expect("exported"), Import::default())
        .expect("shared");
    let sum = &b + 1.0;
    assert!(!is_pending(&sum));
    a.set(0, 50);
    assert_eq!((sum.to_string(), b.to_string()), ("[1. 2. 3.]".into(), "[50.  1.  2.]".into()));
}

#[test]
fn streams_of_the_cpu_are_none() {
    let _here = on_cpu();
    let device = Device::open("cpu").expect("compiled in");
    // SAFETY: the CPU has no streams.
    let stream = |number| unsafe { stream_of(&device, number) };
    assert!(stream(None).expect("none").is_none());
    for number in [-1, 0, 1, 2, 1 << 40] {
        assert_eq!(stream(Some(number)).expect_err("a stream").class(), "ValueError");
    }
}

/// A foreign tensor: its memory, and how often its deleter was called.
struct Given {
    managed: DLManagedTensorVersioned,
    legacy: DLManagedTensor,
    values: Vec<u64>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

static DELETED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn delete_versioned(tensor: *mut DLManagedTensorVersioned) {
    DELETED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: `Given::boxed` has leaked the box, and this is the one call.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Given>()) });
}

unsafe extern "C" fn delete_legacy(tensor: *mut DLManagedTensor) {
    DELETED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: as above.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Given>()) });
}

impl Given {
    fn boxed(change: impl FnOnce(&mut Given)) -> *mut Given {
        let tensor = DLTensor {
            data: std::ptr::null_mut(),
            device: DLDevice { device_type: abi::CPU, device_id: 0 },
            ndim: 2,
            dtype: DLDataType { code: abi::INT, bits: 32, lanes: 1 },
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        let values: Vec<i32> = (0..12).collect();
        let mut given = Box::new(Given {
            managed: DLManagedTensorVersioned {
                version: abi::VERSION,
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete_versioned),
                flags: 0,
                dl_tensor: tensor,
            },
            legacy: DLManagedTensor {
                dl_tensor: tensor,
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete_legacy),
            },
            values: values.chunks(2).map(|two| two[0] as u64 | (two[1] as u64) << 32).collect(),
            shape: vec![2, 3],
            strides: vec![3, 1],
        });
        let own = &mut *given;
        let tensor = &mut own.managed.dl_tensor;
        tensor.data = own.values.as_mut_ptr().cast::<c_void>();
        tensor.shape = own.shape.as_mut_ptr();
        tensor.strides = own.strides.as_mut_ptr();
        change(own);
        given.legacy.dl_tensor = given.managed.dl_tensor;
        let given = Box::into_raw(given);
        // SAFETY: the box was just leaked.
        unsafe {
            (*given).managed.manager_ctx = given.cast();
            (*given).legacy.manager_ctx = given.cast();
        }
        given
    }

    fn tensor(versioned: bool, change: impl FnOnce(&mut Given)) -> Result<Tensor> {
        let given = Self::boxed(change);
        // SAFETY: the box was just leaked, and this is its one owner.
        unsafe {
            match versioned {
                true => Tensor::from_versioned(&raw mut (*given).managed),
                false => Tensor::from_legacy(&raw mut (*given).legacy),
            }
        }
    }

    fn array(versioned: bool, change: impl FnOnce(&mut Given)) -> Result<Array> {
        imported(Self::tensor(versioned, change)?, Import::default())
    }
}

/// One test, since it counts the calls of deleters.
#[test]
fn foreign_tensors() {
    let _here = on_cpu();
    let deleted = || DELETED.load(Ordering::SeqCst);
    for versioned in [true, false] {
        let read = |change: fn(&mut Given)| {
            let before = deleted();
            let a = Given::array(versioned, change).expect("a tensor");
            // Where nothing is shared, the tensor is not needed any more.
            assert_eq!(deleted(), before + usize::from(a.size() == 0));
            let text = a.to_string();
            drop(a);
            assert_eq!(deleted(), before + 1);
            text
        };
        assert_eq!(read(|_| {}), "[[0 1 2]\n [3 4 5]]");
        assert_eq!(
            read(|own| own.managed.dl_tensor.strides = std::ptr::null_mut()),
            "[[0 1 2]\n [3 4 5]]"
        );
        assert_eq!(read(|own| own.managed.dl_tensor.byte_offset = 4), "[[1 2 3]\n [4 5 6]]");
        assert_eq!(read(|own| own.strides[..].copy_from_slice(&[0, 2])), "[[0 2 4]\n [0 2 4]]");
        assert_eq!(
            read(|own| {
                own.managed.dl_tensor.byte_offset = 4 * 11;
                own.strides[..].copy_from_slice(&[-3, -1]);
            }),
            "[[11 10  9]\n [ 8  7  6]]"
        );
        assert_eq!(
            read(|own| {
                own.managed.dl_tensor.ndim = 0;
                own.managed.dl_tensor.shape = std::ptr::null_mut();
                own.managed.dl_tensor.strides = std::ptr::null_mut();
            }),
            "0"
        );
        assert_eq!(
            read(|own| {
                own.shape[0] = 0;
                own.managed.dl_tensor.data = std::ptr::null_mut();
            }),
            "[]"
        );
        // Page-locked memory is the CPU's.
        for device_type in [abi::CUDA_HOST, abi::ROCM_HOST] {
            let tensor = Given::tensor(versioned, |own| {
                own.managed.dl_tensor.device.device_type = device_type;
            });
            let a = imported(tensor.expect("a tensor"), Import::default()).expect("shared");
            assert_eq!(a.device().name(), "cpu");
        }
        // Elements at an address between theirs: copied, unless that is forbidden.
        let between = |copy| {
            let tensor = Given::tensor(versioned, |own| own.managed.dl_tensor.byte_offset = 2);
            imported(tensor.expect("a tensor"), Import { copy, device: None })
        };
        let before = deleted();
        assert_eq!(
            between(None).expect("copied").i(s![0, 0]).item::<i32>().expect("read"),
            1 << 16
        );
        assert_eq!(between(Some(false)).expect_err("a copy").class(), "ValueError");
        assert_eq!(deleted(), before + 2);
        // What is wrong is an error, and the deleter is called.
        let refused = |change: fn(&mut Given)| {
            let before = deleted();
            let error = Given::array(versioned, change).expect_err("refused");
            assert_eq!(deleted(), before + 1, "{error}");
            error.class()
        };
        let (value, unsupported) = ("ValueError", "NotImplementedError");
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.lanes = 4), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.lanes = 0), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.code = 3), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.code = 17), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.bits = 4), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.dtype.bits = 128), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.device.device_type = 7), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.device.device_type = 0), unsupported);
        assert_eq!(refused(|own| own.managed.dl_tensor.data = std::ptr::null_mut()), value);
        assert_eq!(refused(|own| own.managed.dl_tensor.ndim = -1), value);
        assert_eq!(refused(|own| own.managed.dl_tensor.ndim = 65), value);
        assert_eq!(refused(|own| own.managed.dl_tensor.shape = std::ptr::null_mut()), value);
        assert_eq!(refused(|own| own.shape[1] = -1), value);
        assert_eq!(refused(|own| own.shape[1] = i64::MAX), value);
        assert_eq!(refused(|own| own.shape[..].copy_from_slice(&[1 << 40, 1 << 40])), value);
        assert_eq!(refused(|own| own.strides[0] = i64::MAX), value);
        assert_eq!(refused(|own| own.strides[0] = i64::MIN), value);
        assert_eq!(refused(|own| own.strides[..].copy_from_slice(&[1 << 62, 1 << 62])), value);
        assert_eq!(refused(|own| own.managed.dl_tensor.byte_offset = u64::MAX), value);
    }
    // Read-only memory is copied by a write.
    let tensor = Given::tensor(true, |own| own.managed.flags = abi::READ_ONLY).expect("a tensor");
    let first = tensor.tensor().data.cast::<i32>();
    let mut a = imported(tensor, Import::default()).expect("shared");
    let held = a.clone();
    a.set(s![0, 0], 9);
    // SAFETY: `held` keeps the tensor.
    assert_eq!(unsafe { first.read() }, 0);
    assert_eq!(held.i(s![0, 0]).to_string(), "0");
    drop((a, held));
    // Another major version: only the deleter is called.
    let before = deleted();
    for major in [0, 2, 9] {
        let foreign = Given::tensor(true, |own| own.managed.version.major = major);
        assert!(foreign.is_err_and(|error| error.is_unsupported()));
    }
    assert_eq!(deleted(), before + 3);
    let later =
        Given::array(true, |own| own.managed.version.minor = 99).expect("a later minor version");
    assert_eq!(later.shape(), [2, 3]);
    drop(later);
    // No deleter is one that has nothing to do.
    let given = Given::boxed(|own| own.managed.deleter = None);
    // SAFETY: the box was just leaked; without a deleter the test frees it.
    unsafe {
        let tensor = Tensor::from_versioned(&raw mut (*given).managed).expect("a tensor");
        drop(imported(tensor, Import::default()).expect("shared"));
        drop(Box::from_raw(given));
    }
    // A consumed capsule.
    // SAFETY: null is allowed.
    let none = unsafe {
        (Tensor::from_versioned(std::ptr::null_mut()), Tensor::from_legacy(std::ptr::null_mut()))
    };
    assert_eq!(none.0.expect_err("none").class(), "ValueError");
    assert_eq!(none.1.expect_err("none").class(), "ValueError");
    rounds_with_threads();
}

/// 10,000 tensors out, in and dropped by four threads: each deleter is called once, and nothing is left.
fn rounds_with_threads() {
    let before = DELETED.load(Ordering::SeqCst);
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Tensor>(16);
    let receiver = std::sync::Mutex::new(receiver);
    let total = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let _here = on_cpu();
                loop {
                    let next = receiver.lock().expect("no panic").recv();
                    let Ok(tensor) = next else { break };
                    let mut a = imported(tensor, Import::default()).expect("shared");
                    a += 1;
                    let (b, view) = (&a * 2, a.transpose(..));
                    drop(a);
                    assert_eq!(b.shape(), view.shape().iter().rev().copied().collect::<Vec<_>>());
                    let sum: i64 = b.astype(I64).sum(..).item().expect("computed");
                    total.fetch_add(sum as usize, Ordering::SeqCst);
                }
            });
        }
        let _here = on_cpu();
        for round in 0..10_000 {
            let versioned = round % 2 == 0;
            let tensor = match round % 4 {
                // Of a foreign producer, and of this one, whose array goes or is lent again at once.
                0 | 1 => Given::tensor(versioned, |_| {}).expect("a tensor"),
                _ => {
                    let mut a = arange(6).astype(I32).reshape([2, 3]);
                    let tensor = export(&mut a, asked(versioned, None)).expect("exported");
                    drop(export(&mut a, asked(!versioned, None)).expect("exported"));
                    through_pointer(tensor)
                }
            };
            sender.send(tensor).expect("threads take it");
        }
        drop(sender);
    });
    // (0 + … + 5 + 6) · 2 each.
    assert_eq!(total.load(Ordering::SeqCst), 10_000 * 42);
    assert_eq!(DELETED.load(Ordering::SeqCst), before + 5_000);
}
