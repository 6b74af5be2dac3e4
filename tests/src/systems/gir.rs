//! GIR's instructions.

use super::{Entry, Here, op, text};
use samebits_ir::ops::Op;

/// The mnemonics.
pub const ENTRIES: &[Entry] = &[
    ("mov", Here::Other("the value itself; of a global, its root")),
    ("iconst", Here::Other("a constant")),
    ("uconst", Here::Other("a constant")),
    ("fconst", Here::Other("a constant")),
    ("add", op(&[Op::Add])),
    ("sub", op(&[Op::Sub])),
    ("mul", op(&[Op::Mul])),
    ("div", op(&[Op::Div])),
    ("rem", op(&[Op::Rem])),
    ("neg", op(&[Op::Neg])),
    ("and", op(&[Op::And])),
    ("or", op(&[Op::Or])),
    ("xor", op(&[Op::Xor])),
    ("not", op(&[Op::Not])),
    ("shl", op(&[Op::Shl])),
    ("shr", op(&[Op::Shr])),
    ("icmp.eq", op(&[Op::Eq])),
    ("icmp.ne", op(&[Op::Ne])),
    ("icmp.lt", op(&[Op::Lt])),
    ("icmp.le", op(&[Op::Le])),
    ("icmp.gt", op(&[Op::Gt])),
    ("icmp.ge", op(&[Op::Ge])),
    ("ucmp.eq", op(&[Op::Eq])),
    ("ucmp.ne", op(&[Op::Ne])),
    ("ucmp.lt", op(&[Op::Lt])),
    ("ucmp.le", op(&[Op::Le])),
    ("ucmp.gt", op(&[Op::Gt])),
    ("ucmp.ge", op(&[Op::Ge])),
    ("fcmp.oeq", op(&[Op::Eq])),
    ("fcmp.une", op(&[Op::Ne])),
    ("fcmp.olt", op(&[Op::Lt])),
    ("fcmp.ole", op(&[Op::Le])),
    ("fcmp.ogt", op(&[Op::Gt])),
    ("fcmp.oge", op(&[Op::Ge])),
    (
        "fcmp.one",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %y = gt %a, %b; %r = or %x, %y",
            &[("bits(0x7fc00000)f32, 1.0f32", "false"), ("1.0f32, 2.0f32", "true")],
        ),
    ),
    (
        "fcmp.ueq",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %y = gt %a, %b; %z = or %x, %y; %r = not %z",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 2.0f32", "false")],
        ),
    ),
    (
        "fcmp.ult",
        text(
            "f32, f32 -> bool",
            "%x = ge %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("2.0f32, 1.0f32", "false")],
        ),
    ),
    (
        "fcmp.ule",
        text(
            "f32, f32 -> bool",
            "%x = gt %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 1.0f32", "true")],
        ),
    ),
    (
        "fcmp.ugt",
        text(
            "f32, f32 -> bool",
            "%x = le %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 1.0f32", "false")],
        ),
    ),
    (
        "fcmp.uge",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 2.0f32", "false")],
        ),
    ),
    (
        "fcmp.ord",
        text(
            "f32, f32 -> bool",
            "%x = is_nan %a; %y = is_nan %b; %z = or %x, %y; %r = not %z",
            &[("1.0f32, 2.0f32", "true")],
        ),
    ),
    (
        "fcmp.uno",
        text(
            "f32, f32 -> bool",
            "%x = is_nan %a; %y = is_nan %b; %r = or %x, %y",
            &[("1.0f32, bits(0x7fc00000)f32", "true")],
        ),
    ),
    ("select", op(&[Op::Select])),
    ("load", Here::Other("`load`")),
    ("store", Here::Other("`store`")),
    ("gep", Here::Other("an index of the place of an access")),
    ("bitcast", op(&[Op::Bitcast])),
    ("trunc", op(&[Op::Cast])),
    ("zext", op(&[Op::Cast])),
    ("sext", op(&[Op::Cast])),
    ("fptosi", op(&[Op::Cast])),
    ("fptoui", op(&[Op::Cast])),
    ("sitofp", op(&[Op::Cast])),
    ("uitofp", op(&[Op::Cast])),
    ("fpext", op(&[Op::Cast])),
    ("fptrunc", op(&[Op::Cast])),
    ("atomic.load", Here::Other("`atomic.load`")),
    ("atomic.store", Here::Other("`atomic.store`")),
    ("atomic.rmw add, sub, and, or, xor, exchange", Here::Other("`atomic.add`, `sub`, `and`, `or`, `xor`, `exchange`")),
    ("atomic.rmw min_s, min_u, max_s, max_u", Here::Other("`atomic.min`, `atomic.max` of signed or unsigned memory")),
    ("atomic.rmw inc_wrap, dec_wrap", Here::Other("`atomic.inc_wrap`, `atomic.dec_wrap`")),
    ("atomic.rmw fadd, fmin, fmax", Here::Other("`atomic.add`, `atomic.min`, `atomic.max` of floats")),
    ("atomic.rmw flag_test_and_set, flag_clear", Here::Other("`atomic.exchange` of 1 or 0")),
    ("atomic.cmpxchg", Here::Other("`atomic.cmpxchg`")),
    ("phi", Here::Other("a result of `if`, `switch` or `loop`, or a parameter of a loop")),
    ("br", Here::Other("the structure: `if`, `loop`, `break`, `continue`")),
    ("br_if", Here::Other("`if`")),
    ("ret", Here::Other("`ret`")),
];

/// The mnemonics of the specification and two predicates besides.
pub const NAMES: &str = "mov iconst uconst fconst add sub mul div rem neg and or xor not shl shr icmp.eq icmp.ne icmp.lt icmp.le \
    icmp.gt icmp.ge ucmp.eq ucmp.ne ucmp.lt ucmp.le ucmp.gt ucmp.ge fcmp.oeq fcmp.one fcmp.olt fcmp.ole fcmp.ogt fcmp.oge fcmp.ueq \
    fcmp.une fcmp.ult fcmp.ule fcmp.ugt fcmp.uge fcmp.ord fcmp.uno select load store gep bitcast trunc zext sext fptosi fptoui sitofp \
    uitofp fpext fptrunc atomic.load atomic.store atomic.cmpxchg phi br br_if ret";
