//! The forms in which a target may compute a group of ops, and those that a target has.
//!
//! Every form gives the same bits, those of the table of ops; which of them a device computes
//! right is found out by trying. A [`Group`] lists its candidates from the quickest on. The last
//! one rests on nothing that devices do differently.

use crate::math::{Method, Step};
use crate::types::Scalar;
use std::fmt;

macro_rules! define_forms {
    ($($name:ident = $text:literal, $doc:literal;)*) => {
        /// How a target computes an op.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Form { $(#[doc = $doc] $name,)* }

        impl Form {
            /// Every form.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in reports and in the text of a [`Native`].
            ///
            /// ```
            /// use samebits_ir::soft::plan::Form;
            /// assert_eq!(Form::Pair.name(), "pair");
            /// ```
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// One sentence that says what the form is.
            ///
            /// ```
            /// use samebits_ir::soft::plan::Form;
            /// assert!(Form::Routine.doc().contains("library"));
            /// ```
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

define_forms! {
    Exact = "exact", "The target's own operation is right as it is.";
    Pair = "pair", "A product and a sum that the target may contract, and does.";
    Function = "function", "The target's own function that rounds a product and a sum once.";
    Checked = "checked", "The target's own result where a test proves it right, else a function of the library.";
    Difference = "difference", "By the target where subnormals do not matter, by the sign of an exact difference where they do.";
    Refined = "refined", "From the target's reciprocal root, by one step that leaves no error.";
    Corrected = "corrected", "The target's own result, moved to its neighbour where exact residuals say so.";
    Scaled = "scaled", "The bits, moved to their places in the wider type, then scaled up, which is exact.";
    Clamped = "clamped", "The target's own operation where its operand is in range; what is out of range is chosen.";
    Halves = "halves", "The two halves of the number, each of which the target converts without rounding, added.";
    Packed = "packed", "The target's own function for two halves in a word.";
    Wider = "wider", "In the next wider float, in a way that rounding once more does no harm.";
    Split = "split", "By products of halves and by sums that leave no error.";
    Routine = "routine", "By integer arithmetic, in a function of the library.";
}

macro_rules! define_groups {
    ($($name:ident = $text:literal, $scalar:ident, [$($form:ident),*], $doc:literal;)*) => {
        /// Ops that a target computes in the same form.
        ///
        /// A form rests only on groups before its own, so that they are tried in this order.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Group { $(#[doc = $doc] $name,)* }

        impl Group {
            /// Every group.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in reports and in the text of a [`Native`].
            ///
            /// ```
            /// use samebits_ir::soft::plan::Group;
            /// assert_eq!(Group::Fused32.name(), "f32.fused");
            /// ```
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What is computed.
            ///
            /// ```
            /// use samebits_ir::soft::plan::Group;
            /// assert_eq!(Group::Fused32.doc(), "`mul_add` of `f32`.");
            /// ```
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }

            /// The forms, quickest first. The last one is right on every target.
            ///
            /// ```
            /// use samebits_ir::soft::plan::{Form, Group};
            /// assert_eq!(Group::Root32.candidates()[0], Form::Exact);
            /// assert!(Group::ALL.iter().all(|group| !group.candidates().is_empty()));
            /// ```
            pub const fn candidates(self) -> &'static [Form] {
                match self { $(Self::$name => &[$(Form::$form),*],)* }
            }

            /// The float without which a target has none but the last form.
            const fn scalar(self) -> Scalar {
                match self { $(Self::$name => Scalar::$scalar,)* }
            }
        }
    };
}

define_groups! {
    Sum64 = "f64.sum", F64, [Exact, Routine], "`+` and `-` of `f64`.";
    Product64 = "f64.product", F64, [Exact, Routine], "`*` of `f64`.";
    Fused64 = "f64.fused", F64, [Pair, Function, Split, Routine], "`mul_add` of `f64`.";
    Quotient64 = "f64.quotient", F64, [Exact, Checked, Routine], "`/` of `f64`.";
    Remainder64 = "f64.remainder", F64, [Exact, Split, Routine], "`%` of `f64`.";
    Root64 = "f64.root", F64, [Exact, Corrected, Routine], "`sqrt` of `f64`.";
    Order64 = "f64.order", F64, [Exact, Difference, Routine], "Comparisons, `min` and `max` of `f64`.";
    Whole64 = "f64.whole", F64, [Exact, Routine], "`floor`, `ceil`, `trunc`, `round_ties_even` and `round` of `f64`.";
    ToInt64 = "f64.to_int", F64, [Exact, Clamped, Routine], "From `f64` to integers of up to 32 bits.";
    ToLong64 = "f64.to_long", F64, [Exact, Clamped, Routine], "From `f64` to integers of 64 bits.";
    FromInt64 = "f64.from_int", F64, [Exact, Routine], "To `f64` from integers of up to 32 bits.";
    FromLong64 = "f64.from_long", F64, [Exact, Routine], "To `f64` from integers of 64 bits.";
    Narrow64 = "f64.to_f32", F64, [Exact, Routine], "From `f64` to `f32`.";
    Half64 = "f64.to_f16", F64, [Exact, Routine], "From `f64` to `f16`.";
    Sum32 = "f32.sum", F32, [Exact, Checked, Routine], "`+` and `-` of `f32`.";
    Product32 = "f32.product", F32, [Exact, Checked, Routine], "`*` of `f32`.";
    Widen32 = "f32.to_f64", F64, [Exact, Scaled, Routine], "From `f32` to `f64`.";
    Fused32 = "f32.fused", F32, [Pair, Function, Checked, Wider, Routine], "`mul_add` of `f32`.";
    Quotient32 = "f32.quotient", F32, [Exact, Wider, Routine], "`/` of `f32`.";
    Remainder32 = "f32.remainder", F32, [Exact, Routine], "`%` of `f32`.";
    Root32 = "f32.root", F32, [Exact, Refined, Corrected, Wider, Routine], "`sqrt` of `f32`.";
    Nan32 = "f32.nan", F32, [Exact, Routine], "Whether an `f32` is NaN.";
    Order32 = "f32.order", F32, [Exact, Difference, Routine], "Comparisons, `min` and `max` of `f32`.";
    Whole32 = "f32.whole", F32, [Exact, Routine], "`floor`, `ceil`, `trunc`, `round_ties_even` and `round` of `f32`.";
    ToInt32 = "f32.to_int", F32, [Exact, Clamped, Routine], "From `f32` to integers of up to 32 bits.";
    ToLong32 = "f32.to_long", F32, [Exact, Clamped, Routine], "From `f32` to integers of 64 bits.";
    FromInt32 = "f32.from_int", F32, [Exact, Halves], "To `f32` from integers of up to 32 bits.";
    FromLong32 = "f32.from_long", F32, [Exact, Routine], "To `f32` from integers of 64 bits.";
    Widen16 = "f16.to_f32", F32, [Exact, Packed, Routine], "From `f16` to `f32`.";
    Narrow16 = "f32.to_f16", F32, [Exact, Packed, Routine], "From `f32` to `f16`.";
    Sum16 = "f16.sum", F16, [Exact, Wider], "`+` and `-` of `f16`.";
    Product16 = "f16.product", F16, [Exact, Wider], "`*` of `f16`.";
    Fused16 = "f16.fused", F32, [Exact, Wider, Routine], "`mul_add` of `f16`.";
    Order16 = "f16.order", F16, [Exact, Wider], "Comparisons, `min` and `max` of `f16`.";
}

/// What a target computes by itself, and how. Integers of up to 32 bits and `bool` are native
/// everywhere.
///
/// ```
/// use samebits_ir::soft::plan::{Form, Group, Native};
/// let device = Native::SOFTWARE.with(Group::Sum32, Form::Exact);
/// assert_eq!(device.form(Group::Sum32), Form::Exact);
/// // Its text holds all of it.
/// assert_eq!(Native::parse(&device.to_string()), Some(device));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Native {
    long: bool,
    double: bool,
    half: bool,
    forms: [Form; Group::ALL.len()],
}

impl Native {
    /// Everything by functions of the library.
    pub const SOFTWARE: Self = {
        let mut forms = [Form::Routine; Group::ALL.len()];
        let mut i = 0;
        while i < forms.len() {
            forms[i] = last(Group::ALL[i]);
            i += 1;
        }
        Self { long: false, double: false, half: false, forms }
    };

    /// A device of which nothing is known: subnormals may be flushed, quotients and roots may be
    /// off by a little, and a product and a sum may be contracted.
    pub const WEBGPU: Self = Self::SOFTWARE.with(Group::Sum32, Form::Checked).with(Group::Product32, Form::Checked);

    /// A device whose `+ - * /`, `sqrt` and `fma` of `f32` are those of IEEE 754: rounded to nearest,
    /// subnormals kept, a product and a sum not contracted.
    pub const EXACT_F32: Self = Self::SOFTWARE
        .with(Group::Sum32, Form::Exact)
        .with(Group::Product32, Form::Exact)
        .with(Group::Fused32, Form::Function)
        .with(Group::Quotient32, Form::Exact)
        .with(Group::Root32, Form::Exact);

    /// CUDA's intrinsics. All of `f32` and `f64` is exact; `f16` is computed in `f32`.
    pub const CUDA: Self = {
        let mut native = Self::SOFTWARE.having(Scalar::I64).having(Scalar::F64);
        let mut i = 0;
        while i < native.forms.len() {
            let group = Group::ALL[i];
            native.forms[i] = match group {
                Group::Fused32 | Group::Fused64 => Form::Function,
                Group::Fused16 => Form::Wider,
                Group::Widen16 | Group::Narrow16 | Group::Half64 => Form::Routine,
                Group::Sum16 | Group::Product16 | Group::Order16 => Form::Wider,
                _ => Form::Exact,
            };
            i += 1;
        }
        native
    };

    /// The same target, which holds and computes scalars of a type: `i64` and `u64`, `f64` or
    /// `f16`. Other types are there anyway.
    ///
    /// ```
    /// use samebits_ir::{soft::plan::Native, types::Scalar};
    /// assert!(Native::SOFTWARE.having(Scalar::F16).has_half());
    /// ```
    #[must_use]
    pub const fn having(mut self, scalar: Scalar) -> Self {
        match scalar {
            Scalar::I64 | Scalar::U64 => self.long = true,
            Scalar::F64 => self.double = true,
            Scalar::F16 => self.half = true,
            _ => {}
        }
        self
    }

    /// Whether the target has integers of 64 bits.
    ///
    /// ```
    /// use samebits_ir::soft::plan::Native;
    /// assert!(Native::CUDA.has_long() && !Native::WEBGPU.has_long());
    /// ```
    pub const fn has_long(self) -> bool {
        self.long
    }

    /// Whether the target has `f64`, whose bits are integers of 64 bits.
    ///
    /// ```
    /// use samebits_ir::soft::plan::Native;
    /// assert!(Native::CUDA.has_double() && !Native::WEBGPU.has_double());
    /// ```
    pub const fn has_double(self) -> bool {
        self.double && self.long
    }

    /// How mathematical functions take their steps: fused where `mul_add` of `f64` is the target's own.
    ///
    /// ```
    /// use samebits_ir::{math::Step, soft::plan::Native};
    /// assert_eq!(Native::CUDA.step(), Step::Fused);
    /// assert_eq!(Native::WEBGPU.step(), Step::Twice);
    /// ```
    pub const fn step(self) -> Step {
        match self.form(Group::Fused64) {
            Form::Pair | Form::Function => Step::Fused,
            _ => Step::Twice,
        }
    }

    /// How mathematical functions of `f32` are computed. Pairs are for targets whose `f64` is computed in integers, if sums and
    /// products of `f32` are exact without tests.
    ///
    /// ```
    /// use samebits_ir::{math::{Method, Step}, soft::plan::{Form, Group, Native}};
    /// assert_eq!(Native::EXACT_F32.method(), Method::Pairs(Step::Fused));
    /// assert_eq!(Native::EXACT_F32.with(Group::Fused32, Form::Routine).method(), Method::Pairs(Step::Twice));
    /// assert_eq!((Native::WEBGPU.method(), Native::CUDA.method()), (Method::Doubles, Method::FewTerms));
    /// ```
    pub fn method(self) -> Method {
        let exact = |group: Group| self.form(group) == Form::Exact;
        let has_doubles = exact(Group::Sum64) && exact(Group::Product64);
        let fuses = matches!(self.form(Group::Fused32), Form::Pair | Form::Function);
        let step = if fuses { Step::Fused } else { Step::Twice };
        if has_doubles {
            Method::FewTerms
        } else if exact(Group::Sum32) && exact(Group::Product32) {
            Method::Pairs(step)
        } else {
            Method::Doubles
        }
    }

    /// Whether the target has `f16`.
    ///
    /// ```
    /// use samebits_ir::soft::plan::Native;
    /// assert!(!Native::CUDA.has_half());
    /// ```
    pub const fn has_half(self) -> bool {
        self.half
    }

    /// The same target with a group in another form.
    ///
    /// ```
    /// use samebits_ir::soft::plan::{Form, Group, Native};
    /// let other = Native::WEBGPU.with(Group::Sum32, Form::Exact);
    /// assert_eq!(other.form(Group::Product32), Form::Checked);
    /// ```
    #[must_use]
    pub const fn with(mut self, group: Group, form: Form) -> Self {
        self.forms[group as usize] = form;
        self
    }

    /// The form of a group: the last one if the target lacks the type.
    ///
    /// ```
    /// use samebits_ir::soft::plan::{Form, Group, Native};
    /// assert_eq!(Native::SOFTWARE.form(Group::Root32), Form::Routine);
    /// assert_eq!(Native::SOFTWARE.with(Group::Sum64, Form::Exact).form(Group::Sum64), Form::Routine);
    /// ```
    pub const fn form(self, group: Group) -> Form {
        let form = self.forms[group as usize];
        if self.may_have(group, form) { form } else { last(group) }
    }

    /// Whether the target has the types that a form of a group needs, unless it is the last one.
    const fn may_have(self, group: Group, form: Form) -> bool {
        let converts_half = matches!(group, Group::Widen16 | Group::Narrow16 | Group::Half64 | Group::Fused16);
        if converts_half && matches!(form, Form::Exact) && !self.half {
            return false;
        }
        let float = match group.scalar() {
            Scalar::F64 => self.has_double(),
            Scalar::F16 => self.half,
            _ => true,
        };
        let long = matches!(group, Group::ToLong32 | Group::ToLong64 | Group::FromLong32 | Group::FromLong64);
        float && (self.long || !long)
    }

    /// Whether what a form of a group rests on is there: the types, and other ops that are exact.
    ///
    /// ```
    /// use samebits_ir::soft::plan::{Form, Group, Native};
    /// assert!(!Native::WEBGPU.allows(Group::Order32, Form::Difference));
    /// let exact = Native::WEBGPU.with(Group::Sum32, Form::Exact);
    /// assert!(exact.allows(Group::Order32, Form::Difference));
    /// ```
    pub fn allows(self, group: Group, form: Form) -> bool {
        let is_last = form == last(group);
        let exact = |group: Group| self.form(group) == Form::Exact;
        let is_fused = |group: Group| matches!(self.form(group), Form::Pair | Form::Function);
        // The target's own quotients are right where they are no subnormal numbers, as all of these are.
        let divides = self.form(Group::Quotient64) != Form::Routine;
        is_last
            || self.may_have(group, form)
                && match (group, form) {
                    (Group::Order32, Form::Difference) | (Group::Whole32, Form::Exact) => exact(Group::Sum32),
                    (Group::Order64, Form::Difference) | (Group::Whole64, Form::Exact) => exact(Group::Sum64),
                    (Group::Root32, Form::Refined | Form::Corrected) => {
                        exact(Group::Product32) && is_fused(Group::Fused32)
                    }
                    (Group::Fused64, Form::Split) => exact(Group::Product64) && exact(Group::Sum64),
                    (Group::Remainder64, Form::Split) => exact(Group::Product64) && exact(Group::Sum64) && divides,
                    (Group::Root64, Form::Corrected) => exact(Group::Product64) && is_fused(Group::Fused64),
                    (Group::Widen32, Form::Scaled) => exact(Group::Product64),
                    (Group::Fused32, Form::Wider) => exact(Group::Product64) && exact(Group::Sum64) && self.converts(),
                    (Group::Quotient32, Form::Wider) => divides && self.converts(),
                    (Group::Root32, Form::Wider) => exact(Group::Root64) && self.converts(),
                    (Group::Fused16, Form::Wider) => exact(Group::Sum32) && exact(Group::Product32),
                    _ => true,
                }
    }
    /// Whether an `f32` becomes an `f64` and again an `f32` without the library.
    fn converts(self) -> bool {
        self.form(Group::Widen32) != Form::Routine && self.form(Group::Narrow64) == Form::Exact
    }

    /// The same target for a back end that has integers of 64 bits, `f64` and `f16` in words only,
    /// and can write some of the forms: other forms become the last of their group.
    ///
    /// ```
    /// use samebits_ir::soft::plan::{Form, Group, Native};
    /// let pair = Native::WEBGPU.with(Group::Fused32, Form::Pair);
    /// let written = pair.limited_to(|_, form| form != Form::Pair);
    /// assert_eq!(written.form(Group::Fused32), Form::Routine);
    /// ```
    #[must_use]
    pub fn limited_to(self, can_write: impl Fn(Group, Form) -> bool) -> Self {
        let groups = Group::ALL.iter().map(|&group| (group, self.form(group)));
        groups
            .filter(|&(group, form)| can_write(group, form))
            .fold(Self::SOFTWARE, |it, (group, form)| it.with(group, form))
    }

    /// What [`Display`](fmt::Display) wrote; `None` if it is not all there, or is not a
    /// candidate of its group.
    ///
    /// ```
    /// use samebits_ir::soft::plan::Native;
    /// assert_eq!(Native::parse(&Native::CUDA.to_string()), Some(Native::CUDA));
    /// assert_eq!(Native::parse("i64 f32.sum=pair"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut native = Self::SOFTWARE;
        let mut words = text.split_whitespace().peekable();
        for scalar in WIDE {
            if words.next_if_eq(&scalar.name()).is_some() {
                native = native.having(scalar);
            }
        }
        for &group in Group::ALL {
            let (name, form) = words.next()?.split_once('=')?;
            let form = group.candidates().iter().find(|candidate| candidate.name() == form)?;
            native = (name == group.name()).then(|| native.with(group, *form))?;
        }
        words.next().is_none().then_some(native)
    }
}

/// The types that a target may lack and have.
const WIDE: [Scalar; 3] = [Scalar::I64, Scalar::F64, Scalar::F16];

/// The types that the target has and others lack, then the form of each group.
impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (scalar, has) in WIDE.into_iter().zip([self.long, self.double, self.half]) {
            if has {
                write!(f, "{} ", scalar.name())?;
            }
        }
        for (i, (group, form)) in Group::ALL.iter().zip(self.forms).enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{}={}", group.name(), form.name())?;
        }
        Ok(())
    }
}

/// The form of a group that is right on every target.
const fn last(group: Group) -> Form {
    let candidates = group.candidates();
    candidates[candidates.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_documentation_is_a_sentence() {
        let forms = Form::ALL.iter().map(|form| (form.name(), form.doc()));
        let groups = Group::ALL.iter().map(|group| (group.name(), group.doc()));
        let all: Vec<_> = forms.chain(groups).collect();
        for (i, (name, doc)) in all.iter().enumerate() {
            assert!(doc.ends_with('.') && !name.contains([' ', '=']), "{name}: {doc}");
            assert!(all[..i].iter().all(|(other, _)| other != name), "{name}");
        }
    }

    #[test]
    fn the_positions_of_groups_are_their_numbers() {
        for (i, &group) in Group::ALL.iter().enumerate() {
            assert_eq!(group as usize, i);
        }
    }

    #[test]
    fn a_form_rests_on_earlier_groups_only() {
        // Whatever later groups become changes nothing.
        for (i, &group) in Group::ALL.iter().enumerate() {
            for &form in group.candidates() {
                for native in [Native::SOFTWARE, Native::WEBGPU, Native::CUDA] {
                    let mut changed = native;
                    for &later in &Group::ALL[i + 1..] {
                        for &other in later.candidates() {
                            changed = changed.with(later, other);
                            assert_eq!(changed.allows(group, form), native.allows(group, form), "{group:?} {later:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_form_is_always_allowed_and_constants_are_consistent() {
        for &group in Group::ALL {
            assert!(Native::SOFTWARE.allows(group, last(group)));
            for native in [Native::SOFTWARE, Native::WEBGPU, Native::CUDA] {
                assert!(group.candidates().contains(&native.form(group)), "{group:?}");
            }
        }
    }

    #[test]
    fn a_text_with_a_change_is_not_read() {
        let text = Native::CUDA.to_string();
        assert!(text.starts_with("i64 f64 f64.sum=exact "), "{text}");
        assert_eq!(Native::parse(&text.replace("f64.sum=exact ", "")), None);
        assert_eq!(Native::parse(&format!("{text} more")), None);
        assert_eq!(Native::parse(&text.replace("f32.order=exact", "f32.order=pair")), None);
        assert_eq!(Native::parse(""), None);
    }
}
