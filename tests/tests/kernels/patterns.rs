//! Patterns: `match` on tuples, structs and arrays, `let … else`, `let` in conditions; and blocks with labels.

use crate::twins;

twins! {
    matches_of_tuples([0, 1, 5, 9, 20, 3]);
    { const TEN: u32 = 10; }
    { fn kind(a: u32, b: i32, c: bool) -> u32 {
        match (a, b, c) {
            (0, _, _) => 1,
            (1 | 2, -3..=3, true) => 2,
            (x @ 3..=9, ..) if x % 2 == 1 => 100 + x,
            (_, i32::MIN..=-1, false) => 3,
            (TEN, y, _) => 200 + y.unsigned_abs(),
            (.., true) => 4,
            (x, y, false) => 300 + x + y.unsigned_abs(),
        }
    } }
    kernel(x, out) {
        for i in 0..6 {
            out[i] = kind(x[i], x[5 - i] as i32 - 4, x[i] > 4);
            out[6 + i] = kind(10, i as i32 - 2, i % 2 == 0);
            out[12 + i] = kind(2, 3 - 2 * i as i32, i % 3 == 0);
        }
    }
}

twins! {
    names_in_alternatives([1, 7, 2, 8, 3, 9]);
    { fn either(a: u32, b: u32) -> u32 {
        match (a, b) {
            // The guard is tried with both.
            (x, _) | (_, x) if x > 8 => 1000 + x,
            (x @ 1, 7) | (2, x) => x,
            ((x, 3) | (3, x)) if x > 3 => 50 + x,
            (mut x, 0) | (0, mut x) => {
                x += 1;
                x
            }
            _ => 2000,
        }
    } }
    kernel(x, out) {
        for i in 0..6 {
            for j in 0..5 {
                out[5 * i + j] = either(x[i], x[j]);
            }
        }
        out[30] = either(0, 4) + either(5, 0) + either(6, 3);
    }
}

twins! {
    matches_of_structs([4, 9, 2]);
    { with_methods struct Pair {
        a: u32,
        b: i32,
    } }
    { struct Nested {
        pair: Pair,
        list: [u32; 3],
    } }
    { struct Wrapped(u32, u32); }
    { fn of(p: Pair) -> u32 {
        match p {
            Pair { a: 0, .. } => 1,
            Pair { a, b: 0 } => a,
            Pair { a: 1..=4, b } if b > 0 => 10 + b as u32,
            Pair { b: -1, a: n @ (3 | 4) } => 20 + n,
            whole @ Pair { b: _, .. } => whole.a * 100,
        }
    } }
    { impl Pair {
        fn is_small(self) -> bool {
            let Self { a: 0..=3, b: -3..=3 } = self else {
                return false;
            };
            true
        }
    } }
    kernel(x, out) {
        out[0] = of(Pair { a: 0, b: 1 });
        out[1] = of(Pair { a: 7, b: 0 });
        out[2] = of(Pair { a: x[0], b: x[1] as i32 });
        out[3] = of(Pair { a: x[0], b: -1 });
        out[4] = of(Pair { a: x[2], b: -1 });
        out[5] = Pair { a: x[0], b: 0 }.is_small() as u32;
        out[6] = Pair { a: x[2], b: 3 }.is_small() as u32 + 1;
        let n = Nested { pair: Pair { a: x[0], b: -2 }, list: [x[0], x[1], x[2]] };
        match n {
            Nested { pair: Pair { a: 4, b }, list: [first, .., 2] } => out[7] = first.wrapping_add(b as u32),
            Nested { list: [_, middle, _], .. } => out[8] = middle,
        }
        match n {
            Nested { pair: Pair { a: 5.., .. }, .. } => out[9] = 1,
            Nested { list: all @ [4, ..], .. } => out[9] = all[x[2] as usize - 1] + all.len() as u32,
            _ => out[9] = 3,
        }
        let Wrapped(p, q) = Wrapped(x[1], x[2]);
        match Wrapped(p, q) {
            Wrapped(.., 3) => out[10] = 1,
            Wrapped(9, two) => out[10] = two,
            Wrapped(..) => out[10] = 4,
        }
    }
}

twins! {
    let_with_else([3, 8, 5]);
    { fn first(t: (u32, u32)) -> u32 {
        let (x @ 1..=4, y) = t else {
            return 70;
        };
        x * 10 + y
    } }
    { fn all<F: Fn(u32) -> u32>(f: F) -> u32 {
        f(1) + f(2)
    } }
    kernel(x, out) {
        out[0] = first((x[0], x[1]));
        out[1] = first((x[1], x[0]));
        for i in 0..3 {
            let (3 | 5, n) = (x[i], x[i] * 2) else { continue };
            out[2 + i] = n;
        }
        out[5] = all(|k| {
            let 1 = k else { return 30 };
            4
        });
        let [a, b, ..] = [x[0], x[1], x[2]];
        let (c, .., d) = (x[0], 1, 2, x[2]);
        out[6] = a * b + c * d;
        let (0..=9 | 10..) = x[0];
        let mut steps = 0;
        loop {
            steps += x[0];
            let 0..=10 = steps else { break };
        }
        out[7] = steps;
        let (e, f) = if let (3, e) = (x[0], x[1]) { (e, 1u32) } else { (2, 3) };
        out[8] = e + f;
    }
}

twins! {
    let_in_conditions([3, 8, 5, 0, 12]);
    { fn far(x: &[u32], i: usize) -> (u32, bool) {
        if i < x.len() { (x[i], true) } else { (0, false) }
    } }
    kernel(x, out) {
        let mut i = 0;
        while let (v, true) = far(x, i) {
            out[i] = v + 1;
            i += 1;
        }
        // What stands behind `&&` runs only if it must, and its names reach the branch.
        for j in 0..6 {
            if let (v, true) = far(x, j)
                && v > 2
                && let (w @ 4.., _) = far(x, j + 1)
                && let sum = v + w
            {
                out[5 + j] = sum;
            } else if let (0, false) = far(x, j) {
                out[5 + j] = 99;
            } else {
                let v = 7;
                out[5 + j] = v;
            }
        }
        let mut n = 0;
        while n < 20
            && let (step @ 1..=5, _) = far(x, n as usize % 3)
        {
            n += step;
        }
        out[11] = n;
        let v = 1;
        if let v @ 1.. = v + x[0] {
            out[12] = v;
        }
        out[13] = v;
    }
}

twins! {
    blocks_with_labels([3, 8, 5]);
    { fn search(x: &[u32], wanted: u32) -> u32 {
        'found: {
            for i in 0..x.len() {
                if x[i] == wanted {
                    break 'found i as u32;
                }
            }
            100
        }
    } }
    kernel(x, out) {
        out[0] = search(x, 8);
        out[1] = search(x, 9);
        let v: (u32, u32) = 'a: {
            if x[0] == 4 {
                break 'a (1, 1);
            }
            let inner = 'b: {
                if x[1] == 8 {
                    break 'b 5;
                }
                if x[1] == 9 {
                    break 'a (2, 2);
                }
                6
            };
            (inner, x[2])
        };
        out[2] = v.0;
        out[3] = v.1;
        'unit: {
            out[4] = 1;
            if x[0] == 3 {
                break 'unit;
            }
            out[4] = 2;
        }
        'outer: for i in 0..3 {
            'inner: {
                if x[i] == 8 {
                    continue 'outer;
                }
                if x[i] == 5 {
                    break 'inner;
                }
                out[5 + i] = 10;
            }
            out[8 + i] = 20;
        }
        let given;
        'set: {
            if x[0] > 2 {
                given = 1;
                break 'set;
            }
            given = 2;
        }
        out[12] = given;
    }
}

twins! {
    tests_of_patterns([0, 1, 5, 9, 20, 3]);
    { struct Point { x: u32, y: u32 } }
    { enum Way { Up, Down, Far } }
    { fn is_small(n: u32) -> bool { matches!(n, 1..=5 | 9) } }
    { fn way(n: u32) -> Way { match n { 0 => Way::Up, 1 => Way::Down, _ => Way::Far } } }
    kernel(x, y) {
        let p = Point { x: x[1], y: x[2] };
        for i in 0..6 {
            y[i] = matches!(x[i], 0 | 5..=19) as u32 + is_small(x[i]) as u32 * 2;
            y[i + 6] = (matches!(x[i], n if n % 3 == 0) && !std::matches!((x[i], i), (_, 0))) as u32 + 1;
        }
        y[12] = matches!(p, Point { x: 1, y } if y == x[2]) as u32;
        y[13] = matches!(Point { x: 1, ..p }, Point { x, .. } if matches!(way(x), Way::Down)) as u32;
        y[14] = matches!(way(x[5]), Way::Up | Way::Down,) as u32 + 7;
        let found = x[3].checked_sub(x[2]);
        y[15] = matches!(found, Some(1..=4)) as u32 + matches!(found, None) as u32 * 2;
        if matches!(x[4].checked_sub(30), None) && let Some(n) = found {
            y[16] = n;
        }
        let _ = matches!(x[0], 0) || { y[17] = 1; true };
        y[18] = { matches!(x[0], 1) } as u32 + 5;
        let all = |limit: u32| matches!(x[3], n if n < limit);
        y[19] = all(10) as u32 + all(9) as u32 * 2 + 4;
    }
}

twins! {
    lists_are_assigned_and_taken_apart([3, 4, 5, 6]);
    { fn rest(a: [u32; 4]) -> u32 {
        let [first, others @ ..] = a;
        let [start @ .., last] = a;
        let [p, mut middle @ .., q] = a;
        middle[0] += 1;
        first + 10 * others[0] + 100 * others[2] + start[0] * start[2] + last + p * q + middle[0] * 7 + middle[1]
    } }
    kernel(x, o) {
        let (mut a, mut b, mut t) = (x[0], x[1], [0u32; 3]);
        [a, b] = [b, a];
        o[0] = a * 10 + b;
        [t[0], _, t[2]] = [a, b, a + b];
        [t[0], t[2]] = [t[2], t[0]];
        o[1] = t[0] * 100 + t[1] * 10 + t[2];
        o[2] = rest([x[0], x[1], x[2], x[3]]);
    }
}

twins! {
    assignments_take_values_apart([3, 5, 7, 11]);
    { struct Pair { a: u32, b: u32 } }
    { struct Three(u32, u32, u32); }
    { fn nested(x: u32) -> (u32, [u32; 3], Pair) { (x, [x + 1, x + 2, x + 3], Pair { a: x * 2, b: x * 3 }) } }
    kernel(x, o) {
        let (mut a, mut b, mut c, mut d) = (1, 2, 3, 4);
        (a, [b, c]) = (b, [c, a]);
        o[0] = a * 100 + b * 10 + c;
        [a, b, ..] = [x[0], x[1], x[2], x[3]];
        [.., c, d] = [x[0] + 20, x[1] + 20, x[2] + 20, x[3] + 20];
        o[1] = a + b * 10 + c * 1000 + d * 100_000;
        (a, ..) = (x[1], x[2], x[3]);
        (.., d) = (x[1], x[2], 90);
        (b, .., c) = (1, 2, 3, 4);
        o[2] = a + b * 10 + c * 100 + d * 1000;
        Pair { a, b: c } = Pair { a: 9, b: x[0] };
        Pair { b, .. } = Pair { a: 1, b: x[3] };
        Three(_, d, _) = Three(5, 6, 7);
        o[3] = a + b * 10 + c * 1000 + d * 10_000;
        Three(a, ..) = Three(x[0], x[1], x[2]);
        Three(b, .., c) = Three(x[0], x[1], x[2]);
        o[4] = a + b * 10 + c * 100;
        (a, [b, _, c], Pair { b: d, .. }) = nested(x[2]);
        o[5] = a + b * 100 + c * 10_000 + d * 1_000_000;
        (o[6], [o[7], .., o[8]], Pair { a: o[9], b: _ }) = nested(x[3]);
        let mut pair = Pair { a: 1, b: 2 };
        let mut words = [0u32; 2];
        (Pair { a: pair.b, b: pair.a }, [words[1], words[0]]) = (pair, [x[0], x[1]]);
        o[10] = pair.a + pair.b * 10 + words[0] * 100 + words[1] * 1000;
        let later;
        [later, ..] = [x[2], x[3]];
        o[11] = later;
    }
}

twins! {
    a_match_on_tuples_has_as_many_arms_as_one_likes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30]);
    { fn chosen(a: u32, b: u32) -> u32 {
        match (a, b) {
            (0, 0) => 5,
            (0, 1) => 16,
            (0, 2) => 27,
            (0, 3) => 38,
            (0, 4) => 49,
            (0, 5) => 60,
            (0, 6) => 71,
            (0, 7) => 82,
            (1, 0) => 42,
            (1, 1) => 53,
            (1, 2) => 64,
            (1, 3) => 75,
            (1, 4) => 86,
            (1, 5) => 97,
            (1, 6) => 7,
            (1, 7) => 18,
            (2, 0) => 79,
            (2, 1) => 90,
            (2, 2) => 0,
            (2, 3) => 11,
            (2, 4) => 22,
            (2, 5) => 33,
            (2, 6) => 44,
            (2, 7) => 55,
            (3, 0) => 15,
            (3, 1) => 26,
            (3, 2) => 37,
            (3, 3) => 48,
            (3, 4) => 59,
            (3, 5) => 70,
            (3, 6) => 81,
            (3, 7) => 92,
            (4, 0) => 52,
            (4, 1) => 63,
            (4, 2) => 74,
            (4, 3) => 85,
            (4, 4) => 96,
            (4, 5) => 6,
            (4, 6) => 17,
            (4, 7) => 28,
            (_, 9) => a * 3,
            (5, 0) => 89,
            (5, 1) => 100,
            (5, 2) => 10,
            (5, 3) => 21,
            (5, 4) => 32,
            (5, 5) => 43,
            (5, 6) => 54,
            (5, 7) => 65,
            (6, 0) => 25,
            (6, 1) => 36,
            (6, 2) => 47,
            (6, 3) => 58,
            (6, 4) => 69,
            (6, 5) => 80,
            (6, 6) => 91,
            (6, 7) => 1,
            (7, 0) => 62,
            (7, 1) => 73,
            (7, 2) => 84,
            (3..=9, n) => n + 7,
            (7, 3) => 95,
            (7, 4) => 5,
            (7, 5) => 16,
            (7, 6) => 27,
            (7, 7) => 38,
            (8, 0) => 99,
            (8, 1) => 9,
            (8, 2) => 20,
            (8, 3) => 31,
            (8, 4) => 42,
            (8, 5) => 53,
            (8, 6) => 64,
            (8, 7) => 75,
            _ => a + b,
        }
    } }
    kernel(x, o) {
        for i in 0..11 {
            o[i] = chosen(x[i], x[(i * 3) % 11]) + 1000 * chosen(x[(i * 7) % 11], x[i]);
            o[i + 11] = chosen(x[i], 9) + 1000 * chosen(3, x[i]);
        }
    }
}
