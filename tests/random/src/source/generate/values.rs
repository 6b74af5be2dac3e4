//! Making the values of random programs: expressions of every type.

use super::{Make, SCALARS};
use crate::source::{Adapter, Arg, Consumer, Ex, INPUT, Param, Ty, Val};

impl Make<'_> {
    pub(super) fn literal(&mut self, ty: &Ty) -> Ex {
        let n = self.random.bits();
        Ex::Lit(match ty {
            Ty::U32 => Val::U(if self.random.chance(70) { n as u32 % 20 } else { n as u32 }),
            Ty::I32 => Val::I(if self.random.chance(70) { n as i32 % 20 } else { n as i32 }),
            Ty::Bool => Val::B(n.is_multiple_of(2)),
            Ty::F32 => Val::F((n as i32 % 1000) as f32 * 0.125),
            Ty::Way => Val::Way(n as usize % 3),
            Ty::Option(of) => return Ex::Some(Box::new(self.literal(of))),
            _ => return self.made(ty, 0),
        })
    }

    /// A value of its parts.
    pub(super) fn made(&mut self, ty: &Ty, depth: usize) -> Ex {
        let parts: Vec<Ex> = match ty {
            Ty::Array(element, len) if self.random.chance(40) => {
                return Ex::Repeat(Box::new(self.ex(&element.clone(), depth)), *len);
            }
            ty => ty.parts().iter().map(|part| self.ex(part, depth)).collect(),
        };
        match ty {
            Ty::Tuple(_) => Ex::Tuple(parts),
            Ty::Pair => Ex::Pair(parts),
            Ty::Matrix => Ex::Matrix(parts),
            _ => Ex::Array(parts),
        }
    }

    /// A value of an `Option`.
    pub(super) fn option(&mut self, of: &Ty, depth: usize) -> Ex {
        let boxed = |this: &mut Self, ty: &Ty| Box::new(this.ex(ty, depth));
        let whole = Ty::Option(Box::new(of.clone()));
        match self.random.below(6) {
            0 => Ex::None(of.clone()),
            1 | 2 if *of == Ty::U32 => {
                let checked = ["add", "sub", "mul", "div", "rem", "shl", "pow"];
                let method = match self.random.one_of(checked) {
                    "add" => "checked_add",
                    "sub" => "checked_sub",
                    "mul" => "checked_mul",
                    "div" => "checked_div",
                    "rem" => "checked_rem",
                    "shl" => "checked_shl",
                    _ => "checked_pow",
                };
                Ex::Method(method, boxed(self, of), vec![self.ex(of, depth)])
            }
            3 if depth > 0 => {
                let from = self.one_type([Ty::U32, Ty::I32]);
                let value = boxed(self, &Ty::Option(Box::new(from.clone())));
                self.with_pure(|this| {
                    this.scoped(|this| {
                        let var = this.known(from, false);
                        Ex::AndThen(value, var, boxed(this, &whole), of.clone())
                    })
                })
            }
            4 if depth > 0 => Ex::Method("or", boxed(self, &whole), vec![self.ex(&whole, depth)]),
            _ => Ex::Some(boxed(self, of)),
        }
    }

    pub(super) fn ex(&mut self, ty: &Ty, depth: usize) -> Ex {
        let of = self.readable();
        if depth == 0 || self.random.chance(35) {
            return match self.place(&of, Some(ty)) {
                Some((place, _)) => Ex::Read(place),
                None => self.literal(ty),
            };
        }
        let depth = depth - 1;
        let boxed = |this: &mut Self, ty: &Ty| Box::new(this.ex(ty, depth));
        match self.random.below(10) {
            0 => return Ex::If(boxed(self, &Ty::Bool), boxed(self, ty), boxed(self, ty)),
            1 => {
                let of = self.ty(1);
                let value = boxed(self, &of);
                let arms = self.arms(&of, |this| this.ex(ty, depth));
                return Ex::Match(value, arms);
            }
            2 => {
                let of = self.ty(1);
                let value = boxed(self, &of);
                let (pat, condition, then) = self.scoped(|this| {
                    let pat = this.pattern(&of, false, 2);
                    let condition = this.with_pure(|this| Box::new(this.ex(&Ty::Bool, depth)));
                    (pat, condition, Box::new(this.ex(ty, depth)))
                });
                return Ex::IfLet(pat, value, condition, then, boxed(self, ty));
            }
            3 if !self.pure && self.left > 2 => {
                let before = std::mem::replace(&mut self.loops, 2);
                let made = self.scoped(|this| {
                    let count = 1 + this.random.below(2);
                    let body = this.body(count, true);
                    Ex::Block(body, Box::new(this.ex(ty, depth)))
                });
                self.loops = before;
                return made;
            }
            4 => {
                if let Some(called) = self.called(ty, depth) {
                    return called;
                }
            }
            5 if !self.pure && self.left > 4 && self.loops < 2 => {
                let rounds = self.random.below(4) as u32;
                return self.scoped(|this| {
                    let counter = this.known(Ty::U32, false);
                    let before = std::mem::replace(&mut this.loops, 2);
                    let body = this.inner();
                    this.loops = before;
                    Ex::Loop(counter, rounds, body, Box::new(this.ex(ty, depth)))
                });
            }
            _ => {}
        }
        match ty {
            Ty::U32 => match self.random.below(15) {
                12 => {
                    let of = Ty::Option(Box::new(Ty::U32));
                    Ex::Method("unwrap_or", boxed(self, &of), vec![self.ex(ty, depth)])
                }
                13 => {
                    let of = self.one_type([Ty::U32, Ty::I32, Ty::Bool]);
                    let (value, otherwise) = (boxed(self, &Ty::Option(Box::new(of.clone()))), boxed(self, ty));
                    self.with_pure(|this| {
                        this.scoped(|this| {
                            let var = this.known(of, false);
                            Ex::MapOr(value, otherwise, var, boxed(this, ty))
                        })
                    })
                }
                14 if self.is_kernel => {
                    let of = self.random.one_of([Ty::Pair, Ty::Way]);
                    match self.random.below(3) {
                        0 => Ex::Method("measure", boxed(self, &of), Vec::new()),
                        1 => Ex::Method("twice", boxed(self, &of), Vec::new()),
                        _ => Ex::Measured(boxed(self, &of), boxed(self, &of)),
                    }
                }
                0..=3 => {
                    let op = self.random.one_of(["+", "-", "*", "/", "%", "^", "&", "|"]);
                    Ex::Binary(op, boxed(self, ty), boxed(self, ty))
                }
                4 => Ex::Binary(
                    self.random.one_of(["<<", ">>"]),
                    boxed(self, ty),
                    Box::new(Ex::Lit(Val::U(self.random.below(32) as u32))),
                ),
                5 => Ex::Unary("!", boxed(self, ty)),
                6 => {
                    let method = self.random.one_of(["min", "max", "rotate_left", "abs_diff", "saturating_sub"]);
                    Ex::Method(method, boxed(self, ty), vec![self.ex(ty, depth)])
                }
                7 => Ex::Method(
                    self.random.one_of(["count_ones", "leading_zeros", "swap_bytes"]),
                    boxed(self, ty),
                    Vec::new(),
                ),
                8 if self.is_kernel => {
                    let at = self.random.below(INPUT) as u32;
                    let index = if self.random.chance(60) { Ex::Lit(Val::U(at)) } else { self.index() };
                    Ex::Input(Box::new(index))
                }
                9 => {
                    let from = self.one_type([Ty::I32, Ty::Bool, Ty::F32, Ty::Way]);
                    Ex::Cast(boxed(self, &from), Ty::U32)
                }
                // While the closure is there, nothing that it may see is changed.
                10 => self.with_pure(|this| {
                    let (a, b) = (boxed(this, ty), boxed(this, ty));
                    this.scoped(|this| {
                        let var = this.known(Ty::U32, false);
                        Ex::Closure(var, boxed(this, ty), a, b)
                    })
                }),
                _ => self.iterated(&Ty::U32, depth),
            },
            Ty::I32 => match self.random.below(5) {
                0 | 1 => {
                    let op = self.random.one_of(["+", "-", "*", "/", "%", "^", "&"]);
                    Ex::Binary(op, boxed(self, ty), boxed(self, ty))
                }
                2 => Ex::Unary(self.random.one_of(["!", "-"]), boxed(self, ty)),
                3 => Ex::Method(self.random.one_of(["min", "rem_euclid"]), boxed(self, ty), vec![self.ex(ty, depth)]),
                _ => {
                    let from = self.random.one_of([Ty::U32, Ty::Bool, Ty::F32]);
                    Ex::Cast(boxed(self, &from), Ty::I32)
                }
            },
            Ty::Bool => match self.random.below(8) {
                5 => {
                    let of = self.ty(1);
                    let value = boxed(self, &of);
                    self.scoped(|this| {
                        let pat = this.pattern(&of, false, 2);
                        let guard = this.random.chance(40);
                        let guard = guard.then(|| this.with_pure(|this| boxed(this, &Ty::Bool)));
                        Ex::Matches(value, pat, guard)
                    })
                }
                6 => Ex::Method("is_some", boxed(self, &Ty::Option(Box::new(Ty::U32))), Vec::new()),
                7 => {
                    let of = self.one_type([Ty::Option(Box::new(Ty::U32)), Ty::Pair]);
                    Ex::Binary(self.random.one_of(["==", "!="]), boxed(self, &of), boxed(self, &of))
                }
                0 => Ex::Binary(self.random.one_of(["&&", "||", "^", "&", "|"]), boxed(self, ty), boxed(self, ty)),
                1 => Ex::Unary("!", boxed(self, ty)),
                2 => self.iterated(&Ty::Bool, depth),
                _ => {
                    let of = self.one_type(SCALARS);
                    let equal = matches!(of, Ty::Way);
                    let op = if equal {
                        self.random.one_of(["==", "!="])
                    } else {
                        self.random.one_of(["<", "<=", ">", ">=", "==", "!="])
                    };
                    Ex::Binary(op, boxed(self, &of), boxed(self, &of))
                }
            },
            Ty::F32 => match self.random.below(4) {
                0 | 1 => Ex::Binary(self.random.one_of(["+", "-", "*"]), boxed(self, ty), boxed(self, ty)),
                2 => Ex::Method(self.random.one_of(["min", "max"]), boxed(self, ty), vec![self.ex(ty, depth)]),
                _ => {
                    let from = self.random.one_of([Ty::U32, Ty::I32]);
                    Ex::Cast(boxed(self, &from), Ty::F32)
                }
            },
            Ty::Way => self.literal(ty),
            Ty::Option(of) => self.option(of, depth),
            Ty::Pair => match self.random.below(5) {
                0 => Ex::Binary("+", boxed(self, ty), boxed(self, ty)),
                1 => Ex::Binary("*", boxed(self, ty), boxed(self, &Ty::U32)),
                2 => Ex::Binary("*", boxed(self, &Ty::U32), boxed(self, ty)),
                3 => Ex::Unary("-", boxed(self, ty)),
                _ => self.made(ty, depth),
            },
            Ty::Matrix => match self.random.below(6) {
                0 | 1 => Ex::Binary(self.random.one_of(["+", "-", "*"]), boxed(self, ty), boxed(self, ty)),
                2 => Ex::Binary("*", boxed(self, ty), boxed(self, &Ty::F32)),
                3 => Ex::Binary("*", boxed(self, &Ty::F32), boxed(self, ty)),
                4 => match self.random.chance(50) {
                    true => Ex::Method("transpose", boxed(self, ty), Vec::new()),
                    false => Ex::Unary("-", boxed(self, ty)),
                },
                _ => self.made(ty, depth),
            },
            ty => self.made(ty, depth),
        }
    }

    /// What an iterator over some array gives: a number or a truth.
    pub(super) fn iterated(&mut self, ty: &Ty, depth: usize) -> Ex {
        let Some(over) = self.array() else { return self.literal(ty) };
        let mut adapters = Vec::new();
        let few = |this: &mut Self| this.random.below(4) as u32;
        if self.random.chance(30) {
            adapters.push(Adapter::Rev);
        }
        match self.random.below(5) {
            0 => adapters.push(Adapter::Skip(few(self))),
            1 => adapters.push(Adapter::Take(few(self))),
            2 => adapters.push(Adapter::StepBy(1 + few(self))),
            _ => {}
        }
        self.with_pure(|this| {
            let closure = |this: &mut Self, ty: &Ty| {
                this.scoped(|this| {
                    let var = this.known(Ty::U32, false);
                    (var, this.ex(ty, depth))
                })
            };
            if this.random.chance(40) {
                let (var, body) = closure(this, &Ty::U32);
                adapters.push(Adapter::Map(var, body));
            }
            if this.random.chance(30) {
                let (var, body) = closure(this, &Ty::Bool);
                adapters.push(Adapter::Filter(var, body));
            }
            let consumer = match (ty, this.random.below(3)) {
                (Ty::Bool, n) => {
                    let (var, body) = closure(this, &Ty::Bool);
                    if n == 0 { Consumer::Any(var, Box::new(body)) } else { Consumer::All(var, Box::new(body)) }
                }
                (_, 0) => Consumer::Sum,
                (_, 1) => Consumer::Count,
                _ => {
                    let first = Box::new(this.ex(&Ty::U32, depth));
                    this.scoped(|this| {
                        let (sum, var) = (this.known(Ty::U32, false), this.known(Ty::U32, false));
                        Consumer::Fold(first, sum, var, Box::new(this.ex(&Ty::U32, depth)))
                    })
                }
            };
            let is_count = matches!(consumer, Consumer::Count);
            let made = Ex::Iterate(over, adapters, consumer);
            // Elements are counted in `usize`.
            if is_count { Ex::Cast(Box::new(made), Ty::U32) } else { made }
        })
    }

    /// A call of a helper that gives this.
    pub(super) fn called(&mut self, ty: &Ty, depth: usize) -> Option<Ex> {
        if !self.is_kernel {
            return None;
        }
        let fitting: Vec<usize> = (0..self.helpers.len()).filter(|&i| self.helpers[i].result == *ty).collect();
        let helper = *self.random.pick(&fitting)?;
        let params = self.helpers[helper].params.clone();
        let mut args = Vec::new();
        let hidden = self.hidden.len();
        for (_, param) in &params {
            args.push(match param {
                Param::Value(ty) => Arg::Value(self.with_pure(|this| this.ex(ty, depth))),
                Param::Part(mutable) => {
                    let Some(place) = (if *mutable { self.array_to_change() } else { self.array() }) else {
                        self.hidden.truncate(hidden);
                        return None;
                    };
                    // While a part is lent, nothing else names the whole.
                    self.hidden.push(place.var);
                    let from = Ex::Lit(Val::U(self.random.below(2) as u32));
                    let to = if self.random.chance(50) {
                        Ex::Lit(Val::U(1))
                    } else {
                        Ex::Binary("+", Box::new(self.index()), Box::new(Ex::Lit(Val::U(1))))
                    };
                    Arg::Part(place, *mutable, from, to)
                }
            });
        }
        self.hidden.truncate(hidden);
        Some(Ex::Call(helper, args))
    }
}
