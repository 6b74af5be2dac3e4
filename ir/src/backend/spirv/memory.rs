//! The roots of a kernel as variables, and the views through which they are accessed.
//!
//! A root has a *main* view, which [`shape`](crate::analysis::shape) chooses: words, or blocks of
//! 2 or 4 words. A buffer may have more of them: bytes and pairs of bytes where the device has
//! such storage, and blocks where some accesses are whole blocks and others do not fit them.
//! Each view of a buffer is a variable with the same binding. Of a buffer that the kernel
//! changes all of them are `Aliased`, or compilers would take them for different memory.
//!
//! A buffer that the kernel does not change is `NonWritable`. Each binding has a block type of its own:
//! NVIDIA's compiler takes other variables of the same type for memory that does not change either,
//! and loads what was there before the kernel's own stores.
//!
//! A variable is declared when it is first accessed, except for arrays of the invocation: their
//! variables belong to the function in which the kernel begins.
//!
//! The Vulkan memory model orders only accesses through pointers that are not private. A module
//! has that model if something in it orders accesses; then all accesses of what invocations
//! share are such ones, except for buffers that nobody changes.

use super::code::Code;
use super::module::{Id, Reg};
use super::prologue::bind;
use super::tables::Tables;
use super::zero::set_to_zero;
use super::{Bindings, Target};
use crate::analysis::align::Alignment;
use crate::analysis::effects::racy_roots;
use crate::analysis::shape::{Offer, Word, shapes};
use crate::ir::{Function, InstKind, Place, Root};
use crate::launch::LaunchBlock;
use crate::types::{Type, Types};
use spirv::{Capability, Decoration, MemoryAccess, StorageClass};
use std::collections::BTreeMap;

/// The roots as the function body sees them.
pub(super) struct Memory {
    roots: BTreeMap<Root, Declared>,
    /// What accesses may go through.
    pub offer: Offer,
}

/// A root.
struct Declared {
    info: Info,
    /// Of a buffer: the binding.
    binding: Option<u32>,
    /// Of memory of fixed size that is accessed: its words.
    words: u32,
    views: Vec<View>,
}

/// What accesses ask about a root.
#[derive(Clone, Copy)]
pub(super) struct Info {
    /// The number of elements, a word.
    pub count: Id,
    /// Bytes of an element.
    pub element: u32,
    /// The word of the array where it begins.
    pub base: u32,
    /// The elements of the main view.
    pub main: Element,
    /// Whether parts of words are stored by atomic accesses.
    pub atomic: bool,
    /// Whether it is a buffer, which ends with an element.
    pub is_buffer: bool,
    /// Whether every access is an atomic one, since one is racy.
    pub racy: bool,
    /// Whether the kernel changes it.
    changed: bool,
    class: StorageClass,
}

/// What a variable is an array of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element {
    /// A lane of it.
    pub reg: Reg,
    /// How many lanes there are.
    pub width: u32,
}

/// A variable that shows a root.
#[derive(Clone, Copy)]
pub(super) struct View {
    class: StorageClass,
    variable: Id,
    /// What it is an array of.
    pub element: Element,
    /// Whether other invocations may see what is stored.
    shared: bool,
    /// Whether every access is an atomic one.
    racy: bool,
}

impl Element {
    /// One number.
    pub const fn of(reg: Reg) -> Self {
        Self { reg, width: 1 }
    }

    /// Bytes from one to the next.
    pub const fn bytes(self) -> u32 {
        self.reg.bits() / 8 * self.width
    }

    fn ty(self, code: &mut Code) -> Id {
        code.module.vector(self.reg, self.width)
    }
}

impl View {
    /// An array of the workgroup.
    pub fn of_workgroup(code: &mut Code, element: Element, len: u32) -> Self {
        let (ty, class) = (element.ty(code), StorageClass::Workgroup);
        let array = code.module.array(ty, len, None);
        Self { class, variable: code.module.variable(class, array, None), element, shared: true, racy: false }
    }

    /// A pointer to an element or a lane of it.
    pub fn pointer(&self, code: &mut Code, index: Id, lane: Option<Id>) -> Id {
        let ty = match lane {
            Some(_) => code.module.reg(self.element.reg),
            None => self.element.ty(code),
        };
        let first = (self.class == StorageClass::StorageBuffer).then(|| code.word(0));
        let path: Vec<Id> = first.into_iter().chain([index]).chain(lane).collect();
        code.access(self.class, ty, self.variable, &path)
    }

    /// The number at a pointer to a lane.
    pub fn read_lane(&self, code: &mut Code, pointer: Id) -> Id {
        let ty = code.module.reg(self.element.reg);
        let value = self.read_as(code, ty, pointer);
        code.is_reg(value, self.element.reg)
    }

    /// The lanes at a pointer to an element.
    pub fn read(&self, code: &mut Code, pointer: Id) -> Vec<Id> {
        if self.element.width == 1 {
            return vec![self.read_lane(code, pointer)];
        }
        let ty = self.element.ty(code);
        let vector = self.read_as(code, ty, pointer);
        (0..self.element.width).map(|lane| code.part(vector, self.element.reg, lane)).collect()
    }

    fn read_as(&self, code: &mut Code, ty: Id, pointer: Id) -> Id {
        if self.racy {
            let [scope, relaxed] = [spirv::Scope::Device as u32, 0].map(|word| code.word(word).word());
            return code.value_of(spirv::Op::AtomicLoad, ty, &[pointer.word(), scope, relaxed]);
        }
        match self.shared && code.module.has_vulkan_memory_model() {
            true => {
                let operands = [pointer.word(), MemoryAccess::NON_PRIVATE_POINTER.bits()];
                code.value_of(spirv::Op::Load, ty, &operands)
            }
            false => code.load_of(ty, pointer),
        }
    }

    /// Sets what a pointer points to: an element by all of its lanes, or one lane.
    pub fn write(&self, code: &mut Code, pointer: Id, lanes: &[Id]) {
        let value = match lanes {
            [lane] => *lane,
            lanes => code.compose(lanes),
        };
        if self.racy {
            let [scope, relaxed] = [spirv::Scope::Device as u32, 0].map(|word| code.word(word).word());
            return code.effect(spirv::Op::AtomicStore, &[pointer.word(), scope, relaxed, value.word()]);
        }
        match self.shared && code.module.has_vulkan_memory_model() {
            true => {
                let operands = [pointer.word(), value.word(), MemoryAccess::NON_PRIVATE_POINTER.bits()];
                code.effect(spirv::Op::Store, &operands);
            }
            false => code.store(pointer, value),
        }
    }
}

impl Memory {
    /// Finds out how each root is declared.
    pub fn declare(
        code: &mut Code,
        target: &Target,
        types: &Types,
        function: &Function,
        alignment: &Alignment,
        (words, tables, bindings): (&[Id], &Tables, &Bindings),
    ) -> Self {
        let offer = Offer { lane_stores: true, packed: true, bytes: target.bytes, halves: target.halves };
        let mut memory = Self { roots: BTreeMap::new(), offer };
        memory.declare_tables(code, types, function, (tables, bindings));
        let mut binding = 0;
        let racy = racy_roots(function);
        let (accessed, changed) = (Accesses::of(function, |_| true), Accesses::of(function, changes));
        for (root, shape) in shapes(types, function, alignment, &offer) {
            let (element, size) = (element_size(types, function, root), function.root_size(types, root).unwrap_or(0));
            let main = match shape.word {
                Word::WideAtomic => Element::of(Reg::U64),
                Word::Float => Element { reg: Reg::F32, width: shape.width },
                Word::Plain | Word::Atomic | Word::SignedAtomic => Element { reg: Reg::U32, width: shape.width },
            };
            let is_buffer = matches!(root, Root::Param(_));
            let (class, count) = match root {
                Root::Param(_) => {
                    let count = words.get(LaunchBlock::len_of(binding) as usize).copied();
                    (StorageClass::StorageBuffer, count.unwrap_or_else(|| code.word(0)))
                }
                Root::Shared(_) => (StorageClass::Workgroup, code.word(size / element.max(1))),
                Root::Private(_) => (StorageClass::Function, code.word(size / element.max(1))),
                Root::Table(_) => continue,
            };
            let atomic = matches!(shape.word, Word::Atomic | Word::SignedAtomic | Word::WideAtomic);
            let changed = changed.contains(root);
            let racy = racy.contains(&root);
            let info = Info { count, element, base: 0, main, atomic, is_buffer, racy, changed, class };
            let held = if accessed.contains(root) { size.div_ceil(4) } else { 0 };
            let views = match class {
                StorageClass::Function if held > 0 => vec![private(code, main, held)],
                _ => Vec::new(),
            };
            memory.roots.insert(root, Declared { info, binding: is_buffer.then_some(binding), words: held, views });
            binding += u32::from(is_buffer);
        }
        memory
    }

    fn declare_tables(
        &mut self,
        code: &mut Code,
        types: &Types,
        function: &Function,
        (tables, bindings): (&Tables, &Bindings),
    ) {
        if tables.bases.is_empty() {
            return;
        }
        let (variable, class) = tables.declare(code, bindings.tables);
        for (i, &base) in (0..).zip(&tables.bases) {
            let root = Root::Table(i);
            let element = element_size(types, function, root);
            let count = code.word(function.root_size(types, root).unwrap_or(0) / element.max(1));
            let main = Element::of(Reg::U32);
            let (atomic, is_buffer, racy, changed) = (false, false, false, false);
            let info = Info { count, element, base, main, atomic, is_buffer, racy, changed, class };
            let view = View { class, variable, element: main, shared: false, racy };
            self.roots.insert(root, Declared { info, binding: None, words: 0, views: vec![view] });
        }
    }

    /// What is known of a root; `None` if it does not exist.
    pub fn info(&self, root: Root) -> Option<Info> {
        self.roots.get(&root).map(|declared| declared.info)
    }

    /// A root's view with elements of this kind, which only a buffer has besides the main one.
    pub fn view(&mut self, code: &mut Code, root: Root, element: Element) -> Option<View> {
        let declared = self.roots.get_mut(&root)?;
        if let Some(&view) = declared.views.iter().find(|view| view.element == element) {
            return Some(view);
        }
        let class = declared.info.class;
        let view = match declared.binding {
            Some(binding) => {
                match element.reg {
                    Reg::U8 => {
                        code.module.need(Capability::StorageBuffer8BitAccess);
                        code.module.extend("SPV_KHR_8bit_storage");
                    }
                    Reg::U16 => code.module.need(Capability::StorageBuffer16BitAccess),
                    Reg::Bool | Reg::U32 | Reg::U64 | Reg::F16 | Reg::F32 | Reg::F64 => {}
                }
                let ty = element.ty(code);
                let array = code.module.runtime_array(ty, element.bytes());
                let block = code.module.block(&[(array, 0)], Some(binding));
                let variable = code.module.variable(class, block, None);
                bind(code, variable, binding);
                if !declared.info.changed {
                    code.module.decorate(variable, Decoration::NonWritable, &[]);
                }
                View { class, variable, element, shared: declared.info.changed, racy: declared.info.racy }
            }
            None => {
                let view = View::of_workgroup(code, element, len(declared.words, element));
                View { racy: declared.info.racy, ..view }
            }
        };
        declared.views.push(view);
        if declared.info.changed
            && let [others @ .., last] = declared.views.as_slice()
            && !others.is_empty()
        {
            let first = others.first().filter(|_| others.len() == 1);
            for view in first.into_iter().chain([last]) {
                code.module.decorate(view.variable, Decoration::Aliased, &[]);
            }
        }
        Some(view)
    }

    /// The arrays of the workgroup that are accessed, and the number of elements of each.
    pub fn workgroup_arrays(&self) -> Vec<(Root, Element, u32)> {
        let arrays = self.roots.iter().filter(|(root, declared)| matches!(root, Root::Shared(_)) && declared.words > 0);
        arrays.map(|(&root, declared)| (root, declared.info.main, len(declared.words, declared.info.main))).collect()
    }
}

/// The elements of an array of so many words.
const fn len(words: u32, element: Element) -> u32 {
    let len = words.div_ceil(element.bytes().div_ceil(4));
    if len == 0 { 1 } else { len }
}

fn element_size(types: &Types, function: &Function, root: Root) -> u32 {
    function.root_element(types, root).and_then(|ty: Type| types.layout(ty)).map_or(0, |layout| layout.size)
}

/// Bytes of the largest array of the invocation that has a first value.
const LARGE: u32 = 256;

/// An array of the invocation, zero at first. Mesa takes time that grows with the square of a
/// first value's length, so a loop sets large ones.
fn private(code: &mut Code, element: Element, words: u32) -> View {
    let (len, ty) = (len(words, element), element.ty(code));
    let array = code.module.array(ty, len, None);
    let class = StorageClass::Function;
    if len.saturating_mul(element.bytes()) <= LARGE {
        return View { class, variable: code.local_zero_of(array), element, shared: false, racy: false };
    }
    let view = View { class, variable: code.local_of(array), element, shared: false, racy: false };
    set_to_zero(code, &view, len);
    view
}

/// The roots of some accesses.
struct Accesses(Vec<Root>);

impl Accesses {
    fn of(function: &Function, which: fn(&InstKind) -> bool) -> Self {
        let kinds = function.insts.iter().map(|(_, def)| &def.kind).filter(|kind| which(kind));
        let mut roots: Vec<Root> = kinds.filter_map(InstKind::place).map(|place: &Place| place.root).collect();
        roots.sort_unstable();
        roots.dedup();
        Self(roots)
    }

    fn contains(&self, root: Root) -> bool {
        self.0.binary_search(&root).is_ok()
    }
}

/// Whether an access may change memory.
fn changes(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Store(..) | InstKind::Atomic(..))
}
