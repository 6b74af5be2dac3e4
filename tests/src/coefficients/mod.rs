//! The constants of mathematical functions, computed. The files in the folders `constants` beside the functions of
//! `ir/src/math` are what this program writes, and nothing in them comes from elsewhere.
//!
//! ```text
//! BLESS=1 cargo test -p samebits-tests --features mpfr --test mpfr constants && cargo fmt
//! ```
//!
//! writes them anew; without `BLESS` the test compares. `fit` has the method for polynomials; each of the other modules
//! has that of its own functions.

mod circular;
mod circular_double;
mod exponential;
mod exponential_double;
mod fit;
mod gamma;
mod hard;
mod logarithm;
/// The functions whose constants are searched for with them.
#[expect(dead_code, reason = "only some are")]
#[path = "../../../ir/src/math/single/logarithm.rs"]
mod logarithm_functions;
mod numbers;
mod pair;

/// The constants that those functions have now.
#[allow(
    dead_code,
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "only some are searched with; as computed"
)]
#[path = "../../../ir/src/math/single/constants/logarithm.rs"]
mod logarithm_constants;

/// The name by which those functions know them.
mod constants {
    pub(super) use super::logarithm_constants as logarithm;
}

pub use logarithm::hard_arguments;
use std::path::PathBuf;

/// A file of constants.
pub struct File {
    /// Where it is, in `ir/src/math`.
    pub path: &'static str,
    /// The functions that it is for.
    about: &'static str,
    /// The module here that computes it.
    module: &'static str,
    compute: fn() -> String,
}

/// Every file of constants.
pub const FILES: &[File] = &[
    File {
        path: "single/constants/exponential.rs",
        about: "exponentials, hyperbolic functions and roots of `f32`",
        module: "exponential",
        compute: exponential::constants,
    },
    File {
        path: "single/constants/logarithm.rs",
        about: "logarithms, their kin and powers of `f32`",
        module: "logarithm",
        compute: logarithm::constants,
    },
    File {
        path: "single/constants/circular.rs",
        about: "trigonometric functions of `f32`",
        module: "circular",
        compute: circular::constants,
    },
    File {
        path: "single/constants/gamma.rs",
        about: "the error functions and the gamma functions",
        module: "gamma",
        compute: gamma::constants,
    },
    File {
        path: "pair/constants/exponential.rs",
        about: "exponentials, the hyperbolic tangent and the reciprocal root in pairs of `f32`",
        module: "pair",
        compute: pair::exponential,
    },
    File {
        path: "pair/constants/logarithm.rs",
        about: "logarithms in pairs of `f32`",
        module: "pair",
        compute: pair::logarithm,
    },
    File {
        path: "pair/constants/circular.rs",
        about: "sine and cosine in pairs of `f32`",
        module: "pair",
        compute: pair::circular,
    },
    File {
        path: "quick/constants/logarithm.rs",
        about: "the quick logarithms of `f32`",
        module: "logarithm",
        compute: logarithm::quick,
    },
    File {
        path: "double/constants/exponential.rs",
        about: "exponentials, logarithms, powers, hyperbolic functions and roots of `f64`",
        module: "exponential_double",
        compute: exponential_double::constants,
    },
    File {
        path: "double/constants/circular.rs",
        about: "trigonometric functions of `f64`",
        module: "circular_double",
        compute: circular_double::constants,
    },
];

impl File {
    /// Where the file is.
    pub fn place(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../ir/src/math").join(self.path)
    }

    /// What it is to hold, before it is formatted.
    pub fn text(&self) -> String {
        let Self { about, module, .. } = self;
        let text = (self.compute)();
        // Its own first lines say the same in other words.
        let constants = text.find("///").map_or("", |at| &text[at..]);
        format!("//! Constants of {about}, written by `tests/src/coefficients/{module}.rs`.\n\n{constants}")
    }

    /// Whether a text holds the same, however it is formatted.
    pub fn is(&self, found: &str) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<String>().replace(",]", "]").replace("///", "");
        plain(&self.text()) == plain(found)
    }
}
