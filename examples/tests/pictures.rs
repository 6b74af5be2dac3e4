//! The pictures in `docs/src/pictures/` are what the programs draw today, on a GPU device and
//! in plain Rust (the interpreter would take a minute without optimisation; `answers.rs` lets
//! it draw smaller ones); and a PNG that was written can be read.

use samebits::prelude::*;
use samebits_examples::cli::Size;
use samebits_examples::game_of_life::{self, World};
use samebits_examples::picture::{Picture, opaque};
use samebits_examples::{blur, mandelbrot, marble, raytrace};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

fn committed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/pictures").join(name)
}

/// All devices but this CPU and the interpreter, which stand first.
fn fast_devices() -> impl Iterator<Item = Device> {
    Device::all().into_iter().skip(2)
}

/// The pixels of an animation's frames, two in a byte.
fn frames(path: &Path) -> Vec<Vec<u8>> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().unwrap();
    let count = reader.info().animation_control().unwrap().num_frames;
    let bytes = reader.output_buffer_size().unwrap();
    let mut frame = || {
        let mut frame = vec![0; bytes];
        reader.next_frame(&mut frame).unwrap();
        frame
    };
    (0..count).map(|_| frame()).collect()
}

#[test]
fn the_mandelbrot_set_is_drawn_like_this() {
    let picture = Picture::read(&committed("mandelbrot.png")).unwrap();
    let view = mandelbrot::View { size: Size { width: 448, height: 280 }, ..mandelbrot::View::DEFAULT };
    assert!(mandelbrot::plain(&view) == picture);
    for device in fast_devices() {
        assert!(mandelbrot::on(&device, &view).unwrap() == picture, "{device:?}");
    }
}

#[test]
fn the_marble_is_drawn_like_this() {
    let picture = Picture::read(&committed("marble.png")).unwrap();
    for i in (0..picture.pixels.len()).step_by(131) {
        assert_eq!(marble::plain_pixel(i % 480, i / 480, 1), picture.pixels[i], "{i}");
    }
    for device in fast_devices() {
        assert!(marble::on(&device, picture.size, 1).unwrap() == picture, "{device:?}");
    }
}

#[test]
fn the_discs_are_blurred_like_this() {
    let picture = Picture::read(&committed("blur.png")).unwrap();
    let sharp = blur::built_in(Size { width: 480, height: 300 });
    assert!(blur::beside(&sharp, &blur::plain(&sharp, 6)) == picture);
    for device in fast_devices() {
        assert!(blur::beside(&sharp, &blur::on(&device, &sharp, 6).unwrap()) == picture, "{device:?}");
    }
}

/// Plain Rust draws a few of the pixels, since all of them would take it long without optimisation.
#[test]
fn the_balls_are_drawn_like_this() {
    let picture = Picture::read(&committed("raytrace.png")).unwrap();
    let view = raytrace::View { size: Size { width: 400, height: 250 }, side: 5 };
    for y in (3..250).step_by(9) {
        for x in (y % 7..400).step_by(7) {
            assert_eq!(raytrace::plain_pixel(&view, x, y), picture.pixels[y * 400 + x], "{x}, {y}");
        }
    }
    for device in fast_devices() {
        assert!(raytrace::on(&device, &view).unwrap() == picture, "{device:?}");
    }
}

#[test]
fn the_game_of_life_goes_like_this() {
    const SCALE: usize = 3;
    let frames = frames(&committed("game_of_life.png"));
    let world = World::symmetric(Size { width: 96, height: 96 }, 5);
    let pixels = |world: &World| {
        let pixel = |x: usize, y: usize| world.cells[y / SCALE * 96 + x / SCALE] as u8;
        let pair = |i: usize| pixel(i % 144 * 2, i / 144) << 4 | pixel(i % 144 * 2 + 1, i / 144);
        (0..144 * 288).map(pair).collect::<Vec<u8>>()
    };
    let check = |worlds: Vec<World>, who: &str| {
        assert_eq!(frames.len(), worlds.len());
        for (i, (frame, world)) in frames.iter().zip(&worlds).enumerate() {
            assert!(*frame == pixels(world), "frame {i}, {who}");
        }
    };
    check(game_of_life::plain(&world, 90, 1), "plain Rust");
    for device in fast_devices() {
        check(game_of_life::on(&device, &world, 90, 1, |_| {}).unwrap(), device.name());
    }
}

#[test]
fn a_picture_is_read_as_it_was_written() {
    let size = Size { width: 3, height: 2 };
    let solid = Picture { size, pixels: (0..6).map(|i| opaque(i * 40, 7, 255 - i)).collect() };
    let clear = Picture { size, pixels: (0..6).map(|i| i * 0x2a01_0305).collect() };
    for (name, picture) in [("solid.png", solid), ("clear.png", clear)] {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        picture.write(&path).unwrap();
        assert_eq!(Picture::read(&path).unwrap(), picture, "{name}");
    }
}

#[test]
fn a_file_that_is_no_png_is_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let error = Picture::read(&path).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
}

#[test]
fn nothing_cannot_be_animated() {
    assert!(game_of_life::animation(&[], 1).is_err());
    let worlds = [World { size: Size { width: 3, height: 1 }, cells: vec![0, 15, 3] }];
    assert!(game_of_life::animation(&worlds, 0).is_err());
    assert!(game_of_life::animation(&worlds, usize::MAX).is_err());
}
