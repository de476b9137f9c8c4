//! Graphs and captures.

use std::ffi::c_void;
use std::sync::Arc;

use super::{LANES, code, current};
use crate::device::Machine;
use crate::exports::launches::{Grid, prepare};
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};
use crate::graphs::{self, Task};

/// `CUDA_KERNEL_NODE_PARAMS`, second version.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelNode {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: u64,
    context: u64,
}

/// The work of a node.
///
/// # Safety
/// Null, or a node with a pointer to each parameter of its kernel.
unsafe fn task(node: *const KernelNode) -> Result<Task> {
    if node.is_null() {
        return Err(Failure::InvalidValue("a null pointer for a node"));
    }
    // SAFETY: the caller's, and not null.
    let KernelNode { function, grid, block, shared, parameters, extra, kernel, context } =
        unsafe { node.read() };
    if kernel != 0 || context != 0 {
        return Err(Failure::InvalidValue("a node with a kernel of a library, or a context"));
    }
    let (device, grid) = (current()?, Grid { grid, block, shared, cooperative: false });
    // SAFETY: the caller's.
    let launch = unsafe { prepare(device, LANES, function, &grid, parameters, extra) }?;
    Ok(Arc::new(move || device.launch(&launch)))
}

/// Nodes that come before.
///
/// # Safety
/// As many handles.
unsafe fn list(after: *const u64, count: usize) -> Result<Vec<u64>> {
    match (count, after.is_null()) {
        (0, _) => Ok(Vec::new()),
        (_, true) => Err(Failure::InvalidValue("a null pointer for nodes")),
        // SAFETY: the caller's, and not null.
        _ => Ok(unsafe { std::slice::from_raw_parts(after, count) }.to_vec()),
    }
}

exports! { TABLE, code;
    /// A new graph.
    fn cuGraphCreate(to: *mut u64, flags: u32) {
        let (machine, device) = (Machine::get()?, current()?);
        if flags != 0 {
            return Err(Failure::InvalidValue("flags of a graph"));
        }
        let handle = machine.handle();
        machine.graphs().create(handle, device.ordinal);
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// Gives it back.
    fn cuGraphDestroy(graph: u64) {
        Machine::get()?.graphs().destroy(graph)
    }
    /// Adds a kernel.
    fn cuGraphAddKernelNode_v2(to: *mut u64, graph: u64, after: *const u64, count: usize, node: *const KernelNode) {
        // SAFETY: the caller's.
        let (task, after) = unsafe { (task(node)?, list(after, count)?) };
        let machine = Machine::get()?;
        let handle = machine.handle();
        machine.graphs().add_kernel(graph, &after, handle, task)?;
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// Adds a graph.
    fn cuGraphAddChildGraphNode(to: *mut u64, graph: u64, after: *const u64, count: usize, child: u64) {
        // SAFETY: the caller's.
        let after = unsafe { list(after, count) }?;
        let machine = Machine::get()?;
        let handle = machine.handle();
        machine.graphs().add_graph(graph, &after, handle, child)?;
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// Makes it ready.
    fn cuGraphInstantiateWithFlags(to: *mut u64, graph: u64, _flags: u64) {
        let (machine, device) = (Machine::get()?, current()?);
        let (handle, event) = (machine.handle(), machine.handle());
        machine.graphs().instantiate(graph, handle, event)?;
        machine.order().create_event(event, device.ordinal);
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// Gives that back.
    fn cuGraphExecDestroy(exec: u64) {
        let machine = Machine::get()?;
        let event = machine.graphs().destroy_exec(exec)?;
        machine.order().destroy_event(event)
    }
    /// Changes a kernel.
    fn cuGraphExecKernelNodeSetParams_v2(exec: u64, handle: u64, node: *const KernelNode) {
        // SAFETY: the caller's.
        let task = unsafe { task(node) }?;
        Machine::get()?.graphs().set_kernel(exec, handle, task)
    }
    /// Launches it.
    fn cuGraphLaunch(exec: u64, stream: u64) {
        graphs::launch(current()?, exec, stream)
    }
    /// Lets a stream's work become a graph.
    fn cuStreamBeginCapture_v2(stream: u64, mode: u32) {
        let (machine, device) = (Machine::get()?, current()?);
        machine.order().check_stream(stream, device.ordinal)?;
        if stream < 3 || mode > 2 {
            return Err(Failure::InvalidValue("a stream or a mode that cannot capture"));
        }
        machine.graphs().begin_capture(stream)
    }
    /// The graph.
    fn cuStreamEndCapture(stream: u64, to: *mut u64) {
        let (machine, device) = (Machine::get()?, current()?);
        let handle = machine.handle();
        machine.graphs().end_capture(stream, handle, device.ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
}
