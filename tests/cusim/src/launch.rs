//! A launch: its blocks one after the other, the warps of a block in turns from barrier to barrier.
//!
//! Invariant: what a launch does depends on nothing but its module, its parameters and the memory; a schedule that other
//! schedules could contradict is a race, which `race` reports.

use crate::fault::FaultKind;
use crate::memory::{Memory, Region, Regions};
use crate::op::{Kernel, Space};
use crate::race::{Shadow, Who};
use crate::warp::Warp;

/// Threads of a warp.
pub(crate) const LANES: u32 = 32;
/// Most threads of a block.
const MOST_THREADS: u32 = 1024;
/// Most blocks of a grid along the first dimension.
const MOST_BLOCKS: u32 = i32::MAX as u32;
/// Most bytes of shared memory that a launch may ask for.
const MOST_SHARED: u32 = 163 << 10;
/// Instructions of all threads together after which a launch counts as endless.
const BUDGET: u64 = 1 << 34;

/// How large a launch is.
pub(crate) struct Sizes {
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) shared: u32,
}

/// A fault, before the kernel's name and text are known.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: FaultKind,
    pub(crate) line: u32,
    pub(crate) block: u32,
    pub(crate) thread: u32,
    pub(crate) message: String,
}

/// A launch that cannot start.
pub(crate) fn configuration(message: impl Into<String>) -> Wrong {
    Wrong { kind: FaultKind::Configuration, line: 0, block: 0, thread: 0, message: message.into() }
}

/// What the threads of the running block share.
pub(crate) struct Machine<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) params: &'a [u64],
    pub(crate) sizes: &'a Sizes,
    pub(crate) memory: &'a mut Memory,
    global_shadows: Vec<Shadow>,
    shared: Regions,
    shared_shadows: Vec<Shadow>,
    /// The region that was found last, per space.
    hints: [usize; 2],
    pub(crate) block: u32,
    pub(crate) epoch: u32,
    steps: u64,
}

/// Runs a kernel.
pub(crate) fn run(kernel: &Kernel, sizes: &Sizes, params: &[u64], memory: &mut Memory) -> Result<(), Wrong> {
    if params.len() != kernel.params {
        return Err(configuration(format!("{} parameters are given, it takes {}", params.len(), kernel.params)));
    }
    if !(1..=MOST_BLOCKS).contains(&sizes.grid) || !(1..=MOST_THREADS).contains(&sizes.block) {
        return Err(configuration(format!("no device takes {} blocks of {} threads", sizes.grid, sizes.block)));
    }
    if sizes.block > kernel.most_threads {
        let most = kernel.most_threads;
        return Err(configuration(format!("blocks of {} threads; it is written for {most}", sizes.block)));
    }
    if sizes.shared > MOST_SHARED {
        return Err(configuration(format!("no device has {} bytes of shared memory for a block", sizes.shared)));
    }
    let global_shadows = memory.live.0.iter().map(|region| Shadow::new(region.len())).collect();
    let bytes = |array: &crate::op::SharedArray| array.bytes.unwrap_or_else(|| sizes.shared.into()) as usize;
    let shared = Regions(kernel.shared.iter().map(|array| Region::new(array.base, bytes(array))).collect());
    let mut machine = Machine {
        kernel,
        params,
        sizes,
        memory,
        global_shadows,
        shared,
        shared_shadows: Vec::new(),
        hints: [usize::MAX; 2],
        block: 0,
        epoch: 0,
        steps: 0,
    };
    let mut warps: Vec<Warp> =
        (0..sizes.block.div_ceil(LANES)).map(|warp| Warp::new(kernel, warp * LANES, sizes.block)).collect();
    for block in 0..sizes.grid {
        machine.start(block);
        for warp in &mut warps {
            warp.start(&machine);
        }
        while machine.turn(&mut warps)? {}
    }
    Ok(())
}

impl Machine<'_> {
    fn start(&mut self, block: u32) {
        self.block = block;
        self.epoch = 0;
        self.shared.0.iter_mut().for_each(Region::reset);
        // The low bits of an array's address are kept in its shadow, which wants alignment.
        self.shared_shadows = self.shared.0.iter().map(|region| Shadow::new(region.len() + 16)).collect();
    }

    /// Runs every warp up to a barrier or its end, and opens the barrier. Whether there is more to do.
    fn turn(&mut self, warps: &mut [Warp]) -> Result<bool, Wrong> {
        for warp in warps.iter_mut() {
            warp.run(self)?;
        }
        if let Some((pc, thread, missing)) = warps.iter().find_map(Warp::stalled) {
            let message = format!("the mask names lanes {missing:#010x}, which do not come here");
            return Err(self.wrong(FaultKind::Shuffle, pc, thread, message));
        }
        let Some((pc, thread)) = warps.iter().find_map(Warp::waiting) else { return Ok(false) };
        if let Some((other, elsewhere)) = warps.iter().find_map(|warp| warp.not_waiting_at(pc)) {
            let place = match elsewhere {
                Some(at) => format!("waits in line {}", self.line(at)),
                None => "has returned".to_owned(),
            };
            let message = format!("waits at this barrier while thread {other} {place}");
            return Err(self.wrong(FaultKind::Barrier, pc, thread, message));
        }
        self.epoch += 1;
        warps.iter_mut().for_each(Warp::release);
        Ok(true)
    }

    fn line(&self, pc: usize) -> u32 {
        self.kernel.code.get(pc).map_or(0, |instruction| instruction.line)
    }

    pub(crate) fn wrong(&self, kind: FaultKind, pc: usize, thread: u32, message: impl Into<String>) -> Wrong {
        Wrong { kind, line: self.line(pc), block: self.block, thread, message: message.into() }
    }

    /// Counts instructions of `lanes` threads.
    pub(crate) fn count(&mut self, lanes: u32, pc: usize, thread: u32) -> Result<(), Wrong> {
        self.steps += u64::from(lanes);
        if self.steps > BUDGET {
            return Err(self.wrong(FaultKind::Endless, pc, thread, format!("{BUDGET} instructions and no end")));
        }
        Ok(())
    }

    /// One thread's access to `count` elements of `bytes` bytes each from `address`: found, aligned, free of races, and
    /// written before, if it reads. Gives the region's place and the place within.
    #[inline]
    pub(crate) fn access(
        &mut self,
        space: Space,
        (pc, thread): (usize, u32),
        address: u64,
        bytes: u64,
        writes: bool,
    ) -> Result<(usize, usize), Wrong> {
        let what = if writes { "write" } else { "read" };
        if !address.is_multiple_of(bytes) {
            let message = format!("a {what} of {bytes} bytes at {address:#x}, which is no multiple of {bytes}");
            return Err(self.wrong(FaultKind::Misaligned, pc, thread, message));
        }
        let (regions, shadows, hint) = match space {
            Space::Global => (&mut self.memory.live, &mut self.global_shadows, &mut self.hints[0]),
            Space::Shared => (&mut self.shared, &mut self.shared_shadows, &mut self.hints[1]),
        };
        let Some((index, at)) = regions.locate(address, bytes, hint) else {
            let place = match space {
                Space::Global => self.memory.describe(address),
                Space::Shared => self.describe_shared(address),
            };
            let message = format!("a {what} of {bytes} bytes at {address:#x}: {place}");
            return Err(self.wrong(FaultKind::OutOfBounds, pc, thread, message));
        };
        let region = &mut regions.0[index];
        let who = Who { block: self.block, thread, epoch: self.epoch };
        let place = at + (region.base() % 16) as usize;
        if let Some(conflict) = shadows[index].access(who, place, bytes as usize, writes) {
            let other = conflict.who;
            let did = if conflict.wrote { "wrote" } else { "read" };
            // Of several readers only the last is known, which may be this thread itself.
            let others = if (other.block, other.thread) == (who.block, who.thread) {
                "another thread".to_owned()
            } else {
                format!("thread {} of block {}", other.thread, other.block)
            };
            let message = format!(
                "a {what} of {bytes} bytes at {address:#x}, which {others} {did} with nothing to order the two"
            );
            return Err(self.wrong(FaultKind::Race, pc, thread, message));
        }
        if writes {
            region.mark(at, bytes as usize, true);
        } else if !region.is_written(at, bytes as usize) {
            let length = region.len();
            let message = format!("a read of {bytes} bytes at {address:#x}, byte {at} of {length}, which nobody wrote");
            return Err(self.wrong(FaultKind::Uninitialised, pc, thread, message));
        }
        Ok((index, at))
    }

    fn describe_shared(&self, address: u64) -> String {
        let above = self.shared.0.partition_point(|region| region.base() <= address);
        match above.checked_sub(1).and_then(|at| self.shared.0.get(at)) {
            Some(region) => format!("byte {} of a shared array of {} bytes", address - region.base(), region.len()),
            None => "below every shared array".to_owned(),
        }
    }

    #[inline]
    pub(crate) fn region(&mut self, space: Space, index: usize) -> &mut Region {
        match space {
            Space::Global => &mut self.memory.live.0[index],
            Space::Shared => &mut self.shared.0[index],
        }
    }
}
