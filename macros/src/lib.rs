//! The attribute `#[kernel]`; see the crate `samebits` for what it does.

use proc_macro::TokenStream;

/// Compiles a function for every device and replaces it by its typed launcher.
///
/// ```ignore
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(256))]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// saxpy::launch(&device, y.len(), 2.0, &x, &mut y)?;
/// ```
///
/// What may stand in the function (types, ids, barriers, atomics, methods, statements) and what it means
/// there is told in [`samebits::language`](../samebits/language/index.html), with examples.
///
/// # Arguments
///
/// - `workgroup_size(x)`, `workgroup_size(x, y)`, `workgroup_size(x, y, z)`: the invocations of a workgroup, as literals; 64 if
///   it is not given.
/// - `fast_math`: `f32` is computed as the device does it, which may fuse a product into a sum, flush subnormals, or be off by
///   a little in quotients and roots. The promise of equal bits is given up for this kernel; the interpreter stays exact.
/// - `crate = path`: where `samebits` is, if not at `::samebits`.
///
/// # Parameters
///
/// - `x: &[T]` is a buffer that the kernel reads; the launcher takes `&Buffer<T>` or a view.
/// - `x: &mut [T]` is a buffer that it reads and writes; the launcher takes `&mut Buffer<T>` or a `ViewMut`.
/// - `x: &[Atomic<u32>]` (or of another number) is a buffer of atomics; the launcher takes `&mut Buffer<u32>`.
/// - `n: T` is a value: a number, `bool`, `usize` or a vector.
///
/// # The launcher
///
/// The function becomes a type of its name and visibility with
/// `launch(&device, grid, …) -> Result<(), Error>`, whose further parameters are the kernel's. The grid
/// is a number of invocations, `(w, h)`, `(w, h, d)` or `Grid::groups(x, y, z)`. A launch is queued; a read waits for it.
///
/// # Errors
///
/// What cannot be compiled is an error on its own tokens, with a code such as `V010` that has a page in
/// `ir/docs/errors/`. rustc does not see the body and gives no warnings for it.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::kernel::expand(args.into(), item.into()).into()
}

/// Makes a function, the methods of a struct, or a constant known to kernels.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::device::expand(args.into(), item.into()).into()
}

/// Lets a struct be the element of a buffer, an argument, and a value in kernels.
#[proc_macro_derive(Element, attributes(element))]
pub fn element(item: TokenStream) -> TokenStream {
    samebits_front::device::element(item.into()).into()
}

/// Called by the macros that kernels and helpers are, with what they know.
#[doc(hidden)]
#[proc_macro]
pub fn link(input: TokenStream) -> TokenStream {
    samebits_front::link(input.into()).into()
}
