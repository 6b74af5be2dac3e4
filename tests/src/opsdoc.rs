//! The page `docs/src/reference/ops.md`, made from the compiler's tables.
//!
//! The values on the page come from running each op on operands at the edges of its types. So
//! the page cannot promise something else than what folding and the interpreter do.

use samebits_ir::ops::{
    Associative, AtomicOp, Builtin, Class, FloatClass, Op, OpInfo, Part, Signature, SubgroupOp, SubgroupSignature,
};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type, Types};
use std::fmt::Write as _;

/// The whole page.
pub fn page() -> String {
    let mut out = String::from(
        "# Ops\n\n\
         This page is generated from `ir/src/ops/mod.rs` by `tests/src/opsdoc.rs`; a test keeps it fresh.\n\n\
         ## Pure ops\n\n\
         `T` is a scalar of the class or a vector of it; ops work lane by lane on vectors.\n\
         A float result that is NaN has the bits `0x7fc00000`, except where the column of floats says `bits`: such an op moves bits.\n\n\
         | number | name | signature | laws | floats | Rust | elsewhere | value |\n\
         | ---: | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for op in Op::ALL {
        let info = op.info();
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} | {} | {} | {} | {}{} |",
            info.number,
            info.name,
            signature(info.signature),
            laws(info),
            floats(info.float),
            spellings(info),
            elsewhere(*op),
            escaped(info.doc),
            examples(*op),
        );
    }
    out.push_str(
        "\n## Atomic ops\n\n\
         An atomic op acts on one number in a root with atomic access, in one step, and gives the value from before.\n\
         It has a memory order: relaxed between all invocations of the device where nothing else is stated.\n\
         Sums of floats depend on the order in which invocations add, which may differ from run to run.\n\n\
         | number | name | types | operands | Rust | meaning |\n\
         | ---: | --- | --- | ---: | --- | --- |\n",
    );
    for op in AtomicOp::ALL {
        let (number, name, operands, rust) = (op.number(), op.name(), op.operands(), op.rust());
        let _ = writeln!(
            out,
            "| {number} | `atomic.{name}` | {} | {operands} | `{rust}` | {} {} |",
            class(op.class()),
            op.doc(),
            atomic_example(*op)
        );
    }
    out.push_str(
        "\n## Subgroup ops\n\n\
         A subgroup is 32 consecutive local indices, also where a device has others; the last one of a workgroup may have fewer.\n\
         A *lane* is an invocation by its place in its subgroup.\n\
         Every invocation of the subgroup takes part in a subgroup op, whatever others of the workgroup do; no memory is ordered.\n\
         Reductions go in steps of 1, 2, 4, 8 and 16: in each, a lane's value becomes `op(own, other)`, with the value before the step of \
         the lane whose number is its own exclusive or the step, and stays if there is none. The result is the first lane's.\n\
         Scans go in the same steps: a lane's value becomes `op(other, own)`, with the value before the step of the lane that is a step before it.\n\
         Vectors are done lane by lane.\n\n\
         | number | name | signature | Rust | value |\n\
         | ---: | --- | --- | --- | --- |\n",
    );
    for op in SubgroupOp::ALL {
        let signature = match op.signature() {
            SubgroupSignature::Value(of) => format!("`(T) -> T`; {}", class(of)),
            SubgroupSignature::Exchange(of) => format!("`(T, u32) -> T`; {}", class(of)),
            SubgroupSignature::Vote => "`(bool) -> bool`".to_owned(),
            SubgroupSignature::Ballot => "`(bool) -> u32`".to_owned(),
            SubgroupSignature::Elect => "`() -> bool`".to_owned(),
        };
        let (number, name, rust, doc) = (op.number(), op.name(), op.rust(), op.doc());
        let _ = writeln!(out, "| {number} | `subgroup.{name}` | {signature} | `{rust}()` | {doc} {} |", lanes(*op));
    }
    out.push_str(
        "\n## Builtins\n\n\
         Every builtin is a `u32` here and a `usize` in a kernel written in Rust, where `global_id.x` is `global_id().x`.\n\n\
         | number | name | axis | value |\n\
         | ---: | --- | --- | --- |\n",
    );
    for builtin in Builtin::ALL {
        let axis = builtin.axis().map_or("", |axis| ["x", "y", "z"][axis]);
        let _ = writeln!(out, "| {} | `{}` | {axis} | {} |", builtin.number(), builtin.name(), builtin.doc());
    }
    out
}

/// A text for a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn class(class: Class) -> String {
    if class == Class::ANY {
        return "any scalar".to_owned();
    }
    class.members().map(|scalar| format!("`{}`", scalar.name())).collect::<Vec<_>>().join(" ")
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Same => "T",
        Part::Unsigned => "unsigned T",
        Part::U32 => "u32",
        Part::I32 => "i32",
        Part::Bool => "bool",
    }
}

fn signature(signature: Signature) -> String {
    let types = Types::default();
    let shape = match signature {
        Signature::Lanes(_, parts, result) => {
            let operands: Vec<&str> = parts.iter().map(|&operand| part(operand)).collect();
            format!("`({}) -> {}`", operands.join(", "), part(result))
        }
        Signature::Fixed(operands, result) => {
            let operands: Vec<String> = operands.iter().map(|&ty| types.display(ty).to_string()).collect();
            return format!("`({}) -> {}`", operands.join(", "), types.display(result));
        }
        Signature::Select => "`(bool, T, T) -> T`".to_owned(),
        Signature::Cast => "`(T) -> U`, a pair of the cast table".to_owned(),
        Signature::Bitcast => "`(T) -> U` of as many bits".to_owned(),
        Signature::Construct => "two to four `T` to their vector".to_owned(),
        Signature::Extract => "`(vector of T, u32) -> T`".to_owned(),
        Signature::Insert => "`(vector of T, u32, T) -> vector of T`".to_owned(),
        Signature::Reduce => "`(vector of T) -> T`".to_owned(),
    };
    format!("{shape}; {}", class(signature.class()))
}

fn laws(info: &OpInfo) -> String {
    let associative = match info.associative {
        Associative::Exact => Some("associative"),
        Associative::Inexact => Some("associative for integers"),
        Associative::No => None,
    };
    let commutative = info.commutative.then_some("commutative");
    commutative.into_iter().chain(associative).collect::<Vec<_>>().join(", ")
}

fn floats(class: FloatClass) -> &'static str {
    match class {
        FloatClass::Bits => "bits",
        FloatClass::Exact => "exact",
        FloatClass::CorrectlyRounded => "correctly rounded",
        FloatClass::Stepwise => "each step correctly rounded",
        FloatClass::Library => "correctly rounded; `f64` within a unit in the last place, always the same",
        FloatClass::Approximate => "within a unit in the last place, always the same",
        FloatClass::None => "",
    }
}

fn spellings(info: &OpInfo) -> String {
    info.rust.iter().map(|rust| format!("`{}`", escaped(&rust.to_string()))).collect::<Vec<_>>().join(" ")
}

/// What other systems call an op.
fn elsewhere(op: Op) -> String {
    let systems = crate::systems::names(op);
    let shown = systems.iter().map(|(system, names)| format!("{system} `{}`", names.join("` `")));
    shown.collect::<Vec<_>>().join("; ")
}

/// A value as the text form writes it, short enough for a table.
fn shown(scalar: Scalar, bits: u64) -> String {
    let unused = 64 - scalar.bits();
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        _ if bits == scalar.mask() >> 1 && scalar.is_signed() => "MAX".to_owned(),
        _ if bits == 1 << (scalar.bits() - 1) && scalar.is_signed() => "MIN".to_owned(),
        _ if scalar.is_signed() => ((bits << unused) as i64 >> unused).to_string(),
        _ if bits == scalar.mask() => "MAX".to_owned(),
        _ => bits.to_string(),
    }
}

/// Operands at the edges of a scalar, three each.
fn operands(scalar: Scalar) -> &'static [[u64; 3]] {
    const NEG_2_5: u64 = 0xc020_0000;
    const NAN: u64 = 0x7fc0_0000;
    const ONE: u64 = 0x3f80_0000;
    const NEG_0: u64 = 0x8000_0000;
    match scalar {
        Scalar::I32 => &[[0x8000_0000, 0xffff_ffff, 0], [0xffff_fff9, 0, 0]],
        Scalar::U32 => &[[7, 0, 0], [0xffff_ffff, 33, 0]],
        Scalar::F32 => &[[NEG_2_5, ONE, NEG_0], [NAN, ONE, ONE]],
        _ => &[],
    }
}

/// Numbers of bits and places, for the operands that are not of the leading one's type.
const COUNTS: [[u64; 4]; 2] = [[0, 33, 4, 8], [0, 3, 8, 40]];

/// What an op that works lane by lane gives on some operands, in the widest of its types.
fn examples(op: Op) -> String {
    let info = op.info();
    let Signature::Lanes(class, parts, _) = info.signature else { return String::new() };
    let mut out = String::new();
    for scalar in [Scalar::I32, Scalar::U32, Scalar::F32] {
        if !class.contains(scalar) {
            continue;
        }
        let Some((types, result)) = info.signature.types(Type::Scalar(scalar)) else { continue };
        for (bits, counts) in operands(scalar).iter().zip(COUNTS) {
            let operand = |n: usize| if parts[n] == Part::Same { bits.get(n).copied().unwrap_or(0) } else { counts[n] };
            let lanes: Vec<Lanes> = (0..types.len()).map(|n| [operand(n), 0, 0, 0]).collect();
            let shown_as = |ty: Type, lanes: &Lanes| ty.lane().map_or_else(String::new, |lane| shown(lane, lanes[0]));
            let arguments: Vec<_> = types.iter().zip(&lanes).map(|(&ty, lanes)| shown_as(ty, lanes)).collect();
            let value = shown_as(result, &op.eval(&types, result, &lanes));
            let _ = write!(out, " `{}: {} -> {value}`", scalar.name(), arguments.join(", "));
        }
    }
    out
}

/// What a subgroup of three lanes gets, which have 5, 6 and 7, or whose truths are mixed.
fn lanes(op: SubgroupOp) -> String {
    let (ty, values) = match op.class().contains(Scalar::U32) {
        true => (Scalar::U32, [5, 6, 7]),
        false => (Scalar::Bool, [1, 0, 1]),
    };
    let result = op.result(&[Type::Scalar(ty), Type::U32][..op.operands()]).and_then(Type::lane).unwrap_or(ty);
    let list = |ty, values: &[u64]| values.iter().map(|&bits| shown(ty, bits)).collect::<Vec<_>>().join(", ");
    let given = match op.operands() {
        0 => String::new(),
        1 => format!("{} ", list(ty, &values)),
        _ => format!("{} with 1 ", list(ty, &values)),
    };
    format!("`{given}-> {}`", list(result, &op.apply(ty, &values, &[1; 3])))
}

/// What is in memory after an atomic op on 5, whose operands are 5 and 9.
fn atomic_example(op: AtomicOp) -> String {
    let before = 5;
    let operands = [[5, 9], [9, 0]][usize::from(op.operands() < 2)];
    let after = op.apply(Scalar::U32, before, operands);
    let given = &operands[..op.operands()];
    let given = given.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    format!("`{before}` with `({given})` becomes `{after}`")
}
