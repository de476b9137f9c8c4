//! [`GraphDriver`] of a vendor's functions, of which a driver has all or none.

use super::api::constants::CAPTURE_THREAD;
use super::api::{Context, KernelNode, Vendor};
use super::device::Device;
use super::table::Named;
use crate::driver::{
    DriverError, DriverResult, ExecHandle, GraphDriver, GraphHandle, KernelLaunch, NodeHandle,
    Stream,
};

/// Calls a function of the table that may be missing, with the thread turned to the device.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let Context { api, .. } = $self.context();
        let Named { name, function } = api.functions.$function;
        let function = function.ok_or(DriverError::Missing { call: name })?;
        let _current = $self.context().enter(name)?;
        // SAFETY: arguments are numbers, places of this frame that the function fills or reads, or handles that the caller
        // vouches for (see `GraphDriver`); the vendor vouches for the function.
        api.check(name, unsafe { function($($argument),*) })
    }};
}

/// A node of a launch whose one parameter is the words at this place.
fn node(launch: &KernelLaunch, parameters: &[*const u8; 1]) -> KernelNode {
    let KernelLaunch { function, grid, block, shared, .. } = *launch;
    KernelNode {
        function: function.0,
        grid,
        block,
        shared,
        parameters: parameters.as_ptr(),
        extra: std::ptr::null(),
        kernel: 0,
        context: 0,
    }
}

impl<V: Vendor> GraphDriver for Device<V> {
    fn has_graphs(&self) -> bool {
        let functions = &self.context().api.functions;
        functions.create_graph.function.is_some()
            && functions.destroy_graph.function.is_some()
            && functions.add_kernel.function.is_some()
            && functions.add_graph.function.is_some()
            && functions.begin_capture.function.is_some()
            && functions.end_capture.function.is_some()
            && functions.instantiate.function.is_some()
            && functions.destroy_exec.function.is_some()
            && functions.set_kernel.function.is_some()
            && functions.launch_graph.function.is_some()
    }

    fn create_graph(&self) -> DriverResult<GraphHandle> {
        let mut graph = 0;
        call!(self.create_graph(&mut graph, 0))?;
        Ok(GraphHandle(graph))
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> DriverResult<()> {
        call!(self.destroy_graph(graph.0))
    }

    unsafe fn add_kernel(
        &self,
        graph: GraphHandle,
        after: Option<NodeHandle>,
        launch: &KernelLaunch,
        words: &[u64],
    ) -> DriverResult<NodeHandle> {
        // The driver copies the words before it returns.
        let parameters = [words.as_ptr().cast()];
        let kernel = node(launch, &parameters);
        let (mut handle, count) = (0, usize::from(after.is_some()));
        let after = after.map_or(0, |after| after.0);
        call!(self.add_kernel(&mut handle, graph.0, &after, count, &kernel))?;
        Ok(NodeHandle(handle))
    }

    unsafe fn add_graph(
        &self,
        graph: GraphHandle,
        after: Option<NodeHandle>,
        child: GraphHandle,
    ) -> DriverResult<NodeHandle> {
        let (mut handle, count) = (0, usize::from(after.is_some()));
        let after = after.map_or(0, |after| after.0);
        call!(self.add_graph(&mut handle, graph.0, &after, count, child.0))?;
        Ok(NodeHandle(handle))
    }

    unsafe fn begin_capture(&self, stream: Stream) -> DriverResult<()> {
        call!(self.begin_capture(stream.0, CAPTURE_THREAD))
    }

    unsafe fn end_capture(&self, stream: Stream) -> DriverResult<GraphHandle> {
        let mut graph = 0;
        call!(self.end_capture(stream.0, &mut graph))?;
        Ok(GraphHandle(graph))
    }

    unsafe fn instantiate(&self, graph: GraphHandle) -> DriverResult<ExecHandle> {
        let mut exec = 0;
        call!(self.instantiate(&mut exec, graph.0, 0))?;
        Ok(ExecHandle(exec))
    }

    unsafe fn destroy_exec(&self, exec: ExecHandle) -> DriverResult<()> {
        call!(self.destroy_exec(exec.0))
    }

    unsafe fn set_kernel(
        &self,
        exec: ExecHandle,
        handle: NodeHandle,
        launch: &KernelLaunch,
        words: &[u64],
    ) -> DriverResult<()> {
        // As above.
        let parameters = [words.as_ptr().cast()];
        let kernel = node(launch, &parameters);
        call!(self.set_kernel(exec.0, handle.0, &kernel))
    }

    unsafe fn launch_graph(&self, exec: ExecHandle, stream: Stream) -> DriverResult<()> {
        call!(self.launch_graph(exec.0, stream.0))
    }
}
