//! NIR's ALU opcodes.

use super::{Entry, Here, op, text};
use samebits_ir::ops::Op;

const D3D9: Here = Here::Absent("only Direct3D 9 has a product in which zero wins over infinity and NaN");
const COMPARED: Here = Here::Absent("compare with `eq`, `lt` or `ge`, then `cast` or `select`");
const VENDOR: Here = Here::Absent("an instruction of one vendor");

/// The opcodes, families that differ in the width of a result under one name.
pub const ENTRIES: &[Entry] = &[
    ("iadd", op(&[Op::Add])),
    ("isub", op(&[Op::Sub])),
    ("imul", op(&[Op::Mul])),
    ("amul", op(&[Op::Mul])),
    ("ineg", op(&[Op::Neg])),
    ("iabs", op(&[Op::Abs])),
    ("isign", op(&[Op::Sign])),
    ("idiv", op(&[Op::Div])),
    ("udiv", op(&[Op::Div])),
    ("umod", op(&[Op::Rem])),
    ("irem", op(&[Op::Rem])),
    ("imod", op(&[Op::Mod])),
    ("imul_high", op(&[Op::MulHigh])),
    ("umul_high", op(&[Op::MulHigh])),
    (
        "imul_2x32_64",
        text(
            "i32, i32 -> i64",
            "%x = cast %a to i64; %y = cast %b to i64; %r = mul %x, %y",
            &[("-2147483648i32, 3i32", "-6442450944i64")],
        ),
    ),
    (
        "umul_2x32_64",
        text(
            "u32, u32 -> u64",
            "%x = cast %a to u64; %y = cast %b to u64; %r = mul %x, %y",
            &[("4294967295u32, 4294967295u32", "18446744065119617025u64")],
        ),
    ),
    (
        "umul_low",
        text(
            "u32, u32 -> u32",
            "%x = and %a, 65535u32; %y = and %b, 65535u32; %r = mul %x, %y",
            &[("0x1ffffu32, 0x20002u32", "131070u32")],
        ),
    ),
    (
        "umul_16x16",
        text(
            "u32, u32 -> u32",
            "%x = and %a, 65535u32; %y = and %b, 65535u32; %r = mul %x, %y",
            &[("3u32, 0x50005u32", "15u32")],
        ),
    ),
    (
        "imul_32x16",
        text("i32, i32 -> i32", "%y = bit_extract %b, 0u32, 16u32; %r = mul %a, %y", &[("7i32, 0x1ffffi32", "-7i32")]),
    ),
    (
        "umul_32x16",
        text("u32, u32 -> u32", "%y = and %b, 65535u32; %r = mul %a, %y", &[("7u32, 0x1ffffu32", "458745u32")]),
    ),
    (
        "uadd_carry",
        text(
            "u32, u32 -> u32",
            "%c = add_overflows %a, %b; %r = cast %c to u32",
            &[("4294967295u32, 1u32", "1u32"), ("4294967294u32, 1u32", "0u32")],
        ),
    ),
    (
        "usub_borrow",
        text(
            "u32, u32 -> u32",
            "%c = sub_overflows %a, %b; %r = cast %c to u32",
            &[("1u32, 2u32", "1u32"), ("2u32, 2u32", "0u32")],
        ),
    ),
    ("iadd_sat", op(&[Op::AddSat])),
    ("uadd_sat", op(&[Op::AddSat])),
    ("isub_sat", op(&[Op::SubSat])),
    ("usub_sat", op(&[Op::SubSat])),
    ("uabs_isub", op(&[Op::AbsDiff])),
    ("uabs_usub", op(&[Op::AbsDiff])),
    ("ihadd", op(&[Op::AvgFloor])),
    ("uhadd", op(&[Op::AvgFloor])),
    ("irhadd", op(&[Op::AvgCeil])),
    ("urhadd", op(&[Op::AvgCeil])),
    ("imin", op(&[Op::Min])),
    ("umin", op(&[Op::Min])),
    ("imax", op(&[Op::Max])),
    ("umax", op(&[Op::Max])),
    (
        "iadd3",
        text("u32, u32, u32 -> u32", "%x = add %a, %b; %r = add %x, %c", &[("1u32, 2u32, 4294967295u32", "2u32")]),
    ),
    ("imad", text("i32, i32, i32 -> i32", "%x = mul %a, %b; %r = add %x, %c", &[("3i32, -5i32, 1i32", "-14i32")])),
    ("imul24", Here::Absent("products of 24 bits: shift both operands, then `mul`")),
    ("umul24", Here::Absent("products of 24 bits: `and` both operands, then `mul`")),
    ("umad24", Here::Absent("products of 24 bits: `and` both operands, then `mul` and `add`")),
    (
        "uadd64_32",
        text(
            "u32, u32, u32, u32 -> u64",
            "%v = vec %a, %b; %w = vec %c, %d; %x = cast %v to u64; %y = cast %w to u64; %r = add %x, %y",
            &[("4294967295u32, 1u32, 1u32, 2u32", "17179869184u64")],
        ),
    ),
    (
        "umad64_32",
        text(
            "u32, u32, u64 -> u64",
            "%x = cast %a to u64; %y = cast %b to u64; %p = mul %x, %y; %r = add %p, %c",
            &[("65536u32, 65536u32, 7u64", "4294967303u64")],
        ),
    ),
    ("iand", op(&[Op::And])),
    ("ior", op(&[Op::Or])),
    ("ixor", op(&[Op::Xor])),
    ("inot", op(&[Op::Not])),
    ("ishl", op(&[Op::Shl])),
    ("ishr", op(&[Op::Shr])),
    ("ushr", op(&[Op::Shr])),
    ("urol", op(&[Op::RotateLeft])),
    ("uror", op(&[Op::RotateRight])),
    ("shfr", op(&[Op::FunnelShr])),
    ("bitfield_reverse", op(&[Op::ReverseBits])),
    ("bit_count", op(&[Op::CountOnes])),
    ("find_lsb", op(&[Op::FindLsb])),
    ("ufind_msb", op(&[Op::FindMsb])),
    ("ifind_msb", op(&[Op::FindMsb])),
    (
        "ufind_msb_rev",
        text(
            "u32 -> i32",
            "%z = clz %a; %n = eq %a, 0u32; %i = cast %z to i32; %r = select %n, -1i32, %i",
            &[("0u32", "-1i32"), ("1u32", "31i32")],
        ),
    ),
    (
        "ifind_msb_rev",
        text(
            "i32 -> i32",
            "%m = find_msb %a; %n = lt %m, 0i32; %i = sub 31i32, %m; %r = select %n, -1i32, %i",
            &[("-1i32", "-1i32"), ("1i32", "31i32"), ("-2147483648i32", "1i32")],
        ),
    ),
    ("uclz", op(&[Op::LeadingZeros])),
    (
        "ubfe",
        text(
            "u32, u32, u32 -> u32",
            "%o = and %b, 31u32; %n = and %c, 31u32; %r = bit_extract %a, %o, %n",
            &[
                ("0xff00u32, 8u32, 4u32", "15u32"),
                ("0xff00u32, 40u32, 36u32", "15u32"),
                ("0xffffffffu32, 28u32, 8u32", "15u32"),
            ],
        ),
    ),
    (
        "ibfe",
        text(
            "i32, u32, u32 -> i32",
            "%o = and %b, 31u32; %n = and %c, 31u32; %r = bit_extract %a, %o, %n",
            &[("0xf00i32, 8u32, 4u32", "-1i32"), ("7i32, 0u32, 0u32", "0i32")],
        ),
    ),
    (
        "ubitfield_extract",
        text(
            "u32, u32, u32 -> u32",
            "%e = add_sat %b, %c; %in = le %e, 32u32; %x = bit_extract %a, %b, %c; %r = select %in, %x, 0u32",
            &[("0xff00u32, 8u32, 4u32", "15u32"), ("0xffffffffu32, 28u32, 8u32", "0u32")],
        ),
    ),
    (
        "ibitfield_extract",
        text(
            "i32, u32, u32 -> i32",
            "%e = add_sat %b, %c; %in = le %e, 32u32; %x = bit_extract %a, %b, %c; %r = select %in, %x, 0i32",
            &[("0xf00i32, 8u32, 4u32", "-1i32"), ("-1i32, 28u32, 8u32", "0i32")],
        ),
    ),
    (
        "bitfield_insert",
        text(
            "u32, u32, u32, u32 -> u32",
            "%e = add_sat %c, %d; %in = le %e, 32u32; %x = bit_insert %a, %b, %c, %d; %r = select %in, %x, 0u32",
            &[("0u32, 5u32, 4u32, 2u32", "16u32"), ("7u32, 5u32, 30u32, 4u32", "0u32")],
        ),
    ),
    (
        "bfm",
        text(
            "u32, u32 -> u32",
            "%n = and %a, 31u32; %o = and %b, 31u32; %x = shl 1u32, %n; %m = sub %x, 1u32; %r = shl %m, %o",
            &[("4u32, 8u32", "3840u32"), ("32u32, 1u32", "0u32")],
        ),
    ),
    (
        "bfi",
        text(
            "u32, u32, u32 -> u32",
            "%t = ctz %a; %s = shl %b, %t; %x = bit_select %a, %s, %c; %z = eq %a, 0u32; %r = select %z, %c, %x",
            &[("0xf0u32, 5u32, 0xffffu32", "0xff5fu32"), ("0u32, 5u32, 9u32", "9u32")],
        ),
    ),
    ("bitfield_select", op(&[Op::BitSelect])),
    ("bitnz", op(&[Op::TestBit])),
    (
        "bitz",
        text(
            "u32, u32 -> bool",
            "%t = test_bit %a, %b; %r = not %t",
            &[("4u32, 34u32", "false"), ("4u32, 1u32", "true")],
        ),
    ),
    (
        "extract_u8",
        text(
            "u32, u32 -> u32",
            "%o = mul %b, 8u32; %r = bit_extract %a, %o, 8u32",
            &[("0x12345678u32, 2u32", "0x34u32")],
        ),
    ),
    (
        "extract_i8",
        text("i32, u32 -> i32", "%o = mul %b, 8u32; %r = bit_extract %a, %o, 8u32", &[("0xff00i32, 1u32", "-1i32")]),
    ),
    (
        "extract_u16",
        text(
            "u32, u32 -> u32",
            "%o = mul %b, 16u32; %r = bit_extract %a, %o, 16u32",
            &[("0x12345678u32, 1u32", "0x1234u32")],
        ),
    ),
    (
        "extract_i16",
        text("i32, u32 -> i32", "%o = mul %b, 16u32; %r = bit_extract %a, %o, 16u32", &[("0xffffi32, 0u32", "-1i32")]),
    ),
    (
        "insert_u8",
        text(
            "u32, u32 -> u32",
            "%o = mul %b, 8u32; %r = bit_insert 0u32, %a, %o, 8u32",
            &[("0x1ffu32, 2u32", "0xff0000u32")],
        ),
    ),
    (
        "insert_u16",
        text(
            "u32, u32 -> u32",
            "%o = mul %b, 16u32; %r = bit_insert 0u32, %a, %o, 16u32",
            &[("0x1ffffu32, 1u32", "0xffff0000u32")],
        ),
    ),
    ("udiv_aligned_4", text("u32 -> u32", "%r = shr %a, 2u32", &[("12u32", "3u32")])),
    (
        "interleave",
        text(
            "u16, u16 -> u32",
            "%x = cast %a to u32; %y = cast %b to u32; %x8 = shl %x, 8u32; %x0 = or %x, %x8; %x1 = and %x0, 0xff00ffu32; \
             %x4 = shl %x1, 4u32; %x2 = or %x1, %x4; %x3 = and %x2, 0xf0f0f0fu32; %x5 = shl %x3, 2u32; %x6 = or %x3, %x5; \
             %x7 = and %x6, 0x33333333u32; %x9 = shl %x7, 1u32; %xa = or %x7, %x9; %xb = and %xa, 0x55555555u32; \
             %y8 = shl %y, 8u32; %y0 = or %y, %y8; %y1 = and %y0, 0xff00ffu32; \
             %y4 = shl %y1, 4u32; %y2 = or %y1, %y4; %y3 = and %y2, 0xf0f0f0fu32; %y5 = shl %y3, 2u32; %y6 = or %y3, %y5; \
             %y7 = and %y6, 0x33333333u32; %y9 = shl %y7, 1u32; %ya = or %y7, %y9; %yb = and %ya, 0x55555555u32; \
             %yc = shl %yb, 1u32; %r = or %xb, %yc",
            &[("65535u16, 0u16", "0x55555555u32"), ("5u16, 3u16", "27u32")],
        ),
    ),
    ("flt", op(&[Op::Lt])),
    ("fge", op(&[Op::Ge])),
    ("feq", op(&[Op::Eq])),
    ("fneu", op(&[Op::Ne])),
    (
        "fltu",
        text(
            "f32, f32 -> bool",
            "%x = ge %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 1.0f32", "false")],
        ),
    ),
    (
        "fgeu",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %r = not %x",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 2.0f32", "false")],
        ),
    ),
    (
        "fequ",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %y = gt %a, %b; %z = or %x, %y; %r = not %z",
            &[("bits(0x7fc00000)f32, 1.0f32", "true"), ("1.0f32, 2.0f32", "false")],
        ),
    ),
    (
        "fneo",
        text(
            "f32, f32 -> bool",
            "%x = lt %a, %b; %y = gt %a, %b; %r = or %x, %y",
            &[("bits(0x7fc00000)f32, 1.0f32", "false"), ("1.0f32, 2.0f32", "true")],
        ),
    ),
    (
        "ford",
        text(
            "f32, f32 -> bool",
            "%x = is_nan %a; %y = is_nan %b; %z = or %x, %y; %r = not %z",
            &[("bits(0x7fc00000)f32, 1.0f32", "false"), ("1.0f32, 2.0f32", "true")],
        ),
    ),
    (
        "funord",
        text(
            "f32, f32 -> bool",
            "%x = is_nan %a; %y = is_nan %b; %r = or %x, %y",
            &[("1.0f32, bits(0x7fc00000)f32", "true")],
        ),
    ),
    ("ilt", op(&[Op::Lt])),
    ("ige", op(&[Op::Ge])),
    ("ult", op(&[Op::Lt])),
    ("uge", op(&[Op::Ge])),
    ("ieq", op(&[Op::Eq])),
    ("ine", op(&[Op::Ne])),
    ("bcsel", op(&[Op::Select])),
    (
        "fcsel",
        text(
            "f32, u32, u32 -> u32",
            "%x = ne %a, 0.0f32; %r = select %x, %b, %c",
            &[("bits(0x7fc00000)f32, 1u32, 2u32", "1u32")],
        ),
    ),
    (
        "icsel_eqz",
        text("i32, u32, u32 -> u32", "%x = eq %a, 0i32; %r = select %x, %b, %c", &[("0i32, 1u32, 2u32", "1u32")]),
    ),
    (
        "i32csel_gt",
        text("i32, u32, u32 -> u32", "%x = gt %a, 0i32; %r = select %x, %b, %c", &[("0i32, 1u32, 2u32", "2u32")]),
    ),
    (
        "i32csel_ge",
        text("i32, u32, u32 -> u32", "%x = ge %a, 0i32; %r = select %x, %b, %c", &[("0i32, 1u32, 2u32", "1u32")]),
    ),
    (
        "fcsel_gt",
        text("f32, u32, u32 -> u32", "%x = gt %a, 0.0f32; %r = select %x, %b, %c", &[("-0.0f32, 1u32, 2u32", "2u32")]),
    ),
    (
        "fcsel_ge",
        text("f32, u32, u32 -> u32", "%x = ge %a, 0.0f32; %r = select %x, %b, %c", &[("-0.0f32, 1u32, 2u32", "1u32")]),
    ),
    ("slt", COMPARED),
    ("sge", COMPARED),
    ("seq", COMPARED),
    ("sne", COMPARED),
    ("fadd", op(&[Op::Add])),
    ("fsub", op(&[Op::Sub])),
    ("fmul", op(&[Op::Mul])),
    ("fdiv", op(&[Op::Div])),
    ("fsqrt", op(&[Op::Sqrt])),
    ("frcp", op(&[Op::Recip])),
    (
        "frsq",
        text("f32 -> f32", "%x = sqrt %a; %r = recip %x", &[("4.0f32", "0.5f32"), ("0.0f32", "bits(0x7f800000)f32")]),
    ),
    ("fneg", op(&[Op::Neg])),
    ("fabs", op(&[Op::Abs])),
    (
        "fsign",
        text(
            "f32 -> f32",
            "%s = sign %a; %z = eq %a, 0.0f32; %x = select %z, %a, %s; %n = is_nan %a; %r = select %n, 0.0f32, %x",
            &[("-0.0f32", "-0.0f32"), ("bits(0x7fc00000)f32", "0.0f32"), ("-3.0f32", "-1.0f32")],
        ),
    ),
    ("fsat", op(&[Op::Saturate])),
    ("ffract", text("f32 -> f32", "%x = floor %a; %r = sub %a, %x", &[("-1.25f32", "0.75f32")])),
    ("ffloor", op(&[Op::Floor])),
    ("fceil", op(&[Op::Ceil])),
    ("ftrunc", op(&[Op::Trunc])),
    ("fround_even", op(&[Op::RoundEven])),
    ("fmin", op(&[Op::Min])),
    ("fmax", op(&[Op::Max])),
    ("fmulz", D3D9),
    ("ffmaz", D3D9),
    ("ffma", op(&[Op::MulAdd])),
    (
        "flrp",
        text(
            "f32, f32, f32 -> f32",
            "%n = sub 1.0f32, %c; %x = mul %a, %n; %y = mul %b, %c; %r = add %x, %y",
            &[("2.0f32, 4.0f32, 0.25f32", "2.5f32")],
        ),
    ),
    (
        "fmod",
        text(
            "f32, f32 -> f32",
            "%q = div %a, %b; %w = floor %q; %x = mul %b, %w; %r = sub %a, %x",
            &[("-5.0f32, 3.0f32", "1.0f32")],
        ),
    ),
    (
        "frem",
        text(
            "f32, f32 -> f32",
            "%q = div %a, %b; %w = trunc %q; %x = mul %b, %w; %r = sub %a, %x",
            &[("-5.0f32, 3.0f32", "-2.0f32")],
        ),
    ),
    ("frexp_sig", op(&[Op::FrexpFraction])),
    ("frexp_exp", op(&[Op::FrexpExponent])),
    (
        "ldexp",
        text(
            "f32, i32 -> f32",
            "%x = ldexp %a, %b; %n = is_normal %x; %z = copysign 0.0f32, %x; %r = select %n, %x, %z",
            &[("1.0f32, 3i32", "8.0f32"), ("-1.0f32, -149i32", "-0.0f32")],
        ),
    ),
    ("fexp2", op(&[Op::Exp2])),
    ("flog2", op(&[Op::Log2])),
    ("fsin", op(&[Op::Sin])),
    ("fcos", op(&[Op::Cos])),
    ("fpow", op(&[Op::Powf])),
    (
        "fquantize2f16",
        text(
            "f32 -> f32",
            "%h = cast %a to f16; %x = cast %h to f32; %m = abs %a; %t = lt %m, 0.00006103515625f32; %z = copysign 0.0f32, %a; %r = select %t, %z, %x",
            &[("1.0001f32", "1.0f32"), ("-0.00001f32", "-0.0f32"), ("70000.0f32", "bits(0x7f800000)f32")],
        ),
    ),
    ("fisnormal", op(&[Op::IsNormal])),
    ("fisfinite", op(&[Op::IsFinite])),
    ("fcopysign_pco", op(&[Op::CopySign])),
    (
        "fsum2, fsum3, fsum4",
        text(
            "f32, f32, f32, f32 -> f32",
            "%x = add %a, %b; %y = add %c, %d; %r = add %x, %y",
            &[("1.0f32, 2.0f32, 3.0f32, 4.0f32", "10.0f32")],
        ),
    ),
    (
        "fdot2, fdot3, fdot4",
        text(
            "f32, f32, f32, f32 -> f32",
            "%x = mul %a, %c; %y = mul %b, %d; %r = add %y, %x",
            &[("1.0f32, 2.0f32, 3.0f32, 4.0f32", "11.0f32")],
        ),
    ),
    ("fdot5, fdot8, fdot16", Here::Absent("vectors have two to four lanes")),
    ("fdot*_replicated, fdph", Here::Absent("a `dot` of its own, and `vec` of the sum")),
    ("i2f, u2f", op(&[Op::Cast])),
    ("i2i, u2u", op(&[Op::Cast])),
    ("f2i, f2u", op(&[Op::Cast])),
    ("f2i*_sat, f2u*_sat", op(&[Op::Cast])),
    (
        "f2i32_rtne",
        text(
            "f32 -> i32",
            "%x = round_even %a; %r = cast %x to i32",
            &[("2.5f32", "2i32"), ("3e9f32", "2147483647i32")],
        ),
    ),
    ("f2f16, f2f16_rtne, f2f32, f2f64", op(&[Op::Cast])),
    ("f2f16_rtz", op(&[Op::NarrowToZero])),
    (
        "f2f16_ru, f2f16_rd",
        Here::Absent("no target rounds these directions; `f16_to_zero` and a step of the bits make them"),
    ),
    ("b2f, b2i", text("bool -> u32", "%r = cast %a to u32", &[("true", "1u32")])),
    ("b2b", Here::Absent("`bool` has one form")),
    (
        "f2fmp, i2imp, f2imp, f2ump, i2fmp, u2fmp",
        Here::Absent("types of medium precision: their results differ between devices"),
    ),
    ("f2bf", op(&[Op::ToBfloat])),
    ("bf2f", op(&[Op::FromBfloat])),
    ("bfmul, bffma, bfdot*", Here::Absent("arithmetic is on `f32`: `from_bf16`, the op, `to_bf16`")),
    ("e4m3fn2f, f2e4m3fn, e5m22f, f2e5m2", Here::Absent("there are no floats of 8 bits yet")),
    ("pack_half_2x16", op(&[Op::PackHalf])),
    ("pack_half_2x16_rtz_split", op(&[Op::PackHalfToZero])),
    ("unpack_half_2x16", op(&[Op::UnpackHalf])),
    ("pack_snorm_2x16", op(&[Op::PackSnorm2])),
    ("pack_unorm_2x16", op(&[Op::PackUnorm2])),
    ("unpack_snorm_2x16", op(&[Op::UnpackSnorm2])),
    ("unpack_unorm_2x16", op(&[Op::UnpackUnorm2])),
    ("pack_snorm_4x8", op(&[Op::PackSnorm4])),
    ("pack_unorm_4x8", op(&[Op::PackUnorm4])),
    ("unpack_snorm_4x8", op(&[Op::UnpackSnorm4])),
    ("unpack_unorm_4x8", op(&[Op::UnpackUnorm4])),
    (
        "pack_uint_2x16",
        text(
            "u32, u32 -> u32",
            "%x = min %a, 65535u32; %y = min %b, 65535u32; %r = bit_insert %x, %y, 16u32, 16u32",
            &[("70000u32, 2u32", "0x2ffffu32")],
        ),
    ),
    (
        "pack_sint_2x16",
        text(
            "i32, i32 -> i32",
            "%x = clamp %a, -32768i32, 32767i32; %y = clamp %b, -32768i32, 32767i32; %r = bit_insert %x, %y, 16u32, 16u32",
            &[("-1i32, 70000i32", "0x7fffffffi32")],
        ),
    ),
    (
        "pack_64_2x32",
        text("u32, u32 -> u64", "%v = vec %a, %b; %r = cast %v to u64", &[("1u32, 2u32", "8589934593u64")]),
    ),
    (
        "unpack_64_2x32",
        text("u64 -> u32", "%v = cast %a to vec2<u32>; %r = extract %v, 1u32", &[("8589934593u64", "2u32")]),
    ),
    (
        "pack_32_2x16",
        text(
            "u16, u16 -> u32",
            "%x = cast %a to u32; %y = cast %b to u32; %r = bit_insert %x, %y, 16u32, 16u32",
            &[("1u16, 2u16", "131073u32")],
        ),
    ),
    ("unpack_32_2x16", text("u32 -> u16", "%x = shr %a, 16u32; %r = cast %x to u16", &[("131073u32", "2u16")])),
    (
        "pack_32_4x8",
        text(
            "u8, u8, u8, u8 -> u32",
            "%x = cast %a to u32; %y = cast %b to u32; %z = cast %c to u32; %w = cast %d to u32; \
             %p = bit_insert %x, %y, 8u32, 8u32; %q = bit_insert %p, %z, 16u32, 8u32; %r = bit_insert %q, %w, 24u32, 8u32",
            &[("1u8, 2u8, 3u8, 4u8", "0x4030201u32")],
        ),
    ),
    (
        "unpack_32_4x8",
        text("u32 -> u8", "%x = bit_extract %a, 16u32, 8u32; %r = cast %x to u8", &[("0x4030201u32", "3u8")]),
    ),
    (
        "pack_64_4x16",
        text(
            "u32, u32 -> u64",
            "%v = vec %a, %b; %r = cast %v to u64",
            &[("0x20001u32, 0x40003u32", "0x4000300020001u64")],
        ),
    ),
    (
        "unpack_64_4x16",
        text("u64 -> u16", "%x = bit_extract %a, 32u32, 16u32; %r = cast %x to u16", &[("0x4000300020001u64", "3u16")]),
    ),
    ("vec2, vec3, vec4", op(&[Op::Construct])),
    ("vec5, vec8, vec16", Here::Absent("vectors have two to four lanes")),
    (
        "ball_iequal, ball_fequal",
        text(
            "u32, u32, u32, u32 -> bool",
            "%v = vec %a, %b; %w = vec %c, %d; %e = eq %v, %w; %r = all %e",
            &[("1u32, 2u32, 1u32, 2u32", "true"), ("1u32, 2u32, 1u32, 3u32", "false")],
        ),
    ),
    (
        "bany_inequal, bany_fnequal",
        text(
            "u32, u32, u32, u32 -> bool",
            "%v = vec %a, %b; %w = vec %c, %d; %e = ne %v, %w; %r = any %e",
            &[("1u32, 2u32, 1u32, 3u32", "true")],
        ),
    ),
    ("fall_equal, fany_nequal", COMPARED),
    ("sdot_4x8_iadd", op(&[Op::DotI8])),
    ("udot_4x8_uadd", op(&[Op::DotU8])),
    ("sudot_4x8_iadd", op(&[Op::DotI8U8])),
    ("sdot_4x8_iadd_sat", op(&[Op::DotI8Sat])),
    ("udot_4x8_uadd_sat", op(&[Op::DotU8Sat])),
    ("sudot_4x8_iadd_sat", op(&[Op::DotI8U8Sat])),
    ("sdot_2x16_iadd", op(&[Op::DotI16])),
    ("udot_2x16_uadd", op(&[Op::DotU16])),
    ("sdot_2x16_iadd_sat", op(&[Op::DotI16Sat])),
    ("udot_2x16_uadd_sat", op(&[Op::DotU16Sat])),
    ("msad_4x8", op(&[Op::MaskedSad])),
    ("mqsad_4x8", Here::Absent("four `msad4_u8` on a 64-bit window that is shifted by a byte each")),
    ("*_ir3, *_amd, *_mdg, *_pan, *_agx, *_nv, *_vc4, *_v3d, *_pco", VENDOR),
];

/// The names of the opcodes for compute in NIR's own table, without vendors' and without
/// the suffixes of result widths.
pub const NAMES: &str = "iadd isub imul amul ineg iabs isign idiv udiv umod irem imod imul_high umul_high imul_2x32_64 \
    umul_2x32_64 umul_low umul_16x16 imul_32x16 umul_32x16 uadd_carry usub_borrow iadd_sat uadd_sat isub_sat usub_sat uabs_isub \
    uabs_usub ihadd uhadd irhadd urhadd imin umin imax umax iadd3 imad imul24 umul24 umad24 uadd64_32 umad64_32 iand ior ixor \
    inot ishl ishr ushr urol uror shfr bitfield_reverse bit_count find_lsb ufind_msb ifind_msb ufind_msb_rev ifind_msb_rev uclz \
    ubfe ibfe ubitfield_extract ibitfield_extract bitfield_insert bfm bfi bitfield_select bitz bitnz extract_u8 extract_i8 \
    extract_u16 extract_i16 insert_u8 insert_u16 udiv_aligned_4 interleave flt fge feq fneu fltu fgeu fequ fneo ford funord ilt \
    ige ult uge ieq ine bcsel fcsel icsel_eqz i32csel_gt i32csel_ge fcsel_gt fcsel_ge slt sge seq sne fadd fsub fmul fdiv fsqrt \
    frcp frsq fneg fabs fsign fsat ffract ffloor fceil ftrunc fround_even fmin fmax fmulz ffmaz ffma flrp fmod frem frexp_sig \
    frexp_exp ldexp fexp2 flog2 fsin fcos fpow fquantize2f16 fisnormal fisfinite fsum2 fsum3 fsum4 fdot2 fdot3 fdot4 i2f u2f i2i \
    u2u f2i f2u f2i32_rtne f2f16 f2f16_rtne f2f16_rtz f2f16_ru f2f16_rd f2f32 f2f64 b2f b2i b2b f2bf bf2f pack_half_2x16 \
    pack_half_2x16_rtz_split unpack_half_2x16 pack_snorm_2x16 pack_unorm_2x16 unpack_snorm_2x16 unpack_unorm_2x16 pack_snorm_4x8 \
    pack_unorm_4x8 unpack_snorm_4x8 unpack_unorm_4x8 pack_uint_2x16 pack_sint_2x16 pack_64_2x32 unpack_64_2x32 pack_32_2x16 \
    unpack_32_2x16 pack_32_4x8 unpack_32_4x8 pack_64_4x16 unpack_64_4x16 vec2 vec3 vec4 vec5 vec8 vec16 ball_iequal ball_fequal \
    bany_inequal bany_fnequal fall_equal fany_nequal sdot_4x8_iadd udot_4x8_uadd sudot_4x8_iadd sdot_4x8_iadd_sat \
    udot_4x8_uadd_sat sudot_4x8_iadd_sat sdot_2x16_iadd udot_2x16_uadd sdot_2x16_iadd_sat udot_2x16_uadd_sat msad_4x8 mqsad_4x8";
