//! The attributes `#[kernel]` and `#[device]` and the derive `Element`; see the crate `samebits` for what they
//! do.

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
/// What may stand in the function (types, ids, barriers, atomics, methods, statements) and what it means there is
/// told in [`samebits::language`](../samebits/language/index.html), with examples.
///
/// # Arguments
///
/// - `workgroup_size(x)`, `workgroup_size(x, y)`, `workgroup_size(x, y, z)`: the invocations of a workgroup, as
///   literals or `#[device]` constants; 64 if it is not given.
/// - `limits(workgroup_memory = 32768)`: how much the kernel may use beyond what every device has, of
///   `workgroup_memory` (16384 bytes), `invocations` of a workgroup (256), `buffers` (8) and `argument_bytes` (65536).
/// - `features(f64)`: that it uses values of `f64` or `f16`, atomics of 64 bits (`atomic64`) or of floats
///   (`float_atomics`). A use without the declaration is an error, and so is a declaration without a use.
/// - `instances(T = [f32, u32], N = [2, 3])`: what each parameter of a generic kernel may be. Every combination is
///   compiled, and checked, when the program is built.
/// - `fast_math`: `f32` is computed as the device does it, which may fuse a product into a sum, flush subnormals,
///   or be off by a little in quotients and roots. The promise of equal bits is given up for this kernel; the
///   interpreter stays exact.
/// - `requires(y.len() >= x.len(), n <= x.len())`: comparisons of lengths, integer arguments and constants that
///   every launch satisfies. The launcher checks them once, and the compiler relies on them instead of testing
///   accesses.
/// - `deny(guards)`: an access that is tested each time it runs, inside of a loop, is an error that says what is
///   missing, and which requirement would do.
/// - `crate = path`: where `samebits` is, if not at `::samebits`.
///
/// # Parameters
///
/// - `x: &[T]` is a buffer that the kernel reads; the launcher takes `&Buffer<T>` or a view.
/// - `x: &mut [T]` is a buffer that it reads and writes; the launcher takes `&mut Buffer<T>` or a `ViewMut`.
/// - `x: &[Atomic<u32>]` (or of another number) is a buffer of atomics; the launcher takes `&mut Buffer<u32>`.
/// - `n: T` is a value: a number, `bool`, `usize`, a vector, an array, or a struct that derives
///   [`Element`](macro@Element).
///
/// # Generic kernels
///
/// A type parameter is bounded by a class of numbers, `Float`, `Int`, `Signed`, `Unsigned` or `Number`, or by
/// `Element`; a constant parameter is `const N: usize`. The launcher's type parameters are the kernel's, and most
/// calls need not write them; where no argument says what one is, they follow `launch`.
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
/// A type that is none of the instances is a compile error at the launch.
///
/// # The launcher
///
/// The function becomes a type of its name and visibility with `launch(&device, grid, …) -> Result<(), Error>`,
/// whose further parameters are the kernel's. The grid is a number of invocations, `(w, h)`, `(w, h, d)` or
/// `Grid::groups(x, y, z)`. A launch is queued; a read waits for it. The type is documented with the function's own
/// words and a list of its arguments, `launch` with the first paragraph of them and that list.
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
/// What may stand in a body is what may stand in a kernel; [`samebits::language`](../samebits/language/index.html)
/// tells it, with examples of all that follows.
///
/// # Functions
///
/// A *helper* takes and returns values (numbers, vectors, tuples, arrays, structs) and may take references to
/// places (`&T`, `&mut [T]`, `&Atomic<u32>`) and closures (`impl Fn(f32) -> f32`). It may be generic over classes
/// of numbers and over lengths, have loops and barriers, and ask where its invocation is. It is imported and made
/// public like any function.
///
/// To the host, its name is a type: it cannot be called there. Its documentation stands on that type.
///
/// # Methods
///
/// One `impl` of a struct that says `#[element(methods)]`, in the module of the struct, holds its methods,
/// associated functions and constants. Constants exist on the host as well, functions do not. The documentation of
/// public methods stands on the `impl`, and the examples in it are run as doc tests.
///
/// # Constants
///
/// A `const` of a scalar type whose value is computed from literals and other such constants. Unlike an ordinary
/// one, which kernels see too, it can be the length of an array, a workgroup size, or an instance of a generic
/// kernel. To the host it is the constant that it was.
///
/// # Arguments
///
/// - `crate = path`: where `samebits` is, if not at `::samebits`.
///
/// # Errors
///
/// A helper is compiled where it is defined, whether it is called or not, and for every member of its classes. What
/// is wrong with it is an error there, with a code such as `V106`, and not again where it is called. A call of
/// something without `#[device]` is an error on the name: ours if the file shows what it is, else rustc's "cannot find
/// macro `name` in this scope".
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::device::expand(args.into(), item.into()).into()
}

/// Lets a struct be the element of a buffer, an argument, and a value in kernels.
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
/// The derive implements the trait [`samebits::Element`](../samebits/element/trait.Element.html), and `bytemuck`'s `Pod`
/// and `Zeroable`, which that one asks for. The struct has named fields or those of a tuple: numbers of 8 to 64
/// bits, vectors, arrays, and other such structs.
///
/// # Requirements
///
/// - `#[repr(C)]`, `Clone` and `Copy`.
/// - No gaps: a field begins where the one before it ends, and the size is a multiple of the largest number's.
///   Order the fields by size, or fill a gap with a field.
/// - No `bool` and no `usize`, which are not the same on host and device: use a `u32`.
/// - No type parameters, and at least one field.
///
/// What does not hold is error V207, on the field.
///
/// # Arguments
///
/// - `#[element(methods)]`: the struct has a `#[device] impl` in its module; see [`device`](macro@device).
/// - `#[element(crate = path)]`: where `samebits` is, if not at `::samebits`.
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

/// Called by what kernels and helpers begin with, in editors alone.
#[doc(hidden)]
#[proc_macro]
pub fn shadow(input: TokenStream) -> TokenStream {
    samebits_front::editor::shadow(input.into()).into()
}

/// Called by `samebits` alone, for what it has to show to editors.
#[doc(hidden)]
#[proc_macro]
pub fn editor_items(_: TokenStream) -> TokenStream {
    samebits_front::editor::items().into()
}

/// Called by items with a `cfg` in them, for rustc to decide it.
#[doc(hidden)]
#[proc_macro_derive(Configured, attributes(samebits_item))]
pub fn configured(item: TokenStream) -> TokenStream {
    samebits_front::configured(item.into()).into()
}

/// Takes away the item that it is on, of which a derive has made another.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn gone(_: TokenStream, _: TokenStream) -> TokenStream {
    TokenStream::new()
}
