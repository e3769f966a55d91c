//! Executes instructions: a thread until it shuffles or ends, then the other lanes of its warp.

use super::parse::{Class, Entry, Instruction, Module, Operand, Reg};
use super::{Fault, Memory};

/// In the order of their numbers.
const CLASSES: [Class; 5] = [Class::Pred, Class::Word, Class::Long, Class::Single, Class::Double];
/// Threads of a warp.
const WARP: u32 = 32;
/// Instructions of a thread after which it is taken for endless.
const ENDLESS: u64 = 200_000_000;

/// A register's bits, if anything was written to it.
type Bits = Option<u64>;

struct Thread {
    /// By class.
    registers: [Vec<Bits>; 5],
    at: usize,
    steps: u64,
    specials: [u64; 4],
    who: u32,
}

/// Where a thread stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Ended,
    /// At the shuffle at this instruction.
    Shuffle(usize),
}

impl Module {
    /// Runs a kernel. `by_warp`: the lanes of a warp work for one point, so that they may touch each other's bytes.
    pub(crate) fn launch(
        &self,
        name: &str,
        (blocks, threads): (u32, u32),
        params: &[u64],
        memory: &mut Memory,
        by_warp: bool,
    ) -> Result<(), Fault> {
        let entry = self.entries.get(name).ok_or_else(|| Fault(format!("there is no entry `{name}`")))?;
        if params.len() != entry.params || !threads.is_multiple_of(WARP) {
            return Err(Fault(format!("`{name}` is launched wrongly")));
        }
        memory.begin();
        for block in 0..blocks {
            for warp in 0..threads / WARP {
                let mut lanes: Vec<Thread> = (0..WARP)
                    .map(|lane| {
                        let thread = warp * WARP + lane;
                        let number = block * threads + thread;
                        Thread {
                            registers: CLASSES
                                .map(|class| vec![None; entry.registers.get(&class).copied().unwrap_or(0)]),
                            at: 0,
                            steps: 0,
                            specials: [thread, threads, block, blocks].map(u64::from),
                            who: if by_warp { number / WARP } else { number },
                        }
                    })
                    .collect();
                entry
                    .warp(&mut lanes, params, memory)
                    .map_err(|fault| Fault(format!("`{name}`, block {block}, warp {warp}: {fault}")))?;
            }
        }
        Ok(())
    }
}

impl Entry {
    fn warp(&self, lanes: &mut [Thread], params: &[u64], memory: &mut Memory) -> Result<(), Fault> {
        loop {
            let stops = lanes.iter_mut().map(|lane| lane.run(self, params, memory)).collect::<Result<Vec<_>, _>>()?;
            let first = stops.first().copied().unwrap_or(Stop::Ended);
            if stops.iter().any(|stop| *stop != first) {
                return Err(Fault("not all lanes reach the same shuffle".into()));
            }
            let Stop::Shuffle(at) = first else { return Ok(()) };
            let instruction = &self.code[at];
            let sources =
                lanes.iter().map(|lane| lane.bits(&instruction.operands[1])).collect::<Result<Vec<_>, _>>()?;
            for (number, lane) in lanes.iter_mut().enumerate() {
                let by = lane.bits(&instruction.operands[2])? as usize;
                if (lane.bits(&instruction.operands[3])?, lane.bits(&instruction.operands[4])?) != (0x1f, 0xffff_ffff) {
                    return Err(Fault(format!("not all lanes take part: {}", instruction.text)));
                }
                let from = if instruction.op[2] == "down" { number + by } else { by };
                let Operand::Reg(target) = instruction.operands[0] else { continue };
                // Beyond the last lane the own value stays.
                lane.set(target, sources.get(from).copied().unwrap_or(sources[number]));
                lane.at = at + 1;
            }
        }
    }
}

/// The class that an operand of a type must have.
fn class_of(ty: &str) -> Option<Class> {
    Some(match ty {
        "pred" => Class::Pred,
        "b32" | "u32" | "s32" | "u8" | "u16" => Class::Word,
        "b64" | "u64" | "s64" => Class::Long,
        "f32" => Class::Single,
        "f64" => Class::Double,
        _ => return None,
    })
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Refuses what [`Thread::step`] does not know.
pub(super) fn known(instruction: &Instruction) -> Result<(), Fault> {
    let op: Vec<&str> = instruction.op.iter().map(String::as_str).collect();
    let int = |ty: &str| ["s32", "u32", "s64", "u64"].contains(&ty);
    let float = |ty: &str| ["f32", "f64"].contains(&ty);
    let (fine, classes): (bool, Vec<Option<Class>>) = match op.as_slice() {
        ["ret"] => (true, vec![]),
        ["bra"] => (matches!(instruction.operands.as_slice(), [Operand::Label(_)]), vec![]),
        ["ld", "param", "u64"] => (true, vec![Some(Class::Long)]),
        ["ld", "global", ty] => (class_of(ty).is_some(), vec![class_of(ty)]),
        ["st", "global", ty] => (class_of(ty).is_some(), vec![None, class_of(ty)]),
        // Between registers of one width, whatever they hold.
        ["mov", "b32" | "b64"] => (true, vec![]),
        ["mov", ty] => (class_of(ty).is_some(), vec![class_of(ty); 2]),
        ["cvt", to, from] if class_of(to).is_some() && class_of(from).is_some() => {
            let widths = [("u64", "u32"), ("s64", "s32"), ("u32", "u64"), ("f64", "f32")];
            (widths.contains(&(*to, *from)), vec![class_of(to), class_of(from)])
        }
        ["cvt", "rn", to, from] => {
            (float(to) && (["s32", "u32", "s64"].contains(from) || *from == "f64"), vec![class_of(to), class_of(from)])
        }
        ["cvt", "rzi" | "rmi" | "rpi" | "rni", to, from] => {
            (float(from) && (to == from || ["s32", "u32", "s64"].contains(to)), vec![class_of(to), class_of(from)])
        }
        ["add" | "sub" | "div" | "rem", ty] => (int(ty), vec![class_of(ty); 3]),
        ["min" | "max", ty] => (int(ty) || float(ty), vec![class_of(ty); 3]),
        ["mul", "lo", ty] => (int(ty), vec![class_of(ty); 3]),
        ["mad", "lo", "s64"] => (true, vec![Some(Class::Long); 4]),
        ["add" | "sub" | "mul" | "div", "rn", ty] => (float(ty), vec![class_of(ty); 3]),
        ["fma", "rn", ty] => (float(ty), vec![class_of(ty); 4]),
        ["sqrt", "rn", ty] => (float(ty), vec![class_of(ty); 2]),
        ["and" | "or" | "xor", ty] => (["pred", "b32", "b64"].contains(ty), vec![class_of(ty); 3]),
        ["not", ty] => (["pred", "b32", "b64"].contains(ty), vec![class_of(ty); 2]),
        ["shl", ty @ ("b32" | "b64")] => (true, vec![class_of(ty), class_of(ty), Some(Class::Word)]),
        ["shr", ty] => (int(ty), vec![class_of(ty), class_of(ty), Some(Class::Word)]),
        ["clz", "b64"] => (true, vec![Some(Class::Word), Some(Class::Long)]),
        ["setp", "eq" | "ne" | "lt" | "le" | "gt" | "ge", ty] if int(ty) => {
            (true, vec![Some(Class::Pred), class_of(ty), class_of(ty)])
        }
        ["setp", "eq" | "neu" | "lt" | "le" | "nan", ty] => {
            (float(ty), vec![Some(Class::Pred), class_of(ty), class_of(ty)])
        }
        ["selp", ty] => {
            (class_of(ty).is_some() && *ty != "pred", vec![class_of(ty), class_of(ty), class_of(ty), Some(Class::Pred)])
        }
        ["shfl", "sync", "down" | "idx", "b32"] => (true, vec![Some(Class::Word); 2]),
        _ => (false, vec![]),
    };
    if !fine {
        return Err(Fault(format!("unknown: {}", instruction.text)));
    }
    for (operand, class) in instruction.operands.iter().zip(classes) {
        let wrong = match (operand, class) {
            (Operand::Reg((is, _)), Some(class)) => *is != class,
            (Operand::Float(is, _), Some(class)) => *is != class,
            (Operand::Address((is, _)), _) => *is != Class::Long,
            _ => false,
        };
        if wrong {
            return Err(Fault(format!("a register of another class: {}", instruction.text)));
        }
    }
    Ok(())
}

impl Thread {
    fn bits(&self, operand: &Operand) -> Result<u64, Fault> {
        match operand {
            Operand::Reg((class, number)) | Operand::Address((class, number)) => {
                let bits = self.registers[*class as usize][*number];
                bits.ok_or_else(|| {
                    Fault(format!("{class:?} register {number} is read before anything is written to it"))
                })
            }
            Operand::Int(number) => Ok(*number as u64),
            Operand::Float(_, bits) => Ok(*bits),
            Operand::Special(name) => {
                let at = ["%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"].iter().position(|special| special == name);
                Ok(self.specials[at.expect("known when it was read")])
            }
            Operand::Pair(low, high) => {
                let (low, high) = (self.bits(&Operand::Reg(*low))?, self.bits(&Operand::Reg(*high))?);
                Ok(low | high << 32)
            }
            Operand::Param(_) | Operand::Label(_) => Err(Fault("no value".into())),
        }
    }

    fn set(&mut self, (class, number): Reg, bits: u64) {
        let bits = match class {
            Class::Pred => bits & 1,
            Class::Word | Class::Single => bits & 0xffff_ffff,
            Class::Long | Class::Double => bits,
        };
        self.registers[class as usize][number] = Some(bits);
    }

    fn run(&mut self, entry: &Entry, params: &[u64], memory: &mut Memory) -> Result<Stop, Fault> {
        loop {
            let Some(instruction) = entry.code.get(self.at) else {
                return Err(Fault("the code ends without ret".into()));
            };
            self.steps += 1;
            if self.steps > ENDLESS {
                return Err(Fault("no end in sight".into()));
            }
            if let Some(guard) = instruction.guard
                && self.bits(&Operand::Reg(guard))? == 0
            {
                self.at += 1;
                continue;
            }
            match instruction.op[0].as_str() {
                "ret" => return Ok(Stop::Ended),
                "bra" => self.at = instruction.target,
                "shfl" => return Ok(Stop::Shuffle(self.at)),
                _ => {
                    self.step(instruction, params, memory)
                        .map_err(|fault| Fault(format!("{fault}: {}", instruction.text)))?;
                    self.at += 1;
                }
            }
        }
    }

    fn step(&mut self, instruction: &Instruction, params: &[u64], memory: &mut Memory) -> Result<(), Fault> {
        let op: Vec<&str> = instruction.op.iter().map(String::as_str).collect();
        let operands = &instruction.operands;
        let size = |ty: &str| match ty {
            "u8" => 1,
            "u16" => 2,
            "u32" | "f32" => 4,
            _ => 8,
        };
        match (op.as_slice(), operands.as_slice()) {
            (["ld", "param", _], [Operand::Reg(target), Operand::Param(at)]) => {
                self.set(*target, params[*at]);
                return Ok(());
            }
            (["ld", "global", ty], [Operand::Reg(target), address]) => {
                let bits = memory.load(self.bits(address)?, size(ty), self.who)?;
                self.set(*target, bits);
                return Ok(());
            }
            (["st", "global", ty], [address, value]) => {
                return memory.store(self.bits(address)?, size(ty), self.bits(value)?, self.who);
            }
            (["mov", _], [Operand::Pair(low, high), value]) => {
                let bits = self.bits(value)?;
                self.set(*low, bits);
                self.set(*high, bits >> 32);
                return Ok(());
            }
            _ => {}
        }
        let Some((Operand::Reg(target), sources)) = operands.split_first() else {
            return Err(Fault("no target".into()));
        };
        let values = sources.iter().map(|source| self.bits(source)).collect::<Result<Vec<_>, _>>()?;
        let at = |k: usize| values.get(k).copied().unwrap_or(0);
        let bits = value(&op, at(0), at(1), at(2));
        self.set(*target, bits);
        Ok(())
    }
}

fn value(op: &[&str], a: u64, b: u64, c: u64) -> u64 {
    match op {
        ["mov", _] => a,
        ["selp", _] => {
            if c & 1 == 1 {
                a
            } else {
                b
            }
        }
        ["not", "pred"] => u64::from(a & 1 == 0),
        ["not", _] => !a,
        ["and", _] => a & b,
        ["or", _] => a | b,
        ["xor", _] => a ^ b,
        ["clz", _] => u64::from(a.leading_zeros()),
        ["shl", "b32"] => {
            if b as u32 >= 32 {
                0
            } else {
                a << (b as u32)
            }
        }
        ["shl", _] => {
            if b as u32 >= 64 {
                0
            } else {
                a << (b as u32)
            }
        }
        ["shr", ty] => shifted(ty, a, b as u32),
        ["cvt", rest @ ..] => converted(rest, a),
        ["setp", compare, ty] => u64::from(compared(compare, ty, a, b)),
        ["mad", ..] => a.wrapping_mul(b).wrapping_add(c),
        [name, "rn", "f32"] => u64::from(single(name, f32_of(a), f32_of(b), f32_of(c)).to_bits()),
        [name, "rn", "f64"] => double(name, f64_of(a), f64_of(b), f64_of(c)).to_bits(),
        [name @ ("min" | "max"), "f32"] => u64::from(
            extreme(name, f64::from(f32_of(a)), f64::from(f32_of(b))).map_or(0x7fff_ffff, |x| (x as f32).to_bits()),
        ),
        [name @ ("min" | "max"), "f64"] => {
            extreme(name, f64_of(a), f64_of(b)).map_or(0x7fff_ffff_ffff_ffff, f64::to_bits)
        }
        [name, .., ty] => integer(name, ty, a, b),
        _ => 0,
    }
}

fn shifted(ty: &str, a: u64, by: u32) -> u64 {
    match ty {
        "u32" => {
            if by >= 32 {
                0
            } else {
                u64::from(a as u32 >> by)
            }
        }
        "s32" => (a as i32 >> by.min(31)) as u64,
        "u64" => {
            if by >= 64 {
                0
            } else {
                a >> by
            }
        }
        _ => (a as i64 >> by.min(63)) as u64,
    }
}

fn signed(ty: &str, a: u64) -> i128 {
    match ty {
        "s32" => i128::from(a as i32),
        "u32" => i128::from(a as u32),
        "s64" => i128::from(a as i64),
        _ => i128::from(a),
    }
}

fn integer(name: &str, ty: &str, a: u64, b: u64) -> u64 {
    let (a, b) = (signed(ty, a), signed(ty, b));
    let result = match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a.wrapping_mul(b),
        // By zero all bits are set, as on hardware.
        "div" => a.checked_div(b).unwrap_or(-1),
        "rem" => a.checked_rem(b).unwrap_or(-1),
        "min" => a.min(b),
        _ => a.max(b),
    };
    result as u64
}

fn single(name: &str, a: f32, b: f32, c: f32) -> f32 {
    match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a / b,
        "fma" => a.mul_add(b, c),
        _ => a.sqrt(),
    }
}

fn double(name: &str, a: f64, b: f64, c: f64) -> f64 {
    match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a / b,
        "fma" => a.mul_add(b, c),
        _ => a.sqrt(),
    }
}

/// The number wins over NaN, and -0 is below +0; nothing of two NaNs.
fn extreme(name: &str, a: f64, b: f64) -> Option<f64> {
    if a.is_nan() || b.is_nan() {
        return [a, b].into_iter().find(|x| !x.is_nan());
    }
    let first = if a == b { a.is_sign_negative() } else { a < b };
    Some(if first == (name == "min") { a } else { b })
}

fn compared(compare: &str, ty: &str, a: u64, b: u64) -> bool {
    let order = match ty {
        "f32" => f32_of(a).partial_cmp(&f32_of(b)),
        "f64" => f64_of(a).partial_cmp(&f64_of(b)),
        _ => Some(signed(ty, a).cmp(&signed(ty, b))),
    };
    match compare {
        "eq" => order.is_some_and(|order| order.is_eq()),
        "ne" | "neu" => order.is_none_or(|order| order.is_ne()),
        "lt" => order.is_some_and(|order| order.is_lt()),
        "le" => order.is_some_and(|order| order.is_le()),
        "gt" => order.is_some_and(|order| order.is_gt()),
        "ge" => order.is_some_and(|order| order.is_ge()),
        _ => order.is_none(),
    }
}

fn converted(op: &[&str], a: u64) -> u64 {
    match op {
        ["u64", "u32"] => u64::from(a as u32),
        ["s64", "s32"] => i64::from(a as i32) as u64,
        ["u32", "u64"] => u64::from(a as u32),
        ["f64", "f32"] => f64::from(f32_of(a)).to_bits(),
        ["rn", "f32", "f64"] => u64::from((f64_of(a) as f32).to_bits()),
        ["rn", "f32", from] => u64::from((signed(from, a) as f32).to_bits()),
        ["rn", _, from] => (signed(from, a) as f64).to_bits(),
        [how, "f32", _] => u64::from((whole(how, f64::from(f32_of(a))) as f32).to_bits()),
        [how, "f64", _] => whole(how, f64_of(a)).to_bits(),
        [_, to, from] => {
            let x = if *from == "f32" { f64::from(f32_of(a)) } else { f64_of(a) };
            match *to {
                "s32" => x as i32 as u64,
                "u32" => u64::from(x as u32),
                _ => x as i64 as u64,
            }
        }
        _ => 0,
    }
}

fn whole(how: &str, x: f64) -> f64 {
    match how {
        "rmi" => x.floor(),
        "rpi" => x.ceil(),
        "rni" => x.round_ties_even(),
        _ => x.trunc(),
    }
}
