//! The type of every value of a function.
//!
//! Each value has a set of types that it may have; for a pointer these are the types that it
//! may point to. Instructions relate the sets of their operands and results, and sets are
//! narrowed until nothing changes. Then, in the order of the text, the first conversion whose
//! operand is known and whose result is open takes its preferred type, and narrowing goes on.
//! So the outcome depends on the text alone. A value whose type stays open is an error. So is
//! an empty set, which is reported once, where it became empty.

use super::ast::{Arg, Conv, End, Family, Func, Inst, Kind, Operand, Space, Ty, Val};
use super::flow::Flow;
use super::set::{Set, converts, preferred};
use super::{Callee, Globals};
use crate::diag::{Code, Diag, Diags, count};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Class, Op, Part, Signature, SubgroupOp, SubgroupSignature};
use crate::types::{Scalar, Type, Types};

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Value,
    Pointer(Space),
}

/// One side of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Term {
    Val(Val),
    Fixed(Set),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Same,
    Conv(Conv),
    /// The second is the first with other lanes.
    Lanes(Part),
    /// The second is a vector of this many of the first.
    VectorOf(u8),
    /// The second is a lane of the first.
    LaneOf,
    /// The second is a count of shifts of the first.
    Count,
}

/// How a type is related to that of the leading operand.
fn relation(part: Part) -> Relation {
    if part == Part::Same { Relation::Same } else { Relation::Lanes(part) }
}

fn holds(relation: Relation, a: Type, b: Type) -> bool {
    match relation {
        Relation::Same => a == b,
        Relation::Conv(conv) => converts(conv, a, b),
        Relation::Lanes(part) => b == part.of(a),
        Relation::VectorOf(lanes) => matches!(a, Type::Scalar(lane) if b == Type::Vector(lane, lanes)),
        Relation::LaneOf => a.lanes() > 1 && a.lane().map(Type::Scalar) == Some(b),
        Relation::Count => {
            let unsigned = b.lane().is_some_and(|lane| Class::UNSIGNED.contains(lane));
            if a.lanes() > 1 { b == a.with_lane(Scalar::U32) } else { a == b || (unsigned && b.lanes() == 1) }
        }
    }
}

struct Constraint {
    /// Whether it was found not to hold.
    broken: bool,
    a: Term,
    relation: Relation,
    b: Term,
    loc: Loc,
}

/// The sorts and types of a function's values.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) sorts: Vec<Sort>,
    /// The type, or what a pointer points to. Meaningless for values that no reachable
    /// block defines.
    pub(super) types: Vec<Type>,
}

struct Infer<'a> {
    func: &'a Func,
    flow: &'a Flow,
    globals: &'a Globals,
    types: &'a Types,
    sorts: Vec<Sort>,
    sets: Vec<Set>,
    constraints: Vec<Constraint>,
    /// The constraints that mention a value.
    of: Vec<Vec<usize>>,
    todo: Vec<usize>,
    wrong: Vec<bool>,
    diags: &'a mut Diags,
}

/// Finds the types, or reports what is wrong with them.
pub(super) fn infer(
    func: &Func,
    flow: &Flow,
    globals: &Globals,
    callee: &dyn Fn(&str) -> Option<Callee>,
    types: &Types,
    diags: &mut Diags,
) -> Option<Typed> {
    let count = func.values.len();
    let before = diags.count();
    let mut infer = Infer {
        func,
        flow,
        globals,
        types,
        sorts: vec![Sort::Value; count],
        sets: vec![Set::ALL; count],
        constraints: Vec::new(),
        of: vec![Vec::new(); count],
        todo: Vec::new(),
        wrong: vec![false; count],
        diags,
    };
    infer.declare();
    infer.sorts_of_results();
    infer.gather(callee);
    infer.narrow();
    infer.choose();
    if infer.diags.count() > before {
        return None;
    }
    let known = |set: &Set| set.only().unwrap_or(Type::Error);
    let types = infer.sets.iter().map(known).collect();
    Some(Typed { sorts: infer.sorts, types })
}

impl Infer<'_> {
    fn set_ty(&mut self, val: Val, ty: Ty, loc: Loc) {
        let (sort, set) = match ty {
            Ty::Value(ty) => {
                if !ty.is_value() {
                    let message = format!("`{}` is not the type of a value", self.types.display(ty));
                    self.diags.push(Diag::new(Code::V201, loc, message));
                    self.wrong[val] = true;
                }
                (Sort::Value, Set::one(ty))
            }
            Ty::Pointer(space, ty) => (Sort::Pointer(space), self.pointee(ty)),
        };
        self.sorts[val] = sort;
        self.sets[val] = self.sets[val].and(set);
    }

    /// What an address of memory of this type points to: anything, if that is no value.
    fn pointee(&self, ty: Type) -> Set {
        let set = Set::one(self.types.innermost(ty));
        if set.is_empty() { Set::ALL } else { set }
    }

    fn declare(&mut self) {
        for &(val, ty, loc) in &self.func.params {
            self.set_ty(val, ty, loc);
        }
        for &block in &self.flow.order {
            for phi in &self.func.blocks[block].phis {
                self.set_ty(phi.result, phi.ty, phi.loc);
            }
        }
    }

    fn sort(&self, operand: Operand) -> Sort {
        match operand.arg {
            Arg::Value(val) => self.sorts[val],
            Arg::Global(global) => Sort::Pointer(self.globals.get(global).map_or(Space::Generic, |g| g.space)),
            Arg::Const(..) => Sort::Value,
        }
    }

    /// Whether results are values or pointers; definitions come before uses in this order.
    fn sorts_of_results(&mut self) {
        for &block in &self.flow.order {
            for inst in &self.func.blocks[block].insts {
                let Some(result) = inst.result else { continue };
                let of_arg = |n: usize| inst.args.get(n).map_or(Sort::Value, |&arg| self.sort(arg));
                self.sorts[result] = match (&inst.kind, inst.to) {
                    (_, Some(Ty::Pointer(space, _))) => Sort::Pointer(space),
                    (_, Some(Ty::Value(_))) => Sort::Value,
                    (Kind::Mov | Kind::Gep { .. } | Kind::Conv(Conv::Bitcast), None) => of_arg(0),
                    (Kind::Op(Op::Select), None) => of_arg(1),
                    _ => Sort::Value,
                };
            }
        }
    }

    fn term(&self, operand: Operand) -> Term {
        match operand.arg {
            Arg::Value(val) => Term::Val(val),
            Arg::Global(global) => Term::Fixed(self.globals.get(global).map_or(Set::ALL, |g| self.pointee(g.pointee))),
            Arg::Const(ty, _) => Term::Fixed(Set::one(Type::Scalar(ty))),
        }
    }

    fn relate(&mut self, a: Term, relation: Relation, b: Term, loc: Loc) {
        let index = self.constraints.len();
        for term in [a, b] {
            if let Term::Val(val) = term {
                self.of[val].push(index);
            }
        }
        self.constraints.push(Constraint { broken: false, a, relation, b, loc });
        self.todo.push(index);
    }

    fn is(&mut self, term: Term, ty: Type, loc: Loc) {
        self.relate(Term::Fixed(Set::one(ty)), Relation::Same, term, loc);
    }

    fn same(&mut self, a: Operand, b: Term) {
        let a_term = self.term(a);
        self.relate(b, Relation::Same, a_term, a.loc);
    }

    /// An operand that has to be a value, of these types.
    fn value(&mut self, operand: Operand, set: Set, what: &str) {
        if self.sort(operand) != Sort::Value {
            self.report(operand, Code::V021, format!("{what} is a pointer"));
            return;
        }
        let found = self.set(self.term(operand));
        if found.and(set).is_empty() {
            let found = self.show(found);
            self.report(operand, Code::V021, format!("{what} cannot be `{found}`"));
            return;
        }
        if let Arg::Value(val) = operand.arg {
            self.sets[val] = found.and(set);
            self.todo.extend(&self.of[val]);
        }
    }

    /// An operand that has to be a pointer.
    fn pointer(&mut self, operand: Operand, mnemonic: &str) -> bool {
        let is = self.sort(operand) != Sort::Value;
        if !is {
            self.report(operand, Code::V021, format!("`{mnemonic}` needs a pointer here"));
        }
        is
    }

    fn report(&mut self, operand: Operand, code: Code, message: String) {
        self.diags.push(Diag::new(code, operand.loc, message));
    }

    fn gather(&mut self, callee: &dyn Fn(&str) -> Option<Callee>) {
        let func = self.func;
        for &block in &self.flow.order {
            let block = &func.blocks[block];
            for phi in &block.phis {
                for &(operand, from) in &phi.from {
                    if !self.flow.reaches(from) {
                        continue;
                    }
                    if (self.sort(operand) == Sort::Value) != (self.sorts[phi.result] == Sort::Value) {
                        self.report(operand, Code::V200, "this `phi` mixes pointers and values".to_owned());
                        continue;
                    }
                    self.same(operand, Term::Val(phi.result));
                }
            }
            for inst in &block.insts {
                // What is known goes on to what follows, where a mistake then shows.
                let before = self.diags.count();
                self.inst(inst, callee);
                self.narrow();
                if let Some(val) = inst.result.filter(|_| self.diags.count() > before) {
                    self.wrong[val] = true;
                }
            }
            match &block.end {
                End::BrIf(condition, ..) => {
                    let set = Set::scalars(Class::BITS);
                    self.value(*condition, set, "the condition");
                }
                End::Switch(selector, ..) => {
                    let set = Set::scalars(Class::INT);
                    self.value(*selector, set, "the selector");
                }
                End::Ret(Some(value)) => {
                    if let Some(ty) = func.ret {
                        if self.sort(*value) == Sort::Value {
                            self.same(*value, Term::Fixed(Set::one(ty)));
                        } else {
                            self.report(*value, Code::V201, "a function cannot return a pointer".to_owned());
                        }
                    }
                }
                End::Br(_) | End::Ret(None) | End::Unreachable => {}
            }
        }
        for &(val, ty, loc) in &func.selectors {
            if !matches!(func.values[val].def, Some(super::ast::Def::Block(block, _)) if !self.flow.reaches(block)) {
                self.is(Term::Val(val), ty.into(), loc);
            }
        }
    }

    fn inst(&mut self, inst: &Inst, callee: &dyn Fn(&str) -> Option<Callee>) {
        let args = &inst.args;
        let name = format!("the operand of `{}`", inst.mnemonic);
        let result = inst.result.map_or(Term::Fixed(Set::ALL), Term::Val);
        match &inst.kind {
            Kind::Mov => self.same(args[0], result),
            Kind::Op(Op::Select) => {
                self.value(args[0], Set::scalars(Class::BITS), "the condition");
                if self.sort(args[1]) != self.sort(args[2]) {
                    self.report(args[2], Code::V021, "`select` between different kinds of pointers".to_owned());
                    return;
                }
                self.same(args[1], result);
                self.same(args[2], result);
            }
            Kind::Op(op) => self.op(*op, inst, result),
            Kind::Compare(family, op) => {
                let class = match (family, op) {
                    (Family::Signed | Family::Unsigned, Op::Eq | Op::Ne) => Class::INT,
                    (Family::Signed, _) => Class::SIGNED,
                    (Family::Unsigned, _) => Class::UNSIGNED,
                    (Family::Ordered | Family::Unordered, _) => Class::FLOAT,
                };
                self.compare(inst, class, result);
            }
            Kind::Ordered(_) => self.compare(inst, Class::FLOAT, result),
            Kind::Conv(conv) => self.conv(*conv, inst, result),
            Kind::Load => {
                if self.pointer(args[0], "load") {
                    self.same(args[0], result);
                }
            }
            Kind::Store => {
                if self.pointer(args[0], "store") {
                    self.value(args[1], Set::ALL, "the value to store");
                    let place = self.term(args[0]);
                    self.same(args[1], place);
                }
            }
            Kind::Gep { .. } => {
                if self.pointer(args[0], "gep") {
                    self.value(args[1], Set::scalars(Class::UNSIGNED), "the index");
                    self.same(args[0], result);
                }
            }
            Kind::Len => {
                self.pointer(args[0], "len");
                self.is(result, Type::U32, inst.loc);
            }
            Kind::Builtin(_) | Kind::WorkgroupSize(_) => self.is(result, Type::U32, inst.loc),
            Kind::Barrier | Kind::Fence(..) => {}
            Kind::Subgroup(op) => self.subgroup(*op, inst, result),
            Kind::Call(function) => self.call(function, inst, callee),
            Kind::Atomic(rmw, _) => {
                if !self.pointer(args[0], &inst.mnemonic) {
                    return;
                }
                let place = self.term(args[0]);
                let set = Set::scalars(rmw.class);
                if self.set(place).and(set).is_empty() {
                    let found = self.show(self.set(place));
                    let message = format!("this atomic does not exist for `{found}`");
                    let diag = Diag::new(Code::V014, inst.loc, message);
                    self.diags.push(diag.help("its name depends on the type: `min_s` for signed, `min_u` for unsigned integers, `fmin` for floats"));
                    return;
                }
                self.relate(Term::Fixed(set), Relation::Same, place, args[0].loc);
                for &arg in args.iter().skip(1).filter(|_| rmw.flag.is_none()) {
                    self.value(arg, Set::ALL, &name);
                    self.same(arg, place);
                }
                if rmw.op != AtomicOp::Store {
                    self.relate(place, Relation::Same, result, inst.loc);
                }
            }
        }
    }

    fn call(&mut self, function: &str, inst: &Inst, callee: &dyn Fn(&str) -> Option<Callee>) {
        let Some(callee) = callee(function) else { return };
        if callee.params.len() != inst.args.len() {
            let (takes, given) = (callee.params.len(), inst.args.len());
            let message = format!("`@{function}` takes {}, not {given}", count(takes, "argument"));
            self.diags.push(Diag::new(Code::V204, inst.loc, message));
            return;
        }
        for (&arg, &param) in inst.args.iter().zip(&callee.params) {
            match (param, self.sort(arg)) {
                (Ty::Value(ty), Sort::Value) => self.same(arg, Term::Fixed(Set::one(ty))),
                (Ty::Pointer(space, ty), Sort::Pointer(found)) => {
                    if space != found && space != Space::Generic {
                        let message = format!("expected a `{}` pointer, found `{}`", space.name(), found.name());
                        self.report(arg, Code::V200, message);
                    } else {
                        let set = self.pointee(ty);
                        self.same(arg, Term::Fixed(set));
                    }
                }
                (Ty::Value(_), Sort::Pointer(_)) => {
                    self.report(arg, Code::V200, "expected a value, found a pointer".to_owned());
                }
                (Ty::Pointer(..), Sort::Value) => {
                    self.report(arg, Code::V200, "expected a pointer, found a value".to_owned());
                }
            }
        }
        match (callee.ret, inst.result) {
            (Some(ty), Some(result)) => {
                self.is(Term::Val(result), ty, inst.loc);
            }
            (None, Some(_)) => {
                let message = format!("`@{function}` returns nothing, but a name is given");
                self.diags.push(Diag::new(Code::V700, inst.loc, message));
            }
            (_, None) => {}
        }
    }

    fn compare(&mut self, inst: &Inst, class: Class, result: Term) {
        let set = Set::scalars(class);
        for &arg in &inst.args {
            let found = self.set(self.term(arg));
            let is_value = self.sort(arg) == Sort::Value;
            if is_value && found.and(set).is_empty() {
                let shown = self.show(found);
                let message = format!("`{}` cannot compare `{shown}`", inst.mnemonic);
                let family = match found.only().and_then(Type::lane) {
                    Some(lane) if lane.is_float() => "fcmp",
                    Some(lane) if lane.is_signed() => "icmp",
                    _ => "ucmp",
                };
                self.diags.push(Diag::new(Code::V021, inst.loc, message).help(format!("use `{family}`")));
                break;
            }
            self.value(arg, set, &format!("the operand of `{}`", inst.mnemonic));
        }
        let first = self.term(inst.args[0]);
        self.same(inst.args[1], first);
        self.is(result, Type::U32, inst.loc);
    }

    fn conv(&mut self, conv: Conv, inst: &Inst, result: Term) {
        let arg = inst.args[0];
        let (Sort::Pointer(from), to) = (self.sort(arg), inst.to) else {
            match inst.to {
                Some(Ty::Value(ty)) => {
                    if ty.is_value() {
                        self.is(result, ty, inst.loc);
                    } else {
                        let message = format!("`{}` is not the type of a value", self.types.display(ty));
                        self.diags.push(Diag::new(Code::V201, inst.loc, message));
                        return;
                    }
                }
                Some(Ty::Pointer(..)) => {
                    return self.report(arg, Code::V012, "a value cannot be converted to a pointer".to_owned());
                }
                None => {}
            }
            let term = self.term(arg);
            return self.relate(term, Relation::Conv(conv), result, inst.loc);
        };
        match to {
            _ if conv != Conv::Bitcast => {
                self.report(arg, Code::V021, format!("`{}` does not take a pointer", inst.mnemonic))
            }
            Some(Ty::Value(_)) => self.report(arg, Code::V012, "a pointer cannot be converted to a number".to_owned()),
            Some(Ty::Pointer(space, ty)) => {
                if space != from && space != Space::Generic && from != Space::Generic {
                    let message =
                        format!("a pointer to `{}` memory cannot become one to `{}` memory", from.name(), space.name());
                    return self.report(arg, Code::V012, message);
                }
                let set = self.pointee(ty);
                self.relate(Term::Fixed(set), Relation::Same, result, inst.loc);
            }
            None => {}
        }
    }

    /// An op of the table, with the table's types.
    fn op(&mut self, op: Op, inst: &Inst, result: Term) {
        let what = format!("the operand of `{}`", inst.mnemonic);
        let signature = op.info().signature;
        let class = Set::class(signature.class());
        let first = inst.args[0];
        let first_term = self.term(first);
        match signature {
            Signature::Lanes(..) if super::build::is_shift(op) => {
                self.value(first, class, &what);
                self.value(inst.args[1], Set::class(Class::INT), "the count");
                let count = self.term(inst.args[1]);
                self.relate(first_term, Relation::Count, count, inst.args[1].loc);
                self.relate(first_term, Relation::Same, result, inst.loc);
            }
            Signature::Construct => {
                for &arg in &inst.args {
                    self.value(arg, Set::SCALARS, &what);
                    self.same(arg, first_term);
                }
                self.relate(first_term, Relation::VectorOf(inst.args.len() as u8), result, inst.loc);
            }
            Signature::Extract => {
                self.value(first, Set::ALL, &what);
                self.value(inst.args[1], Set::one(Type::U32), "the lane");
                self.relate(first_term, Relation::LaneOf, result, inst.loc);
            }
            Signature::Lanes(_, parts, part) => {
                self.value(first, class, &what);
                for (&arg, &part) in inst.args.iter().zip(parts).skip(1) {
                    self.value(arg, Set::ALL, &what);
                    let term = self.term(arg);
                    self.relate(first_term, relation(part), term, arg.loc);
                }
                self.relate(first_term, relation(part), result, inst.loc);
            }
            Signature::Fixed(types, ty) => {
                for (&arg, &ty) in inst.args.iter().zip(types) {
                    self.value(arg, Set::one(ty), &what);
                }
                self.is(result, ty, inst.loc);
            }
            Signature::Insert => {
                self.value(first, Set::ALL, &what);
                self.value(inst.args[1], Set::one(Type::U32), "the lane");
                let lane = self.term(inst.args[2]);
                self.relate(first_term, Relation::LaneOf, lane, inst.args[2].loc);
                self.relate(first_term, Relation::Same, result, inst.loc);
            }
            Signature::Reduce => {
                self.value(first, Set::ALL, &what);
                self.is(result, Type::BOOL, inst.loc);
            }
            // These have mnemonics of their own in this form.
            Signature::Select | Signature::Cast | Signature::Bitcast => {}
        }
    }

    /// A subgroup op, with the types of its table.
    fn subgroup(&mut self, op: SubgroupOp, inst: &Inst, result: Term) {
        let what = format!("the operand of `{}`", inst.mnemonic);
        let (class, ty) = match op.signature() {
            SubgroupSignature::Value(class) | SubgroupSignature::Exchange(class) => (Set::class(class), None),
            SubgroupSignature::Vote | SubgroupSignature::Elect => (Set::one(Type::BOOL), Some(Type::BOOL)),
            SubgroupSignature::Ballot => (Set::one(Type::BOOL), Some(Type::U32)),
        };
        if let Some(&value) = inst.args.first() {
            self.value(value, class, &what);
        }
        if let Some(&lane) = inst.args.get(1) {
            self.value(lane, Set::one(Type::U32), "the lane");
        }
        let from = ty.map_or_else(|| self.term(inst.args[0]), |ty| Term::Fixed(Set::one(ty)));
        self.relate(from, Relation::Same, result, inst.loc);
    }

    fn set(&self, term: Term) -> Set {
        match term {
            Term::Val(val) => self.sets[val],
            Term::Fixed(set) => set,
        }
    }

    fn show(&self, set: Set) -> String {
        match set.only() {
            Some(ty) => self.types.display(ty).to_string(),
            None => "a number of another kind".to_owned(),
        }
    }

    /// Narrows sets until every relation holds for all that is left.
    fn narrow(&mut self) {
        // Constraints are taken in their order first, so that mistakes are found where
        // they are made.
        self.todo.reverse();
        while let Some(index) = self.todo.pop() {
            let Constraint { broken, a, relation, b, loc } = self.constraints[index];
            let is_wrong = |term: Term| matches!(term, Term::Val(val) if self.wrong[val]);
            if broken || is_wrong(a) || is_wrong(b) {
                continue;
            }
            let (of_a, of_b) = (self.set(a), self.set(b));
            let (new_a, new_b) = match relation {
                Relation::Same => (of_a.and(of_b), of_a.and(of_b)),
                _ => {
                    let new_b = of_a.related(of_b, |x, y| holds(relation, x, y));
                    (new_b.related(of_a, |y, x| holds(relation, x, y)), new_b)
                }
            };
            if new_a.is_empty() || new_b.is_empty() {
                self.constraints[index].broken = true;
                self.mismatch(of_a, relation, b, of_b, loc);
                continue;
            }
            for (term, old, new) in [(a, of_a, new_a), (b, of_b, new_b)] {
                if let Term::Val(val) = term
                    && old != new
                {
                    self.sets[val] = new;
                    self.todo.extend(self.of[val].iter().rev());
                }
            }
        }
    }

    fn mismatch(&mut self, of_a: Set, relation: Relation, b: Term, of_b: Set, loc: Loc) {
        if let (Term::Val(val), true) = (b, relation != Relation::Same) {
            self.wrong[val] = true;
        }
        let (shown_a, shown_b) = (self.show(of_a), self.show(of_b));
        let (code, message) = match relation {
            Relation::Same => (Code::V200, format!("expected `{shown_a}`, found `{shown_b}`")),
            Relation::Conv(_) => match of_b.only() {
                Some(_) => (Code::V012, format!("this conversion cannot turn `{shown_a}` into `{shown_b}`")),
                None => (Code::V012, format!("this conversion cannot convert `{shown_a}`")),
            },
            Relation::Count => (Code::V021, format!("`{shown_a}` cannot be shifted by `{shown_b}`")),
            Relation::Lanes(_) | Relation::VectorOf(_) | Relation::LaneOf => {
                (Code::V200, format!("the result of an operation on `{shown_a}` cannot be `{shown_b}`"))
            }
        };
        self.diags.push(Diag::new(code, loc, message));
    }

    /// Gives open conversions their preferred types, and reports what stays open.
    fn choose(&mut self) {
        let func = self.func;
        let reachable = |n: &usize| self.flow.reaches(*n);
        let blocks: Vec<usize> = (0..func.blocks.len()).filter(reachable).collect();
        let insts: Vec<&Inst> = blocks.iter().flat_map(|&block| &func.blocks[block].insts).collect();
        let mut open: Vec<&Inst> = insts.clone();
        loop {
            open.retain(|inst| inst.result.is_some_and(|val| !self.wrong[val] && self.sets[val].only().is_none()));
            let chosen = open.iter().find_map(|inst| {
                let (Kind::Conv(conv), Some(val)) = (&inst.kind, inst.result) else { return None };
                if self.sorts[val] != Sort::Value {
                    return None;
                }
                let from = self.set(self.term(inst.args[0])).only()?;
                let ty = preferred(*conv, from).into_iter().find(|&ty| self.sets[val].contains(ty))?;
                Some((val, ty))
            });
            let Some((val, ty)) = chosen else { break };
            self.sets[val] = Set::one(ty);
            self.todo.extend(&self.of[val]);
            self.narrow();
        }
        for inst in open {
            let Some(val) = inst.result.filter(|&val| !self.wrong[val]) else { continue };
            if self.sorts[val] == Sort::Value || self.is_accessed(val, &insts) {
                let message = format!("cannot infer the type of `%{}`", func.values[val].name);
                self.diags.push(Diag::new(Code::V202, inst.loc, message).help("add `to` and its type"));
                self.wrong[val] = true;
            }
        }
    }

    /// Whether an instruction reads or writes what a pointer points to.
    fn is_accessed(&self, val: Val, insts: &[&Inst]) -> bool {
        let accesses = |inst: &&&Inst| matches!(inst.kind, Kind::Load | Kind::Store | Kind::Atomic(..));
        insts.iter().filter(accesses).any(|inst| inst.args[0].arg == Arg::Value(val))
    }
}
