//! Data flows one way: a room may use the rooms to its left, never those to its right.
//!
//! A new room enters by its place in `FLOWS`; one that stands nowhere is a complaint too. In `service` the rooms are its
//! folders: the files beside them tie those together, as a request does that every method gets.

use crate::code::{self, Token};
use crate::source::{Complaint, Source};

struct Flow {
    src: &'static str,
    /// From the source of the data to where it leaves.
    order: &'static [&'static str],
    files: Files,
}

/// What a file beside the folders of a crate is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    /// A room, as a folder is.
    Rooms,
    /// It may use any folder, and be used by any.
    Ties,
}

/// Folders of the service that tie the others together, as its files do: what is kept of a repository, and of its notes.
const TIES: [&str; 2] = ["service/src/repository/", "service/src/notes/"];

const FLOWS: [Flow; 7] = [
    Flow {
        src: "core/src/",
        order: &["edit", "git", "record", "notes", "anchoring", "patch", "suggestion", "review", "sync"],
        files: Files::Rooms,
    },
    Flow {
        src: "syntax/src/",
        order: &[
            "class",
            "spans",
            "words",
            "rules",
            "language",
            "code",
            "diff",
            "yaml",
            "languages",
            "detect",
            "markup",
            "lexer",
        ],
        files: Files::Rooms,
    },
    Flow {
        src: "service/src/",
        order: &[
            "process",
            "convert",
            "sharing",
            "trust",
            "formats",
            "files",
            "apply",
            "pointing",
            "positions",
            "suggestions",
            "view",
            "lists",
            "writing",
            "changes",
            "reviews",
            "import",
            "methods",
        ],
        files: Files::Ties,
    },
    Flow {
        src: "client/src/",
        order: &[
            "error",
            "via",
            "git_parameters",
            "patch_text",
            "checkout",
            "revision",
            "repository_args",
            "identity",
            "signing",
            "daemon",
            "retry",
            "in_process",
            "caller",
            "session_start",
            "polling",
            "subscription",
            "session",
            "own_acts",
            "async_connection",
            "async_session",
            "async_subscription",
        ],
        files: Files::Rooms,
    },
    Flow {
        src: "daemon/src/",
        order: &[
            "process",
            "watching",
            "answers",
            "sharing",
            "events",
            "watched_repository",
            "single_flight",
            "hub",
            "fixture",
            "repository",
            "clients",
            "housekeeping",
            "run",
        ],
        files: Files::Rooms,
    },
    Flow {
        src: "web/src/",
        order: &[
            "error",
            "secret",
            "address",
            "escape",
            "markdown",
            "assets",
            "shown_view",
            "looks",
            "typed",
            "viewed",
            "lines",
            "routes",
            "door",
            "browser",
            "instance",
            "pages",
            "live",
            "serving",
            "run",
        ],
        files: Files::Rooms,
    },
    Flow {
        src: "cli/src/",
        order: &[
            "sanitize", "advice", "failure", "exit", "progress", "connect", "render", "demo", "commands",
        ],
        files: Files::Rooms,
    },
];

/// Which crates of the house a crate may use; tests and benchmarks may use any.
const CRATES: [(&str, &[&str]); 14] = [
    ("core", &[]),
    ("syntax", &[]),
    ("live", &["core"]),
    ("protocol", &[]),
    ("service", &["core", "protocol", "syntax"]),
    ("socket", &["protocol"]),
    ("client", &["core", "protocol", "service", "socket"]),
    ("daemon", &["core", "protocol", "service", "socket"]),
    ("web", &["core", "protocol", "socket", "client", "words"]),
    ("words", &[]),
    ("compact", &["protocol", "words"]),
    ("lsp", &["live", "protocol", "socket", "client", "words"]),
    ("mcp", &["protocol", "client", "words", "compact"]),
    (
        "cli",
        &[
            "core", "protocol", "service", "socket", "client", "daemon", "syntax", "web", "lsp", "mcp",
            "words", "compact",
        ],
    ),
];

/// The crate that any other may use in its tests, and in nothing else.
const TEST_KIT: &str = "testkit";

/// Whether what follows this much of a manifest is a dependency of tests.
fn is_for_tests(before: &str) -> bool {
    before.lines().rfind(|line| line.starts_with('[')).is_some_and(|section| section == "[dev-dependencies]")
}

/// Complains about a crate that uses one to its right.
pub fn crates(source: &Source) -> Vec<Complaint> {
    const HOUSE: &str = "postil-";
    let folder = source.path.strip_suffix("/Cargo.toml").unwrap_or_default();
    let Some((_, may_use)) = CRATES.iter().find(|(name, _)| *name == folder) else { return Vec::new() };
    let used = source.text.lines().filter_map(|line| line.strip_prefix(HOUSE));
    let used = used.filter_map(|rest| rest.split(['.', ' ', '=']).next());
    used.map(|used| (used, source.text.find(&format!("\n{HOUSE}{used}")).unwrap_or_default()))
        .filter(|(used, at)| {
            !may_use.contains(used) && (*used != TEST_KIT || !is_for_tests(&source.text[..*at]))
        })
        .map(|(used, at)| source.complain(at, format!("`{folder}` uses `{used}`, which is not to its left")))
        .collect()
}

/// Complains about every path that leads into a room to the right, or into none.
pub fn imports(source: &Source) -> Vec<Complaint> {
    let Some((flow, inside)) =
        FLOWS.iter().find_map(|flow| Some((flow, source.path.strip_prefix(flow.src)?)))
    else {
        return Vec::new();
    };
    let room = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
    let is_tie = flow.files == Files::Ties
        && (!inside.contains('/') || TIES.iter().any(|folder| source.path.starts_with(folder)));
    if is_tie || ["lib", "main", "bin"].contains(&room) {
        // The root of a crate ties its rooms together.
        return Vec::new();
    }
    let Some(reach) = flow.reach(room) else {
        return vec![
            source.complain(0, format!("the room `{room}` has no place in the flow of {}", flow.src)),
        ];
    };
    mentioned_rooms(&code::tokens(&source.text), depth(inside))
        .into_iter()
        .filter(|token| token.text != room && !reach.contains(&token.text))
        .filter(|token| flow.files == Files::Rooms || flow.order.contains(&token.text))
        .map(|token| {
            source.complain(token.at, format!("`{room}` uses `{}`, which is no room to its left", token.text))
        })
        .collect()
}

/// Where an async runtime may be used: in the daemon, in the review page, and in the half of the client that is
/// asynchronous.
const WITH_RUNTIME: [&str; 5] =
    ["daemon/", "web/", "client/Cargo.toml", "client/src/async", "client/tests/client/async"];

/// Complains about an async runtime anywhere else.
pub fn runtime(source: &Source) -> Vec<Complaint> {
    const RUNTIME: &str = concat!("tok", "io");
    let what = "only `daemon`, `web` and the asynchronous half of `client` know a runtime";
    if WITH_RUNTIME.iter().any(|start| source.path.starts_with(start)) {
        Vec::new()
    } else if source.is_rust() {
        let tokens = code::tokens(&source.text);
        tokens
            .iter()
            .filter(|token| token.text == RUNTIME)
            .map(|token| source.complain(token.at, what))
            .collect()
    } else if source.path.ends_with("/Cargo.toml") {
        source.text.find(RUNTIME).map(|at| source.complain(at, what)).into_iter().collect()
    } else {
        Vec::new()
    }
}

impl Flow {
    /// Returns the rooms that `room` may use; `None` when there is no such room.
    fn reach(&self, room: &str) -> Option<&[&str]> {
        let place = self.order.iter().position(|name| *name == room)?;
        Some(&self.order[..place])
    }
}

/// How many modules a file of the crate is inside of, counting itself.
fn depth(inside: &str) -> usize {
    let parts = inside.split('/').count();
    if inside.ends_with("/mod.rs") { parts - 1 } else { parts }
}

/// The first names after `crate::`, or after as many `super::` as lead to the root.
fn mentioned_rooms<'a>(tokens: &[Token<'a>], depth: usize) -> Vec<Token<'a>> {
    let mut mentioned = Vec::new();
    let mut inline_ends: Vec<usize> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        inline_ends.retain(|end| *end > index);
        if tokens[index].text == "mod" {
            inline_ends.extend(code::closing(tokens, index + 2));
        }
        let supers = tokens[index..].chunks(2).take_while(|pair| code::says(pair, &["super", "::"])).count();
        if code::says(&tokens[index..], &["crate", "::"]) {
            index += 2;
        } else if supers >= depth + inline_ends.len() {
            index += 2 * supers;
        } else {
            index += 1 + 2 * supers;
            continue;
        }
        mentioned.extend(first_names(tokens, index));
    }
    mentioned
}

fn first_names<'a>(tokens: &[Token<'a>], index: usize) -> Vec<Token<'a>> {
    let Some(token) = tokens.get(index) else { return Vec::new() };
    if token.text != "{" {
        return vec![*token];
    }
    let mut names = Vec::new();
    let end = code::closing(tokens, index).unwrap_or(tokens.len());
    let mut at = index + 1;
    while at < end {
        names.push(tokens[at]);
        while at < end && tokens[at].text != "," {
            at = code::closing(tokens, at).unwrap_or(at) + 1;
        }
        at += 1;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, complaints: usize) {
        let found = imports(&Source::new(path, text));
        assert_eq!(found.len(), complaints, "{path}: {text}: {found:?}");
    }

    #[test]
    fn a_room_may_use_itself_and_the_rooms_to_its_left() {
        check("core/src/notes/store.rs", "use crate::git::CommitId; use crate::record::Record;", 0);
        check("core/src/notes/store.rs", "use crate::notes::page; use super::page::Page;", 0);
        check("core/src/notes/store.rs", "use crate::{git::{CommitId, TreeId}, record};", 0);
        check("core/src/lib.rs", "pub use crate::review::Thread;", 0);
        check("cli/src/exit.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use super::*; }", 0);
    }

    #[test]
    fn a_room_may_not_use_a_room_to_its_right() {
        check("core/src/git/id.rs", "use crate::notes::Store;", 1);
        check("core/src/git/id.rs", "fn f() { crate::review::fold(); }", 1);
        check("core/src/git/id.rs", "use crate::{edit::Lines, record::{A, B}, sync};", 2);
        check("core/src/git/id.rs", "pub(in crate::record) fn f() {}", 1);
        check("core/src/git/mod.rs", "use super::notes::Store;", 1);
        check("core/src/git/id.rs", "use super::super::notes::Store;", 1);
        check("cli/src/exit.rs", "mod tests { use super::super::commands::demo; }\nuse super::render::x;", 2);
        check("daemon/src/watching/watches.rs", "use crate::connection::Peer;", 1);
        check("cli/src/exit.rs", "use crate::commands::demo;", 1);
    }

    #[test]
    fn files_beside_the_folders_of_the_service_tie_them_together() {
        check(
            "service/src/methods/list.rs",
            "use crate::lists::order::Rank; use crate::request::Request;",
            0,
        );
        check("service/src/request.rs", "use crate::methods::list::list;", 0);
        check("service/src/lists/order.rs", "use crate::methods::list::list;", 1);
        check("service/src/files/disk.rs", "use crate::{positions::in_head, request};", 1);
        check("service/src/unheard_of/x.rs", "", 1);
    }

    #[test]
    fn nothing_hides_behind_the_root_of_a_crate() {
        check("core/src/sync/push.rs", "use crate::*;", 1);
        check("core/src/sync/push.rs", "use crate::Record;", 1);
        check("core/src/unheard_of/x.rs", "", 1);
    }

    #[test]
    fn a_crate_uses_only_crates_to_its_left() {
        let uses = |folder: &str, used: &str| {
            let text = format!("[dependencies]\npostil-{used}.workspace = true\n");
            crates(&Source::new(&format!("{folder}/Cargo.toml"), &text)).len()
        };
        assert_eq!(uses("service", "core"), 0);
        assert_eq!(uses("service", "daemon"), 1);
        assert_eq!(uses("protocol", "core"), 1);
        assert_eq!(uses("bench", "daemon"), 0);
    }

    #[test]
    fn only_tests_use_the_test_kit() {
        let with = |section: &str| {
            let text = format!(
                "[dependencies]\npostil-core.workspace = true\n\n[{section}]\npostil-testkit.workspace = true\n"
            );
            crates(&Source::new("service/Cargo.toml", &text)).len()
        };
        assert_eq!(with("dev-dependencies"), 0);
        assert_eq!(with("build-dependencies"), 1);
    }

    #[test]
    fn what_a_comment_says_is_no_import() {
        check("core/src/git/id.rs", "/// See [`crate::notes::Store`].\nfn f() {}", 0);
    }

    #[test]
    fn a_runtime_elsewhere_is_found() {
        let code = "use tokio::net;";
        assert_eq!(runtime(&Source::new("core/src/git/id.rs", code)).len(), 1);
        assert_eq!(
            runtime(&Source::new("cli/Cargo.toml", "[dependencies]\ntokio.workspace = true\n")).len(),
            1
        );
        assert_eq!(runtime(&Source::new("client/src/session.rs", code)).len(), 1);
        assert_eq!(runtime(&Source::new("client/src/async_session.rs", code)).len(), 0);
        assert_eq!(runtime(&Source::new("daemon/src/service.rs", code)).len(), 0);
    }
}
