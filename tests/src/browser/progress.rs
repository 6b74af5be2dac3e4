//! Whether a process and those that it started get on, by what the scheduler says of their threads.
//!
//! A clock cannot tell a browser that hangs from one that waits for a busy machine. The scheduler can: a thread that wants to
//! run either runs or stands in a queue, and both are counted. Who does neither for long waits for something that does not
//! come. Only Linux says all this; elsewhere nothing is known, and all time counts as standing still.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The part of the time that even an idle browser wants to run, of all its threads together: a twentieth.
const IDLE: u32 = 20;

/// What is left of patience.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// There is reason to wait on.
    Left,
    /// The processes wait, and have waited for this long, for what does not come.
    Still(Duration),
    /// They have computed for this long.
    Endless(Duration),
}

/// The longest that may pass before something is given up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of time in which nothing wants to run.
    pub still: Duration,
    /// Of time that all threads together have run.
    pub running: Duration,
}

/// Time of a thread: running, and waiting for a processor.
#[derive(Clone, Copy, Default, Debug)]
struct Times {
    running: Duration,
    queued: Duration,
}

/// Looks at a process and all that descend from it.
#[derive(Debug)]
pub struct Progress {
    root: u32,
    limits: Limits,
    seen: BTreeMap<u32, Times>,
    at: Instant,
    still: Duration,
    running: Duration,
}

impl Progress {
    /// Looks from now on.
    pub fn of(root: u32, limits: Limits) -> Self {
        let (still, running) = (Duration::ZERO, Duration::ZERO);
        Self { root, limits, seen: threads(root), at: Instant::now(), still, running }
    }

    /// What became since the last look.
    pub fn look(&mut self) -> Patience {
        let (now, threads) = (Instant::now(), threads(self.root));
        let (mut running, mut wanted) = (Duration::ZERO, Duration::ZERO);
        for (thread, times) in &threads {
            let before = self.seen.get(thread).copied().unwrap_or_default();
            let ran = times.running.saturating_sub(before.running);
            running += ran;
            wanted += ran + times.queued.saturating_sub(before.queued);
        }
        let passed = now - self.at;
        (self.seen, self.at) = (threads, now);
        self.judge(passed, running, wanted)
    }

    fn judge(&mut self, passed: Duration, running: Duration, wanted: Duration) -> Patience {
        self.running += running;
        self.still = if wanted * IDLE > passed { Duration::ZERO } else { self.still + passed };
        if self.still >= self.limits.still {
            Patience::Still(self.still)
        } else if self.running >= self.limits.running {
            Patience::Endless(self.running)
        } else {
            Patience::Left
        }
    }
}

/// A process and all that descend from it, as far as they are there.
pub fn family(root: u32) -> BTreeSet<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = processes.filter_map(|process| Some((process, parent(process)?))).collect();
    let mut family = BTreeSet::from([root]);
    loop {
        let size = family.len();
        let children = parents.iter().filter(|(_, parent)| family.contains(parent)).map(|(process, _)| *process);
        let children: Vec<u32> = children.collect();
        family.extend(children);
        if family.len() == size {
            return family;
        }
    }
}

/// Whether there is a process, and it is not over.
pub fn is_alive(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| !state.starts_with(['Z', 'X']))
}

fn parent(process: u32) -> Option<u32> {
    stat(process).and_then(|(_, parent)| parent.parse().ok())
}

/// The state and the parent of a process. Its name, before them, may hold anything.
fn stat(process: u32) -> Option<(String, String)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut words = text.rsplit_once(')')?.1.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}

/// The times of all threads of a process and those that descend from it.
fn threads(root: u32) -> BTreeMap<u32, Times> {
    let of = |process: u32| fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let entries = family(root).into_iter().flat_map(of);
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, times(&entry.path())?))).collect()
}

fn times(thread: &Path) -> Option<Times> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok().map(Duration::from_nanos));
    Some(Times { running: numbers.next()??, queued: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    const LIMITS: Limits = Limits { still: Duration::from_secs(10), running: Duration::from_secs(30) };
    const SECOND: Duration = Duration::from_secs(1);

    fn new() -> Progress {
        Progress::of(std::process::id(), LIMITS)
    }

    #[test]
    fn who_waits_for_a_processor_is_not_given_up() {
        let mut progress = new();
        // Of each second it gets a fiftieth, and wants all of it.
        for _ in 0..1_000 {
            assert_eq!(progress.judge(SECOND, SECOND / 50, SECOND), Patience::Left);
        }
        assert_eq!(progress.judge(SECOND, 10 * SECOND, 10 * SECOND), Patience::Endless(30 * SECOND));
    }

    #[test]
    fn who_wants_nothing_is_given_up_and_who_stirs_is_not() {
        let mut progress = new();
        for _ in 0..9 {
            assert_eq!(progress.judge(SECOND, SECOND / 100, SECOND / 50), Patience::Left);
        }
        assert_eq!(progress.judge(SECOND, SECOND, SECOND), Patience::Left);
        for _ in 0..9 {
            assert_eq!(progress.judge(SECOND, SECOND / 100, SECOND / 50), Patience::Left);
        }
        assert_eq!(progress.judge(SECOND, SECOND / 100, SECOND / 50), Patience::Still(10 * SECOND));
    }

    /// A process that goes away with the test.
    struct Started(Child);

    impl Started {
        fn new(script: &str) -> Self {
            Self(Command::new("sh").args(["-c", script]).spawn().expect("a shell"))
        }
    }

    impl Drop for Started {
        fn drop(&mut self) {
            for process in family(self.0.id()) {
                let _ = Command::new("kill").arg(process.to_string()).status();
            }
            let _ = self.0.wait();
        }
    }

    #[test]
    fn work_of_a_process_that_another_started_is_seen_and_sleep_is_none() {
        if !Path::new("/proc/self/schedstat").exists() {
            return;
        }
        let limits = Limits { still: 5 * SECOND, running: SECOND / 2 };
        let busy = Started::new("(while :; do :; done) & wait");
        let mut progress = Progress::of(busy.0.id(), limits);
        loop {
            std::thread::sleep(SECOND / 20);
            match progress.look() {
                Patience::Left => {}
                Patience::Endless(_) => break,
                Patience::Still(time) => panic!("a loop stands still for {time:?}"),
            }
        }
        assert!(family(busy.0.id()).len() >= 2 && is_alive(busy.0.id()));
        let idle = Started::new("sleep 1000 & wait");
        let mut progress = Progress::of(idle.0.id(), Limits { still: SECOND, running: SECOND / 2 });
        loop {
            std::thread::sleep(SECOND / 10);
            match progress.look() {
                Patience::Left => {}
                Patience::Still(_) => break,
                Patience::Endless(time) => panic!("sleep computes for {time:?}"),
            }
        }
    }
}
