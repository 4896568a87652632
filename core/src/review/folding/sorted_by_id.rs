//! Values in ascending order of their ids, found by id.
//!
//! The ids are in a list of their own, so that a search stays within the CPU cache: the values are large. Inserting
//! one moves all after it, which costs little compared with reading a record.

use crate::record::RecordId;

/// Up to this many are inserted one by one; more are merged at once.
const FEW: usize = 8;

/// Values in ascending order of their ids, each id once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SortedById<T> {
    ids: Vec<RecordId>,
    values: Vec<T>,
}

impl<T> Default for SortedById<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), values: Vec::new() }
    }
}

impl<T> SortedById<T> {
    pub(super) fn ids(&self) -> &[RecordId] {
        &self.ids
    }

    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    pub(super) fn get(&self, id: RecordId) -> Option<&T> {
        self.ids.binary_search(&id).ok().map(|at| &self.values[at])
    }

    pub(super) fn get_mut(&mut self, id: RecordId) -> Option<&mut T> {
        self.ids.binary_search(&id).ok().map(|at| &mut self.values[at])
    }

    pub(super) fn remove(&mut self, id: RecordId) -> Option<T> {
        let at = self.ids.binary_search(&id).ok()?;
        self.ids.remove(at);
        Some(self.values.remove(at))
    }

    /// Removes those with these ids, which are in ascending order, in one pass.
    pub(super) fn remove_all(&mut self, gone: &[RecordId]) {
        if let [id] = gone {
            self.remove(*id);
        } else if !gone.is_empty() {
            let is_gone = |id: &RecordId| gone.binary_search(id).is_ok();
            let mut ids = self.ids.iter();
            self.values.retain(|_| !ids.next().is_some_and(is_gone));
            self.ids.retain(|id| !is_gone(id));
        }
    }

    /// Takes in values whose ids are not here yet, each once, in ascending order.
    pub(super) fn extend(&mut self, new: Vec<(RecordId, T)>) {
        debug_assert!(new.iter().all(|(id, _)| self.get(*id).is_none()), "an id comes once");
        if new.len() <= FEW {
            for (id, value) in new {
                let at = self.ids.partition_point(|known| *known < id);
                self.ids.insert(at, id);
                self.values.insert(at, value);
            }
            return;
        }
        let known = std::mem::take(self);
        let mut all: Vec<(RecordId, T)> = known.ids.into_iter().zip(known.values).chain(new).collect();
        // Two runs that are in order each: a stable sort does no more than merge them.
        all.sort_by_key(|(id, _)| *id);
        (self.ids, self.values) = all.into_iter().unzip();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> RecordId {
        RecordId::from_array([number; 16])
    }

    #[test]
    fn few_and_many_are_found_in_order() {
        let mut keyed = SortedById::default();
        let put = |keyed: &mut SortedById<u8>, numbers: &[u8]| {
            keyed.extend(numbers.iter().map(|number| (id(*number), *number)).collect());
        };
        let many: Vec<u8> = (0..40).map(|number| number * 3).collect();
        put(&mut keyed, &[7, 200]);
        put(&mut keyed, &many);
        put(&mut keyed, &[1, 100, 201]);
        let mut all = [&many[..], &[1, 7, 100, 200, 201]].concat();
        all.sort_unstable();
        assert_eq!(keyed.values(), all);
        assert!(keyed.ids().iter().copied().eq(all.iter().map(|number| id(*number))));
        assert_eq!((keyed.get(id(100)), keyed.get(id(101))), (Some(&100), None));
        assert_eq!((keyed.remove(id(100)), keyed.remove(id(100))), (Some(100), None));
        assert_eq!((keyed.get(id(100)), keyed.ids().len()), (None, all.len() - 1));
        keyed.remove_all(&[id(1), id(50), id(201)]);
        assert_eq!((keyed.get(id(1)), keyed.get(id(201)), keyed.get(id(7))), (None, None, Some(&7)));
        assert_eq!((keyed.ids().len(), keyed.values().len()), (all.len() - 3, all.len() - 3));
    }
}
