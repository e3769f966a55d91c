//! What the grammar's rules build: nodes with spans, and the checks that a rule alone cannot express.
//!
//! Every node carries how deep its tree is; a rule that would go beyond [`MAX_DEPTH`] fails instead, so the tree that
//! is being built never gets deep enough for its recursion, or for dropping it, to exhaust the stack.

use super::ast::{
    Arg, BinaryOp, Block, Expr, ExprKind, Function, FunctionKind, Ident, IndexItem, MAX_DEPTH, Name, Param, Statement,
    StatementKind, Target, TypeExpr, TypeExprKind, UnaryOp,
};
use super::diagnostics;
use super::parser::Failure;
use super::token::unescape;
use crate::base::{DType, Diagnostic, SourceId, Span};
use std::rc::Rc;

/// A part of the tree with the number of levels below and including it.
#[derive(Debug)]
pub(crate) struct Node<T> {
    /// The part.
    pub(super) value: T,
    /// Its levels; at most [`MAX_DEPTH`].
    pub(super) depth: u32,
}

impl<T> Node<T> {
    /// The same levels under another value.
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Node<U> {
        Node { value: change(self.value), depth: self.depth }
    }
}

/// What the rules of one statement build with.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    /// The source that spans name.
    pub(super) source: SourceId,
    /// Its text.
    pub(super) text: &'a str,
    /// The blocks of the statement, parsed before it; each is taken once.
    pub(super) blocks: Vec<Node<Block>>,
}

type Built<T> = Result<Node<T>, Failure>;

fn fail<T>(diagnostic: Diagnostic) -> Result<T, Failure> {
    Err(Failure::User { error: Box::new(diagnostic) })
}

fn deepest<T>(nodes: &[Node<T>]) -> u32 {
    nodes.iter().map(|node| node.depth).max().unwrap_or(0)
}

fn values<T>(nodes: Vec<Node<T>>) -> Vec<T> {
    nodes.into_iter().map(|node| node.value).collect()
}

impl Builder<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    fn written(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The depth of a node above `below`, unless that is too deep.
    fn above(&self, start: usize, below: u32) -> Result<u32, Failure> {
        if below >= MAX_DEPTH {
            return fail(diagnostics::too_deep(self.span(start, start + 1)));
        }
        Ok(below + 1)
    }

    fn expr(&self, start: usize, below: u32, end: usize, kind: ExprKind) -> Built<Expr> {
        let depth = self.above(start, below)?;
        Ok(Node { value: Expr { kind, span: self.span(start, end) }, depth })
    }

    fn leaf(&self, start: usize, end: usize, kind: ExprKind) -> Node<Expr> {
        Node { value: Expr { kind, span: self.span(start, end) }, depth: 1 }
    }

    // ---- expressions

    pub(crate) fn ident(&self, start: usize, end: usize) -> Ident {
        let span = self.span(start, end);
        Ident { name: Name::from(self.written(span)), span }
    }

    pub(crate) fn name(&self, name: Ident) -> Node<Expr> {
        Node { value: Expr { kind: ExprKind::Name(name.name), span: name.span }, depth: 1 }
    }

    pub(crate) fn int(&self, start: usize, value: i64, end: usize) -> Node<Expr> {
        self.leaf(start, end, ExprKind::Int(value))
    }

    pub(crate) fn float(&self, start: usize, value: f64, end: usize) -> Node<Expr> {
        self.leaf(start, end, ExprKind::Float(value))
    }

    pub(crate) fn boolean(&self, start: usize, value: bool, end: usize) -> Node<Expr> {
        self.leaf(start, end, ExprKind::Bool(value))
    }

    pub(crate) fn string(&self, start: usize, end: usize) -> Node<Expr> {
        // The lexer lets no bad escape through.
        let text = unescape(self.written(self.span(start, end))).unwrap_or_default();
        self.leaf(start, end, ExprKind::Str(Rc::from(text)))
    }

    pub(crate) fn paren(&self, start: usize, inner: Node<Expr>, end: usize) -> Built<Expr> {
        self.expr(start, inner.depth, end, ExprKind::Paren(Box::new(inner.value)))
    }

    pub(crate) fn tuple(&self, start: usize, items: impl IntoIterator<Item = Node<Expr>>, end: usize) -> Built<Expr> {
        let items: Vec<_> = items.into_iter().collect();
        self.expr(start, deepest(&items), end, ExprKind::Tuple(values(items)))
    }

    pub(crate) fn list(&self, start: usize, items: Vec<Node<Expr>>, end: usize) -> Built<Expr> {
        self.expr(start, deepest(&items), end, ExprKind::List(values(items)))
    }

    pub(crate) fn record(&self, start: usize, fields: Vec<(Ident, Node<Expr>)>, end: usize) -> Built<Expr> {
        let below = fields.iter().map(|(_, value)| value.depth).max().unwrap_or(0);
        let fields = fields.into_iter().map(|(name, value)| (name, value.value)).collect();
        self.expr(start, below, end, ExprKind::Record(fields))
    }

    pub(crate) fn field(&self, start: usize, of: Node<Expr>, field: Ident, end: usize) -> Built<Expr> {
        self.expr(start, of.depth, end, ExprKind::Field(Box::new(of.value), field))
    }

    pub(crate) fn index(
        &self,
        start: usize,
        of: Node<Expr>,
        mut items: Vec<Node<IndexItem>>,
        last: Option<Node<IndexItem>>,
        end: usize,
    ) -> Built<Expr> {
        items.extend(last);
        let below = of.depth.max(deepest(&items));
        self.expr(start, below, end, ExprKind::Index(Box::new(of.value), values(items)))
    }

    pub(crate) fn index_at(&self, value: Node<Expr>) -> Node<IndexItem> {
        value.map(|value| match &value.kind {
            ExprKind::Name(name) if &**name == "newaxis" => IndexItem::NewAxis(value.span),
            _ => IndexItem::At(value),
        })
    }

    pub(crate) fn ellipsis(&self, start: usize, end: usize) -> Node<IndexItem> {
        Node { value: IndexItem::Ellipsis(self.span(start, end)), depth: 1 }
    }

    pub(crate) fn slice(
        &self,
        start: usize,
        first: Option<Node<Expr>>,
        stop: Option<Node<Expr>>,
        step: Option<Node<Expr>>,
        end: usize,
    ) -> Node<IndexItem> {
        let depth = [&first, &stop, &step].into_iter().flatten().map(|node| node.depth).max().unwrap_or(1);
        let [first, stop, step] = [first, stop, step].map(|part| part.map(|node| node.value));
        Node { value: IndexItem::Slice { start: first, stop, step, span: self.span(start, end) }, depth }
    }

    pub(crate) fn argument(&self, name: Option<Ident>, value: Node<Expr>) -> Node<Arg> {
        value.map(|value| Arg { name, value })
    }

    pub(crate) fn call(&self, start: usize, callee: Node<Expr>, args: Vec<Node<Arg>>, end: usize) -> Built<Expr> {
        let mut named: Option<Span> = None;
        for Node { value: arg, .. } in &args {
            match (&arg.name, named) {
                (Some(name), _) => named = Some(name.span.to(arg.value.span)),
                (None, Some(named)) => return fail(diagnostics::positional_after_named(arg.value.span, named)),
                (None, None) => {}
            }
        }
        let below = callee.depth.max(deepest(&args));
        self.expr(start, below, end, ExprKind::Call(Box::new(callee.value), values(args)))
    }

    pub(crate) fn unary(&self, start: usize, op: UnaryOp, a: Node<Expr>, end: usize) -> Built<Expr> {
        self.expr(start, a.depth, end, ExprKind::Unary(op, Box::new(a.value)))
    }

    pub(crate) fn binary(&self, start: usize, a: Node<Expr>, op: BinaryOp, b: Node<Expr>, end: usize) -> Built<Expr> {
        let kind = ExprKind::Binary(op, Box::new(a.value), Box::new(b.value));
        self.expr(start, a.depth.max(b.depth), end, kind)
    }

    /// One operand, or a comparison of two; more are a chain, which is refused.
    pub(crate) fn comparison(
        &self,
        start: usize,
        first: Node<Expr>,
        mut rest: Vec<(BinaryOp, Node<Expr>)>,
        end: usize,
    ) -> Built<Expr> {
        let Some((op, second)) = rest.pop() else { return Ok(first) };
        if rest.is_empty() {
            return self.binary(start, first, op, second, end);
        }
        rest.push((op, second));
        let mut pairs = Vec::new();
        let mut left = self.written(first.value.span);
        for (op, right) in &rest {
            let right = self.written(right.value.span);
            pairs.push(format!("{left} {} {right}", op.symbol()));
            left = right;
        }
        fail(diagnostics::chained(self.span(start, end), &pairs.join(" and ")))
    }

    pub(crate) fn if_expression(
        &mut self,
        start: usize,
        condition: Node<Expr>,
        then: u32,
        otherwise: Node<Block>,
        end: usize,
    ) -> Built<Expr> {
        let then = self.block(then);
        let below = condition.depth.max(then.depth).max(otherwise.depth);
        let (then, otherwise) = (value_block(then.value), value_block(otherwise.value));
        self.expr(start, below, end, ExprKind::If(Box::new(condition.value), then, otherwise))
    }

    // ---- types

    pub(crate) fn host_type(&self, start: usize, name: Ident, end: usize) -> Node<TypeExpr> {
        let span = self.span(start, end);
        Node { value: TypeExpr { kind: TypeExprKind::Host(name.name), span }, depth: 1 }
    }

    fn type_of(&self, start: usize, below: u32, end: usize, kind: TypeExprKind) -> Built<TypeExpr> {
        let depth = self.above(start, below)?;
        Ok(Node { value: TypeExpr { kind, span: self.span(start, end) }, depth })
    }

    pub(crate) fn array_type(&self, start: usize, name: Ident, dims: Vec<Node<Expr>>, end: usize) -> Built<TypeExpr> {
        let Some(dtype) = DType::parse(&name.name) else { return fail(diagnostics::unknown_dtype(&name)) };
        self.type_of(start, deepest(&dims), end, TypeExprKind::Array { dtype, dims: values(dims) })
    }

    pub(crate) fn tuple_type(&self, start: usize, items: Vec<Node<TypeExpr>>, end: usize) -> Built<TypeExpr> {
        self.type_of(start, deepest(&items), end, TypeExprKind::Tuple(values(items)))
    }

    pub(crate) fn record_type(
        &self,
        start: usize,
        fields: Vec<(Ident, Node<TypeExpr>)>,
        end: usize,
    ) -> Built<TypeExpr> {
        let below = fields.iter().map(|(_, node)| node.depth).max().unwrap_or(0);
        let fields = fields.into_iter().map(|(name, node)| (name, node.value)).collect();
        self.type_of(start, below, end, TypeExprKind::Record(fields))
    }

    // ---- statements

    /// The block of that number. The grammar uses each number once.
    pub(crate) fn block(&mut self, number: u32) -> Node<Block> {
        let taken = Node { value: Block::default(), depth: 1 };
        self.blocks.get_mut(number as usize).map_or(taken, |block| {
            let taken = Node { value: Block::default(), depth: 1 };
            std::mem::replace(block, taken)
        })
    }

    /// A block of one statement that was written without braces.
    pub(crate) fn block_of(&self, start: usize, statement: Node<StatementKind>, end: usize) -> Built<Block> {
        let depth = self.above(start, statement.depth)?;
        let span = self.span(start, end);
        let statements = vec![Statement { kind: statement.value, span }];
        Ok(Node { value: Block { statements, span }, depth })
    }

    pub(crate) fn value_statement(&self, value: Node<Expr>) -> Node<StatementKind> {
        value.map(StatementKind::Expr)
    }

    pub(crate) fn expression_statement(&self, value: Node<Expr>) -> Node<StatementKind> {
        value.map(statement_of)
    }

    pub(crate) fn bind(
        &self,
        target: Node<Expr>,
        annotation: Option<Node<TypeExpr>>,
        value: Node<Expr>,
    ) -> Built<StatementKind> {
        let type_depth = annotation.as_ref().map_or(0, |node| node.depth);
        let depth = target.depth.max(value.depth).max(type_depth);
        let targets = match target.value {
            Expr { kind: ExprKind::Tuple(items), span } => {
                if items.len() < 2 {
                    return fail(diagnostics::short_targets(span));
                }
                items.into_iter().map(target_of).collect::<Result<Vec<_>, _>>()?
            }
            one => vec![target_of(one)?],
        };
        if let (Some(annotation), [first, ..]) = (&annotation, &targets[..])
            && (targets.len() > 1 || !first.fields.is_empty() || first.index.is_some())
        {
            return fail(diagnostics::misplaced_annotation(annotation.value.span, first.span));
        }
        let annotation = annotation.map(|node| node.value);
        Ok(Node { value: StatementKind::Bind { targets, annotation, value: value.value }, depth })
    }

    pub(crate) fn augment(&self, target: Node<Expr>, op: BinaryOp, value: Node<Expr>) -> Built<StatementKind> {
        let depth = target.depth.max(value.depth);
        if let ExprKind::Tuple(_) = target.value.kind {
            return fail(diagnostics::augmented_tuple(target.value.span, op));
        }
        let target = target_of(target.value)?;
        Ok(Node { value: StatementKind::Augment { target, op, value: value.value }, depth })
    }

    pub(crate) fn delete(&self, first: Ident, rest: Vec<Ident>) -> Node<StatementKind> {
        Node { value: StatementKind::Del(std::iter::once(first).chain(rest).collect()), depth: 1 }
    }

    pub(crate) fn for_loop(
        &mut self,
        index: Ident,
        start: Node<Expr>,
        end: Node<Expr>,
        step: Option<Node<Expr>>,
        body: u32,
    ) -> Node<StatementKind> {
        let body = self.block(body);
        let step_depth = step.as_ref().map_or(0, |step| step.depth);
        let depth = start.depth.max(end.depth).max(step_depth).max(body.depth);
        let (start, end, step) = (start.value, end.value, step.map(|step| step.value));
        Node { value: StatementKind::For { index, start, end, step, body: body.value }, depth }
    }

    pub(crate) fn while_loop(&mut self, condition: Node<Expr>, body: u32) -> Node<StatementKind> {
        let body = self.block(body);
        let depth = condition.depth.max(body.depth);
        Node { value: StatementKind::While { condition: condition.value, body: body.value }, depth }
    }

    pub(crate) fn if_statement(
        &mut self,
        condition: Node<Expr>,
        then: u32,
        otherwise: Option<Node<Block>>,
    ) -> Node<StatementKind> {
        let then = self.block(then);
        let otherwise_depth = otherwise.as_ref().map_or(0, |block| block.depth);
        let depth = condition.depth.max(then.depth).max(otherwise_depth);
        let (condition, then, otherwise) = (condition.value, then.value, otherwise.map(|block| block.value));
        Node { value: StatementKind::If { condition, then, otherwise }, depth }
    }

    pub(crate) fn bench(&mut self, label: Option<Node<Expr>>, count: Node<Expr>, body: u32) -> Node<StatementKind> {
        let body = self.block(body);
        let depth = count.depth.max(body.depth);
        let (label, count, body) = (label.map(|label| label.value), count.value, body.value);
        Node { value: StatementKind::Bench { label, count, body }, depth }
    }

    pub(crate) fn assertion(&self, condition: Node<Expr>, message: Option<Node<Expr>>) -> Node<StatementKind> {
        let depth = message.as_ref().map_or(0, |message| message.depth).max(condition.depth);
        let (condition, message) = (condition.value, message.map(|message| message.value));
        Node { value: StatementKind::Assert { condition, message }, depth }
    }

    pub(crate) fn param(
        &self,
        start: usize,
        donate: bool,
        name: Ident,
        annotation: Option<Node<TypeExpr>>,
        default: Option<Node<Expr>>,
        end: usize,
    ) -> Node<Param> {
        let annotation_depth = annotation.as_ref().map_or(1, |node| node.depth);
        let depth = default.as_ref().map_or(1, |node| node.depth).max(annotation_depth);
        let (annotation, default) = (annotation.map(|node| node.value), default.map(|node| node.value));
        Node { value: Param { donate, name, annotation, default, span: self.span(start, end) }, depth }
    }

    pub(crate) fn function(
        &self,
        start: usize,
        (kind, name): (FunctionKind, Ident),
        params: Vec<Node<Param>>,
        result: Option<Node<TypeExpr>>,
        body: Node<Block>,
        end: usize,
    ) -> Node<StatementKind> {
        let result_depth = result.as_ref().map_or(0, |node| node.depth);
        let depth = deepest(&params).max(result_depth).max(body.depth);
        let (params, result, body) = (values(params), result.map(|node| node.value), value_block(body.value));
        let function = Function { kind, name, params, result, body, span: self.span(start, end) };
        Node { value: StatementKind::Function(Rc::new(function)), depth }
    }
}

/// An expression as a statement: an `if` with both branches is then a statement, not a value.
fn statement_of(value: Expr) -> StatementKind {
    match value.kind {
        ExprKind::If(condition, then, otherwise) => StatementKind::If {
            condition: *condition,
            then: statement_block(then),
            otherwise: Some(statement_block(otherwise)),
        },
        _ => StatementKind::Expr(value),
    }
}

fn statement_block(mut block: Block) -> Block {
    if let Some(Statement { kind, span }) = block.statements.pop() {
        let kind = match kind {
            StatementKind::Expr(value) => statement_of(value),
            other => other,
        };
        block.statements.push(Statement { kind, span });
    }
    block
}

/// A block that has a value: where its last statement is an `if` of which every branch ends in a value, that `if` is one.
fn value_block(mut block: Block) -> Block {
    if let Some(last) = block.statements.pop() {
        let last = match last {
            Statement { kind: StatementKind::If { condition, then, otherwise: Some(otherwise) }, span }
                if ends_in_value(&then) && ends_in_value(&otherwise) =>
            {
                let kind = ExprKind::If(Box::new(condition), value_block(then), value_block(otherwise));
                Statement { kind: StatementKind::Expr(Expr { kind, span }), span }
            }
            last => last,
        };
        block.statements.push(last);
    }
    block
}

fn ends_in_value(block: &Block) -> bool {
    match block.statements.last().map(|last| &last.kind) {
        Some(StatementKind::Expr(_)) => true,
        Some(StatementKind::If { then, otherwise: Some(otherwise), .. }) => {
            ends_in_value(then) && ends_in_value(otherwise)
        }
        _ => false,
    }
}

/// The place that an expression to the left of `=` names.
fn target_of(expr: Expr) -> Result<Target, Failure> {
    let span = expr.span;
    let mut index = None;
    let mut fields = Vec::new();
    let mut at = expr;
    loop {
        match at.kind {
            ExprKind::Name(name) => {
                fields.reverse();
                return Ok(Target { root: Ident { name, span: at.span }, fields, index, span });
            }
            ExprKind::Paren(inner) if fields.is_empty() && index.is_none() => at = *inner,
            ExprKind::Field(of, field) => {
                fields.push(field);
                at = *of;
            }
            ExprKind::Index(of, items) if fields.is_empty() && index.is_none() => {
                index = Some(items);
                at = *of;
            }
            ExprKind::Index(..) => return fail(diagnostics::index_inside_target(at.span, span)),
            kind => return fail(diagnostics::not_a_target(&kind, at.span)),
        }
    }
}
