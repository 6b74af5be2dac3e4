//! `#[device]` on what is no function, trait, implementation or constant.
mod inner {
    use samebits::prelude::*;

    #[device]
    struct Ray {
//~ ^ V102
        a: f32,
    }

    #[device]
    mod math {}
//~ ^ V102

    #[device]
    static LIMIT: u32 = 1;
//~ ^ V102

    #[device]
    enum Kind {
//~ ^ V102
        Air,
    }

    #[device]
    type Number = f32;
//~ ^ V102
}

fn main() {}
