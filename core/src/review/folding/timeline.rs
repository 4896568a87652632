//! What happened in a thread, in the order of display: who said, edited, resolved, reopened, moved or withdrew what.
//!
//! Pure: a folded thread in, entries out. Every action is one entry, also one that another replaced since, so that no
//! reason is ever out of reach. What an entry looks like is up to each client.

use super::change_history::{ChangeState, History};
use super::comment::Comment;
use super::fact::{Moment, Timed};
use super::thread::Thread;
use crate::git::CommitId;
use crate::record::{Author, CommentAnchor, RecordId, StatusRecord, StatusWord, Timestamp, Via};

/// One thing that somebody did in a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry<'a> {
    /// The record of it.
    pub record: RecordId,
    /// The comment that it is about; of a new comment, its own id.
    pub of: RecordId,
    /// Who did it.
    pub author: &'a Author,
    /// What wrote it, if not a person by hand.
    pub via: Option<&'a Via>,
    /// When.
    pub at: Timestamp,
    /// What it was.
    pub kind: TimelineKind<'a>,
    /// What they wrote: the text of a comment as it was then, the new text, or the reason.
    pub text: Option<&'a str>,
    /// The commit by which it was resolved, or at which it is said to be done.
    pub commit: Option<CommitId>,
    /// The source of an import that reports it no more, or again.
    pub source: Option<&'a str>,
}

/// What somebody did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineKind<'a> {
    /// Began the thread.
    Commented,
    /// Replied.
    Replied,
    /// Changed the text of their own comment.
    Edited,
    /// Proposed another text for somebody else's comment.
    Proposed,
    /// Resolved the thread.
    Resolved,
    /// Resolved it, because its source does not report it any more.
    Retired,
    /// Opened it again.
    Reopened,
    /// Withdrew the comment.
    Withdrawn,
    /// Put the comment elsewhere.
    Moved(&'a CommentAnchor),
    /// Proposed that the thread is done, or where it belongs.
    ProposedFor(Option<&'a CommentAnchor>),
    /// Declined a proposal.
    Declined,
}

impl<'a> Thread<'a> {
    /// Returns everything that happened in the thread, oldest first; the first comment always comes first.
    pub fn timeline(self) -> Vec<TimelineEntry<'a>> {
        let mut entries: Vec<(Moment, TimelineEntry<'a>)> = Vec::new();
        if self.root_comment().is_none() {
            statuses(self.id(), self.statuses(), &mut entries);
        }
        for comment in self.comments() {
            let kind =
                if comment.id() == self.id() { TimelineKind::Commented } else { TimelineKind::Replied };
            actions(comment, kind, &mut entries);
        }
        entries.sort_by_key(|(moment, entry)| (entry.kind != TimelineKind::Commented, *moment));
        entries.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// A comment, and what was done to it.
fn actions<'a>(comment: &'a Comment, kind: TimelineKind<'a>, entries: &mut Vec<(Moment, TimelineEntry<'a>)>) {
    let (id, said) = (comment.id(), comment.said());
    let (author, at, text) = (&said.author, said.at, Some(said.text.as_str()));
    let (via, commit, source) = (said.via.as_deref(), None, None);
    entries.push((
        said.moment(id),
        TimelineEntry { record: id, of: id, author, via, at, kind, text, commit, source },
    ));
    let words = comment.words();
    let edits = words.edits().changes().iter().map(|edit| (TimelineKind::Edited, edit));
    let proposals = words.proposals().changes().iter().map(|edit| (TimelineKind::Proposed, edit));
    for (kind, edit) in edits.chain(proposals).filter(|(_, edit)| edit.standing != ChangeState::Void) {
        let (author, at, text) = (&edit.said.author, edit.said.at, edit.said.text.as_deref());
        let via = edit.said.via.as_deref();
        let entry = TimelineEntry { record: edit.id, of: id, author, via, at, kind, text, commit, source };
        entries.push((edit.said.moment(edit.id), entry));
    }
    for moved in comment.moves().changes() {
        let (author, at, kind) = (&moved.said.author, moved.said.at, TimelineKind::Moved(&moved.said.anchor));
        let via = moved.said.via.as_deref();
        let entry =
            TimelineEntry { record: moved.id, of: id, author, via, at, kind, text: None, commit, source };
        entries.push((moved.said.moment(moved.id), entry));
    }
    for fact in comment.proposals().into_iter().map(|proposal| proposal.fact) {
        let said = &fact.said;
        let (author, via, at, commit) = (&said.author, said.via.as_deref(), said.at, said.done);
        let text = Some(said.text.as_str()).filter(|text| !text.is_empty());
        let kind = TimelineKind::ProposedFor(said.anchor.as_ref());
        let entry = TimelineEntry { record: fact.id, of: id, author, via, at, kind, text, commit, source };
        entries.push((said.moment(fact.id), entry));
    }
    statuses(id, comment.statuses(), entries);
}

fn statuses<'a>(
    of: RecordId,
    history: &'a History<StatusRecord>,
    entries: &mut Vec<(Moment, TimelineEntry<'a>)>,
) {
    for status in history.changes() {
        let kind = match status.said.status {
            StatusWord::Open if status.said.proposal.is_some() => TimelineKind::Declined,
            StatusWord::Open => TimelineKind::Reopened,
            StatusWord::Resolved if status.said.source.is_some() => TimelineKind::Retired,
            StatusWord::Resolved => TimelineKind::Resolved,
            StatusWord::Withdrawn => TimelineKind::Withdrawn,
            // Words of reviews, which mean nothing here.
            StatusWord::Merged | StatusWord::Closed => continue,
        };
        let (author, at, text) = (&status.said.author, status.said.at, status.said.reason.as_deref());
        let (via, commit, source) =
            (status.said.via.as_deref(), status.said.by, status.said.source.as_deref());
        let entry = TimelineEntry { record: status.id, of, author, via, at, kind, text, commit, source };
        entries.push((status.said.moment(status.id), entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Body;
    use crate::review::folding::story::{Story, author, unknown};

    /// A status with a reason.
    fn status(
        story: &mut Story,
        of: RecordId,
        who: &str,
        over: &[RecordId],
        word: StatusWord,
        why: &str,
    ) -> RecordId {
        let seq = story.next_seq();
        let (author, at, reason) = (author(who), Timestamp(0), Some(why.to_owned()));
        story.say(&Body::Status(StatusRecord {
            author,
            at,
            seq,
            via: None,
            of,
            over: over.to_vec(),
            status: word,
            reason,
            by: None,
            proposal: None,
            source: None,
        }))
    }

    /// Each entry as who, what and which words.
    fn told(story: &Story, thread: RecordId) -> Vec<(String, String, String)> {
        let threads = story.threads();
        let entries = threads.thread(thread).unwrap().timeline();
        let kind = |kind: TimelineKind<'_>| match kind {
            TimelineKind::Moved(anchor) => {
                format!("Moved to {}", anchor.file().unwrap().range.unwrap().span().first())
            }
            kind => format!("{kind:?}"),
        };
        let line = |entry: TimelineEntry<'_>| {
            (entry.author.name.clone(), kind(entry.kind), entry.text.unwrap_or_default().to_owned())
        };
        entries.into_iter().map(line).collect()
    }

    fn check(story: &Story, thread: RecordId, expected: &[(&str, &str, &str)]) {
        let found = told(story, thread);
        let found: Vec<_> = found.iter().map(|(who, what, text)| (&**who, &**what, &**text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn everything_that_happened_is_told_in_order_with_its_words() {
        let mut story = Story::default();
        let root = story.comment("ann", "wy?");
        let edit = story.edit(root, "ann", &[], "why?");
        let reply = story.reply(root, "bob", "because");
        story.edit(reply, "ann", &[], "because of what?");
        let resolved = status(&mut story, root, "bob", &[], StatusWord::Resolved, "explained");
        let reopened = status(&mut story, root, "ann", &[resolved], StatusWord::Open, "it happens again");
        story.moved(root, "cat", &[], 7);
        status(&mut story, root, "bob", &[reopened], StatusWord::Resolved, "fixed");
        story.status(reply, "bob", &[], StatusWord::Withdrawn);
        story.edit(root, "ann", &[edit], "why not?");
        check(
            &story,
            root,
            &[
                ("ann", "Commented", "wy?"),
                ("ann", "Edited", "why?"),
                ("bob", "Replied", "because"),
                ("ann", "Proposed", "because of what?"),
                ("bob", "Resolved", "explained"),
                ("ann", "Reopened", "it happens again"),
                ("cat", "Moved to 7", ""),
                ("bob", "Resolved", "fixed"),
                ("bob", "Withdrawn", ""),
                ("ann", "Edited", "why not?"),
            ],
        );
    }

    #[test]
    fn both_reasons_of_two_who_did_not_know_of_each_other_are_told() {
        let mut story = Story::default();
        let root = story.comment("ann", "why?");
        for (who, why) in [("bob", "explained"), ("cat", "fixed in another branch")] {
            story.seq = Some(1);
            status(&mut story, root, who, &[], StatusWord::Resolved, why);
        }
        let mut found = told(&story, root);
        found.sort();
        let reasons: Vec<_> = found.iter().map(|(who, _, why)| (&**who, &**why)).collect();
        assert_eq!(reasons, [("ann", "why?"), ("bob", "explained"), ("cat", "fixed in another branch")]);
    }

    #[test]
    fn the_first_comment_comes_first_and_may_be_missing() {
        let mut story = Story { seq: Some(9), ..Story::default() };
        let root = story.comment("ann", "why?");
        story.seq = Some(1);
        story.reply(root, "bob", "because");
        check(&story, root, &[("ann", "Commented", "why?"), ("bob", "Replied", "because")]);

        let mut story = Story::default();
        story.reply(unknown(5), "bob", "because");
        status(&mut story, unknown(5), "ann", &[], StatusWord::Resolved, "I see");
        story.status(unknown(5), "eve", &[], StatusWord::Merged);
        check(&story, unknown(5), &[("bob", "Replied", "because"), ("ann", "Resolved", "I see")]);
    }
}
