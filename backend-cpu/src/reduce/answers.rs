//! Results of rows that are known before all of the row is read, shared by the threads that read it.

use std::sync::atomic::{AtomicUsize, Ordering};

use smallvec::SmallVec;

/// For each row the first run known to have the row's result. Later runs are skipped; earlier ones, which may have an earlier position,
/// are read.
#[derive(Debug)]
pub(super) struct Answers(SmallVec<[AtomicUsize; 1]>);

impl Answers {
    /// For `rows` rows; none if no run is ever skipped.
    pub(super) fn new(rows: usize) -> Self {
        Self(std::iter::repeat_with(|| AtomicUsize::new(usize::MAX)).take(rows).collect())
    }

    /// Whether runs are ever skipped.
    pub(super) fn are_shared(&self) -> bool {
        !self.0.is_empty()
    }

    /// Notes that a run has the row's result.
    pub(super) fn found(&self, row: usize, run: usize) {
        if let Some(first) = self.0.get(row) {
            first.fetch_min(run, Ordering::Relaxed);
        }
    }

    /// Whether a run before this one has the row's result.
    pub(super) fn is_before(&self, row: usize, run: usize) -> bool {
        self.0.get(row).is_some_and(|first| first.load(Ordering::Relaxed) < run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_after_the_first_answer_of_their_row_are_skipped() {
        let answers = Answers::new(2);
        assert!(answers.are_shared());
        assert!(!answers.is_before(1, 1000));
        answers.found(1, 5);
        answers.found(1, 3);
        answers.found(1, 7);
        let skipped = [2, 3, 4, 5].map(|run| answers.is_before(1, run));
        assert_eq!(skipped, [false, false, true, true]);
        assert!(!answers.is_before(0, 4));
    }

    #[test]
    fn nothing_is_skipped_without_rows() {
        let answers = Answers::new(0);
        answers.found(0, 0);
        assert!(!answers.are_shared() && !answers.is_before(0, 1));
    }
}
