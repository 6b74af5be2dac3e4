//! Barriers in control flow of all sorts, and who accepts them.
//!
//! The bodies stand in a kernel of eight invocations with the argument `%n`, buffers `@ro`,
//! `@rw` and `@at`, workgroup memory `@tile`, a private array `@own`, variables `$v` and `$w`;
//! `%few` differs between invocations and `%all` does not. Helpers stand after `---`.

/// Who accepts a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Tint and the checks.
    Accepted,
    /// Neither.
    Refused,
    /// The checks alone, and why they may.
    Ours(&'static str),
}

use Verdict::{Accepted, Ours, Refused};

/// The name, the body and the verdict of each.
pub const SHAPES: &[(&str, &str, Verdict)] = &[
    ("alone", "  barrier", Accepted),
    ("under an argument", "  %c = lt 3u32, %n\n  if %c {\n    barrier\n  }", Accepted),
    ("under a group's id", "  if %all {\n    barrier\n  }", Accepted),
    ("under a local id", "  if %few {\n    barrier\n  }", Refused),
    ("under a global id", "  %c = lt %i, %n\n  if %c {\n    barrier\n  }", Refused),
    ("in the other arm", "  if %few {\n  } else {\n    barrier\n  }", Refused),
    ("in both arms", "  if %few {\n    barrier\n  } else {\n    barrier\n  }", Refused),
    ("after a branch", "  if %few {\n    store @rw[%i], 1u32\n  }\n  barrier", Accepted),
    ("after an early return", "  if %few {\n    ret\n  }\n  barrier", Refused),
    ("after a return of whole groups", "  if %all {\n    ret\n  }\n  barrier", Accepted),
    ("after a return of both arms' one", "  if %all {\n    if %few {\n      ret\n    }\n  }\n  barrier", Refused),
    ("under a length", "  %m = len @rw\n  %c = lt 3u32, %m\n  if %c {\n    barrier\n  }", Accepted),
    ("under what is only read", "  %x = load u32 @ro[%g]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }", Accepted),
    (
        "under what is only read, each its own",
        "  %x = load u32 @ro[%i]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    ("under what is written", "  %x = load u32 @rw[%g]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }", Refused),
    (
        "under an atomic load",
        "  %x = atomic.load u32 @at[0u32]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "under an atomic's old value",
        "  %x = atomic.add @at[0u32], 1u32\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "under workgroup memory",
        "  store @tile[%l], %l\n  barrier\n  %x = load u32 @tile[0u32]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Ours("nobody writes there between the barrier and the load; Tint takes all of workgroup memory to differ"),
    ),
    (
        "under workgroup memory that is written meanwhile",
        "  store @tile[%l], %l\n  barrier\n  store @tile[%l], %n\n  %x = load u32 @tile[0u32]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "under a broadcast",
        "  store @tile[%l], %l\n  barrier\n  %x = load u32 @tile[0u32]\n  barrier\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Accepted,
    ),
    (
        "under a broadcast of a group's place",
        "  store @tile[%l], %l\n  barrier\n  %x = load u32 @tile[%n]\n  barrier\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Accepted,
    ),
    (
        "under a broadcast of each one's place",
        "  store @tile[%l], %l\n  barrier\n  %x = load u32 @tile[%l]\n  barrier\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "a value chosen by some",
        "  %x = select %few, 1u32, 2u32\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "a value merged under divergence",
        "  %x = if %few -> u32 {\n    yield 1u32\n  } else {\n    yield 2u32\n  }\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "one value merged under divergence",
        "  %x = if %few -> u32 {\n    yield %n\n  } else {\n    yield %n\n  }\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        // Folding leaves no merge in what Tint sees.
        Accepted,
    ),
    (
        "a variable set by some",
        "  if %few {\n    set $v, 1u32\n  }\n  %x = get $v\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "a variable set by all after some",
        "  if %few {\n    set $v, 1u32\n  }\n  set $v, 2u32\n  %x = get $v\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Accepted,
    ),
    (
        "an array with a place of each one's",
        "  store @own[0u32], %l\n  %x = load u32 @own[0u32]\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "an array that all fill alike",
        "  store @own[1u32], %n\n  %x = load u32 @own[1u32]\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }",
        Accepted,
    ),
    (
        "an array that some fill",
        "  if %few {\n    store @own[1u32], 1u32\n  }\n  %x = load u32 @own[1u32]\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Refused,
    ),
    (
        "a switch on an argument",
        "  switch %n {\n    case 1u32 {\n      barrier\n    }\n    default {\n    }\n  }",
        Accepted,
    ),
    (
        "a switch on a local id",
        "  switch %l {\n    case 1u32 {\n      barrier\n    }\n    default {\n    }\n  }",
        Refused,
    ),
    (
        "after a switch of which a case returns",
        "  switch %l {\n    case 1u32 {\n      ret\n    }\n    default {\n    }\n  }\n  barrier",
        Refused,
    ),
    (
        "a loop of as many rounds for all",
        "  loop 'a (%j: u32 = 0u32) {\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    barrier\n    %k = add %j, 1u32\n    continue 'a %k\n  }",
        Accepted,
    ),
    (
        "a loop of each one's rounds",
        "  loop 'a (%j: u32 = 0u32) {\n    %c = lt %j, %l\n    if %c {\n    } else {\n      break 'a\n    }\n    barrier\n    %k = add %j, 1u32\n    continue 'a %k\n  }",
        Refused,
    ),
    (
        "after a loop of each one's rounds",
        "  loop 'a (%j: u32 = 0u32) {\n    %c = lt %j, %l\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    continue 'a %k\n  }\n  barrier",
        Accepted,
    ),
    (
        "the round in which each one left",
        "  %r = loop 'a (%j: u32 = 0u32) -> u32 {\n    %c = lt %j, %l\n    if %c {\n    } else {\n      break 'a %j\n    }\n    %k = add %j, 1u32\n    continue 'a %k\n  }\n  %d = lt %r, %n\n  if %d {\n    barrier\n  }",
        Refused,
    ),
    (
        "a variable of the round in which each one left",
        "  loop 'a (%j: u32 = 0u32) {\n    set $v, %j\n    %c = lt %j, %l\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    continue 'a %k\n  }\n  %r = get $v\n  %d = lt %r, %n\n  if %d {\n    barrier\n  }",
        Refused,
    ),
    (
        "a barrier before some leave",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    %c = lt %j, %l\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    continue 'a %k\n  }",
        Refused,
    ),
    (
        "a barrier before some return",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %e = lt %l, %j\n    if %e {\n      ret\n    }\n    %k = add %j, 1u32\n    continue 'a %k\n  }",
        Refused,
    ),
    (
        "a barrier before some start again",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    if %few {\n      continue 'a %k\n    }\n    store @rw[%i], 1u32\n    continue 'a %k\n  }",
        Ours(
            "who starts the next round early meets the others at its start; to Tint a loop diverges with its continues",
        ),
    ),
    (
        "a barrier after some started again",
        "  loop 'a (%j: u32 = 0u32) {\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    if %few {\n      continue 'a %k\n    }\n    barrier\n    continue 'a %k\n  }",
        Refused,
    ),
    (
        "rounds that some count by two",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %k = add %j, 1u32\n    if %few {\n      continue 'a %k\n    }\n    %m = add %j, 2u32\n    continue 'a %m\n  }",
        Refused,
    ),
    (
        "a condition from the round before",
        "  loop 'a (%j: u32 = 0u32, %x: u32 = 0u32) {\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %d = lt %x, 3u32\n    if %d {\n      barrier\n    }\n    %k = add %j, 1u32\n    continue 'a %k, %l\n  }",
        Refused,
    ),
    (
        "a condition from two rounds before",
        "  loop 'a (%j: u32 = 0u32, %x: u32 = 0u32, %y: u32 = 0u32) {\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    %d = lt %x, 3u32\n    if %d {\n      barrier\n    }\n    %k = add %j, 1u32\n    continue 'a %k, %y, %l\n  }",
        Refused,
    ),
    (
        "an inner loop that some leave",
        "  loop 'a (%j: u32 = 0u32) {\n    %c = lt %j, %n\n    if %c {\n    } else {\n      break 'a\n    }\n    loop 'b (%s: u32 = 0u32) {\n      %d = lt %s, %l\n      if %d {\n      } else {\n        break 'b\n      }\n      %t = add %s, 1u32\n      continue 'b %t\n    }\n    barrier\n    %k = add %j, 1u32\n    continue 'a %k\n  }",
        Accepted,
    ),
    (
        "an outer loop that some leave from the inner one",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    loop 'b (%s: u32 = 0u32) {\n      %d = lt %s, %n\n      if %d {\n      } else {\n        break 'b\n      }\n      %e = lt %l, %s\n      if %e {\n        break 'a\n      }\n      %t = add %s, 1u32\n      continue 'b %t\n    }\n    %k = add %j, 1u32\n    %f = lt %k, %n\n    if %f {\n      continue 'a %k\n    }\n    break 'a\n  }",
        Refused,
    ),
    (
        "an outer loop that all leave from the inner one",
        "  loop 'a (%j: u32 = 0u32) {\n    barrier\n    loop 'b (%s: u32 = 0u32) {\n      %d = lt %s, %n\n      if %d {\n      } else {\n        break 'b\n      }\n      %e = lt %g, %s\n      if %e {\n        break 'a\n      }\n      %t = add %s, 1u32\n      continue 'b %t\n    }\n    %k = add %j, 1u32\n    %f = lt %k, %n\n    if %f {\n      continue 'a %k\n    }\n    break 'a\n  }",
        Accepted,
    ),
    ("in a helper that all call", "  call @meet()\n---\nfunc @meet() {\n  barrier\n  ret\n}", Accepted),
    (
        "in a helper that some call",
        "  if %few {\n    call @meet()\n  }\n---\nfunc @meet() {\n  barrier\n  ret\n}",
        Refused,
    ),
    (
        "in a helper under its argument",
        "  call @meet(%n)\n---\nfunc @meet(%x: u32) {\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }\n  ret\n}",
        Accepted,
    ),
    (
        "in a helper under each one's argument",
        "  call @meet(%l)\n---\nfunc @meet(%x: u32) {\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }\n  ret\n}",
        Refused,
    ),
    (
        "after a helper from which some return early",
        "  call @work(%l)\n  barrier\n---\nfunc @work(%x: u32) {\n  %c = lt %x, 3u32\n  if %c {\n    ret\n  }\n  ret\n}",
        Accepted,
    ),
    (
        "under what a helper gives",
        "  %x = call @same(%n)\n  %c = lt %x, 3u32\n  if %c {\n    barrier\n  }\n---\nfunc @same(%x: u32) -> u32 {\n  ret %x\n}",
        Accepted,
    ),
    (
        "under the number of each one's group of eight",
        "  %x = div %i, 8u32\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Ours("ids of a workgroup of eight differ in three bits, which the division drops; Tint looks at no bits"),
    ),
    (
        "under a bit that is never set",
        "  %x = and %l, 8u32\n  %c = eq %x, 0u32\n  if %c {\n    barrier\n  }",
        Ours("a local id below eight does not have the bit; Tint looks at no bits"),
    ),
    (
        "under a difference with itself",
        "  %x = sub %l, %l\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Ours("a value less itself is zero for all; Tint asks only what the operands are"),
    ),
    (
        "under a product with nothing",
        "  %x = mul %l, 0u32\n  %c = lt %x, %n\n  if %c {\n    barrier\n  }",
        Ours("a product with zero is zero for all; Tint asks only what the operands are"),
    ),
];
