//! Sums of Matérn's covariance of places and sources, for a smoothness of 5/2.
//!
//! A workgroup has sixteen places and all fifty sources in workgroup memory, and an invocation for each pair. The first
//! invocation of each place then adds up the row.
//!
//! Sizes: 300³ places for seven lengths from 0.1 to 100,000. All numbers are `f32`.
//! What differs: workgroups have 16 × 50 invocations; the original's have fourteen more in each row, which leave at once.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// Places of a workgroup.
#[device]
const PLACES: usize = 16;
#[device]
const SOURCES: usize = 50;

#[kernel(workgroup_size(PLACES, SOURCES), limits(invocations = 800))]
pub(crate) fn covariances(length: f32, sources: &[[f32; 3]], places: &[[f32; 3]], weights: &[f32], sums: &mut [f32]) {
    #[shared]
    let here: [[f32; 3]; PLACES];
    #[shared]
    let there: [[f32; 3]; SOURCES];
    #[shared]
    let products: [[f32; SOURCES]; PLACES];
    let (x, y) = (local_id().x, local_id().y);
    let place = global_id().x;
    if y == 0 {
        here[x] = places[place];
    }
    if x == 0 {
        there[y] = sources[y];
    }
    workgroup_barrier();
    let mut square = 0.0;
    for axis in 0..3 {
        let difference = here[x][axis] - there[y][axis];
        square += difference * difference;
    }
    let distance = square.sqrt();
    let root = 5.0f32.sqrt();
    let polynomial = 1.0 + root * distance / length + 5.0 * square / (3.0 * length * length);
    products[x][y] = polynomial * (-root * distance / length).exp() * weights[y];
    workgroup_barrier();
    if y == 0 && place < sums.len() {
        let mut sum = 0.0;
        for i in 0..SOURCES {
            sum += products[x][i];
        }
        sums[place] = sum;
    }
}

struct Inputs {
    lengths: Vec<f32>,
    sources: Vec<[f32; 3]>,
    places: Vec<[f32; 3]>,
    weights: Vec<f32>,
}

fn inputs(scale: Scale) -> Inputs {
    let mut random = Random::new(123);
    let lengths = std::iter::successors(Some(0.1f32), |length| Some(length * 10.0));
    let lengths = lengths.take(scale.of(2, 7)).collect();
    let mut places = |n: usize| (0..n).map(|_| std::array::from_fn(|_| random.unit())).collect();
    let sources = places(SOURCES);
    let places = places(scale.of(20, 300 * 300 * 300));
    Inputs { lengths, sources, places, weights: random.units(SOURCES) }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { lengths, sources, places, weights } = inputs(scale);
    let (sources, places, weights) = (device.upload(&sources)?, device.upload(&places)?, device.upload(&weights)?);
    let mut sums = lengths.iter().map(|_| device.zeros(places.len())).collect::<Result<Vec<_>, _>>()?;
    Ok(Job::new(["covariances"], move |ask| {
        for (length, sums) in lengths.iter().zip(&mut sums) {
            match &ask {
                Ask::Step(_) => {
                    let grid = (places.len(), SOURCES);
                    covariances::launch(device, grid, *length, &sources, &places, &weights, sums)?;
                }
                Ask::Answer(_) => {}
            }
        }
        if let Ask::Answer(answer) = ask {
            for (length, sums) in lengths.iter().zip(&sums) {
                answer.add(format!("sums for {length}"), &sums.read()?);
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { lengths, sources, places, weights } = inputs(scale);
    let mut answer = Answer::default();
    for length in lengths {
        let sum = |place: &[f32; 3]| {
            sources.iter().zip(&weights).fold(0.0f32, |sum, (source, weight)| {
                let squares = place.iter().zip(source).map(|(x, y)| (x - y) * (x - y));
                let square = squares.fold(0.0f32, |sum, square| sum + square);
                let scaled = 5f32.sqrt() * square.sqrt() / length;
                let polynomial = 1.0 + scaled + 5.0 * square / (3.0 * length * length);
                sum + polynomial * math::exp(-scaled) * weight
            })
        };
        answer.add(format!("sums for {length}"), &places.iter().map(sum).collect::<Vec<_>>());
    }
    answer
}
