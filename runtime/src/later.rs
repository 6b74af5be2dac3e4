//! Results that come later, as futures of any executor.

use crate::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// A result that a device is still working on.
///
/// It is a future of any executor, and borrows nothing. Where it was made, the work was queued: so it does not matter
/// when it is first polled, or whether it is. [`Buffer::read_async`](crate::Buffer::read_async) and
/// [`Device::wait_async`](crate::Device::wait_async) make them. A thread of the device's waits for the driver and wakes
/// the executor.
///
/// ```
/// use samebits::prelude::*;
/// use samebits::later::Later;
///
/// let mut buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
/// let later: Later<Vec<u32>> = buffer.read_async()?;
/// buffer.fill(9)?; // after the copy
/// assert_eq!(pollster::block_on(later)?, [1, 2, 3]);
/// # Ok::<(), Error>(())
/// ```
#[must_use = "a future does nothing unless it is awaited"]
pub struct Later<T>(Arc<Mutex<State<T>>>);

enum State<T> {
    /// It is not there; whom to wake.
    Waiting(Option<Waker>),
    There(Result<T, Error>),
    Taken,
}

/// Who gives the result.
pub(crate) struct Promise<T>(Arc<Mutex<State<T>>>);

/// A result that is not there yet, and who gives it.
pub(crate) fn later<T>() -> (Promise<T>, Later<T>) {
    let state = Arc::new(Mutex::new(State::Waiting(None)));
    (Promise(state.clone()), Later(state))
}

impl<T> Promise<T> {
    /// Gives the result, and wakes who waits for it.
    pub fn keep(self, result: Result<T, Error>) {
        let before =
            std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), State::There(result));
        // The waker is the executor's code, which may do anything.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Future for Later<T> {
    type Output = Result<T, Error>;

    /// # Panics
    ///
    /// If it was ready before, as futures may.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Taken) {
            State::There(result) => Poll::Ready(result),
            State::Waiting(_) => {
                *state = State::Waiting(Some(context.waker().clone()));
                Poll::Pending
            }
            State::Taken => panic!("a future was polled after it was ready"),
        }
    }
}

impl<T> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Waiting(_) => "waiting",
            State::There(_) => "ready",
            State::Taken => "taken",
        };
        f.debug_tuple("Later").field(&format_args!("{state}")).finish()
    }
}
