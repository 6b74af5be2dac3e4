//! The words of Rust for orders and scopes of atomics: `Ordering::AcqRel`, `Scope::Workgroup`.
//!
//! Only the last name of a path tells which one is meant, since its type may be imported under any name. That
//! the path leads to the right type is for rustc to judge ([`privacy`](mod@crate::privacy)).

use samebits_ir::ops::{AtomicOp, Function};
use samebits_ir::order::{Ordering, Scope};

/// The orders as `core::sync::atomic::Ordering` calls them.
const ORDERS: [(&str, Ordering); 5] = [
    ("Relaxed", Ordering::Relaxed),
    ("Acquire", Ordering::Acquire),
    ("Release", Ordering::Release),
    ("AcqRel", Ordering::AcqRel),
    ("SeqCst", Ordering::SeqCst),
];

/// The scopes that kernels have.
const SCOPES: [(&str, Scope); 2] = [("Workgroup", Scope::Workgroup), ("Device", Scope::Device)];

/// What a method of atomics of this name does, and whether its last argument is a scope.
pub fn method(name: &str) -> Option<(AtomicOp, bool)> {
    let (plain, scoped) = name.strip_suffix("_in").map_or((name, false), |plain| (plain, true));
    // Ours never fails without a reason, which the weak one may do.
    let plain = if plain == "compare_exchange_weak" { "compare_exchange" } else { plain };
    Some((AtomicOp::from_rust(plain)?, scoped))
}

/// How many of the arguments of a method or a function of this name may name items: not its scope.
pub fn naming_arguments(name: &str, given: usize) -> usize {
    let scoped = method(name).is_some_and(|(_, scoped)| scoped) || name == Function::FenceIn.name();
    given - usize::from(scoped && given > 0)
}

/// Whether a name is that of an order.
pub fn is_order_name(name: &str) -> bool {
    ORDERS.iter().any(|(order, _)| name == *order)
}

/// Whether a path is an order, such as `Ordering::Relaxed`.
pub fn is_order(path: &syn::Path) -> bool {
    ordering(path).is_some()
}

/// The order that a path means.
pub fn ordering(path: &syn::Path) -> Option<Ordering> {
    let last = path.segments.last()?;
    ORDERS.iter().find(|(name, _)| last.ident == name).map(|&(_, order)| order)
}

/// The scope that a path means.
pub fn scope(path: &syn::Path) -> Option<Scope> {
    let last = path.segments.last()?;
    SCOPES.iter().find(|(name, _)| last.ident == name).map(|&(_, scope)| scope)
}
