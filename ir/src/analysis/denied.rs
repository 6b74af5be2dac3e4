//! Guards that stay inside of loops, as mistakes: what `#[kernel(deny(guards))]` asks for.
//!
//! A guard stays where an access is not proven. It also stays where an access is proven only for
//! launches whose lengths and arguments are in a relation that the kernel could require. A
//! condition on the number of workgroups is different, because no signature can state it: the
//! launcher evaluates it once, and runs code without the guard where it holds. One access of
//! the source is one mistake, however often passes copied it.

use super::facts::{Condition, Facts, Missing, Symbol, Verdict};
use super::report::{access, reason};
use super::tree::Tree;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, Inst, InstKind, Place, Root, integer};
use crate::loc::Loc;
use crate::types::Types;

/// The guards inside of loops of an optimised kernel, [expanded](crate::pass::expand) as back ends
/// emit it.
///
/// ```
/// use samebits_ir::{analysis::denied, check::check, diag::Diags, pass, text};
/// let sum = |requires: &str| format!("func kernel workgroup_size(64, 1, 1) @sum(%n: u32, @x: [u32], @y: mut [u32]) {requires} {{
///     %total = loop 'l (%k: u32 = 0u32, %sum: u32 = 0u32) -> u32 {{
///         %more = lt %k, %n
///         if %more {{ yield }} else {{ break 'l %sum }}
///         %v = load u32 @x[%k]
///         %next = add %k, 1u32
///         %new = add %sum, %v
///         continue 'l %next, %new
///     }}
///     store @y[0u32], %total
///     ret
/// }}");
/// let found = |source: &str| -> Result<Diags, Diags> {
///     let checked = pass::optimize(check(text::parse(source)?)?);
///     let function = pass::expand(checked.function(0).expect("the kernel").0, pass::Expansion::ALL);
///     Ok(denied::guards_in_loops(&checked.module().types, &function))
/// };
/// let help = "add `requires(x.len() >= n)` to `#[kernel(…)]`";
/// assert_eq!(found(&sum(""))?.as_slice()[0].help.as_deref(), Some(help));
/// assert!(found(&sum("requires(len @x >= %n)"))?.is_empty());
/// # Ok::<(), samebits_ir::diag::Diags>(())
/// ```
pub fn guards_in_loops(types: &Types, function: &Function) -> Diags {
    let mut diags = Diags::new();
    let (facts, tree) = (Facts::of(types, function), Tree::of(function));
    let mut known: Vec<Loc> = Vec::new();
    for &inst in tree.insts() {
        let def = &function.insts[inst];
        let (Some(place), Some(around)) = (def.kind.place(), tree.loops_around(function, inst).next()) else {
            continue;
        };
        // Its author never wrote the access.
        if function.is_messages(place.root) {
            continue;
        }
        let part = || tests_a_part(function, &tree, inst).then(out_of_part);
        let Some((why, help)) = stays(function, &facts, inst, place).or_else(part) else { continue };
        if known.contains(&def.loc) {
            continue;
        }
        known.push(def.loc);
        let message = format!("the {} needs a bounds test inside of a loop", access(function, inst, place));
        let diag = Diag::new(Code::V304, def.loc, message).label(Loc::NONE, why);
        diags.push(diag.label(function.insts[around].loc, "this is the loop").help(help));
    }
    diags
}

/// What is missing, and what helps, if the guard of an access stays.
fn stays(function: &Function, facts: &Facts, inst: Inst, place: &Place) -> Option<(String, String)> {
    match facts.access(inst) {
        Verdict::Proven => None,
        Verdict::IfLaunch(bits) => {
            let needed = facts.conditions().iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            let stated: Vec<&Condition> = needed.map(|(_, one)| one).filter(|one| is_of_the_signature(one)).collect();
            if stated.is_empty() {
                return None;
            }
            let shown: Vec<String> = stated.iter().map(|condition| condition.display(function)).collect();
            let missing = shown.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(" and ");
            let signs = stated.iter().flat_map(|condition| signed(function, condition));
            let mut list = shown;
            for sign in signs {
                if !list.contains(&sign) {
                    list.push(sign);
                }
            }
            let help = format!("add `requires({})` to `#[kernel(…)]`", list.join(", "));
            Some((format!("nothing guarantees that {missing}"), help))
        }
        Verdict::Guarded(missing) => Some((reason(function, place, missing), cure(function, place, missing))),
    }
}

/// Whether a branch around an access tests that its index is within a part of the memory. The front end makes it of
/// the same expression, so that it has the same location.
fn tests_a_part(function: &Function, tree: &Tree, inst: Inst) -> bool {
    let owner = tree.parent(inst).and_then(|region| tree.owner(region));
    owner.is_some_and(|owner| {
        let (test, loc) = (&function.insts[owner], function.insts[inst].loc);
        matches!(test.kind, InstKind::If { .. }) && test.loc == loc && loc != Loc::NONE
    })
}

fn out_of_part() -> (String, String) {
    let why = "nothing is known that keeps the index below the length of this part".to_owned();
    (why, "count up to the part's length, `for i in 0..part.len()`, or test it: `if i < part.len() { … }`".to_owned())
}

/// Whether a condition is only about lengths and arguments.
fn is_of_the_signature(condition: &Condition) -> bool {
    condition.symbols().all(|symbol| match symbol {
        Symbol::Len(_) | Symbol::Scalar(_) | Symbol::Most(_) => true,
        Symbol::LastGroup(_) => false,
    })
}

/// That the arguments with a sign are not negative, which a condition takes for granted.
fn signed(function: &Function, condition: &Condition) -> Vec<String> {
    let is_signed = |param: u16| integer(&function.params, param.into()).is_some_and(crate::types::Scalar::is_signed);
    let sign = |symbol: Symbol| match symbol {
        Symbol::Scalar(param) if is_signed(param) => {
            function.params.get(usize::from(param)).map(|param| format!("{} >= 0", param.name))
        }
        Symbol::Scalar(_) | Symbol::Len(_) | Symbol::Most(_) | Symbol::LastGroup(_) => None,
    };
    condition.symbols().filter_map(sign).collect()
}

/// What to write where no requirement helps.
fn cure(function: &Function, place: &Place, missing: Missing) -> String {
    let name = function.root_name(place.root);
    let index = |value| function.values[value].name.as_deref().unwrap_or("index").to_owned();
    match missing {
        Missing::Bound(value, bound) => {
            format!("keep the index in bounds: `if {} < {bound} {{ … }}`", index(value))
        }
        Missing::Index(value) => match place.root {
            Root::Param(_) => {
                format!("keep the index in bounds: `if {} < {name}.len() {{ … }}`", index(value))
            }
            Root::Shared(_) | Root::Private(_) | Root::Table(_) => {
                format!("keep the index in bounds with `if`, `min` or `%`; the length of `{name}` is fixed")
            }
        },
        Missing::Room | Missing::Unreached => "remove the access".to_owned(),
        Missing::Conditions => "use fewer buffers and lengths in one kernel".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::pass::{Expansion, expand, optimize};
    use crate::text::parse;

    /// The helps for a kernel whose loop counts up to the length of `y` and loads from `x` at `%at`.
    fn helps(at: &str) -> Vec<String> {
        let module = parse(&format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {{
                %n = len @y
                loop 'l (%k: u32 = 0u32) {{
                    %done = ge %k, %n
                    if %done {{ break 'l }} else {{ yield }}
                    %v = load u32 @y[%k]
                    {at}
                    %w = load u32 @x[%at]
                    store @y[%k], %w
                    %next = add %k, 1u32
                    continue 'l %next
                }}
                ret
            }}"
        ));
        let checked = optimize(check(module.expect("text")).expect("a kernel"));
        let function = expand(checked.function(0).expect("the kernel").0, Expansion::ALL);
        guards_in_loops(&checked.module().types, &function)
            .as_slice()
            .iter()
            .filter_map(|diag| diag.help.clone())
            .collect()
    }

    #[test]
    fn what_is_below_a_small_number_asks_for_that_many_elements() {
        let expected = "add `requires(x.len() >= 256)` to `#[kernel(…)]`";
        assert_eq!(helps("%at = and %v, 255u32"), [expected]);
    }

    #[test]
    fn what_a_type_alone_bounds_asks_for_a_test_and_no_length() {
        let expected = "keep the index in bounds: `if at < x.len() { … }`";
        assert_eq!(helps("%at = shr %v, 1u32"), [expected]);
        assert_eq!(helps("%one = or %v, 1u32 %at = sub %one, 1u32"), [expected]);
    }
}
