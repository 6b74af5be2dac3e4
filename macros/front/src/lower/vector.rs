//! Vectors: constructors, swizzles, their own methods, and the ops of the table lane by lane.

use super::Lowerer;
use super::method::part_of;
use crate::hir::{ExprId, ExprKind};
use crate::infer::{Ty, VarKind};
use crate::report::Refused;
use crate::syntax;
use crate::types;
use crate::words::suggest::method_like;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Given, Op, Signature, Taken, VectorMethod};
use samebits_ir::types::Scalar;

/// The lanes of the parts of what `Vec4::from((a, b))` and its like take.
const PARTS: &[&[u8]] = &[&[1, 1], &[1, 1, 1], &[2, 1], &[1, 1, 1, 1], &[3, 1], &[1, 3], &[2, 2], &[2, 1, 1]];

impl<'a> Lowerer<'a, '_> {
    /// `Vec2::new(…)` and the other functions of a type of vectors.
    pub(super) fn vector_function(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::Path,
        lanes: u8,
        loc: Loc,
    ) -> ExprId {
        let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let args = self.args(&call.args);
        let takes = match name.as_str() {
            "new" => lanes.into(),
            "select" => 3,
            _ => 1,
        };
        let shown = if name == "splat" { name.clone() } else { format!("Vec{lanes}::{name}") };
        if !self.arity(&call.args, takes, &shown, loc) {
            return self.error(loc);
        }
        let Ok(written) = self.written_lane(path, lanes) else { return self.error(loc) };
        match name.as_str() {
            "select" => self.select_lanes(args, (written, lanes), loc),
            "from" | "from_array" => self.vector_from(args[0], &name, (written, lanes), loc),
            _ => {
                if let Some(lane) = &written {
                    args.iter().for_each(|&arg| self.expect(arg, lane));
                }
                self.vector(args, lanes, loc)
            }
        }
    }

    /// The type `T` of `Vec2::<T>::new(…)`, if one is written; an error if that was refused.
    pub(super) fn written_lane(&mut self, path: &'a syn::Path, lanes: u8) -> Result<Option<Ty>, ()> {
        let owner = path.segments.iter().rev().nth(1).filter(|owner| !owner.arguments.is_none());
        let Some(owner) = owner else { return Ok(None) };
        let lane = match syntax::type_argument(owner) {
            Some(syn::Type::Infer(_)) => return Ok(None),
            Some(lane) => self.read_type(lane),
            None => {
                let message = format!("`{}` has 1 generic parameter, a type", owner.ident);
                let help = format!("write `{}::<f32>`", owner.ident);
                self.reporter.refuse(&owner.arguments, Refused::new(Code::V204, message).help(help));
                return Err(());
            }
        };
        match types::vector_of(lane.clone(), lanes) {
            Ok(_) => Ok(Some(lane)),
            Err(_) if lane == Ty::Error => Err(()),
            Err(refused) => {
                self.reporter.refuse(&owner.arguments, refused);
                Err(())
            }
        }
    }

    /// A vector of these lanes, or of one value in every lane.
    fn vector(&mut self, args: Vec<ExprId>, lanes: u8, loc: Loc) -> ExprId {
        let first = self.ty(args[0]);
        for &arg in &args[1..] {
            self.expect(arg, &first);
        }
        match &first {
            Ty::Error => self.error(loc),
            Ty::Var(_) | Ty::Scalar(_) => {
                let kind = if args.len() == 1 { ExprKind::Splat(args[0]) } else { ExprKind::Op(Op::Construct, args) };
                self.push(kind, Ty::Vector(Box::new(first), lanes), loc)
            }
            other => {
                let message = format!("a vector cannot have lanes of type `{}`", self.infer.show(other));
                self.refuse(Diag::new(Code::V201, loc, message))
            }
        }
    }

    /// `Vec2::select(mask, a, b)`
    fn select_lanes(&mut self, args: Vec<ExprId>, (written, lanes): (Option<Ty>, u8), loc: Loc) -> ExprId {
        let lane = written.unwrap_or_else(|| self.infer.var(VarKind::General));
        let ty = Ty::Vector(Box::new(lane), lanes);
        self.expect(args[0], &Ty::Vector(Box::new(Ty::Scalar(Scalar::Bool)), lanes));
        self.expect(args[1], &ty);
        self.expect(args[2], &ty);
        self.push(ExprKind::SelectLanes([args[0], args[1], args[2]]), ty, loc)
    }

    /// `Vec3::from((v, z))`, of a tuple or an array.
    fn vector_from(&mut self, arg: ExprId, name: &str, (written, lanes): (Option<Ty>, u8), loc: Loc) -> ExprId {
        let found = self.ty(arg);
        let parts: Vec<Ty> = match &found {
            Ty::Error => return self.error(loc),
            Ty::Array(element, len) if *len == u32::from(lanes) => vec![(**element).clone(); lanes.into()],
            Ty::Tuple(parts) if name == "from" => parts.clone(),
            vector @ Ty::Vector(..) if name == "from" => vec![vector.clone()],
            _ => Vec::new(),
        };
        let width = |ty: &Ty| match ty {
            Ty::Vector(_, lanes) => *lanes,
            Ty::Scalar(_) | Ty::Var(_) => 1,
            _ => 0,
        };
        let widths: Vec<u8> = parts.iter().map(width).collect();
        let fits = PARTS.contains(&widths.as_slice()) || matches!(widths.as_slice(), [_]);
        let lane = written.unwrap_or_else(|| self.infer.var(VarKind::General));
        let same = parts.iter().fold(true, |same, part| {
            let part = if let Ty::Vector(lane, _) = part { lane } else { part };
            self.infer.unify(part, &lane) && same
        });
        if !fits || !same || widths.iter().sum::<u8>() != lanes {
            let message = format!("cannot make a `Vec{lanes}` of `{}`", self.infer.show(&found));
            let help = match lanes {
                2 => "it takes `(x, y)` or `[x, y]`",
                3 => "it takes `(x, y, z)`, `[x, y, z]`, or a `Vec2` and a number: `(v, z)`",
                _ => "it takes `(x, y, z, w)`, `[x, y, z, w]`, `(v3, w)`, `(x, v3)`, `(v2, v2)` or `(v2, z, w)`",
            };
            let at = self.body.exprs[arg].loc;
            return self.refuse(Diag::new(Code::V200, at, message).help(help));
        }
        self.push(ExprKind::Lanes(arg), Ty::Vector(Box::new(lane), lanes), loc)
    }

    /// `v.cast::<T>()`: `as` of each lane.
    fn cast_lanes(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, lanes: u8, loc: Loc) -> ExprId {
        if !self.arity(&call.args, 0, "cast", loc) {
            return self.error(loc);
        }
        let written = call.turbofish.as_ref().map(|turbofish| turbofish.args.iter().collect::<Vec<_>>());
        let lane = match written.as_deref() {
            None | Some([syn::GenericArgument::Type(syn::Type::Infer(_))]) => self.infer.var(VarKind::General),
            Some([syn::GenericArgument::Type(ty)]) => {
                let lane = self.read_type(ty);
                if let Err(refused) = types::vector_of(lane.clone(), lanes) {
                    if lane != Ty::Error {
                        self.reporter.refuse(ty, refused);
                    }
                    return self.error(loc);
                }
                lane
            }
            Some(_) => {
                let message = "`cast` has 1 generic parameter, the type of the lanes";
                return self.refuse(Diag::new(Code::V204, loc, message).help("write `.cast::<f32>()`"));
            }
        };
        self.push(ExprKind::CastLanes(value), Ty::Vector(Box::new(lane), lanes), loc)
    }

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
        if name == "cast" {
            return self.cast_lanes(call, value, lanes, loc);
        }
        if let Some(method) = VectorMethod::of(&name, scalar, lanes) {
            return self.own_method(call, method, (value, &ty), args, loc);
        }
        if scalar.is_float() && name == "sin_cos" {
            return self.sin_cos(call, value, loc);
        }
        match Op::from_method(&name, scalar).map(|op| (op, op.info().signature)) {
            Some((op, Signature::Lanes(_, parts, result))) => {
                if !self.arity(&call.args, parts.len() - 1, &name, loc) {
                    return self.push(ExprKind::Error, part_of(result, &ty), loc);
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
                let help = method_like(&name, scalar, Some(lanes)).unwrap_or_else(|| match scalar {
                    Scalar::Bool => "there are `all`, `any` and swizzles such as `xy`".to_owned(),
                    _ => "there are `dot`, `length`, swizzles such as `xy`, and the methods of its lanes".to_owned(),
                });
                self.refuse(Diag::new(Code::V203, at, message).help(help))
            }
        }
    }

    /// A method that is not an op of the lanes.
    fn own_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        method: VectorMethod,
        (value, ty): (ExprId, &Ty),
        args: &[ExprId],
        loc: Loc,
    ) -> ExprId {
        let Ty::Vector(lane, lanes) = ty else { return self.error(loc) };
        let of = |lane: &Ty, lanes: u8| Ty::Vector(Box::new(lane.clone()), lanes);
        let result = match method.gives() {
            Given::Lane => (**lane).clone(),
            Given::Same => ty.clone(),
            Given::Bools => of(&Ty::Scalar(Scalar::Bool), *lanes),
            Given::Longer => of(lane, lanes + 1),
            Given::Shorter => of(lane, lanes - 1),
            Given::Array => Ty::Array(lane.clone(), (*lanes).into()),
        };
        if !self.arity(&call.args, method.takes().len(), method.name(), loc) {
            return self.push(ExprKind::Error, result, loc);
        }
        for (&arg, taken) in args.iter().zip(method.takes()) {
            self.expect(arg, if *taken == Taken::Vector { ty } else { lane });
        }
        let operands: Vec<ExprId> = std::iter::once(value).chain(args.iter().copied()).collect();
        let kind = match (method, method.comparison()) {
            (_, Some(op)) => ExprKind::Op(op, operands),
            (VectorMethod::All, _) => ExprKind::Op(Op::All, operands),
            (VectorMethod::Any, _) => ExprKind::Op(Op::Any, operands),
            (VectorMethod::Truncate, _) => ExprKind::Swizzle(value, (0..u32::from(lanes - 1)).collect()),
            (VectorMethod::Extend, _) => {
                let parts = operands.iter().map(|&part| self.ty(part)).collect();
                ExprKind::Lanes(self.push(ExprKind::Tuple(operands), Ty::Tuple(parts), loc))
            }
            _ => ExprKind::Vector(method, operands),
        };
        self.push(kind, result, loc)
    }
}

/// The lanes that a method such as `xzy` picks.
fn swizzle(name: &str, lanes: u8) -> Option<Vec<u32>> {
    let picked: Option<Vec<u32>> = name.chars().map(|c| "xyzw".find(c).map(|lane| lane as u32)).collect();
    picked.filter(|picked| (2..=4).contains(&picked.len()) && picked.iter().all(|&lane| lane < u32::from(lanes)))
}
