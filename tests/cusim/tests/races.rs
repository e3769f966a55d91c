//! Random accesses of a few threads: the simulator must find a race exactly where comparing all pairs finds one.

use cusim::{FaultKind, Memory, Module};
use std::fmt::Write as _;

const BLOCKS: usize = 3;
const THREADS: usize = 4;
const PHASES: usize = 3;
const EACH: usize = 2;
const BYTES: u32 = 32;

/// Kind of access: its bytes and whether it writes; 0 is none.
const KINDS: [(u32, bool); 7] = [(0, false), (1, false), (4, false), (1, true), (4, true), (8, false), (8, true)];

/// An access, by whom and when.
#[derive(Clone, Copy)]
struct Access {
    block: usize,
    thread: usize,
    phase: usize,
    kind: usize,
    offset: u32,
}

fn text(space: &str) -> String {
    let mut out = String::from(
        ".version 7.8 .target sm_80 .address_size 64 .visible .entry k(.param .u64 data, .param .u64 table) {
        .reg .b64 %d<4>, %x; .reg .b32 %r<8>; .reg .pred %p; .shared .align 8 .b8 s[32];
        ld.param.u64 %d0, [data]; ld.param.u64 %d1, [table];
        mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
        mad.lo.u32 %r0, %r0, %r1, %r2;\n",
    );
    writeln!(out, "mad.wide.u32 %d1, %r0, {}, %d1;", 4 * PHASES * EACH).expect("a string");
    if space == "shared" {
        // Another thread than those that are watched fills the array.
        out += "setp.eq.u32 %p, %r2, 4; mov.u64 %x, 0;\n";
        for at in (0..BYTES).step_by(8) {
            writeln!(out, "@%p st.shared.u64 [s+{at}], %x;").expect("a string");
        }
        out += "bar.sync 0;\nmov.u64 %d0, s;\n";
    }
    // The last thread has no row in the table.
    writeln!(out, "setp.ne.u32 %p, %r2, {THREADS}; mov.u32 %r3, 0; mov.u32 %r4, 7; mov.u64 %x, 9;").expect("a string");
    for access in 0..PHASES * EACH {
        if access > 0 && access % EACH == 0 {
            out += "bar.sync 0;\n";
        }
        let at = 4 * access;
        writeln!(out, "setp.ne.u32 %p, %r2, {THREADS}; @%p ld.global.u32 %r3, [%d1+{at}];").expect("a string");
        out += "shr.u32 %r5, %r3, 3; and.b32 %r6, %r3, 7; cvt.u64.u32 %d2, %r5; add.u64 %d2, %d2, %d0;\n";
        for (kind, (bytes, writes)) in KINDS.into_iter().enumerate().skip(1) {
            let (head, bits) = (if writes { "st" } else { "ld" }, 8 * bytes);
            let register = if bytes == 8 { "%x" } else { "%r4" };
            let operands = if writes { format!("[%d2], {register}") } else { format!("{register}, [%d2]") };
            writeln!(out, "setp.eq.u32 %p, %r6, {kind}; @%p {head}.{space}.u{bits} {operands};").expect("a string");
        }
    }
    out + "}\n"
}

fn race(x: &Access, y: &Access, shared: bool) -> bool {
    let ((first, writes), (second, also)) = (KINDS[x.kind], KINDS[y.kind]);
    let overlap = x.offset < y.offset + second && y.offset < x.offset + first;
    let apart = if x.block == y.block { x.thread != y.thread && x.phase == y.phase } else { !shared };
    (writes || also) && overlap && apart
}

fn agree(space: &str, seed: u64) {
    let shared = space == "shared";
    let module = Module::load(&text(space)).unwrap_or_else(|refused| panic!("{refused}"));
    let mut state = seed;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut counts = [0, 0];
    for round in 0..3000 {
        // From nearly always to nearly never a race.
        let rare = 2 + round % 30;
        let mut accesses = Vec::new();
        let mut table = Vec::new();
        for block in 0..BLOCKS {
            for thread in 0..=THREADS {
                for access in 0..PHASES * EACH {
                    let idle = thread == THREADS || below(rare) > 1;
                    let kind = if idle { 0 } else { 1 + below(6) as usize };
                    let size = KINDS[kind].0.max(1);
                    let offset = below(u64::from(BYTES / size)) as u32 * size;
                    table.extend((kind as u32 | offset << 3).to_le_bytes());
                    accesses.push(Access { block, thread, phase: access / EACH, kind, offset });
                }
            }
        }
        accesses.retain(|access| access.kind != 0);
        let expected =
            accesses.iter().enumerate().any(|(at, x)| accesses.iter().skip(at + 1).any(|y| race(x, y, shared)));
        let mut memory = Memory::new();
        let data = memory.alloc(BYTES.into()).expect("memory");
        memory.fill(data, 1, BYTES.into()).expect("in range");
        let rows = memory.alloc(table.len() as u64).expect("memory");
        memory.write(rows, &table).expect("in range");
        let launched = module.launch("k", BLOCKS as u32, THREADS as u32 + 1, 0, &[data, rows], &mut memory);
        let found = match &launched {
            Ok(()) => false,
            Err(fault) if fault.kind == FaultKind::Race => true,
            Err(fault) => panic!("{fault}"),
        };
        assert_eq!(found, expected, "{space}, round {round}: {launched:?}");
        counts[usize::from(found)] += 1;
    }
    assert!(counts[0] > 300 && counts[1] > 300, "both happen often: {counts:?}");
}

#[test]
fn races_on_global_memory_are_found_exactly() {
    agree("global", 1);
}

#[test]
fn races_on_shared_memory_are_found_exactly() {
    agree("shared", 2);
}
