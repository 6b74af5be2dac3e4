//! Methods of vectors: swizzles, products, and the ops of the table lane by lane.

use super::Lowerer;
use super::method::part_of;
use crate::hir::{ExprId, ExprKind};
use crate::infer::{Ty, VarKind};
use crate::words::suggest::method_like;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Op, Part, Signature};
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    /// A method call on a vector, its arguments already evaluated.
    pub(super) fn vector_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        (value, lane, lanes): (ExprId, Ty, u8),
        args: &[ExprId],
        loc: Loc,
    ) -> ExprId {
        let name = call.method.to_string();
        let ty = Ty::Vector(Box::new(lane.clone()), lanes);
        // What literals without a type make may still become any type of their sort.
        let scalar = match (lane.scalar(), self.infer.kind(&lane)) {
            (Some(scalar), _) => scalar,
            (None, Some(VarKind::Float)) => Scalar::F32,
            (None, _) => Scalar::I32,
        };
        if let Some(picked) = swizzle(&name, lanes) {
            let ty = Ty::Vector(Box::new(lane), picked.len() as u8);
            return match self.arity(&call.args, 0, &name, loc) {
                true => self.push(ExprKind::Swizzle(value, picked), ty, loc),
                false => self.push(ExprKind::Error, ty, loc),
            };
        }
        let binary = |kind: fn(ExprId, ExprId) -> ExprKind, args: &[ExprId]| kind(value, args[0]);
        let product = match name.as_str() {
            "dot" => Some((ExprKind::Dot as fn(_, _) -> _, lane.clone())),
            "cross" if lanes == 3 => Some((ExprKind::Cross as fn(_, _) -> _, ty.clone())),
            _ => None,
        };
        if let Some((kind, result)) = product {
            if !self.arity(&call.args, 1, &name, loc) {
                return self.push(ExprKind::Error, result, loc);
            }
            self.expect(args[0], &ty);
            return self.push(binary(kind, args), result, loc);
        }
        if scalar.is_float() && name == "sin_cos" {
            return self.sin_cos(call, value, loc);
        }
        if scalar.is_float() && ["length", "length_squared"].contains(&name.as_str()) {
            if !self.arity(&call.args, 0, &name, loc) {
                return self.push(ExprKind::Error, lane.clone(), loc);
            }
            let square = self.push(ExprKind::Dot(value, value), lane.clone(), loc);
            return match name.as_str() {
                "length" => self.push(ExprKind::Op(Op::Sqrt, vec![square]), lane.clone(), loc),
                _ => square,
            };
        }
        match Op::from_method(&name, scalar).map(|op| (op, op.info().signature)) {
            // There are no vectors of `bool`.
            Some((op, Signature::Lanes(_, parts, result))) if result != Part::Bool => {
                if !self.arity(&call.args, parts.len() - 1, &name, loc) {
                    return self.push(ExprKind::Error, ty, loc);
                }
                for (&arg, &part) in args.iter().zip(&parts[1..]) {
                    self.expect(arg, &part_of(part, &ty));
                }
                let operands = std::iter::once(value).chain(args.iter().copied()).collect();
                self.push(ExprKind::Op(op, operands), part_of(result, &ty), loc)
            }
            _ => {
                let at = self.loc(&call.method);
                let message = format!("no method `{name}` on type `{}`", self.infer.show(&ty));
                let all = "there are `dot`, `length`, swizzles such as `xy`, and the methods of its lanes";
                let help = method_like(&name, scalar, true).unwrap_or_else(|| all.to_owned());
                self.refuse(Diag::new(Code::V203, at, message).help(help))
            }
        }
    }
}

/// The lanes that a method such as `xzy` picks.
fn swizzle(name: &str, lanes: u8) -> Option<Vec<u32>> {
    let picked: Option<Vec<u32>> = name.chars().map(|c| "xyzw".find(c).map(|lane| lane as u32)).collect();
    picked.filter(|picked| (2..=4).contains(&picked.len()) && picked.iter().all(|&lane| lane < u32::from(lanes)))
}
