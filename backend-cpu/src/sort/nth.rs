//! Selection: the element that a sort would put at one place of a row.

use ndany_core::{Error, Result};

use super::keys::Word;
use super::values::ToKeys;
use super::words::Lane;
use super::{SortContext, words};
use crate::loops::{Level, LoopFn};

/// Finds one place's element in rows of one length.
pub(crate) struct Nth<T: Word> {
    place: usize,
    context: SortContext,
    to_words: LoopFn,
    /// The words of a row, partially sorted.
    words: Vec<T::Lane>,
}

impl<T: Word> Nth<T> {
    /// For rows of this length, which is greater than `place`.
    pub(crate) fn new(length: usize, place: usize, level: Level) -> Result<Self> {
        let context = SortContext { level, parallel: false };
        let mut words = Vec::new();
        words.try_reserve_exact(length).map_err(|_| Error::OutOfMemory {
            op: "partition",
            device: "cpu".to_string(),
            requested: length * size_of::<T::Lane>(),
            memory: None,
        })?;
        words.resize(length, T::Lane::of_bits(0));
        Ok(Self { place, context, to_words: context.compiled::<ToKeys<T>>(), words })
    }

    /// The element at the place; -0.0 comes before +0.0.
    pub(crate) fn of(&mut self, row: &[T]) -> T {
        assert_eq!(row.len(), self.words.len(), "rows of one length");
        let args = [row.as_ptr().cast(), std::ptr::null(), std::ptr::null()];
        // SAFETY: as many words as elements.
        unsafe { (self.to_words)(self.words.as_mut_ptr().cast(), args, row.len()) };
        T::of_word(words::nth(&mut self.words, self.place, self.context).bits())
    }
}
