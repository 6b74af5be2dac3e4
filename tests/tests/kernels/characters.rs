//! Byte literals, the numbers of characters, and `const` blocks.

use crate::twins;

twins! {
    bytes_and_characters([48, 57, 10, 97, 70, 233]);
    { const DIGITS: u8 = b'9' - b'0' + 1; }
    { fn digit(c: u8) -> u32 {
        match c {
            b'0'..=b'9' => (c - b'0') as u32,
            b'a'..=b'f' | b'A'..=b'F' => ((c | 0x20) - b'a') as u32 + 10,
            b'\n' => 99,
            _ => 100,
        }
    } }
    kernel(x, out) {
        for i in 0..6 {
            out[i] = digit(x[i] as u8);
        }
        out[6] = 'a' as u32 + 'é' as u32 + '\u{1F600}' as u32;
        out[7] = 'é' as u8 as u32;
        out[8] = ('z' as i32 - x[0] as i32) as u32;
        let letter = b'x';
        out[9] = (letter == b'\x78') as u32 + DIGITS as u32;
        out[10] = const { 3 * DIGITS as u32 + { let n = 4; n * n } };
        let table = const { [1, 2, 3u32] };
        out[11] = table[x[2] as usize % 3];
        out[12] = if x[0] as u8 == b'0' { const { 2 } } else { 3 };
    }
}
