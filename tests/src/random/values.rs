//! Values: constants, visible values, and ops as the table of ops describes them.

use super::build::{Gen, Val};
use super::scalar;
use crate::conform::values::edges;
use samebits_ir::flags::Flags;
use samebits_ir::ir::Value;
use samebits_ir::ops::{Builtin, Class, Op, Signature, SubgroupOp, SubgroupSignature};
use samebits_ir::scalar::cast_rule;
use samebits_ir::types::{Scalar, Type};

impl Gen {
    /// A scalar that this function uses often, or any other.
    pub fn scalar(&mut self) -> Scalar {
        let of = if self.random.chance(85) { self.random.pick(&self.palette) } else { self.random.pick(Scalar::ALL) };
        of.copied().unwrap_or(Scalar::U32)
    }

    pub fn integer(&mut self) -> Scalar {
        self.member(Class::INT)
    }

    /// A scalar of a class, if possible one that the function uses often.
    pub fn member(&mut self, class: Class) -> Scalar {
        let near: Vec<Scalar> = self.palette.iter().copied().filter(|&s| class.contains(s)).collect();
        if self.random.chance(75)
            && let Some(&scalar) = self.random.pick(&near)
        {
            return scalar;
        }
        let all: Vec<Scalar> = class.members().collect();
        self.random.pick(&all).copied().unwrap_or(Scalar::U32)
    }

    /// A type that a value may have.
    pub fn ty(&mut self) -> Type {
        let scalar = self.scalar();
        if self.random.chance(20) { self.vector(scalar) } else { Type::Scalar(scalar) }
    }

    fn vector(&mut self, lane: Scalar) -> Type {
        Type::Vector(lane, 2 + self.random.below(3) as u8)
    }

    /// A value of a type: visible already if possible, else made.
    pub fn value(&mut self, ty: Type) -> Val {
        if self.random.chance(85)
            && let Some(val) = self.visible(|val| val.ty == ty)
        {
            return val;
        }
        match ty {
            Type::Vector(lane, lanes) => {
                let first = self.value(Type::Scalar(lane));
                let args: Vec<Val> = (0..lanes)
                    .map(|i| if i == 0 || self.random.chance(40) { first } else { self.value(Type::Scalar(lane)) })
                    .collect();
                self.op(Op::Construct, &args)
            }
            Type::Scalar(scalar) => {
                if self.random.chance(55)
                    && let Some(val) = self.made_of_another(scalar)
                {
                    return val;
                }
                let bits = scalar::bits(&mut self.random, scalar);
                self.constant(scalar, bits)
            }
            _ => self.number(0),
        }
    }

    /// A value made of a visible one of another type.
    fn made_of_another(&mut self, scalar: Scalar) -> Option<Val> {
        let ty = Type::Scalar(scalar);
        if scalar == Scalar::Bool {
            let val = self.visible(|val| matches!(val.ty, Type::Scalar(_)))?;
            let other = self.value(val.ty);
            let op = self.random.one_of([Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
            return Some(self.op(op, &[val, other]));
        }
        if scalar.is_float() && self.random.chance(25) {
            let bits = self.value(scalar.unsigned().into());
            return Some(self.op_to(Op::Bitcast, bits, ty));
        }
        let val = self.visible(|val| val.ty != ty && cast_rule(val.ty, ty).is_some())?;
        Some(self.op_to(Op::Cast, val, ty))
    }

    /// A value of a type that differs among invocations if any does, or is not known at
    /// least: no constant.
    pub fn unknown(&mut self, ty: Type) -> Val {
        if self.random.chance(12)
            && let Type::Scalar(scalar) = ty
            && scalar != Scalar::Bool
        {
            return self.spiced(scalar);
        }
        for _ in 0..3 {
            let val = self.value(ty);
            if self.bits_of(val).is_none() {
                return val;
            }
        }
        self.value(ty)
    }

    /// A value that is now and then an edge of its type.
    pub fn spiced(&mut self, scalar: Scalar) -> Val {
        let edges = edges(scalar);
        let bits = self.random.pick(&edges).copied().unwrap_or_default();
        let edge = self.constant(scalar, bits);
        let val = self.value(scalar.into());
        let condition = self.value(Type::BOOL);
        self.op(Op::Select, &[condition, edge, val])
    }

    /// A visible value that fits, more often than not a recent one.
    pub fn visible(&mut self, fits: impl Fn(&Val) -> bool) -> Option<Val> {
        let all: Vec<Val> = self.pool.iter().copied().filter(|val| fits(val)).collect();
        let recent = all.len().min(5);
        if self.random.chance(60) {
            self.random.pick(&all[all.len() - recent..]).copied()
        } else {
            self.random.pick(&all).copied()
        }
    }

    /// A `u32` that is the same in all invocations of a workgroup.
    pub fn uniform_u32(&mut self) -> Val {
        match self.visible(|val| val.uniform && val.ty == Type::U32) {
            Some(val) if self.random.chance(80) => val,
            _ => {
                let bits = scalar::bits(&mut self.random, Scalar::U32);
                self.constant(Scalar::U32, bits)
            }
        }
    }

    /// A condition, the same in all invocations of a workgroup if so wanted.
    pub fn condition(&mut self, uniform: bool) -> Val {
        if uniform {
            if self.random.chance(40)
                && let Some(val) = self.visible(|val| val.uniform && val.ty == Type::BOOL)
            {
                return val;
            }
            let (a, b) = (self.uniform_u32(), self.uniform_u32());
            let op = self.random.one_of([Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
            if self.random.chance(15) {
                // The same, but said to differ: the two must stay apart.
                self.b.flags(Flags::NONUNIFORM);
                let value = self.b.op(op, &[a.value, b.value]);
                self.b.flags(Flags::NONE);
                self.keep(Val { value, ty: Type::BOOL, uniform: false });
            }
            let val = self.op(op, &[a, b]);
            // A flag may have said that the invocations differ.
            return if val.uniform { val } else { self.constant(Scalar::Bool, 1) };
        }
        self.unknown(Type::BOOL)
    }

    /// A fact about the launch.
    pub fn fact(&mut self) -> Val {
        if self.random.chance(30) {
            let Some(memory) = self.random.pick(&self.memories).cloned() else { return self.number(1) };
            let value = self.b.len(memory.root);
            self.spend(1);
            return self.keep(Val { value, ty: Type::U32, uniform: true });
        }
        let builtin = self.random.pick(Builtin::ALL).copied().unwrap_or(Builtin::LocalIndex);
        let value = self.b.builtin(builtin);
        self.spend(1);
        let uniform = self.b.function().is_kernel()
            && matches!(
                builtin,
                Builtin::WorkgroupIdX
                    | Builtin::WorkgroupIdY
                    | Builtin::WorkgroupIdZ
                    | Builtin::NumWorkgroupsX
                    | Builtin::NumWorkgroupsY
                    | Builtin::NumWorkgroupsZ
                    | Builtin::SubgroupId
                    | Builtin::NumSubgroups
            );
        self.keep(Val { value, ty: Type::U32, uniform })
    }

    /// Any op of the table on any types that it takes.
    pub fn any_op(&mut self) -> Val {
        let op = self.random.pick(super::ops()).copied().unwrap_or(Op::Add);
        // The simple ops are what programs consist of.
        let op = if self.random.chance(35) {
            self.random.one_of([
                Op::Add,
                Op::Sub,
                Op::Mul,
                Op::And,
                Op::Or,
                Op::Xor,
                Op::Shl,
                Op::Shr,
                Op::Min,
                Op::Select,
            ])
        } else {
            op
        };
        self.some(op)
    }

    /// An op on types that it takes.
    pub fn some(&mut self, op: Op) -> Val {
        let signature = op.info().signature;
        let first = match signature {
            Signature::Lanes(class, ..) => {
                let lane = self.member(class);
                if self.random.chance(25) { self.vector(lane) } else { Type::Scalar(lane) }
            }
            Signature::Fixed(types, _) => types.first().copied().unwrap_or(Type::U32),
            Signature::Extract | Signature::Insert => {
                let lane = self.scalar();
                self.vector(lane)
            }
            Signature::Reduce => self.vector(Scalar::Bool),
            Signature::Select => {
                let ty = self.ty();
                let (condition, a, b) = (self.unknown(Type::BOOL), self.value(ty), self.value(ty));
                return self.op(op, &[condition, a, b]);
            }
            Signature::Cast => return self.any_cast(),
            Signature::Bitcast => return self.any_bitcast(),
            Signature::Construct => {
                let lane = Type::Scalar(self.scalar());
                let args: Vec<Val> = (0..2 + self.random.below(3)).map(|_| self.value(lane)).collect();
                return self.op(op, &args);
            }
        };
        let Some((types, _)) = signature.types(first) else { return self.number(0) };
        let mut args = Vec::new();
        for (i, &ty) in types.iter().enumerate() {
            args.push(match ty {
                Type::U32 if i > 0 && first != Type::U32 => self.small(),
                Type::Scalar(scalar) if i > 0 && self.random.chance(30) => {
                    let bits = scalar::bits(&mut self.random, scalar);
                    self.constant(scalar, bits)
                }
                _ if i == 0 => self.unknown(ty),
                _ => self.value(ty),
            });
        }
        self.op(op, &args)
    }

    /// An op of subgroups, where all invocations are; a workgroup is one subgroup here.
    pub fn subgroup(&mut self) {
        let op = self.random.pick(SubgroupOp::ALL).copied().unwrap_or(SubgroupOp::Add);
        let first = match op.signature() {
            SubgroupSignature::Value(class) | SubgroupSignature::Exchange(class) => {
                let lane = self.member(class);
                Some(if self.random.chance(25) { self.vector(lane) } else { Type::Scalar(lane) })
            }
            SubgroupSignature::Vote | SubgroupSignature::Ballot => Some(Type::BOOL),
            SubgroupSignature::Elect => None,
        };
        let mut args: Vec<Val> = first.into_iter().map(|ty| self.unknown(ty)).collect();
        if op.operands() > 1 {
            args.push(self.small());
        }
        let values: Vec<Value> = args.iter().map(|val| val.value).collect();
        let value = self.b.subgroup(op, &values);
        let ty = self.b.function().ty(value);
        self.spend(ty.lanes() + 1);
        let uniform = op.is_same() && args.get(1).is_none_or(|lane| lane.uniform);
        let val = self.keep(Val { value, ty, uniform });
        if self.random.chance(50) {
            self.mix_in(val);
        }
    }

    /// A count or a place: a small number more often than not.
    pub fn small(&mut self) -> Val {
        match self.random.below(4) {
            0 => self.value(Type::U32),
            1 => {
                let (val, most) = (self.value(Type::U32), self.random.one_of([1, 3, 7, 31]));
                let most = self.number(most);
                self.op(Op::And, &[val, most])
            }
            _ => {
                let n = self.random.below(9) as u32;
                self.number(n)
            }
        }
    }

    fn any_cast(&mut self) -> Val {
        let from = if self.random.chance(20) {
            let lanes = self.random.one_of([2, 4]);
            Type::Vector(Scalar::U32, lanes)
        } else {
            Type::Scalar(self.scalar())
        };
        let targets = Scalar::ALL.iter().map(|&s| Type::Scalar(s)).chain([Type::VEC2_U32, Type::VEC4_U32]);
        let targets: Vec<Type> = targets.filter(|&to| cast_rule(from, to).is_some()).collect();
        let val = self.unknown(from);
        let to = self.random.pick(&targets).copied().unwrap_or(from);
        self.op_to(Op::Cast, val, to)
    }

    fn any_bitcast(&mut self) -> Val {
        let from = self.ty();
        let Some(lane) = from.lane().filter(|&lane| lane != Scalar::Bool) else { return self.any_cast() };
        let fits = |s: &Scalar| *s != Scalar::Bool && s.bits() == lane.bits();
        let targets: Vec<Scalar> = Scalar::ALL.iter().copied().filter(fits).collect();
        let val = self.unknown(from);
        let to = self.random.pick(&targets).copied().unwrap_or(lane);
        self.op_to(Op::Bitcast, val, from.with_lane(to))
    }
}
