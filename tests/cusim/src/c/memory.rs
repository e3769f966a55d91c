//! Allocations, pools, copies and fills.
//!
//! Invariant: frees and copies happen when they are asked for, so memory that is used after `cuMemFreeAsync` is used
//! after it was freed, in whatever stream.
#![expect(unsafe_code, reason = "names of exported functions are not mangled, and the host's memory is reached")]

use super::{CAPTURE_UNSUPPORTED, INVALID_VALUE, Out, SUCCESS, State, Status, Work, exported, put, with};
use std::ffi::c_void;

/// The one pool.
const POOL: usize = 0x2000;

fn free(state: &mut State, address: u64) -> Result<(), Status> {
    if address == 0 {
        return Ok(());
    }
    let freed = state.memory.free(address);
    freed.map_err(|misuse| state.misused(&misuse))
}

/// Copies between host and device have host pointers, which a replay could not read as they were.
fn not_captured(state: &State, stream: usize) -> Result<(), Status> {
    match state.streams.get(&stream) {
        Some(Some(_)) => Err(CAPTURE_UNSUPPORTED),
        _ => Ok(()),
    }
}

exported! {
    /// Allocates.
    fn cuMemAlloc_v2(address: Out<'_, u64>, bytes: usize) {
        with(|state| put(address, state.alloc(bytes)?))
    }

    /// Frees.
    fn cuMemFree_v2(address: u64) {
        with(|state| free(state, address))
    }

    /// Allocates in the order of a stream.
    fn cuMemAllocAsync(address: Out<'_, u64>, bytes: usize, stream: usize) {
        with(|state| {
            not_captured(state, stream)?;
            put(address, state.alloc(bytes)?)
        })
    }

    /// Allocates from a pool.
    fn cuMemAllocFromPoolAsync(address: Out<'_, u64>, bytes: usize, pool: usize, stream: usize) {
        if pool == POOL { cuMemAllocAsync(address, bytes, stream) } else { INVALID_VALUE }
    }

    /// Frees in the order of a stream.
    fn cuMemFreeAsync(address: u64, stream: usize) {
        with(|state| {
            not_captured(state, stream)?;
            free(state, address)
        })
    }

    /// The device's pool.
    fn cuDeviceGetDefaultMemPool(pool: Out<'_, usize>, _device: i32) {
        with(|_| put(pool, POOL))
    }

    /// The pool that allocations come from.
    fn cuDeviceGetMemPool(pool: Out<'_, usize>, _device: i32) {
        with(|_| put(pool, POOL))
    }

    /// How much a pool keeps; this one keeps nothing.
    fn cuMemPoolSetAttribute(_pool: usize, _attribute: i32, value: *const c_void) {
        if value.is_null() { INVALID_VALUE } else { SUCCESS }
    }

    /// What a pool holds: reserved now (5) and at most (6), used now (7) and at most (8), kept when idle (4).
    fn cuMemPoolGetAttribute(_pool: usize, attribute: i32, value: Out<'_, u64>) {
        with(|state| {
            put(value, match attribute {
                4 => 0,
                5 | 7 => state.memory.used(),
                6 | 8 => state.memory.peak(),
                _ => return Err(INVALID_VALUE),
            })
        })
    }

    /// Gives back what a pool keeps beyond `bytes`.
    fn cuMemPoolTrimTo(_pool: usize, _bytes: usize) {
        with(|_| Ok(()))
    }

    /// From the host, waiting.
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        cuMemcpyHtoDAsync_v2(to, from, bytes, 0)
    }

    /// From the host.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: usize) {
        with(|state| {
            not_captured(state, stream)?;
            state.operation()?;
            if bytes == 0 {
                return Ok(());
            }
            if from.is_null() {
                return Err(INVALID_VALUE);
            }
            // SAFETY: the caller has `bytes` bytes at `from`.
            let source = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
            let written = state.memory.write(to, source);
            written.map_err(|misuse| state.misused(&misuse))
        })
    }

    /// To the host, waiting.
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        cuMemcpyDtoHAsync_v2(to, from, bytes, 0)
    }

    /// To the host.
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: usize) {
        with(|state| {
            not_captured(state, stream)?;
            state.operation()?;
            if bytes == 0 {
                return Ok(());
            }
            if to.is_null() {
                return Err(INVALID_VALUE);
            }
            let mut data = vec![0; bytes];
            let read = state.memory.read(from, &mut data);
            read.map_err(|misuse| state.misused(&misuse))?;
            // SAFETY: the caller has `bytes` bytes at `to`; they may hold nothing yet, so no slice is made of them.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(data.as_ptr(), bytes) };
            Ok(())
        })
    }

    /// Within the device, waiting.
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        cuMemcpyDtoDAsync_v2(to, from, bytes, 0)
    }

    /// Within the device.
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) {
        with(|state| if bytes == 0 { Ok(()) } else { state.submit(stream, Work::Copy { to, from, bytes: bytes as u64 }) })
    }

    /// The same byte everywhere, waiting.
    fn cuMemsetD8_v2(to: u64, byte: u8, count: usize) {
        cuMemsetD8Async(to, byte, count, 0)
    }

    /// The same byte everywhere.
    fn cuMemsetD8Async(to: u64, byte: u8, count: usize, stream: usize) {
        with(|state| if count == 0 { Ok(()) } else { state.submit(stream, Work::Fill { to, byte, count: count as u64 }) })
    }

    /// Memory of the host that a device reaches fast.
    fn cuMemHostAlloc(pointer: Out<'_, *mut c_void>, bytes: usize, _flags: u32) {
        with(|_| {
            let words = vec![0_u128; bytes.div_ceil(16).max(1)];
            put(pointer, Box::leak(words.into_boxed_slice()).as_mut_ptr().cast())
        })
    }

    /// Frees it. A simulated process is short: its pages are left to its end.
    fn cuMemFreeHost(_pointer: *mut c_void) {
        SUCCESS
    }
}
