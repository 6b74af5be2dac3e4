//! How often each byte occurs: counted per workgroup in workgroup memory, then added up.

use samebits::prelude::*;
use std::fmt::Write;

/// How often each byte occurs.
pub type Counts = [u64; 256];

/// Bytes that are on the device at a time.
const CHUNK: usize = 64 << 20;
/// Words that a workgroup counts: 16 for each of its 256 invocations.
const GROUP: usize = 4096;

#[kernel(workgroup_size(256))]
pub(crate) fn count(len: usize, words: &[u32], counts: &[Atomic<u32>]) {
    #[shared]
    let bins: [Atomic<u32>; 256];

    let first = workgroup_id().x * 4096 + local_index();
    for step in 0..16 {
        let i = first + step * 256;
        for b in 0..4 {
            if i * 4 + b < len {
                let byte = words[i] >> (8 * b as u32) & 255;
                bins[byte as usize].fetch_add(1);
            }
        }
    }
    workgroup_barrier();

    let bin = local_index();
    let n = bins[bin].load();
    if n > 0 {
        counts[bin].fetch_add(n);
    }
}

/// Counts bytes on a device.
pub fn on(device: &Device, bytes: &[u8]) -> Result<Counts, Error> {
    let mut total = [0; 256];
    for chunk in bytes.chunks(CHUNK) {
        let words = device.upload(&pack(chunk))?;
        let mut counts = device.zeros::<u32>(256)?;
        let groups = words.len().div_ceil(GROUP);
        count::launch(device, Grid::groups(groups, 1, 1), chunk.len(), &words, &mut counts)?;
        for (total, count) in total.iter_mut().zip(counts.read()?) {
            *total += u64::from(count);
        }
    }
    Ok(total)
}

/// Counts bytes in plain Rust.
pub fn plain(bytes: &[u8]) -> Counts {
    let mut counts = [0; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    counts
}

/// The counts as a table of 16 rows, each byte's row being its high digit.
pub fn table(counts: &Counts) -> String {
    let width = counts.iter().max().map_or(1, |most| most.to_string().len()).max(2);
    let mut text = String::from("byte");
    for low in 0..16 {
        // Writing to a string cannot fail.
        let _ = write!(text, " {low:>width$x}");
    }
    for (high, row) in counts.chunks(16).enumerate() {
        let _ = write!(text, "\n  {high:x}_");
        for count in row {
            let _ = write!(text, " {count:>width$}");
        }
    }
    text.push('\n');
    text
}

/// Four bytes a word, the first one lowest; the last word is filled up with zeros.
fn pack(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}
