//! The table of the methods that the service answers.
//!
//! Each method is a type of parameters that names its answer, so that a client cannot mistake one for
//! another. Everything else that differs between methods is a column ([`Traits`]): a new method is a row
//! here, and an arm in the service.

use serde::{Serialize, de::DeserializeOwned};

use super::traits::{Effect, Frontend, RunsIn, Traits};
use crate::methods::batch::{CommentBatch, CommentBatchReply};
use crate::methods::changes::{Changes, ChangesReply};
use crate::methods::diff::{Diff, DiffReply};
use crate::methods::doctor::{Doctor, DoctorReply};
use crate::methods::export::{Export, ExportReply};
use crate::methods::import::{Import, ImportReply};
use crate::methods::inbox::{Inbox, InboxReply, MarkRead, MarkReadReply};
use crate::methods::list::List;
use crate::methods::reply::{
    DoneReply, InitReply, ListReply, LogReply, PublishReply, PurgeReply, ReviewListReply, ReviewReply,
    ShowReply, StatusReply, WritePositionsReply, WrittenReply,
};
use crate::methods::request::{
    AnswerProposals, Comment, Edit, Init, Log, Move, Propose, Publish, Purge, Reopen, ReplyTo,
    RepositoryName, RepositoryRequest, Resolve, ReviewAsk, ReviewChange, ReviewEdit, ReviewList, ReviewShow,
    ReviewSince, ReviewStart, ReviewVerdict, Show, Status, Withdraw, WritePositions,
};
use crate::methods::review_ready::{ReviewReady, ReviewReadyReply};
use crate::methods::review_since::SinceReply;
use crate::methods::stats::{Stats, StatsReply};
use crate::methods::suggestion::{Apply, ApplyWrite, ApplyWriteReply, Patch, PlanReply, Undo, UndoReply};
use crate::methods::sync::{Sync, SyncReply};
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::thread::Person;
use crate::wire::fault::{Fault, FaultCode};

/// Parameters that know the name of their method and the type of its answer.
pub trait Method: Serialize + DeserializeOwned {
    /// The name of the method.
    const NAME: &'static str;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned;
}

/// A method of the service: one about a repository.
pub trait ServiceMethod: Method {
    /// Its columns in the table.
    const TRAITS: Traits;

    /// Makes a call from it.
    fn into_call(self) -> Call;
    /// Takes its answer out of a reply; `None` for the reply of another method.
    fn answer_in(reply: Reply) -> Option<Self::Answer>;
    /// The warnings in its answer.
    fn warnings(answer: &Self::Answer) -> &[WarningView];
}

/// What a word of the table means.
macro_rules! column {
    (reads) => {
        Effect::Reads
    };
    (writes) => {
        Effect::Writes
    };
    (follows) => {
        true
    };
    (heals) => {
        true
    };
    (no) => {
        false
    };
    (anywhere) => {
        RunsIn::AnyProcess
    };
    (client) => {
        RunsIn::Client
    };
    (cli) => {
        Frontend::Cli
    };
    (web) => {
        Frontend::Web
    };
    (lsp) => {
        Frontend::Lsp
    };
    (mcp) => {
        Frontend::Mcp
    };
}

macro_rules! methods {
    ($(
        $name:literal $call:ident($params:ty) -> $answer:ty:
        $effect:ident $reviews:ident $notes:ident $runs:ident [$($frontend:ident)*] $progress:literal;
    )*) => {
        /// A request to the service.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(clippy::large_enum_variant, reason = "a call is made once and never stored")]
        pub enum Call {
            $(#[doc = concat!("`", $name, "`")] $call(RepositoryRequest<$params>),)*
        }

        /// An answer of the service.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        #[allow(clippy::large_enum_variant, reason = "a reply is made once and never stored")]
        pub enum Reply {
            $(#[doc = concat!("Of `", $name, "`.")] $call($answer),)*
        }

        impl Reply {
            /// Sets the mark of this answer, unless it has one.
            #[must_use]
            pub fn with_mark(mut self, mark: Mark) -> Self {
                let known = match &mut self {
                    $(Self::$call(answer) => &mut answer.mark,)*
                };
                if known.is_empty() {
                    *known = mark;
                }
                self
            }

            /// Adds what could not be read, or what went wrong after something was written.
            #[must_use]
            pub fn with_warnings(mut self, warnings: impl IntoIterator<Item = WarningView>) -> Self {
                let known = match &mut self {
                    $(Self::$call(answer) => &mut answer.warnings,)*
                };
                known.extend(warnings);
                self
            }
        }

        $(
            impl Method for RepositoryRequest<$params> {
                const NAME: &'static str = $name;
                type Answer = $answer;
            }

            impl ServiceMethod for RepositoryRequest<$params> {
                const TRAITS: Traits = Traits {
                    name: $name,
                    effect: column!($effect),
                    follows_reviews: column!($reviews),
                    heals: column!($notes),
                    runs: column!($runs),
                    frontends: &[$(column!($frontend)),*],
                    progress: $progress,
                };

                fn into_call(self) -> Call {
                    Call::$call(self)
                }

                fn answer_in(reply: Reply) -> Option<$answer> {
                    match reply {
                        Reply::$call(answer) => Some(answer),
                        _ => None,
                    }
                }

                fn warnings(answer: &$answer) -> &[WarningView] {
                    &answer.warnings
                }
            }
        )*

        /// The answer of every method as a command prints it, in the order of the table.
        #[cfg(any(test, feature = "schema"))]
        pub(super) fn answers() -> Vec<(Traits, super::schema::Printed)> {
            vec![$((<RepositoryRequest<$params> as ServiceMethod>::TRAITS, super::schema::Printed::new::<$answer>())),*]
        }

        impl Call {
            /// The columns of every method, in the order of the table.
            pub const METHODS: &[Traits] = &[$(<RepositoryRequest<$params> as ServiceMethod>::TRAITS),*];

            /// Reads the parameters of a method; `None` if the service has no such method.
            pub fn from_parts(method: &str, params: &str) -> Option<Result<Self, Fault>> {
                match method {
                    $($name => Some(read(params).map(Self::$call)),)*
                    _ => None,
                }
            }

            /// The columns of its method in the table.
            pub fn traits(&self) -> Traits {
                match self {
                    $(Self::$call(_) => <RepositoryRequest<$params> as ServiceMethod>::TRAITS,)*
                }
            }

            /// The name of its method.
            pub fn name(&self) -> &'static str {
                self.traits().name
            }

            /// The author, the time, and the offset of the author's clock from UTC in seconds, if they are
            /// given.
            pub fn asker(&self) -> (Option<&Person>, Option<u64>, i32) {
                match self {
                    $(Self::$call(call) => (call.author.as_ref(), call.at, call.utc_offset),)*
                }
            }

            /// The program that asks, if it is not a person by hand.
            pub fn via(&self) -> Option<&crate::views::via::ViaView> {
                match self {
                    $(Self::$call(call) => call.via.as_ref(),)*
                }
            }

            /// The unsaved buffers in it.
            pub fn buffers(&self) -> &[crate::methods::buffer::Buffer] {
                match self {
                    $(Self::$call(call) => &call.buffers,)*
                }
            }

            /// The repository that it is about.
            pub fn repository(&self) -> &RepositoryName {
                match self {
                    $(Self::$call(call) => &call.repository,)*
                }
            }
        }
    };
}

methods! {
    // name          parameters                       answer           effect  reviews notes runs     offered by        while it runs
    "init"           Init(Init)                    -> InitReply:       writes  no      heals anywhere [cli]             "setting up the repository";
    "comment"        Comment(Comment)              -> WrittenReply:         writes  no      heals anywhere [cli web lsp mcp] "writing";
    "comment.batch"  CommentBatch(CommentBatch)    -> CommentBatchReply: writes no     heals anywhere [cli mcp]         "writing";
    "reply"          Reply(ReplyTo)                -> WrittenReply:         writes  no      heals anywhere [cli web lsp mcp] "writing";
    "edit"           Edit(Edit)                    -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "resolve"        Resolve(Resolve)              -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "reopen"         Reopen(Reopen)                -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "withdraw"       Withdraw(Withdraw)            -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "move"           Move(Move)                    -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "apply"          Apply(Apply)                  -> PlanReply:       reads   no      heals anywhere [cli web lsp mcp] "locating the change";
    "patch"          Patch(Patch)                  -> PlanReply:       reads   no      heals anywhere [cli]             "locating the change";
    "apply.write"    ApplyWrite(ApplyWrite)        -> ApplyWriteReply: writes  no      no    client   [cli web lsp]     "writing";
    "undo"           Undo(Undo)                    -> UndoReply:       writes  no      no    client   [cli web lsp]     "writing";
    "list"           List(List)                    -> ListReply:       reads   follows heals anywhere [cli web lsp mcp] "locating comments";
    "changes"        Changes(Changes)              -> ChangesReply:    reads   no      heals anywhere [web lsp mcp]     "locating comments";
    "show"           Show(Show)                    -> ShowReply:       reads   follows heals anywhere [cli web lsp mcp] "locating comments";
    "log"            Log(Log)                      -> LogReply:        reads   no      heals anywhere [cli web]         "following a comment through history";
    "diff"           Diff(Diff)                    -> DiffReply:       reads   follows heals anywhere [cli web lsp]     "locating comments";
    "review.start"   ReviewStart(ReviewStart)      -> ReviewReply:     writes  follows heals anywhere [cli web lsp]     "writing";
    "review.list"    ReviewList(ReviewList)        -> ReviewListReply: reads   follows heals anywhere [cli web lsp]     "checking reviews";
    "review.show"    ReviewShow(ReviewShow)        -> ReviewReply:     reads   follows heals anywhere [cli web lsp]     "checking reviews";
    "review.since"   ReviewSince(ReviewSince)      -> SinceReply:      reads   follows heals anywhere [cli web]         "checking reviews";
    "review.ready"   ReviewReady(ReviewReady)      -> ReviewReadyReply: reads  follows heals anywhere [cli web]         "checking reviews";
    "review.verdict" ReviewVerdict(ReviewVerdict)  -> ReviewReply:     writes  follows heals anywhere [cli web lsp]     "writing";
    "review.change"  ReviewChange(ReviewChange)    -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "review.edit"    ReviewEdit(ReviewEdit)        -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "review.request" ReviewAsk(ReviewAsk)          -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "propose"        Propose(Propose)              -> DoneReply:       writes  no      heals anywhere [cli mcp]         "writing";
    "answer"         AnswerProposals(AnswerProposals) -> DoneReply:    writes  no      heals anywhere [cli web lsp]     "writing";
    "publish"        Publish(Publish)              -> PublishReply:    writes  no      heals anywhere [cli web lsp]     "writing";
    "sync"           Sync(Sync)                    -> SyncReply:       writes  no      no    client   [cli web]         "syncing";
    "import"         Import(Import)                -> ImportReply:     writes  no      heals anywhere [cli]             "importing";
    "export"         Export(Export)                -> ExportReply:     reads   follows heals anywhere [cli web mcp]     "exporting";
    "status"         Status(Status)                -> StatusReply:     reads   follows no    anywhere [cli web lsp]     "locating comments";
    "inbox"          Inbox(Inbox)                  -> InboxReply:      reads   follows heals anywhere [cli web lsp]     "checking reviews";
    "stats"          Stats(Stats)                  -> StatsReply:      reads   follows heals anywhere [cli web]         "locating comments";
    "read"           MarkRead(MarkRead)            -> MarkReadReply:   writes  no      no    anywhere [cli web lsp]     "writing";
    "purge"          Purge(Purge)                  -> PurgeReply:      writes  no      heals anywhere [cli]             "writing";
    "doctor"         Doctor(Doctor)                -> DoctorReply:     writes  no      no    anywhere [cli]             "checking the repository";
    "write-positions" WritePositions(WritePositions)      -> WritePositionsReply: writes  follows heals anywhere []                "writing";
}

/// Reads the parameters of a method.
pub(super) fn read<P: DeserializeOwned>(params: &str) -> Result<P, Fault> {
    serde_json::from_str(params)
        .map_err(|error| Fault::new(FaultCode::InvalidParams, format!("invalid parameters: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::request::{HeadName, RepositoryName, Scope};

    #[test]
    fn a_call_is_read_with_what_it_leaves_out() {
        let params = r#"{"repository":{"git_dir":"/r/.git"},"scope":"all","filter":{"tags":["x"]},"head":{"rev":"v1"},"new":1}"#;
        let call = Call::from_parts("list", params).unwrap().unwrap();
        assert_eq!(call.name(), "list");
        let Call::List(list) = call else { panic!("another method") };
        assert_eq!(list.repository, RepositoryName { git_dir: "/r/.git".into(), work_tree: None });
        assert_eq!((list.params.scope, list.params.head), (Scope::All, HeadName::Rev("v1".into())));
        assert_eq!(list.params.filter.tags, ["x"]);
    }

    #[test]
    fn wrong_parameters_and_unknown_methods_are_told_apart() {
        let fault = Call::from_parts("comment", "{}").unwrap().unwrap_err();
        assert_eq!(fault.code, FaultCode::InvalidParams);
        assert!(Call::from_parts("sing", "{}").is_none());
    }

    #[test]
    fn the_message_names_the_parameter_that_is_missing() {
        let repository = r#""repository":{"git_dir":"/r/.git"}"#;
        for rest in ["", r#","expect":"abc","into":"index""#, r#","files":[]"#] {
            let params = format!("{{{repository}{rest}}}");
            let fault = Call::from_parts("apply.write", &params).unwrap().unwrap_err();
            assert_eq!(fault.code, FaultCode::InvalidParams, "{rest}");
            assert!(fault.message.contains("missing field `plan`"), "{}", fault.message);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let params = r#"{"repository":{"git_dir":"/r/.git"},"author":{"name":"Ann","email":"a@b"},"text":"why?","place":{"path":"a.rs","span":{"start":3,"end":3}}}"#;
        let Call::Comment(call) = Call::from_parts("comment", params).unwrap().unwrap() else { panic!() };
        let json = serde_json::to_string(&call).unwrap();
        assert_eq!(Call::from_parts("comment", &json).unwrap().unwrap(), Call::Comment(call));
    }
}
