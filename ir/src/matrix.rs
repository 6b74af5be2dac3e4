//! What matrices compute, step by step, for whatever a number is.
//!
//! A matrix of `n` columns is its numbers, column after column. A front end records the steps as ops of a kernel,
//! and the host takes them with its own numbers; so both round alike.

/// What the steps are taken with.
pub trait Steps {
    /// A number.
    type Number: Copy;
    /// The sum.
    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The difference.
    fn sub(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The product.
    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The negation.
    fn neg(&mut self, a: Self::Number) -> Self::Number;
    /// 1 over the number.
    fn recip(&mut self, a: Self::Number) -> Self::Number;
}

/// The product of a matrix and the columns of another one, of which a vector has one: the columns of the first,
/// each times a number, added from the first to the last.
///
/// ```
/// # use samebits_ir::matrix::{Steps, product};
/// # struct Whole;
/// # impl Steps for Whole {
/// #     type Number = i32;
/// #     fn add(&mut self, a: i32, b: i32) -> i32 { a + b }
/// #     fn sub(&mut self, a: i32, b: i32) -> i32 { a - b }
/// #     fn mul(&mut self, a: i32, b: i32) -> i32 { a * b }
/// #     fn neg(&mut self, a: i32) -> i32 { -a }
/// #     fn recip(&mut self, a: i32) -> i32 { 1 / a }
/// # }
/// // `Whole` takes the steps with `i32`.
/// assert_eq!(product(&mut Whole, 2, &[1, 2, 3, 4], &[10, 100]), [310, 420]);
/// ```
pub fn product<S: Steps>(steps: &mut S, n: usize, matrix: &[S::Number], columns: &[S::Number]) -> Vec<S::Number> {
    let mut all = Vec::with_capacity(columns.len());
    for column in columns.chunks(n) {
        for lane in 0..n {
            let mut sum = None;
            for (&by, of) in column.iter().zip(matrix.chunks(n)) {
                let part = steps.mul(of[lane], by);
                sum = Some(sum.map_or(part, |sum| steps.add(sum, part)));
            }
            all.extend(sum);
        }
    }
    all
}

/// The matrix whose columns are the rows.
pub fn transposed<T: Copy>(n: usize, matrix: &[T]) -> Vec<T> {
    (0..n).flat_map(|row| (0..n).map(move |column| matrix[column * n + row])).collect()
}

/// `a * d - b * c`
fn minor<S: Steps>(steps: &mut S, [a, b, c, d]: [S::Number; 4]) -> S::Number {
    let (left, right) = (steps.mul(a, d), steps.mul(b, c));
    steps.sub(left, right)
}

/// The cross product of two columns of three.
fn cross<S: Steps>(steps: &mut S, a: &[S::Number], b: &[S::Number]) -> Vec<S::Number> {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| minor(steps, [a[i], b[i], a[j], b[j]])).to_vec()
}

fn dot<S: Steps>(steps: &mut S, a: &[S::Number], b: &[S::Number]) -> S::Number {
    let mut sum = steps.mul(a[0], b[0]);
    for (&a, &b) in a.iter().zip(b).skip(1) {
        let part = steps.mul(a, b);
        sum = steps.add(sum, part);
    }
    sum
}

/// The determinants of the pairs of lanes of two columns of four: of 0 and 1, 0 and 2, 0 and 3, 1 and 2, 1 and 3, 2 and 3.
fn minors<S: Steps>(steps: &mut S, a: &[S::Number], b: &[S::Number]) -> [S::Number; 6] {
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| minor(steps, [a[i], b[i], a[j], b[j]]))
}

/// `s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0`
fn by_minors<S: Steps>(steps: &mut S, s: [S::Number; 6], c: [S::Number; 6]) -> S::Number {
    let mut sum = steps.mul(s[0], c[5]);
    for (i, minus) in [(1, true), (2, false), (3, false), (4, true), (5, false)] {
        let part = steps.mul(s[i], c[5 - i]);
        sum = if minus { steps.sub(sum, part) } else { steps.add(sum, part) };
    }
    sum
}

/// The determinant. Of two columns `x.x * y.y - y.x * x.y`, of three `z.dot(x.cross(y))`, of four the sum of the products
/// of the minors of the first two columns with those of the last two.
pub fn determinant<S: Steps>(steps: &mut S, n: usize, matrix: &[S::Number]) -> S::Number {
    let columns: Vec<&[S::Number]> = matrix.chunks(n).collect();
    match columns.as_slice() {
        [x, y] => minor(steps, [x[0], y[0], x[1], y[1]]),
        [x, y, z] => {
            let normal = cross(steps, x, y);
            dot(steps, z, &normal)
        }
        _ => {
            let (s, c) = (minors(steps, columns[0], columns[1]), minors(steps, columns[2], columns[3]));
            by_minors(steps, s, c)
        }
    }
}

/// The inverse: the adjugate, each number times 1 over the determinant.
pub fn inverse<S: Steps>(steps: &mut S, n: usize, matrix: &[S::Number]) -> Vec<S::Number> {
    let columns: Vec<&[S::Number]> = matrix.chunks(n).collect();
    let (adjugate, determinant) = match columns.as_slice() {
        [x, y] => {
            let (down, right) = (steps.neg(x[1]), steps.neg(y[0]));
            (vec![y[1], down, right, x[0]], minor(steps, [x[0], y[0], x[1], y[1]]))
        }
        [x, y, z] => {
            let rows = [cross(steps, y, z), cross(steps, z, x), cross(steps, x, y)];
            let determinant = dot(steps, z, &rows[2]);
            (transposed(3, &rows.concat()), determinant)
        }
        _ => {
            let (s, c) = (minors(steps, columns[0], columns[1]), minors(steps, columns[2], columns[3]));
            (adjugate_of_four(steps, &columns, s, c), by_minors(steps, s, c))
        }
    };
    let scale = steps.recip(determinant);
    adjugate.into_iter().map(|number| steps.mul(number, scale)).collect()
}

/// Each number is `±(p * m - q * k + r * l)`, of three lanes of a column and three minors of the two columns across.
fn adjugate_of_four<S: Steps>(
    steps: &mut S,
    columns: &[&[S::Number]],
    s: [S::Number; 6],
    c: [S::Number; 6],
) -> Vec<S::Number> {
    // By lane: which others there are, and the minors that belong to them.
    const OTHERS: [([usize; 3], [usize; 3]); 4] =
        [([1, 2, 3], [5, 4, 3]), ([0, 2, 3], [5, 2, 1]), ([0, 1, 3], [4, 2, 0]), ([0, 1, 2], [3, 1, 0])];
    let mut all = Vec::with_capacity(16);
    for (lane, (lanes, places)) in OTHERS.into_iter().enumerate() {
        for (column, (of, minors)) in [(1, c), (0, c), (3, s), (2, s)].into_iter().enumerate() {
            let [p, q, r] = [0, 1, 2].map(|i| steps.mul(columns[of][lanes[i]], minors[places[i]]));
            let difference = steps.sub(p, q);
            let sum = steps.add(difference, r);
            all.push(if (lane + column) % 2 == 1 { steps.neg(sum) } else { sum });
        }
    }
    // That is row after row of the inverse of the transposed matrix, so column after column of the inverse.
    all
}
