//! What launchers name so that one mistake in a kernel is one error.
//!
//! A launcher stands before it is known whether all that its kernel names exists. Where it
//! does not, rustc says so, and the launcher must not be a second mistake: an argument whose
//! type is then no element is passed as nothing.

use crate::argument::{Arg, Argument};

/// An argument that is passed by value.
#[derive(Debug)]
pub struct Value<T>(pub T);

impl<T: Argument> Value<T> {
    /// Its leaves.
    pub fn argument(self) -> Arg<'static> {
        self.0.argument()
    }
}

/// Stands in for the method of [`Value`] where the type is no [`Argument`]: rustc takes a
/// type's own method before a trait's.
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

/// The constants from outside that an instance of a generic kernel needs.
pub type Constants = Box<[Arg<'static>]>;

/// A constant parameter of a generic kernel, as a type.
#[derive(Debug)]
pub enum Const<const N: usize> {}
