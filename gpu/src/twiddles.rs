//! Tables of roots of unity, and of what is made of them, in the memory of a device.
//!
//! They are made on the host in 64 bits and rounded once, kept for all threads, and bounded in bytes: the longest
//! unused go first, and what a launch still reads goes when the stream is past it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::host::{Lack, filled, gathered};
use ndany_core::{DType, Result};
use ndany_reference::{root_of_unity, transform_forward};
use num_complex::Complex64;

use crate::bounded::Bounded;
use crate::fourier::shift;
use crate::graph;
use crate::memory::GpuMemory;
use crate::runtime::Runtime;

/// Bytes of tables that are kept. The one last made stays, however long.
pub(crate) const TABLE_BYTES: usize = 64 << 20;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Table {
    /// `exp(-2πi k/n)` for each k.
    Roots(usize),
    /// For each k below a power of two.
    Fine(usize),
    /// For each multiple of that power.
    Coarse(usize),
    /// `exp(-πi k²/n)` for each k.
    Chirp(usize),
    /// The transform of the conjugate chirp of n, around zero, in a row of m, divided by m.
    Filter(usize, usize),
}

impl Table {
    fn values(self) -> std::result::Result<Vec<Complex64>, Lack> {
        let root = |k: usize, n: usize| root_of_unity(k, n).conj();
        let chirp = |k: usize, n: usize| {
            let square = (k as u128 * k as u128 % (2 * n as u128)) as usize;
            root(square, 2 * n)
        };
        match self {
            Table::Roots(n) => gathered(n, (0..n).map(|k| root(k, n))),
            Table::Fine(n) => gathered(1 << shift(n), (0..1 << shift(n)).map(|k| root(k, n))),
            Table::Coarse(n) => {
                let count = (n >> shift(n)) + 1;
                gathered(count, (0..count).map(|k| root(k << shift(n), n)))
            }
            Table::Chirp(n) => gathered(n, (0..n).map(|k| chirp(k, n))),
            Table::Filter(n, m) => {
                let mut filter = filled(Complex64::ZERO, m)?;
                for k in 0..n {
                    filter[k] = chirp(k, n).conj();
                    filter[(m - k) % m] = filter[k];
                }
                let mut transformed = transform_forward(&filter)?;
                transformed.iter_mut().for_each(|value| *value /= m as f64);
                Ok(transformed)
            }
        }
    }
}

type Kept = Bounded<(Table, DType), Arc<GpuMemory>>;

/// The tables of one device.
pub(crate) struct TwiddleCache(Mutex<Kept>);

impl Default for TwiddleCache {
    fn default() -> Self {
        Self(Mutex::new(Bounded::new(TABLE_BYTES)))
    }
}

impl fmt::Debug for TwiddleCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        write!(f, "TwiddleCache({} of {} bytes)", kept.len(), kept.bytes())
    }
}

impl TwiddleCache {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps no tables any more, because memory is short; `false` where there were none. Their memory goes back when no
    /// launch holds it.
    pub(crate) fn release(&self) -> bool {
        let gone = self.kept().take();
        !gone.is_empty()
    }

    /// The table in numbers of this part, made where there is none. Two threads may make the same; one of both is kept.
    pub(crate) fn table(
        &self,
        runtime: &Arc<Runtime>,
        table: Table,
        part: DType,
    ) -> Result<Arc<GpuMemory>> {
        let found = self.kept().get((table, part)).cloned();
        if let Some(memory) = found {
            return Ok(memory);
        }
        let on_host = |lack: Lack| lack.on_host("allocate");
        let values = table.values().map_err(on_host)?;
        let parts = values.iter().flat_map(|value| [value.re, value.im]);
        let size = 2 * values.len() * part.size();
        let bytes = match part {
            DType::F32 => gathered(size, parts.flat_map(|part| (part as f32).to_ne_bytes())),
            _ => gathered(size, parts.flat_map(f64::to_ne_bytes)),
        };
        let bytes = bytes.map_err(on_host)?;
        let _of_the_pool = runtime.sources().leave(runtime.streams().device());
        // A recording holds the table that it reads, and does not make it again.
        let memory = graph::paused(|| {
            let memory = runtime.allocate(bytes.len())?;
            runtime.write(&memory, &bytes).map(|()| memory)
        })?;
        let gone = self.kept().put((table, part), memory.clone(), bytes.len());
        // Memory is given back without the lock.
        drop(gone);
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, FakeCompiler};
    use crate::settings::Settings;

    #[test]
    fn tables_are_shared_and_bounded() {
        let compiler = Ok(Box::new(FakeCompiler::default()) as Box<_>);
        let runtime =
            Runtime::with(Box::new(Fake::new(1 << 30)), compiler, Settings::default()).unwrap();
        let tables = TwiddleCache::default();
        let table = |length| tables.table(&runtime, Table::Roots(length), DType::F64).unwrap();
        let first = table(8);
        assert!(Arc::ptr_eq(&first, &table(8)));
        let quarter = TABLE_BYTES / 4 / 16;
        for length in quarter..quarter + 6 {
            table(length);
            assert!(tables.kept().bytes() <= TABLE_BYTES);
        }
        // The first was unused for longest; a holder of its handle keeps it alive.
        assert!(!Arc::ptr_eq(&first, &table(8)));
        let mut bytes = [0; 16];
        runtime.read(&first, 0, &mut bytes).unwrap();
        assert_eq!(bytes[..8], 1f64.to_ne_bytes());
    }

    #[test]
    fn twiddles_are_products_of_coarse_and_fine_ones() {
        for n in [2usize, 6, 100, 4096, 12289] {
            let (fine, coarse) = (Table::Fine(n).values(), Table::Coarse(n).values());
            let (fine, coarse) = (fine.expect("memory"), coarse.expect("memory"));
            for k in 0..n {
                let product = coarse[k >> shift(n)] * fine[k & ((1 << shift(n)) - 1)];
                assert!((product - root_of_unity(k, n).conj()).norm() < 1e-15, "{k}/{n}");
            }
        }
    }
}
