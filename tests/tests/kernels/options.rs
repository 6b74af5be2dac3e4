//! `Option` as a value: what makes one, patterns, methods, `?`, and in tuples, arrays, helpers and closures.

use crate::twins;

twins! {
    patterns([3, 0, 7, 9]);
    { fn half(n: u32) -> Option<u32> { if n % 2 == 0 { Some(n / 2) } else { None } } }
    { fn sign(n: Option<i32>) -> u32 {
        match n {
            None => 1,
            Some(0) => 2,
            Some(i32::MIN..=-1) => 3,
            Some(n) if n > 100 => 4,
            Some(n) => 5 + n as u32,
        }
    } }
    kernel(x, y) {
        if let Some(n) = half(8) { y[0] = n; }
        if let Some(n) = half(x[0]) { y[1] = n; } else { y[1] = 77; }
        let Some(n) = half(x[1] + 6) else { return };
        y[2] = n;
        y[3] = match half(x[2]) { Some(n) => n, None => 5 };
        y[4] = sign(None) + sign(Some(0)) * 10 + sign(Some(-(x[0] as i32))) * 100;
        y[5] = sign(Some(x[2] as i32 * 100)) + sign(Some(x[3] as i32));
        let mut left = Some(x[3]);
        while let Some(n) = left {
            y[6] += n;
            left = if n > 4 { Some(n - 2) } else { None };
        }
        if let Some(a) = half(x[1]) && let Some(b) = half(a + 4) && b > 1 { y[7] = a * 10 + b; }
        let nested: Option<Option<u32>> = if x[1] == 0 { Some(half(x[0])) } else { None };
        y[8] = match nested { Some(Some(_)) => 1, Some(None) => 2, None => 3 };
        let both = (half(x[0]), half(12));
        y[9] = match both { (Some(a), Some(b)) => a + b, (None, Some(b)) => b * 100, (_, None) => 1 };
        let whole @ Some(_) = half(x[1]) else { return };
        y[10] = whole.unwrap_or(9) + 40;
        let (Some(a), b) = (half(10), x[0]) else { return };
        y[11] = a + b;
    }
}

twins! {
    values_of_all_types([2, 0, 1, 5]);
    { struct Ray { from: [f32; 2], steps: u32 } }
    { enum Way { Up, Down } }
    { fn ray(n: u32) -> Option<Ray> { if n > 1 { Some(Ray { from: [n as f32, 0.5], steps: n * 3 }) } else { None } } }
    { fn pick<T: Element>(which: bool, value: T) -> Option<T> { if which { Some(value) } else { None } } }
    kernel(x, y) {
        if let Some(r) = ray(x[0]) {
            y[0] = r.from[x[1] as usize] as u32 + r.steps * 10;
        }
        y[1] = ray(x[2]).is_none() as u32;
        if let Some(Ray { from: [a, b], steps }) = ray(x[3]) { y[2] = (a + b * 2.0) as u32 + steps; }
        let v = pick(x[0] == 2, Vec3::new(1.0f32, 2.0, 3.0)).unwrap_or(Vec3::splat(9.0));
        y[3] = v.z as u32;
        let all = Some([x[0], x[1], x[2], x[3]]);
        if let Some(all) = all { for i in 0..4 { y[4] += all[i] * (i as u32 + 1); } }
        let way = if x[2] == 1 { Some(Way::Down) } else { None };
        y[5] = match way { Some(Way::Up) => 1, Some(Way::Down) => 2, None => 3 };
        let pair = Some((x[0], x[3] as f32));
        if let Some((a, b)) = pair { y[6] = a + b as u32; }
        let flags = (Some(true), None::<bool>, Some(3u8), None::<i64>);
        y[7] = flags.0.unwrap_or(false) as u32 + flags.1.is_none() as u32 * 2 + flags.2.map_or(0, |n| n as u32) * 4 + flags.3.is_some() as u32;
        let unit = Some(());
        y[8] = unit.is_some() as u32;
        let mut cells = [None; 4];
        cells[x[0] as usize] = Some(x[3]);
        cells[0] = Some(1);
        for cell in cells { y[9] = y[9] * 10 + cell.unwrap_or(7); }
        let mut late;
        if x[0] > 1 { late = Some(x[3]); } else { late = None; }
        if let Some(n) = late { late = Some(n + 1); }
        y[10] = late.unwrap_or_default();
        let deep = Some(Some(Some(x[0])));
        if let Some(Some(Some(n))) = deep { y[11] = n + 10; }
        y[12] = Some([Some(x[3]), None]).map_or(0, |pair| pair[0].unwrap_or(0) + pair[1].unwrap_or(100));
    }
}

twins! {
    methods([4, 0, 9, 6]);
    { fn even(n: u32) -> Option<u32> { if n % 2 == 0 { Some(n) } else { None } } }
    kernel(x, y) {
        let (a, b) = (even(x[0]), even(x[2]));
        y[0] = a.is_some() as u32 + b.is_some() as u32 * 2 + a.is_none() as u32 * 4 + b.is_none() as u32 * 8;
        y[1] = a.unwrap_or(1) * 100 + b.unwrap_or(x[3]);
        y[2] = a.is_some_and(|n| n > 3) as u32 + b.is_some_and(|n| n > 3) as u32 * 2
            + a.is_none_or(|n| n > 4) as u32 * 4 + b.is_none_or(|n| n > 4) as u32 * 8;
        y[3] = a.unwrap_or_default() * 10 + b.unwrap_or_default() + 1;
        y[4] = a.unwrap_or_else(|| 7) * 10 + b.unwrap_or_else(|| x[3] * 2);
        y[5] = a.map(|n| n * 3).unwrap_or(0) + b.map(|n| n as f32 * 1.5).map_or(1000, |f| f as u32);
        y[6] = a.map_or(1, |n| n + 1) * 100 + b.map_or_else(|| x[3], |n| n + 1);
        y[7] = a.and(Some(3.5f32)).map_or(0, |f| (f * 2.0) as u32) + b.and(Some(1)).unwrap_or(50);
        y[8] = a.and_then(|n| even(n / 4)).unwrap_or(99) + a.and_then(|n| even(n / 2)).unwrap_or(1000);
        y[9] = a.or(Some(8)).unwrap_or(0) * 10 + b.or(Some(5)).unwrap_or(0);
        y[10] = a.or_else(|| even(2)).unwrap_or(0) * 10 + b.or_else(|| even(x[3])).unwrap_or(0);
        y[11] = a.xor(b).unwrap_or(0) + b.xor(a).unwrap_or(0) * 10 + a.xor(a).unwrap_or(3) * 100 + b.xor(b).unwrap_or(5) * 10000;
        y[12] = a.filter(|n| *n > 3).is_some() as u32 + a.filter(|&n| n > 4).is_some() as u32 * 2 + b.filter(|_| true).is_some() as u32 * 4 + 8;
        y[13] = a.zip(even(6)).map_or(0, |(p, q)| p * 10 + q) + a.zip(b).is_none() as u32;
        let mut c = a;
        y[14] = c.take().unwrap_or(1) * 10 + c.is_none() as u32;
        y[15] = c.replace(5).is_none() as u32 * 100 + c.replace(6).unwrap_or(0) * 10 + c.unwrap_or(0);
        y[16] = c.take_if(|n| *n == 5).is_some() as u32 + c.take_if(|n| *n == 6).is_some() as u32 * 2 + c.is_none() as u32 * 4;
        y[17] = Some(a).flatten().unwrap_or(0) + Some(b).flatten().unwrap_or(10) + None::<Option<u32>>.flatten().unwrap_or(100);
        let mut calls = 0;
        let counted = a.map(|n| { calls += n; calls });
        y[18] = counted.unwrap_or(0) + b.map(|n| { calls += 1000; n }).unwrap_or(1) + calls;
        let tuple: (f32, [u32; 2]) = None.unwrap_or_default();
        y[19] = tuple.0 as u32 + tuple.1[1] + 1;
    }
}

twins! {
    comparisons([4, 4, 0, 0x8000_0000]);
    { enum Way { Up, Down } }
    { fn of(n: u32) -> Option<u32> { if n > 0 { Some(n) } else { None } } }
    kernel(x, y) {
        y[0] = (of(x[0]) == of(x[1])) as u32 + (of(x[0]) == of(x[2])) as u32 * 2 + (of(x[2]) == of(x[2])) as u32 * 4;
        y[1] = (of(x[0]) != Some(4)) as u32 + (of(x[0]) != Some(5)) as u32 * 2 + (of(x[2]) != None) as u32 * 4 + (of(x[0]) != None) as u32 * 8;
        // What a sum holds that was wrong is not compared.
        y[2] = (x[3].checked_add(x[3]) == 0u32.checked_sub(x[0])) as u32;
        y[3] = (Some(Some(x[0])) == Some(of(x[1]))) as u32 + (Some(None) == Some(of(x[1]))) as u32 * 2 + (None == Some(of(x[2]))) as u32 * 4;
        y[4] = (Some(f32::from_bits(x[3])) == Some(0.0)) as u32 + (Some(f32::NAN) == Some(f32::NAN)) as u32 * 2;
        y[5] = (Some(Vec2::new(x[0], x[1])) == Some(Vec2::splat(4u32))) as u32;
        y[6] = (Some(Way::Up) == Some(Way::Down)) as u32 + (Some(Way::Down) == Some(Way::Down)) as u32 * 2;
        let both = of(x[0]) == Some(4) && of(x[2]).is_none();
        y[7] = both as u32;
    }
}

twins! {
    what_leaves_a_helper([10, 0, 3, 200]);
    { fn checked(a: u32, b: u32) -> Option<u32> { if b == 0 { return None; } Some(a / b) } }
    { fn chain(a: u32, b: u32, c: u32) -> Option<f32> {
        let first = checked(a, b)?;
        let mut total = 0;
        for i in 0..3 {
            total += checked(first + i, c)?;
        }
        Some(total as f32 * 0.5)
    } }
    { fn add(a: u8, b: u8) -> Option<u8> { a.checked_add(b)?.checked_mul(2)?.checked_sub(3) } }
    { fn both<T: Element>(a: Option<T>, b: Option<T>) -> Option<(T, T)> { Some((a?, b?)) } }
    kernel(x, y) {
        y[0] = chain(x[0], x[2], 1).map_or(1000, |f| (f * 2.0) as u32);
        y[1] = chain(x[0], x[1], 1).map_or(1000, |f| f as u32);
        y[2] = chain(x[0], 1, x[1]).map_or(1001, |f| f as u32);
        y[3] = add(x[0] as u8, 3).map_or(999, |n| n as u32);
        y[4] = add(x[3] as u8, 100).map_or(999, |n| n as u32) + add(0, 1).map_or(777, |n| n as u32);
        let twice = |n: u32| -> Option<u32> { let half = checked(n, 2)?; checked(n, half) };
        y[5] = twice(x[0]).unwrap_or(9) * 10 + twice(x[1]).unwrap_or(9);
        y[6] = both(Some(x[0]), checked(9, x[2])).map_or(0, |(a, b)| a * 10 + b) + both(None, Some(1)).is_none() as u32;
    }
}

twins! {
    elements_that_there_may_be([5, 8, 2, 9]);
    { struct Pair { a: u32, b: u32 } }
    { fn at(x: &[u32], i: usize) -> u32 { x.get(i).copied().unwrap_or(100) } }
    { fn ends(x: &[u32]) -> Option<(u32, u32)> { Some((*x.first()?, *x.last()?)) } }
    kernel(x, y) {
        y[0] = at(x, 1) + at(x, 4) * 10 + at(&x[1..3], 1) * 10000 + at(&x[1..3], 2) * 100000;
        if let Some(v) = x.get(x[2] as usize) { y[1] = *v + 1; }
        if let Some(&v) = x.get(x[0] as usize) { y[2] = v; } else { y[2] = 55; }
        let table = [3u32, 1, 4];
        y[3] = table.get(x[2] as usize).copied().unwrap_or(0) + table.get(x[0] as usize).map_or(20, |v| v * 2);
        y[4] = *table.last().unwrap_or(&7) * 10 + *table.first().unwrap_or(&7);
        y[5] = match ends(x) { Some((a, b)) => a * 10 + b, None => 1 };
        y[6] = ends(&x[2..2]).is_none() as u32 + ends(&x[3..]).map_or(0, |(a, b)| a + b) * 2;
        let pairs = [Pair { a: 1, b: x[0] }, Pair { a: 2, b: x[1] }];
        if let Some(pair) = pairs.get(x[2] as usize - 1) { y[7] = pair.a * 100 + pair.b; }
        if let Some(Pair { a, b }) = pairs.first() { y[8] = *a + b * 2; }
        y[9] = (x.get(1) == Some(&8)) as u32 + (x.get(9) == None) as u32 * 2 + (x.first() == x.last()) as u32 * 4;
        y[10] = x.get(3).filter(|v| **v > 8).cloned().unwrap_or(1);
        let mut local = [0u32; 3];
        local[1] = x[3];
        y[11] = *local.get(x[2] as usize - 1).unwrap_or(&3) + local.get(7).is_none() as u32;
        if let Some(row) = [[1u32, 2], [3, 4]].get(x[2] as usize - 1) { y[12] = row[0] * 10 + row[x[2] as usize - 1]; }
    }
}

twins! {
    what_iterators_find([5, 8, 2, 9, 8, 3]);
    { struct Hit { t: u32, id: u32 } }
    { fn nearest(x: &[u32]) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for (id, t) in x.iter().copied().enumerate() {
            if best.is_none_or(|hit| t < hit.t) {
                best = Some(Hit { t, id: id as u32 });
            }
        }
        best
    } }
    kernel(x, y) {
        y[0] = x.iter().copied().min().unwrap_or(0) * 10 + x.iter().copied().max().unwrap_or(0);
        y[1] = *x.iter().min().unwrap_or(&0) * 10 + *x.iter().max().unwrap_or(&0);
        if let Some(i) = x.iter().position(|&v| v == 8) { y[2] = i as u32 + 1; }
        y[3] = x.iter().position(|&v| v == 80).map_or(99, |i| i as u32);
        y[4] = x.iter().find(|v| **v < 4).copied().unwrap_or(0) * 10 + x.iter().copied().find(|&v| v > 8).unwrap_or(0);
        if let Some((i, v)) = x.iter().enumerate().find(|(_, v)| **v == 9) { y[5] = i as u32 * 10 + *v; }
        y[6] = x.iter().last().copied().unwrap_or(0) + (10..20).filter(|n| n % 4 == 0).last().unwrap_or(0) * 100;
        y[7] = x[..0].iter().last().is_none() as u32 + x[2..].iter().next().copied().unwrap_or(0) * 10 + (1..1).next().is_none() as u32 * 100;
        y[8] = x.iter().nth(3).copied().unwrap_or(1) * 10 + x.iter().skip(2).nth(9).is_none() as u32;
        y[9] = x.iter().copied().reduce(|a, b| a * 3 + b).unwrap_or(0);
        y[10] = (0..6).min_by_key(|&i| x[i]).map_or(9, |i| i as u32) * 10 + (0..6).max_by_key(|&i| x[i] / 2).map_or(9, |i| i as u32);
        y[11] = x.iter().copied().max_by_key(|v| v / 3).unwrap_or(0) * 10 + x.iter().copied().min_by_key(|v| v / 3).unwrap_or(0);
        y[12] = nearest(x).map_or(99, |hit| hit.t * 10 + hit.id) + nearest(&x[1..1]).is_none() as u32 * 1000;
        y[13] = x.iter().map(|v| v * 2).filter(|v| v % 3 == 0).min().unwrap_or(7);
        let found = x.iter().copied().min();
        y[14] = match found { Some(n @ 1..=3) => n, Some(_) => 50, None => 60 };
    }
}

/// A kernel that a macro makes, with names of its own beside those of its caller.
macro_rules! made {
    ($name:ident, $input:ident, $($part:ident = $value:expr),*; $result:expr) => {
        twins! {
            $name([4, 6, 0, 1]);
            { fn even(n: u32) -> Option<u32> { if n % 2 == 0 { Some(n) } else { None } } }
            kernel($input, y) {
                let value = $input[0] + 3;
                $(let Some($part) = $value else { return };)*
                y[0] = $result;
                y[1] = match even(value) {
                    Some(value) => value,
                    None => value * 2,
                };
                if let None = even($input[3]) {
                    y[2] = Some($result).map_or(value, |value| value + 1);
                }
            }
        }
    };
}

made!(made_by_a_macro, x, a = even(x[1]), value = even(x[2]); a * 10 + value + 1);

twins! {
    a_condition_gives_what_a_function_does_then([3, 5, 7]);
    { fn half(n: u32) -> Option<u32> { (n % 2 == 0).then(|| n / 2) } }
    kernel(x, o) {
        let mut calls = 0;
        o[0] = (x[1] > 3).then(|| { calls += 1; x[0] * 2 }).unwrap_or(9);
        o[1] = (x[1] > 30).then(|| { calls += 1; x[0] * 2 }).unwrap_or(9);
        o[2] = calls;
        o[3] = half(x[1] + 1).and_then(|n| half(n)).unwrap_or(77) + half(x[0]).unwrap_or(100);
        let sum = || x[0] + x[2];
        if let Some(n) = (x[2] == 7).then(sum) { o[4] = n; }
        o[5] = (x[2] == 8).then(|| (x[0], 1.5f32)).is_none() as u32;
    }
}
