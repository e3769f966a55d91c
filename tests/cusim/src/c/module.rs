//! Modules, functions and launches.
//!
//! Invariant: only the text of a module is ever loaded; every parameter of a kernel is 8 bytes.
#![expect(unsafe_code, reason = "names of exported functions are not mangled, and the host's memory is reached")]

use super::{Function, INVALID_HANDLE, INVALID_PTX, INVALID_VALUE, NOT_FOUND, Out, State, Status, Work};
use super::{exported, put, with};
use crate::Module;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

/// Bytes of shared memory that a launch may ask for without having said so.
const DEFAULT_SHARED: u32 = 48 << 10;
/// The attribute by which a function says so.
const MOST_DYNAMIC_SHARED: i32 = 8;

/// The text at `pointer`.
fn text(pointer: *const c_void) -> Result<String, Status> {
    if pointer.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller passes text that ends in a zero byte, as it must for PTX.
    let text = unsafe { CStr::from_ptr(pointer.cast()) };
    text.to_str().map(str::to_owned).map_err(|_| INVALID_PTX)
}

fn load(state: &mut State, image: *const c_void) -> Result<usize, Status> {
    match Module::load(&text(image)?) {
        Ok(module) => {
            let handle = state.handle();
            state.modules.insert(handle, Arc::new(module));
            Ok(handle)
        }
        Err(refused) => {
            eprintln!("cusim: {refused}");
            Err(INVALID_PTX)
        }
    }
}

/// The parameters of a launch.
fn parameters(pointers: *const *const u64, count: usize) -> Vec<u64> {
    let value = |at| {
        // SAFETY: the caller of a launch passes as many pointers as the kernel has parameters.
        let pointer = unsafe { pointers.add(at) };
        // SAFETY: likewise.
        let pointer = unsafe { pointer.read() };
        // SAFETY: each points to the 8 bytes of a parameter, with whatever alignment.
        unsafe { pointer.read_unaligned() }
    };
    (0..count).map(value).collect()
}

exported! {
    /// Loads a module.
    fn cuModuleLoadData(module: Out<'_, usize>, image: *const c_void) {
        with(|state| put(module, load(state, image)?))
    }

    /// Loads a module; the options say how to compile, which does not matter here.
    fn cuModuleLoadDataEx(
        module: Out<'_, usize>,
        image: *const c_void,
        _count: u32,
        _options: *const i32,
        _values: *const *const c_void,
    ) {
        cuModuleLoadData(module, image)
    }

    /// Unloads a module.
    fn cuModuleUnload(module: usize) {
        with(|state| state.modules.remove(&module).map(|_| ()).ok_or(INVALID_HANDLE))
    }

    /// The function of a name.
    fn cuModuleGetFunction(function: Out<'_, usize>, module: usize, name: *const c_char) {
        with(|state| {
            let module = state.modules.get(&module).cloned().ok_or(INVALID_HANDLE)?;
            let entry = text(name.cast())?;
            let params = module.params(&entry).ok_or(NOT_FOUND)?;
            let handle = state.handle();
            state.functions.insert(handle, Function { module, entry, params, most_shared: DEFAULT_SHARED });
            put(function, handle)
        })
    }

    /// What a function needs and may have.
    fn cuFuncGetAttribute(value: Out<'_, i32>, attribute: i32, function: usize) {
        with(|state| {
            let function = state.functions.get(&function).ok_or(INVALID_HANDLE)?;
            put(value, match attribute {
                0 => 1024,
                // Registers of a thread: an honest figure is the assembler's to give.
                4 => 32,
                MOST_DYNAMIC_SHARED => function.most_shared as i32,
                _ => return Err(INVALID_VALUE),
            })
        })
    }

    /// Says what a function may have.
    fn cuFuncSetAttribute(function: usize, attribute: i32, value: i32) {
        with(|state| {
            let function = state.functions.get_mut(&function).ok_or(INVALID_HANDLE)?;
            match (attribute, u32::try_from(value)) {
                (MOST_DYNAMIC_SHARED, Ok(bytes)) if bytes <= 163 << 10 => {
                    function.most_shared = bytes;
                    Ok(())
                }
                _ => Err(INVALID_VALUE),
            }
        })
    }

    /// How many blocks a multiprocessor takes at once.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: Out<'_, i32>, _function: usize, threads: i32, _shared: usize) {
        with(|_| put(count, 2048 / threads.clamp(64, 1024)))
    }

    /// Launches a function.
    fn cuLaunchKernel(
        function: usize,
        grid: u32,
        grid_y: u32,
        grid_z: u32,
        block: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        params: *const *const u64,
        extra: *const *const c_void,
    ) {
        with(|state| {
            let count = state.functions.get(&function).ok_or(INVALID_HANDLE)?.params;
            let flat = [grid_y, grid_z, block_y, block_z] == [1; 4];
            if !flat || !extra.is_null() || grid == 0 || block == 0 || (params.is_null() && count > 0) {
                eprintln!("cusim: a launch of {grid}x{grid_y}x{grid_z} blocks of {block}x{block_y}x{block_z} threads");
                return Err(INVALID_VALUE);
            }
            let values = parameters(params, count);
            state.submit(stream, Work::Launch { function, grid, block, shared, params: values })
        })
    }
}
