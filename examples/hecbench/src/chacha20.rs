//! The stream cipher ChaCha20 with a nonce of 64 bits, and the bytes that hexadecimal digits stand for.
//!
//! One workgroup turns the digits of a key, of a nonce and of an expected key stream into bytes. Then one invocation
//! encrypts zeros, which gives the key stream.
//!
//! Sizes: 32 bytes of key, 8 of nonce, 256 of key stream.
//! What differs: digits are told by a `match` and not by a table; a barrier stands between the bytes of the key and their
//! use, which the original leaves to its warp; the expected stream comes from the reference.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

/// Blocks of the key stream, one after the other.
#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Blocks {
    state: [u32; 16],
}

#[device]
impl Blocks {
    fn new(key: &[u8], nonce: &[u8], counter: u64) -> Self {
        let mut state = [0; 16];
        // "expand 32-byte k"
        state[0] = 0x6170_7865;
        state[1] = 0x3320_646e;
        state[2] = 0x7962_2d32;
        state[3] = 0x6b20_6574;
        for i in 0..8 {
            state[4 + i] = word(&key[4 * i..]);
        }
        state[12] = counter as u32;
        state[13] = (counter >> 32) as u32;
        state[14] = word(nonce);
        state[15] = word(&nonce[4..]);
        Self { state }
    }

    fn next(&mut self) -> [u32; 16] {
        let mut x = self.state;
        for _ in 0..10 {
            quarter(&mut x, 0, 4, 8, 12);
            quarter(&mut x, 1, 5, 9, 13);
            quarter(&mut x, 2, 6, 10, 14);
            quarter(&mut x, 3, 7, 11, 15);
            quarter(&mut x, 0, 5, 10, 15);
            quarter(&mut x, 1, 6, 11, 12);
            quarter(&mut x, 2, 7, 8, 13);
            quarter(&mut x, 3, 4, 9, 14);
        }
        for i in 0..16 {
            x[i] += self.state[i];
        }
        self.state[12] += 1;
        if self.state[12] == 0 {
            self.state[13] += 1;
        }
        x
    }
}

#[device]
fn quarter(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] += x[b];
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] += x[d];
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] += x[b];
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] += x[d];
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

#[device]
fn word(bytes: &[u8]) -> u32 {
    let mut word = 0;
    for i in 0..4 {
        word |= (bytes[i] as u32) << (8 * i);
    }
    word
}

#[device]
fn digit(character: u8) -> u8 {
    match character {
        // From "0" to "9", from "a" to "f", and from "A".
        48..=57 => character - 48,
        97..=102 => character - 97 + 10,
        _ => character - 65 + 10,
    }
}

/// The bytes of hexadecimal text, by a workgroup.
#[device]
fn to_bytes(text: &[u8], bytes: &mut [u8]) {
    for i in (local_id().x..text.len() / 2).step_by(256) {
        bytes[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
    }
}

#[kernel(workgroup_size(256))]
pub(crate) fn key_stream(
    key_text: &[u8],
    nonce_text: &[u8],
    stream_text: &[u8],
    key: &mut [u8],
    nonce: &mut [u8],
    stream: &mut [u8],
    result: &mut [u8],
) {
    to_bytes(key_text, key);
    to_bytes(nonce_text, nonce);
    to_bytes(stream_text, stream);
    workgroup_barrier();
    if local_id().x == 0 {
        let mut blocks = Blocks::new(key, nonce, 0);
        let mut block = [0; 16];
        for i in 0..result.len() {
            let position = i % 64;
            if position == 0 {
                block = blocks.next();
            }
            result[i] ^= (block[position / 4] >> (8 * (position % 4))) as u8;
        }
    }
}

const STREAM: usize = 256;

fn key_and_nonce() -> ([u8; 32], [u8; 8]) {
    (std::array::from_fn(|i| i as u8), std::array::from_fn(|i| i as u8))
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

pub(crate) fn start(device: &Device, _: Scale) -> Result<Job<'_>, Error> {
    let (key, nonce) = key_and_nonce();
    let stream = plain_stream(key, nonce);
    let texts = [&key[..], &nonce, &stream].map(|bytes| device.upload(&hexadecimal(bytes)));
    let [key_text, nonce_text, stream_text] = texts;
    let (key_text, nonce_text, stream_text) = (key_text?, nonce_text?, stream_text?);
    let (mut key, mut nonce) = (device.zeros(key.len())?, device.zeros(nonce.len())?);
    let (mut stream, mut result) = (device.zeros(STREAM)?, device.zeros::<u8>(STREAM)?);
    Ok(Job::new(["key stream"], move |ask| match ask {
        Ask::Step(_) => {
            result.fill(0)?;
            let (key, nonce, stream) = (&mut key, &mut nonce, &mut stream);
            let grid = Grid::groups(1, 1, 1);
            key_stream::launch(device, grid, &key_text, &nonce_text, &stream_text, key, nonce, stream, &mut result)
        }
        Ask::Answer(answer) => {
            answer.add("expected", &stream.read()?);
            answer.add("stream", &result.read()?);
            Ok(())
        }
    }))
}

fn plain_stream(key: [u8; 32], nonce: [u8; 8]) -> Vec<u8> {
    let words =
        |bytes: &[u8]| bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<_>>();
    let mut first = words(b"expand 32-byte k");
    first.extend(words(&key));
    first.extend([0, 0]);
    first.extend(words(&nonce));
    let mut stream = Vec::new();
    for counter in 0..(STREAM / 64) as u32 {
        first[12] = counter;
        let mut x = first.clone();
        for round in 0..20 {
            for column in 0..4 {
                // Columns and diagonals in turn.
                let at = |row: usize| 4 * row + (column + if round % 2 == 0 { 0 } else { row }) % 4;
                for (to, from, turned, by) in [(0, 1, 3, 16), (2, 3, 1, 12), (0, 1, 3, 8), (2, 3, 1, 7)] {
                    x[at(to)] = x[at(to)].wrapping_add(x[at(from)]);
                    x[at(turned)] = (x[at(turned)] ^ x[at(to)]).rotate_left(by);
                }
            }
        }
        stream.extend(x.iter().zip(&first).flat_map(|(x, first)| x.wrapping_add(*first).to_le_bytes()));
    }
    stream
}

pub(crate) fn reference(_: Scale) -> Answer {
    let (key, nonce) = key_and_nonce();
    let stream = plain_stream(key, nonce);
    let mut answer = Answer::default();
    answer.add("expected", &stream);
    answer.add("stream", &stream);
    answer
}

#[cfg(test)]
mod tests {
    /// The published stream of this key and nonce.
    #[test]
    fn the_reference_is_chacha20() {
        let (key, nonce) = super::key_and_nonce();
        let stream = super::plain_stream(key, nonce);
        assert_eq!(stream[..8], [0xf7, 0x98, 0xa1, 0x89, 0xf1, 0x95, 0xe6, 0x69]);
        assert_eq!(stream[252..], [0x8f, 0xab, 0x78, 0xc9]);
    }
}
