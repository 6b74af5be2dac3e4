//! The search for devices: all back ends of the list are asked for what they find.

use super::cpu::CPU;
use super::interpreter::INTERPRETER;
use super::{AnyDevice, Backend, KINDS, Opened};
use crate::error::Error;
use std::sync::Arc;

/// A row of the list of back ends.
pub(super) struct Kind {
    /// The back end's name, which is its cargo feature too.
    pub name: &'static str,
    /// Looks for its devices, in order of preference; `None` if the feature is off.
    pub find: Option<fn() -> Vec<Found>>,
}

/// The rows of a list of features and modules. The module of a feature that is on has a function
/// `find`; the module of a feature that is off need not exist.
macro_rules! kinds {
    ($($feature:literal => $module:ident;)*) => {
        &[$(Kind {
            name: $feature,
            find: {
                #[cfg(feature = $feature)]
                {
                    Some($module::find)
                }
                #[cfg(not(feature = $feature))]
                None
            },
        }),*]
    };
}
pub(super) use kinds;

/// A device that a back end has found and not opened yet.
pub(crate) struct Found {
    /// Its driver's name for it.
    pub name: String,
    /// Whether it is a GPU and not software.
    pub is_gpu: bool,
    open: Box<dyn Fn() -> Result<Arc<dyn AnyDevice>, Error>>,
}

impl Found {
    /// A device that `open` opens.
    #[allow(dead_code, reason = "a build may have no back end that finds devices")]
    pub fn new<B: Backend>(name: String, is_gpu: bool, open: impl Fn() -> Result<B, Error> + 'static) -> Self {
        Self { name, is_gpu, open: Box::new(move || Ok(Opened::device(open()?))) }
    }

    /// Opens it.
    pub fn open(&self) -> Result<Arc<dyn AnyDevice>, Error> {
        (self.open)()
    }
}

/// The devices that the back ends of this build find, in order of preference.
pub(crate) fn all() -> impl Iterator<Item = Found> {
    of(KINDS)
}

fn of(kinds: &'static [Kind]) -> impl Iterator<Item = Found> {
    kinds.iter().filter_map(|kind| kind.find).flat_map(|find| find())
}

/// The first device of the back end of this name, or the first device whose name contains this
/// text, whatever the case.
pub(crate) fn named(wanted: &str) -> Result<Found, Error> {
    find(KINDS, wanted)
}

fn find(kinds: &'static [Kind], wanted: &str) -> Result<Found, Error> {
    let available = || {
        let names = [CPU, INTERPRETER].into_iter().map(str::to_owned);
        names.chain(of(kinds).map(|found| found.name)).collect()
    };
    let found = match kinds.iter().find(|kind| kind.name == wanted) {
        Some(Kind { name, find: None }) => {
            return Err(Error::NotBuilt { backend: name, available: available() });
        }
        Some(Kind { find: Some(find), .. }) => find().into_iter().next(),
        None => {
            let part = wanted.to_lowercase();
            of(kinds).find(|found| found.name.to_lowercase().contains(&part))
        }
    };
    found.ok_or_else(|| Error::NoDevice { wanted: wanted.to_owned(), available: available() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::interpreter::Interpreter;

    /// A back end with two devices, one that finds none, and one that is not compiled.
    const SOME: &[Kind] = &[
        Kind { name: "gpus", find: Some(|| ["Small One", "Large One"].map(found).into()) },
        Kind { name: "none", find: Some(Vec::new) },
        Kind { name: "later", find: None },
    ];

    fn found(name: &str) -> Found {
        Found::new(name.to_owned(), true, || Ok(Interpreter::new()))
    }

    fn answer(wanted: &str) -> Result<String, String> {
        find(SOME, wanted).map(|found| found.name).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_that_of_a_back_end_or_a_part_of_a_device_s() {
        assert_eq!(answer("gpus"), Ok("Small One".to_owned()));
        assert_eq!(answer("large"), Ok("Large One".to_owned()));
        assert_eq!(answer("One"), Ok("Small One".to_owned()));
    }

    #[test]
    fn a_name_that_is_no_device_s_lists_the_devices() {
        let unknown = answer("abacus").unwrap_err();
        assert!(unknown.contains("`abacus`") && unknown.ends_with("`Small One`, `Large One`"), "{unknown}");
        assert!(answer("none").unwrap_err().contains("`none`"));
    }

    #[test]
    fn a_back_end_that_is_not_compiled_is_named_as_such() {
        let later = answer("later").unwrap_err();
        assert!(later.contains("feature `later`") && later.ends_with("`Large One`"), "{later}");
    }
}
