//! From a graph to nested constructs: sequences, choices, loops, and jumps out of them.
//!
//! The nesting follows the tree of dominators. A node with several incoming edges is placed
//! behind a construct that holds all of them, and they *leave* that construct. A node with one
//! incoming edge is placed directly at that edge. What is outside of a loop is placed behind
//! the loop, however deep inside of it its dominator is. A construct that is only left by
//! reaching its end is dropped.

use super::flow::{Flow, reverse_postorder};
use super::graph::{Edge, Exit, Graph};

/// A part of a structured body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The instructions of a node.
    Code(usize),
    /// What happens on an edge.
    Edge(Edge),
    /// The node's condition chooses.
    If(usize, Vec<Part>, Vec<Part>),
    /// The node's selector or number chooses; the last is the default.
    Switch(usize, Vec<Vec<Part>>),
    /// Something that [`Part::Leave`] of the same node leaves.
    Block(usize, Vec<Part>),
    /// A loop; its end is never reached.
    Loop(usize, Vec<Part>),
    /// Goes on behind the block of this node.
    Leave(usize),
    /// Goes on behind the loop of this head.
    Break(usize),
    /// Starts the loop of this head again.
    Continue(usize),
    /// Ends the invocation, as the node says.
    Return(usize),
}

/// The graph is nested too deeply.
#[derive(Debug)]
pub(super) struct TooDeep;

/// How deep constructs may nest before those that are not needed are dropped.
const MAX_DEPTH: usize = 200;

/// Beyond this depth choices are laid out one behind the other where they could nest.
const FLAT_DEPTH: usize = 20;

/// Parts in a row, and how many are inside each other.
#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    height: usize,
}

impl Parts {
    fn append(&mut self, mut more: Self) {
        self.list.append(&mut more.list);
        self.height = self.height.max(more.height);
    }

    /// Adds a part that holds others.
    fn nest(&mut self, inner: Self, part: impl FnOnce(Vec<Part>) -> Part) -> Result<(), TooDeep> {
        self.height = self.height.max(inner.height + 1);
        self.list.push(part(inner.list));
        if self.height > MAX_DEPTH { Err(TooDeep) } else { Ok(()) }
    }
}

struct Structure<'g> {
    graph: &'g Graph,
    /// Each node's place in an order in which what is left comes before what follows.
    place: Vec<usize>,
    /// The nodes placed behind a node's own instructions, in order.
    behind: Vec<Vec<usize>>,
    /// The nodes placed behind the loop of a head, in order.
    after: Vec<Vec<usize>>,
    /// Whether a node is placed behind something.
    placed: Vec<bool>,
}

/// The structured form of a graph in which every cycle has one entry.
pub(super) fn structure(graph: &Graph) -> Result<Vec<Part>, TooDeep> {
    let successors = graph.successors();
    let flow = Flow::new(&successors);
    let count = graph.nodes.len();
    // Edges that do not start a loop again.
    let mut forward = vec![0usize; count];
    for &node in &flow.order {
        for &to in &successors[node] {
            if !(graph.head[to] == Some(to) && flow.dominates(to, node)) {
                forward[to] += 1;
            }
        }
    }
    let mut place = vec![0; count];
    for (i, node) in reverse_postorder(&successors, 0, |_| true).into_iter().enumerate() {
        place[node] = i;
    }
    let none = vec![Vec::new(); count];
    let mut it = Structure { graph, place, behind: none.clone(), after: none, placed: vec![false; count] };
    for &node in flow.order.iter().skip(1) {
        let above = flow.idom(node);
        let (mut left, mut around) = (None, graph.head[above]);
        while let Some(head) = around {
            if !it.is_in(node, head) {
                left = Some(head);
            }
            around = graph.outer[head];
        }
        match left {
            Some(head) => it.after[head].push(node),
            None if forward[node] > 1 => it.behind[above].push(node),
            None => continue,
        }
        it.placed[node] = true;
    }
    for list in it.behind.iter_mut().chain(&mut it.after) {
        list.sort_by_key(|&node| it.place[node]);
    }
    it.sequence(0, 0).map(|parts| parts.list)
}

impl Structure<'_> {
    /// Whether a node is in the loop of a head.
    fn is_in(&self, node: usize, head: usize) -> bool {
        let mut around = self.graph.head[node];
        while let Some(other) = around {
            if other == head {
                return true;
            }
            around = self.graph.outer[other];
        }
        false
    }

    fn is_head(&self, node: usize) -> bool {
        self.graph.head[node] == Some(node)
    }

    /// A node and all that it dominates, up to where something else is placed.
    fn sequence(&self, start: usize, depth: usize) -> Result<Parts, TooDeep> {
        if depth > MAX_DEPTH {
            return Err(TooDeep);
        }
        let mut out = Parts::default();
        let mut next = Some(start);
        while let Some(node) = next.take() {
            if self.is_head(node) {
                let mut body = Parts::default();
                if let Some(inner) = self.own(node, &mut body, depth + 1)? {
                    body.append(self.sequence(inner, depth + 1)?);
                }
                let mut whole = Parts::default();
                whole.nest(body, |body| Part::Loop(node, body))?;
                next = self.follow(whole, &self.after[node], &mut out, depth)?;
            } else {
                next = self.own(node, &mut out, depth)?;
            }
        }
        Ok(out)
    }

    /// A node without its loop; the result is what continues at the end of `out`.
    fn own(&self, node: usize, out: &mut Parts, depth: usize) -> Result<Option<usize>, TooDeep> {
        let behind = &self.behind[node];
        if behind.is_empty() {
            return self.code(node, out, depth);
        }
        let mut inner = Parts::default();
        if let Some(next) = self.code(node, &mut inner, depth + 1)? {
            inner.append(self.sequence(next, depth + 1)?);
        }
        self.follow(inner, behind, out, depth)
    }

    /// Puts nodes behind what leaves to them; the last one is left to the caller.
    fn follow(
        &self,
        mut inner: Parts,
        nodes: &[usize],
        out: &mut Parts,
        depth: usize,
    ) -> Result<Option<usize>, TooDeep> {
        for (i, &node) in nodes.iter().enumerate() {
            fall(&mut inner.list, node);
            if leaves(&inner.list, node) {
                let mut whole = Parts::default();
                whole.nest(inner, |inner| Part::Block(node, inner))?;
                inner = whole;
            }
            if i + 1 < nodes.len() {
                inner.append(self.sequence(node, depth + 1)?);
            }
        }
        out.append(inner);
        Ok(nodes.last().copied())
    }

    /// A node's instructions and its exit; the result is what continues.
    fn code(&self, node: usize, out: &mut Parts, depth: usize) -> Result<Option<usize>, TooDeep> {
        out.list.push(Part::Code(node));
        match &self.graph.nodes[node].exit {
            Exit::Leave => out.list.push(Part::Return(node)),
            Exit::Jump(edge) => return Ok(self.edge(node, *edge, out)),
            Exit::Branch(then, otherwise) if depth > FLAT_DEPTH => {
                // Every arm jumps away at its end, so what follows it is the other arm.
                let then = self.arm(node, *then, depth)?;
                out.nest(then, |then| Part::If(node, then, Vec::new()))?;
                return Ok(self.edge(node, *otherwise, out));
            }
            Exit::Branch(then, otherwise) => {
                let (mut then, otherwise) = (self.arm(node, *then, depth)?, self.arm(node, *otherwise, depth)?);
                then.height = then.height.max(otherwise.height);
                out.nest(then, |then| Part::If(node, then, otherwise.list))?;
            }
            Exit::Switch(cases, default) => {
                let edges: Vec<Edge> = cases.iter().map(|case| case.1).chain([*default]).collect();
                self.switch(node, &edges, out, depth)?;
            }
            Exit::Dispatch(_, edges) => self.switch(node, edges, out, depth)?,
        }
        Ok(None)
    }

    fn switch(&self, node: usize, edges: &[Edge], out: &mut Parts, depth: usize) -> Result<(), TooDeep> {
        let (mut arms, mut height) = (Vec::new(), 0);
        for &edge in edges {
            let arm = self.arm(node, edge, depth)?;
            height = height.max(arm.height);
            arms.push(arm.list);
        }
        out.nest(Parts { list: Vec::new(), height }, |_| Part::Switch(node, arms))
    }

    fn arm(&self, node: usize, edge: Edge, depth: usize) -> Result<Parts, TooDeep> {
        let mut out = Parts::default();
        if let Some(next) = self.edge(node, edge, &mut out) {
            out.append(self.sequence(next, depth + 1)?);
        }
        Ok(out)
    }

    /// Follows an edge; the result is the node that it leads to, unless that is elsewhere.
    fn edge(&self, node: usize, edge: Edge, out: &mut Parts) -> Option<usize> {
        out.list.push(Part::Edge(edge));
        if self.is_head(edge.to) && self.is_in(node, edge.to) {
            out.list.push(Part::Continue(edge.to));
        } else if self.placed[edge.to] {
            out.list.push(Part::Leave(edge.to));
        } else {
            return Some(edge.to);
        }
        None
    }
}

/// Drops the jumps to what follows anyway.
fn fall(parts: &mut Vec<Part>, node: usize) {
    match parts.last_mut() {
        Some(Part::Leave(to)) if *to == node => {
            parts.pop();
        }
        Some(Part::If(_, then, otherwise)) => {
            fall(then, node);
            fall(otherwise, node);
        }
        Some(Part::Switch(_, arms)) => arms.iter_mut().for_each(|arm| fall(arm, node)),
        Some(Part::Block(_, inner)) => fall(inner, node),
        Some(Part::Loop(head, body)) => {
            let head = *head;
            exits(body, node, head);
        }
        _ => {}
    }
}

/// Leaving to what follows a loop is leaving the loop.
fn exits(parts: &mut [Part], node: usize, head: usize) {
    for part in parts {
        match part {
            Part::Leave(to) if *to == node => *part = Part::Break(head),
            Part::If(_, then, otherwise) => {
                exits(then, node, head);
                exits(otherwise, node, head);
            }
            Part::Switch(_, arms) => arms.iter_mut().for_each(|arm| exits(arm, node, head)),
            Part::Block(_, inner) | Part::Loop(_, inner) => exits(inner, node, head),
            Part::Code(_) | Part::Edge(_) | Part::Return(_) => {}
            Part::Leave(_) | Part::Break(_) | Part::Continue(_) => {}
        }
    }
}

/// Whether something in here leaves to a node.
fn leaves(parts: &[Part], node: usize) -> bool {
    parts.iter().any(|part| match part {
        Part::Leave(to) => *to == node,
        Part::If(_, then, otherwise) => leaves(then, node) || leaves(otherwise, node),
        Part::Switch(_, arms) => arms.iter().any(|arm| leaves(arm, node)),
        Part::Block(_, inner) | Part::Loop(_, inner) => leaves(inner, node),
        Part::Code(_) | Part::Edge(_) | Part::Return(_) | Part::Break(_) | Part::Continue(_) => false,
    })
}
