//! An async kernel that returns something: two mistakes, two errors.
mod kernels {
    use samebits::prelude::*;

    #[kernel]
    async fn k(y: &mut [u32]) -> u32 {
//~ ^ V102
//~                           ^ V102
        y[global_id().x] = 1;
    }
}

fn main() {}
