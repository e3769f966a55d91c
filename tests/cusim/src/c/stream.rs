//! Streams, events and graphs.
//!
//! Invariant: a stream does what it is given at once, except while it is captured; then it does nothing, and the graph
//! does it at each launch.
#![expect(unsafe_code, reason = "names of exported functions are not mangled")]

use super::{CAPTURE_INVALID, CAPTURE_UNSUPPORTED, INVALID_HANDLE, Out, SUCCESS, exported, put, with};
use std::ffi::c_void;
use std::time::Instant;

exported! {
    /// Makes a stream.
    fn cuStreamCreate(stream: Out<'_, usize>, _flags: u32) {
        with(|state| {
            let handle = state.handle();
            state.streams.insert(handle, None);
            put(stream, handle)
        })
    }

    /// Makes a stream; all are served alike.
    fn cuStreamCreateWithPriority(stream: Out<'_, usize>, flags: u32, _priority: i32) {
        cuStreamCreate(stream, flags)
    }

    /// Ends a stream.
    fn cuStreamDestroy_v2(stream: usize) {
        with(|state| state.streams.remove(&stream).map(|_| ()).ok_or(INVALID_HANDLE))
    }

    /// Waits for a stream, and learns of faults.
    fn cuStreamSynchronize(stream: usize) {
        with(|state| {
            if let Some(Some(_)) = state.streams.get(&stream) {
                return Err(CAPTURE_UNSUPPORTED);
            }
            state.operation()
        })
    }

    /// Whether a stream has done everything.
    fn cuStreamQuery(_stream: usize) {
        with(|_| Ok(()))
    }

    /// Lets a stream wait for an event, which has happened.
    fn cuStreamWaitEvent(_stream: usize, event: usize, _flags: u32) {
        with(|state| if state.events.contains_key(&event) { Ok(()) } else { Err(INVALID_HANDLE) })
    }

    /// Begins to capture.
    fn cuStreamBeginCapture_v2(stream: usize, _mode: i32) {
        with(|state| match state.streams.get_mut(&stream) {
            Some(capture @ None) => {
                *capture = Some(Vec::new());
                Ok(())
            }
            Some(Some(_)) => Err(CAPTURE_INVALID),
            // The default stream cannot be captured.
            None => Err(CAPTURE_UNSUPPORTED),
        })
    }

    /// Whether a stream is captured.
    fn cuStreamIsCapturing(stream: usize, status: Out<'_, i32>) {
        with(|state| put(status, i32::from(matches!(state.streams.get(&stream), Some(Some(_))))))
    }

    /// Ends capturing and gives the graph.
    fn cuStreamEndCapture(stream: usize, graph: Out<'_, usize>) {
        with(|state| {
            let captured = state.streams.get_mut(&stream).and_then(Option::take).ok_or(CAPTURE_INVALID)?;
            let handle = state.handle();
            state.graphs.insert(handle, captured);
            put(graph, handle)
        })
    }

    /// Makes a graph executable.
    fn cuGraphInstantiateWithFlags(executable: Out<'_, usize>, graph: usize, _flags: u64) {
        with(|state| {
            let work = state.graphs.get(&graph).cloned().ok_or(INVALID_HANDLE)?;
            let handle = state.handle();
            state.graphs.insert(handle, work);
            put(executable, handle)
        })
    }

    /// Sends a graph ahead, which does not matter here.
    fn cuGraphUpload(executable: usize, _stream: usize) {
        with(|state| if state.graphs.contains_key(&executable) { Ok(()) } else { Err(INVALID_HANDLE) })
    }

    /// Does what the graph holds.
    fn cuGraphLaunch(executable: usize, stream: usize) {
        with(|state| {
            let work = state.graphs.get(&executable).cloned().ok_or(INVALID_HANDLE)?;
            work.into_iter().try_for_each(|work| state.submit(stream, work))
        })
    }

    /// Ends an executable graph.
    fn cuGraphExecDestroy(executable: usize) {
        with(|state| state.graphs.remove(&executable).map(|_| ()).ok_or(INVALID_HANDLE))
    }

    /// Ends a graph.
    fn cuGraphDestroy(graph: usize) {
        cuGraphExecDestroy(graph)
    }

    /// Makes an event.
    fn cuEventCreate(event: Out<'_, usize>, _flags: u32) {
        with(|state| {
            let handle = state.handle();
            state.events.insert(handle, None);
            put(event, handle)
        })
    }

    /// Ends an event.
    fn cuEventDestroy_v2(event: usize) {
        with(|state| state.events.remove(&event).map(|_| ()).ok_or(INVALID_HANDLE))
    }

    /// Lets an event happen.
    fn cuEventRecord(event: usize, _stream: usize) {
        with(|state| {
            *state.events.get_mut(&event).ok_or(INVALID_HANDLE)? = Some(Instant::now());
            Ok(())
        })
    }

    /// Whether it has.
    fn cuEventQuery(_event: usize) {
        with(|_| Ok(()))
    }

    /// Waits for it, and learns of faults.
    fn cuEventSynchronize(_event: usize) {
        with(|state| state.operation())
    }

    /// Milliseconds between two events.
    fn cuEventElapsedTime_v2(milliseconds: Out<'_, f32>, start: usize, end: usize) {
        with(|state| {
            let at = |event: &usize| state.events.get(event).copied().flatten().ok_or(INVALID_HANDLE);
            put(milliseconds, at(&end)?.duration_since(at(&start)?).as_secs_f32() * 1e3)
        })
    }

    /// The same, by its older name.
    fn cuEventElapsedTime(milliseconds: Out<'_, f32>, start: usize, end: usize) {
        cuEventElapsedTime_v2(milliseconds, start, end)
    }

    /// A table of internal functions, of which there are none; NVIDIA's compilers ask for it.
    fn cuGetExportTable(table: Out<'_, *const c_void>, _id: *const c_void) {
        let _ = put(table, std::ptr::null());
        super::NOT_FOUND
    }

    /// Ranges for profilers.
    fn cuProfilerStart() {
        SUCCESS
    }

    /// Ranges for profilers.
    fn cuProfilerStop() {
        SUCCESS
    }
}
