//! What the judge sees and keeps of an invocation's turn.

use super::super::compile::{Code, Program, RootCode};
use super::super::run::Stop;
use super::super::watch::{AccessInfo, AccessKind, Watch};
use super::finding::{Finding, Touch};
use super::race::{Atomic, Knowledge, Moment, synchronises};
use super::shadow::{Clash, Effect, Record, Shadow, Written};
use super::spin::Spin;
use crate::ops::AtomicOp;
use crate::order::{Ordering, Scope};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

/// Findings that are kept.
const MAX_FINDINGS: usize = 64;

/// Findings that are told apart; what comes after these is counted each time.
const MAX_KNOWN: usize = 1 << 16;

/// Rounds of loops that an invocation may begin in a turn.
const ROUNDS: u32 = 1 << 12;

/// An invocation in flight.
pub(super) struct Thread {
    /// Where it goes on.
    pub(super) next: usize,
    /// The steps that it has taken.
    pub(super) taken: u64,
    /// Where it waits or that it has returned; `None` while it can run.
    pub(super) stop: Option<Stop>,
    /// By loop, the rounds before this one since the loop was entered.
    pub(super) rounds: Box<[u64]>,
    /// The last access that others could see.
    pub(super) last: Option<AccessInfo>,
    /// The loop in which it was found to repeat itself.
    pub(super) spinning_in: u32,
    /// What it knows of others.
    pub(super) knowledge: Knowledge,
    spin: Spin,
}

impl Thread {
    pub(super) fn new(loops: usize) -> Self {
        Self {
            next: 0,
            taken: 0,
            stop: None,
            rounds: vec![0; loops].into_boxed_slice(),
            last: None,
            spinning_in: 0,
            knowledge: Knowledge::default(),
            spin: Spin::default(),
        }
    }
}

/// What is kept of a workgroup and its memory.
pub(super) struct Workgroup {
    phase: u32,
    shadow: Shadow,
    written: Written,
}

impl Workgroup {
    pub(super) fn new(records: &Records) -> Self {
        Self { phase: 0, shadow: Shadow::new(records.synchronises), written: Written::default() }
    }

    /// Orders everything so far before everything from now on.
    pub(super) fn pass_barrier(&mut self) {
        self.phase += 1;
        self.shadow.clear();
    }
}

/// What a finding is about; each is reported once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Race(u32, u32),
    OutOfBounds(u32),
    Unwritten(u32),
}

/// What is kept of a launch.
pub(super) struct Records {
    pub(super) steps: u64,
    pub(super) out_of_bounds: u64,
    /// How often memory that many can see has changed.
    pub(super) changes: u64,
    pub(super) findings: Vec<Finding>,
    pub(super) left_out: u64,
    /// The positions of the findings.
    known: BTreeMap<Key, Option<usize>>,
    /// By parameter.
    shadows: Vec<Shadow>,
    groups: [u32; 3],
    /// Whether the program has orders, scopes or fences.
    pub(super) synchronises: bool,
}

impl Records {
    pub(super) fn new(program: &Program, groups: [u32; 3]) -> Self {
        let synchronises = program.code.iter().any(|code| match code {
            Code::Fence(..) => true,
            code => matches!(code.access(), Some((AccessKind::Atomic(_, order), _)) if synchronises(&order)),
        });
        Self {
            steps: 0,
            out_of_bounds: 0,
            changes: 0,
            findings: Vec::new(),
            left_out: 0,
            known: BTreeMap::new(),
            shadows: program.params.iter().map(|_| Shadow::new(synchronises)).collect(),
            groups,
            synchronises,
        }
    }

    /// Counts a finding; true if it is new and to be kept.
    fn is_new(&mut self, key: Key) -> bool {
        match self.known.get(&key) {
            Some(&Some(position)) => {
                if let Some(
                    Finding::Race { times, .. } | Finding::OutOfBounds { times, .. } | Finding::Unwritten { times, .. },
                ) = self.findings.get_mut(position)
                {
                    *times += 1;
                }
                false
            }
            Some(None) => false,
            None if self.findings.len() < MAX_FINDINGS => {
                self.known.insert(key, Some(self.findings.len()));
                true
            }
            None => {
                self.left_out += 1;
                if self.known.len() < MAX_KNOWN {
                    self.known.insert(key, None);
                }
                false
            }
        }
    }
}

/// The watch over one turn of an invocation.
pub(super) struct Watching<'w> {
    program: &'w Program,
    records: &'w mut Records,
    workgroup: &'w mut Workgroup,
    thread: &'w mut Thread,
    moment: Moment,
    invocation: [u32; 3],
    /// Accesses and rounds that are left.
    accesses: u64,
    rounds: u32,
    parked: bool,
}

impl<'w> Watching<'w> {
    /// A turn of so many accesses of the invocation with these numbers in the launch: its
    /// own and its workgroup's.
    pub(super) fn new(
        program: &'w Program,
        records: &'w mut Records,
        workgroup: &'w mut Workgroup,
        thread: &'w mut Thread,
        (number, group): (u64, u64),
        invocation: [u32; 3],
        accesses: u64,
    ) -> Self {
        let moment = Moment { thread: number, group, phase: workgroup.phase };
        Self { program, records, workgroup, thread, moment, invocation, accesses, rounds: ROUNDS, parked: false }
    }

    /// Whether the invocation cannot go on before memory changes.
    pub(super) fn is_parked(&self) -> bool {
        self.parked
    }

    fn touch(&self, access: &AccessInfo) -> Touch {
        let loc = self.program.sites.get(access.place as usize).map(|site| site.loc).unwrap_or_default();
        Touch { action: access.kind.into(), loc, invocation: self.invocation }
    }

    /// The name of the memory of a place.
    fn root(&self, place: u32) -> String {
        let memory = self.program.sites.get(place as usize).map_or(0, |site| site.memory);
        self.program.memories.get(memory as usize).map_or_else(String::new, |memory| memory.name.clone())
    }

    /// The races of an access that lies in bounds.
    fn race(&mut self, access: &AccessInfo, at: usize) {
        let moment = self.moment;
        let record = Record::new(moment, self.thread.knowledge.epoch(), access.place, effect(access.kind));
        let knowledge = &self.thread.knowledge;
        let Some(shadow) = shadow(self.program, self.records, self.workgroup, access.place) else { return };
        let mut clashes = Vec::new();
        shadow.touch(at, access.size, record, |earlier| knowledge.is_after(&moment, earlier), &mut clashes);
        for Clash { earlier, byte } in clashes {
            let key = Key::Race(earlier.place.min(access.place), earlier.place.max(access.place));
            if self.records.is_new(key) {
                let (root, element) = (self.root(access.place), access.element(byte.saturating_sub(at) as u64));
                let (first, second) = (self.earlier(&earlier), self.touch(access));
                self.records.findings.push(Finding::Race { root, element, first, second, times: 1 });
            }
        }
    }

    /// An access that is known by its record alone.
    fn earlier(&self, record: &Record) -> Touch {
        let program = self.program;
        let volume = u64::from(program.volume()).max(1);
        let [x, y, _] = self.records.groups.map(|axis| u64::from(axis).max(1));
        let group = record.thread / volume;
        let group = [(group % x) as u32, (group / x % y) as u32, (group / x / y) as u32];
        let ids = program.ids(self.records.groups, group, (record.thread % volume) as u32);
        let kind = program.code.iter().find_map(|code| code.access().filter(|&(_, place)| place == record.place));
        let kind = kind.map_or(AccessKind::Load, |(kind, _)| kind);
        let loc = program.sites.get(record.place as usize).map(|site| site.loc).unwrap_or_default();
        Touch { action: kind.into(), loc, invocation: [ids[0], ids[1], ids[2]] }
    }

    /// Reads of workgroup memory before writes.
    fn first_use(&mut self, access: &AccessInfo, at: usize) {
        let root = self.program.places.get(access.place as usize).map(|place| place.root);
        if !matches!(root, Some(RootCode::Shared { .. })) {
            return;
        }
        let reads = matches!(access.kind, AccessKind::Load | AccessKind::Atomic(AtomicOp::Load, _));
        if !reads {
            self.workgroup.written.set(at, access.size);
        } else if !self.workgroup.written.all(at, access.size) && self.records.is_new(Key::Unwritten(access.place)) {
            let (root, element, access) = (self.root(access.place), access.element(0), self.touch(access));
            self.records.findings.push(Finding::Unwritten { root, element, access, times: 1 });
        }
    }
}

impl Watch for Watching<'_> {
    const WATCHES: bool = true;

    fn access(&mut self, access: &AccessInfo) -> bool {
        let visible = self.program.sites.get(access.place as usize).is_some_and(|site| site.visible);
        if visible {
            if self.accesses == 0 {
                return true;
            }
            self.accesses -= 1;
            self.thread.last = Some(*access);
        }
        match access.at {
            None => {
                if self.records.is_new(Key::OutOfBounds(access.place)) {
                    let (root, element, access) = (self.root(access.place), access.element(0), self.touch(access));
                    self.records.findings.push(Finding::OutOfBounds { root, element, access, times: 1 });
                }
            }
            Some(at) if visible => {
                self.race(access, at);
                self.first_use(access, at);
            }
            Some(_) => {}
        }
        false
    }

    fn accessed(&mut self, access: &AccessInfo, changed: bool) {
        if let (true, AccessKind::Atomic(op, order), Some(at)) = (self.records.synchronises, access.kind, access.at) {
            // One that replaces a value by itself is taken for one that fails, which promises less.
            let fails = op == AtomicOp::CompareExchange && !changed;
            let atomic = Atomic {
                reads: op != AtomicOp::Store,
                writes: op != AtomicOp::Load && !fails,
                ordering: if fails { order.failure } else { order.ordering },
                scope: order.scope,
            };
            if let Some(shadow) = shadow(self.program, self.records, self.workgroup, access.place) {
                let releases = shadow.releases.entry(at).or_default();
                self.thread.knowledge.access(&self.moment, atomic, releases);
            }
        }
        let visible = self.program.sites.get(access.place as usize).is_some_and(|site| site.visible);
        if changed && visible {
            self.records.changes += 1;
        } else if let AccessKind::Atomic(AtomicOp::CompareExchange, _) = access.kind {
            self.thread.spin.failed(self.records.changes, access.place, access.at.unwrap_or(usize::MAX));
        }
    }

    fn fence(&mut self, ordering: Ordering, scope: Scope) {
        self.thread.knowledge.fence(&self.moment, ordering, scope);
    }

    fn round(&mut self, index: u32, frame: &[u64], private: &[AtomicU32]) -> bool {
        if let Some(info) = self.program.loops.get(index as usize) {
            let (here, inner) = (index as usize, index as usize + 1..info.inner_end as usize);
            self.thread.rounds[here] += 1;
            self.thread.rounds[inner].fill(0);
        }
        self.rounds -= 1;
        self.parked = self.thread.spin.repeats(self.records.changes, index, frame, private);
        if self.parked {
            self.thread.spinning_in = index;
        }
        self.parked || self.rounds == 0
    }
}

/// How an access counts in a race.
fn effect(kind: AccessKind) -> Effect {
    match kind {
        AccessKind::Load => Effect::Read,
        AccessKind::Store => Effect::Write,
        AccessKind::Atomic(op, order) => Effect::Atomic { writes: op != AtomicOp::Load, scope: order.scope },
    }
}

/// What is kept of the memory of a place that others can see.
fn shadow<'s>(
    program: &Program,
    records: &'s mut Records,
    workgroup: &'s mut Workgroup,
    place: u32,
) -> Option<&'s mut Shadow> {
    match program.places.get(place as usize)?.root {
        RootCode::Param(param) => records.shadows.get_mut(param as usize),
        RootCode::Shared { .. } => Some(&mut workgroup.shadow),
        RootCode::Private { .. } | RootCode::Table { .. } => None,
    }
}
