//! How many findings of a source become threads: the most severe do, the rest is counted in one comment on the review.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use postil_core::record::{Body, CommentRecord, Record, Seq, StatusWord, Timestamp};
use postil_core::review::{ReportKey, ThreadState};
use postil_protocol::{Fault, ImportedComment, SeverityView};

use crate::convert::fault::OrFault as _;
use crate::import::dismissed::weight;
use crate::import::import_batch::ImportAuthor;
use crate::import::importing::{Importing, status_by_report, tags_of};
use crate::import::known_comment::{SaidWords, said_twice};
use crate::import::report_finding::NewFinding;
use crate::view::hex;
use crate::writing::records::{home_of, words};

/// Before how sure the tool is, from 0 to 1.
pub(crate) const CONFIDENCE: &str = "confidence:";

/// The name of the comment that counts the rest, before that of its review.
const REST: &str = "rest";

/// Why the comment that counts the rest is resolved.
const NO_REST: &str = "nothing is left out any more";

/// So many digits of the id of a review are in the name of a comment on it.
const REVIEW_DIGITS: usize = 12;

impl Importing<'_> {
    /// Those that become threads, and those that are left out: `open` threads of the source are here already.
    pub(super) fn capped(
        mut new: Vec<NewFinding<'_>>,
        open: usize,
        most: Option<u32>,
    ) -> (Vec<NewFinding<'_>>, Vec<ImportedComment>) {
        let Some(most) = most else { return (new, Vec::new()) };
        let free = (most as usize).saturating_sub(open);
        if new.len() <= free {
            return (new, Vec::new());
        }
        new.sort_by_key(|one| {
            let comment = one.found.comment;
            Reverse((weight(comment.severity.as_ref()), confidence(comment)))
        });
        let rest = new.split_off(free);
        (new, rest.into_iter().map(|one| one.found.comment.clone()).collect())
    }

    /// Counts what was left out in one comment on the review, which the next import changes.
    pub fn rest(
        &mut self,
        left_out: &BTreeMap<String, Vec<ImportedComment>>,
        comments: &[ImportedComment],
    ) -> Result<(), Fault> {
        for (source, rest) in left_out {
            self.reply.left_out += u32::try_from(rest.len()).unwrap_or(u32::MAX);
            let of_source = comments.iter().find(|comment| comment.source == *source);
            let Some(first) = of_source else { continue };
            let told = ImportedComment {
                id: REST.into(),
                text: in_words(source, rest),
                place: None,
                severity: None,
                tags: Vec::new(),
                expected: None,
                fix: None,
                ..first.clone()
            };
            self.on_review(&told, rest.is_empty())?;
        }
        Ok(())
    }

    /// Writes what a program says about the whole review, or changes what it said there before. What is over is resolved.
    pub fn on_review(&mut self, comment: &ImportedComment, is_over: bool) -> Result<(), Fault> {
        let Some(review) = self.current else {
            // Without a review, only the answer says it.
            return Ok(());
        };
        let name = format!("{}@{}", comment.id, &review.to_string()[..REVIEW_DIGITS]);
        let key = ReportKey { source: comment.source.clone(), name };
        let text = words(&comment.text, None)?;
        let by = ImportAuthor::of(&comment.author, comment.at.map_or(self.committed, Timestamp));
        let threads = &self.request.notes.threads;
        if let Some(said) = self.keys.get(&key).and_then(|id| self.said.get(id)) {
            return if said.text == text { Ok(()) } else { Err(said_twice()) };
        }
        let here = self.keys.get(&key).and_then(|id| threads.thread_of(*id));
        let Some((thread, root)) = here.and_then(|thread| Some((thread, thread.root_comment()?))) else {
            if is_over {
                return Ok(());
            }
            let body = CommentRecord {
                author: by.author,
                at: by.at,
                seq: Seq::default(),
                via: by.via,
                review: Some(review),
                parent: None,
                anchor: None,
                text,
                severity: None,
                tags: tags_of(comment, &key),
                suggestion: Vec::new(),
            };
            let home = match self.opened {
                Some(home) => home,
                None => home_of(self.request, review)?,
            };
            let said = SaidWords {
                author: body.author.clone(),
                text: body.text.clone(),
                at: body.at,
                over: Vec::new(),
            };
            let record = Record::new(&Body::Comment(body)).or_fault()?;
            let id = record.id();
            self.batch.begin(home, Some(review), record);
            self.keys.insert(key, id);
            self.said.insert(id, said);
            self.reply.added.push(hex(id));
            return Ok(());
        };
        // A second one in the same import would change what the first one says.
        let (id, of) = (thread.id(), root.id());
        let said = SaidWords { author: by.author.clone(), text: text.clone(), at: by.at, over: Vec::new() };
        self.said.insert(of, said);
        self.reported.insert(id);
        let status = thread.statuses().in_force().map(|status| &status.said);
        let is_own_status = status.is_none_or(|status| status.source.is_some());
        match (is_over, thread.state()) {
            (true, ThreadState::Open) if is_own_status => {
                let what = status_by_report(StatusWord::Resolved, NO_REST, comment.source.clone());
                self.batch.mark(self.request, id, self.importer(), what, thread.statuses().over())?;
                self.reply.retired.push(hex(id));
                return Ok(());
            }
            (true, _) => return Ok(()),
            (false, ThreadState::Resolved) if is_own_status => {
                self.reopen(id, comment.source.clone(), thread.statuses().over())?;
            }
            (false, _) => {}
        }
        let last = root.words().edits().in_force().map_or(root.said().at, |edit| edit.said.at);
        let is_own = root.said().author.email == by.author.email;
        if is_own && root.text() != text && by.at >= last {
            let over = root.over_for_edit(&by.author);
            self.batch.edit(self.request, id, by, text, over)?;
            self.reply.changed += 1;
        }
        self.reply.known += 1;
        Ok(())
    }
}

/// How sure a tool is of a finding, in per mille.
fn confidence(comment: &ImportedComment) -> u32 {
    let told = comment.tags.iter().find_map(|tag| tag.strip_prefix(CONFIDENCE)?.parse::<f32>().ok());
    told.map_or(0, |share| (share.clamp(0.0, 1.0) * 1000.0) as u32)
}

/// How many there are of each severity, the most severe first.
fn in_words(source: &str, rest: &[ImportedComment]) -> String {
    let mut counts: BTreeMap<(Reverse<u8>, &str), usize> = BTreeMap::new();
    for comment in rest {
        let severity = comment.severity.as_ref();
        let word = severity.map_or("without a severity", SeverityView::word);
        *counts.entry((Reverse(weight(severity)), word)).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|((_, word), count)| format!("{count} {word}")).collect();
    let more = if rest.len() == 1 { "finding is" } else { "findings are" };
    format!("{} more {more} reported by {source} and not shown: {}.", rest.len(), counts.join(", "))
}
