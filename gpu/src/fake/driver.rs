//! What the fake device does when its driver is called.

use std::any::Any;
use std::collections::VecDeque;

use ndany_kernels::{CUDA, Dialect};

use super::{Fake, Launched, Task};
use crate::driver::{
    Address, Driver, DriverError, DriverResult, Event, Function, FunctionAttribute, KernelLaunch,
    Module, Properties, Stream,
};

impl Driver for Fake {
    fn dialect(&self) -> &'static Dialect {
        &CUDA
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> DriverResult<Address> {
        let mut state = self.state();
        state.enter("allocate")?;
        if state.used + bytes > state.capacity {
            return Err(DriverError::OutOfMemory { call: "allocate" });
        }
        state.used += bytes;
        let end =
            |(start, (bytes, _)): (&Address, &(usize, Option<Vec<u8>>))| start + *bytes as u64;
        // Directly one after the other, as a driver may place them: an access over an end meets the next one's bytes,
        // and fails.
        let address =
            state.space.device.last_key_value().map_or(1 << 12, end).next_multiple_of(256);
        state.space.device.insert(address, (bytes, None));
        Ok(address)
    }

    unsafe fn free(&self, address: Address) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("free")?;
        match state.space.device.remove(&address) {
            Some((bytes, _)) => {
                state.used -= bytes;
                state.managed.remove(&address);
                if state.touched(address, address + bytes as u64) {
                    state.space.violations.push(format!("{address:#x} freed under work"));
                }
            }
            None => state.space.violations.push(format!("{address:#x} freed twice")),
        }
        Ok(())
    }

    fn memory(&self) -> DriverResult<[usize; 2]> {
        let mut state = self.state();
        state.enter("memory")?;
        Ok([state.capacity - state.used, state.capacity])
    }

    fn allocate_host(&self, bytes: usize) -> DriverResult<*mut u8> {
        let mut state = self.state();
        state.enter("allocate_host")?;
        let mut data = vec![0u64; bytes.div_ceil(8)];
        let pointer = data.as_mut_ptr().cast::<u8>();
        state.space.host.insert(pointer as u64, data);
        Ok(pointer)
    }

    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("free_host")?;
        match state.space.host.remove(&(memory as u64)) {
            Some(data) => {
                let start = memory as u64;
                if state.touched(start, start + 8 * data.len() as u64) {
                    state.space.violations.push(format!("{memory:?} freed under work"));
                }
            }
            None => state.space.violations.push(format!("{memory:?} freed twice")),
        }
        Ok(())
    }

    unsafe fn upload(
        &self,
        to: Address,
        from: *const u8,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("upload")?;
        state.push(stream, Task::Copy { to, from: from as u64, bytes });
        Ok(())
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("download")?;
        state.push(stream, Task::Copy { to: to as u64, from, bytes });
        Ok(())
    }

    unsafe fn copy_from_peer(
        &self,
        to: Address,
        from: Address,
        peer: &dyn Driver,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let Some(peer) = (peer as &dyn Any).downcast_ref::<Self>() else {
            unreachable!("peers are fake devices")
        };
        let data = peer.state().space.get(from, bytes);
        let mut state = self.state();
        state.enter("copy_from_peer")?;
        state.run(stream.0);
        state.space.set(to, &data);
        Ok(())
    }

    unsafe fn fill(&self, to: Address, byte: u8, bytes: usize, stream: Stream) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("fill")?;
        state.push(stream, Task::Fill { to, byte, bytes });
        Ok(())
    }

    fn create_stream(&self) -> DriverResult<Stream> {
        let mut state = self.state();
        state.enter("create_stream")?;
        let stream = state.fresh();
        state.streams.insert(stream, VecDeque::new());
        Ok(Stream(stream))
    }

    unsafe fn destroy_stream(&self, stream: Stream) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("destroy_stream")?;
        state.run(stream.0);
        if state.streams.remove(&stream.0).is_none() {
            state.space.violations.push("a stream destroyed twice".to_string());
        }
        Ok(())
    }

    unsafe fn wait_for_stream(&self, stream: Stream) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("wait_for_stream")?;
        state.run(stream.0);
        Ok(())
    }

    fn create_event(&self) -> DriverResult<Event> {
        let mut state = self.state();
        state.enter("create_event")?;
        let event = state.fresh();
        state.events.insert(event, (0, 0));
        Ok(Event(event))
    }

    unsafe fn destroy_event(&self, event: Event) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("destroy_event")?;
        if state.events.remove(&event.0).is_none() {
            state.space.violations.push("an event destroyed twice".to_string());
        }
        Ok(())
    }

    unsafe fn record(&self, event: Event, stream: Stream) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("record")?;
        let time = state.events.get_mut(&event.0).map(|state| {
            state.0 += 1;
            state.0
        });
        match time {
            Some(time) => state.push(stream, Task::Record { event: event.0, time }),
            None => state.space.violations.push("an event recorded that is not there".to_string()),
        }
        Ok(())
    }

    unsafe fn is_completed(&self, event: Event) -> DriverResult<bool> {
        let mut state = self.state();
        state.enter("is_completed")?;
        Ok(state.events.get(&event.0).is_none_or(|(recorded, passed)| recorded == passed))
    }

    unsafe fn wait_for_event(&self, event: Event) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("wait_for_event")?;
        let time = state.events.get(&event.0).map_or(0, |state| state.0);
        state.run_until(event.0, time);
        Ok(())
    }

    unsafe fn stream_waits(&self, stream: Stream, event: Event) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("stream_waits")?;
        let time = state.events.get(&event.0).map_or(0, |state| state.0);
        state.push(stream, Task::Wait { event: event.0, time });
        Ok(())
    }

    fn load(&self, image: &[u8]) -> DriverResult<Module> {
        let mut state = self.state();
        state.enter("load")?;
        let module = state.fresh();
        match std::str::from_utf8(image) {
            Ok(text) => state.modules.insert(module, text.to_string()),
            Err(_) => {
                return Err(DriverError::Call {
                    call: "load",
                    code: 200,
                    text: "bad image".to_string(),
                });
            }
        };
        Ok(Module(module))
    }

    unsafe fn unload(&self, module: Module) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("unload")?;
        if state.modules.remove(&module.0).is_none() {
            state.space.violations.push("a module unloaded twice".to_string());
        }
        Ok(())
    }

    unsafe fn function(&self, module: Module, name: &str) -> DriverResult<Function> {
        let mut state = self.state();
        state.enter("function")?;
        match state.modules.get(&module.0) {
            Some(text) if text.contains(name) => Ok(Function(module.0)),
            _ => Err(DriverError::Call { call: "function", code: 500, text: format!("no {name}") }),
        }
    }

    unsafe fn launch(&self, launch: &KernelLaunch, arguments: &[u64]) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("launch")?;
        // The image says which kernel it is in its last word.
        let entry =
            state.modules.get(&launch.function.0).and_then(|text| text.split_whitespace().last());
        let entry = entry.unwrap_or("").to_string();
        let (words, stream) = (arguments.to_vec(), launch.stream);
        let (grid, block) = (launch.grid[0], launch.block[0]);
        state.launched.push(Launched {
            entry: entry.clone(),
            grid,
            block,
            words: words.clone(),
            stream,
        });
        state.push(stream, Task::Run { entry, words });
        Ok(())
    }

    unsafe fn launch_with(
        &self,
        launch: &KernelLaunch,
        parameters: &[*const u8],
    ) -> DriverResult<()> {
        // SAFETY: the caller's: parameters of tests are words.
        let words: Vec<u64> =
            parameters.iter().map(|at| unsafe { at.cast::<u64>().read_unaligned() }).collect();
        // SAFETY: the caller's.
        unsafe { self.launch(launch, &words) }
    }

    unsafe fn function_attribute(
        &self,
        _: Function,
        attribute: FunctionAttribute,
    ) -> DriverResult<u32> {
        self.state().enter("attribute")?;
        Ok(match attribute {
            FunctionAttribute::MaxThreads => 512,
            FunctionAttribute::SharedBytes => 256,
            FunctionAttribute::ConstantBytes => 16,
            FunctionAttribute::LocalBytes => 8,
            FunctionAttribute::Registers => 32,
        })
    }

    unsafe fn allow_shared(&self, _: Function, _: u32) -> DriverResult<()> {
        self.state().enter("allow_shared")
    }

    unsafe fn occupancy(&self, _: Function, block: u32, _: usize) -> DriverResult<u32> {
        self.state().enter("occupancy")?;
        Ok(1024 / block)
    }

    unsafe fn parameters(&self, function: Function) -> DriverResult<Option<Vec<usize>>> {
        let mut state = self.state();
        state.enter("parameters")?;
        // As many words as the text says.
        let text = state.modules.get(&function.0).map_or("", String::as_str);
        let count = text.split_once("words ").and_then(|(_, rest)| rest.split(' ').next());
        Ok(count.and_then(|count| count.parse().ok()).map(|count| vec![8; count]))
    }

    unsafe fn global(&self, module: Module, name: &str) -> DriverResult<(Address, usize)> {
        let mut state = self.state();
        state.enter("global")?;
        match state.modules.get(&module.0) {
            Some(text) if text.contains(name) => {}
            _ => {
                return Err(DriverError::Call {
                    call: "global",
                    code: 500,
                    text: format!("no {name}"),
                });
            }
        }
        // Sixteen bytes far from all allocations.
        let address = 1 << 40;
        state.space.device.entry(address).or_insert((16, None));
        Ok((address, 16))
    }
}
