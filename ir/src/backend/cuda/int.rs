//! Integers: unsigned C arithmetic of 32 or 64 bits, cut to the width after each op.
//!
//! C promotes what is narrower than `int`, leaves signed overflow undefined and knows
//! neither division by zero nor long shifts. None of it can happen here: values are
//! zero-extended bits in unsigned types, and what needs the sign extends it first.

use super::code::{Code, c_type};
use crate::types::Scalar;

/// A width and a signedness.
#[derive(Clone, Copy)]
pub(super) struct Int {
    scalar: Scalar,
}

/// A signed number that nothing is known of. nvcc takes the product of a sign-extended
/// byte and a zero-extended one for one of two unsigned bytes (seen with release 13.0), so
/// it must not see where a sign was extended.
fn opaque(code: &mut Code, wide: bool, value: &str) -> String {
    let (name, ty, constraint) = if wide { ("sb_opaque_64", "long long", "l") } else { ("sb_opaque", "int", "r") };
    let name = code
        .function(name.to_owned(), ty, &format!("{ty} a"), |_| format!("asm(\"\" : \"+{constraint}\"(a));\nreturn a;"));
    format!("{name}({value})")
}

impl Int {
    pub const fn new(scalar: Scalar) -> Self {
        Self { scalar }
    }

    const fn bits(self) -> u32 {
        self.scalar.bits()
    }

    const fn wide(self) -> bool {
        self.bits() == 64
    }

    const fn c(self) -> &'static str {
        c_type(self.scalar)
    }

    fn suffix(self) -> &'static str {
        if self.wide() { "ull" } else { "u" }
    }

    /// The low bits of an expression that may have others set.
    pub fn cut(self, expr: &str) -> String {
        if self.bits() < 32 { format!("({expr}) & 0x{:x}u", self.scalar.mask()) } else { expr.to_owned() }
    }

    /// The value as a signed number of the C type, of which the compiler does not know
    /// that few bits decide it; see [`opaque`].
    pub fn extend_opaque(self, code: &mut Code, value: &str) -> String {
        if self.bits() < 32 { opaque(code, false, &self.extend(value)) } else { self.extend(value) }
    }

    /// The value as a signed number of the C type.
    pub fn extend(self, value: &str) -> String {
        match self.bits() {
            64 => format!("(long long)({value})"),
            32 => format!("(int)({value})"),
            bits => format!("((int)(({value}) << {0}) >> {0})", 32 - bits),
        }
    }

    /// A value as what compares in the right order.
    pub fn ordered(self, value: &str) -> String {
        if self.scalar.is_signed() { self.extend(value) } else { value.to_owned() }
    }

    fn name(self, what: &str) -> String {
        format!("sb_{what}_{}", self.scalar.name())
    }

    /// Calls a helper on values of the type.
    fn call(self, code: &mut Code, what: &str, args: &[&str], body: impl FnOnce() -> String) -> String {
        let params: Vec<String> =
            ["a", "b"].iter().take(args.len()).map(|name| format!("{} {name}", self.c())).collect();
        let name = code.function(self.name(what), self.c(), &params.join(", "), |_| body());
        format!("{name}({})", args.join(", "))
    }

    /// Sum, difference or product.
    pub fn arithmetic(self, sign: &str, a: &str, b: &str) -> String {
        self.cut(&format!("{a} {sign} {b}"))
    }

    /// Two's complement negation.
    pub fn negate(self, a: &str) -> String {
        self.cut(&format!("0{} - {a}", self.suffix()))
    }

    /// The complement of every bit.
    pub fn not(self, a: &str) -> String {
        self.cut(&format!("~{a}"))
    }

    /// Left shift.
    pub fn shift_left(self, a: &str, n: &str) -> String {
        self.cut(&format!("{a} << ({n} & {}u)", self.bits() - 1))
    }

    /// Right shift, of the sign's copies if there is a sign.
    pub fn shift_right(self, code: &mut Code, a: &str, n: &str) -> String {
        let count = format!("({n} & {}u)", self.bits() - 1);
        if self.scalar.is_signed() {
            let shifted = format!("{} >> {count}", self.extend(a));
            self.cut(&format!("({}){}", self.c(), opaque(code, self.wide(), &shifted)))
        } else {
            format!("{a} >> {count}")
        }
    }

    /// The lesser.
    pub fn min(self, code: &mut Code, a: &str, b: &str) -> String {
        self.call(code, "min", &[a, b], || format!("return {} < {} ? a : b;", self.ordered("a"), self.ordered("b")))
    }

    /// The greater.
    pub fn max(self, code: &mut Code, a: &str, b: &str) -> String {
        self.call(code, "max", &[a, b], || format!("return {} < {} ? b : a;", self.ordered("a"), self.ordered("b")))
    }

    /// The absolute value.
    pub fn abs(self, code: &mut Code, a: &str) -> String {
        self.call(code, "abs", &[a], || format!("return {} < 0 ? {} : a;", self.extend("a"), self.negate("a")))
    }

    /// -1, 0 or 1.
    pub fn sign(self, code: &mut Code, a: &str) -> String {
        self.call(code, "sign", &[a], || {
            let suffix = self.suffix();
            format!("return {} < 0 ? 0x{:x}{suffix} : a != 0{suffix};", self.extend("a"), self.scalar.mask())
        })
    }

    /// The absolute difference.
    pub fn abs_diff(self, code: &mut Code, a: &str, b: &str) -> String {
        self.call(code, "abs_diff", &[a, b], || {
            let (ab, ba) = (self.cut("a - b"), self.cut("b - a"));
            format!("return {} < {} ? {ba} : {ab};", self.ordered("a"), self.ordered("b"))
        })
    }

    /// The bits in reverse order.
    pub fn reverse_bits(self, a: &str) -> String {
        match self.bits() {
            64 => format!("__brevll({a})"),
            32 => format!("__brev({a})"),
            bits => format!("__brev({a}) >> {}", 32 - bits),
        }
    }

    /// The number of set bits, a `u32`.
    pub fn count_ones(self, a: &str) -> String {
        format!("(sb_u32){}({a})", if self.wide() { "__popcll" } else { "__popc" })
    }

    /// The number of zeros above them, a `u32`.
    pub fn leading_zeros(self, a: &str) -> String {
        match self.bits() {
            64 => format!("(sb_u32)__clzll((long long){a})"),
            32 => format!("(sb_u32)__clz((int){a})"),
            bits => format!("(sb_u32)__clz((int){a}) - {}u", 32 - bits),
        }
    }

    /// The number of zeros below them, a `u32`.
    pub fn trailing_zeros(self, a: &str) -> String {
        let first = if self.wide() { format!("__ffsll((long long){a})") } else { format!("__ffs((int){a})") };
        format!("{a} == 0{} ? {}u : (sb_u32)({first} - 1)", self.suffix(), self.bits())
    }

    /// Quotient or remainder; 0 for a zero divisor.
    pub fn divide(self, code: &mut Code, remainder: bool, a: &str, b: &str) -> String {
        let (what, sign, suffix) = if remainder { ("rem", '%', self.suffix()) } else { ("div", '/', self.suffix()) };
        self.call(code, what, &[a, b], || {
            if !self.scalar.is_signed() {
                return format!("return b == 0{suffix} ? 0{suffix} : a {sign} b;");
            }
            let minus_one = format!("0x{:x}{suffix}", self.scalar.mask());
            let by_minus_one = if remainder { format!("0{suffix}") } else { self.cut(&format!("0{suffix} - a")) };
            let quotient = format!("({})({} {sign} {})", self.c(), self.extend("a"), self.extend("b"));
            format!(
                "if (b == 0{suffix}) return 0{suffix};\nif (b == {minus_one}) return {by_minus_one};\nreturn {};",
                self.cut(&quotient)
            )
        })
    }

    /// A rotation whose bits go the way of `main` and come back the way of `other`.
    pub fn rotate(self, code: &mut Code, what: &str, main: &str, other: &str, a: &str, n: &str) -> String {
        let name = self.name(what);
        let bits = self.bits();
        let name = code.function(name, self.c(), &format!("{} a, sb_u32 n", self.c()), |_| {
            let rotated = self.cut(&format!("a {main} n | a {other} ({bits}u - n)"));
            format!("n &= {}u;\nreturn n == 0u ? a : {rotated};", bits - 1)
        });
        format!("{name}({a}, {n})")
    }

    /// The bytes in reverse order.
    pub fn swap_bytes(self, code: &mut Code, a: &str) -> String {
        match self.bits() {
            8 => a.to_owned(),
            16 => format!("({a} >> 8 | {a} << 8) & 0xffffu"),
            32 => format!("__byte_perm({a}, 0u, 0x0123u)"),
            _ => self.call(code, "swap_bytes", &[a], || {
                "sb_u64 low = __byte_perm((sb_u32)a, 0u, 0x0123u);\n\
                 sb_u64 high = __byte_perm((sb_u32)(a >> 32), 0u, 0x0123u);\n\
                 return low << 32 | high;"
                    .to_owned()
            }),
        }
    }
}
