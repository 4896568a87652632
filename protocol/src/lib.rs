//! What a client and the service exchange: JSON-RPC 2.0, one message a line.
//!
//! `docs/protocol.md` specifies it. This crate uses no other crate of the workspace, so that internal types
//! can change without changing the protocol; the service converts between the two. Nothing here opens a
//! socket or reads the environment: the caller passes in a stream.

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod client_output;
mod daemon;
mod method;
mod methods;
#[cfg(any(test, feature = "schema"))]
mod schema;
mod traits;
mod views;
mod wire;

pub use client_output::{
    DaemonFoundReply, DaemonInstallReply, DaemonLifeReply, FailureView, HookReply, JSON_VERSION, LogLine,
    RefusedCommand, UndoSkippedReply, UndoneReply,
};
pub use daemon::control::{
    Cancel, Control, ControlReply, DaemonRepository, DaemonStatus, DaemonStatusReply, DaemonStop, Subscribe,
    Subscribed, Topic, Unsubscribe,
};
pub use daemon::event::{Changed, Ended, Event, PlacedEvent, ResetEvent, Resolving};
pub use daemon::hello::{Capability, Hello, MAKES_ROOM, PROTOCOL_VERSION, Welcome};
pub use method::{Call, Method, Reply, ServiceMethod};
pub use methods::batch::{
    BatchDone, BatchItem, BatchLines, BatchPlace, BatchRefused, CommentBatch, CommentBatchReply, MAX_BATCH,
};
pub use methods::buffer::{Buffer, BufferVersion};
pub use methods::changes::{
    ChangeKind, ChangeView, Changes, ChangesReply, MAX_CHANGES, MAX_CHANGES_BYTES, PlacedAs, PlacedView,
};
pub use methods::diff::{
    Diff, DiffBlob, DiffCommit, DiffExtent, DiffFile, DiffLeft, DiffLimit, DiffLine, DiffMark, DiffReply,
    EnclosingLine, ThreadsLeft,
};
pub use methods::doctor::{Doctor, DoctorReply, FindingView, Weight};
pub use methods::export::{Export, ExportFormat, ExportReply, ExportedFile, ExportedThread};
pub use methods::import::{
    ColumnUnit, CoveredFile, Expected, FilePart, FixedFile, FixedRegion, Import, ImportFormat, ImportReply,
    ImportedComment, ImportedFile, ImportedFix, ImportedResolution, ImportedReview, MAX_IMPORT, RefusedView,
};
pub use methods::inbox::{
    Inbox, InboxReply, InboxReview, InboxReviewName, InboxThread, LookedHead, MAX_INBOX, MarkRead,
    MarkReadReply, NewsView,
};
pub use methods::list::{Filter, List, ListOrder, MAX_LINES, MAX_LIST};
pub use methods::reply::{
    Counts, DoneReply, HeadView, InitReply, ListReply, LogReply, LogStep, PublishReply, PurgeReply,
    RemoteNotes, ReviewListReply, ReviewReply, ShowReply, StatusReply, UnchangedView, WritePositionsReply,
    WrittenReply,
};
pub use methods::request::{
    AnswerProposals, Comment, Edit, Freshness, HeadName, Init, Log, Move, MoveTo, ProposalAnswer, Propose,
    Publish, Purge, Reopen, ReplyTo, RepositoryName, RepositoryRequest, Resolve, ReviewAsk, ReviewChange,
    ReviewEdit, ReviewList, ReviewShow, ReviewSince, ReviewStart, ReviewVerdict, Scope, Show, Status, Target,
    Withdraw, WritePositions,
};
pub use methods::review_ready::{ReviewMerge, ReviewReadiness, ReviewReady, ReviewReadyReply};
pub use methods::review_since::{SinceChange, SinceFile, SinceHunkView, SinceLine, SinceReply, StretchView};
pub use methods::stats::{
    DriftCounts, FolderDrift, MAX_FOLDERS, MAX_PERIODS, PeriodDrift, Stats, StatsReply, StatusTimes,
};
pub use methods::suggestion::{
    Apply, ApplyWrite, ApplyWriteReply, AskedSuggestion, ChangeInto, ConflictCode, ConflictView, MeetingView,
    NotRecorded, OnConflict, Patch, PatchText, PlanReply, PlannedFile, ReplacedView, Strictness, Suggest,
    SuggestionState, SuggestionView, Undo, UndoMode, UndoReply,
};
pub use methods::sync::{RecordCountsView, Sync, SyncDirection, SyncProblem, SyncReply, SyncedRemote};
#[cfg(feature = "schema")]
pub use schema::published;
pub use traits::{Effect, Frontend, RunsIn, Traits};
pub use views::advice::{Advice, WarningView};
pub use views::compact::{
    CompactAuthor, CompactChange, CompactComment, CompactFile, CompactList, CompactProposal, CompactThread,
};
pub use views::mark::Mark;
pub use views::place::{
    AnchorView, ByteExtent, CandidateView, Confidence, MessagePlace, MessageSiteView, Place, PlaceState,
    Point, PositionView, Side, Span, TextRange,
};
pub use views::proposal::{MessageView, ProposalStatus, ProposalView, RequestView};
pub use views::purge::PurgeView;
pub use views::ready::{ApprovalView, MissingView, ReadyRuleView, ReadyView, VoidReason};
pub use views::review::{ReviewProposedView, ReviewStatus, ReviewView, Verdict, VerdictView};
pub use views::severity::SeverityView;
pub use views::signature::{CommentTrust, SignatureState, SignatureView};
pub use views::syntax::{SyntaxView, SyntaxWord};
pub use views::thread::{
    CommentView, Detail, Doubt, Person, ProposedView, StatusView, ThreadLine, ThreadRow, ThreadStatus,
    ThreadView,
};
pub use views::timeline::TimelineView;
pub use views::via::ViaView;
pub use wire::bytes::{ByteText, Hex, NotHex};
pub use wire::client::{Client, ClientError, Pending};
pub use wire::fault::{Fault, FaultCode, FaultData};
pub use wire::frame::{FrameError, Frames, MAX_FRAME_BYTES, write_frame};
pub use wire::message::{Incoming, MessageId, Outgoing, RpcRequest, RpcResponse, around_result};
