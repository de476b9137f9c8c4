//! Work of one stream runs in its order, and streams wait for each other where memory meets.

use std::collections::VecDeque;
use std::sync::Mutex;

use super::*;

#[test]
fn work_of_a_thread_runs_in_order() {
    let fake = device();
    let runtime = runtime(&fake);
    let mut values = array(&runtime, 5).unwrap();
    for _ in 0..20 {
        values = add_one(&runtime, &values).unwrap();
    }
    assert_eq!(first_of(&runtime, &values).unwrap(), 25);
    assert_eq!(fake.calls("record"), fake.calls("upload") + fake.calls("download"));
    assert_eq!(fake.calls("stream_waits"), 0, "one stream waits for no other");
    let launched = fake.launched();
    assert_eq!(launched.len(), 20);
    assert!(launched.iter().all(|one| (one.grid, one.block) == (1, 128)));
}

#[test]
fn a_stream_waits_for_what_it_reads() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let here = array(&runtime, 1).unwrap();
    let there = {
        let _guard = stream.enter();
        let first = add_one(&runtime, &here).unwrap();
        let waits = fake.calls("stream_waits");
        assert_eq!(waits, 1);
        add_one(&runtime, &here).unwrap();
        assert_eq!(fake.calls("stream_waits"), waits, "it runs after that write already");
        first
    };
    let back = add_one(&runtime, &there).unwrap();
    assert_eq!(first_of(&runtime, &back).unwrap(), 3);
    let streams: Vec<Stream> = fake.launched().iter().map(|one| one.stream).collect();
    assert_eq!(streams[0], streams[1]);
    assert_ne!(streams[0], streams[2]);
}

#[test]
fn a_write_waits_for_readers_of_other_streams() {
    let fake = device();
    let runtime = runtime(&fake);
    let stream = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let here = array(&runtime, 1).unwrap();
    let guard = stream.enter();
    let there = add_one(&runtime, &here).unwrap();
    drop(guard);
    // In place, by the only holder.
    launch(&runtime, "add_one", &here, &here).unwrap();
    assert_eq!(first_of(&runtime, &here).unwrap(), 2);
    assert_eq!(first_of(&runtime, &there).unwrap(), 2, "it was read before it was written");
}

#[test]
fn memory_freed_in_one_stream_is_not_written_early_by_another() {
    let fake = device();
    let runtime = runtime(&fake);
    let streams: Vec<_> =
        (0..3).map(|_| GpuStream::new(&runtime, Priority::Normal).unwrap()).collect();
    let mut results = Vec::new();
    for round in 0..30 {
        let _guard = streams[round % 3].enter();
        let start = array(&runtime, round as u64).unwrap();
        let middle = add_one(&runtime, &start).unwrap();
        drop(start);
        let end = add_one(&runtime, &middle).unwrap();
        results.push(end);
        if round % 7 == 0 {
            fake.progress();
        }
    }
    for (round, result) in results.iter().enumerate() {
        assert_eq!(first_of(&runtime, result).unwrap(), round as u64 + 2);
    }
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn guards_nest_and_belong_to_their_thread() {
    let fake = device();
    let runtime = runtime(&fake);
    let default = runtime.stream();
    let [a, b] = [(); 2].map(|()| GpuStream::new(&runtime, Priority::Normal).unwrap());
    let outer = a.enter();
    let in_a = runtime.stream();
    {
        let _inner = b.enter();
        assert_ne!(runtime.stream(), in_a);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(runtime.stream(), default));
        });
    }
    assert_eq!(runtime.stream(), in_a);
    drop(outer);
    assert_eq!(runtime.stream(), default);
    drop(a);
    drop(b);
    let again = GpuStream::new(&runtime, Priority::Normal).unwrap();
    let _guard = again.enter();
    assert_eq!(fake.calls("create_stream"), 3, "streams are used again");
    assert_ne!(runtime.stream(), default);
}

#[test]
fn more_streams_than_bits() {
    let fake = device();
    let runtime = runtime(&fake);
    let streams: Vec<_> =
        (0..70).map(|_| GpuStream::new(&runtime, Priority::Normal).unwrap()).collect();
    let mut values = array(&runtime, 0).unwrap();
    for stream in &streams {
        let _guard = stream.enter();
        values = add_one(&runtime, &values).unwrap();
    }
    assert_eq!(first_of(&runtime, &values).unwrap(), 70);
    drop(values);
    runtime.release().unwrap();
    assert_eq!(runtime.pool_statistics().reserved, 0);
    drop(streams);
    drop(runtime);
    assert_eq!(fake.leaks(), [0; 5]);
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn fresh_memory_is_poisoned_if_asked_for() {
    let fake = device();
    let settings = Settings { poison: true, ..Settings::default() };
    let runtime = open(&fake, settings).unwrap();
    let memory = runtime.allocate(1000).unwrap();
    let scratch = runtime.scratch(10).unwrap();
    let mut bytes = [0; 1000];
    runtime.read(&memory, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0xFF; 1000]);
    fake.progress();
    assert_eq!(fake.peek(scratch.address(), 10), [0xFF; 10]);
}

#[test]
fn a_launch_of_too_many_words_is_an_error() {
    let fake = device();
    let runtime = runtime(&fake);
    let words = Arguments::of_places([0; 513]);
    let outcome = || unreachable!("it is not put off");
    assert!(runtime.launch(&Named("add_one"), 1, 1, &words, &outcome).is_err());
    assert_eq!(fake.calls("launch"), 0);
}

#[test]
fn arrays_go_from_thread_to_thread_and_stream_to_stream() {
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 50;
    let fake = device();
    let runtime = runtime(&fake);
    let start = |first| (first, array(&runtime, first).unwrap());
    let under_way: Mutex<VecDeque<_>> = Mutex::new((0..6).map(|k| start(100 * k)).collect());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (runtime, fake, under_way) = (&runtime, &fake, &under_way);
            scope.spawn(move || {
                let stream =
                    (thread > 0).then(|| GpuStream::new(runtime, Priority::Normal).unwrap());
                let _guard = stream.as_ref().map(GpuStream::enter);
                for round in 0..ROUNDS {
                    let next = under_way.lock().unwrap().pop_front();
                    let Some((value, values)) = next else { continue };
                    let values = match (thread + round) % 3 {
                        // In place, else into memory that may be another stream's of late.
                        0 => {
                            launch(runtime, "add_one", &values, &values).unwrap();
                            values
                        }
                        _ => add_one(runtime, &values).unwrap(),
                    };
                    if round % 10 == thread {
                        fake.progress();
                    }
                    under_way.lock().unwrap().push_back((value + 1, values));
                }
            });
        }
    });
    let results = under_way.into_inner().unwrap();
    let sum: u64 = results.iter().map(|(value, _)| value).sum();
    assert_eq!(sum, 100 * (1 + 2 + 3 + 4 + 5) + fake.launched().len() as u64);
    for (value, values) in &results {
        assert_eq!(first_of(&runtime, values).unwrap(), *value);
    }
    assert_eq!(fake.violations(), [""; 0]);
}

#[test]
fn guards_may_go_in_any_order() {
    let fake = device();
    let runtime = runtime(&fake);
    let default = runtime.stream();
    // Three guards of three streams go in each of the six orders.
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let streams: Vec<_> =
            (0..3).map(|_| GpuStream::new(&runtime, Priority::Normal).unwrap()).collect();
        let mut entered = Vec::new();
        let mut guards: Vec<_> = streams
            .iter()
            .map(|stream| {
                let guard = stream.enter();
                entered.push(runtime.stream());
                Some(guard)
            })
            .collect();
        for gone in order {
            guards[gone] = None;
            let last = guards.iter().rposition(Option::is_some);
            let expected = last.map_or(default, |last| entered[last]);
            assert_eq!(runtime.stream(), expected, "{order:?}");
        }
    }
}
