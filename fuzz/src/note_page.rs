//! What must hold of a note, whatever bytes it is.

use postil_core::record::{Page, RecordId, Unread};

/// Tag, heads, id, a kind of one letter, no body, version.
const SHORTEST_FRAME: usize = 25;

/// Reads `note`, writes it back, and panics where a law of pages does not hold.
pub fn note_page(note: &[u8]) {
    let read = Page::parse(note);
    let unread: usize = read.unread().iter().map(bytes_in).sum();
    let in_records: usize = read.records().map(|record| record.as_bytes().len()).sum();
    assert!(unread + in_records <= note.len(), "a reader makes nothing up");
    let frames = note.len() / SHORTEST_FRAME;
    assert!(read.unread().len() <= 2 * frames + 4, "words and remains take turns at whole frames only");

    let mut settled = read.clone();
    settled.convert_unread();
    assert!(settled.unread().is_empty(), "a settled page is records alone");
    assert!(read.records().all(|record| settled.contains(record.id())), "settling drops no record");
    let written = settled.to_bytes();
    assert_eq!(read.to_bytes(), written, "settled or not, a page is written alike");

    let mut again = Page::parse(&written);
    let plain = [Unread::Foreign(written.clone())];
    assert!(again.unread().is_empty() || again.unread() == plain, "all is read, or all is somebody's words");
    again.convert_unread();
    assert_eq!(ids(&again), ids(&settled), "what was written reads as what it was");
    assert_eq!(again.to_bytes(), written, "and is written as it stands");
    assert!(ids(&again).is_sorted());

    let mut twice = settled;
    twice.union(read);
    assert_eq!(twice.to_bytes(), written, "a page adds nothing to itself");

    for record in again.records() {
        // Understood or not, asking what a record says is safe.
        let _ = record.body();
    }
}

fn ids(page: &Page) -> Vec<RecordId> {
    page.records().map(postil_core::record::Record::id).collect()
}

fn bytes_in(unread: &Unread) -> usize {
    match unread {
        Unread::Foreign(bytes) | Unread::Remains(bytes) | Unread::OverBudget(bytes) => bytes.len(),
    }
}
