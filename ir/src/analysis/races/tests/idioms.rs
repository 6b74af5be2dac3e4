//! Kernels of which one change makes a race that one particular mistake of the prover would not see.
//!
//! Each is as simple as its mistake allows, and what it is there for is said above it. Those that
//! [`super::grid`] and [`super::group`] prove are idioms too; see [`super::mutants`].

use super::{grid, kernel};

/// A round stores to one of three buffers, and loads what it stored.
const THREE: &str = "shared @t: [u32; 192]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, 9u32
        if %c { yield } else { break 'r }
        %next = add %k, 1u32
        %p = rem %k, 3u32
        %q = rem %k, 3u32
        %a = mul %p, 64u32
        %own = add %a, %l
        store @t[%own], %k
        barrier
        %b = mul %q, 64u32
        %other = add %b, %o
        %w = load u32 @t[%other]
        continue 'r %next
    }";

/// Four numbers at once, and then one of them.
const WIDE: &str = "%v = load vec4<u32> @x[%l * 16]
    %j = add %i, 0u32
    store @y[%i * 16], %v
    store @y[%j * 16] + 4, %i";

/// Four numbers of which one was stored by somebody else.
const WIDE_TILE: &str = "shared @t: [vec4<u32>; 64]
    %o = sub 63u32, %l
    store @t[%l * 16 < 64] + 4, %i
    barrier
    %w = load vec4<u32> @t[%o * 16 < 64]";

/// Four numbers by one invocation, and those beside them by another one.
const CORNERS: &str = "%v = load vec4<u32> @x[%l * 16]
    %z = eq %l, 0u32
    if %z { store @y[%g * 32], %v }
    %e = eq %l, 1u32
    if %e { store @y[%g * 32] + 16, %i }";

/// Bytes: nothing is rounded.
const BYTES: &str = "%b = mul %g, 65u32
    %j = add %b, %l
    store @y[%j], 1u8
    %v = load u8 @y[%j]";

/// Bytes whose places in two rows are equal numbers.
const BYTE_PAIRS: &str = "%v = load u8 @y[%i]
    store @y[%i], %v";

/// Rows and columns by shifts and masks.
const BITS: &str = "%row = shr %i, 3u32
    %column = and %i, 7u32
    %a = shl %row, 3u32
    %j = or %a, %column
    store @y[%j], %i";

/// The same of pairs, with a mask that may get a hole.
const PAIRS: &str = "%row = shr %i, 1u32
    %column = and %i, 1u32
    %a = shl %row, 1u32
    %j = add %a, %column
    store @y[%j], %i";

/// Places from a buffer without equal elements.
const SCATTER: &str = "%n = len @p
    %in = lt %i, %n
    if %in {
        %t = load u32 @p[%i]
        store @y[%t], %i
    }";

/// The same with two buffers, each of which has elements of its own.
const TWO_SCATTERS: &str = "%n = len @p
    %in = lt %i, %n
    if %in {
        %t = load u32 @p[%i]
        store @y[%t], %i
    }
    %m = len @q
    %into = lt %i, %m
    if %into {
        %u = load u32 @q[%i]
        store @z[%u], %i
    }";

/// Places from a counter, beside another one that goes down.
const TWO_COUNTERS: &str = "%v = load u32 @x[%i]
    %c = lt %v, 7u32
    if %c {
        %t = atomic.add @n[0u32], 1u32
        store @y[%t], %v
        %0 = atomic.sub @n[4u32], 1u32
    }";

/// Places from two counters.
const TWO_TICKETS: &str = "%t = atomic.add @n[0u32], 1u32
    %u = atomic.add @n[4u32], 1u32
    store @y[%t], %i
    store @z[%u], %i";

/// Places from a counter of one byte, which comes round.
const NARROW: &str = "%t = atomic.add @n[0u32], 1u8
    %u = cast %t to u32
    store @y[%u], %i";

/// The same in a loop, as nobody may write it.
const NARROW_LOOP: &str = "loop 'l (%q: u32 = 0u32) {
        %d = lt %q, 9u32
        if %d { yield } else { break 'l }
        %t = atomic.add @n[0u32], 1u8
        %u = cast %t to u32
        store @y[%u], %i
        %next = add %q, 1u32
        continue 'l %next
    }";

/// Places from a counter of each workgroup.
const SHARED_COUNTER: &str = "shared @s: atomic [u32; 4]
    %t = atomic.add @s[0u32], 1u32
    store @y[%t], %i";

/// Atomics that only a workgroup sees.
const SCOPED: &str = "%0 = atomic.add @h[%i], 1u32 scope=workgroup";

/// What is racy beside what is not.
const RACY: &str = "%v = load u32 @x[%g]
    racy store @y[%i], %v";

/// Rounds that count down.
const DOWN: &str = "shared @t: [u32; 640]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 8u32) {
        %c = gt %k, 0u32
        if %c { yield } else { break 'r }
        %next = sub %k, 1u32
        %a = mul %k, 64u32
        %own = add %a, %l
        store @t[%own], %k
        barrier
        %b = mul %k, 64u32
        %other = add %b, %o
        %w = load u32 @t[%other]
        continue 'r %next
    }";

/// Rounds that no barrier keeps together.
const ROUNDS: &str = "shared @t: [u32; 512]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, 4u32
        if %c { yield } else { break 'r }
        %next = add %k, 1u32
        %a = mul %k, 64u32
        %own = add %a, %l
        store @t[%own], %k
        %later = add %k, 4u32
        %b = mul %later, 64u32
        %other = add %b, %o
        %w = load u32 @t[%other]
        continue 'r %next
    }";

/// Two ways to the next round. Neighbours take every second place of one row.
const TWO_WAYS: &str = "%p = and %l, 1u32
    %q = shr %l, 1u32
    %row = mul %q, 16u32
    %base = mul %g, 512u32
    loop 'r (%k: u32 = %p) {
        %c = lt %k, 16u32
        if %c { yield } else { break 'r }
        %j0 = add %row, %k
        %j = add %base, %j0
        store @y[%j], %k
        %one = add %k, 2u32
        %other = add %k, 2u32
        %d = lt %k, 8u32
        if %d { continue 'r %one } else { yield }
        continue 'r %other
    }";

/// Two loops of which the outer one comes to the inner one again without a barrier.
const NESTED: &str = "shared @t: [u32; 192]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, 3u32
        if %c { yield } else { break 'r }
        loop 's (%j: u32 = 0u32) {
            %d = lt %j, 3u32
            if %d { yield } else { break 's }
            %m = and %j, 2u32
            %f = sub 2u32, %m
            %a = mul %f, 64u32
            %other = add %a, %o
            %w = load u32 @t[%other]
            barrier
            %b = mul %j, 64u32
            %own = add %b, %l
            store @t[%own], %k
            %jn = add %j, 1u32
            continue 's %jn
        }
        barrier
        %next = add %k, 1u32
        continue 'r %next
    }";

/// A barrier in each arm.
const ARMS: &str = "shared @t: [u32; 64]
    %o = sub 63u32, %l
    store @t[%l], %i
    %c = lt %n, 30u32
    if %c {
        barrier
    } else {
        barrier
    }
    %w = load u32 @t[%o]";

/// Every second round goes another way.
const TURNS: &str = "shared @t: [u32; 64]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, 4u32
        if %c { yield } else { break 'r }
        %p = and %k, 1u32
        %odd = eq %p, 1u32
        if %odd {
            %w = load u32 @t[%o]
            barrier
        } else {
            store @t[%l], %i
            barrier
        }
        %next = add %k, 1u32
        continue 'r %next
    }";

/// What only the last round does.
const LAST: &str = "shared @t: [u32; 64]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, 4u32
        if %c { yield } else { break 'r }
        %d = eq %k, 3u32
        if %d { store @t[%l], %i }
        barrier
        if %d {
            %w = load u32 @t[%o]
        }
        barrier
        %next = add %k, 1u32
        continue 'r %next
    }";

/// What is before and after a loop that may have no round.
const AROUND: &str = "shared @t: [u32; 64]
    %o = sub 63u32, %l
    store @t[%l], %i
    loop 'r (%k: u32 = 0u32) {
        %c = lt %k, %n
        if %c { yield } else { break 'r }
        barrier
        %next = add %k, 1u32
        continue 'r %next
    }
    barrier
    %w = load u32 @t[%o]";

/// What the last invocation stored.
const LAST_LANE: &str = "shared @t: [u32; 64]
    store @t[%l], %i
    barrier
    %w = load u32 @t[63u32]";

/// What the last workgroup stored.
const LAST_GROUP: &str = "%n = num_workgroups.x
    %last = sub %n, 1u32
    %z = eq %l, 0u32
    if %z {
        %v = load u32 @x[%last]
        store @y[%g], %v
    }";

/// What is at the end of an array, and may be loaded before it is stored.
const BOUND: &str = "shared @t: [u32; 80]
    %far = add %l, 16u32
    store @t[%far * 4 < 80], %i
    barrier
    %w = load u32 @t[79u32]";

/// What is a quarter of a length further on, which others store.
const QUARTER: &str = "%n = len @y
    %q = shr %n, 2u32
    %j = add %i, %q
    %v = load u32 @y[%j]
    store @y[%i], %v";

/// All are moved by one number.
const MOVED: &str = "%v = load u32 @x[0u32]
    %a = mul %g, 64u32
    %b = add %a, %l
    %c = add %b, 64u32
    %j = sub %c, %v
    store @y[%j], %i";

/// One lane of each subgroup.
const ELECTED: &str = "%e = subgroup.elect
    %s = subgroup_id
    %two = mul %g, 2u32
    %j = add %two, %s
    if %e { store @y[%j], 1u32 }";

/// One value of a switch for each store.
const SWITCH: &str = "%v = and %l, 63u32
    switch %v {
        case 5u32 { store @y[%g], %i yield }
        default { yield }
    }";

/// Two invocations are exchanged by one number, and by another one.
const TWO_FLIPS: &str = "%a = xor %i, %j
    %b = xor %i, %m
    store @y[%a], %i
    store @z[%b], %i";

/// The smaller of a number and a bound.
const CLAMPED: &str = "%c = min %l, 63u32
    %a = mul %g, 64u32
    %j = add %a, %c
    store @y[%j], %i";

/// The larger part of a difference.
const SATURATED: &str = "%in = gt %l, 4u32
    if %in {
        %d = sub_sat %l, 5u32
        %a = mul %g, 64u32
        %j = add %a, %d
        store @y[%j], %i
    }";

/// Numbers of two arms.
const CHOSEN: &str = "%c = lt %n, 30u32
    %k = if %c -> u32 { yield %l
    } else { yield %l }
    %a = mul %g, 64u32
    %j = add %a, %k
    store @y[%j], %i";

/// A number with a sign.
const SIGNED: &str = "%s = cast %l to i32
    %d = sub %s, 32i32
    %in = ge %d, 0i32
    if %in {
        %u = cast %d to u32
        %a = mul %g, 32u32
        %j = add %a, %u
        store @y[%j], %i
    }";

/// A number that a cast makes smaller; of two invocations it makes one.
const NARROWED: &str = "%w = mul %l, 8u32
    %b = cast %w to u8
    %u = cast %b to u32
    %a = mul %g, 512u32
    %j = add %a, %u
    store @y[%j], %i";

/// A condition with a negative number, which holds for many.
const MINUS: &str = "%s = cast %l to i32
    %in = gt %s, -1i32
    if %in { store @y[%g], %i }";

/// A counter of one byte that comes round, so that some take the places of others.
const NARROW_ROUNDS: &str = "%b = cast %l to u8
    %in = lt %l, 48u32
    %a = mul %g, 512u32
    if %in {
        loop 'r (%k: u8 = %b, %q: u32 = 0u32) {
            %c = lt %q, 8u32
            if %c { yield } else { break 'r }
            %u = cast %k to u32
            %j = add %a, %u
            store @y[%j], %i
            %next = add %q, 1u32
            %kn = add %k, 48u8
            continue 'r %kn, %next
        }
    }";

/// A number that is 0 and 1 in turns, and so again in the next round but one.
const FLIPPER: &str = "shared @t: [u32; 128]
    %o = sub 63u32, %l
    loop 'r (%k: u32 = 0u32, %p: u32 = 0u32) {
        %c = lt %k, 4u32
        if %c { yield } else { break 'r }
        %a = mul %p, 64u32
        %own = add %a, %l
        %other = add %a, %o
        %d = eq %k, 0u32
        if %d { store @t[%own], %i }
        %e = eq %k, 2u32
        if %e {
            %w = load u32 @t[%other]
        }
        %next = add %k, 1u32
        %q = sub 1u32, %p
        continue 'r %next, %q
    }";

/// A number from memory that changes with each round. What one round stores the next one loads.
const CARRIED: &str = "shared @t: [u32; 512]
shared @c: [u32; 1]
    %o = sub 63u32, %l
    %z = eq %l, 0u32
    loop 'r (%k: u32 = 0u32) {
        %in = lt %k, 4u32
        if %in { yield } else { break 'r }
        %v = load u32 @c[0u32]
        %a = mul %v, 64u32
        %other = add %a, %o
        %w = load u32 @t[%other]
        barrier
        %next = add %k, 1u32
        if %z { store @c[0u32], %next }
        barrier
        %u = add %v, 1u32
        %b = mul %u, 64u32
        %own = add %b, %l
        store @t[%own], %k
        continue 'r %next
    }";

/// Some leave after they stored, and others load what that is.
const RETURNS: &str = "shared @t: [u32; 64]
    %o = sub 63u32, %l
    %c = lt %l, 3u32
    if %c {
        store @t[%l], %i
        ret
    } else { yield }
    %w = load u32 @t[%o]";

/// Elements far beyond the end of a buffer, which all are 0.
const FAR_SCATTER: &str = "%f = add %i, 1000u32
    %t = load u32 @p[%f]
    store @y[%t], %i";

/// The same where nothing is known of how far it is.
const FLUNG_SCATTER: &str = "%v = load u32 @x[3u32]
    %m = mul %v, 1000u32
    %f = add %i, %m
    %t = load u32 @p[%f]
    store @y[%t], %i";

/// Rows of eight, in rows of another length.
const DIGITS: &str = "%row = shr %i, 3u32
    %column = and %i, 7u32
    %a = mul %row, %m
    %j = add %a, %column
    store @y[%j], %i";

/// What is left where some went away.
const GONE: &str = "%c = eq %l, 0u32
    if %c { yield } else { ret }
    store @y[%g], %i";

/// What leaves, though only after.
const LEAVES: &str = "%c = eq %l, 0u32
    if %c { store @y[%g], %i }
    if %c { yield } else { ret }
    store @z[%g], %i";

/// An id of three axes.
const CUBE: &str = "func kernel workgroup_size(4, 4, 4) @k(@y: mut [u32]) {
    %l = local_index
    %g = workgroup_id.x
    %a = mul %g, 64u32
    %x = local_id.x
    %r = local_id.y
    %s = local_id.z
    %b = mul %r, 4u32
    %c = mul %s, 16u32
    %d = add %b, %c
    %e = add %d, %x
    %j = add %a, %e
    store @y[%j], %l
    %v = load u32 @y[%j]
    ret
}";

/// The same index less so much that some have one place.
const CUBE_INDEX: &str = "func kernel workgroup_size(4, 4, 4) @k(@y: mut [u32]) {
    %l = local_index
    %s = local_id.z
    %g = workgroup_id.x
    %a = mul %g, 64u32
    %m = mul %s, 20u32
    %e = add %l, 60u32
    %d = sub %e, %m
    %j = add %a, %d
    store @y[%j], %l
    ret
}";

/// Two rows that are long enough.
const TWO_ROWS: &str = "func kernel workgroup_size(8, 8, 1) @k(@y: mut [u32], @z: mut [u32], %w: u32, %h: u32) {
    %x = global_id.x
    %r = global_id.y
    %row = mul %r, %w
    %column = mul %r, %h
    %j = add %row, %x
    %k = add %column, %x
    store @y[%j], %x
    store @z[%k], %x
    ret
}";

/// Rows of two lengths in one buffer.
const TWO_LENGTHS: &str = "%a = mul %g, 64u32
    %j = add %a, %l
    %m = and %l, 31u32
    %b = mul %g, 32u32
    %k = add %b, %m
    %v = load u32 @y[%k]
    store @y[%j], %v";

/// The last column of each row, which the grid may come to.
const LAST_COLUMN: &str = "func kernel workgroup_size(8, 8, 1) @k(@y: mut [u32], %w: u32) {
    %x = global_id.x
    %r = global_id.y
    %row = mul %r, %w
    %j = add %row, %x
    %s = sub %w, 1u32
    %k = add %row, %s
    %v = load u32 @y[%k]
    store @y[%j], %v
    ret
}";

/// Workgroups that begin in the middle of a row.
const HALF_ROWS: &str = "func kernel workgroup_size(32, 4, 1) @k(@y: mut [u32]) {
    %x = local_id.x
    %r = local_id.y
    %g = workgroup_id.x
    %a = mul %g, 96u32
    %b = mul %r, 64u32
    %c = add %a, %b
    %j = add %c, %x
    store @y[%j], %x
    ret
}";

/// The idioms of this file with their names.
pub(super) fn all() -> Vec<(&'static str, String)> {
    let (y, xy, yz) = ("@y: mut [u32]", "@x: [u32], @y: mut [u32]", "@y: mut [u32], @z: mut [u32]");
    let bytes = "@y: mut [u32], @n: atomic [u8]";
    vec![
        ("three buffers", kernel("", THREE)),
        ("wide", kernel("@x: [vec4<u32>], @y: mut [vec4<u32>]", WIDE)),
        ("wide tile", kernel("", WIDE_TILE)),
        ("corners", kernel("@x: [vec4<u32>], @y: mut [vec4<u32>]", CORNERS)),
        ("bytes", kernel("@y: mut [u8]", BYTES)),
        ("pairs of bytes", kernel("@y: mut [u8]", BYTE_PAIRS)),
        ("bits", kernel(y, BITS)),
        ("pairs", kernel(y, PAIRS)),
        ("scatter", kernel("@p: distinct [u32], @y: mut [u32]", SCATTER)),
        ("two scatters", kernel(&format!("@p: distinct [u32], @q: distinct [u32], {yz}"), TWO_SCATTERS)),
        ("two counters", kernel("@x: [u32], @y: mut [u32], @n: atomic [u32]", TWO_COUNTERS)),
        ("two tickets", kernel(&format!("{yz}, @n: atomic [u32]"), TWO_TICKETS)),
        ("narrow", kernel(bytes, NARROW)),
        ("narrow loop", kernel(bytes, NARROW_LOOP)),
        ("shared counter", kernel(y, SHARED_COUNTER)),
        ("scoped", kernel("@h: atomic [u32]", SCOPED)),
        ("racy", kernel(xy, RACY)),
        ("down", kernel("", DOWN)),
        ("rounds", kernel("", ROUNDS)),
        ("two ways", kernel(y, TWO_WAYS)),
        ("nested", kernel("", NESTED)),
        ("arms", kernel("%n: u32", ARMS)),
        ("turns", kernel("", TURNS)),
        ("last round", kernel("", LAST)),
        ("around", kernel("%n: u32", AROUND)),
        ("last lane", kernel("", LAST_LANE)),
        ("last group", kernel(xy, LAST_GROUP)),
        ("bound", kernel("", BOUND)),
        ("quarter", kernel(y, QUARTER)),
        ("moved", kernel(xy, MOVED)),
        ("elected", kernel(y, ELECTED)),
        ("switch", kernel(y, SWITCH)),
        ("two flips", kernel(&format!("{yz}, %j: u32, %m: u32"), TWO_FLIPS)),
        ("clamped", kernel(y, CLAMPED)),
        ("saturated", kernel(y, SATURATED)),
        ("chosen", kernel(&format!("{y}, %n: u32"), CHOSEN)),
        ("signed", kernel(y, SIGNED)),
        ("narrowed", kernel(y, NARROWED)),
        ("minus", kernel(y, MINUS)),
        ("narrow rounds", kernel(y, NARROW_ROUNDS)),
        ("flipper", kernel("", FLIPPER)),
        ("carried", kernel("", CARRIED)),
        ("returns", kernel("", RETURNS)),
        ("far scatter", kernel("@p: distinct [u32], @y: mut [u32]", FAR_SCATTER)),
        ("flung scatter", kernel("@x: [u32], @p: distinct [u32], @y: mut [u32]", FLUNG_SCATTER)),
        ("digits", kernel(&format!("{y}, %n: u32, %m: u32"), DIGITS)),
        ("steps", kernel(&format!("{y}, %n: u32"), &grid::steps())),
        ("gone", kernel(y, GONE)),
        ("leaves", kernel(yz, LEAVES)),
        ("cube", CUBE.to_owned()),
        ("cube by index", CUBE_INDEX.to_owned()),
        ("two rows", TWO_ROWS.to_owned()),
        ("two lengths", kernel(y, TWO_LENGTHS)),
        ("last column", LAST_COLUMN.to_owned()),
        ("half rows", HALF_ROWS.to_owned()),
    ]
}
