//! Each example's answer on every device of this machine against plain Rust.

use samebits::prelude::*;
use samebits_examples::black_scholes::Options;
use samebits_examples::cli::Size;
use samebits_examples::game_of_life::World;
use samebits_examples::matmul::Matrix;
use samebits_examples::picture::{Picture, checksum, opaque};
use samebits_examples::water::Water;
use samebits_examples::{
    blur, fft, game_of_life, heat, histogram, mandelbrot, marble, matmul, raytrace, reduce, saxpy, sgemm, softmax,
};

/// Every device; without wgpu's a line says so, or, with `SAMEBITS_REQUIRE_GPU=1`, the test fails.
fn devices() -> Vec<Device> {
    let devices = Device::all();
    if devices.len() < 3 {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "a GPU device is required");
        eprintln!("SKIPPED on GPU devices: there is none");
    }
    devices
}

#[test]
fn saxpy_gives_the_bits_of_plain_rust() {
    let (x, y) = (saxpy::numbers(3, 10_001), saxpy::numbers(4, 10_001));
    let expected: Vec<_> = saxpy::plain(-0.7, &x, &y).into_iter().map(f32::to_bits).collect();
    for device in devices() {
        let answer = saxpy::on(&device, -0.7, &x, &y).unwrap();
        assert_eq!(answer.into_iter().map(f32::to_bits).collect::<Vec<_>>(), expected, "{device:?}");
    }
}

#[test]
fn heat_spreads_over_all_devices_as_on_one() {
    let bits = |heat: Vec<f32>| heat.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
    for (width, height) in [(41, 33), (1, 2), (5, 1)] {
        let size = Size { width, height };
        let plate = heat::plate(size);
        let expected = bits(heat::plain(size, 25, &plate));
        for device in devices() {
            let one = heat::on(std::slice::from_ref(&device), size, 25, &plate).unwrap();
            assert_eq!(bits(one), expected, "{device:?}");
        }
        assert_eq!(bits(heat::on(&devices(), size, 25, &plate).unwrap()), expected);
    }
}

#[test]
fn histogram_counts_every_byte_once() {
    let bytes: Vec<u8> = (0..100_003u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8 ^ i as u8).collect();
    for device in devices() {
        for len in [0, 1, 3, 4, 16_383, 16_385, bytes.len()] {
            let bytes = &bytes[..len];
            assert_eq!(histogram::on(&device, bytes).unwrap(), histogram::plain(bytes), "{device:?}, {len}");
        }
    }
}

#[test]
fn the_table_shows_a_byte_in_its_row_and_column() {
    let mut counts = [0; 256];
    counts[0xa3] = 12_345;
    let table = histogram::table(&counts);
    let row: Vec<_> = table.lines().nth(11).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[4]), ("a_", "12345"));
    assert_eq!(table.lines().count(), 17);
}

/// A view of the default place in few pixels.
fn small_view(width: usize, height: usize) -> mandelbrot::View {
    mandelbrot::View { size: Size { width, height }, ..mandelbrot::View::DEFAULT }
}

#[test]
fn mandelbrot_has_the_same_pixels_everywhere() {
    let view = small_view(40, 25);
    let expected = mandelbrot::plain(&view);
    assert_eq!(expected.checksum(), 0x1c38_af4c, "the colours or the place changed");
    for device in devices() {
        assert!(mandelbrot::on(&device, &view).unwrap() == expected, "{device:?}");
    }
}

#[test]
fn mandelbrot_is_black_inside_and_bright_outside() {
    let view = mandelbrot::View { middle: [0.0, 0.0], width: 4.0, ..small_view(9, 9) };
    let picture = mandelbrot::plain(&view);
    assert_eq!(picture.pixels[4 * 9 + 4], opaque(0, 0, 0));
    assert_ne!(picture.pixels[0], opaque(0, 0, 0));
}

#[test]
fn raytrace_has_the_same_pixels_everywhere() {
    let view = raytrace::View { size: Size { width: 30, height: 20 }, side: 2 };
    let expected = raytrace::plain(&view);
    assert_eq!(expected.checksum(), 0xf391_135c, "the balls or the light changed");
    for device in devices() {
        assert!(raytrace::on(&device, &view).unwrap() == expected, "{device:?}");
    }
}

#[test]
fn raytrace_shows_sky_above_and_the_floor_in_two_shades_below() {
    let view = raytrace::View { size: Size { width: 40, height: 25 }, side: 3 };
    let channels = |x, y| raytrace::plain_pixel(&view, x, y).to_le_bytes();
    let [red, _, blue, alpha] = channels(20, 0);
    assert!(red > 150 && blue > 150 && alpha == 255, "the sky");
    let row: Vec<u8> = (0..40).map(|x| channels(x, 24)[1]).collect();
    assert!(row.iter().any(|green| *green > 150) && row.iter().any(|green| *green < 120), "{row:?}");
}

#[test]
fn reduce_adds_every_number_once() {
    for len in [0, 1, 2, 255, 256, 257, 65_536, 65_537, 100_003] {
        let floats = saxpy::numbers(9, len);
        let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
        for device in devices() {
            assert_eq!(reduce::words_on(&device, &words).unwrap(), reduce::words_plain(&words), "{device:?}, {len}");
            let (sum, expected) = (reduce::floats_on(&device, &floats).unwrap(), reduce::floats_plain(&floats));
            assert_eq!(sum.to_bits(), expected.to_bits(), "{device:?}, {len}");
        }
    }
}

#[test]
fn the_tree_of_floats_adds_every_number() {
    // All sums of these are exact, so any order gives the same.
    let floats: Vec<f32> = (0..5000).map(|i| i as f32).collect();
    assert_eq!(reduce::floats_plain(&floats), 12_497_500.0);
}

#[test]
fn matmul_has_the_bits_of_plain_rust_for_any_shape() {
    for [rows, inner, columns] in [[16, 16, 16], [1, 1, 1], [33, 17, 5], [3, 40, 49], [4, 0, 4], [0, 3, 3]] {
        let (a, b) = (Matrix::of_numbers(1, rows, inner), Matrix::of_numbers(2, inner, columns));
        let expected = matmul::plain(&a, &b);
        for device in devices() {
            let product = matmul::on(&device, &a, &b).unwrap();
            assert_eq!(product.bits(), expected.bits(), "{device:?}, {rows}x{inner}x{columns}");
        }
    }
}

#[test]
fn a_product_is_rows_times_columns() {
    let matrix = |rows, columns, elements: &[f32]| Matrix { rows, columns, elements: elements.to_vec() };
    let (a, b) = (matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), matrix(3, 1, &[1.0, 10.0, 100.0]));
    assert_eq!(matmul::plain(&a, &b), matrix(2, 1, &[321.0, 654.0]));
}

#[test]
fn life_is_the_same_everywhere_and_leaves_the_same_trails() {
    let world = World::symmetric(Size { width: 32, height: 20 }, 5);
    let expected = game_of_life::plain(&world, 5, 3);
    assert_eq!(checksum(&expected[4].cells), 0xdbcb_a185);
    for device in devices() {
        let mut steps = Vec::new();
        let worlds = game_of_life::on(&device, &world, 5, 3, |done| steps.push(done)).unwrap();
        assert!(worlds == expected, "{device:?}");
        assert_eq!(steps, [1, 2, 3, 4, 5]);
    }
}

#[test]
fn life_on_the_smallest_torus_counts_a_neighbour_from_both_sides() {
    for (width, height) in [(1, 1), (2, 1), (1, 3), (3, 2)] {
        let size = Size { width, height };
        let world = World { size, cells: vec![game_of_life::ALIVE; width * height] };
        for device in devices() {
            let worlds = game_of_life::on(&device, &world, 3, 1, |_| {}).unwrap();
            assert_eq!(worlds, game_of_life::plain(&world, 3, 1), "{device:?}, {size}");
        }
    }
}

#[test]
fn a_glider_moves_one_cell_in_four_generations() {
    let size = Size { width: 8, height: 8 };
    let glider = |at: usize| {
        let cells = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)].map(|(x, y)| (y + at) % 8 * 8 + (x + at) % 8);
        (0..64).map(|i| cells.contains(&i)).collect::<Vec<_>>()
    };
    let cells = glider(6).into_iter().map(|alive| if alive { game_of_life::ALIVE } else { 0 }).collect();
    let worlds = game_of_life::plain(&World { size, cells }, 2, 4);
    assert_eq!(worlds[1].cells.iter().map(|cell| *cell == game_of_life::ALIVE).collect::<Vec<_>>(), glider(7));
}

#[test]
fn blur_is_the_same_everywhere_for_any_size_and_transparency() {
    assert_eq!(blur::plain(&blur::built_in(Size { width: 61, height: 40 }), 3).checksum(), 0x9b47_427c);
    for (width, height, radius) in [(61, 40, 3), (1, 1, 4), (7, 1, 2), (1, 9, 0), (5, 6, 100)] {
        let mut picture = blur::built_in(Size { width, height });
        for (i, pixel) in picture.pixels.iter_mut().enumerate() {
            *pixel = *pixel & 0xff_ffff | (i as u32).wrapping_mul(0x2545_f491) & 0xff00_0000;
        }
        let expected = blur::plain(&picture, radius);
        for device in devices() {
            let blurred = blur::on(&device, &picture, radius).unwrap();
            assert!(blurred == expected, "{device:?}, {width}x{height}, {radius}");
        }
    }
}

#[test]
fn blur_leaves_one_colour_as_it_is() {
    let size = Size { width: 9, height: 5 };
    let clear = Picture { size, pixels: vec![0; 45] };
    let plain = Picture { size, pixels: vec![opaque(1, 128, 255); 45] };
    for device in devices() {
        assert_eq!(blur::on(&device, &plain, 3).unwrap(), plain);
        assert_eq!(blur::on(&device, &clear, 3).unwrap(), clear);
    }
}

#[test]
fn a_clear_pixel_lends_its_neighbours_no_colour() {
    let red = opaque(200, 0, 0);
    let picture = Picture { size: Size { width: 3, height: 1 }, pixels: vec![red, 0x00ff_ffff, red] };
    assert!(blur::plain(&picture, 1).pixels.iter().all(|pixel| pixel & 0xff_ffff == red & 0xff_ffff));
}

#[test]
fn sgemm_gives_the_bits_of_plain_rust() {
    let n = sgemm::SIZE;
    let (a, b) = (Matrix::of_numbers(5, n, n), Matrix::of_numbers(6, n, n));
    let expected: Vec<_> = sgemm::plain(&a.elements, &b.elements).into_iter().map(f32::to_bits).collect();
    for device in devices() {
        let answer = sgemm::on(&device, &a.elements, &b.elements).unwrap();
        assert!(answer.into_iter().map(f32::to_bits).eq(expected.iter().copied()), "{device:?}");
    }
}

/// What makes it fast, seen in the form that devices get.
#[test]
fn sgemm_has_no_loop_in_a_tile_no_private_memory_and_no_bounds_check() {
    use samebits::__private::ir::{ir::InstKind, types::Type, wire};
    let module = wire::decode(sgemm::sgemm::KERNEL.image()).unwrap();
    let function = &module.functions[0];
    assert!(function.private.is_empty(), "{:?}", function.private);
    let loops = function.insts.iter().filter(|(_, inst)| matches!(inst.kind, InstKind::Loop { .. }));
    assert_eq!(loops.count(), 1, "only the one over tiles is left");
    let tiles = function.insts.iter().filter_map(|(_, inst)| match &inst.kind {
        InstKind::Load(place) => Some((function.root_name(place.root), function.ty(inst.results[0]))),
        _ => None,
    });
    let tiles: Vec<_> = tiles.filter(|(name, _)| ["a", "b"].contains(name)).collect();
    let block = Type::Vector(samebits::__private::ir::types::Scalar::F32, 4);
    assert_eq!(tiles, [("a", block), ("b", block)]);
    let report = sgemm::sgemm::KERNEL.report().unwrap();
    assert_eq!((report.guarded.len(), report.bounded_loops, report.unbounded_loops.len()), (0, 1, 0), "{report}");
    assert!(report.conditions.contains(&"a.len() >= 4096 * groups.y".to_owned()), "{report}");
}

/// The bits of numbers.
fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn options_have_the_values_of_plain_rust() {
    let options = Options::many(3001);
    let expected = options.plain().map(|values| bits(&values));
    // A textbook's values of an option at the money, of a year, at 5 % and 20 %.
    let known = Options { price: 100.0, rate: 0.05, volatility: 0.2, strikes: vec![100.0], years: vec![1.0] };
    let [call, put] = known.plain();
    assert!((call[0] - 10.4506).abs() < 1e-3 && (put[0] - 5.5735).abs() < 1e-3, "{call:?} {put:?}");
    for device in devices() {
        assert_eq!(options.on(&device).unwrap().map(|values| bits(&values)), expected, "{device:?}");
    }
}

#[test]
fn softmax_gives_the_bits_of_plain_rust_and_adds_up_to_one() {
    let x: Vec<f32> = saxpy::numbers(5, 3 * 700).into_iter().map(|x| x * 20.0).collect();
    let expected = softmax::plain(700, &x);
    for row in expected.chunks(700) {
        assert!((row.iter().map(|&x| f64::from(x)).sum::<f64>() - 1.0).abs() < 1e-6);
    }
    for device in devices() {
        assert_eq!(bits(&softmax::on(&device, 700, &x).unwrap()), bits(&expected), "{device:?}");
    }
}

#[test]
fn a_transform_is_that_of_the_definition_and_has_the_bits_of_plain_rust() {
    let x: Vec<[f32; 2]> = saxpy::numbers(6, 128).chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    let expected = fft::plain(&x);
    let size: f64 = x.iter().flatten().map(|x| f64::from(x.abs())).sum();
    for (k, found) in expected.iter().enumerate() {
        let term = |(j, x): (usize, &[f32; 2])| {
            let (s, c) = (-2.0 * std::f64::consts::PI * (j * k) as f64 / 64.0).sin_cos();
            [f64::from(x[0]) * c - f64::from(x[1]) * s, f64::from(x[0]) * s + f64::from(x[1]) * c]
        };
        let sum = x.iter().enumerate().map(term).fold([0.0; 2], |sum, x| [sum[0] + x[0], sum[1] + x[1]]);
        let off = (sum[0] - f64::from(found[0])).hypot(sum[1] - f64::from(found[1]));
        assert!(off < 1e-6 * size, "{k}: {found:?}, not {sum:?}");
    }
    for device in devices() {
        assert_eq!(fft::on(&device, &x).unwrap(), expected, "{device:?}");
    }
}

#[test]
fn marble_has_the_same_pixels_everywhere() {
    let size = Size { width: 24, height: 10 };
    let expected: Vec<u32> = (0..240).map(|i| marble::plain_pixel(i % 24, i / 24, 1)).collect();
    for device in devices() {
        assert_eq!(marble::on(&device, size, 1).unwrap().pixels, expected, "{device:?}");
    }
}

#[test]
fn water_falls_alike_everywhere() {
    let water = Water::column(6, 8);
    let expected = water.plain(3);
    assert!(expected.places.iter().zip(&water.places).any(|(after, before)| after != before));
    for device in devices() {
        assert_eq!(water.on(&device, 3).unwrap(), expected, "{device:?}");
    }
}
