//! A stack deep enough for the deepest tree that the parser lets through, inlined through the deepest chain of calls.

use std::thread;

/// Bytes of address space; pages are taken only when they are touched.
const STACK: usize = 1 << 30;

/// Runs `work` on a thread with a large stack and returns its result.
///
/// # Panics
/// Passes a panic of `work` on to the caller.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // Without address space for a thread nothing of ours can run either.
            Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
        }
    })
}
