//! Streams, functions of the host and the devices of threads.

use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};

use ndany::{Array, DType, Device, HostBuffer, Priority, Stream, arange};

use crate::{cases, is_gpu, numbers};

cases![
    functions_of_the_host_run_in_order,
    functions_of_the_host_run_in_order_of_an_external_stream,
    streams_nest,
    threads_share_a_stream,
    a_stream_that_is_dropped_has_done_its_work,
    priorities_do_not_change_values,
    streams_belong_to_their_device,
    devices_nest_in_each_thread,
    devices_that_are_not_there_are_errors,
    a_value_crosses_streams_and_threads,
];

/// Appends numbers to a list as the stream comes to them, each after a copy to the host.
fn append(stream: &Stream, device: &Device) {
    let list = Arc::new(Mutex::new(Vec::new()));
    let mut copies = Vec::new();
    let _guard = stream.enter();
    for k in 0..100 {
        let x = numbers(6, DType::F64).reshape((2, 3)) + k;
        let buffer = HostBuffer::<f64>::new(device, 6).expect("memory");
        copies.push((x.download(buffer).expect("a copy"), x));
        let list = list.clone();
        stream.then(move || list.lock().expect("no panic").push(k)).expect("a call");
    }
    stream.synchronize().expect("work");
    assert_eq!(*list.lock().expect("no panic"), (0..100).collect::<Vec<i64>>());
    for (copy, x) in copies {
        assert_eq!(copy.wait().expect("values")[..], x.to_vec::<f64>().expect("values"));
    }
}

fn functions_of_the_host_run_in_order(device: &Device) {
    append(&device.stream(..).expect("a stream"), device);
}

fn functions_of_the_host_run_in_order_of_an_external_stream(device: &Device) {
    if !is_gpu(device) {
        return;
    }
    let owner = device.stream(..).expect("a stream");
    let handle = owner.native().expect("a handle");
    // SAFETY: the stream lives as long as its owner, which is dropped last.
    let lent = unsafe { Stream::external(device, handle) }.expect("a stream");
    append(&lent, device);
    drop(lent);
    assert!(owner.is_idle().expect("an answer"));
}

/// Work goes to the stream that was entered last, and to the one before when its guard is dropped.
fn streams_nest(device: &Device) {
    let [one, two, three] = [(); 3].map(|()| device.stream(..).expect("a stream"));
    let work = || {
        let x = (arange(100) * 2).sum(..);
        x.eval().expect("work");
        x
    };
    let mut made = vec![work()];
    {
        let _one = one.enter();
        made.push(work());
        {
            let _two = two.enter();
            made.push(work());
            let _three = three.enter();
            made.push(work());
        }
        made.push(work());
    }
    made.push(work());
    for x in made {
        assert_eq!(x.item::<i64>().expect("a value"), 9900);
    }
    for stream in [one, two, three] {
        stream.synchronize().expect("work");
        assert!(stream.is_idle().expect("an answer"));
    }
}

/// Two threads use one stream, and the last of them destroys it.
fn threads_share_a_stream(device: &Device) {
    let (stream, barrier) = (Arc::new(device.stream(..).expect("a stream")), Barrier::new(2));
    let streams = [stream.clone(), stream];
    std::thread::scope(|scope| {
        for stream in streams {
            let barrier = &barrier;
            scope.spawn(move || {
                let _device = device.enter();
                let x = {
                    let _guard = stream.enter();
                    barrier.wait();
                    let x = arange(10) * 3;
                    x.eval().expect("work");
                    x
                };
                barrier.wait();
                drop(stream);
                barrier.wait();
                assert_eq!((x + 1).sum(..).item::<i64>().expect("a value"), 145);
            });
        }
    });
}

fn a_stream_that_is_dropped_has_done_its_work(device: &Device) {
    let (sender, receiver) = channel();
    let x = {
        let stream = device.stream(..).expect("a stream");
        let _guard = stream.enter();
        let x = arange(50) * 2;
        x.eval().expect("work");
        stream.then(move || sender.send(7).expect("a receiver")).expect("a call");
        x
    };
    assert_eq!(x.sum(..).item::<i64>().expect("a value"), 2450);
    device.synchronize().expect("work");
    assert_eq!(receiver.recv().expect("a message"), 7);
}

fn priorities_do_not_change_values(device: &Device) {
    let streams = [
        device.stream(..).expect("a stream"),
        device.stream(Priority::High).expect("a stream"),
        device.stream(Priority::Low).expect("a stream"),
    ];
    let sums = streams.iter().map(|stream| {
        let _guard = stream.enter();
        let sum = numbers(1000, DType::F64).cumsum(0).sum(..);
        sum.eval().expect("work");
        sum
    });
    let sums: Vec<f64> = sums.map(|sum| sum.item().expect("a value")).collect();
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
}

/// The stream of one device does not take the work of another.
fn streams_belong_to_their_device(device: &Device) {
    let other = Device::open("reference").expect("always there");
    let stream = device.stream(..).expect("a stream");
    assert_eq!(stream.device(), device);
    let _stream = stream.enter();
    let there = {
        let _other = other.enter();
        arange(10) + 1
    };
    let here = arange(10) + 2;
    assert_eq!((there.device(), here.device()), (&other, device));
    assert_eq!(there.sum(..).item::<i64>().expect("a value"), 55);
    assert_eq!(here.sum(..).item::<i64>().expect("a value"), 65);
    let own = other.stream(..).expect("a stream");
    let _own = own.enter();
    assert_eq!((here * 2).sum(..).item::<i64>().expect("a value"), 130);
}

/// Each thread has a current device of its own.
fn devices_nest_in_each_thread(device: &Device) {
    let other = Device::open("reference").expect("always there");
    assert_eq!(Device::current(), *device);
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _first = other.enter();
            {
                let _second = device.enter();
                assert_eq!(Device::current(), *device);
                barrier.wait();
                barrier.wait();
            }
            assert_eq!(Device::current(), other);
        });
        {
            let _first = device.enter();
            let _second = other.enter();
            barrier.wait();
            assert_eq!(Device::current(), other);
            assert_eq!(Array::from([1.0]).device(), &other);
            barrier.wait();
        }
        assert_eq!(Device::current(), *device);
    });
    assert_eq!(Device::current(), *device);
    // The same name is the same device.
    assert_eq!(Device::open(&device.name()).expect("a device"), *device);
    assert_eq!(other == *device, device.name() == "reference");
}

fn devices_that_are_not_there_are_errors(device: &Device) {
    for name in ["cuda:100", "hip:100", "cpu:7", "gpu", "", "FFFF:FF:FF.F"] {
        let error = Device::open(name).expect_err(name).to_string();
        assert!(error.contains(name), "{name:?}: {error}");
    }
    // The thread's device stays.
    assert_eq!(Device::current(), *device);
    if is_gpu(device) {
        let place = device.pci_bus_id().expect("a place");
        let digits = |part: &str| part.chars().all(|c| c.is_ascii_hexdigit());
        let parts: Vec<&str> = place.split([':', '.']).collect();
        assert!(parts.len() == 4 && parts.iter().all(|part| digits(part)), "{place}");
    }
}

fn a_value_crosses_streams_and_threads(device: &Device) {
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _device = device.enter();
            let stream = device.stream(..).expect("a stream");
            let _guard = stream.enter();
            for k in 0..20 {
                let x = arange(500) + k;
                x.eval().expect("work");
                sender.send(x).expect("a receiver");
            }
        });
        let stream = device.stream(..).expect("a stream");
        let _guard = stream.enter();
        for (k, x) in receiver.into_iter().enumerate() {
            let sum = (x * 2).sum(..).item::<i64>().expect("a value");
            assert_eq!(sum, 2 * (124_750 + 500 * k as i64));
        }
    });
}
