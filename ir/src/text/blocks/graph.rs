//! The graph that is structured: a copy of a function's blocks in which every cycle has one
//! entry.
//!
//! A cycle with several entries loses all but one of them: its other nodes are copied for those
//! who enter from outside. If that would copy too much, or would copy a barrier, the cycle gets
//! a *dispatcher* instead: a new node that leads to the old entries, by a number that is set on
//! the edges to it.

use super::flow::cycles;

/// An edge, with what happens on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) to: usize,
    /// The blocks whose phis this edge is for: from and to.
    pub(super) blocks: Option<(usize, usize)>,
    /// The dispatcher that the edge goes through, and the number to set for it.
    pub(super) via: Option<(usize, u32)>,
}

/// How a node ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    /// The invocation is done, or it never gets here; the block says which.
    Leave,
    Jump(Edge),
    /// The block's condition decides.
    Branch(Edge, Edge),
    /// The block's selector decides; the last edge is the default.
    Switch(Vec<(u64, Edge)>, Edge),
    /// The dispatcher's number decides, the position in this list.
    Dispatch(usize, Vec<Edge>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// The block whose instructions run; none for a dispatcher.
    pub(super) block: Option<usize>,
    pub(super) exit: Exit,
}

impl Exit {
    pub(super) fn edges_mut(&mut self) -> Vec<&mut Edge> {
        match self {
            Self::Leave => Vec::new(),
            Self::Jump(edge) => vec![edge],
            Self::Branch(a, b) => vec![a, b],
            Self::Switch(cases, default) => cases.iter_mut().map(|case| &mut case.1).chain([default]).collect(),
            Self::Dispatch(_, edges) => edges.iter_mut().collect(),
        }
    }

    pub(super) fn edges(&self) -> Vec<Edge> {
        self.clone().edges_mut().into_iter().map(|edge| *edge).collect()
    }
}

/// How much copying is worth, in instructions.
const MOST_COPIED: usize = 64;

/// The nodes of a graph, with the loops that they are in.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// The head of the innermost loop that a node is in; a head is in its own loop.
    pub(super) head: Vec<Option<usize>>,
    /// The head of the loop around the loop of a head.
    pub(super) outer: Vec<Option<usize>>,
    pub(super) dispatchers: usize,
}

/// What copying a block costs: its instructions, or nothing that can be paid.
pub(super) type Costs<'c> = &'c dyn Fn(usize) -> Option<usize>;

impl Graph {
    /// Makes every cycle one with a single entry, which is its loop's head.
    pub(super) fn new(nodes: Vec<Node>, costs: Costs<'_>) -> Self {
        let none = vec![None; nodes.len()];
        let all = (0..nodes.len()).collect();
        let mut graph = Self { nodes, head: none.clone(), outer: none, dispatchers: 0 };
        let mut budget = MOST_COPIED;
        let (mut successors, mut predecessors) = graph.neighbours();
        // Marks, which are newer than any other while they are in use.
        let (mut stamps, mut stamp) = (Vec::new(), 0usize);
        // Groups of nodes to look for cycles in, each with the loop around it.
        let mut todo: Vec<(Vec<usize>, Option<usize>)> = vec![(all, None)];
        while let Some((nodes, outer)) = todo.pop() {
            stamp += 1;
            stamps.resize(graph.nodes.len(), 0);
            nodes.iter().for_each(|&node| stamps[node] = stamp);
            let found = cycles(&successors, &nodes, |node| stamps.get(node) == Some(&stamp));
            for cycle in found {
                stamp += 1;
                stamps.resize(graph.nodes.len(), 0);
                cycle.iter().for_each(|&node| stamps[node] = stamp);
                let outside = |&before: &usize| stamps[before] != stamp;
                let entered = |&node: &usize| node == 0 || predecessors[node].iter().any(outside);
                let entries: Vec<usize> = cycle.iter().copied().filter(entered).collect();
                if let [head] = entries[..] {
                    todo.push((graph.claim(head, cycle, outer), Some(head)));
                    continue;
                }
                match graph.copy(&cycle, &entries, costs, &mut budget) {
                    // The copies have cycles of their own, and so may the rest.
                    Some(copies) => {
                        todo.push((cycle, outer));
                        todo.push((copies, outer));
                    }
                    None => {
                        let head = graph.dispatch(&entries);
                        let mut whole = cycle;
                        whole.push(head);
                        todo.push((graph.claim(head, whole, outer), Some(head)));
                    }
                }
                (successors, predecessors) = graph.neighbours();
            }
        }
        graph
    }

    /// The nodes that each node leads to, and those that lead to it.
    fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let successors = self.successors();
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (node, next) in successors.iter().enumerate() {
            next.iter().for_each(|&to: &usize| predecessors[to].push(node));
        }
        (successors, predecessors)
    }

    /// The nodes that each node leads to.
    pub(super) fn successors(&self) -> Vec<Vec<usize>> {
        self.nodes.iter().map(|node| node.exit.edges().into_iter().map(|edge| edge.to).collect()).collect()
    }

    /// Makes a cycle a loop; the result is its nodes other than the head.
    fn claim(&mut self, head: usize, cycle: Vec<usize>, outer: Option<usize>) -> Vec<usize> {
        self.outer[head] = outer;
        cycle.iter().for_each(|&node| self.head[node] = Some(head));
        cycle.into_iter().filter(|&node| node != head).collect()
    }

    /// Copies a cycle except its first entry, for the edges to its other entries.
    fn copy(&mut self, cycle: &[usize], entries: &[usize], costs: Costs<'_>, budget: &mut usize) -> Option<Vec<usize>> {
        let head = *entries.first()?;
        let copied: Vec<usize> = cycle.iter().copied().filter(|&node| node != head).collect();
        let mut cost = 0usize;
        for &node in &copied {
            cost = cost.saturating_add(self.nodes[node].block.map_or(Some(1), costs)?);
        }
        *budget = budget.checked_sub(cost)?;
        let mut copy_of = vec![None; self.nodes.len()];
        for &node in &copied {
            copy_of[node] = Some(self.nodes.len());
            self.nodes.push(self.nodes[node].clone());
            // The loop around the cycle is around its copy.
            self.head.push(self.head[node]);
            self.outer.push(None);
        }
        let mut inside = vec![false; self.nodes.len()];
        cycle.iter().for_each(|&node| inside[node] = true);
        for (node, inside) in inside.iter().enumerate() {
            // Outside, and in the copies, what led into the cycle leads to the copies now.
            if !inside {
                for edge in self.nodes[node].exit.edges_mut() {
                    edge.to = copy_of.get(edge.to).copied().flatten().unwrap_or(edge.to);
                }
            }
        }
        Some(copy_of.into_iter().flatten().collect())
    }

    /// Puts a dispatcher before the entries of a cycle.
    fn dispatch(&mut self, entries: &[usize]) -> usize {
        let (head, number) = (self.nodes.len(), self.dispatchers);
        self.dispatchers += 1;
        let plain = |&to| Edge { to, blocks: None, via: None };
        for node in &mut self.nodes {
            for edge in node.exit.edges_mut() {
                if let Some(which) = entries.iter().position(|&entry| entry == edge.to)
                    && edge.via.is_none()
                {
                    edge.via = Some((number, which as u32));
                    edge.to = head;
                }
            }
        }
        let edges = entries.iter().map(plain).collect();
        self.nodes.push(Node { block: None, exit: Exit::Dispatch(number, edges) });
        self.head.push(None);
        self.outer.push(None);
        head
    }
}
