//! Matrices: constructors, constants, operators and methods.

use super::Lowerer;
use super::place::Target;
use crate::hir::{ExprId, ExprKind, LoanId, MatrixOp};
use crate::infer::{Ty, VarKind};
use crate::report::Refused;
use crate::syntax;
use crate::types;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    /// `Mat2::from_cols(…)` and its like; `None` for a function that matrices lack.
    pub(super) fn matrix_function(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::Path,
        columns: u8,
        loc: Loc,
    ) -> Option<ExprId> {
        let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let count = u32::from(columns);
        let takes = match name.as_str() {
            "from_cols" => columns.into(),
            "from_cols_array" | "from_diagonal" => 1,
            _ => return None,
        };
        let args = self.args(&call.args);
        if !self.arity(&call.args, takes, &format!("Mat{columns}::{name}"), loc) {
            return Some(self.error(loc));
        }
        let Ok(written) = self.written_lane(path, columns) else { return Some(self.error(loc)) };
        let lane = written.unwrap_or_else(|| self.infer.var(VarKind::General));
        let column = Ty::Vector(Box::new(lane.clone()), columns);
        let expected =
            if name == "from_cols_array" { Ty::Array(Box::new(lane.clone()), count * count) } else { column.clone() };
        let before = self.reporter.diags.count();
        args.iter().for_each(|&arg| self.expect(arg, &expected));
        if self.reporter.diags.count() > before {
            // What was refused decides no type.
            self.infer.give_up(&lane);
        }
        if let Some(refused) = self.not_a_float(&lane, columns, loc) {
            return Some(refused);
        }
        let kind = match name.as_str() {
            "from_cols" => ExprKind::Array(args),
            "from_cols_array" => ExprKind::Matrix(MatrixOp::FromArray, args),
            _ => ExprKind::Matrix(MatrixOp::FromDiagonal, args),
        };
        Some(self.push(kind, Ty::Matrix(Box::new(column), columns), loc))
    }

    /// The report of a matrix of what is no float.
    fn not_a_float(&mut self, lane: &Ty, columns: u8, loc: Loc) -> Option<ExprId> {
        let lane = self.infer.resolve(lane);
        match types::matrix_of(lane.clone(), columns) {
            Ok(_) if self.infer.kind(&lane) != Some(VarKind::Int) => None,
            Ok(_) => {
                let message = "a matrix cannot be of integers";
                Some(self.refuse(Diag::new(Code::V201, loc, message).help("write float literals, such as `1.0`")))
            }
            Err(_) if lane == Ty::Error => Some(self.error(loc)),
            Err(refused) => Some(self.refuse(refused.at(loc))),
        }
    }

    /// `Mat3::<f32>::IDENTITY` and `ZERO`; `None` for another constant.
    pub(super) fn matrix_constant(&mut self, path: &'a syn::Path, loc: Loc) -> Option<ExprId> {
        let (owner, last) = (path.segments.iter().rev().nth(1)?, path.segments.last()?);
        let columns = types::columns(&owner.ident)?;
        let number = match last.ident.to_string().as_str() {
            "IDENTITY" => "1.0",
            "ZERO" => "0.0",
            _ => return None,
        };
        let Ok(written) = self.written_lane(path, columns) else { return Some(self.error(loc)) };
        let lane = written.unwrap_or_else(|| self.infer.var(VarKind::Float));
        if let Some(refused) = self.not_a_float(&lane, columns, loc) {
            return Some(refused);
        }
        let column = Ty::Vector(Box::new(lane.clone()), columns);
        let number = self.push(ExprKind::Float(number.to_owned()), lane, loc);
        let diagonal = self.push(ExprKind::Splat(number), column.clone(), loc);
        let kind = ExprKind::Matrix(MatrixOp::FromDiagonal, vec![diagonal]);
        Some(self.push(kind, Ty::Matrix(Box::new(column), columns), loc))
    }

    /// An operator with a matrix on a side; `None` if there is none.
    pub(super) fn matrix_operator(
        &mut self,
        spelling: &str,
        (a, b): (ExprId, ExprId),
        at: &'a syn::BinOp,
        loc: Loc,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(a), self.ty(b));
        if !matches!(left, Ty::Matrix(..)) && !matches!(right, Ty::Matrix(..))
            || left == Ty::Error
            || right == Ty::Error
        {
            return None;
        }
        let number = |ty: &Ty| matches!(ty, Ty::Scalar(_) | Ty::Var(_));
        let lane = |column: &Ty| if let Ty::Vector(lane, _) = column { (**lane).clone() } else { Ty::Error };
        let bool = Ty::Scalar(Scalar::Bool);
        let found = match (spelling, &left, &right) {
            ("+", Ty::Matrix(..), Ty::Matrix(..)) => Some((left.clone(), right.clone(), MatrixOp::Add, left.clone())),
            ("-", Ty::Matrix(..), Ty::Matrix(..)) => Some((left.clone(), right.clone(), MatrixOp::Sub, left.clone())),
            ("*", Ty::Matrix(..), Ty::Matrix(..)) => Some((left.clone(), right.clone(), MatrixOp::Times, left.clone())),
            ("*", Ty::Matrix(column, _), Ty::Vector(..)) => {
                Some(((**column).clone(), right.clone(), MatrixOp::Times, right.clone()))
            }
            ("*", Ty::Matrix(column, _), other) if number(other) => {
                Some((lane(column), right.clone(), MatrixOp::Scale, left.clone()))
            }
            ("*", other, Ty::Matrix(column, _)) if number(other) => {
                Some((lane(column), left.clone(), MatrixOp::Scale, right.clone()))
            }
            ("/", Ty::Matrix(column, _), other) if number(other) => {
                Some((lane(column), right.clone(), MatrixOp::Over, left.clone()))
            }
            ("==", Ty::Matrix(..), Ty::Matrix(..)) => Some((left.clone(), right.clone(), MatrixOp::Eq, bool.clone())),
            ("!=", Ty::Matrix(..), Ty::Matrix(..)) => Some((left.clone(), right.clone(), MatrixOp::Ne, bool.clone())),
            _ => None,
        };
        let fits = found.filter(|(x, y, ..)| self.infer.unify(x, y));
        let Some((.., op, result)) = fits else {
            let (l, r) = (self.infer.show(&left), self.infer.show(&right));
            return Some(self.no_matrix_operator(spelling, (&l, &r), at, loc));
        };
        Some(self.push(ExprKind::Matrix(op, vec![a, b]), result, loc))
    }

    /// `m op= value`, where `m` is a matrix, whose indices come before the value as in Rust.
    pub(super) fn matrix_assignment(
        &mut self,
        target: Target,
        (spelling, value): (&str, ExprId),
        borrow: Option<LoanId>,
        at: &'a syn::BinOp,
        loc: Loc,
    ) -> ExprId {
        let mut stmts = Vec::new();
        let target = self.borrowed_by_operator(borrow, target, loc, &mut stmts);
        let old = self.load(Target { reference: false, ..target.clone() }, loc);
        let made = self.matrix_operator(spelling, (old, value), at, loc).filter(|&made| {
            let ty = self.ty(made);
            ty == Ty::Error || self.infer.unify(&ty, &target.ty)
        });
        let Some(made) = made else {
            let (l, r) = (self.infer.show(&target.ty), self.infer.show(&self.ty(value)));
            return self.no_matrix_operator(&format!("{spelling}="), (&l, &r), at, loc);
        };
        let assigned = self.push(ExprKind::Assign(target.place, made), Ty::Unit, loc);
        self.through(assigned, 0, target.loan);
        self.after(stmts, assigned, loc)
    }

    fn no_matrix_operator(&mut self, spelling: &str, (l, r): (&str, &str), at: &'a syn::BinOp, loc: Loc) -> ExprId {
        let message = format!("cannot apply `{spelling}` to `{l}` and `{r}`");
        let help = match spelling.ends_with('=') && !["==", "!=", "<=", ">="].contains(&spelling) {
            true => "there are `m += n`, `m -= n`, `m *= n`, `m *= s` and `m /= s`",
            false => "there are `m + n`, `m - n`, `m * n`, `m * v`, `m * s`, `s * m`, `m / s`, `m == n` and `m != n`",
        };
        self.reporter.refuse(at, Refused::new(Code::V021, message).help(help));
        self.error(loc)
    }

    /// A method of a matrix.
    pub(super) fn matrix_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        (value, column, columns): (ExprId, Ty, u8),
        loc: Loc,
    ) -> ExprId {
        let name = call.method.to_string();
        let lane = if let Ty::Vector(lane, _) = &column { (**lane).clone() } else { Ty::Error };
        let ty = Ty::Matrix(Box::new(column), columns);
        let count = u32::from(columns);
        let (op, result) = match name.as_str() {
            "transpose" => (MatrixOp::Transpose, ty),
            "inverse" => (MatrixOp::Inverse, ty),
            "determinant" => (MatrixOp::Determinant, lane),
            "to_cols_array" => (MatrixOp::ToArray, Ty::Array(Box::new(lane), count * count)),
            _ => {
                let help = "there are `transpose`, `determinant`, `inverse` and `to_cols_array`, and the operators";
                return self.no_method(call, &name, &ty, Some(help.to_owned()));
            }
        };
        if !self.arity(&call.args, 0, &name, loc) {
            return self.push(ExprKind::Error, result, loc);
        }
        self.push(ExprKind::Matrix(op, vec![value]), result, loc)
    }

    /// The column of a literal index, if it is one of a matrix with so many; reports one beyond.
    pub(super) fn column_of(&mut self, index: &'a syn::Expr, columns: u8) -> Option<Option<usize>> {
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) = syntax::peel(index) else { return None };
        let at = int.base10_parse::<usize>().ok().filter(|at| *at < columns.into());
        if at.is_none() {
            let message = format!("index {} is out of bounds: the matrix has {columns} columns", int.base10_digits());
            self.reporter.refuse(index, Refused::new(Code::V300, message));
        }
        Some(at)
    }
}
