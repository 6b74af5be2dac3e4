//! Alignment: how many low bits of an integer are always zero, and by what a place is always
//! divisible.
//!
//! A forward dataflow over structured SSA. Parameters of loops are first assumed to be aligned,
//! and lose alignment until nothing changes. A loop that takes too many rounds for that gets no
//! alignment.

use crate::arena::Side;
use crate::ir::{Function, InstKind, Place, Region, Value, ValueDef};
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// The low bits of zero, which has no other.
const ALL: u32 = 64;

/// After so many rounds parameters that still lose alignment have none.
const MAX_ROUNDS: usize = 12;

/// The low bits that are zero, of every integer of a function.
///
/// ```
/// use samebits_ir::analysis::align::Alignment;
/// use samebits_ir::{builder::Builder, ops::{Builtin, Op}, types::Scalar};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// let i = b.builtin(Builtin::GlobalIdX);
/// let twelve = b.constant(Scalar::U32, 12);
/// let product = b.op(Op::Mul, &[i, twelve]);
/// b.ret();
/// let function = b.finish();
/// let alignment = Alignment::of(&function);
/// assert_eq!((alignment.zeros(i), alignment.zeros(product)), (0, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Alignment {
    zeros: Side<ValueDef, u32>,
}

impl Alignment {
    /// Looks at a function in SSA form.
    pub fn of(function: &Function) -> Self {
        let mut walk = Walk { function, zeros: Side::new(ALL), changed: false };
        for &param in &function.regions[function.body].params {
            walk.zeros[param] = 0;
        }
        for (value, def) in function.values.iter() {
            if let Some(bits) = def.constant {
                walk.zeros[value] = bits.trailing_zeros();
            }
        }
        for round in 0.. {
            walk.changed = false;
            walk.region(function.body);
            if !walk.changed {
                break;
            }
            if round == MAX_ROUNDS {
                walk.give_up();
            }
        }
        Self { zeros: walk.zeros }
    }

    /// How many low bits of an integer are zero; 0 for other values.
    pub fn zeros(&self, value: Value) -> u32 {
        self.zeros[value]
    }

    /// The greatest power of two up to 2³⁰ that is known to divide the sum of the indices
    /// of a place times their strides. The offset is not part of it.
    pub fn indices(&self, place: &Place) -> u32 {
        let each = place.indices.iter().map(|index| self.zeros[index.value] + index.stride.trailing_zeros());
        1 << each.min().unwrap_or(ALL).min(30)
    }
}

struct Walk<'a> {
    function: &'a Function,
    /// What is not ruled out yet; only ever becomes less.
    zeros: Side<ValueDef, u32>,
    changed: bool,
}

impl Walk<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            match &def.kind {
                InstKind::Op(op, args) => {
                    if let Some(&result) = def.results.first() {
                        let zeros = self.op(*op, args, result);
                        self.lower(result, zeros);
                    }
                }
                InstKind::Load(_) | InstKind::Atomic(..) | InstKind::Len(_) | InstKind::Builtin(_) => {
                    self.lower_all(&def.results);
                }
                InstKind::Subgroup(..) | InstKind::Call { .. } | InstKind::Get(_) => self.lower_all(&def.results),
                InstKind::Store(..) | InstKind::Barrier | InstKind::Fence(..) | InstKind::Set(..) => {}
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in def.kind.regions() {
                        self.region(inner);
                        self.pass(function.yielded(inner).unwrap_or_default(), &def.results);
                    }
                }
                InstKind::Loop { body, initial, .. } => {
                    self.pass(initial, &function.regions[*body].params);
                    self.region(*body);
                }
                InstKind::Break(target, args) => self.pass(args, &function.insts[*target].results),
                InstKind::Continue(target, args) => {
                    if let InstKind::Loop { body, .. } = function.insts[*target].kind {
                        self.pass(args, &function.regions[body].params);
                    }
                }
                InstKind::Yield(_) | InstKind::Return(_) | InstKind::Unreachable => {}
            }
        }
    }

    fn lower(&mut self, value: Value, zeros: u32) {
        if zeros < self.zeros[value] {
            self.zeros[value] = zeros;
            self.changed = true;
        }
    }

    fn lower_all(&mut self, values: &[Value]) {
        for &value in values {
            self.lower(value, 0);
        }
    }

    /// Values that become others where control merges.
    fn pass(&mut self, from: &[Value], to: &[Value]) {
        for (&from, &to) in from.iter().zip(to) {
            self.lower(to, self.zeros[from]);
        }
    }

    /// Nothing is known of what goes round in loops; the rest follows in one round.
    fn give_up(&mut self) {
        let function = self.function;
        for (_, def) in function.insts.iter() {
            if let InstKind::Loop { body, .. } = def.kind {
                self.lower_all(&function.regions[body].params);
            }
        }
    }

    /// The low bits of an op's result that are zero where those of its operands are.
    fn op(&self, op: Op, args: &[Value], result: Value) -> u32 {
        let is_int = |value: Value| matches!(self.function.ty(value), Type::Scalar(lane) if lane.is_int());
        if !is_int(result) {
            return 0;
        }
        let zeros = |i: usize| args.get(i).map_or(0, |&arg| self.zeros[arg]);
        let bits = self.function.ty(result).lane().map_or(0, Scalar::bits);
        match op {
            Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Min | Op::Max => zeros(0).min(zeros(1)),
            // What divides both divides the remainder, also by zero, which gives zero.
            Op::Rem => zeros(0).min(zeros(1)),
            Op::Mul => (zeros(0) + zeros(1)).min(ALL),
            Op::And => zeros(0).max(zeros(1)),
            Op::Neg | Op::Abs => zeros(0),
            Op::Select => zeros(1).min(zeros(2)),
            Op::Shl => match args.get(1).and_then(|&count| self.function.constant_bits(count)) {
                // Counts are taken modulo the width.
                Some(count) => (zeros(0) + (count % u64::from(bits.max(1))) as u32).min(ALL),
                None => zeros(0),
            },
            Op::Cast | Op::Bitcast if args.first().is_some_and(|&arg| is_int(arg)) => zeros(0),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::text::parse;

    /// The zeros of the named values of a kernel.
    #[track_caller]
    fn zeros(body: &str, names: &[&str]) -> Vec<u32> {
        let source = format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32]) {{ {body} ret }}");
        let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
        let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
        let function = &checked.module().functions[0];
        let alignment = Alignment::of(function);
        let named = |name: &str| {
            let found = function.values.iter().find(|(_, def)| def.name.as_deref() == Some(name));
            alignment.zeros(found.expect("a value of this name").0)
        };
        names.iter().map(|name| named(name)).collect()
    }

    #[test]
    fn products_shifts_and_masks_are_aligned_and_sums_as_their_parts_are() {
        let got = zeros(
            "%m = mul %n, 12u32
             %s = shl %n, 5u32
             %t = shl %n, 33u32
             %u = add %m, %s
             %v = and %n, 4294967280u32
             %w = or %v, %m
             %x = mul %m, %s
             %y = sub %v, 1u32
             %z = rem %s, 8u32
             store @y[%w], %x store @y[%u], %y store @y[%t], %z",
            &["m", "s", "t", "u", "v", "w", "x", "y", "z"],
        );
        assert_eq!(got, [2, 5, 1, 2, 4, 2, 7, 0, 3]);
    }

    #[test]
    fn a_counter_is_aligned_as_its_start_and_step_are() {
        let got = zeros(
            "%r = loop 'l (%i: u32 = 8u32, %j: u32 = 0u32) -> u32 {
               %end = ge %i, %n
               if %end { break 'l %j }
               %a = add %i, 4u32
               %b = add %j, %i
               store @y[%a], %b
               continue 'l %a, %b
             }
             store @y[%r], 1u32",
            &["i", "j", "r"],
        );
        assert_eq!(got, [2, 2, 2]);
    }

    #[test]
    fn what_branches_give_is_aligned_as_the_worst_of_them() {
        let got = zeros(
            "%c = lt %n, 3u32
             %a, %b = if %c -> u32, u32 { %m = mul %n, 16u32 yield %m, 4u32 } else { yield 8u32, %n }
             store @y[%a], %b",
            &["a", "b"],
        );
        assert_eq!(got, [3, 0]);
    }

    #[test]
    fn a_long_chain_of_parameters_ends_in_an_answer() {
        let names: Vec<String> = (0..60).map(|i| format!("%p{i}")).collect();
        let params: Vec<String> = names.iter().map(|name| format!("{name}: u32 = 0u32")).collect();
        let body = format!(
            "loop 'l ({}) {{
               store @y[%p0], 1u32
               %end = ge %p0, %n
               if %end {{ break 'l }}
               continue 'l {}, %n
             }}",
            params.join(", "),
            names[1..].join(", "),
        );
        assert_eq!(zeros(&body, &["p0", "p59"]), [0, 0]);
    }
}
