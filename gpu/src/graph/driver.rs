//! Graphs of a driver: launches that it is told once, and makes together.
//!
//! A driver that has none lists launches one by one; so does one whose functions differ from those of CUDA.

use crate::driver::{DriverError, DriverResult, KernelLaunch, Stream};

/// A vendor's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphHandle(pub u64);

/// A node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeHandle(pub u64);

/// A graph that can be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExecHandle(pub u64);

fn missing<T>() -> DriverResult<T> {
    Err(DriverError::Missing { call: "graph" })
}

/// What a driver may have beside the functions of [`Driver`](crate::driver::Driver). Without functions of its own, it has no
/// graphs.
///
/// # Safety
/// As of [`Driver`](crate::driver::Driver): the caller guarantees that handles are alive and that words are what kernels take.
pub trait GraphDriver {
    /// Whether it has all functions of this trait.
    fn has_graphs(&self) -> bool {
        false
    }

    /// A new graph without nodes.
    fn create_graph(&self) -> DriverResult<GraphHandle> {
        missing()
    }

    /// Gives a graph back.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn destroy_graph(&self, graph: GraphHandle) -> DriverResult<()> {
        let _ = graph;
        missing()
    }

    /// Adds the launch of a kernel, whose stream does not matter, after another node.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn add_kernel(
        &self,
        graph: GraphHandle,
        after: Option<NodeHandle>,
        launch: &KernelLaunch,
        words: &[u64],
    ) -> DriverResult<NodeHandle> {
        let _ = (graph, after, launch, words);
        missing()
    }

    /// Adds all of another graph, after another node.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn add_graph(
        &self,
        graph: GraphHandle,
        after: Option<NodeHandle>,
        child: GraphHandle,
    ) -> DriverResult<NodeHandle> {
        let _ = (graph, after, child);
        missing()
    }

    /// Has what this thread submits to a stream become a graph, until [`GraphDriver::end_capture`].
    ///
    /// # Safety
    /// See the trait.
    unsafe fn begin_capture(&self, stream: Stream) -> DriverResult<()> {
        let _ = stream;
        missing()
    }

    /// The graph of what was submitted to the stream.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn end_capture(&self, stream: Stream) -> DriverResult<GraphHandle> {
        let _ = stream;
        missing()
    }

    /// Makes a graph ready for launches.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn instantiate(&self, graph: GraphHandle) -> DriverResult<ExecHandle> {
        let _ = graph;
        missing()
    }

    /// Gives it back; launches that are under way go on.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn destroy_exec(&self, exec: ExecHandle) -> DriverResult<()> {
        let _ = exec;
        missing()
    }

    /// Gives the kernel of a node other words, from the next launch on.
    ///
    /// # Safety
    /// See the trait; and the graph of the node is alive.
    unsafe fn set_kernel(
        &self,
        exec: ExecHandle,
        node: NodeHandle,
        launch: &KernelLaunch,
        words: &[u64],
    ) -> DriverResult<()> {
        let _ = (exec, node, launch, words);
        missing()
    }

    /// Launches all of it in a stream, after what the stream has now and after its own launches before.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn launch_graph(&self, exec: ExecHandle, stream: Stream) -> DriverResult<()> {
        let _ = (exec, stream);
        missing()
    }
}
