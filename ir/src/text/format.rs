//! The canonical text of a text, with its comments.
//!
//! A module has no comments, so they are inserted into the printer's output. A comment belongs
//! to the last thing that begins before it (an instruction, a declaration, a function), and to
//! the closing brace between the two, if there is one. Every comment is kept, once, in order.

use super::lex::{Tok, Token, lex};
use super::{parse, print};
use crate::diag::{Code, Diag, Diags};

/// A comment of the source.
struct Comment<'s> {
    text: &'s str,
    start: usize,
    /// Whether it has a line of its own.
    alone: bool,
    /// Whether an empty line follows it.
    spaced: bool,
}

/// A line of the output with the comments after it.
struct Line<'p> {
    text: &'p str,
    start: usize,
    trailing: Vec<&'p str>,
    below: Vec<(&'p str, bool)>,
}

impl Line<'_> {
    fn closes(&self) -> bool {
        self.text.trim_start().starts_with('}')
    }
}

pub(super) fn format(source: &str) -> Result<String, Diags> {
    let (module, blocks) = parse::read(source)?;
    if let Some(loc) = blocks {
        let message = "a function in block form has no canonical text";
        let mut diags = Diags::new();
        diags.push(Diag::new(Code::V700, loc, message).help("`samebits emit text` prints it in structured form"));
        return Err(diags);
    }
    let printed = print::module(&module);
    let tokens = lex(source, &mut Diags::new());
    let comments = comments(source, &tokens);
    if comments.is_empty() {
        return Ok(printed.text);
    }
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    for text in printed.text.split_inclusive('\n') {
        lines.push(Line { text: text.trim_end_matches('\n'), start: at, trailing: Vec::new(), below: Vec::new() });
        at += text.len();
    }
    let anchors = anchors(&tokens, &lines, &printed.marks);
    // What stands before everything else.
    let mut above = Vec::new();
    for comment in &comments {
        let next = anchors.partition_point(|&(place, _)| place < comment.start);
        let Some(&(place, line)) = next.checked_sub(1).and_then(|last| anchors.get(last)) else {
            above.push((comment.text, comment.spaced));
            continue;
        };
        let end = anchors.get(next).map_or(lines.len(), |&(_, line)| line);
        let braces = closing_braces(&tokens, place, comment.start);
        let owner = owner(&lines, line, end, braces);
        if let Some(line) = lines.get_mut(owner) {
            if !comment.alone && line.trailing.is_empty() && line.below.is_empty() {
                line.trailing.push(comment.text);
            } else {
                line.below.push((comment.text, comment.spaced));
            }
        }
    }
    Ok(assemble(&above, &lines))
}

/// The comments of a text, which are what its tokens leave out.
fn comments<'s>(source: &'s str, tokens: &[Token<'s>]) -> Vec<Comment<'s>> {
    let mut found = Vec::new();
    let mut at = 0;
    for token in tokens {
        let gap = source.get(at..token.start).unwrap_or_default();
        let mut offset = at;
        for (i, line) in gap.split_inclusive('\n').enumerate() {
            let text = line.trim();
            if !text.is_empty() {
                let start = offset + (line.len() - line.trim_start().len());
                let rest = source.get(offset + line.len()..).unwrap_or_default();
                let spaced = rest.lines().next().is_some_and(|next| next.trim().is_empty());
                found.push(Comment { text, start, alone: i > 0 || at == 0, spaced });
            }
            offset += line.len();
        }
        at = token.start + token.text.len();
    }
    found
}

/// Places in the source with the output's line about each, in order of both.
fn anchors(tokens: &[Token<'_>], lines: &[Line<'_>], marks: &[(usize, crate::loc::Loc)]) -> Vec<(usize, usize)> {
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0usize;
    for token in tokens {
        match token.tok {
            Tok::Punct('{') => depth += 1,
            Tok::Punct('}') => depth = depth.saturating_sub(1),
            // Structs come first in the output, one a line, in the order of the source.
            Tok::Word("struct") if depth == 0 => anchors.push((token.start, anchors.len())),
            _ => {}
        }
    }
    let printed = lines.iter().take_while(|line| line.text.starts_with("struct ")).count();
    anchors.truncate(printed);
    let line_of = |start: usize| lines.partition_point(|line| line.start <= start).saturating_sub(1);
    let marked = marks.iter().filter_map(|&(start, loc)| Some((loc.index()? as usize, line_of(start))));
    anchors.extend(marked);
    anchors.sort_by_key(|&(place, _)| place);
    anchors
}

/// How many blocks end between two places.
fn closing_braces(tokens: &[Token<'_>], from: usize, to: usize) -> usize {
    let first = tokens.partition_point(|token| token.start < from);
    let between = tokens.iter().skip(first).take_while(|token| token.start < to);
    between.filter(|token| token.tok == Tok::Punct('}')).count()
}

/// The line after `line` that closes so many blocks, before `end`.
fn owner(lines: &[Line<'_>], line: usize, end: usize, braces: usize) -> usize {
    let between = lines.iter().enumerate().take(end).skip(line + 1);
    between.filter(|(_, line)| line.closes()).map(|(i, _)| i).take(braces).last().unwrap_or(line)
}

fn assemble(above: &[(&str, bool)], lines: &[Line<'_>]) -> String {
    let mut out = String::new();
    let mut put = |text: &str, indent: usize| {
        out.push_str(&" ".repeat(indent));
        out.push_str(text);
        out.push('\n');
    };
    for &(comment, spaced) in above {
        put(comment, 0);
        if spaced && !lines.is_empty() {
            put("", 0);
        }
    }
    let mut held: &[(&str, bool)] = &[];
    for (i, line) in lines.iter().enumerate() {
        let mut text = line.text.to_owned();
        for comment in &line.trailing {
            text.push(' ');
            text.push_str(comment);
        }
        put(&text, 0);
        for &(comment, spaced) in held {
            put(comment, 0);
            if spaced && i + 1 < lines.len() {
                put("", 0);
            }
        }
        held = &[];
        let next = lines.get(i + 1);
        if next.is_some_and(|next| next.text.is_empty()) {
            // Between functions, a comment is about the next one.
            held = &line.below;
            continue;
        }
        let indent = |line: &Line<'_>| line.text.len() - line.text.trim_start().len();
        let depth = next.map_or(0, |next| indent(next) + if next.closes() { 2 } else { 0 });
        for &(comment, spaced) in &line.below {
            put(comment, depth);
            if spaced && depth == 0 && next.is_some() {
                put("", 0);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn comments_stay_with_what_they_follow() {
        let source = "\
; a file

; a pair
struct Pair { a: u32, b: u32 } ; two
; the kernel
func kernel workgroup_size(1, 1, 1) @k(%n: u32) { ; begins
  ; first
  %a = add %n, 1u32 ; more
  if %n_is { ; never
    barrier
    ; last of it
  } ; over
  ; and
  ret
} ; ends
; between

; before
func kernel workgroup_size(1, 1, 1) @j() {
  ret
}
; the end
"
        .replace("  if %n_is", "  %n_is = eq %a, %n\n  if %n_is");
        // Between the structs and the functions there is an empty line.
        let tidy = source.replace("; two\n", "; two\n\n").replace("; between\n", "\n; between\n");
        assert_eq!(format(&source).unwrap(), tidy);
        assert_eq!(format(&tidy).unwrap(), tidy);
    }

    #[test]
    fn a_comment_inside_of_an_instruction_follows_it() {
        let source = "func kernel workgroup_size(1, 1, 1) @k(%n: u32, ; n\n%m: u32) {\n%a = add ; add\n %n, %m\nret\n}";
        let tidy =
            "func kernel workgroup_size(1, 1, 1) @k(%n: u32, %m: u32) { ; n\n  %a = add %n, %m ; add\n  ret\n}\n";
        assert_eq!(format(source).unwrap(), tidy);
    }

    #[test]
    fn what_is_wrong_is_not_formatted() {
        assert!(format("func ; what\n").is_err());
    }
}
