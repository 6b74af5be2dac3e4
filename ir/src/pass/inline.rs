//! A kernel without calls, and without the functions that it called.

use crate::check::{Checked, check_image};
use crate::ir::Module;

/// A module whose only function is the kernel of this index, with every call replaced by
/// the callee's body; `None` if there is no such kernel.
///
/// ```
/// use samebits_ir::{check::check, pass::inline, text::parse};
///
/// let source = "
/// func @one() -> u32 { ret 1u32 }
/// func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
///   %a = call @one()
///   store @y[0u32], %a
///   ret
/// }";
/// let checked = parse(source).and_then(check).map_err(|_| "sound")?;
/// assert!(inline::kernel(&checked, 0).is_none(), "a device function");
/// let kernel = inline::kernel(&checked, 1).ok_or("a kernel")?;
/// assert_eq!(kernel.module().functions.len(), 1);
/// # Ok::<(), &str>(())
/// ```
pub fn kernel(checked: &Checked, index: usize) -> Option<Checked> {
    let (function, _) = checked.function(index).filter(|(function, _)| function.is_kernel())?;
    let types = checked.module().types.clone();
    // What was accepted with its calls replaced is accepted so.
    check_image(Module { types, functions: vec![function.clone()] }).ok()
}
