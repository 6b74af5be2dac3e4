//! Signatures that a test cannot have.
mod tests {
    use samebits::prelude::*;

    #[kernel]
    fn halve(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        if i < x.len() && i < y.len() {
            y[i] = x[i] / 2;
        }
    }

    #[samebits::test(kernel = halve)]
    fn a_kernel_has_no_result(x: &[u32], y: &mut [u32]) -> u32 {
//~                                                     ^ V102
        y[0] = x[0];
        y[0]
    }

    #[samebits::test(run = |_, x| Ok(()))]
    fn nothing_to_compare(x: &[u32]) {
//~ ^ V102
        let _ = x;
    }

    #[samebits::test(kernel = halve)]
    fn a_list_that_is_no_slice(x: &Vec<u32>, y: &mut [u32]) {
//~                               ^ V102
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve)]
    fn generic<T>(x: &[T], y: &mut [T]) {
//~           ^ V102
        let _ = (x, y);
    }

    #[samebits::test(kernel = halve)]
    async fn asynchronous(x: &[u32], y: &mut [u32]) {
//~ ^ V102
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve)]
    #[test]
//~ ^ V102
    fn a_test_already(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(run = |_, _| Ok(1))]
    fn a_pattern((x, y): (u32, u32)) -> u32 {
//~              ^ V102
        x + y
    }

    #[samebits::test(kernel = halve)]
    struct NoFunction;
//~ ^ V102
}

fn main() {}
