//! Launches: the grid, and the comparison of arguments with a kernel's parameters.
//!
//! A launch is refused here or when the kernel is compiled, before anything is queued.

use crate::argument::{Arg, Leaf};
use crate::backend::conditions::in_launch;
use crate::backend::{self, Mailbox, Part, PerArgument, Speaker};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use crate::verify;
use samebits_ir::ir::{Access, Param, ParamKind};
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

    /// This many invocations on x, y and z.
    pub(crate) const fn invocations(size: [usize; 3]) -> Self {
        Self { size, unit: Unit::Invocations }
    }

    /// The workgroups on x, y and z, none of them 0; `None` for an empty launch.
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

/// The leaves of all arguments of a launch, in the order of the kernel's parameters.
#[derive(Clone, Copy, Default)]
pub(crate) struct Leaves<'a> {
    /// What the launcher was given.
    pub args: &'a [Arg<'a>],
    /// The values of constants that the kernel names.
    pub constants: &'a [Arg<'a>],
    /// Leaves of arguments and constants of a launch that was recorded.
    pub recorded: &'a [Leaf<'a>],
    /// The buffer for what the kernel says.
    pub messages: Option<&'a Leaf<'a>>,
}

impl<'a> Leaves<'a> {
    fn iter(self) -> impl Iterator<Item = &'a Leaf<'a>> {
        self.args.iter().chain(self.constants).flat_map(Arg::leaves).chain(self.recorded).chain(self.messages)
    }

    /// How many there are.
    pub fn count(self) -> usize {
        let leaves = self.args.iter().chain(self.constants).map(|arg| arg.leaves().len());
        leaves.sum::<usize>() + self.recorded.len() + usize::from(self.messages.is_some())
    }
}

impl Kernel {
    /// Queues the kernel over a grid. The launchers that the macro makes call this; what
    /// they know by their types is checked here for everybody else.
    pub fn launch(&self, device: &Device, grid: impl Into<Grid>, args: &[Arg<'_>]) -> Result<(), Error> {
        self.launch_linked(device, grid, args, &[])
    }

    /// The same for a kernel with constants, whose values are the parameters after the others.
    pub fn launch_linked(
        &self,
        device: &Device,
        grid: impl Into<Grid>,
        args: &[Arg<'_>],
        constants: &[Arg<'_>],
    ) -> Result<(), Error> {
        self.queue(device, grid.into(), Leaves { args, constants, ..Leaves::default() })
    }

    /// Compiles the kernel for a device, so that its first launch does not have to. It is compiled for launches in
    /// which no access needs a guard; others compile their own form. The launchers' `prepare` calls this.
    pub fn prepare(&self, device: &Device) -> Result<(), Error> {
        let kernel = if device.control().judges() { self.load_as_written()? } else { self.load()? };
        device.any().prepare(kernel)
    }

    fn queue(&self, device: &Device, grid: Grid, leaves: Leaves<'_>) -> Result<(), Error> {
        let kernel = if device.control().judges() { self.load_as_written()? } else { self.load()? };
        let mailbox = self.mailbox(kernel, device, grid)?;
        let leaf = mailbox.as_ref().map(|mailbox| messages(device, mailbox));
        let queued = self.queue_with(kernel, device, grid, Leaves { messages: leaf.as_ref(), ..leaves });
        if let Some(mailbox) = mailbox {
            device.any().board().put(mailbox);
        }
        queued
    }

    /// The same with all leaves that the kernel takes.
    fn queue_with(&self, kernel: &Arc<Loaded>, device: &Device, grid: Grid, leaves: Leaves<'_>) -> Result<(), Error> {
        let mut bound = PerArgument::new(leaves.count(), backend::Bound::Scalar(&[]));
        let bound = bound.as_mut_slice();
        match self.judge(kernel, device, grid, leaves, bound)? {
            Some(groups) => verify::launch(self, kernel, device, groups, bound),
            None => Ok(()),
        }
    }

    /// The workgroups of a launch, and its arguments as a back end takes them, in `bound`, which is as long as there are
    /// leaves; `None` of a launch without invocations. Fails if the launch is not allowed.
    pub(crate) fn judge<'a>(
        &self,
        kernel: &Loaded,
        device: &Device,
        grid: Grid,
        leaves: Leaves<'a>,
        bound: &mut [backend::Bound<'a>],
    ) -> Result<Option<[u32; 3]>, Error> {
        bind(kernel, device, leaves, bound)?;
        require(kernel, bound)?;
        let groups = grid.resolve(&kernel.name, kernel.function().0.workgroup_size())?;
        if let Some(groups) = groups {
            self.race_free(kernel, groups, bound)?;
        }
        Ok(groups)
    }

    /// The buffer for what the kernel says in a launch, if it says anything.
    fn mailbox(&self, kernel: &Loaded, device: &Device, grid: Grid) -> Result<Option<Mailbox>, Error> {
        let speaker = self.speaker(kernel, grid)?;
        speaker.map(|speaker| device.any().board().take(device.any(), &speaker)).transpose()
    }

    /// Who says something in a launch, if the kernel says anything.
    pub(crate) fn speaker<'a>(&self, kernel: &'a Loaded, grid: Grid) -> Result<Option<Speaker<'a>>, Error> {
        if self.said().is_empty() {
            return Ok(None);
        }
        let workgroup_size = kernel.function().0.workgroup_size();
        // A launch without invocations says nothing, but takes the buffer.
        let groups = grid.resolve(&kernel.name, workgroup_size)?.unwrap_or([0; 3]);
        let (name, number, messages) = (&kernel.name[..], kernel.number, self.said());
        Ok(Some(Speaker { name, number, messages, workgroup_size, groups }))
    }

    /// Whether a launch satisfies the conditions under which the kernel has no race.
    fn race_free(&self, kernel: &Loaded, groups: [u32; 3], bound: &[backend::Bound<'_>]) -> Result<(), Error> {
        let conditions = self.race_conditions()?;
        if conditions.is_empty() {
            return Ok(());
        }
        match in_launch(groups, bound, |launch| conditions.iter().find(|condition| !condition.holds(launch))) {
            None => Ok(()),
            Some(condition) => {
                let accesses = self.kept_apart_by(condition);
                let condition = condition.display(kernel.function().0);
                Err(Error::MayRace { kernel: kernel.name.clone(), condition, accesses })
            }
        }
    }
}

/// The argument for what a kernel says.
pub(crate) fn messages<'a>(device: &'a Device, mailbox: &'a Mailbox) -> Leaf<'a> {
    let ((memory, len), element) = (mailbox.buffer(), const { &u32::SHAPE });
    let (bytes, lent) = (u64::from(len) * 4, Access::Atomic);
    Leaf::Buffer { device, memory, start: 0, bytes, lent, len, element, most: u32::MAX }
}

/// The arguments as a back end takes them, if they fit the kernel's parameters; `bound` is
/// as long as there are leaves. Takes no memory of the heap unless it fails.
fn bind<'a>(
    kernel: &Loaded,
    device: &Device,
    leaves: Leaves<'a>,
    bound: &mut [backend::Bound<'a>],
) -> Result<(), Error> {
    let params = &kernel.function().0.params;
    let types = &kernel.checked().module().types;
    let name = || kernel.name.clone();
    if params.len() != bound.len() {
        // The buffer for messages is none of the caller's.
        let [expected, passed] = [params.len(), bound.len()].map(|all| all - usize::from(leaves.messages.is_some()));
        return Err(Error::ArgumentCount { kernel: name(), expected, passed });
    }
    for ((param, leaf), bound) in params.iter().zip(leaves.iter()).zip(bound) {
        let mismatch = || mismatch(kernel, types, param, leaf);
        match (&param.kind, leaf) {
            (ParamKind::Scalar(expected), Leaf::Value { ty, words }) => {
                if expected != ty {
                    return Err(mismatch());
                }
                *bound = backend::Bound::Scalar(words.as_slice());
            }
            (ParamKind::Scalar(expected), Leaf::TooLarge(asked)) => {
                if *expected != Type::U32 {
                    return Err(mismatch());
                }
                let (kernel, argument) = (name(), param.name.clone());
                return Err(Error::ArgumentTooLarge { kernel, argument, asked: *asked });
            }
            (
                ParamKind::Buffer { element, access },
                Leaf::Buffer { device: owner, memory, start, bytes, lent, .. }
                | Leaf::Words { device: owner, memory, start, bytes, lent },
            ) => {
                let len = elements(types, *element, leaf).ok_or_else(mismatch)?;
                if !owner.is(device) {
                    return Err(Error::OtherDevice {
                        kernel: name(),
                        argument: param.name.clone(),
                        owner: owner.name().to_owned(),
                        device: device.name().to_owned(),
                    });
                }
                if *lent == Access::Read && *access != Access::Read {
                    return Err(Error::ReadOnly { kernel: name(), argument: param.name.clone() });
                }
                let most = if let Leaf::Buffer { most, .. } = leaf { *most } else { u32::MAX };
                *bound = backend::Bound::Buffer(Part { memory, start: *start, bytes: *bytes, len, most });
            }
            (ParamKind::Scalar(_), Leaf::Buffer { .. } | Leaf::Words { .. })
            | (ParamKind::Buffer { .. }, Leaf::Value { .. } | Leaf::TooLarge(_)) => return Err(mismatch()),
        }
    }
    Ok(())
}

/// Whether the arguments satisfy what the kernel requires. Takes no memory of the heap unless
/// they do not.
fn require(kernel: &Loaded, bound: &[backend::Bound<'_>]) -> Result<(), Error> {
    let function = kernel.function().0;
    for (i, requirement) in function.requires.iter().enumerate() {
        let arg = |index: u32| bound.get(index as usize);
        let len = |index| arg(index).map_or(0, backend::Bound::len);
        let bits = |index| arg(index).map_or(0, backend::Bound::bits);
        if let Some(numbers) = requirement.broken(&function.params, len, bits) {
            let [left, right] = kernel.required(i);
            let reason = requirement.complaint([&left, &right], numbers);
            return Err(Error::Requirement { kernel: kernel.name.clone(), reason });
        }
    }
    Ok(())
}

/// How many elements of a parameter's type an argument has; `None` if the types disagree.
fn elements(types: &Types, element: Type, passed: &Leaf<'_>) -> Option<u32> {
    match passed {
        Leaf::Buffer { len, element: found, .. } => found.is(types, element).then_some(*len),
        Leaf::Words { bytes, .. } => {
            let size = types.layout(element)?.size;
            u32::try_from(bytes.checked_div(size.into())?).ok()
        }
        Leaf::Value { .. } | Leaf::TooLarge(_) => None,
    }
}

/// The error for an argument of a wrong type.
fn mismatch(kernel: &Loaded, types: &Types, param: &Param, leaf: &Leaf<'_>) -> Error {
    let expected = match param.kind {
        ParamKind::Buffer { element, .. } => format!("a buffer of `{}`", types.display(element)),
        ParamKind::Scalar(ty) => format!("`{}`", types.display(ty)),
    };
    let passed = match leaf {
        Leaf::Buffer { element, .. } => format!("a buffer of `{element}`"),
        Leaf::Words { .. } => "a buffer of words".to_owned(),
        Leaf::Value { ty, .. } => format!("`{}`", types.display(*ty)),
        Leaf::TooLarge(_) => format!("`{}`", types.display(Type::U32)),
    };
    // Two structs may have one name.
    let passed = if passed == expected { format!("{passed} with other fields") } else { passed };
    Error::ArgumentType { kernel: kernel.name.clone(), argument: param.name.clone(), expected, passed }
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
            Err(format!(
                "kernel `k`: a launch of {n} invocations{axis}, but at most 4294967295 are allowed; use several launches"
            ))
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
