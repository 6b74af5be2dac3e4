//! Constants of enums: of modules, of bodies, of structs, enums and traits, as values and in patterns. They exist on the
//! host as well, which computes what is expected.

use samebits::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Element)]
#[element(methods)]
#[repr(u32)]
enum Light {
    Red,
    Green = 7,
    Yellow,
}

#[device]
impl Light {
    const FIRST: Self = Light::Green;
    const LAST: Light = Self::Yellow;
    const ALL: [Light; 3] = [Self::Red, Self::Green, Self::Yellow];

    fn is_first(self) -> bool {
        matches!(self, Self::FIRST)
    }
}

#[device]
const START: Light = Light::Yellow;
#[device]
const ROUND: [Light; 4] = [Light::Green, START, Light::Red, Light::FIRST];

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
enum Shape {
    Nothing,
    Circle(u32),
    Rect { w: u32, h: u32 },
}

#[device]
impl Shape {
    const UNIT: Self = Self::Circle(1);
    const NONE: Shape = Shape::Nothing;
}

mod sizes {
    use super::{Light, Shape};
    use samebits::prelude::*;

    #[device]
    pub const WIDE: Shape = Shape::Rect { w: 9, h: 2 };
    #[device]
    pub const MAYBE: Option<u32> = Some(6);
    #[device]
    pub const PAIR: (Light, u32) = (Light::FIRST, 5);
}

use sizes::PAIR;

#[device]
trait Shines {
    const LIGHT: Light;
    const SHAPE: Shape;
    const OTHER: Light = Light::Red;

    fn code() -> u32 {
        Self::LIGHT as u32 * 10 + Self::OTHER as u32
    }
}

#[derive(Clone, Copy, Element)]
#[element(methods, traits(Shines))]
#[repr(C)]
struct Lamp {
    light: Light,
}

#[device]
impl Lamp {
    const ON: Self = Lamp { light: Light::FIRST };
    const COLOUR: Light = Light::Red;
}

#[device]
impl Shines for Lamp {
    const LIGHT: Light = Light::Green;
    const SHAPE: Shape = Shape::Circle(4);
}

#[device]
fn area(shape: Shape) -> u32 {
    match shape {
        Shape::Nothing => 0,
        Shape::Circle(r) => 3 * r * r,
        Shape::Rect { w, h } => w * h,
    }
}

#[device]
fn number(light: Light) -> u32 {
    match light {
        START => 1,
        Light::FIRST => 2,
        Lamp::COLOUR => 3,
    }
}

#[device]
fn kind(shape: Shape) -> u32 {
    match shape {
        sizes::WIDE => 1,
        Shape::UNIT => 2,
        Shape::NONE => 3,
        _ => 4,
    }
}

#[device]
fn of<S: Shines>() -> u32 {
    S::code() * 100 + area(S::SHAPE)
}

#[kernel(workgroup_size(1))]
fn constants(x: &[u32], y: &mut [u32]) {
    const MINE: Light = Light::Red;
    const BOTH: (Light, u32) = (Light::FIRST, 5);
    const SMALL: Shape = Shape::Circle(2);
    let lights = [START, Light::FIRST, MINE, Light::LAST];
    for i in 0..4 {
        y[i] = number(lights[i]) + 10 * ROUND[x[i] as usize] as u32 + lights[i].is_first() as u32 * 100;
    }
    y[4] = area(Shape::UNIT) + area(Shape::NONE) * 10 + area(sizes::WIDE) * 100;
    y[5] = of::<Lamp>() + Lamp::ON.light as u32;
    y[6] = match lights[x[1] as usize] {
        MINE => 1,
        Light::LAST => 2,
        Light::Green => 3,
    };
    y[7] = match (Light::ALL[x[1] as usize], x[2] + 3) {
        BOTH => 1,
        _ => 2,
    };
    y[8] = Light::ALL[x[2] as usize] as u32 + PAIR.1;
    y[9] = sizes::MAYBE.unwrap_or(1) + (START == Light::Yellow) as u32 * 10;
    y[10] = match (lights[0], x[3]) {
        (START, 0) => 1,
        (START, 3) => 2,
        _ => 3,
    };
    y[11] = kind(Shape::Rect { w: x[2] + 7, h: 2 }) + kind(Shape::Circle(x[1])) * 10 + kind(SMALL) * 100;
    y[12] = kind(Shape::Rect { w: x[2], h: 2 }) + kind(Shape::Nothing) * 10;
    y[13] = matches!(Shape::Circle(x[2]), SMALL) as u32 + matches!(Shape::Circle(x[3]), SMALL) as u32 * 2;
}

#[test]
fn constants_of_enums() {
    let x = [0u32, 1, 2, 3];
    let number = |light| {
        if light == START {
            1
        } else if light == Light::FIRST {
            2
        } else {
            3
        }
    };
    let lights = [START, Light::FIRST, Light::Red, Light::LAST];
    let first = |i: usize| (lights[i] == Light::FIRST) as u32;
    let mut expected: Vec<u32> = (0..4).map(|i| number(lights[i]) + 10 * ROUND[i] as u32 + first(i) * 100).collect();
    assert_eq!(Shape::UNIT, Shape::Circle(1));
    assert_eq!((sizes::WIDE, Shape::NONE), (Shape::Rect { w: 9, h: 2 }, Shape::Nothing));
    let area = (<Lamp as Shines>::LIGHT as u32 * 10 + <Lamp as Shines>::OTHER as u32) * 100 + 48;
    expected.extend([3 + 1800, area + Lamp::ON.light as u32, 3, 1, Light::Yellow as u32 + PAIR.1]);
    expected.extend([sizes::MAYBE.unwrap_or(1) + 10, 2, 1 + 20 + 400, 4 + 30, 1]);
    crate::expect(&expected, |device, out| constants::launch(device, 1, &device.upload(&x)?, out));
}
