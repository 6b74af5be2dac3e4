//! Variants that a `use` in a body brings into scope, and paths to variants through modules and other names.

use crate::twins;
use samebits::prelude::*;

twins! {
    variants_by_their_names([0, 1, 5, 9]);
    { enum Way { Up, Down = 4, Far } }
    { struct Point { x: u32, y: u32 } }
    { struct Wide(u32); }
    { enum Shape { Nothing, Circle(u32), Rect { from: Point, w: u32 } } }
    { fn way(n: u32) -> Way {
        use Way::*;
        match n { 0 => Up, 1 => Down, _ => Far }
    } }
    { fn number(way: Way) -> u32 {
        use Way::{Down, Far as Away, Up};
        let far = 7;
        match way { Up => 1, Down => far, Away => 3 }
    } }
    { fn made(n: u32) -> Shape {
        use Shape::*;
        let wide = Wide(n);
        if n > 5 { Rect { from: Point { x: n, y: 1 }, w: wide.0 } } else if n > 0 { Circle(n) } else { Nothing }
    } }
    { fn area(shape: Shape) -> u32 {
        use self::Shape::{Circle, Nothing, Rect};
        let big = |shape: Shape| matches!(shape, Circle(r) if r > 4);
        let Rect { from: Point { x, .. }, w } = shape else {
            if let Circle(r) = shape && !big(shape) { return r; }
            return match shape { Nothing => 50, Circle(r @ 5) => r * 20, _ => 60 };
        };
        x * w
    } }
    kernel(x, y) {
        for i in 0..4 {
            y[i] = number(way(x[i])) + 10 * area(made(x[i]));
        }
        {
            use Way::Up as Start;
            y[4] = (way(x[0]) == Start) as u32 + (Start as u32) + 2;
            let mut now = Start;
            while let Start = now { now = way(x[1]); }
            y[5] = now as u32;
        }
        let found = [Some(way(x[2])), None];
        use Way::Far;
        if let Some(Far) = found[x[0] as usize] { y[6] = Far as u32; }
        let all = |f: Way| { use Way::*; [Up, Down, Far].iter().any(|w| *w == f) };
        y[7] = all(Far) as u32 + 1;
        y[8] = {
            use Shape::*;
            let point = Some(Point { x: x[1], y: 3 });
            let shape = point.map_or(Nothing, |from| Rect { from, w: x[2] });
            if let (Some(Point { y, .. }), Rect { w, .. }) = (point, shape) { y * w } else { 0 }
        };
    }
}

mod life {
    use samebits::prelude::*;

    pub mod cells {
        use samebits::prelude::*;

        #[derive(Clone, Copy, PartialEq, Element)]
        #[repr(u32)]
        pub enum Cell {
            Dead,
            Alive,
        }
    }

    pub use cells::Cell as Alias;

    #[derive(Clone, Copy, PartialEq, Element)]
    pub enum Step {
        Wait,
        Go(u32),
    }
}

use life::Step as Move;

#[device]
fn through_a_module(n: u32) -> u32 {
    use life::cells::Cell::Alive;
    let cell = if n == 1 { Alive } else { life::cells::Cell::Dead };
    match cell {
        life::Alias::Alive => 5,
        life::cells::Cell::Dead => 6,
    }
}

#[device]
fn steps(n: u32) -> u32 {
    use Move::*;
    use life::Alias::Dead;
    let step = if n > 1 { Go(n) } else { Wait };
    let waits = life::Step::Wait == step;
    let dead = Dead as u32;
    match step {
        Go(n) if !waits => n * 2 + dead,
        Move::Go(_) => 70,
        Wait => 9,
    }
}

/// What a macro writes has the variants that its caller brings in, and the other way round.
macro_rules! made_by_a_macro {
    ($use:item, $x:ident, $pattern:pat, $value:expr) => {
        #[kernel(workgroup_size(1))]
        fn by_macro($x: &[u32], y: &mut [u32]) {
            $use
            use life::cells::Cell::*;
            let Wait = $x[1];
            let cell = if $x[0] == 0 { Alive } else { Dead };
            y[0] = match $value {
                $pattern => Wait,
                Go(_) | Move::Wait => 4,
            } + matches!(cell, Alive) as u32 * 10;
            y[1] = through_a_module($x[1]) + through_a_module($x[0]) * 10;
            y[2] = steps($x[2]) + steps($x[1]) * 100;
        }
    };
}

made_by_a_macro!(use life::Step::Go;, x, Go(5), Go(x[2]));

#[test]
fn paths_and_macros() {
    crate::expect(&[11, 65, 910], |device, out| by_macro::launch(device, 1, &device.upload(&[0u32, 1, 5])?, out));
}
