//! Helpers that call helpers, until the kernel is too long.
mod kernels {
    use samebits::prelude::*;

    #[device]
    fn few(x: u32) -> u32 {
        let a = (x ^ x << 13).rotate_left(7) * 5;
        let b = (a ^ a >> 17).rotate_left(9) * 3;
        (b ^ b << 5).rotate_left(11) * 7
    }

    #[device]
    fn many(x: u32) -> u32 {
        let a = few(few(few(few(few(few(few(few(few(few(x))))))))));
        few(few(few(few(few(few(few(few(few(few(a))))))))))
    }

    #[device]
    fn more(x: u32) -> u32 {
        let a = many(many(many(many(many(many(many(many(many(many(x))))))))));
        many(many(many(many(many(many(many(many(many(many(a))))))))))
    }

    #[kernel]
    fn k(y: &mut [u32]) {
        let i = global_id().x;
        let a = more(more(more(more(more(more(more(more(more(more(y[i]))))))))));
        y[i] = more(more(more(more(more(more(more(more(more(more(a))))))))));
//~                      ^ V019
    }
}

fn main() {}
