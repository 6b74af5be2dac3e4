//! What options are worth by the formula of Black and Scholes: a logarithm, exponentials, a root and the error function
//! of each, with the same bits everywhere.

use samebits::math;
use samebits::prelude::*;

/// Options on one share: at the same time, for different prices and terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What the share costs now.
    pub price: f32,
    /// The rate of interest without risk, a year.
    pub rate: f32,
    /// How much the share's price varies, a year.
    pub volatility: f32,
    /// The price at which each option lets its owner buy or sell.
    pub strikes: Vec<f32>,
    /// The years until then.
    pub years: Vec<f32>,
}

/// The part of a normal distribution below a number.
#[device]
fn below(x: f32) -> f32 {
    0.5 * erfc(x * -std::f32::consts::FRAC_1_SQRT_2)
}

#[kernel(workgroup_size(256), requires(years.len() >= strikes.len(), calls.len() >= strikes.len(), puts.len() >= strikes.len()))]
pub(crate) fn value(
    price: f32,
    rate: f32,
    volatility: f32,
    strikes: &[f32],
    years: &[f32],
    calls: &mut [f32],
    puts: &mut [f32],
) {
    let i = global_id().x;
    if i < strikes.len() {
        let (strike, years) = (strikes[i], years[i]);
        let spread = volatility * years.sqrt();
        let up = ((price / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
        let down = up - spread;
        let later = strike * (-rate * years).exp();
        calls[i] = price * below(up) - later * below(down);
        puts[i] = later * below(-down) - price * below(-up);
    }
}

impl Options {
    /// Many options, from those that are worth nothing to those that are sure.
    pub fn many(count: usize) -> Self {
        let strikes = (0..count).map(|i| 20.0 + (i % 1000) as f32 * 0.2);
        let years = (0..count).map(|i| 0.1 + (i / 1000 % 100) as f32 * 0.05);
        Self { price: 100.0, rate: 0.02, volatility: 0.3, strikes: strikes.collect(), years: years.collect() }
    }

    /// The values of the options to buy and of those to sell, computed on a device.
    pub fn on(&self, device: &Device) -> Result<[Vec<f32>; 2], Error> {
        let (strikes, years) = (device.upload(&self.strikes)?, device.upload(&self.years)?);
        let (mut calls, mut puts) = (device.zeros(strikes.len())?, device.zeros(strikes.len())?);
        let Self { price, rate, volatility, .. } = *self;
        value::launch(device, strikes.len(), price, rate, volatility, &strikes, &years, &mut calls, &mut puts)?;
        Ok([calls.read()?, puts.read()?])
    }

    /// The same in plain Rust.
    pub fn plain(&self) -> [Vec<f32>; 2] {
        let below = |x: f32| 0.5 * math::erfc(x * -std::f32::consts::FRAC_1_SQRT_2);
        let Self { price, rate, volatility, .. } = *self;
        let value = |(&strike, &years): (&f32, &f32)| {
            let spread = volatility * years.sqrt();
            let up = (math::ln(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
            let down = up - spread;
            let later = strike * math::exp(-rate * years);
            (price * below(up) - later * below(down), later * below(-down) - price * below(-up))
        };
        let (calls, puts) = self.strikes.iter().zip(&self.years).map(value).unzip();
        [calls, puts]
    }
}
