use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

const A: u64 = 16;
const B: u64 = 32;

fn late() -> (Schedule, Sender<u32>, Receiver<u32>) {
    let mut order = Schedule::new(When::Late(0));
    order.create_stream(A, 0, false);
    order.create_stream(B, 0, true);
    order.create_event(48, 0);
    let (sender, receiver) = channel();
    (order, sender, receiver)
}

fn submit(order: &mut Schedule, stream: u64, sender: &Sender<u32>, value: u32) {
    let sender = sender.clone();
    let job: Job = Box::new(move || sender.send(value).unwrap());
    if let Some(job) = order.submit(stream, 0, job).unwrap() {
        job();
    }
}

fn done(receiver: &Receiver<u32>) -> Vec<u32> {
    receiver.try_iter().collect()
}

#[test]
fn late_work_waits_for_its_stream_only() {
    let (mut order, sender, receiver) = late();
    submit(&mut order, A, &sender, 1);
    submit(&mut order, B, &sender, 2);
    assert_eq!(done(&receiver), []);
    order.wait_for_stream(B, 0).unwrap();
    assert_eq!(done(&receiver), [2]);
    order.wait_for_device(0);
    assert_eq!(done(&receiver), [1]);
}

#[test]
fn a_stream_that_waits_takes_along_what_is_in_front_of_the_event_and_no_more() {
    let (mut order, sender, receiver) = late();
    submit(&mut order, A, &sender, 1);
    order.record(48, A, 0).unwrap();
    submit(&mut order, A, &sender, 2);
    order.stream_waits(B, 48, 0).unwrap();
    submit(&mut order, B, &sender, 3);
    // Destroying and recording again change nothing for waits that were submitted before.
    order.record(48, A, 0).unwrap();
    order.destroy_event(48).unwrap();
    assert!(order.wait_for_event(48).is_err());
    order.wait_for_stream(B, 0).unwrap();
    assert_eq!(done(&receiver), [1, 3]);
    order.destroy_stream(A, 0).unwrap();
    assert_eq!(done(&receiver), [2]);
    assert_eq!(order.live(0), [1, 0]);
}

#[test]
fn a_wait_means_the_record_of_its_time_though_another_stream_passes_a_later_one_first() {
    let (mut order, sender, receiver) = late();
    order.create_stream(64, 0, false);
    submit(&mut order, A, &sender, 1);
    order.record(48, A, 0).unwrap();
    order.stream_waits(B, 48, 0).unwrap();
    submit(&mut order, B, &sender, 2);
    // The same event again, in a stream that passes it before A is queried.
    order.record(48, 64, 0).unwrap();
    order.wait_for_stream(64, 0).unwrap();
    assert!(order.is_past(48).unwrap());
    order.wait_for_stream(B, 0).unwrap();
    assert_eq!(done(&receiver), [1, 2]);
}

/// Three streams: A and B write, C waits for what A has first. What is done when C is waited for, and then B.
fn interleaved(seed: u32) -> Vec<u32> {
    let (mut order, sender, receiver) = late();
    order.when = When::Late(seed);
    order.chance = Chance::of(seed.into());
    order.create_stream(64, 0, false);
    submit(&mut order, A, &sender, 1);
    order.record(48, A, 0).unwrap();
    submit(&mut order, A, &sender, 2);
    order.stream_waits(64, 48, 0).unwrap();
    (10..14).for_each(|value| submit(&mut order, B, &sender, value));
    submit(&mut order, 64, &sender, 20);
    order.wait_for_stream(64, 0).unwrap();
    let mut all = done(&receiver);
    assert!(all.contains(&20), "it was waited for");
    order.wait_for_device(0);
    all.extend(done(&receiver));
    all
}

#[test]
fn a_seed_gives_an_order_of_its_own_that_keeps_to_streams_and_events() {
    let all: Vec<Vec<u32>> = (0..40).map(interleaved).collect();
    // Without a seed: what C waits for, then streams as they are numbered.
    assert_eq!(all[0], [1, 20, 2, 10, 11, 12, 13]);
    for (seed, order) in all.iter().enumerate() {
        let at = |value: u32| order.iter().position(|&other| other == value).unwrap();
        assert!(at(1) < at(2) && at(1) < at(20), "{seed}: {order:?}");
        assert!((10..13).all(|value| at(value) < at(value + 1)), "{seed}: {order:?}");
        assert_eq!((order.len(), order), (7, &interleaved(seed as u32)));
    }
    let different: std::collections::HashSet<_> = all.iter().collect();
    assert!(different.len() > 15, "only {} orders", different.len());
    // Some overtake what was asked for, and some do not begin before all else is done.
    assert!(all.iter().any(|order| order[..4] == [10, 11, 12, 13]), "{all:?}");
    assert!(all[1..].iter().any(|order| order[..2] == [1, 20]), "{all:?}");
}

#[test]
fn a_queried_stream_does_not_overtake_what_it_waits_for() {
    for seed in 0..40 {
        let (mut order, sender, receiver) = late();
        order.when = When::Late(seed);
        order.chance = Chance::of(seed.into());
        (1..6).for_each(|value| submit(&mut order, A, &sender, value));
        order.record(48, A, 0).unwrap();
        order.stream_waits(B, 48, 0).unwrap();
        submit(&mut order, B, &sender, 20);
        while !order.is_at_end(B, 0).unwrap() {}
        assert_eq!(done(&receiver), [1, 2, 3, 4, 5, 20], "{seed}");
    }
}

#[test]
fn questions_make_progress() {
    let (mut order, sender, receiver) = late();
    submit(&mut order, A, &sender, 1);
    submit(&mut order, A, &sender, 2);
    order.record(48, A, 0).unwrap();
    assert_eq!(order.time(48), Err(Failure::NotReady));
    let past = [0; 4].map(|_| order.is_past(48).unwrap());
    assert_eq!(past, [false, false, false, true]);
    assert!(order.time(48).is_ok() && order.is_at_end(A, 0).unwrap());
    assert_eq!(done(&receiver), [1, 2]);
}

#[test]
fn the_default_stream_waits_for_blocking_streams() {
    let (mut order, sender, receiver) = late();
    submit(&mut order, A, &sender, 1);
    submit(&mut order, B, &sender, 2);
    submit(&mut order, 0, &sender, 3);
    assert_eq!(done(&receiver), [2, 3]);
}

#[test]
fn streams_are_of_their_device() {
    let (mut order, ..) = late();
    assert_eq!(order.check_stream(A, 1), Err(NO_STREAM));
    assert_eq!(order.record(48, 0, 1), Err(NO_EVENT));
    order.clear(0);
    assert_eq!(order.check_stream(A, 0), Err(NO_STREAM));
    let mut now = Schedule::new(When::Now);
    now.create_stream(A, 0, true);
    assert!(now.submit(A, 0, Box::new(|| ())).unwrap().is_some());
}
