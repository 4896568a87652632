//! Locates comments on words: through the lines they were in, and then on the page.
//!
//! Which lines the words' lines became is what every anchor asks. Here that only says where to look
//! first: words are the same as long as they read the same, whatever became of their lines.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops;
use std::rc::Rc;
use std::sync::Arc;

use crate::edit::Text;
use crate::git::{BlobId, RepoPath};
use crate::record::{Anchor, Quote, Range};

use super::files::bypass::{self, SearchScope};
use super::files::renames;
use super::files::same_file::{self, FileDestination};
use super::lines::region::LineRegion;
use super::locate::{Head, LocateError};
use super::position::{MatchConfidence, Orphaning, Outdating, Passage, Position, Shift, Site, SiteCandidate};
use super::prose::{Document, ExpectedPlace, QuoteLikeness, QuoteSearchResult, quote};
use super::repository::objects::{ObjectError, Objects, PathEntry};
use super::resolve::resolve;

/// How sure it is that the same words are the ones meant, where their lines changed.
const IN_CHANGED_LINES: f64 = 0.95;

/// How sure it is that the same words are the ones meant, where nothing else leads to them.
const ELSEWHERE: f64 = 0.85;

/// How sure it is that the words were in lines whose content no longer reads as them.
const UNREAD: f64 = 0.5;

/// Words and what was around them must be this long together to be looked for in other files.
const TELLING_BYTES: usize = 40;

/// More changed files of the same kind are not read; the nearest come first.
const MAX_OTHER_FILES: usize = 64;

/// Locates an anchor on quoted words.
///
/// A file without a page is left to its lines, and the position has no passage then.
pub(super) fn locate_quoted(
    objects: &Objects,
    documents: &Documents,
    anchor: &Anchor,
    quote: &Quote,
    head: Head,
) -> Result<Position, LocateError> {
    let mut lines = resolve(objects, anchor, head)?;
    if let (Position::Orphaned { .. }, Some(range)) = (&lines, anchor.range) {
        // A few words prove less than the lines that they are in.
        let whole = Anchor { range: Some(Range::lines(range.span())), ..anchor.clone() };
        lines = resolve(objects, &whole, head)?;
    }
    if let Position::Orphaned {
        why: Orphaning::Bypassed | Orphaning::NotText | Orphaning::Impossible, ..
    } = &lines
    {
        return Ok(lines);
    }
    let asked = QuoteSearch { objects, documents, anchor, quote, head };
    Ok(asked.locate(lines)?)
}

/// How many documents are kept: one file of the head, and what it was.
const MAX_READ: usize = 2;

/// The documents that were read last: anchors of one file come one after the other.
#[derive(Debug, Default)]
pub(super) struct Documents {
    last: RefCell<VecDeque<ReadDocument>>,
}

#[derive(Clone, Debug)]
struct ReadDocument {
    path: RepoPath,
    blob: BlobId,
    /// `None` if it has no page.
    document: Option<Rc<Document>>,
}

impl Documents {
    fn read(
        &self,
        objects: &Objects,
        path: &RepoPath,
        blob: BlobId,
    ) -> Result<Option<Rc<Document>>, ObjectError> {
        let known = self.last.borrow().iter().find(|read| (&read.path, read.blob) == (path, blob)).cloned();
        if let Some(known) = known {
            return Ok(known.document);
        }
        let document = Document::read(path, objects.text(blob)?.bytes()).ok().map(Rc::new);
        let mut last = self.last.borrow_mut();
        last.truncate(MAX_READ - 1);
        last.push_front(ReadDocument { path: path.clone(), blob, document: document.clone() });
        Ok(document)
    }
}

/// An anchor on words, and where it is looked for.
struct QuoteSearch<'a> {
    objects: &'a Objects,
    documents: &'a Documents,
    anchor: &'a Anchor,
    quote: &'a Quote,
    head: Head,
}

/// A file of the head that can be read.
struct Readable {
    path: RepoPath,
    blob: BlobId,
    text: Arc<Text>,
    document: Rc<Document>,
}

impl QuoteSearch<'_> {
    fn locate(&self, mut lines: Position) -> Result<Position, ObjectError> {
        if let Position::Shifted { site, .. } = &lines
            && self.leads_to_others(site)?
        {
            lines = Position::Orphaned { why: Orphaning::Deleted, candidates: Vec::new() };
        }
        let there = lines.site().map(|site| site.path.clone());
        let own = self.own_file()?;
        let mut offered = Vec::new();
        let mut read = false;
        let first = there.clone().or_else(|| own.clone());
        let second = own.clone().filter(|own| there.as_ref().is_some_and(|there| there != own));
        for path in [first, second].into_iter().flatten() {
            let Some(page) = self.page(path)? else { continue };
            read = true;
            if let Some(site) = page.translated(&lines, self.quote) {
                return Ok(placed(lines, site));
            }
            if !self.may_search(&page)? {
                continue;
            }
            match self.find(&page, &lines) {
                QuoteSearchResult::Here { place, .. } if self.is_of_others(&page, &place)? => {}
                QuoteSearchResult::Here { place, likeness } => {
                    if let Some(site) = page.site(&place) {
                        return Ok(self.judged(&page, site, likeness, &lines, own.as_ref()));
                    }
                }
                QuoteSearchResult::Nowhere { candidates } => {
                    offered.extend(candidates.into_iter().filter_map(|(place, likeness)| {
                        Some(SiteCandidate { site: page.site(&place)?, confidence: sure(likeness) })
                    }));
                }
            }
        }
        let lost = read || matches!(lines, Position::Orphaned { .. });
        if !lost {
            return Ok(lines);
        }
        if let Some(site) = self.in_other_file(&[there, own])? {
            let confidence = MatchConfidence::from_score(ELSEWHERE);
            return Ok(Position::Shifted { site, why: Shift::MovedAcross, confidence, candidates: offered });
        }
        Ok(unread(lines, offered))
    }

    /// The only place in another changed file where the words are with all that was around them.
    fn in_other_file(&self, but: &[Option<RepoPath>; 2]) -> Result<Option<Site>, ObjectError> {
        let Quote { exact, prefix, suffix } = self.quote;
        let old = self.anchor.commit.and_then(|commit| self.objects.commit(commit).ok());
        let Some(old) = old.filter(|_| prefix.len() + exact.len() + suffix.len() >= TELLING_BYTES) else {
            return Ok(None);
        };
        let changes = self.objects.changes(old.tree, self.head.tree)?;
        let changed = changes.added.iter().map(|(path, _)| (path, None));
        let changed = changed.chain(changes.modified.iter().map(|(path, was, _)| (path, Some(*was))));
        let mut others: Vec<(&RepoPath, Option<BlobId>)> = changed
            .filter(|(path, _)| !but.iter().flatten().any(|searched| searched == *path))
            .filter(|(path, _)| same_file::nearness(&self.anchor.path, path).same_kind)
            .collect();
        others.sort_by_cached_key(|(path, _)| Reverse(same_file::nearness(&self.anchor.path, path)));
        let mut found = None;
        for (path, was) in others.into_iter().take(MAX_OTHER_FILES) {
            let Some(page) = self.page(path.clone())? else { continue };
            let places = page.document.literal_places(self.quote);
            if places.is_empty() || !self.may_search(&page)? {
                continue;
            }
            let was = match was {
                Some(was) => Some(was),
                None => {
                    renames::origin(self.objects, (old.tree, self.head.tree), &(path.clone(), page.blob))?
                }
            };
            let before = match was {
                Some(was) => self.documents.read(self.objects, path, was)?,
                None => None,
            };
            if before.is_some_and(|before| !before.literal_places(self.quote).is_empty()) {
                continue;
            }
            for place in places {
                if found.is_some() {
                    return Ok(None);
                }
                found = page.site(&place);
            }
        }
        Ok(found)
    }

    /// The path of the anchor's file in the head, whatever became of the lines.
    fn own_file(&self) -> Result<Option<RepoPath>, ObjectError> {
        let (path, tree) = (&self.anchor.path, self.head.tree);
        if let Some(PathEntry::File(_)) = self.objects.entry(tree, path.as_bytes())? {
            return Ok(Some(path.clone()));
        }
        let Some(blob) = self.anchor.blob else { return Ok(None) };
        let old = self.anchor.commit.and_then(|commit| self.objects.commit(commit).ok());
        Ok(match old {
            Some(old) if self.objects.text(blob).is_ok() => {
                match same_file::find(self.objects, old.tree, tree, path, blob)? {
                    FileDestination::File(path, _) => Some(path),
                    FileDestination::Other | FileDestination::Gone => None,
                }
            }
            _ => same_file::elsewhere(self.objects, tree, path, blob)?.map(|(path, _)| path),
        })
    }

    /// Reads a file of the head; `None` if it has no page.
    fn page(&self, path: RepoPath) -> Result<Option<Readable>, ObjectError> {
        let Some(PathEntry::File(blob)) = self.objects.entry(self.head.tree, path.as_bytes())? else {
            return Ok(None);
        };
        let text = self.objects.text(blob)?;
        let Some(document) = self.documents.read(self.objects, &path, blob)? else { return Ok(None) };
        Ok(Some(Readable { path, blob, text, document }))
    }

    fn may_search(&self, page: &Readable) -> Result<bool, ObjectError> {
        Ok(bypass::is_searchable(&page.text)
            && bypass::search(self.objects, self.head.tree, &page.path)? == SearchScope::Full)
    }

    fn find(&self, page: &Readable, lines: &Position) -> QuoteSearchResult {
        let near = page.region_of(lines).map(|region| {
            let source = region.to_bytes(&page.text).start;
            page.document.offset_near(source)
        });
        let headings = Some(&self.anchor.headings[..]);
        page.document.prose().find(self.quote, &ExpectedPlace { headings, near })
    }

    /// Whether the lines went to where others were before; not known for lines without words.
    fn leads_to_others(&self, site: &Site) -> Result<bool, ObjectError> {
        let Some(page) = self.page(site.path.clone())? else { return Ok(false) };
        let source = site.range.map(|range| LineRegion::from_range(range).to_bytes(&page.text));
        match source.and_then(|source| page.document.rendered_of(&source)) {
            Some(place) => self.is_of_others(&page, &place),
            None => Ok(false),
        }
    }

    /// Whether what is at a place was somewhere else before, and so is not what was quoted.
    ///
    /// Lists, tables and changelogs say the same again and again. Words that are gone are not those of the next
    /// item: lines that the diff kept are those that they were, and from others the way back must lead to the quote.
    fn is_of_others(&self, page: &Readable, place: &ops::Range<usize>) -> Result<bool, ObjectError> {
        let Some(blob) = self.anchor.blob else { return Ok(false) };
        let Ok(text) = self.objects.text(blob) else { return Ok(false) };
        let before = self.documents.read(self.objects, &self.anchor.path, blob)?;
        let Some(before) = before else { return Ok(false) };
        let Some(own) = self.own_place(&before, &text) else { return Ok(false) };
        let lines = page.document.source_of(place).map(|source| LineRegion::from_bytes(&source, &page.text));
        let own_lines = before.source_of(&own).map(|source| LineRegion::from_bytes(&source, &text));
        if let (Some(lines), Some(own_lines)) = (lines, own_lines) {
            let map = self.objects.map(blob, page.blob)?.invert();
            if let (Some(first), Some(last)) = (map.kept(lines.first), map.kept(lines.last)) {
                return Ok(last < own_lines.first || own_lines.last < first);
            }
        }
        let Ok(back) = quote(page.document.text(), place.clone()) else { return Ok(false) };
        let headings = page.document.headings_at(place.start);
        let expected = ExpectedPlace { headings: Some(&headings), near: None };
        Ok(match before.prose().find(&back, &expected) {
            QuoteSearchResult::Here {
                place,
                likeness: QuoteLikeness::Literal | QuoteLikeness::Normalised,
            } => place.end <= own.start || own.end <= place.start,
            QuoteSearchResult::Here { .. } | QuoteSearchResult::Nowhere { .. } => false,
        })
    }

    /// Where the words were in the text that they were quoted from.
    fn own_place(&self, before: &Document, text: &Text) -> Option<ops::Range<usize>> {
        if let Some(range) = self.anchor.range {
            let region = Some(LineRegion::from_range(range)).filter(|region| region.fits(text))?;
            return before.rendered_of(&region.to_bytes(text));
        }
        let expected = ExpectedPlace { headings: Some(&self.anchor.headings[..]), near: None };
        match before.prose().find(self.quote, &expected) {
            QuoteSearchResult::Here { place, .. } => Some(place),
            QuoteSearchResult::Nowhere { .. } => None,
        }
    }

    /// Returns the position for words that were found on a page.
    fn judged(
        &self,
        page: &Readable,
        site: Site,
        likeness: QuoteLikeness,
        lines: &Position,
        own: Option<&RepoPath>,
    ) -> Position {
        let in_place = page.region_of(lines).zip(site.range.map(LineRegion::from_range));
        let in_place =
            in_place.is_some_and(|(one, other)| one.first <= other.last && other.first <= one.last);
        let across = own.is_some_and(|own| *own != page.path);
        let same_file = self.anchor.range.is_none() && self.anchor.blob == Some(page.blob);
        let candidates = Vec::new();
        match likeness {
            QuoteLikeness::Literal | QuoteLikeness::Normalised => match lines {
                Position::Anchored { renamed, .. } if in_place || same_file => {
                    Position::Anchored { site, renamed: *renamed }
                }
                _ => {
                    let (why, score) = match (in_place, across) {
                        (true, _) => (Shift::Quoted, IN_CHANGED_LINES),
                        (false, true) => (Shift::MovedAcross, ELSEWHERE),
                        (false, false) => (Shift::MovedWithin, ELSEWHERE),
                    };
                    Position::Shifted {
                        site,
                        why,
                        confidence: MatchConfidence::from_score(score),
                        candidates,
                    }
                }
            },
            QuoteLikeness::Similar(_) => {
                let why = match (in_place, across) {
                    (true, _) => Outdating::ChangedInPlace,
                    (false, true) => Outdating::SimilarAcross,
                    (false, false) => Outdating::Similar,
                };
                Position::Outdated { guess: site, why, confidence: sure(likeness), candidates }
            }
        }
    }
}

impl Readable {
    /// The lines of a position, if they are in this file.
    fn region_of(&self, lines: &Position) -> Option<LineRegion> {
        let site = lines.site().filter(|site| site.path == self.path)?;
        site.range.map(LineRegion::from_range)
    }

    /// The words where their lines say they are: at the same columns, or else the only ones in those lines.
    ///
    /// Lines that changed say nothing.
    fn translated(&self, lines: &Position, quote: &Quote) -> Option<Site> {
        let (Position::Anchored { .. } | Position::Shifted { .. }) = lines else { return None };
        let region = self.region_of(lines)?;
        let text = self.document.text();
        let reads = |place: &ops::Range<usize>| text.get(place.clone()) == Some(quote.exact.as_str());
        let exactly = self.document.rendered_of(&region.to_bytes(&self.text)).filter(reads);
        let place = exactly.or_else(|| {
            let whole = LineRegion { columns: None, ..region };
            let around = self.document.rendered_of(&whole.to_bytes(&self.text))?;
            let mut found = memchr::memmem::find_iter(text.get(around.clone())?.as_bytes(), &quote.exact);
            let start = around.start + found.next()?;
            found.next().is_none().then_some(start..start + quote.exact.len())
        })?;
        self.site(&place)
    }

    fn site(&self, place: &ops::Range<usize>) -> Option<Site> {
        let source = self.document.source_of(place)?;
        let range = LineRegion::from_bytes(&source, &self.text).to_range(&self.text);
        let passage = Passage { rendered: place.clone().into(), source: source.into() };
        Some(Site { passage: Some(passage), ..Site::new(self.path.clone(), Some(range)) })
    }
}

fn sure(likeness: QuoteLikeness) -> MatchConfidence {
    MatchConfidence::from_score(likeness.per_mille() as f64 / 1000.0)
}

/// The position of the lines, at the words in them.
fn placed(lines: Position, at: Site) -> Position {
    match lines {
        Position::Anchored { renamed, .. } => Position::Anchored { site: at, renamed },
        Position::Shifted { why, confidence, candidates, .. } => {
            let why = match why {
                Shift::MovedWithin | Shift::MovedAcross | Shift::Text | Shift::Twin => why,
                Shift::Reformatted | Shift::Grown | Shift::History | Shift::Quoted => Shift::Quoted,
            };
            Position::Shifted { site: at, why, confidence, candidates }
        }
        Position::Outdated { why, confidence, candidates, .. } => {
            Position::Outdated { guess: at, why, confidence, candidates }
        }
        Position::Orphaned { .. } => lines,
    }
}

/// What is left when no page says the words: the lines are a guess at best.
fn unread(lines: Position, offered: Vec<SiteCandidate>) -> Position {
    match lines {
        Position::Anchored { site, .. } | Position::Shifted { site, .. } if site.range.is_some() => {
            Position::Outdated {
                guess: site,
                why: Outdating::ChangedInPlace,
                confidence: MatchConfidence::from_score(UNREAD),
                candidates: offered,
            }
        }
        // A file alone is not a place for words.
        Position::Anchored { .. } | Position::Shifted { .. } => {
            Position::Orphaned { why: Orphaning::Deleted, candidates: offered }
        }
        Position::Outdated { guess, why, confidence, mut candidates } => {
            candidates.splice(0..0, offered);
            Position::Outdated { guess, why, confidence, candidates }
        }
        Position::Orphaned { why, mut candidates } => {
            candidates.splice(0..0, offered);
            Position::Orphaned { why, candidates }
        }
    }
}
