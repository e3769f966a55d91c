//! The reference against NumPy (`tests/oracle/reference.json`), and against the text of the rules where NumPy has none.

use super::{Array, Reference, evaluate};
use crate::backends::{Arguments, Backend, Buffer, Stop};
use crate::base::{DType, Literal};
use crate::ir::array::parse::parse;
use crate::ir::array::verify::verify;
use crate::ir::plan::{OutputSource, Plan, PlanOutput, PlanParam, Slot};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

fn array(value: &Value) -> Array {
    let dtype = DType::parse(value["dtype"].as_str().unwrap()).unwrap();
    let numbers = |name: &str| value[name].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (extents, bits): (Vec<u64>, Vec<u64>) = (numbers("extents"), numbers("bits"));
    let elements: Vec<Literal> = bits.into_iter().map(|bits| Literal::new(dtype, bits)).collect();
    Array::new(dtype, &extents, &elements)
}

#[test]
fn operations_agree_with_numpy() {
    let text = include_str!("../../../tests/oracle/reference.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 100);
    for case in cases {
        let arrays = |name: &str| case[name].as_array().unwrap().iter().map(array).collect::<Vec<_>>();
        let program = parse(case["program"].as_str().unwrap()).unwrap();
        verify(&program, "test").unwrap();
        let found = evaluate(&program, &arrays("args"));
        assert_eq!(found, Ok(arrays("results")), "{}", case["name"]);
    }
}

fn i64s(values: &[i64]) -> Array {
    let elements: Vec<Literal> = values.iter().map(|&x| Literal::from_i64(DType::I64, x)).collect();
    Array::new(DType::I64, &[values.len() as u64], &elements)
}

fn item(value: i64) -> Array {
    Array { extents: Vec::new(), ..i64s(&[value]) }
}

fn run(text: &str, args: &[Array]) -> Result<Vec<Array>, Stop> {
    let program = parse(text).unwrap();
    verify(&program, "test").unwrap();
    evaluate(&program, args)
}

#[test]
fn loops_count_up_and_down_and_not_at_all() {
    let text = r#"
        program(%start: i64[] scalar "s", %end: i64[] scalar "e", %step: i64[] scalar "d") -> (%sum, %count) {
          %zero: i64[] = const 0
          %one: i64[] = const 1
          %sum: i64[], %count: i64[] = for %start, %end, %step carry(%zero, %zero) {
            |%i: i64[], %s: i64[], %n: i64[]|
            %s2: i64[] = add %s, %i
            %n2: i64[] = add %n, %one
            yield %s2, %n2
          }
        }"#;
    for (start, end, step, sum, count) in
        [(0, 5, 1, 10, 5), (5, 0, -2, 9, 3), (3, 3, 1, 0, 0), (i64::MAX - 1, i64::MAX, 5, i64::MAX - 1, 1)]
    {
        assert_eq!(run(text, &[item(start), item(end), item(step)]), Ok(vec![item(sum), item(count)]));
    }
}

#[test]
fn a_failing_check_is_counted_over_regions() {
    let text = r#"
        program(%x: i64[] scalar "x") -> () {
          %false: bool[] = const false
          %limit: i64[] = const 3
          check code="R0001" message="never" %false
          %n: i64[] = while carry(%x) {
            |%a: i64[]|
            check code="R0002" message="never" %false
            %on: bool[] = lt %a, %limit
            yield %on
          } do {
            |%b: i64[]|
            %one: i64[] = const 1
            %next: i64[] = add %b, %one
            %bad: bool[] = lt %one, %b
            check code="R0003" message="{0}" %bad, %b
            yield %next
          }
        }"#;
    assert_eq!(run(text, &[item(3)]), Ok(Vec::new()));
    let shown = vec![Literal::from_i64(DType::I64, 2)];
    assert_eq!(run(text, &[item(0)]), Err(Stop::Check { check: 2, shown }));
}

#[test]
fn branches() {
    let text = r#"
        program(%c: bool[] scalar "c", %a: i64[] scalar "a", %b: i64[] scalar "b") -> (%x, %y) {
          %x: i64[], %y: i64[] = if %c {
            yield %a, %b
          } else {
            yield %b, %a
          }
        }"#;
    let flag = |value| Array::new(DType::Bool, &[], &[Literal::from_bool(value)]);
    assert_eq!(run(text, &[flag(true), item(1), item(2)]), Ok(vec![item(1), item(2)]));
    assert_eq!(run(text, &[flag(false), item(1), item(2)]), Ok(vec![item(2), item(1)]));
}

/// The tree by hand: 1e8 and its negative meet in the first step of halving, so no small one is lost.
#[test]
fn sums_follow_the_tree() {
    let mut values = vec![1.0f64; 33];
    (values[0], values[16]) = (1e8, -1e8);
    let elements: Vec<Literal> = values.iter().map(|&x| Literal::from_f64(DType::F32, x)).collect();
    // Lane 0 takes elements 0 and 32: 1e8 + 1 rounds to 1e8.
    let x = Array::new(DType::F32, &[33], &elements);
    let text = "program(%x: f32[33] array \"x\") -> (%s) {\n%s: f32[] = reduce.sum axes=[0] %x\n}";
    let sum = Array::new(DType::F32, &[], &[Literal::from_f64(DType::F32, 30.0)]);
    assert_eq!(run(text, &[x]), Ok(vec![sum]));
}

#[test]
fn outputs_go_where_the_plan_says() {
    let text = r#"
        program(%x: i64[2] donate "x", %y: i64[2] array "y", %k: i64[] scalar "k") -> (%a, %b, %y) {
          %a: i64[2] = add %x, %y
          %k2: i64[2] = broadcast axes=[] %k
          %b: i64[2] = mul %x, %k2
        }"#;
    let program = parse(text).unwrap();
    let backend = Reference::new();
    let output = |source| PlanOutput { source, slot: Slot(0), dtype: DType::I64, extents: vec![2], bytes: 16 };
    let plan = Plan {
        params: (program.params.iter())
            .map(|p| PlanParam {
                kind: p.kind,
                name: p.name.clone(),
                dtype: DType::I64,
                extents: program.ty(p.value).shape.extents().unwrap(),
                bytes: 0,
            })
            .collect(),
        outputs: vec![
            output(OutputSource::InPlace(0)),
            output(OutputSource::Fresh(0)),
            output(OutputSource::Shared(1)),
        ],
        fresh: vec![16],
        ..Plan::default()
    };
    let buffers: Vec<_> = (0..3).map(|_| backend.allocate(16).unwrap()).collect();
    assert_eq!(backend.allocated(), 48);
    buffers[0].write(0, &i64s(&[1, 2]).bytes);
    buffers[1].write(0, &i64s(&[10, 20]).bytes);
    let all: Vec<&dyn Buffer> = buffers.iter().map(AsRef::as_ref).collect();
    let interrupt = AtomicBool::new(false);
    let arguments = Arguments {
        params: &[Some(all[0]), Some(all[1]), None],
        scalars: &[0, 0, 3],
        fresh: &all[2..],
        arena: None,
        interrupt: &interrupt,
    };
    backend.load(&program, &plan).unwrap().run(&arguments).unwrap();
    let read = |buffer: &dyn Buffer| {
        let mut bytes = vec![0; 16];
        buffer.read(0, &mut bytes);
        bytes
    };
    assert_eq!(read(all[0]), i64s(&[11, 22]).bytes);
    let gone = Arguments { params: &[None, Some(all[1]), None], ..arguments };
    assert!(matches!(backend.load(&program, &plan).unwrap().run(&gone), Err(Stop::Broken(_))));
    assert_eq!(read(all[1]), i64s(&[10, 20]).bytes);
    assert_eq!(read(all[2]), i64s(&[3, 6]).bytes);
    drop(buffers);
    assert_eq!(backend.allocated(), 0);
}

#[test]
fn a_run_without_its_arguments_is_broken_not_a_panic() {
    let text = "program(%x: f32[3] array \"x\") -> (%x) {\n}";
    assert!(matches!(run(text, &[]), Err(Stop::Broken(_))));
    assert!(matches!(run(text, &[item(1)]), Err(Stop::Broken(_))));
}

/// A function on 100,000 elements takes a fraction of a second.
#[test]
fn large_arrays_are_quick_enough() {
    let n = 100_000u64;
    let elements: Vec<Literal> = (0..n).map(|k| Literal::from_f64(DType::F32, k as f64 / n as f64)).collect();
    let x = Array::new(DType::F32, &[n], &elements);
    let text = format!(
        "program(%x: f32[{n}] array \"x\") -> (%s) {{\n%y: f32[{n}] = exp %x\n%s: f32[] = reduce.sum axes=[0] %y\n}}"
    );
    let before = std::time::Instant::now();
    let sum = run(&text, &[x]).unwrap()[0].elements()[0].to_f64();
    // The sum of exp(k / n) is about n * (e - 1).
    assert!((sum / n as f64 - (std::f64::consts::E - 1.0)).abs() < 1e-4, "{sum}");
    assert!(before.elapsed().as_secs() < 5, "{:?}", before.elapsed());
}
