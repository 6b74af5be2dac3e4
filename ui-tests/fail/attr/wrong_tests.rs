//! Arguments of a test that say nothing or too much.
mod tests {
    use samebits::prelude::*;

    #[kernel]
    fn halve(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        if i < x.len() && i < y.len() {
            y[i] = x[i] / 2;
        }
    }

    #[samebits::test]
    fn nothing_runs(x: &[u32], y: &mut [u32]) {
//~    ^ V101
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve, size = 4)]
//~                                  ^ V101
    fn an_unknown_argument(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve, seed = 4, seed = 5)]
//~                                            ^ V101
    fn given_twice(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(kernel(halve))]
//~                  ^ V101
    fn a_kernel_in_parentheses(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(kernel = 5)]
//~                           ^ V101
    fn a_kernel_that_is_none(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve, run = |_, _, _| Ok(()))]
//~                                        ^ V101
    fn two_things_run(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(run = |_, _, _| Ok(()), grid = 5)]
//~                                                 ^ V101
    fn a_grid_of_no_kernel(x: &[u32], y: &mut [u32]) {
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve)]
    fn an_unknown_attribute(x: &[u32], #[length(5)] y: &mut [u32]) {
//~                                    ^ V101
        y[0] = x[0];
    }

    #[samebits::test(run = |_, _, _| Ok(()))]
    fn a_length_of_a_number(#[len(5)] n: u32, y: &mut [u32]) {
//~                         ^ V101
        y[0] = n;
    }

    #[samebits::test(kernel = halve)]
    fn two_sources(#[range(0..5)] #[with(Chance::u32)] x: &[u32], y: &mut [u32]) {
//~                               ^ V101
        y[0] = x[0];
    }

    #[samebits::test(kernel = halve)]
    fn a_length_without_a_number(x: &[u32], #[len] y: &mut [u32]) {
//~                                         ^ V101
        y[0] = x[0];
    }
}

fn main() {}
