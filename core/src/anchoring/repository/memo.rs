//! What was computed once, by key; never more than a bound.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values by key that threads share, forgotten all at once when there are too many.
#[derive(Debug)]
pub(crate) struct Memo<K, V> {
    values: Mutex<HashMap<K, Arc<V>>>,
    /// Held while something large is made that the other threads are about to need as well.
    making: Mutex<()>,
    limit: usize,
}

impl<K: Hash + Eq, V> Memo<K, V> {
    pub fn new(limit: usize) -> Self {
        Self { values: Mutex::default(), making: Mutex::default(), limit }
    }

    /// What is known under a key, or else what `make` says, which is then known.
    ///
    /// Two threads may make the same at the same time; what they make is the same.
    pub fn get_or<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(value) = lock(&self.values).get(&key) {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        let mut values = lock(&self.values);
        if values.len() >= self.limit {
            values.clear();
        }
        values.insert(key, value.clone());
        Ok(value)
    }

    /// As [`Memo::get_or`], but one thread makes it and the others wait.
    pub fn get_or_wait<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(value) = lock(&self.values).get(&key) {
            return Ok(value.clone());
        }
        let _making = lock(&self.making);
        self.get_or(key, make)
    }

    /// Whether something is known under a key.
    pub fn has(&self, key: &K) -> bool {
        lock(&self.values).contains_key(key)
    }
}

/// Takes a lock; a thread that panicked while it had it left whole values behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Values by key of one thread alone, forgotten all at once when there are too many.
pub(crate) struct ThreadMemo<K, V> {
    values: RefCell<HashMap<K, Rc<V>>>,
    limit: usize,
}

impl<K: Hash + Eq, V> ThreadMemo<K, V> {
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
