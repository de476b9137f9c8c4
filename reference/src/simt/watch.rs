//! Which threads have read and written each element: races, and reads of what was never written.

use std::collections::HashMap;

use ndany_core::simt::Place;

/// A thread, and how many barriers its block had passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadAt {
    pub(super) block: u64,
    pub(super) thread: usize,
    pub(super) epoch: u32,
}

impl ThreadAt {
    /// Whether nothing orders accesses of both.
    fn unordered(self, other: ThreadAt) -> bool {
        match self.block == other.block {
            true => self.thread != other.thread && self.epoch == other.epoch,
            // Blocks run in any order.
            false => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Atomic,
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Race {
    /// Another thread's access races with it.
    With(ThreadAt),
    /// Nothing was written there.
    Unwritten,
}

/// The last accesses to an element.
#[derive(Clone, Copy, Debug, Default)]
struct Element {
    write: Option<ThreadAt>,
    atomic: Option<ThreadAt>,
    /// The last two threads that read it.
    reads: [Option<ThreadAt>; 2],
}

#[derive(Debug, Default)]
pub(super) struct Watch {
    elements: HashMap<(Place, usize), Element>,
}

impl Watch {
    /// Shared memory is another one.
    pub(super) fn begin_block(&mut self) {
        self.elements.retain(|(place, _), _| matches!(place, Place::Array(_)));
    }

    /// Notes an access.
    pub(super) fn access(
        &mut self,
        place: Place,
        element: usize,
        access: Access,
        by: ThreadAt,
    ) -> Result<(), Race> {
        let known = self.elements.entry((place, element)).or_default();
        let mut others = [known.write, None, None, None];
        match access {
            Access::Read => others[1] = known.atomic,
            Access::Write => {
                others[1..].copy_from_slice(&[known.atomic, known.reads[0], known.reads[1]])
            }
            Access::Atomic => others[1..3].copy_from_slice(&known.reads),
        }
        let race = others.into_iter().flatten().find(|other| by.unordered(*other));
        if let Some(other) = race {
            return Err(Race::With(other));
        }
        let written = known.write.is_some() || known.atomic.is_some();
        if matches!(place, Place::Shared(_)) && access != Access::Write && !written {
            return Err(Race::Unwritten);
        }
        match access {
            Access::Read => {
                let same = |known: &ThreadAt| (known.block, known.thread) == (by.block, by.thread);
                if !known.reads[0].as_ref().is_some_and(same) {
                    known.reads[1] = known.reads[0];
                }
                known.reads[0] = Some(by);
            }
            Access::Write => known.write = Some(by),
            Access::Atomic => known.atomic = Some(by),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Place = Place::Shared(0);

    fn at(block: u64, thread: usize, epoch: u32) -> ThreadAt {
        ThreadAt { block, thread, epoch }
    }

    #[test]
    fn a_barrier_orders_accesses_of_a_block_and_of_no_other() {
        let mut watch = Watch::default();
        let place = Place::Array(0);
        assert_eq!(watch.access(place, 3, Access::Write, at(0, 1, 0)), Ok(()));
        assert_eq!(watch.access(place, 3, Access::Read, at(0, 1, 0)), Ok(()));
        let race = watch.access(place, 3, Access::Read, at(0, 2, 0));
        assert_eq!(race, Err(Race::With(at(0, 1, 0))));
        assert_eq!(watch.access(place, 3, Access::Read, at(0, 2, 1)), Ok(()));
        assert!(watch.access(place, 3, Access::Read, at(1, 2, 2)).is_err());
        assert_eq!(watch.access(place, 4, Access::Read, at(1, 2, 2)), Ok(()));
    }

    #[test]
    fn a_write_races_with_any_reader() {
        let mut watch = Watch::default();
        let place = Place::Array(0);
        for thread in [1, 2, 1, 2, 2] {
            assert_eq!(watch.access(place, 0, Access::Read, at(0, thread, 0)), Ok(()));
        }
        assert!(watch.access(place, 0, Access::Write, at(0, 2, 0)).is_err());
        assert_eq!(watch.access(place, 0, Access::Write, at(0, 2, 1)), Ok(()));
    }

    #[test]
    fn atomics_do_not_race_with_each_other() {
        let mut watch = Watch::default();
        let place = Place::Array(0);
        for (block, thread) in [(0, 1), (0, 2), (1, 0)] {
            assert_eq!(watch.access(place, 0, Access::Atomic, at(block, thread, 0)), Ok(()));
        }
        assert!(watch.access(place, 0, Access::Read, at(1, 1, 0)).is_err());
        assert!(watch.access(place, 0, Access::Write, at(1, 1, 0)).is_err());
    }

    #[test]
    fn shared_memory_is_written_before_it_is_read_in_each_block() {
        let mut watch = Watch::default();
        assert_eq!(watch.access(AT, 0, Access::Read, at(0, 0, 0)), Err(Race::Unwritten));
        assert_eq!(watch.access(AT, 0, Access::Write, at(0, 0, 0)), Ok(()));
        assert_eq!(watch.access(AT, 0, Access::Read, at(0, 0, 0)), Ok(()));
        watch.begin_block();
        assert_eq!(watch.access(AT, 0, Access::Atomic, at(1, 0, 0)), Err(Race::Unwritten));
    }
}
