//! Tells what a program did itself from what others did: only that is worth waking it for.

use postil_protocol::{ChangeView, Person, ThreadView, ViaView};

/// Names under which the same agent writes in other ways, and what it is called here.
const ALIASES: [(&str, &str); 3] =
    [("cursor-vscode", "cursor"), ("github-copilot-developer", "copilot"), ("copilot-cli", "copilot")];

/// What a client of the server for language models adds to the name of its agent.
const CLIENT_SUFFIX: &str = "-mcp-client";

/// What a program does for a person, however it speaks (on the command line, or through a server), or a person by hand.
#[derive(Clone, Debug)]
pub struct OwnActs {
    /// `None` for a person by hand.
    via: Option<ViaView>,
    email: Option<String>,
}

impl OwnActs {
    /// Of a program that works for the person with this email, or of this person by hand.
    pub fn of(via: Option<&ViaView>, email: Option<&str>) -> Self {
        Self { via: via.cloned(), email: email.map(str::to_owned) }
    }

    /// Whether it was done by who this is: what a person and their programs do is told apart.
    pub fn is_by(&self, by: &Person) -> bool {
        let (own, via) = match (&self.via, &by.via) {
            (Some(own), Some(via)) => (own, via),
            (None, None) => return self.email.as_deref().is_some_and(|email| email == by.email),
            _ => return false,
        };
        let works_for = via.person.as_ref().map(|person| person.email.as_str());
        via.kind == own.kind
            && agent_name(&via.program) == agent_name(&own.program)
            && works_for == self.email.as_deref()
    }

    /// What others did.
    pub fn others<'a>(
        &'a self,
        changes: &'a [ChangeView],
        threads: &'a [ThreadView],
    ) -> impl Iterator<Item = &'a ChangeView> {
        changes.iter().filter(|change| self.is_news(change, threads))
    }

    /// Whether somebody else did it; to a program, drafts are news once they are published.
    pub fn is_news(&self, change: &ChangeView, threads: &[ThreadView]) -> bool {
        let is_own = change.by.as_ref().is_some_and(|by| self.is_by(by));
        !(is_own || self.via.is_some() && is_draft(change, threads))
    }
}

/// Whether what was said is not shared yet.
fn is_draft(change: &ChangeView, threads: &[ThreadView]) -> bool {
    let thread = threads.iter().find(|thread| thread.id == change.of);
    thread.is_some_and(|thread| {
        let said = thread.comments.iter().find(|comment| Some(&comment.id) == change.record.as_ref());
        thread.draft || said.is_some_and(|said| said.draft)
    })
}

/// The name of an agent, however it speaks.
fn agent_name(program: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == program).map(|(_, name)| *name);
    alias.or_else(|| program.strip_suffix(CLIENT_SUFFIX)).unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_knows_what_it_wrote_itself_in_whatever_way() {
        let via = |kind: &str, program: &str, email: Option<&str>| ViaView {
            kind: kind.to_owned(),
            program: program.to_owned(),
            version: None,
            model: None,
            person: email.map(|email| Box::new(Person::new("Ada", email))),
        };
        let own = OwnActs::of(Some(&via("agent", "codex", None)), Some("ada@x"));
        let check = |by: Option<ViaView>, expected: bool| {
            let by = Person { via: by.map(Box::new), ..Person::new("x", "x@agent.invalid") };
            assert_eq!(own.is_by(&by), expected, "{by:?}");
            assert!(!OwnActs::of(None, Some("ada@x")).is_by(&by), "a person is not their programs");
        };
        check(Some(via("agent", "codex", Some("ada@x"))), true);
        check(Some(via("agent", "codex-mcp-client", Some("ada@x"))), true);
        check(Some(via("agent", "codex", Some("bob@x"))), false);
        check(Some(via("agent", "codex-reviewer", Some("ada@x"))), false);
        check(Some(via("tool", "codex", Some("ada@x"))), false);
        check(None, false);
        let ada = OwnActs::of(None, Some("ada@x"));
        assert!(ada.is_by(&Person::new("Ada", "ada@x")) && !ada.is_by(&Person::new("Ada", "ben@x")));
        assert!(!OwnActs::of(None, None).is_by(&Person::new("", "")));
    }
}
