//! Directed graphs with one entry: order, predecessors and dominators.
//!
//! Nothing here is recursive, so graphs of any depth are fine.

use std::collections::HashMap;

/// What is known of a graph. Nodes that the entry does not reach have no place in the
/// order, and nothing else is known of them.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The reachable nodes such that each one's dominators are before it, the entry first.
    pub(super) order: Vec<usize>,
    /// A node's place in `order`.
    pub(super) place: Vec<Option<usize>>,
    /// The reachable predecessors of each node, each once.
    pub(super) predecessors: Vec<Vec<usize>>,
    /// The immediate dominator; the entry's is itself.
    idom: Vec<usize>,
    /// The interval of a walk over the tree of dominators that a node's subtree takes.
    interval: Vec<(usize, usize)>,
}

impl Flow {
    /// Judges the graph in which `successors[n]` follow node `n`; node 0 is the entry.
    pub(super) fn new(successors: &[Vec<usize>]) -> Self {
        let order = reverse_postorder(successors, 0, |_| true);
        let mut place = vec![None; successors.len()];
        for (i, &node) in order.iter().enumerate() {
            place[node] = Some(i);
        }
        let mut predecessors = vec![Vec::new(); successors.len()];
        for &node in &order {
            successors[node].iter().for_each(|&to| predecessors[to].push(node));
        }
        for list in &mut predecessors {
            list.sort_unstable();
            list.dedup();
        }
        let mut flow = Self { order, place, predecessors, idom: Vec::new(), interval: Vec::new() };
        flow.dominators();
        flow.intervals();
        flow
    }

    /// Whether the entry reaches a node.
    pub(super) fn reaches(&self, node: usize) -> bool {
        self.place.get(node).is_some_and(Option::is_some)
    }

    /// The immediate dominator of a reachable node.
    pub(super) fn idom(&self, node: usize) -> usize {
        self.idom[node]
    }

    /// Whether every way to `b` leads through `a`; both are reachable.
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        let ((from, to), (at, _)) = (self.interval[a], self.interval[b]);
        (from..to).contains(&at)
    }

    fn dominators(&mut self) {
        let mut idom: Vec<Option<usize>> = vec![None; self.place.len()];
        let Some(&entry) = self.order.first() else { return };
        idom[entry] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &self.order[1..] {
                let mut new = None;
                for &before in &self.predecessors[node] {
                    if idom[before].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => before,
                        Some(other) => self.meet(&idom, before, other),
                    });
                }
                if new.is_some() && idom[node] != new {
                    idom[node] = new;
                    changed = true;
                }
            }
        }
        self.idom = idom.into_iter().map(|node| node.unwrap_or(entry)).collect();
    }

    fn meet(&self, idom: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.place[a] > self.place[b] { &mut a } else { &mut b };
            match idom[*later] {
                Some(up) => *later = up,
                None => return self.order[0],
            }
        }
        a
    }

    fn intervals(&mut self) {
        let mut children = vec![Vec::new(); self.place.len()];
        for &node in self.order.iter().skip(1) {
            children[self.idom[node]].push(node);
        }
        self.interval = vec![(0, 0); self.place.len()];
        let mut clock = 0;
        let mut open: Vec<(usize, usize)> = self.order.first().map(|&entry| (entry, 0)).into_iter().collect();
        while let Some((node, next)) = open.last_mut() {
            if *next == 0 {
                self.interval[*node].0 = clock;
                clock += 1;
            }
            match children[*node].get(*next) {
                Some(&child) => {
                    *next += 1;
                    open.push((child, 0));
                }
                None => {
                    self.interval[*node].1 = clock;
                    open.pop();
                }
            }
        }
    }
}

/// The nodes that `entry` reaches through nodes that are `inside`, each before what it
/// leads to except along the way back of cycles.
pub(super) fn reverse_postorder(successors: &[Vec<usize>], entry: usize, inside: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    if entry >= successors.len() || !inside(entry) {
        return order;
    }
    seen[entry] = true;
    let mut open = vec![(entry, 0)];
    while let Some((node, next)) = open.last_mut() {
        match successors[*node].get(*next) {
            Some(&to) => {
                *next += 1;
                if !seen[to] && inside(to) {
                    seen[to] = true;
                    open.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The groups of `nodes` that reach each other by edges within `nodes`, single nodes
/// without an edge to themselves left out.
pub(super) fn cycles(successors: &[Vec<usize>], nodes: &[usize], inside: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy)]
    struct Mark {
        index: usize,
        low: usize,
        waiting: bool,
    }
    let mut marks: HashMap<usize, Mark> = HashMap::new();
    let (mut clock, mut waiting, mut found) = (0, Vec::new(), Vec::new());
    for &start in nodes {
        let mut open = Vec::new();
        if !marks.contains_key(&start) {
            open.push((start, 0));
        }
        while let Some(&mut (node, ref mut next)) = open.last_mut() {
            let mut mark = marks.get(&node).copied().unwrap_or_else(|| {
                waiting.push(node);
                clock += 1;
                Mark { index: clock, low: clock, waiting: true }
            });
            let step = successors[node].get(*next).copied();
            *next += 1;
            match step {
                Some(to) if inside(to) => match marks.get(&to) {
                    _ if to == node => {}
                    None => open.push((to, 0)),
                    Some(other) if other.waiting => mark.low = mark.low.min(other.index),
                    Some(_) => {}
                },
                Some(_) => {}
                None => {
                    open.pop();
                    if mark.low == mark.index {
                        mark.waiting = false;
                        let mut group = Vec::new();
                        while let Some(member) = waiting.pop() {
                            if let Some(mark) = marks.get_mut(&member) {
                                mark.waiting = false;
                            }
                            group.push(member);
                            if member == node {
                                break;
                            }
                        }
                        if group.len() > 1 || successors[node].contains(&node) {
                            group.sort_unstable();
                            found.push(group);
                        }
                    } else if let Some(&(above, _)) = open.last()
                        && let Some(above) = marks.get_mut(&above)
                    {
                        above.low = above.low.min(mark.low);
                    }
                }
            }
            marks.insert(node, mark);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_is_dominated_by_its_head() {
        let flow = Flow::new(&[vec![1, 2], vec![3], vec![3], vec![], vec![3]]);
        assert_eq!((flow.idom(1), flow.idom(2), flow.idom(3)), (0, 0, 0));
        assert!(flow.dominates(0, 3) && !flow.dominates(1, 3) && flow.dominates(3, 3));
        assert!(!flow.reaches(4));
        assert_eq!(flow.predecessors[3], [1, 2]);
    }

    #[test]
    fn cycles_are_found_inside_what_is_asked() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![3, 4], vec![]];
        let all = [0, 1, 2, 3, 4];
        let mut found = cycles(&edges, &all, |_| true);
        found.sort();
        assert_eq!(found, [vec![1, 2], vec![3]]);
        assert_eq!(cycles(&edges, &[2, 3], |n| n == 2 || n == 3), [vec![3]]);
    }
}
