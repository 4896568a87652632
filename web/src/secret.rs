//! Secrets that nobody can guess, and how they are compared.

use std::fmt;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read as _};

/// Random bytes in a secret.
const BYTES: usize = 32;

/// A text that nobody can guess.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// A new one, from the system.
    pub(crate) fn new() -> io::Result<Self> {
        Self::of_length(BYTES)
    }

    /// A shorter one, for names that only have to be unknown beforehand.
    pub(crate) fn short() -> io::Result<Self> {
        Self::of_length(BYTES / 2)
    }

    fn of_length(length: usize) -> io::Result<Self> {
        let mut bytes = vec![0; length];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One that was kept.
    pub(crate) fn kept(text: &str) -> Option<Self> {
        let is_whole = text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| Self(text.to_owned()))
    }

    /// Its text.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is this secret; takes as long for a wrong one, wherever it differs.
    pub(crate) fn is(&self, other: &[u8]) -> bool {
        let own = self.0.as_bytes();
        if own.len() != other.len() {
            return false;
        }
        let differing = own.iter().zip(other).fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
        differing == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_itself_and_nothing_else() {
        let (one, other) = (Secret::new().unwrap(), Secret::new().unwrap());
        assert!(one.is(one.reveal().as_bytes()) && !one.is(other.reveal().as_bytes()));
        for wrong in ["", "0", &one.reveal()[1..], &format!("{}0", one.reveal())] {
            assert!(!one.is(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(one.reveal().len(), 64);
        assert_eq!(Secret::short().unwrap().reveal().len(), 32);
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn what_was_kept_is_read_back_whole_or_not_at_all() {
        let secret = Secret::new().unwrap();
        assert_eq!(Secret::kept(secret.reveal()), Some(secret.clone()));
        for bad in ["", "ff", &secret.reveal()[1..], &"z".repeat(64)] {
            assert_eq!(Secret::kept(bad), None, "{bad}");
        }
    }
}
