//! What happens before what.
//!
//! An invocation's own accesses are ordered. A barrier orders everything that the
//! invocations of a workgroup did before it, to any memory, before all that they do after
//! it. A release orders what its invocation did or knew before whatever follows an acquire
//! that reads from it, if each is in the scope of the other; a subgroup counts as its
//! workgroup. Nothing else orders anything. What an invocation knows of others is kept
//! apart for invocations and for the phases of whole workgroups, so that without releases
//! nothing is kept at all.
//!
//! Accesses are executed one after the other: results that need a processor or compiler
//! to reorder them are not produced, but the races that allow them are found.

use super::shadow::Record;
use crate::order::{MemoryOrder, Ordering, Scope};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Who makes an access, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The invocation, counted over the launch.
    pub(super) thread: u64,
    /// Its workgroup.
    pub(super) group: u64,
    /// How many barriers the workgroup has passed.
    pub(super) phase: u32,
}

/// What is known to have happened, beyond one's own workgroup's barriers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Clock {
    /// By invocation, how many of its releases before the last one that is known.
    threads: BTreeMap<u64, u32>,
    /// By workgroup, how many barriers are known to have been passed.
    groups: BTreeMap<u64, u32>,
}

impl Clock {
    fn join(&mut self, other: &Self) {
        for (mine, others) in [(&mut self.threads, &other.threads), (&mut self.groups, &other.groups)] {
            for (&key, &count) in others {
                let known = mine.entry(key).or_default();
                *known = count.max(*known);
            }
        }
    }
}

fn join(clock: &mut Rc<Clock>, other: &Rc<Clock>) {
    if !Rc::ptr_eq(clock, other) && **other != Clock::default() {
        Rc::make_mut(clock).join(other);
    }
}

/// A release that can be acquired.
#[derive(Clone, Debug)]
struct Release {
    /// Whether other workgroups are in its scope.
    wide: bool,
    group: u64,
    clock: Rc<Clock>,
}

/// The releases that a location's value goes back to.
#[derive(Clone, Default, Debug)]
pub(super) struct Releases(Vec<Release>);

impl Releases {
    /// Adds one; those of one workgroup and scope become one.
    fn add(&mut self, release: &Release) {
        let same = |other: &&mut Release| (other.wide, other.group) == (release.wide, release.group);
        match self.0.iter_mut().find(same) {
            Some(known) => join(&mut known.clock, &release.clock),
            None => self.0.push(release.clone()),
        }
    }
}

/// What an invocation knows and has published.
#[derive(Clone, Default, Debug)]
pub(super) struct Knowledge {
    seen: Rc<Clock>,
    /// How many times it has released what it did.
    epoch: u32,
    /// What it has read and will know after an acquire fence.
    read: Releases,
    /// What its relaxed stores publish since a release fence.
    fenced: Option<Release>,
}

impl Knowledge {
    /// How many releases came before what happens now.
    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether an access that was made happens before whatever happens at this moment.
    pub(super) fn is_after(&self, moment: &Moment, earlier: &Record) -> bool {
        earlier.thread == moment.thread
            || earlier.group == moment.group && earlier.phase < moment.phase
            || self.seen.threads.get(&earlier.thread).is_some_and(|&epoch| epoch >= earlier.epoch)
            || self.seen.groups.get(&earlier.group).is_some_and(|&phase| phase > earlier.phase)
    }

    /// Everything up to now, published.
    fn release(&mut self, moment: &Moment, scope: Scope) -> Option<Release> {
        let wide = wide(scope)?;
        let mut clock = (*self.seen).clone();
        clock.threads.insert(moment.thread, self.epoch);
        clock.groups.insert(moment.group, moment.phase);
        self.epoch = self.epoch.saturating_add(1);
        Some(Release { wide, group: moment.group, clock: Rc::new(clock) })
    }

    /// Learns from releases, as far as each is in the scope of the other.
    fn acquire(&mut self, moment: &Moment, scope: Scope, from: &Releases) {
        let Some(far) = wide(scope) else { return };
        for release in &from.0 {
            if release.group == moment.group || far && release.wide {
                join(&mut self.seen, &release.clock);
            }
        }
    }

    /// An atomic access of a location with these releases.
    pub(super) fn access(&mut self, moment: &Moment, access: Atomic, at: &mut Releases) {
        let Atomic { reads, writes, ordering, scope } = access;
        if reads {
            if ordering.acquires() {
                self.acquire(moment, scope, at);
            }
            for release in &at.0 {
                self.read.add(release);
            }
        }
        if writes {
            let fenced = self.fenced.clone().and_then(|release| {
                let wide = wide(scope)? && release.wide;
                Some(Release { wide, ..release })
            });
            let release = if ordering.releases() { self.release(moment, scope) } else { fenced };
            if !reads {
                at.0.clear();
            }
            if let Some(release) = release {
                at.add(&release);
            }
        }
    }

    /// A fence.
    pub(super) fn fence(&mut self, moment: &Moment, ordering: Ordering, scope: Scope) {
        if ordering.acquires() {
            let read = std::mem::take(&mut self.read);
            self.acquire(moment, scope, &read);
        }
        if ordering.releases() {
            self.fenced = self.release(moment, scope);
        }
    }

    /// After a barrier each invocation knows what any of them knew.
    pub(super) fn share<'k>(all: impl Iterator<Item = &'k mut Self>) {
        let all: Vec<&mut Self> = all.collect();
        let mut common: Rc<Clock> = Rc::default();
        for one in &all {
            join(&mut common, &one.seen);
        }
        for one in all {
            one.seen = Rc::clone(&common);
        }
    }
}

/// What an atomic access does to the order of things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) ordering: Ordering,
    pub(super) scope: Scope,
}

/// Whether a scope reaches other workgroups; `None` for one that reaches nobody.
fn wide(scope: Scope) -> Option<bool> {
    match scope {
        Scope::Invocation => None,
        Scope::Subgroup | Scope::Workgroup => Some(false),
        Scope::Device | Scope::System => Some(true),
    }
}

/// Whether an atomic of this scope is one for an invocation of the same or another workgroup.
pub(super) fn reaches(scope: Scope, same_group: bool) -> bool {
    wide(scope).is_some_and(|wide| wide || same_group)
}

/// Whether an order or a scope is anything but that of a plain counter.
pub(super) fn synchronises(order: &MemoryOrder) -> bool {
    *order != MemoryOrder::RELAXED
}
