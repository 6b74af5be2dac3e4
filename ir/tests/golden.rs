//! Files of the binary form that stay readable and stay what they are, and the numbers in
//! them and of the library's routines, none of which ever changes its meaning.
//!
//! Beside each `.sbir` lies its text. With `BLESS=1` a missing `.sbir` is written and new
//! numbers are added to the list; what is there already is never rewritten.

use samebits_ir::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use samebits_ir::soft::Routine;
use samebits_ir::types::Scalar;
use samebits_ir::{text, wire};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

#[test]
fn files_mean_their_texts_and_texts_make_their_files() {
    let mut seen = 0;
    for entry in fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "gir") {
            continue;
        }
        let name = path.display();
        let source = fs::read_to_string(&path).expect("a text");
        let bytes = wire::encode(&text::parse(&source).expect("a module"));
        let pinned = path.with_extension("sbir");
        if bless() && !pinned.exists() {
            fs::write(&pinned, &bytes).expect("written");
        }
        let pinned = fs::read(&pinned).expect("the bytes beside it; BLESS=1 writes them");
        assert!(bytes == pinned, "{name} has other bytes than before");
        assert_eq!(text::print(&wire::decode(&pinned).expect("a module")), source, "{name}");
        seen += 1;
    }
    assert!(seen >= 2);
}

/// Every frozen number, by kind and name.
fn numbers() -> BTreeMap<String, i64> {
    let mut numbers = BTreeMap::new();
    let mut put = |kind: &str, name: &str, number: i64| {
        assert_eq!(numbers.insert(format!("{kind} {name}"), number), None, "{kind} {name} occurs twice");
    };
    Op::ALL.iter().for_each(|op| put("op", op.info().name, op.info().number.into()));
    AtomicOp::ALL.iter().for_each(|op| put("atomic", op.name(), op.number().into()));
    SubgroupOp::ALL.iter().for_each(|op| put("subgroup", op.name(), op.number().into()));
    Builtin::ALL.iter().for_each(|builtin| put("builtin", builtin.name(), builtin.number().into()));
    Scalar::ALL.iter().enumerate().for_each(|(number, scalar)| put("scalar", scalar.name(), number as i64));
    Routine::ALL.iter().for_each(|it| put("routine", it.info().name, it.info().number.into()));
    wire::INSTRUCTIONS.iter().for_each(|&(name, number)| put("instruction", name, number));
    numbers
}

#[test]
fn no_number_changes_its_meaning() {
    let path = folder().join("numbers.txt");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let parse = |line: &str| {
        let (name, number) = line.rsplit_once(' ').expect("a kind, a name and a number");
        (name.to_owned(), number.parse::<i64>().expect("a number"))
    };
    let pinned: BTreeMap<String, i64> = text.lines().map(parse).collect();
    let numbers = numbers();
    for (name, number) in &pinned {
        assert_eq!(numbers.get(name), Some(number), "`{name}` had the number {number}");
    }
    if bless() {
        let lines = numbers.iter().map(|(name, number)| format!("{name} {number}\n"));
        fs::write(&path, lines.collect::<String>()).expect("written");
        return;
    }
    let new: Vec<&String> = numbers.keys().filter(|name| !pinned.contains_key(*name)).collect();
    assert!(new.is_empty(), "numbers that are not in numbers.txt, where BLESS=1 adds them: {new:?}");
}

#[test]
fn no_two_things_of_a_kind_have_one_number() {
    let mut seen = BTreeMap::new();
    for (name, number) in numbers() {
        let kind = name.split(' ').next().unwrap_or_default().to_owned();
        // Ops and instructions share a field.
        let kind = if kind == "op" { "instruction".to_owned() } else { kind };
        let before = seen.insert((kind, number), name.clone());
        assert_eq!(before, None, "{name} has the number {number} too");
    }
}
