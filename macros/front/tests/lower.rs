//! What Rust becomes: kernels and the IR that they are lowered to, as text.

use quote::quote;
use samebits_front::kernel::compile;
use samebits_front::link::Linked;
use samebits_front::report::Reporter;

/// The optimised IR of a kernel of one invocation a workgroup, or the codes and messages of what is wrong
/// with it.
fn ir(item: proc_macro2::TokenStream) -> String {
    ir_of(&[syn::parse_quote!(workgroup_size(1))], item)
}

/// The same with arguments of the attribute.
fn ir_of(arguments: &[syn::Meta], item: proc_macro2::TokenStream) -> String {
    let function: syn::ItemFn = syn::parse2(item).expect("the test's own kernel parses");
    let mut reporter = Reporter::new();
    match compile(arguments, &function, &Linked::default(), &mut reporter).1 {
        Ok(checked) => samebits_ir::text::print(checked.module()),
        Err(diags) => diags.as_slice().iter().map(|d| format!("{}\n", d.headline())).collect(),
    }
}

#[test]
fn operators_bind_as_in_rust() {
    let kernel = quote! { fn k(a: u32, b: u32, o: &mut [u32]) { o[0] = a + b * 2; } };
    let expected = "\
(%a: u32, %b: u32, @o: mut [u32]) {
  %0 = mul %b, 2u32
  %1 = add %a, %0
  store @o[0u32], %1
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_cast_is_an_op_that_names_its_result() {
    let kernel = quote! { fn k(a: i32, f: f32, o: &mut [u32]) { o[0] = a as u32; o[1] = f as u32; } };
    let expected = "\
(%a: i32, %f: f32, @o: mut [u32]) {
  %0 = cast %a to u32
  store @o[0u32], %0
  %1 = cast %f to u32
  store @o[1u32], %1
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn literals_are_folded() {
    let kernel = quote! { fn k(o: &mut [u32]) { let x = 2 + 3; o[0] = x * 4 - 1; } };
    let expected = "\
(@o: mut [u32]) {
  store @o[0u32], 19u32
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn an_if_yields_its_value() {
    let kernel = quote! { fn k(a: u32, o: &mut [u32]) { let v = if a > 1 { a } else { 7 }; o[0] = v; } };
    let expected = "\
(%a: u32, @o: mut [u32]) {
  %0 = gt %a, 1u32
  %v = if %0 -> u32 {
    yield %a
  } else {
    yield 7u32
  }
  store @o[0u32], %v
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_value_given_later_is_that_of_an_if() {
    let kernel = quote! { fn k(a: u32, o: &mut [u32]) { let v; if a > 1 { v = a; } else { v = 7; } o[0] = v; } };
    let expected = "\
(%a: u32, @o: mut [u32]) {
  %0 = gt %a, 1u32
  %v = if %0 -> u32 {
    yield %a
  } else {
    yield 7u32
  }
  store @o[0u32], %v
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_return_ends_its_region() {
    let kernel = quote! { fn k(n: usize, o: &mut [u32]) { let i = global_id().x; if i >= n { return; } o[i] = 1; } };
    let expected = "\
(%n: u32, @o: mut [u32]) {
  %i = global_id.x
  %0 = ge %i, %n
  if %0 {
    ret
  }
  store @o[%i], 1u32
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_for_counts_in_a_parameter_of_its_loop() {
    let kernel = quote! { fn k(n: u32, o: &mut [u32]) { let mut s = 0; for j in 0..n { s += j; } o[0] = s; } };
    let expected = "\
(%n: u32, @o: mut [u32]) {
  %s = loop 'l0 (%j: u32 = 0u32, %s.1: u32 = 0u32) -> u32 {
    %0 = ge %j, %n
    if %0 {
      break 'l0 %s.1
    }
    %1 = add %s.1, %j
    %2 = add %j, 1u32
    continue 'l0 %2, %1
  }
  store @o[0u32], %s
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn an_inclusive_range_tests_before_it_steps() {
    let kernel = quote! { fn k(n: u32, o: &mut [u32]) { for j in 1..=n { o[j as usize] = j; } } };
    let expected = "\
(%n: u32, @o: mut [u32]) {
  %0 = ge %n, 1u32
  if %0 {
    loop 'l0 (%j: u32 = 1u32) {
      store @o[%j], %j
      %1 = eq %j, %n
      if %1 {
        break 'l0
      }
      %2 = add %j, 1u32
      continue 'l0 %2
    }
  }
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn iterators_are_one_loop() {
    let kernel = quote! {
        fn k(x: &[f32], y: &[f32], o: &mut [f32]) { o[0] = x.iter().zip(y).map(|(a, b)| a * b).sum(); }
    };
    let expected = "\
(@x: [f32], @y: [f32], @o: mut [f32]) {
  %0 = len @x
  %1 = len @y
  %count = min %0, %1
  %total = loop 'l0 (%at: u32 = 0u32, %total.1: f32 = -0.0f32) -> f32 {
    %2 = ge %at, %count
    if %2 {
      break 'l0 %total.1
    }
    %3 = load f32 @x[%at]
    %4 = load f32 @y[%at]
    %5 = mul %3, %4
    %6 = add %total.1, %5
    %7 = add %at, 1u32
    continue 'l0 %7, %6
  }
  store @o[0u32], %total
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_loop_over_values_needs_no_array() {
    let kernel = quote! { fn k(a: u32, o: &mut [u32]) { for v in [a, a + 1, 7] { o[0] = o[0] * 10 + v; } } };
    assert!(!ir(kernel).contains("private"), "the values are in no memory");
}

#[test]
fn a_match_of_a_tuple_compares_its_parts() {
    let kernel = quote! {
        fn k(a: u32, b: u32, o: &mut [u32]) { o[0] = match (a, b > 3) { (0, _) => 1, (n, true) => n, (_, false) => 2 }; }
    };
    let expected = "\
(%a: u32, %b: u32, @o: mut [u32]) {
  %0 = gt %b, 3u32
  %1 = eq %a, 0u32
  %2 = if %1 -> u32 {
    yield 1u32
  } else {
    %3 = if %0 -> u32 {
      yield %a
    } else {
      yield 2u32
    }
    yield %3
  }
  store @o[0u32], %2
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_while_breaks_where_its_condition_fails() {
    let kernel = quote! { fn k(mut n: u32, o: &mut [u32]) { while n > 1 { n /= 2; } o[0] = n; } };
    let expected = "\
(%n: u32, @o: mut [u32]) {
  %n.1 = loop 'l0 (%n.2: u32 = %n) -> u32 {
    %0 = gt %n.2, 1u32
    if %0 {
    } else {
      break 'l0 %n.2
    }
    %1 = shr %n.2, 1u32
    continue 'l0 %1
  }
  store @o[0u32], %n.1
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_loop_breaks_with_its_value() {
    let kernel =
        quote! { fn k(mut k: u32, o: &mut [u32]) { let v = loop { k *= 3; if k > 50 { break k; } }; o[0] = v; } };
    let expected = "\
(%k: u32, @o: mut [u32]) {
  %v = loop 'l0 (%k.1: u32 = %k) -> u32 {
    %0 = mul %k.1, 3u32
    %1 = gt %0, 50u32
    if %1 {
      break 'l0 %0
    }
    continue 'l0 %0
  }
  store @o[0u32], %v
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn only_a_costly_right_side_is_a_branch() {
    let kernel = quote! { fn k(a: u32, x: &[u32], o: &mut [u32]) { if a > 1 && a < 9 { o[0] = 1; } if a > 1 && x[0] == 3 { o[1] = 1; } } };
    let expected = "\
(%a: u32, @x: [u32], @o: mut [u32]) {
  %0 = gt %a, 1u32
  %1 = lt %a, 9u32
  %2 = and %0, %1
  if %2 {
    store @o[0u32], 1u32
  }
  %3 = if %0 -> bool {
    %4 = load u32 @x[0u32]
    %5 = eq %4, 3u32
    yield %5
  } else {
    yield false
  }
  if %3 {
    store @o[1u32], 1u32
  }
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn an_inner_index_of_an_array_is_bounded() {
    let kernel = quote! { fn k(o: &mut [u32]) { #[shared] let tile: [[u32; 4]; 2]; tile[1][local_id().x] = 5; workgroup_barrier(); o[global_id().x] = tile[0][3]; } };
    let expected = "\
(@o: mut [u32]) {
  shared @tile: [[u32; 4]; 2]
  %0 = local_id.x
  store @tile[1u32 * 16][%0 < 4], 5u32
  barrier
  %1 = load u32 @tile[0u32 * 16][3u32]
  %2 = global_id.x
  store @o[%2], %1
  ret
}
";
    assert_eq!(ir_of(&[], kernel), format!("func kernel workgroup_size(64, 1, 1) @k{expected}"));
}

#[test]
fn atomics_give_the_old_value() {
    let kernel = quote! { fn k(c: &[Atomic<u32>], o: &mut [u32]) { o[0] = c[1].fetch_add(2); c[0].store(1); } };
    let expected = "\
(@c: atomic [u32], @o: mut [u32]) {
  %0 = atomic.add @c[1u32], 2u32
  store @o[0u32], %0
  atomic.store @c[0u32], 1u32
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn an_array_is_stored_element_by_element() {
    let kernel = quote! { fn k(i: usize, o: &mut [u32]) { let mut t = [1, 2, 3, 4, 5]; t[i] = 9; o[0] = t[1]; } };
    let expected = "\
(%i: u32, @o: mut [u32]) {
  private @t: [u32; 5]
  %0 = vec 1u32, 2u32, 3u32, 4u32
  store @t, %0
  store @t[4u32], 5u32
  store @t[%i], 9u32
  %1 = load u32 @t[1u32]
  store @o[0u32], %1
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn lanes_are_extracted() {
    let kernel = quote! { fn k(v: Vec2<f32>, o: &mut [f32]) { let w = Vec2::new(v.y, 1.0) * v; o[0] = w.x; } };
    let expected = "\
(%v: vec2<f32>, @o: mut [f32]) {
  %0 = extract %v, 1u32
  %1 = vec %0, 1.0f32
  %w = mul %1, %v
  %2 = extract %w, 0u32
  store @o[0u32], %2
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn a_broadcast_is_a_load_between_two_barriers() {
    let kernel = quote! { fn k(o: &mut [u32]) { #[shared] let cell: u32; if local_index() == 0 { cell = 7; } let n = broadcast(&cell); o[global_id().x] = n; } };
    let expected = "\
(@o: mut [u32]) {
  shared @cell: u32
  %0 = local_index
  %1 = eq %0, 0u32
  if %1 {
    store @cell, 7u32
  }
  barrier
  %n = load u32 @cell
  barrier
  %2 = global_id.x
  store @o[%2], %n
  ret
}
";
    assert_eq!(ir_of(&[], kernel), format!("func kernel workgroup_size(64, 1, 1) @k{expected}"));
}

#[test]
fn methods_are_ops() {
    let kernel = quote! { fn k(x: &[f32], o: &mut [f32]) { o[0] = x[0].mul_add(2.0, x[1]).abs().fract(); } };
    let expected = "\
(@x: [f32], @o: mut [f32]) {
  %0 = load f32 @x[0u32]
  %1 = load f32 @x[1u32]
  %2 = fma %0, 2.0f32, %1
  %3 = abs %2
  %4 = fract %3
  store @o[0u32], %4
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
}

#[test]
fn each_mistake_is_an_error() {
    let kernel = quote! { fn k(x: &[u32]) { x[0] = 1; let y = z; if 1 { return; } } };
    let codes: Vec<String> = ir(kernel).lines().map(|line| line.rsplit('[').next().unwrap_or("").to_owned()).collect();
    assert_eq!(codes, ["V005]", "V006]", "V022]"]);
}

#[test]
fn a_vector_in_braces_is_told_how_it_is_made() {
    for body in ["let v = Vec2 { x: 1.0f32, y: 2.0 };", "let Vec3 { x, y, z } = o[0];"] {
        let text = format!("fn k(o: &mut [Vec3<f32>]) {{ {body} }}");
        let expected = "a kernel cannot use braces to make a vector or to take one apart [V201]\n";
        assert_eq!(ir(text.parse().expect("these are tokens")), expected);
    }
}

#[test]
fn a_constant_may_name_one_that_follows() {
    let kernel = quote! { fn k(o: &mut [u32]) { const A: u32 = B + 1; const B: u32 = 5; o[0] = A; } };
    let expected = "\
(@o: mut [u32]) {
  store @o[0u32], 6u32
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
    let cycle = quote! { fn k(o: &mut [u32]) { const A: u32 = B; const B: u32 = A; o[0] = A; } };
    assert_eq!(ir(cycle), "the value of `A` depends on itself [V100]\n");
    let other = quote! { fn k(o: &mut [u32]) { const MAX: u32 = u32::MAX; o[0] = MAX; } };
    assert!(ir(other).contains("4294967295u32"));
}

#[test]
fn a_semicolon_of_its_own_is_nothing() {
    let kernel = quote! { fn k(o: &mut [u32]) { ; o[0] = 5;; if o[1] == 2 { ; }; } };
    assert!(ir(kernel).contains("store @o[0u32], 5u32"));
}

#[test]
fn tuples_that_double_are_refused_in_time() {
    let lines: String = (1..60).map(|i| format!("let t{i} = (t{}, t{});", i - 1, i - 1)).collect();
    let text = format!("fn k(o: &mut [u32]) {{ let t0 = (1u32, 2u32); {lines} o[0] = 1; }}");
    let found = ir(text.parse().expect("these are tokens"));
    assert_eq!(found, "a tuple has at most 256 parts, counting the parts of its parts [V019]\n");
}

#[test]
fn one_mistake_is_one_error() {
    let deep = (0..62).fold("1u32".to_owned(), |deep, _| format!("({deep} + 1)"));
    let text = format!("fn k(o: &mut [u32]) {{ o[0] = {deep}; }}");
    assert_eq!(ir(text.parse().expect("these are tokens")).lines().count(), 1);
    let divergent =
        quote! { fn k(o: &mut [u32]) { #[shared] let cell: u32; if local_id().x > 1 { o[0] = broadcast(&cell); } } };
    assert_eq!(ir_of(&[], divergent).lines().count(), 1);
    let part = quote! { fn k(o: &mut [u32]) { let t = (missing, 1u32); let u = (t, 2u32); o[0] = u.1; } };
    assert_eq!(ir(part).lines().count(), 1);
    let ids = quote! { fn k(o: &mut [u32]) { let t = (1u32, global_id()); o[0] = t.0; } };
    assert_eq!(ir(ids), "a tuple cannot hold `global_id()` [V201]\n");
    let outer = quote! { fn k(o: &mut [u32]) { o[0] = OUTER.to_bytes(); } };
    assert_eq!(ir(outer), "cannot infer the type here, which `to_bytes` needs [V202]\n");
    let outside = quote! { fn k(o: &mut [u32]) { let a = [[1u32, 2, 3], [4, 5, 6]]; o[0] = a[4294967295][1]; } };
    assert_eq!(ir(outside), "index 4294967295 is out of bounds: `a` has 2 elements [V300]\n");
}

#[test]
fn a_pattern_never_means_a_variable() {
    let kernel = |pattern: &str, first: &str| {
        let text =
            format!("fn k(n: u32, P: u32, o: &mut [u32]) {{ {first} o[0] = match n {{ {pattern} => 1, _ => 2 }}; }}");
        ir(text.parse().expect("these are tokens"))
    };
    for (pattern, first) in [("P", ""), ("X", "let X = n + 5;"), ("a", "")] {
        assert!(kernel(pattern, first).contains("store @o[0u32], 1u32"), "{pattern}");
    }
    for (pattern, first) in [("X", "const X: u32 = 7;"), ("x", "const x: u32 = 7;"), ("OUTER", "")] {
        assert!(kernel(pattern, first).contains("eq %n, "), "{pattern}");
    }
}

#[test]
fn loops_say_how_they_are_unrolled() {
    let kernel = quote! {
        fn k(o: &mut [u32], n: u32) {
            #[unroll]
            for i in 1..=20 { o[i] = n; o[i + 20] = n; o[i + 40] = n; }
            #[unroll(never)]
            for i in 0..2 { o[i] = 7; }
            #[unroll(2)]
            'twice: while o[0] < n { o[0] += 2; }
            #[unroll(3)]
            loop { if o[1] > n { break; } o[1] += 1; }
        }
    };
    let text = ir(kernel);
    let stored = |what: &str| text.matches(what).count();
    assert_eq!(stored("%n\n"), 60 + 5, "{text}");
    assert_eq!(stored(", 7u32"), 1);
    // What was done is not asked for any more.
    assert_eq!(stored("loop unroll(never)"), 3);
    assert_eq!(stored("unroll"), 3);
    assert_eq!((stored("store @o[0u32]"), stored("store @o[1u32]")), (2, 1 + 3));
}

#[test]
fn fast_math_is_passed_on() {
    let function: syn::ItemFn = syn::parse_quote! { fn k(o: &mut [f32]) { o[global_id().x] = 1.0; } };
    let arguments = [syn::parse_quote!(fast_math), syn::parse_quote!(workgroup_size(8))];
    let mut reporter = Reporter::new();
    let checked = compile(&arguments, &function, &Linked::default(), &mut reporter).1.expect("a kernel");
    assert!(samebits_ir::text::print(checked.module()).starts_with("func kernel fast_math workgroup_size(8, 1, 1) @k"));
}

#[test]
fn an_order_is_part_of_the_access_and_a_scope_is_that_of_the_memory() {
    let kernel = quote! {
        fn k(c: &[Atomic<u32>]) {
            #[shared]
            let s: Atomic<u32>;
            c[0].fetch_add(1);
            s.fetch_add(1, Ordering::Relaxed);
            c[0].fetch_add(1, Ordering::AcqRel);
            s.store(1, Ordering::Release);
            c[0].store_in(1, Release, Scope::Workgroup);
            s.store_in(2, Ordering::Release, Scope::Device);
            // What a failure promises, a success promises too.
            c[0].compare_exchange(1, 2, Ordering::Release, Ordering::Acquire);
            fence(Ordering::Acquire);
            fence_in(Ordering::SeqCst, Scope::Workgroup);
        }
    };
    let expected = "\
func kernel workgroup_size(1, 1, 1) @k(@c: atomic [u32]) {
  shared @s: atomic u32
  %0 = atomic.add @c[0u32], 1u32
  %1 = atomic.add @s, 1u32
  %2 = atomic.add @c[0u32], 1u32 ordering=acq_rel
  atomic.store @s, 1u32 ordering=release scope=workgroup
  atomic.store @c[0u32], 1u32 ordering=release scope=workgroup
  atomic.store @s, 2u32 ordering=release
  %3 = atomic.cmpxchg @c[0u32], 1u32, 2u32 ordering=acq_rel failure=acquire
  fence ordering=acquire scope=device
  fence ordering=seq_cst scope=workgroup
  ret
}
";
    let features = syn::parse_quote!(features(atomic_orders, seq_cst));
    assert_eq!(ir_of(&[syn::parse_quote!(workgroup_size(1)), features], kernel), expected);
}

#[test]
fn an_index_of_64_bits_is_cut_where_nothing_is_lost() {
    let kernel = quote! { fn k(a: u64, x: &[u32], o: &mut [u32]) { o[0] = x[(a & 255) as usize] + x[a as usize]; } };
    let expected = "\
(%a: u64, @x: [u32], @o: mut [u32]) {
  %0 = and %a, 255u64
  %1 = cast %0 to u32
  %2 = load u32 @x[%1]
  %3 = min %a, 4294967295u64
  %4 = cast %3 to u32
  %5 = load u32 @x[%4]
  %6 = add %2, %5
  store @o[0u32], %6
  ret
}
";
    assert_eq!(ir(kernel), format!("func kernel workgroup_size(1, 1, 1) @k{expected}"));
    // What began with 32 bits keeps them.
    let same = quote! {
        fn k(o: &mut [u32]) { let i = global_id().x as u64; let j = i as usize; if j < o.len() { o[j] = 1; } }
    };
    let expected = "\
(@o: mut [u32]) {
  %0 = global_id.x
  %1 = len @o
  %2 = lt %0, %1
  if %2 {
    store @o[%0], 1u32
  }
  ret
}
";
    assert_eq!(ir_of(&[], same), format!("func kernel workgroup_size(64, 1, 1) @k{expected}"));
}

#[test]
fn lanes_and_bytes_of_known_places_cost_nothing() {
    let kernel = quote! {
        fn k(a: u32, b: u32, o: &mut [u32]) {
            let mut v = Vec2::new(a, b);
            v[1] = 5;
            o[0] = v[0] + v.y;
            o[1] = u32::from_le_bytes(a.to_le_bytes());
        }
    };
    let text = ir(kernel);
    assert!(!text.contains("private") && !text.contains("vec") && text.contains("add %a, 5u32"), "{text}");
}

#[test]
fn a_part_without_elements_may_begin_at_the_end() {
    let kernel = quote! { fn k(y: &mut [u32]) {
        let v = [y[0]; 1];
        let mut sum = 0;
        for a in v[1..1].iter() {
            sum += *a;
        }
        y[0] = sum;
    } };
    assert!(!ir(kernel).contains("outside"), "the part is within the array");
}
