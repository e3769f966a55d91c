//! Worker threads: numbered tasks shared out to whoever is free.
//!
//! Invariant: the caller works too, as worker 0; every task is done once, when `each` returns all are done.

use crate::base::Unavailable;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A pool of one thread less than there are workers, or none for one worker.
pub(super) struct Threads {
    pool: Option<rayon::ThreadPool>,
    count: usize,
}

impl Threads {
    /// So many workers; all cores by default.
    pub(super) fn new(threads: Option<usize>) -> Result<Self, Unavailable> {
        let count = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        if count == 1 {
            return Ok(Self { pool: None, count });
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count - 1).build();
        let pool = pool.map_err(|error| Unavailable {
            what: format!("{count} threads"),
            why: error.to_string(),
            hint: "ask for fewer with `--threads`".into(),
        })?;
        Ok(Self { pool: Some(pool), count })
    }

    /// Number of workers.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// `work(task, worker)` for every task below `tasks`, in any order and at once.
    pub(super) fn each(&self, tasks: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        let helpers = self.count.min(tasks).saturating_sub(1);
        let Some(pool) = self.pool.as_ref().filter(|_| helpers > 0) else {
            (0..tasks).for_each(|task| work(task, 0));
            return;
        };
        let next = AtomicUsize::new(0);
        let take = |worker: usize| {
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    return;
                }
                work(task, worker);
            }
        };
        pool.in_place_scope(|scope| {
            let take = &take;
            for worker in 1..=helpers {
                scope.spawn(move |_| take(worker));
            }
            take(0);
        });
    }
}
