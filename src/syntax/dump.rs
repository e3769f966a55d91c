//! Tokens and tree as text, for `arr emit` and for tests.
//!
//! `x = y + 1` is dumped as `bind x = (+ y 1)`. Invariant: two trees have the same dump exactly if they differ in
//! nothing but spans.

use super::ast::{
    Block, Expr, ExprKind, Function, FunctionKind, Ident, IndexItem, Statement, StatementKind, Target, TypeExpr,
    TypeExprKind, UnaryOp,
};
use super::token::{Token, lex};
use crate::base::SourceId;
use std::fmt::Write as _;

/// One token a line: its line and column (both from 1, columns in characters), its kind, its text.
#[must_use]
pub fn dump_tokens(text: &str) -> String {
    let mut out = String::new();
    let (mut line, mut column, mut at) = (1_usize, 1_usize, 0_usize);
    for lexeme in lex(SourceId::default(), text, &mut Vec::new()) {
        for character in text.get(at..lexeme.start).unwrap_or("").chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        at = lexeme.start;
        let written = text.get(lexeme.start..lexeme.end).unwrap_or("").trim_end();
        let kind = match lexeme.token {
            Token::Int(_) => "Int".to_owned(),
            Token::Float(_) => "Float".to_owned(),
            other => format!("{other:?}"),
        };
        put(&mut out, format_args!("{line}:{column} {kind} {written}"));
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// The tree, one statement a line, blocks indented.
#[must_use]
pub fn dump_ast(program: &Block) -> String {
    let mut dump = Dump { out: String::new(), indent: 0 };
    program.statements.iter().for_each(|statement| dump.statement(statement));
    dump.out
}

fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(what);
}

struct Dump {
    out: String,
    indent: usize,
}

impl Dump {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn margin(&mut self) {
        (0..self.indent).for_each(|_| self.out.push_str("  "));
    }

    fn block(&mut self, block: &Block) {
        self.put(" {\n");
        self.indent += 1;
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.indent -= 1;
        self.margin();
        self.put("}");
    }

    fn statement(&mut self, statement: &Statement) {
        self.margin();
        match &statement.kind {
            StatementKind::Bind { targets, annotation, value } => {
                self.put("bind");
                targets.iter().for_each(|target| self.target(target));
                if let Some(annotation) = annotation {
                    self.put(": ");
                    self.type_expr(annotation);
                }
                self.put(" = ");
                self.expr(value);
            }
            StatementKind::Augment { target, op, value } => {
                self.put("augment");
                self.target(target);
                put(&mut self.out, format_args!(" {}= ", op.symbol()));
                self.expr(value);
            }
            StatementKind::Del(names) => {
                self.put("del");
                names.iter().for_each(|name| put(&mut self.out, format_args!(" {}", name.name)));
            }
            StatementKind::For { index, start, end, step, body } => {
                put(&mut self.out, format_args!("for {} in ", index.name));
                self.expr(start);
                self.put("..");
                self.expr(end);
                if let Some(step) = step {
                    self.put(" step ");
                    self.expr(step);
                }
                self.block(body);
            }
            StatementKind::While { condition, body } => {
                self.put("while ");
                self.expr(condition);
                self.block(body);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.expr(condition);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.put(" else");
                    self.block(otherwise);
                }
            }
            StatementKind::Bench { label, count, body } => {
                self.put("bench ");
                if let Some(label) = label {
                    self.expr(label);
                    self.put(" times ");
                }
                self.expr(count);
                self.block(body);
            }
            StatementKind::Assert { condition, message } => {
                self.put("assert ");
                self.expr(condition);
                if let Some(message) = message {
                    self.put(", ");
                    self.expr(message);
                }
            }
            StatementKind::Function(function) => self.function(function),
            StatementKind::Expr(value) => self.expr(value),
            StatementKind::Error => self.put("error"),
        }
        self.put("\n");
    }

    fn function(&mut self, function: &Function) {
        let kind = match function.kind {
            FunctionKind::Fn => "fn",
            FunctionKind::Jit => "jit",
        };
        put(&mut self.out, format_args!("{kind} {}(", function.name.name));
        for (at, param) in function.params.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            self.put(if param.donate { "donate " } else { "" });
            self.put(&param.name.name);
            if let Some(annotation) = &param.annotation {
                self.put(": ");
                self.type_expr(annotation);
            }
            if let Some(default) = &param.default {
                self.put(" = ");
                self.expr(default);
            }
        }
        self.put(")");
        if let Some(result) = &function.result {
            self.put(" -> ");
            self.type_expr(result);
        }
        self.block(&function.body);
    }

    fn target(&mut self, target: &Target) {
        put(&mut self.out, format_args!(" {}", target.root.name));
        target.fields.iter().for_each(|field| put(&mut self.out, format_args!(".{}", field.name)));
        if let Some(items) = &target.index {
            self.put("[");
            self.items(items);
            self.put("]");
        }
    }

    fn type_expr(&mut self, type_expr: &TypeExpr) {
        match &type_expr.kind {
            TypeExprKind::Array { dtype, dims } => {
                put(&mut self.out, format_args!("{dtype}["));
                self.separated(dims, ", ");
                self.put("]");
            }
            TypeExprKind::Host(name) => self.put(name),
            TypeExprKind::Tuple(items) => {
                self.put("(tuple");
                for item in items {
                    self.put(" ");
                    self.type_expr(item);
                }
                self.put(")");
            }
            TypeExprKind::Record(fields) => {
                self.put("(record");
                for (name, field) in fields {
                    put(&mut self.out, format_args!(" {}: ", name.name));
                    self.type_expr(field);
                }
                self.put(")");
            }
        }
    }

    fn separated(&mut self, items: &[Expr], separator: &str) {
        for (at, item) in items.iter().enumerate() {
            self.put(if at > 0 { separator } else { "" });
            self.expr(item);
        }
    }

    fn form<'e>(&mut self, head: &str, parts: impl IntoIterator<Item = &'e Expr>) {
        put(&mut self.out, format_args!("({head}"));
        for part in parts {
            self.put(" ");
            self.expr(part);
        }
        self.put(")");
    }

    fn named(&mut self, name: &Ident, separator: &str, value: &Expr) {
        put(&mut self.out, format_args!(" {}{separator}", name.name));
        self.expr(value);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(value) => put(&mut self.out, format_args!("{value}")),
            ExprKind::Float(value) => put(&mut self.out, format_args!("{value:?}")),
            ExprKind::Bool(value) => put(&mut self.out, format_args!("{value}")),
            ExprKind::Str(value) => put(&mut self.out, format_args!("{value:?}")),
            ExprKind::Name(name) => self.put(name),
            ExprKind::Paren(inner) => self.form("paren", [&**inner]),
            ExprKind::Tuple(items) => self.form("tuple", items),
            ExprKind::List(items) => self.form("list", items),
            ExprKind::Record(fields) => {
                self.put("(record");
                fields.iter().for_each(|(name, value)| self.named(name, ": ", value));
                self.put(")");
            }
            ExprKind::Field(of, field) => {
                self.put("(field ");
                self.expr(of);
                put(&mut self.out, format_args!(" {})", field.name));
            }
            ExprKind::Index(of, items) => {
                self.put("(index ");
                self.expr(of);
                self.put(" [");
                self.items(items);
                self.put("])");
            }
            ExprKind::Call(callee, args) => {
                self.put("(call ");
                self.expr(callee);
                for arg in args {
                    match &arg.name {
                        Some(name) => self.named(name, "=", &arg.value),
                        None => {
                            self.put(" ");
                            self.expr(&arg.value);
                        }
                    }
                }
                self.put(")");
            }
            ExprKind::Unary(op, a) => {
                let head = match op {
                    UnaryOp::Neg => "neg",
                    UnaryOp::Invert => "~",
                    UnaryOp::Not => "not",
                };
                self.form(head, [&**a]);
            }
            ExprKind::Binary(op, a, b) => self.form(op.symbol(), [&**a, &**b]),
            ExprKind::If(condition, then, otherwise) => {
                self.put("(if ");
                self.expr(condition);
                self.block(then);
                self.put(" else");
                self.block(otherwise);
                self.put(")");
            }
            ExprKind::Error => self.put("(error)"),
        }
    }

    fn items(&mut self, items: &[IndexItem]) {
        for (at, item) in items.iter().enumerate() {
            self.put(if at > 0 { ", " } else { "" });
            match item {
                IndexItem::At(value) => self.expr(value),
                IndexItem::Ellipsis(_) => self.put("..."),
                IndexItem::NewAxis(_) => self.put("newaxis"),
                IndexItem::Slice { start, stop, step, .. } => {
                    for (separator, part) in [("", start), (":", stop), (":", step)] {
                        self.put(separator);
                        if let Some(part) = part {
                            self.expr(part);
                        }
                    }
                }
            }
        }
    }
}
