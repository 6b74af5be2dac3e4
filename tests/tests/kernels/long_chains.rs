//! `if` with as many `else if`s as there may be.

use crate::twins;

twins! {
    chains_of_sixty_conditions([0, 59, 60, 57]);
    { fn twice(n: u32) -> u32 { n * 2 } }
    { fn pick(n: u32) -> u32 {
        if n == 0 { 1 } else if n == 1 { 8 } else if n == 2 { 15 } else if n == 3 { 22 } else if n == 4 { 29 }
        else if n == 5 { 36 } else if n == 6 { 43 } else if n == 7 { 50 } else if n == 8 { 57 } else if n == 9 { 64 }
        else if n == 10 { 71 } else if n == 11 { 78 } else if n == 12 { 85 } else if n == 13 { 92 } else if n == 14 { 99 }
        else if n == 15 { 106 } else if n == 16 { 113 } else if n == 17 { 120 } else if n == 18 { 127 } else if n == 19 { 134 }
        else if n == 20 { 141 } else if n == 21 { 148 } else if n == 22 { 155 } else if n == 23 { 162 } else if n == 24 { 169 }
        else if n == 25 { 176 } else if n == 26 { 183 } else if n == 27 { 190 } else if n == 28 { 197 } else if n == 29 { 204 }
        else if n == 30 { 211 } else if n == 31 { 218 } else if n == 32 { 225 } else if n == 33 { 232 } else if n == 34 { 239 }
        else if n == 35 { 246 } else if n == 36 { 253 } else if n == 37 { 260 } else if n == 38 { 267 } else if n == 39 { 274 }
        else if n == 40 { 281 } else if n == 41 { 288 } else if n == 42 { 295 } else if n == 43 { 302 } else if n == 44 { 309 }
        else if n == 45 { 316 } else if n == 46 { 323 } else if n == 47 { 330 } else if n == 48 { 337 } else if n == 49 { 344 }
        else if n == 50 { 351 } else if n == 51 { 358 } else if n == 52 { 365 } else if n == 53 { 372 } else if n == 54 { 379 }
        else if n == 55 { 386 } else if n == 56 { 393 } else if n == 57 { 400 } else if n == 58 { 407 } else if n == 59 { 414 }
        else { 5 }
    } }
    kernel(x, y) {
        for i in 0..x.len() {
            y[i] = pick(x[i]);
            // Each condition and each block calls a helper of its own.
            let n = x[i] / 2;
            let k;
            if n == 0 { k = twice(0); } else if n == 1 { k = twice(3); } else if n == 2 { k = twice(6); } else if n == 3 { k = twice(9); }
            else if n == 4 { k = twice(12); } else if n == 5 { k = twice(15); } else if n == 6 { k = twice(18); } else if n == 7 { k = twice(21); }
            else if n == 8 { k = twice(24); } else if n == 9 { k = twice(27); } else if n == 10 { k = twice(30); } else if n == 11 { k = twice(33); }
            else if n == 12 { k = twice(36); } else if n == 13 { k = twice(39); } else if n == 14 { k = twice(42); } else if n == 15 { k = twice(45); }
            else if n == 16 { k = twice(48); } else if n == 17 { k = twice(51); } else if n == 18 { k = twice(54); } else if n == 19 { k = twice(57); }
            else if n == 20 { k = twice(60); } else if n == 21 { k = twice(63); } else if n == 22 { k = twice(66); } else if n == 23 { k = twice(69); }
            else if n == 24 { k = twice(72); } else if n == 25 { k = twice(75); } else if n == 26 { k = twice(78); } else if n == 27 { k = twice(81); }
            else if n == 28 { k = twice(84); } else if n == 29 { k = twice(87); } else if n == 30 { k = twice(90); } else if n == 31 { k = twice(93); }
            else if n == 32 { k = twice(96); } else if n == 33 { k = twice(99); } else if n == 34 { k = twice(102); } else if n == 35 { k = twice(105); }
            else if n == 36 { k = twice(108); } else if n == 37 { k = twice(111); } else if n == 38 { k = twice(114); } else if n == 39 { k = twice(117); }
            else { k = 70; }
            y[4 + i] = k;
        }
    }
}
