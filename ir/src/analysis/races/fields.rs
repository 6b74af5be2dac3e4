//! Fields of structs: places that never overlap, whatever their indices are.
//!
//! An index moves a place by multiples of its stride, and by less than its bound. So in an array of structs each
//! field lies at distances of its own from the starts of the structs. Only places are looked at: what holds here
//! holds for all invocations, in each phase and in each launch.

use super::access::Access;

/// More indices than these are not tried in each order.
const MOST_INDICES: usize = 6;

/// Whether no byte is in both of two accesses to one memory.
pub(super) fn are_apart(first: &Access<'_>, second: &Access<'_>) -> bool {
    let (first, second) = (Reach::of(first), Reach::of(second));
    first.indices.len() + second.indices.len() <= MOST_INDICES && first.misses(&second)
}

/// Where an access may be: from an offset on, so many bytes, moved by indices.
#[derive(Clone, PartialEq, Debug)]
struct Reach {
    offset: u128,
    size: u128,
    /// The stride, and how far the index moves it at most, if that is known.
    indices: Vec<(u128, Option<u128>)>,
}

impl Reach {
    fn of(access: &Access<'_>) -> Self {
        let most = |index: &crate::ir::Index| {
            index.bound.map(|bound| u128::from(bound.saturating_sub(1)) * u128::from(index.stride))
        };
        let indices = access.place.indices.iter().map(|index| (index.stride.into(), most(index))).collect();
        Self { offset: access.place.offset.into(), size: access.size.into(), indices }
    }

    fn misses(&self, other: &Self) -> bool {
        let strides = self.indices.iter().chain(&other.indices).map(|(stride, _)| *stride);
        let apart_in = |unit: u128| {
            let (Some((one, length)), Some((two, width))) = (self.within(unit), other.within(unit)) else {
                return false;
            };
            // On a circle of that many bytes, each begins behind the end of the other.
            let after = |from: u128, to: u128| (unit + to - from) % unit;
            if after(one.offset, two.offset) >= length && after(two.offset, one.offset) >= width {
                return true;
            }
            // Both are in one unit, or they are apart; then they are compared there.
            one.offset + length <= unit && two.offset + width <= unit && one.misses(&two)
        };
        if strides.filter(|stride| *stride > 0).any(apart_in) {
            return true;
        }
        match (self.length(), other.length()) {
            (Some(length), Some(width)) => self.offset + length <= other.offset || other.offset + width <= self.offset,
            _ => false,
        }
    }

    /// The bytes from the first to the last that it may reach.
    fn length(&self) -> Option<u128> {
        self.indices.iter().try_fold(self.size, |length, (_, most)| Some(length + (*most)?))
    }

    /// The reach without whole units, and its length, which is no more than one.
    fn within(&self, unit: u128) -> Option<(Self, u128)> {
        let indices = self.indices.iter().filter(|(stride, _)| stride % unit != 0).copied().collect();
        let rest = Self { offset: self.offset % unit, size: self.size, indices };
        let length = rest.length()?;
        (length <= unit).then_some((rest, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(offset: u128, size: u128, indices: &[(u128, Option<u128>)]) -> Reach {
        let indices =
            indices.iter().map(|&(stride, bound)| (stride, bound.map(|bound| (bound - 1) * stride))).collect();
        Reach { offset, size, indices }
    }

    /// Whether some indices below 12 let two reaches meet.
    fn meet(one: &Reach, two: &Reach) -> bool {
        fn places(reach: &Reach) -> Vec<u128> {
            reach.indices.iter().fold(vec![reach.offset], |places, (stride, most)| {
                let last = most.map_or(11, |most| most / stride);
                places.iter().flat_map(|place| (0..=last).map(move |i| place + i * stride)).collect()
            })
        }
        let others = places(two);
        places(one).iter().any(|a| others.iter().any(|b| *a < b + two.size && *b < a + one.size))
    }

    #[test]
    fn fields_of_one_array_are_apart() {
        let (count, value) = (reach(4, 4, &[(12, None)]), reach(8, 4, &[(12, None)]));
        assert!(count.misses(&value) && value.misses(&count));
        assert!(!count.misses(&count));
        assert!(!count.misses(&reach(6, 4, &[(12, None)])));
    }

    #[test]
    fn an_array_in_a_struct_is_apart_from_the_field_behind_it() {
        let hits = reach(0, 4, &[(16, None), (4, Some(3))]);
        assert!(hits.misses(&reach(12, 4, &[(16, None)])));
        assert!(!hits.misses(&reach(8, 4, &[(16, None)])));
        // Without a bound the index may reach any field.
        assert!(!reach(0, 4, &[(16, None), (4, None)]).misses(&reach(12, 4, &[(16, None)])));
    }

    #[test]
    fn fields_of_structs_in_arrays_of_structs_are_apart() {
        let hits = reach(8, 4, &[(52, None), (16, Some(2)), (4, Some(3))]);
        let tag = reach(8 + 16 + 14, 1, &[(52, None)]);
        assert!(hits.misses(&tag) && tag.misses(&hits));
        assert!(!hits.misses(&reach(8 + 16 + 8, 4, &[(52, None)])));
    }

    #[test]
    fn places_that_are_told_apart_never_meet() {
        let strides = [4, 8, 12, 16, 24];
        let mut apart = 0;
        for seed in 0..20_000u64 {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                u128::from(state % below)
            };
            let mut made = || {
                let indices = (0..next(3)).map(|_| {
                    let stride = strides[next(5) as usize];
                    (stride, (next(3) > 0).then(|| 1 + next(4)))
                });
                let indices: Vec<_> = indices.collect();
                reach(next(40), 1 + next(8), &indices)
            };
            let (one, two) = (made(), made());
            if one.misses(&two) {
                apart += 1;
                assert!(!meet(&one, &two), "{one:?} {two:?}");
            }
        }
        assert!(apart > 2000, "{apart}");
    }
}
