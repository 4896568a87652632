//! The author of a notes commit.

use gix::actor::{Signature, SignatureRef};
use gix::date::Time;

use crate::record::Author;

/// Who a notes commit is by, and when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committer {
    signature: Signature,
    time: String,
}

impl Committer {
    /// A person and a time: seconds since 1970, and the offset from UTC to show it in.
    pub fn new(person: &Author, seconds: i64, utc_offset_seconds: i32) -> Self {
        let time = Time::new(seconds, utc_offset_seconds);
        let signature =
            Signature { name: clean(&person.name).into(), email: clean(&person.email).into(), time };
        Self { time: time.to_string(), signature }
    }

    /// The time, in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        self.signature.time.seconds
    }

    pub(in crate::notes) fn signature(&self) -> SignatureRef<'_> {
        SignatureRef {
            name: self.signature.name.as_ref(),
            email: self.signature.email.as_ref(),
            time: &self.time,
        }
    }
}

/// Removes what would break the header of a commit, as git does.
fn clean(words: &str) -> String {
    words.chars().filter(|c| !matches!(c, '<' | '>' | '\n' | '\0')).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        let person = Author { name: "Eve <root@x>\n".into(), email: "a\nparent 1".into() };
        let committer = Committer::new(&person, 7, 0);
        assert_eq!(committer.signature().name, "Eve root@x");
        assert_eq!(committer.signature().email, "aparent 1");
    }
}
