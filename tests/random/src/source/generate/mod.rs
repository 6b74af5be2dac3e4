//! Making random programs: types, statements, patterns and places.

mod values;

use super::{Asked, Ex, Helper, INPUT, OUTPUT, Param, Pat, Place, Program, St, Step, Ty, Val, Var};
use crate::Random;

/// A variable that is in scope.
#[derive(Clone)]
struct Known {
    var: Var,
    ty: Ty,
    /// Whether it may be assigned, as long as nobody has borrowed it.
    mutable: bool,
}

struct Make<'r> {
    random: &'r mut Random,
    scope: Vec<Known>,
    next: Var,
    labels: u32,
    /// The helpers that may be called.
    helpers: Vec<Helper>,
    /// Parts of arrays that are parameters, and whether they are mutable.
    slices: Vec<(Var, bool)>,
    /// Variables that must not be named at all, and those that must not be changed.
    hidden: Vec<Var>,
    frozen: Vec<Var>,
    /// Whether expressions may change variables.
    pure: bool,
    /// Whether there is an input: in the kernel.
    is_kernel: bool,
    /// How many loops are around.
    loops: usize,
    /// How many statements may still be made.
    left: usize,
}

const SCALARS: [Ty; 5] = [Ty::U32, Ty::I32, Ty::Bool, Ty::F32, Ty::Way];

pub(super) fn program(random: &mut Random) -> Program {
    let mut make = Make {
        random,
        scope: Vec::new(),
        next: 0,
        labels: 0,
        helpers: Vec::new(),
        slices: Vec::new(),
        hidden: Vec::new(),
        frozen: Vec::new(),
        pure: false,
        is_kernel: false,
        loops: 0,
        left: 0,
    };
    for _ in 0..make.random.below(3) {
        let helper = make.helper();
        make.helpers.push(helper);
    }
    make.is_kernel = true;
    (make.scope, make.left) = (Vec::new(), 30);
    // One of each that others are about.
    let array = Ty::Array(Box::new(Ty::U32), 2 + make.random.below(4));
    let first = [Ty::U32, Ty::I32, array, Ty::Pair];
    let mut body: Vec<St> = first.into_iter().map(|ty| make.read(ty)).collect();
    let count = 4 + make.random.below(6);
    body.extend(make.body(count, true));
    let mut shown = Vec::new();
    let mut leaves = 0;
    for Known { var, ty, .. } in make.scope.clone() {
        leaves += width(&ty);
        if leaves > OUTPUT {
            break;
        }
        shown.push((var, ty));
    }
    Program { helpers: make.helpers, body, shown }
}

/// The scalars of a type.
fn width(ty: &Ty) -> usize {
    if let Ty::Option(of) = ty {
        return 1 + width(of);
    }
    match ty.parts().as_slice() {
        [] => 1,
        parts => parts.iter().map(width).sum(),
    }
}

impl Make<'_> {
    fn var(&mut self) -> Var {
        self.next += 1;
        self.next
    }

    fn known(&mut self, ty: Ty, mutable: bool) -> Var {
        let var = self.var();
        self.scope.push(Known { var, ty, mutable });
        var
    }

    /// Makes something in a scope of its own.
    fn scoped<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.scope.len();
        let made = make(self);
        self.scope.truncate(scope);
        made
    }

    fn with_pure<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.pure, true);
        let made = make(self);
        self.pure = before;
        made
    }

    fn with_hidden<T>(&mut self, var: Var, make: impl FnOnce(&mut Self) -> T) -> T {
        self.hidden.push(var);
        let made = make(self);
        self.hidden.pop();
        made
    }

    /// Makes something that may read a variable and not change it, such as what is on the right of its own `+=`.
    fn with_frozen<T>(&mut self, var: Var, make: impl FnOnce(&mut Self) -> T) -> T {
        self.frozen.push(var);
        let made = make(self);
        self.frozen.pop();
        made
    }

    /// A type, or one like it in a helper: those are linked with nothing, so they name no struct and no enum.
    fn here(&self, ty: Ty) -> Ty {
        match ty {
            ty if self.is_kernel => ty,
            Ty::Pair => Ty::Tuple(super::pair()),
            Ty::Way => Ty::U32,
            Ty::Tuple(parts) => Ty::Tuple(parts.into_iter().map(|part| self.here(part)).collect()),
            Ty::Array(element, len) if *element == Ty::Pair => Ty::Array(Box::new(Ty::I32), len),
            Ty::Array(element, len) => Ty::Array(Box::new(self.here(*element)), len),
            Ty::Option(of) if *of == Ty::Pair => Ty::Option(Box::new(Ty::I32)),
            Ty::Option(of) => Ty::Option(Box::new(self.here(*of))),
            ty => ty,
        }
    }

    fn one_type<const N: usize>(&mut self, list: [Ty; N]) -> Ty {
        let ty = self.random.one_of(list);
        self.here(ty)
    }

    fn ty(&mut self, depth: usize) -> Ty {
        let ty = self.any_type(depth);
        self.here(ty)
    }

    fn any_type(&mut self, depth: usize) -> Ty {
        match self.random.below(if depth == 0 { 6 } else { 13 }) {
            0 | 1 => Ty::U32,
            2 => Ty::I32,
            3 => Ty::Bool,
            4 => Ty::F32,
            5 => Ty::Way,
            6 => Ty::Pair,
            7 => Ty::Array(Box::new(Ty::U32), 1 + self.random.below(5)),
            8 => {
                let element = self.random.one_of([Ty::I32, Ty::Pair, Ty::Way, Ty::Bool]);
                Ty::Array(Box::new(element), 1 + self.random.below(3))
            }
            9 => Ty::Matrix,
            10 | 11 => Ty::Option(Box::new(self.random.one_of([Ty::U32, Ty::U32, Ty::I32, Ty::Pair, Ty::Way]))),
            _ => {
                let count = 1 + self.random.below(3);
                Ty::Tuple((0..count).map(|_| self.any_type(depth - 1)).collect())
            }
        }
    }

    fn helper(&mut self) -> Helper {
        self.scope.clear();
        self.slices.clear();
        self.left = 6;
        let mut params = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let ty = self.ty(1);
            params.push((self.known(ty.clone(), true), Param::Value(ty)));
        }
        if self.random.chance(60) {
            let mutable = self.random.chance(50);
            let var = self.var();
            self.slices.push((var, mutable));
            params.push((var, Param::Part(mutable)));
        }
        let result = self.ty(1);
        let count = 1 + self.random.below(3);
        let body = self.body(count, true);
        let early = (self.ex(&Ty::Bool, 2), self.ex(&result, 2));
        let tried = matches!(result, Ty::Option(_)).then(|| {
            let of = self.one_type([Ty::U32, Ty::I32, Ty::Bool]);
            let value = self.ex(&Ty::Option(Box::new(of.clone())), 2);
            (self.known(of, false), value)
        });
        let value = self.ex(&result, 2);
        self.slices.clear();
        Helper { params, result, body, early, tried, value }
    }

    /// A variable that depends on what the kernel reads.
    fn read(&mut self, ty: Ty) -> St {
        let value = self.read_value(&ty);
        St::Let(self.known(ty.clone(), true), false, ty, value)
    }

    fn read_value(&mut self, ty: &Ty) -> Ex {
        let word = Ex::Input(Box::new(Ex::Lit(Val::U(self.random.below(INPUT) as u32))));
        match ty {
            Ty::U32 => word,
            Ty::I32 => Ex::Cast(Box::new(word), Ty::I32),
            Ty::Pair => Ex::Pair(ty.parts().iter().map(|part| self.read_value(part)).collect()),
            _ => Ex::Array(ty.parts().iter().map(|part| self.read_value(part)).collect()),
        }
    }

    /// `let mut v = …`
    fn declare(&mut self, ty: Ty) -> St {
        let value = self.ex(&ty, 2);
        let annotated = self.random.chance(30);
        St::Let(self.known(ty.clone(), true), annotated, ty, value)
    }

    /// Statements; those of the outermost body leave their variables in scope.
    fn body(&mut self, count: usize, outermost: bool) -> Vec<St> {
        let scope = self.scope.len();
        let mut body = Vec::new();
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            body.push(self.statement());
        }
        if !outermost {
            self.scope.truncate(scope);
        }
        body
    }

    fn inner(&mut self) -> Vec<St> {
        let count = 1 + self.random.below(3);
        self.body(count, false)
    }

    fn in_loop(&mut self) -> Vec<St> {
        self.loops += 1;
        let mut body = self.inner();
        if self.random.chance(40) {
            let condition = self.ex(&Ty::Bool, 2);
            body.insert(self.random.below(body.len() + 1), St::Jump(self.random.chance(50), condition));
        }
        self.loops -= 1;
        body
    }

    fn statement(&mut self) -> St {
        match self.random.below(19) {
            17 => match self.mutable(Some(&Ty::Pair)) {
                Some((to, _)) => {
                    let value = self.with_frozen(to.var, |this| this.ex(&Ty::Pair, 2));
                    St::OpAssign("+", to, value)
                }
                None => self.declare(Ty::Matrix),
            },
            18 => match self.mutable(Some(&Ty::Matrix)) {
                Some((to, _)) => {
                    let op = self.random.one_of(["+", "-", "*"]);
                    let value = self.with_frozen(to.var, |this| this.ex(&Ty::Matrix, 2));
                    St::OpAssign(op, to, value)
                }
                None => self.declare(Ty::Option(Box::new(Ty::U32))),
            },
            0 | 1 => {
                let ty = self.ty(2);
                self.declare(ty)
            }
            2 => {
                let ty = self.one_type([Ty::Pair, Ty::Tuple(vec![Ty::U32, Ty::Way]), Ty::Array(Box::new(Ty::U32), 3)]);
                let value = self.ex(&ty, 2);
                St::Bind(self.pattern(&ty, true, 2), value)
            }
            3 => {
                let ty = self.ty(1);
                let (condition, a, b) = (self.ex(&Ty::Bool, 2), self.ex(&ty, 2), self.ex(&ty, 2));
                St::Later(self.known(ty.clone(), true), ty, condition, a, b)
            }
            4 | 5 => match self.mutable(None) {
                Some((to, ty)) => St::Assign(to, self.ex(&ty, 2)),
                None => self.declare(Ty::U32),
            },
            6 | 7 => match self.mutable(Some(&Ty::U32)) {
                Some((to, _)) => {
                    let op = self.random.one_of(["+", "-", "*", "^", "|", "&", "/", "%"]);
                    St::OpAssign(op, to, self.ex(&Ty::U32, 2))
                }
                None => self.declare(Ty::U32),
            },
            8 if self.random.chance(30) => self.held(),
            8 if self.random.chance(30) => self.fields(),
            8 if self.random.chance(30) => self.elements(),
            8 => match self.mutable(Some(&Ty::U32)) {
                Some((to, _)) => {
                    let root = to.var;
                    let value = self.with_hidden(root, |this| this.with_pure(|this| this.ex(&Ty::U32, 2)));
                    St::Through(self.var(), to, self.random.one_of(["+", "^"]), value)
                }
                None => self.declare(Ty::I32),
            },
            9 => {
                let condition = self.ex(&Ty::Bool, 2);
                let (then, otherwise) = (self.inner(), self.inner());
                St::If(condition, then, otherwise)
            }
            10 if self.loops < 2 => {
                let from = Ex::Lit(Val::U(self.random.below(4) as u32));
                let to = match self.random.chance(50) {
                    true => Ex::Lit(Val::U(self.random.below(7) as u32)),
                    false => Ex::Binary("%", Box::new(self.ex(&Ty::U32, 2)), Box::new(Ex::Lit(Val::U(6)))),
                };
                let (rev, step) = (self.random.chance(30), self.random.one_of([1, 1, 2, 3]));
                self.scoped(|this| {
                    let var = this.known(Ty::U32, false);
                    St::For(var, from, to, rev, step, this.in_loop())
                })
            }
            11 if self.loops < 2 => match self.array() {
                Some(over) => self.scoped(|this| {
                    let (i, var) = (this.known(Ty::U32, false), this.known(Ty::U32, false));
                    this.frozen.push(over.var);
                    let body = this.in_loop();
                    this.frozen.pop();
                    St::Each(i, var, over, body)
                }),
                None => self.declare(Ty::U32),
            },
            12 => match self.array_to_change() {
                Some(over) => {
                    let root = over.var;
                    let var = self.var();
                    let value = self.with_hidden(root, |this| this.with_pure(|this| this.ex(&Ty::U32, 2)));
                    St::EachMut(var, over, value)
                }
                None => self.declare(Ty::U32),
            },
            13 if self.loops < 2 => {
                let rounds = self.random.below(5) as u32;
                self.scoped(|this| {
                    let var = this.known(Ty::U32, false);
                    St::While(var, rounds, this.in_loop())
                })
            }
            14 => {
                let ty = self.one_type([
                    Ty::Tuple(vec![Ty::U32, Ty::Bool]),
                    Ty::Pair,
                    Ty::Way,
                    Ty::Option(Box::new(Ty::U32)),
                    Ty::Array(Box::new(Ty::U32), 3),
                ]);
                let value = self.ex(&ty, 2);
                self.labels += 1;
                let label = self.labels;
                self.scoped(|this| {
                    let pat = this.pattern(&ty, false, 2);
                    let leave = this.ex(&Ty::Bool, 2);
                    // A jump here would leave a loop out of a labelled block, as it may.
                    St::Labelled(label, pat, value, leave, this.inner())
                })
            }
            15 => {
                let ty = self.ty(2);
                let value = self.ex(&ty, 2);
                let arms = self.arms(&ty, Self::inner);
                St::Match(value, arms)
            }
            _ => {
                let ty = self.ty(1);
                St::Expr(self.called(&ty, 2).unwrap_or_else(|| Ex::Block(Vec::new(), Box::new(Ex::Lit(Val::U(1))))))
            }
        }
    }

    /// The arms of a match, of which the last one takes all that is left.
    fn arms<T>(&mut self, ty: &Ty, make: impl Fn(&mut Self) -> T) -> Vec<(Pat, Option<Ex>, T)> {
        let mut arms = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            arms.push(self.scoped(|this| {
                let pat = this.pattern(ty, false, 2);
                let guard = this.random.chance(30).then(|| this.with_pure(|this| this.ex(&Ty::Bool, 2)));
                let made = make(this);
                (pat, guard, made)
            }));
        }
        // The last one always fits, as rustc has to see.
        arms.push(self.scoped(|this| {
            let pat = if this.random.chance(50) { Pat::Any } else { this.pattern(ty, true, 1) };
            let made = make(this);
            (pat, None, made)
        }));
        arms
    }

    /// A pattern whose names come into scope; one that always fits, if asked.
    fn pattern(&mut self, ty: &Ty, always: bool, depth: usize) -> Pat {
        if self.random.chance(20) {
            return Pat::Any;
        }
        if depth == 0 || self.random.chance(25) {
            return Pat::Bind(self.known(ty.clone(), false));
        }
        let all = |this: &mut Self, parts: Vec<Ty>| -> Vec<Pat> {
            parts.iter().map(|part| this.pattern(part, always, depth - 1)).collect()
        };
        match ty {
            Ty::Tuple(parts) => Pat::Tuple(all(self, parts.clone())),
            Ty::Pair => Pat::Pair(all(self, super::pair())),
            Ty::Array(element, len) => {
                if self.random.chance(50) {
                    return Pat::Array(all(self, vec![(**element).clone(); *len]), None);
                }
                let first = self.random.below(*len + 1);
                let last = self.random.below(*len - first + 1);
                let first = all(self, vec![(**element).clone(); first]);
                Pat::Array(first, Some(all(self, vec![(**element).clone(); last])))
            }
            _ if always => Pat::Bind(self.known(ty.clone(), false)),
            Ty::Option(_) if self.random.chance(30) => Pat::None,
            Ty::Option(of) => Pat::Some(Box::new(self.pattern(of, false, depth - 1))),
            Ty::Way if self.random.chance(30) => Pat::Or(vec![Pat::Way(0), Pat::Way(2)]),
            Ty::Way => Pat::Way(self.random.below(3)),
            Ty::Bool => Pat::Lit(Val::B(self.random.chance(50))),
            Ty::U32 | Ty::I32 => {
                let number = |n: i32| if *ty == Ty::U32 { Val::U(n as u32) } else { Val::I(n) };
                let low = self.random.below(6) as i32;
                let pat = match self.random.below(3) {
                    0 => Pat::Lit(number(low)),
                    1 => Pat::Range(number(low), number(low + 1 + self.random.below(90) as i32)),
                    _ => Pat::Or(vec![Pat::Lit(number(low)), Pat::Range(number(low + 2), number(low + 900))]),
                };
                if self.random.chance(30) { Pat::At(self.known(ty.clone(), false), Box::new(pat)) } else { pat }
            }
            _ => Pat::Bind(self.known(ty.clone(), false)),
        }
    }

    /// The variables that may be read.
    fn readable(&self) -> Vec<Known> {
        self.scope.iter().filter(|known| !self.hidden.contains(&known.var)).cloned().collect()
    }

    /// A place of a type in one of these variables.
    fn place(&mut self, of: &[Known], wanted: Option<&Ty>) -> Option<(Place, Ty)> {
        for _ in 0..6 {
            let known = self.random.pick(of)?.clone();
            let mut place = Place { var: known.var, path: Vec::new() };
            let mut ty = known.ty;
            loop {
                let fits = wanted.is_none_or(|wanted| *wanted == ty);
                if fits && (self.random.chance(60) || ty.parts().is_empty()) {
                    return Some((place, ty));
                }
                let parts = ty.parts();
                if parts.is_empty() {
                    break;
                }
                let at = self.random.below(parts.len());
                place.path.push(match &ty {
                    Ty::Tuple(_) => Step::Field(at),
                    Ty::Pair => Step::Named(at),
                    Ty::Matrix => Step::Lane(at),
                    _ => {
                        // A known index is within the array: rustc and the language refuse others.
                        let index = match self.random.chance(60) {
                            true => Ex::Lit(Val::U(at as u32)),
                            false => self.with_pure(|this| this.index()),
                        };
                        Step::Index(Box::new(index), parts[at].clone())
                    }
                });
                ty = parts[at].clone();
            }
        }
        None
    }

    /// An index that no compiler knows: mostly a small one.
    fn index(&mut self) -> Ex {
        if !self.is_kernel {
            return Ex::Lit(Val::U(0));
        }
        // A number that follows from the source may be refused as an index.
        let number = Ex::Input(Box::new(Ex::Lit(Val::U(self.random.below(INPUT) as u32))));
        Ex::Binary("%", Box::new(number), Box::new(Ex::Lit(Val::U(self.random.one_of([2, 3, 4, 7])))))
    }

    /// A place that may be changed.
    fn mutable(&mut self, wanted: Option<&Ty>) -> Option<(Place, Ty)> {
        if self.pure {
            return None;
        }
        let of: Vec<Known> =
            self.readable().into_iter().filter(|known| known.mutable && !self.frozen.contains(&known.var)).collect();
        self.place(&of, wanted)
    }

    /// What an `Option` in a variable holds, changed by a pattern.
    fn held(&mut self) -> St {
        let option = Ty::Option(Box::new(Ty::U32));
        match self.mutable(Some(&option)) {
            Some((to, _)) => {
                let root = to.var;
                let value = self.with_hidden(root, |this| this.with_pure(|this| this.ex(&Ty::U32, 2)));
                self.labels += 1;
                let least = self.random.bits() as u32;
                let (guarded, label) = (Asked::Guarded(least), Asked::LetElse(self.labels));
                let asked = self.random.one_of([Asked::IfLet, Asked::Match, guarded, label, Asked::WhileLet]);
                St::Held(asked, self.var(), to, self.random.one_of(["+", "^", "*"]), value)
            }
            None => self.declare(option),
        }
    }

    /// Both fields of a `Pair`, changed by a pattern.
    fn fields(&mut self) -> St {
        match self.mutable(Some(&Ty::Pair)) {
            Some((to, _)) => {
                let root = to.var;
                let value = |this: &mut Self, ty| this.with_hidden(root, |this| this.with_pure(|this| this.ex(&ty, 2)));
                let values = [value(self, Ty::U32), value(self, Ty::I32)];
                St::Fields([self.var(), self.var()], to, self.random.one_of(["+", "^", "-"]), values)
            }
            None => self.declare(Ty::Pair),
        }
    }

    /// The ends of an array, changed by a pattern.
    fn elements(&mut self) -> St {
        let free = |known: &Known| known.mutable && is_array(&known.ty) && !self.frozen.contains(&known.var);
        let of: Vec<Known> = if self.pure { Vec::new() } else { self.readable().into_iter().filter(free).collect() };
        match self.random.pick(&of).map(|known| Place { var: known.var, path: Vec::new() }) {
            Some(to) => {
                let root = to.var;
                let value =
                    |this: &mut Self| this.with_hidden(root, |this| this.with_pure(|this| this.ex(&Ty::U32, 2)));
                let values = [value(self), value(self)];
                let op = self.random.one_of(["+", "^", "*"]);
                St::Elements(self.random.chance(50), [self.var(), self.var()], to, op, values)
            }
            None => self.declare(Ty::Array(Box::new(Ty::U32), 3)),
        }
    }

    /// An array of `u32` that is a variable, or a part of one that is a parameter.
    fn array(&mut self) -> Option<Place> {
        let slices = self.slices.iter().map(|(var, _)| *var).filter(|var| !self.hidden.contains(var));
        let arrays = self.readable().into_iter().filter(|known| is_array(&known.ty)).map(|known| known.var);
        let all: Vec<Var> = slices.chain(arrays).collect();
        self.random.pick(&all).map(|&var| Place { var, path: Vec::new() })
    }

    fn array_to_change(&mut self) -> Option<Place> {
        if self.pure {
            return None;
        }
        let is_free = |var: &Var| !self.hidden.contains(var) && !self.frozen.contains(var);
        let slices = self.slices.iter().filter(|(_, mutable)| *mutable).map(|(var, _)| *var).filter(is_free);
        let arrays = self.scope.iter().filter(|known| known.mutable && is_array(&known.ty)).map(|known| known.var);
        let all: Vec<Var> = slices.chain(arrays.filter(is_free)).collect();
        self.random.pick(&all).map(|&var| Place { var, path: Vec::new() })
    }
}

fn is_array(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(element, _) if **element == Ty::U32)
}
