//! Guards: the test that an access makes when it runs.
//!
//! This module is the one place that decides which accesses are tested and for what. A back end
//! prints the [`Test`] of each access and decides nothing itself.
//!
//! # What a test has to tell
//!
//! An access names a root and a place in it: an offset, and indices times strides. It is *in
//! bounds* if each index that has a bound of its own is below that bound, and if all of the bytes
//! of the accessed type lie within the root. Sums and products are exact: an index near 2³² never
//! lands on another element.
//!
//! An access in bounds does what it says. Out of bounds a load gives zero, a store does nothing,
//! and an atomic access changes nothing and gives zero. A back end may read any word of the same
//! root instead, as long as nothing depends on the word. It writes nothing.
//!
//! This holds for every root (buffer, workgroup array, private array, table) and for every
//! type. An access of several lanes is in bounds as a whole or not at all.
//!
//! # When a test may be left out
//!
//! - Only what [`Facts`] prove of the very function that is emitted may be left out. Facts of the
//!   function before a pass or an expansion do not count.
//! - What is proven for every launch is left out always. What is proven for launches that satisfy
//!   some of the [conditions](Facts::conditions) is left out if the code runs in no other launch.
//!   Whoever launches has evaluated those conditions with the lengths and arguments of the launch.
//! - A requirement of the kernel counts as a fact, because whoever launches checks it first.
//! - A fact speaks of the invocations that come to the access. Where no invocation comes, nothing
//!   is proven and everything is tested.
//! - The parts of a test are independent: a part that is proven is left out though another one
//!   stays. That the bytes lie within the root may be proven from the bounds of the indices,
//!   whether these are proven or tested.

use super::facts::Facts;
use crate::ir::{Function, Index, Inst, Place, Value};
use crate::types::Types;

/// What is tested of an access: it is in bounds if all of this holds, and only then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Each of these indices is below its number.
    pub below: Vec<(Value, u32)>,
    /// The bytes lie within the root.
    pub extent: Extent,
}

/// How it is tested that the bytes of an access lie within its root, where each index is below
/// its own bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// They do.
    Within,
    /// They lie within one element of the root, which has to be there: this index is below
    /// the number of elements. Without an index it is the first element.
    Element(Option<Value>),
    /// The offset, each index times its stride and the size of the type come to no more than the
    /// size of the root.
    Root {
        /// The most bytes that they come to. A back end computes the sum in numbers that hold so
        /// many, or takes care that it does not wrap.
        reach: u128,
    },
}

/// The guards of a function in SSA form without calls, as a back end emits it.
///
/// ```
/// use samebits_ir::analysis::guard::{Extent, Guards};
/// use samebits_ir::{check::check, text::parse};
/// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
///     %i = global_id.x
///     store @y[%i], 7u32
///     ret
/// }").map_err(|_| "text")?;
/// let checked = check(module).map_err(|_| "kernel")?;
/// let (function, _) = checked.function(0).ok_or("function")?;
/// let (index, store) = (function.regions[function.body].insts[0], function.regions[function.body].insts[1]);
/// let i = function.insts[index].results[0];
/// let extent = |conditions| Guards::of(&checked.module().types, function, conditions).test(store).extent;
/// assert_eq!(extent(0), Extent::Element(Some(i)));
/// assert_eq!(extent(1), Extent::Within, "where `y` has an element for each invocation");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guards<'a> {
    types: &'a Types,
    function: &'a Function,
    facts: Facts,
    conditions: u64,
}

impl<'a> Guards<'a> {
    /// The guards of code that runs in launches that satisfy these
    /// [conditions](Facts::conditions), one bit each.
    pub fn of(types: &'a Types, function: &'a Function, conditions: u64) -> Self {
        Self { types, function, facts: Facts::of(types, function), conditions }
    }

    /// What is known about the function.
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The test of a load, store or atomic access. Anything else needs none.
    pub fn test(&self, inst: Inst) -> Test {
        self.test_under(inst, self.conditions)
    }

    /// The same in launches that satisfy other conditions.
    pub fn test_under(&self, inst: Inst, conditions: u64) -> Test {
        let Some(place) = self.function.insts[inst].kind.place() else { return Test::NONE };
        if self.facts.access(inst).holds_under(conditions) {
            return Test::NONE;
        }
        let unproven = place.indices.iter().enumerate().filter(|&(i, _)| !self.facts.index_is_below(inst, i));
        let below = unproven.filter_map(|(_, index)| index.bound.map(|bound| (index.value, bound))).collect();
        let extent = if self.facts.fits(inst) { Extent::Within } else { self.extent(inst, place) };
        Test { below, extent }
    }

    /// The cheapest test of the extent: of one element where no index but the first can leave it.
    fn extent(&self, inst: Inst, place: &Place) -> Extent {
        let size = |ty| self.types.layout(ty).map(|layout| u128::from(layout.size));
        let element = self.function.root_element(self.types, place.root).and_then(size);
        let (Some(accessed), Some(element)) = (self.function.accessed(inst).and_then(size), element) else {
            return Extent::Root { reach: u128::MAX };
        };
        let end = u128::from(place.offset) + accessed;
        let (first, inner) = match place.indices.split_first() {
            Some((first, inner)) if u128::from(first.stride) == element => (Some(first), inner),
            _ => (None, place.indices.as_slice()),
        };
        let reach = |indices: &[Index]| {
            indices.iter().fold(end, |reach, index| {
                let known = self.facts.at(inst, index.value).most;
                let most = index.bound.map_or(known, |bound| known.min(bound.saturating_sub(1).into()));
                reach.saturating_add(u128::from(most) * u128::from(index.stride))
            })
        };
        if reach(inner) <= element {
            Extent::Element(first.map(|first| first.value))
        } else {
            Extent::Root { reach: reach(&place.indices) }
        }
    }
}

impl Test {
    /// The test of what is always in bounds.
    pub const NONE: Self = Self { below: Vec::new(), extent: Extent::Within };

    /// Whether no test is needed.
    pub const fn is_none(&self) -> bool {
        self.below.is_empty() && matches!(self.extent, Extent::Within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_image;
    use crate::text::parse;

    /// The tests of the accesses of a kernel, in order: what is below what, then the extent.
    fn tests(body: &str, conditions: u64) -> Vec<String> {
        let source = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [vec4<f32>], @y: mut [u32], @z: atomic [u32], @g: mut [[u32; 4]]) {{
                shared @tile: [u32; 64]
                private @own: [u32; 8]
                table @t: [u32; 4] = (1u32, 2u32, 3u32, 4u32)
                %i = global_id.x %l = local_id.x %v = load u32 @y[0u32] %w = and %v, 3u32
                {body} ret
            }}"
        );
        let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
        let checked = check_image(module).expect("a kernel");
        let (function, _) = checked.function(0).expect("a function");
        let guards = Guards::of(&checked.module().types, function, conditions);
        let name = |value: Value| match function.constant_bits(value) {
            Some(bits) => bits.to_string(),
            None => function.values[value].name.as_deref().expect("a name").to_owned(),
        };
        let accesses = function.region_insts(function.body).into_iter();
        let accesses = accesses.filter(|&inst| function.insts[inst].kind.place().is_some()).skip(1);
        let shown = accesses.map(|inst| {
            let test = guards.test(inst);
            let mut parts: Vec<String> =
                test.below.iter().map(|&(index, bound)| format!("{} < {bound}", name(index))).collect();
            match test.extent {
                Extent::Within => {}
                Extent::Element(index) => parts.push(format!("{} < len", index.map_or_else(|| "0".to_owned(), name))),
                Extent::Root { reach } => parts.push(format!("at most {reach} bytes")),
            }
            parts.join(", ")
        });
        shown.collect()
    }

    const WORDS: u128 = 4 * (u32::MAX as u128);

    #[test]
    fn an_element_of_a_buffer_is_tested_by_its_index_alone() {
        let found = tests("%a = load vec4<f32> @x[%v] %b = load f32 @x[%v * 16][%w * 4] store @y[%v], 1u32", 0);
        assert_eq!(found, ["v < len", "v < len", "v < len"]);
        assert_eq!(tests("%a = load u32 @y[0u32] + 0", 0), ["0 < len"]);
    }

    #[test]
    fn an_index_that_may_leave_its_element_is_tested_against_the_whole_root() {
        let found = tests("store @g[%w * 16][%v * 4], 1u32", 0);
        assert_eq!(found, [format!("at most {} bytes", 4 + 16 * 3 + WORDS)]);
        let last = tests("%m = min %v, 3u32 store @g[%v * 16][%m * 4], 1u32", 0);
        let beyond = tests("%m = min %v, 4u32 store @g[%v * 16][%m * 4], 1u32", 0);
        assert_eq!([last, beyond], [["v < len".to_owned()], [format!("at most {} bytes", 4 + 16 + 4 * WORDS)]]);
    }

    #[test]
    fn a_bound_of_an_index_is_tested_unless_it_is_known_to_hold() {
        let found = tests("store @g[%v * 16][%v * 4 < 4], 1u32 store @g[%v * 16][%w * 4 < 4], 1u32", 0);
        assert_eq!(found, ["v < 4, v < len", "v < len"]);
    }

    #[test]
    fn atomics_and_memory_of_fixed_size_are_tested_alike() {
        let found = tests(
            "%a = atomic.add @z[%v], 1u32 store @tile[%l], 1u32 store @tile[%v], 1u32
             store @own[%w], 1u32 store @own[%v], 1u32 %b = load u32 @t[%w] %c = load u32 @t[%v]",
            0,
        );
        assert_eq!(found, ["v < len", "", "v < len", "", "v < len", "", "v < len"]);
    }

    #[test]
    fn what_a_launch_satisfies_is_tested_in_other_launches_alone() {
        let body = "store @y[%i], 1u32 %a = atomic.add @z[%i], 1u32";
        assert_eq!(tests(body, 0), ["i < len", "i < len"]);
        // The first condition is that of the load before.
        assert_eq!(tests(body, 0b011), ["", "i < len"]);
        assert_eq!(tests(body, 0b101), ["i < len", ""]);
        assert_eq!(tests(body, 0b111), ["", ""]);
    }
}
