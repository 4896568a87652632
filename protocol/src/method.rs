//! The table of the methods that the service answers.
//!
//! Each is a type of parameters that names its answer, so that a client cannot mistake one for another. Whatever else
//! differs from method to method is a column ([`Traits`]): a new method is a row here, and an arm in the service.

use serde::{Serialize, de::DeserializeOwned};

use super::change::{Apply, ApplyWrite, ApplyWriteReply, Patch, PlanReply, Undo, UndoReply};
use super::changes::{Changes, ChangesReply};
use super::doctor::{Doctor, DoctorReply};
use super::export::{Export, ExportReply};
use super::fault::{Fault, FaultCode};
use super::import::{Import, ImportReply};
use super::mark::Mark;
use super::reply::{
    DiffReply, DoneReply, InitReply, ListReply, LogReply, PublishReply, PurgeReply, ReviewListReply,
    ReviewReply, SettleReply, ShowReply, StatusReply, Written,
};
use super::request::{
    Comment, Diff, Edit, In, Init, List, Log, Move, Publish, Purge, Reopen, Reply as ReplyTo, RepositoryName,
    Resolve, ReviewChange, ReviewEdit, ReviewList, ReviewShow, ReviewSince, ReviewStart, ReviewVerdict,
    Settle, Show, Status, Withdraw,
};
use super::since::SinceReply;
use super::sync::{Sync, SyncReply};
use super::thread::Person;
use super::traits::{Effect, Frontend, RunsIn, Traits};

/// Parameters that know the name of their method and the type of its answer.
pub trait Method: Serialize + DeserializeOwned {
    /// The name of the method.
    const NAME: &'static str;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned;
}

/// A method of the service: one about a repository.
pub trait Asked: Method {
    /// What the table says of it.
    const TRAITS: Traits;

    /// Makes a call of it.
    fn into_call(self) -> Call;
    /// Takes its answer out of a reply; `None` for the reply of another method.
    fn answer_in(reply: Reply) -> Option<Self::Answer>;
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
            $(#[doc = concat!("`", $name, "`")] $call(In<$params>),)*
        }

        /// An answer of the service.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        #[allow(clippy::large_enum_variant, reason = "a reply is made once and never stored")]
        pub enum Reply {
            $(#[doc = concat!("Of `", $name, "`.")] $call($answer),)*
        }

        impl Reply {
            /// Says what is known with this answer, unless it says so itself.
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
        }

        $(
            impl Method for In<$params> {
                const NAME: &'static str = $name;
                type Answer = $answer;
            }

            impl Asked for In<$params> {
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
            }
        )*

        /// The answer of every method as a command prints it, in the order of the table.
        #[cfg(any(test, feature = "schema"))]
        pub(super) fn answers() -> Vec<(Traits, super::schema::Printed)> {
            vec![$((<In<$params> as Asked>::TRAITS, super::schema::Printed::new::<$answer>())),*]
        }

        impl Call {
            /// What the table says of every method, in its order.
            pub const METHODS: &[Traits] = &[$(<In<$params> as Asked>::TRAITS),*];

            /// Reads the parameters of a method; `None` if the service has no such method.
            pub fn from_parts(method: &str, params: &str) -> Option<Result<Self, Fault>> {
                match method {
                    $($name => Some(read(params).map(Self::$call)),)*
                    _ => None,
                }
            }

            /// What the table says of its method.
            pub fn traits(&self) -> Traits {
                match self {
                    $(Self::$call(_) => <In<$params> as Asked>::TRAITS,)*
                }
            }

            /// The name of its method.
            pub fn name(&self) -> &'static str {
                self.traits().name
            }

            /// Who asks, when, and the offset of their clock from UTC in seconds, as far as they say so.
            pub fn asker(&self) -> (Option<&Person>, Option<u64>, i32) {
                match self {
                    $(Self::$call(call) => (call.author.as_ref(), call.at, call.utc_offset),)*
                }
            }

            /// The unsaved texts that came with it.
            pub fn buffers(&self) -> &[super::buffer::Buffer] {
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
    "comment"        Comment(Comment)              -> Written:         writes  no      heals anywhere [cli web lsp mcp] "writing";
    "reply"          Reply(ReplyTo)                -> Written:         writes  no      heals anywhere [cli web lsp mcp] "writing";
    "edit"           Edit(Edit)                    -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "resolve"        Resolve(Resolve)              -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "reopen"         Reopen(Reopen)                -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "withdraw"       Withdraw(Withdraw)            -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "move"           Move(Move)                    -> DoneReply:       writes  no      heals anywhere [cli web lsp]     "writing";
    "apply"          Apply(Apply)                  -> PlanReply:       reads   no      heals anywhere [cli web lsp mcp] "finding where the change belongs";
    "patch"          Patch(Patch)                  -> PlanReply:       reads   no      heals anywhere [cli]             "finding where the change belongs";
    "apply.write"    ApplyWrite(ApplyWrite)        -> ApplyWriteReply: writes  no      no    client   [cli web lsp]     "writing";
    "undo"           Undo(Undo)                    -> UndoReply:       writes  no      no    client   [cli web lsp]     "writing";
    "list"           List(List)                    -> ListReply:       reads   follows heals anywhere [cli web lsp mcp] "finding the places of comments";
    "changes"        Changes(Changes)              -> ChangesReply:    reads   no      heals anywhere [web lsp mcp]     "finding the places of comments";
    "show"           Show(Show)                    -> ShowReply:       reads   follows heals anywhere [cli web lsp mcp] "finding the places of comments";
    "log"            Log(Log)                      -> LogReply:        reads   no      heals anywhere [cli web]         "following a comment through history";
    "diff"           Diff(Diff)                    -> DiffReply:       reads   follows heals anywhere [cli web]         "finding the places of comments";
    "review.start"   ReviewStart(ReviewStart)      -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "review.list"    ReviewList(ReviewList)        -> ReviewListReply: reads   follows heals anywhere [cli web]         "looking at reviews";
    "review.show"    ReviewShow(ReviewShow)        -> ReviewReply:     reads   follows heals anywhere [cli web]         "looking at reviews";
    "review.since"   ReviewSince(ReviewSince)      -> SinceReply:      reads   follows heals anywhere [cli web]         "looking at reviews";
    "review.verdict" ReviewVerdict(ReviewVerdict)  -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "review.change"  ReviewChange(ReviewChange)    -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "review.edit"    ReviewEdit(ReviewEdit)        -> ReviewReply:     writes  follows heals anywhere [cli web]         "writing";
    "publish"        Publish(Publish)              -> PublishReply:    writes  no      heals anywhere [cli web lsp]     "writing";
    "sync"           Sync(Sync)                    -> SyncReply:       writes  no      no    client   [cli web mcp]     "exchanging reviews";
    "import"         Import(Import)                -> ImportReply:     writes  no      heals anywhere [cli]             "importing";
    "export"         Export(Export)                -> ExportReply:     reads   follows heals anywhere [cli web mcp]     "exporting";
    "status"         Status(Status)                -> StatusReply:     reads   follows no    anywhere [cli web lsp]     "finding the places of comments";
    "purge"          Purge(Purge)                  -> PurgeReply:      writes  no      heals anywhere [cli]             "writing";
    "doctor"         Doctor(Doctor)                -> DoctorReply:     writes  no      no    anywhere [cli]             "looking for what is wrong";
    "settle"         Settle(Settle)                -> SettleReply:     writes  follows heals anywhere []                "writing";
}

/// Reads the parameters of a method.
pub(super) fn read<P: DeserializeOwned>(params: &str) -> Result<P, Fault> {
    serde_json::from_str(params).map_err(|error| {
        Fault::new(FaultCode::InvalidParams, "these parameters do not fit the method").because(&error)
    })
}

#[cfg(test)]
mod tests {
    use super::super::request::{HeadName, RepositoryName, Scope};
    use super::*;

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
    fn what_is_written_is_read_back() {
        let params = r#"{"repository":{"git_dir":"/r/.git"},"author":{"name":"Ann","email":"a@b"},"text":"why?","place":{"path":"a.rs","span":{"start":3,"end":3}}}"#;
        let Call::Comment(call) = Call::from_parts("comment", params).unwrap().unwrap() else { panic!() };
        let json = serde_json::to_string(&call).unwrap();
        assert_eq!(Call::from_parts("comment", &json).unwrap().unwrap(), Call::Comment(call));
    }
}
