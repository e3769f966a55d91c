//! A warp: 32 threads that execute one instruction together as long as they agree on the way.
//!
//! Threads that part are kept as fragments; the one that is furthest back runs, until it meets the next one or
//! everything left waits. Invariant: an instruction sees exactly the threads whose guard holds, and every register that
//! it reads was written by the thread that reads it.

use crate::alu::evaluate;
use crate::fault::FaultKind;
use crate::launch::{LANES, Machine, Wrong};
use crate::op::{Alu, Instruction, Kernel, Op, Preset, Reg, ShuffleMode, Space};
use crate::types::{Class, Type, signed, truncate};

/// A register of 32 threads.
type Row = [u64; LANES as usize];

/// Threads that stand at the same instruction.
#[derive(Clone, Copy, Debug)]
struct Fragment {
    pc: usize,
    lanes: u32,
}

/// 32 threads of a block.
pub(crate) struct Warp {
    first: u32,
    /// The threads that exist.
    lanes: u32,
    registers: Vec<Row>,
    /// Which threads have written each register.
    defined: Vec<u32>,
    runnable: Vec<Fragment>,
    /// Threads that wait in a shuffle for others.
    shuffling: Vec<Fragment>,
    /// Threads that wait at barriers.
    waiting: Vec<Fragment>,
}

/// Where a fragment goes on.
enum Way {
    /// All of it at the next instruction.
    Next,
    /// All of it there.
    Jump(usize),
    /// These threads are no longer part of it.
    Left(u32),
}

impl Warp {
    pub(crate) fn new(kernel: &Kernel, first: u32, threads: u32) -> Self {
        let count = (threads - first).min(LANES);
        Self {
            first,
            lanes: u32::MAX >> (LANES - count),
            registers: vec![[0; LANES as usize]; kernel.registers],
            defined: vec![0; kernel.registers],
            runnable: Vec::new(),
            shuffling: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Stands all threads at the beginning of a block.
    pub(crate) fn start(&mut self, machine: &Machine<'_>) {
        self.defined.fill(0);
        for (reg, preset) in &machine.kernel.presets {
            for (lane, value) in (0_u64..).zip(&mut self.registers[*reg]) {
                *value = match preset {
                    Preset::Constant(value) => *value,
                    Preset::Thread => u64::from(self.first) + lane,
                    Preset::Threads => machine.sizes.block.into(),
                    Preset::Block => machine.block.into(),
                    Preset::Blocks => machine.sizes.grid.into(),
                    Preset::Lane => lane,
                };
            }
            self.defined[*reg] = u32::MAX;
        }
        self.runnable = vec![Fragment { pc: 0, lanes: self.lanes }];
        self.shuffling.clear();
        self.waiting.clear();
    }

    /// Runs until every thread waits or has returned.
    pub(crate) fn run(&mut self, machine: &mut Machine<'_>) -> Result<(), Wrong> {
        while let Some((mut fragment, meets)) = self.furthest_back() {
            while fragment.lanes != 0 && fragment.pc < meets {
                let kernel = machine.kernel;
                let Some(instruction) = kernel.code.get(fragment.pc) else { break };
                match self.step(machine, instruction, fragment)? {
                    Way::Next => fragment.pc += 1,
                    Way::Jump(target) => fragment.pc = target,
                    Way::Left(lanes) => {
                        fragment.lanes &= !lanes;
                        fragment.pc += 1;
                        if !self.runnable.is_empty() && fragment.lanes != 0 {
                            break;
                        }
                    }
                }
            }
            if fragment.lanes != 0 {
                self.runnable.push(fragment);
            }
        }
        Ok(())
    }

    /// The fragment with the lowest position, all threads there in one, and the position of the next one.
    fn furthest_back(&mut self) -> Option<(Fragment, usize)> {
        let pc = self.runnable.iter().map(|fragment| fragment.pc).min()?;
        let mut lanes = 0;
        self.runnable.retain(|fragment| {
            if fragment.pc == pc {
                lanes |= fragment.lanes;
            }
            fragment.pc != pc
        });
        let meets = self.runnable.iter().map(|fragment| fragment.pc).min().unwrap_or(usize::MAX);
        Some((Fragment { pc, lanes }, meets))
    }

    /// A shuffle that waits in vain: its position, a thread of it, and the lanes that are missing.
    pub(crate) fn stalled(&self) -> Option<(usize, u32, u32)> {
        let fragment = self.shuffling.first()?;
        Some((fragment.pc, self.thread(fragment.lanes), !fragment.lanes))
    }

    /// The position of a barrier that is waited at, with a thread that does.
    pub(crate) fn waiting(&self) -> Option<(usize, u32)> {
        self.waiting.first().map(|fragment| (fragment.pc, self.thread(fragment.lanes)))
    }

    /// A thread that does not wait at `pc`, and where it does, unless it has returned.
    pub(crate) fn not_waiting_at(&self, pc: usize) -> Option<(u32, Option<usize>)> {
        if let Some(elsewhere) = self.waiting.iter().find(|fragment| fragment.pc != pc) {
            return Some((self.thread(elsewhere.lanes), Some(elsewhere.pc)));
        }
        let here = self.waiting.iter().fold(0, |lanes, fragment| lanes | fragment.lanes);
        let gone = self.lanes & !here;
        (gone != 0).then(|| (self.thread(gone), None))
    }

    /// Opens the barrier.
    pub(crate) fn release(&mut self) {
        self.runnable.extend(self.waiting.drain(..).map(|at| Fragment { pc: at.pc + 1, lanes: at.lanes }));
    }

    /// The first thread of `lanes`.
    fn thread(&self, lanes: u32) -> u32 {
        self.first + lanes.trailing_zeros()
    }

    fn step(&mut self, machine: &mut Machine<'_>, instruction: &Instruction, at: Fragment) -> Result<Way, Wrong> {
        let pc = at.pc;
        machine.count(at.lanes.count_ones(), pc, self.thread(at.lanes))?;
        let active = match instruction.guard {
            Some((guard, negated)) => {
                self.read(machine, pc, guard, at.lanes)?;
                let holds = bits(&self.registers[guard]);
                at.lanes & if negated { !holds } else { holds }
            }
            None => at.lanes,
        };
        match &instruction.op {
            &Op::Branch { target, uniform } => {
                if active == at.lanes {
                    return Ok(Way::Jump(target));
                }
                if active != 0 {
                    if uniform {
                        let message = "only some threads of the warp take a branch that says all do";
                        return Err(machine.wrong(FaultKind::Diverged, pc, self.thread(active), message));
                    }
                    self.runnable.push(Fragment { pc: target, lanes: active });
                    return Ok(Way::Left(active));
                }
            }
            _ if active == 0 => {}
            &Op::Compute { alu, to, a, b, c } => {
                self.read(machine, pc, a, active)?;
                self.read(machine, pc, b, active)?;
                self.read(machine, pc, c, active)?;
                self.compute(alu, to, [a, b, c], active);
            }
            &Op::Select { to, a, b, condition } => {
                self.read(machine, pc, condition, active)?;
                let first = bits(&self.registers[condition]);
                self.read(machine, pc, a, active & first)?;
                self.read(machine, pc, b, active & !first)?;
                let (x, y) = (self.registers[a], self.registers[b]);
                self.write(to, active, |lane| if first >> lane & 1 == 1 { x[lane] } else { y[lane] });
            }
            &Op::Parameter { to, index } => {
                let value = machine.params.get(index).copied().unwrap_or_default();
                self.write(to, active, |_| value);
            }
            Op::Load { space, of, to, widths, base, offset } => {
                let address = Address { space: *space, of: *of, base: *base, offset: *offset, count: to.len() };
                self.load(machine, pc, &address, to, *widths, active)?;
            }
            Op::Store { space, of, from, base, offset } => {
                let address = Address { space: *space, of: *of, base: *base, offset: *offset, count: from.len() };
                self.store(machine, pc, &address, from, active)?;
            }
            Op::Pack { to, from, bits } => {
                let mut packed = [0; LANES as usize];
                for (place, part) in (0_u32..).zip(from) {
                    self.read(machine, pc, *part, active)?;
                    for (whole, part) in packed.iter_mut().zip(&self.registers[*part]) {
                        *whole |= part << (place * bits);
                    }
                }
                self.write(*to, active, |lane| packed[lane]);
            }
            Op::Unpack { to, from, bits } => {
                self.read(machine, pc, *from, active)?;
                let whole = self.registers[*from];
                for (place, part) in (0_u32..).zip(to) {
                    self.write(*part, active, |lane| truncate(whole[lane] >> (place * bits), *bits));
                }
            }
            Op::Shuffle { .. } => {
                self.shuffle(machine, instruction, pc, active)?;
                return Ok(Way::Left(active));
            }
            Op::Barrier => {
                self.waiting.push(Fragment { pc, lanes: active });
                return Ok(Way::Left(active));
            }
            Op::Return => return Ok(Way::Left(active)),
            Op::Trap => return Err(machine.wrong(FaultKind::Trap, pc, self.thread(active), "trap")),
        }
        Ok(Way::Next)
    }

    /// Faults unless all of `lanes` have written `reg`.
    #[inline]
    fn read(&self, machine: &Machine<'_>, pc: usize, reg: Reg, lanes: u32) -> Result<(), Wrong> {
        let missing = lanes & !self.defined[reg];
        if missing == 0 {
            return Ok(());
        }
        let name = machine.kernel.names.get(reg).map_or("", String::as_str);
        let message = format!("reads `{name}`, which holds nothing that is defined");
        Err(machine.wrong(FaultKind::Uninitialised, pc, self.thread(missing), message))
    }

    #[inline]
    fn write(&mut self, reg: Reg, lanes: u32, value: impl Fn(usize) -> u64) {
        for (lane, target) in self.registers[reg].iter_mut().enumerate() {
            if lanes >> lane & 1 == 1 {
                *target = value(lane);
            }
        }
        self.defined[reg] |= lanes;
    }

    #[inline]
    fn compute(&mut self, alu: Alu, to: Reg, [a, b, c]: [Reg; 3], active: u32) {
        let (x, y, z) = (self.registers[a], self.registers[b], self.registers[c]);
        let mut open = 0;
        for (lane, target) in self.registers[to].iter_mut().enumerate() {
            if active >> lane & 1 == 1 {
                match evaluate(alu, x[lane], y[lane], z[lane]) {
                    Some(value) => *target = value,
                    None => open |= 1 << lane,
                }
            }
        }
        self.defined[to] = (self.defined[to] | active) & !open;
    }

    fn load(
        &mut self,
        machine: &mut Machine<'_>,
        pc: usize,
        address: &Address,
        to: &[Reg],
        width: u32,
        active: u32,
    ) -> Result<(), Wrong> {
        self.read(machine, pc, address.base, active)?;
        let bases = self.registers[address.base];
        let bytes = address.of.bytes() as usize;
        for lane in lanes(active) {
            let thread = self.first + lane as u32;
            let (region, at) =
                machine.access(address.space, (pc, thread), address.at(bases[lane]), address.bytes(), false)?;
            let region = machine.region(address.space, region);
            for (place, reg) in to.iter().enumerate() {
                let value = region.load(at + place * bytes, bytes);
                let value = match address.of.class {
                    Class::Signed => truncate(signed(value, address.of.bits) as u64, width),
                    _ => value,
                };
                self.registers[*reg][lane] = value;
            }
        }
        for reg in to {
            self.defined[*reg] |= active;
        }
        Ok(())
    }

    fn store(
        &mut self,
        machine: &mut Machine<'_>,
        pc: usize,
        address: &Address,
        from: &[Reg],
        active: u32,
    ) -> Result<(), Wrong> {
        self.read(machine, pc, address.base, active)?;
        for reg in from {
            self.read(machine, pc, *reg, active)?;
        }
        let bytes = address.of.bytes() as usize;
        for lane in lanes(active) {
            let thread = self.first + lane as u32;
            let target = address.at(self.registers[address.base][lane]);
            let (region, at) = machine.access(address.space, (pc, thread), target, address.bytes(), true)?;
            let region = machine.region(address.space, region);
            for (place, reg) in from.iter().enumerate() {
                region.store(at + place * bytes, bytes, self.registers[*reg][lane]);
            }
        }
        Ok(())
    }

    /// Adds `active` to the threads that wait in the shuffle at `pc`; when they are those of its mask, exchanges.
    fn shuffle(
        &mut self,
        machine: &Machine<'_>,
        instruction: &Instruction,
        pc: usize,
        active: u32,
    ) -> Result<(), Wrong> {
        let &Op::Shuffle { mode, to, valid, value, lane: by, clamp, mask } = &instruction.op else { return Ok(()) };
        let stranger = active & !mask;
        if stranger != 0 {
            let message = format!("the mask {mask:#010x} does not name this thread");
            return Err(machine.wrong(FaultKind::Shuffle, pc, self.thread(stranger), message));
        }
        for reg in [value, by, clamp] {
            self.read(machine, pc, reg, active)?;
        }
        let mut here = active;
        self.shuffling.retain(|fragment| {
            if fragment.pc == pc {
                here |= fragment.lanes;
            }
            fragment.pc != pc
        });
        if here != mask {
            self.shuffling.push(Fragment { pc, lanes: here });
            return Ok(());
        }
        let (values, lanes_by, clamps) = (self.registers[value], self.registers[by], self.registers[clamp]);
        let mut sources = [(0, false); LANES as usize];
        for lane in lanes(mask) {
            let (source, inside) = source(mode, lane as u32, lanes_by[lane] as u32, clamps[lane] as u32);
            if mask >> source & 1 == 0 {
                let message = format!("takes the value of lane {source}, which the mask {mask:#010x} does not name");
                return Err(machine.wrong(FaultKind::Shuffle, pc, self.first + lane as u32, message));
            }
            sources[lane] = (source as usize, inside);
        }
        self.write(to, mask, |lane| values[sources[lane].0]);
        if let Some(valid) = valid {
            self.write(valid, mask, |lane| sources[lane].1.into());
        }
        self.runnable.push(Fragment { pc: pc + 1, lanes: mask });
        Ok(())
    }
}

/// An access of all threads.
struct Address {
    space: Space,
    of: Type,
    base: Reg,
    offset: i64,
    count: usize,
}

impl Address {
    fn at(&self, base: u64) -> u64 {
        base.wrapping_add_signed(self.offset)
    }

    fn bytes(&self) -> u64 {
        self.of.bytes() * self.count as u64
    }
}

/// The lane that `lane` takes its value from, and whether that is the one it asked for.
fn source(mode: ShuffleMode, lane: u32, by: u32, clamp: u32) -> (u32, bool) {
    let by = by & 31;
    // The clamp's low five bits bound the lane; bits 8 to 12 say which bits of a lane name its segment.
    let segment = (clamp >> 8) & 31;
    let lowest = lane & segment;
    let bound = lowest | (clamp & 31 & !segment);
    let (source, inside) = match mode {
        ShuffleMode::Up => (lane.wrapping_sub(by), i64::from(lane) - i64::from(by) >= i64::from(bound)),
        ShuffleMode::Down => (lane + by, lane + by <= bound),
        ShuffleMode::Butterfly => (lane ^ by, lane ^ by <= bound),
        ShuffleMode::Index => (lowest | (by & !segment), lowest | (by & !segment) <= bound),
    };
    if inside { (source, true) } else { (lane, false) }
}

/// The lanes of a mask, in order.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES as usize).filter(move |lane| mask >> lane & 1 == 1)
}

/// A predicate of 32 threads as a mask.
fn bits(row: &Row) -> u32 {
    (0_u32..).zip(row).fold(0, |mask, (lane, value)| mask | ((*value as u32 & 1) << lane))
}
