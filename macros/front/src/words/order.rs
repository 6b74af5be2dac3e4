//! The words of Rust for orders and scopes of atomics: `Ordering::AcqRel`, `Scope::Workgroup`.
//!
//! Only the last name of a path tells which one is meant, since its type may be imported under any name. That
//! the path leads to the right type is for rustc to judge ([`privacy`](mod@crate::privacy)).

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
