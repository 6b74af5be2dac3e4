//! Whether patterns cover all values of a type, and which they leave out.
//!
//! Values are told apart part by part, from the left. In each part only those matter that some
//! pattern tells apart: one of every constructor, and one of every run of numbers between the ends
//! of ranges. A constant from outside covers nothing, since its value is not known here.

use super::Build;
use super::matching::parts_of;
use crate::hir::{Constructor, Pattern};
use crate::infer::{CaseForm, Field, Ty};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// How many steps are taken before patterns count as too complex.
const MOST_STEPS: usize = 20_000;

/// What is too complex to judge.
struct TooComplex;

impl Build<'_> {
    /// A value that no pattern covers, as one writes it, or `None` if there is none. The patterns
    /// that may fail for other reasons are marked with `false`. `None` at all if something is wrong
    /// with the patterns, which was reported.
    pub(super) fn missing(&mut self, patterns: &[(&Pattern, bool)], ty: &Ty, loc: Loc) -> Option<Option<String>> {
        let mut right = true;
        for (pattern, _) in patterns {
            right &= self.numbers_fit(pattern, ty);
        }
        if !right || *ty == Ty::Error {
            return None;
        }
        let rows = patterns.iter().filter(|(_, alone)| *alone).map(|(pattern, _)| vec![*pattern]).collect();
        let mut search = Search { steps: 0 };
        match search.missing(rows, std::slice::from_ref(ty)) {
            Ok(found) => Some(found.and_then(|parts| parts.into_iter().next())),
            Err(TooComplex) => {
                let message = "these patterns are too complex to tell whether they cover all values";
                self.diags.push(Diag::new(Code::V019, loc, message).help("match in several steps"));
                None
            }
        }
    }

    /// Whether the numbers of a pattern are of the type; reports those that are not.
    fn numbers_fit(&mut self, pattern: &Pattern, ty: &Ty) -> bool {
        match pattern {
            Pattern::Any | Pattern::Constant(_) => true,
            Pattern::Named(_, inner) => self.numbers_fit(inner, ty),
            Pattern::Or(cases) => {
                // All of them are looked at.
                cases.iter().filter(|case| !self.numbers_fit(case, ty)).count() == 0
            }
            Pattern::Made(constructor, parts) => {
                let types = parts_of(*constructor, ty);
                parts.iter().zip(&types).filter(|(part, ty)| !self.numbers_fit(part, ty)).count() == 0
            }
            Pattern::Range(a, b, loc) => {
                let Some(scalar) = ty.scalar() else { return *ty != Ty::Error };
                let (low, high) = scalar.limits();
                let mut fit = true;
                for value in [a, b].into_iter().flatten() {
                    // `..N` was made `..=N - 1`, which may be one below the least.
                    if *value < low - 1 || *value > high {
                        let message = format!("literal `{value}` does not fit `{ty}`");
                        self.diags.push(Diag::new(Code::V103, *loc, message));
                        fit = false;
                    }
                }
                fit
            }
        }
    }
}

struct Search {
    steps: usize,
}

impl Search {
    /// Values, one of each type, that no row of patterns covers, as one writes them.
    fn missing(&mut self, rows: Vec<Vec<&Pattern>>, types: &[Ty]) -> Result<Option<Vec<String>>, TooComplex> {
        self.steps += rows.len() + 1;
        if self.steps > MOST_STEPS {
            return Err(TooComplex);
        }
        let Some((ty, others)) = types.split_first() else {
            return Ok(rows.is_empty().then(Vec::new));
        };
        let mut plain = Vec::new();
        for row in rows {
            let Some((first, rest)) = row.split_first() else { continue };
            spread(first, rest, &mut plain);
        }
        if !plain.iter().any(|row| matches!(row[0], Pattern::Made(..) | Pattern::Range(..))) {
            let rest = plain.iter().filter(|row| matches!(row[0], Pattern::Any)).map(|row| row[1..].to_vec()).collect();
            return Ok(self.missing(rest, others)?.map(|rest| before("_".to_owned(), rest)));
        }
        if let Ty::Enum(def) = ty {
            for number in 0..def.variants.len() {
                let found = self.missing_constructor(&plain, (ty, Constructor::Variant(number)), others)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            return Ok(None);
        }
        if let Ty::Sum(def) = ty {
            for number in 0..def.cases.len() {
                let found = self.missing_constructor(&plain, (ty, Constructor::Variant(number)), others)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            return Ok(None);
        }
        match ty.scalar() {
            Some(scalar) => self.missing_number(&plain, scalar, others),
            None => self.missing_constructor(&plain, (ty, Constructor::Only), others),
        }
    }

    fn missing_constructor(
        &mut self,
        rows: &[Vec<&Pattern>],
        (ty, constructor): (&Ty, Constructor),
        others: &[Ty],
    ) -> Result<Option<Vec<String>>, TooComplex> {
        let parts = parts_of(constructor, ty);
        let mut inside = Vec::new();
        for row in rows {
            let own: Vec<&Pattern> = match row[0] {
                Pattern::Made(of, own) if *of == constructor => own.iter().collect(),
                Pattern::Any => vec![&Pattern::Any; parts.len()],
                _ => continue,
            };
            inside.push([own.as_slice(), &row[1..]].concat());
        }
        let types = [parts.as_slice(), others].concat();
        let Some(mut found) = self.missing(inside, &types)? else { return Ok(None) };
        let rest = found.split_off(parts.len().min(found.len()));
        Ok(Some(before(shown(ty, constructor, &found), rest)))
    }

    fn missing_number(
        &mut self,
        rows: &[Vec<&Pattern>],
        scalar: Scalar,
        others: &[Ty],
    ) -> Result<Option<Vec<String>>, TooComplex> {
        let (low, high) = scalar.limits();
        let of = |pattern: &Pattern| match pattern {
            Pattern::Range(a, b, _) => Some((a.unwrap_or(low), b.unwrap_or(high))),
            Pattern::Any => Some((low, high)),
            _ => None,
        };
        // Between two of these numbers no pattern tells anything apart.
        let mut starts = vec![low];
        for (a, b) in rows.iter().filter_map(|row| of(row[0])) {
            starts.extend([a, b.saturating_add(1)]);
        }
        starts.retain(|start| (low..=high).contains(start));
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            let covers = |row: &&Vec<&Pattern>| of(row[0]).is_some_and(|(a, b)| (a..=b).contains(&start));
            let rest = rows.iter().filter(covers).map(|row| row[1..].to_vec()).collect();
            if let Some(rest) = self.missing(rest, others)? {
                let value = if scalar == Scalar::Bool { (start != 0).to_string() } else { start.to_string() };
                return Ok(Some(before(value, rest)));
            }
        }
        Ok(None)
    }
}

/// Rows that begin with a pattern that is neither a name nor a choice.
fn spread<'p>(first: &'p Pattern, rest: &[&'p Pattern], rows: &mut Vec<Vec<&'p Pattern>>) {
    match first {
        Pattern::Named(_, inner) => spread(inner, rest, rows),
        Pattern::Or(cases) => cases.iter().for_each(|case| spread(case, rest, rows)),
        first => rows.push([&[first], rest].concat()),
    }
}

fn before(first: String, mut rest: Vec<String>) -> Vec<String> {
    rest.insert(0, first);
    rest
}

/// A value as one writes it.
fn shown(ty: &Ty, constructor: Constructor, parts: &[String]) -> String {
    if let (Ty::Enum(def), Constructor::Variant(number)) = (ty, constructor) {
        let variant = def.variants.get(number).map_or("_", |variant| variant.name.as_str());
        return format!("{}::{variant}", def.name);
    }
    if let (Ty::Sum(def), Constructor::Variant(number)) = (ty, constructor) {
        let path = def.path(number);
        return match def.cases.get(number) {
            Some(case) if case.form == CaseForm::Tuple => format!("{path}({})", parts.join(", ")),
            Some(case) if case.form == CaseForm::Named => format!("{path} {{ {} }}", named(&case.fields, parts)),
            _ => path,
        };
    }
    match ty {
        Ty::Tuple(_) if parts.len() == 1 => format!("({},)", parts[0]),
        Ty::Array(..) => format!("[{}]", parts.join(", ")),
        Ty::Struct(def) if def.tuple => format!("{}({})", def.name, parts.join(", ")),
        Ty::Struct(def) => format!("{} {{ {} }}", def.name, named(&def.fields, parts)),
        _ => format!("({})", parts.join(", ")),
    }
}

/// Fields with their parts, as one writes them.
fn named(fields: &[Field], parts: &[String]) -> String {
    let named: Vec<String> = fields.iter().zip(parts).map(|(field, part)| format!("{}: {part}", field.name)).collect();
    named.join(", ")
}
