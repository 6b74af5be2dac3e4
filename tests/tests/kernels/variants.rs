//! Enums with fields as values: construction, `match`, methods, helpers, in other values, and through macros.

use crate::{expect, twins};
use samebits::prelude::*;

twins! {
    shapes([3, 4, 0, 1]);
    { struct Point { x: f32, y: f32 } }
    { enum Shape { Nothing, Circle(f32), Rect { from: Point, size: [f32; 2] }, Line(Point, Point) } }
    { fn area(shape: Shape) -> f32 {
        match shape {
            Shape::Nothing | Shape::Line(..) => 0.0,
            Shape::Circle(r) => r * r * 3.0,
            Shape::Rect { size: [w, h], .. } => w * h,
        }
    } }
    { fn made(kind: u32, n: f32) -> Shape {
        let at = Point { x: n, y: n + 1.0 };
        match kind {
            0 => Shape::Circle(n),
            1 => Shape::Rect { size: [n, 2.0], from: at },
            2 => Shape::Line(at, Point { x: 0.5, y: 0.25 }),
            _ => Shape::Nothing,
        }
    } }
    kernel(x, y) {
        for i in 0..4 {
            y[i] = area(made(i as u32, x[0] as f32)) as u32 + 1;
        }
        let shape = made(x[3], x[1] as f32);
        if let Shape::Rect { from, size } = shape { y[4] = (from.x + from.y * 10.0) as u32 + size[x[3] as usize] as u32 * 100; }
        let Shape::Rect { from: Point { y: top, .. }, .. } = shape else { return };
        y[5] = top as u32;
        let mut now = Shape::Nothing;
        let mut rounds = 0;
        while let Shape::Nothing | Shape::Circle(..) = now {
            now = match now {
                Shape::Nothing => Shape::Circle(1.0),
                Shape::Circle(r) if r < 4.0 => Shape::Circle(r + 1.5),
                other => { let _ = other; made(2, 7.0) }
            };
            rounds += 1;
        }
        y[6] = rounds;
        y[7] = match now { Shape::Line(Point { x: a, .. }, b) => (a + b.y * 8.0) as u32, _ => 99 };
        let all = [Shape::Circle(2.0), Shape::Nothing, made(1, 3.0)];
        for shape in all { y[8] += area(shape) as u32; }
        let found = Some(made(0, 5.0));
        if let Some(Shape::Circle(r)) = found { y[9] = r as u32; }
        let pair = (made(x[2], 1.0), x[0]);
        y[10] = match pair { (Shape::Circle(r), n @ 1..=3) => n + r as u32, (Shape::Circle(_), _) => 50, _ => 60 };
        let area_of = |shape: Shape| area(shape) + 1.0;
        y[11] = area_of(Shape::Rect { from: Point { x: 0.0, y: 0.0 }, size: [x[0] as f32, x[1] as f32] }) as u32;
    }
}

twins! {
    messages([7, 1, 200, 0]);
    { enum Way { Up, Down } }
    { enum Inner { A(u8), B } }
    { enum Message { Move { by: i32, way: Way }, Stop, Both(Inner, Option<u32>), Only() } }
    { fn code(message: Message) -> i32 {
        match message {
            Message::Move { by: 0, .. } => -1,
            Message::Move { by, way: Way::Up } => by,
            Message::Move { by, way: Way::Down } => -by,
            Message::Both(Inner::A(n @ 0..=9), Some(m)) => n as i32 * 100 + m as i32,
            Message::Both(Inner::A(n), None) => n as i32,
            Message::Both(Inner::A(_), Some(m)) | Message::Both(Inner::B, Some(m)) => m as i32 + 1000,
            Message::Both(Inner::B, None) => -2,
            Message::Stop => -3,
            Message::Only() => -4,
        }
    } }
    { fn next(message: Message) -> Option<Message> {
        let Message::Move { by, way } = message else { return None };
        Some(Message::Both(Inner::A(by.checked_abs()? as u8), if way == Way::Up { Some(5) } else { None }))
    } }
    kernel(x, y) {
        let n = x[0] as i32;
        y[0] = code(Message::Move { way: Way::Up, by: n }) as u32;
        y[1] = code(Message::Move { way: Way::Down, by: n }) as u32;
        y[2] = code(Message::Move { by: x[3] as i32, way: Way::Up }) as u32;
        y[3] = code(Message::Both(Inner::A(x[0] as u8), Some(x[1]))) as u32;
        y[4] = code(Message::Both(Inner::A(x[2] as u8), Some(x[1]))) as u32;
        y[5] = code(Message::Both(Inner::A(x[2] as u8), None)) as u32;
        y[6] = code(Message::Both(Inner::B, None)) as u32 ^ code(Message::Stop) as u32 ^ code(Message::Only()) as u32;
        y[7] = next(Message::Move { by: n, way: Way::Up }).map_or(77, |message| code(message) as u32);
        y[8] = next(Message::Move { by: -n, way: Way::Down }).and_then(|message| next(message)).is_none() as u32;
        // What another variant would hold does not count.
        let mut a = Message::Move { by: n, way: Way::Down };
        a = if x[1] == 1 { Message::Stop } else { a };
        y[9] = (a == Message::Stop) as u32 + (a == Message::Move { by: n, way: Way::Down }) as u32 * 2;
        y[10] = (Message::Both(Inner::B, Some(x[1])) == Message::Both(Inner::B, Some(1))) as u32
            + (Message::Both(Inner::A(1), None) != Message::Both(Inner::B, None)) as u32 * 2;
    }
}

/// As another module would see it.
mod things {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(methods)]
    pub enum Token {
        Number(u32),
        Plus,
        Times { twice: bool },
    }

    #[device]
    impl Token {
        pub fn of(byte: u32) -> Self {
            match byte {
                43 => Self::Plus,
                42 => Token::Times { twice: false },
                94 => Self::Times { twice: true },
                n => Self::Number(n - 48),
            }
        }

        pub fn number(&self) -> Option<u32> {
            match *self {
                Self::Number(n) => Some(n),
                _ => None,
            }
        }

        pub fn apply(self, a: u32, b: u32) -> u32 {
            match self {
                Self::Number(n) => n,
                Self::Plus => a + b,
                Self::Times { twice } => a * b * if twice { 2 } else { 1 },
            }
        }
    }
}

/// A kernel that a macro makes of an enum.
macro_rules! folded {
    ($name:ident, $enum:ident, $text:ident, $start:expr) => {
        #[kernel(workgroup_size(1))]
        fn $name($text: &[u32], out: &mut [u32]) {
            let (mut total, mut op) = ($start, things::$enum::Plus);
            for byte in $text.iter().copied() {
                let token = things::$enum::of(byte);
                if let Some(n) = token.number() {
                    total = op.apply(total, n);
                } else {
                    op = token;
                }
            }
            out[0] = total;
            out[1] = match op {
                things::$enum::Times { twice } => 1 + twice as u32,
                _ => 0,
            };
        }
    };
}

folded!(folded, Token, text, 0u32);

#[test]
fn methods_and_macros() {
    let text: Vec<u32> = "3+4*5^2".bytes().map(u32::from).collect();
    // ((0 + 3) + 4) * 5 * (2 * 2)
    expect(&[140, 2], |device, out| folded::launch(device, 1, &device.upload(&text)?, out));
}

twins! {
    matches_look_behind_references([3, 4, 0, 9]);
    { enum Shape { Nothing, Circle(u32), Rect { size: (u32, u32) } } }
    { fn area(shape: &Shape) -> u32 {
        match shape {
            Shape::Nothing => 1,
            Shape::Circle(r) if *r == 3 => 30,
            Shape::Circle(r) => *r * 2,
            Shape::Rect { size } => size.0 * size.1,
        }
    } }
    { fn is_round(shape: &Shape) -> bool { matches!(shape, Shape::Circle(3)) || matches!(shape, &Shape::Circle(9)) } }
    { fn width(shape: &Shape) -> u32 {
        if let Shape::Rect { size: (w, _) } = shape { return *w; }
        let Shape::Circle(r) = shape else { return 77 };
        *r
    } }
    kernel(x, o) {
        let all = [Shape::Nothing, Shape::Circle(x[0]), Shape::Rect { size: (x[1], x[3]) }, Shape::Circle(x[3])];
        for i in 0..4 {
            o[i] = area(&all[i]);
            o[4 + i] = is_round(&all[i]) as u32 + 2 * width(&all[i]);
        }
        o[8] = all.iter().filter(|e| matches!(e, Shape::Circle(_))).count() as u32;
        let own = Some(x[1]);
        o[9] = if let Some(v) = &own { *v + 1 } else { 0 };
        o[10] = match &own { Some(v) => *v * 5, None => 0 };
        o[11] = match &all[2] { Shape::Rect { size } => size.0, _ => 0 };
    }
}

twins! {
    guards_may_hold_patterns([3, 4, 0, 9]);
    { fn both(a: Option<u32>, b: Option<u32>, c: u32) -> u32 {
        match a {
            Some(x) if let Some(y) = b => x * 100 + y,
            Some(x) if x > 3 && let Some(z) = c.checked_sub(x) && z != 1 => 1000 + z,
            None if let Some(5 | 6) = b => 5,
            _ => 7,
        }
    } }
    kernel(x, o) {
        o[0] = both(Some(x[0]), Some(x[1]), 0);
        o[1] = both(Some(x[1]), None, x[3]);
        o[2] = both(Some(x[1]), None, x[1] + 1);
        o[3] = both(None, Some(x[1] + 1), 0);
        o[4] = both(None, Some(x[1]), 0);
        o[5] = both(Some(x[1]), None, 0);
    }
}
