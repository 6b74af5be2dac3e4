//! The attributes `#[kernel]`, `#[device]` and `#[test]` and the derive `Element` of the crate `samebits`. What kernels may
//! contain is described there, in `samebits::language`.

use proc_macro::TokenStream;

/// Compiles a function for every device and replaces it by a typed launcher.
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
/// Arguments of the attribute: `workgroup_size`, `limits`, `features`, `instances`, `fast_math`, `debug`, `requires`,
/// `deny(guards)` and `crate`. They, the parameters, and all that a kernel may contain are described in
/// [`samebits::language`](../samebits/language/index.html), with examples.
///
/// # Generic kernels
///
/// A type parameter is bounded by a class of numbers, `Float`, `Int`, `Signed`, `Unsigned` or `Number`, or by
/// `Element`. A constant parameter is `const N: usize`. `instances` lists what they may be. `launch` has the same
/// parameters, and most calls need not write them.
///
/// ```ignore
/// #[kernel(instances(T = [f32, u32], N = [2, 3]))]
/// fn scale<T: Number, const N: usize>(y: &mut [T]) {
///     let i = global_id().x;
///     y[i] *= N as T;
/// }
///
/// scale::launch::<_, 3>(&device, y.len(), &mut y)?; // `T` is that of the buffer
/// let report = scale::kernel::<f32, 2>().report()?; // one of the four
/// ```
///
/// A launch with a type that is not among the instances is a compile error.
///
/// # The launcher
///
/// The function becomes a type of its name and visibility, with `launch(&device, grid, …) -> Result<(), Error>`; the
/// other parameters are the kernel's. The grid is a number of invocations, `(w, h)`, `(w, h, d)` or
/// `Grid::groups(x, y, z)`. A launch is queued, and a read waits for it. The documentation of the function goes on the
/// type.
///
/// # Errors
///
/// Errors are shown on your own code. Each has a code such as `V010`, with a page that `samebits explain V010` prints.
/// rustc warns of unused variables and the like in the body, as it does elsewhere.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::kernel::expand(args.into(), item.into()).into()
}

/// Makes a function, the methods of a struct, or a constant known to kernels.
///
/// ```ignore
/// use samebits::prelude::*;
///
/// #[device]
/// const SIDE: usize = 16;
///
/// #[device]
/// pub fn lerp<T: Float>(a: T, b: T, t: T) -> T {
///     a + (b - a) * t
/// }
///
/// #[derive(Clone, Copy, Element)]
/// #[element(methods)]
/// #[repr(C)]
/// pub struct Ray {
///     pub origin: Vec3<f32>,
///     pub direction: Vec3<f32>,
/// }
///
/// #[device]
/// impl Ray {
///     pub fn at(&self, distance: f32) -> Vec3<f32> {
///         self.origin + self.direction * distance
///     }
/// }
/// ```
///
/// A body may contain what a kernel may contain. Functions, methods and constants are described, with examples, in
/// [`samebits::language::items`](../samebits/language/items/index.html). In short:
///
/// - A function, or *helper*, is for kernels only: to the host its name is a type. It is imported like any function.
/// - A struct with `#[element(methods)]` has one `impl` with `#[device]`, in the same module. Its constants exist on the
///   host too, its functions do not.
/// - A constant can also be the length of an array, a workgroup size, or an instance of a generic kernel. To the host
///   it is an ordinary constant.
/// - Documentation goes on the type of a function and on the `impl` of methods. Its examples run as doc tests.
///
/// # Arguments
///
/// - `crate = path`: where `samebits` is, if not at `::samebits`.
///
/// # Errors
///
/// A helper is checked where it is defined, whether it is called or not, and for every type that it allows. Its errors
/// have codes such as `V106` and are reported there, not again at its calls. A call of a function without `#[device]`
/// is an error on the name: ours if the file shows the function, else rustc's "cannot find macro `name` in this scope".
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::device::expand(args.into(), item.into()).into()
}

/// Lets a struct, or an enum without fields, be an element of buffers, an argument of kernels, and a value in them.
///
/// ```ignore
/// use samebits::prelude::*;
///
/// #[derive(Clone, Copy, Element)]
/// #[repr(C)]
/// struct Particle {
///     place: Vec2<f32>,
///     speed: Vec2<f32>,
/// }
///
/// #[kernel]
/// fn go_on(time: f32, particles: &mut [Particle]) {
///     let i = global_id().x;
///     particles[i].place += particles[i].speed * time;
/// }
/// ```
///
/// The derive implements the trait [`samebits::Element`](../samebits/element/trait.Element.html), and of `bytemuck`
/// `Zeroable`, which `Element` needs, and `Pod` if there is no `bool` in it. The fields are named or those of a tuple:
/// numbers of 8 to 64 bits, `bool`, vectors, arrays, and other such structs.
///
/// # Requirements
///
/// - `#[repr(C)]`, `Clone` and `Copy`.
/// - No gaps: each field begins where the one before it ends, and the size is a multiple of the alignment. Order the
///   fields by size, or fill a gap with a field.
/// - A struct with a `usize`, whose size differs between host and device, can be an argument but no element of a buffer.
/// - At least one field.
/// - Parameters are types and `const N: usize`. Whether there are gaps is asked where a buffer is made. There is no
///   `Pod` for a generic struct.
///
/// A struct that breaks one of these is error V207, on the field.
///
/// An enum has no fields, a `repr` of an integer, `Clone` and `Copy`, and a variant of value 0.
///
/// # Arguments
///
/// - `#[element(methods)]`: the struct has a `#[device] impl` in its module; see [`device`](macro@device).
/// - `#[element(crate = path)]`: where `samebits` is, if not at `::samebits`.
#[proc_macro_derive(Element, attributes(element))]
pub fn element(item: TokenStream) -> TokenStream {
    samebits_front::device::element(item.into()).into()
}

/// Compares a kernel with plain Rust: the function that the attribute is on becomes a test, and computes what is right.
///
/// The test makes 32 inputs by chance. It calls the function with each, runs the kernel with the same input on every
/// device of this machine and on [judges](../samebits/judge/index.html) with three schedules, and compares all
/// parameters `&mut [T]`, bit by bit. An input for which something differs is made smaller, and the smallest one is shown
/// with the device and the seed.
///
/// ```ignore
/// use samebits::prelude::*;
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     if i < x.len() && i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// #[samebits::test(kernel = saxpy)]
/// fn saxpy_is_right(#[range(-8.0..=8.0)] a: f32, x: &[f32], #[len(x.len())] y: &mut [f32]) {
///     for (y, x) in y.iter_mut().zip(x) {
///         *y = a * x + *y;
///     }
/// }
/// ```
///
/// For what is more than one launch, `run` is a closure or function that gets a device and the parameters, and whose
/// result is compared as well:
///
/// ```ignore
/// #[samebits::test(run = |device, keys| {
///     let mut buffer = device.upload(keys)?;
///     samebits::algo::sort(device, &mut buffer)?;
///     buffer.read()
/// })]
/// fn sorts(#[len(0..5000)] keys: &[u32]) -> Vec<u32> {
///     let mut keys = keys.to_vec();
///     keys.sort();
///     keys
/// }
/// ```
///
/// # Parameters
///
/// `&[T]` and `&mut [T]` are lists, which the kernel gets as buffers; its `&[Atomic<u32>]` is a `&mut [u32]` here. Any other
/// type is a value. Numbers, `bool`, vectors and arrays are made by chance, with many edges. Floats are of all kinds in every
/// second input, and in the others without NaN and infinities, or ordinary numbers only
/// ([`Chance`](../samebits/check/struct.Chance.html) says how they are mixed). Attributes say more; their expressions may name
/// the parameters before:
///
/// - `#[len(0..=100)]`, `#[len(x.len())]`: how many elements a list has; else up to 200.
/// - `#[range(1..=9)]`, `#[range(-1.0..1.0)]`: the values, or those of elements. `f32::MIN..=f32::MAX` is all finite
///   numbers.
/// - `#[with(|chance| …)]`: makes a value, or an element, from a
///   [`Chance`](../samebits/check/struct.Chance.html). Such a value is not made smaller.
///
/// A type of your own implements [`Generate`](../samebits/check/trait.Generate.html) or has `with`, and implements
/// `Input`, `Clone` and `Debug`; if it is compared, also `Same`.
///
/// # Arguments
///
/// - `kernel = path`: the kernel, with its arguments if it is generic: `scale::<f32, 2>`.
/// - `grid = n`: its grid, an expression of the parameters; else as many invocations as the longest list has elements.
/// - `run = closure`: instead of a kernel, `Fn(&Device, …) -> Result<R, Error>` with the parameters and the result of the
///   function.
/// - `inputs = 100`: how many inputs; `seed = 7`: the seed of the first.
/// - `on = [Device::cpu()]`: the devices; then there are no judges.
/// - `crate = path`: where `samebits` is, if not at `::samebits`.
///
/// # Errors
///
/// A wrong attribute is V101, a signature that a test cannot have V102. The test fails with the smallest wrong input, or if
/// no input fits the ranges.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::trial::expand(args.into(), item.into()).into()
}

/// One step of linking; called by the macros of helpers, structs and constants.
#[doc(hidden)]
#[proc_macro]
pub fn link(input: TokenStream) -> TokenStream {
    samebits_front::link(input.into()).into()
}

/// A kernel as code of the machine; called by the expansions of kernels, where no debug assertions are wanted.
#[cfg(feature = "native")]
#[doc(hidden)]
#[proc_macro]
pub fn native_code(input: TokenStream) -> TokenStream {
    samebits_front::native::expand(input.into()).into()
}

/// The body of an item as plain Rust; called by the expansions of items, in editors only.
#[doc(hidden)]
#[proc_macro]
pub fn shadow(input: TokenStream) -> TokenStream {
    samebits_front::editor::shadow(input.into()).into()
}

/// The swizzles of vectors; called by `samebits` only.
#[doc(hidden)]
#[proc_macro]
pub fn swizzles(_: TokenStream) -> TokenStream {
    samebits_front::editor::swizzles().into()
}

/// What the language has and Rust lacks, for editors; called by `samebits` only.
#[doc(hidden)]
#[proc_macro]
pub fn editor_items(_: TokenStream) -> TokenStream {
    samebits_front::editor::items().into()
}

/// Derived by the expansions of items with a `cfg` in them, so that rustc decides it.
#[doc(hidden)]
#[proc_macro_derive(Configured, attributes(samebits_item))]
pub fn configured(item: TokenStream) -> TokenStream {
    samebits_front::configured(item.into()).into()
}

/// Removes the item that it is on, after a derive has replaced it.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn gone(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}
