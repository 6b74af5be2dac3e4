//! The lists of other systems' operations are complete, and their expansions do what they say.

use samebits_ir::check::check;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::text;
use samebits_tests::systems::{Here, SYSTEMS, Text, dxbc, gir, nir, page, vyre};
use std::collections::BTreeSet;

/// Runs an expansion on literals and gives the value as one.
fn run(text: &Text, arguments: &str) -> String {
    let (operands, result) = text.types.split_once(" -> ").expect("types have an arrow");
    let names = ["%a", "%b", "%c", "%d"];
    let params: Vec<String> = operands.split(", ").zip(names).map(|(ty, name)| format!("{name}: {ty}")).collect();
    let body = text.text.replace("; ", "\n");
    let source = format!(
        "func kernel workgroup_size(1, 1, 1) @t({}, @r: mut [{result}]) {{\n{body}\nstore @r, %r\nret\n}}",
        params.join(", ")
    );
    let module = text::parse(&source).unwrap_or_else(|diags| panic!("{source}: {:?}", diags.as_slice()));
    let checked = check(module).unwrap_or_else(|diags| panic!("{source}: {:?}", diags.as_slice()));
    let program = Program::new(&checked, 0).expect("there is one kernel");
    let literals = arguments.split(", ").map(|argument| text::parse_literal(argument).expect(argument));
    let values: Vec<_> = literals.map(|(_, bits)| Arg::Scalar([bits, 0, 0, 0])).collect();
    assert_eq!(values.len(), params.len(), "{source}");
    let words = Words::zeroed(8);
    let args: Vec<_> = values.into_iter().chain([Arg::Buffer { words: &words, offset: 0, len: 1 }]).collect();
    program.run([1, 1, 1], &args, &Options::default()).expect("no fault");
    let ty = samebits_ir::types::Scalar::from_name(result).expect("a scalar");
    let bytes = words.read(0..8);
    let bits = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    text::print_literal(ty, bits & ty.mask())
}

#[test]
fn every_expansion_has_the_values_of_its_probes() {
    let mut probes = 0;
    for system in SYSTEMS {
        for (name, here) in system.entries {
            let Here::Text(text) = here else { continue };
            assert!(!text.probes.is_empty(), "{name}");
            for (arguments, expected) in text.probes {
                let (ty, bits) = text::parse_literal(expected).expect(expected);
                assert_eq!(
                    run(text, arguments),
                    text::print_literal(ty, bits),
                    "{} {name} of {arguments}",
                    system.name
                );
                probes += 1;
            }
        }
    }
    assert!(probes >= 100, "{probes}");
}

#[test]
fn every_operation_of_the_systems_is_listed() {
    for (system, names) in SYSTEMS.iter().zip([nir::NAMES, dxbc::NAMES, gir::NAMES, vyre::NAMES]) {
        let listed: BTreeSet<&str> = system.entries.iter().flat_map(|(name, _)| name.split(", ")).collect();
        let missing: Vec<&str> = names.split_whitespace().filter(|name| !listed.contains(name)).collect();
        assert!(missing.is_empty(), "{} lacks {missing:?}", system.name);
        let count = system.entries.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len();
        assert_eq!(count, system.entries.len(), "{} lists something twice", system.name);
    }
}

#[test]
fn the_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/reference/systems.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/src/reference/systems.md is stale: BLESS=1 cargo test -p samebits-tests --test systems"
    );
}
