//! Names that somebody may have meant: what error messages suggest for one that does not exist.

/// A help with up to three of the names that are near to this one, the nearest first.
///
/// ```
/// use samebits_ir::nearest::nearest;
/// let names = ["saxpy", "reduce", "scale"];
/// assert_eq!(nearest("saxpi", names.into_iter(), "()").as_deref(), Some("there is `saxpy()`"));
/// assert_eq!(nearest("sort", names.into_iter(), ""), None);
/// ```
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>, after: &str) -> Option<String> {
    let mut near: Vec<(usize, &str)> = names.filter_map(|other| Some((distance(name, other)?, other))).collect();
    near.sort_unstable();
    near.dedup();
    let least = near.first()?.0;
    near.retain(|&(far, _)| far == least || least >= PREFIX);
    let shown: Vec<String> = near.iter().take(3).map(|(_, other)| format!("`{other}{after}`")).collect();
    Some(match shown.as_slice() {
        [one] => format!("there is {one}"),
        [one, two] => format!("there are {one} and {two}"),
        [first, .., last] => {
            let between: String = shown[1..shown.len() - 1].iter().map(|one| format!(", {one}")).collect();
            format!("there are {first}{between} and {last}")
        }
        [] => return None,
    })
}

/// The distance of two names if one is a prefix of the other.
const PREFIX: usize = 100;

/// How far two names are apart, or `None` if nobody would mistake them for each other.
///
/// Near are names a few edits apart, names of the same words but for abbreviated ones
/// (`sat_add`), and last those that begin alike (`dot4`).
fn distance(name: &str, other: &str) -> Option<usize> {
    const LONGEST: usize = 40;
    if name.len() > LONGEST || name.len() < 3 || name == other {
        return None;
    }
    let edits = edits(name.as_bytes(), other.as_bytes());
    if edits <= (name.len().max(other.len()) / 3).min(3) {
        return Some(edits);
    }
    let (words, others) = (name.split('_'), other.split('_'));
    let abbreviates = |(a, b): (&str, &str)| a.len() >= 2 && (b.starts_with(a) || a.starts_with(b) && b.len() >= 2);
    if words.clone().count() == others.clone().count() && words.count() > 1 {
        let pairs = name.split('_').zip(others);
        if pairs.clone().all(abbreviates) {
            return Some(4);
        }
    }
    let begins = other.starts_with(name) || name.starts_with(other) && other.len() >= 4;
    begins.then(|| PREFIX + edits)
}

/// The number of letters to insert, drop or replace.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
