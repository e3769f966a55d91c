//! Random programs over everything that the simulator knows, as trees and as PTX.
//!
//! Invariant: a program is free of faults whatever its input (no division by zero is read, loops end, threads keep to
//! their own bytes), so that every difference is one of arithmetic or control.

use std::fmt::Write as _;

/// Bytes per thread of the input and of the output.
pub(crate) const STRIDE: usize = 240;
/// Where each pool lies in them, its registers, their bytes, and their type.
pub(crate) const POOLS: [(char, usize, usize, usize, &str); 6] = [
    ('p', 0, 4, 4, "pred"),
    ('h', 16, 4, 2, "b16"),
    ('r', 24, 6, 4, "b32"),
    ('f', 48, 6, 4, "f32"),
    ('d', 72, 6, 8, "b64"),
    ('g', 120, 6, 8, "f64"),
];
/// Where a thread's own 64 bytes lie in the output.
pub(crate) const SCRATCH: usize = 176;

/// A register: its pool and its number.
pub(crate) type Register = (char, usize);

/// An operand, with its bits if it is a literal.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Register(Register),
    Literal(String, u64),
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Compute { mnemonic: String, to: Register, sources: Vec<Source> },
    Load { ty: &'static str, to: Vec<Register>, offset: usize },
    Store { ty: &'static str, from: Vec<Register>, offset: usize },
    Shuffle { mode: &'static str, to: Register, valid: Register, value: Register, lane: Source, clamp: u64 },
    Pack { to: Register, from: Vec<Register> },
    Unpack { to: Vec<Register>, from: Register },
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// An instruction, perhaps under a predicate (negated or not).
    Item(Option<(Register, bool)>, Item),
    If(Register, Vec<Node>, Vec<Node>),
    /// As many rounds as the low two bits of a register say.
    Loop(Register, Vec<Node>),
}

/// The same numbers for the same seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// Bits for a register of `bits` bits that is read as a float half the time.
    pub(crate) fn value(&mut self, bits: u32) -> u64 {
        let edges32 = [
            0.0_f32,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            3.5,
            1e-45,
            -1e-45,
            1.1754944e-38,
            1.1754942e-38,
            8388607.5,
            8388609.0,
            16777217.0,
            2147483648.0,
            -2147483648.0,
            4294967296.0,
            9.223372e18,
            1.8446744e19,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            255.5,
            256.0,
            -128.5,
            32767.5,
            65535.5,
        ];
        let edges64 = [
            0.0_f64,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            -2.5,
            5e-324,
            -5e-324,
            2.2250738585072014e-308,
            2.225073858507201e-308,
            1e-45,
            7e-46,
            1.1754943508222875e-38,
            1.1754942e-38,
            3.4028234663852886e38,
            3.4028235677973366e38,
            3.40282357e38,
            4503599627370495.5,
            9007199254740993.0,
            2147483647.5,
            -2147483648.5,
            4294967295.5,
            9.223372036854775e18,
            9.223372036854776e18,
            -9.223372036854778e18,
            1.8446744073709552e19,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1.0000000596046448,
            1.000_000_059_604_645,
        ];
        let small = self.next() % 41;
        let value = match self.below(8) {
            0 => edges32[self.below(edges32.len())].to_bits().into(),
            1 => edges64[self.below(edges64.len())].to_bits(),
            2 => small.wrapping_sub(20),
            3 => (1_u64 << self.below(64)).wrapping_add(small % 3).wrapping_sub(1),
            4 => (1_u64 << self.below(64)).wrapping_neg().wrapping_add(small % 3).wrapping_sub(1),
            // Floats of moderate size, so that sums and products are not all infinite.
            5 => (((small as f32) - 20.0) * 1.37 + (self.next() % 1000) as f32 / 1024.0).to_bits().into(),
            6 => (((small as f64) - 20.0) * 1.37 + (self.next() % 100_000) as f64 / 65536.0).to_bits(),
            _ => self.next(),
        };
        if bits == 64 { value } else { value & ((1 << bits) - 1) }
    }
}

/// Which pools hold a type.
fn pools(ty: &str) -> &'static [char] {
    match ty {
        "pred" => &['p'],
        "f32" => &['f', 'f', 'f', 'r'],
        "f64" => &['g', 'g', 'g', 'd'],
        "b32" => &['r', 'r', 'f'],
        "b64" => &['d', 'd', 'g'],
        _ => match &ty[1..] {
            "16" => &['h'],
            "32" => &['r'],
            _ => &['d'],
        },
    }
}

fn register(random: &mut Random, ty: &str) -> Register {
    let pools = pools(ty);
    let pool = pools[random.below(pools.len())];
    let count = POOLS.iter().find(|known| known.0 == pool).expect("a pool").2;
    (pool, random.below(count))
}

fn source(random: &mut Random, ty: &str) -> Source {
    if ty == "pred" || random.below(6) != 0 {
        return Source::Register(register(random, ty));
    }
    let bits: u32 = ty[1..].parse().expect("a width");
    let value = random.value(bits);
    let text = match ty {
        "f32" => format!("0f{value:08X}"),
        "f64" => format!("0d{value:016X}"),
        _ if random.below(2) == 0 => format!("{value:#x}"),
        // Negative ones as such: a -8 must be minus eight.
        _ if value >> (bits - 1) == 1 => format!("-{}", (1_u128 << bits) - u128::from(value)),
        _ => value.to_string(),
    };
    Source::Literal(text, value)
}

/// A random arithmetic instruction: its mnemonic, the type of its target and of its operands.
fn shape(random: &mut Random) -> (String, String, Vec<String>) {
    let integer = random.of(&["s16", "u16", "s32", "u32", "s64", "u64"]);
    let wide = |ty: &str| ty.replace("32", "64").replace("16", "32");
    let float = random.of(&["f32", "f64"]);
    let bits = random.of(&["b16", "b32", "b64"]);
    let same = |mnemonic: &str, ty: &str, count: usize| {
        (format!("{mnemonic}.{ty}"), ty.to_owned(), vec![ty.to_owned(); count])
    };
    let narrow = random.of(&["s16", "u16", "s32", "u32"]);
    match random.below(22) {
        0 | 1 => same(random.of(&["add", "sub", "mul.lo", "mul.hi", "min", "max"]), integer, 2),
        2 => same(random.of(&["div", "rem"]), integer, 2),
        3 => same("mad.lo", integer, 3),
        4 => (format!("mul.wide.{narrow}"), wide(narrow), vec![narrow.to_owned(); 2]),
        5 => (format!("mad.wide.{narrow}"), wide(narrow), vec![narrow.to_owned(), narrow.to_owned(), wide(narrow)]),
        6 => same(random.of(&["neg", "abs"]), random.of(&["s16", "s32", "s64"]), 1),
        7 => same(random.of(&["and", "or", "xor"]), random.of(&["b16", "b32", "b64", "pred"]), 2),
        8 => same("not", random.of(&["b16", "b32", "b64", "pred"]), 1),
        9 => {
            let (head, ty) = if random.below(2) == 0 { ("shl", bits) } else { ("shr", random.of(&[bits, integer])) };
            (format!("{head}.{ty}"), ty.to_owned(), vec![ty.to_owned(), "u32".to_owned()])
        }
        10 => {
            let ty = random.of(&["b32", "b64"]);
            let head = random.of(&["clz", "popc", "brev"]);
            let to = if head == "brev" { ty } else { "u32" };
            (format!("{head}.{ty}"), to.to_owned(), vec![ty.to_owned()])
        }
        11 => same("mov", random.of(&["b16", "u16", "b32", "s32", "f32", "b64", "u64", "f64", "pred"]), 1),
        12 => {
            let ty = random.of(&["b16", "s32", "u32", "f32", "b64", "f64"]);
            (format!("selp.{ty}"), ty.to_owned(), vec![ty.to_owned(), ty.to_owned(), "pred".to_owned()])
        }
        13 | 14 => {
            let (name, ty) = match random.below(4) {
                0 => (random.of(&["eq", "ne"]), bits),
                1 => (random.of(&["eq", "ne", "lt", "le", "gt", "ge"]), integer),
                2 => (random.of(&["lo", "ls", "hi", "hs"]), random.of(&["u16", "u32", "u64"])),
                _ => {
                    let names =
                        ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
                    (random.of(&names), float)
                }
            };
            let mut sources = vec![ty.to_owned(); 2];
            let joined = random.of(&["", "", "and.", "or.", "xor."]);
            if !joined.is_empty() {
                sources.push("pred".to_owned());
            }
            (format!("setp.{name}.{joined}{ty}"), "pred".to_owned(), sources)
        }
        15..=17 => {
            let (head, count) = [
                ("add.rn", 2),
                ("sub.rn", 2),
                ("mul.rn", 2),
                ("div.rn", 2),
                ("fma.rn", 3),
                ("sqrt.rn", 1),
                ("neg", 1),
                ("abs", 1),
                ("min", 2),
                ("max", 2),
                ("copysign", 2),
                ("fma.rn", 3),
            ][random.below(12)];
            same(head, float, count)
        }
        18 => same(random.of(&["min.NaN", "max.NaN"]), "f32", 2),
        _ => conversion(random),
    }
}

fn conversion(random: &mut Random) -> (String, String, Vec<String>) {
    let integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
    // A type narrower than the register that holds it.
    let holder = |random: &mut Random, ty: &str| {
        let least: u32 = ty[1..].parse().expect("a width");
        let mut all = vec!["b16", "u32", "u64"];
        all.retain(|ty| ty[1..].parse::<u32>().expect("a width") >= least);
        random.of(&all).to_owned()
    };
    let whole = random.of(&["rni", "rzi", "rmi", "rpi"]);
    let rounding = random.of(&["rn", "rz", "rm", "rp"]);
    let float = random.of(&["f32", "f64"]);
    match random.below(6) {
        0 => {
            let (to, from) = (random.of(&integers), random.of(&integers));
            (format!("cvt.{to}.{from}"), holder(random, to), vec![holder(random, from)])
        }
        1 => {
            let from = random.of(&integers);
            (format!("cvt.{rounding}.{float}.{from}"), float.to_owned(), vec![holder(random, from)])
        }
        2 | 3 => {
            let to = random.of(&integers);
            (format!("cvt.{whole}.{to}.{float}"), holder(random, to), vec![float.to_owned()])
        }
        4 if random.below(4) == 0 => ("cvt.f64.f32".to_owned(), "f64".to_owned(), vec!["f32".to_owned()]),
        4 => (format!("cvt.{rounding}.f32.f64"), "f32".to_owned(), vec!["f64".to_owned()]),
        _ => (format!("cvt.{whole}.{float}.{float}"), float.to_owned(), vec![float.to_owned()]),
    }
}

/// An instruction, with what must stand before it.
fn items(random: &mut Random) -> Vec<Item> {
    match random.below(24) {
        0 | 1 => {
            let (ty, pool, count) = memory_shape(random);
            let to = vector(random, pool, count);
            let offset = offset(random, ty, count, STRIDE);
            return vec![Item::Load { ty, to, offset }];
        }
        2 => {
            let (ty, pool, count) = memory_shape(random);
            let from = vector(random, pool, count);
            let offset = offset(random, ty, count, 64);
            return vec![Item::Store { ty, from, offset }];
        }
        3 => {
            let (whole, part, count) = [('d', 'r', 2), ('r', 'h', 2), ('d', 'h', 4), ('g', 'f', 2)][random.below(4)];
            let one = vector(random, whole, 1)[0];
            let parts = vector(random, part, count);
            return vec![if random.below(2) == 0 {
                Item::Pack { to: one, from: parts }
            } else {
                Item::Unpack { to: parts, from: one }
            }];
        }
        _ => {}
    }
    let (mnemonic, to, types) = shape(random);
    let mut sources: Vec<Source> = types.iter().map(|ty| source(random, ty)).collect();
    if mnemonic.starts_with("cvt") {
        // Literals are not converted.
        sources = types.iter().map(|ty| Source::Register(register(random, ty))).collect();
    }
    let to = register(random, &to);
    let mut items = Vec::new();
    if mnemonic.starts_with("div") && !types[0].starts_with('f') || mnemonic.starts_with("rem") {
        // A divisor that is zero becomes 7.
        let ty = types[1].as_str();
        let divisor = Source::Register(register(random, ty));
        let (test, Source::Register(safe)) = (('p', 0), divisor.clone()) else { return items };
        let literal = |text: &str, value| Source::Literal(text.to_owned(), value);
        items.push(Item::Compute {
            mnemonic: format!("setp.eq.{ty}"),
            to: test,
            sources: vec![divisor.clone(), literal("0", 0)],
        });
        items.push(Item::Compute {
            mnemonic: format!("selp.{ty}"),
            to: safe,
            sources: vec![literal("7", 7), divisor.clone(), Source::Register(test)],
        });
        sources[1] = divisor;
    }
    items.push(Item::Compute { mnemonic, to, sources });
    items
}

fn memory_shape(random: &mut Random) -> (&'static str, char, usize) {
    let shapes = [
        ("u8", 'h', 1),
        ("s8", 'h', 1),
        ("b8", 'h', 1),
        ("u8", 'r', 1),
        ("s8", 'r', 1),
        ("s8", 'd', 1),
        ("u16", 'h', 1),
        ("b16", 'h', 1),
        ("s16", 'r', 1),
        ("u16", 'd', 1),
        ("u32", 'r', 1),
        ("s32", 'd', 1),
        ("u32", 'd', 1),
        ("f32", 'f', 1),
        ("b32", 'f', 1),
        ("f32", 'r', 1),
        ("b64", 'd', 1),
        ("u64", 'd', 1),
        ("f64", 'g', 1),
        ("u32", 'r', 2),
        ("f32", 'f', 2),
        ("f32", 'f', 4),
        ("b32", 'r', 4),
        ("b64", 'd', 2),
        ("f64", 'g', 2),
        ("u8", 'r', 4),
        ("u16", 'h', 4),
        ("s16", 'r', 2),
    ];
    shapes[random.below(shapes.len())]
}

fn vector(random: &mut Random, pool: char, count: usize) -> Vec<Register> {
    let registers = POOLS.iter().find(|known| known.0 == pool).expect("a pool").2;
    let first = random.below(registers);
    (0..count).map(|at| (pool, (first + at) % registers)).collect()
}

fn offset(random: &mut Random, ty: &str, count: usize, room: usize) -> usize {
    let bytes = ty[1..].parse::<usize>().expect("a width") / 8 * count;
    random.below(room / bytes) * bytes
}

/// `count` statements; shuffles only where all threads pass.
pub(crate) fn program(random: &mut Random, count: usize, control: bool, depth: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    for _ in 0..count {
        match random.below(16) {
            0 | 1 if control && depth < 3 => {
                let inner = count / 3 + 1;
                let then = program(random, inner, control, depth + 1);
                let otherwise =
                    if random.below(2) == 0 { Vec::new() } else { program(random, inner, control, depth + 1) };
                nodes.push(Node::If(register(random, "pred"), then, otherwise));
            }
            2 if control && depth < 3 => {
                let body = program(random, count / 4 + 1, control, depth + 1);
                nodes.push(Node::Loop(('r', random.below(6)), body));
            }
            3 if depth == 0 => {
                let mode = random.of(&["up", "down", "bfly", "idx"]);
                // A whole warp or a power of two of lanes.
                let width = 1_u64 << (1 + random.below(5));
                let clamp = ((32 - width) << 8) | if mode == "up" { 0 } else { 31 };
                let lane = source(random, "u32");
                let (to, value) = (register(random, "b32"), register(random, "b32"));
                let shuffle = Item::Shuffle { mode, to, valid: register(random, "pred"), value, lane, clamp };
                nodes.push(Node::Item(None, shuffle));
            }
            _ => {
                let items = items(random);
                let guarded = items.len() == 1 && random.below(5) == 0;
                let guard = guarded.then(|| (register(random, "pred"), random.below(2) == 0));
                nodes.extend(items.into_iter().map(|item| Node::Item(guard, item)));
            }
        }
    }
    nodes
}

fn name((pool, at): Register) -> String {
    format!("%{pool}{at}")
}

fn shown(source: &Source) -> String {
    match source {
        Source::Register(register) => name(*register),
        Source::Literal(text, _) => text.clone(),
    }
}

fn list(registers: &[Register]) -> String {
    let names: Vec<String> = registers.iter().map(|register| name(*register)).collect();
    if names.len() == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) }
}

/// The module of a program.
pub(crate) fn text(program: &[Node]) -> String {
    let mut out = String::from(".version 7.8\n.target sm_80\n.address_size 64\n");
    out += ".visible .entry fuzz(.param .u64 input, .param .u64 output)\n{\n";
    for (pool, _, count, _, ty) in POOLS {
        writeln!(out, "  .reg .{ty} %{pool}<{count}>;").expect("a string");
    }
    out += "  .reg .b32 %t<8>, %c<4>; .reg .b64 %in, %out; .reg .pred %q;\n";
    out += "  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;\n  mad.lo.u32 %t3, %t0, %t1, %t2;\n";
    writeln!(out, "  ld.param.u64 %in, [input]; mad.wide.u32 %in, %t3, {STRIDE}, %in;").expect("a string");
    writeln!(out, "  ld.param.u64 %out, [output]; mad.wide.u32 %out, %t3, {STRIDE}, %out;").expect("a string");
    for (pool, base, count, bytes, ty) in POOLS {
        for at in 0..count {
            let offset = base + at * bytes;
            match pool {
                'p' => writeln!(out, "  ld.global.u32 %t4, [%in+{offset}]; setp.ne.u32 %p{at}, %t4, 0;"),
                _ => writeln!(out, "  ld.global.{ty} %{pool}{at}, [%in+{offset}];"),
            }
            .expect("a string");
        }
    }
    let mut labels = 0;
    write_nodes(&mut out, program, 0, &mut labels);
    for (pool, base, count, bytes, ty) in POOLS {
        for at in 0..count {
            let offset = base + at * bytes;
            match pool {
                'p' => writeln!(out, "  selp.u32 %t4, 1, 0, %p{at}; st.global.u32 [%out+{offset}], %t4;"),
                _ => writeln!(out, "  st.global.{ty} [%out+{offset}], %{pool}{at};"),
            }
            .expect("a string");
        }
    }
    out + "  ret;\n}\n"
}

fn write_nodes(out: &mut String, nodes: &[Node], depth: usize, labels: &mut usize) {
    for node in nodes {
        match node {
            Node::Item(guard, item) => {
                let guard = match guard {
                    Some((register, negated)) => format!("@{}{} ", if *negated { "!" } else { "" }, name(*register)),
                    None => String::new(),
                };
                writeln!(out, "  {guard}{}", instruction(item)).expect("a string");
            }
            Node::If(condition, then, otherwise) => {
                let label = *labels;
                *labels += 1;
                writeln!(out, "  @!{} bra ELSE{label};", name(*condition)).expect("a string");
                write_nodes(out, then, depth, labels);
                writeln!(out, "  bra END{label};\nELSE{label}:").expect("a string");
                write_nodes(out, otherwise, depth, labels);
                writeln!(out, "END{label}:").expect("a string");
            }
            Node::Loop(count, body) => {
                let label = *labels;
                *labels += 1;
                writeln!(out, "  and.b32 %c{depth}, {}, 3;\nHEAD{label}:", name(*count)).expect("a string");
                writeln!(out, "  setp.eq.u32 %q, %c{depth}, 0;\n  @%q bra DONE{label};").expect("a string");
                write_nodes(out, body, depth + 1, labels);
                writeln!(out, "  sub.u32 %c{depth}, %c{depth}, 1;\n  bra HEAD{label};\nDONE{label}:")
                    .expect("a string");
            }
        }
    }
}

fn instruction(item: &Item) -> String {
    match item {
        Item::Compute { mnemonic, to, sources } => {
            let sources: Vec<String> = sources.iter().map(shown).collect();
            format!("{mnemonic} {}, {};", name(*to), sources.join(", "))
        }
        Item::Load { ty, to, offset } => {
            let vector = if to.len() == 1 { String::new() } else { format!(".v{}", to.len()) };
            format!("ld.global{vector}.{ty} {}, [%in+{offset}];", list(to))
        }
        Item::Store { ty, from, offset } => {
            let vector = if from.len() == 1 { String::new() } else { format!(".v{}", from.len()) };
            format!("st.global{vector}.{ty} [%out+{}], {};", SCRATCH + offset, list(from))
        }
        Item::Shuffle { mode, to, valid, value, lane, clamp } => {
            let (to, valid, value, lane) = (name(*to), name(*valid), name(*value), shown(lane));
            format!("shfl.sync.{mode}.b32 {to}|{valid}, {value}, {lane}, {clamp}, 0xffffffff;")
        }
        Item::Pack { to, from } => {
            let bits = if to.0 == 'r' { 32 } else { 64 };
            format!("mov.b{bits} {}, {};", name(*to), list(from))
        }
        Item::Unpack { to, from } => {
            let bits = if from.0 == 'r' { 32 } else { 64 };
            format!("mov.b{bits} {}, {};", list(to), name(*from))
        }
    }
}
