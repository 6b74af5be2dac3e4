//! Typed ids, the arenas that hand them out, and tables indexed by them.
//!
//! Invariant: an [`Id`] is only meaningful for the arena that made it. The check
//! `check::shape` proves for a whole function that every id is in range; code that
//! runs after it may index freely.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A 32-bit index into an [`Arena`] of `T`, not interchangeable with other ids.
///
/// ```
/// use samebits_ir::arena::Arena;
/// let mut names = Arena::new();
/// let id = names.push("saxpy");
/// assert_eq!(names[id], "saxpy");
/// ```
pub struct Id<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// The id with this position; it need not exist in any arena yet.
    pub const fn from_index(index: usize) -> Self {
        Self { index: index as u32, of: PhantomData }
    }

    /// The position in the arena.
    pub const fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// A growing table whose entries are named by [`Id`]s and never removed.
///
/// ```
/// use samebits_ir::arena::Arena;
/// let mut arena = Arena::new();
/// let (a, b) = (arena.push(1), arena.push(2));
/// assert_eq!(arena[a] + arena[b], 3);
/// assert_eq!(arena.iter().count(), 2);
/// ```
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Arena<T> {
    /// An empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// Stores `item` and returns its id.
    pub fn push(&mut self, item: T) -> Id<T> {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    /// The id that the next [`push`](Self::push) will return.
    pub fn next_id(&self) -> Id<T> {
        Id::from_index(self.items.len())
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entry, or `None` for an id that this arena did not make.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All entries with their ids, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (Id::from_index(i), item))
    }

    /// All ids, in the order of insertion.
    pub fn ids(&self) -> impl Iterator<Item = Id<T>> + use<T> {
        (0..self.items.len()).map(Id::from_index)
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<T: Clone> Clone for Arena<T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone() }
    }
}
impl<T: fmt::Debug> fmt::Debug for Arena<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: Id<T>) -> &T {
        &self.items[id.index as usize]
    }
}
impl<T> IndexMut<Id<T>> for Arena<T> {
    #[inline(always)]
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.items[id.index as usize]
    }
}

/// A value of type `V` for every id of `T`; ids without one read as the default.
///
/// ```
/// use samebits_ir::arena::{Arena, Side};
/// let mut arena = Arena::new();
/// let (a, b) = (arena.push("a"), arena.push("b"));
/// let mut seen: Side<&str, bool> = Side::new(false);
/// seen[a] = true;
/// assert!(seen[a] && !seen[b]);
/// ```
#[derive(Clone, Debug)]
pub struct Side<T, V> {
    values: Vec<V>,
    default: V,
    of: PhantomData<fn() -> T>,
}

impl<T, V: Clone> Side<T, V> {
    /// A table in which every id reads as `default`.
    pub fn new(default: V) -> Self {
        Self { values: Vec::new(), default, of: PhantomData }
    }

    /// The same with room for so many ids at once.
    ///
    /// ```
    /// use samebits_ir::arena::{Id, Side};
    /// let seen: Side<&str, bool> = Side::sized(false, 2);
    /// assert!(!seen[Id::from_index(1)] && !seen[Id::from_index(9)]);
    /// ```
    pub fn sized(default: V, len: usize) -> Self {
        let mut side = Self::new(default);
        if let Some(last) = len.checked_sub(1) {
            side.grow(last);
        }
        side
    }
}

impl<T, V: Clone> Side<T, V> {
    /// Makes room for a position, and for more, since ids are met one after the other.
    #[cold]
    fn grow(&mut self, index: usize) {
        let start = self.values.len();
        let len = (index + 1).max(2 * start).max(16);
        if std::mem::needs_drop::<V>() {
            self.values.resize(len, self.default.clone());
            return;
        }
        self.values.reserve_exact(len - start);
        self.values.push(self.default.clone());
        // By doubling, which for plain data is a few large copies and not one call for each.
        while self.values.len() < len {
            let count = (self.values.len() - start).min(len - self.values.len());
            self.values.extend_from_within(start..start + count);
        }
    }
}

impl<T, V: Clone> Index<Id<T>> for Side<T, V> {
    type Output = V;
    #[inline(always)]
    fn index(&self, id: Id<T>) -> &V {
        let index = id.index as usize;
        if index < self.values.len() { &self.values[index] } else { &self.default }
    }
}
impl<T, V: Clone> IndexMut<Id<T>> for Side<T, V> {
    #[inline(always)]
    fn index_mut(&mut self, id: Id<T>) -> &mut V {
        let index = id.index as usize;
        if index >= self.values.len() {
            self.grow(index);
        }
        &mut self.values[index]
    }
}

/// A value of type `V` for few ids of `T`; the others read as the default. What a [`Side`]
/// would hold for every id is made here only for those that are written.
///
/// ```
/// use samebits_ir::arena::{Arena, Sparse};
/// let mut arena = Arena::new();
/// let (a, b) = (arena.push("a"), arena.push("b"));
/// let mut uses: Sparse<&str, Vec<u32>> = Sparse::new(Vec::new());
/// uses[a].push(7);
/// assert!(uses[a] == [7] && uses[b].is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Sparse<T, V> {
    places: Side<T, u32>,
    /// The default, and then what was written.
    values: Vec<V>,
}

impl<T, V: Clone> Sparse<T, V> {
    /// A table in which every id reads as `default`.
    pub fn new(default: V) -> Self {
        Self { places: Side::new(0), values: vec![default] }
    }
}

impl<T, V: Clone> Index<Id<T>> for Sparse<T, V> {
    type Output = V;
    fn index(&self, id: Id<T>) -> &V {
        &self.values[self.places[id] as usize]
    }
}
impl<T, V: Clone> IndexMut<Id<T>> for Sparse<T, V> {
    fn index_mut(&mut self, id: Id<T>) -> &mut V {
        let place = &mut self.places[id];
        if *place == 0 {
            *place = self.values.len() as u32;
            let default = self.values[0].clone();
            self.values.push(default);
        }
        &mut self.values[*place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_as_the_default_wherever_nothing_was_written() {
        let id = Id::<()>::from_index;
        let (mut numbers, mut lists) = (Side::new(7), Side::new(vec![7]));
        for written in [3, 70, 1000] {
            numbers[id(written)] = written;
            lists[id(written)] = vec![written];
        }
        for i in 0..3000 {
            let expected = if [3, 70, 1000].contains(&i) { i } else { 7 };
            assert_eq!((numbers[id(i)], lists[id(i)].as_slice()), (expected, &[expected][..]));
        }
    }

    #[test]
    fn a_sparse_table_keeps_what_was_written_where_it_was() {
        let id = Id::<()>::from_index;
        let mut table = Sparse::new(0);
        for i in [900, 2, 40] {
            table[id(i)] += i;
        }
        assert_eq!([900, 2, 40, 41].map(|i| table[id(i)]), [900, 2, 40, 0]);
    }
}
