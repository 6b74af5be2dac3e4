//! Probes: kernels that find out what no driver tells.
//!
//! A device may flush subnormals, contract a product and a sum, round a division wrongly, or do
//! `mul_add` in two roundings. Kernels compute with the device's own operations only in forms that
//! gave the right bits in all that [`questions`] asks. What is right is what the reference
//! interpreter computes, on this machine, with the same kernel. If a probe fails, the answer is no.
//!
//! A verdict holds for a device, its driver and the kernels that led to it. It is kept for the
//! process and on disk, with a digest of what a compiler makes of all questions by this verdict and of
//! the forms that may be tried, so that another version of this crate asks again where it compiles
//! something differently or knows another form.

mod operands;
mod questions;
mod search;
mod sheet;
mod subgroups;

pub(super) use subgroups::subgroups;

use super::Wgpu;
use crate::backend::disk::{Digest, Disk, Kind};
use crate::backend::outcome::Inherited;
use crate::backend::{Backend, Bound, Control, LaunchKind, Part};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use operands::TRIPLES;
use questions::{Question, questions};
use samebits_ir::analysis::facts::{Condition, Launch};
use samebits_ir::backend::{naga, spirv};
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::soft::plan::{Form, Group, Native};
use samebits_ir::types::Scalar;
use search::{Search, Subject};
use sheet::Sheet;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Workgroups of a launch.
const GROUPS: [u32; 3] = [TRIPLES / sheet::WORKGROUP, 1, 1];

/// Questions of a kernel, save of those with all types.
const MOST_QUESTIONS: usize = 48;

/// What a device computes itself, and in which form: by an earlier verdict if there is one.
pub(super) fn native(device: &Wgpu) -> Native {
    static KNOWN: Mutex<BTreeMap<String, Native>> = Mutex::new(BTreeMap::new());
    let key = device.identity();
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = key.as_ref().and_then(|key| known().get(key).copied());
    if let Some(native) = found {
        return native;
    }
    let questions = device.questions();
    let Some(key) = key else { return ask(device, &questions) };
    let disk = Disk::of_environment();
    let native = kept(device, &questions, &text(&disk, &key).unwrap_or_default()).unwrap_or_else(|| {
        let native = ask(device, &questions);
        if let Some(digest) = digest(device, &questions, native) {
            disk.write(Kind::Verdict, &key, format!("{digest:016x} {native}").as_bytes());
        }
        native
    });
    known().insert(key, native);
    native
}

/// What is kept on disk of a key.
fn text(disk: &Disk, key: &str) -> Option<String> {
    String::from_utf8(disk.read(Kind::Verdict, key)?).ok()
}

/// A verdict that was kept, if all questions are today what they were.
fn kept(device: &Wgpu, questions: &[Question], text: &str) -> Option<Native> {
    let (then, native) = text.split_once(' ')?;
    let native = Native::parse(native)?;
    let now = digest(device, questions, native)?;
    (then == format!("{now:016x}")).then_some(native)
}

/// A digest of what all questions and their operands are for a device that computes in these forms, and of
/// the forms that it might compute in.
fn digest(device: &Wgpu, questions: &[Question], native: Native) -> Option<u64> {
    let questions: Vec<&Question> = questions.iter().collect();
    let of_sheet = |asked: Vec<usize>| {
        let sheet = Sheet::of(&asked.iter().map(|&at| questions[at]).collect::<Vec<_>>());
        let kernel = Kernel::from_module(&sheet.module, 0).ok()?;
        let mut digest = Digest::default();
        device.digest(kernel.load().ok()?, native, &mut digest)?;
        for (scalar, _) in sheet.memories() {
            operands::operands(scalar).iter().for_each(|&bits| digest.write_u64(bits));
        }
        Some(digest.finish())
    };
    let of_sheets: Option<Vec<u64>> = thread::scope(|scope| {
        let sheets = device.sheets(&questions).into_iter();
        let running: Vec<_> = sheets.map(|asked| scope.spawn(|| of_sheet(asked))).collect();
        running.into_iter().map(|running| running.join().ok().flatten()).collect()
    });
    let mut digest = Digest::default();
    digest.write(offered(device.candidates().1).as_bytes());
    of_sheets?.into_iter().for_each(|of_sheet| digest.write_u64(of_sheet));
    Some(digest.finish())
}

impl Wgpu {
    /// What is asked: everything by SPIR-V, and in modules of naga, which compile for long and hide
    /// operands from the driver, one question about each subject.
    fn questions(&self) -> Vec<Question> {
        let mut questions = questions();
        if self.spirv.is_none() {
            let mut is_first = first_about();
            questions.retain(|question| is_first(question));
        }
        questions
    }

    /// The questions of each kernel, by their places. By SPIR-V a kernel has some of those that use the same
    /// types of floats, since a module says how floats are computed of the types that it has; one more
    /// has all types, and one question about each subject. In a module of naga are all.
    fn sheets(&self, questions: &[&Question]) -> Vec<Vec<usize>> {
        let places = 0..questions.len();
        if self.spirv.is_none() {
            return vec![places.collect()];
        }
        let mut parts: BTreeMap<[bool; 2], Vec<usize>> = BTreeMap::new();
        for (at, question) in questions.iter().enumerate() {
            parts.entry(Sheet::of(&[question]).widths()).or_default().push(at);
        }
        let is_mixed = parts.len() > 1;
        // Compilers take long for long kernels, and several at once take no longer than one.
        let of_part = |part: Vec<usize>| {
            let sheets = part.len().div_ceil(MOST_QUESTIONS);
            part.chunks(part.len().div_ceil(sheets)).map(<[usize]>::to_vec).collect::<Vec<_>>()
        };
        let mut sheets: Vec<Vec<usize>> = parts.into_values().flat_map(of_part).collect();
        if is_mixed {
            let mut is_first = first_about();
            sheets.push(places.filter(|&at| is_first(questions[at])).collect());
        }
        sheets
    }

    /// The types that are tried, and the forms that a compiler can write.
    fn candidates(&self) -> (Vec<Scalar>, fn(Group, Form) -> bool) {
        match &self.reported {
            Some(reported) if self.adapter.is_hardware() => (reported.types(), on_hardware),
            Some(reported) => (reported.types(), spirv::writes),
            None => (Vec::new(), naga::writes),
        }
    }
}

/// The forms that are tried on GPUs. Of 10⁹ triples of `f64` NVIDIA's driver (580) got 23 results wrong, among them a quotient
/// halfway between two subnormal numbers. That is too few to be sure that a question would show it.
fn on_hardware(group: Group, form: Form) -> bool {
    (group, form) != (Group::Quotient64, Form::Exact) && spirv::writes(group, form)
}

/// Whether a question is the first one about its subjects among those that it was asked of.
fn first_about() -> impl FnMut(&Question) -> bool {
    let mut seen: Vec<Vec<Subject>> = Vec::new();
    move |Question { about, .. }| {
        let is_first = !seen.contains(&about.blamed);
        if is_first {
            seen.push(about.blamed.clone());
        }
        is_first
    }
}

/// The forms of each group that a compiler can write, in the order in which they are tried.
fn offered(writes: fn(Group, Form) -> bool) -> String {
    let forms = |group: Group| {
        let forms = group.candidates().iter().filter(move |&&form| writes(group, form));
        forms.map(move |form| format!("{}={} ", group.name(), form.name()))
    };
    Group::ALL.iter().copied().flat_map(forms).collect()
}

/// Asks until nothing is wrong.
fn ask(device: &Wgpu, questions: &[Question]) -> Native {
    let (types, writes) = device.candidates();
    let mut search = Search::new(&types, writes);
    let mut key = Key::default();
    loop {
        let asked: Vec<usize> = (0..questions.len()).filter(|&at| search.asks(&questions[at].about)).collect();
        if asked.is_empty() {
            return search.native();
        }
        match answers(device, (questions, &asked), search.native(), &mut key) {
            Ok(right) => search.answer(asked.iter().map(|&at| &questions[at].about).zip(right)),
            Err(_) => return Native::SOFTWARE,
        }
    }
}

/// What is right, by the places of the questions. It depends on no form, and so is computed once.
type Key = BTreeMap<usize, Vec<u8>>;

/// Whether the device's results of the questions of these places are right, in each kernel that asks them. The kernels
/// are compiled and run beside each other, and beside the interpreter.
fn answers(
    device: &Wgpu,
    (questions, places): (&[Question], &[usize]),
    native: Native,
    key: &mut Key,
) -> Result<Vec<bool>, Error> {
    let asked: Vec<&Question> = places.iter().map(|&at| &questions[at]).collect();
    let sheets: Vec<Paper> =
        device.sheets(&asked).into_iter().map(|all| Paper::of(&asked, all)).collect::<Result<_, _>>()?;
    let found = thread::scope(|scope| {
        let running: Vec<_> = sheets.iter().map(|paper| scope.spawn(move || found(device, paper, native))).collect();
        let unknown = |at: &usize| !key.contains_key(&places[*at]);
        let expected: Vec<_> = sheets
            .iter()
            .filter(|paper| paper.asked.iter().any(unknown))
            .map(|paper| (paper, scope.spawn(move || expected(paper))))
            .collect();
        for (paper, expected) in expected {
            let columns = expected.join().unwrap_or_else(|_| Err(lost(device)))?;
            key.extend(paper.asked.iter().map(|&at| places[at]).zip(columns));
        }
        let found = running.into_iter().map(|running| running.join().unwrap_or_else(|_| Err(lost(device))));
        found.collect::<Result<Vec<_>, Error>>()
    })?;
    let mut right = vec![true; places.len()];
    for (paper, columns) in sheets.iter().zip(found) {
        for (&at, column) in paper.asked.iter().zip(columns) {
            right[at] &= key.get(&places[at]) == Some(&column);
        }
    }
    Ok(right)
}

/// The error of a thread that was lost.
fn lost(device: &Wgpu) -> Error {
    Error::Driver { device: device.name().to_owned(), reason: "a thread that asked it was lost".to_owned() }
}

/// A sheet as a kernel that can run.
struct Paper {
    /// The places of its questions among those that are asked.
    asked: Vec<usize>,
    sheet: Sheet,
    kernel: Arc<Loaded>,
    /// What its memories hold at first.
    memories: Vec<Vec<u8>>,
}

impl Paper {
    fn of(questions: &[&Question], asked: Vec<usize>) -> Result<Self, Error> {
        let sheet = Sheet::of(&asked.iter().map(|&at| questions[at]).collect::<Vec<_>>());
        let kernel = Kernel::from_module(&sheet.module, 0)?.load()?.clone();
        let memories = sheet.memories().map(|(scalar, bytes)| memory(scalar, bytes)).collect();
        Ok(Self { asked, sheet, kernel, memories })
    }

    /// The results of each question.
    fn columns(&self, memories: &[Vec<u8>]) -> Vec<Vec<u8>> {
        self.sheet.columns.iter().map(|column| memories[column.memory][column.bytes()].to_vec()).collect()
    }
}

/// The operands of a type, and zeros where results go.
fn memory(scalar: Scalar, bytes: usize) -> Vec<u8> {
    let size = scalar.size() as usize;
    let operands = operands::operands(scalar);
    let mut memory: Vec<u8> = operands.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
    memory.resize(bytes, 0);
    memory
}

/// What the interpreter computes.
fn expected(paper: &Paper) -> Result<Vec<Vec<u8>>, Error> {
    let Paper { sheet, kernel, memories, .. } = paper;
    let program = Program::new(kernel.checked(), kernel.index()).ok_or_else(|| kernel.missing())?;
    let words: Vec<Words> = memories.iter().map(|bytes| Words::from_bytes(bytes)).collect();
    let args: Vec<Arg<'_>> =
        words.iter().zip(sheet.lens()).map(|(words, len)| Arg::Buffer { words, offset: 0, len }).collect();
    program
        .run(GROUPS, &args, &Options::default())
        .map_err(|fault| Error::Fault { kernel: kernel.name.clone(), reason: fault.reason() })?;
    let computed: Vec<Vec<u8>> = words.iter().map(|words| words.read(0..words.bytes())).collect();
    Ok(paper.columns(&computed))
}

/// What the device computes.
fn found(device: &Wgpu, paper: &Paper, native: Native) -> Result<Vec<Vec<u8>>, Error> {
    let Paper { sheet, kernel, memories, .. } = paper;
    let lens: Vec<u32> = sheet.lens().collect();
    let scalars = vec![0; lens.len()];
    let launch = Launch { groups: GROUPS, lens: &lens, scalars: &scalars };
    let pipeline =
        device.compile_with(kernel, native, LaunchKind::of(Condition::satisfied(kernel.conditions(), &launch)))?;
    let mut storages = Vec::new();
    for bytes in memories {
        let storage = device.storage(bytes.len() as u64)?;
        device.write(&storage, 0, bytes)?;
        storages.push(storage);
    }
    let args: Vec<Bound<'_, _>> = storages
        .iter()
        .zip(&lens)
        .zip(memories)
        .map(|((memory, &len), bytes)| {
            Bound::Buffer(Part { memory, start: 0, bytes: bytes.len() as u64, len, most: u32::MAX })
        })
        .collect();
    device.dispatch(kernel, &pipeline, GROUPS, &args, &Inherited::default())?.afterwards?;
    let mut found = memories.clone();
    for (storage, bytes) in storages.iter().zip(&mut found) {
        device.read(storage, 0, bytes)?;
    }
    Ok(paper.columns(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_names_each_form_that_can_be_written() {
        let all = offered(|_, _| true);
        assert!(all.starts_with("f64.sum=exact f64.sum=routine "), "{all}");
        assert_eq!(all.split_whitespace().count(), Group::ALL.iter().map(|group| group.candidates().len()).sum());
        assert_eq!(offered(|group, form| (group, form) == (Group::Fused64, Form::Split)), "f64.fused=split ");
    }
}
