//! The findings of a report: each is a thread that is here already, or a new one.
//!
//! Where findings are is compared with where the engine finds the threads of the same source in the files that the report
//! is about. Which pairs are one is decided in `known_finding`.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::record::{
    Anchor, Body, CommentAnchor, CommentRecord, LineSpan, PositionEntry, PositionState, Range, Record, Seq,
    Timestamp,
};
use postil_core::review::{Comment, ReportKey, Thread, ThreadState};
use postil_protocol::{Fault, Freshness, HeadName, ImportedComment};

use crate::convert::fault::OrFault as _;
use crate::convert::severity;
use crate::files::HeadFiles;
use crate::import::dismissed::{AFTER, AskedAgain};
use crate::import::finding_key::{bare, finding_key};
use crate::import::import_batch::ImportAuthor;
use crate::import::importing::{Importing, has_vanished, tags_of};
use crate::import::known_finding::{FindingPlace, ReportedFinding, ReportedThread, Standing, pair};
use crate::import::place_finding::NewThreadPlace;
use crate::positions::in_head::positions_of;
use crate::positions::positions_at::{PositionsByThread, UNREADABLE};
use crate::request::seen_from;
use crate::view::hex;
use crate::writing::records::words;

/// Before the rule of a tool that a comment is about.
const RULE: &str = "rule:";

/// Why the place of changed lines is where the diff says.
const GUESSED_IN_PLACE: [&str; 4] = ["changed-in-place", "replaced", "restored", "applied"];

/// A finding, with its place here.
pub(crate) struct PlacedFinding<'c> {
    /// What the report says.
    pub comment: &'c ImportedComment,
    /// Where it is.
    pub placed: NewThreadPlace,
    /// The key that is made of its lines, if its tool gives it no name and it has lines.
    key: Option<String>,
    /// What it is called otherwise: several reports of one tool may use a name for several findings.
    own: String,
}

/// A finding that becomes a thread.
pub(crate) struct NewFinding<'c> {
    /// The finding.
    pub found: PlacedFinding<'c>,
    /// Why it is asked again, if it was dismissed before.
    pub again: Option<AskedAgain>,
}

/// The threads of a source, and where they are.
struct ThreadsOfSource<'a> {
    threads: Vec<Thread<'a>>,
    entries: PositionsByThread,
}

/// Whether a comment is something that a program found, and not an export or what a person said elsewhere.
pub(crate) fn is_finding(comment: &ImportedComment) -> bool {
    let is_alone = comment.parent.is_none() && comment.verdict.is_none() && comment.message.is_none();
    let is_open = comment.resolved.is_none() && comment.withdrawn.is_none();
    !comment.exported && is_alone && is_open && comment.author.via.is_some() && comment.place.is_some()
}

/// Whether a comment is what a program says about the whole review.
pub(crate) fn is_on_review(comment: &ImportedComment) -> bool {
    let is_alone = comment.parent.is_none() && comment.verdict.is_none() && comment.message.is_none();
    let is_program = !comment.exported && comment.author.via.is_some();
    is_program && is_alone && comment.place.is_none() && comment.review.is_none()
}

/// The rule that tags name.
pub(crate) fn rule_in(tags: &[String]) -> Option<&str> {
    tags.iter().find_map(|tag| tag.strip_prefix(RULE))
}

impl<'a> Importing<'a> {
    /// Takes over findings, at most so many threads of each source; returns how many were left out of each.
    pub fn findings(
        &mut self,
        comments: &[ImportedComment],
        most: Option<u32>,
    ) -> Result<BTreeMap<String, Vec<ImportedComment>>, Fault> {
        let mut by_source: BTreeMap<&str, Vec<PlacedFinding<'_>>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for comment in comments.iter().filter(|comment| is_finding(comment)) {
            // The same said twice about the same lines is said once; a tool that gives them two names means two.
            let place = comment.place.as_ref().map(|place| (place.path.clone(), format!("{:?}", place.span)));
            let name = (!comment.nameless).then_some(&comment.id);
            let told = (&comment.source, rule_in(&comment.tags), place, &comment.text, name);
            if !seen.insert(told) {
                self.reply.known += 1;
                continue;
            }
            match self.place(comment) {
                Ok(placed) => {
                    let (key, own) = (key_of(comment, &placed), comment.id.clone());
                    let found = PlacedFinding { comment, placed, key, own };
                    by_source.entry(&comment.source).or_default().push(found);
                }
                Err(fault) => {
                    // It is reported all the same.
                    let known = self.known(&comment.source, &comment.id);
                    let thread = known.and_then(|id| self.request.notes.threads.thread_of(id));
                    self.reported.extend(thread.map(Thread::id));
                    self.note_refusal(&comment.id, Err(fault))?;
                }
            }
        }
        let mut left_out = BTreeMap::new();
        for (source, mut findings) in by_source {
            number_twins(&mut findings);
            let (new, open) = self.compare(source, findings)?;
            let (new, rest) = Self::capped(new, open, most);
            for one in new {
                let (id, comment) = (one.found.comment.id.clone(), one.found.comment);
                let taken = self.begin_finding(comment, one);
                self.note_refusal(&id, taken)?;
            }
            // Without a limit, nothing is left out any more.
            left_out.insert(source.to_owned(), rest);
        }
        Ok(left_out)
    }

    /// Brings the threads of known findings up to date; returns the new findings, and how many known ones are open.
    fn compare<'c>(
        &mut self,
        source: &str,
        findings: Vec<PlacedFinding<'c>>,
    ) -> Result<(Vec<NewFinding<'c>>, usize), Fault> {
        let revs: BTreeSet<Option<&str>> = findings.iter().map(|found| found.placed.rev.as_deref()).collect();
        let rev = match revs.into_iter().collect::<Vec<_>>().as_slice() {
            [Some(rev)] => Some((*rev).to_owned()),
            _ => None,
        };
        let known = self.threads_of(source, rev.as_deref())?;
        let seen = seen_from(self.request, &HeadName::Head)?;
        let roots: Vec<(Thread<'_>, &Comment)> =
            known.threads.iter().filter_map(|thread| Some((*thread, thread.root_comment()?))).collect();
        let threads: Vec<ReportedThread<'_>> = roots
            .iter()
            .map(|(thread, root)| {
                let entry = known.entries.get(&thread.id()).map(AsRef::as_ref);
                let is_seen = seen.threads.contains_key(&thread.id());
                let after = root.said().tags.iter().find_map(|tag| tag.strip_prefix(AFTER));
                ReportedThread {
                    rule: rule_in(&root.said().tags),
                    key: ReportKey::imported(&root.said().tags).map(|key| key.name).unwrap_or_default(),
                    standing: standing(*thread),
                    text: root.text(),
                    place: entry.filter(|_| is_seen).and_then(place_of),
                    is_unchanged: entry.is_none_or(is_unchanged),
                    is_moved: entry.is_some_and(is_moved),
                    path: root.anchor().map(|anchor| anchor.path.as_bytes()).unwrap_or_default(),
                    lines: root.anchor().map(|anchor| bare(&anchor.lines)).unwrap_or_default(),
                    scope: root.anchor().map(scope_of).unwrap_or_default(),
                    after: after
                        .and_then(|id| roots.iter().position(|(other, _)| other.id().to_string() == id)),
                }
            })
            .collect();
        let told: Vec<ReportedFinding<'_>> = findings.iter().map(PlacedFinding::reported).collect();
        let pairs = pair(&told, &threads);
        drop(told);
        let (mut new, mut open) = (Vec::new(), 0);
        for (found, at) in findings.into_iter().zip(pairs) {
            let Some(at) = at else {
                new.push(NewFinding { found, again: None });
                continue;
            };
            let (thread, root) = roots[at];
            self.reply.known += 1;
            self.reported.insert(thread.id());
            let entry = known.entries.get(&thread.id()).map(AsRef::as_ref);
            if threads[at].standing == Standing::Dismissed {
                let has_changed = !threads[at].is_unchanged && threads[at].lines != found.lines();
                if let Some(again) = AskedAgain::of(thread, root, found.comment, has_changed) {
                    new.push(NewFinding { found, again: Some(again) });
                }
                continue;
            }
            open += 1;
            let id = found.comment.id.clone();
            let updated = self.refresh(thread, root, &found, entry);
            self.note_refusal(&id, updated)?;
        }
        Ok((new, open))
    }

    /// The threads of a source that a program began, and where they are in what the report is about.
    fn threads_of(&self, source: &str, rev: Option<&str>) -> Result<ThreadsOfSource<'a>, Fault> {
        let request = self.request;
        let is_of_source = |thread: &Thread<'_>| {
            thread.root_comment().is_some_and(|root| {
                ReportKey::imported(&root.said().tags).is_some_and(|key| key.source == source)
            })
        };
        let threads: Vec<Thread<'a>> = request.notes.threads.iter().filter(is_of_source).collect();
        let entries = self.entries_of(&threads, rev)?;
        Ok(ThreadsOfSource { threads, entries })
    }

    /// Where threads are in a commit, or in the files on disk.
    pub fn entries_of(&self, threads: &[Thread<'a>], rev: Option<&str>) -> Result<PositionsByThread, Fault> {
        let head = match rev {
            Some(rev) => HeadName::Rev(rev.into()),
            None if self.request.work_tree.work_tree().is_some() => HeadName::WorkTree,
            None => HeadName::Head,
        };
        let files = HeadFiles::of(self.request, &head)?;
        Ok(positions_of(self.request, &files, Freshness::Wait, threads.iter().copied())?.entries)
    }

    /// Says what is new about a finding that is an open or retired thread: its words, its lines, that it is back.
    fn refresh(
        &mut self,
        thread: Thread<'_>,
        root: &Comment,
        found: &PlacedFinding<'_>,
        entry: Option<&PositionEntry>,
    ) -> Result<(), Fault> {
        let comment = found.comment;
        let by = ImportAuthor::of(&comment.author, comment.at.map_or(self.committed, Timestamp));
        let id = thread.id();
        if thread.state() == ThreadState::Resolved {
            self.reopen(id, comment.source.clone(), thread.statuses().over())?;
        }
        let is_own = root.said().author.email == by.author.email;
        let text = AskedAgain::kept_in(root.text(), words(&comment.text, None)?);
        let last = root.words().edits().in_force().map_or(root.said().at, |edit| edit.said.at);
        // An older report changes nothing.
        if is_own && text != root.text() && by.at >= last {
            self.batch.edit(self.request, id, by.clone(), text, root.over_for_edit(&by.author))?;
            self.reply.changed += 1;
        }
        let moved_by_hand = root.moves().in_force().is_some_and(|moved| moved.said.via.is_none());
        let is_there = entry.is_some_and(|entry| {
            let same = |place: FindingPlace| found.place().is_some_and(|there| overlap(&place, &there));
            is_unchanged(entry) && place_of(entry).is_some_and(same)
        });
        let last = root.moves().in_force().map_or(root.said().at, |moved| moved.said.at);
        let is_founded = found.placed.file.is_some() && found.placed.anchor != root.comment_anchor().cloned();
        if is_own
            && !moved_by_hand
            && !is_there
            && is_founded
            && by.at >= last
            && let Some(anchor) = found.placed.anchor.clone()
        {
            // The lines as they are reported now are what the thread is about from here on.
            found.placed.pins.iter().for_each(|pin| self.batch.pin(pin));
            self.batch.place(self.request, id, by, anchor, root.moves().over())?;
            self.reply.placed += 1;
        }
        Ok(())
    }

    /// Adds the thread of a new finding.
    fn begin_finding(&mut self, comment: &ImportedComment, new: NewFinding<'_>) -> Result<(), Fault> {
        let NewFinding { found, again } = new;
        let text = words(&comment.text, None)?;
        let by = ImportAuthor::of(&comment.author, comment.at.map_or(self.committed, Timestamp));
        let name = match &again {
            Some(again) => again.name(found.name()),
            None => found.name().to_owned(),
        };
        let key = self.free_key(&comment.source, name);
        let mut tags = tags_of(comment, &key);
        tags.extend(again.as_ref().map(AskedAgain::tag));
        let suggestion = self.suggestion(comment, Some(&found.placed));
        let placed = found.placed;
        placed.pins.iter().for_each(|pin| self.batch.pin(pin));
        let body = CommentRecord {
            author: by.author.clone(),
            at: by.at,
            seq: Seq::default(),
            via: by.via.clone(),
            review: self.current,
            parent: None,
            anchor: placed.anchor,
            text: again.as_ref().map_or(text.clone(), |again| again.said(&text)),
            severity: comment.severity.as_ref().map(severity::given).transpose()?,
            tags,
            suggestion,
        };
        let record = Record::new(&Body::Comment(body)).or_fault()?;
        let id = record.id();
        self.batch.begin(placed.home, self.current, record);
        self.reply.displaced += u32::from(placed.is_displaced);
        self.keys.insert(key, id);
        if again.is_some() {
            self.reply.again.push(hex(id));
        }
        self.reply.added.push(hex(id));
        Ok(())
    }

    /// A key that nothing else of this source has: two findings are never taken for one because of it.
    fn free_key(&self, source: &str, name: String) -> ReportKey {
        let mut key = ReportKey { source: source.to_owned(), name };
        let first = key.name.clone();
        for number in 2_u32.. {
            if !self.keys.contains_key(&key) {
                break;
            }
            key.name = format!("{first}~{number}");
        }
        key
    }
}

impl PlacedFinding<'_> {
    fn reported(&self) -> ReportedFinding<'_> {
        let own = Some(self.own.as_str());
        let has_key = self.key.is_some();
        ReportedFinding {
            rule: rule_in(&self.comment.tags),
            own: own.filter(|_| !has_key),
            key: self.key.clone(),
            former: own.filter(|_| has_key),
            text: &self.comment.text,
            place: self.place(),
            lines: self.lines(),
            scope: self.anchor().map(scope_of).unwrap_or_default(),
        }
    }

    /// Its key: what its tool calls it, or what is made of its lines.
    fn name(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.own)
    }

    fn place(&self) -> Option<FindingPlace> {
        let anchor = self.anchor()?;
        Some((anchor.path.as_bytes().to_vec(), anchor.range.map(lines_of)))
    }

    fn anchor(&self) -> Option<&Anchor> {
        self.placed.anchor.as_ref().and_then(CommentAnchor::file)
    }

    /// Its lines without blanks.
    fn lines(&self) -> String {
        self.anchor().map(|anchor| bare(&anchor.lines)).unwrap_or_default()
    }
}

fn key_of(comment: &ImportedComment, placed: &NewThreadPlace) -> Option<String> {
    let anchor = placed.anchor.as_ref()?.file().filter(|_| comment.nameless)?;
    finding_key(rule_in(&comment.tags), &comment.text, anchor, placed.file.as_ref().map(|file| &file.1))
}

/// Gives findings with equal keys or names numbers, in the order of their lines.
fn number_twins(findings: &mut [PlacedFinding<'_>]) {
    findings.sort_by_key(PlacedFinding::place);
    let mut given: BTreeMap<String, u32> = BTreeMap::new();
    for found in findings {
        let key = found.key.as_mut().unwrap_or(&mut found.own);
        let count = given.entry(key.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            *key = format!("{key}~{count}");
        }
    }
}

fn standing(thread: Thread<'_>) -> Standing {
    let vanished = || thread.statuses().in_force().is_some_and(|status| has_vanished(&status.said));
    match thread.state() {
        ThreadState::Open => Standing::Open,
        ThreadState::Resolved if vanished() => Standing::Retired,
        ThreadState::Resolved | ThreadState::Withdrawn => Standing::Dismissed,
    }
}

/// Whether the lines of a thread are as they were; unknown where the files could not be read.
pub(crate) fn is_unchanged(entry: &PositionEntry) -> bool {
    matches!(entry.state, PositionState::Anchored | PositionState::Shifted) || entry.reason == UNREADABLE
}

/// Whether the lines of a thread were found, or guessed, elsewhere than where the diff says.
fn is_moved(entry: &PositionEntry) -> bool {
    match entry.state {
        PositionState::Anchored => false,
        PositionState::Shifted | PositionState::Orphaned => true,
        PositionState::Outdated => !GUESSED_IN_PLACE.contains(&entry.reason.as_str()),
    }
}

fn scope_of(anchor: &Anchor) -> Vec<String> {
    anchor.scope.iter().map(|line| bare(std::slice::from_ref(line))).collect()
}

fn place_of(entry: &PositionEntry) -> Option<FindingPlace> {
    Some((entry.path.as_ref()?.as_bytes().to_vec(), entry.range.map(lines_of)))
}

fn lines_of(range: Range) -> (u32, u32) {
    let span: LineSpan = range.span();
    (span.first(), span.last())
}

fn overlap(one: &FindingPlace, other: &FindingPlace) -> bool {
    let lines = match (one.1, other.1) {
        (Some(one), Some(other)) => one.0 <= other.1 && other.0 <= one.1,
        (one, other) => one == other,
    };
    one.0 == other.0 && lines
}
