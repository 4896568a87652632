//! Who made a record, when, and by which program if not by hand.
//!
//! Which programs may do what is decided by the service, not here.

use serde::{Deserialize, Deserializer, Serialize};

use super::{MAX_VIA_BYTES, RecordError};

/// A person, as git knows them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Author {
    /// The name to show.
    pub name: String,
    /// What identifies the person.
    pub email: String,
}

/// Milliseconds since 1970, for showing only: it never decides anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// The order in which a thread's records are shown; it decides nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Larger numbers are read as this one, so that there is always a next one.
    pub const MAX: Self = Self(1 << 40);

    /// Counts from zero.
    pub fn new(count: u64) -> Self {
        Self(count.min(Self::MAX.0))
    }

    /// The next one; after the last one, the last one again.
    #[must_use]
    pub fn next(self) -> Self {
        Self::new(self.0 + 1)
    }

    /// The number itself.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Seq {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::new)
    }
}

/// The program that wrote a record, and the person it works for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Via {
    /// What kind of author it is.
    pub kind: ViaKind,
    /// Its name.
    pub program: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The person that it works for.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Author>,
}

/// The kinds of authors that are not people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ViaKind {
    /// A program that decides by itself what to write.
    Agent,
    /// A program that does what it was made for: a linter, an importer, a bot.
    Tool,
    /// A kind of a later version.
    Other(String),
}

impl ViaKind {
    /// Its word.
    pub fn word(&self) -> &str {
        match self {
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for ViaKind {
    fn from(word: String) -> Self {
        match word.as_str() {
            "agent" => Self::Agent,
            "tool" => Self::Tool,
            _ => Self::Other(word),
        }
    }
}

impl From<ViaKind> for String {
    fn from(kind: ViaKind) -> Self {
        match kind {
            ViaKind::Other(word) => word,
            known => known.word().to_owned(),
        }
    }
}

impl Via {
    /// The author of what it writes: the program itself, with an email that nobody can have.
    ///
    /// The email names the person too, so that the programs of two people are two authors. `.invalid` is never a
    /// domain (RFC 2606), and `=` stands for the `@` of the person, as in the return addresses of mailing lists.
    pub fn author(&self) -> Author {
        let person =
            self.person.as_ref().map(|person| person.email.as_str()).filter(|email| !email.is_empty());
        let person = person.map(|email| format!("+{}", email.replace('@', "="))).unwrap_or_default();
        let email = format!("{}{person}@{}.invalid", one_word(&self.program), one_word(self.kind.word()));
        Author { name: self.program.clone(), email }
    }

    /// Checks that it can be shown in a line.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        if self.program.trim().is_empty() {
            return Err(RecordError::ViaWithoutProgram);
        }
        let texts = [("program", Some(&self.program)), ("version", self.version.as_ref())];
        for (field, text) in texts.into_iter().chain([("model", self.model.as_ref())]) {
            if text.is_some_and(|text| text.len() > MAX_VIA_BYTES) {
                return Err(RecordError::ViaTooLong { field });
            }
        }
        Ok(())
    }
}

/// A name without what has a meaning in an email.
fn one_word(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    name.trim().chars().map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seq_cannot_run_over() {
        assert_eq!(Seq::new(u64::MAX), Seq::MAX);
        assert_eq!(Seq::MAX.next(), Seq::MAX);
        assert_eq!(Seq::new(6).next().get(), 7);
    }

    fn via(program: &str, email: Option<&str>) -> Via {
        let person = email.map(|email| Author { name: "Ada".into(), email: email.into() });
        Via { kind: ViaKind::Agent, program: program.into(), version: None, model: None, person }
    }

    #[test]
    fn the_author_is_the_program_and_the_email_is_nobodys() {
        let check = |program: &str, email: Option<&str>, expected: &str| {
            let author = via(program, email).author();
            assert_eq!((author.name.as_str(), author.email.as_str()), (program, expected));
        };
        check("helper", Some("ada@example.org"), "helper+ada=example.org@agent.invalid");
        check("helper", Some("bob@example.org"), "helper+bob=example.org@agent.invalid");
        check("helper", None, "helper@agent.invalid");
        check("helper", Some(""), "helper@agent.invalid");
        check("My <Helper>@home", None, "My--Helper--home@agent.invalid");
    }

    #[test]
    fn what_does_not_fit_a_line_is_refused() {
        assert_eq!(via("helper", None).check(), Ok(()));
        assert_eq!(via(" ", None).check(), Err(RecordError::ViaWithoutProgram));
        let long = "x".repeat(MAX_VIA_BYTES + 1);
        assert_eq!(via(&long, None).check(), Err(RecordError::ViaTooLong { field: "program" }));
        let model = Via { model: Some(long), ..via("helper", None) };
        assert_eq!(model.check(), Err(RecordError::ViaTooLong { field: "model" }));
    }
}
