//! PTX text to instructions; what is not known is refused here.

use super::Fault;
use std::collections::HashMap;

/// A register class, and with it what a register may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Pred,
    Word,
    Long,
    Single,
    Double,
}

/// A register: its class and number.
pub(crate) type Reg = (Class, usize);

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Reg(Reg),
    /// `{%r1, %r2}`.
    Pair(Reg, Reg),
    /// An integer.
    Int(i128),
    /// The bits of `0f...` or `0d...`.
    Float(Class, u64),
    /// `%tid.x`...
    Special(String),
    /// `[b0]`: a parameter.
    Param(usize),
    /// `[%d4]`.
    Address(Reg),
    Label(String),
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// A predicate register that must hold.
    pub(crate) guard: Option<Reg>,
    /// `add.rn.f32`, in its parts.
    pub(crate) op: Vec<String>,
    pub(crate) operands: Vec<Operand>,
    /// Where a branch goes.
    pub(crate) target: usize,
    /// For messages.
    pub(crate) text: String,
}

/// One kernel.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) params: usize,
    /// Registers of each class.
    pub(crate) registers: HashMap<Class, usize>,
    pub(crate) code: Vec<Instruction>,
}

/// All kernels of a text.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) entries: HashMap<String, Entry>,
}

const CLASSES: [(&str, &str, Class); 5] = [
    ("%p", "pred", Class::Pred),
    ("%r", "b32", Class::Word),
    ("%d", "b64", Class::Long),
    ("%f", "f32", Class::Single),
    ("%g", "f64", Class::Double),
];

fn refused<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault(why.into()))
}

fn register(text: &str) -> Option<Reg> {
    CLASSES.iter().find_map(|(prefix, _, class)| Some((*class, text.strip_prefix(prefix)?.parse().ok()?)))
}

fn operand(text: &str, params: &[String]) -> Result<Operand, Fault> {
    let text = text.trim();
    if let Some(reg) = register(text) {
        return Ok(Operand::Reg(reg));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        if let Some(at) = params.iter().position(|param| param == inner) {
            return Ok(Operand::Param(at));
        }
        return register(inner).map(Operand::Address).ok_or_else(|| Fault(format!("address `{text}`")));
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let pair: Vec<Reg> = inner.split(',').filter_map(|part| register(part.trim())).collect();
        return match pair.as_slice() {
            [low, high] => Ok(Operand::Pair(*low, *high)),
            _ => refused(format!("pair `{text}`")),
        };
    }
    if let Some(bits) = text.strip_prefix("0f") {
        let bits = u64::from_str_radix(bits, 16).map_err(|_| Fault(format!("number `{text}`")))?;
        return Ok(Operand::Float(Class::Single, bits));
    }
    if let Some(bits) = text.strip_prefix("0d") {
        let bits = u64::from_str_radix(bits, 16).map_err(|_| Fault(format!("number `{text}`")))?;
        return Ok(Operand::Float(Class::Double, bits));
    }
    if text.starts_with('%') {
        return match text {
            "%tid.x" | "%ntid.x" | "%ctaid.x" | "%nctaid.x" => Ok(Operand::Special(text.to_owned())),
            _ => refused(format!("special register `{text}`")),
        };
    }
    let number = match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    match number {
        Some(number) => Ok(Operand::Int(number)),
        None if text.starts_with('L') => Ok(Operand::Label(text.to_owned())),
        None => refused(format!("operand `{text}`")),
    }
}

/// Commas that are not inside braces.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().expect("one part").push(c),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

impl Module {
    /// Reads a module.
    pub(crate) fn load(text: &str) -> Result<Self, Fault> {
        let mut entries = HashMap::new();
        let without: String =
            text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
        let mut parts = without.split(".visible .entry ");
        for directive in parts.next().unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty()) {
            if ![".version 7.8", ".target sm_80", ".address_size 64"].contains(&directive) {
                return refused(format!("directive `{directive}`"));
            }
        }
        for part in parts {
            let (name, rest) = part.split_once('(').ok_or_else(|| Fault("an entry without parameters".into()))?;
            let (params, rest) = rest.split_once(')').ok_or_else(|| Fault("parameters without an end".into()))?;
            let body = rest.trim().strip_prefix('{').and_then(|body| body.strip_suffix('}'));
            let body = body.ok_or_else(|| Fault("an entry without a body".into()))?;
            entries.insert(name.trim().to_owned(), entry(params, body)?);
        }
        Ok(Self { entries })
    }
}

fn entry(params: &str, body: &str) -> Result<Entry, Fault> {
    let names: Option<Vec<String>> =
        split(params).iter().map(|param| param.strip_prefix(".param .u64 ").map(str::to_owned)).collect();
    let names = names.ok_or_else(|| Fault(format!("parameters `{params}`")))?;
    let (mut registers, mut labels, mut code) = (HashMap::new(), HashMap::new(), Vec::new());
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label.to_owned(), code.len());
            continue;
        }
        let text = line.strip_suffix(';').ok_or_else(|| Fault(format!("line `{line}` without an end")))?;
        if let Some(rest) = text.strip_prefix(".reg .") {
            let parsed = CLASSES.iter().find_map(|(prefix, ty, class)| {
                let count = rest.strip_prefix(ty)?.trim().strip_prefix(prefix)?;
                Some((*class, count.strip_prefix('<')?.strip_suffix('>')?.parse().ok()?))
            });
            let (class, count): (Class, usize) = parsed.ok_or_else(|| Fault(format!("registers `{text}`")))?;
            registers.insert(class, count);
            continue;
        }
        let (guard, rest) = match text.strip_prefix('@') {
            Some(rest) => {
                let (guard, rest) = rest.split_once(' ').ok_or_else(|| Fault(format!("guard in `{text}`")))?;
                let guard = register(guard).filter(|(class, _)| *class == Class::Pred);
                (Some(guard.ok_or_else(|| Fault(format!("guard in `{text}`")))?), rest)
            }
            None => (None, text),
        };
        let (op, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let operands = split(operands).iter().map(|text| operand(text, &names)).collect::<Result<Vec<_>, _>>()?;
        let op = op.split('.').map(str::to_owned).collect();
        code.push(Instruction { guard, op, operands, target: 0, text: text.to_owned() });
    }
    for instruction in &mut code {
        if let [Operand::Label(label)] = instruction.operands.as_slice() {
            let target = labels.get(label).ok_or_else(|| Fault(format!("there is no label `{label}`")))?;
            instruction.target = *target;
        }
        let all = instruction.operands.iter().flat_map(|operand| match operand {
            Operand::Reg(reg) | Operand::Address(reg) => vec![*reg],
            Operand::Pair(low, high) => vec![*low, *high],
            _ => Vec::new(),
        });
        for (class, number) in all.chain(instruction.guard) {
            if registers.get(&class).is_none_or(|count| number >= *count) {
                return refused(format!("a register that is not declared in `{}`", instruction.text));
            }
        }
        super::execute::known(instruction)?;
    }
    Ok(Entry { params: names.len(), registers, code })
}
