//! The tree of a program as written: no types, no meaning, every node with its span.
//!
//! Invariant: no tree is deeper than [`MAX_DEPTH`] (the parser refuses deeper nesting), so that recursion over it,
//! and dropping it, cannot exhaust the stack.

use crate::base::{DType, Span};
use std::rc::Rc;

/// Deepest nesting of expressions and blocks that the parser lets through.
pub const MAX_DEPTH: u32 = 400;

/// An identifier's text; cheap to clone.
pub type Name = Rc<str>;

/// A name at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The text.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// Statements between braces, or a whole file.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// In order. In a function body or a branch of an `if` expression, a last [`StatementKind::Expr`] is its value.
    pub statements: Vec<Statement>,
    /// From brace to brace; the whole text for a file.
    pub span: Span,
}

/// One statement. Its span identifies it: sources are never parsed twice under one id.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// From its first to its last token.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `x = e`, `a, b = e`, `x: f32[n] = e`, `x[i] = e`, `r.w = e`.
    Bind {
        /// One or more targets.
        targets: Vec<Target>,
        /// Only with a single name.
        annotation: Option<TypeExpr>,
        /// The value; `a, b = b, a` has a tuple here.
        value: Expr,
    },
    /// `x += e`: `x = x + e`.
    Augment {
        /// What is read and bound anew.
        target: Target,
        /// The operator before `=`.
        op: BinaryOp,
        /// The right operand.
        value: Expr,
    },
    /// `del x, y`.
    Del(Vec<Ident>),
    /// `for i in a..b step k { ... }`.
    For {
        /// The index.
        index: Ident,
        /// First value.
        start: Expr,
        /// First value no longer taken.
        end: Expr,
        /// Increment, 1 if absent.
        step: Option<Expr>,
        /// The rounds.
        body: Block,
    },
    /// `while cond { ... }`.
    While {
        /// Tested before each round.
        condition: Expr,
        /// The rounds.
        body: Block,
    },
    /// `if cond { ... } else { ... }` as a statement; `else if` is an `otherwise` block of one `If`.
    If {
        /// Tested once.
        condition: Expr,
        /// When true.
        then: Block,
        /// When false.
        otherwise: Option<Block>,
    },
    /// `bench "label" 50 { ... }`.
    Bench {
        /// Printed before the figures.
        label: Option<Expr>,
        /// Timed runs.
        count: Expr,
        /// What is run.
        body: Block,
    },
    /// `assert cond, "message"`.
    Assert {
        /// Must hold.
        condition: Expr,
        /// Shown when it does not.
        message: Option<Expr>,
    },
    /// `fn` or `jit` definition.
    Function(Rc<Function>),
    /// A bare expression.
    Expr(Expr),
    /// A statement that did not parse; reported already.
    Error,
}

/// Where a value is bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The name that is bound anew.
    pub root: Ident,
    /// `.a.b` after it.
    pub fields: Vec<Ident>,
    /// `[...]` after those.
    pub index: Option<Vec<IndexItem>>,
    /// All of it.
    pub span: Span,
}

impl Target {
    /// `x op e`: the value that `x op= e` binds.
    #[must_use]
    pub fn augmented(&self, op: BinaryOp, value: &Expr, span: Span) -> Expr {
        let mut read = Expr { kind: ExprKind::Name(self.root.name.clone()), span: self.root.span };
        for field in &self.fields {
            let whole = read.span.to(field.span);
            read = Expr { kind: ExprKind::Field(Box::new(read), field.clone()), span: whole };
        }
        if let Some(index) = &self.index {
            read = Expr { kind: ExprKind::Index(Box::new(read), index.clone()), span: self.span };
        }
        Expr { kind: ExprKind::Binary(op, Box::new(read), Box::new(value.clone())), span }
    }
}

/// `fn` or `jit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Runs statement by statement.
    Fn,
    /// One compiled program per signature.
    Jit,
}

/// A definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `fn` or `jit`.
    pub kind: FunctionKind,
    /// Its name.
    pub name: Ident,
    /// In order.
    pub params: Vec<Param>,
    /// `-> type`.
    pub result: Option<TypeExpr>,
    /// `= e` is a block of one expression.
    pub body: Block,
    /// The whole definition.
    pub span: Span,
}

/// `donate p: f32[n] = default`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Whether the caller gives the buffer away.
    pub donate: bool,
    /// Its name.
    pub name: Ident,
    /// `: type`.
    pub annotation: Option<TypeExpr>,
    /// `= e`, a host value.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// Which.
    pub kind: TypeExprKind,
    /// Where.
    pub span: Span,
}

/// Kinds of written types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `f32[n, 784]`; dims are expressions over ints and dim names.
    Array {
        /// Element type.
        dtype: DType,
        /// Extents.
        dims: Vec<Expr>,
    },
    /// `int`, `float`, `bool` or `str` (a bare name; sema judges it).
    Host(Name),
    /// `(t, u)`.
    Tuple(Vec<TypeExpr>),
    /// `{w: t, b: u}`.
    Record(Vec<(Ident, TypeExpr)>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `42`; a literal above `i64::MAX` is refused by the lexer.
    Int(i64),
    /// `0.99`.
    Float(f64),
    /// `true`.
    Bool(bool),
    /// `"text"`, escapes resolved.
    Str(Rc<str>),
    /// `x`.
    Name(Name),
    /// `(e)`: kept so that the formatter and messages show what was written.
    Paren(Box<Expr>),
    /// `(a, b)` or `a, b`; `()` and `(a,)` too.
    Tuple(Vec<Expr>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{w: a, b: c}`.
    Record(Vec<(Ident, Expr)>),
    /// `x.shape`, `params.w`, `x.T`.
    Field(Box<Expr>, Ident),
    /// `x[...]`.
    Index(Box<Expr>, Vec<IndexItem>),
    /// `f(a, axis=0)`.
    Call(Box<Expr>, Vec<Arg>),
    /// `-x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, comparisons, `and`, `or`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if c { a } else { b }` as a value.
    If(Box<Expr>, Block, Block),
    /// Did not parse; reported already.
    Error,
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// `axis` in `axis=0`.
    pub name: Option<Ident>,
    /// The value.
    pub value: Expr,
}

/// One item between the brackets of an index.
#[expect(clippy::large_enum_variant, reason = "there are few of them, and boxes would cloud every match")]
#[derive(Clone, Debug, PartialEq)]
pub enum IndexItem {
    /// An int or an integer array.
    At(Expr),
    /// `a:b:s`, each optional.
    Slice {
        /// First.
        start: Option<Expr>,
        /// First no longer taken.
        stop: Option<Expr>,
        /// Stride.
        step: Option<Expr>,
        /// All of it.
        span: Span,
    },
    /// `...`.
    Ellipsis(Span),
    /// `newaxis`.
    NewAxis(Span),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    Invert,
    /// `not`
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `@`
    MatMul,
    /// `**`
    Pow,
}

impl BinaryOp {
    /// The operator as written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::BitAnd => "&",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::FloorDiv => "//",
            Self::Mod => "%",
            Self::MatMul => "@",
            Self::Pow => "**",
        }
    }
}
