//! What the environment says about how a device is run; read once, when it is opened.

use std::path::PathBuf;

/// How memory is obtained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PoolMode {
    /// From segments that are kept.
    #[default]
    Cached,
    /// One exact allocation of the driver an array, not reused: what memory checkers need.
    Direct,
}

/// Which of own kernels and a vendor's library does a task that both can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Preference {
    /// The faster one, by sizes.
    #[default]
    Auto,
    /// Own kernels.
    Own,
    /// The library.
    Library,
}

/// Threads that compile, if the environment says nothing: each has a copy of the compiler.
const MOST_COMPILE_THREADS: usize = 8;

/// The folder of machine code that is looked for beside the program.
const SHIPPED: &str = "ndany-kernels";

/// The settings of one device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// `NDANY_POOL=direct`.
    pub(crate) pool: PoolMode,
    /// `NDANY_POOL=managed`: arrays are in managed memory where a thread has entered no other source.
    pub(crate) managed: bool,
    /// `NDANY_POOL_LIMIT`: bytes that the pool may hold.
    pub(crate) limit: Option<usize>,
    /// `NDANY_LAUNCH_LIMIT`: threads that a launch may have, if that is less than the device takes; for tests.
    pub(crate) launch_limit: Option<u64>,
    /// `NDANY_POISON`: fresh memory is filled with 0xFF.
    pub(crate) poison: bool,
    /// `NDANY_CACHE_DIR`, or the platform's folder for what can be made again: where machine code is kept.
    pub(crate) cache: Option<PathBuf>,
    /// `NDANY_CACHE_SHIPPED`, or the folder `ndany-kernels` beside the program: machine code that came with it.
    pub(crate) shipped: Option<PathBuf>,
    /// `NDANY_CACHE_TEXTS`: where the texts of kernels are recorded.
    pub(crate) texts: Option<PathBuf>,
    /// `NDANY_TF32=1`: products of f32 may round their operands to 10 bits of fraction, which is faster.
    pub(crate) tf32: bool,
    /// `NDANY_FFT=own` or `library`: preference for Fourier transforms.
    pub(crate) transforms: Preference,
    /// `NDANY_LINALG=own` or `library`: preference for factorizations.
    pub(crate) factorizations: Preference,
    /// `NDANY_COMPILE_THREADS`: how many threads compile kernels while launches are put off; with 0 or 1 each is compiled where
    /// it is launched. Without it, as many as there are processors, at most [`MOST_COMPILE_THREADS`].
    pub(crate) compile_threads: usize,
    /// `NDANY_GRAPHS=own`: graphs are launched piece by piece, not as the driver's.
    pub(crate) graphs: Preference,
}

impl Settings {
    /// What the environment says. A limit that is no number is none, and said so.
    pub(crate) fn from_environment() -> Self {
        let program = std::env::current_exe().ok();
        let beside = program.and_then(|program| Some(program.parent()?.join(SHIPPED)));
        Self::from(
            |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
            beside.filter(|folder| folder.is_dir()),
        )
    }

    /// Settings of these variables; `beside` is the folder of machine code beside the program.
    fn from(variable: impl Fn(&str) -> Option<String>, beside: Option<PathBuf>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (pool, managed) = match variable("NDANY_POOL").as_deref() {
            Some("direct") => (PoolMode::Direct, false),
            Some("managed") => (PoolMode::Cached, true),
            Some(other) => {
                tracing::warn!(
                    other,
                    "NDANY_POOL is `direct`, `managed` or not set: the pool is used"
                );
                (PoolMode::Cached, false)
            }
            None => (PoolMode::Cached, false),
        };
        let limit = variable("NDANY_POOL_LIMIT").and_then(|text| {
            text.parse()
                .inspect_err(|_| tracing::warn!(text, "NDANY_POOL_LIMIT is no number of bytes"))
                .ok()
        });
        // A folder of the working directory would be another one in each.
        let named = |name: &str, consequence: &str| {
            let named = variable(name).map(PathBuf::from);
            if named.as_ref().is_some_and(|folder| !folder.is_absolute()) {
                tracing::warn!("{name} is no absolute path: {consequence}");
            }
            named
        };
        let absolute = |folder: &PathBuf| folder.is_absolute();
        let shipped = named("NDANY_CACHE_SHIPPED", "no machine code is taken from it");
        let shipped = shipped.or(beside).filter(absolute);
        let texts = named("NDANY_CACHE_TEXTS", "texts are not recorded").filter(absolute);
        let cache = named("NDANY_CACHE_DIR", "machine code is not kept").or_else(|| {
            let (base, below) = if cfg!(windows) {
                (variable("LOCALAPPDATA"), "ndany")
            } else if cfg!(target_os = "macos") {
                (variable("HOME"), "Library/Caches/ndany")
            } else if let Some(base) = variable("XDG_CACHE_HOME") {
                (Some(base), "ndany")
            } else {
                (variable("HOME"), ".cache/ndany")
            };
            base.map(|base| PathBuf::from(base).join(below))
        });
        let cache = cache.filter(absolute);
        let compile_threads = variable("NDANY_COMPILE_THREADS")
            .and_then(|text| {
                let threads = text.parse().ok();
                if threads.is_none() {
                    tracing::warn!(text, "NDANY_COMPILE_THREADS is no number of threads");
                }
                threads
            })
            .unwrap_or_else(|| {
                let processors = std::thread::available_parallelism().map_or(1, usize::from);
                processors.min(MOST_COMPILE_THREADS)
            });
        let launch_limit = variable("NDANY_LAUNCH_LIMIT").and_then(|text| text.parse().ok());
        let implementation = |name: &str| match variable(name).as_deref() {
            Some("own") => Preference::Own,
            Some("library") => Preference::Library,
            Some(other) => {
                tracing::warn!(other, "{name} is `own`, `library` or not set: the faster is used");
                Preference::Auto
            }
            None => Preference::Auto,
        };
        let [transforms, factorizations, graphs] =
            ["NDANY_FFT", "NDANY_LINALG", "NDANY_GRAPHS"].map(implementation);
        let tf32 = variable("NDANY_TF32").is_some_and(|text| text == "1");
        let poison = variable("NDANY_POISON").is_some();
        Self {
            pool,
            managed,
            limit,
            launch_limit,
            poison,
            cache,
            shipped,
            texts,
            tf32,
            transforms,
            factorizations,
            graphs,
            compile_threads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Settings {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Settings::from(|name| find(name).map(|(_, value)| value.to_string()), None)
    }

    #[test]
    fn nothing_set() {
        let settings = settings(&[]);
        assert_eq!(settings.pool, PoolMode::Cached);
        assert_eq!((settings.limit, settings.poison, settings.cache), (None, false, None));
        assert!(!settings.tf32 && !settings.managed);
    }

    #[test]
    fn managed_memory_comes_from_a_caching_pool() {
        let settings = settings(&[("NDANY_POOL", "managed")]);
        assert_eq!((settings.pool, settings.managed), (PoolMode::Cached, true));
    }

    #[test]
    fn everything_set() {
        let settings = settings(&[
            ("NDANY_POOL", "direct"),
            ("NDANY_POOL_LIMIT", "1048576"),
            ("NDANY_POISON", "1"),
            ("NDANY_CACHE_DIR", "/somewhere"),
            ("NDANY_CACHE_SHIPPED", "/opt/kernels"),
            ("NDANY_CACHE_TEXTS", "/tmp/texts"),
            ("NDANY_TF32", "1"),
            ("NDANY_FFT", "own"),
            ("NDANY_LINALG", "library"),
            ("HOME", "/home/someone"),
        ]);
        assert!(settings.tf32);
        assert_eq!(
            (settings.transforms, settings.factorizations),
            (Preference::Own, Preference::Library)
        );
        assert_eq!(settings.pool, PoolMode::Direct);
        assert_eq!(settings.limit, Some(1 << 20));
        assert!(settings.poison);
        assert_eq!(settings.cache, Some("/somewhere".into()));
        assert_eq!(settings.shipped, Some("/opt/kernels".into()));
        assert_eq!(settings.texts, Some("/tmp/texts".into()));
    }

    #[test]
    fn what_is_no_number_is_no_limit() {
        assert_eq!(settings(&[("NDANY_POOL_LIMIT", "much"), ("NDANY_POOL", "")]).limit, None);
    }

    #[test]
    fn machine_code_beside_the_program_is_taken_where_no_other_is_named() {
        let beside = || Some(PathBuf::from("/opt/app/ndany-kernels"));
        let shipped = |named: Option<&str>| {
            let find = |name: &str| named.filter(|_| name == "NDANY_CACHE_SHIPPED");
            Settings::from(|name| find(name).map(str::to_string), beside()).shipped
        };
        assert_eq!(shipped(None), beside());
        assert_eq!(shipped(Some("/srv/kernels")), Some("/srv/kernels".into()));
        assert_eq!(shipped(Some("kernels")), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_cache_is_in_the_folder_for_caches() {
        let home = ("HOME", "/home/someone");
        assert_eq!(settings(&[home]).cache, Some("/home/someone/.cache/ndany".into()));
        assert_eq!(settings(&[home, ("XDG_CACHE_HOME", "/c")]).cache, Some("/c/ndany".into()));
        assert_eq!(settings(&[("HOME", "relative")]).cache, None);
        assert_eq!(settings(&[home, ("NDANY_CACHE_DIR", "relative")]).cache, None);
    }
}
