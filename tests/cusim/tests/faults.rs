//! Each way in which a launch goes wrong, and each way in which a module is refused.

use cusim::{Fault, FaultKind, Memory, Module};

const HEAD: &str =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n";
const DECLARED: &str = "\
.reg .pred %a, %b;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
.reg .f32 %f<4>;
ld.param.u64 %d0, [p];
ld.param.u64 %d1, [q];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mad.wide.u32 %d2, %r0, 4, %d0;
";

/// Runs `body` on two buffers of 64 words each, of which the first holds 0, 1, 2, ... and the second nothing.
fn run(grid: u32, block: u32, body: &str) -> (Result<(), Fault>, Vec<u32>) {
    let text = format!("{HEAD}{DECLARED}{body}\n}}\n");
    let module = Module::load(&text).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
    let mut memory = Memory::new();
    let (p, q) = (memory.alloc(256).expect("memory"), memory.alloc(256).expect("memory"));
    let numbers: Vec<u8> = (0..64_u32).flat_map(u32::to_le_bytes).collect();
    memory.write(p, &numbers).expect("in range");
    let result = module.launch("k", grid, block, 0, &[p, q], &mut memory);
    let mut after = vec![0; 256];
    memory.read(p, &mut after).expect("written");
    (result, after.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect())
}

fn passes(grid: u32, block: u32, body: &str) -> Vec<u32> {
    let (result, after) = run(grid, block, body);
    result.unwrap_or_else(|fault| panic!("{fault}"));
    after
}

/// The fault of a body; its text must contain `part`.
fn fault(grid: u32, block: u32, body: &str, kind: FaultKind, part: &str) -> Fault {
    let (result, _) = run(grid, block, body);
    let fault = result.expect_err(body);
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.to_string().contains(part), "`{fault}` lacks `{part}`");
    fault
}

#[test]
fn a_fault_names_kernel_line_block_and_thread() {
    let body = "setp.ne.u32 %a, %r1, 2;\n@%a ret;\nsetp.ne.u32 %a, %r0, 5;\n@%a ret;\nld.global.u32 %r2, [%d2+1000];";
    let fault = fault(3, 8, body, FaultKind::OutOfBounds, "`ld.global.u32 %r2, [%d2+1000];`");
    assert_eq!((fault.kernel.as_str(), fault.line, fault.block, fault.thread), ("k", 19, 2, 5));
}

#[test]
fn accesses_outside_of_allocations() {
    use FaultKind::OutOfBounds;
    fault(1, 65, "ld.global.u32 %r2, [%d2];", OutOfBounds, "byte 256 of an allocation of 256 bytes");
    fault(1, 1, "ld.global.u32 %r2, [%d0+-4];", OutOfBounds, "no allocation is near");
    fault(1, 1, "ld.global.v2.u64 {%d3, %d4}, [%d0+256];", OutOfBounds, "a read of 16 bytes");
    fault(1, 1, "st.global.u32 [%d1+256], %r0;", OutOfBounds, "a write of 4 bytes");
    fault(1, 1, "mov.u64 %d3, 0; ld.global.u32 %r2, [%d3];", OutOfBounds, "no allocation is near");
    let shared = ".shared .align 4 .b8 x[64]; .shared .align 4 .b8 y[64];\n";
    fault(1, 1, &format!("{shared}st.shared.u32 [x+64], %r0;"), OutOfBounds, "byte 64 of a shared array of 64 bytes");
    fault(1, 1, &format!("{shared}mov.u32 %r2, y; st.shared.u32 [%r2+-4], %r0;"), OutOfBounds, "shared array");
    fault(1, 1, "mov.u32 %r2, 0; st.shared.u32 [%r2], %r0;", OutOfBounds, "below every shared array");
}

#[test]
fn misaligned_accesses() {
    use FaultKind::Misaligned;
    fault(1, 1, "ld.global.u32 %r2, [%d0+2];", Misaligned, "no multiple of 4");
    fault(1, 1, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d0+8];", Misaligned, "no multiple of 16");
    fault(1, 1, "ld.global.u64 %d3, [%d0+4];", Misaligned, "no multiple of 8");
    // A shared array is aligned as it says, and no better by luck.
    let shared = ".shared .align 4 .b8 x[64];\n";
    fault(1, 1, &format!("{shared}mov.u64 %d3, 1; st.shared.u64 [x], %d3;"), Misaligned, "no multiple of 8");
    passes(1, 1, ".shared .align 16 .b8 x[64];\nst.shared.v2.u64 [x], {%d0, %d1};");
}

#[test]
fn reads_of_what_nobody_wrote() {
    use FaultKind::Uninitialised;
    fault(1, 1, "add.u32 %r2, %r3, 1;", Uninitialised, "`%r3`");
    fault(1, 1, "ld.global.u32 %r2, [%d1];", Uninitialised, "which nobody wrote");
    fault(1, 1, "st.global.u8 [%d1], %r0;\nld.global.u16 %r2, [%d1];", Uninitialised, "2 bytes");
    passes(1, 1, "st.global.u8 [%d1], %r0;\nst.global.u8 [%d1+1], %r0;\nld.global.u16 %r2, [%d1];");
    fault(
        2,
        1,
        ".shared .b32 x;\nsetp.eq.u32 %a, %r1, 0;\n@%a st.shared.u32 [x], %r0;\nld.shared.u32 %r2, [x];",
        Uninitialised,
        "block 1",
    );
    // Written by one thread is not written by all.
    fault(1, 2, "setp.eq.u32 %a, %r0, 0;\n@%a mov.u32 %r3, 5;\nadd.u32 %r3, %r3, 1;", Uninitialised, "thread 1");
    fault(1, 1, "@%b ret;", Uninitialised, "`%b`");
    // A register of the block before.
    fault(2, 1, "setp.eq.u32 %a, %r1, 0;\n@%a mov.u32 %r3, 5;\nadd.u32 %r3, %r3, 1;", Uninitialised, "block 1");
}

#[test]
fn a_division_by_zero_may_happen_but_not_matter() {
    passes(1, 4, "div.u32 %r2, 12, %r0;\nsetp.eq.u32 %a, %r0, 0;\nselp.u32 %r3, 0, %r2, %a;\nadd.u32 %r4, %r3, 1;");
    fault(1, 4, "div.u32 %r2, 12, %r0;\nadd.u32 %r4, %r2, 1;", FaultKind::Uninitialised, "thread 0");
    fault(1, 4, "rem.s32 %r2, 12, %r0;\nst.global.u32 [%d2], %r2;", FaultKind::Uninitialised, "thread 0");
}

#[test]
fn races_on_global_memory() {
    use FaultKind::Race;
    // Every thread of every block its own word: no race, also byte by byte.
    passes(1, 64, "st.global.u32 [%d2], %r0;");
    passes(1, 64, "cvt.u64.u32 %d3, %r0; add.u64 %d3, %d3, %d0; st.global.u8 [%d3], %r0;");
    fault(1, 2, "st.global.u32 [%d0], %r0;", Race, "thread 0 of block 0 wrote");
    fault(2, 1, "st.global.u32 [%d0], %r0;", Race, "thread 0 of block 0 wrote");
    fault(2, 1, "ld.global.u32 %r2, [%d0];\nst.global.u32 [%d0], %r0;", Race, "block 0");
    // A neighbour's word, read before and after it is written.
    fault(1, 2, "ld.global.u32 %r2, [%d0+4];\nst.global.u32 [%d2], %r0;", Race, "another thread read");
    fault(1, 2, "st.global.u32 [%d2], %r0;\nld.global.u32 %r2, [%d0];", Race, "thread 0 of block 0 wrote");
    passes(1, 64, "ld.global.u32 %r2, [%d0+4];\nbar.sync 0;\nst.global.u32 [%d2], %r2;");
    passes(1, 64, "st.global.u32 [%d2], %r0;\nbar.sync 0;\nld.global.u32 %r2, [%d0];");
    // A barrier orders a block, not two blocks.
    fault(2, 2, "ld.global.u32 %r2, [%d0+4];\nbar.sync 0;\nst.global.u32 [%d2], %r2;", Race, "block 1");
    // Read by two blocks, then written by a third, which is the last to have read.
    let third = "ld.global.u32 %r2, [%d0];\nsetp.ne.u32 %a, %r1, 2;\n@%a ret;\nst.global.u32 [%d0], %r2;";
    fault(3, 1, third, Race, "block 2");
    // Part of a word that another thread wrote whole.
    let part = "setp.eq.u32 %a, %r0, 0;\n@%a st.global.u32 [%d0], %r0;\n@!%a st.global.u8 [%d0+3], %r0;";
    fault(1, 2, part, Race, "thread 0 of block 0 wrote");
    fault(
        1,
        33,
        "setp.eq.u32 %a, %r0, 32;\n@%a st.global.u32 [%d0], %r0;\n@!%a ld.global.u8 %r2, [%d0+3];",
        Race,
        "thread",
    );
}

#[test]
fn races_on_shared_memory() {
    use FaultKind::Race;
    let own =
        ".shared .align 4 .b8 x[256];\nmov.u32 %r2, x;\nmad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r0;\n";
    let other =
        "xor.b32 %r4, %r0, 1;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%d2], %r5;";
    let swapped: Vec<u32> = (0..64).map(|thread| thread ^ 1).collect();
    assert_eq!(passes(1, 64, &format!("{own}bar.sync 0;\n{other}")), swapped);
    fault(1, 64, &format!("{own}{other}"), Race, "wrote");
    // Within one warp too: a shuffle or lockstep orders nothing.
    fault(1, 32, &format!("{own}{other}"), Race, "wrote");
    fault(1, 64, &format!("{own}bar.sync 0;\n{other}\nst.shared.u32 [%r3], %r0;"), Race, "read");
    passes(1, 64, &format!("{own}bar.sync 0;\n{other}\nbar.sync 0;\nst.shared.u32 [%r3], %r0;"));
    // Two blocks have two arrays.
    passes(2, 32, ".shared .b32 x;\nsetp.eq.u32 %a, %r0, 0;\n@%a st.shared.u32 [x], %r1;");
}

#[test]
fn barriers_that_some_threads_miss() {
    use FaultKind::Barrier;
    fault(1, 64, "setp.gt.u32 %a, %r0, 40;\n@%a ret;\nbar.sync 0;", Barrier, "thread 41 has returned");
    fault(1, 64, "setp.gt.u32 %a, %r0, 31;\n@%a bra L;\nbar.sync 0;\nret;\nL:\nbar.sync 0;", Barrier, "waits in line");
    fault(1, 32, "setp.gt.u32 %a, %r0, 3;\n@%a bra L;\nbar.sync 0;\nret;\nL:\nbar.sync 0;", Barrier, "waits in line");
    fault(1, 4, "L:\nbar.sync 0;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %a, %r0, 4;\n@%a bra L;", Barrier, "has returned");
    passes(2, 96, "mov.u32 %r2, 0;\nL:\nbar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %a, %r2, 9;\n@%a bra L;");
    // Threads that parted and met again.
    passes(1, 64, "setp.lt.u32 %a, %r0, 3;\n@%a bra L;\nmov.u32 %r2, 1;\nL:\nbar.sync 0;");
}

#[test]
fn shuffles_that_some_threads_miss() {
    use FaultKind::Shuffle;
    let sum = "shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;\nst.global.u32 [%d2], %r2;";
    assert_eq!(passes(1, 32, sum)[..4], [1, 0, 3, 2]);
    fault(1, 31, sum, Shuffle, "names lanes 0x80000000");
    fault(1, 48, sum, Shuffle, "names lanes 0xffff0000");
    fault(1, 32, &format!("setp.eq.u32 %a, %r0, 9;\n@%a ret;\n{sum}"), Shuffle, "names lanes 0x00000200");
    fault(1, 32, &format!("setp.eq.u32 %a, %r0, 9;\n@%a bra L;\n{sum}\nL:\nbar.sync 0;"), Shuffle, "0x00000200");
    fault(1, 32, "shfl.sync.idx.b32 %r2, %r0, 1, 31, 0xff;", Shuffle, "does not name this thread");
    let half = "setp.gt.u32 %a, %r0, 15;\n@%a ret;\n";
    passes(1, 32, &format!("{half}shfl.sync.bfly.b32 %r2, %r0, 8, 31, 0xffff;"));
    fault(1, 32, &format!("{half}shfl.sync.bfly.b32 %r2, %r0, 16, 31, 0xffff;"), Shuffle, "lane 16");
    // Threads that come to it by different ways are waited for, also when the first has to wait for the last.
    let ways = "setp.gt.u32 %a, %r0, 20;\n@%a bra FAR;\nNEAR:\nshfl.sync.idx.b32 %r2, %r0, 31, 31, 0xffffffff;\n\
        st.global.u32 [%d2], %r2;\nret;\nFAR:\nmov.u32 %r3, 1;\nbra NEAR;";
    assert_eq!(passes(1, 32, ways)[..32], [31; 32]);
    // A value that only some lanes have.
    fault(
        1,
        32,
        "setp.eq.u32 %a, %r0, 4;\n@!%a mov.u32 %r3, 1;\nshfl.sync.idx.b32 %r2, %r3, 4, 31, 0xffffffff;",
        FaultKind::Uninitialised,
        "thread 4",
    );
}

#[test]
fn the_rest_of_what_goes_wrong() {
    fault(1, 4, "setp.eq.u32 %a, %r0, 2;\n@%a trap;", FaultKind::Trap, "thread 2");
    fault(1, 4, "setp.eq.u32 %a, %r0, 2;\n@%a bra.uni L;\nL:", FaultKind::Diverged, "thread 2");
    passes(1, 4, "bra.uni L;\nL:");
    fault(1, 1025, "ret;", FaultKind::Configuration, "1025 threads");
    fault(0, 1, "ret;", FaultKind::Configuration, "0 blocks");
    let module = Module::load(&format!("{HEAD}}}")).expect("known");
    let mut memory = Memory::new();
    let launched = module.launch("k", 1, 1, 0, &[1], &mut memory);
    assert_eq!(launched.expect_err("a parameter is missing").kind, FaultKind::Configuration);
    assert!(module.launch("none", 1, 1, 0, &[1, 2], &mut memory).is_err());
}

#[test]
fn memory_is_not_forgiving_either() {
    let mut memory = Memory::with_limit(1000);
    let first = memory.alloc(600).expect("600 of 1000");
    assert_eq!((memory.alloc(500), memory.used()), (None, 600));
    memory.write(first, &[1; 600]).expect("in range");
    assert!(memory.write(first, &[1; 601]).is_err());
    memory.free(first).expect("live");
    assert!(memory.free(first).expect_err("freed").message.contains("was freed"));
    assert!(memory.read(first + 8, &mut [0; 4]).expect_err("freed").message.contains("byte 8 of an allocation of 600"));
    let second = memory.alloc(600).expect("free again");
    assert_ne!(first, second);
    assert_eq!(memory.read(second, &mut [0; 4]).expect_err("nothing").kind, FaultKind::Uninitialised);
    let third = memory.alloc(200).expect("200 of 400");
    memory.write(second, &[7; 100]).expect("in range");
    memory.copy(third, second, 200).expect("in range, half of it never written");
    memory.read(third, &mut [0; 100]).expect("copied");
    assert!(memory.read(third + 100, &mut [0; 1]).is_err());
    assert!(memory.copy(second + 50, second, 100).is_err());
    assert_eq!((memory.peak(), memory.allocations()), (800, 2));
}

#[test]
fn use_after_free_in_a_kernel() {
    let module = Module::load(&format!("{HEAD}{DECLARED}ld.global.u32 %r2, [%d2];\n}}")).expect("known");
    let mut memory = Memory::new();
    let (p, q) = (memory.alloc(4).expect("memory"), memory.alloc(4).expect("memory"));
    memory.fill(p, 0, 4).expect("in range");
    module.launch("k", 1, 1, 0, &[p, q], &mut memory).expect("live");
    memory.free(p).expect("live");
    let fault = module.launch("k", 1, 1, 0, &[p, q], &mut memory).expect_err("freed");
    assert!(fault.message.contains("of an allocation of 4 bytes that was freed"), "{fault}");
}

#[test]
fn what_is_not_known_is_refused() {
    let refusals = [
        ("add.f32 %f0, %f1, %f2;", "not known in this form"),
        ("add.rn.ftz.f32 %f0, %f1, %f2;", "not known in this form"),
        ("add.rz.f32 %f0, %f1, %f2;", "not known in this form"),
        ("div.approx.f32 %f0, %f1, %f2;", "not known in this form"),
        ("ex2.approx.f32 %f0, %f1;", "not known in this form"),
        ("ld.global.nc.f32 %f0, [%d0];", "not known in this form"),
        ("ld.f32 %f0, [%d0];", "not known in this form"),
        ("atom.global.add.f32 %f0, [%d0], %f1;", "not known in this form"),
        ("bar.sync 1;", "not known in this form"),
        ("shfl.down.b32 %r0, %r1, 1, 31;", "not known in this form"),
        ("cvt.f32.f64 %f0, %d0;", "not known in this form"),
        ("cvt.rn.s32.f32 %r0, %f0;", "not known in this form"),
        ("min.NaN.f64 %d0, %d1, %d2;", "not known in this form"),
        ("setp.lt.b32 %a, %r0, %r1;", "not known in this form"),
        ("setp.ltu.s32 %a, %r0, %r1;", "not known in this form"),
        ("add.s32 %r0, %r1, %f0;", "another type"),
        ("add.rn.f32 %f0, %f1, %d0;", "another type"),
        ("add.s64 %d0, %d1, %r0;", "another type"),
        ("shl.b64 %d0, %d1, %d2;", "another type"),
        ("mov.u32 %r0, %f0;", "another type"),
        ("and.pred %a, %b, %r0;", "another type"),
        ("@%r0 ret;", "another type"),
        ("ld.global.u64 %r0, [%d0];", "cannot hold"),
        ("ld.global.f32 %d0, [%d0];", "cannot hold"),
        ("ld.global.u32 %r0, [%r1];", "cannot be an address"),
        ("ld.global.v4.u64 {%d0, %d1, %d2, %d3}, [%d0];", "16 bytes at most"),
        ("ld.global.v2.u32 {%r0, %r0}, [%d0];", "distinct"),
        ("ld.global.v2.u32 {%r0, %r1, %r2}, [%d0];", "not known in this form"),
        ("add.s32 %r0, %r1, 4294967296;", "does not fit in 32 bits"),
        ("add.s32 %r0, %r1, -2147483649;", "does not fit in 32 bits"),
        ("mov.u32 %r0, 010;", "no number"),
        ("mov.f32 %f0, 1.0;", "no number"),
        ("mov.f32 %f0, 1;", "does not fit the instruction"),
        ("mov.u32 %r0, %clock;", "not known"),
        ("add.u32 %r0, %tid.x, 1;", "no register"),
        ("bra NOWHERE;", "no label"),
        ("X:\nX:", "stands twice"),
        (".reg .b32 %r0;", "declared twice"),
        (".reg .f16 %h;", "no registers of type"),
        (".local .b32 x;", "`;` is missing"),
        (".shared .b8 x[49153];", "48 KiB"),
        ("ld.param.u32 %r0, [p];", "not known in this form"),
        ("ld.param.u64 %d0, [other];", "no parameter"),
        ("add.s32 %r0, %r1;", "operands"),
        ("fma.rn.f32 %f0, %f1, %f2;", "operands"),
        ("{ }", "a word should stand"),
    ];
    for (body, part) in refusals {
        let text = format!("{HEAD}{DECLARED}{body}\n}}\n");
        let refused = Module::load(&text).expect_err(body);
        assert!(refused.message.contains(part), "`{body}`: `{refused}` lacks `{part}`");
        assert!(refused.line >= 15 || part == "declared twice" || part == "48 KiB", "`{body}`: {refused}");
    }
    for (text, part) in [
        ("", ".version"),
        (".version 8.0 .target sm_80 .address_size 64", "not known"),
        (".version 7.8 .target sm_90 .address_size 64", "not known"),
        (".version 7.8 .target sm_80 .address_size 64 .visible .func f() { }", "`.entry` should stand"),
        (".version 7.8 .target sm_80 .address_size 64 .visible .entry k(.param .u32 x) { }", "`.u64` should stand"),
        (".version 7.8 .target sm_80 .address_size 64 .global .b32 x;", "not known"),
        (".version 7.8 .target sm_80 .address_size 64 .visible .entry k() { ret;", "ends too early"),
        (".version 7.8 /* no end", "not closed"),
    ] {
        let refused = Module::load(text).expect_err(text);
        assert!(refused.message.contains(part), "`{text}`: `{refused}` lacks `{part}`");
    }
}

#[test]
fn the_shared_array_of_the_launch() {
    let text = format!(
        "{}.extern .shared .align 16 .b8 x[];\n{}{DECLARED}mov.u32 %r2, x; st.shared.u32 [%r2+60], %r0;\n}}",
        ".version 7.8\n.target sm_80\n.address_size 64\n",
        HEAD.split_once("64\n").expect("the header").1
    );
    let module = Module::load(&text).unwrap_or_else(|refused| panic!("{refused}"));
    let mut memory = Memory::new();
    module.launch("k", 1, 1, 64, &[0, 0], &mut memory).expect("64 bytes are there");
    let fault = module.launch("k", 1, 1, 63, &[0, 0], &mut memory).expect_err("one is missing");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
}
