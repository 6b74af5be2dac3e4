//! Programs as source.

use super::{
    Adapter, Arg, Asked, Consumer, Ex, Helper, OUTPUT, Param, Pat, Place, Program, SMALL, St, Step, Ty, Val, Var, WAYS,
};
use std::fmt::Write as _;

fn ty(ty: &Ty) -> String {
    match ty {
        Ty::U32 => "u32".to_owned(),
        Ty::I32 => "i32".to_owned(),
        Ty::Bool => "bool".to_owned(),
        Ty::F32 => "f32".to_owned(),
        Ty::Tuple(parts) => format!("({},)", parts.iter().map(self::ty).collect::<Vec<_>>().join(", ")),
        Ty::Array(element, len) => format!("[{}; {len}]", self::ty(element)),
        Ty::Pair => "Pair".to_owned(),
        Ty::Way => "Way".to_owned(),
        Ty::Option(of) => format!("Option<{}>", self::ty(of)),
        Ty::Matrix => "Mat2<f32>".to_owned(),
    }
}

fn name(var: Var) -> String {
    format!("v{var}")
}

fn literal(value: &Val) -> String {
    match value {
        Val::U(n) => format!("{n}u32"),
        Val::I(n) if *n < 0 => format!("({n}i32)"),
        Val::I(n) => format!("{n}i32"),
        Val::B(b) => b.to_string(),
        Val::F(f) => format!("({f:?}f32)"),
        Val::Way(n) => format!("Way::{}", WAYS[*n]),
        Val::Some(value) => format!("Some({})", literal(value)),
        Val::None(_) => "None".to_owned(),
        // The generator writes out what has parts.
        Val::Parts(parts) => format!("({},)", parts.iter().map(literal).collect::<Vec<_>>().join(", ")),
    }
}

fn list(all: &[Ex]) -> String {
    all.iter().map(ex).collect::<Vec<_>>().join(", ")
}

fn place(place: &Place) -> String {
    let mut out = name(place.var);
    for step in &place.path {
        match step {
            Step::Field(n) => write!(out, ".{n}"),
            Step::Named(n) => write!(out, ".{}", ["first", "second"][*n]),
            Step::Lane(n) => write!(out, ".{}.{}", ["x_axis", "y_axis"][n / 2], ["x", "y"][n % 2]),
            Step::Index(index, _) => write!(out, "[{} as usize]", ex(index)),
        }
        .expect("a string takes all");
    }
    out
}

fn pattern(pat: &Pat) -> String {
    let all = |pats: &[Pat]| pats.iter().map(pattern).collect::<Vec<_>>().join(", ");
    match pat {
        Pat::Any => "_".to_owned(),
        Pat::Bind(var) => name(*var),
        Pat::Lit(value) => bare(value),
        Pat::Range(low, high) => format!("{}..={}", bare(low), bare(high)),
        Pat::Or(cases) => format!("({})", cases.iter().map(pattern).collect::<Vec<_>>().join(" | ")),
        Pat::Tuple(parts) => format!("({},)", all(parts)),
        Pat::Pair(parts) => format!("Pair {{ first: {}, second: {} }}", pattern(&parts[0]), pattern(&parts[1])),
        Pat::Array(first, None) => format!("[{}]", all(first)),
        Pat::Array(first, Some(last)) => {
            let parts = [first.as_slice(), &[Pat::Bind(usize::MAX)], last].concat();
            let parts = parts.iter().map(|part| match part {
                Pat::Bind(usize::MAX) => "..".to_owned(),
                part => pattern(part),
            });
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        }
        Pat::Way(n) => format!("Way::{}", WAYS[*n]),
        Pat::Some(inner) => format!("Some({})", pattern(inner)),
        Pat::None => "None".to_owned(),
        Pat::At(var, inner) => format!("{} @ {}", name(*var), pattern(inner)),
    }
}

/// A literal in a pattern, which takes no brackets.
fn bare(value: &Val) -> String {
    match value {
        Val::I(n) => format!("{n}i32"),
        value => literal(value),
    }
}

fn ex(expr: &Ex) -> String {
    match expr {
        Ex::Lit(value) => literal(value),
        Ex::Read(at) => place(at),
        Ex::Input(index) => format!("x[{} as usize]", ex(index)),
        Ex::Unary(op, a) => format!("({op}{})", ex(a)),
        Ex::Binary(op, a, b) => format!("({} {op} {})", ex(a), ex(b)),
        Ex::Method(method, a, args) => format!("{}.{method}({})", receiver(a), list(args)),
        Ex::Cast(a, to) => format!("({} as {})", ex(a), ty(to)),
        Ex::Tuple(parts) => format!("({},)", list(parts)),
        Ex::Array(parts) => format!("[{}]", list(parts)),
        Ex::Repeat(value, len) => format!("[{}; {len}]", ex(value)),
        Ex::Pair(parts) => format!("(Pair {{ second: {1}, first: {0} }})", ex(&parts[0]), ex(&parts[1])),
        Ex::Matrix(n) => {
            format!("Mat2::from_cols(Vec2::new({}, {}), Vec2::new({}, {}))", ex(&n[0]), ex(&n[1]), ex(&n[2]), ex(&n[3]))
        }
        Ex::Some(value) => format!("Some({})", ex(value)),
        Ex::None(of) => format!("None::<{}>", ty(of)),
        Ex::MapOr(value, otherwise, var, body) => {
            format!("{}.map_or({}, |{}| {})", receiver(value), ex(otherwise), name(*var), ex(body))
        }
        Ex::AndThen(value, var, body, _) => format!("{}.and_then(|{}| {})", receiver(value), name(*var), ex(body)),
        Ex::Matches(value, pat, guard) => {
            let guard = guard.as_ref().map_or_else(String::new, |guard| format!(" if {}", ex(guard)));
            format!("matches!({}, {}{guard})", ex(value), pattern(pat))
        }
        Ex::Measured(a, b) => format!("measured({}, {})", ex(a), ex(b)),
        Ex::Block(body, value) => format!("{{ {}{} }}", statements(body), ex(value)),
        Ex::If(condition, a, b) => format!("(if {} {{ {} }} else {{ {} }})", ex(condition), ex(a), ex(b)),
        Ex::IfLet(pat, value, condition, a, b) => format!(
            "(if let {} = {} && {} {{ {} }} else {{ {} }})",
            pattern(pat),
            ex(value),
            ex(condition),
            ex(a),
            ex(b)
        ),
        Ex::Match(value, arms) => {
            let arms =
                arms.iter().map(|(pat, guard, value)| format!("{}{} => {},", pattern(pat), when(guard), ex(value)));
            format!("(match {} {{ {} }})", ex(value), arms.collect::<String>())
        }
        Ex::Closure(var, body, a, b) => {
            format!("{{ let f = |{}: u32| {}; f({}) ^ f({}) }}", name(*var), ex(body), ex(a), ex(b))
        }
        Ex::Call(helper, args) => {
            let args = args.iter().map(|arg| match arg {
                Arg::Value(value) => ex(value),
                Arg::Part(at, mutable, from, to) => {
                    let mutable = if *mutable { "mut " } else { "" };
                    format!("&{mutable}{}[{} as usize..{} as usize]", place(at), ex(from), ex(to))
                }
            });
            format!("helper{helper}({})", args.collect::<Vec<_>>().join(", "))
        }
        Ex::Iterate(over, adapters, consumer) => {
            let mut out = format!("{}.iter().copied()", place(over));
            for adapter in adapters {
                out += &match adapter {
                    Adapter::Rev => ".rev()".to_owned(),
                    Adapter::Skip(n) => format!(".skip({n})"),
                    Adapter::Take(n) => format!(".take({n})"),
                    Adapter::StepBy(n) => format!(".step_by({n})"),
                    Adapter::Map(var, body) => format!(".map(|{}| {})", name(*var), ex(body)),
                    Adapter::Filter(var, body) => format!(".filter(|&{}| {})", name(*var), ex(body)),
                };
            }
            let consumed = match consumer {
                Consumer::Sum => ".sum::<u32>()".to_owned(),
                Consumer::Count => ".count()".to_owned(),
                Consumer::Any(var, body) => format!(".any(|{}| {})", name(*var), ex(body)),
                Consumer::All(var, body) => format!(".all(|{}| {})", name(*var), ex(body)),
                Consumer::Fold(first, sum, var, body) => {
                    format!(".fold({}, |{}, {}| {})", ex(first), name(*sum), name(*var), ex(body))
                }
            };
            match consumer {
                _ if !is_kept(over.var) => out + &consumed,
                // These leave a rest.
                Consumer::Any(..) | Consumer::All(..) => format!("({{ let it = {out}; it.clone(){consumed} }})"),
                _ => format!("({{ let it = {out}; it{consumed} }})"),
            }
        }
        Ex::Loop(counter, rounds, body, value) => {
            let counter = name(*counter);
            format!(
                "{{ let mut {counter} = 0u32; loop {{ {counter} += 1; if {counter} > {rounds} {{ break {}; }} {} }} }}",
                ex(value),
                statements(body)
            )
        }
    }
}

/// Whether an iterator that has to do with this variable is a variable itself.
const fn is_kept(var: Var) -> bool {
    var.is_multiple_of(3)
}

/// A `for`, of an iterator or of a variable that is one.
fn go_over(var: Var, item: &str, range: &str, body: &str) -> String {
    match is_kept(var) {
        true => format!("{{ let it = {range}; for {item} in it {{\n{body}}} }}\n"),
        false => format!("for {item} in {range} {{\n{body}}}\n"),
    }
}

/// A value that was one of a generic enum.
fn through_an_enum(value: &str) -> String {
    format!(
        "match (Held::Two {{ tag: 7, value: {value} }}) {{ Held::Two {{ value, tag: 7 }} | Held::One(value) | Held::Two {{ value, .. }} => value }}"
    )
}

/// An expression before a dot.
fn receiver(expr: &Ex) -> String {
    match expr {
        Ex::Block(..) | Ex::Closure(..) | Ex::Loop(..) => format!("({})", ex(expr)),
        expr => ex(expr),
    }
}

fn when(guard: &Option<Ex>) -> String {
    guard.as_ref().map_or_else(String::new, |guard| format!(" if {}", ex(guard)))
}

fn statements(all: &[St]) -> String {
    all.iter().map(statement).collect()
}

fn statement(st: &St) -> String {
    match st {
        St::Let(var, annotated, of, value) => {
            let of = if *annotated { format!(": {}", ty(of)) } else { String::new() };
            let value = match var % 5 {
                0 => through_an_enum(&ex(value)),
                _ => ex(value),
            };
            format!("let mut {}{of} = {value};\n", name(*var))
        }
        St::Bind(pat, value) => format!("let {} = {};\n", pattern(pat), ex(value)),
        St::Later(var, of, condition, a, b) => {
            let var = name(*var);
            format!(
                "let mut {var}: {}; if {} {{ {var} = {}; }} else {{ {var} = {}; }}\n",
                ty(of),
                ex(condition),
                ex(a),
                ex(b)
            )
        }
        St::Assign(to, value) => format!("{} = {};\n", place(to), ex(value)),
        St::OpAssign(op, to, value) => format!("{} {op}= {};\n", place(to), ex(value)),
        St::Through(var, to, op, value) => {
            let var = name(*var);
            format!("{{ let {var} = &mut {}; *{var} {op}= {}; }}\n", place(to), ex(value))
        }
        St::Held(asked, var, to, op, value) => {
            let (var, to) = (name(*var), place(to));
            let change = format!("*{var} {op}= {};", ex(value));
            match asked {
                Asked::IfLet => format!("if let Some({var}) = &mut {to} {{ {change} }}\n"),
                Asked::Match => format!("match &mut {to} {{ None => {{}}, Some({var}) => {{ {change} }} }}\n"),
                Asked::Guarded(least) => {
                    format!("match &mut {to} {{ Some({var}) if *{var} > {least} => {{ {change} }}, _ => {{}} }}\n")
                }
                Asked::LetElse(label) => {
                    format!("'l{label}: {{ let Some({var}) = &mut {to} else {{ break 'l{label}; }}; {change} }}\n")
                }
                Asked::WhileLet => format!("while let Some({var}) = &mut {to} {{ {change} break; }}\n"),
            }
        }
        St::Elements(either, [a, b], to, op, [first, second]) => {
            let (a, b, to, first, second) = (name(*a), name(*b), place(to), ex(first), ex(second));
            if *either {
                return format!(
                    "match &mut {to} {{ [{a} @ 0..={SMALL}, ..] | [.., {a}] => {{ *{a} {op}= {first}; }} }}\n"
                );
            }
            format!("{{ let [{a}, .., {b}] = &mut {to}; *{a} {op}= {first}; *{b} {op}= {second}; }}\n")
        }
        St::Fields([a, b], to, op, [first, second]) => {
            let (a, b, to) = (name(*a), name(*b), place(to));
            let (first, second) = (ex(first), ex(second));
            format!(
                "{{ let Pair {{ first: {a}, second: {b} }} = &mut {to}; *{a} {op}= {first}; *{b} {op}= {second}; }}\n"
            )
        }
        St::If(condition, then, otherwise) => {
            format!("if {} {{\n{}}} else {{\n{}}}\n", ex(condition), statements(then), statements(otherwise))
        }
        St::For(var, from, to, rev, step, body) => {
            let mut range = format!("{}..{}", ex(from), ex(to));
            if *rev || *step > 1 {
                range = format!("({range})");
            }
            if *rev {
                range += ".rev()";
            }
            if *step > 1 {
                write!(range, ".step_by({step})").expect("a string takes all");
            }
            go_over(*var, &name(*var), &range, &statements(body))
        }
        St::Each(i, var, over, body) => {
            let (at, range) = (name(*i), format!("{}.iter().copied().enumerate()", place(over)));
            let body = format!("let {at} = {at}_at as u32;\n{}", statements(body));
            go_over(*var, &format!("({at}_at, {})", name(*var)), &range, &body)
        }
        St::EachMut(var, over, value) => {
            let range = format!("{}.iter_mut()", place(over));
            go_over(*var, &name(*var), &range, &format!("*{} ^= {};\n", name(*var), ex(value)))
        }
        St::While(counter, rounds, body) => {
            let counter = name(*counter);
            format!("let mut {counter} = {rounds}u32; while {counter} > 0 {{ {counter} -= 1;\n{}}}\n", statements(body))
        }
        St::Labelled(label, pat, value, leave, body) => format!(
            "'l{label}: {{ let {} = ({}) else {{ break 'l{label}; }}; if {} {{ break 'l{label}; }}\n{}}}\n",
            pattern(pat),
            ex(value),
            ex(leave),
            statements(body)
        ),
        St::Match(value, arms) => {
            let arms = arms
                .iter()
                .map(|(pat, guard, body)| format!("{}{} => {{\n{}}}\n", pattern(pat), when(guard), statements(body)));
            format!("match {} {{\n{}}}\n", ex(value), arms.collect::<String>())
        }
        St::Jump(on, condition) => {
            format!("if {} {{ {}; }}\n", ex(condition), if *on { "continue" } else { "break" })
        }
        St::Expr(value) => format!("{};\n", ex(value)),
    }
}

pub(super) fn kernel(program: &Program) -> String {
    let mut out = format!("fn program(x: &[u32], y: &mut [u32]) {{\n{}", statements(&program.body));
    let mut at = 0;
    for (var, of) in &program.shown {
        show(&name(*var), of, &mut at, &mut out);
    }
    out + "}\n"
}

/// Stores the leaves of a value.
fn show(value: &str, of: &Ty, at: &mut usize, out: &mut String) {
    let word = match of {
        Ty::U32 => value.to_owned(),
        Ty::I32 | Ty::Bool => format!("{value} as u32"),
        Ty::F32 => format!("{value}.to_bits()"),
        Ty::Way => format!("match {value} {{ Way::Up => 0, Way::Down => 1, Way::Across => 2 }}"),
        Ty::Tuple(parts) => {
            return parts.iter().enumerate().for_each(|(i, part)| show(&format!("{value}.{i}"), part, at, out));
        }
        Ty::Array(element, len) => return (0..*len).for_each(|i| show(&format!("{value}[{i}]"), element, at, out)),
        Ty::Pair => {
            show(&format!("{value}.first"), &Ty::U32, at, out);
            return show(&format!("{value}.second"), &Ty::I32, at, out);
        }
        Ty::Matrix => {
            let lanes = ["x_axis.x", "x_axis.y", "y_axis.x", "y_axis.y"];
            return lanes.iter().for_each(|lane| show(&format!("{value}.{lane}"), &Ty::F32, at, out));
        }
        Ty::Option(held) => {
            show(&format!("{value}.is_some()"), &Ty::Bool, at, out);
            let zero = match &**held {
                Ty::Pair => "Pair { first: 0, second: 0 }".to_owned(),
                held => literal(&held.zero()),
            };
            return show(&format!("{value}.unwrap_or({zero})"), held, at, out);
        }
    };
    if *at < OUTPUT {
        writeln!(out, "y[{at}] = {word};").expect("a string takes all");
    }
    *at += 1;
}

pub(super) fn helpers(program: &Program) -> Vec<String> {
    let helper = |(i, Helper { params, result, body, early, tried, value }): (usize, &Helper)| {
        let params = params.iter().map(|(var, param)| match param {
            Param::Value(of) => format!("mut {}: {}", name(*var), ty(of)),
            Param::Part(mutable) => format!("{}: &{}[u32]", name(*var), if *mutable { "mut " } else { "" }),
        });
        format!(
            "fn helper{i}({}) -> {} {{\n{}if {} {{ return {}; }}\n{}{}\n}}\n",
            params.collect::<Vec<_>>().join(", "),
            ty(result),
            statements(body),
            ex(&early.0),
            ex(&early.1),
            tried.as_ref().map_or_else(String::new, |(var, value)| format!("let {} = ({})?;\n", name(*var), ex(value))),
            ex(value)
        )
    };
    program.helpers.iter().enumerate().map(helper).collect()
}
