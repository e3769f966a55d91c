//! Reads the text that [`print`](super::print) writes; for tests of passes and for people.
//!
//! `parse(print(p))` is `p` but for spans and the numbering of values. Names of values are free (`%sum`, `%12`), `#`
//! starts a comment. Only the form is checked here; the rules of the IR are [`verify`](super::verify)'s.

mod scan;

use super::{ArrayType, Check, Op, OpKind, Param, ParamKind, Program, ReduceOp, Region, Value};
use crate::base::{DType, Literal, Shape, Size, Span, Symbol};
use crate::ops::scalar::{Function, ScalarOp};
use scan::{Token, scan};
use std::collections::HashMap;

/// The program of a text.
///
/// # Errors
/// Names the line and what was expected there.
pub fn parse(text: &str) -> Result<Program, String> {
    let tokens = scan(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, names: HashMap::new(), program: Program::default() };
    parser.program().map_err(|fault| format!("line {}: {fault}", parser.line()))?;
    Ok(parser.program)
}

/// Regions nest no deeper than this, so that no text exhausts the stack.
const DEEPEST: usize = 100;

struct Parser<'a> {
    tokens: &'a [(Token, usize)],
    at: usize,
    names: HashMap<String, Value>,
    program: Program,
}

type Parsed<T> = Result<T, String>;

impl Parser<'_> {
    /// Of the token taken last: the one that a fault is about.
    fn line(&self) -> usize {
        let last = self.tokens.last().map_or(1, |(_, line)| *line);
        self.tokens.get(self.at.saturating_sub(1)).map_or(last, |(_, line)| *line)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self, what: &str) -> Parsed<Token> {
        let token = self.peek().cloned().ok_or_else(|| format!("{what} expected, not the end"))?;
        self.at += 1;
        Ok(token)
    }

    fn fail<T>(&mut self, what: &str) -> Parsed<T> {
        let found = self.peek().map_or("the end".to_owned(), Token::to_string);
        self.at += 1;
        Err(format!("{what} expected, not {found}"))
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = match self.peek() {
            Some(Token::Symbol(found)) => *found == symbol,
            Some(Token::Word(found)) => found == symbol,
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.accept(symbol) { Ok(()) } else { self.fail(&format!("`{symbol}`")) }
    }

    fn word(&mut self, what: &str) -> Parsed<String> {
        match self.next(what)? {
            Token::Word(word) => Ok(word),
            other => Err(format!("{what} expected, not {other}")),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        match self.next("a string")? {
            Token::String(text) => Ok(text),
            other => Err(format!("a string expected, not {other}")),
        }
    }

    /// `item, item, ...` up to `end`, which is consumed.
    fn list<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(end) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn program(&mut self) -> Parsed<()> {
        self.expect("program")?;
        self.expect("(")?;
        let params = self.list(")", Self::param)?;
        self.program.body.params = params.iter().map(|param| param.value).collect();
        self.program.params = params;
        self.expect("-")?;
        self.expect(">")?;
        self.expect("(")?;
        let results = self.list(")", |parser| match parser.next("a value")? {
            Token::Value(name) => Ok(name),
            other => Err(format!("a value expected, not {other}")),
        })?;
        self.expect("{")?;
        while !self.accept("}") {
            let op = self.op(0)?;
            self.program.body.ops.push(op);
        }
        self.program.body.results = results.iter().map(|name| self.named(name)).collect::<Parsed<_>>()?;
        if self.at < self.tokens.len() { self.fail("the end") } else { Ok(()) }
    }

    fn param(&mut self) -> Parsed<Param> {
        let value = self.define()?;
        let kind = match self.word("the kind of argument")?.as_str() {
            "donate" => ParamKind::Array { donated: true },
            "array" => ParamKind::Array { donated: false },
            "captured" => ParamKind::Captured,
            "scalar" => ParamKind::Scalar,
            other => return Err(format!("`{other}` is no kind of argument")),
        };
        Ok(Param { value, kind, name: self.string()? })
    }

    /// `%name: f32[n]`.
    fn define(&mut self) -> Parsed<Value> {
        let name = match self.next("a value")? {
            Token::Value(name) => name,
            other => return Err(format!("a value expected, not {other}")),
        };
        self.expect(":")?;
        let ty = self.ty()?;
        self.program.types.push(ty);
        let value = Value(self.program.types.len() as u32 - 1);
        if self.names.insert(name.clone(), value).is_some() {
            return Err(format!("%{name} is defined twice"));
        }
        Ok(value)
    }

    fn ty(&mut self) -> Parsed<ArrayType> {
        let dtype = self.word("a dtype")?;
        let dtype = DType::parse(&dtype).ok_or_else(|| format!("`{dtype}` is no dtype"))?;
        self.expect("[")?;
        Ok(ArrayType { dtype, shape: Shape(self.list("]", Self::size)?) })
    }

    fn named(&self, name: &str) -> Parsed<Value> {
        self.names.get(name).copied().ok_or_else(|| format!("%{name} is not defined"))
    }

    fn value(&mut self) -> Parsed<Value> {
        match self.next("a value")? {
            Token::Value(name) => self.named(&name),
            other => Err(format!("a value expected, not {other}")),
        }
    }

    fn size(&mut self) -> Parsed<Size> {
        let mut sum = Size::from(0);
        let mut negative = self.accept("-");
        loop {
            let mut term = self.factor()?;
            while self.accept("*") {
                term = term.mul(&self.factor()?).ok_or("a size overflows")?;
            }
            sum = if negative { sum.sub(&term) } else { sum.add(&term) }.ok_or("a size overflows")?;
            negative = self.accept("-");
            if !negative && !self.accept("+") {
                return Ok(sum);
            }
        }
    }

    fn factor(&mut self) -> Parsed<Size> {
        match self.next("a size")? {
            Token::Number(text) => text.parse().map(Size::Known).map_err(|_| format!("`{text}` is no size")),
            Token::Word(name) => {
                let symbol = Size::symbol(Symbol::new(&name));
                if !self.accept("**") {
                    return Ok(symbol);
                }
                let power = self.count()?;
                (1..power.min(64)).try_fold(symbol.clone(), |product, _| product.mul(&symbol)).ok_or("overflow".into())
            }
            other => Err(format!("a size expected, not {other}")),
        }
    }

    fn count(&mut self) -> Parsed<usize> {
        match self.next("a number")? {
            Token::Number(text) => text.parse().map_err(|_| format!("`{text}` is no whole number")),
            other => Err(format!("a number expected, not {other}")),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let size = self.size()?;
        size.constant().ok_or_else(|| format!("a number expected, not {size}"))
    }

    fn literal(&mut self, dtype: DType) -> Parsed<Literal> {
        let minus = self.accept("-");
        let token = self.next("a literal")?;
        let sign = if minus { "-" } else { "" };
        let text = match &token {
            Token::Number(text) | Token::Word(text) => format!("{sign}{text}"),
            other => return Err(format!("a literal expected, not {other}")),
        };
        if text == "nan" {
            self.expect("(")?;
            let bits = match self.next("bits")? {
                Token::Number(bits) => bits.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()),
                _ => None,
            };
            self.expect(")")?;
            return bits.map(|bits| Literal::new(dtype, bits)).ok_or_else(|| "bits expected".into());
        }
        let literal = match dtype {
            DType::Bool => text.parse().ok().map(Literal::from_bool),
            DType::F32 => text.parse::<f32>().ok().map(|x| Literal::new(dtype, u64::from(x.to_bits()))),
            DType::F64 | DType::F16 | DType::Bf16 => text.parse().ok().map(|x| Literal::from_f64(dtype, x)),
            _ => text.parse().ok().map(|x| Literal::from_i64(dtype, x)),
        };
        literal.ok_or_else(|| format!("`{text}` is no {dtype}"))
    }

    fn op(&mut self, depth: usize) -> Parsed<Op> {
        if depth > DEEPEST {
            return Err("regions nest too deep".into());
        }
        let mut results = Vec::new();
        while matches!(self.peek(), Some(Token::Value(_))) {
            results.push(self.define()?);
            if !self.accept(",") {
                self.expect("=")?;
                break;
            }
        }
        let name = self.word("an operation")?;
        let kind = self.kind(&name, &results)?;
        let mut operands = Vec::new();
        while matches!(self.peek(), Some(Token::Value(_))) && !self.defines_next() {
            operands.push(self.value()?);
            if !self.accept(",") {
                break;
            }
        }
        if matches!(kind, OpKind::For | OpKind::While) {
            self.expect("carry")?;
            self.expect("(")?;
            operands.extend(self.list(")", Self::value)?);
        }
        let regions = match kind {
            OpKind::For => vec![self.region(depth)?],
            OpKind::While => self.two_regions("do", depth)?,
            OpKind::If => self.two_regions("else", depth)?,
            _ => Vec::new(),
        };
        Ok(Op { kind, operands, results, regions, span: Span::default() })
    }

    /// Whether the value that comes next begins the next operation: `%4: ...`.
    fn defines_next(&self) -> bool {
        matches!(self.tokens.get(self.at + 1), Some((Token::Symbol(":"), _)))
    }

    fn two_regions(&mut self, keyword: &str, depth: usize) -> Parsed<Vec<Region>> {
        let first = self.region(depth)?;
        self.expect(keyword)?;
        Ok(vec![first, self.region(depth)?])
    }

    fn region(&mut self, depth: usize) -> Parsed<Region> {
        self.expect("{")?;
        let params = if self.accept("|") { self.list("|", Self::define)? } else { Vec::new() };
        let mut ops = Vec::new();
        while !self.accept("yield") {
            ops.push(self.op(depth + 1)?);
        }
        Ok(Region { params, ops, results: self.list("}", Self::value)? })
    }

    fn attribute<T>(&mut self, name: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect(name)?;
        self.expect("=")?;
        item(self)
    }

    fn listed<T>(&mut self, name: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.attribute(name, |parser| {
            parser.expect("[")?;
            parser.list("]", &item)
        })
    }

    fn kind(&mut self, name: &str, results: &[Value]) -> Parsed<OpKind> {
        if let Some(op) = name.strip_prefix("reduce.") {
            let op = ReduceOp::ALL.into_iter().find(|known| known.name() == op);
            let op = op.ok_or_else(|| format!("`{name}` is no operation"))?;
            return Ok(OpKind::Reduce { op, axes: self.listed("axes", Self::count)? });
        }
        Ok(match name {
            "const" => {
                let ty = results.first().and_then(|value| self.program.types.get(value.0 as usize));
                let dtype = ty.map(|ty| ty.dtype).ok_or("a constant needs a result")?;
                OpKind::Const(self.literal(dtype)?)
            }
            "iota" => OpKind::Iota { axis: self.attribute("axis", Self::count)? },
            "broadcast" => OpKind::Broadcast { axes: self.listed("axes", Self::count)? },
            "reshape" => OpKind::Reshape,
            "transpose" => OpKind::Transpose(self.listed("perm", Self::count)?),
            "slice" => OpKind::Slice {
                starts: self.listed("starts", Self::size)?,
                steps: self.listed("steps", Self::integer)?,
            },
            "pad" => OpKind::Pad { low: self.listed("low", Self::size)? },
            "concat" => OpKind::Concat { axis: self.attribute("axis", Self::count)? },
            "cumsum" => OpKind::Cumsum { axis: self.attribute("axis", Self::count)? },
            "sort" => OpKind::Sort { axis: self.attribute("axis", Self::count)? },
            "argsort" => OpKind::Argsort { axis: self.attribute("axis", Self::count)? },
            "matmul" => OpKind::Matmul,
            "gather" => OpKind::Gather { axis: self.attribute("axis", Self::count)? },
            "scatter" => OpKind::Scatter { axis: self.attribute("axis", Self::count)? },
            "dynamic_slice" => OpKind::DynamicSlice,
            "update" => OpKind::Update { steps: self.listed("steps", Self::integer)? },
            "copy" => OpKind::Copy,
            "check" => OpKind::Check(Check {
                // Codes are few and a text is read by tests and tools: the leak is bounded.
                code: self.attribute("code", Self::string)?.leak(),
                message: self.attribute("message", Self::string)?,
                help: if self.accept("help") {
                    self.expect("=")?;
                    Some(self.string()?)
                } else {
                    None
                },
            }),
            "for" => OpKind::For,
            "while" => OpKind::While,
            "if" => OpKind::If,
            _ => match (ScalarOp::parse(name), Function::parse(name)) {
                (Some(op), _) => OpKind::Map(op),
                (None, Some(function)) => OpKind::Function(function),
                (None, None) => return Err(format!("`{name}` is no operation")),
            },
        })
    }
}
