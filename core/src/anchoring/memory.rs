//! What was computed once, by key; never more than a bound.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

/// Values by key, forgotten all at once when there are too many.
pub(super) struct Memory<K, V> {
    values: RefCell<HashMap<K, Rc<V>>>,
    limit: usize,
}

impl<K: Hash + Eq, V> Memory<K, V> {
    pub fn new(limit: usize) -> Self {
        Self { values: RefCell::new(HashMap::new()), limit }
    }

    /// What is known under a key, or else what `make` says, which is then known.
    pub fn get_or<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Rc<V>, E> {
        if let Some(value) = self.values.borrow().get(&key) {
            return Ok(value.clone());
        }
        let value = Rc::new(make()?);
        let mut values = self.values.borrow_mut();
        if values.len() >= self.limit {
            values.clear();
        }
        values.insert(key, value.clone());
        Ok(value)
    }
}
