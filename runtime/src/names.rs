//! A check by rustc of which variable a name in a kernel means, if macros wrote the kernel.
//!
//! Only rustc knows for sure which names of macros it keeps apart. If it matters, an expansion repeats the
//! kernel's variables as values of these types, and states at each use which variable it took the name for.

/// A variable, by its number in the function.
#[derive(Clone, Copy, Debug)]
pub struct Name<const N: usize>;

/// That a name means the variable of this number.
#[diagnostic::on_unimplemented(
    message = "it is unclear which of several variables with this name a macro means here",
    label = "not the variable that it was taken for",
    note = "give one of the variables another name"
)]
pub trait Names<const N: usize> {}

impl<const N: usize> Names<N> for Name<N> {}

/// Asks that a name means the variable of this number.
///
/// ```
/// use samebits::__private::{Name, named};
/// let x = Name::<3>;
/// named::<3>(x);
/// ```
///
/// ```compile_fail
/// use samebits::__private::{Name, named};
/// let x = Name::<3>;
/// named::<4>(x);
/// ```
pub fn named<const N: usize>(_: impl Names<N>) {}
