//! Threads of rayon's pool that help with work which lies on the calling thread's stack.
//!
//! The calling thread does not depend on them. When it has done its own part it waits for those that are at work,
//! and no others: one that comes later goes away again. So a launch ends in its own time where the pool has other
//! things to do. While it waits the thread takes no other jobs of the pool, which might want a lock that its caller
//! holds.
//!
//! Invariant: the work is touched by helpers that have entered and not left, and there are none when [`help`]
//! returns, also by a panic.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Set when nobody may enter any more. The rest of the number is how many are at work.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// How often a waiting thread looks before it sleeps.
const LOOKS: u32 = 200;

/// The way to a piece of work.
struct Door {
    state: AtomicUsize,
    /// Held by who looks whether all have left, and by the last before it says so. A thread's own token would do,
    /// but the program may need that itself.
    last: Mutex<()>,
    all_left: Condvar,
    /// The work, which exists until the door is closed and nobody is at work.
    work: *const (),
    /// Does it.
    call: unsafe fn(*const ()),
}

// SAFETY: the work is `Sync`, as `help` demands, and the rest is for all threads anyway.
unsafe impl Send for Door {}
// SAFETY: as above.
unsafe impl Sync for Door {}

impl Door {
    /// Does the work, unless it is too late.
    fn enter(&self) {
        let enter = |state| if state & CLOSED == 0 { Some(state + 1) } else { None };
        if self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, enter).is_err() {
            return;
        }
        // SAFETY: whoever closes the door keeps the work until this thread has left.
        unsafe { (self.call)(self.work) };
        if self.state.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            drop(self.last.lock().unwrap_or_else(PoisonError::into_inner));
            self.all_left.notify_one();
        }
    }
}

/// Closes a door when it goes, and waits until all have left.
struct Closing<'a>(&'a Door);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_or(CLOSED, Ordering::Acquire);
        let is_busy = || self.0.state.load(Ordering::Acquire) != CLOSED;
        for _ in 0..LOOKS {
            if !is_busy() {
                return;
            }
            std::hint::spin_loop();
        }
        let held = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = self.0.all_left.wait_while(held, |()| is_busy()).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Does the work of this thread, `own`, while as many as `helpers` threads of the pool do `work`.
pub(super) fn help<F: Fn() + Sync>(helpers: u64, work: &F, own: impl FnOnce()) {
    /// Does the work that a pointer leads to.
    ///
    /// # Safety
    ///
    /// It is an `F`, which is there.
    unsafe fn call<F: Fn()>(work: *const ()) {
        // SAFETY: the caller says so.
        unsafe { (*work.cast::<F>())() }
    }
    let door = Door {
        state: AtomicUsize::new(0),
        last: Mutex::default(),
        all_left: Condvar::new(),
        work: std::ptr::from_ref(work).cast(),
        call: call::<F>,
    };
    let door = Arc::new(door);
    let _closing = Closing(&door);
    for _ in 0..helpers {
        let door = door.clone();
        rayon::spawn(move || door.enter());
    }
    own();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::Ordering::Relaxed;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn nobody_is_at_work_afterwards() {
        for round in 0..300 {
            let (entered, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = || {
                entered.fetch_add(1, Relaxed);
                thread::sleep(Duration::from_micros(round));
                left.fetch_add(1, Relaxed);
            };
            let panics = round % 3 == 0;
            let caught = catch_unwind(AssertUnwindSafe(|| {
                help(3, &work, || assert!(!panics, "on purpose"));
            }));
            assert_eq!(caught.is_err(), panics);
            assert_eq!(entered.load(Relaxed), left.load(Relaxed));
        }
    }

    #[test]
    fn a_pool_that_does_other_things_holds_nobody_up() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let lock = Mutex::new(0);
        // Each job holds the lock while it asks for help; whoever waits must not begin with another job.
        pool.scope(|scope| {
            for _ in 0..200 {
                scope.spawn(|_| {
                    let mut count = lock.lock().unwrap();
                    help(4, &|| thread::yield_now(), || *count += 1);
                });
            }
        });
        assert_eq!(lock.into_inner().unwrap(), 200);
    }
}
