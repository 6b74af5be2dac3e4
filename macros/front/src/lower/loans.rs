//! Borrow rules of references that variables hold: what is borrowed stays as it is while the reference is used.
//!
//! A borrow lives until the last use of its reference, as for rustc: at a place where no way leads to a use, the
//! borrow is over. So the walk makes a graph of all accesses in the order of evaluation, and for each borrow it
//! goes back from the uses of its reference to where the reference is made. An access on the way that does not go
//! through the reference must not disagree with it. A reference that was made of another one uses that.
//! Each access has at most one error.
//!
//! A closure that a variable holds borrows what it changes as a `&mut` does, from where it is made to its last call.

use super::borrow::overlap;
use crate::hir::{
    ArrayInit, Block, Body, Borrowed, Borrower, Called, ExprId, ExprKind, LoanId, LocalId, LoopId, Place, Step, Stmt,
};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use std::collections::BTreeSet;

/// The uses of what is borrowed that disagree with the borrow.
pub(super) fn mistakes(body: &Body, block: &Block) -> Vec<Diag> {
    let changed = body.closures.iter().flat_map(|closure| &closure.changes);
    let lent = body.loans.iter().map(|(_, loan)| &loan.place).chain(changed).filter_map(|place| match place {
        Place::Local { local, .. } => Some(*local),
        _ => None,
    });
    let mut walk = Walk {
        body,
        nodes: vec![Node::default()],
        tips: vec![0],
        frames: Vec::new(),
        calls: Vec::new(),
        inside: Vec::new(),
        lent: lent.collect(),
    };
    walk.block(block);
    let mut wrong = BTreeSet::new();
    let by_variables = |loan: &LoanId| body.loans[*loan].by == Borrower::Variable;
    let (variables, others): (Vec<LoanId>, Vec<LoanId>) = body.loans.ids().partition(by_variables);
    let mut diags: Vec<Diag> = variables.into_iter().filter_map(|loan| walk.mistake(loan, &mut wrong)).collect();
    diags.extend((0..body.closures.len()).filter_map(|closure| walk.beside_closure(closure, &mut wrong)));
    // A borrow that was refused itself is not asked what disagrees with it.
    let made = |wrong: &BTreeSet<usize>, loan| {
        wrong.iter().any(|&node| walk.nodes[node].event.as_ref().is_some_and(|event| event.made == Some(loan)))
    };
    for loan in others {
        if !made(&wrong, loan) {
            diags.extend(walk.mistake(loan, &mut wrong));
        }
    }
    diags.extend(walk.second_calls());
    diags.extend((0..walk.nodes.len()).filter_map(|node| walk.used_twice(node)));
    diags
}

/// What is done to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Lend { mutable: bool },
}

struct Event {
    place: Place,
    access: Access,
    /// The reference through which the place is reached.
    through: Option<LoanId>,
    /// The reference that is made.
    made: Option<LoanId>,
    loc: Loc,
}

#[derive(Default)]
struct Node {
    /// What may run right before it.
    before: Vec<usize>,
    event: Option<Event>,
    /// The iterator that becomes a variable's.
    kept: Option<usize>,
    /// The iterator of a variable that is used up, and where.
    used_up: Option<(usize, Loc)>,
    /// The closures in whose bodies it is.
    inside: Vec<usize>,
    /// The closure that is made or called here.
    closure: Option<(usize, Moment)>,
}

/// What happens to a closure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Made,
    Called,
}

/// A use of a function that can be used once.
struct Call {
    function: usize,
    name: String,
    loc: Loc,
    node: usize,
}

/// A loop, a block or a call around the current place.
struct Frame {
    id: LoopId,
    /// The node at its beginning.
    head: usize,
    /// What its `break`s come from.
    left: Vec<usize>,
}

struct Walk<'b> {
    body: &'b Body,
    nodes: Vec<Node>,
    /// The nodes after which the current place comes; none where no way leads.
    tips: Vec<usize>,
    frames: Vec<Frame>,
    calls: Vec<Call>,
    /// The closures in whose bodies the current place is.
    inside: Vec<usize>,
    /// The locals that are borrowed somewhere.
    lent: BTreeSet<LocalId>,
}

impl Walk<'_> {
    /// The first access that disagrees with a borrow.
    fn mistake(&self, loan: LoanId, wrong: &mut BTreeSet<usize>) -> Option<Diag> {
        let def = &self.body.loans[loan];
        let uses = |node: &usize| {
            let event = self.nodes[*node].event.as_ref();
            event.is_some_and(|event| event.made != Some(loan) && self.is_through(event.through, loan))
        };
        let makes = |node: usize| self.nodes[node].event.as_ref().is_some_and(|event| event.made == Some(loan));
        let used: Vec<usize> = (0..self.nodes.len()).filter(uses).collect();
        let live = self.live(&used, makes);
        let disagrees = |&node: &usize| {
            let Some(event) = &self.nodes[node].event else { return false };
            let changes = def.mutable || matches!(event.access, Access::Write | Access::Lend { mutable: true });
            let other = event.made != Some(loan) && !self.is_through(event.through, loan);
            changes && other && live[node] && overlap(&event.place, &def.place)
        };
        let node = (0..self.nodes.len()).find(disagrees).filter(|&node| wrong.insert(node))?;
        let event = self.nodes[node].event.as_ref()?;
        if def.by != Borrower::Variable {
            let (name, before) = (&def.name, if def.by == Borrower::Operator { "its right side" } else { "this" });
            let what = match event.access {
                Access::Read => "use this place",
                Access::Write => "assign to this place",
                Access::Lend { mutable: true } => "borrow this place as mutable",
                Access::Lend { mutable: false } => "borrow this place",
            };
            let message = format!("cannot {what}, because `{name}` borrows it before {before} is evaluated");
            let diag = Diag::new(Code::V206, event.loc, message).label(def.loc, "the borrow is here");
            return Some(diag.help("evaluate it before: `let value = …;`"));
        }
        let later = used.iter().find(|&&at| at > node).or(used.first());
        let later = later.and_then(|&at| self.nodes[at].event.as_ref()).map(|event| event.loc);
        let (name, mutably) = (&def.name, if def.mutable { "mutably " } else { "" });
        let message = match event.access {
            Access::Read => format!("cannot use this place, because it is {mutably}borrowed by `{name}`"),
            Access::Write => format!("cannot assign to this place, because it is borrowed by `{name}`"),
            Access::Lend { mutable: true } => {
                format!("cannot borrow this place as mutable, because it is already borrowed by `{name}`")
            }
            Access::Lend { mutable: false } => {
                format!("cannot borrow this place, because it is {mutably}borrowed by `{name}`")
            }
        };
        let mut diag = Diag::new(Code::V206, event.loc, message).label(def.loc, "the borrow is here");
        if let Some(later) = later {
            diag = diag.label(later, format!("`{name}` is used again here"));
        }
        Some(diag.help(format!("do it through `{name}`, or after its last use")))
    }

    /// Whether a node uses up an iterator that may have been used up before, since it became the variable's.
    fn used_twice(&self, node: usize) -> Option<Diag> {
        let (iterator, loc) = self.nodes[node].used_up?;
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = self.nodes[node].before.clone();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) || self.nodes[at].kept == Some(iterator) {
                continue;
            }
            if let Some((_, first)) = self.nodes[at].used_up.filter(|(other, _)| *other == iterator) {
                let name = &self.body.iterators[iterator];
                let diag =
                    Diag::new(Code::V209, loc, format!("the iterator `{name}` is used again, but it is used up"));
                let (label, help) = match at == node {
                    true => ("a round before uses it up".to_owned(), "make the iterator in the loop".to_owned()),
                    false => (format!("`{name}` is used up here"), format!("write `{name}.clone()` there")),
                };
                return Some(diag.label(first, label).help(help));
            }
            todo.extend(&self.nodes[at].before);
        }
        None
    }

    /// The nodes after which one of these comes, back to where something is made.
    fn live(&self, used: &[usize], makes: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut todo = used.to_vec();
        let mut live = vec![false; self.nodes.len()];
        while let Some(node) = todo.pop() {
            for &before in &self.nodes[node].before {
                if !std::mem::replace(&mut live[before], true) && !makes(before) {
                    todo.push(before);
                }
            }
        }
        live
    }

    /// The first access of what a closure changes between where it is made and a call of it.
    fn beside_closure(&self, closure: usize, wrong: &mut BTreeSet<usize>) -> Option<Diag> {
        let def = &self.body.closures[closure];
        if def.changes.is_empty() {
            return None;
        }
        let is = |node: usize, moment| self.nodes[node].closure == Some((closure, moment));
        let called: Vec<usize> = (0..self.nodes.len()).filter(|&node| is(node, Moment::Called)).collect();
        let live = self.live(&called, |node| is(node, Moment::Made));
        let disagrees = |&node: &usize| {
            let Node { event: Some(event), inside, .. } = &self.nodes[node] else { return false };
            let within = inside.contains(&closure);
            live[node] && !within && def.changes.iter().any(|place| overlap(&event.place, place))
        };
        let node = (0..self.nodes.len()).find(disagrees).filter(|&node| wrong.insert(node))?;
        let event = self.nodes[node].event.as_ref()?;
        let name = &def.name;
        let what = match event.access {
            Access::Read => "use",
            Access::Write => "assign to",
            Access::Lend { .. } => "borrow",
        };
        let message = format!("cannot {what} this place, because the closure `{name}` changes it and is called again");
        let diag = Diag::new(Code::V206, event.loc, message).label(def.loc, format!("`{name}` is made here"));
        Some(diag.help(format!("do it after the last call of `{name}`, or give `{name}` a `&mut` parameter")))
    }

    /// For each function that can be used once, the first use that another one leads to.
    fn second_calls(&self) -> Vec<Diag> {
        let mut wrong = BTreeSet::new();
        let mut diags = Vec::new();
        for second in &self.calls {
            let mut todo = vec![second.node];
            let mut seen = vec![false; self.nodes.len()];
            while let Some(node) = todo.pop() {
                todo.extend(
                    self.nodes[node].before.iter().filter(|&&before| !std::mem::replace(&mut seen[before], true)),
                );
            }
            let first = self.calls.iter().find(|first| first.function == second.function && seen[first.node]);
            let Some(first) = first.filter(|_| wrong.insert(second.function)) else { continue };
            let name = &second.name;
            let (message, label) = match first.node == second.node {
                true => (format!("`{name}` is used in each round of a loop"), None),
                false => (format!("`{name}` is used a second time"), Some((first.loc, "the first time is here"))),
            };
            let mut diag = Diag::new(Code::V206, second.loc, format!("{message}, but an `FnOnce` can be used once"));
            if let Some((loc, label)) = label {
                diag = diag.label(loc, label);
            }
            diags.push(diag.help(format!("declare it as `mut {name}: impl FnMut(…)`")));
        }
        diags
    }

    /// Whether one reference is another one, or was made of it.
    fn is_through(&self, mut reference: Option<LoanId>, of: LoanId) -> bool {
        while let Some(one) = reference {
            if one == of {
                return true;
            }
            reference = self.body.loans[one].from;
        }
        false
    }

    /// What comes after all tips.
    fn node(&mut self, event: Option<Event>) -> usize {
        let (before, inside) = (std::mem::take(&mut self.tips), self.inside.clone());
        self.nodes.push(Node { before, event, inside, ..Node::default() });
        let node = self.nodes.len() - 1;
        self.tips.push(node);
        node
    }

    /// Where a closure is made or called.
    fn moment(&mut self, closure: usize, moment: Moment) {
        let node = self.node(None);
        self.nodes[node].closure = Some((closure, moment));
    }

    fn access(&mut self, place: &Place, access: Access, through: Option<LoanId>, loc: Loc) {
        let known = match place {
            Place::Local { local, .. } => self.lent.contains(local),
            Place::Memory { .. } => true,
            Place::Ignored | Place::Error => false,
        };
        if known {
            self.node(Some(Event { place: place.clone(), access, through, made: None, loc }));
        }
    }

    /// An access of a place by an expression, of whose places it has this number.
    fn place(&mut self, place: &Place, access: Access, (id, number): (ExprId, usize)) {
        match place {
            Place::Memory { path, .. } => {
                for step in path {
                    if let Step::Index(index, _) | Step::Slice { begin: index, .. } = step {
                        self.expr(*index);
                    }
                }
            }
            Place::Local { lane: Some(lane), .. } => lane.indices().for_each(|index| self.expr(index)),
            Place::Local { .. } | Place::Ignored | Place::Error => {}
        }
        let through = self.body.through.get(&(id, number)).copied();
        self.access(place, access, through, self.body.exprs[id].loc);
    }

    fn block(&mut self, block: &Block) {
        self.stmts(&block.stmts);
        self.all(block.tail.as_slice());
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Expr(value) | Stmt::Let(_, value) | Stmt::Store { value, .. } | Stmt::Destructure(_, value) => {
                    self.expr(*value);
                }
                Stmt::Array { init, .. } => self.init(init),
                Stmt::Borrow(Borrowed { place, mutable, through, made, loc }) => {
                    let access = Access::Lend { mutable: *mutable };
                    let event = Event { place: place.clone(), access, through: *through, made: *made, loc: *loc };
                    self.node(Some(event));
                }
                Stmt::LetElse(_, value, otherwise) => {
                    self.expr(*value);
                    self.perhaps(|this| this.block(otherwise));
                }
                Stmt::Kept(iterator) => {
                    let node = self.node(None);
                    self.nodes[node].kept = Some(*iterator);
                }
                Stmt::UsedUp(iterator, loc) => {
                    let node = self.node(None);
                    self.nodes[node].used_up = Some((*iterator, *loc));
                }
                Stmt::Called(Called { function, name, loc }) => {
                    let node = self.node(None);
                    self.calls.push(Call { function: *function, name: name.clone(), loc: *loc, node });
                }
                Stmt::Made(closure) => self.moment(*closure, Moment::Made),
                Stmt::Declare(_) | Stmt::Used(..) => {}
            }
        }
    }

    fn init(&mut self, init: &ArrayInit) {
        match init {
            ArrayInit::Value(value) => self.expr(*value),
            ArrayInit::Repeat(inner, _) => self.init(inner),
            ArrayInit::List(list) => list.iter().for_each(|init| self.init(init)),
        }
    }

    fn all(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|&expr| self.expr(expr));
    }

    /// What may be skipped.
    fn perhaps(&mut self, walk: impl FnOnce(&mut Self)) {
        let skipped = self.tips.clone();
        walk(self);
        self.tips.extend(skipped);
    }

    /// What a `break` leaves; `repeats` if its end leads to its head.
    fn framed(&mut self, id: LoopId, repeats: bool, walk: impl FnOnce(&mut Self)) {
        let head = self.node(None);
        self.frames.push(Frame { id, head, left: Vec::new() });
        walk(self);
        let Some(Frame { left, .. }) = self.frames.pop() else { return };
        if repeats {
            let back = std::mem::take(&mut self.tips);
            self.nodes[head].before.extend(back);
        }
        self.tips.extend(left);
    }

    /// A jump behind a loop, or to its head.
    fn jump(&mut self, id: LoopId, on: bool) {
        let tips = std::mem::take(&mut self.tips);
        let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.id == id) else { return };
        if on {
            let head = frame.head;
            self.nodes[head].before.extend(tips);
        } else {
            frame.left.extend(tips);
        }
    }

    /// A condition, after which the current place is where it holds. Gives where it does not.
    fn condition(&mut self, id: ExprId) -> Vec<usize> {
        match self.body.exprs[id].kind {
            ExprKind::And(a, b) => {
                let mut fails = self.condition(a);
                fails.extend(self.condition(b));
                fails
            }
            _ => {
                self.expr(id);
                self.tips.clone()
            }
        }
    }

    /// The read of a local, or of the part of it that fields lead to.
    fn read(&mut self, id: ExprId) {
        let body = self.body;
        let (mut at, mut path) = (id, Vec::new());
        while let ExprKind::Field(base, field) = body.exprs[at].kind {
            path.push(field);
            at = base;
        }
        match &body.exprs[at].kind {
            ExprKind::Local(local) => {
                path.reverse();
                let place = Place::Local { local: *local, path, lane: None };
                self.access(&place, Access::Read, body.through.get(&(at, 0)).copied(), body.exprs[id].loc);
            }
            _ => self.expr(at),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        match &body.exprs[id].kind {
            ExprKind::Error | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) | ExprKind::Ids => {}
            ExprKind::Builtin(_)
            | ExprKind::Len(_)
            | ExprKind::ArrayLen(_)
            | ExprKind::Default
            | ExprKind::Barrier
            | ExprKind::Fence(..) => {}
            ExprKind::Local(_) | ExprKind::Field(..) => self.read(id),
            ExprKind::Op(_, args) | ExprKind::Approx(_, args) | ExprKind::Pair(_, _, args) => self.all(args),
            ExprKind::Tuple(args) | ExprKind::Array(args) | ExprKind::Subgroup(_, args) => self.all(args),
            ExprKind::Vector(_, args) | ExprKind::Message(_, args) => self.all(args),
            ExprKind::SelectLanes(args) => self.all(args),
            ExprKind::Number(_, args) | ExprKind::Matrix(_, args) | ExprKind::Variant(_, args) => self.all(args),
            ExprKind::When(a, b) | ExprKind::Same(a, b) => self.all(&[*a, *b]),
            ExprKind::Behind(value) => self.expr(*value),
            ExprKind::OfBytes(value, _) => self.expr(*value),
            ExprKind::LaneAt(vector, index) | ExprKind::ColumnAt(vector, index) => self.all(&[*index, *vector]),
            ExprKind::Lanes(value) | ExprKind::CastLanes(value) => self.expr(*value),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(*a);
                self.perhaps(|this| this.expr(*b));
            }
            ExprKind::Struct(fields, base) => {
                fields.iter().for_each(|(_, value)| self.expr(*value));
                self.all(base.as_slice());
            }
            ExprKind::Repeat(value, _) | ExprKind::Lane(value, _) => self.expr(*value),
            ExprKind::Swizzle(value, _) | ExprKind::Splat(value) => self.expr(*value),
            ExprKind::Load(place) | ExprKind::Broadcast(place) => self.place(place, Access::Read, (id, 0)),
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
                self.expr(*value);
                self.place(place, Access::Write, (id, 0));
            }
            ExprKind::AssignParts(places, value) => {
                self.expr(*value);
                (0..).zip(places).for_each(|(number, (place, _))| self.place(place, Access::Write, (id, number)));
            }
            // An atomic is changed through a shared reference.
            ExprKind::Atomic(_, _, place, args, _) => {
                self.place(place, Access::Read, (id, 0));
                self.all(args);
            }
            ExprKind::Let(_, value) => self.expr(*value),
            ExprKind::Block(block) | ExprKind::Unsafe(block) => self.block(block),
            ExprKind::Labelled(label, block) => self.framed(*label, false, |this| this.block(block)),
            ExprKind::Call(call, stmts, block) => {
                self.stmts(stmts);
                let closure = body.bodies.get(call).copied();
                if let Some(closure) = closure {
                    self.moment(closure, Moment::Called);
                    self.inside.push(closure);
                }
                self.framed(*call, false, |this| this.block(block));
                if closure.is_some() {
                    self.inside.pop();
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                let fork = self.condition(*condition);
                self.block(then);
                let then = std::mem::replace(&mut self.tips, fork);
                self.all(otherwise.as_slice());
                self.tips.extend(then);
            }
            ExprKind::Match(selector, arms) => {
                self.expr(*selector);
                let mut after = Vec::new();
                for arm in arms {
                    let mut others = self.tips.clone();
                    if let Some(guard) = arm.guard {
                        others.extend(self.condition(guard));
                    }
                    self.expr(arm.body);
                    after.extend(std::mem::replace(&mut self.tips, others));
                }
                self.tips = after;
            }
            ExprKind::Loop(id, block) => self.framed(*id, true, |this| this.block(block)),
            ExprKind::While(id, condition, block) => self.framed(*id, true, |this| {
                let fails = this.condition(*condition);
                let fork = std::mem::replace(&mut this.tips, fails);
                this.jump(*id, false);
                this.tips = fork;
                this.block(block);
            }),
            ExprKind::For { id, start, end, step, body, .. } => {
                self.all(&[*start, *end]);
                self.all(step.as_slice());
                self.framed(*id, true, |this| {
                    let fork = this.tips.clone();
                    this.jump(*id, false);
                    this.tips = fork;
                    this.block(body);
                });
            }
            ExprKind::Break(id, value) => {
                self.all(value.as_slice());
                self.jump(*id, false);
            }
            ExprKind::Continue(id) => self.jump(*id, true),
            ExprKind::Return(value) => {
                self.all(value.as_slice());
                self.tips.clear();
            }
        }
    }
}
