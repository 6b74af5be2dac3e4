//! The book's program with a struct, a helper and a closure: it is this one, and works.

use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
    direction: Vec3<f32>,
}

#[device]
impl Ray {
    fn at(&self, distance: f32) -> Vec3<f32> {
        self.origin + self.direction * distance
    }
}

/// The greatest value of a function at so many steps from 0 to 1.
#[device]
fn greatest(steps: u32, f: impl Fn(f32) -> f32) -> f32 {
    let mut most = f32::NEG_INFINITY;
    for i in 0..=steps {
        most = most.max(f(i as f32 / steps as f32));
    }
    most
}

#[kernel]
fn heights(rays: &[Ray], y: &mut [f32]) {
    let i = global_id().x;
    if i < rays.len() {
        let ray = rays[i];
        y[i] = greatest(16, |distance| ray.at(distance).y);
    }
}

const BOOK: &str = include_str!("../../docs/src/invocations.md");

#[test]
fn the_program_with_helpers_of_the_book_is_the_one_tested_here() {
    let (_, source) = include_str!("book_helpers.rs").split_once("\n\n").expect("a program");
    let (program, _) = source.split_once("\nconst BOOK").expect("an end");
    assert!(BOOK.contains(&format!("```rust\n{program}```")));
}

#[test]
fn the_highest_place_of_a_ray_is_its_start_or_its_end() {
    let ray = |up: f32| Ray { origin: Vec3::new(0.0, 1.0, 0.0), direction: Vec3::new(0.5, up, 0.0) };
    for device in Device::all() {
        let rays = device.upload(&[ray(2.0), ray(-2.0)]).unwrap();
        let mut y = device.zeros::<f32>(2).unwrap();
        heights::launch(&device, 2, &rays, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [3.0, 1.0], "{}", device.name());
    }
}
