//! What is found out about small kernels, and what is not.

use super::*;
use crate::check::{Checked, check_image};
use crate::clock::thread_time;
use crate::ir::InstKind;
use crate::text::parse;

#[track_caller]
fn checked(source: &str) -> Checked {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

/// A kernel's facts, and the verdicts of its accesses in words, in program order.
pub(super) struct Found {
    function: Function,
    facts: Facts,
}

impl Found {
    #[track_caller]
    pub(super) fn of(source: &str) -> Self {
        let checked = checked(source);
        let function = checked.function(0).expect("a function").0.clone();
        let facts = Facts::of(&checked.module().types, &function);
        Self { function, facts }
    }

    fn insts(&self) -> Vec<Inst> {
        Tree::of(&self.function).insts().to_vec()
    }

    fn words(&self, inst: Inst) -> String {
        match self.facts.access(inst) {
            Verdict::Proven => "proven".to_owned(),
            Verdict::Guarded(_) => "guarded".to_owned(),
            Verdict::IfLaunch(bits) => {
                let conditions = self.facts.conditions().iter().enumerate();
                let named = conditions.filter(|(i, _)| bits >> i & 1 == 1);
                named.map(|(_, condition)| condition.display(&self.function)).collect::<Vec<_>>().join(" and ")
            }
        }
    }

    pub(super) fn verdicts(&self) -> Vec<String> {
        let accesses = self.insts().into_iter().filter(|&inst| self.function.insts[inst].kind.place().is_some());
        accesses.map(|inst| self.words(inst)).collect()
    }

    /// The value of this name.
    #[track_caller]
    fn value(&self, name: &str) -> Value {
        let found = self.function.values.iter().find(|(_, def)| def.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("no value {name}")).0
    }

    #[track_caller]
    fn range(&self, name: &str) -> (u64, u64) {
        self.facts.range(self.value(name))
    }

    pub(super) fn loops(&self) -> Vec<Rounds> {
        let insts = self.insts().into_iter();
        let loops = insts.filter(|&inst| matches!(self.function.insts[inst].kind, InstKind::Loop { .. }));
        loops.map(|inst| self.facts.rounds(inst)).collect()
    }
}

/// Asserts the verdicts of a kernel's accesses.
#[track_caller]
fn verdicts(params: &str, body: &str, expected: &[&str]) {
    let source = format!("func kernel workgroup_size(64, 1, 1) @k({params}) {{ {body} }}");
    assert_eq!(Found::of(&source).verdicts(), expected);
}

const XY: &str = "%n: u32, @x: [u32], @y: mut [u32]";

#[test]
fn a_guard_by_the_length_proves_the_access() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { %v = load u32 @x[%i] store @y[%i], %v yield } else { yield } ret",
        &["x.len() >= y.len()", "proven"],
    );
}

#[test]
fn the_other_side_of_a_guard_is_not_proven() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { yield } else { store @y[%i], 1u32 yield } ret",
        &["y.len() >= 64 * groups.x"],
    );
}

#[test]
fn an_early_return_guards_what_follows() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = ge %i, %len
         if %c { ret } else { yield }
         store @y[%i], 1u32 ret",
        &["proven"],
    );
}

#[test]
fn a_guard_ends_with_its_region() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { store @y[%i], 1u32 yield } else { yield }
         store @y[%i], 2u32 ret",
        &["proven", "y.len() >= 64 * groups.x"],
    );
}

#[test]
fn a_length_that_is_off_by_one_is_not_enough() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = le %i, %len
         if %c { store @y[%i], 1u32 yield } else { yield } ret",
        &["y.len() >= 64 * groups.x"],
    );
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { %j = add %i, 1u32 store @y[%j], 1u32 yield } else { yield } ret",
        &["y.len() >= 64 * groups.x + 1"],
    );
}

#[test]
fn both_sides_of_a_conjunction_hold() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %lx = len @x
         %c = lt %i, %len %d = lt %i, %lx %e = and %c, %d
         if %e { %v = load u32 @x[%i] store @y[%i], %v yield } else { yield } ret",
        &["proven", "proven"],
    );
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %lx = len @x %c = lt %i, %len
         %e = if %c -> bool { %d = lt %i, %lx yield %d } else { yield false }
         if %e { %v = load u32 @x[%i] store @y[%i], %v yield } else { yield } ret",
        &["proven", "proven"],
    );
}

#[test]
fn one_side_of_a_disjunction_proves_nothing() {
    verdicts(
        "%b: bool, @y: mut [u32]",
        "%i = global_id.x %len = len @y %c = lt %i, %len %e = or %c, %b
         if %e { store @y[%i], 1u32 yield } else { yield } ret",
        &["y.len() >= 64 * groups.x"],
    );
}

#[test]
fn a_guard_by_a_scalar_is_a_condition_on_the_launch() {
    verdicts(
        XY,
        "%i = global_id.x %c = lt %i, %n
         if %c { store @y[%i], 1u32 yield } else { yield } ret",
        &["y.len() >= n"],
    );
}

#[test]
fn rows_and_columns_of_a_matrix() {
    verdicts(
        "%rows: u32, %columns: u32, @y: mut [u32]",
        "%r = global_id.y %c = global_id.x
         %a = lt %r, %rows %b = lt %c, %columns %e = and %a, %b
         if %e {
            %first = mul %r, %columns %i = add %first, %c
            store @y[%i], 1u32 yield
         } else { yield } ret",
        &["y.len() >= rows * columns"],
    );
}

#[test]
fn tiles_of_constant_size() {
    let source = "func kernel workgroup_size(16, 16, 1) @k(@a: [f32], @c: mut [f32]) {
        shared @tile: [f32; 256]
        %x = local_id.x %y = local_id.y %gx = workgroup_id.x %gy = workgroup_id.y
        %row16 = mul %gy, 16u32 %row = add %row16, %y
        %first = mul %row, 1024u32
        %column16 = mul %gx, 16u32 %column = add %column16, %x
        %i = add %first, %column
        %v = load f32 @a[%i]
        %t16 = mul %y, 16u32 %t = add %t16, %x
        store @tile[%t], %v
        store @c[%i], %v
        ret
    }";
    let found = Found::of(source);
    let expected = ["a.len() + 1024 >= 16 * groups.x + 16384 * groups.y", "proven"];
    assert_eq!(found.verdicts()[..2], expected);
    let condition = &found.facts.conditions()[0];
    let holds = |groups, len| condition.holds(&Launch { groups, lens: &[len, 0], scalars: &[] });
    assert!(holds([64, 64, 1], 1024 * 1024));
    assert!(!holds([64, 64, 1], 1024 * 1024 - 1));
    assert!(!holds([65, 64, 1], 1024 * 1024));
}

#[test]
fn what_a_guard_says_about_a_sum_it_says_about_the_summands() {
    verdicts(
        XY,
        "%g = global_id.x %i = mul %g, 4u32 %last = add %i, 3u32 %second = or %i, 1u32
         %len = len @y %c = lt %last, %len
         if %c {
            store @y[%i], 1u32 store @y[%second], 1u32 store @y[%last], 1u32 yield
         } else { yield } ret",
        &["proven", "proven", "proven"],
    );
}

#[test]
fn a_sum_that_may_wrap_says_nothing_about_its_summands() {
    verdicts(
        XY,
        "%i = load u32 @x[0u32] %last = add %i, 3u32
         %len = len @y %c = lt %last, %len
         if %c { store @y[%i], 1u32 store @y[%last], 1u32 yield } else { yield } ret",
        &["x.len() >= 1", "guarded", "proven"],
    );
}

#[test]
fn quarters_of_a_length() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %quarter = div %len, 4u32 %c = lt %i, %quarter
         if %c { %first = mul %i, 4u32 %last = add %first, 3u32 store @y[%last], 1u32 yield } else { yield } ret",
        &["proven"],
    );
}

#[test]
fn an_index_from_the_end_is_below_the_length() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { %last = sub %len, 1u32 %j = sub %last, %i store @y[%j], 1u32 yield } else { yield } ret",
        &["proven"],
    );
}

#[test]
fn an_index_from_the_end_needs_to_be_below_the_length() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = le %i, %len
         if %c { %last = sub %len, 1u32 %j = sub %last, %i store @y[%j], 1u32 yield } else { yield } ret",
        &["y.len() >= 1 and y.len() >= 64 * groups.x"],
    );
}

#[test]
fn a_remainder_is_below_the_divisor_unless_that_is_zero() {
    verdicts(XY, "%i = global_id.x %j = rem %i, %n store @y[%j], 1u32 ret", &["n >= 1 and y.len() >= n"]);
    verdicts(
        XY,
        "%c = gt %n, 0u32
         if %c { %i = global_id.x %j = rem %i, %n store @y[%j], 1u32 yield } else { yield } ret",
        &["y.len() >= n"],
    );
}

#[test]
fn a_value_that_may_be_less_than_its_bound_is_not_taken_for_it() {
    verdicts(
        "%b: bool, %n: u32, @y: mut [u32]",
        "%m = if %b -> u32 { yield %n } else { yield 0u32 }
         %j = sub %m, 1u32 store @y[%j], 1u32 ret",
        &["guarded"],
    );
}

#[test]
fn a_difference_that_may_wrap_is_not_an_index() {
    verdicts(
        XY,
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { %j = sub %i, 1u32 store @y[%j], 1u32 yield } else { yield } ret",
        &["guarded"],
    );
}

#[test]
fn a_bound_may_need_that_a_difference_does_not_wrap() {
    verdicts(
        XY,
        "%i = global_id.x %m = sub %n, 1u32 %c = lt %i, %m
         if %c { %j = add %i, 1u32 store @y[%j], 1u32 yield } else { yield } ret",
        &["n >= 1 and y.len() >= n"],
    );
}

#[test]
fn remainders_and_masks_bound_an_index() {
    let source = "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
        shared @tile: [u32; 16]
        %a = rem %n, 16u32 store @tile[%a], 1u32
        %b = and %n, 15u32 store @tile[%b], 1u32
        %c = min %n, 15u32 store @tile[%c], 1u32
        %d = shr %n, 28u32 store @tile[%d], 1u32
        %v = load u32 @y[0u32] %e = rem %v, 17u32 store @tile[%e], 1u32
        %f = local_id.x store @tile[%f], 1u32
        ret
    }";
    let proven = "proven";
    assert_eq!(Found::of(source).verdicts(), [proven, proven, proven, proven, "y.len() >= 1", "guarded", "guarded"]);
}

#[test]
fn an_index_has_a_bound_of_its_own() {
    let source = "func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32]) {
        shared @grid: [[u32; 8]; 4]
        %i = local_id.x %v = load u32 @y[0u32] %j = and %v, 7u32 %k = and %v, 15u32
        store @grid[%i * 32][%j * 4 < 8], 1u32
        store @grid[%i * 32][%k * 4 < 8], 1u32
        ret
    }";
    let found = Found::of(source);
    assert_eq!(found.verdicts()[1..], ["proven", "guarded"]);
    let stores: Vec<Inst> =
        found.insts().into_iter().filter(|&i| found.function.insts[i].kind.place().is_some()).collect();
    let bounds = |inst| [0, 1].map(|index| found.facts.index_is_below(inst, index));
    assert_eq!(bounds(stores[1]), [true, true]);
    assert_eq!(bounds(stores[2]), [true, false]);
    let k = found.value("k");
    assert_eq!(found.facts.access(stores[2]), Verdict::Guarded(Missing::Bound(k, 8)));
    assert!(stores[1..].iter().all(|&store| found.facts.fits(store)));
}

#[test]
fn an_access_that_reaches_past_the_last_element_is_not_proven() {
    verdicts(
        "@y: mut [u32]",
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { store @y[%i] + 4, 1u32 yield } else { yield } ret",
        &["y.len() >= 64 * groups.x + 1"],
    );
}

#[test]
fn without_bounds_of_their_own_indices_are_judged_by_their_sum() {
    let found = Found::of(
        "func kernel workgroup_size(4, 1, 1) @k(@y: mut [u32]) {
            shared @grid: [[u32; 8]; 4]
            %i = local_id.x %v = load u32 @y[0u32] %j = and %v, 7u32 %k = and %v, 15u32
            store @grid[%i * 32][%j * 4], 1u32
            store @grid[%i * 32][%k * 4], 1u32
            ret
        }",
    );
    assert_eq!(found.verdicts()[1..], ["proven", "guarded"]);
}

#[test]
fn the_last_field_of_the_last_element_fits() {
    verdicts(
        "@y: mut [vec2<u32>]",
        "%i = global_id.x %len = len @y %c = lt %i, %len
         if %c { %v = load u32 @y[%i * 8] store @y[%i * 8] + 4, %v yield } else { yield } ret",
        &["proven", "proven"],
    );
}

#[test]
fn a_counter_is_bounded_by_its_guard() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            private @own: [u32; 10]
            loop 'a (%i: u32 = 0u32) {
                %c = lt %i, 10u32
                if %c { yield } else { break 'a }
                store @own[%i], %i
                %next = add %i, 1u32
                continue 'a %next
            }
            loop 'b (%k: u32 = 0u32) {
                %d = lt %k, %n
                if %d { yield } else { break 'b }
                store @y[%k], %k
                %step = add %k, 1u32
                continue 'b %step
            }
            ret
        }",
    );
    assert_eq!(found.verdicts(), ["proven", "y.len() >= n"]);
    assert_eq!(found.range("i"), (0, 10));
    assert_eq!(found.range("next"), (1, 10));
    assert_eq!(found.loops(), [Rounds::AtMost(11), Rounds::AtMost(1 << 32)]);
}

#[test]
fn a_counter_that_can_miss_its_bound_may_never_end() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            loop 'a (%i: u32 = 0u32) {
                %c = lt %i, %n
                if %c { yield } else { break 'a }
                %next = add %i, 2u32
                continue 'a %next
            }
            loop 'b (%k: u32 = 1u32) {
                %d = ne %k, %n
                if %d { yield } else { break 'b }
                %step = add %k, 1u32
                continue 'b %step
            }
            ret
        }",
    );
    assert_eq!(found.loops(), [Rounds::Unknown, Rounds::Unknown]);
}

#[test]
fn counters_in_steps_stay_aligned_and_counters_down_stay_below() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            private @own: [u32; 64]
            loop 'a (%i: u32 = 0u32) {
                %c = lt %i, 62u32
                if %c { yield } else { break 'a }
                %last = or %i, 3u32
                store @own[%last], 1u32
                %next = add %i, 4u32
                continue 'a %next
            }
            loop 'b (%s: u32 = 32u32) {
                %d = gt %s, 0u32
                if %d { yield } else { break 'b }
                store @own[%s], 1u32
                %half = shr %s, 1u32
                continue 'b %half
            }
            loop 'c (%k: u32 = 64u32) {
                %e = eq %k, 0u32
                if %e { break 'c } else { yield }
                %less = sub %k, 1u32
                store @own[%less], 1u32
                continue 'c %less
            }
            ret
        }",
    );
    assert_eq!(found.verdicts(), ["proven", "proven", "proven"]);
    assert_eq!(found.facts.fact(found.value("i")).zeros & 3, 3);
    assert_eq!(found.range("s"), (0, 32));
    assert_eq!(found.range("less"), (0, 63));
    assert!(found.loops().iter().all(|rounds| *rounds != Rounds::Unknown));
}

#[test]
fn a_counter_that_stops_at_a_number_does_not_pass_it() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            private @own: [u32; 12]
            loop 'a (%i: u32 = 0u32) {
                %c = eq %i, 12u32
                if %c { break 'a } else { yield }
                store @own[%i], %i
                %next = add %i, 1u32
                continue 'a %next
            }
            loop 'b (%k: i32 = -3i32) {
                %d = ne %k, 4i32
                if %d { yield } else { break 'b }
                %step = add %k, 1i32
                continue 'b %step
            }
            loop 'c (%m: u32 = 0u32) {
                %e = eq %m, 11u32
                if %e { break 'c } else { yield }
                store @own[%m], %m
                %far = add %m, 2u32
                continue 'c %far
            }
            ret
        }",
    );
    assert_eq!(found.verdicts(), ["proven", "guarded"]);
    assert_eq!(found.loops(), [Rounds::AtMost(13), Rounds::AtMost(8), Rounds::Unknown]);
}

#[test]
fn nested_loops_over_a_matrix() {
    verdicts(
        "%rows: u32, %columns: u32, @y: mut [u32]",
        "loop 'r (%r: u32 = 0u32) {
            %a = lt %r, %rows
            if %a { yield } else { break 'r }
            loop 'c (%c: u32 = 0u32) {
                %b = lt %c, %columns
                if %b { yield } else { break 'c }
                %first = mul %r, %columns %i = add %first, %c
                store @y[%i], 1u32
                %c1 = add %c, 1u32
                continue 'c %c1
            }
            %r1 = add %r, 1u32
            continue 'r %r1
         } ret",
        &["y.len() >= rows * columns"],
    );
}

#[test]
fn a_stride_over_the_grid_is_bounded_by_its_guard() {
    verdicts(
        XY,
        "%first = global_id.x %groups = num_workgroups.x %stride = mul %groups, 64u32 %len = len @y
         loop 'a (%i: u32 = %first) {
            %c = lt %i, %len
            if %c { yield } else { break 'a }
            store @y[%i], 1u32
            %next = add %i, %stride
            continue 'a %next
         } ret",
        &["proven"],
    );
}

#[test]
fn cases_of_a_switch_say_what_the_selector_is() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            private @own: [u32; 4] %v = load u32 @y[0u32]
            switch %v {
                case 1u32, 3u32 { store @own[%v], 1u32 yield }
                case 4u32 { store @own[%v], 1u32 yield }
                default { store @own[%v], 1u32 yield }
            }
            ret
        }",
    );
    assert_eq!(found.verdicts(), ["y.len() >= 1", "proven", "guarded", "guarded"]);
}

#[test]
fn signed_indices_that_are_not_negative() {
    verdicts(
        "%s: i32, @y: mut [u32]",
        "%len = len @y %c = ge %s, 0i32
         if %c {
            %i = cast %s to u32 %d = lt %i, %len
            if %d { store @y[%i], 1u32 yield } else { yield }
            %e = lt %s, 16i32
            if %e { %j = cast %s to u32 store @y[%j], 1u32 yield } else { yield }
            yield
         } else { yield } ret",
        &["proven", "y.len() >= 16"],
    );
}

#[test]
fn a_negative_number_shifted_is_not_half_of_its_bits() {
    verdicts(
        "%s: i32, @y: mut [u32]",
        "%half = shr %s, 1u32 %i = cast %half to u32 store @y[%i], 1u32
         %third = div %s, 3i32 %j = cast %third to u32 store @y[%j], 1u32 ret",
        &["guarded", "guarded"],
    );
}

#[test]
fn a_signed_comparison_says_nothing_about_the_bits_of_a_negative_number() {
    verdicts(
        "%t: i32, @y: mut [u32]",
        "%v = load u32 @y[0u32] %s = cast %v to i32 %c = lt %s, %t
         if %c { store @y[%v], 1u32 yield } else { yield } ret",
        &["y.len() >= 1", "guarded"],
    );
    verdicts(
        "%t: i32, @y: mut [u32]",
        "%v = load u32 @y[0u32] %s = cast %v to i32 %c = lt %s, %t %d = ge %s, 0i32 %e = and %c, %d
         if %e { store @y[%v], 1u32 yield } else { yield } ret",
        &["y.len() >= 1", "y.len() >= t"],
    );
}

#[test]
fn narrow_indices_are_bounded_by_their_type() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(@x: [u8], @y: mut [u32]) {
            shared @counts: [u32; 256]
            %i = global_id.x
            %v = load u8 @x[%i]
            %w = cast %v to u32
            store @counts[%w], 1u32
            ret
        }",
    );
    assert_eq!(found.verdicts(), ["x.len() >= 64 * groups.x", "proven"]);
}

#[test]
fn equal_conditions_are_one() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {
            %i = global_id.x
            %a = load u32 @x[%i]
            %b = load u32 @x[%i]
            store @y[%i], %a
            ret
        }",
    );
    assert_eq!(found.facts.conditions().len(), 2);
}

#[test]
fn more_conditions_than_there_are_bits_leave_guards() {
    let stores: String = (0..70).map(|i| format!("store @y[{}u32], 1u32 ", i * 3)).collect();
    let found = Found::of(&format!("func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {{ {stores} ret }}"));
    let verdicts = found.verdicts();
    assert_eq!(found.facts.conditions().len(), MAX_CONDITIONS);
    assert_eq!(verdicts[63], "y.len() >= 190");
    assert_eq!(verdicts[64..], ["guarded"; 6]);
}

#[test]
fn sums_that_cannot_wrap_are_told_from_those_that_can() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
            %i = local_id.x
            %a = add %i, 1u32
            %g = global_id.x
            %b = mul %g, 4u32
            %v = load u32 @y[0u32]
            %c = add %v, 1u32
            store @y[%a], %c
            store @y[%b], %c
            ret
        }",
    );
    let wrapping = |name: &str| {
        let value = found.value(name);
        let inst = Tree::of(&found.function).inst_of(value).expect("an instruction");
        match found.facts.wrapping(inst) {
            Wrapping::Never => "never".to_owned(),
            Wrapping::Possible => "possible".to_owned(),
            Wrapping::Unless(condition) => condition.display(&found.function),
        }
    };
    assert_eq!(wrapping("a"), "never");
    assert_eq!(wrapping("b"), "16777216 >= groups.x");
    assert_eq!(wrapping("c"), "possible");
}

#[test]
fn an_index_near_two_to_the_32_is_not_below_a_length() {
    // `i * 4` may wrap to a small number; its bound must be of what is accessed.
    verdicts(
        XY,
        "%i = global_id.x %j = mul %i, 4u32 %len = len @y %c = lt %j, %len
         if %c { store @y[%j], 1u32 store @y[%i], 1u32 yield } else { yield } ret",
        &["proven", "y.len() >= 64 * groups.x"],
    );
}

#[test]
fn many_ways_out_of_a_loop_take_little_time() {
    let exits: String = (0..3000)
        .map(|i| format!("%a{i} = add %k, {i}u32 %c{i} = eq %a{i}, %n if %c{i} {{ break 'a }} else {{ yield }} "))
        .collect();
    let body = format!("loop 'a (%k: u32 = 0u32) {{ {exits} %next = add %k, 1u32 continue 'a %next }} ret");
    let checked = checked(&format!("func kernel workgroup_size(64, 1, 1) @k({XY}) {{ {body} }}"));
    let (function, _) = checked.function(0).expect("a function");
    let begun = thread_time();
    let facts = Facts::of(&checked.module().types, function);
    let spent = thread_time() - begun;
    println!("{spent:?} for {} instructions", function.insts.len());
    assert!(facts.conditions().is_empty());
    assert!(spent.as_secs() < 8, "{spent:?}");
}

#[test]
fn facts_of_many_instructions_take_little_time() {
    let mut body = String::new();
    for i in 0..1500 {
        body += &format!(
            "%a{i} = add %g, {i}u32 %b{i} = mul %a{i}, 3u32 %c{i} = lt %b{i}, %len
             if %c{i} {{ %v{i} = load u32 @x[%b{i}] store @y[%a{i}], %v{i} yield }} else {{ yield }} "
        );
    }
    let body = format!(
        "%g = global_id.x %len = len @x
         loop 'a (%k: u32 = 0u32) {{ %d = lt %k, 9u32 if %d {{ yield }} else {{ break 'a }}
         {body} %next = add %k, 1u32 continue 'a %next }} ret"
    );
    let checked = checked(&format!("func kernel workgroup_size(64, 1, 1) @k({XY}) {{ {body} }}"));
    let (function, _) = checked.function(0).expect("a function");
    let begun = thread_time();
    let facts = Facts::of(&checked.module().types, function);
    let spent = thread_time() - begun;
    println!("{spent:?} for {} instructions", function.insts.len());
    assert!(!facts.conditions().is_empty());
    assert!(spent.as_secs() < 8, "{spent:?}");
}

#[test]
fn facts_about_values_alone_are_the_same_facts() {
    let found = Found::of(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32]) {
            %i = global_id.x
            %len = len @x
            %inside = lt %i, %len
            if %inside {
                %last = sub %len, 1u32
                %least = min %i, %last
                %sum = loop 'l (%k: u32 = 3u32, %s: u32 = 0u32) -> u32 {
                    %done = ge %k, 40u32
                    if %done { break 'l %s }
                    %low = and %k, 7u32
                    %v = load u32 @x[%least]
                    %t = add %s, %low
                    %next = add %k, 1u32
                    continue 'l %next, %t
                }
                %small = rem %sum, 10u32
                store @y[%small], %sum
                yield
            } else { yield }
            ret
        }",
    );
    let tree = Tree::of(&found.function);
    let alone = Facts::of_values(&Types::default(), &found.function, &tree);
    for (value, _) in found.function.values.iter() {
        assert_eq!(alone.fact(value), found.facts.fact(value), "{value:?}");
    }
    for &inst in tree.insts() {
        found.function.insts[inst].kind.for_each_operand(|value| {
            assert_eq!(alone.at(inst, value), found.facts.at(inst, value), "{value:?} at {inst:?}");
        });
    }
    assert_eq!(found.range("small"), (0, 9));
}

#[test]
fn a_condition_that_another_one_implies_is_not_needed() {
    let times = |symbol, factor| Poly::symbol(symbol).mul(&Poly::constant(factor)).expect("small");
    let (len, n) = (Poly::symbol(Symbol::Len(0)), Symbol::Scalar(1));
    let at_least = |left: Poly| Condition { left, right: len.clone() };
    let (eight, sixteen, one) = (at_least(times(n, 8)), at_least(times(n, 16)), at_least(Poly::constant(1)));
    assert_eq!(Condition::are_needed(&[&eight, &sixteen, &one]), [false, true, true]);
    assert_eq!(Condition::are_needed(&[&one, &one.clone()]), [true, false]);
}
