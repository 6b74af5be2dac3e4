//! What to write instead of a function or a method that does not exist.
//!
//! Names come from the tables of ops, functions and atomics, so a new row is suggested
//! automatically. A help only names what exists for the given type.

use super::foreign;
use super::reserved::is_taken;
use samebits_ir::nearest::nearest;
use samebits_ir::ops::{AtomicOp, Function, NumberMethod, Op, VectorMethod};
use samebits_ir::types::Scalar;

/// Methods of numbers that are not in the table.
const METHODS: [&str; 5] = ["sin_cos", "to_bits", "overflowing_add", "overflowing_sub", "overflowing_mul"];

/// What to write instead of a call with these arguments, which a kernel cannot make; nothing if
/// there is nothing to suggest.
pub fn instead_of(owner: Option<&str>, name: &str, args: &[String]) -> Option<String> {
    match (owner, name) {
        (Some(number), "max_value") if is_number(number) => return Some(format!("write `{number}::MAX`")),
        (Some(number), "min_value") if is_number(number) => return Some(format!("write `{number}::MIN`")),
        _ => {}
    }
    let of_a_number = owner.is_some_and(is_number);
    if let Some(owner) = owner
        && let Some(help) = foreign::associated(owner, name, args)
    {
        return Some(help);
    }
    if owner.is_none() && foreign::is_function(name) {
        return foreign::function(name, args);
    }
    if owner.is_none()
        && let Some(help) = foreign::macro_call(name)
    {
        return Some(help.to_owned());
    }
    if owner.is_none() && is_taken(name) {
        return Some("a helper cannot have this name, which is that of a macro or an attribute".to_owned());
    }
    if owner == Some("Atomic")
        && let Some(op) = AtomicOp::from_rust(name)
    {
        return Some(method("atomic", name, op.operands(), args, None));
    }
    let number = owner.filter(|_| of_a_number);
    if let Some(op) = Op::from_any_method(name) {
        return Some(method("value", name, op.info().signature.arity().0.saturating_sub(1), args, number));
    }
    if METHODS.contains(&name) {
        let takes = usize::from(!["sin_cos", "to_bits"].contains(&name));
        return Some(method("value", name, takes, args, number));
    }
    if let Some(own) = NumberMethod::ALL.iter().find(|method| method.name() == name) {
        return Some(method("value", name, own.takes().len(), args, number));
    }
    if let Some(own) = VectorMethod::ALL.iter().find(|method| method.name() == name) {
        return Some(method("vector", name, own.takes().len(), args, number));
    }
    if let Some(help) = foreign::function(name, args) {
        return Some(help);
    }
    if let Some(op) = AtomicOp::from_rust(name) {
        return Some(method("atomic", name, op.operands(), args, None));
    }
    owner.is_none().then(|| nearest(name, Function::all().map(Function::name), "()")).flatten()
}

/// That a function is a method, with its call: of the arguments, if they are as many as it takes.
fn method(receiver: &str, name: &str, takes: usize, args: &[String], number: Option<&str>) -> String {
    let shown = match args {
        [first, rest @ ..] if rest.len() == takes => {
            let literal = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
            let symmetric = ["min", "max"].contains(&name);
            match rest {
                // A literal alone does not say what type it has.
                [second] if symmetric && literal(first) && !literal(second) => call_of_method(second, name, &[first]),
                _ => {
                    let bare = literal(first) && first.ends_with(|c: char| c.is_ascii_digit());
                    let ty = number.unwrap_or(if first.contains('.') { "f32" } else { "u32" });
                    let suffix = if bare { ty } else { "" };
                    call_of_method(&format!("{first}{suffix}"), name, &rest.iter().collect::<Vec<_>>())
                }
            }
        }
        _ => format!("{receiver}.{name}({})", if takes == 0 { "" } else { "…" }),
    };
    format!("it is a method: write `{shown}`")
}

fn call_of_method(receiver: &str, name: &str, args: &[&String]) -> String {
    let args: Vec<&str> = args.iter().map(|arg| arg.as_str()).collect();
    let receiver = if foreign::is_compound(receiver) { format!("({receiver})") } else { receiver.to_owned() };
    format!("{receiver}.{name}({})", args.join(", "))
}

/// How to call the function of the language that stands where a value is wanted.
pub fn call_of(name: &str) -> Option<String> {
    let arguments = if Function::from_name(name)?.operands() > 0 { "…" } else { "" };
    Some(format!("it is a function: write `{name}({arguments})`"))
}

/// The methods whose names are near to this one, of a value of this type, or of a vector of so many.
pub fn method_like(name: &str, scalar: Scalar, lanes: Option<u8>) -> Option<String> {
    nearest(name, methods_of(scalar, lanes), "")
}

/// The methods of values of this type, or of vectors of so many.
pub fn methods_of(scalar: Scalar, lanes: Option<u8>) -> impl Iterator<Item = &'static str> {
    let table = Op::methods(scalar).map(|(method, _)| method);
    let more = METHODS.into_iter().filter(move |method| match *method {
        "sin_cos" => scalar.is_float(),
        "to_bits" => scalar.is_float() && lanes.is_none(),
        _ => scalar.is_int() && lanes.is_none(),
    });
    let numbers = NumberMethod::all_of(scalar).filter(move |_| lanes.is_none()).map(NumberMethod::name);
    let own = lanes.into_iter().flat_map(move |lanes| VectorMethod::all_of(scalar, lanes)).map(VectorMethod::name);
    table.chain(more).chain(numbers).chain(own)
}

fn is_number(name: &str) -> bool {
    name == "usize" || Scalar::from_name(name).is_some_and(|scalar| scalar.bits() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_function_names_its_neighbour() {
        assert_eq!(instead_of(None, "bit_extrct", &[]).as_deref(), Some("there is `bit_extract()`"));
        assert_eq!(instead_of(None, "globl_id", &[]).as_deref(), Some("there is `global_id()`"));
    }

    #[test]
    fn a_beginning_names_a_few_that_begin_so() {
        let help = instead_of(None, "dot4", &[]);
        assert_eq!(help.as_deref(), Some("there are `dot4_i8()`, `dot4_u8()` and `dot4_i8_u8()`"));
    }

    #[test]
    fn a_misspelled_method_names_its_neighbour() {
        assert_eq!(method_like("saturating_ad", Scalar::U32, None).as_deref(), Some("there is `saturating_add`"));
        assert_eq!(method_like("sat_add", Scalar::U32, None).as_deref(), Some("there is `saturating_add`"));
        assert_eq!(method_like("lenght", Scalar::F32, Some(3)).as_deref(), Some("there is `length`"));
    }

    #[test]
    fn only_methods_of_the_type_are_named() {
        assert_eq!(method_like("saturating_ad", Scalar::F32, None), None);
        assert_eq!(method_like("lenght", Scalar::F32, None), None);
        assert_eq!(method_like("wrapping_ad", Scalar::F32, None), None);
    }

    #[test]
    fn a_name_like_nothing_names_nothing() {
        assert_eq!(method_like("frobnicate", Scalar::U32, None), None);
        assert_eq!(instead_of(None, "square", &[]), None);
    }

    #[test]
    fn a_function_without_its_call_is_shown_with_it() {
        for (name, call) in [
            ("workgroup_barrier", "workgroup_barrier()"),
            ("subgroup_elect", "subgroup_elect()"),
            ("subgroup_add", "subgroup_add(…)"),
            ("broadcast", "broadcast(…)"),
        ] {
            assert_eq!(call_of(name), Some(format!("it is a function: write `{call}`")));
        }
        assert_eq!(call_of("square"), None);
    }

    #[test]
    fn a_method_called_as_a_function_is_shown_as_a_method() {
        for (owner, name, call) in [
            (Some("u64"), "wrapping_add", "value.wrapping_add(…)"),
            (Some("u64"), "isqrt", "value.isqrt()"),
            (Some("Atomic"), "fetch_add", "atomic.fetch_add(…)"),
            (Some("Atomic"), "load", "atomic.load()"),
            (None, "max", "value.max(…)"),
            (Some("f32"), "to_bits", "value.to_bits()"),
        ] {
            assert_eq!(instead_of(owner, name, &[]), Some(format!("it is a method: write `{call}`")));
        }
    }

    #[test]
    fn a_method_is_shown_with_the_arguments() {
        for (owner, name, args, call) in [
            (None, "max", ["a", "b"], "a.max(b)"),
            (None, "max", ["2", "n"], "n.max(2)"),
            (None, "min", ["a + b", "c"], "(a + b).min(c)"),
            (Some("u32"), "pow", ["2", "n"], "2u32.pow(n)"),
            (None, "dot", ["v", "w"], "v.dot(w)"),
        ] {
            let args = args.map(str::to_owned);
            assert_eq!(instead_of(owner, name, &args), Some(format!("it is a method: write `{call}`")));
        }
    }

    #[test]
    fn the_limits_of_a_type_are_constants() {
        assert_eq!(instead_of(Some("i32"), "max_value", &[]).as_deref(), Some("write `i32::MAX`"));
        assert_eq!(instead_of(Some("usize"), "min_value", &[]).as_deref(), Some("write `usize::MIN`"));
    }
}
