//! A list comes in pages that can be sent.

use std::collections::BTreeSet;

use postil_protocol::{List, ListReply, MAX_FRAME_BYTES};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

#[test]
fn a_list_of_huge_comments_comes_in_pages_that_can_be_sent() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 40);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    // The first ones are long as they are, the others only as JSON, which needs six bytes for each of theirs.
    let texts = [("x", 9), ("\u{1}", 3)].map(|(letter, count)| (letter.repeat(1_000_000), count));
    let mut said = BTreeSet::new();
    for (text, count) in &texts {
        for _ in 0..*count {
            let line = u32::try_from(said.len()).unwrap() + 1;
            said.insert(ann.comment("a.txt", line, text));
        }
    }
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let told = ann.told(List { cursor, ..List::default() });
        assert!(told.len() < MAX_FRAME_BYTES, "{} bytes", told.len());
        let page: ListReply = serde_json::from_slice(&told).unwrap();
        assert_eq!(page.total, 12, "of all pages");
        listed.extend(page.threads.iter().map(|thread| thread.id.to_string()));
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!(pages > 2, "{pages}");
    assert_eq!(listed.len(), said.len(), "each is on one page");
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), said);
}
