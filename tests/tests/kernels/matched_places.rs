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
