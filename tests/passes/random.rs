//! Random well-formed programs on small arrays, made from a list of choices so that failures shrink.

use arr::backends::reference::Array;
use arr::base::{DType, Literal, Shape, Size};
use arr::ir::array::{ArrayType, Builder, Check, OpKind, ParamKind, Program, ReduceOp, Region, Value};
use arr::ops::scalar::{Function, ScalarOp};

const DTYPES: [DType; 8] =
    [DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool, DType::F16, DType::Bf16];

/// A program with arguments for it.
pub(super) fn program(choices: &[u16]) -> (Program, Vec<Array>) {
    let mut maker = Maker { choices: choices.iter(), builder: Builder::new() };
    let mut pool = Vec::new();
    let mut args = Vec::new();
    for at in 0..3 {
        let (dtype, shape) = (maker.dtype(), maker.shape());
        let extents = shape.extents().expect("shapes here are known");
        let elements: Vec<Literal> = (0..extents.iter().product()).map(|_| maker.literal(dtype)).collect();
        args.push(Array::new(dtype, &extents, &elements));
        let kind = ParamKind::Array { donated: at == 0 };
        pool.push(maker.builder.param(kind, format!("a{at}"), ArrayType::new(dtype, shape)));
    }
    for dtype in [DType::I64, DType::Bool] {
        let literal = maker.literal(dtype);
        args.push(Array::new(dtype, &[], &[literal]));
        pool.push(maker.builder.param(ParamKind::Scalar, dtype.name(), ArrayType::scalar(dtype)));
    }
    maker.ops(&mut pool, 0);
    let results = (0..4).map(|_| maker.pick(&pool)).collect();
    (maker.builder.finish(results), args)
}

struct Maker<'a> {
    choices: std::slice::Iter<'a, u16>,
    builder: Builder,
}

impl Maker<'_> {
    /// 0 when the choices are used up.
    fn below(&mut self, limit: usize) -> usize {
        self.choices.next().map_or(0, |&choice| choice as usize % limit.max(1))
    }

    fn done(&self) -> bool {
        self.choices.len() == 0
    }

    fn pick(&mut self, pool: &[Value]) -> Value {
        // Rather the later ones, so that programs grow deep, and often the last, so that like meets like.
        if self.below(2) == 0 {
            return pool[pool.len() - 1];
        }
        let back = self.below(pool.len()).min(self.below(pool.len()));
        pool[pool.len() - 1 - back]
    }

    fn dtype(&mut self) -> DType {
        DTYPES[self.below(DTYPES.len())]
    }

    fn shape(&mut self) -> Shape {
        let shapes: [&[u64]; 8] = [&[], &[1], &[3], &[2, 3], &[3, 2], &[1, 3], &[0], &[2, 1, 3]];
        Shape::known(shapes[self.below(shapes.len())])
    }

    fn literal(&mut self, dtype: DType) -> Literal {
        let values = [0.0, 1.0, -1.0, 2.0, -0.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3.0, -7.25, 1e30];
        Literal::from_f64(dtype, values[self.below(values.len())])
    }

    fn extents(&self, x: Value) -> Vec<u64> {
        self.builder.ty(x).shape.extents().expect("shapes here are known")
    }

    fn constant(&mut self, dtype: DType, shape: Shape) -> Value {
        let literal = self.literal(dtype);
        self.builder.full(literal, shape)
    }

    fn number(&mut self, value: i64) -> Value {
        self.builder.constant(Literal::from_i64(DType::I64, value))
    }

    /// A value of this type: from the pool, else a constant or a cast.
    fn of(&mut self, pool: &[Value], ty: &ArrayType) -> Value {
        let fitting: Vec<Value> = pool.iter().copied().filter(|&x| self.builder.ty(x) == ty).collect();
        if !fitting.is_empty() && self.below(4) > 0 {
            return self.pick(&fitting);
        }
        let shaped: Vec<Value> = pool.iter().copied().filter(|&x| self.builder.ty(x).shape == ty.shape).collect();
        if !shaped.is_empty() && self.below(3) > 0 {
            let x = self.pick(&shaped);
            return self.builder.cast(x, ty.dtype);
        }
        self.constant(ty.dtype, ty.shape.clone())
    }

    fn ops(&mut self, pool: &mut Vec<Value>, depth: usize) {
        let count = if depth == 0 { 60 } else { 2 + self.below(5) };
        let mut kind = 0;
        for _ in 0..count {
            if self.done() {
                return;
            }
            // Every third operation is of the kind of the one before it.
            if self.below(3) > 0 {
                kind = self.below(20);
            }
            let made = self.op(kind, pool, depth);
            pool.extend(made);
        }
    }

    fn op(&mut self, kind: usize, pool: &[Value], depth: usize) -> Vec<Value> {
        let x = self.pick(pool);
        let ty = self.builder.ty(x).clone();
        let rank = ty.shape.rank();
        let extents = self.extents(x);
        match kind {
            0..5 => vec![self.map(pool, x)],
            5 => {
                let function = Function::ALL[self.below(Function::ALL.len())];
                let float = if ty.dtype.is_float() { x } else { self.builder.cast(x, DType::F32) };
                let operands: Vec<Value> = (0..function.arity()).map(|_| float).collect();
                vec![self.builder.function(function, &operands)]
            }
            6 => {
                let dtype = self.dtype();
                vec![self.builder.cast(x, dtype)]
            }
            7 => {
                let mut shape = ty.shape.0.clone();
                shape.insert(0, Size::from(2));
                if let Some(last) = shape.last_mut().filter(|last| last.constant() == Some(1)) {
                    *last = Size::from(3);
                }
                if shape.len() > 4 {
                    return Vec::new();
                }
                vec![self.builder.broadcast_to(x, Shape(shape))]
            }
            8 => {
                let count: u64 = extents.iter().product();
                let shape = match self.below(3) {
                    0 => vec![count],
                    1 => vec![1, count],
                    _ => extents.iter().copied().chain([1]).collect(),
                };
                vec![self.builder.reshape(x, Shape::known(&shape))]
            }
            9 => {
                let mut perm: Vec<usize> = (0..rank).collect();
                perm.rotate_left(self.below(rank).min(rank.saturating_sub(1)));
                vec![
                    self.builder.push(
                        OpKind::Transpose(perm.clone()),
                        vec![x],
                        vec![self.permuted(&ty, &perm)],
                        Vec::new(),
                    )[0],
                ]
            }
            10 => {
                let mut parts = (Vec::new(), Vec::new(), Vec::new());
                for &extent in &extents {
                    let (start, step, count) = match self.below(4) {
                        0 if extent > 0 => (extent as i64 - 1, -1, extent),
                        1 if extent > 0 => (self.below(extent as usize) as i64, 1, 1),
                        2 if extent > 2 => (0, 2, extent.div_ceil(2)),
                        _ => (0, 1, extent),
                    };
                    parts.0.push(Size::from(start));
                    parts.1.push(step);
                    parts.2.push(count);
                }
                vec![self.builder.slice(x, parts.0, parts.1, Shape::known(&parts.2))]
            }
            11 => {
                let fill = self.of(pool, &ArrayType::scalar(ty.dtype));
                let low = self.below(2) as u64;
                let shape: Vec<u64> = extents.iter().map(|n| n + low).collect();
                let lows = vec![Size::from(low); rank];
                vec![self.builder.pad(x, fill, lows, Shape::known(&shape))]
            }
            12 if rank > 0 => {
                let axis = self.below(rank);
                let other = self.of(pool, &ty);
                vec![self.builder.concat(vec![x, other], axis, Size::from(2 * extents[axis]))]
            }
            13 if rank > 0 => {
                let op = match (self.below(6), ty.dtype) {
                    (0, DType::Bool) => ReduceOp::Any,
                    (1, DType::Bool) => ReduceOp::All,
                    (2, _) => ReduceOp::Max,
                    (3, _) => ReduceOp::ArgMin,
                    (4, _) => ReduceOp::Prod,
                    _ => ReduceOp::Sum,
                };
                let axis = self.below(rank);
                vec![self.builder.reduce(op, x, vec![axis])]
            }
            14 if rank > 0 => {
                let axis = self.below(rank);
                vec![match self.below(3) {
                    0 => self.builder.like_first(OpKind::Cumsum { axis }, vec![x]),
                    1 => self.builder.like_first(OpKind::Sort { axis }, vec![x]),
                    _ => self.builder.argsort(x, axis),
                }]
            }
            15 if rank > 0 => {
                let starts: Vec<Value> = (0..rank).map(|_| self.number(0)).collect();
                let shape: Vec<u64> = extents.iter().map(|&n| n.min(1 + self.below(2) as u64)).collect();
                let block = self.builder.dynamic_slice(x, &starts, Shape::known(&shape));
                let operands = [x, block].into_iter().chain(starts).collect();
                vec![block, self.builder.like_first(OpKind::Update { steps: vec![1; rank] }, operands)]
            }
            16 => {
                let bad = self.of(pool, &ArrayType::scalar(DType::Bool));
                let shown = self.of(pool, &ArrayType::scalar(DType::I64));
                // Mostly one that holds: a program that stops says nothing about the rest.
                let bad = if self.below(4) > 0 { self.builder.constant(Literal::from_bool(false)) } else { bad };
                let check = Check { code: "R0001", message: "{0}".into(), help: None };
                self.builder.check(check, bad, &[shown]);
                vec![self.builder.like_first(OpKind::Copy, vec![x])]
            }
            17..20 if depth < 2 => self.control(pool, depth),
            _ => vec![self.map(pool, x)],
        }
    }

    fn permuted(&self, ty: &ArrayType, perm: &[usize]) -> ArrayType {
        ArrayType::new(ty.dtype, Shape(perm.iter().map(|&axis| ty.shape.0[axis].clone()).collect()))
    }

    fn map(&mut self, pool: &[Value], x: Value) -> Value {
        let ty = self.builder.ty(x).clone();
        let fitting: Vec<ScalarOp> = ScalarOp::PLAIN.into_iter().filter(|op| op.takes(ty.dtype)).collect();
        let op = fitting[self.below(fitting.len())];
        let mut operands = Vec::new();
        if op == ScalarOp::Select {
            operands.push(self.of(pool, &ArrayType::new(DType::Bool, ty.shape.clone())));
        }
        operands.push(x);
        while operands.len() < op.arity() {
            let other = match self.below(3) {
                0 => self.constant(ty.dtype, ty.shape.clone()),
                1 => x,
                _ => self.of(pool, &ty),
            };
            operands.push(other);
        }
        if op != ScalarOp::Select && self.below(2) == 0 {
            operands.reverse();
        }
        self.builder.map(op, &operands)
    }

    fn region(&mut self, pool: &[Value], params: Vec<ArrayType>, results: &[ArrayType], depth: usize) -> Region {
        let params = self.builder.open(params);
        let mut inner: Vec<Value> = pool.iter().copied().chain(params).collect();
        self.ops(&mut inner, depth + 1);
        let results = results.iter().map(|ty| self.of(&inner, ty)).collect();
        self.builder.close(results)
    }

    fn control(&mut self, pool: &[Value], depth: usize) -> Vec<Value> {
        let carried: Vec<Value> = (0..1 + self.below(3)).map(|_| self.pick(pool)).collect();
        let types: Vec<ArrayType> = carried.iter().map(|&x| self.builder.ty(x).clone()).collect();
        let index = ArrayType::scalar(DType::I64);
        match self.below(3) {
            0 => {
                let condition = self.of(pool, &ArrayType::scalar(DType::Bool));
                let regions = (0..2).map(|_| self.region(pool, Vec::new(), &types, depth)).collect();
                self.builder.push(OpKind::If, vec![condition], types, regions)
            }
            1 => {
                let bounds = [(0, 0, 1), (0, 1, 1), (0, 3, 1), (2, -1, -2), (5, 2, 1)][self.below(5)];
                let bounds: Vec<Value> = [bounds.0, bounds.1, bounds.2].map(|n| self.number(n)).into();
                let params = std::iter::once(index).chain(types.iter().cloned()).collect();
                let body = self.region(pool, params, &types, depth);
                self.builder.push(OpKind::For, bounds.into_iter().chain(carried).collect(), types, vec![body])
            }
            _ => {
                // The first carried value counts the rounds.
                let start = self.number(0);
                let types: Vec<ArrayType> = std::iter::once(index).chain(types).collect();
                let params = self.builder.open(types.clone());
                let limit = self.below(4) as i64;
                let limit = self.number(limit);
                let on = self.builder.map(ScalarOp::Lt, &[params[0], limit]);
                let condition = self.builder.close(vec![on]);
                let params = self.builder.open(types.clone());
                let one = self.number(1);
                let next = self.builder.map(ScalarOp::Add, &[params[0], one]);
                let mut inner: Vec<Value> = pool.iter().copied().chain(params).collect();
                self.ops(&mut inner, depth + 1);
                let rest = types.iter().skip(1).map(|ty| self.of(&inner, ty)).collect::<Vec<_>>();
                let body = self.builder.close(std::iter::once(next).chain(rest).collect());
                let operands = std::iter::once(start).chain(carried).collect();
                self.builder.push(OpKind::While, operands, types, vec![condition, body])
            }
        }
    }
}
