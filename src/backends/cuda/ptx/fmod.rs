//! C's `fmod` of f64 by long division of the significands: exact, with the dividend's sign.
//!
//! f32 operands are converted first; their remainder is an f32 again, since it is a multiple of the smaller last place
//! and less than the divisor.

use super::writer::{Class, Writer};

impl Writer {
    fn long(&mut self, op: &str, operands: &[&str]) -> String {
        self.make(Class::Long, op, operands)
    }

    /// Significand and exponent of a positive finite number: `m * 2^(e - 1075)` with bit 52 of `m` set.
    fn significand(&mut self, bits: &str) -> (String, String) {
        let field = self.long("shr.u64", &[bits, "52"]);
        let fraction = self.long("and.b64", &[bits, "0x000fffffffffffff"]);
        let normal = self.long("or.b64", &[&fraction, "0x0010000000000000"]);
        let zeros = self.make(Class::Word, "clz.b64", &[&fraction]);
        let shift = self.make(Class::Word, "sub.s32", &[&zeros, "11"]);
        let shifted = self.long("shl.b64", &[&fraction, &shift]);
        let shift = self.long("cvt.s64.s32", &[&shift]);
        let below = self.long("sub.s64", &["1", &shift]);
        let subnormal = self.make(Class::Pred, "setp.eq.s64", &[&field, "0"]);
        let significand = self.long("selp.b64", &[&shifted, &normal, &subnormal]);
        let exponent = self.long("selp.b64", &[&below, &field, &subnormal]);
        (significand, exponent)
    }

    /// `fmod(x, y)` of f64.
    pub(super) fn fmod(&mut self, x: &str, y: &str) -> String {
        let result = self.reg(Class::Double);
        let [divide, again, less, odd, pack, subnormal, done] =
            ["divide", "again", "less", "odd", "pack", "subnormal", "done"].map(|what| self.label(what));
        let raw = self.long("mov.b64", &[x]);
        let a = self.long("and.b64", &[&raw, "0x7fffffffffffffff"]);
        let sign = self.long("xor.b64", &[&raw, &a]);
        let b = self.long("mov.b64", &[y]);
        let b = self.long("and.b64", &[&b, "0x7fffffffffffffff"]);
        // NaN, an infinite dividend, a zero divisor: NaN. A smaller dividend is its own remainder.
        let infinite = self.make(Class::Pred, "setp.ge.u64", &[&a, "0x7ff0000000000000"]);
        self.line(format!("@{infinite} bra {odd}"));
        let nan = self.make(Class::Pred, "setp.gt.u64", &[&b, "0x7ff0000000000000"]);
        self.line(format!("@{nan} bra {odd}"));
        let zero = self.make(Class::Pred, "setp.eq.u64", &[&b, "0"]);
        self.line(format!("@{zero} bra {odd}"));
        let larger = self.make(Class::Pred, "setp.ge.u64", &[&a, &b]);
        self.line(format!("@{larger} bra {divide}"));
        self.line(format!("mov.f64 {result}, {x}"));
        self.line(format!("bra {done}"));
        self.place(&odd);
        self.line(format!("mov.f64 {result}, 0d7FF8000000000000"));
        self.line(format!("bra {done}"));
        self.place(&divide);
        let (m, from) = self.significand(&a);
        let (n, to) = self.significand(&b);
        let rest = self.long("mov.b64", &[&m]);
        let exponent = self.long("mov.b64", &[&from]);
        self.place(&again);
        let smaller = self.make(Class::Pred, "setp.lt.u64", &[&rest, &n]);
        self.line(format!("@{smaller} bra {less}"));
        self.line(format!("sub.s64 {rest}, {rest}, {n}"));
        self.place(&less);
        let last = self.make(Class::Pred, "setp.le.s64", &[&exponent, &to]);
        self.line(format!("@{last} bra {pack}"));
        self.line(format!("shl.b64 {rest}, {rest}, 1"));
        self.line(format!("sub.s64 {exponent}, {exponent}, 1"));
        self.line(format!("bra {again}"));
        self.place(&pack);
        // Nothing left is a zero of the dividend's sign.
        let zeros = self.make(Class::Word, "clz.b64", &[&rest]);
        let shift = self.make(Class::Word, "sub.s32", &[&zeros, "11"]);
        let normal = self.long("shl.b64", &[&rest, &shift]);
        let moved = self.long("cvt.s64.s32", &[&shift]);
        let field = self.long("sub.s64", &[&exponent, &moved]);
        let nothing = self.make(Class::Pred, "setp.eq.u64", &[&rest, "0"]);
        let bits = self.long("mov.b64", &["0"]);
        let small = self.make(Class::Pred, "setp.le.s64", &[&field, "0"]);
        self.line(format!("@{small} bra {subnormal}"));
        let fraction = self.long("and.b64", &[&normal, "0x000fffffffffffff"]);
        let high = self.long("shl.b64", &[&field, "52"]);
        self.line(format!("or.b64 {bits}, {fraction}, {high}"));
        self.place(&subnormal);
        // Below the least normal the exponent is that of field 1.
        let down = self.long("sub.s64", &["1", &field]);
        let down = self.make(Class::Word, "cvt.u32.u64", &[&down]);
        let denormal = self.long("shr.u64", &[&normal, &down]);
        self.line(format!("selp.b64 {bits}, {denormal}, {bits}, {small}"));
        self.line(format!("selp.b64 {bits}, 0, {bits}, {nothing}"));
        self.line(format!("or.b64 {bits}, {bits}, {sign}"));
        self.line(format!("mov.b64 {result}, {bits}"));
        self.place(&done);
        result
    }
}
