//! Balls of paint, metal and glass on a chequered floor, by following light backwards.
//!
//! It is the example for all that a kernel can be made of: structs in a buffer and as arguments,
//! methods, helpers with closures, generic helpers, and the [`math`](crate::math) module of this
//! package. Chance decides where in its pixel a ray goes, which part of the sun a shadow misses, and whether a ray
//! is reflected; it comes from a [`Pcg32`] for each sample, so that the picture has the same bytes
//! on every device.

use crate::cli::Size;
use crate::math::{Pcg32, basis, blend, hash_u32, normalize, reflect, refract, remap, smoothstep};
use crate::picture::Picture;
use samebits::prelude::*;

mod plain;

pub use plain::{pixel as plain_pixel, plain};

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The picture's size.
    pub size: Size,
    /// Rows and columns of samples in each pixel.
    pub side: u32,
}

impl View {
    /// A picture with little noise.
    pub const DEFAULT: Self = Self { size: Size { width: 640, height: 400 }, side: 8 };
}

/// A ball.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Ball {
    /// Its middle.
    pub centre: Vec3<f32>,
    /// How large it is.
    pub radius: f32,
    /// The share of red, green and blue that it gives back.
    pub colour: Vec3<f32>,
    /// The share of light that it reflects as a mirror.
    pub mirror: f32,
    /// How much glass slows light down; 0 for what is no glass.
    pub index: f32,
}

/// A ray of light, followed backwards.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3<f32>,
    /// Where it goes; of length 1.
    pub direction: Vec3<f32>,
}

/// What a ray meets first.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[repr(C)]
pub struct Hit {
    distance: f32,
    at: Vec3<f32>,
    normal: Vec3<f32>,
    colour: Vec3<f32>,
    mirror: f32,
    index: f32,
}

/// Who looks, and the light.
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Scene {
    eye: Vec3<f32>,
    /// The middle of the picture, seen from the eye.
    forward: Vec3<f32>,
    /// From there to its right and its upper edge.
    right: Vec3<f32>,
    up: Vec3<f32>,
    /// The direction to the sun.
    sun: Vec3<f32>,
}

/// Rays begin this far from where they were reflected, so as not to meet the same surface.
const NEAR: f32 = 1e-3;
/// Half of how large the sun looks.
const SUN: f32 = 0.1;
/// How much of the sky's light reaches every place.
const AMBIENT: f32 = 0.3;

/// How often a ray may be reflected and refracted.
#[device]
const BOUNCES: usize = 6;

#[device]
impl Ray {
    /// The place at some distance.
    fn at(&self, distance: f32) -> Vec3<f32> {
        self.origin + self.direction * distance
    }
}

#[device]
impl Ball {
    /// How far a ray goes before it meets the ball: infinitely far if it misses.
    fn distance(&self, ray: Ray) -> f32 {
        let to = self.centre - ray.origin;
        let middle = to.dot(ray.direction);
        let square = self.radius * self.radius - (to.length_squared() - middle * middle);
        if square < 0.0 {
            return f32::INFINITY;
        }
        let half = square.sqrt();
        let (entry, exit) = (middle - half, middle + half);
        if entry > NEAR {
            entry
        } else if exit > NEAR {
            exit
        } else {
            f32::INFINITY
        }
    }
}

#[device]
impl Scene {
    /// The ray through a place in the picture, of which each side is 2 long.
    fn ray(&self, right: f32, up: f32) -> Ray {
        let direction = normalize(self.forward + self.right * right + self.up * up);
        Ray { origin: self.eye, direction }
    }

    /// What is seen where nothing is.
    fn sky(&self, direction: Vec3<f32>) -> Vec3<f32> {
        let high = smoothstep(-0.1, 0.7, direction.y);
        let blue = blend(Vec3::new(0.86, 0.78, 0.7), Vec3::new(0.22, 0.42, 0.78), high);
        let near_sun = direction.dot(self.sun);
        blue + Vec3::new(2.4, 2.0, 1.4) * smoothstep(0.985, 0.995, near_sun)
    }

    /// A direction to some part of the sun.
    fn to_sun(&self, generator: &mut Pcg32) -> Vec3<f32> {
        let (a, b) = basis(self.sun);
        let (x, y) = in_disc(generator);
        normalize(self.sun + (a * x + b * y) * SUN)
    }
}

/// A place in the disc of radius 1, by trying until one is in it.
#[device]
fn in_disc(generator: &mut Pcg32) -> (f32, f32) {
    loop {
        let x = 2.0 * generator.next_f32() - 1.0;
        let y = 2.0 * generator.next_f32() - 1.0;
        if x * x + y * y <= 1.0 {
            break (x, y);
        }
    }
}

/// Whether any of so many things passes a test.
#[device]
fn any(count: usize, test: impl Fn(usize) -> bool) -> bool {
    for i in 0..count {
        if test(i) {
            return true;
        }
    }
    false
}

/// Which of so many things comes first by a measure, and what it measures; the first of equal
/// ones.
#[device]
fn first<T: Number>(count: usize, limit: T, measure: impl Fn(usize) -> T) -> (usize, T) {
    let (mut found, mut least) = (count, limit);
    for i in 0..count {
        let value = measure(i);
        if value < least {
            (found, least) = (i, value);
        }
    }
    (found, least)
}

/// How far a ray goes before it meets the floor.
#[device]
fn to_floor(ray: Ray) -> f32 {
    let distance = -ray.origin.y / ray.direction.y;
    if distance > NEAR { distance } else { f32::INFINITY }
}

/// What a ray meets first; infinitely far if nothing.
#[device]
fn meet(balls: &[Ball], ray: Ray) -> Hit {
    let (i, distance) = first(balls.len(), to_floor(ray), |i| balls[i].distance(ray));
    let at = ray.at(distance);
    if i < balls.len() {
        let ball = balls[i];
        let Ball { colour, mirror, index, .. } = ball;
        return Hit { distance, at, normal: (at - ball.centre) / ball.radius, colour, mirror, index };
    }
    let odd = ((at.x.floor() + at.z.floor()) * 0.5).fract() != 0.0;
    let shade = if odd { 0.75 } else { 0.2 };
    // Far away the squares are smaller than a pixel.
    let shade = shade + (0.475 - shade) * smoothstep(8.0, 40.0, distance);
    Hit { distance, at, normal: Vec3::new(0.0, 1.0, 0.0), colour: Vec3::splat(shade), mirror: 0.08, index: 0.0 }
}

/// Where light goes on that meets glass: into it, out of it, or back.
#[device]
fn through_glass(hit: &Hit, direction: Vec3<f32>, generator: &mut Pcg32) -> Vec3<f32> {
    let inside = direction.dot(hit.normal) > 0.0;
    let (normal, ratio) = if inside { (-hit.normal, hit.index) } else { (hit.normal, 1.0 / hit.index) };
    let (behind, passes) = refract(direction, normal, ratio);
    if passes {
        // Schlick's approximation, by the flatter of the two angles.
        let cosine = if inside { -behind.dot(normal) } else { -direction.dot(normal) };
        let straight = (ratio - 1.0) / (ratio + 1.0);
        let flat = 1.0 - cosine;
        let square = flat * flat;
        let reflected = remap(square * square * flat, (0.0, 1.0), (straight * straight, 1.0));
        if generator.next_f32() >= reflected {
            return behind;
        }
    }
    reflect(direction, normal)
}

/// The light that comes back along a ray.
#[device]
fn trace(scene: &Scene, balls: &[Ball], start: Ray, generator: &mut Pcg32) -> Vec3<f32> {
    let mut ray = start;
    let mut share = Vec3::splat(1.0);
    for _ in 0usize..BOUNCES {
        let hit: Hit = meet(balls, ray);
        if hit.distance == f32::INFINITY {
            return share * scene.sky(ray.direction);
        }
        let direction = if hit.index > 0.0 {
            through_glass(&hit, ray.direction, generator)
        } else if generator.next_f32() < hit.mirror {
            reflect(ray.direction, hit.normal)
        } else {
            let to_sun = scene.to_sun(generator);
            let shadow = Ray { origin: hit.at, direction: to_sun };
            let facing = hit.normal.dot(to_sun).max(0.0);
            let lit = facing > 0.0 && !any(balls.len(), |i| balls[i].distance(shadow) < f32::INFINITY);
            let sunlight = if lit { facing } else { 0.0 };
            let light = Vec3::new(1.2, 1.08, 0.9) * sunlight + scene.sky(hit.normal) * AMBIENT;
            return share * hit.colour * light;
        };
        if hit.mirror > 0.5 {
            share = share * hit.colour;
        }
        ray = Ray { origin: hit.at, direction };
    }
    Vec3::splat(0.0)
}

/// A colour as a pixel.
#[device]
fn to_pixel(colour: Vec3<f32>) -> u32 {
    let channels = saturate(colour).sqrt() * 255.0 + Vec3::splat(0.5);
    0xff00_0000 | (channels.z as u32) << 16 | (channels.y as u32) << 8 | channels.x as u32
}

#[kernel(workgroup_size(8, 8))]
pub(crate) fn paint(scene: Scene, width: usize, height: usize, side: u32, balls: &[Ball], picture: &mut [u32]) {
    let x = global_id().x;
    let y = global_id().y;
    if x < width && y < height {
        let at = y * width + x;
        let mut sum = Vec3::splat(0.0);
        for sample in 0..side * side {
            let mut generator = Pcg32::new(hash_u32(at as u32) as u64, sample as u64);
            // Somewhere in the sample's own square of the pixel.
            let column = (sample % side) as f32 + generator.next_f32();
            let row = (sample / side) as f32 + generator.next_f32();
            let right = remap(x as f32 + column / side as f32, (0.0, width as f32), (-1.0, 1.0));
            let up = remap(y as f32 + row / side as f32, (0.0, height as f32), (1.0, -1.0));
            sum += trace(&scene, balls, scene.ray(right, up), &mut generator);
        }
        picture[at] = to_pixel(sum / (side * side) as f32);
    }
}

impl Scene {
    /// What is looked at in a picture of this shape.
    fn new(size: Size) -> Self {
        let aspect = size.width as f32 / size.height as f32;
        // The directions are of length 1 and perpendicular: these are Pythagorean triples.
        Self {
            eye: Vec3::new(0.0, 1.9, -6.0),
            forward: Vec3::new(0.0, -0.28, 0.96),
            right: Vec3::new(0.5 * aspect, 0.0, 0.0),
            up: Vec3::new(0.0, 0.48, 0.14),
            sun: Vec3::new(-0.8, 0.48, -0.36),
        }
    }
}

/// The balls of the picture.
pub fn balls() -> Vec<Ball> {
    let ball = |[x, z]: [f32; 2], radius: f32, [red, green, blue]: [f32; 3], mirror: f32, index: f32| Ball {
        centre: Vec3::new(x, radius, z),
        radius,
        colour: Vec3::new(red, green, blue),
        mirror,
        index,
    };
    vec![
        ball([0.0, 1.2], 1.2, [0.95, 0.93, 0.9], 0.95, 0.0),
        ball([-2.1, 0.4], 0.8, [0.85, 0.25, 0.16], 0.06, 0.0),
        ball([1.75, -0.7], 0.75, [1.0, 1.0, 1.0], 0.0, 1.5),
        ball([2.9, 1.6], 1.0, [0.95, 0.72, 0.3], 0.8, 0.0),
        ball([-0.75, -1.2], 0.45, [0.16, 0.5, 0.36], 0.06, 0.0),
        ball([0.55, -1.9], 0.3, [0.24, 0.34, 0.8], 0.1, 0.0),
        ball([-1.55, -1.9], 0.35, [1.0, 1.0, 1.0], 0.0, 1.33),
        ball([-3.6, 3.2], 1.1, [0.9, 0.85, 0.7], 0.06, 0.0),
    ]
}

/// The picture, computed on a device.
pub fn on(device: &Device, view: &View) -> Result<Picture, Error> {
    let Size { width, height } = view.size;
    let balls = device.upload(&balls())?;
    let mut picture = device.zeros::<u32>(width * height)?;
    let grid = (width, height);
    paint::launch(device, grid, Scene::new(view.size), width, height, view.side, &balls, &mut picture)?;
    Ok(Picture { size: view.size, pixels: picture.read()? })
}
