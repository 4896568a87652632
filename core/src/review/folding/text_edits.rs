//! Which edits of a text count.
//!
//! Only the author of a comment or review changes its text; edits of others are shown as proposals. People are
//! identified by their email alone, byte for byte, as in git; signatures prove who it was.

use super::change_history::{self, Change, History};
use super::fact::Fact;
use crate::record::{Author, EditRecord, RecordId};

/// The edits of one comment or review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdits {
    edits: History<EditRecord>,
    proposals: History<EditRecord>,
}

impl TextEdits {
    /// Decides which edits of a text by `author` are in force.
    ///
    /// The author's edits replace all that they name, other people's only their own: so nobody changes or hides what
    /// another wrote.
    pub(super) fn new(
        facts: Vec<Fact<EditRecord>>,
        author: &Author,
        fits: impl Fn(&EditRecord) -> bool,
    ) -> Self {
        let is_author = |edit: &EditRecord| edit.author.email == author.email;
        let reaches =
            |by: &EditRecord, edit: &EditRecord| is_author(by) || by.author.email == edit.author.email;
        let (edits, proposals) = change_history::judge(facts, fits, reaches)
            .into_iter()
            .partition(|change: &Change<EditRecord>| is_author(&change.said));
        Self { edits: History::new(edits), proposals: History::new(proposals) }
    }

    /// Their records.
    pub(super) fn into_facts(self) -> impl Iterator<Item = Fact<EditRecord>> {
        self.edits.into_facts().chain(self.proposals.into_facts())
    }

    /// The author's own edits; the one in force is shown.
    pub fn edits(&self) -> &History<EditRecord> {
        &self.edits
    }

    /// The edits of others, as proposals; never shown instead.
    pub fn proposals(&self) -> &History<EditRecord> {
        &self.proposals
    }

    /// What a new edit by `editor` of a text by `author` must name in `over`.
    pub(super) fn over(&self, author: &Author, editor: &Author) -> Vec<RecordId> {
        if editor.email == author.email {
            return self.edits.over();
        }
        change_history::over(
            self.proposals.contenders().filter(|change| change.said.author.email == editor.email),
        )
    }

    /// Both kinds, in no order.
    pub(super) fn changes(&self) -> impl Iterator<Item = &Change<EditRecord>> {
        self.edits.changes().iter().chain(self.proposals.changes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::folding::story::{Story, author};
    use crate::review::{ChangeState, Disagreement};

    fn texts(history: &History<EditRecord>) -> Vec<&str> {
        history.changes().iter().map(|change| change.said.text.as_deref().unwrap_or_default()).collect()
    }

    #[test]
    fn the_authors_last_edit_is_shown_and_the_earlier_ones_are_its_history() {
        let mut story = Story::default();
        let comment = story.comment("ann", "wy?");
        let first = story.edit(comment, "ann", &[], "why?");
        story.edit(comment, "ann", &[first], "why not?");

        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        assert_eq!((comment.text(), comment.said().text.as_str()), ("why not?", "wy?"));
        assert_eq!(texts(comment.words().edits()), ["why?", "why not?"]);
    }

    #[test]
    fn edits_are_listed_by_seq_then_time_then_id() {
        let mut story = Story::default();
        let comment = story.comment("ann", "wy?");
        for (seq, text) in [(u64::MAX, "last"), (3, "middle"), (0, "first")] {
            story.seq = Some(seq);
            story.edit(comment, "ann", &[], text);
        }
        let threads = story.threads();
        assert_eq!(texts(threads.comment(comment).unwrap().words().edits()), ["first", "middle", "last"]);
    }

    #[test]
    fn two_edits_that_did_not_know_of_each_other_disagree_and_the_higher_id_counts() {
        let mut story = Story::default();
        let comment = story.comment("ann", "wy?");
        let at_home = story.edit(comment, "ann", &[], "why?");
        let at_work = story.edit(comment, "ann", &[], "why, please?");

        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        let edits = comment.words().edits();
        assert_eq!(edits.in_force().unwrap().id, at_home.max(at_work));
        assert_eq!(comment.disagreements().collect::<Vec<_>>(), [Disagreement::Words(edits)]);
        let mut both = [at_home, at_work];
        both.sort();
        assert_eq!(comment.over_for_edit(&author("ann")), both);
    }

    #[test]
    fn an_edit_by_somebody_else_is_shown_beside_whatever_it_is_over() {
        let mut story = Story::default();
        let comment = story.comment("ann", "wy?");
        let own = story.edit(comment, "ann", &[], "why?");
        story.seq = Some(u64::MAX);
        story.edit(comment, "eve", &[own, comment], "all is well");

        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        assert_eq!(comment.text(), "why?");
        assert_eq!(texts(comment.words().proposals()), ["all is well"]);
        assert_eq!(comment.disagreements().count(), 0);
    }

    #[test]
    fn a_proposal_is_replaced_by_its_maker_or_by_the_author_and_by_nobody_else() {
        let mut story = Story::default();
        let comment = story.comment("ann", "wy?");
        let bobs = story.edit(comment, "bob", &[], "why?");
        let cats = story.edit(comment, "cat", &[bobs], "no: how?");
        let dans = story.edit(comment, "dan", &[], "when?");

        let standing = |story: &Story, id: RecordId| {
            let threads = story.threads();
            let proposals = threads.comment(comment).unwrap().words().proposals();
            proposals.changes().iter().find(|proposal| proposal.id == id).unwrap().standing
        };
        assert_eq!(standing(&story, bobs), ChangeState::InForce, "named by cat");
        let over = story.threads().comment(comment).unwrap().over_for_edit(&author("bob"));
        assert_eq!(over, [bobs]);
        story.edit(comment, "bob", &over, "Why?");
        assert_eq!(standing(&story, bobs), ChangeState::Lost, "named by bob");
        story.edit(comment, "ann", &[dans], "why, when?");
        assert_eq!(standing(&story, dans), ChangeState::Lost, "named by ann");
        assert_eq!(standing(&story, cats), ChangeState::InForce);
    }

    #[test]
    fn people_are_the_same_if_their_email_is_byte_for_byte() {
        let check = |name: &str, email: &str, counts: bool| {
            let mut story = Story::default();
            let comment = story.comment("ann", "wy?");
            let author = Author { name: name.into(), email: email.into() };
            let edit =
                EditRecord { author, text: Some("why?".into()), ..story.edit_body(comment, "ann", &[]) };
            story.say(&crate::record::Body::Edit(edit));
            let threads = story.threads();
            assert_eq!(threads.comment(comment).unwrap().text() == "why?", counts, "{name} <{email}>");
        };
        check("ann", "ann@example.org", true);
        check("Ann, now married", "ann@example.org", true);
        check("ann", "Ann@example.org", false);
        check("ann", "ann@EXAMPLE.org", false);
        check("ann", " ann@example.org", false);
        check("ann", "", false);
    }

    #[test]
    fn an_edit_without_words_for_its_target_says_nothing() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        let good = story.edit(comment, "ann", &[], "why not?");
        let edit = EditRecord { title: Some("a title".into()), ..story.edit_body(comment, "ann", &[good]) };
        story.say(&crate::record::Body::Edit(edit));
        let threads = story.threads();
        let comment = threads.comment(comment).unwrap();
        assert_eq!(comment.text(), "why not?");
        assert_eq!(comment.words().edits().changes()[1].standing, ChangeState::Void);
    }
}
