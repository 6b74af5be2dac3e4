//! A picture as a barrel lens shows it.
//!
//! An invocation finds the place in the source that the lens maps to its pixel: the further from the centre, the
//! further out. It mixes the four pixels around that place by their distances. The source is shrunk and moved so that the
//! result fills the picture; by how much, the host finds by halving.
//!
//! Sizes: 1024 × 1024 pixels of three bytes, a coefficient of 0.001. All floats are `f32`.
//! What differs: the lens is passed by value, and the sizes beside it.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// A lens.
#[derive(Clone, Copy, Debug, Element)]
#[element(methods)]
#[repr(C)]
struct Lens {
    strength: f32,
    centre: Vec2<f32>,
    scale: Vec2<f32>,
    shift: Vec2<f32>,
}

#[device]
impl Lens {
    /// Where in the source a place of the result comes from.
    fn source(&self, place: Vec2<f32>) -> Vec2<f32> {
        let place = place * self.scale + self.shift;
        let off = place - self.centre;
        place + off * self.strength * (off.x * off.x + off.y * off.y)
    }

    /// The colour at a place between pixels; black outside.
    fn sample(&self, width: usize, height: usize, pixels: &[[u8; 3]], place: Vec2<f32>) -> [u8; 3] {
        let (right, bottom) = ((width - 1) as f32, (height - 1) as f32);
        if place.y < 0.0 || place.x < 0.0 || place.y > bottom || place.x > right {
            return [0; 3];
        }
        let (low, high) = (place.floor(), place.ceil());
        let pixel = |x: f32, y: f32| pixels[y as usize * width + x as usize];
        let (a, b) = (pixel(low.x, low.y), pixel(high.x, low.y));
        let (c, d) = (pixel(high.x, high.y), pixel(low.x, high.y));
        let (x, y) = (place.y - low.y, place.x - low.x);
        let mut mixed = [0; 3];
        for i in 0..3 {
            let [a, b, c, d] = [a[i] as f32, b[i] as f32, c[i] as f32, d[i] as f32];
            mixed[i] = (a * (1.0 - x) * (1.0 - y) + b * (1.0 - x) * y + c * x * y + d * x * (1.0 - y)) as u8;
        }
        mixed
    }
}

#[kernel(workgroup_size(16, 16))]
pub(crate) fn distort(lens: Lens, width: usize, height: usize, from: &[[u8; 3]], to: &mut [[u8; 3]]) {
    let (x, y) = (global_id().x, global_id().y);
    if x < width && y < height {
        let place = lens.source(Vec2::new(x as f32, y as f32));
        to[y * width + x] = lens.sample(width, height, from, place);
    }
}

/// Where the lens maps the edge to, by halving the way from it to the centre.
fn shift(mut near: f32, mut far: f32, centre: f32, strength: f32) -> f32 {
    let mapped = |x: f32| x + (x - centre) * strength * ((x - centre) * (x - centre));
    while !(-1.0..1.0).contains(&mapped(near)) {
        let middle = near + (far - near) * 0.5;
        if mapped(middle) < 0.0 {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

fn inputs(scale: Scale) -> (Lens, [usize; 2], Vec<[u8; 3]>) {
    let (width, height) = scale.of((37, 21), (1024, 1024));
    let strength = 0.001;
    let axis = |side: usize| {
        let centre = (side / 2) as f32;
        let other = side as f32 - centre;
        let (first, last) = (shift(0.0, centre - 1.0, centre, strength), shift(0.0, other - 1.0, other, strength));
        (centre, (side as f32 - first - last) / side as f32, first)
    };
    let (x, y) = (axis(width), axis(height));
    let [centre, scale, shift] = [(x.0, y.0), (x.1, y.1), (x.2, y.2)].map(|(x, y)| Vec2::new(x, y));
    let mut random = Random::new(123);
    let pixels = (0..width * height).map(|_| std::array::from_fn(|_| random.below(256) as u8)).collect();
    (Lens { strength, centre, scale, shift }, [width, height], pixels)
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (lens, [width, height], pixels) = inputs(scale);
    let from = device.upload(&pixels)?;
    let mut to = device.zeros(pixels.len())?;
    Ok(Job::new(["distort"], move |ask| match ask {
        Ask::Step(_) => distort::launch(device, (width, height), lens, width, height, &from, &mut to),
        Ask::Answer(answer) => {
            answer.add("picture", &to.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (lens, [width, height], pixels) = inputs(scale);
    let mut picture = Vec::new();
    for h in 0..height {
        for w in 0..width {
            let x = w as f32 * lens.scale.x + lens.shift.x;
            let y = h as f32 * lens.scale.y + lens.shift.y;
            let (dx, dy) = (x - lens.centre.x, y - lens.centre.y);
            let (x, y) = (x + dx * lens.strength * (dx * dx + dy * dy), y + dy * lens.strength * (dx * dx + dy * dy));
            if x < 0.0 || y < 0.0 || x > (width - 1) as f32 || y > (height - 1) as f32 {
                picture.push([0; 3]);
                continue;
            }
            let at = |x: f32, y: f32| pixels[y as usize * width + x as usize].map(f32::from);
            let (right, down) = (x - x.floor(), y - y.floor());
            let corners = [
                (at(x.floor(), y.floor()), 1.0 - down, 1.0 - right),
                (at(x.ceil(), y.floor()), 1.0 - down, right),
                (at(x.ceil(), y.ceil()), down, right),
                (at(x.floor(), y.ceil()), down, 1.0 - right),
            ];
            let sum = |i: usize| corners.iter().map(move |(pixel, down, right)| pixel[i] * down * right);
            picture.push(std::array::from_fn(|i| sum(i).reduce(|sum, x| sum + x).unwrap_or(0.0) as u8));
        }
    }
    let mut answer = Answer::default();
    answer.add("picture", &picture);
    answer
}
