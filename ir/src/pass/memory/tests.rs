//! What becomes of loads and stores.
