//! Which stores to workgroup memory a load may meet, between barriers and over loops.

use super::{accepts, judged_with, rejects};

/// A kernel that waits in the end if its workgroup memory says so.
fn body(before: &str) -> String {
    format!(
        "shared @s: [u32; 64]\n%l = local_id.x\n{before}\n%end = load u32 @s[0u32]\n%last = lt %end, 3u32\n\
         if %last {{\nbarrier\n}}"
    )
}

/// A loop of `%n` rounds whose number is `%i`.
fn rounds(label: &str, inside: &str) -> String {
    format!(
        "loop '{label} (%i: u32 = 0u32) {{
           %d = ge %i, %n
           if %d {{ break '{label} }}
           {inside}
           %j = add %i, 1u32
           continue '{label} %j
         }}"
    )
}

#[test]
fn what_follows_a_loop_is_not_in_its_next_round() {
    accepts(&body(&rounds("a", "store @s[%l], %i barrier")));
    accepts(&body(&rounds("a", "barrier store @s[%l], %i barrier")));
    accepts(&body(&(rounds("a", "barrier store @s[%l], %i") + "barrier")));
    let nested = rounds(
        "a",
        &rounds("b", "store @s[%l], %i barrier").replace("%i", "%k").replace("%d", "%e").replace("%j", "%m"),
    );
    accepts(&body(&nested));
    // It may not run at all, and a loop without a barrier has no phase of its own.
    accepts(&body(&("store @s[%l], %n barrier ".to_owned() + &rounds("a", "store @s[%l], %i barrier"))));
    rejects(&body(&("store @s[%l], %n ".to_owned() + &rounds("a", "store @s[%l], %i barrier"))));
    rejects(&body(&rounds("a", "barrier store @s[%l], %i")));
    rejects(&body(&rounds("a", "store @s[%l], %i")));
}

#[test]
fn a_load_in_a_loop_meets_the_stores_of_the_next_round() {
    let reads = "%v = load u32 @s[0u32] %c = eq %v, 3u32\nif %c {\nbarrier\n}\n";
    let all = |inside: &str| "shared @s: [u32; 64]\n%l = local_id.x\n".to_owned() + &rounds("a", inside);
    rejects(&all(&format!("store @s[%l], %i barrier {reads}")));
    accepts(&all(&format!("store @s[%l], %i barrier {reads} barrier")));
    rejects(&all(&format!("{reads} store @s[%l], %i barrier")));
    accepts(&all(&format!("{reads} barrier store @s[%l], %i barrier")));
}

#[test]
fn a_loop_may_be_left_after_its_barrier() {
    let left = |condition: &str| {
        format!(
            "loop 'a (%i: u32 = 0u32) {{
               store @s[%l], %i
               barrier
               %v = load u32 @s[1u32]
               {condition}
               if %c {{ break 'a }}
               barrier
               %j = add %i, 1u32
               continue 'a %j
             }}"
        )
    };
    accepts(&body(&left("%c = gt %v, 3u32")));
    accepts(&body(&left("%c = gt %i, %n")));
    // Without the barrier at its end the store of the next round may come before the load.
    let short = left("%c = gt %v, 3u32").replace("barrier\n               %j", "%j");
    for wrong in [short, left("%c = gt %l, 3u32")] {
        assert!(judged_with("64, 1, 1", &body(&wrong)).1.is_err(), "{wrong}");
    }
}

#[test]
fn a_branch_tells_phases_apart_only_if_all_decide_alike() {
    let branch = |condition: &str, then: &str| {
        format!(
            "barrier %c = {condition} %r = if %c -> u32 {{ {then} yield 1u32 }} else {{ %v = load u32 @s[0u32] yield %v }}\n\
                 %e = eq %r, 1u32\nif %e {{\nbarrier\n}}"
        )
    };
    let all =
        |condition: &str, then: &str| format!("shared @s: [u32; 64]\n%l = local_id.x\n{}", branch(condition, then));
    accepts(&all("lt %n, 3u32", "store @s[%l], 1u32 barrier"));
    rejects(&all("lt %l, 3u32", "store @s[%l], 1u32"));
    // Such a branch is not looked at, since no barrier is in it.
    rejects(&all("lt %n, 3u32", "store @s[%l], 1u32"));
}

#[test]
fn a_barrier_under_a_condition_that_all_share_begins_a_phase_for_some_rounds() {
    let sometimes = |after: &str| {
        rounds("a", &format!("%o = and %i, 1u32 %p = eq %o, 0u32 if %p {{ barrier store @s[%l], %i {after} }}"))
    };
    accepts(&body(&sometimes("barrier")));
    rejects(&body(&sometimes("")));
}

#[test]
fn many_decisions_in_a_row_come_to_an_end() {
    for (order, is_right) in [("store @s[%l], %i barrier", true), ("barrier store @s[%l], %i", false)] {
        let mut inside = String::new();
        for i in 0..40 {
            inside += &format!("%b{i} = eq %n, {i}u32 if %b{i} {{ {order} }}\n");
        }
        let all = body(&rounds("a", &inside));
        if is_right { accepts(&all) } else { drop(rejects(&all)) }
    }
}
