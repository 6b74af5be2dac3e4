//! What optimisers act on, written on purpose: each pattern is bait for one kind of
//! rewrite, next to something that makes the rewrite wrong.

use super::build::{Gen, Val};
use super::memory::{Memory, Owner};
use super::program::VIEWED;
use super::scalar;
use samebits_ir::arena::Id;
use samebits_ir::ir::{Access, CallArg, Index, InstKind, Place, Root, Value};
use samebits_ir::ops::{Class, Op, Signature};
use samebits_ir::types::{Scalar, Type};

impl Gen {
    /// Any pattern.
    pub fn pattern(&mut self) {
        match self.random.below(20) {
            0 | 1 => self.again(),
            2 | 3 => self.identity(),
            4 => self.constants(),
            5 => self.division(),
            6 | 19 => self.chain(),
            7 => self.guards(),
            8 => self.decided(),
            9 => self.store_and_load(),
            10 => self.dead_stores(),
            11 => self.adjacent(),
            12 if self.depth < 3 && self.budget > 60 * self.times => self.fill_and_sum(),
            13 if self.depth < 3 && self.budget > 40 * self.times => self.hoistable(),
            14 => self.known_range(),
            15 => self.choice(),
            16 if self.random.chance(30) => self.fence(),
            17 => self.both_ways(),
            18 => self.float_law(),
            _ => self.again(),
        }
    }

    /// An op that was computed before; or nearly, with its operands exchanged.
    fn again(&mut self) {
        let Some(&val) = self.random.pick(&self.pool) else { return };
        let Some((op, args)) = self.made_by(val) else {
            self.any_op();
            return;
        };
        // What a visible value was made of is visible, or a constant.
        let uniform = |value| self.is_uniform(value);
        let ty = |value| self.b.function().ty(value);
        let mut args: Vec<Val> =
            args.into_iter().map(|value| Val { value, ty: ty(value), uniform: uniform(value) }).collect();
        if args.len() >= 2 && args[0].ty == args[1].ty && self.random.chance(40) {
            args.swap(0, 1);
        }
        let val = self.op(op, &args);
        if self.random.chance(30) {
            self.mix_in(val);
        }
    }

    /// The op that a value is the result of, if one of the last instructions is.
    fn made_by(&self, val: Val) -> Option<(Op, Vec<Value>)> {
        let insts = &self.b.function().insts;
        for i in (insts.len().saturating_sub(60)..insts.len()).rev() {
            let def = insts.get(Id::from_index(i))?;
            if let InstKind::Op(op, args) = &def.kind
                && def.results == [val.value]
                && !op.info().signature.states_result()
            {
                return Some((*op, args.clone()));
            }
        }
        None
    }

    fn is_uniform(&self, value: Value) -> bool {
        let constant = self.b.function().constant_bits(value).is_some();
        constant || self.pool.iter().any(|val| val.value == value && val.uniform)
    }

    /// What is an identity for integers, and for floats often is not.
    fn identity(&mut self) {
        let scalar = self.scalar();
        let ty = Type::Scalar(scalar);
        let x = if self.random.chance(30) { self.spiced(scalar) } else { self.unknown(ty) };
        if scalar == Scalar::Bool {
            let bits = self.random.bits();
            let t = self.constant(scalar, bits);
            let op = self.random.one_of([Op::And, Op::Or, Op::Xor, Op::Eq, Op::Ne]);
            self.op(op, &[x, t]);
            return;
        }
        let (zero, one) = (self.constant(scalar, 0), self.one(scalar));
        let y = self.value(ty);
        let val = match self.random.below(20) {
            0 => self.op(Op::Add, &[x, zero]),
            1 => self.op(Op::Mul, &[x, one]),
            2 => self.op(Op::Mul, &[x, zero]),
            3 => self.op(Op::Sub, &[x, x]),
            4 => self.op(Op::Div, &[x, x]),
            5 => self.op(Op::Div, &[x, one]),
            6 => self.op(Op::Sub, &[zero, x]),
            7 => {
                let sum = self.op(Op::Add, &[x, y]);
                self.op(Op::Sub, &[sum, y])
            }
            8 => {
                let negated = self.op(Op::Neg, &[x]);
                self.op(Op::Add, &[negated, y])
            }
            9 => self.op(Op::Min, &[x, x]),
            10 => {
                let less = self.op(Op::Lt, &[x, y]);
                self.op(Op::Not, &[less])
            }
            11 => {
                let half = self.op(Op::Mul, &[x, y]);
                self.op(Op::Div, &[half, y])
            }
            12 => self.op(Op::Rem, &[x, x]),
            13 => self.op(Op::Eq, &[x, x]),
            14 if scalar.is_int() => {
                let both = self.op(Op::And, &[x, y]);
                self.op(Op::Or, &[both, x])
            }
            15 if scalar.is_int() => self.op(Op::Xor, &[x, x]),
            16 if scalar.is_int() => {
                let by = self.small();
                let left = self.op(Op::Shl, &[x, by]);
                self.op(Op::Shr, &[left, by])
            }
            17 if scalar.is_int() => {
                let (a, b) = (self.small(), self.small());
                let once = self.op(Op::Shr, &[x, a]);
                self.op(Op::Shr, &[once, b])
            }
            18 if scalar.is_int() => {
                let not = self.op(Op::Not, &[x]);
                self.op(Op::Add, &[not, one])
            }
            _ => {
                let wide = self.random.pick(Scalar::ALL).copied().filter(|&s| s != Scalar::Bool).unwrap_or(scalar);
                let there = self.op_to(Op::Cast, x, wide.into());
                self.op_to(Op::Cast, there, ty)
            }
        };
        if self.random.chance(60) {
            self.mix_in(val);
        }
    }

    /// One, of a type.
    fn one(&mut self, scalar: Scalar) -> Val {
        let bits = match scalar {
            Scalar::F16 => 0x3c00,
            Scalar::F32 => 0x3f80_0000,
            Scalar::F64 => 0x3ff0_0000_0000_0000,
            _ => 1,
        };
        self.constant(scalar, bits)
    }

    /// An op, and the same with its operands exchanged.
    fn both_ways(&mut self) {
        let scalar = self.member(Class::NUM);
        let (a, b) = (self.unknown(scalar.into()), self.unknown(scalar.into()));
        let op = self.random.one_of([Op::Sub, Op::Sub, Op::Div, Op::Rem, Op::Lt, Op::Le, Op::Add, Op::Min]);
        for args in [[a, b], [b, a]] {
            let val = self.op(op, &args);
            self.mix_in(val);
        }
    }

    /// What looks like a law but does not hold for some floats.
    fn float_law(&mut self) {
        let scalar = self.member(Class::FLOAT);
        let x = self.odd(scalar);
        let y = if self.random.chance(50) { self.odd(scalar) } else { self.unknown(scalar.into()) };
        let bits = self.random.one_of([0, 1 << (scalar.bits() - 1)]);
        let zero = self.constant(scalar, bits);
        let val = match self.random.below(10) {
            0 | 1 => {
                let op = self.random.one_of([Op::Add, Op::Add, Op::Sub, Op::Mul]);
                self.op(op, &[x, zero])
            }
            2 | 3 => {
                let op = self.random.one_of([Op::Sub, Op::Div, Op::Eq, Op::Min]);
                self.op(op, &[x, x])
            }
            4 | 5 => {
                let op = self.random.one_of([Op::Lt, Op::Le, Op::Gt, Op::Eq]);
                let compared = self.op(op, &[x, y]);
                self.op(Op::Not, &[compared])
            }
            6 | 7 => {
                let op = self.random.one_of([Op::Lt, Op::Le, Op::Gt]);
                let compared = self.op(op, &[x, y]);
                self.op(Op::Select, &[compared, x, y])
            }
            8 => {
                let negated = self.op(Op::Neg, &[x]);
                let again = self.random.chance(50);
                if again { self.op(Op::Neg, &[negated]) } else { self.op(Op::Sub, &[y, negated]) }
            }
            _ => {
                let op = self.random.one_of([Op::Floor, Op::Abs, Op::Sqrt, Op::CopySign]);
                if op == Op::CopySign { self.op(op, &[x, y]) } else { self.op(op, &[x]) }
            }
        };
        self.mix_in(val);
    }

    /// A float that is now and then a zero, an infinity, a NaN or next to nothing.
    fn odd(&mut self, scalar: Scalar) -> Val {
        let sign = 1 << (scalar.bits() - 1);
        let nan = samebits_ir::scalar::nan(scalar).unwrap_or_default();
        let infinity = match scalar {
            Scalar::F16 => 0x7c00,
            Scalar::F32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        let odd = self.random.one_of([sign, sign, 0, nan | sign, nan | 1, nan & !1 | 4, infinity, 1, sign | 1]);
        let odd = self.constant(scalar, odd);
        let val = self.value(scalar.into());
        let condition = self.value(Type::BOOL);
        self.op(Op::Select, &[condition, odd, val])
    }

    /// An op on constants alone.
    fn constants(&mut self) {
        let op = match self.random.pick(super::ops()) {
            Some(&op) if self.random.chance(70) => op,
            _ => self.random.one_of([Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Shl, Op::Shr, Op::Lt]),
        };
        let Signature::Lanes(class, ..) = op.info().signature else {
            self.some(op);
            return;
        };
        let all: Vec<Scalar> = class.members().collect();
        let Some(&lane) = self.random.pick(&all) else { return };
        let Some((types, _)) = op.info().signature.types(lane.into()) else { return };
        let args: Vec<Val> = types
            .iter()
            .map(|ty| {
                let scalar = ty.lane().unwrap_or(Scalar::U32);
                let bits = scalar::bits(&mut self.random, scalar);
                self.constant(scalar, bits)
            })
            .collect();
        let val = self.op(op, &args);
        self.mix_in(val);
    }

    /// A division, remainder or product by a constant.
    fn division(&mut self) {
        let scalar = if self.random.chance(40) { self.member(Class::SIGNED) } else { self.integer() };
        let x = self.unknown(scalar.into());
        let bits = match self.random.below(3) {
            0 if self.random.chance(60) => 1 << self.random.below(6),
            0 => 1 << self.random.below(scalar.bits() as usize),
            1 => 3 + self.random.below(20) as u64,
            _ => scalar::bits(&mut self.random, scalar),
        };
        let by = self.constant(scalar, bits);
        let x = match self.random.below(4) {
            // A multiple of the divisor, or a little less.
            0 | 1 => {
                let most = self.constant(scalar, 15);
                let mut few = self.op(Op::And, &[x, most]);
                if scalar.is_signed() {
                    let half = self.constant(scalar, 8);
                    few = self.op(Op::Sub, &[few, half]);
                }
                let multiple = self.op(Op::Mul, &[few, by]);
                let one = self.one(scalar);
                if self.random.chance(50) { multiple } else { self.op(Op::Sub, &[multiple, one]) }
            }
            2 => self.spiced(scalar),
            _ => x,
        };
        let op = self.random.one_of([Op::Div, Op::Div, Op::Rem, Op::Rem, Op::Mul, Op::DivEuclid, Op::RemEuclid]);
        let val = self.op(op, &[x, by]);
        self.mix_in(val);
    }

    /// A chain of one op with constants in it, such as `(x + 3) + 4`.
    fn chain(&mut self) {
        let op = self.random.one_of([Op::Add, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Min, Op::Max, Op::Sub]);
        let scalar = if self.random.chance(30) && !matches!(op, Op::And | Op::Or | Op::Xor) {
            self.member(Class::FLOAT)
        } else {
            self.integer()
        };
        let mut val = self.unknown(scalar.into());
        for _ in 0..2 + self.random.below(3) {
            let other = if self.random.chance(75) {
                let bits = scalar::bits(&mut self.random, scalar);
                self.constant(scalar, bits)
            } else {
                self.value(scalar.into())
            };
            val = if self.random.chance(80) { self.op(op, &[val, other]) } else { self.op(op, &[other, val]) };
        }
        self.mix_in(val);
    }

    /// A guard within the same guard, or within one that decides it.
    fn guards(&mut self) {
        let scalar = if self.random.chance(60) { Scalar::U32 } else { self.member(Class::NUM) };
        let ty = Type::Scalar(scalar);
        let (i, n) = (self.unknown(ty), self.value(ty));
        let op = self.random.one_of([Op::Lt, Op::Le, Op::Eq, Op::Ne, Op::Gt]);
        let outer = self.op(op, &[i, n]);
        if self.depth > 3 {
            return;
        }
        let results = [ty];
        let then = self.b.region(&[]);
        self.b.enter(then);
        let uniform = std::mem::replace(&mut self.uniform, false);
        self.depth += 1;
        self.scope(|g| {
            let inner_op = g.random.one_of([op, Op::Lt, Op::Le, Op::Eq, Op::Ge]);
            let (a, b) = if g.random.chance(75) { (i, n) } else { (n, i) };
            let more = g.one(scalar);
            let a = if g.random.chance(30) { g.op(Op::Add, &[a, more]) } else { a };
            let inner = g.op(inner_op, &[a, b]);
            g.mix_in(inner);
            let val = g.op(Op::Select, &[inner, i, n]);
            if g.random.chance(40) {
                g.branch_on(inner, false);
            }
            g.b.yield_(&[val.value]);
        });
        self.b.leave();
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        self.scope(|g| {
            let other = g.random.one_of([op, Op::Gt, Op::Ge, Op::Lt]);
            let again = g.op(other, &[i, n]);
            g.mix_in(again);
            let val = g.value(ty);
            g.b.yield_(&[val.value]);
        });
        self.depth -= 1;
        self.uniform = uniform;
        self.b.leave();
        let given = self.b.if_else(outer.value, then, otherwise, &results);
        for value in given {
            self.keep(Val { value, ty, uniform: false });
        }
    }

    /// A branch on what is known when looked at closely.
    fn decided(&mut self) {
        if self.depth > 3 {
            return;
        }
        let x = self.unknown(Type::U32);
        let condition = match self.random.below(4) {
            0 => self.constant(Scalar::Bool, 1),
            1 => self.constant(Scalar::Bool, 0),
            2 => {
                let (mask, limit) = (self.number(7), self.number(8));
                let low = self.op(Op::And, &[x, mask]);
                self.op(Op::Lt, &[low, limit])
            }
            _ => {
                let (c, limit) = (self.number(28), self.number(15));
                let top = self.op(Op::Shr, &[x, c]);
                self.op(Op::Gt, &[top, limit])
            }
        };
        self.branch_on(condition, false);
    }

    /// A store, perhaps another that may meet it, and a load.
    fn store_and_load(&mut self) {
        let Some(&at) = self.random.pick(&self.stores()) else { return };
        let first = self.spot(at);
        let val = self.value(first.ty);
        self.store_to(&first, val);
        let early = self.random.chance(30).then(|| self.load_from(&first));
        match self.random.below(4) {
            0 => {
                let other = if self.random.chance(60) { self.maybe_same(&first) } else { self.spot(at) };
                let val = self.value(other.ty);
                self.store_to(&other, val);
            }
            1 if self.uniform => {
                self.b.barrier();
                self.spend(1);
            }
            2 => self.access(),
            _ => {}
        }
        let found = self.load_from(&first);
        self.mix_in(found);
        if let Some(early) = early {
            self.mix_in(early);
        }
    }

    /// Stores to one place one after the other, perhaps with something between.
    fn dead_stores(&mut self) {
        let Some(&at) = self.random.pick(&self.stores()) else { return };
        let spot = self.spot(at);
        let mut is_loaded = self.memories[at].owner == Owner::Mine && self.random.chance(70);
        for i in 0..2 {
            let mut spot = spot.after(0);
            if i == 1 && self.random.chance(25) {
                // Some of what the first store wrote stays.
                spot.ty = self.part(spot.ty);
                is_loaded = true;
            }
            let val = self.value(spot.ty);
            self.store_to(&spot, val);
            match self.random.below(5) {
                0 => {
                    self.load(at);
                }
                1 => self.access(),
                _ => {}
            }
        }
        if is_loaded {
            let found = self.load_from(&spot);
            self.mix_in(found);
        }
    }

    /// A narrower type for an access that begins where one of this type does.
    fn part(&mut self, ty: Type) -> Type {
        match ty {
            Type::Vector(scalar, _) => scalar.into(),
            Type::Scalar(scalar) if scalar.bits() > 16 => self.random.one_of([Scalar::U8, Scalar::I16]).into(),
            other => other,
        }
    }

    /// Accesses to neighbours, in some order.
    fn adjacent(&mut self) {
        let readable: Vec<usize> =
            (0..self.memories.len()).filter(|&i| self.memories[i].access != Access::Atomic).collect();
        let stores = self.stores();
        let writes = self.random.chance(50);
        let from = if writes { &stores } else { &readable };
        let Some(&at) = self.random.pick(from) else { return };
        let Type::Array(id) = self.memories[at].record else { return };
        let def = self.types.arrays[id].clone();
        let Type::Scalar(scalar) = def.element else { return };
        let lanes = (2 + self.random.below(3) as u32).min(def.len);
        let mut spot = self.spot(at);
        // An access to a part of an element, or to a lane, has an offset.
        if spot.ty != def.element || spot.place.offset != 0 {
            return;
        }
        // The last index is that of the element: it becomes a multiple of the lanes.
        let Some(last) = spot.place.indices.pop() else { return };
        let bound = def.len / lanes;
        let val = Val { value: last.value, ty: Type::U32, uniform: false };
        let (count, by) = (self.number(bound), self.number(lanes));
        let block = self.op(Op::Rem, &[val, count]);
        let scaled = self.random.chance(50);
        let block = if scaled { self.op(Op::Mul, &[block, by]) } else { block };
        let (stride, bound) = if scaled { (last.stride, bound * lanes) } else { (last.stride * lanes, bound) };
        spot.place.indices.push(Index { value: block.value, stride, bound: Some(bound) });
        let mut order: Vec<u32> = (0..lanes).collect();
        if self.random.chance(40) {
            order.reverse();
        }
        let mut vals = Vec::new();
        for lane in order {
            let there = spot.after(lane * scalar.size());
            if writes {
                let val = self.value(def.element);
                self.store_to(&there, val);
            } else {
                vals.push(self.load_from(&there));
            }
        }
        if writes && self.random.chance(50) {
            vals.push(self.load_from(&spot));
        }
        for val in vals {
            self.mix_in(val);
        }
    }

    /// A private array that one loop fills and another reads.
    fn fill_and_sum(&mut self) {
        let own = |memory: &Memory| matches!(memory.root, Root::Private(_));
        let all: Vec<usize> = (0..self.memories.len()).filter(|&i| own(&self.memories[i])).collect();
        let Some(&at) = self.random.pick(&all) else { return };
        for writes in [true, false] {
            self.repeat_with(false, |g| {
                for _ in 0..1 + g.random.below(2) {
                    let spot = g.spot(at);
                    if writes {
                        let val = g.value(spot.ty);
                        g.store_to(&spot, val);
                    } else {
                        let val = g.load_from(&spot);
                        g.mix_in(val);
                    }
                }
                if g.random.chance(20) {
                    g.body(2);
                }
            });
        }
    }

    /// A loop in which something is computed, loaded or stored again and again.
    fn hoistable(&mut self) {
        let outside: Vec<Val> = self.pool.clone();
        let loaded = self.random.below(self.memories.len());
        let spot = (self.memories.get(loaded).is_some_and(|m| m.access != Access::Atomic)).then(|| self.spot(loaded));
        let stored = self.stores().contains(&loaded);
        self.repeat_with(false, |g| {
            let fits = |val: &&Val| matches!(val.ty, Type::Scalar(s) if s != Scalar::Bool);
            let candidates: Vec<Val> = outside.iter().filter(fits).copied().collect();
            if let Some(&val) = g.random.pick(&candidates) {
                let same: Vec<Val> = candidates.iter().filter(|other| other.ty == val.ty).copied().collect();
                let other = g.random.pick(&same).copied().unwrap_or(val);
                let op = g.random.one_of([Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min]);
                let val = g.op(op, &[val, other]);
                g.mix_in(val);
            }
            if let Some(spot) = &spot {
                let before = g.load_from(spot);
                g.mix_in(before);
                if stored && g.random.chance(60) {
                    let val = g.value(spot.ty);
                    g.store_to(spot, val);
                }
            }
            g.body(2);
        });
    }

    /// A value whose range is known, and what can be concluded from that.
    fn known_range(&mut self) {
        let x = self.unknown(Type::U32);
        let most = 1 + self.random.below(12) as u32;
        let n = self.number(most);
        let op = self.random.one_of([Op::And, Op::Rem, Op::Min, Op::Shr]);
        let small = self.op(op, &[x, n]);
        let m = self.random.one_of([most - 1, most, most, most + 1, 7, 8, 15]);
        let m = self.number(m);
        let val = match self.random.below(7) {
            0 | 5 | 6 => self.op(Op::Lt, &[small, m]),
            1 => self.op(Op::Rem, &[small, m]),
            2 => self.op(Op::And, &[small, m]),
            3 => self.op(Op::SubSat, &[small, m]),
            _ => {
                let narrow = self.op_to(Op::Cast, small, Scalar::U8.into());
                self.op_to(Op::Cast, narrow, Type::U32)
            }
        };
        self.mix_in(val);
    }

    /// A selection by a comparison of what is selected.
    fn choice(&mut self) {
        let scalar = self.scalar();
        let (a, b) = (self.unknown(scalar.into()), self.value(scalar.into()));
        let op = self.random.one_of([Op::Lt, Op::Gt, Op::Le, Op::Ge, Op::Eq, Op::Ne]);
        let condition = self.op(op, &[a, b]);
        let val = if self.random.chance(50) {
            self.op(Op::Select, &[condition, a, b])
        } else {
            self.op(Op::Select, &[condition, b, a])
        };
        self.mix_in(val);
    }

    /// A call of a device function with values and a view.
    pub fn call(&mut self) {
        let Some(callee) = self.random.pick(&self.callees).cloned() else { return };
        if self.budget < callee.cost * self.times {
            return;
        }
        let fits = |record| match record {
            Type::Array(id) => self.types.arrays[id].element == Type::U32 && self.types.arrays[id].len >= VIEWED,
            _ => false,
        };
        let views: Vec<usize> = self.stores().into_iter().filter(|&i| fits(self.memories[i].record)).collect();
        let Some(&at) = self.random.pick(&views) else { return };
        let mut args: Vec<CallArg> = Vec::new();
        for &ty in &callee.values {
            args.push(CallArg::Value(self.value(ty).value));
        }
        let place = self.whole(at);
        args.push(CallArg::Place(place));
        self.spend(callee.cost as usize);
        let given = self.b.call(callee.index, args, &callee.results);
        for (value, ty) in given.into_iter().zip(callee.results) {
            let val = self.keep(Val { value, ty, uniform: false });
            if self.random.chance(60) {
                self.mix_in(val);
            }
        }
    }

    /// Where a memory, or the invocation's record of it, begins.
    fn whole(&mut self, at: usize) -> Place {
        let memory = self.memories[at].clone();
        let mut indices = Vec::new();
        if let Owner::Record(own) = memory.owner {
            let stride = self.types.layout(memory.record).map_or(4, |layout| layout.size);
            indices.push(Index { value: own.value, stride, bound: None });
        }
        self.b.place(memory.root, &indices, 0)
    }
}
