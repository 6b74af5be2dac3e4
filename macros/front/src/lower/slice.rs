//! Parts of arrays and buffers: `x[a..b]`.
//!
//! A part is a place: the whole, where the part begins, and how many elements it has. Both numbers are computed once,
//! where the range is written. The part ends where the whole ends, and is empty if its end is not behind its
//! start; so it is never larger than what is left of the whole, and an index within it cannot wrap.

use super::Lowerer;
use super::distance::{Product, distance};
use super::place::{Places, Target};
use crate::hir::{Block, ExprId, ExprKind, Place, Step, Stmt};
use crate::infer::Ty;
use crate::report::Refused;
use crate::types::integer;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;

/// A number of elements.
#[derive(Clone, Copy)]
enum Count {
    /// A known one.
    Known(u32),
    /// A variable that does not change.
    Value(ExprId),
}

/// The ends of a part, while its statements are made.
struct Ends {
    stmts: Vec<Stmt>,
    loc: Loc,
}

impl<'a> Lowerer<'a, '_> {
    /// The place that `x[a..b]` names.
    pub(super) fn slice(&mut self, index: &'a syn::ExprIndex, range: &'a syn::ExprRange) -> Target {
        let base = match self.place(&index.expr, Places::Loaded) {
            Some(base) => base,
            None => match self.undeclared(&index.expr) {
                Some(refused) => return refused,
                None => {
                    let value = self.expr(&index.expr);
                    let (ty, at) = (self.ty(value), self.body.exprs[value].loc);
                    match self.table(&self.shown(at), &ty, value, at) {
                        Some(memory) => Target::of(&memory),
                        None => {
                            range.start.iter().chain(&range.end).for_each(|end| _ = self.expr(end));
                            match ty {
                                Ty::Error => {}
                                Ty::Array(..) => {
                                    let help = "give the array a name with `let` first";
                                    self.unsupported(index, "a slice of this value", Some(help));
                                }
                                other => self.no_slice(&other, index),
                            }
                            return Target::REFUSED;
                        }
                    }
                }
            },
        };
        let ty = self.infer.resolve(&base.ty);
        if !matches!(ty, Ty::Array(..) | Ty::Slice(_)) {
            range.start.iter().chain(&range.end).for_each(|end| _ = self.expr(end));
            if ty != Ty::Error {
                self.no_slice(&ty, index);
            }
            return Target::REFUSED;
        }
        let base = Target { reference: false, slice: true, ty, ..base };
        match (&range.start, &range.end) {
            // `x[..]` is all of it.
            (None, None) => base,
            _ => self.part_of(base, range).unwrap_or(Target::REFUSED),
        }
    }

    fn no_slice(&mut self, ty: &Ty, index: &'a syn::ExprIndex) {
        let message = format!("cannot index into a value of type `{}`", self.infer.show(ty));
        let refused = Refused::new(Code::V301, message).help("only buffers and arrays have elements");
        self.reporter.refuse(index, refused);
    }

    /// How many elements an array, a slice or a part of one has.
    pub(super) fn len_of(&mut self, target: &Target, loc: Loc) -> ExprId {
        let Place::Memory { path, .. } = &target.place else { return self.error(loc) };
        let (ty, last) = (self.infer.resolve(&target.ty), path.last().cloned());
        let kind = match (last, ty.len(), &target.memory) {
            (Some(Step::Slice { begin, len, .. }), ..) => {
                let known = self.known_len(len);
                if let Some(len) = known {
                    ExprKind::ArrayLen(len)
                } else {
                    // What is computed for the part is computed where it begins.
                    ExprKind::Block(Block { stmts: vec![Stmt::Expr(begin)], tail: Some(len) })
                }
            }
            (_, Some(len), _) => ExprKind::ArrayLen(len),
            (_, None, Some(memory)) => ExprKind::Len(memory.root),
            (_, None, None) => ExprKind::Error,
        };
        let len = self.push(kind, Ty::Usize, loc);
        match self.looked_at(target, loc) {
            Some(looked) => self.push(ExprKind::Block(Block { stmts: vec![looked], tail: Some(len) }), Ty::Usize, loc),
            None => len,
        }
    }

    fn known_len(&self, len: ExprId) -> Option<u32> {
        match self.body.exprs[len].kind {
            ExprKind::ArrayLen(len) => Some(len),
            _ => None,
        }
    }

    /// A part of an array or slice.
    fn part_of(&mut self, base: Target, range: &'a syn::ExprRange) -> Option<Target> {
        let loc = self.loc(range);
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let mut ends = Ends { stmts: Vec::new(), loc };
        // The part of a part begins where that does, which is evaluated first.
        let (outer, whole) = self.within(&base, &mut ends);
        let begin = match &range.start {
            None => Some(Count::Known(0)),
            Some(start) => self.end_of(start, "begin", &mut ends),
        };
        let end = range.end.as_ref().map(|end| self.end_of(end, "end", &mut ends));
        let (begin, end) = (begin?, end.map_or(Some(None), |end| end.map(Some))?);
        self.in_range((begin, end, inclusive), whole, loc)?;
        let rest = self.rest(whole, begin, &mut ends);
        let apart = match (&range.start, &range.end) {
            (Some(start), Some(end)) => distance(start, end),
            _ => None,
        };
        let len = match (end, apart) {
            (None, _) => rest,
            (Some(Count::Known(end)), _) if matches!(begin, Count::Known(_)) => {
                let Count::Known(begin) = begin else { return None };
                let count = u64::from(end) + u64::from(inclusive) - u64::from(begin);
                self.least(Count::Known(u32::try_from(count).unwrap_or(u32::MAX)), rest, &mut ends)
            }
            (Some(_), Some(apart)) => {
                let count = self.product(&apart, &mut ends);
                let count = if inclusive { self.more(count, &mut ends) } else { count };
                self.least(count, rest, &mut ends)
            }
            (Some(end), None) => {
                let end = if inclusive { self.more(end, &mut ends) } else { end };
                let end = self.least(end, whole, &mut ends);
                self.rest(end, begin, &mut ends)
            }
        };
        Some(self.cut((base, outer), begin, len, ends))
    }

    /// The part of an array or slice, itself from `outer` on, that begins somewhere and has so many elements, which
    /// are within it.
    fn cut(&mut self, (base, outer): (Target, Count), begin: Count, len: Count, mut ends: Ends) -> Target {
        let loc = ends.loc;
        let begin = self.sum(outer, begin, &mut ends);
        let len = self.local_of(len, "length", &mut ends);
        let begin = self.local_of(begin, "begin", &mut ends);
        let (begin, len) = (self.count(begin, loc), self.count_as_len(len, loc));
        let begin = match ends.stmts {
            stmts if stmts.is_empty() => begin,
            stmts => self.push(ExprKind::Block(Block { stmts, tail: Some(begin) }), Ty::Usize, loc),
        };
        base.part_from(begin, len)
    }

    /// The parts of a place before and from a number of elements on, which are known to be apart.
    pub(super) fn halves(&mut self, base: Target, mid: &'a syn::Expr, stmts: &mut Vec<Stmt>) -> Option<[Target; 2]> {
        let loc = self.loc(mid);
        let mut ends = Ends { stmts: Vec::new(), loc };
        let base = Target { slice: true, ..base };
        let (outer, whole) = self.within(&base, &mut ends);
        let mid = self.end_of(mid, "middle", &mut ends)?;
        self.in_range((Count::Known(0), Some(mid), false), whole, loc)?;
        let (first, rest) = (self.least(mid, whole, &mut ends), self.rest(whole, mid, &mut ends));
        let (first, rest) = (self.local_of(first, "length", &mut ends), self.local_of(rest, "length", &mut ends));
        stmts.append(&mut ends.stmts);
        let id = self.cuts_made;
        self.cuts_made += 1;
        let halves = [(Count::Known(0), first, false), (mid, rest, true)];
        Some(halves.map(|(begin, len, right)| {
            let half = self.cut((base.clone(), outer), begin, len, Ends { stmts: Vec::new(), loc });
            half.marked(id, right)
        }))
    }

    /// The part of a place that begins at an index and has so many elements, where all of them are within the place.
    pub(super) fn part_within(&mut self, base: Target, begin: ExprId, len: ExprId, loc: Loc) -> Target {
        let mut ends = Ends { stmts: Vec::new(), loc };
        let base = Target { slice: true, ..base };
        let (outer, _) = self.within(&base, &mut ends);
        let len = self.known_len(len).map_or(Count::Value(len), Count::Known);
        self.cut((base, outer), Count::Value(begin), len, ends)
    }

    /// How many elements there are from an index on, as a number that the facts see to be within the whole.
    pub(super) fn elements_from(&mut self, whole: ExprId, begin: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) -> ExprId {
        let mut ends = Ends { stmts: Vec::new(), loc };
        let whole = self.known_len(whole).map_or(Count::Value(whole), Count::Known);
        let rest = self.rest(whole, Count::Value(begin), &mut ends);
        stmts.append(&mut ends.stmts);
        self.count_as_len(rest, loc)
    }

    /// Where an array or slice begins in what it is a part of, and how many elements it has.
    fn within(&mut self, base: &Target, ends: &mut Ends) -> (Count, Count) {
        if let Place::Memory { path, .. } = &base.place
            && let Some(Step::Slice { begin, len, .. }) = path.last().cloned()
        {
            let begin = match self.body.exprs[begin].kind {
                ExprKind::Int(begin) => Count::Known(u32::try_from(begin).unwrap_or(u32::MAX)),
                _ => Count::Value(self.named(begin, "begin", ends)),
            };
            return (begin, self.known_len(len).map_or(Count::Value(len), Count::Known));
        }
        let whole = match base.ty.len() {
            Some(len) => Count::Known(len),
            None => {
                let len = self.len_of(base, ends.loc);
                Count::Value(self.named(len, "length", ends))
            }
        };
        (Count::Known(0), whole)
    }

    /// An end of a range, as it is written.
    fn end_of(&mut self, expr: &'a syn::Expr, name: &str, ends: &mut Ends) -> Option<Count> {
        let known = integer::evaluate(expr, self).and_then(|known| u32::try_from(known.value).ok());
        let value = self.index_value(expr)?;
        Some(match known {
            Some(known) => Count::Known(known),
            None => Count::Value(self.named(value, name, ends)),
        })
    }

    /// Refuses a range of which it is known that Rust's would panic.
    fn in_range(
        &mut self,
        (begin, end, inclusive): (Count, Option<Count>, bool),
        whole: Count,
        loc: Loc,
    ) -> Option<()> {
        let known = |count| match count {
            Count::Known(count) => Some(u64::from(count)),
            Count::Value(_) => None,
        };
        let (begin, whole) = (known(begin), known(whole));
        let end = end.and_then(known).map(|end| end + u64::from(inclusive));
        let there = |whole: u64| {
            format!("there {} {}", if whole == 1 { "is" } else { "are" }, count(whole as usize, "element"))
        };
        let message = match (begin, end, whole) {
            (Some(begin), Some(end), _) if begin > end => {
                format!("this range begins at {begin}, behind its end at {end}")
            }
            (_, Some(end), Some(whole)) if end > whole => format!("this range ends at {end}, but {}", there(whole)),
            (Some(begin), _, Some(whole)) if begin > whole => {
                format!("this range begins at {begin}, but {}", there(whole))
            }
            _ => return Some(()),
        };
        self.reporter.report(Diag::new(Code::V300, loc, message));
        None
    }

    /// A value under a name, evaluated once.
    fn named(&mut self, value: ExprId, name: &str, ends: &mut Ends) -> ExprId {
        if self.is_fixed(value) {
            return value;
        }
        let loc = self.body.exprs[value].loc;
        let local = self.variable(name, Ty::Usize, false, loc);
        ends.stmts.push(Stmt::Let(local, value));
        self.push(ExprKind::Local(local), Ty::Usize, loc)
    }

    fn local_of(&mut self, count: Count, name: &str, ends: &mut Ends) -> Count {
        match count {
            Count::Known(known) => Count::Known(known),
            Count::Value(value) => Count::Value(self.named(value, name, ends)),
        }
    }

    fn count(&mut self, count: Count, loc: Loc) -> ExprId {
        match count {
            Count::Known(known) => self.push(ExprKind::Int(known.into()), Ty::Usize, loc),
            Count::Value(value) => value,
        }
    }

    fn count_as_len(&mut self, count: Count, loc: Loc) -> ExprId {
        match count {
            Count::Known(known) => self.push(ExprKind::ArrayLen(known), Ty::Usize, loc),
            Count::Value(value) => value,
        }
    }

    fn op(&mut self, op: Op, a: Count, b: Count, ends: &Ends) -> Count {
        let args = vec![self.count(a, ends.loc), self.count(b, ends.loc)];
        Count::Value(self.push(ExprKind::Op(op, args), Ty::Usize, ends.loc))
    }

    /// `a + b` of two numbers within a whole.
    fn sum(&mut self, a: Count, b: Count, ends: &mut Ends) -> Count {
        match (a, b) {
            (Count::Known(0), other) | (other, Count::Known(0)) => other,
            (Count::Known(a), Count::Known(b)) => Count::Known(a.saturating_add(b)),
            _ => self.op(Op::Add, a, b, ends),
        }
    }

    /// The lesser of two numbers.
    fn least(&mut self, a: Count, b: Count, ends: &mut Ends) -> Count {
        match (a, b) {
            (Count::Known(a), Count::Known(b)) => Count::Known(a.min(b)),
            _ => self.op(Op::Min, a, b, ends),
        }
    }

    /// One more, or the greatest number.
    fn more(&mut self, count: Count, ends: &mut Ends) -> Count {
        match count {
            Count::Known(count) => Count::Known(count.saturating_add(1)),
            Count::Value(_) => self.op(Op::AddSat, count, Count::Known(1), ends),
        }
    }

    /// How many elements there are from one on: none if that is behind the end.
    fn rest(&mut self, end: Count, begin: Count, ends: &mut Ends) -> Count {
        match (end, begin) {
            (end, Count::Known(0)) => end,
            (Count::Known(end), Count::Known(begin)) => Count::Known(end.saturating_sub(begin)),
            _ => {
                // The difference cannot wrap, as the facts see.
                let begin = self.local_of(begin, "begin", ends);
                let end = self.op(Op::Max, end, begin, ends);
                self.op(Op::Sub, end, begin, ends)
            }
        }
    }

    /// The value of a product.
    fn product(&mut self, product: &Product<'a>, ends: &mut Ends) -> Count {
        let mut value = None;
        for &factor in &product.factors {
            let factor = match integer::evaluate(factor, self).and_then(|known| u32::try_from(known.value).ok()) {
                Some(known) => Count::Known(known),
                None => Count::Value(self.expr(factor)),
            };
            value = Some(match value {
                Some(value) => self.op(Op::Mul, value, factor, ends),
                None => factor,
            });
        }
        match (value, product.times) {
            (None, times) => Count::Known(times),
            (Some(value), 1) => value,
            (Some(value), times) => self.op(Op::Mul, value, Count::Known(times), ends),
        }
    }
}

impl Target {
    /// A part of it; of a part, the part that it is of the whole.
    fn part_from(self, begin: ExprId, len: ExprId) -> Self {
        let Place::Memory { root, mut path, lane: None } = self.place else { return Self::REFUSED };
        let mut all = Vec::new();
        if let Some(Step::Slice { cuts, .. }) = path.last() {
            all.clone_from(cuts);
            path.pop();
        }
        path.push(Step::Slice { begin, len, cuts: all });
        Self { place: Place::Memory { root, path, lane: None }, ..self }
    }

    /// A part that is one side of a cut.
    fn marked(mut self, id: u32, right: bool) -> Self {
        if let Place::Memory { path, .. } = &mut self.place
            && let Some(Step::Slice { cuts, .. }) = path.last_mut()
        {
            cuts.push((id, right));
        }
        self
    }
}
