//! The electric potential of charged atoms in a plane of points.
//!
//! An invocation has eight points of a row, eight apart, so that the distances along the other axes are computed once
//! for all of them. Each launch adds the potential of some thousand atoms.
//!
//! Sizes: 768 × 768 points at a distance of 0.1, 4,000 atoms for each launch. All numbers are `f32`.
//! What differs: a step is one launch of 4,000 atoms, where the original runs 250 of them; the reciprocal square root is exactly
//! rounded.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// Points of an invocation.
#[device]
const POINTS: usize = 8;
/// The sides of a workgroup.
#[device]
const SIDE: usize = 8;

/// Of an atom: x, y, the square of its distance from the plane, and its charge.
#[kernel(workgroup_size(SIDE, SIDE))]
pub(crate) fn add_potential(spacing: f32, atoms: &[Vec4<f32>], potential: &mut [f32]) {
    let x = workgroup_id().x * SIDE * POINTS + local_id().x;
    let y = global_id().y;
    let (place_x, place_y) = (spacing * x as f32, spacing * y as f32);
    let apart = spacing * SIDE as f32;
    let mut sums = [0.0; POINTS];
    for i in 0..atoms.len() {
        let atom = atoms[i];
        let dy = place_y - atom.y;
        let rest = dy * dy + atom.z;
        let mut dx = place_x - atom.x;
        for k in 0..POINTS {
            sums[k] += atom.w * rsqrt(dx * dx + rest);
            dx += apart;
        }
    }
    let first = y * (num_workgroups().x * SIDE * POINTS) + x;
    for k in 0..POINTS {
        potential[first + k * SIDE] += sums[k];
    }
}

const SPACING: f32 = 0.1;

/// Points along both axes, and the atoms of each launch.
fn inputs(scale: Scale) -> ([usize; 2], Vec<Vec<Vec4<f32>>>) {
    let mut random = Random::new(2);
    let size = scale.of([64, 8], [768, 768]);
    let mut atom = || {
        let [x, y] = size.map(|side| random.unit() * SPACING * side as f32);
        let z = random.unit() * SPACING;
        Vec4::new(x, y, z * z, 2.0 * random.unit() - 1.0)
    };
    (size, (0..scale.of(2, 1)).map(|_| (0..scale.of(10, 4000)).map(|_| atom()).collect()).collect())
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let ([width, height], launches) = inputs(scale);
    let launches = launches.iter().map(|atoms| device.upload(atoms)).collect::<Result<Vec<_>, _>>()?;
    let mut potential = device.zeros(width * height)?;
    Ok(Job::new(["potential"], move |ask| {
        match ask {
            Ask::Step(_) => {
                for atoms in &launches {
                    add_potential::launch(device, (width / POINTS, height), SPACING, atoms, &mut potential)?;
                }
            }
            Ask::Answer(answer) => answer.add("potential", &potential.read()?),
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let ([width, height], launches) = inputs(scale);
    let mut potential = vec![0.0; width * height];
    for atoms in launches {
        for (i, potential) in potential.iter_mut().enumerate() {
            let (x, y) = (i % width, i / width);
            // The first of the eight points, and how many after it this one is.
            let (first, after) = (x / 64 * 64 + x % 8, x / 8 % 8);
            let mut sum = 0.0;
            for atom in &atoms {
                let dy = SPACING * y as f32 - atom.y;
                let mut dx = SPACING * first as f32 - atom.x;
                for _ in 0..after {
                    dx += SPACING * 8.0;
                }
                sum += atom.w * math::rsqrt(dx * dx + (dy * dy + atom.z));
            }
            *potential += sum;
        }
    }
    let mut answer = Answer::default();
    answer.add("potential", &potential);
    answer
}
