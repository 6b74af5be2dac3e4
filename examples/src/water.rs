//! Water in two dimensions, as particles that press each other apart (smoothed particle hydrodynamics). What a
//! particle weighs in its surroundings and how hard it is pressed come from all others within reach; pressure grows
//! with the seventh power of the density, which keeps water from being squeezed.

use crate::cli::Size;
use crate::picture::{Picture, opaque};
use samebits::math;
use samebits::prelude::*;

/// How far a particle reaches.
#[device]
const REACH: f32 = 0.05;
/// What a particle has, so that water at rest has the density 1.
#[device]
const MASS: f32 = 0.000_4;
/// How stiff the water is.
#[device]
const STIFFNESS: f32 = 1.5;
/// How much neighbours slow each other.
#[device]
const THICKNESS: f32 = 0.4;
/// The time of a step.
#[device]
const STEP: f32 = 0.002;

/// The density at each particle.
#[kernel(workgroup_size(64), requires(densities.len() >= places.len()))]
pub(crate) fn weigh(places: &[[f32; 2]], densities: &mut [f32]) {
    let i = global_id().x;
    if i < places.len() {
        let [x, y] = places[i];
        let mut density = 0.0;
        for j in 0..places.len() {
            let distance = (places[j][0] - x).hypot(places[j][1] - y);
            if distance < REACH {
                // Wendland's kernel: smooth, and 0 at the end of the reach.
                let q = distance / REACH;
                density += (1.0 - q).powi(4) * (1.0 + 4.0 * q);
            }
        }
        densities[i] = density * MASS * 7.0 / (std::f32::consts::PI * REACH * REACH);
    }
}

/// Moves each particle by a step.
#[kernel(workgroup_size(64), requires(densities.len() >= places.len(), speeds.len() >= places.len(), to.len() >= places.len(), new.len() >= places.len()))]
pub(crate) fn step(
    places: &[[f32; 2]],
    speeds: &[[f32; 2]],
    densities: &[f32],
    to: &mut [[f32; 2]],
    new: &mut [[f32; 2]],
) {
    let i = global_id().x;
    if i < places.len() {
        let [x, y] = places[i];
        let [vx, vy] = speeds[i];
        let own = densities[i];
        let pressed = STIFFNESS * (own.max(1.0).powi(7) - 1.0) / (own * own);
        let (mut ax, mut ay) = (0.0, -1.0);
        for j in 0..places.len() {
            let (dx, dy) = (x - places[j][0], y - places[j][1]);
            let distance = dx.hypot(dy);
            if distance < REACH && distance > 0.0 {
                let q = distance / REACH;
                let other = densities[j];
                let pressing = STIFFNESS * (other.max(1.0).powi(7) - 1.0) / (other * other);
                // The slope of the kernel, along the line between the two.
                let slope = MASS * 140.0 * q * (1.0 - q).powi(3) / (std::f32::consts::PI * REACH.powi(3));
                let push = slope * (pressed + pressing) / distance;
                let drag = THICKNESS * slope * REACH / (own * other);
                ax += push * dx + drag * (speeds[j][0] - vx);
                ay += push * dy + drag * (speeds[j][1] - vy);
            }
        }
        let (mut sx, mut sy) = (vx + STEP * ax, vy + STEP * ay);
        let (mut px, mut py) = (x + STEP * sx, y + STEP * sy);
        // Walls throw it back, slower.
        if px < 0.0 || px > 1.0 {
            px = px.clamp(0.0, 1.0);
            sx *= -0.3;
        }
        if py < 0.0 || py > 1.0 {
            py = py.clamp(0.0, 1.0);
            sy *= -0.3;
        }
        to[i] = [px, py];
        new[i] = [sx, sy];
    }
}

/// Particles and their speeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Water {
    /// Where each particle is: x and y from 0 to 1, y upwards.
    pub places: Vec<[f32; 2]>,
    /// How fast each one is.
    pub speeds: Vec<[f32; 2]>,
}

impl Water {
    /// A column of water at the left, about to fall.
    pub fn column(width: usize, height: usize) -> Self {
        let place = |i: usize| {
            let (row, shift) = (i / width, (i / width % 2) as f32 * 0.004);
            [0.02 + (i % width) as f32 * 0.018 + shift, 0.02 + row as f32 * 0.018]
        };
        let places: Vec<[f32; 2]> = (0..width * height).map(place).collect();
        Self { speeds: vec![[0.0; 2]; places.len()], places }
    }

    /// The water after some steps, computed on a device.
    pub fn on(&self, device: &Device, steps: usize) -> Result<Self, Error> {
        let n = self.places.len();
        let (mut places, mut speeds) = (device.upload(&self.places)?, device.upload(&self.speeds)?);
        let (mut to, mut new) = (device.zeros(n)?, device.zeros(n)?);
        let mut densities = device.zeros(n)?;
        for _ in 0..steps {
            weigh::launch(device, n, &places, &mut densities)?;
            step::launch(device, n, &places, &speeds, &densities, &mut to, &mut new)?;
            std::mem::swap(&mut places, &mut to);
            std::mem::swap(&mut speeds, &mut new);
        }
        Ok(Self { places: places.read()?, speeds: speeds.read()? })
    }

    /// The same in plain Rust.
    #[must_use]
    pub fn plain(&self, steps: usize) -> Self {
        let mut water = self.clone();
        for _ in 0..steps {
            let densities: Vec<f32> = water.places.iter().map(|&place| water.density(place)).collect();
            let moved = (0..water.places.len()).map(|i| water.moved(i, &densities));
            let (places, speeds) = moved.unzip();
            water = Self { places, speeds };
        }
        water
    }

    fn density(&self, [x, y]: [f32; 2]) -> f32 {
        let mut density = 0.0;
        for &[other_x, other_y] in &self.places {
            let distance = math::hypot(other_x - x, other_y - y);
            if distance < REACH {
                let q = distance / REACH;
                density += math::powi(1.0 - q, 4) * (1.0 + 4.0 * q);
            }
        }
        density * MASS * 7.0 / (std::f32::consts::PI * REACH * REACH)
    }

    fn moved(&self, i: usize, densities: &[f32]) -> ([f32; 2], [f32; 2]) {
        let ([x, y], [vx, vy]) = (self.places[i], self.speeds[i]);
        let pressure = |density: f32| STIFFNESS * (math::powi(density.max(1.0), 7) - 1.0) / (density * density);
        let own = densities[i];
        let pressed = pressure(own);
        let (mut ax, mut ay) = (0.0, -1.0);
        for (j, &[other_x, other_y]) in self.places.iter().enumerate() {
            let (dx, dy) = (x - other_x, y - other_y);
            let distance = math::hypot(dx, dy);
            if distance < REACH && distance > 0.0 {
                let q = distance / REACH;
                let other = densities[j];
                let slope = MASS * 140.0 * q * math::powi(1.0 - q, 3) / (std::f32::consts::PI * math::powi(REACH, 3));
                let push = slope * (pressed + pressure(other)) / distance;
                let drag = THICKNESS * slope * REACH / (own * other);
                ax += push * dx + drag * (self.speeds[j][0] - vx);
                ay += push * dy + drag * (self.speeds[j][1] - vy);
            }
        }
        let (mut sx, mut sy) = (vx + STEP * ax, vy + STEP * ay);
        let (mut px, mut py) = (x + STEP * sx, y + STEP * sy);
        if !(0.0..=1.0).contains(&px) {
            px = px.clamp(0.0, 1.0);
            sx *= -0.3;
        }
        if !(0.0..=1.0).contains(&py) {
            py = py.clamp(0.0, 1.0);
            sy *= -0.3;
        }
        ([px, py], [sx, sy])
    }

    /// The water as a picture, the faster the lighter.
    pub fn picture(&self, size: Size) -> Picture {
        let mut pixels = vec![opaque(16, 20, 34); size.width * size.height];
        let radius = (size.width / 90).max(1) as isize;
        for (&[x, y], &[sx, sy]) in self.places.iter().zip(&self.speeds) {
            let speed = ((sx * sx + sy * sy).sqrt() * 160.0).min(200.0) as u8;
            let colour = opaque(20 + speed, 90 + speed / 5 * 4, 220 + speed / 6);
            let middle = [(x * (size.width - 1) as f32) as isize, ((1.0 - y) * (size.height - 1) as f32) as isize];
            for dy in -radius..=radius {
                for dx in -radius..=radius {
                    let [column, row] = [middle[0] + dx, middle[1] + dy];
                    let inside = (0..size.width as isize).contains(&column) && (0..size.height as isize).contains(&row);
                    if dx * dx + dy * dy <= radius * radius && inside {
                        pixels[row as usize * size.width + column as usize] = colour;
                    }
                }
            }
        }
        Picture { size, pixels }
    }
}
