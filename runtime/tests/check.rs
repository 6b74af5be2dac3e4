//! Checks of kernels over inputs of chance: what is right passes, and what is wrong is found and made small.

mod devices;

use samebits::check::{self, Chance, Check, Failure, Input};
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn sums(x: &[u32], y: &[f32], z: &mut [f32], factor: f32) {
    let i = global_id().x;
    if i < x.len() && i < y.len() && i < z.len() {
        z[i] = (x[i] as f32 + y[i]) * factor;
    }
}

/// Wrong for what is a hundred or more.
#[kernel(workgroup_size(64))]
fn halve(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = if x[i] < 100 { x[i] / 2 } else { x[i] / 2 + 1 };
    }
}

#[kernel(workgroup_size(64))]
fn race(y: &mut [u32]) {
    unsafe { y[0] = global_id().x as u32 };
}

#[test]
fn a_right_kernel_passes_on_all_devices_and_judges() -> Result<(), Failure> {
    devices::devices();
    check::kernel(
        |chance| (chance.vec(0..=150, |chance| (chance.u32(), chance.f32())), chance.f32()),
        |(x, factor)| x.iter().map(|(x, y)| (*x as f32 + y) * factor).collect::<Vec<f32>>(),
        |device, (x, factor)| {
            let (x, y): (Vec<u32>, Vec<f32>) = x.iter().copied().unzip();
            let mut z = device.zeros::<f32>(x.len())?;
            sums::launch(device, x.len(), &device.upload(&x)?, &device.upload(&y)?, &mut z, *factor)?;
            z.read()
        },
    )
}

#[test]
fn the_smallest_wrong_input_is_shown() {
    let run = |check: &Check| {
        let failure = check.run(
            |chance| chance.vec(50..=300, Chance::u32),
            |x| x.iter().map(|x| x / 2).collect::<Vec<u32>>(),
            |device, x| {
                let mut y = device.zeros::<u32>(x.len())?;
                halve::launch(device, x.len(), &device.upload(x)?, &mut y)?;
                y.read()
            },
        );
        failure.unwrap_err()
    };
    let failure = run(&Check::new().on(&[Device::cpu()]));
    assert_eq!((failure.device(), failure.input()), ("cpu", "[100]"));
    let shown = "on `cpu`: element 0 is 51, but 50 in plain Rust\n  for the input [100]\n  ";
    assert!(failure.to_string().starts_with(shown), "{failure}");
    // The seed alone gives the input again.
    assert_eq!(run(&Check::new().on(&[Device::cpu()]).seed(failure.seed()).inputs(1)), failure);
}

#[test]
fn what_a_judge_finds_is_a_failure() {
    let failure = check::kernel(
        |chance| chance.below(200),
        |_| vec![0u32; 0],
        |device, n| {
            race::launch(device, *n, &mut device.zeros::<u32>(1)?)?;
            Ok(Vec::new())
        },
    );
    let failure = failure.unwrap_err();
    assert!(failure.to_string().contains("kernel `race`: race on `y[0]`"), "{failure}");
    assert_eq!(failure.input(), "1");
}

#[test]
fn an_error_of_a_launch_is_a_failure() {
    let failure = Check::new().on(&[Device::cpu()]).run(
        |chance| chance.below(10),
        |_| vec![0u32; 0],
        |device, n| device.zeros::<u32>(usize::MAX / 2 - n).and_then(|x| x.read()),
    );
    assert!(failure.unwrap_err().to_string().contains("bytes was asked for"));
}

#[test]
fn making_an_input_smaller_comes_to_an_end() {
    fn end<I: Input>(input: I) -> usize {
        let (mut input, mut steps) = (input, 0);
        // The last candidate is the largest.
        while let Some(smaller) = input.smaller().pop() {
            (input, steps) = (smaller, steps + 1);
            assert!(steps < 5000);
        }
        steps
    }
    assert_eq!(end(0u32), 0);
    assert_eq!(end(1000i32), 1000);
    assert_eq!(end(i8::MIN), 128);
    assert!(end(f32::NAN) > 0 && end(f64::INFINITY) > 0 && end(1e30f32) > 0 && end(0.1f64) > 0);
    assert!(end((vec![[3u8, 4], [5, 6]], true, Vec2::new(2.5f32, -1.0))) > 20);
}

#[test]
fn chance_has_edges_and_all_lengths() {
    let mut chance = Chance::new(2);
    let numbers = chance.vec(4000..=4000, Chance::f32);
    assert_eq!(numbers.len(), 4000);
    assert!(numbers.iter().any(|x| x.is_nan()) && numbers.iter().any(|x| x.is_subnormal()));
    assert!(numbers.contains(&f32::INFINITY) && numbers.iter().any(|x| x.to_bits() == (-0.0f32).to_bits()));
    let lens: Vec<usize> = (0..300).map(|_| chance.vec(2..=5, Chance::bool).len()).collect();
    assert!((2..=5).all(|len| lens.contains(&len)) && lens.iter().all(|len| (2..=5).contains(len)));
}

#[test]
fn floats_of_a_range_are_in_it_and_come_near_its_ends() {
    fn some<T: Copy>(range: &impl check::Within<T>) -> Vec<T> {
        (0..50)
            .flat_map(|seed| {
                let mut chance = Chance::new(seed);
                (0..40).map(move |_| check::Within::any(range, &mut chance).expect("a number")).collect::<Vec<T>>()
            })
            .collect()
    }
    let unit = some::<f32>(&(0.0f32..=1.0));
    assert!(unit.iter().all(|x| (0.0..=1.0).contains(x) && x.is_sign_positive()));
    assert!(unit.contains(&0.0) && unit.contains(&1.0) && unit.iter().any(|x| x.is_subnormal()));
    let around = some::<f64>(&(-2.0f64..2.0));
    assert!(around.iter().all(|x| (-2.0..2.0).contains(x)) && around.contains(&-2.0) && around.contains(&-1.0));
    assert!(around.iter().any(|x| x.to_bits() == (-0.0f64).to_bits()));
    // All finite numbers: ordinary ones, too.
    let finite = some::<f32>(&(f32::MIN..=f32::MAX));
    assert!(finite.iter().all(|x| x.is_finite()) && finite.contains(&f32::MAX) && finite.contains(&f32::MIN));
    assert!(finite.iter().filter(|x| x.abs() <= 100.0).count() > 100);
    assert_eq!(some::<f32>(&(3.0f32..=3.0)), [3.0; 2000]);
    let none = [f32::NAN, 1.0].map(|end| check::Within::<f32>::any(&(end..=0.5), &mut Chance::new(0)));
    assert_eq!(none, [None, None]);
    assert_eq!(check::Within::<f64>::any(&(1.0..1.0), &mut Chance::new(0)), None);
}

#[cfg(feature = "f16")]
#[test]
fn half_floats_are_inputs() {
    #[kernel(workgroup_size(64), features(f16))]
    fn halve(x: &[f16], y: &mut [f16]) {
        let i = global_id().x;
        if i < x.len() && i < y.len() {
            y[i] = x[i] * (0.5 as f16);
        }
    }
    let on = |device: &Device, x: &Vec<f16>| {
        let (x, mut y) = (device.upload(x)?, device.zeros::<f16>(x.len())?);
        halve::launch(device, x.len(), &x, &mut y)?;
        y.read()
    };
    let half = |x: &f16| f16::from_f64(x.to_f64() * 0.5);
    let any = |chance: &mut Chance| chance.vec(0..=100, Chance::f16);
    // Not every GPU has such numbers.
    let check = Check::new().on(&[Device::cpu(), Device::interpreter()]);
    check.run(any, |x| x.iter().map(half).collect::<Vec<f16>>(), on).expect("the same halves");
    // Wrong for numbers above 2: the simplest one is found.
    let wrong = |x: &Vec<f16>| x.iter().map(|x| if x.to_f64() > 2.0 { *x } else { half(x) }).collect::<Vec<f16>>();
    let failure = check.run(any, wrong, on).expect_err("other numbers");
    let found: f64 = failure.input().trim_matches(['[', ']']).parse().expect("one number");
    assert!((2.0..=3.0).contains(&found), "{found}");
    let unit = f16::ZERO..=f16::ONE;
    let number: Option<f16> = check::Within::any(&unit, &mut Chance::new(9));
    assert!(unit.contains(&number.expect("a number")));
}

#[test]
fn smaller_inputs_that_could_not_have_been_generated_are_passed_over() {
    let failure = check::kernel(
        |chance| {
            let n = chance.vec(3..=9, Chance::u32).len();
            (vec![1u32; n], vec![2u32; n])
        },
        // Panics if the second list is the shorter one.
        |(a, b)| (0..a.len()).map(|i| a[i] + b[i]).collect::<Vec<u32>>(),
        |_, (a, b)| Ok(a.iter().zip(b).map(|(a, b)| a + b + u32::from(*a > 0)).collect()),
    );
    // The lists stay as long as each other, and the wrong sum is still told.
    let shown = failure.expect_err("the sums are wrong").to_string();
    assert!(shown.contains("in plain Rust"), "{shown}");
}

#[test]
fn nothing_to_compare_is_a_failure() {
    let run = |check: Check| {
        check
            .run(|chance| chance.u32(), |x| vec![*x], |_, x| Ok(vec![*x]))
            .expect_err("nothing was compared")
            .to_string()
    };
    assert_eq!(run(Check::new().inputs(0)), "nothing was compared, as there is no input");
    assert_eq!(run(Check::new().on(&[])), "nothing was compared, as there is no device");
}
