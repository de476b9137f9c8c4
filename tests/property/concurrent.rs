//! Running a program over threads and streams, as its schedules say: step after step, or all threads at the same time.
//! What comes out must not depend on it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ndany::Stream;

use crate::program::{Program, StepSchedule, Then};
use crate::run::{Outcome, Slot, apply, failure, message, outcome};
use crate::target::Target;

/// How far a program is.
struct State {
    slots: Vec<Slot>,
    /// Uses of each value that are still to come; an output has one more.
    left: Vec<usize>,
    done: Vec<bool>,
    outcomes: Vec<Option<Outcome>>,
    /// Steps and reads that are done, if they come one after the other.
    turn: usize,
}

struct Run<'p> {
    program: &'p Program,
    in_turn: bool,
    streams: &'p [Stream],
    state: Mutex<State>,
    progress: Condvar,
}

/// The outcomes of the program's outputs, in order. One after the other (`in_turn`), the calls of the device are the same
/// each time.
pub fn outcomes(program: &Program, target: &Target, in_turn: bool) -> Vec<Outcome> {
    let count = program.steps.len();
    let mut left = vec![0; count];
    let uses = program.steps.iter().flat_map(|step| step.uses());
    uses.chain(program.outputs.iter().copied()).for_each(|used| left[used] += 1);
    let state = State {
        slots: (0..count).map(|_| None).collect(),
        left,
        done: vec![false; count],
        outcomes: program.outputs.iter().map(|_| None).collect(),
        turn: 0,
    };
    let (state, progress) = (Mutex::new(state), Condvar::new());
    let run = Run { program, in_turn, streams: &target.streams, state, progress };
    std::thread::scope(|scope| {
        for thread in 0..StepSchedule::THREADS {
            let (run, device) = (&run, target.device.clone());
            scope.spawn(move || {
                let _guard = device.enter();
                run.part(thread);
            });
        }
    });
    let State { outcomes, .. } = run.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().map(|outcome| outcome.expect("each output was read")).collect()
}

impl Run<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What one thread does: its steps, then its reads.
    fn part(&self, thread: usize) {
        let Program { steps, schedules, outputs } = self.program;
        for (number, schedule) in schedules.iter().enumerate() {
            if schedule.thread == thread {
                self.wait(number, &steps[number].uses());
                self.in_stream(schedule.stream, || self.step(number, *schedule));
                self.advance();
            }
        }
        for (position, &value) in outputs.iter().enumerate() {
            // Somewhere else than where it was made.
            let schedule = schedules[value];
            if (schedule.thread + 1) % StepSchedule::THREADS == thread {
                self.wait(steps.len() + position, &[value]);
                let stream = (schedule.stream + 1) % StepSchedule::STREAMS;
                self.in_stream(stream, || self.read(position, value));
                self.advance();
            }
        }
    }

    /// Until it is this one's turn, or until there is what it needs.
    fn wait(&self, turn: usize, uses: &[usize]) {
        let ready = |state: &State| match self.in_turn {
            true => state.turn == turn,
            false => uses.iter().all(|&used| state.done[used]),
        };
        let mut state = self.state();
        while !ready(&state) {
            state = self.progress.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn advance(&self) {
        self.state().turn += 1;
        self.progress.notify_all();
    }

    fn in_stream(&self, stream: usize, then: impl FnOnce()) {
        let _guard = stream.checked_sub(1).map(|stream| self.streams[stream].enter());
        then();
    }

    fn step(&self, number: usize, schedule: StepSchedule) {
        let step = &self.program.steps[number];
        let uses = step.uses();
        // The last user of a value has its only handle, so that writes in place and donations happen.
        let mut own: Vec<Slot> = (0..number).map(|_| None).collect();
        let mut last = vec![false; number];
        {
            let mut state = self.state();
            let state = &mut *state;
            for &used in &uses {
                state.left[used] -= 1;
                last[used] = state.left[used] == 0;
                own[used] = match last[used] {
                    true => state.slots[used].take(),
                    false => state.slots[used].clone(),
                };
            }
        }
        let failed = uses.iter().find_map(|&used| failure(&own[used]));
        let made = match failed {
            Some(class) => Err(class),
            None => catch_unwind(AssertUnwindSafe(|| {
                let made = apply(step, &mut own, |value| last[value]);
                if let Ok(array) = &made {
                    // A failure stays on the array.
                    match schedule.then {
                        Then::Wait => {}
                        Then::Start => drop(array.eval()),
                        Then::Read => drop(array.to_bytes()),
                    }
                }
                made.map_err(|error| error.class().to_string())
            }))
            .unwrap_or_else(|panic| Err(message(panic.as_ref()))),
        };
        drop(own);
        let mut state = self.state();
        state.slots[number] = (state.left[number] > 0).then_some(made);
        state.done[number] = true;
    }

    fn read(&self, position: usize, value: usize) {
        let slot = {
            let mut state = self.state();
            state.left[value] -= 1;
            match state.left[value] {
                0 => state.slots[value].take(),
                _ => state.slots[value].clone(),
            }
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| outcome(value, &slot)))
            .unwrap_or_else(|panic| Outcome::Failed(value, message(panic.as_ref())));
        drop(slot);
        self.state().outcomes[position] = Some(outcome);
    }
}
