//! What must hold of a record, whatever its body is.

use postil_core::record::{Body, Record};

use super::sealing::sealed;

/// The kinds that are understood, and one that is not; the first byte of the input chooses, also the version.
pub const KINDS: [&str; 14] = [
    "review",
    "comment",
    "edit",
    "status",
    "move",
    "verdict",
    "signature",
    "purge",
    "positions",
    "text",
    "leftover",
    "from-the-future",
    "proposal",
    "request",
];

/// Reads `data` as a record, and its bytes behind the first as the body of one.
///
/// Panics where a law of records does not hold.
pub fn record(data: &[u8]) {
    if let Ok(record) = Record::from_bytes(data) {
        assert_eq!(record.as_bytes(), data, "a record is the bytes it was read in");
        body(&record);
    }
    if let Some((choice, bytes)) = data.split_first() {
        let (kind, later) = (usize::from(*choice) % KINDS.len(), usize::from(*choice) / KINDS.len() % 4 == 3);
        let frame = sealed(KINDS[kind], bytes, if later { 2 } else { 1 });
        let record = Record::from_bytes(&frame).expect("a body may be anything, as long as its id is right");
        assert_eq!(record.body_bytes(), bytes);
        assert_eq!(record.as_bytes(), frame);
        body(&record);
    }
}

/// What is understood and passes the door again says the same again, in one and the same encoding.
fn body(record: &Record) {
    let Ok(body) = record.body() else { return };
    if let Body::Positions(positions) = &body {
        for entry in &positions.entries {
            // A later version's entry is carried along unread.
            let _ = entry.read();
        }
    }
    let Ok(anew) = Record::new(&body) else { return };
    assert_eq!(anew.body().expect("what was just written can be read"), body);
    assert_eq!(Record::from_bytes(anew.as_bytes()), Ok(anew.clone()));
    assert_eq!(Record::new(&body).map(|twice| twice.as_bytes().to_vec()), Ok(anew.as_bytes().to_vec()));
}
