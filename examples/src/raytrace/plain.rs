//! The same picture in plain Rust, with a generator and vectors of its own.
//!
//! Invariant: each float is computed by the same operations in the same order as in the kernel, so
//! that its bits are the same too.

use super::{AMBIENT, BOUNCES, Ball, NEAR, SUN, Scene, View, balls};
use crate::picture::{Picture, opaque};
use samebits::prelude::Vec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A vector with arithmetic.
#[derive(Clone, Copy, PartialEq)]
struct V([f32; 3]);

impl V {
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    fn dot(self, other: Self) -> f32 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    fn unit(self) -> Self {
        let length = self.dot(self).sqrt();
        if length > 0.0 { Self(self.0.map(|x| x / length)) } else { Self([0.0; 3]) }
    }

    fn mirrored(self, normal: Self) -> Self {
        self - normal * (2.0 * self.dot(normal))
    }
}

impl From<Vec3<f32>> for V {
    fn from(v: Vec3<f32>) -> Self {
        Self([v.x, v.y, v.z])
    }
}

impl Add for V {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for V {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for V {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Mul<f32> for V {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Self(self.0.map(|x| x * by))
    }
}

impl Neg for V {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

/// PCG32.
struct Generator {
    state: u64,
    increment: u64,
}

impl Generator {
    fn new(seed: u32, stream: u32) -> Self {
        let increment = u64::from(stream) << 1 | 1;
        let mut generator = Self { state: increment.wrapping_add(u64::from(seed)), increment };
        generator.float();
        generator
    }

    fn float(&mut self) -> f32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        let mixed = ((old >> 18 ^ old) >> 27) as u32;
        (mixed.rotate_right((old >> 59) as u32) >> 8) as f32 / 16_777_216.0
    }
}

/// The end of MurmurHash3.
fn hash(word: u32) -> u32 {
    let word = (word ^ (word >> 16)).wrapping_mul(0x85eb_ca6b);
    let word = (word ^ (word >> 13)).wrapping_mul(0xc2b2_ae35);
    word ^ (word >> 16)
}

fn smooth(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A place in a range of positions, as a place in another one.
fn remap(x: f32, from: [f32; 2], to: [f32; 2]) -> f32 {
    to[0] + (to[1] - to[0]) * ((x - from[0]) / (from[1] - from[0]))
}

#[derive(Clone, Copy)]
struct Ray {
    origin: V,
    direction: V,
}

struct Surface {
    at: V,
    normal: V,
    colour: V,
    mirror: f32,
    index: f32,
}

fn distance(ball: &Ball, ray: Ray) -> Option<f32> {
    let to = V::from(ball.centre) - ray.origin;
    let middle = to.dot(ray.direction);
    let square = ball.radius * ball.radius - (to.dot(to) - middle * middle);
    let half = if square < 0.0 { return None } else { square.sqrt() };
    [middle - half, middle + half].into_iter().find(|distance| *distance > NEAR)
}

fn meet(balls: &[Ball], ray: Ray) -> Option<Surface> {
    let floor = Some(-ray.origin.0[1] / ray.direction.0[1]).filter(|distance| *distance > NEAR && distance.is_finite());
    let mut nearest: Option<(f32, Option<&Ball>)> = floor.map(|distance| (distance, None));
    for ball in balls {
        if let Some(distance) = distance(ball, ray).filter(|&new| nearest.is_none_or(|(old, _)| new < old)) {
            nearest = Some((distance, Some(ball)));
        }
    }
    let (distance, ball) = nearest?;
    let at = ray.origin + ray.direction * distance;
    if let Some(ball) = ball {
        let normal = V((at - ball.centre.into()).0.map(|x| x / ball.radius));
        return Some(Surface { at, normal, colour: ball.colour.into(), mirror: ball.mirror, index: ball.index });
    }
    let odd = ((at.0[0].floor() + at.0[2].floor()) * 0.5).fract() != 0.0;
    let shade = if odd { 0.75 } else { 0.2 };
    let shade = shade + (0.475 - shade) * smooth(8.0, 40.0, distance);
    Some(Surface { at, normal: V([0.0, 1.0, 0.0]), colour: V([shade; 3]), mirror: 0.08, index: 0.0 })
}

fn through_glass(surface: &Surface, direction: V, generator: &mut Generator) -> V {
    let inside = direction.dot(surface.normal) > 0.0;
    let (normal, ratio) = if inside { (-surface.normal, surface.index) } else { (surface.normal, 1.0 / surface.index) };
    let towards = -direction.dot(normal);
    let square = 1.0 - ratio * ratio * (1.0 - towards * towards);
    if square >= 0.0 {
        let behind = direction * ratio + normal * (ratio * towards - square.sqrt());
        let cosine = if inside { -behind.dot(normal) } else { towards };
        let straight = (ratio - 1.0) / (ratio + 1.0);
        let flat = 1.0 - cosine;
        let reflected = remap(flat * flat * (flat * flat) * flat, [0.0, 1.0], [straight * straight, 1.0]);
        if generator.float() >= reflected {
            return behind;
        }
    }
    direction.mirrored(normal)
}

fn sky(scene: &Scene, direction: V) -> V {
    let (low, high) = (V([0.86, 0.78, 0.7]), V([0.22, 0.42, 0.78]));
    let blue = low + (high - low) * smooth(-0.1, 0.7, direction.0[1]);
    blue + V([2.4, 2.0, 1.4]) * smooth(0.985, 0.995, direction.dot(scene.sun.into()))
}

fn to_sun(scene: &Scene, generator: &mut Generator) -> V {
    let Vec3 { x, y, z } = scene.sun;
    let sign = 1.0f32.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    let (first, second) = (V([1.0 + sign * x * x * a, sign * b, -sign * x]), V([b, sign + y * y * a, -y]));
    let [x, y] = loop {
        let place = [2.0 * generator.float() - 1.0, 2.0 * generator.float() - 1.0];
        if place[0] * place[0] + place[1] * place[1] <= 1.0 {
            break place;
        }
    };
    (V::from(scene.sun) + (first * x + second * y) * SUN).unit()
}

fn trace(scene: &Scene, balls: &[Ball], mut ray: Ray, generator: &mut Generator) -> V {
    let mut share = V([1.0; 3]);
    for _ in 0..BOUNCES {
        let Some(surface) = meet(balls, ray) else { return share * sky(scene, ray.direction) };
        let direction = if surface.index > 0.0 {
            through_glass(&surface, ray.direction, generator)
        } else if generator.float() < surface.mirror {
            ray.direction.mirrored(surface.normal)
        } else {
            let to_sun = to_sun(scene, generator);
            let shadow = Ray { origin: surface.at, direction: to_sun };
            let facing = surface.normal.dot(to_sun).max(0.0);
            let lit = facing > 0.0 && balls.iter().all(|ball| distance(ball, shadow).is_none());
            let sunlight = if lit { facing } else { 0.0 };
            let light = V([1.2, 1.08, 0.9]) * sunlight + sky(scene, surface.normal) * AMBIENT;
            return share * surface.colour * light;
        };
        if surface.mirror > 0.5 {
            share = share * surface.colour;
        }
        ray = Ray { origin: surface.at, direction };
    }
    V([0.0; 3])
}

/// One pixel of the picture.
pub fn pixel(view: &View, x: usize, y: usize) -> u32 {
    let (size, side) = (view.size, view.side);
    let (scene, balls) = (Scene::new(size), balls());
    let mut sum = V([0.0; 3]);
    for sample in 0..side * side {
        let mut generator = Generator::new(hash((y * size.width + x) as u32), sample);
        let column = (sample % side) as f32 + generator.float();
        let row = (sample / side) as f32 + generator.float();
        let right = remap(x as f32 + column / side as f32, [0.0, size.width as f32], [-1.0, 1.0]);
        let up = remap(y as f32 + row / side as f32, [0.0, size.height as f32], [1.0, -1.0]);
        let direction = V::from(scene.forward) + V::from(scene.right) * right + V::from(scene.up) * up;
        let ray = Ray { origin: scene.eye.into(), direction: direction.unit() };
        sum = sum + trace(&scene, &balls, ray, &mut generator);
    }
    let [red, green, blue] = sum.0.map(|sum| ((sum / (side * side) as f32).clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8);
    opaque(red, green, blue)
}

/// The whole picture.
pub fn plain(view: &View) -> Picture {
    let pixels = (0..view.size.height).flat_map(|y| (0..view.size.width).map(move |x| pixel(view, x, y)));
    Picture { size: view.size, pixels: pixels.collect() }
}
