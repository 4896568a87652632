//! What a client and the service say to each other: JSON-RPC 2.0, one message a line.
//!
//! `docs/protocol.md` specifies it. It knows no other crate of the house, so that a domain type can change any day and
//! what crosses a process does not; the service turns one into the other. Nothing here opens a socket or reads the
//! environment: whoever has a stream passes it in.

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod advice;
mod buffer;
mod bytes;
mod change;
mod changes;
mod client;
mod doctor;
mod errand;
mod event;
mod export;
mod fault;
mod frame;
mod hello;
mod import;
mod lines;
mod mark;
mod message;
mod method;
mod place;
mod reply;
mod request;
mod review;
#[cfg(any(test, feature = "schema"))]
mod schema;
mod server;
mod severity;
mod signature;
mod since;
mod sync;
mod thread;
mod traits;

pub use advice::{Advice, WarningView};
pub use buffer::{Buffer, BufferVersion};
pub use bytes::{ByteText, Hex, NotHex};
pub use change::{
    Apply, ApplyWrite, ApplyWriteReply, AskedSuggestion, ChangeInto, ConflictCode, ConflictView, MeetingView,
    NotRecorded, OnConflict, Patch, PatchText, PlanReply, PlannedFile, ReplacedView, Strictness, Suggest,
    SuggestionState, SuggestionView, Undo, UndoMode, UndoReply,
};
pub use changes::{
    ChangeView, Changes, ChangesReply, MAX_CHANGES, MAX_CHANGES_BYTES, PlacedAs, PlacedView, What,
};
pub use client::{Client, ClientError, Pending};
pub use doctor::{Doctor, DoctorReply, FindingView, Weight};
pub use errand::{
    DaemonFoundReply, DaemonInstallReply, DaemonLifeReply, FailureView, HookReply, JSON_VERSION, LogLine,
    RefusedWords, Skipped, TakenBack,
};
pub use event::{Changed, Ended, Event, PlacedEvent, ResetEvent, Resolving};
pub use export::{Export, ExportFormat, ExportReply, ExportedFile};
pub use fault::{Fault, FaultCode, FaultData};
pub use frame::{FrameError, Frames, MAX_FRAME_BYTES, write_frame};
pub use hello::{Capability, Hello, MAKES_ROOM, PROTOCOL_VERSION, Welcome};
pub use import::{
    ColumnUnit, Expected, Import, ImportFormat, ImportReply, ImportedComment, ImportedFile,
    ImportedResolution, ImportedReview, MAX_IMPORT, RefusedView,
};
pub use mark::Mark;
pub use message::{Incoming, MessageId, Outgoing, RpcRequest, RpcResponse, around_result};
pub use method::{Asked, Call, Method, Reply};
pub use place::{
    AnchorView, ByteExtent, CandidateView, Confidence, Place, PlaceState, Point, PositionView, Side, Span,
    TextRange,
};
pub use reply::{
    Counts, DiffFile, DiffLine, DiffMark, DiffReply, DoneReply, HeadView, InitReply, ListReply, LogReply,
    LogStep, PublishReply, PurgeReply, ReviewListReply, ReviewReply, SettleReply, ShowReply, StatusReply,
    Written,
};
pub use request::{
    Comment, Diff, Edit, Filter, Freshness, HeadName, In, Init, List, Log, MAX_LIST, Move, MoveTo, Publish,
    Purge, Reopen, Reply as ReplyTo, RepositoryName, Resolve, ReviewChange, ReviewEdit, ReviewList,
    ReviewShow, ReviewSince, ReviewStart, ReviewVerdict, Scope, Settle, Show, Status, Target, Withdraw,
};
pub use review::{ReviewProposedView, ReviewStatus, ReviewView, Verdict, VerdictView};
#[cfg(feature = "schema")]
pub use schema::published;
pub use server::{
    Cancel, Control, ControlReply, DaemonRepository, DaemonStatus, DaemonStatusReply, DaemonStop, Subscribe,
    Subscribed, Topic, Unsubscribe,
};
pub use severity::SeverityView;
pub use signature::{SignatureState, SignatureView};
pub use since::{SinceChange, SinceFile, SinceLine, SinceReply, StretchView};
pub use sync::{NewsView, Sync, SyncDirection, SyncProblem, SyncReply, SyncedRemote};
pub use thread::{
    CommentView, Detail, Doubt, Person, ProposedView, StatusView, ThreadLine, ThreadStatus, ThreadView,
};
pub use traits::{Effect, Frontend, RunsIn, Traits};
