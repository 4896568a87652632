//! What is stored forever: immutable facts, their bytes and their ids.
//!
//! `docs/format.md` specifies this room. Where records are in a repository is `notes`' work, and what they mean
//! together is `review`'s.

mod anchor;
mod author;
mod body;
mod bounds;
mod cbor;
mod change;
mod comment;
mod frame;
mod id;
mod leftover;
mod page;
mod position_entry;
mod positions;
mod proposal;
mod purge;
mod review;
mod signature;
mod span;
mod tag;
mod text;
mod wire;

pub use anchor::{Anchor, AnchorSide, CommentAnchor, Line, MessageAnchor, OldSide, Quote};
pub use author::{Author, Seq, Timestamp, Via, ViaKind};
pub use body::{Body, BodyError, RecordError};
pub use bounds::{
    CONTEXT_LINES, MAX_ANCHOR_LINES, MAX_BODY_BYTES, MAX_LINE_BYTES, MAX_PATH_BYTES, MAX_VIA_BYTES,
};
pub use cbor::NotDeterministic;
pub use change::{EditRecord, MoveRecord, StatusRecord, StatusWord};
pub use comment::{CommentRecord, Severity, SuggestedEdit, SuggestedFile};
pub use frame::{NotARecord, Record, VERSION, VERSION_WITH_MESSAGE};
pub use id::RecordId;
pub use leftover::LeftoverRecord;
pub use page::{Page, Unread};
pub use position_entry::{Basis, Candidate, EntryOrigin, MessageSite, PositionEntry, PositionState};
pub use positions::{PositionsRecord, RawEntry};
pub use proposal::{LinesHash, ProposalRecord};
pub use purge::PurgeRecord;
pub use review::{Judgement, RequestRecord, RequestWord, ReviewRecord, VerdictRecord};
pub use signature::{SignatureFormat, SignatureRecord};
pub use span::{Columns, LineSpan, Range};
pub use tag::RECORD_TAG;
pub use text::TextRecord;
