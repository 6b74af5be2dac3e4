//! Work that goes into a command encoder of the program's, which the program submits.
//!
//! Until the program says that it has, what the work writes depends on a failure that says so. Then it depends on what
//! the work depended on.
//!
//! Invariant: what was queued for the same memory before is submitted before the encoder can be.

use super::batch::{Batch, encoder};
use super::cuts::{Cuts, Watched};
use super::foreign;
use super::memory::Storage;
use crate::backend::outcome::{Inherited, Outcome};
use crate::backend::{AnyDevice, Bound, Control, Memory, PerArgument, Step};
use crate::error::Error;
use std::ops::Range;
use std::sync::Arc;
use wgpu::CommandEncoder;

/// Work in an encoder of the program's.
#[derive(Debug)]
pub(crate) struct Recording {
    /// What the work depends on, and whether it ran to its end.
    outcome: Arc<Outcome>,
    /// Launches whose loops the device may end, and their own words.
    watched: Option<(Cuts, Watched)>,
}

/// Parts of memory.
type Parts<'a> = [(&'a Memory, Range<u64>)];

/// Puts work into an encoder. `written` is what it writes.
pub(crate) fn encode(
    device: &Arc<dyn AnyDevice>,
    into: &mut CommandEncoder,
    steps: &[Step<'_>],
    written: &Parts<'_>,
) -> Result<Recording, Error> {
    let not_wgpu = || Error::NotWgpu { device: device.control().name().to_owned() };
    let opened = foreign::opened(device)?;
    let pipelines = opened.pipelines(steps)?;
    let device = opened.backend();
    foreign::submit_all(device)?;
    leave(steps);
    let mut follows = inherited(steps);
    let cuts = match &device.cuts {
        Some(_) => Some(Cuts::new(device)?),
        None => None,
    };
    // The encoder is the program's again before anybody sees that it was away.
    let taken = std::mem::replace(into, encoder(&device.device, device.is_foreign));
    let mut batch = Batch::lent(taken, device.batch().number());
    let done = steps.iter().zip(&pipelines).try_for_each(|(step, pipeline)| match (step, pipeline) {
        (Step::Launch { kernel, groups, args }, Some(pipeline)) => {
            let mut own = PerArgument::new(args.len(), Bound::Scalar(&[]));
            let own = own.as_mut_slice();
            for (own, arg) in own.iter_mut().zip(*args) {
                *own = arg.of().ok_or_else(not_wgpu)?;
            }
            if batch.watched.is_full() {
                let reason = "llvmpipe watches at most 1024 launches of an encoder; record fewer".to_owned();
                return Err(Error::Encoder { device: device.name().to_owned(), reason });
            }
            let moves = device.moves(kernel, own)?;
            let none = Inherited::default();
            let placed = device.place(&mut batch, cuts.as_ref(), pipeline, *groups, own, &moves, &none)?;
            follows.extend(placed.launch);
            Ok(())
        }
        (Step::Launch { .. }, None) => Err(not_wgpu()),
        (Step::Fill { memory, bytes, pattern }, _) => {
            let storage = memory.of::<Storage>().ok_or_else(not_wgpu)?;
            if !super::blocks::repeats(pattern) {
                let reason = "a fill with elements of more than 4096 bytes cannot be encoded; use a kernel".to_owned();
                return Err(Error::Encoder { device: device.name().to_owned(), reason });
            }
            device.repeat_in(|| &mut batch, storage, bytes.clone(), pattern).map(|_| ())
        }
        (Step::Copy { from, to, bytes }, _) => {
            let [source, target] = [from.0, to.0].map(|memory| memory.of::<Storage>().ok_or_else(not_wgpu));
            device.copy_in(|| &mut batch, (source?, from.1), (target?, to.1), *bytes).map(|_| ())
        }
    });
    let watched = cuts.map(|cuts| (cuts, std::mem::take(&mut batch.watched)));
    if let Some(encoder) = batch.into_encoder() {
        *into = encoder;
    }
    let refusal = match &done {
        Ok(()) => Error::NotSubmitted { device: device.name().to_owned() },
        Err(error) => error.clone(),
    };
    depend(written, &Outcome::failed(refusal));
    done.map(|()| Recording { outcome: Outcome::following(follows.into_iter()), watched })
}

/// Takes note that the program has submitted the encoder.
pub(crate) fn submitted(device: &Arc<dyn AnyDevice>, recording: Recording, written: &Parts<'_>) -> Result<(), Error> {
    let Recording { outcome, watched } = recording;
    depend(written, &outcome);
    let device = foreign::of(device)?;
    if let Some((cuts, mut watched)) = watched {
        // The device is software on this CPU, and is asked at once.
        device.finish()?;
        if let Some(look) = watched.all(&cuts) {
            let mut words = vec![0; look.bytes as usize];
            let storage = Storage::new(cuts.buffer().clone(), device.groups.clone());
            device.read_bytes(&storage, look.begin(&cuts), &mut words)?;
            watched.decide(&cuts, look, &words, device.name());
        }
    }
    outcome.decide(Ok(()));
    if outcome.error().is_some() {
        device.failures().keep(outcome);
    }
    Ok(())
}

/// Makes memory depend on an outcome and on nothing else.
fn depend(written: &Parts<'_>, outcome: &Arc<Outcome>) {
    for (memory, bytes) in written {
        memory.doubts.clear(bytes.clone());
        memory.doubts.add(bytes.clone(), outcome);
    }
}

/// What the memory of some work depends on before it.
fn inherited(steps: &[Step<'_>]) -> Vec<Arc<Outcome>> {
    let mut inherited: Vec<Arc<Outcome>> = Vec::new();
    for step in steps {
        let more: Vec<Arc<Outcome>> = match step {
            Step::Launch { args, .. } => Inherited::of(args).iter().cloned().collect(),
            Step::Copy { from, bytes, .. } => from.0.doubts.outcomes(from.1..from.1 + bytes),
            Step::Fill { .. } => Vec::new(),
        };
        for outcome in more {
            if !inherited.iter().any(|other| Arc::ptr_eq(other, &outcome)) {
                inherited.push(outcome);
            }
        }
    }
    inherited
}

/// Notes that the program may use the memory of some work at any time, namely when it submits the encoder.
fn leave(steps: &[Step<'_>]) {
    let left = |memory: &Memory| memory.of::<Storage>().into_iter().for_each(Storage::leave);
    for step in steps {
        match step {
            Step::Launch { args, .. } => args.iter().for_each(|arg| {
                if let Bound::Buffer(part) = arg {
                    left(part.memory);
                }
            }),
            Step::Fill { memory, .. } => left(memory),
            Step::Copy { from, to, .. } => [from.0, to.0].into_iter().for_each(left),
        }
    }
}
