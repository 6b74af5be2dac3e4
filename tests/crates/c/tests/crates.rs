//! What helpers, structs and kernels of other crates give, on every device.
#![deny(warnings)]
#![forbid(unsafe_code)]

#[path = "../../../../runtime/tests/devices/mod.rs"]
mod devices;

use devices::devices;
use samebits_tests_b::{self as b, Counter, Pair, Point, Way};
use samebits_tests_c::{Scene, constants, including, scenes, sums, unnamed};

/// What `a::scaled` and `b::scaled` give.
fn scaled_by_a(x: u32) -> u32 {
    x * 30 + 7
}

fn scaled_by_b(x: u32) -> u32 {
    scaled_by_a(x) + 1001 + 7
}

#[test]
fn a_struct_that_is_never_named_comes_through_a_helper() {
    for device in devices() {
        let mut o = device.zeros::<f32>(5).unwrap();
        unnamed::launch(&device, 1, &mut o).unwrap();
        // From (3, 4) to (4, 4), then to (8, 8), whose way is 5 + 4 long and counts three times.
        assert_eq!(o.read().unwrap(), [2.0, 16.0, 27.0, 8.0, 4.0], "on {}", device.name());
    }
}

#[test]
fn constants_come_from_the_crate_that_means_them() {
    let grid: u32 = (0..4).flat_map(|y| (0..y).map(move |x| x * 10 + y + 5)).sum();
    let between = scaled_by_a(1) * 2 + scaled_by_b(1);
    let expected = [7, scaled_by_b(2), scaled_by_a(2), 20, between, grid + 6, 10, 3 + 3 * 8];
    for device in devices() {
        let mut o = device.zeros::<u32>(8).unwrap();
        constants::launch(&device, 1, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), expected, "on {}", device.name());
    }
}

#[test]
fn a_file_that_is_included_has_the_names_of_the_other() {
    for device in devices() {
        let mut o = device.zeros::<u32>(1).unwrap();
        including::of_another_file::launch(&device, 1, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), [21], "on {}", device.name());
    }
}

#[test]
fn barriers_and_lengths_come_from_other_crates() {
    let x: Vec<u32> = (0..16).map(|i| i * i).collect();
    let expected: Vec<u32> = x.chunks(8).flat_map(|group| [group.iter().sum::<u32>() * 20 + 2; 8]).collect();
    for device in devices() {
        let mut o = device.zeros::<u32>(16).unwrap();
        sums::launch(&device, 16, &device.upload(&x).unwrap(), &mut o).unwrap();
        assert_eq!(o.read().unwrap(), expected, "on {}", device.name());
    }
}

#[test]
fn structs_of_other_crates_are_parts_of_structs() {
    let point = |x, y| Point { x, y };
    let pair = |n, x| Pair { counter: Counter::at(n), at: point(x, 1.0) };
    let way = |x, y| Way { ends: [point(x, y), point(x + 1.0, y)], weight: 2 };
    let scene = |n| Scene { pairs: [pair(n, 0.5), pair(n + 1, 2.0)], way: way(9.0, 9.0) };
    let advanced = |n: u32| scaled_by_a(n + 3) + scaled_by_b(1);
    let both = |a, b| advanced(a) * 10_000 + advanced(b);
    for device in devices() {
        let mut all = device.upload(&[scene(10), scene(20)]).unwrap();
        let mut o = device.zeros::<u32>(4).unwrap();
        scenes::launch(&device, 2, scene(5), &mut all, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), [both(10, 11), both(0, 6), both(20, 21), both(5, 1)], "on {}", device.name());
        let after = |n: u32, x, i| {
            let far = Pair { counter: Counter::at(n + 4), at: point(6.0, 3.0) };
            Scene { pairs: [Pair { counter: Counter::at(n + 3), at: point(1.0, 2.0) }, far], way: way(x, i) }
        };
        // The first pair of the second's own is twice 0.5 to the right.
        assert_eq!(all.read().unwrap(), [after(10, 2.0, 0.0), after(20, 1.0, 1.0)], "on {}", device.name());
    }
}

#[test]
fn kernels_of_other_crates_are_launched() {
    for device in devices() {
        let x = device.upload(&[1.5f32, 2.0]).unwrap();
        let mut y = device.zeros::<f32>(2).unwrap();
        b::multiplied::launch::<_, 3>(&device, 2, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [4.5, 6.0], "on {}", device.name());
        let x = device.upload(&[7u32]).unwrap();
        let mut y = device.zeros::<u32>(1).unwrap();
        b::all::multiplied::launch::<u32, 2>(&device, 1, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [14], "on {}", device.name());
        let pair = Pair { counter: Counter::at(1), at: Point { x: 1.0, y: -2.0 } };
        let mut pairs = device.upload(&[pair]).unwrap();
        let mut o = device.zeros::<u32>(1).unwrap();
        b::advance_all::launch(&device, 1, 0.5, &mut pairs, &mut o).unwrap();
        let moved = Pair { counter: Counter::at(4), at: Point { x: 0.5, y: -1.0 } };
        assert_eq!(pairs.read().unwrap(), [moved], "on {}", device.name());
        assert_eq!(o.read().unwrap(), [scaled_by_a(4) + scaled_by_b(1)], "on {}", device.name());
        let mut o = device.zeros::<u32>(2).unwrap();
        let bare = b::bare::Bare { n: 3, list: [Point::ORIGIN; 2] };
        b::bare::store::launch(&device, 1, bare, &mut o).unwrap();
        let more = |n| scaled_by_a(n) * 2 + scaled_by_b(n) + 2;
        assert_eq!(o.read().unwrap(), [more(3), more(1)], "on {}", device.name());
    }
}

#[test]
fn constants_of_structs_are_the_hosts_too() {
    assert_eq!((Point::ORIGIN, b::bare::Bare::TWO), (Point { x: 0.0, y: 0.0 }, 2));
}

#[test]
fn attributes_visibilities_and_conditions_are_kept() {
    use samebits_tests_c::attributes::{Params, go};
    for device in devices() {
        let p = device.upload(&[Params { a: 1.5 }, Params { a: -1.0 }]).unwrap();
        let mut o = device.zeros::<f32>(2).unwrap();
        go(&device, &p, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), [2.5, 0.0], "on {}", device.name());
    }
}
