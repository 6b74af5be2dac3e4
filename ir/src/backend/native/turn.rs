//! Moves that turn round: what neighbours on y load side by side, neighbours on x store side by side, or the other way
//! round.
//!
//! A loop over the lanes of a row loads or stores such elements one by one. Instead, the lanes of a square are taken
//! together: its elements are loaded in one direction, turned round in registers, and stored in the other one. What
//! else the run moves keeps its loops.
//!
//! This is done where nothing that is loaded is stored to, so that the order of lanes does not matter: no two of them
//! access the same place if one stores there. A square is loaded and stored whole, so its accesses have to be in bounds
//! without a test, as they are in launches that fulfil all conditions. Then an index does not wrap between neighbours
//! either, unless its memory is huge, which is a test of the launch.

use super::along::{Along, MOST_BYTES, is_racy};
use super::code::lane_of;
use super::plan::{Given, Kept};
use super::writer::{Over, Writer};
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use crate::ops::{Builtin, Op};
use crate::types::{Scalar, Type};

/// The edge of a square.
const EDGE: u32 = 4;
/// The bytes of what is moved.
const MOVED: u32 = 4;

/// A direction of neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Axis {
    X,
    Y,
}

/// A move that turns round.
#[derive(Clone, Copy)]
struct Turn {
    load: Inst,
    store: Inst,
    /// The direction in which neighbours store side by side.
    stores: Axis,
}

/// What a run does that does nothing but move.
pub(super) struct Moves {
    /// The moves that turn round.
    turns: Vec<Turn>,
    /// Whether there are others.
    has_others: bool,
}

/// Whether a loop does nothing but move memory, some of it so that it turns round.
pub(super) fn is_loop_of_turns(given: &Given<'_>, inst: Inst) -> bool {
    let function = given.function;
    let InstKind::Loop { body, .. } = &function.insts[inst].kind else { return false };
    let idles = |&inner: &Inst| match &function.insts[inner].kind {
        InstKind::Break(target, _) | InstKind::Continue(target, _) => *target == inst,
        kind => is_pure(kind) || matches!(kind, InstKind::Yield(_)),
    };
    // The test whether there is another round.
    let is_exit = |inner: &Inst| match &function.insts[*inner].kind {
        InstKind::If { condition, then, otherwise } => {
            let arms = [*then, *otherwise];
            given.uniform[*condition] && arms.iter().all(|&arm| function.regions[arm].insts.iter().all(idles))
        }
        _ => false,
    };
    let insts: Vec<Inst> = function.regions[*body].insts.iter().copied().filter(|inner| !is_exit(inner)).collect();
    insts.last().is_some_and(idles) && moves(given, &insts).is_some()
}

const fn is_pure(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_))
}

/// What instructions move, if they do nothing else and some of it turns round.
fn moves(given: &Given<'_>, insts: &[Inst]) -> Option<Moves> {
    let function = given.function;
    let [width, height, _] = function.workgroup_size();
    if !width.is_multiple_of(EDGE) || !height.is_multiple_of(EDGE) {
        return None;
    }
    let load_of = |value: Value| match given.tree.def(value) {
        Def::Result(load, _) if matches!(function.insts[load].kind, InstKind::Load(_)) && insts.contains(&load) => {
            Some(load)
        }
        _ => None,
    };
    let (last, body) = insts.split_last()?;
    let body = if function.insts[*last].kind.is_terminator() { body } else { insts };
    let (mut turns, mut near, mut loaded) = (Vec::new(), Vec::new(), Vec::new());
    for &inst in body {
        match &function.insts[inst].kind {
            InstKind::Op(_, args) if args.iter().any(|&arg| load_of(arg).is_some()) => return None,
            InstKind::Load(place) => {
                // An index would have to be loaded before the others.
                if place.indices.iter().any(|index| load_of(index.value).is_some()) {
                    return None;
                }
                loaded.push(place.root);
            }
            InstKind::Store(place, value) => {
                let load = load_of(*value)?;
                let ty = function.ty(*value);
                let fits =
                    ty == Type::Scalar(lane_of(ty)) && lane_of(ty) != Scalar::Bool && lane_of(ty).size() == MOVED;
                let are_plain = ![inst, load].iter().any(|&inst| is_racy(function, inst));
                if !fits || !are_plain || place.indices.iter().any(|index| load_of(index.value).is_some()) {
                    return None;
                }
                match (side_by_side(given, load), side_by_side(given, inst)) {
                    (Some(Axis::X), Some(Axis::X)) => near.push(place.root),
                    (Some(one), Some(other)) if one != other => turns.push(Turn { load, store: inst, stores: other }),
                    _ => return None,
                }
            }
            kind if is_pure(kind) => {}
            _ => return None,
        }
    }
    let stored = |turn: &Turn| function.insts[turn.store].kind.place().map(|place| place.root);
    let turned: Vec<Root> = turns.iter().filter_map(stored).collect();
    let is_private = |root: &Root| matches!(root, Root::Private(_));
    let meets = loaded.iter().any(|root| near.contains(root) || turned.contains(root))
        || near.iter().any(|root| turned.contains(root))
        || loaded.iter().chain(&near).chain(&turned).any(is_private);
    (!turns.is_empty() && !meets).then_some(Moves { turns, has_others: !near.is_empty() })
}

/// The direction in which neighbours access memory side by side.
fn side_by_side(given: &Given<'_>, access: Inst) -> Option<Axis> {
    let place = given.function.insts[access].kind.place()?;
    [Axis::X, Axis::Y].into_iter().find(|&axis| {
        let mut steps = 0;
        let all = place.indices.iter().all(|index| match along(given, index.value, axis) {
            Some(Along::Same) => true,
            Some(Along::Step) => {
                steps += 1;
                index.stride == MOVED
            }
            None => false,
        });
        all && steps == 1
    })
}

/// How a value changes in a direction.
fn along(given: &Given<'_>, value: Value, axis: Axis) -> Option<Along> {
    let function = given.function;
    let Def::Result(inst, _) = given.tree.def(value) else {
        return given.uniform[value].then_some(Along::Same);
    };
    if given.uniform[value] {
        return Some(Along::Same);
    }
    let steps_on = |on: Axis| Some(if on == axis { Along::Step } else { Along::Same });
    match &function.insts[inst].kind {
        InstKind::Builtin(Builtin::GlobalIdX | Builtin::LocalIdX) => steps_on(Axis::X),
        InstKind::Builtin(Builtin::GlobalIdY | Builtin::LocalIdY) => steps_on(Axis::Y),
        InstKind::Builtin(Builtin::GlobalIdZ | Builtin::LocalIdZ) => Some(Along::Same),
        InstKind::Builtin(Builtin::LocalIndex) if axis == Axis::X => Some(Along::Step),
        InstKind::Op(op, args) => {
            if let Some(part) = along_part(given, *op, args, axis) {
                return Some(part);
            }
            let along: Vec<Option<Along>> = args.iter().map(|&arg| along(given, arg, axis)).collect();
            let is_number = function.ty(value) == Type::U32;
            match (op, along.as_slice()) {
                (_, all) if all.iter().all(|&along| along == Some(Along::Same)) => Some(Along::Same),
                (Op::Add, [Some(a), Some(b)]) if is_number && a != b => Some(Along::Step),
                (Op::Sub, [Some(Along::Step), Some(Along::Same)]) if is_number => Some(Along::Step),
                _ => None,
            }
        }
        _ => None,
    }
}

/// How a rest or a quotient of a lane's number by a multiple of the length of a row changes; `None` if an op computes
/// something else, or if that is not known.
fn along_part(given: &Given<'_>, op: Op, args: &[Value], axis: Axis) -> Option<Along> {
    let function = given.function;
    let &[number, by] = args else { return None };
    let by = u32::try_from(function.constant_bits(by)?).ok()?;
    let Def::Result(inst, _) = given.tree.def(number) else { return None };
    let is_index = matches!(function.insts[inst].kind, InstKind::Builtin(Builtin::LocalIndex));
    let [width, _, depth] = function.workgroup_size();
    let (is_rest, by) = match op {
        Op::Rem => (true, by),
        Op::Div => (false, by),
        Op::And => (true, by.checked_add(1).filter(|end| end.is_power_of_two())?),
        Op::Shr => (false, 1u32.checked_shl(by)?),
        _ => return None,
    };
    if !is_index || by == 0 || !by.is_multiple_of(width) {
        return None;
    }
    match (axis, is_rest) {
        (Axis::X, true) => Some(Along::Step),
        (Axis::X, false) => Some(Along::Same),
        // Rows are neighbours in the same layer.
        (Axis::Y, true) if by == width => Some(Along::Same),
        (Axis::Y, false) if by == width && depth == 1 => Some(Along::Step),
        (Axis::Y, _) => None,
    }
}

impl Writer<'_> {
    /// What a run of a workgroup moves, if it can be written in squares.
    pub(super) fn turns(&self, insts: &[Inst]) -> Option<Moves> {
        let function = self.function;
        if self.level().over != Over::Group || self.marks_gone {
            return None;
        }
        let is_kept = |&inst: &Inst| {
            let kept = |&result: &Value| self.level().plan.kept[result] != Kept::No || self.observed[result];
            function.insts[inst].results.iter().any(kept)
        };
        let passes = |&inst: &Inst| {
            let kind = &function.insts[inst].kind;
            kind.is_terminator() && !self.moves(inst).is_empty()
                || kind.place().is_some() && !self.guards.test_under(inst, u64::MAX).is_none()
        };
        let leaves = |&inst: &Inst| {
            matches!(function.insts[inst].kind, InstKind::Return(_) | InstKind::Unreachable)
                && function.regions[function.body].insts.last() != Some(&inst)
        };
        if insts.iter().any(|inst| is_kept(inst) || passes(inst) || leaves(inst)) {
            return None;
        }
        moves(&self.given(), insts)
    }

    /// Writes a run of moves in squares where that can be done, and as loops where not.
    pub(super) fn turn(&mut self, insts: &[Inst], moves: &Moves) {
        let function = self.function;
        let without = |stores: bool| -> Vec<Inst> {
            let is_turn = |inst: &Inst| moves.turns.iter().any(|turn| turn.store == *inst);
            let is_store = |inst: &Inst| matches!(function.insts[*inst].kind, InstKind::Store(..));
            insts.iter().copied().filter(|inst| !is_store(inst) || is_turn(inst) != stores).collect()
        };
        if moves.has_others {
            self.rows(&without(true));
        }
        let roots = moves.turns.iter().flat_map(|turn| [turn.load, turn.store]);
        let mut fits = vec!["BARE".to_owned()];
        for root in roots.filter_map(|inst| Some(function.insts[inst].kind.place()?.root)) {
            let test = format!("{} <= {}", self.len(root), MOST_BYTES / self.element(root));
            if !fits.contains(&test) {
                fits.push(test);
            }
        }
        self.code.open(format!("if {} {{", fits.join(" && ")));
        for turn in moves.turns.clone() {
            self.squares(insts, turn);
        }
        self.code.between("} else {");
        self.rows(&without(false));
        self.code.close("}");
    }

    /// Writes a move in squares. Neighbouring squares are those that store side by side.
    fn squares(&mut self, insts: &[Inst], turn: Turn) {
        let [width, height, depth] = self.function.workgroup_size();
        self.code.open(format!("for z in 0..{depth}u32 {{"));
        let (columns, rows) = (width / EDGE, height / EDGE);
        let (outer, inner) = match turn.stores {
            Axis::X => (("row", rows), ("column", columns)),
            Axis::Y => (("column", columns), ("row", rows)),
        };
        for (name, count) in [outer, inner] {
            self.code.open(format!("for {name} in 0..{count}u32 {{"));
        }
        self.code.line(format!("let mut from = [n::nowhere(); {EDGE}];"));
        self.code.line(format!("let mut to = [n::nowhere(); {EDGE}];"));
        self.code.open(format!("for part in 0..{EDGE}u32 {{"));
        let loads = if turn.stores == Axis::X { Axis::Y } else { Axis::X };
        for (name, access, axis) in [("from", turn.load, loads), ("to", turn.store, turn.stores)] {
            // What is side by side begins at the edge of the square.
            let place = |part: bool, number: &str| {
                let first = format!("{number}.unchecked_mul({EDGE})");
                if part { format!("{first}.unchecked_add(part)") } else { first }
            };
            self.code.open("{");
            self.code.line(format!("let x = {};", place(axis == Axis::Y, "column")));
            self.code.line(format!("let y = {};", place(axis == Axis::X, "row")));
            self.number_of_lane();
            let is_needed = |inst: &Inst| *inst == access || is_pure(&self.function.insts[*inst].kind);
            let needed: Vec<Inst> = insts.iter().copied().filter(is_needed).collect();
            self.load_needed(&needed);
            for inst in needed.into_iter().filter(|&inst| inst != access) {
                self.inst(inst);
            }
            if let Some(place) = self.function.insts[access].kind.place() {
                let ty = self.function.accessed(access).unwrap_or(Type::U32);
                let (pointer, _) = self.pointer(access, place, ty);
                self.code.line(format!("{name}[part as usize] = {pointer} as *mut u8;"));
            }
            self.code.close("}");
        }
        self.code.close("}");
        self.code.line("n::turn(from, to);");
        for _ in 0..3 {
            self.code.close("}");
        }
    }
}
