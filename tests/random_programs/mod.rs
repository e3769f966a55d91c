//! Random programs, as text: a function of two matrices and a vector with random operations, loops and branches, called
//! as `fn`, as `jit`, lent and given away. Matrix products, whose order is the library's, are left out.

/// The same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// An expression of the shape of `x`, an n x m matrix.
    fn matrix(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["x", "y", "x", "y", "v", "0.5", "2", "f32(i)"]).replace("f32(i)", "1.25");
        }
        let a = self.matrix(depth - 1);
        let b = self.matrix(depth - 1);
        match self.below(22) {
            0..=4 => format!("({a} {} {b})", self.pick(&["+", "-", "*", "+", "-"])),
            5 => format!("minimum({a}, {b})"),
            6 => format!("maximum({a}, {b})"),
            7 => format!("where({a} > {b}, {a}, x)"),
            8 => format!("{}(x + {a})", self.pick(&["exp", "tanh", "sin", "sigmoid", "abs", "floor", "relu"])),
            9 => format!("(x + {a})[::-1]"),
            10 => format!("flip(x * {a}, 1)"),
            11 => format!("roll(y + {a}, {}, axis={})", self.below(5), self.below(2)),
            12 => format!("((x + {a}) - mean(y + {b}, axis=1, keepdims=true))"),
            13 => format!("((x - {a}) + sum(y * {b}, axis=0))"),
            14 => format!("softmax(y + {a})"),
            15 => format!("concat([(x + {a})[1:], (y + {b})[:1]])"),
            16 => format!("(x + {a}).T.T"),
            17 => format!("reshape(transpose(reshape(x + {a}, [m, n])), [n, m])"),
            18 => format!("pad((x + {a})[:-1], [[1, 0], [0, 0]])"),
            19 => format!("cumsum(x + {a}, axis={})", self.below(2)),
            20 => format!("sort(y + {a}, axis={})", self.below(2)),
            _ => format!("(x + {a})[:, ::-1]"),
        }
    }

    fn body(&mut self) -> String {
        let mut lines = vec!["n = x.shape[0]".to_owned(), "m = x.shape[1]".to_owned()];
        for _ in 0..1 + self.below(3) {
            let depth = 1 + self.below(2);
            let value = self.matrix(depth);
            let name = self.pick(&["x", "y"]);
            lines.push(match self.below(9) {
                0 => format!("for i in 0..k {{ {name} = x * 0.5 + {value} * 0.125 }}"),
                1 => format!("if sum({name}) > 1.0 {{ {name} = x + {value} }} else {{ {name} = y - x }}"),
                2 => format!("t = 0\nwhile t < 2 {{ {name} = y * 0.5 + {value} * 0.25; t = t + 1 }}"),
                3 => format!("{name}[1:] = {name}[:-1] + 1.0"),
                4 => format!("{name}[:, 0] = ({value} + x)[:, -1]"),
                5 => format!("for i in 0..k {{ x, y = y, x + {value} * 0.0625 }}"),
                6 => format!("for i in 0..k {{ {name}[i % n] = ({value} + x)[i % n - 1] * 0.5 }}"),
                7 => format!("for i in 0..k {{ {name}[:, i % m] = {name}[:, 0] - ({value} + y)[:, i % m] }}"),
                _ => format!("{name} = x + {value}"),
            });
        }
        lines.push("(x + 0.0, sum(y, axis=0), max(x) + min(y))".to_owned());
        lines.join("\n    ")
    }

    /// The text of a program.
    pub(crate) fn program(&mut self) -> String {
        let (n, m) = (1 + self.below(9), [1, 2, 3, 4, 7, 8, 33][self.below(7)]);
        let body = self.body();
        let mut text = format!(
            "x = reshape(arange({n} * {m}, f32) * 0.37 - 1.5, [{n}, {m}])\n\
             y = reshape(arange({n} * {m}, f32) * -0.21 + 2.25, [{n}, {m}])\nv = arange({m}, f32) - 1.0\n"
        );
        text += &format!("fn plain(x, y, v, k) {{\n    {body}\n}}\njit lent(x, y, v, k) {{\n    {body}\n}}\n");
        text += &format!("jit given(donate x, y, v, k) {{\n    {body}\n}}\n");
        text + "print(plain(x, y, v, 3))\nprint(lent(x, y, v, 3))\nprint(given(copy(x), y, v, 3))\nprint(lent(x, y, v, 0), live())\n"
    }
}
