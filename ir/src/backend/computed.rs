//! How a target computes the ops of a kernel, for reports: by itself, in a form that costs more
//! than the op alone, or by the library. So a user sees why a kernel is slow.
//!
//! The answers are those of the [plan](crate::soft::plan), which back ends act upon, for the
//! kernel as they see it.

use crate::check::Checked;
use crate::diag::count;
use crate::ir::{Function, Inst, InstKind, Region, Value};
use crate::ops::{Op, Signature};
use crate::pass::{Expansion, expand};
use crate::scalar::{CastRule, cast_rule};
use crate::soft::plan::{Form, Native, Way};
use std::collections::BTreeMap;
use std::fmt;

/// How a target computes the ops of a function that work lane by lane, and its conversions.
///
/// ```
/// use samebits_ir::backend::computed::Computed;
/// use samebits_ir::{check::check, soft::plan::Native, text::parse};
/// let module = parse("func kernel workgroup_size(64, 1, 1) @k(%a: f32, @y: mut [f32]) {
///     %b = mul %a, %a
///     %c = fma %b, %a, %b
///     store @y[0u32], %c
///     ret
/// }").map_err(|_| "text")?;
/// let checked = check(module).map_err(|_| "kernel")?;
/// let computed = Computed::of(&checked, 0, Native::EXACT_F32).ok_or("function")?;
/// assert_eq!((computed.plain, computed.formed.len(), computed.called.len()), (1, 1, 0));
/// let computed = Computed::of(&checked, 0, Native::SOFTWARE).ok_or("function")?;
/// assert_eq!(computed.called["f32_mul_add"].places, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Computed {
    /// How many ops are the target's own as they are.
    pub plain: usize,
    /// The ops that are the target's own in another form, such as `f32 sqrt (corrected)`.
    pub formed: BTreeMap<String, Places>,
    /// The library functions by their names.
    pub called: BTreeMap<String, Places>,
}

/// Where something is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Places {
    /// In how many instructions.
    pub places: usize,
    /// How many of these are in a loop.
    pub in_loops: usize,
}

impl Computed {
    /// The function at this position in a module, on a target of which this is the table; `None` if
    /// there is no such function.
    ///
    /// ```
    /// # use samebits_ir::backend::computed::Computed;
    /// # use samebits_ir::{builder::Builder, check::check, soft::plan::Native, types::Types};
    /// # let mut b = Builder::new("nothing", [64, 1, 1]);
    /// # b.ret();
    /// # let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
    /// let computed = Computed::of(&checked, 0, Native::CUDA).ok_or("a function")?;
    /// assert_eq!(computed.to_string(), "  0 ops native\n");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn of(checked: &Checked, function: usize, native: Native) -> Option<Self> {
        let function = &expand(
            checked.function(function)?.0,
            Expansion { step: native.step(), method: native.method(), keeps_loose: true },
        );
        let mut computed = Self::default();
        computed.region(function, function.body, native, false);
        Some(computed)
    }

    /// The checks limit how deep regions are nested.
    fn region(&mut self, function: &Function, region: Region, native: Native, in_loop: bool) {
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            if let (InstKind::Op(op, args), &[result]) = (&def.kind, def.results.as_slice())
                && let Some((way, what)) = way(function, inst, (*op, args, result), native)
            {
                self.count(way, &what, in_loop);
            }
            let in_loop = in_loop || matches!(def.kind, InstKind::Loop { .. });
            def.kind.regions().for_each(|inner| self.region(function, inner, native, in_loop));
        }
    }

    fn count(&mut self, way: Way, what: &str, in_loop: bool) {
        let places = match way {
            Way::Native(Form::Exact) | Way::Loose => {
                self.plain += 1;
                return;
            }
            Way::Native(form) => self.formed.entry(format!("{what} ({})", form.name())).or_default(),
            Way::Checked { .. } => self.formed.entry(format!("{what} ({})", Form::Checked.name())).or_default(),
            Way::Widened => self.formed.entry(format!("{what} ({})", Form::Wider.name())).or_default(),
            Way::Lengthened => self.formed.entry(format!("{what} (by way of 64 bits)")).or_default(),
            Way::Routine(routine) => self.called.entry(routine.info().name.to_owned()).or_default(),
        };
        places.places += 1;
        places.in_loops += usize::from(in_loop);
    }
}

/// How an op is computed, and what it is in words; `None` for one that computes nothing.
fn way(
    function: &Function,
    inst: Inst,
    (op, args, result): (Op, &[Value], Value),
    native: Native,
) -> Option<(Way, String)> {
    let from = function.ty(*args.first()?);
    let (lane, to) = (from.lane()?, function.ty(result));
    match op.info().signature {
        Signature::Lanes(..) => {
            Some((native.op(op, lane, function.is_loose(inst)), format!("{} {}", lane.name(), op.info().name)))
        }
        Signature::Cast => match cast_rule(from, to)? {
            CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat => {
                let target = to.lane()?;
                Some((native.cast(lane, target), format!("{} to {}", lane.name(), target.name())))
            }
            _ => None,
        },
        _ => None,
    }
}

impl fmt::Display for Computed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} native", count(self.plain, "op"))?;
        for (lines, kind) in [(&self.formed, "native"), (&self.called, "library")] {
            for (what, Places { places, in_loops }) in lines {
                write!(f, "  {kind}: {what}, {}", count(*places, "place"))?;
                match in_loops {
                    0 => writeln!(f)?,
                    all if all == places => writeln!(f, ", in a loop")?,
                    some => writeln!(f, ", {some} in a loop")?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_image;
    use crate::text::parse;

    fn shown(native: Native, body: &str) -> String {
        let text = format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, %x: f32, @y: mut [f32]) {{ {body} ret }}");
        let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
        Computed::of(&check_image(module).expect("a kernel"), 0, native).expect("a function").to_string()
    }

    const BODY: &str = "%a = mul %x, %x
        %h = cast %a to f16
        %g = add %h, %h
        %r = loop 'l (%i: u32 = 0u32, %s: f32 = %a) -> f32 {
            %end = ge %i, %n
            if %end { break 'l %s }
            %b = fma %s, %x, %a
            %c = sqrt %b
            %j = add %i, 1u32
            continue 'l %j, %c
        }
        %q = sqrt %r
        %w = cast %g to f32
        %z = max %q, %w
        store @y[0u32], %z";

    #[test]
    fn library_calls_are_counted_and_found_in_loops() {
        let expected = "  2 ops native
  native: f16 add (wider), 1 place
  library: f16_to_f32, 1 place
  library: f32_max, 1 place
  library: f32_mul, 1 place
  library: f32_mul_add, 1 place, in a loop
  library: f32_sqrt, 2 places, 1 in a loop
  library: f32_to_f16, 1 place
";
        assert_eq!(shown(Native::SOFTWARE, BODY), expected);
    }

    #[test]
    fn forms_are_named() {
        let text = shown(Native::WEBGPU, BODY);
        assert!(text.contains("  native: f32 mul (checked), 1 place\n"), "{text}");
        let text = shown(Native::CUDA, BODY);
        assert!(text.contains("  native: f32 fma (function), 1 place, in a loop\n"), "{text}");
        assert!(!text.contains("f32_sqrt"), "{text}");
    }

    #[test]
    fn what_a_device_may_compute_as_it_pleases_is_native() {
        let text = "func kernel fast_math workgroup_size(1, 1, 1) @k(%x: f32, @y: mut [f32]) {
            %a = sqrt %x  %b = precise sqrt %a  store @y[0u32], %b  ret }";
        let module = parse(text).expect("text");
        let computed = Computed::of(&check_image(module).expect("a kernel"), 0, Native::SOFTWARE).expect("a function");
        assert_eq!((computed.plain, computed.called["f32_sqrt"].places), (1, 1));
    }
}
