//! Exchanges between the lanes of a warp.
//!
//! Lanes that exchange under the same mask meet: when all of the mask that have not exited are there, each gets its
//! result and goes on. Lanes under other masks may wait at the same time. What a lane reads from one that is not there
//! is poison.

/// What is exchanged, by the numbers of `shim.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sync,
    Shuffle,
    Ballot,
}

impl Kind {
    pub(super) fn of(number: u32) -> Option<Self> {
        [Self::Sync, Self::Shuffle, Self::Ballot].get(number as usize).copied()
    }
}

/// What a lane gets from one that is not there.
const POISON: u64 = u64::MAX;

/// The lanes of a mask, from the lowest.
pub(super) fn each(mut lanes: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros())?;
        lanes &= lanes - 1;
        Some(lane)
    })
}

/// Lanes that wait for others.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    kind: Kind,
    mask: u64,
    here: u64,
}

/// One warp.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    live: u64,
    meetings: Vec<Meeting>,
    values: [u64; 64],
    sources: [u32; 64],
    results: [u64; 64],
}

impl Warp {
    /// A warp of `lanes` lanes.
    pub(super) fn new(lanes: u32) -> Self {
        let live = if lanes >= 64 { u64::MAX } else { (1 << lanes) - 1 };
        Self { live, meetings: Vec::new(), values: [0; 64], sources: [0; 64], results: [0; 64] }
    }

    /// Begins again.
    pub(super) fn reset(&mut self, lanes: u32) {
        self.live = Self::new(lanes).live;
        self.meetings.clear();
    }

    /// Lanes that have not exited.
    pub(super) fn live(&self) -> u64 {
        self.live
    }

    /// A lane arrives; the lanes that may go on now.
    pub(super) fn arrive(
        &mut self,
        lane: u32,
        kind: Kind,
        mask: u64,
        value: u64,
        source: u32,
    ) -> u64 {
        self.values[lane as usize] = value;
        self.sources[lane as usize] = source;
        let same = |meeting: &Meeting| meeting.kind == kind && meeting.mask == mask;
        let at = self.meetings.iter().position(same).unwrap_or_else(|| {
            self.meetings.push(Meeting { kind, mask, here: 0 });
            self.meetings.len() - 1
        });
        self.meetings[at].here |= 1 << lane;
        self.finish(at)
    }

    /// A lane exits; the lanes that may go on now.
    pub(super) fn exit(&mut self, lane: u32) -> u64 {
        self.live &= !(1 << lane);
        if self.meetings.is_empty() {
            return 0;
        }
        let mut released = 0;
        for at in (0..self.meetings.len()).rev() {
            released |= self.finish(at);
        }
        released
    }

    /// What a lane got.
    pub(super) fn result(&self, lane: u32) -> u64 {
        self.results[lane as usize]
    }

    fn finish(&mut self, at: usize) -> u64 {
        let Meeting { kind, mask, here } = self.meetings[at];
        if here != mask & self.live {
            return 0;
        }
        self.meetings.swap_remove(at);
        match kind {
            Kind::Sync => {}
            Kind::Shuffle => each(here).map(|lane| lane as usize).for_each(|lane| {
                let source = self.sources[lane];
                let there = source < 64 && here >> source & 1 == 1;
                self.results[lane] = if there { self.values[source as usize] } else { POISON };
            }),
            Kind::Ballot => {
                let says = |lane: &u32| self.values[*lane as usize] != 0;
                let ballot = each(here).filter(says).fold(0, |all, lane| all | 1 << lane);
                each(here).for_each(|lane| self.results[lane as usize] = ballot);
            }
        }
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meeting_ends_when_all_of_its_mask_that_live_are_there() {
        let mut warp = Warp::new(4);
        assert_eq!(warp.arrive(0, Kind::Shuffle, 0b0011, 10, 1), 0);
        // Others under another mask do not count.
        assert_eq!(warp.arrive(2, Kind::Shuffle, 0b1100, 12, 3), 0);
        assert_eq!(warp.arrive(1, Kind::Shuffle, 0b0011, 11, 3), 0b0011);
        assert_eq!((warp.result(0), warp.result(1)), (11, POISON));
        assert_eq!(warp.exit(3), 0b0100);
        assert_eq!(warp.result(2), POISON);
        assert_eq!(warp.live(), 0b0111);
    }

    #[test]
    fn ballots_have_a_bit_of_each_lane() {
        let mut warp = Warp::new(3);
        assert_eq!(warp.arrive(0, Kind::Ballot, 7, 1, 0), 0);
        assert_eq!(warp.arrive(2, Kind::Ballot, 7, 5, 0), 0);
        assert_eq!(warp.arrive(1, Kind::Ballot, 7, 0, 0), 7);
        assert_eq!([0, 1, 2].map(|lane| warp.result(lane)), [5; 3]);
    }
}
