//! Traits of numbers, vectors and enums: types that are not listed, and functions that have a meaning already.
use samebits::prelude::*;

#[device(types(f32, u32, Named, f32))]
//~                      ^ V101
//~                             ^ V101
trait Listed {
    fn of(self) -> u32;
}

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Named {
    First,
}

#[device(types(f32))]
trait Measure {
    fn measured(self) -> f32;
    fn sqrt(self) -> f32;
}

#[device]
impl Measure for f32 {
    fn measured(self) -> f32 {
        self
    }

    fn sqrt(self) -> f32 {
//~    ^ V102
        self
    }
}

#[device]
impl Measure for Vec2<f32> {
//~              ^ V102
    fn measured(self) -> f32 {
        self.x
    }

    fn sqrt(self) -> f32 {
//~    ^ V102
        self.y
    }
}

#[device]
impl Measure for Named {
//~  ^ V102
    fn measured(self) -> f32 {
        1.0
    }

    fn sqrt(self) -> f32 {
        2.0
    }
}

mod elsewhere {
    use samebits::prelude::*;

    #[device]
    impl super::Measure for u32 {
//~      ^ V102
        fn measured(self) -> f32 {
            1.0
        }

        fn sqrt(self) -> f32 {
            2.0
        }
    }
}

#[device]
trait Sided {
    fn sides(self) -> u32;
}

#[device]
fn sum<T: Sided + Number>(x: T) -> u32 {
//~    ^ V102
    x.sides()
}

#[derive(Clone, Copy, Element)]
#[element(traits(Sided))]
#[repr(u32)]
enum Form {
    Round,
    Square,
}

#[device]
impl Sided for Form {
    fn sides(self) -> u32 {
        match self {
            Form::Round => 0,
            Form::Square => 4,
        }
    }
}

#[device]
fn sides_of<T: Sided>(x: T) -> u32 {
    x.sides()
}

#[kernel]
fn k(y: &mut [u32], forms: &[Form], names: &[Named], z: f32) {
    y[0] = sides_of(forms[0]) + forms[1].sides();
    y[1] = sides_of(names[0]);
//~        ^ V205
    y[2] = sides_of(z);
//~        ^ V205
    y[3] = forms[0].corners();
//~                 ^ V203
    y[4] = Form::corners();
//~        ^ V203
    y[5] = Form::SIDES;
//~        ^ V203
    y[6] = z.sides();
//~          ^ V203
    y[7] = <f32 as Sided>::sides(z);
//~        ^ V205
}

fn main() {}
