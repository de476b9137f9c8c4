//! Facts about a device on which core's choices of algorithm depend.

/// Facts about a device, for core's choices between algorithms with the same results.
///
/// A number that changes results is no fact of a device but a part of an operation's definition, and belongs to the
/// operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceProfile {
    /// A call returns when its work is done, so a read-back does not wait.
    pub is_synchronous: bool,
    /// A [`Scatter`](super::Scatter) adds F32 and F64 in C order of its space. Without this, what several threads add
    /// to one element has no order, and core sorts the values first.
    pub ordered_scatter_add: bool,
    /// Minimum length of a row whose elements at a few sorted places are found by a sample of it, which reads back
    /// three times. Shorter rows are sorted.
    pub sample_select_min: usize,
    /// About how many steps of a program on an element take as long as loading it. A value of fewer steps is computed again
    /// as fast as it is loaded.
    pub steps_per_load: usize,
}

impl DeviceProfile {
    /// A device that works on the host: three passes over 2^19 elements cost less than sorting them.
    pub const SYNCHRONOUS: Self = Self {
        is_synchronous: true,
        ordered_scatter_add: true,
        sample_select_min: 1 << 19,
        steps_per_load: 1,
    };

    /// A device with streams: three synchronizations cost as much as sorting some million elements.
    pub const ASYNCHRONOUS: Self = Self {
        is_synchronous: false,
        ordered_scatter_add: false,
        sample_select_min: 1 << 22,
        steps_per_load: 32,
    };
}
