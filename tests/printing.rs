//! Printing equals NumPy's, to the character: `tests/oracle/printing.json`, made by NumPy 2.

use arr::base::DType;
use arr::runtime::text;

#[test]
fn arrays_print_as_numpy_prints_them() {
    let data = std::fs::read_to_string("tests/oracle/printing.json").expect("the data is committed");
    let cases: serde_json::Value = serde_json::from_str(&data).expect("the data is JSON");
    let (mut count, mut wrong) = (0, Vec::new());
    for case in cases.as_array().expect("a list") {
        let dtype = DType::parse(case["dtype"].as_str().expect("a name")).expect("a dtype");
        let extents: Vec<u64> =
            case["shape"].as_array().expect("a list").iter().map(|n| n.as_u64().expect("an extent")).collect();
        let hex = case["hex"].as_str().expect("hex");
        let bytes: Vec<u8> =
            (0..hex.len() / 2).map(|k| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).expect("hex")).collect();
        let expected = case["text"].as_str().expect("text");
        let found = text::array(dtype, &extents, &bytes);
        count += 1;
        if found != expected {
            wrong.push(format!("{dtype}{extents:?}\nNumPy:\n{expected}\narr:\n{found}\n"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} differ; the first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
    assert!(count > 300);
}

#[test]
fn host_values_print_as_python_prints_them() {
    let cases =
        [(0.1, "0.1"), (1e16, "1e+16"), (1e-5, "1e-05"), (123456.0, "123456.0"), (-0.0, "-0.0"), (1e22, "1e+22")];
    for (value, expected) in cases {
        assert_eq!(text::host_float(value), expected);
    }
    assert_eq!(text::host_float(f64::NAN), "nan");
    assert_eq!(text::host_str("it's"), "\"it's\"");
}
