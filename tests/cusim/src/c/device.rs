//! The driver, its one device, and the device's context.
//!
//! Invariant: an attribute that is not listed is refused; a made-up answer could hide a wrong use.
#![expect(unsafe_code, reason = "names of exported functions are not mangled")]

use super::{
    INVALID_DEVICE, INVALID_VALUE, NO_DEVICE, NOT_INITIALIZED, Out, SUCCESS, Status, always, exported, number, put,
    with,
};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

/// The one context.
const CONTEXT: usize = 0x1000;
/// CUDA 13.0.
const VERSION: i32 = 13000;
const NAME: &CStr = c"cusim, a simulated GPU";

fn device(device: i32) -> Result<(), Status> {
    if device == 0 { Ok(()) } else { Err(INVALID_DEVICE) }
}

/// The value of a device attribute, by the number of the driver's enumeration.
fn attribute(attribute: i32) -> Option<i32> {
    Some(match attribute {
        // Threads of a block, in all and by dimension; blocks of a grid.
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        // Shared memory of a block, constant memory, lanes of a warp, registers of a block.
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        12 => 64 << 10,
        // Clock in kHz, multiprocessors, no limit on the time of a kernel, no integrated GPU.
        13 => 1_000_000,
        16 => 4,
        17 | 18 => 0,
        // Concurrent kernels, memory clock and bus width, L2 cache, threads of a multiprocessor.
        31 => 1,
        36 => 1_000_000,
        37 => 1024,
        38 => 4 << 20,
        39 => 2048,
        // Unified addresses, compute capability 8.0.
        41 => 1,
        75 => 8,
        76 => 0,
        // Shared memory of a multiprocessor, registers of it, managed memory, shared memory of a block on demand.
        81 => 164 << 10,
        82 => 64 << 10,
        83 => 0,
        97 => 163 << 10,
        // Blocks of a multiprocessor, stream-ordered pools.
        106 => 32,
        115 => 1,
        _ => return None,
    })
}

exported! {
    /// Starts the driver.
    fn cuInit(_flags: u32) {
        always(|state| {
            if number("CUSIM_NO_DEVICE").is_some_and(|on| on != 0) {
                return Err(NO_DEVICE);
            }
            state.initialized = true;
            Ok(())
        })
    }

    /// The version of CUDA that the driver serves.
    fn cuDriverGetVersion(version: Out<'_, i32>) {
        always(|_| put(version, VERSION))
    }

    /// How many devices there are.
    fn cuDeviceGetCount(count: Out<'_, i32>) {
        always(|state| if state.initialized { put(count, 1) } else { Err(NOT_INITIALIZED) })
    }

    /// The device of a number.
    fn cuDeviceGet(found: Out<'_, i32>, ordinal: i32) {
        with(|_| {
            device(ordinal)?;
            put(found, 0)
        })
    }

    /// The device's name.
    fn cuDeviceGetName(name: Option<&mut MaybeUninit<c_char>>, length: i32, ordinal: i32) {
        with(|_| {
            device(ordinal)?;
            let room = usize::try_from(length).ok().filter(|room| *room > 0).ok_or(INVALID_VALUE)?;
            let target = std::ptr::from_mut(name.ok_or(INVALID_VALUE)?).cast::<u8>();
            let count = NAME.to_bytes().len().min(room - 1);
            // SAFETY: the caller has `length` bytes at `name`, and `count` is less.
            unsafe { target.copy_from_nonoverlapping(NAME.as_ptr().cast(), count) };
            // SAFETY: likewise.
            let end = unsafe { target.add(count) };
            // SAFETY: likewise.
            unsafe { end.write(0) };
            Ok(())
        })
    }

    /// Sixteen bytes that tell devices apart.
    fn cuDeviceGetUuid_v2(uuid: Out<'_, [u8; 16]>, ordinal: i32) {
        with(|_| {
            device(ordinal)?;
            put(uuid, *b"cusim-simulation")
        })
    }

    /// The same, by its older name.
    fn cuDeviceGetUuid(uuid: Out<'_, [u8; 16]>, ordinal: i32) {
        cuDeviceGetUuid_v2(uuid, ordinal)
    }

    /// The device's memory.
    fn cuDeviceTotalMem_v2(bytes: Out<'_, usize>, ordinal: i32) {
        with(|state| {
            device(ordinal)?;
            put(bytes, state.memory.limit() as usize)
        })
    }

    /// A figure of the device.
    fn cuDeviceGetAttribute(value: Out<'_, i32>, which: i32, ordinal: i32) {
        with(|_| {
            device(ordinal)?;
            let Some(answer) = attribute(which) else {
                eprintln!("cusim: the device attribute {which} is not known");
                return Err(INVALID_VALUE);
            };
            put(value, answer)
        })
    }

    /// Takes the device's context.
    fn cuDevicePrimaryCtxRetain(context: Out<'_, usize>, ordinal: i32) {
        with(|_| {
            device(ordinal)?;
            put(context, CONTEXT)
        })
    }

    /// Gives it back.
    fn cuDevicePrimaryCtxRelease_v2(_ordinal: i32) {
        always(|state| {
            if number("CUSIM_LOG").is_some() {
                let (count, bytes) = (state.memory.allocations(), state.memory.used());
                let peak = state.memory.peak();
                eprintln!("cusim: released with {count} allocations of {bytes} bytes; at most there were {peak} bytes");
            }
            Ok(())
        })
    }

    /// Makes a context the thread's.
    fn cuCtxSetCurrent(context: usize) {
        always(|_| if context == CONTEXT || context == 0 { Ok(()) } else { Err(INVALID_VALUE) })
    }

    /// The thread's context.
    fn cuCtxGetCurrent(context: Out<'_, usize>) {
        always(|_| put(context, CONTEXT))
    }

    /// How the host waits, which does not matter here.
    fn cuCtxSetFlags(_flags: u32) {
        SUCCESS
    }

    /// Waits for everything, and learns of faults.
    fn cuCtxSynchronize() {
        with(|state| state.operation())
    }

    /// Free bytes and all bytes.
    fn cuMemGetInfo_v2(free: Out<'_, usize>, total: Out<'_, usize>) {
        with(|state| {
            put(free, (state.memory.limit() - state.memory.used()) as usize)?;
            put(total, state.memory.limit() as usize)
        })
    }

    /// The name of a status.
    fn cuGetErrorName(status: Status, name: Out<'_, *const c_char>) {
        always(|_| put(name, described(status)?.0.as_ptr()))
    }

    /// What a status means.
    fn cuGetErrorString(status: Status, text: Out<'_, *const c_char>) {
        always(|_| put(text, described(status)?.1.as_ptr()))
    }
}

fn described(status: Status) -> Result<(&'static CStr, &'static CStr), Status> {
    Ok(match status {
        super::SUCCESS => (c"CUDA_SUCCESS", c"no error"),
        super::INVALID_VALUE => (c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
        super::OUT_OF_MEMORY => (c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        super::NOT_INITIALIZED => (c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
        super::UNKNOWN => (c"CUDA_ERROR_UNKNOWN", c"unknown error"),
        super::NO_DEVICE => (c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
        super::INVALID_DEVICE => (c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
        super::INVALID_PTX => (c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
        super::INVALID_HANDLE => (c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
        super::NOT_FOUND => (c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
        super::ILLEGAL_ADDRESS => (c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
        super::LAUNCH_TIMEOUT => (c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
        super::MISALIGNED_ADDRESS => (c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
        super::LAUNCH_FAILED => (c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
        super::CAPTURE_UNSUPPORTED => {
            (c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", c"operation not permitted when stream is capturing")
        }
        super::CAPTURE_INVALID => {
            (c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"operation failed due to a previous error during capture")
        }
        _ => return Err(INVALID_VALUE),
    })
}
