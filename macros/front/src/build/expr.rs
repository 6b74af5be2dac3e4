//! Expressions without control flow.

use super::count::Range;
use super::{Build, Slot};
use crate::hir::{End, ExprId, ExprKind, LocalId, Part, Place as HirPlace};
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Value, Var};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Op, SubgroupOp, VectorMethod};
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// Evaluates an expression of one value; `None` if it has none or was refused.
    pub(super) fn value(&mut self, id: ExprId) -> Option<Value> {
        self.flat(id).first().copied()
    }

    /// Evaluates an expression and gives its values: none for `()`, each part's for a tuple.
    pub(super) fn flat(&mut self, id: ExprId) -> Vec<Value> {
        let body = self.body;
        let expr = &body.exprs[id];
        match &expr.kind {
            ExprKind::Tuple(parts) => parts.iter().flat_map(|&part| self.flat(part)).collect(),
            ExprKind::Field(base, field) => match self.part_of_local(id) {
                Some((local, Part { first, len })) => {
                    self.b.at(expr.loc);
                    let slots = self.locals[local.index()].get(first..first + len).unwrap_or_default().to_vec();
                    slots.into_iter().map(|slot| self.read(slot)).collect()
                }
                None => {
                    let values = self.flat(*base);
                    let Part { first, len } = self.part(&self.ty(*base), &[*field]);
                    values.get(first..first + len).map(<[_]>::to_vec).unwrap_or_default()
                }
            },
            ExprKind::Struct(fields, base) => self.structure_value(fields, *base, id),
            ExprKind::Array(values) => values.iter().flat_map(|&value| self.flat(value)).collect(),
            ExprKind::Vector(VectorMethod::ToArray, args) => {
                let Some(vector) = args.first().and_then(|&vector| self.value(vector)) else { return Vec::new() };
                self.b.at(expr.loc);
                self.lanes(vector)
            }
            ExprKind::Number(method, args) => self.number_method(*method, args, id),
            ExprKind::Matrix(op, args) => self.matrix(*op, args, id),
            ExprKind::Variant(number, args) => self.variant(*number, args, id),
            ExprKind::When(holds, value) => self.when(*holds, *value),
            ExprKind::Behind(value) => self.flat(*value),
            ExprKind::Default => self.default(id),
            ExprKind::Repeat(value, len) => {
                let values = self.flat(*value);
                let leaves = values.len() * *len as usize;
                values.into_iter().cycle().take(leaves).collect()
            }
            ExprKind::Load(place) => self.load(place, expr.loc),
            ExprKind::Broadcast(place) => {
                self.b.at(expr.loc);
                self.b.barrier();
                let values = self.load(place, expr.loc);
                self.b.barrier();
                values
            }
            ExprKind::Call(call, stmts, block) => self.call(*call, stmts, block, id),
            ExprKind::Pair(first, second, args) => {
                let Some(args) = args.iter().map(|&arg| self.value(arg)).collect::<Option<Vec<_>>>() else {
                    return Vec::new();
                };
                self.b.at(expr.loc);
                vec![self.b.op(*first, &args), self.b.op(*second, &args)]
            }
            ExprKind::Local(local) => self.local(*local, expr.loc),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labelled(label, block) => self.called(*label, block, id),
            ExprKind::Unsafe(block) => self.racy(true, |this| this.block(block)),
            ExprKind::If(condition, then, otherwise) => self.if_(*condition, then, *otherwise, id),
            ExprKind::Match(selector, arms) => self.match_(*selector, arms, id),
            ExprKind::Loop(loop_, block) => self.loop_(*loop_, block, id),
            ExprKind::Message(number, args) => self.message(*number, args, id),
            ExprKind::Subgroup(op, args) if op.moves() => self.moved(*op, args, id),
            _ => self.single(id).into_iter().collect(),
        }
    }

    /// A value of another lane, part by part.
    fn moved(&mut self, op: SubgroupOp, args: &[ExprId], id: ExprId) -> Vec<Value> {
        let [value, others @ ..] = args else { return Vec::new() };
        let parts = self.flat(*value);
        let Some(others) = self.values(others) else { return Vec::new() };
        self.b.at(self.expr(id).loc);
        let mut moved = Vec::with_capacity(parts.len());
        for part in parts {
            let operands: Vec<Value> = std::iter::once(part).chain(others.iter().copied()).collect();
            moved.push(self.b.subgroup(op, &operands));
        }
        moved
    }

    pub(super) fn read(&mut self, slot: Slot) -> Value {
        match slot {
            Slot::Value(value) => value,
            Slot::Var(var) => self.b.get(var),
        }
    }

    /// The values of a part of a tuple, a struct or an enum, among all its values.
    fn part(&self, ty: &Ty, path: &[usize]) -> Part {
        let width = |ty: &Ty| ty.flat().map_or(0, |types| types.len());
        let (mut ty, mut first) = (ty, 0);
        for &field in path {
            // The fields of variants follow the variant's number.
            first += usize::from(ty.sum().is_some_and(|def| def.tag().is_some()));
            let parts = ty.inner();
            first += parts.iter().take(field).map(|part| width(part)).sum::<usize>();
            match parts.get(field).copied() {
                Some(part) => ty = part,
                None => break,
            }
        }
        Part { first, len: width(ty) }
    }

    /// The local that a field is part of, without reading the rest of it.
    fn part_of_local(&self, id: ExprId) -> Option<(LocalId, Part)> {
        let mut path = Vec::new();
        let mut at = id;
        loop {
            match &self.expr(at).kind {
                ExprKind::Field(base, field) => {
                    path.push(*field);
                    at = *base;
                }
                ExprKind::Local(local) => {
                    path.reverse();
                    return Some((*local, self.part(&self.ty(at), &path)));
                }
                _ => return None,
            }
        }
    }

    /// A struct's leaves in the order of its fields, evaluated in the order of the source.
    fn structure_value(&mut self, fields: &[(usize, ExprId)], base: Option<ExprId>, id: ExprId) -> Vec<Value> {
        let ty = self.ty(id);
        let given: Vec<(usize, Vec<Value>)> = fields.iter().map(|&(i, value)| (i, self.flat(value))).collect();
        let rest = base.map(|base| self.flat(base)).unwrap_or_default();
        let count = ty.parts().map_or(0, |parts| parts.len());
        let mut values = Vec::new();
        for i in 0..count {
            let Part { first, len } = self.part(&ty, &[i]);
            match given.iter().find(|(field, _)| *field == i) {
                Some((_, leaves)) => values.extend_from_slice(leaves),
                None => values.extend_from_slice(rest.get(first..first + len).unwrap_or_default()),
            }
        }
        values
    }

    /// The leaves in a place.
    fn load(&mut self, place: &HirPlace, loc: Loc) -> Vec<Value> {
        let Some(spot) = self.place(place) else { return Vec::new() };
        let types = spot.ty.flat().unwrap_or_default();
        self.b.at(loc);
        self.inside(spot.inside, &types, |this| this.load_from(&spot))
    }

    /// An expression that has at most one value.
    fn single(&mut self, id: ExprId) -> Option<Value> {
        let body = self.body;
        let expr = &body.exprs[id];
        let loc = expr.loc;
        match &expr.kind {
            ExprKind::Error | ExprKind::Ids => None,
            ExprKind::Tuple(_) | ExprKind::Field(..) | ExprKind::Local(_) | ExprKind::Block(_) => None,
            ExprKind::Pair(..) | ExprKind::Unsafe(_) | ExprKind::Labelled(..) => None,
            ExprKind::Number(..) | ExprKind::Matrix(..) => None,
            ExprKind::Variant(..) | ExprKind::When(..) | ExprKind::Behind(_) | ExprKind::Default => None,
            ExprKind::Same(a, b) => self.same(*a, *b, id),
            ExprKind::OfBytes(bytes, end) => {
                let mut bytes = self.flat(*bytes);
                if *end == End::Big {
                    bytes.reverse();
                }
                self.b.at(loc);
                self.of_bytes(&bytes, expr.ty.scalar()?)
            }
            ExprKind::If(..) | ExprKind::Match(..) | ExprKind::Loop(..) | ExprKind::Message(..) => None,
            ExprKind::Int(value) => self.int(*value, false, id),
            ExprKind::Float(text) => self.float(text, id),
            ExprKind::Bits(bits) => {
                let scalar = expr.ty.value()?.lane()?;
                Some(self.b.constant(scalar, *bits))
            }
            ExprKind::Op(op, args) => self.op(*op, args, id),
            ExprKind::Approx(op, args) => {
                let args = self.values(args)?;
                self.b.at(loc);
                self.b.flags(Flags::APPROX);
                let value = self.b.op(*op, &args);
                self.b.flags(self.flags_of_accesses());
                Some(value)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let and = matches!(expr.kind, ExprKind::And(..));
                self.logical(and, *a, *b, loc)
            }
            ExprKind::Let(pattern, value) => self.let_condition(pattern, *value),
            ExprKind::Lane(..)
            | ExprKind::LaneAt(..)
            | ExprKind::ColumnAt(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Splat(_) => self.vector(id),
            ExprKind::Lanes(_) | ExprKind::CastLanes(_) | ExprKind::SelectLanes(_) => self.vector(id),
            ExprKind::Vector(..) => self.vector(id),
            ExprKind::Builtin(builtin) => {
                self.b.at(loc);
                Some(self.b.builtin(*builtin))
            }
            ExprKind::Len(root) => {
                self.b.at(loc);
                Some(self.b.len(self.root(*root)))
            }
            ExprKind::ArrayLen(len) => Some(self.b.u32(*len)),
            ExprKind::Load(_) | ExprKind::Broadcast(_) | ExprKind::Call(..) => None,
            ExprKind::Struct(..) | ExprKind::Array(_) | ExprKind::Repeat(..) => None,
            ExprKind::Assign(place, value) => {
                let values = self.flat(*value);
                self.assign(place, &values, loc);
                None
            }
            ExprKind::AssignParts(places, value) => {
                let values = self.flat(*value);
                let mut rest = values.as_slice();
                for (place, ty) in places {
                    let width = self.infer.decided(ty).flat().map_or(0, |types| types.len()).min(rest.len());
                    let (values, others) = rest.split_at(width);
                    self.assign(place, values, loc);
                    rest = others;
                }
                None
            }
            ExprKind::AssignOp(op, place, value) => {
                self.assign_op(*op, place, *value, loc);
                None
            }
            ExprKind::Atomic(op, scalar, place, args, order) => {
                let spot = self.place(place)?;
                let args: Vec<Value> = args.iter().map(|&arg| self.operand(arg)).collect();
                self.b.at(loc);
                let ty = Type::Scalar(*scalar);
                let results: &[Type] = if *op == AtomicOp::Store { &[] } else { &[ty] };
                let access =
                    |this: &mut Self| this.b.atomic_with(*op, spot.place, &args, ty, *order).into_iter().collect();
                self.inside(spot.inside, results, access).first().copied()
            }
            ExprKind::Fence(ordering, scope) => {
                self.b.at(loc);
                self.b.fence(*ordering, *scope);
                None
            }
            ExprKind::Barrier => {
                self.b.at(loc);
                self.b.barrier();
                None
            }
            ExprKind::Subgroup(op, args) => self.subgroup(*op, args, id),
            ExprKind::While(loop_, condition, block) => {
                self.while_(*loop_, *condition, block, loc);
                None
            }
            ExprKind::For { id: loop_, local, start, end, inclusive, step, order, body } => {
                let range = Range { start: *start, end: *end, inclusive: *inclusive, step: *step, order: *order };
                self.for_(*loop_, *local, range, body, loc);
                None
            }
            ExprKind::Break(loop_, value) => {
                let values = value.map(|value| self.flat(value)).unwrap_or_default();
                self.b.at(loc);
                if let Some((inst, _)) = self.loops[loop_.index()] {
                    self.b.break_(inst, &values);
                }
                None
            }
            ExprKind::Continue(loop_) => {
                self.b.at(loc);
                self.continue_(*loop_);
                None
            }
            ExprKind::Return(value) => {
                let values = value.map(|value| self.flat(value)).unwrap_or_default();
                self.b.at(loc);
                if !self.b.is_terminated() {
                    match value {
                        Some(_) if self.result.is_some() => self.give(&values),
                        Some(_) => self.b.ret_values(&values),
                        None => self.b.ret(),
                    }
                }
                None
            }
        }
    }

    /// An integer literal, negated or not, which must fit its type.
    fn int(&mut self, value: u128, negated: bool, id: ExprId) -> Option<Value> {
        let ty = self.ty(id);
        let scalar = ty.scalar()?;
        let (least, greatest) = scalar.limits();
        let most = if negated && scalar.is_signed() { least.unsigned_abs() } else { greatest.unsigned_abs() };
        if value > most {
            let sign = if negated { "-" } else { "" };
            let message = format!("literal `{sign}{value}` does not fit `{ty}`");
            let diag = Diag::new(Code::V103, self.expr(id).loc, message);
            let narrow = ty == Ty::Usize;
            self.diags.push(if narrow { diag.help("`usize` is 32 bits wide in a kernel") } else { diag });
            return None;
        }
        let bits = value as u64;
        Some(self.b.constant(scalar, if negated { bits.wrapping_neg() } else { bits }))
    }

    fn float(&mut self, text: &str, id: ExprId) -> Option<Value> {
        let loc = self.expr(id).loc;
        if self.infer.kind(&self.expr(id).ty) == Some(VarKind::Float) {
            if !self.float_reported {
                self.float_reported = true;
                let message = "cannot infer the type of this float: a kernel does not default to `f64`";
                let digits = if text.contains('.') || text.contains('e') { "" } else { ".0" };
                self.diags.push(Diag::new(Code::V202, loc, message).help(format!("write `{text}{digits}f32`")));
            }
            return None;
        }
        let scalar = self.ty(id).scalar()?;
        let bits = match scalar {
            Scalar::F16 => scalar::half::parse(text).map(u64::from).filter(|&bits| bits & 0x7c00 != 0x7c00),
            Scalar::F64 => text.parse::<f64>().ok().filter(|value| value.is_finite()).map(f64::to_bits),
            _ => text.parse::<f32>().ok().filter(|value| value.is_finite()).map(|value| value.to_bits().into()),
        };
        match bits {
            Some(bits) => Some(self.b.constant(scalar, bits)),
            None => {
                let message = format!("literal `{text}` does not fit `{}`", scalar.name());
                self.diags.push(Diag::new(Code::V103, loc, message));
                None
            }
        }
    }

    /// The values of all operands, each of which is evaluated whatever the others are.
    pub(super) fn values(&mut self, args: &[ExprId]) -> Option<Vec<Value>> {
        let values: Vec<Option<Value>> = args.iter().map(|&arg| self.value(arg)).collect();
        values.into_iter().collect()
    }

    fn op(&mut self, op: Op, args: &[ExprId], id: ExprId) -> Option<Value> {
        let loc = self.expr(id).loc;
        if op == Op::Neg && !self.negatable(args[0], loc) {
            return None;
        }
        if let (Op::Neg, ExprKind::Int(value)) = (op, &self.expr(args[0]).kind) {
            return self.int(*value, true, args[0]);
        }
        if let Op::Shl | Op::Shr = op {
            let value = self.value(args[0])?;
            let count = self.count(args[1])?;
            return self.checked_op(op, &[value, count], &self.ty(args[0]), loc);
        }
        if let Some(compared) = self.compare_wide(op, args, loc) {
            return compared;
        }
        let values = self.values(args)?;
        let from = self.ty(args[0]);
        match op {
            Op::Cast => self.cast((args[0], values[0]), &from, &self.ty(id), loc),
            Op::Bitcast => {
                self.b.at(loc);
                Some(self.b.op_to(op, &values, self.ty(id).value()?))
            }
            _ => self.checked_op(op, &values, &from, loc),
        }
    }

    /// Whether a value can be negated; reports it if not.
    fn negatable(&mut self, arg: ExprId, loc: Loc) -> bool {
        let ty = self.ty(arg);
        let lane = if let Ty::Vector(lane, _) = &ty { &**lane } else { &ty };
        let unsigned = lane.scalar().is_some_and(|s| s.is_int() && !s.is_signed());
        if unsigned {
            let message = format!("cannot apply unary `-` to type `{ty}`");
            let help = match ty {
                Ty::Vector(_, lanes) => format!("subtract from zero, which wraps: `Vec{lanes}::splat(0) - …`"),
                _ => match self.expr(arg).kind {
                    ExprKind::Int(0) => "write `0`".to_owned(),
                    ExprKind::Int(1) => format!("if it should wrap, write `{ty}::MAX`"),
                    ExprKind::Int(below) => format!("if it should wrap, write `{ty}::MAX - {}`", below - 1),
                    _ => "an unsigned value cannot be negated; if it should wrap, use `wrapping_neg`".to_owned(),
                },
            };
            self.diags.push(Diag::new(Code::V021, loc, message).help(help));
        }
        !unsigned
    }

    /// A shift count as the `u32` that the IR wants; only its low bits matter.
    fn count(&mut self, id: ExprId) -> Option<Value> {
        let value = self.value(id)?;
        match self.ty(id) {
            Ty::Usize | Ty::Scalar(Scalar::U32) => Some(value),
            _ => Some(self.b.op_to(Op::Cast, &[value], Type::U32)),
        }
    }

    /// An op of the table, reported if it does not exist for these types.
    fn checked_op(&mut self, op: Op, values: &[Value], ty: &Ty, loc: Loc) -> Option<Value> {
        let types: Vec<Type> = values.iter().map(|&v| self.b.function().ty(v)).collect();
        if op.result(&types, None).is_none() {
            let spelling = op.info().rust.first().map_or(op.info().name, |spelling| spelling.name());
            let message = format!("`{spelling}` is not available for `{ty}`");
            self.diags.push(Diag::new(Code::V021, loc, message));
            return None;
        }
        self.b.at(loc);
        Some(self.b.op(op, values))
    }

    fn subgroup(&mut self, op: SubgroupOp, args: &[ExprId], id: ExprId) -> Option<Value> {
        let values = self.values(args)?;
        let types: Vec<Type> = values.iter().map(|&v| self.b.function().ty(v)).collect();
        let loc = self.expr(id).loc;
        if op.result(&types).is_none() {
            let message = format!("`{}` is not available for `{}`", op.rust(), self.ty(args[0]));
            let diag = Diag::new(Code::V021, loc, message);
            self.diags.push(match types[0].lane() {
                Some(lane) if lane.is_float() => diag.help("take the bits with `.to_bits()`"),
                Some(Scalar::Bool) => diag.help("convert it with `as u32`"),
                _ => diag,
            });
            return None;
        }
        self.b.at(loc);
        Some(self.b.subgroup(op, &values))
    }

    fn cast(&mut self, (id, value): (ExprId, Value), from: &Ty, to: &Ty, loc: Loc) -> Option<Value> {
        if *to == Ty::Usize && matches!(from, Ty::Scalar(Scalar::I64 | Scalar::U64)) && !self.fits_usize(id) {
            self.loses_bits(from, loc);
            return None;
        }
        if let (Ty::Scalar(Scalar::Bool), Some(number)) = (to, from.scalar().filter(|from| *from != Scalar::Bool)) {
            let zero = if number.is_float() { "0.0" } else { "0" };
            let diag = Diag::new(Code::V012, loc, format!("cannot cast `{from}` to `bool`"));
            self.diags.push(diag.help(format!("compare with zero: `… != {zero}`")));
            return None;
        }
        self.cast_of(value, from, to, loc)
    }

    /// A value as another type.
    pub(super) fn cast_of(&mut self, value: Value, from: &Ty, to: &Ty, loc: Loc) -> Option<Value> {
        let source = self.b.function().ty(value);
        let Some(target) = to.value() else {
            if let Ty::Var(_) = to {
                let diag = Diag::new(Code::V202, loc, "cannot infer the target type of this cast");
                self.diags.push(diag.help("write the type, as in `… as u32`"));
                self.cast_reported = true;
            }
            return None;
        };
        if scalar::cast_rule(source, target).is_none() {
            let message = format!("cannot cast `{from}` to `{to}`");
            let diag = Diag::new(Code::V012, loc, message);
            self.diags.push(match (from, to) {
                (_, Ty::Scalar(Scalar::Bool)) => diag.help("compare with zero: `… != 0.0`"),
                (Ty::Vector(_, lanes), Ty::Vector(lane, same)) if lanes == same => {
                    diag.help(format!("convert lane by lane: `v.cast::<{lane}>()`"))
                }
                (Ty::Vector(..), Ty::Scalar(_) | Ty::Usize) => diag.help(format!("pick a lane: `v.x as {to}`")),
                (Ty::Scalar(_) | Ty::Usize, Ty::Vector(lane, lanes)) => {
                    diag.help(format!("put it into every lane: `Vec{lanes}::splat(x as {lane})`"))
                }
                _ => diag,
            });
            return None;
        }
        self.b.at(loc);
        Some(if source == target { value } else { self.b.op_to(Op::Cast, &[value], target) })
    }

    pub(super) fn assign(&mut self, place: &HirPlace, values: &[Value], loc: Loc) {
        match place {
            HirPlace::Local { local, path, lane } => {
                let ty = self.infer.decided(&self.body.locals[*local].ty);
                let Part { first, len } = self.part(&ty, path);
                let column = lane.and_then(|lane| lane.column()).map(|column| self.index(column));
                let lane = lane.and_then(|lane| self.lane_index(lane));
                self.b.at(loc);
                if let (Some(column), &[value]) = (column, values) {
                    return self.assign_column((*local, first..first + len), (column, lane), value, loc);
                }
                for (i, &value) in values.iter().enumerate() {
                    let Some(&Slot::Var(var)) = self.locals[local.index()].get(first + i) else { continue };
                    let value = match lane {
                        Some(lane) => self.with_lane(var, lane, value, loc),
                        None => value,
                    };
                    self.b.set(var, value);
                }
            }
            HirPlace::Memory { .. } => {
                let Some(spot) = self.place(place) else { return };
                self.b.at(loc);
                self.inside(spot.inside, &[], |this| {
                    this.store_to(&spot, values);
                    Vec::new()
                });
            }
            HirPlace::Ignored | HirPlace::Error => {}
        }
    }

    /// The variables of the columns of a matrix.
    fn variables_of(&self, local: LocalId, at: std::ops::Range<usize>) -> Vec<Var> {
        let slots = self.locals[local.index()].get(at).unwrap_or_default();
        slots.iter().filter_map(|slot| if let Slot::Var(var) = slot { Some(*var) } else { None }).collect()
    }

    /// Stores to the column of an index, or to a lane of it; beyond the last it does nothing.
    fn assign_column(
        &mut self,
        (local, at): (LocalId, std::ops::Range<usize>),
        (column, lane): (Value, Option<Value>),
        value: Value,
        loc: Loc,
    ) {
        let columns = self.variables_of(local, at);
        if !self.is_one_of(columns.len() as u32, column, loc) {
            return;
        }
        let first = columns.first().map(|&var| self.b.get(var));
        if let (Some(lane), Some(first)) = (lane, first)
            && !self.is_lane(first, lane, loc)
        {
            return;
        }
        for (i, var) in (0..).zip(columns) {
            let old = self.b.get(var);
            let new = lane.map_or(value, |lane| self.with_lane(var, lane, value, loc));
            let is = self.is_column(column, i);
            let chosen = self.b.op(Op::Select, &[is, new, old]);
            self.b.set(var, chosen);
        }
    }

    /// `place op= value`: the value first, then the place, once.
    fn assign_op(&mut self, op: Op, target: &HirPlace, value: ExprId, loc: Loc) {
        let shift = matches!(op, Op::Shl | Op::Shr);
        let right = if shift { self.count(value) } else { self.value(value) };
        match target {
            HirPlace::Local { local, path, lane } => {
                let ty = self.infer.decided(&self.body.locals[*local].ty);
                let Part { first, len } = self.part(&ty, path);
                let column = lane.and_then(|lane| lane.column()).map(|column| self.index(column));
                let lane = lane.and_then(|lane| self.lane_index(lane));
                self.b.at(loc);
                if let (Some(column), Some(right)) = (column, right) {
                    let columns = self.variables_of(*local, first..first + len);
                    let columns: Vec<Value> = columns.into_iter().map(|var| self.b.get(var)).collect();
                    let Some(whole) = self.column_at(&columns, column, loc) else { return };
                    let old = lane.map_or(whole, |lane| self.lane_of(whole, lane, loc));
                    let shown = Ty::of(self.b.function().ty(old));
                    if let Some(new) = self.checked_op(op, &[old, right], &shown, loc) {
                        self.assign_column((*local, first..first + len), (column, lane), new, loc);
                    }
                    return;
                }
                if let (Some(&Slot::Var(var)), Some(right)) = (self.locals[local.index()].get(first), right) {
                    let whole = self.b.get(var);
                    let old = match lane {
                        Some(lane) => self.lane_of(whole, lane, loc),
                        None => whole,
                    };
                    let shown = Ty::of(self.b.function().ty(old));
                    if let Some(new) = self.checked_op(op, &[old, right], &shown, loc) {
                        let new = match lane {
                            Some(lane) => self.with_lane(var, lane, new, loc),
                            None => new,
                        };
                        self.b.set(var, new);
                    }
                }
            }
            HirPlace::Memory { .. } => {
                let Some(spot) = self.place(target) else { return };
                let (Some(_), Some(right)) = (spot.ty.value(), right) else { return };
                self.b.at(loc);
                self.inside(spot.inside, &[], |this| {
                    if let [old] = this.load_from(&spot).as_slice()
                        && let Some(new) = this.checked_op(op, &[*old, right], &spot.ty, loc)
                    {
                        this.store_to(&spot, &[new]);
                    }
                    Vec::new()
                });
            }
            HirPlace::Ignored | HirPlace::Error => {}
        }
    }
}
