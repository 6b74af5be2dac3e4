//! Workgroup memory that a kernel fills before it reads it.
//!
//! Workgroup memory is zero when a kernel begins, and GPUs do not see to that. Setting it to zero takes stores and a
//! barrier, for nothing where each byte that is read was stored before. The proof is by trying: the places that
//! depend on nothing but the invocation's place in its workgroup are computed for each of its invocations.
//!
//! All reads come after a barrier, and what counts are the stores that each invocation makes on its way there. A store
//! may stand under a condition that depends on no more than its place does. Where it stands under another one, such as
//! that an edge of the data is not reached, it can be *blended*: made always, with zero as its value if the condition
//! does not hold. That is the same if it is the only one to its bytes.

use super::tree::{Def, Tree};
use crate::arena::{Side, Sparse};
use crate::ir::{Function, Inst, InstDef, InstKind, Place, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, SUBGROUP_SIZE};
use crate::types::{Type, Types};

/// The most invocations times instructions that are tried.
const MAX_WORK: usize = 1 << 20;
/// The most bytes of an array.
const MAX_BYTES: u32 = 1 << 17;
/// How far a value is followed to what it depends on.
const MAX_DEPTH: u32 = 24;

/// What is known of the workgroup memory of a function in SSA form.
pub(crate) struct Filled {
    /// Whether nobody can see what was in it at first, by its index; if the instructions are blended.
    pub arrays: Vec<bool>,
    /// The `if`s without results whose stores are blended.
    pub blended: Sparse<InstDef, bool>,
}

impl Filled {
    /// What a function does with its workgroup memory.
    pub fn of(types: &Types, function: &Function) -> Self {
        let mut filled = Self { arrays: vec![false; function.shared.len()], blended: Sparse::new(false) };
        let size = function.workgroup_size();
        let invocations = function.invocations() as usize;
        if function.shared.is_empty() || invocations.saturating_mul(function.insts.len()) > MAX_WORK {
            return filled;
        }
        let tree = Tree::of(function);
        let mut position = Side::new(0usize);
        tree.insts().iter().enumerate().for_each(|(at, &inst)| position[inst] = at);
        let trial = Trial { types, function, tree: &tree, position, size, invocations };
        for index in 0..function.shared.len() {
            let root = Root::Shared(index as u32);
            if let Some(blended) = trial.fills(root) {
                filled.arrays[index] = true;
                blended.into_iter().for_each(|inst| filled.blended[inst] = true);
            }
        }
        filled
    }
}

/// What is asked about each array.
struct Trial<'a> {
    types: &'a Types,
    function: &'a Function,
    tree: &'a Tree,
    /// The order of instructions.
    position: Side<InstDef, usize>,
    size: [u32; 3],
    invocations: usize,
}

/// A store on the way to the barrier.
struct Store<'a> {
    place: &'a Place,
    bytes: u32,
    /// The conditions around it with the values that they have to have, as far as they depend on the invocation's place
    /// only.
    conditions: Vec<(Value, bool)>,
    /// The `if` with another condition.
    blended: Option<Inst>,
}

impl<'a> Trial<'a> {
    /// Whether an array is filled before it is read: the `if`s that are blended for that.
    fn fills(&self, root: Root) -> Option<Vec<Inst>> {
        let function = self.function;
        let len = function.root_size(self.types, root).filter(|&len| len <= MAX_BYTES)?;
        let kind = |inst: Inst| &function.insts[inst].kind;
        let mut loads = Vec::new();
        for &inst in self.tree.insts() {
            match kind(inst) {
                InstKind::Load(place) if place.root == root => loads.push((inst, place)),
                InstKind::Atomic(_, place, ..) if place.root == root => return None,
                InstKind::Call { .. } => return None,
                _ => {}
            }
        }
        let is_after =
            |load: Inst, barrier: Inst| self.position[load] > self.position[barrier] && self.is_around(barrier, load);
        let barriers = self.tree.insts().iter().filter(|&&inst| *kind(inst) == InstKind::Barrier);
        let &barrier = barriers.rev().find(|&&barrier| loads.iter().all(|&(load, _)| is_after(load, barrier)))?;
        let stores = self.stores(root, barrier)?;

        let mut times = vec![0u8; len as usize];
        let blended: Vec<Inst> = stores.iter().filter_map(|store| store.blended).collect();
        let mut needed = vec![false; len as usize];
        for invocation in 0..self.invocations {
            let mut known = Known { trial: self, invocation: invocation as u32, values: Sparse::new(None) };
            for store in &stores {
                let holds = |known: &mut Known<'_, '_>| {
                    store.conditions.iter().try_fold(true, |all, &(condition, wanted)| {
                        Some(all && (known.value(condition, 0)? != 0) == wanted)
                    })
                };
                if holds(&mut known) != Some(true) {
                    continue;
                }
                let at = known.place(store.place, store.bytes, len);
                // What is made always is in bounds always.
                if at.is_none() && store.blended.is_some() {
                    return None;
                }
                if let Some(at) = at {
                    times[at..at + store.bytes as usize].iter_mut().for_each(|times| *times = times.saturating_add(1));
                }
            }
            for &(load, place) in &loads {
                let bytes = self.bytes(load)?;
                match known.computes(place) {
                    true => {
                        if let Some(at) = known.place(place, bytes, len) {
                            needed[at..at + bytes as usize].fill(true);
                        }
                    }
                    false => needed.fill(true),
                }
            }
        }
        let all = times.iter().zip(&needed).all(|(&times, needed)| !needed || times > 0);
        // A blended store must not undo another one.
        let is_undone = !blended.is_empty() && times.iter().any(|&times| times > 1);
        (all && !is_undone).then_some(blended)
    }

    /// The stores to an array on the way to a barrier; `None` if there are some that cannot be followed, which
    /// would matter to blended ones.
    fn stores(&self, root: Root, barrier: Inst) -> Option<Vec<Store<'a>>> {
        let function = self.function;
        let (mut stores, mut others, mut blends) = (Vec::new(), false, false);
        for &inst in self.tree.insts() {
            let InstKind::Store(place, _) = &function.insts[inst].kind else { continue };
            if place.root != root || self.position[inst] > self.position[barrier] {
                continue;
            }
            match self.store(inst, place, barrier) {
                Some(store) => {
                    blends |= store.blended.is_some();
                    stores.push(store);
                }
                None => others = true,
            }
        }
        (!blends || !others).then_some(stores)
    }

    /// A store, if each invocation makes it on its way to the barrier or can decide by its place.
    fn store(&self, inst: Inst, place: &'a Place, barrier: Inst) -> Option<Store<'a>> {
        let (mut conditions, mut blended) = (Vec::new(), None);
        let mut region = self.tree.parent(inst)?;
        let home = self.tree.parent(barrier)?;
        while !self.tree.is_within(home, region) {
            let owner = self.tree.owner(region)?;
            let InstKind::If { condition, then, .. } = self.function.insts[owner].kind else { return None };
            let mut first = Known { trial: self, invocation: 0, values: Sparse::new(None) };
            if first.value(condition, 0).is_some() {
                conditions.push((condition, region == then));
            } else if blended.is_none() && region == then && self.can_be_blended(owner, inst) {
                blended = Some(owner);
            } else {
                return None;
            }
            region = self.tree.parent(owner)?;
        }
        let mut first = Known { trial: self, invocation: 0, values: Sparse::new(None) };
        let bytes = self.bytes(inst)?;
        first.computes(place).then_some(Store { place, bytes, conditions, blended })
    }

    /// Whether an `if` does nothing but one store, and whatever else it does may be done always.
    fn can_be_blended(&self, inst: Inst, store: Inst) -> bool {
        let function = self.function;
        let InstKind::If { then, otherwise, .. } = function.insts[inst].kind else { return false };
        // In a later round zero is not what was there before.
        if self.tree.loops_around(function, inst).next().is_some() {
            return false;
        }
        let kinds =
            |region: Region| function.regions[region].insts.iter().map(|&inst| (inst, &function.insts[inst].kind));
        let is_pure = |(inst, kind): (Inst, &InstKind)| match kind {
            InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => true,
            InstKind::Load(place) => matches!(place.root, Root::Param(_) | Root::Table(_)),
            InstKind::Yield(values) => values.is_empty(),
            _ => inst == store,
        };
        kinds(then).all(is_pure)
            && matches!(kinds(otherwise).next(), Some((_, InstKind::Yield(values))) if values.is_empty())
    }

    /// The bytes of a load or a store.
    fn bytes(&self, inst: Inst) -> Option<u32> {
        let ty = self.function.accessed(inst)?;
        Some(self.types.layout(ty)?.size)
    }

    /// Whether an instruction is within the region of another one.
    fn is_around(&self, outer: Inst, inner: Inst) -> bool {
        self.tree
            .parent(outer)
            .zip(self.tree.parent(inner))
            .is_some_and(|(outer, inner)| self.tree.is_within(inner, outer))
    }
}

/// What an invocation computes from its place in the workgroup.
struct Known<'t, 'a> {
    trial: &'t Trial<'a>,
    invocation: u32,
    values: Sparse<ValueDef, Option<Option<u64>>>,
}

impl Known<'_, '_> {
    /// Whether a place depends on nothing else.
    fn computes(&mut self, place: &Place) -> bool {
        place.indices.iter().all(|index| self.value(index.value, 0).is_some())
    }

    /// Where an access of so many bytes begins, if it is in bounds.
    fn place(&mut self, place: &Place, bytes: u32, len: u32) -> Option<usize> {
        let mut at = u64::from(place.offset);
        for index in &place.indices {
            let value = self.value(index.value, 0)?;
            if index.bound.is_some_and(|bound| value >= bound.into()) {
                return None;
            }
            at = at.checked_add(value.checked_mul(index.stride.into())?)?;
        }
        (at + u64::from(bytes) <= len.into()).then_some(at as usize)
    }

    /// The bits of a scalar.
    fn value(&mut self, value: Value, depth: u32) -> Option<u64> {
        let function = self.trial.function;
        if let Some(bits) = function.constant_bits(value) {
            return Some(bits);
        }
        if let Some(known) = self.values[value] {
            return known;
        }
        let found = match self.trial.tree.def(value) {
            Def::Result(inst, 0) if depth < MAX_DEPTH => match &function.insts[inst].kind {
                InstKind::Builtin(builtin) => self.builtin(*builtin),
                InstKind::Op(op, args) => {
                    let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
                    let result = function.ty(value);
                    let scalars = types.iter().chain([&result]).all(|ty| matches!(ty, Type::Scalar(_)));
                    let known = |this: &mut Self, arg| Some([this.value(arg, depth + 1)?, 0, 0, 0]);
                    let args: Option<Vec<_>> = args.iter().map(|&arg| known(self, arg)).collect();
                    args.filter(|_| scalars).map(|args| op.eval(&types, result, &args)[0])
                }
                _ => None,
            },
            _ => None,
        };
        self.values[value] = Some(found);
        found
    }

    fn builtin(&self, builtin: Builtin) -> Option<u64> {
        let [x, y, _] = self.trial.size;
        let index = self.invocation;
        Some(u64::from(match builtin {
            Builtin::LocalIdX => index % x,
            Builtin::LocalIdY => index / x % y,
            Builtin::LocalIdZ => index / (x * y),
            Builtin::LocalIndex => index,
            Builtin::SubgroupId => index / SUBGROUP_SIZE,
            Builtin::SubgroupLane => index % SUBGROUP_SIZE,
            Builtin::NumSubgroups => (self.trial.invocations as u32).div_ceil(SUBGROUP_SIZE),
            _ => return None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::text::parse;

    /// Whether the array of a kernel of 64 invocations is filled, and how many `if`s are blended.
    fn filled(shared: &str, body: &str) -> (bool, usize) {
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32], %n: u32) {{ shared @t: {shared}
             %i = local_index {body} ret }}"
        );
        let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
        let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
        let (function, _) = checked.function(0).expect("a kernel");
        let filled = Filled::of(&checked.module().types, function);
        let blended = function.insts.ids().filter(|&inst| filled.blended[inst]).count();
        (filled.arrays[0], blended)
    }

    const READ: &str = "barrier %j = sub 63u32, %i %r = load u32 @t[%j] store @y[%i], %r";

    #[test]
    fn what_each_invocation_stores_before_the_barrier_is_filled() {
        assert_eq!(filled("[u32; 64]", &format!("store @t[%i], %n {READ}")), (true, 0));
        assert_eq!(filled("[u32; 64]", &format!("%k = xor %i, 5u32 store @t[%k], %n {READ}")), (true, 0));
        assert_eq!(filled("[u32; 65]", &format!("store @t[%i], %n {READ}")), (true, 0), "the last one is not read");
    }

    #[test]
    fn what_is_left_out_is_not() {
        for (shared, body) in [
            ("[u32; 64]", format!("%k = add %i, 1u32 store @t[%k], %n {READ}")),
            ("[u32; 64]", format!("%k = and %i, 62u32 store @t[%k], %n {READ}")),
            ("[u32; 64]", format!("%v = load u32 @x[%i] store @t[%v], %n {READ}")),
            ("[u32; 64]", format!("%a = load u32 @t[%i] store @y[%i], %a store @t[%i], %n {READ}")),
            ("[u32; 64]", format!("{READ} store @t[%i], %n")),
            ("[u32; 65]", "store @t[%i], %n barrier %v = load u32 @t[%n] store @y[%i], %v".to_owned()),
            ("[u32; 64]", format!("%c = lt %i, 63u32 if %c {{ store @t[%i], %n }} {READ}")),
            ("atomic [u32; 64]", "%v = atomic.add @t[%i], %n store @y[%i], %v".to_owned()),
        ] {
            assert_eq!(filled(shared, &body), (false, 0), "{body}");
        }
    }

    #[test]
    fn conditions_on_the_place_are_tried() {
        let body = "%l = and %i, 31u32 %c = eq %l, 0u32 if %c { %g = shr %i, 5u32 store @t[%g], %n } barrier
                    %h = and %i, 1u32 %v = load u32 @t[%h] store @y[%i], %v";
        assert_eq!(filled("[u32; 2]", body), (true, 0));
    }

    #[test]
    fn a_store_under_another_condition_is_blended() {
        let edge = "%c = lt %i, %n if %c { %v = load u32 @x[%i] store @t[%i], %v }";
        assert_eq!(filled("[u32; 64]", &format!("{edge} {READ}")), (true, 1));
        assert_eq!(filled("[u32; 64]", &format!("store @t[%i], %n {edge} {READ}")), (false, 0), "it comes second");
        let two = "%c = lt %i, %n if %c { store @y[0u32], %i store @t[%i], %i }";
        assert_eq!(filled("[u32; 64]", &format!("{two} {READ}")), (false, 0), "it does something else");
    }

    #[test]
    fn what_is_blended_runs_once_and_in_bounds() {
        let edge = "%c = lt %i, %n if %c { store @t[%i], %i }";
        let round = format!(
            "loop 'l (%k: u32 = 0u32) {{ %d = ge %k, %n if %d {{ break 'l }} {edge} {READ} barrier
             %m = add %k, 1u32 continue 'l %m }}"
        );
        assert_eq!(filled("[u32; 64]", &round), (false, 0));
        let far =
            "%c = lt %i, %n if %c { %k = add %i, 1u32 store @t[%k], %i } %d = eq %i, 0u32 if %d { store @t[0u32], %i }";
        assert_eq!(filled("[u32; 64]", &format!("{far} {READ}")), (false, 0));
        assert_eq!(filled("[u32; 65]", &format!("{far} {READ}")), (true, 1));
    }

    #[test]
    fn the_first_barrier_of_a_loop_may_be_the_one() {
        let body = "loop 'l (%k: u32 = 0u32) { %c = ge %k, %n if %c { break 'l } store @t[%i], %k barrier
                    %v = load u32 @t[0u32] store @y[%i], %v barrier %m = add %k, 1u32 continue 'l %m }";
        assert_eq!(filled("[u32; 64]", body), (true, 0));
        let after = format!("{body} %w = load u32 @t[1u32] store @y[%i], %w");
        assert_eq!(filled("[u32; 64]", &after), (false, 0), "there may be no round");
    }
}
