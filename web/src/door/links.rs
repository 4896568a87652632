//! One-time addresses: each is valid for a minute, and once.

use std::time::{Duration, Instant};

use crate::secret::Secret;

/// How long a link can be opened.
pub(crate) const VALID_FOR: Duration = Duration::from_mins(1);

/// So many links wait to be opened; the oldest goes first.
const MAX_LINKS: usize = 16;

/// The links that nobody opened yet.
#[derive(Debug, Default)]
pub(crate) struct Links {
    waiting: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    secret: Secret,
    made: Instant,
    /// Where it leads, below the prefix of the server.
    leads_to: String,
}

impl Links {
    /// Makes a link that leads somewhere below the prefix of the server.
    pub(crate) fn add(&mut self, secret: Secret, leads_to: String, now: Instant) {
        self.forget_old(now);
        if self.waiting.len() == MAX_LINKS {
            self.waiting.remove(0);
        }
        self.waiting.push(Link { secret, made: now, leads_to });
    }

    /// Where a link leads, if it can be opened; it cannot be opened again.
    pub(crate) fn take(&mut self, word: &[u8], now: Instant) -> Option<String> {
        self.forget_old(now);
        // All are compared, so that the time says nothing about which.
        let mut found = None;
        for (index, link) in self.waiting.iter().enumerate() {
            if link.secret.is(word) {
                found = Some(index);
            }
        }
        found.map(|index| self.waiting.remove(index).leads_to)
    }

    fn forget_old(&mut self, now: Instant) {
        self.waiting.retain(|link| now.duration_since(link.made) < VALID_FOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_within_a_minute() {
        let now = Instant::now();
        let (one, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        let mut links = Links::default();
        links.add(one.clone(), "a".into(), now);
        links.add(other.clone(), "b".into(), now);
        assert_eq!(links.take(b"guessed", now), None);
        assert_eq!(links.take(one.reveal().as_bytes(), now), Some("a".into()));
        assert_eq!(links.take(one.reveal().as_bytes(), now), None);
        assert_eq!(links.take(other.reveal().as_bytes(), now + VALID_FOR), None);
    }

    #[test]
    fn links_that_nobody_opens_do_not_pile_up() {
        let now = Instant::now();
        let mut links = Links::default();
        let first = Secret::new().unwrap();
        links.add(first.clone(), "a".into(), now);
        for _ in 0..MAX_LINKS {
            links.add(Secret::new().unwrap(), "b".into(), now);
        }
        assert_eq!(links.waiting.len(), MAX_LINKS);
        assert_eq!(links.take(first.reveal().as_bytes(), now), None);
    }
}
