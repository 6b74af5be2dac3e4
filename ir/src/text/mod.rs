//! The text form of the IR.
//!
//! ```text
//! struct Ray { origin: vec3<f32>, length: f32 }
//!
//! func kernel workgroup_size(256, 1, 1) @saxpy(%a: f32, @x: [f32], @y: mut [f32]) {
//!   %i = global_id.x
//!   %0 = len @y
//!   %1 = lt %i, %0
//!   if %1 {
//!     %2 = load f32 @x[%i]
//!     %3 = mul %a, %2
//!     %4 = load f32 @y[%i]
//!     %5 = add %3, %4
//!     store @y[%i], %5
//!   }
//!   ret
//! }
//! ```
//!
//! Space is free. `;` begins a comment, except between `[` and `]` of one line. In the grammar below `{x}` repeats, `[x]` is
//! optional, `x,*` is a list with commas between, and what is quoted stands for itself.
//!
//! ```text
//! module    = {struct | function}
//! struct    = "struct" word "{" (word ":" type),* "}"
//! function  = "func" ["kernel" ["fast_math"] "workgroup_size" "(" n "," n "," n ")" [limits]] @name "(" param,* ")"
//!             ["requires" "(" need,* ")"] ["->" type,*] "{" {decl} {inst} "}"
//! limits    = "limits" "(" (word "=" n),* ")"
//! need      = amount (">=" | ">" | "<=" | "<" | "==") amount
//! amount    = "len" @name | %name | n | "(" amount ")" | amount ("+" | "-" | "*") amount
//! param     = %name ":" type | @name ":" ["mut" | "atomic" | "distinct" | "below"] "[" type "]"
//! decl      = "shared" @name ":" ["atomic"] type | "private" @name ":" type | "var" $name ":" type
//!           | "table" @name ":" type "=" "(" literal,* ")"     its scalars, in order
//! type      = "bool" | "u8" | … | "f64" | "vec2" "<" scalar ">" | … | "bytes" | "[" type ";" n "]" | struct name
//! inst      = [%name,* "="] {"precise" | "nonuniform" | "nonan" | "noinf" | "nosz" | "racy"} operation
//! operation = op value,* ["to" type]                 ops of the table; casts and bitcasts say to what
//!           | "load" type place | "store" place "," value | "len" @name
//!           | "atomic.load" type place {order} | "atomic." op place "," value,* {order} | "fence" {order}
//!           | "subgroup." op value,*
//!           | builtin | "barrier" | "get" $name | "set" $name "," value
//!           | "call" @name "(" (value | place),* ")"
//!           | "if" value ["->" type,*] block ["else" block]
//!           | "switch" value ["->" type,*] "{" {"case" literal,* block} ["default" block] "}"
//!           | "loop" ["unroll" ["(" (n | "never") ")"]] ['name] ["(" (%name ":" type "=" value),* ")"] ["->" type,*] block
//!           | "yield" value,* | "break" ['name] value,* | "continue" ['name] value,* | "ret" value,*
//!           | "unreachable"
//! order     = ("ordering" | "failure") "=" ordering | "scope" "=" scope
//! block     = "{" {inst} "}"
//! place     = @name {"[" value ["*" stride] ["<" bound] "]"} ["+" offset]
//! value     = %name | literal
//! literal   = "true" | "false" | number scalar | "bits" "(" number ")" scalar
//! ```
//!
//! - Names are letters, digits, `_` and `.` of any script, not beginning with a digit;
//!   others are quoted, `%"odd name"`, with the escapes `\"`, `\\` and `\u{…}`. `%0`, `%1`
//!   … are values without a name.
//! - A number ends in its type: `42u32`, `-1i8`, `0xffu8`, `1.5f32`. `bits(0x7fc00000)f32`
//!   states the bits instead.
//! - `unroll` asks passes for a copy of the loop's body for each round, `unroll(4)` for
//!   four copies in each round, and `unroll(never)` for the loop as it is.
//! - `fast_math` lets devices compute `f32` as they please in a kernel, save for ops with `precise`.
//! - `limits(workgroup_memory = 32768)` lets a kernel use more than what every device has,
//!   which is 16384 bytes of `workgroup_memory`, 256 `invocations` of a workgroup, 8
//!   `buffers` and 65536 `argument_bytes`.
//! - No two elements of a `distinct` buffer are equal, which holds in every launch. The elements of a `below` buffer are
//!   below a number that the launch says, `bound @name` in requirements.
//! - What a kernel `requires` holds in every launch: `requires(len @y >= len @x, %n <= len @x * 4)`.
//!   Amounts are computed exactly; `*` binds more tightly than `+` and `-`. Block form has none.
//! - A stride that is left out is the size of the type of the access; in a call, of an
//!   element of the view that the callee takes. Functions may be called before they are
//!   defined.
//! - The attributes of an order stand in any order, each at most once. An atomic is
//!   `relaxed`, a fence `acq_rel` and the scope `device` where nothing else is stated;
//!   `failure` is about a `cmpxchg` that replaces nothing.
//! - Regions of an `if` or `switch` without results may leave out their final `yield`;
//!   those of them that do nothing, other than the first region of `if` and the cases,
//!   may be left out altogether. A `break` or `continue` without label means the
//!   innermost loop.
//! - A value is known from its instruction to the end of the region. A function uses no
//!   name for two values.
//!
//! A function may also be written in *block form*: labelled blocks that end in `br`, `br_if`
//! or `ret`, with `phi` and typed pointers. [`parse`] structures it;
//! [`backend::gir`](crate::backend::gir) writes it. Its grammar is in `text/blocks/mod.rs`,
//! and the book teaches it.
//!
//! [`parse`] reports as many mistakes as it can tell apart. It knows names and syntax; what
//! types and structure must obey is for [`check`](crate::check) to say.

pub(crate) mod blocks;
mod body;
mod format;
mod inst;
mod lex;
pub mod limits;
mod literal;
pub(crate) mod names;
mod operand;
mod parse;
mod print;
mod requires;

use crate::diag::Diags;
use crate::ir::Module;
use crate::types::Scalar;

/// The text of a module, in canonical form: what [`parse`] makes of it prints the same.
///
/// ```
/// use samebits_ir::{builder::Builder, text, types::Types};
///
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let module = b.into_module(Types::default());
/// assert_eq!(text::print(&module), "func kernel workgroup_size(64, 1, 1) @nothing() {\n  ret\n}\n");
/// ```
pub fn print(module: &Module) -> String {
    print::module(module).text
}

/// The module that a text means, or all that is wrong with the text. Locations are byte
/// offsets, which [`render`](crate::diag::render) shows as lines and columns.
///
/// ```
/// use samebits_ir::{diag::Code, text};
///
/// let source = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {\n  store @y[%i], %v\n  ret\n}";
/// let diags = text::parse(source).unwrap_err();
/// assert_eq!(diags.as_slice()[0].message, "cannot find value `%i`");
/// assert_eq!(diags.as_slice()[1].message, "cannot find value `%v`");
/// ```
pub fn parse(source: &str) -> Result<Module, Diags> {
    parse::module(source)
}

/// A text in canonical form, with its comments where they were: at the end of a line, or on
/// lines of their own. Space, empty lines and spellings go; nothing that has a meaning does.
///
/// ```
/// use samebits_ir::text;
///
/// let source = "func kernel workgroup_size(1,1,1) @k() { ; nothing\n; to do\nret }";
/// let tidy = "func kernel workgroup_size(1, 1, 1) @k() { ; nothing\n  ; to do\n  ret\n}\n";
/// assert_eq!(text::format(source)?, tidy);
/// assert_eq!(text::format(tidy)?, tidy);
/// # Ok::<(), samebits_ir::diag::Diags>(())
/// ```
///
/// # Errors
///
/// All that is wrong with the text, as [`parse`] has it; or that something is in block form,
/// which has no canonical text.
pub fn format(source: &str) -> Result<String, Diags> {
    format::format(source)
}

/// The type and bits of a literal.
///
/// ```
/// use samebits_ir::{text::parse_literal, types::Scalar};
/// assert_eq!(parse_literal("1.0f32"), Some((Scalar::F32, 0x3f80_0000)));
/// assert_eq!(parse_literal("bits(0x7fc00000)f32"), Some((Scalar::F32, 0x7fc0_0000)));
/// assert_eq!(parse_literal("256u8"), None);
/// ```
pub fn parse_literal(source: &str) -> Option<(Scalar, u64)> {
    literal::parse_any(source)
}

/// The literal of a scalar's bits.
///
/// ```
/// use samebits_ir::{text::print_literal, types::Scalar};
/// assert_eq!(print_literal(Scalar::I8, 0xff), "-1i8");
/// ```
pub fn print_literal(ty: Scalar, bits: u64) -> String {
    literal::print(ty, bits)
}

/// A name without its sigil, as texts have it: between quote marks where it is no plain word.
///
/// ```
/// assert_eq!(samebits_ir::text::print_name("tile.2"), "tile.2");
/// assert_eq!(samebits_ir::text::print_name("an \"odd\" one\u{1b}"), r#""an \"odd\" one\u{1b}""#);
/// ```
pub fn print_name(name: &str) -> String {
    names::word(name)
}

/// The name between the quote marks that a text begins with, and what follows it.
///
/// ```
/// use samebits_ir::text::parse_quoted;
/// assert_eq!(parse_quoted(r#""a \"b\""=3"#), Some(("a \"b\"".to_owned(), "=3")));
/// assert_eq!(parse_quoted("plain"), None);
/// ```
pub fn parse_quoted(source: &str) -> Option<(String, &str)> {
    lex::quoted(source)
}

#[cfg(test)]
mod tests;
