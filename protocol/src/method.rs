//! The methods that the service answers, by name.
//!
//! Each is a type of parameters that names its answer, so that a client cannot mistake one for another.

use serde::{Serialize, de::DeserializeOwned};

use super::change::{Apply, Patch, PlanReply};
use super::doctor::{Doctor, DoctorReply};
use super::fault::{Fault, FaultCode};
use super::import::{Import, ImportReply};
use super::reply::{
    DiffReply, DoneReply, InitReply, ListReply, LogReply, PublishReply, PurgeReply, ReviewListReply,
    ReviewReply, SettleReply, ShowReply, StatusReply, Written,
};
use super::request::{
    Comment, Diff, Edit, In, Init, List, Log, Move, Publish, Purge, Reopen, Reply as ReplyTo, Resolve,
    ReviewChange, ReviewEdit, ReviewList, ReviewShow, ReviewSince, ReviewStart, ReviewVerdict, Settle, Show,
    Status, Withdraw,
};
use super::since::SinceReply;

/// Parameters that know the name of their method and the type of its answer.
pub trait Method: Serialize + DeserializeOwned {
    /// The name of the method.
    const NAME: &'static str;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned;
}

/// A method of the service: one about a repository.
pub trait Asked: Method {
    /// Makes a call of it.
    fn into_call(self) -> Call;
    /// Takes its answer out of a reply; `None` for the reply of another method.
    fn answer_in(reply: Reply) -> Option<Self::Answer>;
}

macro_rules! methods {
    ($($name:literal $call:ident($params:ty) -> $answer:ty;)*) => {
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

        $(
            impl Method for In<$params> {
                const NAME: &'static str = $name;
                type Answer = $answer;
            }

            impl Asked for In<$params> {
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

        impl Call {
            /// The names of all methods.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Reads the parameters of a method; `None` if the service has no such method.
            pub fn from_parts(method: &str, params: &str) -> Option<Result<Self, Fault>> {
                match method {
                    $($name => Some(read(params).map(Self::$call)),)*
                    _ => None,
                }
            }

            /// The name of its method.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$call(_) => $name,)*
                }
            }

            /// Who asks, when, and the offset of their clock from UTC in seconds, as far as they say so.
            pub fn asker(&self) -> (Option<&super::thread::Person>, Option<u64>, i32) {
                match self {
                    $(Self::$call(call) => (call.author.as_ref(), call.at, call.utc_offset),)*
                }
            }

            /// The repository that it is about.
            pub fn repository(&self) -> &super::request::RepositoryName {
                match self {
                    $(Self::$call(call) => &call.repository,)*
                }
            }
        }
    };
}

methods! {
    "init" Init(Init) -> InitReply;
    "comment" Comment(Comment) -> Written;
    "reply" Reply(ReplyTo) -> Written;
    "edit" Edit(Edit) -> DoneReply;
    "resolve" Resolve(Resolve) -> DoneReply;
    "reopen" Reopen(Reopen) -> DoneReply;
    "withdraw" Withdraw(Withdraw) -> DoneReply;
    "move" Move(Move) -> DoneReply;
    "apply" Apply(Apply) -> PlanReply;
    "patch" Patch(Patch) -> PlanReply;
    "list" List(List) -> ListReply;
    "show" Show(Show) -> ShowReply;
    "log" Log(Log) -> LogReply;
    "diff" Diff(Diff) -> DiffReply;
    "review.start" ReviewStart(ReviewStart) -> ReviewReply;
    "review.list" ReviewList(ReviewList) -> ReviewListReply;
    "review.show" ReviewShow(ReviewShow) -> ReviewReply;
    "review.since" ReviewSince(ReviewSince) -> SinceReply;
    "review.verdict" ReviewVerdict(ReviewVerdict) -> ReviewReply;
    "review.change" ReviewChange(ReviewChange) -> ReviewReply;
    "review.edit" ReviewEdit(ReviewEdit) -> ReviewReply;
    "publish" Publish(Publish) -> PublishReply;
    "import" Import(Import) -> ImportReply;
    "status" Status(Status) -> StatusReply;
    "purge" Purge(Purge) -> PurgeReply;
    "doctor" Doctor(Doctor) -> DoctorReply;
    "settle" Settle(Settle) -> SettleReply;
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
