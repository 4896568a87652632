//! Every way to ask what is there: the command with a daemon, the command without one, and the socket.

use std::collections::BTreeMap;

use postil_protocol::{Detail, List, ListReply, Scope, ThreadStatus};
use serde_json::Value;

use crate::model::{Id, Shown};
use crate::support::finished::Finished;
use crate::support::world::{Checkout, World};

/// One way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The command, answered by a daemon.
    Daemon,
    /// The command, answered in its own process.
    InProcess,
    /// A client of the socket.
    Socket,
}

/// All of them; the daemon first, since the socket needs one that runs.
pub const DOORS: [Door; 3] = [Door::InProcess, Door::Daemon, Door::Socket];

impl Door {
    /// Whether it shows replies as well as first comments.
    pub fn shows_replies(self) -> bool {
        self == Self::Socket
    }

    /// Everything that can be seen through it, or how it failed.
    pub fn look(self, world: &World, person: &Checkout<'_>) -> Result<BTreeMap<Id, Shown>, String> {
        match self {
            Self::Daemon => listed(&person.served("--json list --all")),
            Self::InProcess => listed(&person.postil("--json list --all")),
            Self::Socket => asked(world, person),
        }
    }
}

fn listed(finished: &Finished) -> Result<BTreeMap<Id, Shown>, String> {
    let (code, stdout) = (finished.exit(), finished.stdout());
    if code != Some(0) {
        return Err(format!("exit {code:?}: {}", finished.stderr()));
    }
    let answer: Value = serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout}"))?;
    let threads = answer["threads"].as_array().ok_or_else(|| format!("no threads: {stdout}"))?;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let shown = threads.iter().filter_map(|thread| {
        let first = thread["comments"].get(0)?;
        let shown = Shown {
            thread: word(&thread["id"]),
            text: word(&first["text"]),
            status: word(&thread["status"]),
            draft: thread["draft"].as_bool().unwrap_or_default(),
        };
        Some((word(&first["id"]), shown))
    });
    Ok(shown.collect())
}

fn asked(world: &World, person: &Checkout<'_>) -> Result<BTreeMap<Id, Shown>, String> {
    let mut client = world.client();
    let mut list = List { scope: Scope::All, detail: Detail::Full, ..List::default() };
    let mut shown = BTreeMap::new();
    loop {
        let page: ListReply =
            client.ask(&person.about(list.clone())).map_err(|error| format!("{error:?}"))?;
        for thread in &page.threads {
            let status = match thread.status {
                ThreadStatus::Open => "open",
                ThreadStatus::Resolved => "resolved",
                ThreadStatus::Withdrawn => "withdrawn",
            };
            shown.extend(thread.comments.iter().map(|comment| {
                let found = Shown {
                    thread: thread.id.as_str().to_owned(),
                    text: comment.text.clone(),
                    status: status.to_owned(),
                    draft: comment.draft,
                };
                (comment.id.as_str().to_owned(), found)
            }));
        }
        let Some(next) = page.next else { return Ok(shown) };
        list.cursor = Some(next);
    }
}
