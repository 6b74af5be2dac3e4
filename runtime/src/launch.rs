//! Launches: what is asked for, whether it can be done, and the way to the device.
//!
//! Everything that a launch can be refused for is refused here or when the kernel is
//! compiled, before anything is queued.

use crate::backend::{self, Memory, Part, PerArgument};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::{Argument, Element, Words};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::ir::{Access, ParamKind};
use samebits_ir::types::{Type, Types};
use std::sync::Arc;

/// How many invocations a launch has.
///
/// A `usize` or a tuple of two or three says invocations on x, y and z, which are rounded
/// up to whole workgroups, so kernels compare their ids with a length;
/// [`groups`](Self::groups) says workgroups.
///
/// ```
/// use samebits::prelude::*;
/// assert_eq!(Grid::from(1000), Grid::from((1000, 1, 1)));
/// assert_ne!(Grid::from(1), Grid::groups(1, 1, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    size: [usize; 3],
    unit: Unit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Invocations,
    Groups,
}

impl Grid {
    /// This many workgroups on x, y and z.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let grid = Grid::groups(16, 16, 1);
    /// # assert_eq!(grid, Grid::groups(16, 16, 1));
    /// ```
    pub const fn groups(x: usize, y: usize, z: usize) -> Self {
        Self { size: [x, y, z], unit: Unit::Groups }
    }

    /// Workgroups on x, y and z, of which none is 0; nothing for an empty launch.
    fn resolve(self, kernel: &str, workgroup_size: [u32; 3]) -> Result<Option<[u32; 3]>, Error> {
        let too_large = |axis, asked| Error::GridTooLarge { kernel: kernel.to_owned(), axis, asked };
        let mut groups = [0u32; 3];
        let mut total = 1u128;
        if self.size.contains(&0) {
            return Ok(None);
        }
        for (axis, letter) in ['x', 'y', 'z'].into_iter().enumerate() {
            let size = u128::from(workgroup_size[axis].max(1));
            let count = match self.unit {
                Unit::Invocations => (self.size[axis] as u128).div_ceil(size),
                Unit::Groups => self.size[axis] as u128,
            };
            let invocations = count * size;
            groups[axis] = match u32::try_from(count) {
                Ok(count) if invocations <= u32::MAX.into() => count,
                _ => return Err(too_large(Some(letter), invocations)),
            };
            total *= invocations;
        }
        if total > u32::MAX.into() { Err(too_large(None, total)) } else { Ok(Some(groups)) }
    }
}

impl From<usize> for Grid {
    fn from(x: usize) -> Self {
        Self { size: [x, 1, 1], unit: Unit::Invocations }
    }
}

impl From<(usize, usize)> for Grid {
    fn from((x, y): (usize, usize)) -> Self {
        Self { size: [x, y, 1], unit: Unit::Invocations }
    }
}

impl From<(usize, usize, usize)> for Grid {
    fn from((x, y, z): (usize, usize, usize)) -> Self {
        Self { size: [x, y, z], unit: Unit::Invocations }
    }
}

/// An argument of a launch, before it is compared with the kernel's parameters.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a>(Passed<'a>);

#[derive(Clone, Copy, Debug)]
enum Passed<'a> {
    Buffer { device: &'a Device, memory: &'a Arc<Memory>, start: u64, bytes: u64, len: u32, element: Type },
    Words { device: &'a Device, memory: &'a Arc<Memory>, start: u64, bytes: u64 },
    Scalar { ty: Type, words: Option<Words>, wide: u64 },
}

impl<'a> Arg<'a> {
    /// A buffer, for a parameter of its element type.
    pub fn buffer<T: Element>(buffer: &'a Buffer<T>) -> Self {
        let (device, memory, start, bytes) = (buffer.device(), buffer.memory(), buffer.start(), buffer.bytes());
        Self(Passed::Buffer { device, memory, start, bytes, len: buffer.count(), element: T::TYPE })
    }

    /// The bytes of a buffer, for a parameter of any element type; bytes that are no whole
    /// element are left out.
    pub fn words(buffer: &'a Buffer<u32>) -> Self {
        let (device, memory, start, bytes) = (buffer.device(), buffer.memory(), buffer.start(), buffer.bytes());
        Self(Passed::Words { device, memory, start, bytes })
    }

    /// A value, for a parameter of its type.
    pub fn scalar<T: Argument>(value: T) -> Self {
        Self(Passed::Scalar { ty: T::TYPE, words: value.words(), wide: value.wide() })
    }

    /// The words of a value of any type that a parameter may have, low first.
    pub fn value(ty: Type, words: &[u32]) -> Self {
        Self(Passed::Scalar { ty, words: Some(Words::new(words)), wide: 0 })
    }
}

impl Kernel {
    /// Queues the kernel over a grid. The launchers that the macro makes call this; what
    /// they know by their types is checked here for everybody else.
    pub fn launch(&self, device: &Device, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        let kernel = self.load()?;
        let mut bound = PerArgument::new(args.len(), backend::Bound::Scalar(&[]));
        let bound = bound.as_mut_slice();
        bind(kernel, device, args, bound)?;
        let Some(groups) = grid.into().resolve(&kernel.name, kernel.function().0.workgroup_size())? else {
            return Ok(());
        };
        let fulfilled = device.backend().fulfilled(kernel, groups, bound);
        let pipeline = device.cache().pipeline(device.backend(), kernel, fulfilled)?;
        device.backend().dispatch(kernel, &pipeline, groups, bound)
    }
}

/// The arguments as a back end takes them, if they fit the kernel's parameters; `bound` is
/// as long as `args`. Takes no memory of the heap unless it fails.
fn bind<'a>(
    kernel: &Loaded,
    device: &Device,
    args: &'a [Arg<'_>],
    bound: &mut [backend::Bound<'a>],
) -> Result<(), Error> {
    let params = &kernel.function().0.params;
    let types = &kernel.checked().module().types;
    let name = || kernel.name.clone();
    if params.len() != args.len() {
        return Err(Error::ArgumentCount { kernel: name(), expected: params.len(), passed: args.len() });
    }
    for (index, ((param, arg), bound)) in params.iter().zip(args).zip(bound).enumerate() {
        let mismatch = || Error::ArgumentType {
            kernel: name(),
            argument: param.name.clone(),
            expected: parameter(types, &param.kind),
            passed: passed(types, &arg.0),
        };
        match (&param.kind, &arg.0) {
            (ParamKind::Scalar(expected), Passed::Scalar { ty, words, wide }) => {
                if expected != ty {
                    return Err(mismatch());
                }
                let words = words.as_ref().ok_or_else(|| Error::ArgumentTooLarge {
                    kernel: name(),
                    argument: param.name.clone(),
                    asked: *wide,
                })?;
                *bound = backend::Bound::Scalar(words.as_slice());
            }
            (
                ParamKind::Buffer { element, access },
                Passed::Buffer { device: owner, memory, start, bytes, .. }
                | Passed::Words { device: owner, memory, start, bytes },
            ) => {
                let len = elements(types, *element, &arg.0).ok_or_else(mismatch)?;
                if !owner.is(device) {
                    return Err(Error::OtherDevice {
                        kernel: name(),
                        argument: param.name.clone(),
                        owner: owner.name().to_owned(),
                        device: device.name().to_owned(),
                    });
                }
                if !start.is_multiple_of(4) {
                    return Err(Error::Unaligned { kernel: name(), argument: param.name.clone(), start: *start });
                }
                for (other, passed) in params.iter().zip(&args[..index]) {
                    if conflict(*access, &arg.0, &other.kind, &passed.0) {
                        let (first, second) = (other.name.clone(), param.name.clone());
                        return Err(Error::Aliased { kernel: name(), first, second });
                    }
                }
                *bound = backend::Bound::Buffer(Part { memory, start: *start, bytes: *bytes, len });
            }
            (ParamKind::Scalar(_), Passed::Buffer { .. } | Passed::Words { .. })
            | (ParamKind::Buffer { .. }, Passed::Scalar { .. }) => return Err(mismatch()),
        }
    }
    Ok(())
}

/// Whether two arguments share memory that the kernel may write.
fn conflict(access: Access, passed: &Passed<'_>, other: &ParamKind, other_passed: &Passed<'_>) -> bool {
    let writes = match other {
        ParamKind::Buffer { access: other, .. } => access != Access::Read || *other != Access::Read,
        ParamKind::Scalar(_) => false,
    };
    let place = |passed: &Passed<'_>| match passed {
        Passed::Buffer { memory, start, bytes, .. } | Passed::Words { memory, start, bytes, .. } => {
            Some((Arc::as_ptr(memory), *start, *start + *bytes))
        }
        Passed::Scalar { .. } => None,
    };
    match (place(passed), place(other_passed)) {
        (Some((memory, start, end)), Some((other, other_start, other_end))) => {
            writes && memory == other && start.max(other_start) < end.min(other_end)
        }
        (None, _) | (_, None) => false,
    }
}

/// How many elements of a parameter an argument has; nothing if the types disagree.
fn elements(types: &Types, element: Type, passed: &Passed<'_>) -> Option<u32> {
    match passed {
        // A `bool` in memory is a word.
        Passed::Buffer { len, element: found, .. } => {
            (*found == element || element == Type::BOOL && *found == Type::U32).then_some(*len)
        }
        Passed::Words { bytes, .. } => {
            let size = types.layout(element)?.size;
            u32::try_from(bytes.checked_div(size.into())?).ok()
        }
        Passed::Scalar { .. } => None,
    }
}

/// What a parameter takes, for messages.
fn parameter(types: &Types, kind: &ParamKind) -> String {
    match kind {
        ParamKind::Buffer { element, .. } => format!("a buffer of `{}`", types.display(*element)),
        ParamKind::Scalar(ty) => format!("`{}`", types.display(*ty)),
    }
}

/// What an argument is, for messages.
fn passed(types: &Types, passed: &Passed<'_>) -> String {
    match passed {
        Passed::Buffer { element, .. } => format!("a buffer of `{}`", types.display(*element)),
        Passed::Words { .. } => "a buffer of words".to_owned(),
        Passed::Scalar { ty, .. } => format!("`{}`", types.display(*ty)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(grid: impl Into<Grid>, size: [u32; 3]) -> Result<Option<[u32; 3]>, String> {
        grid.into().resolve("k", size).map_err(|error| error.to_string())
    }

    #[test]
    fn invocations_are_rounded_up_to_whole_groups() {
        assert_eq!(groups(1, [256, 1, 1]), Ok(Some([1, 1, 1])));
        assert_eq!(groups(257, [256, 1, 1]), Ok(Some([2, 1, 1])));
        assert_eq!(groups((17, 16, 5), [8, 8, 4]), Ok(Some([3, 2, 2])));
        assert_eq!(groups(Grid::groups(3, 2, 1), [8, 8, 4]), Ok(Some([3, 2, 1])));
    }

    #[test]
    fn a_grid_without_invocations_has_no_groups() {
        assert_eq!(groups(0, [256, 1, 1]), Ok(None));
        assert_eq!(groups(Grid::groups(0, 5, 1), [1, 1, 1]), Ok(None));
        assert_eq!(groups((usize::MAX, 0), [1, 1, 1]), Ok(None));
    }

    #[test]
    fn four_billion_invocations_are_too_many() {
        let text = |axis, n: u128| {
            Err(format!("kernel `k`: a launch of {n} invocations{axis}, but at most 4294967295 are allowed"))
        };
        assert_eq!(groups(1 << 32, [1, 1, 1]), text(" on x", 1 << 32));
        assert_eq!(groups((1, 1 << 32), [1, 1, 1]), text(" on y", 1 << 32));
        assert_eq!(groups((1 << 16, 1 << 16), [1, 1, 1]), text("", 1 << 32));
        assert_eq!(groups(Grid::groups(1 << 24, 1, 1), [256, 1, 1]), text(" on x", 1 << 32));
        assert_eq!(groups(u32::MAX as usize, [1, 1, 1]), Ok(Some([u32::MAX, 1, 1])));
        assert!(groups(usize::MAX, [1024, 1, 1]).is_err());
        assert!(groups(Grid::groups(usize::MAX, usize::MAX, usize::MAX), [1024, 1024, 64]).is_err());
    }
}
