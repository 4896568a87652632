//! What is stored for ever: immutable facts, their bytes and their ids.
//!
//! `docs/format.md` specifies this room. Where records stand in a repository is `notes`' work,
//! and what they mean together is `review`'s.

mod action;
mod anchor;
mod body;
mod bounds;
mod cbor;
mod change;
mod comment;
mod entry;
mod frame;
mod id;
mod leftover;
mod page;
mod positions;
mod review;
mod span;
mod tag;
mod text;
mod upkeep;
mod wire;

pub use action::{Author, Seq, Timestamp};
pub use anchor::{Anchor, Line, Old, Quote, Side};
pub use body::{Body, BodyError, RecordError};
pub use bounds::{CONTEXT_LINES, MAX_ANCHOR_LINES, MAX_BODY_BYTES, MAX_LINE_BYTES, MAX_PATH_BYTES};
pub use cbor::NotDeterministic;
pub use change::{Edit, Move, Status, StatusWord};
pub use comment::{Comment, Severity, SuggestedEdit, SuggestedFile};
pub use entry::{Basis, Candidate, Entry, State};
pub use frame::{NoRecord, Record, VERSION};
pub use id::RecordId;
pub use leftover::Leftover;
pub use page::{Page, Unread};
pub use positions::{Positions, RawEntry};
pub use review::{Judgement, Review, Verdict};
pub use span::{Columns, LineSpan, Range};
pub use tag::RECORD_TAG;
pub use text::Text;
pub use upkeep::{Purge, Signature, SignatureFormat};
