//! Items that launchers use so that one mistake in a kernel is one error.
//!
//! The macro writes a launcher before it knows whether everything that the kernel names exists. If
//! something does not exist, rustc reports that, and the launcher must not cause a second error. So
//! an argument whose type is no element passes nothing.

use crate::argument::{Arg, Argument};
use crate::kernel::Kernel;

/// What every kernel's type has until its image is linked: a kernel that cannot be launched, and
/// no constants. Once the image is linked, the type has items of its own with the same names, and
/// rustc prefers these. So a launcher can be written before the image is known. The type's own
/// items must be visible at the launcher: rustc passes over private ones and takes those of this
/// trait.
///
/// ```
/// use samebits::__private::{Kernel, Unlinked as _};
///
/// enum Later {}
/// enum Linked {}
/// impl Linked {
///     const KERNEL: &'static Kernel = {
///         static KERNEL: Kernel = Kernel::from_image("linked", b"an image");
///         &KERNEL
///     };
/// }
/// assert_eq!(Linked::KERNEL.name(), "linked");
/// assert!(Later::KERNEL.image().is_empty());
/// assert_eq!(Later::__samebits_constants().len(), 0);
/// ```
pub trait Unlinked {
    /// A kernel without an image.
    const KERNEL: &'static Kernel = {
        static UNLINKED: Kernel = Kernel::from_image("unlinked", b"");
        &UNLINKED
    };

    /// The values of the constants that the kernel names.
    fn __samebits_constants() -> [Arg<'static>; 0] {
        []
    }
}

impl<T: ?Sized> Unlinked for T {}

/// An argument that is passed by value.
#[derive(Debug)]
pub struct Value<T>(pub T);

impl<T: Argument> Value<T> {
    /// Its leaves.
    pub fn argument(self) -> Arg<'static> {
        self.0.argument()
    }
}

/// Replaces the method of [`Value`] if the type is no [`Argument`]: rustc prefers a type's own
/// method to a trait's.
///
/// ```
/// use samebits::__private::{UnlinkedValue as _, Value};
/// struct Unknown;
/// let _nothing = Value(Unknown).argument();
/// let _number = Value(1u32).argument();
/// ```
pub trait UnlinkedValue {
    /// Nothing.
    fn argument(self) -> Arg<'static>;
}

impl<T> UnlinkedValue for Value<T> {
    fn argument(self) -> Arg<'static> {
        Arg::parts([])
    }
}

/// A type that a constant from outside may have in a kernel.
#[diagnostic::on_unimplemented(message = "a kernel cannot use a constant of type `{Self}`")]
pub trait ConstantType {
    /// A number that no other such type has.
    const KIND: u32;
}

/// The number of a value's type, by which an expansion finds the kernel for it.
///
/// ```
/// use samebits::__private::{ConstantType, kind};
/// const N: u16 = 3;
/// const KIND: u32 = kind(&N);
/// assert_eq!(KIND, u16::KIND);
/// assert_ne!(KIND, u32::KIND);
/// ```
pub const fn kind<T: ConstantType>(_: &T) -> u32 {
    T::KIND
}

/// A number as an `f16`, rounded once, as a cast in a kernel does it.
#[cfg(feature = "f16")]
pub const fn as_f16(value: f64) -> half::f16 {
    let bits = value.to_bits();
    // The conversion ignores the lower half of the bits, which may decide to which side a value rounds.
    let rest = ((bits as u32 != 0) as u64) << 32;
    half::f16::from_f64_const(f64::from_bits(bits | rest))
}

/// An integer constant of a helper's that the helper passes on, whose type only rustc knows.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// The number of its type.
    pub kind: u32,
    /// Its value as a `u64`.
    pub bits: u64,
}

macro_rules! constant_types {
    ($($kind:literal $ty:ty;)*) => { $(
        impl ConstantType for $ty {
            const KIND: u32 = $kind;
        }
    )* };
}

constant_types! { 0 i32; 1 u32; 2 i8; 3 u8; 4 i16; 5 u16; 6 i64; 7 u64; 8 usize; 9 f32; 10 f64; 11 bool; 12 isize; }

/// The constants from outside that an instance of a generic kernel needs.
pub type Constants = Box<[Arg<'static>]>;

/// A constant parameter of a generic kernel, as a type.
#[derive(Debug)]
pub enum Const<const N: usize> {}

/// The instance of the generic kernel `K` for the types and constants in a tuple.
///
/// ```compile_fail
/// use samebits::prelude::*;
///
/// #[kernel(instances(T = [f32, u32]))]
/// fn store<T: Number>(x: T, y: &mut [T]) {
///     y[0] = x;
/// }
///
/// let _ = store::kernel::<i32>();
/// ```
#[diagnostic::on_unimplemented(
    message = "the kernel `{K}` has no instance for `{Self}`",
    label = "no such instance",
    note = "its instances are those that `#[kernel(instances(…))]` lists"
)]
pub trait Instance<K> {
    /// The compiled kernel.
    const KERNEL: &'static Kernel;
    /// The constants from outside that it needs.
    fn constants() -> Constants;
}

/// A struct whose methods stand in a `#[device] impl`, which implements this.
///
/// ```compile_fail
/// use samebits::prelude::*;
///
/// #[derive(Clone, Copy, Element)]
/// #[element(methods)]
/// #[repr(C)]
/// struct Ray(f32);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has `#[element(methods)]`, but there is no `#[device] impl {Self}`",
    label = "its `#[device] impl` is missing",
    note = "write `#[device] impl {Self} {{ … }}` in the same module, or remove `#[element(methods)]`"
)]
pub trait Implemented {}

/// The bound of the functions of a `#[device] trait`, of which this number tells one from another. No type has it, so
/// that only kernels call the functions; to editors each type has it that has the trait.
///
/// ```compile_fail
/// use samebits::prelude::*;
///
/// #[device]
/// trait Shape {
///     fn area() -> f32;
/// }
///
/// #[derive(Clone, Copy, Element)]
/// #[element(traits(Shape))]
/// struct Square;
///
/// #[device]
/// impl Shape for Square {
///     fn area() -> f32 {
///         1.0
///     }
/// }
///
/// let area = Square::area();
/// ```
#[diagnostic::on_unimplemented(
    message = "the functions of a `#[device] trait` are for kernels",
    label = "only kernels and helpers can call it",
    note = "if the host needs the same function, write it a second time"
)]
pub trait OnDevice<const TRAIT: u64>: Sized {}

/// Demands that the methods which a struct announces exist.
///
/// ```
/// use samebits::__private::{Implemented, implemented};
/// struct Ray;
/// impl Implemented for Ray {}
/// const _: () = implemented::<Ray>();
/// ```
pub const fn implemented<T: Implemented>() {}
