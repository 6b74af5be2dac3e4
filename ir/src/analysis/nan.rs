//! Which values have to be made the canonical NaN, for every back end that computes floats.
//!
//! Arithmetic gives the canonical NaN, says the table of ops; a target's own arithmetic gives
//! some NaN. Nothing tells them apart until the bits are looked at: by a store, a cast to bits,
//! an atomic access. So a NaN is mended late, where its bits are needed next, and not at all
//! where none can arrive. An accumulator is mended once, after its loop.
//!
//! A value is mended where it begins to exist. That may be where control merges: a parameter
//! of a loop, or a result of an `if`, `switch` or `loop`. What is mended must not be a NaN that
//! has other bits by right, such as one that was loaded or negated. Where such a NaN and one
//! to be mended would become one value, the latter is mended before.

use super::floats::Floats;
use crate::arena::Side;
use crate::ir::{Function, InstKind, Region, Value, ValueDef};
use crate::ops::{Op, Signature, SubgroupSignature};
use crate::scalar::{CastRule, cast_rule, nan};
use crate::types::{Scalar, Type};

/// The values whose NaN has to be made the canonical one where they begin to exist, in a
/// function in SSA form without calls.
///
/// `native` says of an op or a cast, by its result's lanes, whether the target's own form of it
/// may give a NaN that is not the canonical one.
pub(crate) fn observed(
    function: &Function,
    floats: &Floats,
    native: impl Fn(Op, Scalar) -> bool,
) -> Side<ValueDef, bool> {
    let mut walk = Walk { function, floats, depth: 0, values: Side::new(Bits::default()), moves: Vec::new() };
    for (value, def) in function.values.iter() {
        if let (Some(bits), Some(lane)) = (def.constant, def.ty.lane()) {
            walk.values[value].foreign = floats.at(value).may_be_nan() && nan(lane) != Some(bits);
        }
    }
    walk.foreign(&function.regions[function.body].params);
    walk.region(function.body, &native);
    walk.decide();
    let mut observed = Side::new(false);
    for value in function.values.ids() {
        observed[value] = walk.values[value].is_mended();
    }
    observed
}

/// The operands of an op whose bits, as they are, may become those of its result, by position.
fn moved(function: &Function, op: Op, args: &[Value], result: Value) -> &'static [usize] {
    let (from, to) = (args.first().map_or(Type::Error, |&arg| function.ty(arg)), function.ty(result));
    let is_float = |ty: Type| ty.lane().is_some_and(Scalar::is_float);
    match op.info().signature {
        Signature::Select => &[1, 2],
        Signature::Construct => &[0, 1, 2, 3],
        Signature::Extract => &[0],
        Signature::Insert => &[0, 2],
        Signature::Bitcast if is_float(from) && is_float(to) => &[0],
        Signature::Cast if cast_rule(from, to) == Some(CastRule::Identity) => &[0],
        _ => &[],
    }
}

/// What is known of the NaN that a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Bits {
    /// How many loops are around where the value begins to exist.
    depth: u32,
    /// Arithmetic of the target gives it.
    made: bool,
    /// It may have bits that arithmetic of the target gave.
    wrong: bool,
    /// It may by right be another NaN than the canonical one.
    foreign: bool,
    /// Something looks at its bits.
    seen: bool,
    /// Something looks at its bits, or at those of what it becomes.
    wanted: bool,
    /// It has to be right where it begins to exist.
    needed: bool,
}

impl Bits {
    /// Whether it is made canonical where it begins to exist.
    const fn is_mended(self) -> bool {
        self.wrong && self.needed && !self.foreign
    }
}

/// How the bits of one value come into another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As they are, by an op or out of a region.
    Op,
    /// As they are, into a loop, round it or out of it.
    Loop,
    /// With another sign bit.
    Sign,
}

struct Walk<'a> {
    function: &'a Function,
    floats: &'a Floats,
    /// How many loops are around.
    depth: u32,
    values: Side<ValueDef, Bits>,
    moves: Vec<(Value, Value, Way)>,
}

impl Walk<'_> {
    /// Notes what each instruction says alone. The checks limit how deep regions are nested.
    fn region(&mut self, region: Region, native: &impl Fn(Op, Scalar) -> bool) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            self.begin(&def.results);
            match &def.kind {
                InstKind::Op(op, args) => {
                    let &[result] = def.results.as_slice() else { continue };
                    let is_made = |lane| {
                        if function.lenient[inst].any_nan {
                            return false;
                        }
                        let single = |value: &Value| function.ty(*value).lane() == Some(Scalar::F32);
                        native(*op, lane) && !(function.is_loose(inst) && args.iter().chain([&result]).any(single))
                    };
                    self.op(*op, args, result, is_made);
                }
                // A lane gets what another one has.
                InstKind::Subgroup(op, args) => match (op.signature(), op.fold(), args.as_slice(), &def.results[..]) {
                    (SubgroupSignature::Exchange(_), None, &[from, _], &[to])
                    | (SubgroupSignature::Value(_), None, &[from], &[to]) => self.moves.push((from, to, Way::Op)),
                    _ => self.look(&def.kind, &def.results),
                },
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in def.kind.regions() {
                        self.region(inner, native);
                        self.pass(function.yielded(inner).unwrap_or_default(), &def.results, Way::Op);
                    }
                }
                InstKind::Loop { body, initial, .. } => {
                    self.depth += 1;
                    self.begin(&function.regions[*body].params);
                    self.pass(initial, &function.regions[*body].params, Way::Loop);
                    self.region(*body, native);
                    self.depth -= 1;
                }
                InstKind::Break(target, args) => self.pass(args, &function.insts[*target].results, Way::Loop),
                InstKind::Continue(target, args) => {
                    if let InstKind::Loop { body, .. } = function.insts[*target].kind {
                        self.pass(args, &function.regions[body].params, Way::Loop);
                    }
                }
                // The instruction with the region says where these go.
                InstKind::Yield(_) => {}
                _ => self.look(&def.kind, &def.results),
            }
        }
    }

    fn begin(&mut self, values: &[Value]) {
        for &value in values {
            self.values[value].depth = self.depth;
        }
    }

    /// The operands are looked at, and results come from elsewhere.
    fn look(&mut self, kind: &InstKind, results: &[Value]) {
        kind.for_each_operand(|value| self.values[value].seen = true);
        self.foreign(results);
    }

    fn foreign(&mut self, values: &[Value]) {
        for &value in values {
            self.values[value].foreign = self.floats.at(value).may_be_nan();
        }
    }

    fn pass(&mut self, from: &[Value], to: &[Value], way: Way) {
        self.moves.extend(from.iter().zip(to).map(|(&from, &to)| (from, to, way)));
    }

    fn op(&mut self, op: Op, args: &[Value], result: Value, is_made: impl Fn(Scalar) -> bool) {
        let moved = moved(self.function, op, args, result);
        if !moved.is_empty() {
            let values = moved.iter().filter_map(|&i| args.get(i));
            self.moves.extend(values.map(|&value| (value, result, Way::Op)));
            return;
        }
        let ty = self.function.ty(result);
        let is_float = |ty: Type| ty.lane().is_some_and(Scalar::is_float);
        match (op, args) {
            (Op::Neg | Op::Abs, &[value]) if is_float(ty) => self.moves.push((value, result, Way::Sign)),
            (Op::CopySign, &[value, sign]) => {
                self.moves.push((value, result, Way::Sign));
                self.values[sign].seen = true;
            }
            _ if op.keeps_nan_bits() => {
                for &arg in args {
                    self.values[arg].seen = true;
                }
                self.foreign(&[result]);
            }
            // Every NaN counts alike, and the result's is the canonical one.
            _ => {
                let made = ty.lane().filter(|lane| lane.is_float()).is_some_and(is_made);
                self.values[result].made = made && self.floats.at(result).may_be_nan();
            }
        }
    }

    /// Follows the bits through the moves.
    fn decide(&mut self) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.retain(|&(from, to, _)| {
            let is_float = self.function.ty(from).lane().is_some_and(Scalar::is_float);
            is_float && from != to && self.floats.at(from).may_be_nan() && self.floats.at(to).may_be_nan()
        });
        // With its sign changed it is another NaN.
        self.follow(&moves, |from, to, way| to.foreign |= from.foreign || way == Way::Sign);
        for value in self.function.values.ids() {
            let facts = &mut self.values[value];
            (facts.wanted, facts.needed) = (facts.seen, facts.seen);
        }
        moves.reverse();
        self.follow(&moves, |from, to, _| from.wanted |= to.wanted);
        // What gets another sign, meets a NaN that is right, or is moved again and again, has to
        // be right before.
        self.follow(&moves, |from, to, way| {
            let before = to.foreign || way == Way::Op && to.depth > from.depth;
            from.needed |= to.wanted && before;
        });
        for value in self.function.values.ids() {
            let facts = &mut self.values[value];
            facts.wrong = facts.made;
        }
        moves.reverse();
        self.follow(&moves, |from, to, _| to.wrong |= from.wrong && !from.is_mended());
    }

    /// Applies a rule to all moves until nothing changes.
    fn follow(&mut self, moves: &[(Value, Value, Way)], rule: impl Fn(&mut Bits, &mut Bits, Way)) {
        loop {
            let mut changed = false;
            for &(from, to, way) in moves {
                let before = (self.values[from], self.values[to]);
                let (mut source, mut target) = before;
                rule(&mut source, &mut target, way);
                changed |= before != (source, target);
                (self.values[from], self.values[to]) = (source, target);
            }
            if !changed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::facts;
    use crate::check::check;
    use crate::text::parse;

    /// The named values that are made canonical, of a kernel with the parameters `%n: u32` and
    /// `%x: f32`, on a target whose own sums and products give other NaNs.
    #[track_caller]
    fn mended(body: &str) -> Vec<String> {
        let source =
            format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, %x: f32, @y: mut [f32]) {{ {body} ret }}");
        let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
        let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
        let function = &checked.module().functions[0];
        let floats = Floats::of(function, &facts::Facts::of(&checked.module().types, function));
        let observed = observed(function, &floats, |op, lane| lane == Scalar::F32 && matches!(op, Op::Add | Op::Mul));
        let named = function.values.iter().filter(|(value, _)| observed[*value]);
        let mut names: Vec<_> =
            named.map(|(value, def)| def.name.as_deref().map_or(format!("{value:?}"), str::to_owned)).collect();
        names.sort();
        names
    }

    #[test]
    fn only_what_is_looked_at_is_mended_and_only_where_a_nan_can_arrive() {
        let body = "%a = mul %x, %x %b = add %a, %x %c = max %b, %a %d = lt %a, %b %e = cast %a to u32
             store @y[0u32], %b store @y[0u32], %c store @y[%e * 4], %x";
        assert_eq!(mended(body), ["b"]);
        let body = "%f = cast %n to f32 %a = mul %f, 0.5f32 %b = add %a, %f store @y[0u32], %b";
        assert_eq!(mended(body), [""; 0]);
    }

    #[test]
    fn a_sign_is_changed_of_a_canonical_nan_if_anybody_looks() {
        assert_eq!(mended("%a = mul %x, %x %b = neg %a store @y[0u32], %b"), ["a"]);
        assert_eq!(mended("%a = mul %x, %x %b = abs %a %c = add %b, %a store @y[0u32], %c"), ["c"]);
        assert_eq!(mended("%a = mul %x, %x %b = copysign 1.0f32, %a store @y[0u32], %b"), ["a"]);
    }

    #[test]
    fn an_accumulator_is_mended_after_its_loop() {
        let rounds = |initial: &str, inside: &str| {
            format!(
                "%r = loop 'l (%i: u32 = 0u32, %sum: f32 = {initial}) -> f32 {{
                   %end = ge %i, %n
                   if %end {{ break 'l %sum }}
                   %more = mul %x, %sum
                   {inside}
                   %next = add %more, %x
                   %j = add %i, 1u32
                   continue 'l %j, %next
                 }}
                 store @y[0u32], %r"
            )
        };
        assert_eq!(mended(&rounds("0.0f32", "")), ["r"]);
        assert_eq!(mended(&rounds("0.0f32", "store @y[4u32], %more")), ["more", "r"]);
        // What is stored in each round is right after it, too.
        assert_eq!(mended(&rounds("0.0f32", "store @y[4u32], %sum")), ["sum"]);
        // A NaN that the launch passes has to keep its bits.
        assert_eq!(mended(&rounds("%x", "")), ["next"]);
        // In a choice nothing looks.
        let chosen = rounds("0.0f32", "")
            .replace("%next = add %more, %x", "%sum2 = add %more, %x %next = select %end, %sum, %sum2");
        assert_eq!(mended(&chosen), ["r"]);
    }

    #[test]
    fn ways_that_meet_are_mended_once_and_not_again_and_again() {
        let body = "%a = mul %x, %x %c = lt %n, 3u32
             %b = if %c -> f32 { yield %a } else { %d = add %a, %x yield %d }
             store @y[0u32], %b";
        assert_eq!(mended(body), ["b"]);
        let foreign = body.replace("yield %a", "yield %x");
        assert_eq!(mended(&foreign), ["d"]);
        let inside = "%a = mul %x, %x
             loop 'l (%i: u32 = 0u32) {
               %end = ge %i, %n
               if %end { break 'l }
               %b = select %end, 0.0f32, %a
               store @y[%i * 4], %b
               %j = add %i, 1u32
               continue 'l %j
             }";
        assert_eq!(mended(inside), ["a"]);
    }
}
