//! Spans of what the runtime does, as a subscriber sees them.

mod devices;

use samebits::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A span: its name and its fields.
#[derive(Clone, Debug)]
struct Seen {
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
    /// The span that was open when this one was entered.
    inside: Option<u64>,
}

/// Keeps all spans of `samebits`, and which are open.
#[derive(Clone, Default)]
struct Watcher {
    next: Arc<AtomicU64>,
    seen: Arc<Mutex<BTreeMap<u64, Seen>>>,
    open: Arc<Mutex<Vec<u64>>>,
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Watcher {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "samebits"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let number = self.next.fetch_add(1, Relaxed) + 1;
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        let inside = self.open.lock().unwrap().last().copied();
        self.seen.lock().unwrap().insert(number, Seen { name: span.metadata().name(), fields, inside });
        Id::from_u64(number)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.open.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        assert_eq!(self.open.lock().unwrap().pop(), Some(span.into_u64()), "spans are left in their order");
    }
}

/// The spans of some work, in their order; each is closed when the work is done.
fn spans(work: impl FnOnce() -> Result<(), Error>) -> BTreeMap<u64, Seen> {
    let watcher = Watcher::default();
    tracing::subscriber::with_default(watcher.clone(), work).expect("the work");
    assert!(watcher.open.lock().unwrap().is_empty(), "a span is still open");
    std::mem::take(&mut *watcher.seen.lock().unwrap())
}

fn named<'a>(spans: &'a BTreeMap<u64, Seen>, name: &str) -> Vec<&'a Seen> {
    spans.values().filter(|span| span.name == name).collect()
}

#[kernel(workgroup_size(64))]
fn double(x: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        x[i] *= 2;
    }
}

#[test]
fn launches_compiles_transfers_and_waits_are_spans() {
    for device in devices::devices() {
        let spans = spans(|| {
            let mut x = device.upload(&[3u32; 100])?;
            double::launch(&device, 100, &mut x)?;
            double::launch(&device, 100, &mut x)?;
            device.wait()?;
            assert_eq!(x.read()?, [12; 100]);
            let mut y = device.zeros::<u32>(100)?;
            y.copy_from(&x)
        });
        assert!(spans.values().all(|span| span.fields["device"] == device.name()), "{spans:?}");
        let launches = named(&spans, "launch");
        let expected = |launch: &&Seen| {
            ["kernel", "x", "y", "z"].map(|field| &launch.fields[field][..]) == ["double", "2", "1", "1"]
        };
        assert_eq!((launches.len(), launches.iter().all(expected)), (2, true), "{launches:?}");
        let compiles: Vec<&str> = named(&spans, "compile").iter().map(|span| &span.fields["kernel"][..]).collect();
        assert_eq!(compiles, ["double"]);
        assert!(!named(&spans, "wait").is_empty());
        let transfers = named(&spans, "transfer");
        for kind in ["write", "read", "copy"] {
            let is_it = |span: &&&Seen| span.fields["kind"] == kind && span.fields["bytes"] == "400";
            assert_eq!(transfers.iter().filter(is_it).count(), 1, "{kind}: {transfers:?}");
        }
    }
}

#[test]
fn a_replay_has_its_launches_in_it() {
    for device in devices::devices() {
        let spans = spans(|| {
            let mut graph = samebits::graph::Graph::new(&device);
            let mut x = graph.buffer::<u32>();
            double::record(&mut graph, x.len(), &mut x)?;
            double::record(&mut graph, x.len(), &mut x)?;
            graph.replay([x.bind(&mut device.zeros::<u32>(8)?)])
        });
        let (number, replay) = spans.iter().find(|(_, span)| span.name == "replay").expect("a replay");
        assert_eq!(replay.fields["steps"], "2");
        let launches = named(&spans, "launch");
        assert_eq!(launches.len(), 2);
        assert!(launches.iter().all(|launch| launch.inside == Some(*number)), "{spans:?}");
    }
}

#[test]
fn a_profile_tells_when_each_launch_ran() {
    for device in devices::devices() {
        let mut profile = None;
        let spans = spans(|| {
            let mut x = device.upload(&[3u32; 100])?;
            let work = || {
                double::launch(&device, 100, &mut x)?;
                double::launch(&device, 100, &mut x)
            };
            profile = Some(device.profile(work)?.1);
            Ok(())
        });
        let ran = named(&spans, "ran");
        let profile = profile.expect("a profile");
        assert_eq!((ran.len(), profile.launches().len()), (2, 2));
        for (span, launch) in ran.iter().zip(profile.launches()) {
            let nanos = |field: &str| span.fields[field].parse::<u128>().expect("a number");
            assert_eq!((&span.fields["kernel"][..], &span.fields["bytes"][..]), ("double", "400"));
            assert_eq!(
                [nanos("begin_ns"), nanos("end_ns")],
                [launch.begin(), launch.end()].map(|time| time.as_nanos())
            );
        }
    }
}
