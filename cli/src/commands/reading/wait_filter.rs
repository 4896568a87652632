//! What a `wait` is for: which changes, by whom, in which threads.

use postil_client::OwnActs;
use postil_protocol::{ChangeKind, ChangeView, Changed, CommentView, Hex, Person, Show};

use crate::connect::CommandSession;
use crate::failure::Failure;

/// The name of who waits, for `--not-by`.
const ME: &str = "me";

/// Filters of `wait`.
#[derive(Debug, clap::Args)]
pub struct WaitFilterArgs {
    /// Ignore what this person or program does: part of a name or email, or `me` (can be repeated)
    ///
    /// A program never waits for what it does itself.
    #[arg(long, value_name = "PERSON", verbatim_doc_comment)]
    not_by: Vec<String>,

    /// Only events in this thread (ID, can be repeated)
    #[arg(long, value_name = "ID")]
    thread: Vec<String>,

    /// Only comments that mention this name, as `@NAME` (can be repeated)
    #[arg(long, value_name = "NAME")]
    mention: Vec<String>,
}

/// What is waited for.
#[derive(Debug, Default)]
pub struct WaitFilter {
    kinds: Vec<ChangeKind>,
    not_by: Vec<String>,
    own: Option<OwnActs>,
    threads: Vec<Hex>,
    mentions: Vec<String>,
}

impl WaitFilterArgs {
    /// Understands the words of the command line; fails for a thread that is not there.
    pub fn filter(
        &self,
        kinds: Vec<ChangeKind>,
        session: &mut CommandSession,
    ) -> Result<WaitFilter, Failure> {
        let mut threads = Vec::new();
        for of in &self.thread {
            threads.push(session.ask(Show { of: of.clone(), ..Show::default() })?.thread.id);
        }
        let is_me = |word: &&String| word.as_str() == ME;
        let leaves_out_own = session.is_program() || self.not_by.iter().any(|word| is_me(&word));
        let own = leaves_out_own.then(|| OwnActs::of(session.via(), session.email()));
        let not_by = self.not_by.iter().filter(|word| !is_me(word)).map(|word| word.to_lowercase());
        let mentions = self.mention.iter().map(|name| name.trim_start_matches('@').to_lowercase());
        Ok(WaitFilter { kinds, not_by: not_by.collect(), own, threads, mentions: mentions.collect() })
    }
}

impl WaitFilter {
    /// The changes that are waited for.
    pub fn wanted<'a>(&self, event: &'a Changed) -> Vec<&'a ChangeView> {
        event.changes.iter().filter(|change| self.wants(change, event)).collect()
    }

    /// Whether everything is waited for, also what nobody did.
    pub fn is_empty(&self) -> bool {
        let Self { kinds, not_by, own, threads, mentions } = self;
        kinds.is_empty() && not_by.is_empty() && own.is_none() && threads.is_empty() && mentions.is_empty()
    }

    fn wants(&self, change: &ChangeView, event: &Changed) -> bool {
        let is_left_out = |person: &Person| {
            let (name, email) = (person.name.to_lowercase(), person.email.to_lowercase());
            self.not_by.iter().any(|word| name.contains(word) || email.contains(word))
        };
        (self.kinds.is_empty() || self.kinds.contains(&change.what))
            && !change.by.as_ref().is_some_and(is_left_out)
            && self.own.as_ref().is_none_or(|own| own.is_news(change, &event.threads))
            && (self.threads.is_empty() || self.threads.contains(&change.of))
            && (self.mentions.is_empty() || self.is_mentioned(change, event))
    }

    fn is_mentioned(&self, change: &ChangeView, event: &Changed) -> bool {
        let thread = event.threads.iter().find(|thread| thread.id == change.of);
        let is_it = |comment: &&CommentView| Some(&comment.id) == change.record.as_ref();
        let said = thread.and_then(|thread| thread.comments.iter().find(is_it));
        said.is_some_and(|said| self.mentions.iter().any(|name| mentions(&said.text, name)))
    }
}

/// Whether a text has `@name`, in any case, as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let text = text.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut rest = text.as_str();
    while let Some(at) = rest.find('@') {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + 1..];
        let after = rest.strip_prefix(name).map(|after| after.chars().next());
        if after.is_some_and(|next| !next.is_some_and(is_word)) && !before.is_some_and(is_word) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_a_whole_word() {
        let check = |text: &str, expected: bool| assert_eq!(mentions(text, "helper"), expected, "{text}");
        check("@helper please", true);
        check("please, @Helper.", true);
        check("@helpers", false);
        check("me@helper", false);
        check("helper", false);
        check("@ @helper", true);
    }
}
