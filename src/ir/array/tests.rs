//! Printing, parsing and verifying, on text.

use super::parse::parse;
use super::verify::verify;

/// In the printer's own numbering and layout: every operation and attribute.
const ALL: &str = r#"program(%0: f32[n, 4] donate "p.w", %1: f64[] scalar "lr", %2: i64[] captured "k \"q\"\n", %3: f32[n, 4] array "x") -> (%3, %22) {
  %4: f32[] = cast.f32 %1
  %5: f32[n, 4] = broadcast axes=[] %4
  %6: f32[n, 4] = fma %0, %5, %3
  %7: f32[4] = reduce.sum axes=[0] %6
  %8: i32[n] = reduce.argmax axes=[1] %6
  %9: f32[4, n] = transpose perm=[1, 0] %6
  %10: f32[4 * n] = reshape %9
  %11: f32[n ** 2 + 4 * n + 1] = pad low=[1] %10, %4
  %12: f32[4 * n - 1] = slice starts=[4 * n - 1] steps=[-1] %10
  %13: f32[8 * n - 1] = concat axis=0 %10, %12
  %14: i64[n, 4] = iota axis=1
  %15: f32[n, 4] = exp %6
  %16: bool[n, 4] = lt %15, %6
  %17: f32[n, 4] = select %16, %15, %6
  check code="R0001" message="at {0}" help="don't" %true, %2
  %18: f32[] = const -0.0
  %19: f16[] = const nan(0x7e01)
  %20: i64[] = const -9223372036854775808
  %21: bf16[] = const inf
  %22: i64[], %23: f32[n, 4] = for %2, %20, %2 carry(%20, %6) { |%24: i64[], %25: i64[], %26: f32[n, 4]|
    %27: i64[] = while carry(%25) { |%28: i64[]|
      %29: bool[] = eq %28, %24
      yield %29
    } do { |%30: i64[]|
      %31: i64[] = if %true {
        yield %30
      } else {
        yield %24
      }
      yield %31
    }
    %33: f32[3 * ((n) // 2) + 1, len((n)[1:m:2])] = iota axis=0
    %32: f32[n, 4] = update steps=[1, -2] %26, %26, %24, %24
    yield %27, %32
  }
}
"#;

#[test]
fn text_survives_parsing_and_printing() {
    let text = ALL.replace("  check", "  %true: bool[] = const true\n  check");
    let program = parse(&text).unwrap();
    verify(&program, "test").unwrap();
    let printed = program.to_string();
    assert_eq!(parse(&printed).unwrap().to_string(), printed);
    for line in [
        "%20: i64[] = const -9223372036854775808",
        "nan(0x7e01)",
        "const -0.0",
        "[n ** 2 + 4 * n + 1]",
        "[3 * ((n) // 2) + 1, len((n)[1:m:2])]",
    ] {
        let bare = line.split(" = ").last().unwrap();
        assert!(printed.contains(bare), "{bare} in\n{printed}");
    }
    assert!(printed.contains(r#"captured "k \"q\"\n""#));
}

#[test]
fn broken_texts_are_refused_with_their_line() {
    for (text, message) in [
        ("", "`program` expected, not the end"),
        ("program() -> (%x) {\n}", "line 2: %x is not defined"),
        ("program() -> () {\n%a: f32[] = sqrrt %a\n}", "line 2: `sqrrt` is no operation"),
        ("program() -> () {\n%a: f33[] = const 1\n}", "line 2: `f33` is no dtype"),
        ("program() -> () {\n%a: u8[] = const x\n}", "line 2: `x` is no u8"),
        ("program(", "the end"),
        ("\"", "line 1: open string"),
        ("program() -> () {\n\n§", "line 3: `§` begins nothing"),
    ] {
        let fault = parse(text).unwrap_err();
        assert!(fault.contains(message), "{fault}");
    }
    let deep = format!("program(%c: bool[] scalar \"c\") -> () {{{}", "if %c {".repeat(100_000));
    assert!(parse(&deep).unwrap_err().contains("too deep"));
}

#[test]
fn ill_typed_programs_are_refused() {
    let head = "program(%x: f32[n, 4] array \"x\", %y: f32[m, 4] array \"y\", %i: i64[] scalar \"i\") -> () {\n";
    for (line, rule) in [
        ("%a: f32[n, 4] = add %x, %y", "differ in shape"),
        ("%a: f32[n, 4] = not %x", "not does not take f32"),
        ("%a: f64[n, 4] = neg %x", "f64[n, 4] where f32[n, 4] is due"),
        ("%a: f32[n, 4] = add %x", "wrong number of operands"),
        ("%a: f32[m, 4] = broadcast axes=[0, 1] %x", "does not broadcast"),
        ("%a: f32[4, n, 4] = broadcast axes=[1, 1] %x", "axes [1, 1]"),
        ("%a: f32[4 * m] = reshape %x", "differ in elements"),
        ("%a: f32[n, 4] = transpose perm=[0, 0] %x", "not a permutation"),
        ("%a: f32[n, 4] = slice starts=[0, 1] steps=[1, 1] %x", "elements 1 to 4 of 4"),
        ("%a: f32[n, 5] = slice starts=[0, 3] steps=[1, -1] %x", "elements 3 to -1 of 4"),
        ("%a: f32[2 * n, 4] = concat axis=0 %x, %y", "f32[2 * n, 4] where f32[m + n, 4] is due"),
        ("%a: f32[n] = reduce.sum axes=[0] %x", "f32[n] where f32[4] is due"),
        ("%a: f32[4] = reduce.any axes=[0] %x", "any and all take bools"),
        ("%a: i64[n] = reduce.argmax axes=[1] %x", "i64[n] where i32[n] is due"),
        ("%a: f32[n, 4] = matmul %x, %x", "rank 3"),
        ("%a: f32[4] = gather axis=0 %x, %x", "an index is i64"),
        ("%a: f32[n, 5] = dynamic_slice %x, %i, %i", "no block"),
        ("%a: f32[n, 4] = update steps=[1, 0] %x, %x, %i, %i", "not 0"),
        ("check code=\"R1\" message=\"\" %i", "i64[] where bool[] is due"),
        ("%a: i64[] = for %i, %i, %i carry(%i) { |%k: i64[], %c: i64[]|\n yield\n }", "0 values where 1 are due"),
        ("%a: i64[] = while carry(%i) { |%c: i64[]|\n yield %c\n } do { |%d: i64[]|\n yield %d\n }", "where bool[]"),
    ] {
        let program = parse(&format!("{head}{line}\n}}")).unwrap();
        let fault = verify(&program, "simplify").unwrap_err();
        assert_eq!(fault.pass, "simplify");
        assert!(fault.invariant.contains(rule), "{line}: {fault}");
    }
}

#[test]
fn values_of_a_region_end_with_it() {
    let text = r#"program(%c: bool[] scalar "c") -> (%a) {
      %b: bool[] = if %c {
        %a: bool[] = not %c
        yield %a
      } else {
        yield %c
      }
    }"#;
    let fault = verify(&parse(text).unwrap(), "lower").unwrap_err();
    assert!(fault.invariant.contains("used where it is not defined"), "{fault}");
}
