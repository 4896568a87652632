//! Makes records for the tests of this room, in few words.
//!
//! Compiled for tests only.

use crate::git::{CommitId, ObjectId, RepoPath};
use crate::record::{
    Anchor, AnchorSide, Author, Body, CommentAnchor, CommentRecord, EditRecord, Judgement, LineSpan,
    MoveRecord, ProposalRecord, Range, Record, RecordId, RequestRecord, RequestWord, ReviewRecord, Seq,
    StatusRecord, StatusWord, Timestamp, VerdictRecord, Via, ViaKind,
};
use crate::review::{ReportKey, Threads};

/// Records, each with a higher `seq` than the one before.
#[derive(Clone, Default)]
pub(super) struct Story {
    pub(super) records: Vec<(ObjectId, Record)>,
    /// The annotated object of the next records.
    pub(super) page: u8,
    /// The `seq` of the next record, if it is not the next one.
    pub(super) seq: Option<u64>,
}

impl Story {
    pub(super) fn threads(&self) -> Threads {
        Threads::fold(self.records.iter().map(|(page, record)| (*page, record)))
    }

    pub(super) fn say(&mut self, body: &Body) -> RecordId {
        self.put(Record::new(body).unwrap())
    }

    pub(super) fn put(&mut self, record: Record) -> RecordId {
        let id = record.id();
        self.records.push((page(self.page), record));
        id
    }

    /// Removes a record, as a purge or an incomplete fetch would.
    pub(super) fn without(&self, id: RecordId) -> Self {
        let mut story = self.clone();
        story.records.retain(|(_, record)| record.id() != id);
        story
    }

    pub(super) fn next_seq(&mut self) -> Seq {
        let length = u64::try_from(self.records.len()).unwrap();
        Seq::new(self.seq.take().unwrap_or(length))
    }

    pub(super) fn comment(&mut self, who: &str, text: &str) -> RecordId {
        let comment = self.comment_body(who, text);
        self.say(&Body::Comment(comment))
    }

    pub(super) fn comment_in(&mut self, review: RecordId, who: &str, text: &str) -> RecordId {
        let comment = CommentRecord { review: Some(review), ..self.comment_body(who, text) };
        self.say(&Body::Comment(comment))
    }

    pub(super) fn reply(&mut self, parent: RecordId, who: &str, text: &str) -> RecordId {
        let comment = CommentRecord { parent: Some(parent), ..self.comment_body(who, text) };
        self.say(&Body::Comment(comment))
    }

    pub(super) fn comment_body(&mut self, who: &str, text: &str) -> CommentRecord {
        CommentRecord {
            author: author(who),
            at: Timestamp(0),
            seq: self.next_seq(),
            via: None,
            review: None,
            parent: None,
            anchor: None,
            text: text.into(),
            severity: None,
            tags: Vec::new(),
            suggestion: Vec::new(),
        }
    }

    /// What a tool reports under this key.
    pub(super) fn reported_body(&mut self, tool: &str, key: &str, text: &str) -> CommentRecord {
        let (program, version, model, person) = (tool.into(), None, None, None);
        let via = Via { kind: ViaKind::Tool, program, version, model, person };
        let tags = ReportKey { source: tool.into(), name: key.into() }.tags().to_vec();
        CommentRecord { via: Some(Box::new(via)), tags, ..self.comment_body(tool, text) }
    }

    pub(super) fn edit(&mut self, of: RecordId, who: &str, over: &[RecordId], text: &str) -> RecordId {
        let edit = EditRecord { text: Some(text.into()), ..self.edit_body(of, who, over) };
        self.say(&Body::Edit(edit))
    }

    pub(super) fn edit_body(&mut self, of: RecordId, who: &str, over: &[RecordId]) -> EditRecord {
        EditRecord {
            author: author(who),
            at: Timestamp(0),
            seq: self.next_seq(),
            via: None,
            of,
            over: over.to_vec(),
            text: None,
            title: None,
            description: None,
            branch: None,
            base: None,
        }
    }

    pub(super) fn status(
        &mut self,
        of: RecordId,
        who: &str,
        over: &[RecordId],
        status: StatusWord,
    ) -> RecordId {
        let status = self.status_body(of, who, over, status);
        self.say(&Body::Status(status))
    }

    pub(super) fn status_body(
        &mut self,
        of: RecordId,
        who: &str,
        over: &[RecordId],
        status: StatusWord,
    ) -> StatusRecord {
        StatusRecord {
            author: author(who),
            at: Timestamp(0),
            seq: self.next_seq(),
            via: None,
            of,
            over: over.to_vec(),
            status,
            reason: None,
            by: None,
            proposal: None,
            source: None,
        }
    }

    pub(super) fn proposal(
        &mut self,
        of: RecordId,
        who: &str,
        done: Option<u8>,
        line: Option<u32>,
    ) -> RecordId {
        let (author, seq, at) = (author(who), self.next_seq(), Timestamp(0));
        let (done, anchor) = (done.map(commit), line.map(anchor).map(CommentAnchor::File));
        let (via, text) = (None, String::new());
        self.say(&Body::Proposal(ProposalRecord {
            author,
            at,
            seq,
            via,
            of,
            done,
            obsolete: false,
            lines: None,
            anchor,
            text,
        }))
    }

    pub(super) fn request(
        &mut self,
        review: RecordId,
        by: &str,
        over: &[RecordId],
        who: &str,
        request: RequestWord,
    ) -> RecordId {
        let (seq, at, over, via) = (self.next_seq(), Timestamp(0), over.to_vec(), None);
        let (author, who) = (author(by), author(who));
        self.say(&Body::Request(RequestRecord { author, at, seq, via, review, over, who, request }))
    }

    pub(super) fn moved(&mut self, of: RecordId, who: &str, over: &[RecordId], line: u32) -> RecordId {
        let (author, seq) = (author(who), self.next_seq());
        let anchor = anchor(line).into();
        self.say(&Body::Move(MoveRecord {
            author,
            at: Timestamp(0),
            seq,
            via: None,
            of,
            over: over.to_vec(),
            anchor,
            proposal: None,
        }))
    }

    pub(super) fn review(&mut self, who: &str, branch: &str) -> RecordId {
        let review = ReviewRecord {
            author: author(who),
            at: Timestamp(0),
            seq: self.next_seq(),
            via: None,
            title: format!("{who} asks about {branch}"),
            description: String::new(),
            branch: branch.into(),
            base: b"refs/heads/main".to_vec(),
            base_commit: commit(1),
            head: commit(2),
        };
        self.say(&Body::Review(review))
    }

    pub(super) fn verdict(&mut self, review: RecordId, who: &str, verdict: Judgement) -> RecordId {
        let (author, seq) = (author(who), self.next_seq());
        let (at, head, text) = (Timestamp(0), commit(2), String::new());
        self.say(&Body::Verdict(VerdictRecord { author, at, seq, via: None, review, head, verdict, text }))
    }
}

pub(super) fn author(who: &str) -> Author {
    Author { name: who.into(), email: format!("{who}@example.org") }
}

/// An object that can have a note.
pub(super) fn page(number: u8) -> ObjectId {
    ObjectId::from_bytes(&[number; 20]).unwrap()
}

pub(super) fn commit(number: u8) -> CommitId {
    CommitId::from_bytes(&[number; 20]).unwrap()
}

/// The id of a record that nobody has.
pub(super) fn unknown(number: u8) -> RecordId {
    RecordId::from_array([number; 16])
}

pub(super) fn anchor(line: u32) -> Anchor {
    Anchor {
        commit: Some(commit(2)),
        path: RepoPath::new(*b"src/lib.rs").unwrap(),
        blob: None,
        side: AnchorSide::New,
        range: LineSpan::from_numbers(line, line).map(Range::lines),
        lines: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    }
}

/// A record with a right id around any body, as another version could write it.
pub(super) fn foreign_record(kind: &str, body: &[u8], version: u8) -> Record {
    let short = |major: u8, length: usize| {
        assert!(length < 24, "a head of one byte");
        major << 5 | u8::try_from(length).unwrap()
    };
    let mut rest = vec![short(3, kind.len())];
    rest.extend_from_slice(kind.as_bytes());
    rest.push(short(2, body.len()));
    rest.extend_from_slice(body);
    rest.push(version);
    let hash = blake3::Hasher::new().update(&[0x83]).update(&rest).finalize();
    let frame = [&crate::record::RECORD_TAG[..], &[0x84, 0x50], &hash.as_bytes()[..RecordId::LEN], &rest];
    Record::from_bytes(&frame.concat()).unwrap()
}
