//! Jobs for the page and what became of them, as bytes.
//!
//! All numbers are words of 32 bits, low byte first. A blob is its length in bytes, the
//! bytes, and zeros up to a whole word; a text is a blob of UTF-8.
//!
//! A batch is the number of jobs, and of each: the WGSL, the workgroups on x, y and z (zeros
//! if nothing is launched), the number of buffers, and of each its kind and its blob. The
//! answer is the number of jobs, and of each: a status, what was said, the number of buffers
//! that the launch could write, and the blob of each.

/// How a buffer is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The block of the launch.
    Uniform,
    /// Storage that is only read.
    Read,
    /// Storage that comes back.
    ReadWrite,
}

/// A kernel to compile, and perhaps to launch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// The text of the kernel.
    pub wgsl: String,
    /// The number of workgroups; without it the kernel is only compiled.
    pub groups: Option<[u32; 3]>,
    /// The bytes of each buffer, by binding, and how it is bound as a word.
    buffers: Vec<(u32, Vec<u8>)>,
}

impl Job {
    /// A job that has these buffers, by binding.
    pub fn new(wgsl: String, groups: Option<[u32; 3]>, buffers: Vec<(Kind, Vec<u8>)>) -> Self {
        let word = |kind| match kind {
            Kind::Uniform => 0,
            Kind::Read => 1,
            Kind::ReadWrite => 2,
        };
        Self { wgsl, groups, buffers: buffers.into_iter().map(|(kind, bytes)| (word(kind), bytes)).collect() }
    }

    /// About how many bytes the job takes.
    pub fn size(&self) -> usize {
        self.wgsl.len() + self.buffers.iter().map(|(_, bytes)| bytes.len()).sum::<usize>()
    }
}

/// What became of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It compiled, and ran if that was asked for.
    Done {
        /// Warnings; empty if there are none.
        warnings: String,
        /// The bytes of the buffers that it could write, by binding.
        written: Vec<Vec<u8>>,
    },
    /// It does not compile; what is wrong, a message a line.
    Refused(String),
    /// It compiled, and could not run.
    Failed(String),
}

/// A batch as the page reads it.
pub fn encode(jobs: &[Job]) -> Vec<u8> {
    let mut out = Vec::new();
    word(&mut out, jobs.len() as u32);
    for job in jobs {
        blob(&mut out, job.wgsl.as_bytes());
        for count in job.groups.unwrap_or_default() {
            word(&mut out, count);
        }
        word(&mut out, job.buffers.len() as u32);
        for (kind, bytes) in &job.buffers {
            word(&mut out, *kind);
            blob(&mut out, bytes);
        }
    }
    out
}

fn word(out: &mut Vec<u8>, n: u32) {
    out.extend(n.to_le_bytes());
}

fn blob(out: &mut Vec<u8>, bytes: &[u8]) {
    word(out, bytes.len() as u32);
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
}

/// The page's answer to a batch; `None` if the bytes are no answer.
pub fn decode(bytes: &[u8]) -> Option<Vec<Outcome>> {
    let mut rest = bytes;
    let count = take_word(&mut rest)?;
    let outcomes: Option<Vec<Outcome>> = (0..count).map(|_| outcome(&mut rest)).collect();
    outcomes.filter(|_| rest.is_empty())
}

fn outcome(rest: &mut &[u8]) -> Option<Outcome> {
    let status = take_word(rest)?;
    let said = String::from_utf8(take_blob(rest)?).ok()?;
    let written = (0..take_word(rest)?).map(|_| take_blob(rest)).collect::<Option<_>>()?;
    match status {
        0 => Some(Outcome::Done { warnings: said, written }),
        1 => Some(Outcome::Refused(said)),
        2 => Some(Outcome::Failed(said)),
        _ => None,
    }
}

fn take_word(rest: &mut &[u8]) -> Option<u32> {
    let (word, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*word))
}

fn take_blob(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let length = take_word(rest)? as usize;
    let blob = rest.get(..length)?.to_vec();
    *rest = rest.get(length.next_multiple_of(4)..)?;
    Some(blob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_words_and_padded_blobs() {
        let job = Job::new("ab".into(), Some([3, 2, 1]), vec![(Kind::ReadWrite, vec![9; 5])]);
        let words: [u32; 11] = [1, 2, 0x6261, 3, 2, 1, 1, 2, 5, 0x0909_0909, 9];
        assert_eq!(encode(&[job]), words.map(u32::to_le_bytes).concat());
    }

    #[test]
    fn an_answer_is_read_and_a_torn_one_is_not() {
        let words: [u32; 9] = [2, 0, 0, 1, 3, 0x0003_0201, 1, 1, 0x78];
        let mut bytes = words.map(u32::to_le_bytes).concat();
        bytes.extend(0u32.to_le_bytes());
        let done = Outcome::Done { warnings: String::new(), written: vec![vec![1, 2, 3]] };
        assert_eq!(decode(&bytes), Some(vec![done, Outcome::Refused("x".into())]));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
        bytes.extend([0; 4]);
        assert_eq!(decode(&bytes), None);
    }
}
