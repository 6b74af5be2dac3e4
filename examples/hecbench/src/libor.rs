//! Options on interest rates (LIBOR), valued along paths of forward rates, with their sensitivity to a rate.
//!
//! An invocation follows a path: forward rates change step by step; at the end a portfolio of swaptions is valued. The
//! second kernel keeps all rates of all steps and goes back along them, from the value's sensitivities to the first rates'.
//!
//! Sizes: 80 rates, 40 steps, 15 options, 96,000 paths. All numbers are `f32`.
//! What differs: quotients and `exp` are exactly rounded, where the original takes quick ones.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::math;
use samebits::prelude::*;

/// Forward rates.
#[device]
const RATES: usize = 80;
/// Steps of time, after which the options are due.
#[device]
const STEPS: usize = 40;
/// Rates that are left then.
#[device]
const LEFT: usize = RATES - STEPS;

/// One step of the rates after `n`; `keep` is given each new one.
#[device]
fn step(
    rates: &mut [f32; RATES],
    n: usize,
    z: f32,
    volatilities: &[f32],
    delta: f32,
    mut keep: impl FnMut(usize, f32),
) {
    let root = delta.sqrt() * z;
    let mut drift = 0.0;
    for i in n + 1..RATES {
        let volatility = volatilities[i - n - 1];
        let scaled = delta * volatility;
        drift += scaled * rates[i] / (1.0 + delta * rates[i]);
        rates[i] *= (scaled * drift + volatility * (root - 0.5 * scaled)).exp();
        keep(i, rates[i]);
    }
}

/// What the options are worth today.
#[device]
fn portfolio(rates: &[f32; RATES], maturities: &[i32], swap_rates: &[f32], delta: f32) -> f32 {
    let mut bonds = [0.0; LEFT];
    let mut annuities = [0.0; LEFT];
    let (mut bond, mut annuity) = (1.0, 0.0);
    #[unroll(never)]
    for m in 0..LEFT {
        bond /= 1.0 + delta * rates[m + STEPS];
        annuity += delta * bond;
        bonds[m] = bond;
        annuities[m] = annuity;
    }
    let mut value = 0.0;
    for k in 0..maturities.len() {
        let m = (maturities[k] - 1) as usize;
        let swap = bonds[m] + swap_rates[k] * annuities[m] - 1.0;
        if swap < 0.0 {
            value += -100.0 * swap;
        }
    }
    let mut discount = 1.0;
    #[unroll(never)]
    for n in 0..STEPS {
        discount /= 1.0 + delta * rates[n];
    }
    discount * value
}

/// The same, and the value's sensitivities to the rates.
#[device]
fn portfolio_back(
    rates: &[f32; RATES],
    back: &mut [f32; RATES],
    maturities: &[i32],
    swap_rates: &[f32],
    delta: f32,
) -> f32 {
    let mut bonds = [0.0; LEFT];
    let mut annuities = [0.0; LEFT];
    let (mut bond, mut annuity) = (1.0, 0.0);
    #[unroll(never)]
    for m in 0..LEFT {
        bond /= 1.0 + delta * rates[m + STEPS];
        annuity += delta * bond;
        bonds[m] = bond;
        annuities[m] = annuity;
    }
    let mut bonds_back = [0.0; LEFT];
    let mut annuities_back = [0.0; LEFT];
    let mut value = 0.0;
    for k in 0..maturities.len() {
        let m = (maturities[k] - 1) as usize;
        let swap = bonds[m] + swap_rates[k] * annuities[m] - 1.0;
        if swap < 0.0 {
            value += -100.0 * swap;
            annuities_back[m] += -100.0 * swap_rates[k];
            bonds_back[m] += -100.0;
        }
    }
    #[unroll(never)]
    for m in (0..LEFT).rev() {
        let growth = 1.0 + delta * rates[m + STEPS];
        bonds_back[m] += delta * annuities_back[m];
        back[m + STEPS] = -bonds_back[m] * bonds[m] * (delta / growth);
        if m > 0 {
            annuities_back[m - 1] += annuities_back[m];
            bonds_back[m - 1] += bonds_back[m] / growth;
        }
    }
    let mut discount = 1.0;
    #[unroll(never)]
    for n in 0..STEPS {
        discount /= 1.0 + delta * rates[n];
    }
    value *= discount;
    #[unroll(never)]
    for n in 0..STEPS {
        back[n] = -value * delta / (1.0 + delta * rates[n]);
    }
    #[unroll(never)]
    for n in STEPS..RATES {
        back[n] *= discount;
    }
    value
}

#[kernel(workgroup_size(64))]
pub(crate) fn values(delta: f32, volatilities: &[f32], maturities: &[i32], swap_rates: &[f32], values: &mut [f32]) {
    for path in (global_id().x..values.len()).step_by(64 * num_workgroups().x) {
        // A program that is used would draw these at random.
        let normals = [0.3; STEPS];
        let mut rates = [0.05; RATES];
        #[unroll(never)]
        for n in 0..STEPS {
            step(&mut rates, n, normals[n], volatilities, delta, |_, _| {});
        }
        values[path] = portfolio(&rates, maturities, swap_rates, delta);
    }
}

#[kernel(workgroup_size(64), requires(sensitivities.len() == values.len()))]
pub(crate) fn values_and_sensitivities(
    delta: f32,
    volatilities: &[f32],
    maturities: &[i32],
    swap_rates: &[f32],
    values: &mut [f32],
    sensitivities: &mut [f32],
) {
    for path in (global_id().x..values.len()).step_by(64 * num_workgroups().x) {
        let normals = [0.3; STEPS];
        let mut rates = [0.05; RATES];
        // The rates before each step and after the last one.
        let mut kept = [[0.0; RATES]; STEPS + 1];
        kept[0] = rates;
        #[unroll(never)]
        for n in 0..STEPS {
            step(&mut rates, n, normals[n], volatilities, delta, |i, rate| kept[n + 1][i] = rate);
        }
        let mut back = [0.0; RATES];
        values[path] = portfolio_back(&rates, &mut back, maturities, swap_rates, delta);
        #[unroll(never)]
        for n in (0..STEPS).rev() {
            let mut sum = 0.0;
            for i in (n + 1..RATES).rev() {
                let (before, after) = (kept[n][i], kept[n + 1][i]);
                let volatility = volatilities[i - n - 1];
                sum += volatility * after * back[i];
                let factor = delta / (1.0 + delta * before);
                back[i] = back[i] * (after / before) + sum * volatility * factor * factor;
            }
        }
        sensitivities[path] = back[RATES - 1];
    }
}

const DELTA: f32 = 0.25;

fn inputs() -> ([f32; RATES], [i32; 15], [f32; 15]) {
    let maturities = std::array::from_fn(|k| [4, 8, 20, 28, 40][k / 3]);
    ([0.2; RATES], maturities, std::array::from_fn(|k| [0.045, 0.05, 0.055][k % 3]))
}

fn paths(scale: Scale) -> usize {
    scale.of(2, 96_000)
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (volatilities, maturities, swap_rates) = inputs();
    let volatilities = device.upload(&volatilities)?;
    let (maturities, swap_rates) = (device.upload(&maturities)?, device.upload(&swap_rates)?);
    let n = paths(scale);
    let mut results = [device.zeros(n)?, device.zeros(n)?, device.zeros(n)?];
    Ok(Job::new(["values", "sensitivities"], move |ask| {
        let [alone, together, sensitivities] = &mut results;
        match ask {
            Ask::Step(0) => values::launch(device, n, DELTA, &volatilities, &maturities, &swap_rates, alone)?,
            Ask::Step(_) => {
                let (volatilities, maturities, swap_rates) = (&volatilities, &maturities, &swap_rates);
                let results = (together, sensitivities);
                let (v, s) = results;
                values_and_sensitivities::launch(device, n, DELTA, volatilities, maturities, swap_rates, v, s)?;
            }
            Ask::Answer(answer) => {
                answer.add("values", &alone.read()?);
                answer.add("values with sensitivities", &together.read()?);
                answer.add("sensitivities", &sensitivities.read()?);
            }
        }
        Ok(())
    }))
}

/// The value of a path and its sensitivity to the last rate.
fn path() -> [f32; 2] {
    let (volatilities, maturities, swap_rates) = inputs();
    let mut history = vec![vec![0.05f32; RATES]];
    for n in 0..STEPS {
        let mut rates = history[n].clone();
        let mut drift = 0.0;
        for i in n + 1..RATES {
            let volatility = volatilities[i - n - 1];
            drift += DELTA * volatility * rates[i] / (1.0 + DELTA * rates[i]);
            let shock = DELTA.sqrt() * 0.3 - 0.5 * (DELTA * volatility);
            rates[i] *= math::exp(DELTA * volatility * drift + volatility * shock);
        }
        history.push(rates);
    }
    let rates = &history[STEPS];
    let growth: Vec<f32> = rates.iter().map(|rate| 1.0 + DELTA * rate).collect();
    let mut bonds = vec![1.0f32];
    let mut annuities = vec![0.0f32];
    for growth in &growth[STEPS..] {
        bonds.push(bonds[bonds.len() - 1] / growth);
        annuities.push(annuities[annuities.len() - 1] + DELTA * bonds[bonds.len() - 1]);
    }
    let (mut of_bonds, mut of_annuities) = (vec![0.0f32; LEFT + 1], vec![0.0f32; LEFT + 1]);
    let mut value = 0.0;
    for (maturity, swap_rate) in maturities.into_iter().zip(swap_rates) {
        let m = maturity as usize;
        let swap = bonds[m] + swap_rate * annuities[m] - 1.0;
        if swap < 0.0 {
            value += -100.0 * swap;
            of_annuities[m] += -100.0 * swap_rate;
            of_bonds[m] += -100.0;
        }
    }
    let discount = growth[..STEPS].iter().fold(1.0, |discount, growth| discount / growth);
    let mut sensitivity = vec![0.0f32; RATES];
    for m in (1..=LEFT).rev() {
        let growth = growth[STEPS + m - 1];
        of_bonds[m] += DELTA * of_annuities[m];
        sensitivity[STEPS + m - 1] = discount * (-of_bonds[m] * bonds[m] * (DELTA / growth));
        of_annuities[m - 1] += of_annuities[m];
        of_bonds[m - 1] += of_bonds[m] / growth;
    }
    let value = discount * value;
    for n in 0..STEPS {
        sensitivity[n] = -value * DELTA / growth[n];
    }
    for n in (0..STEPS).rev() {
        let (before, after) = (&history[n], &history[n + 1]);
        let mut sum = 0.0;
        for i in (n + 1..RATES).rev() {
            let volatility = volatilities[i - n - 1];
            sum += volatility * after[i] * sensitivity[i];
            let factor = DELTA / (1.0 + DELTA * before[i]);
            sensitivity[i] = sensitivity[i] * (after[i] / before[i]) + sum * volatility * factor * factor;
        }
    }
    [value, sensitivity[RATES - 1]]
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let [value, sensitivity] = path();
    let mut answer = Answer::default();
    for (name, number) in [("values", value), ("values with sensitivities", value), ("sensitivities", sensitivity)] {
        answer.add(name, &vec![number; paths(scale)]);
    }
    answer
}

#[cfg(test)]
mod tests {
    /// The numbers that the suite expects.
    #[test]
    fn the_reference_has_the_known_value_and_sensitivity() {
        let [value, sensitivity] = super::path();
        assert!((value - 224.323).abs() < 1e-3 && (sensitivity - 21.348).abs() < 1e-3, "{value} {sensitivity}");
    }
}
