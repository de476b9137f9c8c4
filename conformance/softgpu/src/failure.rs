//! What can go wrong, in no vendor's words; `exports` gives the numbers.

/// One variant a cause. Those of kernels say what the kernel did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// An argument makes no sense: a null pointer, a size of zero, memory that the device does not have.
    #[error("{0}")]
    InvalidValue(&'static str),
    /// The device's memory is used up.
    #[error("out of memory: {0} bytes asked for, {1} free")]
    OutOfMemory(u64, u64),
    /// The first call must initialize.
    #[error("not initialized")]
    NotInitialized,
    /// There is no such device.
    #[error("no device {0}")]
    InvalidDevice(i64),
    /// This thread has no current context.
    #[error("no current context")]
    InvalidContext,
    /// A stream, event, module or function that is not, or not any more.
    #[error("no such {0}")]
    InvalidHandle(&'static str),
    /// An unknown name.
    #[error("no {0}")]
    NotFound(String),
    /// Not yet.
    #[error("not ready")]
    NotReady,
    /// The image is not one of this library's compiler.
    #[error("the image is damaged or not of this library: {0}")]
    InvalidImage(String),
    /// The image is for another architecture.
    #[error("the image is for {0}")]
    WrongArchitecture(String),
    /// More than a block can have.
    #[error("kernel {0}: {1}")]
    OutOfResources(String, String),
    /// More blocks than can run at the same time.
    #[error("kernel {0}: {1} blocks in a cooperative launch, of which {2} run at the same time")]
    TooManyBlocks(String, u64, u64),
    /// Peer access was there already.
    #[error("peer access is enabled already")]
    PeerAlready,
    /// Peer access was not there.
    #[error("peer access is not enabled")]
    PeerNotEnabled,
    /// A kernel read or wrote where nothing is.
    #[error("{0}")]
    IllegalAddress(String),
    /// A kernel came to no end: a deadlock, a trap, a division by zero.
    #[error("{0}")]
    LaunchFailed(String),
    /// The device answers nothing any more, because a test asked for that.
    #[error("the device is lost")]
    Lost,
    /// Asked for by a test.
    #[error("injected")]
    Injected(u32),
}

impl Failure {
    /// Whether the context cannot be used any more.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Self::IllegalAddress(_) | Self::LaunchFailed(_) | Self::Lost)
    }

    /// Whether the caller made a mistake.
    pub fn is_misuse(&self) -> bool {
        match self {
            Self::InvalidValue(_)
            | Self::NotInitialized
            | Self::InvalidDevice(_)
            | Self::InvalidContext
            | Self::InvalidHandle(_)
            | Self::NotFound(_)
            | Self::OutOfResources(..)
            | Self::TooManyBlocks(..) => true,
            Self::OutOfMemory(..)
            | Self::NotReady
            | Self::InvalidImage(_)
            | Self::WrongArchitecture(_)
            | Self::PeerAlready
            | Self::PeerNotEnabled
            | Self::IllegalAddress(_)
            | Self::LaunchFailed(_)
            | Self::Lost
            | Self::Injected(_) => false,
        }
    }
}

/// [`std::result::Result`] of this crate.
pub type Result<T> = std::result::Result<T, Failure>;
