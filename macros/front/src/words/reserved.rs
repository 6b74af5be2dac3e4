//! Names that helpers, structs and constants cannot have.
//!
//! Their names are also names of macros. So the name of a macro or an attribute that is in
//! scope everywhere would be ambiguous. And a call of a function of the language is always
//! taken for that function. Names of methods are free, because a method is called with a dot.

use super::{foreign, is_among, messages};
use crate::report::{Refused, Reporter};
use crate::syntax::{self, plain};
use proc_macro2::Ident;
use samebits_ir::diag::Code;
use samebits_ir::ops::{Function, Op};
use samebits_ir::types::Scalar;

/// The macros of `core` and `std`, which need no import.
const MACROS: &str = "
    addr_of addr_of_mut assert assert_eq assert_matches assert_ne cfg cfg_select column compile_error concat
    concat_bytes concat_idents const_format_args dbg debug_assert debug_assert_eq debug_assert_ne eprint eprintln
    env file format format_args global_asm include include_bytes include_str is_aarch64_feature_detected
    is_x86_feature_detected line log_syntax macro_rules matches module_path offset_of option_env panic pin print
    println ready stringify thread_local todo trace_macros try unimplemented unreachable vec write writeln
";

/// Attributes and derives, ours among them.
const ATTRIBUTES: &str = "
    Clone Copy Debug Default Element Eq Hash Ord PartialEq PartialOrd allow automatically_derived bench cfg cfg_attr
    cold crate_name crate_type debugger_visualizer deny deprecated derive device diagnostic doc expect export_name
    forbid global_allocator ignore inline instruction_set kernel link link_name link_section macro_export macro_use
    must_use naked no_implicit_prelude no_link no_main no_mangle no_std non_exhaustive panic_handler path proc_macro
    proc_macro_attribute proc_macro_derive recursion_limit repr rustfmt clippy shared should_panic target_feature
    test track_caller type_length_limit used warn windows_subsystem
";

/// Types that a kernel knows or that are in everybody's prelude.
const TYPES: &[&str] = &[
    "Atomic", "Distinct", "Below", "Vec2", "Vec3", "Vec4", "Mat2", "Mat3", "Mat4", "String", "Vec", "Box", "Option",
    "Result", "Some", "None", "Ok", "Err", "Self", "ToString", "ToOwned", "Iterator", "Into", "From", "TryFrom",
    "TryInto", "Fn", "FnMut", "FnOnce", "Drop", "Send", "Sync", "Sized", "AsRef", "AsMut",
];

/// Whether a type of this name belongs to the language or is a well-known one of Rust, and so is
/// not a struct of a user.
pub fn is_known_type(name: &str) -> bool {
    TYPES.contains(&name) || ["usize", "bf16"].contains(&name) || Scalar::from_name(name).is_some()
}

/// Whether a type is one of the language that values have, so that no macro knows it.
pub fn is_of_language(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = syntax::peel_type(ty) else { return false };
    let name = path.path.segments.last().filter(|_| path.qself.is_none() && path.path.segments.len() == 1);
    name.is_some_and(|last| {
        let name = last.ident.to_string();
        let own = ["usize", "bf16", "Vec2", "Vec3", "Vec4", "Mat2", "Mat3", "Mat4"];
        Scalar::from_name(&name).is_some() || own.contains(&name.as_str())
    })
}

/// Whether a call of this name is one of the language, or is refused with the way to write
/// it in the language.
pub fn is_known_function(name: &str) -> bool {
    Function::from_name(name).is_some() || foreign::is_function(name) || is_taken(name) || messages::is_call(name)
}

/// Whether a path is a function of the module `approx`, and which.
pub fn approx(path: &syn::Path) -> Option<Op> {
    match path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().as_slice() {
        [module, name] if module == "approx" => Op::from_approx(name),
        _ => None,
    }
}

/// Whether a macro or an attribute that is always in scope has this name, so that nothing of
/// the user's can.
pub fn is_taken(name: &str) -> bool {
    is_macro(name) || is_among(ATTRIBUTES, name)
}

/// Whether a macro of `core` or `std` that needs no import has this name.
pub fn is_macro(name: &str) -> bool {
    is_among(MACROS, name)
}

/// Whether an item can have its name; reports it if not.
pub fn is_nameable<'a>(name: &'a Ident, what: &str, reporter: &mut Reporter<'a>) -> bool {
    let text = plain(name);
    let reason = if is_macro(&text) {
        "is a macro of Rust"
    } else if is_taken(&text) {
        "is an attribute or a derive"
    } else if is_known_type(&text) {
        "is a type of Rust or of the kernel language"
    } else if Function::from_name(&text).is_some() {
        "is a function of the kernel language"
    } else if foreign::is_function(&text) {
        "is a function of other GPU languages"
    } else {
        return true;
    };
    let message = format!("{what} cannot be called `{text}`, which {reason}");
    let help = format!("choose another name, such as `{text}_of` or `my_{text}`");
    reporter.refuse(name, Refused::new(Code::V110, message).help(help));
    false
}
