//! Graphs: work that is told once and launched together, and streams whose work becomes a graph.
//!
//! A launch of a graph is one piece of work of its stream, and comes after the launches of the same graph before. Nodes run in
//! the order in which they were added, in which none comes before one that it depends on.

use std::collections::HashMap;
use std::sync::Arc;

use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};
use crate::inject;

/// Work that can be done again.
pub type Task = Arc<dyn Fn() + Send + Sync>;

const NO_GRAPH: Failure = Failure::InvalidHandle("graph");
const NO_NODE: Failure = Failure::InvalidHandle("node");

#[derive(Clone)]
struct Node {
    handle: u64,
    /// Whether its launch can be changed.
    is_kernel: bool,
    tasks: Vec<Task>,
}

struct Graph {
    device: usize,
    /// The call that made it.
    call: u64,
    nodes: Vec<Node>,
}

struct Exec {
    device: usize,
    nodes: Vec<Node>,
    /// Comes after its last launch. Made by the call that makes the instance, so it stands for the instance among leaks.
    event: u64,
}

/// All graphs.
#[derive(Default)]
pub struct Graphs {
    graphs: HashMap<u64, Graph>,
    execs: HashMap<u64, Exec>,
    /// What streams have become until now that capture.
    captures: HashMap<u64, Vec<Task>>,
}

impl std::fmt::Debug for Graphs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} graphs, {} that can be launched", self.graphs.len(), self.execs.len())
    }
}

impl Graphs {
    /// A new graph.
    pub fn create(&mut self, handle: u64, device: usize) {
        let (call, nodes) = (inject::number(), Vec::new());
        self.graphs.insert(handle, Graph { device, call, nodes });
    }

    /// Forgets a graph.
    pub fn destroy(&mut self, graph: u64) -> Result<()> {
        self.graphs.remove(&graph).map(|_| ()).ok_or(NO_GRAPH)
    }

    fn add(&mut self, graph: u64, after: &[u64], node: Node) -> Result<()> {
        let graph = self.graphs.get_mut(&graph).ok_or(NO_GRAPH)?;
        let there = |handle: &u64| graph.nodes.iter().any(|node| node.handle == *handle);
        if !after.iter().all(there) {
            return Err(NO_NODE);
        }
        graph.nodes.push(node);
        Ok(())
    }

    /// Adds a kernel.
    pub fn add_kernel(&mut self, graph: u64, after: &[u64], handle: u64, task: Task) -> Result<()> {
        self.add(graph, after, Node { handle, is_kernel: true, tasks: vec![task] })
    }

    /// Adds what another graph has now.
    pub fn add_graph(&mut self, graph: u64, after: &[u64], handle: u64, child: u64) -> Result<()> {
        let child = self.graphs.get(&child).ok_or(NO_GRAPH)?;
        let tasks = child.nodes.iter().flat_map(|node| node.tasks.iter().cloned()).collect();
        self.add(graph, after, Node { handle, is_kernel: false, tasks })
    }

    /// Makes a graph ready for launches; `event` is its own.
    pub fn instantiate(&mut self, graph: u64, handle: u64, event: u64) -> Result<()> {
        let Graph { device, nodes, .. } = self.graphs.get(&graph).ok_or(NO_GRAPH)?;
        let (device, nodes) = (*device, nodes.clone());
        self.execs.insert(handle, Exec { device, nodes, event });
        Ok(())
    }

    /// Forgets it; returns its event.
    pub fn destroy_exec(&mut self, exec: u64) -> Result<u64> {
        self.execs.remove(&exec).map(|exec| exec.event).ok_or(NO_GRAPH)
    }

    /// Changes a kernel for the launches that follow.
    pub fn set_kernel(&mut self, exec: u64, node: u64, task: Task) -> Result<()> {
        let exec = self.execs.get_mut(&exec).ok_or(NO_GRAPH)?;
        let node = exec.nodes.iter_mut().find(|known| known.handle == node && known.is_kernel);
        node.ok_or(NO_NODE)?.tasks = vec![task];
        Ok(())
    }

    /// What a launch does, and the event that orders launches.
    fn launched(&self, exec: u64, device: usize) -> Result<(Vec<Task>, u64)> {
        let exec = self.execs.get(&exec).filter(|exec| exec.device == device).ok_or(NO_GRAPH)?;
        let tasks = exec.nodes.iter().flat_map(|node| node.tasks.iter().cloned()).collect();
        Ok((tasks, exec.event))
    }

    /// Lets a stream's work become a graph.
    pub fn begin_capture(&mut self, stream: u64) -> Result<()> {
        match self.captures.insert(stream, Vec::new()) {
            None => Ok(()),
            Some(_) => Err(Failure::InvalidValue("a stream that captures already")),
        }
    }

    /// The graph of what a stream was given since.
    pub fn end_capture(&mut self, stream: u64, handle: u64, device: usize) -> Result<()> {
        let tasks = self.captures.remove(&stream);
        let tasks = tasks.ok_or(Failure::InvalidValue("a stream that does not capture"))?;
        self.create(handle, device);
        let node = Node { handle: handle + 1, is_kernel: false, tasks };
        self.add(handle, &[], node)
    }

    /// Takes work of a stream that captures; gives it back if the stream does not.
    pub fn capture(&mut self, stream: u64, task: Task) -> Option<Task> {
        match self.captures.get_mut(&stream) {
            Some(tasks) => {
                tasks.push(task);
                None
            }
            None => Some(task),
        }
    }

    /// Whether a stream captures.
    pub fn captures(&self, stream: u64) -> bool {
        self.captures.contains_key(&stream)
    }

    /// Forgets what a device has.
    pub fn clear(&mut self, device: usize) {
        self.graphs.retain(|_, graph| graph.device != device);
        self.execs.retain(|_, exec| exec.device != device);
        self.captures.clear();
    }

    /// Leaks: what it is, of which device, made by which call. An instance is listed as its event, among those of events.
    pub(crate) fn leaks(&self) -> Vec<(&'static str, usize, u64)> {
        let graphs = self.graphs.values();
        let mut all: Vec<_> = graphs.map(|graph| ("a graph", graph.device, graph.call)).collect();
        all.sort_by_key(|(.., call)| *call);
        all
    }
}

/// Launches a graph in a stream.
pub fn launch(device: &'static Device, exec: u64, stream: u64) -> Result<()> {
    let machine = Machine::get()?;
    let (tasks, event) = machine.graphs().launched(exec, device.ordinal)?;
    machine.order().stream_waits(stream, event, device.ordinal)?;
    machine.submit(device, stream, Box::new(move || tasks.iter().for_each(|task| task())))?;
    machine.order().record(event, stream, device.ordinal)
}
