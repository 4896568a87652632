//! A review as it is now: its title, description and status in force, and its verdicts.

use std::collections::BTreeSet;

use super::change_history::{Change, History, judge, over};
use super::fact::{Fact, Timed as _, seq_behind, together};
use super::text_edits::TextEdits;
use crate::git::ObjectId;
use crate::record::{
    self, Author, EditRecord, Judgement, RecordId, RequestRecord, RequestWord, Seq, StatusRecord, StatusWord,
    VerdictRecord,
};

/// A review, with everything that was done to it except its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    id: RecordId,
    page: ObjectId,
    said: record::ReviewRecord,
    words: TextEdits,
    statuses: History<StatusRecord>,
    /// In the order of display.
    verdicts: Vec<Fact<VerdictRecord>>,
    requests: History<RequestRecord>,
}

/// The state of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewState {
    /// Open.
    Open,
    /// Merged into its base.
    Merged,
    /// Closed without a merge.
    Closed,
}

impl Review {
    pub(super) fn new(id: RecordId, page: ObjectId, said: record::ReviewRecord) -> Self {
        let (words, statuses, verdicts, requests) = <_>::default();
        Self { id, page, said, words, statuses, verdicts, requests }
    }

    /// Records that it is in this note too.
    pub(super) fn also_in_note(&mut self, page: ObjectId) {
        self.page = self.page.min(page);
    }

    pub(super) fn add_edits(&mut self, more: Vec<Fact<EditRecord>>) {
        let facts = together(std::mem::take(&mut self.words).into_facts(), more);
        let fits = |edit: &EditRecord| {
            let refs = edit.branch.is_some() || edit.base.is_some();
            refs || edit.title.is_some() || edit.description.is_some()
        };
        self.words = TextEdits::new(facts, &self.said.author, fits);
    }

    pub(super) fn add_statuses(&mut self, more: Vec<Fact<StatusRecord>>) {
        let facts = together(std::mem::take(&mut self.statuses).into_facts(), more);
        self.statuses = History::new(judge(facts, ReviewState::has_word, |_, _| true));
    }

    pub(super) fn add_verdicts(&mut self, more: Vec<Fact<VerdictRecord>>) {
        self.verdicts = together(std::mem::take(&mut self.verdicts).into_iter(), more);
        self.verdicts.sort_unstable_by_key(Fact::moment);
    }

    pub(super) fn add_requests(&mut self, more: Vec<Fact<RequestRecord>>) {
        let facts = together(std::mem::take(&mut self.requests).into_facts(), more);
        let same_person = |by: &RequestRecord, other: &RequestRecord| by.who.email == other.who.email;
        self.requests = History::new(judge(facts, |_| true, same_person));
    }

    /// Its record.
    pub fn id(&self) -> RecordId {
        self.id
    }

    /// The object whose note it is in; of several, the lowest.
    pub fn page(&self) -> ObjectId {
        self.page
    }

    /// The record as it was made.
    pub fn said(&self) -> &record::ReviewRecord {
        &self.said
    }

    /// The title in force.
    pub fn title(&self) -> &str {
        self.edited(|edit| edit.title.as_deref()).unwrap_or(&self.said.title)
    }

    /// The description in force.
    pub fn description(&self) -> &str {
        self.edited(|edit| edit.description.as_deref()).unwrap_or(&self.said.description)
    }

    /// The branch in force, as a full ref name.
    pub fn branch(&self) -> &[u8] {
        self.edited(|edit| edit.branch.as_deref()).unwrap_or(&self.said.branch)
    }

    /// Whether its branch ever had this name.
    pub fn was_called(&self, branch: &[u8]) -> bool {
        let edits = self.words.edits().changes().iter().filter_map(|edit| edit.said.branch.as_deref());
        edits.chain([self.said.branch.as_slice()]).any(|name| name == branch)
    }

    /// What it is compared with now, as a full ref name.
    pub fn base(&self) -> &[u8] {
        self.edited(|edit| edit.base.as_deref()).unwrap_or(&self.said.base)
    }

    /// An edit has all four fields; one that it leaves out is as in the review's own record, because it replaced the
    /// earlier edits.
    fn edited<'a, T: ?Sized>(&'a self, field: impl Fn(&'a EditRecord) -> Option<&'a T>) -> Option<&'a T> {
        self.words.edits().in_force().and_then(|edit| field(&edit.said))
    }

    /// Its edits, and the edits that others propose.
    pub fn words(&self) -> &TextEdits {
        &self.words
    }

    /// Its statuses.
    pub fn statuses(&self) -> &History<StatusRecord> {
        &self.statuses
    }

    /// Its state.
    pub fn state(&self) -> ReviewState {
        match self.statuses.in_force().map(|status| status.said.status) {
            Some(StatusWord::Merged) => ReviewState::Merged,
            Some(StatusWord::Closed) => ReviewState::Closed,
            // A review is open until somebody says otherwise; the words of threads are void here.
            None | Some(StatusWord::Open | StatusWord::Resolved | StatusWord::Withdrawn) => ReviewState::Open,
        }
    }

    /// Every verdict, oldest first.
    pub fn verdicts(&self) -> &[Fact<VerdictRecord>] {
        &self.verdicts
    }

    /// The verdicts that count: each person's last approval or request for changes, and their comments after it. Oldest
    /// first.
    pub fn counting_verdicts(&self) -> Vec<&Fact<VerdictRecord>> {
        counting(self.verdicts.iter().collect())
    }

    /// Every request to somebody to review, and every release, oldest first.
    pub fn requests(&self) -> &History<RequestRecord> {
        &self.requests
    }

    /// The requests in force, one for each person who is asked, oldest first.
    pub fn asked(&self) -> Vec<&Change<RequestRecord>> {
        let mut people = BTreeSet::new();
        // Of several in force, one that asks counts, and those come first.
        let counts = self.requests.contenders().filter(|change| people.insert(&change.said.who.email));
        let mut asked: Vec<_> = counts.filter(|change| change.said.request == RequestWord::Asked).collect();
        asked.sort_by_key(|change| change.said.moment(change.id));
        asked
    }

    /// What a new request to the person with this email must name in `over`.
    pub fn over_for_request(&self, email: &str) -> Vec<RecordId> {
        over(self.requests.contenders().filter(|change| change.said.who.email == email))
    }

    /// What a new edit by `editor` must name in `over`.
    pub fn over_for_edit(&self, editor: &Author) -> Vec<RecordId> {
        self.words.over(&self.said.author, editor)
    }

    /// The `seq` of the next edit, status or verdict.
    pub fn next_seq(&self) -> Seq {
        let edits = self.words.changes().map(|change| change.said.seq);
        let statuses = self.statuses.changes().iter().map(|change| change.said.seq);
        let verdicts = self.verdicts.iter().map(|verdict| verdict.said.seq);
        let requests = self.requests.changes().iter().map(|change| change.said.seq);
        seq_behind(edits.chain(statuses).chain(verdicts).chain(requests).chain([self.said.seq]))
    }
}

impl ReviewState {
    /// Whether a status is one of reviews.
    fn has_word(status: &StatusRecord) -> bool {
        matches!(status.status, StatusWord::Open | StatusWord::Merged | StatusWord::Closed)
    }
}

/// Keeps each person's last approval or request for changes, and their last comment if it came later; people are
/// identified by their email, byte for byte.
///
/// A comment does not replace a verdict: who asked for changes still does after a comment.
pub(super) fn counting(mut verdicts: Vec<&Fact<VerdictRecord>>) -> Vec<&Fact<VerdictRecord>> {
    verdicts.sort_by_key(|verdict| verdict.moment());
    let (mut judged, mut commented) = (BTreeSet::new(), BTreeSet::new());
    let mut last: Vec<_> = verdicts
        .into_iter()
        .rev()
        .filter(|verdict| {
            let email = &verdict.said.author.email;
            match verdict.said.verdict {
                Judgement::Approve | Judgement::Changes => judged.insert(email),
                Judgement::Comment => !judged.contains(email) && commented.insert(email),
            }
        })
        .collect();
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::CommitId;
    use crate::record::Body;
    use crate::review::ChangeState;
    use crate::review::folding::story::{Story, author, page, unknown};

    const TOPIC: &str = "refs/heads/topic";

    #[test]
    fn the_authors_edit_replaces_all_the_words_of_a_review() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let edit = EditRecord {
            title: Some("the parser".into()),
            description: Some("in two steps".into()),
            branch: Some(b"refs/heads/parser".to_vec()),
            base: Some(b"refs/heads/next".to_vec()),
            ..story.edit_body(id, "ann", &[])
        };
        let edit = story.say(&Body::Edit(edit));
        let threads = story.threads();
        let review = threads.review(id).unwrap();
        assert_eq!((review.title(), review.description()), ("the parser", "in two steps"));
        assert_eq!((review.branch(), review.base()), (&b"refs/heads/parser"[..], &b"refs/heads/next"[..]));
        assert_eq!(review.over_for_edit(&author("ann")), [edit]);
    }

    #[test]
    fn what_an_edit_of_a_review_leaves_out_is_as_it_was_first() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let title = |title: &str| Some(title.to_owned());
        let first = EditRecord { title: title("first"), ..story.edit_body(id, "ann", &[]) };
        let first = story.say(&Body::Edit(first));
        let second = EditRecord { description: title("second"), ..story.edit_body(id, "ann", &[first]) };
        story.say(&Body::Edit(second));
        let threads = story.threads();
        let review = threads.review(id).unwrap();
        assert_eq!((review.title(), review.description()), ("ann asks about refs/heads/topic", "second"));
    }

    #[test]
    fn somebody_elses_edit_of_a_review_and_one_without_its_words_change_nothing() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let edit = EditRecord { branch: Some(b"refs/heads/eve".to_vec()), ..story.edit_body(id, "eve", &[]) };
        story.say(&Body::Edit(edit));
        story.edit(id, "ann", &[], "a comment's text");
        let threads = story.threads();
        let review = threads.review(id).unwrap();
        assert_eq!(review.branch(), TOPIC.as_bytes());
        assert_eq!(review.words().proposals().changes().len(), 1);
        assert_eq!(review.words().edits().changes()[0].standing, ChangeState::Void);
    }

    #[test]
    fn a_review_is_open_merged_or_closed_and_never_resolved() {
        let check = |words: &[StatusWord], state: ReviewState| {
            let mut story = Story::default();
            let id = story.review("ann", TOPIC);
            for word in words {
                story.status(id, "bob", &[], *word);
            }
            assert_eq!(story.threads().review(id).unwrap().state(), state, "{words:?}");
        };
        check(&[], ReviewState::Open);
        check(&[StatusWord::Merged], ReviewState::Merged);
        check(&[StatusWord::Closed], ReviewState::Closed);
        check(&[StatusWord::Closed, StatusWord::Merged], ReviewState::Merged);
        check(&[StatusWord::Closed, StatusWord::Open], ReviewState::Open);
        check(&[StatusWord::Resolved, StatusWord::Closed], ReviewState::Closed);
    }

    #[test]
    fn a_merge_that_an_older_version_noticed_too_is_one_merge() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        // Older records do not say which commit it was; the two are not the same bytes.
        let older = story.status(id, "postil", &[], StatusWord::Merged);
        let by = CommitId::from_bytes(&[7; 20]);
        let body = StatusRecord { by, ..story.status_body(id, "postil", &[], StatusWord::Merged) };
        let newer = story.say(&Body::Status(body));
        let threads = story.threads();
        let review = threads.review(id).unwrap();
        assert_eq!(review.state(), ReviewState::Merged);
        assert!(!review.statuses().is_disputed());
        let mut both = [older, newer];
        both.sort_unstable();
        assert_eq!(review.statuses().over(), both, "whoever opens it again replaces both");
        story.status(id, "ann", &both, StatusWord::Open);
        assert_eq!(story.threads().review(id).unwrap().state(), ReviewState::Open);
    }

    #[test]
    fn every_verdict_is_kept_and_each_persons_last_one_counts() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let no = story.verdict(id, "bob", Judgement::Changes);
        let hm = story.verdict(id, "cat", Judgement::Comment);
        let yes = story.verdict(id, "bob", Judgement::Approve);
        story.verdict(unknown(8), "bob", Judgement::Changes);
        let threads = story.threads();
        let review = threads.review(id).unwrap();
        assert_eq!(review.verdicts().iter().map(|verdict| verdict.id).collect::<Vec<_>>(), [no, hm, yes]);
        let counting: Vec<RecordId> = review.counting_verdicts().iter().map(|verdict| verdict.id).collect();
        assert_eq!(counting, [hm, yes]);
        assert_eq!(threads.unplaced().len(), 1);
    }

    #[test]
    fn a_comment_stands_beside_the_judgement_before_it_until_the_next_one() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let counting = |story: &Story| {
            let threads = story.threads();
            let counting = threads.review(id).unwrap().counting_verdicts();
            counting.iter().map(|verdict| verdict.id).collect::<Vec<RecordId>>()
        };
        story.verdict(id, "bob", Judgement::Comment);
        let no = story.verdict(id, "bob", Judgement::Changes);
        assert_eq!(counting(&story), [no], "what was said before is old");
        story.verdict(id, "bob", Judgement::Comment);
        let hm = story.verdict(id, "bob", Judgement::Comment);
        assert_eq!(counting(&story), [no, hm]);
        let yes = story.verdict(id, "bob", Judgement::Approve);
        assert_eq!(counting(&story), [yes]);
    }

    #[test]
    fn somebody_is_asked_until_they_are_released() {
        let mut story = Story::default();
        let id = story.review("ann", TOPIC);
        let asked = |story: &Story| {
            let threads = story.threads();
            let asked = threads.review(id).unwrap().asked();
            asked.iter().map(|change| change.said.who.name.clone()).collect::<Vec<_>>()
        };
        let over = |story: &Story, who: &str| {
            story.threads().review(id).unwrap().over_for_request(&author(who).email)
        };
        story.request(id, "ann", &[], "bob", RequestWord::Asked);
        story.request(id, "ann", &[], "cat", RequestWord::Asked);
        assert_eq!(asked(&story), ["bob", "cat"]);
        let cats = over(&story, "cat");
        story.request(id, "ann", &cats, "bob", RequestWord::Released);
        assert_eq!(asked(&story), ["bob", "cat"], "a release of one person does not release another");
        let bobs = over(&story, "bob");
        assert_eq!(bobs.len(), 2);
        story.request(id, "ann", &bobs, "bob", RequestWord::Released);
        assert_eq!(asked(&story), ["cat"]);
        let bobs = over(&story, "bob");
        story.request(id, "dan", &bobs, "bob", RequestWord::Asked);
        assert_eq!(asked(&story), ["cat", "bob"]);
    }

    #[test]
    fn the_next_seq_of_a_review_is_behind_its_edits_statuses_and_verdicts() {
        let mut story = Story { page: 6, ..Story::default() };
        let id = story.review("ann", TOPIC);
        let next = |story: &Story| story.threads().next_seq(id).unwrap().get();
        assert_eq!(next(&story), 1);
        story.seq = Some(10);
        story.verdict(id, "bob", Judgement::Approve);
        assert_eq!(next(&story), 11);
        story.seq = Some(20);
        story.status(id, "bob", &[], StatusWord::Merged);
        assert_eq!(next(&story), 21);
        story.seq = Some(30);
        story.edit(id, "eve", &[], "void, and yet it has a place");
        assert_eq!(next(&story), 31);
        assert_eq!(story.threads().home(id), Some(page(6)));
    }
}
