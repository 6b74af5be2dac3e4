//! The generator's state, and what every part of it uses.
//!
//! Invariants: the pool holds the values that are visible where the next instruction goes;
//! `uniform` is true only where all invocations of a workgroup are; `times` is at least how
//! often the next instruction runs, and `budget` what is left of the instructions that an
//! invocation may run, so that kernels end soon.

use super::memory::Memory;
use samebits_ir::builder::Builder;
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Inst, Root, Value, Var};
use samebits_ir::ops::Op;
use samebits_ir::order::Ordering;
use samebits_ir::types::{Scalar, Type, Types};
use samebits_random::Random;

/// A value that is visible.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Val {
    pub value: Value,
    pub ty: Type,
    /// Whether the checks will find that all invocations of a workgroup have the same.
    pub uniform: bool,
}

/// A loop around the place that is being filled.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub inst: Inst,
    /// What a `continue` passes for the parameters that count, which come first; `None` if
    /// a `continue` would not come nearer to the end.
    pub next: Option<Vec<Val>>,
    /// The types of the other parameters.
    pub params: Vec<Type>,
    pub results: Vec<Type>,
    /// Whether all invocations of a workgroup run the loop together.
    pub together: bool,
}

/// A device function that may be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub index: u32,
    /// The types of the values that it takes, before a view of `u32`s to write to.
    pub values: Vec<Type>,
    pub results: Vec<Type>,
    /// About how many instructions a call runs.
    pub cost: i64,
}

/// Builds one function.
pub(super) struct Gen {
    pub random: Random,
    pub b: Builder,
    pub types: Types,
    pub pool: Vec<Val>,
    pub vars: Vec<(Var, Type)>,
    pub loops: Vec<Open>,
    pub memories: Vec<Memory>,
    /// The buffer that everybody adds to, and its elements.
    pub gathered: Option<(Root, Scalar)>,
    pub callees: Vec<Callee>,
    /// The scalars that most values have.
    pub palette: Vec<Scalar>,
    /// The orders of atomics, the relaxed one first.
    pub orders: &'static [Ordering],
    pub budget: i64,
    pub times: i64,
    pub uniform: bool,
    /// The first of the open loops that may be left or continued.
    pub floor: usize,
    /// Whether the function may end here.
    pub may_return: bool,
    /// Whether no barrier follows, so that some invocations may end before others.
    pub is_tail: bool,
    /// What a return gives; a kernel's gives nothing.
    pub results: Vec<Type>,
    pub depth: usize,
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// The invocation's place in its workgroup, and in the launch.
    pub local: Option<Val>,
    pub global: Option<Val>,
    /// The place in the launch of the workgroup's first invocation.
    pub first: Option<Val>,
    /// Where everything is mixed into.
    pub mix: Option<Var>,
    /// The buffer that a kernel stores that to.
    pub end: Option<Root>,
}

impl Gen {
    pub fn new(random: Random, b: Builder, types: Types, palette: Vec<Scalar>) -> Self {
        Self {
            random,
            b,
            types,
            pool: Vec::new(),
            vars: Vec::new(),
            loops: Vec::new(),
            memories: Vec::new(),
            gathered: None,
            callees: Vec::new(),
            palette,
            orders: Ordering::ALL,
            budget: 0,
            times: 1,
            uniform: false,
            floor: 0,
            may_return: false,
            is_tail: false,
            results: Vec::new(),
            depth: 0,
            workgroup: 1,
            local: None,
            global: None,
            first: None,
            mix: None,
            end: None,
        }
    }

    /// Counts an instruction of so many steps.
    pub fn spend(&mut self, steps: usize) {
        self.budget -= steps as i64 * self.times;
    }

    /// Makes a value visible.
    pub fn keep(&mut self, val: Val) -> Val {
        self.pool.push(val);
        val
    }

    /// An op whose operands are known to have the right types.
    pub fn op(&mut self, op: Op, args: &[Val]) -> Val {
        let values: Vec<Value> = args.iter().map(|val| val.value).collect();
        self.flagged(args, |b| b.op(op, &values))
    }

    /// An op with a stated result type.
    pub fn op_to(&mut self, op: Op, arg: Val, ty: Type) -> Val {
        self.flagged(&[arg], |b| b.op_to(op, &[arg.value], ty))
    }

    /// Builds something of these operands, now and then with a flag.
    fn flagged(&mut self, args: &[Val], build: impl FnOnce(&mut Builder) -> Value) -> Val {
        let flags = match self.random.below(40) {
            0 => Flags::NONUNIFORM,
            1 => Flags::PRECISE,
            2 => Flags::NONAN.and(Flags::NOINF),
            3 => Flags::NOSZ,
            _ => Flags::NONE,
        };
        self.b.flags(flags);
        let value = build(&mut self.b);
        self.b.flags(Flags::NONE);
        let ty = self.b.function().ty(value);
        self.spend(ty.lanes());
        let uniform = args.iter().all(|val| val.uniform) && !flags.has(Flags::NONUNIFORM);
        self.keep(Val { value, ty, uniform })
    }

    /// A constant.
    pub fn constant(&mut self, ty: Scalar, bits: u64) -> Val {
        Val { value: self.b.constant(ty, bits & ty.mask()), ty: Type::Scalar(ty), uniform: true }
    }

    pub fn number(&mut self, value: u32) -> Val {
        self.constant(Scalar::U32, value.into())
    }

    /// The bits of a constant.
    pub fn bits_of(&self, val: Val) -> Option<u64> {
        self.b.function().constant_bits(val.value)
    }

    /// Runs `fill` with its own visible values; what it makes is not visible afterwards.
    pub fn scope<T>(&mut self, fill: impl FnOnce(&mut Self) -> T) -> T {
        let visible = self.pool.len();
        let out = fill(self);
        self.pool.truncate(visible);
        out
    }

    /// A few statements.
    pub fn body(&mut self, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            if self.budget <= 0 {
                break;
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let may_nest = self.depth < 4 && self.budget > 20 * self.times;
        match self.random.below(100) {
            0..28 => self.computation(),
            28..48 => self.access(),
            48..66 => self.pattern(),
            66..72 => self.sink(),
            72..75 => self.variable(),
            75..78 => self.launch_fact(),
            78..80 => self.call(),
            80..82 if self.uniform => {
                for _ in 0..2 + self.random.below(3) {
                    self.subgroup();
                }
            }
            80..82 => self.call(),
            82..84 if self.uniform => self.together(),
            84..91 if may_nest => self.branch(),
            91..94 if may_nest => self.switch(),
            94..100 if may_nest => self.repeat(),
            _ => self.computation(),
        }
    }

    fn computation(&mut self) {
        self.any_op();
    }

    fn launch_fact(&mut self) {
        self.fact();
    }

    fn variable(&mut self) {
        let Some(&(var, ty)) = self.random.pick(&self.vars) else { return };
        if self.random.chance(50) {
            let val = self.value(ty);
            self.b.set(var, val.value);
        } else {
            let value = self.b.get(var);
            self.keep(Val { value, ty, uniform: false });
        }
        self.spend(1);
    }

    /// Makes something depend on a value that is visible, so that it matters.
    pub fn sink(&mut self) {
        let recent = self.pool.len().min(6);
        let at = self.pool.len() - recent + self.random.below(recent);
        let Some(&val) = self.pool.get(at) else { return };
        if self.random.chance(40) && self.store_somewhere(val) {
            return;
        }
        self.mix_in(val);
    }

    /// Mixes all bits of a value into the variable that the function gives at its end.
    pub fn mix_in(&mut self, val: Val) {
        let Some(mix) = self.mix else { return };
        self.scope(|g| {
            let word = g.word(val);
            let value = g.b.get(mix);
            let old = Val { value, ty: Type::U32, uniform: false };
            let by = g.number(5);
            let turned = g.op(Op::RotateLeft, &[old, by]);
            let op = g.random.one_of([Op::Xor, Op::Add]);
            let new = g.op(op, &[turned, word]);
            g.b.set(mix, new.value);
            g.spend(2);
        });
    }

    /// A word into which all bits of a value go.
    fn word(&mut self, val: Val) -> Val {
        match val.ty {
            Type::Vector(scalar, lanes) => {
                let mut word: Option<Val> = None;
                for lane in 0..u32::from(lanes) {
                    let at = self.number(lane);
                    let lane = self.op(Op::Extract, &[val, at]);
                    debug_assert_eq!(lane.ty, Type::Scalar(scalar));
                    let next = self.word(lane);
                    word = Some(match word {
                        Some(word) => {
                            let by = self.number(7);
                            let turned = self.op(Op::RotateLeft, &[word, by]);
                            self.op(Op::Xor, &[turned, next])
                        }
                        None => next,
                    });
                }
                word.unwrap_or(val)
            }
            Type::Scalar(scalar) if scalar.is_float() => {
                let bits = self.op_to(Op::Bitcast, val, Type::Scalar(scalar.unsigned()));
                self.word(bits)
            }
            Type::Scalar(scalar) if scalar.bits() == 64 => {
                let by = self.number(32);
                let high = self.op(Op::Shr, &[val, by]);
                let both = self.op(Op::Xor, &[val, high]);
                self.op_to(Op::Cast, both, Type::U32)
            }
            Type::U32 => val,
            _ => self.op_to(Op::Cast, val, Type::U32),
        }
    }
}
