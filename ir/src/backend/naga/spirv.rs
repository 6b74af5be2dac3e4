//! A shader as SPIR-V words, without first values of large arrays.
//!
//! naga gives each variable a first value. Mesa sets an array to its own element by element, and
//! then takes time that grows with the square of their number: a minute for a thousand. So those
//! first values are dropped here, and the module sets the arrays to zero itself, in a loop; see
//! `Options::zero_in_loops`.

use super::Shader;
use crate::backend::shape::LARGE;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::collections::HashMap;

// What the specification of SPIR-V calls them.
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_TYPE_VECTOR: u32 = 23;
const OP_TYPE_ARRAY: u32 = 28;
const OP_TYPE_POINTER: u32 = 32;
const OP_CONSTANT: u32 = 43;
const OP_VARIABLE: u32 = 59;
const FUNCTION: u32 = 7;
/// Words before the first instruction.
const HEADER: usize = 5;

impl Shader {
    /// The module as SPIR-V 1.3 that nothing checks at run time; `bounded` says whether loops are
    /// kept from going on for ever. Made with `zero_in_loops`, its large arrays have no first
    /// values.
    ///
    /// # Errors
    ///
    /// What naga cannot write, in its words.
    pub fn spirv(&self, bounded: bool) -> Result<Vec<u32>, String> {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(&self.module).map_err(|error| error.to_string())?;
        let options = spv::Options {
            lang_version: (1, 3),
            flags: spv::WriterFlags::empty(),
            force_loop_bounding: bounded,
            emit_int_div_checks: false,
            ..spv::Options::default()
        };
        let entry = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".to_owned() };
        let words = spv::write_vec(&self.module, &info, &options, Some(&entry)).map_err(|error| error.to_string())?;
        Ok(if self.zeroed_in_loops { without_first_values(&words) } else { words })
    }
}

/// Drops the first values of large arrays of a function.
fn without_first_values(words: &[u32]) -> Vec<u32> {
    let (mut sizes, mut pointees, mut numbers) = (HashMap::new(), HashMap::new(), HashMap::new());
    let (start, mut rest) = words.split_at(HEADER.min(words.len()));
    let mut out = start.to_vec();
    while let Some(&first) = rest.first() {
        let count = (first as usize >> 16).clamp(1, rest.len());
        let (inst, after) = rest.split_at(count);
        rest = after;
        match (first & 0xffff, &inst[1..]) {
            (OP_TYPE_INT | OP_TYPE_FLOAT, &[id, bits, ..]) => drop(sizes.insert(id, u64::from(bits / 8))),
            (OP_TYPE_VECTOR, &[id, lane, lanes]) => {
                let size = sizes.get(&lane).copied().unwrap_or(0) * u64::from(lanes);
                sizes.insert(id, size);
            }
            (OP_CONSTANT, &[_, id, number]) => drop(numbers.insert(id, number)),
            (OP_TYPE_ARRAY, &[id, element, len]) => {
                let len = numbers.get(&len).copied().unwrap_or(0);
                let size = sizes.get(&element).copied().unwrap_or(0) * u64::from(len);
                sizes.insert(id, size);
            }
            (OP_TYPE_POINTER, &[id, FUNCTION, pointee]) => drop(pointees.insert(id, pointee)),
            (OP_VARIABLE, &[pointer, id, FUNCTION, _]) => {
                let size = pointees.get(&pointer).and_then(|pointee| sizes.get(pointee)).copied().unwrap_or(0);
                if size >= LARGE.into() {
                    out.extend([4 << 16 | OP_VARIABLE, pointer, id, FUNCTION]);
                    continue;
                }
            }
            _ => {}
        }
        out.extend_from_slice(inst);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::naga::tests::validate_spirv;
    use crate::backend::naga::{Options, emit};
    use crate::check::check;
    use crate::text::parse;

    /// The variables of functions with and without a first value, in a kernel with an array of so
    /// many words.
    fn variables(words: u32, zero_in_loops: bool) -> [usize; 2] {
        let text = format!(
            "func kernel workgroup_size(1, 1, 1) @k(%i: u32, @y: mut [u32]) {{
               private @own: [u32; {words}]
               store @own[%i], 7u32
               %x = load u32 @own[3u32]
               store @y[0u32], %x
               ret
             }}"
        );
        let checked = check(parse(&text).expect("a kernel")).expect("the kernel is right");
        let options = Options { zero_in_loops, wgsl_rules: false, ..Options::WEBGPU };
        let spirv = emit(&checked, 0, &options).expect("a shader").spirv(true).expect("SPIR-V can be written");
        validate_spirv(&spirv);
        let (mut with, mut without) = (0, 0);
        let mut rest = &spirv[HEADER..];
        while let Some(&first) = rest.first() {
            let (inst, after) = rest.split_at(first as usize >> 16);
            rest = after;
            if first & 0xffff == OP_VARIABLE && inst[3] == FUNCTION {
                *(if inst.len() > 4 { &mut with } else { &mut without }) += 1;
            }
        }
        [with, without]
    }

    #[test]
    fn a_large_array_that_a_loop_sets_to_zero_has_no_first_value() {
        let [_, without] = variables(1024, true);
        assert_eq!(without, 1);
    }

    #[test]
    fn what_is_small_or_set_by_nobody_keeps_its_first_value() {
        assert_eq!(variables(8, true)[1], 0);
        assert_eq!(variables(1024, false)[1], 0);
    }
}
