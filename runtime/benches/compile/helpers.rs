//! The functions that the kernels of the generated crate share, and how they stand in it.
//!
//! A body has no `return`, so that it may also stand where it is called.

use super::generate::Form;
use std::fmt::Write;

/// Whether helpers are device functions that kernels call; else their bodies stand in the
/// kernels.
pub const CALLED: bool = false;

/// A function on values.
pub struct Helper {
    name: &'static str,
    /// Names and types.
    params: &'static [(&'static str, &'static str)],
    result: &'static str,
    /// Statements and the result, a line each.
    body: &'static [&'static str],
}

/// All twenty.
pub const HELPERS: [Helper; 20] = [
    Helper {
        name: "smooth",
        params: &[("a", "f32")],
        result: "f32",
        body: &["let t = a.clamp(0.0, 1.0);", "t * t * (3.0 - 2.0 * t)"],
    },
    Helper {
        name: "squash",
        params: &[("a", "f32")],
        result: "f32",
        body: &["let size = a.abs();", "if size > 4.0 { a.signum() } else { a / (1.0 + size) }"],
    },
    Helper {
        name: "root",
        params: &[("a", "f32")],
        result: "f32",
        body: &["let mut r = a.abs() * 0.5 + 0.5;", "for _ in 0..4 { r = 0.5 * (r + a.abs() / r); }", "r"],
    },
    Helper {
        name: "leaky",
        params: &[("a", "f32")],
        result: "f32",
        body: &["let low = a * 0.01;", "if a > 0.0 { a } else { low }"],
    },
    Helper {
        name: "wave",
        params: &[("a", "f32")],
        result: "f32",
        body: &["let t = a - a.floor();", "let u = (t * 2.0 - 1.0).abs();", "u * u"],
    },
    Helper {
        name: "lerp",
        params: &[("a", "f32"), ("b", "f32")],
        result: "f32",
        body: &["let t = 0.25;", "a + (b - a) * t"],
    },
    Helper {
        name: "huber",
        params: &[("a", "f32"), ("b", "f32")],
        result: "f32",
        body: &["let e = (a - b).abs();", "if e < 1.0 { 0.5 * e * e } else { e - 0.5 }"],
    },
    Helper {
        name: "distance",
        params: &[("a", "f32"), ("b", "f32")],
        result: "f32",
        body: &["let square = a * a + b * b;", "square.sqrt()"],
    },
    Helper {
        name: "blend",
        params: &[("a", "f32"), ("b", "f32")],
        result: "f32",
        body: &["let (low, high) = (a.min(b), a.max(b));", "let h = (high - low).min(1.0);", "low - h * h * 0.25"],
    },
    Helper {
        name: "hash",
        params: &[("a", "u32")],
        result: "u32",
        body: &[
            "let mut h = a ^ a >> 16;",
            "h = h * 0x7feb_352d;",
            "h ^= h >> 15;",
            "h = h * 0x846c_a68b;",
            "h ^ h >> 16",
        ],
    },
    Helper { name: "gray", params: &[("a", "u32")], result: "u32", body: &["let shifted = a >> 1;", "a ^ shifted"] },
    Helper {
        name: "spread",
        params: &[("a", "u32")],
        result: "u32",
        body: &[
            "let mut s = a & 0xffff;",
            "s = (s | s << 8) & 0x00ff_00ff;",
            "s = (s | s << 4) & 0x0f0f_0f0f;",
            "s = (s | s << 2) & 0x3333_3333;",
            "(s | s << 1) & 0x5555_5555",
        ],
    },
    Helper {
        name: "luminance",
        params: &[("a", "u32")],
        result: "u32",
        body: &["let (r, g, b) = (a & 255, a >> 8 & 255, a >> 16 & 255);", "(r * 54 + g * 183 + b * 19) / 256"],
    },
    Helper {
        name: "rounds",
        params: &[("a", "u32")],
        result: "u32",
        body: &[
            "let (mut k, mut left) = (0, a);",
            "while left > 1 && k < 20 { left = if left % 2 == 0 { left / 2 } else { left - 1 }; k += 1; }",
            "k",
        ],
    },
    Helper {
        name: "mix",
        params: &[("a", "u32"), ("b", "u32")],
        result: "u32",
        body: &["let m = a * 0x9e37_79b9 + b;", "m ^ m >> 13"],
    },
    Helper {
        name: "pack",
        params: &[("a", "u32"), ("b", "u32")],
        result: "u32",
        body: &["let low = a.min(0xffff);", "let high = b.min(0xffff);", "low | high << 16"],
    },
    Helper {
        name: "common",
        params: &[("a", "u32"), ("b", "u32")],
        result: "u32",
        body: &["let (mut p, mut q) = (a, b);", "for _ in 0..12 { if q == 0 { break; } (p, q) = (q, p % q); }", "p"],
    },
    Helper {
        name: "wrapped",
        params: &[("a", "usize"), ("b", "usize")],
        result: "usize",
        body: &["let inside = a < b;", "if inside { a } else { a % b }"],
    },
    Helper {
        name: "mirrored",
        params: &[("a", "usize"), ("b", "usize")],
        result: "usize",
        body: &["let at = a % (2 * b);", "if at < b { at } else { 2 * b - 1 - at }"],
    },
    Helper {
        name: "limited",
        params: &[("a", "usize"), ("b", "usize")],
        result: "usize",
        body: &["let last = b.saturating_sub(1);", "a.min(last)"],
    },
];

impl Helper {
    /// What it takes and gives: `f32, f32 -> f32`.
    pub fn types(&self) -> String {
        let params: Vec<_> = self.params.iter().map(|&(_, ty)| ty).collect();
        format!("{} -> {}", params.join(", "), self.result)
    }

    /// The function itself.
    pub fn definition(&self, form: Form) -> String {
        let attribute = match form {
            Form::Kernels => "#[device]\n",
            Form::Plain => "",
        };
        let params: Vec<_> = self.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let mut out = format!("\n{attribute}fn {}({}) -> {} {{\n", self.name, params.join(", "), self.result);
        for line in self.body {
            let _ = writeln!(out, "    {line}");
        }
        out + "}\n"
    }

    /// Its value for arguments.
    pub fn call(&self, args: &[&str]) -> String {
        if CALLED {
            return format!("{}({})", self.name, args.join(", "));
        }
        let names: Vec<_> = self.params.iter().map(|&(name, _)| name).collect();
        let types: Vec<_> = self.params.iter().map(|&(_, ty)| ty).collect();
        let list =
            |parts: &[&str]| if let [one] = parts { (*one).to_owned() } else { format!("({})", parts.join(", ")) };
        let lines = self.body.join("\n            ");
        format!(
            "{{\n            let {}: {} = {};\n            {lines}\n        }}",
            list(&names),
            list(&types),
            list(args)
        )
    }
}
