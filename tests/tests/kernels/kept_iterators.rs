//! Iterators in variables: what they count is what it was where they were made, against plain Rust.

use crate::twins;

twins! {
    kept([5, 2, 8, 1, 9, 4]);
    { fn largest(x: &[u32], from: usize) -> u32 {
        let rest = x.iter().skip(from).copied();
        rest.max().unwrap_or(0)
    } }
    kernel(x, y) {
        let pairs = x.iter().zip([10, 20, 30, 40, 50, 60]);
        for (i, (a, b)) in pairs.enumerate() {
            y[i] = a + b;
        }
        // Its end does not change with the variable that told it.
        let mut n = 3;
        let numbers = (1..n).rev();
        n += x[1] as usize;
        for i in numbers {
            y[6] = y[6] * 10 + (i + n) as u32;
        }
        // The values of an array as they were.
        let mut t = [x[0], x[1], x[2]];
        let before = t.into_iter();
        t[1] = 100;
        for v in before {
            y[7] = y[7] * 10 + v;
        }
        let doubled = t.iter().map(|v| v * 2);
        y[8] = doubled.clone().sum::<u32>() + doubled.count() as u32;
        let stepped = x.chunks(2).rev();
        for part in stepped {
            y[9] = y[9] * 10 + part[0];
        }
        let changing = t.iter_mut().filter(|v| **v > 6);
        for v in changing {
            *v -= 1;
        }
        y[10] = t[0] + t[1] + t[2];
        // One way or the other uses it up.
        let either = x.iter();
        if x[0] > 3 {
            for v in either {
                y[11] += v;
            }
        } else {
            y[11] = either.min().copied().unwrap_or(7);
        }
        let again = x.iter().take(2);
        let again = again.zip(x.iter().rev());
        y[12] = again.map(|(a, b)| a * b).sum();
        for round in 0..2 {
            let here = x[round..].iter();
            y[13] += here.fold(0, |all, v| all * 2 + v);
        }
        y[14] = largest(x, 3) + largest(x, 5);
        let all_large = x.iter().rev();
        y[15] = all_large.clone().any(|v| *v == 9) as u32 + all_large.clone().position(|v| *v == 8).unwrap_or(50) as u32;
    }
}
