//! The union of stores: any order of merges gives the same tree.
//!
//! A store is a set of pairs of an annotated object and a record, minus what is purged. A note that
//! is the same blob on every side stays that blob; any other becomes the one form of its records.
//! Nothing here reads commits or refs.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use crate::git::{BlobId, CommitId, ObjectId};
use crate::notes::NotesError;
use crate::notes::reading::contents::Contents;
use crate::notes::reading::note_blobs::NoteBlobs;
use crate::notes::reading::page_scan::{PageScan, PageScanner, unite_positions};
use crate::notes::reading::pages::{read_blob, read_each};
use crate::notes::writing::memory_objects::put_blob;
use crate::record::{Page, Record};

/// The most notes that are read and held in memory at a time.
pub(super) const AT_ONCE: usize = 4096;

/// The result of a union.
#[derive(Debug)]
pub(in crate::notes) struct Union {
    /// Every note is one blob now.
    pub contents: Contents,
    /// What purges removed from the pages.
    pub dropped: Vec<(ObjectId, Record)>,
    /// Notes that could not be read, and stay as they are.
    pub missed: Vec<ObjectId>,
}

/// Unites the contents of several notes trees; new notes are written to `repo`.
///
/// Costs reading every note once, to find purges, and again those that differ.
pub(in crate::notes) fn unite(
    repo: &gix::Repository,
    reader: PageScanner<'_>,
    sides: impl IntoIterator<Item = Contents>,
) -> Result<Union, NotesError> {
    let mut sides = sides.into_iter();
    let mut all = sides.next().unwrap_or_default();
    (all.refused, all.padded_modes, all.unsorted) = (BTreeSet::new(), false, false);
    let several = |(object, blobs): (&ObjectId, &NoteBlobs)| (blobs.len() > 1).then_some(*object);
    // What only some sides have is brought into its one form: the same merge with another side
    // in between, which had the note and lost it to a purge, would have done so.
    let mut apart: BTreeSet<ObjectId> = all.notes.iter().filter_map(several).collect();
    for side in sides {
        apart.extend(all.notes.keys().filter(|object| !side.notes.contains_key(object)));
        for (object, blobs) in side.notes {
            let known = all.notes.entry(object).or_default();
            if *known != blobs || blobs.len() > 1 {
                apart.insert(object);
                known.extend(blobs);
            }
        }
        all.pins.extend(side.pins);
        for (path, entry) in side.foreign {
            let stays = all.foreign.entry(path).or_insert(entry);
            *stays = entry.max(*stays);
        }
    }
    let scan = PageScan::gather(repo, reader, &all.notes);
    all.pins.retain(|blob| !scan.purged.unpins(*blob));
    let evicted = scan.evicted();
    let (mut dropped, mut settled) = (Vec::new(), Vec::new());
    let touched: Vec<(&ObjectId, &NoteBlobs)> = all
        .notes
        .iter()
        .filter(|(object, _)| {
            apart.contains(object) || !scan.purged.is_empty() || is_evicted(**object, &evicted)
        })
        .collect();
    for some in touched.chunks(AT_ONCE) {
        let sets: Vec<&NoteBlobs> = some.iter().map(|(_, blobs)| *blobs).collect();
        for ((object, blobs), page) in some.iter().zip(read_pages(repo, reader.threads, &sets)) {
            let mut page = match page {
                // Nothing can be taken out of a note whose blob is not here, and nothing needs to be put in.
                Err(NotesError::ReadNote { .. }) if blobs.len() == 1 => continue,
                page => page?,
            };
            let gone = page.drop_unless(|record| !scan.purged.hides(record));
            if !apart.contains(object) && gone.is_empty() && !is_evicted(**object, &evicted) {
                continue;
            }
            dropped.extend(gone.into_iter().map(|record| (**object, record)));
            unite_positions(&mut page, **object, &evicted);
            let blob = if page.is_empty() { None } else { Some(write_page(repo, &page)?) };
            settled.push((**object, blob));
        }
    }
    for (object, blob) in settled {
        match blob {
            Some(blob) => all.notes.insert(object, NoteBlobs::one(blob)),
            None => all.notes.remove(&object),
        };
    }
    Ok(Union { contents: all, dropped, missed: scan.missed })
}

/// Reads the pages of these notes, on several threads; the blobs of a note become one page.
pub(super) fn read_pages(
    repo: &gix::Repository,
    threads: NonZeroUsize,
    notes: &[&NoteBlobs],
) -> Vec<Result<Page, NotesError>> {
    let blobs: Vec<BlobId> = notes.iter().flat_map(|blobs| blobs.iter().copied()).collect();
    let mut read = read_each(repo, threads, &blobs, Page::parse).into_iter();
    let mut unite = |blobs: &&NoteBlobs| {
        let mut page = Page::default();
        // All of them are taken, also behind one that fails, so that the next note gets its own.
        let parts: Vec<Result<Page, NotesError>> = read.by_ref().take(blobs.len()).collect();
        for part in parts {
            page.union(part?);
        }
        Ok(page)
    };
    notes.iter().map(&mut unite).collect()
}

/// Reads the blobs of one note as one page.
pub(in crate::notes) fn read_page(repo: &gix::Repository, blobs: &NoteBlobs) -> Result<Page, NotesError> {
    let mut page = Page::default();
    let mut buffer = Vec::new();
    for blob in blobs {
        page.union(Page::parse(read_blob(repo, *blob, &mut buffer)?));
    }
    Ok(page)
}

fn is_evicted(object: ObjectId, evicted: &BTreeSet<CommitId>) -> bool {
    CommitId::from_bytes(object.as_bytes()).is_some_and(|head| evicted.contains(&head))
}

/// Writes the page as a note.
pub(in crate::notes) fn write_page(repo: &gix::Repository, page: &Page) -> Result<BlobId, NotesError> {
    put_blob(repo, &page.to_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::git::{RepoPath, TreeId};
    use crate::notes::reading::contents::Foreign;
    use crate::notes::reading::page_scan::NotesWithoutPurges;
    use crate::record::{
        Author, Basis, Body, CommentRecord, PositionEntry, PositionsRecord, PurgeRecord, RecordId, Seq,
        StatusRecord, StatusWord, Timestamp,
    };

    /// One thing that happens to a store.
    #[derive(Clone, Debug)]
    enum Event {
        Say(u8, u8),
        SetStatus(u8, u8, bool),
        Pin(u8),
        /// Names records by their place among all that can be made, purges included, and a blob.
        Purge(u8, Vec<u8>, u8),
        Positions(u8, u8, u8, u8),
        ForeignNote(u8, u8),
        ForeignEntry(u8, u8),
        /// Puts one note's content behind another's, as `git notes copy` and union merges do.
        Concatenate(Index, u8),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0..6_u8, 0..12_u8).prop_map(|(object, text)| Event::Say(object, text)),
            2 => (0..6_u8, 0..12_u8, any::<bool>()).prop_map(|(o, c, open)| Event::SetStatus(o, c, open)),
            1 => (0..4_u8).prop_map(Event::Pin),
            1 => (0..6_u8, prop::collection::vec(0..16_u8, 1..3), 0..4_u8).prop_map(|(o, of, b)| Event::Purge(o, of, b)),
            2 => (0..80_u8, 0..3_u8, 0..3_u8, 0..12_u8).prop_map(|(h, e, b, c)| Event::Positions(h, e, b, c)),
            1 => (0..6_u8, 0..3_u8).prop_map(|(object, text)| Event::ForeignNote(object, text)),
            1 => (0..3_u8, 0..3_u8).prop_map(|(path, blob)| Event::ForeignEntry(path, blob)),
            1 => (any::<Index>(), 0..6_u8).prop_map(|(from, to)| Event::Concatenate(from, to)),
        ]
    }

    fn object(n: u8) -> ObjectId {
        ObjectId::from_bytes(&[n.wrapping_mul(41); 20]).unwrap()
    }

    fn someone() -> Author {
        Author { name: "Someone".into(), email: "someone@example.com".into() }
    }

    fn comment(n: u8) -> Record {
        let comment = CommentRecord {
            author: someone(),
            at: Timestamp(0),
            seq: Seq::new(0),
            via: None,
            review: None,
            parent: None,
            anchor: None,
            text: format!("comment {n}"),
            severity: None,
            tags: Vec::new(),
            suggestion: Vec::new(),
        };
        Record::new(&Body::Comment(comment)).unwrap()
    }

    fn status(n: u8, open: bool) -> Record {
        let status = if open { StatusWord::Open } else { StatusWord::Withdrawn };
        let (author, of) = (someone(), comment(n).id());
        let body = StatusRecord {
            author,
            at: Timestamp(1),
            seq: Seq::new(1),
            via: None,
            of,
            over: Vec::new(),
            status,
            reason: None,
            by: None,
            proposal: None,
            source: None,
        };
        Record::new(&Body::Status(body)).unwrap()
    }

    fn blob(n: u8) -> BlobId {
        BlobId::from_bytes(&[n + 1; 20]).unwrap()
    }

    /// Names 12 and above are purges of the comment of that number minus 12.
    fn named(n: u8) -> RecordId {
        if n < 12 { comment(n).id() } else { purge(&[n - 12], 0).id() }
    }

    fn purge(of: &[u8], unpinned: u8) -> Record {
        let body = PurgeRecord {
            author: someone(),
            at: Timestamp(2),
            seq: Seq::new(2),
            via: None,
            of: of.iter().map(|n| named(*n)).collect(),
            blobs: vec![blob(unpinned)],
        };
        Record::new(&Body::Purge(body)).unwrap()
    }

    struct World {
        repo: gix::Repository,
        plain: NotesWithoutPurges,
        _dir: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let repo = gix::init_bare(dir.path()).unwrap().with_object_memory();
            Self { repo, plain: NotesWithoutPurges::default(), _dir: dir }
        }

        fn reader(&self) -> PageScanner<'_> {
            PageScanner { threads: NonZeroUsize::MIN, plain: &self.plain }
        }

        fn unite(&self, sides: &[&Contents]) -> Contents {
            let sides = sides.iter().map(|side| (*side).clone());
            let contents = unite(&self.repo, self.reader(), sides).unwrap().contents;
            // What a later merge sees is what the tree says.
            Contents::read(&self.repo, contents.write(&self.repo).unwrap()).unwrap()
        }

        fn tree(&self, contents: &Contents) -> TreeId {
            contents.write(&self.repo).unwrap()
        }

        fn note(&self, contents: &Contents, object: ObjectId) -> Vec<u8> {
            let mut note = Vec::new();
            if let Some(blob) = contents.notes.get(&object).and_then(NoteBlobs::first) {
                read_blob(&self.repo, blob, &mut note).unwrap();
            }
            note
        }

        fn put(&self, contents: &mut Contents, object: ObjectId, note: &[u8]) {
            let blob = BlobId::from(self.repo.write_blob(note).unwrap().detach());
            contents.notes.insert(object, NoteBlobs::one(blob));
        }

        fn add(&self, contents: &mut Contents, object: ObjectId, records: impl IntoIterator<Item = Record>) {
            let mut page = Page::parse(&self.note(contents, object));
            page.union(Page::of(records));
            self.put(contents, object, &page.to_bytes());
        }

        fn side(&self, events: &[Event]) -> Contents {
            let mut side = Contents::default();
            for event in events {
                match event {
                    Event::Say(at, n) => self.add(&mut side, object(*at), [comment(*n)]),
                    Event::SetStatus(at, n, open) => self.add(&mut side, object(*at), [status(*n, *open)]),
                    Event::Pin(n) => {
                        side.pins.insert(blob(*n));
                    }
                    Event::Purge(at, of, unpinned) => {
                        self.add(&mut side, object(*at), [purge(of, *unpinned)]);
                        side = self.unite(&[&side]);
                    }
                    Event::Positions(head, engine, basis, n) => {
                        let head = CommitId::from_bytes(object(*head).as_bytes()).unwrap();
                        let basis = [Basis::Text, Basis::Blob, Basis::History][usize::from(*basis)];
                        let entry = PositionEntry {
                            engine: (*engine).into(),
                            basis,
                            ..PositionEntry::orphaned(comment(*n).id())
                        };
                        self.add(&mut side, head.into(), PositionsRecord::records(head, 7, [entry.to_raw()]));
                    }
                    Event::ForeignNote(at, n) => {
                        let note = [self.note(&side, object(*at)), vec![b'\n', b'a' + n]].concat();
                        self.put(&mut side, object(*at), &note);
                    }
                    Event::ForeignEntry(path, n) => {
                        let entry = Foreign {
                            object_id: blob(*n).into(),
                            mode: gix::objs::tree::EntryKind::Blob.into(),
                        };
                        side.foreign.insert(RepoPath::new(format!("aux/{path}")).unwrap(), entry);
                    }
                    Event::Concatenate(from, to) => {
                        if !side.notes.is_empty() {
                            let from = *side.notes.keys().nth(from.index(side.notes.len())).unwrap();
                            let note =
                                [self.note(&side, object(*to)), b"\n\n".to_vec(), self.note(&side, from)]
                                    .concat();
                            self.put(&mut side, object(*to), &note);
                        }
                    }
                }
            }
            Contents::read(&self.repo, self.tree(&side)).unwrap()
        }
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        prop::collection::vec(event(), 0..12)
    }

    proptest! {
        #[test]
        fn merging_does_not_depend_on_order_or_grouping(a in events(), b in events(), c in events()) {
            let world = World::new();
            let (a, b, c) = (world.side(&a), world.side(&b), world.side(&c));
            let ab = world.unite(&[&a, &b]);
            prop_assert_eq!(world.tree(&ab), world.tree(&world.unite(&[&b, &a])), "commutative");
            let left = world.unite(&[&ab, &c]);
            let right = world.unite(&[&a, &world.unite(&[&b, &c])]);
            prop_assert_eq!(world.tree(&left), world.tree(&right), "associative");
            prop_assert_eq!(world.tree(&world.unite(&[&ab, &a])), world.tree(&ab), "absorbing");
            prop_assert_eq!(world.tree(&world.unite(&[&ab, &ab])), world.tree(&ab), "idempotent");
        }

        #[test]
        fn a_merge_loses_nothing_that_no_purge_names(a in events(), b in events()) {
            let world = World::new();
            let (a, b) = (world.side(&a), world.side(&b));
            let both = world.unite(&[&a, &b]);
            let scan = PageScan::gather(&world.repo, world.reader(), &both.notes);
            for side in [&a, &b] {
                for object in side.notes.keys() {
                    let mut merged = Page::parse(&world.note(&both, *object));
                    merged.convert_unread();
                    for record in Page::parse(&world.note(side, *object)).records() {
                        let kept = merged.contains(record.id());
                        let may_go = scan.purged.hides(record) || record.is(PositionsRecord::KIND);
                        prop_assert!(kept || may_go, "{record:?} of {object}");
                        prop_assert!(!(kept && scan.purged.hides(record)), "{record:?} is purged");
                    }
                }
                for pin in &side.pins {
                    prop_assert!(both.pins.contains(pin) != scan.purged.unpins(*pin), "pin {pin}");
                }
            }
        }
    }

    #[test]
    fn only_the_newest_heads_keep_their_positions_whatever_the_order() {
        let world = World::new();
        let head = |n: u8| CommitId::from_bytes(&[n; 20]).unwrap();
        let side = |heads: std::ops::Range<u8>| {
            let mut side = Contents::default();
            for n in heads {
                let entry = PositionEntry::orphaned(comment(1).id()).to_raw();
                world.add(&mut side, head(n).into(), PositionsRecord::records(head(n), n.into(), [entry]));
                world.add(&mut side, head(n).into(), (n % 2 == 0).then(|| comment(n)));
            }
            side
        };
        let (a, b, c) = (side(0..40), side(30..70), side(60..100));
        let all = world.unite(&[&a, &b, &c]);
        let one_way = world.unite(&[&world.unite(&[&a, &b]), &c]);
        let other_way = world.unite(&[&world.unite(&[&c, &a]), &b]);
        assert_eq!((world.tree(&all), world.tree(&all)), (world.tree(&one_way), world.tree(&other_way)));
        let kept = |n: u8| {
            let page = Page::parse(&world.note(&all, head(n).into()));
            page.records().map(|record| record.kind().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kept(35), Vec::<String>::new(), "a note of evicted positions alone is gone");
        assert_eq!(kept(34), ["comment"], "what people said stays");
        assert_eq!(kept(37), ["positions"]);
        assert_eq!((0..100).filter(|n| kept(*n).contains(&"positions".into())).count(), 64);
    }
}
