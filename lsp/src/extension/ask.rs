//! `postil/ask`: a question to the service, or something to write, as `docs/protocol.md` has it.
//!
//! An extension that shows reviews needs many methods. All go through one request, so that each is one row here. Unsaved
//! texts go along, as with every question.

use lsp_server::RequestId;
use postil_client::Session;
use postil_protocol::{
    AnswerProposals, Apply, Comment, Diff, Edit, Effect, List, Move, Publish, Reopen, ReplyTo,
    RepositoryRequest, Resolve, ReviewList, ReviewShow, ReviewStart, ReviewVerdict, ServiceMethod, Show,
    Status, Withdraw,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::asking::worker::{Finished, WorkerTask};
use crate::commands::command::AskArguments;
use crate::extension::bodies::with_bodies;
use crate::server::Server;
use crate::told::told;
use crate::uri::{path_of, uri_of};

/// A method, as it is run here.
struct AskedMethod {
    effect: Effect,
    run: fn(&mut Session, Value) -> Result<Value, String>,
}

impl AskedMethod {
    /// The method of this name, if extensions may ask for it.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "comment" => Self::of::<Comment>(),
            "reply" => Self::of::<ReplyTo>(),
            "edit" => Self::of::<Edit>(),
            "resolve" => Self::of::<Resolve>(),
            "reopen" => Self::of::<Reopen>(),
            "withdraw" => Self::of::<Withdraw>(),
            "move" => Self::of::<Move>(),
            "apply" => Self::of::<Apply>(),
            "list" => Self::of::<List>(),
            "show" => Self::of::<Show>(),
            "diff" => Self::of::<Diff>(),
            "status" => Self::of::<Status>(),
            "publish" => Self::of::<Publish>(),
            "answer" => Self::of::<AnswerProposals>(),
            "review.start" => Self::of::<ReviewStart>(),
            "review.list" => Self::of::<ReviewList>(),
            "review.show" => Self::of::<ReviewShow>(),
            "review.verdict" => Self::of::<ReviewVerdict>(),
            _ => return None,
        })
    }

    fn of<P: DeserializeOwned>() -> Self
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        Self { effect: RepositoryRequest::<P>::TRAITS.effect, run: run::<P> }
    }
}

fn run<P: DeserializeOwned>(session: &mut Session, params: Value) -> Result<Value, String>
where
    RepositoryRequest<P>: ServiceMethod,
{
    // What is left out is as if an object without fields was sent.
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let params: P = serde_json::from_value(params).map_err(|error| format!("invalid parameters: {error}"))?;
    let answer = match RepositoryRequest::<P>::TRAITS.effect {
        Effect::Reads => session.ask(params),
        Effect::Writes => session.write(params),
    };
    let answer = answer.map_err(|error| told(&error))?;
    serde_json::to_value(answer).map(with_bodies).map_err(|error| error.to_string())
}

impl Server {
    /// Answers an extension with what the service says.
    pub(crate) fn ask_service(&mut self, id: RequestId, params: AskArguments) {
        let AskArguments { within, method, params } = params;
        let Some(asked) = AskedMethod::named(&method) else {
            return self.refuse(id, &format!("no such method: {method}"));
        };
        // The repository around a folder is that around a file in it.
        let file = path_of(&within).map(|path| if path.is_dir() { path.join("any") } else { path });
        let Some(repository) = file.and_then(|file| self.repository_of(&file)) else {
            return self.refuse(id, "not in a git repository");
        };
        let (buffers, _) = self.buffers(repository);
        let AskedMethod { effect, run } = asked;
        let work = move |session: &mut Session| -> Finished {
            let answer = run(session, params);
            Box::new(move |server: &mut Server| {
                match answer {
                    Ok(mut answer) => {
                        // Paths in answers are below it, whatever folder the editor has opened.
                        answer["root"] = uri_of(&server.repositories[repository].root).into();
                        server.reply(id, answer);
                    }
                    Err(why) => server.refuse(id, &why),
                }
                if effect == Effect::Writes {
                    server.look_again(repository);
                }
            })
        };
        let task = match effect {
            Effect::Reads => WorkerTask::Read(Box::new(work)),
            Effect::Writes => WorkerTask::Write(Box::new(work)),
        };
        self.repositories[repository].ask(buffers, task);
    }
}

#[cfg(test)]
mod tests {
    use postil_protocol::{Call, Frontend};

    use super::*;

    #[test]
    fn extensions_may_ask_for_what_is_offered_in_editors_and_nothing_else() {
        // These two write files on disk; an editor makes its edits itself. The others are asked for by nobody yet.
        let left_out = ["apply.write", "undo", "changes", "inbox", "read"];
        for method in Call::METHODS {
            let is_offered = method.frontends.contains(&Frontend::Lsp) && !left_out.contains(&method.name);
            assert_eq!(AskedMethod::named(method.name).is_some(), is_offered, "{}", method.name);
        }
    }
}
