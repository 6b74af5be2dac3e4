//! The ranks: what each has of a problem, the device of each, and their messages.
//!
//! Invariants:
//!
//! - Each row is one rank's own, each rank has at least one, and the own rows stand in the order of the ranks.
//! - A whole problem has fewer than 2³¹ numbers, so that each count and place in a message is an `i32`, as MPI wants it.
//! - Every function here with a message is called by all ranks in the same order.

use mpi::Count;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use samebits::prelude::*;
use std::ops::Range;

/// The ranks of a program, seen from one of them.
pub struct Ranks {
    world: SimpleCommunicator,
}

/// Which rows of a problem each rank has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    own: Vec<Range<usize>>,
    rank: usize,
    width: usize,
}

impl Rows {
    /// Splits rows of so many numbers evenly.
    ///
    /// # Errors
    ///
    /// A message, if there are fewer rows than ranks, or 2³¹ numbers or more.
    ///
    /// ```
    /// use samebits_cluster::ranks::Rows;
    /// let rows = Rows::split(3, 1, 10, 5)?;
    /// assert_eq!(rows.own(), 4..7);
    /// assert_eq!(Rows::split(3, 0, 2, 5).unwrap_err(), "2 rows are too few for 3 ranks; each needs one");
    /// # Ok::<(), String>(())
    /// ```
    pub fn split(ranks: usize, rank: usize, height: usize, width: usize) -> Result<Self, String> {
        if height < ranks {
            return Err(format!("{height} rows are too few for {ranks} ranks; each needs one"));
        }
        if height.checked_mul(width).is_none_or(|numbers| numbers > i32::MAX as usize) {
            return Err(format!(
                "{height} rows of {width} numbers are too many; fewer than 2147483648 numbers are allowed"
            ));
        }
        let start = |rank: usize| (height * rank).div_ceil(ranks);
        Ok(Self { own: (0..ranks).map(|rank| start(rank)..start(rank + 1)).collect(), rank, width })
    }

    /// The rows of this rank.
    pub fn own(&self) -> Range<usize> {
        self.own[self.rank].clone()
    }

    /// The rows of each rank, in the order of the ranks.
    pub fn all(&self) -> &[Range<usize>] {
        &self.own
    }

    /// The rows of this rank, and one more above and below where there is one: what it holds for a kernel that looks at
    /// neighbours.
    ///
    /// ```
    /// use samebits_cluster::ranks::Rows;
    /// assert_eq!(Rows::split(3, 0, 10, 5)?.held(), 0..5);
    /// assert_eq!(Rows::split(3, 1, 10, 5)?.held(), 3..8);
    /// # Ok::<(), String>(())
    /// ```
    pub fn held(&self) -> Range<usize> {
        let own = self.own();
        own.start.saturating_sub(1)..(own.end + 1).min(self.height())
    }

    /// All rows.
    pub fn height(&self) -> usize {
        self.own.last().map_or(0, |last| last.end)
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many numbers each rank has, and where they begin in the whole.
    fn places(&self) -> (Vec<Count>, Vec<Count>) {
        let count = |rows: &Range<usize>| (rows.len() * self.width) as Count;
        let start = |rows: &Range<usize>| (rows.start * self.width) as Count;
        (self.own.iter().map(count).collect(), self.own.iter().map(start).collect())
    }
}

impl Ranks {
    /// All ranks that the program was started with.
    pub fn new(world: SimpleCommunicator) -> Self {
        Self { world }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Splits rows of so many numbers evenly among the ranks; see [`Rows::split`].
    pub fn rows(&self, height: usize, width: usize) -> Result<Rows, String> {
        Rows::split(self.world.size() as usize, self.rank(), height, width)
    }

    /// The device of this rank: the one that `SAMEBITS_DEVICE` names, which each rank may have of its own. Without the
    /// variable, the ranks of one machine take its GPUs in turn, or else its CPU.
    pub fn device(&self) -> Result<Device, Error> {
        // All ranks of a machine take part in this, also those that need no answer.
        let neighbour = self.world.split_shared(0).rank() as usize;
        if std::env::var_os("SAMEBITS_DEVICE").is_some_and(|wanted| !wanted.is_empty()) {
            return Device::best();
        }
        let mut gpus: Vec<Device> = Device::all().into_iter().filter(Device::is_gpu).collect();
        if gpus.is_empty() { Ok(Device::cpu()) } else { Ok(gpus.swap_remove(neighbour % gpus.len())) }
    }

    /// Copies the rows at the seams: `buffer` has the rows that this rank [holds](Rows::held), and those that are not its
    /// own become what their owners have.
    pub fn exchange(&self, rows: &Rows, buffer: &mut Buffer<f32>) -> Result<(), Error> {
        let (own, held) = (rows.own(), rows.held());
        let place = |row: usize| (row - held.start) * rows.width..(row - held.start + 1) * rows.width;
        // The neighbour, the row that it needs, and the row that it has.
        let above = (own.start > 0).then(|| (self.rank() - 1, place(own.start), place(held.start)));
        let below = (own.end < held.end).then(|| (self.rank() + 1, place(own.end - 1), place(own.end)));
        let mut seams = Vec::new();
        for (rank, needed, had) in [above, below].into_iter().flatten() {
            seams.push((self.world.process_at_rank(rank as i32), buffer.read_range(needed)?, had));
        }
        let mut received = vec![vec![0.0f32; rows.width]; seams.len()];
        mpi::request::scope(|scope| {
            let sends: Vec<_> = seams.iter().map(|(peer, row, _)| peer.immediate_send(scope, &row[..])).collect();
            for ((peer, _, _), row) in seams.iter().zip(&mut received) {
                peer.receive_into(&mut row[..]);
            }
            sends.into_iter().for_each(|send| send.wait_without_status());
        });
        seams.iter().zip(&received).try_for_each(|((_, _, had), row)| buffer.write(had.start, row))
    }

    /// All rows on each rank, made of what each rank has of them.
    pub fn gather(&self, rows: &Rows, own: &[f32]) -> Vec<f32> {
        let (counts, starts) = rows.places();
        let mut all = vec![0.0; rows.height() * rows.width];
        self.world.all_gather_varcount_into(own, &mut PartitionMut::new(&mut all[..], counts, starts));
        all
    }

    /// All rows on rank 0, made of what each rank has of them; nothing on the others.
    pub fn gather_first(&self, rows: &Rows, own: &[f32]) -> Option<Vec<f32>> {
        let first = self.world.process_at_rank(0);
        if self.rank() != 0 {
            first.gather_varcount_into(own);
            return None;
        }
        let (counts, starts) = rows.places();
        let mut all = vec![0.0; rows.height() * rows.width];
        first.gather_varcount_into_root(own, &mut PartitionMut::new(&mut all[..], counts, starts));
        Some(all)
    }

    /// Numbers of one rank on each rank. All give as many numbers.
    pub fn broadcast(&self, from: usize, numbers: &mut [f32]) {
        self.world.process_at_rank(from as i32).broadcast_into(numbers);
    }

    /// Ends all ranks, after a failure of this one: the others would wait for its messages.
    pub fn abort(&self) -> ! {
        self.world.abort(1)
    }
}
