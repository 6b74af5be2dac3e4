//! Patterns through `&mut`: their names change the parts of what is matched, of variables, memory, options and enums.

use crate::twins;

twins! {
    names_change_fields([3, 1, 2]);
    { struct S { pub a: u32, pub b: [u32; 2] } }
    kernel(x, y) {
        let mut s = S { a: x[0], b: [1, 2] };
        match &mut s { S { a, .. } => *a += 1 }
        y[0] = s.a;
        let S { a, b } = &mut s;
        *a += 5;
        b[1] += *a;
        y[1] = s.a + s.b[1];
        let r = &mut s;
        match r { S { a: 9, b } => b[0] = 7, S { a, b } => { b[0] += *a; } }
        y[2] = s.b[0];
    }
}

twins! {
    names_change_what_options_hold([3, 1, 2]);
    kernel(x, y) {
        let mut o = Some(x[0]);
        if let Some(v) = &mut o { *v += 1; }
        y[0] = o.unwrap_or(77);
        y[1] = o.unwrap_or(77);
        match &mut o { Some(v) if *v > 3 => *v *= 2, Some(v) => *v += 1, None => {} }
        y[2] = o.unwrap_or(77);
    }
}

twins! {
    names_of_items_change_them([3, 1, 2]);
    { struct P { pub a: u32, pub b: u32 } }
    kernel(_x, y) {
        let mut local = [P { a: 1, b: 2 }; 4];
        for p in &mut local { p.a += 1; }
        for p in local.iter_mut() { p.b += p.a; }
        for P { a, b } in &mut local { *a += *b; }
        for (i, p) in local.iter_mut().enumerate() { p.b += i as u32; }
        y[0] = local[3].a * 100 + local[3].b;
        let mut grid = [[0u32; 3]; 2];
        for row in &mut grid { for v in row { *v += 1; } }
        for row in grid.iter_mut() { for v in row.iter_mut() { *v += 1; } }
        y[1] = grid[1][2];
        let mut pairs = [(1u32, 2u32); 3];
        for (a, b) in &mut pairs { *a += *b; }
        for (a, b) in pairs.iter_mut() { *b += *a; }
        y[2] = pairs[0].0 + pairs[2].1;
    }
}

twins! {
    names_change_parts_of_tuples([3, 1, 2]);
    kernel(x, y) {
        let mut t = (x[0], [1u32, 2]);
        let (a, b) = &mut t;
        *a += 1;
        b[0] += *a;
        y[0] = t.0 + t.1[0];
        match &mut t { (1, _) => y[2] = 1, (n, f) => { *n = 3; f[0] = 4; } }
        y[3] = t.0 + t.1[0];
    }
}

twins! {
    names_change_parts_of_parts([3, 1, 2]);
    { with_methods struct S { pub a: u32, pub b: [u32; 2] } }
    { struct T { pub s: S, pub n: u32 } }
    { fn raise(n: &mut u32) { *n += 100; } }
    { impl S { fn up(&mut self) { match self { S { a, b } => { *a += 1; b[1] += *a; raise(a); } } } } }
    kernel(x, y) {
        let mut s = S { a: x[0], b: [1, 2] };
        s.up();
        y[0] = s.a + s.b[1];
        let mut ts = [T { s, n: 1 }; 3];
        let mut i = 1;
        match &mut ts[i] { T { s: S { a, .. }, n: 1 } => { i = 2; *a = 7; } T { n, .. } => *n = 9 }
        y[1] = ts[1].s.a + ts[2].s.a;
        let T { s: S { a, b: part }, n } = &mut ts[i];
        *a = 50; part[0] = 60; *n += 1; raise(n);
        y[2] = ts[2].s.a + ts[2].s.b[0] + ts[2].n;
        let mut stack: (Option<u32>, Option<(u32, u32)>) = (None, Some((1, 2)));
        let mut rounds = 0;
        while let (_, Some((a, b))) = &mut stack {
            *a += 1;
            *b += *a;
            rounds += 1;
            if *a > 4 { stack.1 = None; }
        }
        y[3] = rounds;
        let (none, _) = &mut stack;
        *none = Some(3);
        y[4] = stack.0.unwrap_or(0);
        let Some(v) = &mut stack.0 else { return };
        *v += 10;
        raise(v);
        y[5] = stack.0.unwrap_or(0);
        let (p, q) = &(x[0], x[1]);
        y[6] = *p * 10 + *q;
        let S { a, .. } = &ts[0].s;
        y[7] = *a;
        let mut o = Some(Some(4u32));
        if let Some(Some(n)) = &mut o && *n == 4 { *n = 5; }
        if let Some(n) = &mut o { *n = n.map(|v| v + 1); }
        match o { Some(Some(n)) => y[8] = n, _ => {} }
    }
}

twins! {
    names_of_items_are_fields([3, 1, 2]);
    { struct P { pub x: u32, pub y: u32 } }
    kernel(_x, y) {
        let mut local = [P { x: 1, y: 2 }; 4];
        for (i, P { x, y }) in local.iter_mut().enumerate() { *x += i as u32; *y += *x; }
        let mut s = 0;
        for P { x, y } in &local { s += x * y; }
        for P { y, .. } in local.iter() { s += *y; }
        y[0] = s;
    }
}

twins! {
    names_change_elements_of_arrays([3, 1, 2]);
    { struct P { pub a: u32, pub t: [u32; 3] } }
    { fn ends(t: &mut [u32; 3]) { let [first, .., last] = t; *first += 5; *last *= 10; } }
    { fn all<const N: usize>(t: &mut [[u32; 2]; N]) { for [a, b] in t { *a += 1; *b += *a; } } }
    kernel(x, y) {
        let mut t = [x[0], x[1], x[2]];
        let [a, b, c] = &mut t;
        *a += 1;
        *c += *a;
        *b += *c;
        *a += 1;
        ends(&mut t);
        y[0] = t[0] * 10000 + t[1] * 100 + t[2];
        let mut pairs = [(1u32, 2u32), (x[0], 4)];
        match &mut pairs { [(1, b), (3, c)] => { *b = 10; *c += *b; } [_, (n, _)] => *n = 0 }
        y[1] = pairs[0].1 * 100 + pairs[1].1;
        let mut p = P { a: 1, t: [2, 3, 4] };
        let P { a, t: [b, .., c] } = &mut p;
        *a += *b;
        *c += *a;
        y[2] = p.a * 100 + p.t[2];
        let mut grid = [[1u32, 2], [3, 4]];
        all(&mut grid);
        let i = x[1] as usize;
        if let [a @ 1..=9, b] = &mut grid[i] { *a = 7; *b += 1; }
        y[3] = grid[1][0] * 100 + grid[1][1];
    }
}

twins! {
    names_change_options_in_arrays([3, 1, 2]);
    { struct P { pub a: u32, pub b: u32 } }
    { fn raise(o: &mut Option<u32>) { if let Some(v) = o { *v += 100; } } }
    kernel(x, y) {
        let mut t = [None; 4];
        t[1] = Some(x[0]);
        t[2] = Some(7u32);
        let i = x[1] as usize;
        for j in 0..4 { if let Some(v) = &mut t[j] { *v += j as u32; } }
        raise(&mut t[i]);
        raise(&mut t[0]);
        y[0] = t[0].unwrap_or(0) + t[1].unwrap_or(0) * 1000 + t[2].unwrap_or(0);
        let mut wide = [Some((P { a: 1, b: 2 }, 3u64)); 3];
        match &mut wide[i] { Some((P { a, .. }, n)) => { *a += 4; *n += 1 << 40; } None => {} }
        if let Some((p, n)) = wide[1] { y[1] = p.a * 100 + p.b; y[2] = (n >> 40) as u32 * 10 + n as u32; }
        if let Some((p, n)) = wide[2] { y[3] = p.a * 100 + p.b; y[4] = n as u32; }
        let mut held = Some([1u32, 2, 3]);
        if let Some(v) = &mut held { v[i] = 9; let [a, ..] = v; *a += 5; }
        if let Some(v) = held { y[5] = v[0] * 100 + v[1] * 10 + v[2]; }
        held = None;
        y[6] = held.is_some() as u32 + 1;
        let mut rounds = 0;
        while let Some(v) = &mut t[2] { *v += 1; rounds += 1; if *v > 11 { t[2] = None; } }
        y[7] = rounds;
    }
}

twins! {
    names_in_alternatives_are_places([3, 1, 2]);
    { fn either(t: &mut (Option<u32>, Option<u32>)) -> u32 {
        match t { (Some(v), None) | (None, Some(v)) => { *v += 1; *v } (Some(a), Some(b)) => { *a += *b; 0 } _ => 9 }
    } }
    kernel(x, y) {
        let mut t = (Some(x[0]), Some(x[1]));
        let mut u = (None, Some(x[2]));
        y[0] = either(&mut t) * 100 + either(&mut u) * 10;
        y[1] = t.0.unwrap_or(0) * 100 + t.1.unwrap_or(0) * 10 + u.1.unwrap_or(0);
        match &mut t { (Some(v), _) | (_, Some(v)) if *v < 3 => *v += 20, _ => {} }
        y[2] = t.0.unwrap_or(0) * 100 + t.1.unwrap_or(0);
        let mut rest = [x[0], 50, 60];
        for _ in 0..4 { match &mut rest { [a @ 0..=4, ..] | [.., a] => *a += 1 } }
        y[3] = rest[0] * 100 + rest[2];
        let mut sum = 0;
        for i in 0..3 {
            let mut o = if i == 1 { (0, Some(5u32)) } else { (i, None) };
            sum += if let (0 | 2, Some(n)) | (n @ 2, None) = &mut o { *n += 1; *n } else { 100 };
            if let (n @ 1.., _) | (_, Some(n)) = &mut o { *n *= 2; }
            sum += o.0 * 10 + o.1.unwrap_or(0);
        }
        y[4] = sum;
        let mut four = ((None, Some(2u32)), (Some(3u32), Some(4u32)));
        match &mut four { ((Some(a), _) | (_, Some(a)), (None, Some(b)) | (Some(b), _)) => { *a += *b; *b = 9; } _ => {} }
        y[5] = four.0.1.unwrap_or(0) * 100 + four.1.0.unwrap_or(0);
    }
}

twins! {
    names_behind_at_are_places([3, 1, 2]);
    { fn next(o: &mut Option<u32>) { match o { v @ Some(0..=3) => *v = Some(8), v @ None => *v = Some(1), _ => {} } } }
    kernel(x, y) {
        let mut o = Some(x[0]);
        next(&mut o);
        y[0] = o.unwrap_or(0);
        next(&mut o);
        y[1] = o.unwrap_or(0);
        o = None;
        next(&mut o);
        y[2] = o.unwrap_or(0);
        let mut t = (x[1], [x[2], 9]);
        match &mut t { (n @ 0..=5, part @ [_, 9]) => { *n = 6; part[0] += *n; } _ => {} }
        y[3] = t.0 * 100 + t.1[0];
    }
}

/// Enums with fields, also behind the `self` of a method.
mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[element(methods)]
    pub enum Shape {
        Circle(u32),
        Rectangle { w: u32, h: u32 },
        Nothing,
    }

    #[device]
    impl Shape {
        fn grow(&mut self, by: u32) {
            match self {
                Shape::Circle(r) => *r *= by,
                Self::Rectangle { w, h } => {
                    *w += by;
                    *h += *w;
                }
                Shape::Nothing => {}
            }
        }

        fn size(&self) -> u32 {
            match self {
                Shape::Circle(r) => *r,
                Shape::Rectangle { w, h } => w * h,
                Shape::Nothing => 0,
            }
        }
    }

    #[kernel(workgroup_size(1))]
    pub fn sizes(o: &mut [u32]) {
        let mut circle = Shape::Circle(3);
        circle.grow(5);
        o[0] = circle.size();
        let mut rectangle = Shape::Rectangle { w: 1, h: 2 };
        rectangle.grow(4);
        o[1] = rectangle.size();
        if let Shape::Rectangle { h, .. } = &mut rectangle {
            *h = 1;
        }
        o[2] = rectangle.size();
        let mut nothing = Shape::Nothing;
        nothing.grow(1);
        o[3] = nothing.size() + 1;
    }
}

#[test]
fn names_change_fields_of_variants() {
    // 3 · 5; (1 + 4) · (2 + 5); 5 · 1; 0 + 1.
    crate::expect(&[15, 35, 5, 1], |device, out| shapes::sizes::launch(device, 1, out));
}
