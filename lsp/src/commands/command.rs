//! The commands that editors run, as code actions, key bindings and plug-ins send them.

use gen_lsp_types::Range;
use serde::Deserialize;
use serde_json::Value;

/// The names of all commands.
pub(crate) const NAMES: [&str; 14] = [
    "postil.comment",
    "postil.marker",
    "postil.reply",
    "postil.resolve",
    "postil.reopen",
    "postil.accept",
    "postil.decline",
    "postil.apply",
    "postil.move",
    "postil.original",
    "postil.publish",
    "postil.list",
    "postil.next",
    "postil.previous",
];

/// What an editor asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EditorCommand {
    /// A new comment.
    Comment(CommentArguments),
    /// A new comment, whose text is a marker line.
    Marker(FromArguments),
    /// A reply.
    Reply(ReplyArguments),
    /// A thread is done.
    Resolve(ThreadArguments),
    /// A thread is not done.
    Reopen(ThreadArguments),
    /// What is proposed for a thread is accepted.
    Accept(ThreadArguments),
    /// What is proposed for a thread is declined.
    Decline(ThreadArguments),
    /// The suggestion of a thread becomes an edit.
    Apply(ThreadArguments),
    /// A person chooses where a thread belongs.
    Move(MoveArguments),
    /// Shows what a thread was put on.
    Original(ThreadArguments),
    /// Drafts are shared.
    Publish(RepositoryOf),
    /// Lists all open threads.
    List(RepositoryOf),
    /// Shows the next open thread.
    Next(FromArguments),
    /// Shows the previous open thread.
    Previous(FromArguments),
}

/// Where a new comment goes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct CommentArguments {
    /// The document.
    pub(crate) uri: String,
    /// The lines; without any, the whole file.
    #[serde(default)]
    pub(crate) range: Option<Range>,
    /// The text; without it, the editor opens a file to write it in.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// Whether it is kept here until it is published.
    #[serde(default)]
    pub(crate) draft: bool,
    /// How serious it is.
    #[serde(default)]
    pub(crate) severity: Option<String>,
}

/// What a reply is to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct ReplyArguments {
    /// The thread.
    pub(crate) thread: String,
    /// The text; without it, the editor opens a file to write it in.
    #[serde(default)]
    pub(crate) text: Option<String>,
    /// Whether it is kept here until it is published.
    #[serde(default)]
    pub(crate) draft: bool,
}

/// Which repository is meant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct RepositoryOf {
    /// Any document of the repository.
    pub(crate) uri: String,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct ThreadArguments {
    /// Its id.
    pub(crate) thread: String,
    /// Why.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

/// Where a thread goes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct MoveArguments {
    /// Its id.
    pub(crate) thread: String,
    /// One of the candidates of its position, counted from one; without it, the person is asked.
    #[serde(default)]
    pub(crate) candidate: Option<u32>,
}

/// Where somebody is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct FromArguments {
    /// The document.
    pub(crate) uri: String,
    /// The line, counted from zero.
    pub(crate) line: u32,
    /// The thread in front of them, if it is shown in another document than its file.
    #[serde(default)]
    pub(crate) thread: Option<String>,
}

/// What an extension asks the service for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct AskArguments {
    /// The address of a folder or file in the repository.
    pub(crate) within: String,
    /// The method of the service.
    pub(crate) method: String,
    /// Its parameters, without the repository and the author.
    #[serde(default)]
    pub(crate) params: Value,
}

impl EditorCommand {
    /// Reads a command and its one argument.
    pub(crate) fn read(name: &str, arguments: Option<Vec<Value>>) -> Result<Self, String> {
        fn argument<T: for<'de> Deserialize<'de>>(
            name: &str,
            arguments: Option<Vec<Value>>,
        ) -> Result<T, String> {
            let first = arguments.unwrap_or_default().into_iter().next().unwrap_or_default();
            serde_json::from_value(first).map_err(|error| format!("invalid argument of {name}: {error}"))
        }
        Ok(match name {
            "postil.comment" => Self::Comment(argument(name, arguments)?),
            "postil.marker" => Self::Marker(argument(name, arguments)?),
            "postil.reply" => Self::Reply(argument(name, arguments)?),
            "postil.resolve" => Self::Resolve(argument(name, arguments)?),
            "postil.reopen" => Self::Reopen(argument(name, arguments)?),
            "postil.accept" => Self::Accept(argument(name, arguments)?),
            "postil.decline" => Self::Decline(argument(name, arguments)?),
            "postil.apply" => Self::Apply(argument(name, arguments)?),
            "postil.move" => Self::Move(argument(name, arguments)?),
            "postil.original" => Self::Original(argument(name, arguments)?),
            "postil.publish" => Self::Publish(argument(name, arguments)?),
            "postil.list" => Self::List(argument(name, arguments)?),
            "postil.next" => Self::Next(argument(name, arguments)?),
            "postil.previous" => Self::Previous(argument(name, arguments)?),
            _ => return Err(format!("no such command: {name}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_name_is_a_command_and_a_bad_argument_is_named() {
        for name in NAMES {
            let error = EditorCommand::read(name, Some(vec![json!({})])).unwrap_err();
            assert!(error.starts_with(&format!("invalid argument of {name}: missing field")), "{error}");
        }
        assert_eq!(
            EditorCommand::read("postil.nothing", None),
            Err("no such command: postil.nothing".into())
        );
        let read = EditorCommand::read("postil.move", Some(vec![json!({ "thread": "ab", "candidate": 2 })]));
        assert_eq!(read, Ok(EditorCommand::Move(MoveArguments { thread: "ab".into(), candidate: Some(2) })));
    }
}
