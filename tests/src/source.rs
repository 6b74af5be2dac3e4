//! Just enough Rust to look at source text: comments and literals blanked, test modules
//! cut off, paths found.
//!
//! Nothing here parses Rust properly. It sees what formatted code of this repository can
//! contain, which is all that the gates in [`tidy`](crate::tidy) need.

/// The text with comments, strings and character literals replaced by spaces; lines stay.
///
/// ```
/// use samebits_tests::source::blank;
/// assert_eq!(blank("a // b\n\"c\" 'd' 'e"), "a     \n        'e");
/// ```
pub fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| string(rest, &out)).or_else(|| character(rest));
        match skipped {
            Some(len) => out.extend(rest[..len].chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
            None => out.push(first),
        }
        rest = &rest[skipped.unwrap_or(first.len_utf8())..];
    }
    out
}

/// The length of the comment that starts here.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.starts_with("/*").then(|| rest.find("*/").map_or(rest.len(), |end| end + 2))
}

/// The length of the string that starts here, after what is already out.
fn string(rest: &str, before: &str) -> Option<usize> {
    let in_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).filter(|_| !in_word);
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let start = rest.len() - raw.len() + hashes + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            return Some(rest[start..].find(&close).map_or(rest.len(), |end| start + end + close.len()));
        }
    }
    if !rest.starts_with('"') {
        return None;
    }
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(i + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// The length of the character literal that starts here; `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' {
        return inside.get(2..)?.find('\'').map(|end| end + 4);
    }
    inside[first.len_utf8()..].starts_with('\'').then(|| first.len_utf8() + 2)
}

/// The text before the module of tests, which stands at the end of a file.
///
/// ```
/// use samebits_tests::source::without_tests;
/// assert_eq!(without_tests("fn f() {}\n#[cfg(test)]\nmod tests {\n}\n"), "fn f() {}\n");
/// ```
pub fn without_tests(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests {").map_or(text, |start| &text[..start])
}

/// The first segments after each `prefix::` in blanked code, with groups taken apart.
///
/// ```
/// use samebits_tests::source::segments;
/// assert_eq!(segments("use crate::{ir::{A, B}, ops};\ncrate::loc::Loc", "crate"), ["ir", "ops", "loc"]);
/// ```
pub fn segments(code: &str, prefix: &str) -> Vec<String> {
    let start = format!("{prefix}::");
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&start) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_heads(group)),
            None => found.extend(head(rest)),
        }
    }
    found
}

/// The identifier at the start.
fn head(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    (len > 0).then(|| rest[..len].to_owned())
}

/// The first identifiers of the entries of a `use` group, which ends at its brace.
fn group_heads(group: &str) -> Vec<String> {
    let (mut heads, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                heads.extend(head(&group[start..i]));
                start = i + 1;
            }
            '}' => {
                heads.extend(head(&group[start..i]));
                break;
            }
            _ => {}
        }
    }
    heads
}
