//! Which values that are assigned to variables nothing reads.
//!
//! A body is a tree of [`Flow`]s, in the order of evaluation. It is walked backwards with the set of the
//! variables whose values are still read; a loop is walked until the set at its head stays the same. As that
//! takes more rounds for each loop around it, what is too deep in loops counts as read.

/// The deepest nesting of loops and labelled blocks.
const MAX_LOOPS: usize = 6;

/// What happens to variables, as far as it matters to which of their values are read.
pub(super) enum Flow {
    /// A variable is read.
    Read(usize),
    /// A variable gets a value: the number of the variable and of the place where it does.
    Write { variable: usize, site: usize },
    /// One of several ways is taken.
    Either(Vec<Vec<Flow>>),
    /// A loop, which only a jump ends, or a block with a label, which its end leaves too.
    Labelled { target: usize, repeats: bool, body: Vec<Flow> },
    /// A jump behind a loop or block.
    Break(usize),
    /// A jump to the head of a loop.
    Continue(usize),
    /// The end of the function or closure.
    Return,
}

/// The sites whose values something may read, among so many of them.
pub(super) fn read_sites(bodies: &[Vec<Flow>], variables: usize, sites: usize) -> Vec<bool> {
    let mut walk = Walk { read: vec![false; sites], jumps: Vec::new(), variables };
    for body in bodies {
        walk.all(body, &mut Live(vec![false; variables]));
    }
    walk.read
}

/// The variables whose values are read later.
#[derive(Clone, PartialEq)]
struct Live(Vec<bool>);

impl Live {
    fn or(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(live, other)| *live |= other);
    }
}

struct Walk {
    read: Vec<bool>,
    /// Of each loop or block around: its number, what is live behind it, and at its head.
    jumps: Vec<(usize, Live, Live)>,
    variables: usize,
}

impl Walk {
    fn all(&mut self, flows: &[Flow], live: &mut Live) {
        flows.iter().rev().for_each(|flow| self.one(flow, live));
    }

    fn one(&mut self, flow: &Flow, live: &mut Live) {
        match flow {
            Flow::Read(variable) => live.0[*variable] = true,
            Flow::Write { variable, site } => self.read[*site] |= std::mem::take(&mut live.0[*variable]),
            Flow::Either(ways) => {
                let after = live.clone();
                live.0.fill(false);
                for way in ways {
                    let mut of_way = after.clone();
                    self.all(way, &mut of_way);
                    live.or(&of_way);
                }
            }
            Flow::Labelled { target, repeats, body } => self.labelled((*target, *repeats), body, live),
            Flow::Break(target) => self.jump(*target, live, |(_, behind, _)| behind),
            Flow::Continue(target) => self.jump(*target, live, |(_, _, head)| head),
            Flow::Return => live.0.fill(false),
        }
    }

    fn labelled(&mut self, (target, repeats): (usize, bool), body: &[Flow], live: &mut Live) {
        if self.jumps.len() >= MAX_LOOPS {
            self.all_read(body);
            live.0.fill(true);
            return;
        }
        let mut head = Live(vec![false; self.variables]);
        loop {
            self.jumps.push((target, live.clone(), head.clone()));
            let mut at_head = if repeats { head.clone() } else { live.clone() };
            self.all(body, &mut at_head);
            self.jumps.pop();
            at_head.or(&head);
            if !repeats || at_head == head {
                *live = at_head;
                return;
            }
            head = at_head;
        }
    }

    fn all_read(&mut self, flows: &[Flow]) {
        for flow in flows {
            match flow {
                Flow::Write { site, .. } => self.read[*site] = true,
                Flow::Either(ways) => ways.iter().for_each(|way| self.all_read(way)),
                Flow::Labelled { body, .. } => self.all_read(body),
                Flow::Read(_) | Flow::Break(_) | Flow::Continue(_) | Flow::Return => {}
            }
        }
    }

    fn jump(&self, target: usize, live: &mut Live, to: impl Fn(&(usize, Live, Live)) -> &Live) {
        if let Some(found) = self.jumps.iter().rev().find(|(id, ..)| *id == target) {
            live.clone_from(to(found));
        }
    }
}
