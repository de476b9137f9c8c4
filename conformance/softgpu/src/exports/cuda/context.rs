//! Contexts: each device has its primary one, and a thread has a stack of current ones.

use super::{CURRENT, VERSION, code, context_of, current, current_at_all, device_of};
use crate::device::Machine;
use crate::exports::waits::priorities;
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};

fn release(ordinal: i32) -> Result<()> {
    let device = Machine::get()?.device(ordinal.into())?;
    if device.retain(false) == 0 {
        device.reset();
    }
    Ok(())
}

fn reset(ordinal: i32) -> Result<()> {
    Machine::get()?.device(ordinal.into())?.reset();
    Ok(())
}

exports! { TABLE, code;
    /// The primary context, which stays until it is released as often.
    fn cuDevicePrimaryCtxRetain(to: *mut u64, ordinal: i32) {
        let device = Machine::get()?.device(ordinal.into())?;
        device.retain(true);
        // SAFETY: the caller's.
        unsafe { put(to, context_of(device.ordinal)) }
    }
    /// Releases it; the last one takes all with it.
    fn cuDevicePrimaryCtxRelease(ordinal: i32) { release(ordinal) }
    /// The same.
    fn cuDevicePrimaryCtxRelease_v2(ordinal: i32) { release(ordinal) }
    /// Takes all with it at once.
    fn cuDevicePrimaryCtxReset(ordinal: i32) { reset(ordinal) }
    /// The same.
    fn cuDevicePrimaryCtxReset_v2(ordinal: i32) { reset(ordinal) }
    /// Whether it is present.
    fn cuDevicePrimaryCtxGetState(ordinal: i32, flags: *mut u32, active: *mut i32) {
        let device = Machine::get()?.device(ordinal.into())?;
        let retained = device.retain(true) > 1;
        device.retain(false);
        // SAFETY: the caller's.
        unsafe { put(flags, 0).and_then(|()| put(active, i32::from(retained))) }
    }
    /// Puts a context in the place of the current one; null takes that away.
    fn cuCtxSetCurrent(context: u64) {
        let device = (context != 0).then(|| device_of(context)).transpose()?;
        CURRENT.with_borrow_mut(|all| {
            all.pop();
            all.extend(device.map(|device| device.ordinal));
        });
        Ok(())
    }
    /// The current one, or null.
    fn cuCtxGetCurrent(to: *mut u64) {
        Machine::get()?;
        let context = CURRENT.with_borrow(|all| all.last().map_or(0, |&ordinal| context_of(ordinal)));
        // SAFETY: the caller's.
        unsafe { put(to, context) }
    }
    /// The device of the current one.
    fn cuCtxGetDevice(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, current_at_all()?.ordinal as i32) }
    }
    /// Puts a context on top.
    fn cuCtxPushCurrent_v2(context: u64) {
        let device = device_of(context)?;
        CURRENT.with_borrow_mut(|all| all.push(device.ordinal));
        Ok(())
    }
    /// Takes the one on top away.
    fn cuCtxPopCurrent_v2(to: *mut u64) {
        Machine::get()?;
        let top = CURRENT.with_borrow_mut(Vec::pop).ok_or(Failure::InvalidContext)?;
        if to.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's, and not null.
        unsafe { put(to, context_of(top)) }
    }
    /// Waits for everything.
    fn cuCtxSynchronize() {
        Machine::get()?.order().wait_for_device(current()?.ordinal);
        // What it waited for may have gone wrong.
        current().map(|_| ())
    }
    /// The interface's version.
    fn cuCtxGetApiVersion(_context: u64, to: *mut u32) {
        // SAFETY: the caller's.
        unsafe { put(to, VERSION as u32) }
    }
    /// The least and the most urgent priority.
    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) {
        current()?;
        // SAFETY: the caller's.
        unsafe { priorities(least, greatest) }
    }
    /// Lets the current context use a device's memory.
    fn cuCtxEnablePeerAccess(context: u64, _flags: u32) {
        let (device, peer) = (current()?, device_of(context)?);
        if device.ordinal == peer.ordinal {
            return Err(Failure::InvalidDevice(peer.ordinal as i64));
        }
        device.peers().insert(peer.ordinal).then_some(()).ok_or(Failure::PeerAlready)
    }
    /// Ends that.
    fn cuCtxDisablePeerAccess(context: u64) {
        let (device, peer) = (current()?, device_of(context)?);
        device.peers().remove(&peer.ordinal).then_some(()).ok_or(Failure::PeerNotEnabled)
    }
}
