//! Particles that a kernel moves and a render pass of wgpu's draws, both in one command encoder: they circle a heavy
//! middle and leave trails of light.
//!
//! The program opens its own device of wgpu's and lends it (`stage`, with the feature `wgpu`). Each particle lights the
//! pixel it is in, so plain Rust knows the whole picture.

#[cfg(feature = "wgpu")]
pub mod stage;

use crate::cli::Size;
use crate::picture::{Picture, opaque};
use samebits::prelude::*;

/// What a particle adds to a pixel in each step: red, green and blue.
pub const LIGHT: [u8; 3] = [9, 4, 2];

/// Where the particles are, in pixels, and how far they come in a unit of time.
#[derive(Clone, Debug)]
pub struct Swarm {
    /// The picture they are in.
    pub size: Size,
    /// Their places.
    pub places: Vec<Vec2<f32>>,
    /// Their speeds.
    pub speeds: Vec<Vec2<f32>>,
}

/// Moves each particle by a step of time.
#[kernel(workgroup_size(64))]
pub(crate) fn fly(middle: Vec2<f32>, time: f32, places: &mut [Vec2<f32>], speeds: &mut [Vec2<f32>]) {
    let i = global_id().x;
    if i < places.len() && i < speeds.len() {
        let away = middle - places[i];
        let far = away.x * away.x + away.y * away.y + 64.0;
        let speed = speeds[i] + away * (time * 3000.0 / (far * far.sqrt()));
        speeds[i] = speed;
        places[i] = places[i] + speed * time;
    }
}

impl Swarm {
    /// So many particles on rings around the middle, not all of them circling.
    pub fn new(size: Size, count: usize, seed: u32) -> Self {
        let chance = |i: usize, salt: u32| {
            let mut bits = seed ^ salt ^ (i as u32).wrapping_mul(0x9e37_79b9);
            for factor in [0x7feb_352d, 0x846c_a68b] {
                bits = (bits ^ bits >> 16).wrapping_mul(factor);
            }
            (bits >> 8) as f32 / (1 << 24) as f32
        };
        let Vec2 { x, y } = middle(size);
        let reach = x.min(y);
        let particle = |i: usize| {
            // A point of the square around the circle, scaled to a ring: no function that could round differently.
            let (u, v) = (chance(i, 1) * 2.0 - 1.0, chance(i, 2) * 2.0 - 1.0);
            let length = (u * u + v * v + 0.000_1).sqrt();
            let ring = reach * (0.25 + 0.2 * (chance(i, 3) * 3.0).floor() + 0.08 * chance(i, 4));
            let speed = (3000.0 / ring).sqrt() * (0.9 + 0.2 * chance(i, 5));
            let (u, v) = (u / length, v / length);
            (Vec2::new(x + u * ring, y + v * ring), Vec2::new(-v * speed, u * speed))
        };
        let (places, speeds) = (0..count).map(particle).unzip();
        Self { size, places, speeds }
    }

    /// A step in plain Rust.
    fn fly(&mut self, time: f32) {
        let Vec2 { x, y } = middle(self.size);
        for (place, speed) in self.places.iter_mut().zip(&mut self.speeds) {
            let (u, v) = (x - place.x, y - place.y);
            let far = u * u + v * v + 64.0;
            let pull = time * 3000.0 / (far * far.sqrt());
            *speed = Vec2::new(speed.x + u * pull, speed.y + v * pull);
            *place = Vec2::new(place.x + speed.x * time, place.y + speed.y * time);
        }
    }
}

/// What the particles circle.
fn middle(Size { width, height }: Size) -> Vec2<f32> {
    Vec2::new(width as f32 * 0.5, height as f32 * 0.5)
}

/// The picture after so many steps, in plain Rust.
pub fn plain(swarm: &Swarm, steps: usize, time: f32) -> Picture {
    let Size { width, height } = swarm.size;
    let mut swarm = swarm.clone();
    let mut counts = vec![0u32; width * height];
    for _ in 0..steps {
        swarm.fly(time);
        for place in &swarm.places {
            let (x, y) = (place.x.floor(), place.y.floor());
            if (0.0..width as f32).contains(&x) && (0.0..height as f32).contains(&y) {
                counts[y as usize * width + x as usize] += 1;
            }
        }
    }
    let channel = |count: u32, light: u8| (count * u32::from(light)).min(255) as u8;
    let pixel = |&count: &u32| {
        let [red, green, blue] = LIGHT.map(|light| channel(count, light));
        opaque(red, green, blue)
    };
    Picture { size: swarm.size, pixels: counts.iter().map(pixel).collect() }
}
