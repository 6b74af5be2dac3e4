//! What a shadow keeps of the user's tokens, and what it makes of those that Rust writes differently.

use super::*;
