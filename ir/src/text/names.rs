//! Names in printed text: unique within their kind, and quoted if they are not plain words.

use super::lex::is_plain;
use crate::arena::Side;
use crate::ir::{MAX_NESTING, Value, ValueDef};
use crate::types::{Type, Types};
use std::collections::HashMap;
use std::fmt::Write;

pub(crate) use super::lex::Sigil;

/// Hands out each name once.
#[derive(Default)]
pub(crate) struct Unique {
    /// The names that are taken, each with the number that may be free after it.
    used: HashMap<String, u64>,
}

impl Unique {
    /// The name itself, or with the first free number.
    pub(crate) fn name(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = self.used.get(name).copied().unwrap_or(1);
        while self.used.contains_key(&unique) {
            unique = format!("{name}.{number}");
            number += 1;
        }
        self.used.insert(name.to_owned(), number);
        self.used.entry(unique.clone()).or_insert(1);
        unique
    }

    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.used.contains_key(name)
    }
}

/// The printed names of a function's values: unique, and numbers for those without a name.
pub(crate) struct ValueNames {
    pub(crate) printed: Side<ValueDef, Option<String>>,
    pub(crate) unique: Unique,
    next: usize,
}

impl ValueNames {
    pub(crate) fn new() -> Self {
        Self { printed: Side::new(None), unique: Unique::default(), next: 0 }
    }

    /// Gives a value a name, at its definition.
    pub(crate) fn define(&mut self, value: Value, name: Option<&str>) -> String {
        let name = match name {
            Some(name) => sigil(Sigil::Value, &self.unique.name(name)),
            None => self.number(),
        };
        self.printed[value] = Some(name.clone());
        name
    }

    /// The next number as a name.
    pub(crate) fn number(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }
}

/// A name between quote marks, escaped.
pub(crate) fn quoted(name: &str) -> String {
    let mut out = String::from('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ' => out.push(c),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// A name without sigil.
pub(crate) fn word(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { quoted(name) }
}

/// A name with its sigil.
pub(crate) fn sigil(sigil: Sigil, name: &str) -> String {
    format!("{}{}", sigil.char(), word(name))
}

/// The struct types' names as printed.
pub(crate) struct StructNames {
    names: Side<crate::types::StructDef, String>,
}

impl StructNames {
    pub(crate) fn new(types: &Types) -> Self {
        let mut unique = Unique::default();
        let mut names = Side::new("?".to_owned());
        for (id, def) in types.structs.iter() {
            let name = unique.name(&def.name);
            names[id] = if super::parse::is_builtin_type(&name) { quoted(&name) } else { word(&name) };
        }
        Self { names }
    }

    /// A type. Nesting beyond the limit, which only a cycle reaches, prints as `?`.
    pub(crate) fn ty(&self, types: &Types, ty: Type) -> String {
        let (mut open, mut close, mut ty) = (String::new(), String::new(), ty);
        while let Type::Array(id) = ty {
            let Some(def) = types.arrays.get(id).filter(|_| open.len() <= MAX_NESTING) else { break };
            open.push('[');
            close.insert_str(0, &format!("; {}]", def.len));
            ty = def.element;
        }
        let inner = match ty {
            Type::Error | Type::Array(_) => "?".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::Scalar(s) => s.name().to_owned(),
            Type::Vector(s, n) => format!("vec{n}<{}>", s.name()),
            Type::Struct(id) => self.names[id].clone(),
        };
        format!("{open}{inner}{close}")
    }
}

/// Writes the structs of a module.
pub(crate) fn structs(out: &mut String, types: &Types, names: &StructNames) {
    for (id, def) in types.structs.iter() {
        let mut fields = Unique::default();
        let fields: Vec<String> = def
            .fields
            .iter()
            .map(|(name, ty)| format!("{}: {}", word(&fields.name(name)), names.ty(types, *ty)))
            .collect();
        let _ = writeln!(out, "struct {} {{ {} }}", names.names[id], fields.join(", "));
    }
}
