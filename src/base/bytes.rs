//! How a number of bytes is written for people: `16 MiB`, `4 B`, `1.5 KiB`.

/// The largest binary unit in which the number is exact, else the largest that fits, to one decimal.
///
/// `16777216` is `16 MiB`, `1536` is `1.5 KiB`, `1025` is `1.0 KiB`... exact multiples carry no decimals.
#[must_use]
pub fn human(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let unit = ((63 - bytes.leading_zeros()) / 10) as usize;
    let scale = 1u64 << (10 * unit);
    let name = UNITS[unit - 1];
    if bytes.is_multiple_of(scale) {
        return format!("{} {name}", bytes / scale);
    }
    let tenths = (bytes as f64 / scale as f64 * 10.0).round() / 10.0;
    format!("{tenths:.1} {name}")
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn sizes_print_in_the_largest_unit() {
        let cases = [(0, "0 B"), (4, "4 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB")];
        for (bytes, text) in cases {
            assert_eq!(human(bytes), text);
        }
        assert_eq!(human(16 << 20), "16 MiB");
        assert_eq!(human(3 << 30), "3 GiB");
    }
}
