//! A sort of keys with what goes along with them, for the crate of sparse arrays.

use ndany_core::backend::{self, Checked, SortPairs};
use ndany_core::shape::{Layout, Shape};
use ndany_core::{DType, Error, Result};

use super::sparse::Packed;
use crate::buffer::Buffer;
use crate::graph::Array;
use crate::graph::node::Node;

/// Keys in ascending order, equal ones as they are, and what went along with them.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The keys.
    pub keys: Array,
    /// The words of uint32 that went along.
    pub narrow: Array,
    /// The wide words that went along.
    pub wide: Array,
}

/// Sorts keys below `extent` with two words each that go along, where the device has such a sort; nothing elsewhere. There `argsort`
/// and `take` give the same. Pending operands are computed first.
///
/// - **Shapes**: `(n,), (n,), (n,) → (n,)` each; `n` is not 0, and less than 2³².
/// - **Dtypes**: keys and narrow words of uint32, wide words of uint32 or uint64; nothing for others.
/// - **Errors**: what fails on the device.
#[track_caller]
pub fn sort_pairs(
    keys: &Array,
    extent: usize,
    [narrow, wide]: [&Array; 2],
) -> Result<Option<Pairs>> {
    let (op, device, count) = ("sort_pairs", keys.device(), keys.size());
    let suits = [keys, narrow, wide]
        .iter()
        .all(|array| array.shape() == [count] && array.device() == device)
        && [keys, narrow].iter().all(|array| array.dtype() == DType::U32)
        && matches!(wide.dtype(), DType::U32 | DType::U64);
    if !suits || count == 0 || u32::try_from(count).is_err() {
        return Ok(None);
    }
    let [own_keys, own_narrow, own_wide] = [keys, narrow, wide].map(Packed::of);
    let (own_keys, own_narrow, own_wide) = (own_keys?, own_narrow?, own_wide?);
    let dtypes = [DType::U32, DType::U32, wide.dtype()];
    let out = dtypes.map(|dtype| Buffer::allocate(op, device.backend(), count * dtype.size()));
    let [to_keys, to_narrow, to_wide] = out;
    let (to_keys, to_narrow, to_wide) = (to_keys?, to_narrow?, to_wide?);
    let pairs = SortPairs {
        count,
        bits: usize::BITS - extent.saturating_sub(1).leading_zeros(),
        wide_dtype: wide.dtype(),
        source: backend::Pairs {
            keys: own_keys.view(),
            narrow: own_narrow.view(),
            wide: own_wide.view(),
        },
        sorted: backend::Pairs {
            keys: to_keys.packed(0),
            narrow: to_narrow.packed(0),
            wide: to_wide.packed(0),
        },
    };
    let span = crate::spans::launch_of(device.backend(), op, &[count]);
    let is_sorted = Checked::new(&pairs).and_then(|pairs| device.backend().sort_pairs(pairs));
    drop(span);
    if !is_sorted.map_err(|error: Error| error.of_memory_for(op))? {
        return Ok(None);
    }
    let layout = Layout::contiguous(&Shape::from_slice(&[count]));
    let array = |out: Buffer, dtype: DType| {
        Array::of_node(Node::done(op, layout.shape.clone(), dtype, device.clone(), Ok(out)))
    };
    Ok(Some(Pairs {
        keys: array(to_keys, DType::U32),
        narrow: array(to_narrow, DType::U32),
        wide: array(to_wide, wide.dtype()),
    }))
}
