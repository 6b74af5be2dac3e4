//! A mistake in the methods of an enum is one mistake, whoever uses the enum.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
enum State {
    Idle,
    Run(u32),
    Walk { steps: u32 },
}

#[device]
impl State {
    fn tick(self) -> u32 {
        missing + 1
//~     ^ V006
    }
}

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    let state = if n > 3 { State::Run(n) } else { State::Walk { steps: n } };
    y[0] = match state {
        State::Run(n) => n,
        State::Walk { steps } => steps,
        State::Idle => 0,
    };
    if let State::Run(n) = state {
        y[1] = n;
    }
}

fn main() {}
