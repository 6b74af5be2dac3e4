//! A browser as a device of tests: WebGPU as Chromium has it, Tint and SwiftShader.
//!
//! Nothing of this is ours but the WGSL, so that what is refused here would be refused by a
//! user's browser, and what differs here is one of two implementations that do not know each
//! other. Kernels are sent as they are made, in batches, and the page works on one while the
//! next is made; a kernel never waits for another's result.

mod page;
mod progress;
mod protocol;
mod record;

pub use page::{File, Page};
pub use protocol::{Job, Kind, Outcome};
pub use record::{Disagreement, Recorder, Report, job, lacks};

use std::collections::VecDeque;

/// Jobs of a batch at most.
const BATCH: usize = 48;
/// Bytes from which on a batch is sent.
const BATCH_BYTES: usize = 4 << 20;

/// A browser that runs kernels.
pub struct Browser {
    page: Page,
    /// The batch that is being made.
    waiting: Vec<Job>,
    /// The sizes of batches that were sent and not answered.
    sent: VecDeque<usize>,
    outcomes: Vec<Outcome>,
}

impl Browser {
    /// Starts the browser of this machine; `None` if there is none, which is said.
    ///
    /// # Panics
    ///
    /// If there is none and one is required (`SAMEBITS_REQUIRE_BROWSER=1`).
    pub fn open() -> Option<Self> {
        let html = File { path: "/", media: "text/html", bytes: include_bytes!("page.html").to_vec() };
        let script = File { path: "/page.js", media: "text/javascript", bytes: include_bytes!("page.js").to_vec() };
        let page = Page::open(vec![html, script])?;
        Some(Self { page, waiting: Vec::new(), sent: VecDeque::new(), outcomes: Vec::new() })
    }

    /// Gives the browser a job; its outcome is one of [`collect`](Self::collect)'s.
    pub fn send(&mut self, job: Job) {
        self.waiting.push(job);
        let bytes: usize = self.waiting.iter().map(Job::size).sum();
        if self.waiting.len() >= BATCH || bytes >= BATCH_BYTES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.waiting.is_empty() {
            self.page.send(protocol::encode(&self.waiting));
            self.sent.push_back(self.waiting.len());
            self.waiting.clear();
        }
    }

    /// What became of all jobs since the last call, in their order. Where the page itself
    /// fails, or does not answer, the error says why.
    pub fn collect(&mut self) -> Result<Vec<Outcome>, String> {
        self.flush();
        while let Some(count) = self.sent.pop_front() {
            let bytes = self.page.receive()?;
            let outcomes = protocol::decode(&bytes).filter(|outcomes| outcomes.len() == count);
            self.outcomes.extend(outcomes.ok_or("the page's answer does not fit its batch")?);
        }
        Ok(std::mem::take(&mut self.outcomes))
    }
}
