//! Comparisons, conditions and choices.

use crate::pass::algebra::rule::{Constants, Rule, rules};
use crate::scalar;

pub(super) const RULES: &[Rule] = rules! {
    ANY {
        Select(true, x, y) => x;
        Select(false, x, y) => y;
        Select(p, x, x) => x;
        Select(Not(p), x, y) => Select(p, y, x);
        Select(p, Select(p, x, y), z) => Select(p, x, z);
        Select(p, x, Select(p, y, z)) => Select(p, x, z);
        Select(p, Select(q, x, y), y) => Select(And(p, q), x, y);
        Select(p, x, Select(q, x, y)) => Select(Or(p, q), x, y);
    }
    BOOL {
        Eq(x, true) => x;
        Eq(x, false) => Not(x);
        Ne(x, false) => x;
        Ne(x, true) => Not(x);
        Eq(x, Not(x)) => false;
        Ne(x, Not(x)) => true;
        Eq(Not(x), Not(y)) => Eq(x, y);
        Ne(Not(x), Not(y)) => Ne(x, y);
        Select(x, true, false) => x;
        Select(x, false, true) => Not(x);
        Select(x, true, y) => Or(x, y);
        Select(x, y, false) => And(x, y);
        Select(x, x, y) => Or(x, y);
        Select(x, y, x) => And(x, y);
        Select(x, Not(y), y) => Xor(x, y);
        Select(x, y, Not(y)) => Eq(x, y);
    }
    BITS {
        // Of a value with itself.
        Eq(x, x) => true;
        Ne(x, x) => false;
        Lt(x, x) => false;
        Le(x, x) => true;
        Gt(x, x) => false;
        Ge(x, x) => true;

        // With the ends of the type.
        Lt(x, least) => false;
        Le(x, most) => true;
        Gt(x, most) => false;
        Ge(x, least) => true;

        // Negated.
        Not(Lt(x, y)) => Ge(x, y);
        Not(Le(x, y)) => Gt(x, y);
        Not(Gt(x, y)) => Le(x, y);
        Not(Ge(x, y)) => Lt(x, y);

        // Of differences in bits.
        Eq(Xor(x, y), 0) => Eq(x, y);
        Ne(Xor(x, y), 0) => Ne(x, y);
        Eq(Xor(x, a), b) => Eq(x, Xor(a, b));
        Ne(Xor(x, a), b) => Ne(x, Xor(a, b));
        Eq(Xor(x, y), Xor(x, z)) => Eq(y, z);
        Ne(Xor(x, y), Xor(x, z)) => Ne(y, z);
        Eq(Xor(x, y), y) => Eq(x, 0);
        Ne(Xor(x, y), y) => Ne(x, 0);
        Eq(Not(x), a) => Eq(x, Not(a));
        Ne(Not(x), a) => Ne(x, Not(a));
        Eq(And(x, a), b) if b_is_beyond => false;
        Ne(And(x, a), b) if b_is_beyond => true;
        Eq(Or(x, a), b) if b_lacks => false;
        Ne(Or(x, a), b) if b_lacks => true;

        // Choices that are the lesser, the greater, or no choice.
        Select(Eq(x, y), x, y) => y;
        Select(Eq(x, y), y, x) => x;
        Select(Ne(x, y), x, y) => x;
        Select(Ne(x, y), y, x) => y;

        // Together.
        And(Lt(x, y), Gt(x, y)) => false;
        And(Le(x, y), Gt(x, y)) => false;
        And(Lt(x, y), Ge(x, y)) => false;
        Or(Le(x, y), Ge(x, y)) => true;
        Or(Le(x, y), Gt(x, y)) => true;
        Or(Lt(x, y), Ge(x, y)) => true;
        Or(Lt(x, y), Gt(x, y)) => Ne(x, y);
        And(Eq(x, a), Eq(x, b)) if are_different => false;
        Or(Ne(x, a), Ne(x, b)) if are_different => true;
        And(Eq(x, a), Ne(x, b)) if are_different => Eq(x, a);
    }
    INT {
        Select(Lt(x, y), x, y) => Min(x, y);
        Select(Le(x, y), x, y) => Min(x, y);
        Select(Gt(x, y), x, y) => Max(x, y);
        Select(Ge(x, y), x, y) => Max(x, y);
        Select(Lt(x, y), y, x) => Max(x, y);
        Select(Le(x, y), y, x) => Max(x, y);
        Select(Gt(x, y), y, x) => Min(x, y);
        Select(Ge(x, y), y, x) => Min(x, y);
        Select(Eq(x, 0), 0, x) => x;

        // Of sums and differences.
        Eq(Sub(x, y), 0) => Eq(x, y);
        Ne(Sub(x, y), 0) => Ne(x, y);
        Eq(Add(x, a), b) => Eq(x, Sub(b, a));
        Ne(Add(x, a), b) => Ne(x, Sub(b, a));
        Eq(Sub(x, a), b) => Eq(x, Add(b, a));
        Ne(Sub(x, a), b) => Ne(x, Add(b, a));
        Eq(Sub(a, x), b) => Eq(x, Sub(a, b));
        Ne(Sub(a, x), b) => Ne(x, Sub(a, b));
        Eq(Neg(x), a) => Eq(x, Neg(a));
        Ne(Neg(x), a) => Ne(x, Neg(a));
        Eq(Neg(x), Neg(y)) => Eq(x, y);
        Ne(Neg(x), Neg(y)) => Ne(x, y);
        Eq(Not(x), Not(y)) => Eq(x, y);
        Ne(Not(x), Not(y)) => Ne(x, y);
        Eq(Add(x, y), Add(x, z)) => Eq(y, z);
        Ne(Add(x, y), Add(x, z)) => Ne(y, z);
        Eq(Add(x, y), y) => Eq(x, 0);
        Ne(Add(x, y), y) => Ne(x, 0);
        Eq(Sub(x, y), x) => Eq(y, 0);
        Ne(Sub(x, y), x) => Ne(y, 0);
        Eq(Sub(x, y), Sub(x, z)) => Eq(y, z);
        Ne(Sub(x, y), Sub(x, z)) => Ne(y, z);
        Eq(Sub(y, x), Sub(z, x)) => Eq(y, z);
        Ne(Sub(y, x), Sub(z, x)) => Ne(y, z);

        // Of products and shifts that lose nothing of what is compared.
        Eq(Mul(x, a), 0) if is_odd => Eq(x, 0);
        Ne(Mul(x, a), 0) if is_odd => Ne(x, 0);
        Lt(Not(x), Not(y)) => Gt(x, y);
        Gt(Not(x), Not(y)) => Lt(x, y);
        Le(Not(x), Not(y)) => Ge(x, y);
        Ge(Not(x), Not(y)) => Le(x, y);
        Lt(Not(x), a) => Gt(x, Not(a));
        Gt(Not(x), a) => Lt(x, Not(a));
        Le(Not(x), a) => Ge(x, Not(a));
        Ge(Not(x), a) => Le(x, Not(a));

        And(Lt(x, a), Lt(x, b)) => Lt(x, Min(a, b));
        And(Ge(x, a), Ge(x, b)) => Ge(x, Max(a, b));
        Or(Lt(x, a), Lt(x, b)) => Lt(x, Max(a, b));
        Or(Ge(x, a), Ge(x, b)) => Ge(x, Min(a, b));

        // Of the lesser and the greater.
        Lt(Min(x, y), x) => Lt(y, x);
        Gt(Max(x, y), x) => Gt(y, x);
        Le(Min(x, y), x) => true;
        Ge(Max(x, y), x) => true;
        Gt(Min(x, y), x) => false;
        Lt(Max(x, y), x) => false;
        Ge(Min(x, y), x) => Ge(y, x);
        Le(Max(x, y), x) => Le(y, x);
        Lt(Min(x, a), b) if a_is_less => true;
        Ge(Min(x, a), b) if a_is_less => false;
        Lt(Min(x, a), b) if not a_is_less => Lt(x, b);
        Ge(Min(x, a), b) if not a_is_less => Ge(x, b);
        Gt(Max(x, a), b) if a_is_greater => true;
        Le(Max(x, a), b) if a_is_greater => false;
        Gt(Max(x, a), b) if not a_is_greater => Gt(x, b);
        Le(Max(x, a), b) if not a_is_greater => Le(x, b);
    }
    UNSIGNED {
        Lt(And(x, a), b) if a_is_less => true;
        Ge(And(x, a), b) if a_is_less => false;
        Gt(And(x, a), b) if not a_is_greater => false;
        Le(And(x, a), b) if not a_is_greater => true;
        Lt(Rem(x, a), b) if rest_is_less => true;
        Ge(Rem(x, a), b) if rest_is_less => false;
        Lt(Shr(x, i), a) if shifted_is_less => true;
        Ge(Shr(x, i), a) if shifted_is_less => false;
    }
    ORDERED {
        // A constant stands last.
        Lt(a, x) => Gt(x, a);
        Le(a, x) => Ge(x, a);
        Gt(a, x) => Lt(x, a);
        Ge(a, x) => Le(x, a);

        Not(Eq(x, y)) => Ne(x, y);
        Not(Ne(x, y)) => Eq(x, y);
        Or(Lt(x, y), Eq(x, y)) => Le(x, y);
        Or(Gt(x, y), Eq(x, y)) => Ge(x, y);
        And(Le(x, y), Ne(x, y)) => Lt(x, y);
        And(Ge(x, y), Ne(x, y)) => Gt(x, y);
        And(Le(x, y), Ge(x, y)) => Eq(x, y);
        And(Eq(x, y), Ne(x, y)) => false;
        Or(Eq(x, y), Ne(x, y)) => true;
        And(Lt(x, y), Le(x, y)) => Lt(x, y);
        And(Gt(x, y), Ge(x, y)) => Gt(x, y);
        Or(Lt(x, y), Le(x, y)) => Le(x, y);
        Or(Gt(x, y), Ge(x, y)) => Ge(x, y);
        And(Lt(x, y), Ne(x, y)) => Lt(x, y);
        And(Gt(x, y), Ne(x, y)) => Gt(x, y);
    }
};

fn are_different(c: Constants) -> bool {
    c.a != c.b
}

fn a_is_less(c: Constants) -> bool {
    scalar::lt(c.ty, [c.a, c.b, 0, 0]) != 0
}

fn a_is_greater(c: Constants) -> bool {
    scalar::gt(c.ty, [c.a, c.b, 0, 0]) != 0
}

/// No value has bits of `b` that the mask `a` clears.
fn b_is_beyond(c: Constants) -> bool {
    c.b & !c.a != 0
}

/// Every value has bits of `a` that `b` lacks.
fn b_lacks(c: Constants) -> bool {
    c.a & !c.b != 0
}

fn is_odd(c: Constants) -> bool {
    c.a & 1 == 1
}

/// A remainder by `a` is below `b`.
fn rest_is_less(c: Constants) -> bool {
    c.a.saturating_sub(1) < c.b
}

fn shifted_is_less(c: Constants) -> bool {
    scalar::shr(c.ty, [c.ty.mask(), c.i, 0, 0]) < c.a
}
