//! Values that follow from literals alone, though no literal says what they are.
//!
//! A compiler that unrolls a loop, or knows which way a branch goes, may find out such a value and
//! compute with it by rules of its own. Conditions do not count: of two numbers one is chosen, and
//! both are known. Neither does what a launch gives: buffers, their lengths, scalars, ids.

use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, Root, Value, ValueDef};

/// The values of a function in SSA form that follow from literals alone, constants among them.
pub(crate) fn from_literals(function: &Function, tree: &Tree) -> Side<ValueDef, bool> {
    let mut literals = Literals {
        function,
        tree,
        open: Side::sized(true, function.values.len()),
        private: vec![true; function.private.len()],
        changed: true,
    };
    while std::mem::take(&mut literals.changed) {
        for &inst in tree.insts() {
            literals.look(inst);
        }
    }
    literals.open
}

struct Literals<'f> {
    function: &'f Function,
    tree: &'f Tree,
    /// What may still follow from literals alone.
    open: Side<ValueDef, bool>,
    /// Whether that is so of all that is stored in each private memory.
    private: Vec<bool>,
    changed: bool,
}

impl Literals<'_> {
    fn is_open(&self, value: Value) -> bool {
        self.open[value] && !matches!(self.tree.def(value), Def::Argument(_))
    }

    fn are_open(&self, mut values: impl Iterator<Item = Value>) -> bool {
        values.all(|value| self.is_open(value))
    }

    /// The values that jumps pass at a place of their lists.
    fn passed(&self, jumps: &[Inst], place: usize) -> bool {
        self.are_open(jumps.iter().filter_map(|&jump| self.function.insts[jump].kind.passed().get(place).copied()))
    }

    fn look(&mut self, inst: Inst) {
        let (function, tree) = (self.function, self.tree);
        let def = &function.insts[inst];
        let open = match &def.kind {
            InstKind::Op(_, args) | InstKind::Subgroup(_, args) => self.are_open(args.iter().copied()),
            InstKind::Load(place) => match place.root {
                Root::Table(_) => true,
                Root::Private(array) => self.private.get(array as usize).copied().unwrap_or(false),
                Root::Param(_) | Root::Shared(_) => false,
            },
            InstKind::Store(place, value) => {
                if let Root::Private(array) = place.root
                    && !self.is_open(*value)
                    && let Some(known) = self.private.get_mut(array as usize)
                {
                    self.changed |= std::mem::replace(known, false);
                }
                return;
            }
            InstKind::Loop { body, initial, .. } => {
                for (place, (&param, &first)) in function.regions[*body].params.iter().zip(initial).enumerate() {
                    let open = self.is_open(first) && self.passed(tree.continues(inst), place);
                    self.close(param, open);
                }
                return self.results(inst);
            }
            InstKind::If { .. } | InstKind::Switch { .. } => return self.results(inst),
            _ => false,
        };
        for &result in &def.results {
            self.close(result, open);
        }
    }

    fn results(&mut self, inst: Inst) {
        for (place, &result) in self.function.insts[inst].results.iter().enumerate() {
            let open = self.passed(self.tree.exits(inst), place);
            self.close(result, open);
        }
    }

    fn close(&mut self, value: Value, open: bool) {
        if !open && self.open[value] {
            self.open[value] = false;
            self.changed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::text::parse;

    /// The names of the values that are stored and follow from literals alone, each by the number that
    /// its store has.
    fn stored(body: &str) -> Vec<bool> {
        let text = format!("func kernel workgroup_size(1, 1, 1) @k(@y: mut [f32], %n: u32) {{ {body} ret }}");
        let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}"));
        let checked = check(module).unwrap_or_else(|error| panic!("{error:?}"));
        let (function, _) = checked.function(0).expect("a kernel");
        let tree = Tree::of(function);
        let found = from_literals(function, &tree);
        let value = |&inst: &Inst| match function.insts[inst].kind {
            InstKind::Store(Place { root: Root::Param(_), .. }, value) => Some(found[value]),
            _ => None,
        };
        tree.insts().iter().filter_map(value).collect()
    }

    use crate::ir::Place;

    #[test]
    fn what_is_computed_from_literals_and_nothing_else() {
        let body = "%a = add 1.0f32, 2.0f32 store @y[0u32], %a
            %b = cast %n to f32 store @y[1u32], %b
            %c = add %a, %b store @y[2u32], %c";
        assert_eq!(stored(body), [true, false, false]);
    }

    #[test]
    fn a_branch_on_what_is_unknown_chooses_between_known_numbers() {
        let body = "%c = lt %n, 4u32
            %r = if %c -> f32 { yield 1.0f32 } else { yield 2.0f32 }
            store @y[0u32], %r
            %x = cast %n to f32
            %s = if %c -> f32 { yield 1.0f32 } else { yield %x }
            store @y[1u32], %s";
        assert_eq!(stored(body), [true, false]);
    }

    #[test]
    fn a_counter_follows_from_literals_and_a_sum_of_loads_does_not() {
        let body = "%s, %t = loop 'l (%i: f32 = 0.0f32, %a: f32 = 0.0f32) -> f32, f32 {
                %v = load f32 @y[0u32]
                %b = add %a, %v
                %j = add %i, 1.0f32
                %done = gt %j, 4.0f32
                if %done { break 'l %j, %b }
                continue %j, %b
            }
            store @y[1u32], %s
            store @y[2u32], %t";
        assert_eq!(stored(body), [true, false]);
    }

    #[test]
    fn private_memory_is_known_if_all_that_is_stored_is() {
        let body = "private @p: [f32; 4] private @q: [f32; 4]
            %x = cast %n to f32
            store @p[0u32], 1.0f32 store @q[0u32], 1.0f32 store @q[1u32], %x
            %a = load f32 @p[1u32] store @y[0u32], %a
            %b = load f32 @q[0u32] store @y[1u32], %b";
        assert_eq!(stored(body), [true, false]);
    }
}
