//! What comparisons say about sums and other comparisons, and what they do not.

use super::tests::Found;

/// The verdicts of the accesses of a kernel with these lines in it.
fn verdicts(lines: &str) -> Vec<String> {
    let source = format!(
        "func kernel workgroup_size(64, 1, 1) @k(%a: u32, %b: u32, %i: u32, %n: u32, @x: [u32], @y: mut [u32]) {{
            %len = len @x
            {lines}
            ret
        }}"
    );
    Found::of(&source).verdicts()
}

/// The same where `i` is below `count`.
fn below(count: &str, lines: &str) -> Vec<String> {
    verdicts(&format!("{count} %c = lt %i, %count if %c {{ {lines} yield }} else {{ yield }}"))
}

#[test]
fn a_start_and_what_is_below_the_rest_are_within() {
    let rest = "%most = max %len, %a %count = sub %most, %a";
    let at = "%at = add %a, %i %v = load u32 @x[%at]";
    assert_eq!(below(rest, at), ["proven"]);
    assert_eq!(below(rest, "%at = add %i, %a %v = load u32 @x[%at]"), ["proven"]);
    let part = "%end = min %b, %len %most = max %a, %end %count = sub %most, %a";
    assert_eq!(below(part, at), ["proven"]);
    let counted = "%most = max %len, %a %rest = sub %most, %a %count = min %n, %rest";
    assert_eq!(below(counted, at), ["proven"]);
    let ordered = "%low = min %a, %len %count = sub %len, %low";
    assert_eq!(below(ordered, "%at = add %low, %i %v = load u32 @x[%at]"), ["proven"]);
}

#[test]
fn a_part_of_a_part_is_within() {
    let parts = "%m = max %len, %a %outer = sub %m, %a %e = min %n, %outer %o = max %e, %b %count = sub %o, %b";
    assert_eq!(below(parts, "%from = add %a, %b %at = add %from, %i %v = load u32 @x[%at]"), ["proven"]);
    // Counted from elsewhere it is not.
    let at = "%from = add %a, %n %at = add %from, %i %v = load u32 @x[%at]";
    assert_ne!(below(parts, at), ["proven"]);
}

/// The verdict of an access at what some lines say, where `i` is below `count`.
fn at(count: &str, lines: &str) -> String {
    below(count, &format!("{lines} %v = load u32 @x[%at]")).remove(0)
}

#[test]
fn what_stands_in_a_chunk_is_within_the_whole() {
    for count in ["%count = div %len, %n", "%all = min %len, %a %count = div %all, %n"] {
        let within =
            "%w = lt %b, %n if %w { %k = mul %i, %n %at = add %k, %b %v = load u32 @x[%at] yield } else { yield }";
        assert_eq!(below(count, within), ["proven"]);
        assert_eq!(below(count, &within.replace("%i, %n", "%n, %i").replace("%k, %b", "%b, %k")), ["proven"]);
        assert_eq!(at(count, "%at = mul %i, %n"), "proven");
        assert_ne!(at(count, "%at = mul %i, %b"), "proven");
        assert_ne!(below(count, &within.replace("lt %b", "le %b")), ["proven"]);
        assert_ne!(below(count, &within.replace("mul %i, %n", "mul %i, %a")), ["proven"]);
    }
    // Of a part, with a known length, by products and by shifts.
    let part = "%most = max %len, %a %rest = sub %most, %a %all = min %n, %rest";
    for (count, start) in [("div %all, 4u32", "mul %i, 4u32"), ("shr %all, 2u32", "shl %i, 2u32")] {
        let count = format!("{part} %count = {count}");
        let summed = |by: u32| format!("%k = {start} %from = add %a, %k %at = add %from, {by}u32");
        assert_eq!([at(&count, &summed(0)), at(&count, &summed(3))], ["proven", "proven"]);
        assert_eq!(at(&count, &format!("%k = {start} %at = add %a, %k")), "proven");
        assert_ne!(at(&count, &summed(4)), "proven");
        assert_eq!(at(&count, &format!("%k = {start} %from = add %k, 3u32 %at = add %a, %from")), "proven");
        assert_ne!(at(&count, &format!("%k = {start} %from = add %k, 3u32 %at = add %b, %from")), "proven");
    }
    assert_ne!(at("%count = div %len, 3u32", "%k = mul %i, 4u32 %at = add %k, 2u32"), "proven");
    assert_ne!(at("%count = div_ceil %len, %n", "%k = mul %i, %n %at = add %k, 0u32"), "proven");
}

#[test]
fn what_stands_in_a_window_is_within_the_whole() {
    let known = "%most = max %len, 2u32 %count = sub %most, 2u32";
    assert_eq!(below(known, "%v = load u32 @x[%i]"), ["proven"]);
    assert_eq!([0, 1, 2].map(|by| at(known, &format!("%at = add %i, {by}u32"))), ["proven"; 3]);
    assert_ne!(at(known, "%at = add %i, 3u32"), "proven");
    let open = "%less = sub %n, 1u32 %most = max %len, %less %count = sub %most, %less";
    let within = "%w = lt %b, %n if %w { %at = add %i, %b %v = load u32 @x[%at] yield } else { yield }";
    assert_eq!(below(open, within), ["proven"]);
    assert_ne!(below(open, &within.replace("lt %b", "le %b")), ["proven"]);
}

#[test]
fn a_difference_that_may_wrap_says_nothing() {
    let at = "%at = add %a, %i %v = load u32 @x[%at]";
    assert_ne!(below("%count = sub %len, %a", at), ["proven"]);
    assert_ne!(below("%most = max %n, %a %count = sub %most, %a", at), ["proven"]);
    assert_ne!(below("%most = max %len, %b %count = sub %most, %b", at), ["proven"]);
    let not_strict = "%most = max %len, %a %count = sub %most, %a %c = le %i, %count if %c {
        %at = add %a, %i %v = load u32 @x[%at] yield } else { yield }";
    assert_ne!(verdicts(not_strict), ["proven"]);
    let otherwise = "%most = max %len, %a %count = sub %most, %a %c = lt %i, %count if %c { yield } else {
        %at = add %a, %i %v = load u32 @x[%at] yield }";
    assert_ne!(verdicts(otherwise), ["proven"]);
}

#[test]
fn a_comparison_that_was_made_is_known() {
    let count = "%most = max %len, %a %count = sub %most, %a";
    for (again, known) in [
        ("%d = lt %i, %count", true),
        ("%d = gt %count, %i", true),
        ("%d = le %i, %count", true),
        ("%e = ge %i, %count %d = not %e", true),
        ("%e = lt %count, %i %d = not %e", true),
        ("%d = lt %i, %n", false),
    ] {
        // Only where it holds the index is out of bounds.
        let lines = format!("{again} %far = select %d, 0u32, %n %v = load u32 @y[%far]");
        let expected = if known { "y.len() >= 1" } else { "" };
        let found = below(count, &lines);
        assert_eq!(found == [expected], known, "{again}: {found:?}");
    }
}
