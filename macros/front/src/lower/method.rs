//! Methods and functions that are ops of the table.
//!
//! Only the tables say which exist. Operand and result types follow from the op's signature.

use super::{Lowerer, Untold};
use crate::hir::{End, ExprId, ExprKind, Outer};
use crate::infer::{Ty, VarKind};
use crate::spell;
use crate::syntax;
use crate::words::foreign;
use crate::words::suggest::method_like;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Beside, NumberMethod, Op, Part, Signature, SubgroupOp, SubgroupSignature};
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn method(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, name: &str, loc: Loc) -> ExprId {
        let ty = self.ty(value);
        if ty == Ty::Error {
            self.args_of_refused(&call.args);
            return self.error(loc);
        }
        if (&ty, name) == (&Ty::Scalar(Scalar::Bool), "then") {
            return self.some_of(call, value, loc);
        }
        let is_closure = |arg: &syn::Expr| matches!(syntax::peel(arg), syn::Expr::Closure(_));
        if ty.scalar().is_some() && call.args.iter().any(is_closure) {
            // No method of a number takes one, so that is no second mistake.
            self.args_of_refused(&call.args);
            let help = (name == "then").then(|| "compare it: `(… != 0).then(…)`".to_owned());
            return self.no_method(call, name, &ty, help);
        }
        let args = self.args(&call.args);
        if let Ty::Var(_) = ty {
            let at = self.loc(&call.method);
            let same = |outer: &&Outer| self.infer.resolve(&self.body.locals[outer.local].ty) == ty;
            let constant = self.body.outer.iter().find(same).map(|outer| outer.local);
            if let (Some(local), Untold::Listed, Some(kind)) = (constant, self.untold, self.infer.kind(&ty)) {
                // Only with its type the method is found.
                self.asked.push((local, kind));
                self.infer.unify(&ty, &Ty::Error);
                return self.error(loc);
            }
            if self.infer.kind(&ty) == Some(VarKind::General) {
                // A constant from outside; nothing better can be suggested.
                self.infer.unify(&ty, &Ty::Error);
                let message = format!("cannot infer the type here, which `{name}` needs");
                return self.refuse(Diag::new(Code::V202, at, message).help("add a cast, such as `(CONSTANT as u32)`"));
            }
            let message = format!("can't call method `{name}` on ambiguous numeric type `{}`", self.infer.show(&ty));
            let help = match self.infer.kind(&ty) {
                Some(VarKind::Float) => "give the literal a suffix, such as `2.0f32`",
                _ => "give the literal a suffix, such as `2u32`",
            };
            return self.refuse(Diag::new(Code::V202, at, message).help(help));
        }
        if let Ty::Matrix(column, columns) = ty {
            return self.matrix_method(call, (value, *column, columns), loc);
        }
        if let Ty::Vector(lane, lanes) = ty {
            return self.vector_method(call, (value, *lane, lanes), &args, loc);
        }
        if ty == Ty::Bf16 {
            return self.bfloat_method(call, value, name, loc);
        }
        let Some(scalar) = ty.scalar() else {
            return match ty {
                Ty::Error | Ty::Never => self.error(loc),
                _ => self.no_method(call, name, &ty, None),
            };
        };
        if (scalar, name) == (Scalar::Bool, "then_some") {
            if !self.arity(&call.args, 1, name, loc) {
                return self.error(loc);
            }
            let ty = Ty::option(self.ty(args[0]));
            return self.push(ExprKind::When(value, args[0]), ty, loc);
        }
        if name == "into" {
            return self.number_into(call, value, loc);
        }
        let float = scalar.is_float();
        if scalar.is_int()
            && let Some(pair) = self.overflowing(call, value, &args, loc)
        {
            return pair;
        }
        let own = NumberMethod::of(name, scalar).filter(|method| ty != Ty::Usize || !method.shows_width());
        if let Some(method) = own {
            return self.number_method(call, method, (value, &ty), &args, loc);
        }
        if float && name == "sin_cos" {
            return self.sin_cos(call, value, loc);
        }
        if float && name == "to_bits" {
            self.arity(&call.args, 0, name, loc);
            return self.push(ExprKind::Op(Op::Bitcast, vec![value]), Ty::Scalar(scalar.unsigned()), loc);
        }
        let Some(op) = Op::from_method(name, scalar) else {
            let help = missing(name, float).or_else(|| method_like(name, scalar, None));
            return self.no_method(call, name, &ty, help);
        };
        let signature = op.info().signature;
        if !self.arity(&call.args, signature.arity().0 - 1, name, loc) {
            return self.error(loc);
        }
        let Signature::Lanes(_, parts, result) = signature else {
            return self.no_method(call, name, &ty, None);
        };
        let result = part_of(result, &ty);
        for (&arg, &operand) in args.iter().zip(&parts[1..]) {
            self.expect(arg, &part_of(operand, &ty));
        }
        if op == Op::Neg {
            // `wrapping_neg`, which unlike the operator exists for unsigned integers and is
            // never part of a literal.
            let zero = self.push(ExprKind::Int(0), ty, loc);
            return self.push(ExprKind::Op(Op::Sub, vec![zero, value]), result, loc);
        }
        let operands = std::iter::once(value).chain(args).collect();
        self.push(ExprKind::Op(op, operands), result, loc)
    }

    /// A method of a `bf16`, which only has conversions.
    fn bfloat_method(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, name: &str, loc: Loc) -> ExprId {
        let (op, result) = match name {
            "to_f32" => (Op::FromBfloat, Scalar::F32),
            "to_bits" => (Op::Bitcast, Scalar::U16),
            _ => {
                let help = format!("convert to `f32` first: `.to_f32().{name}(…)`");
                return self.no_method(call, name, &Ty::Bf16, Some(help));
            }
        };
        self.arity(&call.args, 0, name, loc);
        self.push(ExprKind::Op(op, vec![value]), Ty::Scalar(result), loc)
    }

    /// A method that is no op of the table.
    fn number_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        method: NumberMethod,
        (value, ty): (ExprId, &Ty),
        args: &[ExprId],
        loc: Loc,
    ) -> ExprId {
        let scalar = ty.scalar().unwrap_or(Scalar::U32);
        let result = beside(method.gives(), ty, scalar);
        if !self.arity(&call.args, method.takes().len(), method.name(), loc) {
            return self.push(ExprKind::Error, result, loc);
        }
        for (&arg, &taken) in args.iter().zip(method.takes()) {
            self.expect(arg, &beside(taken, ty, scalar));
        }
        let operands = std::iter::once(value).chain(args.iter().copied()).collect();
        self.push(ExprKind::Number(method, operands), result, loc)
    }

    /// `u32::from_le_bytes(bytes)` and its like, and `u32::from_be(n)`; `None` for another function.
    pub(super) fn number_of_bytes(
        &mut self,
        call: &'a syn::ExprCall,
        scalar: Scalar,
        name: &str,
        loc: Loc,
    ) -> Option<ExprId> {
        let ty = Ty::Scalar(scalar);
        let bytes = Ty::Array(Box::new(Ty::Scalar(Scalar::U8)), scalar.bits() / 8);
        let (takes, end) = match name {
            "from_le_bytes" | "from_ne_bytes" => (bytes, Some(End::Little)),
            "from_be_bytes" => (bytes, Some(End::Big)),
            "from_le" | "from_be" if scalar.is_int() => (ty.clone(), None),
            _ => return None,
        };
        let args = self.args(&call.args);
        if !self.arity(&call.args, 1, &format!("{}::{name}", scalar.name()), loc) {
            return Some(self.push(ExprKind::Error, ty, loc));
        }
        self.expect(args[0], &takes);
        Some(match (end, name) {
            (Some(end), _) => self.push(ExprKind::OfBytes(args[0], end), ty, loc),
            (None, "from_be") => self.push(ExprKind::Op(Op::SwapBytes, args), ty, loc),
            (None, _) => args[0],
        })
    }

    /// A function of the prelude that is an op of the table.
    pub(super) fn function(&mut self, call: &'a syn::ExprCall, op: Op, name: &str, loc: Loc) -> ExprId {
        let args = self.args(&call.args);
        let signature = op.info().signature;
        if !self.arity(&call.args, signature.arity().0, name, loc) {
            return self.error(loc);
        }
        let first = self.ty(args[0]);
        if let Ty::Enum(_) = first {
            let message = format!("`{name}` takes numbers, but this is `{}`", self.infer.show(&first));
            return self.refuse(Diag::new(Code::V021, loc, message).help("take its number, as in `cell as u32`"));
        }
        if let Ty::Scalar(scalar) = first
            && scalar.is_float()
            && !signature.class().contains(scalar)
            && signature.class().contains(scalar.unsigned())
        {
            let message = format!("`{name}` takes integers, but this is `{first}`");
            return self.refuse(Diag::new(Code::V021, loc, message).help("take its bits with `.to_bits()`"));
        }
        let result = match signature {
            Signature::Lanes(_, parts, result) => {
                for (&arg, &part) in args.iter().zip(parts).skip(1) {
                    let ty = part_of(part, &first);
                    self.expect(arg, &ty);
                }
                part_of(result, &first)
            }
            Signature::Fixed(types, result) => {
                for (&arg, &ty) in args.iter().zip(types) {
                    self.expect(arg, &Ty::of(ty));
                }
                Ty::of(result)
            }
            // No function of the prelude has another shape.
            _ => Ty::Error,
        };
        self.push(ExprKind::Op(op, args), result, loc)
    }

    /// `subgroup_add(x)` and its like. Which types an op has is judged when all are decided.
    pub(super) fn subgroup(&mut self, call: &'a syn::ExprCall, op: SubgroupOp, loc: Loc) -> ExprId {
        let (args, name) = (self.args(&call.args), op.rust());
        let result = match op.signature() {
            SubgroupSignature::Value(_) | SubgroupSignature::Exchange(_) => args.first().map(|&value| self.ty(value)),
            SubgroupSignature::Ballot => Some(Ty::Scalar(Scalar::U32)),
            SubgroupSignature::Vote | SubgroupSignature::Elect => Some(Ty::Scalar(Scalar::Bool)),
        };
        if !self.arity(&call.args, op.operands(), name, loc) {
            return self.error(loc);
        }
        let result = result.unwrap_or(Ty::Error);
        match op.signature() {
            SubgroupSignature::Value(_) | SubgroupSignature::Exchange(_) => {
                let fits = match &result {
                    Ty::Error | Ty::Never | Ty::Var(_) => true,
                    ty if op.moves() => ty.flat().is_some_and(|leaves| !leaves.is_empty()),
                    ty => ty.value().is_some() && !matches!(ty, Ty::Enum(_)),
                };
                if !fits {
                    let at = self.body.exprs[args[0]].loc;
                    let takes = if op.moves() { "a value" } else { "a number or a vector" };
                    let message = format!("`{name}` takes {takes}, but this is `{}`", self.infer.show(&result));
                    let help = match &result {
                        Ty::Struct(def) if self.context.own.types.iter().any(|(name, _)| *name == def.name) => {
                            format!("bound `{}` by `Number` instead of `Element`", def.name)
                        }
                        Ty::Array(..) => "do it for each element, in a loop".to_owned(),
                        Ty::Enum(_) => "do it with its number, as in `cell as u32`".to_owned(),
                        Ty::Struct(def) => format!("do it for each field, such as `.{}`", def.fields[0].name),
                        _ => "do it for each part, such as `.0`".to_owned(),
                    };
                    return self.refuse(Diag::new(Code::V021, at, message).help(help));
                }
            }
            SubgroupSignature::Vote | SubgroupSignature::Ballot => {
                self.expect(args[0], &Ty::Scalar(Scalar::Bool));
            }
            SubgroupSignature::Elect => {}
        }
        if let Some(&lane) = args.get(1) {
            self.expect(lane, &Ty::Scalar(Scalar::U32));
        }
        self.push(ExprKind::Subgroup(op, args), result, loc)
    }

    /// `overflowing_add` and its like: the value and whether it wrapped.
    fn overflowing(
        &mut self,
        call: &'a syn::ExprMethodCall,
        value: ExprId,
        args: &[ExprId],
        loc: Loc,
    ) -> Option<ExprId> {
        let name = call.method.to_string();
        let (op, wraps) = match name.as_str() {
            "overflowing_add" => (Op::Add, Op::AddOverflows),
            "overflowing_sub" => (Op::Sub, Op::SubOverflows),
            "overflowing_mul" => (Op::Mul, Op::MulOverflows),
            _ => return None,
        };
        let ty = self.ty(value);
        let tuple = Ty::Tuple(vec![ty.clone(), Ty::Scalar(Scalar::Bool)]);
        if !self.arity(&call.args, 1, &name, loc) {
            return Some(self.error(loc));
        }
        self.expect(args[0], &ty);
        Some(self.push(ExprKind::Pair(op, wraps, vec![value, args[0]]), tuple, loc))
    }

    /// `sin_cos` of a number or a vector: both, as a tuple.
    pub(super) fn sin_cos(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty(value);
        if !self.arity(&call.args, 0, "sin_cos", loc) {
            return self.error(loc);
        }
        self.push(ExprKind::Pair(Op::Sin, Op::Cos, vec![value]), Ty::Tuple(vec![ty.clone(), ty]), loc)
    }

    /// What to write instead of a method of slices, with its receiver and its arguments.
    fn of_elements(call: &syn::ExprMethodCall, name: &str) -> Option<String> {
        let x = spell::expression(&call.receiver);
        let args: Vec<String> = call.args.iter().map(spell::expression).collect();
        match (name, args.as_slice()) {
            ("get_mut", [i]) => Some(format!("test the index: `if {i} < {x}.len() {{ {x}[{i}] = … }}`")),
            _ => None,
        }
    }

    pub(super) fn no_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        name: &str,
        ty: &Ty,
        help: Option<String>,
    ) -> ExprId {
        let at = self.loc(&call.method);
        let mut diag = Diag::new(Code::V203, at, format!("no method `{name}` on type `{}`", self.infer.show(ty)));
        let known = matches!(ty, Ty::Slice(_) | Ty::Array(..)).then(|| Self::of_elements(call, name)).flatten();
        diag.help = known.or_else(|| foreign::method(name).map(str::to_owned)).or(help);
        self.refuse(diag)
    }
}

/// The type of an operand or a result, for a leading operand of this type. `usize` stays
/// `usize` as an unsigned integer.
pub(super) fn part_of(part: Part, first: &Ty) -> Ty {
    let (lane, lanes) = match first {
        Ty::Vector(lane, lanes) => (&**lane, Some(*lanes)),
        other => (other, None),
    };
    let scalar = match part {
        Part::Same => return first.clone(),
        Part::Unsigned => match lane.scalar() {
            Some(scalar) if *lane != Ty::Usize => Ty::Scalar(scalar.unsigned()),
            _ => lane.clone(),
        },
        Part::U32 => Ty::Scalar(Scalar::U32),
        Part::I32 => Ty::Scalar(Scalar::I32),
        Part::Bool => Ty::Scalar(Scalar::Bool),
    };
    match lanes {
        Some(lanes) => Ty::Vector(Box::new(scalar), lanes),
        None => scalar,
    }
}

/// The type of an operand or a result of a method, for a number of this type.
fn beside(part: Beside, ty: &Ty, scalar: Scalar) -> Ty {
    match part {
        Beside::Same => ty.clone(),
        Beside::Unsigned => Ty::Scalar(scalar.unsigned()),
        Beside::Signed => Ty::Scalar(scalar.signed()),
        Beside::U32 => Ty::Scalar(Scalar::U32),
        Beside::Bool => Ty::Scalar(Scalar::Bool),
        Beside::SameOrNone => Ty::option(ty.clone()),
        Beside::U32OrNone => Ty::option(Ty::Scalar(Scalar::U32)),
        Beside::Bytes => Ty::Array(Box::new(Ty::Scalar(Scalar::U8)), scalar.bits() / 8),
    }
}

/// The help for a method that does not exist.
fn missing(name: &str, float: bool) -> Option<String> {
    if float {
        return foreign::float_method(name).map(str::to_owned);
    }
    if name.starts_with("checked_") {
        let text = "a kernel has no `Option`: use `overflowing_add`, `overflowing_sub` or `overflowing_mul`";
        return Some(text.to_owned());
    }
    name.starts_with("overflowing_")
        .then(|| "there are `overflowing_add`, `overflowing_sub` and `overflowing_mul`".to_owned())
}
