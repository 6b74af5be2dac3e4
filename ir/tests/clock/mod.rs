//! Time that a thread has computed, by which tests say that something takes little: what else the machine does, and for how
//! long others keep it from this thread, does not count.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Counts from the first reading on.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// How long this thread has run, to some milliseconds. Only Linux says it; elsewhere it is the time of day.
pub fn thread_time() -> Duration {
    let scheduler = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = scheduler.and_then(|text| text.split_whitespace().next()?.parse().ok());
    running.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

#[test]
fn a_thread_that_computes_takes_time_and_one_that_sleeps_takes_none() {
    if !std::fs::exists("/proc/thread-self/schedstat").is_ok_and(|exists| exists) {
        return;
    }
    let start = thread_time();
    std::thread::sleep(Duration::from_millis(300));
    let slept = thread_time() - start;
    assert!(slept < Duration::from_millis(150), "{slept:?}");
    let mut sum = 0u64;
    while thread_time() - start < Duration::from_millis(20) {
        sum = std::hint::black_box(sum + 1);
    }
}
