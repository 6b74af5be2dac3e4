//! A thread that waits for a device, so that nobody else has to.
//!
//! It begins with the first work for it and ends with its device. Work is done in order; since a device does its own
//! work in order too, nothing waits for longer than it has to.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What the thread is to do.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// A device's thread, if it has one yet.
#[derive(Default, Debug)]
pub(super) struct Waiter(Mutex<Option<Sender<Work>>>);

impl Waiter {
    /// Hands work to the thread. Without a thread, the caller does it.
    pub fn run(&self, work: Work) {
        let mut sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unsent = match &*sender {
            Some(sender) => sender.send(work).err().map(|unsent| unsent.0),
            None => {
                let (sink, source) = mpsc::channel::<Work>();
                let run = move || source.into_iter().for_each(|work| work());
                match thread::Builder::new().name("samebits-waiter".to_owned()).spawn(run) {
                    Ok(_) => sender.insert(sink).send(work).err().map(|unsent| unsent.0),
                    // The system has no more threads.
                    Err(_) => Some(work),
                }
            }
        };
        drop(sender);
        if let Some(work) = unsent {
            work();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn work_is_done_in_order_on_one_other_thread() {
        let waiter = Waiter::default();
        let (sink, source) = mpsc::channel();
        for i in 0..100 {
            let sink = sink.clone();
            waiter.run(Box::new(move || sink.send((i, thread::current().id())).expect("somebody listens")));
        }
        drop(sink);
        let done: Vec<_> = source.iter().collect();
        assert_eq!(done.iter().map(|(i, _)| *i).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        assert!(done.iter().all(|(_, thread)| *thread == done[0].1 && *thread != thread::current().id()));
    }
}
