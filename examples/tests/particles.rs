//! What a render pass draws of particles is what plain Rust expects, pixel by pixel, on each device that wgpu finds.

use samebits_examples::cli::Size;
use samebits_examples::particles::stage::Stage;
use samebits_examples::particles::{Swarm, plain};
use samebits_examples::picture::Picture;
use std::path::Path;

fn stages() -> Vec<Stage> {
    let stages = Stage::all();
    if stages.is_empty() {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "a GPU device is required");
        eprintln!("SKIPPED on GPU devices: there is none");
    }
    stages
}

#[test]
fn the_picture_is_drawn_like_this() {
    let picture =
        Picture::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/pictures/particles.png")).unwrap();
    let swarm = Swarm::new(picture.size, 3000, 1);
    assert!(plain(&swarm, 160, 0.15) == picture, "plain Rust");
    for stage in stages() {
        assert!(stage.draw(&swarm, 160, 0.15).unwrap() == picture, "{:?}", stage.device());
    }
}

#[test]
fn particles_that_leave_the_picture_are_not_drawn() {
    let swarm = Swarm::new(Size { width: 30, height: 50 }, 33, 7);
    for steps in [1, 200] {
        let expected = plain(&swarm, steps, 0.3);
        for stage in stages() {
            assert!(stage.draw(&swarm, steps, 0.3).unwrap() == expected, "{steps} steps on {:?}", stage.device());
        }
    }
}
