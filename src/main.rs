//! The binary: hands over to `cli`.

fn main() {}
