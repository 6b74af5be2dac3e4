//! Workgroup memory, and its phases.

use super::{YZ, kernel, rests_on};

pub(super) const REDUCE: &str = "func kernel workgroup_size(64, 1, 1) @reduce(@x: [u32], @y: mut [u32]) {
  shared @t: [u32; 64]
  %i = global_id.x
  %l = local_id.x
  %v = load u32 @x[%i]
  store @t[%l], %v
  barrier
  loop 'l (%s: u32 = 32u32) {
    %c = gt %s, 0u32
    if %c { yield } else { break 'l }
    %in = lt %l, %s
    if %in {
      %o = add %l, %s
      %a = load u32 @t[%l]
      %b = load u32 @t[%o]
      %sum = add %a, %b
      store @t[%l], %sum
    }
    barrier
    %next = shr %s, 1u32
    continue 'l %next
  }
  %z = eq %l, 0u32
  if %z {
    %g = workgroup_id.x
    %r = load u32 @t[0u32]
    store @y[%g], %r
  }
  ret
}";

#[test]
fn a_tree_of_halving_strides() {
    rests_on(
        REDUCE,
        YZ,
        &[
            ("store @t[%l], %v\n  barrier", "store @t[%l], %v"),
            ("    barrier\n    %next", "    %next"),
            ("lt %l, %s", "le %l, %s"),
            ("%z = eq %l, 0u32", "%z = le %l, 1u32"),
            ("load u32 @t[%o]", "load u32 @t[%l] + 4"),
        ],
    );
}

pub(super) const DOUBLE: &str = "func kernel workgroup_size(64, 1, 1) @double(@x: [u32], @y: mut [u32]) {
  shared @t: [u32; 64]
  %i = global_id.x
  %l = local_id.x
  %v = load u32 @x[%i]
  store @t[%l], %v
  barrier
  loop 'l (%s: u32 = 1u32) {
    %c = lt %s, 64u32
    if %c { yield } else { break 'l }
    %two = mul %s, 2u32
    %m = rem %l, %two
    %in = eq %m, 0u32
    if %in {
      %o = add %l, %s
      %a = load u32 @t[%l]
      %b = load u32 @t[%o]
      %sum = add %a, %b
      store @t[%l], %sum
    }
    barrier
    continue 'l %two
  }
  %z = eq %l, 0u32
  if %z {
    %g = workgroup_id.x
    %r = load u32 @t[0u32]
    store @y[%g], %r
  }
  ret
}";

#[test]
fn a_tree_of_doubling_strides() {
    rests_on(
        DOUBLE,
        YZ,
        &[
            ("mul %s, 2u32", "mul %s, 1u32"),
            ("    barrier\n    continue", "    continue"),
            ("eq %m, 0u32", "le %m, 1u32"),
        ],
    );
}

pub(super) const HILLIS: &str = "func kernel workgroup_size(64, 1, 1) @hillis(@x: [u32], @y: mut [u32]) {
  shared @t: [u32; 128]
  %i = global_id.x
  %l = local_id.x
  %v = load u32 @x[%i]
  store @t[%l], %v
  barrier
  %last = loop 'l (%s: u32 = 1u32, %p: u32 = 0u32) -> u32 {
    %c = lt %s, 64u32
    if %c { yield } else { break 'l %p }
    %from = mul %p, 64u32
    %q = sub 1u32, %p
    %to = mul %q, 64u32
    %fl = add %from, %l
    %a = load u32 @t[%fl]
    %ge = ge %l, %s
    %sum = if %ge -> u32 {
      %o = sub %fl, %s
      %b = load u32 @t[%o]
      %ab = add %a, %b
      yield %ab
    } else { yield %a }
    %tl = add %to, %l
    store @t[%tl], %sum
    barrier
    %next = mul %s, 2u32
    continue 'l %next, %q
  }
  %zf = mul %last, 64u32
  %zl = add %zf, %l
  %r = load u32 @t[%zl]
  store @y[%i], %r
  ret
}";

#[test]
fn a_scan_with_two_buffers() {
    rests_on(
        HILLIS,
        YZ,
        &[
            ("    barrier\n    %next", "    %next"),
            ("sub 1u32, %p", "sub 0u32, %p"),
            ("%q = sub 1u32, %p", "%q = add 0u32, %p"),
        ],
    );
}

pub(super) const TRANSPOSE: &str =
    "func kernel workgroup_size(16, 16, 1) @transpose(@x: [u32], @y: mut [u32], %w: u32, %h: u32) {
  shared @t: [[u32; 17]; 16]
  %gx = workgroup_id.x
  %gy = workgroup_id.y
  %lx = local_id.x
  %ly = local_id.y
  %x = global_id.x
  %r = global_id.y
  %row = mul %r, %w
  %j = add %row, %x
  %v = load u32 @x[%j]
  store @t[%ly * 68 < 16][%lx < 17], %v
  barrier
  %bx = mul %gy, 16u32
  %by = mul %gx, 16u32
  %ox = add %bx, %lx
  %oy = add %by, %ly
  %u = load u32 @t[%lx * 68 < 16][%ly < 17]
  %in = lt %ox, %h
  if %in {
    %orow = mul %oy, %h
    %o = add %orow, %ox
    store @y[%o], %u
  }
  ret
}";

#[test]
fn a_padded_transpose() {
    rests_on(
        TRANSPOSE,
        &["groups.z == 1", "h + 4294967295 >= 16 * groups.x * h", "268435456 >= groups.x * h"],
        &[("  barrier\n", ""), ("@t[%ly * 68 < 16]", "@t[%ly * 60 < 16]"), ("add %orow, %ox", "add %orow, %by")],
    );
}

pub(super) const BITONICGROUP: &str = "func kernel workgroup_size(64, 1, 1) @bitonicgroup(@x: mut [u32]) {
  shared @t: [u32; 64]
  %i = global_id.x
  %t = local_id.x
  %v = load u32 @x[%i]
  store @t[%t], %v
  barrier
  loop 'k (%k: u32 = 2u32) {
    %c = le %k, 64u32
    if %c { yield } else { break 'k }
    %h = shr %k, 1u32
    loop 'j (%j: u32 = %h) {
      %d = gt %j, 0u32
      if %d { yield } else { break 'j }
      %l = xor %t, %j
      %e = gt %l, %t
      if %e {
        %a = load u32 @t[%t]
        %b = load u32 @t[%l]
        %less = lt %b, %a
        if %less {
          store @t[%t], %b
          store @t[%l], %a
        }
      }
      barrier
      %jn = shr %j, 1u32
      continue 'j %jn
    }
    %kn = shl %k, 1u32
    continue 'k %kn
  }
  %r = load u32 @t[%t]
  store @x[%i], %r
  ret
}";

#[test]
fn a_bitonic_sort() {
    rests_on(BITONICGROUP, YZ, &[("      barrier\n", ""), ("gt %l, %t", "ne %l, %t"), ("xor %t, %j", "add %t, %j")]);
}

pub(super) const BLELLOCH: &str = "func kernel workgroup_size(64, 1, 1) @blelloch(@x: mut [u32]) {
  shared @t: [u32; 128]
  %g = workgroup_id.x
  %l = local_id.x
  %base = mul %g, 128u32
  %a0 = add %base, %l
  %a1 = add %a0, 64u32
  %v0 = load u32 @x[%a0]
  %v1 = load u32 @x[%a1]
  %l1 = add %l, 64u32
  store @t[%l], %v0
  store @t[%l1], %v1
  %two = mul %l, 2u32
  %odd = add %two, 1u32
  %even = add %two, 2u32
  %off = loop 'up (%d: u32 = 64u32, %o: u32 = 1u32) -> u32 {
    %c = gt %d, 0u32
    if %c { yield } else { break 'up %o }
    barrier
    %in = lt %l, %d
    if %in {
      %p = mul %o, %odd
      %ai = sub %p, 1u32
      %q = mul %o, %even
      %bi = sub %q, 1u32
      %a = load u32 @t[%ai]
      %b = load u32 @t[%bi]
      %s = add %a, %b
      store @t[%bi], %s
    }
    %on = mul %o, 2u32
    %dn = shr %d, 1u32
    continue 'up %dn, %on
  }
  %z = eq %l, 0u32
  if %z { store @t[127u32], 0u32 }
  loop 'down (%yd: u32 = 1u32, %yo: u32 = 64u32) {
    %yc = lt %yd, 128u32
    if %yc { yield } else { break 'down }
    barrier
    %yin = lt %l, %yd
    if %yin {
      %yp = mul %yo, %odd
      %yai = sub %yp, 1u32
      %yq = mul %yo, %even
      %ybi = sub %yq, 1u32
      %ya = load u32 @t[%yai]
      %yb = load u32 @t[%ybi]
      store @t[%yai], %yb
      %ys = add %ya, %yb
      store @t[%ybi], %ys
    }
    %yon = shr %yo, 1u32
    %ydn = mul %yd, 2u32
    continue 'down %ydn, %yon
  }
  barrier
  %r0 = load u32 @t[%l]
  %r1 = load u32 @t[%l1]
  store @x[%a0], %r0
  store @x[%a1], %r1
  ret
}";

#[test]
fn a_scan_that_goes_up_and_down() {
    let expected = ["groups.y == 1", "groups.z == 1", "33554432 >= groups.x"];
    let changes = [
        ("if %c { yield } else { break 'up %o }\n    barrier", "if %c { yield } else { break 'up %o }"),
        ("if %yc { yield } else { break 'down }\n    barrier", "if %yc { yield } else { break 'down }"),
        ("  barrier\n  %r0", "  %r0"),
        ("%odd = add %two, 1u32", "%odd = add %two, 0u32"),
        ("%z = eq %l, 0u32", "%z = eq %l, 1u32"),
    ];
    rests_on(BLELLOCH, &expected, &changes);
}

pub(super) const SWIZZLE: &str = "func kernel workgroup_size(16, 16, 1) @swizzle(@y: mut [u32]) {
  shared @t: [u32; 256]
  %lx = local_id.x
  %ly = local_id.y
  %li = local_index
  %row = mul %ly, 16u32
  %s = xor %lx, %ly
  %j = add %row, %s
  store @t[%j], %li
  barrier
  %r2 = mul %lx, 16u32
  %s2 = xor %ly, %lx
  %j2 = add %r2, %s2
  %v = load u32 @t[%j2]
  %g = workgroup_id.x
  %b = mul %g, 256u32
  %o = add %b, %li
  store @y[%o], %v
  ret
}";

#[test]
fn a_swizzle() {
    rests_on(
        SWIZZLE,
        YZ,
        &[("  barrier\n", ""), ("xor %lx, %ly", "or %lx, %ly"), ("mul %g, 256u32", "mul %g, 128u32")],
    );
}

pub(super) const HISTOGRAM: &str = "shared @bins: atomic [u32; 64]
        atomic.store @bins[%l], 0u32
        barrier
        %v = load u32 @x[%i]
        %0 = atomic.add @bins[%v], 1u32
        barrier
        %n = atomic.load u32 @bins[%l]
        %b = mul %g, 64u32
        %o = add %b, %l
        store @y[%o], %n";

#[test]
fn a_histogram_and_its_merge() {
    rests_on(&kernel("@x: [u32], @y: mut [u32]", HISTOGRAM), YZ, &[("mul %g, 64u32", "mul %g, 32u32")]);
}

pub(super) const TILES: &str = "shared @t: [u32; 64]
        %o = sub 63u32, %l
        loop 'r (%k: u32 = 0u32) {
            %c = lt %k, %n
            if %c { yield } else { break 'r }
            %a = mul %k, 64u32
            %b = add %a, %l
            %v = load u32 @x[%b]
            store @t[%l], %v
            barrier
            %w = load u32 @t[%o]
            barrier
            %next = add %k, 1u32
            continue 'r %next
        }
        store @t[%l], %i";

#[test]
fn a_tile_in_every_round_needs_two_barriers() {
    let changes = [("barrier\n            %w", "%w"), ("barrier\n            %next", "%next")];
    rests_on(&kernel("@x: [u32], %n: u32", TILES), &[], &changes);
}

pub(super) const BRANCH: &str = "shared @t: [u32; 64]
        %o = sub 63u32, %l
        %c = lt %n, 3u32
        if %c {
            store @t[%l], %i
        } else {
            %w = load u32 @t[%o]
        }";

#[test]
fn a_branch_that_all_take_alike_tells_phases_apart() {
    rests_on(&kernel("%n: u32", BRANCH), &[], &[("lt %n, 3u32", "lt %l, 3u32")]);
}

pub(super) const PARITY: &str = "shared @t: [u32; 128]
        %o = sub 63u32, %l
        loop 'r (%k: u32 = 0u32) {
            %c = lt %k, 9u32
            if %c { yield } else { break 'r }
            %p = and %k, 1u32
            %a = mul %p, 64u32
            %own = add %a, %l
            store @t[%own], %k
            barrier
            %other = add %a, %o
            %w = load u32 @t[%other]
            %next = add %k, 1u32
            continue 'r %next
        }";

#[test]
fn two_buffers_by_the_parity_of_a_round() {
    rests_on(
        &kernel("", PARITY),
        &[],
        &[("and %k, 1u32", "and %k, 2u32"), ("            barrier\n", ""), ("and %k, 1u32", "and %k, 0u32")],
    );
}

pub(super) const MIRRORED: &str = "store @y[%i], %i
        barrier
        %a = mul %g, 64u32
        %o = sub 63u32, %l
        %j = add %a, %o
        %v = load u32 @y[%j]
        store @z[%i], %v";

#[test]
fn buffers_within_a_workgroup_have_phases() {
    let changes = [("barrier", ""), ("sub 63u32, %l", "sub 64u32, %l")];
    rests_on(&kernel("@y: mut [u32], @z: mut [u32]", MIRRORED), YZ, &changes);
}

#[test]
fn one_invocation_is_alone() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
        shared @t: [u32; 4]
        store @t[0u32], 1u32
        %v = load u32 @t[0u32]
        %g = workgroup_id.x
        store @y[%g], %v
        ret
    }";
    rests_on(source, YZ, &[("%g = workgroup_id.x", "%x = workgroup_id.x\n%g = shr %x, 1u32")]);
    // What the first store needs, there being one workgroup, keeps the second one apart as well.
    let both = source.replace("store @y[%g], %v", "store @y[0u32], %v\nstore @y[%g], %v");
    rests_on(&both, &["groups.x == 1", "groups.y == 1", "groups.z == 1"], &[]);
}

#[test]
fn a_loop_that_is_entered_orders_what_is_around_it() {
    for (ty, end) in [("u32", 4), ("i32", 4), ("i64", 7)] {
        let body = format!(
            "shared @t: [u32; 64]
            %o = sub 63u32, %l
            store @t[%l], %i
            loop 'r (%k: {ty} = 0{ty}) {{
                %c = ge %k, {end}{ty}
                if %c {{ break 'r }}
                barrier
                %next = add %k, 1{ty}
                continue 'r %next
            }}
            %w = load u32 @t[%o]"
        );
        let (from, to) = (format!("ge %k, {end}{ty}"), format!("ge %k, 0{ty}"));
        rests_on(&kernel("", &body), &[], &[(&from, &to)]);
    }
}
