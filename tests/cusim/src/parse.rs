//! Tokens into entries with their declarations and statements, operands still by name.
//!
//! Invariant: a directive or a form of operand that is not known here is refused, never skipped.

use crate::fault::Refused;
use crate::lex::{Placed, Token, tokens};
use crate::types::{Class, Type};
use std::collections::HashMap;

/// An operand as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A register, a symbol or a label.
    Name(String),
    /// `!p`.
    Negated(String),
    /// An integer.
    Integer(i128),
    /// `0f` and 8 digits.
    Single(u32),
    /// `0d` and 16 digits.
    Double(u64),
    /// `[base + offset]`.
    Address { base: String, offset: i64 },
    /// `{a, b, ...}`.
    Vector(Vec<String>),
    /// `a|p`.
    Pair(String, String),
}

/// An instruction as written.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) line: u32,
    pub(crate) guard: Option<(String, bool)>,
    pub(crate) opcode: Vec<String>,
    pub(crate) operands: Vec<Operand>,
}

/// A shared array as written; `bytes` is `None` for `extern` ones.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) align: u64,
    pub(crate) bytes: Option<u64>,
}

/// An entry as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) line: u32,
    pub(crate) name: String,
    pub(crate) params: Vec<String>,
    pub(crate) most_threads: Option<u32>,
    pub(crate) registers: Vec<(String, Type)>,
    pub(crate) shared: Vec<Declared>,
    pub(crate) labels: HashMap<String, usize>,
    pub(crate) statements: Vec<Statement>,
}

/// A module as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) shared: Vec<Declared>,
    pub(crate) entries: Vec<Entry>,
}

/// Most registers that a declaration may make at once.
const MOST_REGISTERS: u64 = 1 << 16;

/// Parses a module.
pub(crate) fn parse(text: &str) -> Result<Text, Refused> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let mut module = Text::default();
    let mut headers = Vec::new();
    while let Some((token, _)) = parser.tokens.get(parser.at) {
        let Token::Word(word) = token.clone() else { return parser.refuse("a directive should stand here") };
        parser.at += 1;
        match word.as_str() {
            ".version" | ".target" | ".address_size" => {
                let value = parser.word()?;
                header(&word, &value).or_else(|message| parser.refuse(message))?;
                headers.push(word);
            }
            ".visible" => {
                parser.keyword(".entry")?;
                module.entries.push(parser.entry()?);
            }
            ".extern" => {
                parser.keyword(".shared")?;
                module.shared.push(parser.shared(true)?);
            }
            ".shared" => module.shared.push(parser.shared(false)?),
            _ => return parser.refuse(format!("the directive `{word}` is not known")),
        }
    }
    if headers != [".version", ".target", ".address_size"] {
        return Err(Refused { line: 1, message: "a module opens with .version, .target and .address_size".to_owned() });
    }
    Ok(module)
}

fn header(directive: &str, value: &str) -> Result<(), String> {
    let fits = match directive {
        // What 7.8 has is what is known here; an older text means the same.
        ".version" => value
            .split_once('.')
            .is_some_and(|(major, minor)| matches!((major, minor.parse::<u32>()), ("7", Ok(minor)) if minor <= 8)),
        ".target" => value == "sm_80",
        _ => value == "64",
    };
    if fits { Ok(()) } else { Err(format!("`{directive} {value}` is not known")) }
}

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
}

impl Parser {
    fn line(&self) -> u32 {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).map_or(1, |(_, line)| *line)
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refused> {
        // The offending token was just taken, if any was.
        let line = self.tokens.get(self.at.saturating_sub(1)).map_or(1, |(_, line)| *line);
        Err(Refused { line, message: message.into() })
    }

    fn word(&mut self) -> Result<String, Refused> {
        match self.tokens.get(self.at) {
            Some((Token::Word(word), _)) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            Some((Token::Mark(mark), line)) => {
                Err(Refused { line: *line, message: format!("a word should stand where `{mark}` does") })
            }
            None => self.refuse("the text ends too early"),
        }
    }

    fn keyword(&mut self, wanted: &str) -> Result<(), Refused> {
        let word = self.word()?;
        if word == wanted { Ok(()) } else { self.refuse(format!("`{wanted}` should stand where `{word}` does")) }
    }

    fn takes(&mut self, mark: char) -> bool {
        let here = matches!(self.tokens.get(self.at), Some((Token::Mark(found), _)) if *found == mark);
        self.at += usize::from(here);
        here
    }

    fn mark(&mut self, mark: char) -> Result<(), Refused> {
        if self.takes(mark) {
            return Ok(());
        }
        Err(Refused { line: self.line(), message: format!("`{mark}` is missing") })
    }

    fn unsigned(&mut self) -> Result<u64, Refused> {
        let word = self.word()?;
        match integer(&word).and_then(|value| u64::try_from(value).ok()) {
            Some(value) => Ok(value),
            None => self.refuse(format!("`{word}` is no number")),
        }
    }

    fn entry(&mut self) -> Result<Entry, Refused> {
        let mut entry = Entry { line: self.line(), name: self.word()?, ..Entry::default() };
        self.mark('(')?;
        while !self.takes(')') {
            self.keyword(".param")?;
            self.keyword(".u64")?;
            entry.params.push(self.word()?);
            if !self.takes(',') {
                self.mark(')')?;
                break;
            }
        }
        while !self.takes('{') {
            let word = self.word()?;
            match word.as_str() {
                ".maxntid" | ".reqntid" => {
                    let mut threads = self.unsigned()?;
                    while self.takes(',') {
                        if self.unsigned()? != 1 {
                            threads = 0;
                        }
                    }
                    match u32::try_from(threads) {
                        Ok(threads @ 1..=1024) => entry.most_threads = Some(threads),
                        _ => return self.refuse("a block has 1 to 1024 threads along one dimension"),
                    }
                }
                ".minnctapersm" | ".maxnreg" => {
                    self.unsigned()?;
                }
                _ => return self.refuse(format!("the directive `{word}` is not known")),
            }
        }
        while !self.takes('}') {
            self.statement(&mut entry)?;
        }
        Ok(entry)
    }

    fn statement(&mut self, entry: &mut Entry) -> Result<(), Refused> {
        let line = self.line();
        let mut guard = None;
        if self.takes('@') {
            let negated = self.takes('!');
            guard = Some((self.word()?, negated));
        }
        let word = self.word()?;
        if guard.is_none() {
            match word.as_str() {
                ".reg" => return self.registers(entry),
                ".shared" => {
                    entry.shared.push(self.shared(false)?);
                    return Ok(());
                }
                _ if self.takes(':') => {
                    if entry.labels.insert(word.clone(), entry.statements.len()).is_some() {
                        return self.refuse(format!("the label `{word}` stands twice"));
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        let opcode = word.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        while !self.takes(';') {
            operands.push(self.operand()?);
            if !self.takes(',') {
                self.mark(';')?;
                break;
            }
        }
        entry.statements.push(Statement { line, guard, opcode, operands });
        Ok(())
    }

    fn registers(&mut self, entry: &mut Entry) -> Result<(), Refused> {
        let word = self.word()?;
        let of = word.strip_prefix('.').and_then(Type::parse);
        let Some(of) = of.filter(|of| of.bits != 8) else {
            return self.refuse(format!("there are no registers of type `{word}` here"));
        };
        loop {
            let name = self.word()?;
            if self.takes('<') {
                let count = self.unsigned()?;
                self.mark('>')?;
                if count > MOST_REGISTERS {
                    return self.refuse("too many registers");
                }
                entry.registers.extend((0..count).map(|at| (format!("{name}{at}"), of)));
            } else {
                entry.registers.push((name, of));
            }
            if !self.takes(',') {
                return self.mark(';');
            }
        }
    }

    fn shared(&mut self, unsized_array: bool) -> Result<Declared, Refused> {
        let mut word = self.word()?;
        let mut align = None;
        if word == ".align" {
            align = Some(self.unsigned()?);
            word = self.word()?;
        }
        let of = word.strip_prefix('.').and_then(Type::parse).filter(|of| of.class != Class::Predicate);
        let Some(of) = of else { return self.refuse(format!("`{word}` is no type of memory")) };
        let name = self.word()?;
        let mut elements = (!unsized_array).then_some(1_u64);
        while self.takes('[') {
            if unsized_array {
                self.mark(']')?;
                break;
            }
            let extent = self.unsigned()?;
            elements = elements.and_then(|elements| elements.checked_mul(extent));
            self.mark(']')?;
        }
        self.mark(';')?;
        let align = align.unwrap_or(of.bytes());
        if !align.is_power_of_two() || align > 128 {
            return self.refuse("an alignment is a power of two up to 128");
        }
        let bytes = elements.and_then(|elements| elements.checked_mul(of.bytes()));
        if bytes.is_none() && !unsized_array {
            return self.refuse("the array is too large");
        }
        Ok(Declared { name, align, bytes })
    }

    fn operand(&mut self) -> Result<Operand, Refused> {
        if self.takes('!') {
            return Ok(Operand::Negated(self.word()?));
        }
        if self.takes('-') {
            let word = self.word()?;
            return match integer(&word) {
                Some(value) => Ok(Operand::Integer(-value)),
                None => self.refuse(format!("`-{word}` is no number")),
            };
        }
        if self.takes('{') {
            let mut parts = vec![self.word()?];
            while self.takes(',') {
                parts.push(self.word()?);
            }
            self.mark('}')?;
            return Ok(Operand::Vector(parts));
        }
        if self.takes('[') {
            let base = self.word()?;
            let mut offset = 0;
            if self.takes('+') {
                let negative = self.takes('-');
                offset = self.offset(negative)?;
            } else if self.takes('-') {
                offset = self.offset(true)?;
            }
            self.mark(']')?;
            return Ok(Operand::Address { base, offset });
        }
        let word = self.word()?;
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(if self.takes('|') { Operand::Pair(word, self.word()?) } else { Operand::Name(word) });
        }
        match number(&word) {
            Some(operand) => Ok(operand),
            None => self.refuse(format!("`{word}` is no number that is known here")),
        }
    }

    /// The offset of an address: 32 bits with a sign, as in PTX.
    fn offset(&mut self, negative: bool) -> Result<i64, Refused> {
        let value = i64::try_from(self.unsigned()?).ok().map(|value| if negative { -value } else { value });
        match value.filter(|value| i32::try_from(*value).is_ok()) {
            Some(value) => Ok(value),
            None => self.refuse("the offset does not fit in 32 bits"),
        }
    }
}

fn number(word: &str) -> Option<Operand> {
    if let Some(digits) = word.strip_prefix("0f").or_else(|| word.strip_prefix("0F")) {
        let value = (digits.len() == 8).then(|| u32::from_str_radix(digits, 16).ok())?;
        return value.map(Operand::Single);
    }
    if let Some(digits) = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D")) {
        let value = (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?;
        return value.map(Operand::Double);
    }
    integer(word).map(Operand::Integer)
}

/// Decimal or hexadecimal; a leading zero would mean octal and is not known here.
fn integer(word: &str) -> Option<i128> {
    let word = word.strip_suffix('U').unwrap_or(word);
    let value = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None if word.len() > 1 && word.starts_with('0') => return None,
        None => word.parse().ok()?,
    };
    Some(value.into())
}
