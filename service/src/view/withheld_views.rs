//! What is left of threads, reviews and people for a reader who gets only what somebody vouches for.
//!
//! Ids, numbers, states, times and what is in the repository's own files stay: they name what is withheld, and say nothing.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::RefName;
use postil_core::record::{Author, RecordId, Via};
use postil_core::review::{Comment, Review, ReviewGroup, TextEdits};
use postil_protocol::{
    ByteText, CommentView, Hex, MissingView, Person, PositionView, ProposalView, ReadyView, RequestView,
    ReviewView, StatusView, ThreadLine, ThreadView, TimelineView, VerdictView,
};

use crate::request::Request;
use crate::view::signatures::{Voucher, rests_of};

/// What stands where something is withheld.
pub(super) const WITHHELD: &str = "(withheld)";

/// What stands where a word of the engine is withheld.
const WITHHELD_WORD: &str = "withheld";

/// Shorter names are not looked for in messages: they are in many words.
const MIN_NAME_BYTES: usize = 3;

/// What is withheld of one answer.
pub(super) struct Withholding<'a> {
    request: &'a Request,
    voucher: Voucher<'a>,
    /// The comments that were withheld so far.
    pub comments: BTreeSet<String>,
    /// The reviews that were.
    pub reviews: BTreeSet<String>,
    /// How many changes were.
    pub changes: usize,
    known: BTreeMap<RecordId, bool>,
    /// The names in the notes that nobody vouches for, the longest first.
    names: Option<Vec<String>>,
}

impl<'a> Withholding<'a> {
    pub fn new(request: &'a Request) -> Self {
        let (comments, reviews, known) = <_>::default();
        Self { request, voucher: Voucher::new(request), comments, reviews, changes: 0, known, names: None }
    }

    /// Who did what nobody vouches for.
    pub fn nobody() -> Person {
        Person::new(WITHHELD, "")
    }

    /// Whether somebody vouches for one record.
    pub fn is_vouched(&mut self, record: &Hex) -> bool {
        id(record).is_some_and(|id| self.is_record_vouched(id))
    }

    /// Whether somebody vouches for a comment, as it is now.
    pub fn is_told(&mut self, comment: &Hex) -> bool {
        let Some(id) = id(comment) else { return false };
        match self.request.notes.threads.comment(id) {
            Some(comment) => self.is_comment_told(comment),
            None => self.is_record_vouched(id),
        }
    }

    /// Whether somebody vouches for a review, as it is now.
    pub fn is_review_told(&mut self, review: &Hex) -> bool {
        match self.group(review) {
            Some(group) => self.is_lead_told(group.lead()),
            None => self.is_vouched(review),
        }
    }

    /// Whether somebody vouches for every place that a thread was put on by hand.
    pub fn are_moves_told(&mut self, thread: &Hex) -> bool {
        let root = id(thread).and_then(|id| self.request.notes.threads.comment(id));
        let moves = root.map(|root| root.moves().changes()).unwrap_or_default();
        moves.iter().all(|moved| self.is_record_vouched(moved.id))
    }

    /// Whether a folder is told: it is there, or somebody vouches for a comment in it.
    pub fn is_folder(&mut self, path: &ByteText) -> bool {
        use std::os::unix::ffi::OsStrExt as _;
        let path = path.as_bytes();
        let on_disk = std::ffi::OsStr::from_bytes(path);
        let files = self.request.work_tree.work_tree();
        if path.is_empty() || files.is_some_and(|files| files.join(on_disk).is_dir()) {
            return true;
        }
        let request = self.request;
        let is_there = |comment: &&Comment| {
            let rest = comment.anchor().and_then(|anchor| anchor.path.as_bytes().strip_prefix(path));
            rest.is_some_and(|rest| rest.starts_with(b"/"))
        };
        request.notes.threads.comments().filter(is_there).any(|comment| self.is_comment_told(comment))
    }

    pub fn thread(&mut self, thread: &mut ThreadView) {
        thread.position.iter_mut().for_each(place);
        for comment in &mut thread.comments {
            self.comment(comment);
        }
        let is_root_told = self.is_told(&thread.id);
        if !is_root_told || !self.are_moves_told(&thread.id) {
            // The lines and the path are whatever who put it there says.
            (thread.anchor, thread.message) = (None, None);
        }
        if !is_root_told {
            (thread.severity, thread.tags) = (None, Vec::new());
        }
        if thread.comments.iter().any(|comment| comment.withheld) {
            thread.depends_on.clear();
        }
        let folded = id(&thread.id).and_then(|id| self.request.notes.threads.thread(id));
        let status = folded.and_then(|thread| thread.statuses().in_force()).map(|status| status.id);
        thread.status_by.iter_mut().for_each(|by| self.status_by(by, status));
        thread.proposals.iter_mut().for_each(|proposal| self.proposal(proposal));
    }

    pub fn line(&mut self, line: &mut ThreadLine) {
        line.doubt.iter_mut().for_each(|doubt| place(&mut doubt.position));
        let thread = self.request.notes.thread_named(&line.short).ok();
        let root = thread.map(|thread| Hex::of(thread.id().as_bytes()));
        if root.as_ref().is_some_and(|root| self.is_told(root) && self.are_moves_told(root)) {
            return;
        }
        self.comments.insert(root.map_or_else(|| line.short.clone(), |root| root.to_string()));
        WITHHELD.clone_into(&mut line.text);
        line.author = Some(WITHHELD.to_owned());
        (line.severity, line.signature, line.via) = (None, None, None);
        line.tags.clear();
        line.branch.iter_mut().for_each(|branch| self.branch(branch));
        if let Some(doubt) = &mut line.doubt {
            (doubt.anchor, doubt.message) = (None, None);
            line.path.clone_from(&doubt.position.path);
        }
    }

    /// Whether somebody vouches for the edit that a person proposed at some time; of several, for each.
    fn is_edit_vouched(&mut self, words: Option<&TextEdits>, author: &Person, at: u64) -> bool {
        let edits = words.map(|words| words.proposals().changes()).unwrap_or_default();
        let is_it = |said: &Author, when: u64| said.email == author.email && when == at;
        let mut same = edits.iter().filter(|edit| is_it(&edit.said.author, edit.said.at.0)).peekable();
        same.peek().is_some() && same.all(|edit| self.is_record_vouched(edit.id))
    }

    fn comment(&mut self, comment: &mut CommentView) {
        let folded = id(&comment.id).and_then(|id| self.request.notes.threads.comment(id));
        let words = folded.map(Comment::words);
        comment.proposed.retain(|proposed| self.is_edit_vouched(words, &proposed.author, proposed.at));
        if self.is_told(&comment.id) {
            return;
        }
        if !comment.withdrawn {
            self.comments.insert(comment.id.to_string());
        }
        comment.withheld = true;
        WITHHELD.clone_into(&mut comment.text);
        comment.author = Self::nobody();
        (comment.suggestion, comment.signature) = (None, None);
        comment.tags.clear();
    }

    fn proposal(&mut self, proposal: &mut ProposalView) {
        if self.is_vouched(&proposal.id) {
            return;
        }
        proposal.author = Self::nobody();
        proposal.text.clear();
        (proposal.place, proposal.message) = (None, None);
    }

    fn status_by(&mut self, by: &mut StatusView, status: Option<RecordId>) {
        if status.is_some_and(|status| self.is_record_vouched(status)) {
            return;
        }
        by.author = Self::nobody();
        (by.reason, by.source, by.signature) = (None, None, None);
    }

    pub fn timeline(&mut self, timeline: &mut [TimelineView]) {
        for entry in timeline {
            if self.is_vouched(&entry.record) && self.is_told(&entry.of) {
                continue;
            }
            entry.author = Self::nobody();
            (entry.text, entry.anchor, entry.message) = (None, None, None);
            (entry.source, entry.signature) = (None, None);
        }
    }

    pub fn review(&mut self, review: &mut ReviewView) {
        let group = self.group(&review.id);
        let lead = group.map(ReviewGroup::lead);
        let status = lead.and_then(|lead| lead.statuses().in_force()).map(|status| status.id);
        review.status_by.iter_mut().for_each(|by| self.status_by(by, status));
        review.verdicts.iter_mut().chain(&mut review.history).for_each(|verdict| self.verdict(verdict));
        review.requested.iter_mut().for_each(|asked| self.asked(asked));
        let words = lead.map(Review::words);
        review.proposed.retain(|proposed| self.is_edit_vouched(words, &proposed.author, proposed.at));
        if self.is_review_told(&review.id) {
            return;
        }
        self.reviews.insert(review.id.to_string());
        WITHHELD.clone_into(&mut review.title);
        review.description.clear();
        review.author = Self::nobody();
        review.signature = None;
        self.branch(&mut review.branch);
        self.branch(&mut review.base);
    }

    pub fn verdict(&mut self, verdict: &mut VerdictView) {
        if self.is_vouched(&verdict.id) {
            return;
        }
        verdict.author = Self::nobody();
        verdict.text.clear();
        verdict.signature = None;
    }

    /// Of who was asked to review, and by whom.
    pub fn asked(&mut self, asked: &mut RequestView) {
        self.person(&mut asked.who);
        self.person(&mut asked.author);
    }

    pub fn ready(&mut self, ready: &mut ReadyView) {
        ready.approvals.iter_mut().for_each(|approval| self.person(&mut approval.who));
        for missing in &mut ready.missing {
            match missing {
                MissingView::ChangesRequested { who } => self.person(who),
                MissingView::Unread { why } => *why = self.without_names(why),
                // These are ids, numbers, and what the rule in the repository says.
                MissingView::Approvals { .. }
                | MissingView::Required { .. }
                | MissingView::Blockers { .. }
                | MissingView::InvalidRule { .. }
                | MissingView::Ended => {}
            }
        }
    }

    /// The name of a branch stays if it is one of the repository.
    pub fn branch(&self, branch: &mut ByteText) {
        let request = self.request;
        let is_here = RefName::from_bytes(branch.as_bytes())
            .is_ok_and(|name| !request.branches.base_tips(&request.handle, &name).is_empty());
        if !is_here {
            *branch = WITHHELD.into();
        }
    }

    /// Somebody who is named without a record: the name stays if it is that of who asks, or of somebody who wrote what
    /// somebody vouches for.
    pub fn person(&mut self, person: &mut Person) {
        let request = self.request;
        let is = |author: &Author| author.name == person.name && author.email == person.email;
        let is_known = request.asker.as_ref().is_some_and(is) || {
            let mut by = records_by(request).filter(|(author, _, _)| is(author));
            by.any(|(_, _, record)| self.is_record_vouched(record))
        };
        if !is_known {
            *person = Self::nobody();
        }
    }

    /// A message without the names in it that strangers chose.
    pub fn without_names(&mut self, message: &str) -> String {
        if self.names.is_none() {
            self.names = Some(self.strange_names());
        }
        let names = self.names.iter().flatten().filter(|name| message.contains(name.as_str()));
        names.fold(message.to_owned(), |message, name| message.replace(name, WITHHELD))
    }

    /// The names of people, programs, reviews and branches, and the tags, that are in no record that somebody vouches for.
    fn strange_names(&mut self) -> Vec<String> {
        let request = self.request;
        let (mut strange, mut known) = (BTreeSet::new(), BTreeSet::new());
        let mut add = |is_vouched: bool, name: &str| {
            if is_vouched {
                known.insert(name.to_owned())
            } else {
                strange.insert(name.to_owned())
            };
        };
        if let Some(asker) = &request.asker {
            add(true, &asker.name);
            add(true, &asker.email);
        }
        for (author, via, record) in records_by(request) {
            let is_vouched = self.is_record_vouched(record);
            let person = via.and_then(|via| via.person.as_ref());
            let people = [author].into_iter().chain(person).flat_map(|author| [&author.name, &author.email]);
            people.chain(via.map(|via| &via.program)).for_each(|name| add(is_vouched, name));
        }
        for comment in request.notes.threads.comments() {
            let is_vouched = self.is_record_vouched(comment.id());
            comment.said().tags.iter().for_each(|tag| add(is_vouched, tag));
        }
        for review in request.notes.threads.reviews() {
            let is_vouched = self.is_lead_told(review);
            add(is_vouched, review.title());
            let branch = String::from_utf8_lossy(review.branch());
            add(is_vouched, branch.strip_prefix("refs/heads/").unwrap_or(&branch));
        }
        let mut names: Vec<String> =
            strange.difference(&known).filter(|name| name.len() >= MIN_NAME_BYTES).cloned().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names
    }

    fn group(&self, review: &Hex) -> Option<ReviewGroup<'a>> {
        self.request.notes.threads.group_of(id(review)?)
    }

    fn is_comment_told(&mut self, comment: &Comment) -> bool {
        self.rests_vouched(comment.id(), &rests_of(comment.id(), comment.words()))
    }

    fn is_lead_told(&mut self, review: &Review) -> bool {
        self.rests_vouched(review.id(), &rests_of(review.id(), review.words()))
    }

    fn is_record_vouched(&mut self, record: RecordId) -> bool {
        if let Some(known) = self.known.get(&record) {
            return *known;
        }
        let is_vouched = self.voucher.is_vouched(&[record]);
        self.known.insert(record, is_vouched);
        is_vouched
    }

    /// Whether somebody vouches for what rests on these records; the first one is usually the only one.
    fn rests_vouched(&mut self, first: RecordId, rests: &[RecordId]) -> bool {
        if rests.len() == 1 { self.is_record_vouched(first) } else { self.voucher.is_vouched(rests) }
    }
}

/// Of a place that came with the notes, the word for how it was found may be anybody's.
pub(super) fn place(position: &mut PositionView) {
    if position.computed_elsewhere {
        WITHHELD_WORD.clone_into(&mut position.reason);
    }
}

/// Who wrote what, with the program that did.
fn records_by(request: &Request) -> impl Iterator<Item = (&Author, Option<&Via>, RecordId)> {
    let threads = &request.notes.threads;
    let comments = threads.comments().map(|comment| {
        let said = comment.said();
        (&said.author, said.via.as_deref(), comment.id())
    });
    let reviews = threads.reviews().iter().flat_map(|review| {
        let said = review.said();
        let verdicts = review.verdicts().iter();
        let verdicts = verdicts.map(|fact| (&fact.said.author, fact.said.via.as_deref(), fact.id));
        verdicts.chain([(&said.author, said.via.as_deref(), review.id())])
    });
    comments.chain(reviews)
}

fn id(hex: &Hex) -> Option<RecordId> {
    RecordId::from_hex(hex.as_str())
}
